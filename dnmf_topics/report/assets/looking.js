// What is looked at: a topic, a sub-topic, a group of topics or all; of these the mixed documents, those
// of a time, those that were searched, or all; one document or none. And what the colors mean.

const looking = {topic: null, subtopic: null, group: null, mixed: false, terms: [], matches: null,
  from: 0, to: numBins, chosen: -1, hovered: -1, cut: numTopics, column: null};

const nodeNow = () => looking.topic ?? looking.group;
let isLookedAt = null; // for each topic, unless all are
const shown = new Uint8Array(count).fill(1);

const isTimed = () => looking.from > 0 || looking.to < numBins;
const isFiltered = () => looking.matches !== null || looking.mixed || isTimed();
const areAllShown = () => nodeNow() === null && !isFiltered();
const isInTime = (i) => !isTimed() || (documents.time[i] !== null
  && documents.time[i] >= looking.from && documents.time[i] < looking.to);
const isFoundAnyTime = (i) => (!looking.mixed || isMixed[i] === 1)
  && (looking.matches === null || looking.matches[i] === 1);
const isFound = (i) => isFoundAnyTime(i) && isInTime(i);
// A document is shown with its own topic; a mixed one, while these are looked at, with all its parts.
const isInTopic = (i) => isLookedAt === null || (looking.subtopic !== null
  ? documents.topic[i] === looking.topic && subtopicOf(i) === looking.subtopic
  : isLookedAt[documents.topic[i]] === 1 || (looking.mixed && isAboutLookedAt(i)));
const isShown = (i) => isInTopic(i) && isFound(i);

// After any change of what is looked at.
function refresh() {
  for (let i = 0; i < count; i++) shown[i] = isShown(i) ? 1 : 0;
  closeIfHidden();
  colorDocuments();
  showKey();
  showFound();
  showCounts();
  showTime();
  showOpened();
  showCard();
  drawMap();
}

// Who goes from the card of a document to one of its topics goes on reading the document.
function closeIfHidden() {
  const i = looking.chosen;
  if (i >= 0 && !(isFound(i) && (isLookedAt === null || isAboutLookedAt(i)))) looking.chosen = -1;
}

function selectNode(node, subtopic = null) {
  const isTopic = node !== null && !isGroup(node);
  looking.topic = isTopic ? node : null;
  looking.group = isTopic ? null : node;
  looking.subtopic = subtopic;
  isLookedAt = node === null ? null : new Uint8Array(numTopics);
  if (node !== null) for (const topic of topicsOf(node)) isLookedAt[topic] = 1;
  markPressed();
  showShowing();
  refresh();
  goHome();
  byId("frame").firstChild?.contentWindow.postMessage({topic: looking.topic}, "*");
}

function markPressed() {
  for (const button of document.querySelectorAll("[data-node]")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.node) === nodeNow()));
  }
  for (const card of byId("cards").children) {
    card.classList.toggle("chosen", Number(card.dataset.card) === looking.topic);
  }
}

const shownTitle = () => (looking.subtopic === null ? titleOf(nodeNow())
  : `${titleOf(looking.topic)} › ${data.subtopics[looking.topic][looking.subtopic].name}`);

// Above the map: what it is limited to.
function showShowing() {
  const showing = byId("showing"), node = nodeNow();
  showing.hidden = node === null;
  obstacles = null;
  if (node === null) return;
  const all = makeButton(null, () => {
    openNode(null);
    showMapIfNarrow();
    canvas.focus({preventScroll: true}); // this button is gone
  }, "Show all");
  showing.replaceChildren(isGroup(node) ? swatchDot(swatchAt(swatchOf[node])) : dot(node),
    make("span", null, shownTitle()), all);
}

// As a person does it, so that the way back leads to what was looked at before.
function openNode(node, subtopic = null) {
  selectNode(node, subtopic);
  writeAddress("pushState");
}

const toggleTopic = (topic) => openNode(looking.topic === topic ? null : topic);

function nodeButton(node, className, ...children) {
  const button = makeButton(className, () => openNode(nodeNow() === node ? null : node), ...children);
  button.dataset.node = node;
  button.setAttribute("aria-pressed", String(nodeNow() === node));
  return button;
}

// The address: #topic-3, #topic-3.1 for its sub-topic 1, #group-25, #document-17, #topic-3/document-17.

function addressNow() {
  const {topic, subtopic, group, chosen} = looking;
  const place = topic !== null ? `topic-${topic}${subtopic === null ? "" : `.${subtopic}`}`
    : group !== null ? `group-${group}` : "";
  return `#${[place, chosen < 0 ? "" : `document-${chosen}`].filter(Boolean).join("/")}`;
}

function writeAddress(way) {
  const address = addressNow();
  if (address === (location.hash || "#")) return;
  try {
    history[way](null, "", address);
  } catch {
    // A page that is shown inside another one may have no address to change.
  }
}

function followAddress() {
  const found = location.hash
    .match(/^#?(?:(?:topic-(\d+)(?:\.(\d+))?|group-(\d+))(?:\/|$))?(?:document-(\d+))?$/);
  if (!found) return; // a section of the page
  const [topic, subtopic, group, chosen] = found.slice(1)
    .map((digits) => (digits === undefined ? null : Number(digits)));
  const isKnown = topic !== null ? topic < numTopics && (subtopic ?? -1) < data.subtopics[topic].length
    : group === null || (isGroup(group) && group < nodes.length);
  const node = isKnown ? topic ?? group : null;
  if (node !== nodeNow() || (isKnown && subtopic !== looking.subtopic)) {
    selectNode(node, isKnown ? subtopic : null);
  }
  if (chosen !== null && chosen < count) focusDocument(chosen);
  else if (looking.chosen >= 0) choose(-1);
}
