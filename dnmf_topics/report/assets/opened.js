// What is opened beside the map: a topic, a sub-topic or a group, with words, parts and documents.

const NUM_FIRST = 5, NUM_MORE = 20; // documents that are listed at first, and then
let openedNow = null; // while it stays, so do its buttons, and the focus on them
let numListed = NUM_FIRST;

function showOpened() {
  const node = nodeNow(), panel = byId("opened"), wasOpen = !panel.hidden;
  const hadFocus = [panel, byId("listing")].some((place) => place.contains(document.activeElement));
  panel.hidden = node === null;
  byId("listing").hidden = node !== null;
  document.body.classList.toggle("has-opened", node !== null);
  const content = JSON.stringify([node, looking.subtopic, looking.cut]);
  if (node !== null && content !== openedNow) {
    panel.replaceChildren(...(looking.subtopic !== null ? openedSubtopic(node, looking.subtopic)
      : isGroup(node) ? openedGroup(node) : openedTopic(node)));
    panel.scrollTop = 0;
    numListed = NUM_FIRST;
  }
  openedNow = node === null ? null : content;
  if (node === null) {
    if (wasOpen) drawTree(); // it has no size while it is hidden
    return;
  }
  listDocuments();
  if (hadFocus && !panel.contains(document.activeElement)) byId("opened-name").focus({preventScroll: true});
}

// Its heading goes right below the map, which stays in sight above it (its scroll margin says where).
function showOpenedIfNarrow() {
  if (isNarrow()) byId("opened").scrollIntoView({block: "start"});
}

// One step back: from a sub-topic to its topic, from there to all.
const closeOpened = () => leaveOpened(looking.subtopic === null ? null : looking.topic);

// Who leaves for the list of all topics is where it came from, with the keyboard and on a narrow screen.
function leaveOpened(to) {
  const row = rowOf(nodeNow()), hadFocus = byId("opened").contains(document.activeElement);
  openNode(to);
  if (to !== null) return;
  const place = row.isConnected ? row : canvas;
  if (isNarrow()) place.scrollIntoView({block: "center"});
  if (hadFocus) place.focus({preventScroll: true});
}

function headOfOpened(sign, name, size, all, back) {
  const title = make("h3", "opened-name", sign, make("bdi", null, name));
  title.id = "opened-name";
  title.tabIndex = -1;
  const close = makeButton("close", () => leaveOpened(null), "×");
  close.setAttribute("aria-label", "Close, show all topics");
  return [make("div", "way", makeButton("back", closeOpened, `‹ ${back}`), close), title,
    make("p", "about", `${plural(size, "document")}, ${percent(size / Math.max(all, 1))} of ${
      all === count ? "all" : "the topic"}`)];
}

const part = (heading, ...children) => make("div", "part", make("h4", null, heading), ...children);
const wordList = (words) => make("p", "word-list",
  ...words.flatMap((word, at) => [at ? ", " : "", make("bdi", null, word)]));

function documentList() {
  const list = make("ol", "typical");
  list.id = "opened-documents";
  const heading = make("h4", null, "Documents");
  heading.id = "opened-documents-heading";
  const more = makeButton("quiet", () => {
    numListed += NUM_MORE;
    listDocuments();
  }, "More");
  more.id = "opened-more";
  return make("div", "part", heading, list, more);
}

function openedTopic(topic) {
  const {words, size} = data.topics[topic], inside = data.subtopics[topic];
  return [...headOfOpened(dot(topic), titleOf(topic), size, count, "All topics"),
    numBins > 1 ? sparkline(topic, 300, 36) : null,
    words.length ? part("Words", paint(weightsOf(data.topics[topic]), topic))
      : noWords(data.topics[topic]),
    inside.length ? part("Sub-topics", make("ul", "nodes",
      ...inside.map((_, at) => make("li", null, subtopicButton(topic, at))))) : null,
    documentList(), ...placeInTree(topic), ...likeTopics(topic)].filter((child) => child !== null);
}

function subtopicButton(topic, at) {
  const {name, size, words} = data.subtopics[topic][at];
  const button = makeButton("row", () => openNode(topic, at), swatchDot(swatchAt(at)),
    make("bdi", "words", name), make("span", "share", number(size)));
  button.title = words.join(", ");
  return button;
}

function openedSubtopic(topic, at) {
  const {name, size, words} = data.subtopics[topic][at];
  return [...headOfOpened(swatchDot(swatchAt(at)), name, size, data.topics[topic].size, titleOf(topic)),
    part("Words", wordList(words)), documentList()];
}

function openedGroup(group) {
  const topics = topicsOf(group).sort((one, other) => sizeOf(other) - sizeOf(one) || one - other);
  const sign = swatchDot(swatchAt(swatchOf[group]));
  return [...headOfOpened(sign, titleOf(group), sizeOf(group), count, "All topics"),
    part("Words", wordList(data.tree.words[group])),
    part(plural(topics.length, "topic"), nodeList(topics)),
    ...(topics.length > 2 ? [part("Made of", nodeList(childrenOf(group)))] : []),
    ...placeInTree(group), documentList()];
}

function nodeRow(node) {
  const share = make("span", "share", percent(sizeOf(node) / count));
  if (isGroup(node)) return nodeButton(node, "row", swatchDot(swatchAt(swatchOf[node])),
    make("bdi", "words", titleOf(node)), share);
  return nodeButton(node, "row", dot(node), make("bdi", "words", titleOf(node)), share);
}
const nodeList = (list) => make("ul", "nodes", ...list.map((node) => make("li", null, nodeRow(node))));

// The smallest group that it is in; all topics together are no news.
function placeInTree(node) {
  const parent = parentOf[node];
  return parent < 0 || parentOf[parent] < 0 ? [] : [part("Belongs to", nodeList([parent]))];
}

function likeTopics(topic) {
  const cosines = data.similarity.cosines[topic];
  const near = bySize.filter((other) => other !== topic && cosines[other] >= 0.05)
    .sort((one, other) => cosines[other] - cosines[one]).slice(0, 3);
  return near.length ? [part("Most alike", nodeList(near))] : [];
}

// The documents that are shown, the most typical first, then those that are most about it.
function documentsNow() {
  const {topic, subtopic} = looking;
  const typical = subtopic !== null ? data.subtopics[topic][subtopic].documents
    : topic !== null ? data.topics[topic].documents
      : topicsOf(looking.group).flatMap((one) => data.topics[one].documents.slice(0, 1));
  const rank = new Map(typical.map((i, at) => [i, at - typical.length]));
  const found = [];
  for (let i = 0; i < count; i++) if (shown[i]) found.push(i);
  const about = (i) => {
    for (let at = partStart[i]; at < partStart[i + 1]; at++) {
      if (isLookedAt[documents.part_topic[at]]) return documents.part_percent[at];
    }
    return 0;
  };
  return found.sort((one, other) => (rank.get(one) ?? 0) - (rank.get(other) ?? 0)
    || about(other) - about(one) || one - other);
}

function listDocuments() {
  const section = byId("opened-documents").parentNode;
  section.hidden = isListed(); // what is searched or mixed is listed above
  if (section.hidden) return;
  const found = documentsNow();
  byId("opened-documents-heading").textContent =
    isTimed() ? `${plural(found.length, "document")} of this time` : "Documents";
  byId("opened-documents").replaceChildren(...found.slice(0, numListed).map((i) => documentItem(i, 160)));
  byId("opened-more").hidden = found.length <= numListed;
}
