"use strict";

// The data, and small tools. Everything from outside reaches the page as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const documents = data.documents;
const count = data.num_documents;
const MAP_STEPS = data.map_steps; // the places of documents go from 0 to this
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const byId = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const percent = (share) => (share > 0 && share < 0.01 ? "<1" : Math.round(100 * share)) + " %";
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null));
  return node;
}

const topicNames = data.topics.map((topic, k) => topic.name || `Topic ${k}`);
const bySize = data.topics.map((_, k) => k)
  .sort((one, other) => data.topics[other].size - data.topics[one].size || one - other);
const nameOf = (i) => (documents.id ? documents.id[i] : `Document ${i}`);
const labelOf = (i) => (documents.label ? documents.label[i] : null);
const textOf = (i) => (documents.text ? documents.text[i] : "");

function aboutDocument(i) {
  const label = labelOf(i);
  return make("bdi", null, label === null ? nameOf(i) : `${nameOf(i)} · ${label}`);
}

// Colors: twenty, told apart on light and on dark paper; further topics take another shape too.

const LIGHT = ["#1590dc", "#fb6d73", "#5f9d00", "#7f309b", "#cbb528", "#066482", "#f386e5",
  "#a71d04", "#46d193", "#324ebb", "#bd7634", "#bb3875", "#639585", "#8e70e8", "#6d5732",
  "#3cc8e1", "#a9aeed", "#0a6d37", "#7f678a", "#d8a6a4"];
const DARK = ["#41aefc", "#ff9f9f", "#7bbb36", "#9f50bc", "#e7d24d", "#3382a2", "#ffb2f3",
  "#ca432d", "#67eeae", "#4c6dde", "#dc9353", "#dd5892", "#7fb2a1", "#a991fe", "#8b744f",
  "#5fe5fd", "#c6ccfe", "#358c53", "#9d84a7", "#f5c1c0"];
const GRAY = [138, 141, 147];
const colorOf = (topic) => (theme === "dark" ? DARK : LIGHT)[topic % LIGHT.length];
const shapeOf = (topic) => Math.floor(topic / LIGHT.length) % INSIDE.length;
const parts = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

function paint(node, topic) {
  const color = topic % LIGHT.length;
  node.style.setProperty("--topic", `light-dark(${LIGHT[color]}, ${DARK[color]})`);
  return node;
}

function dot(topic) {
  const node = paint(make("span", `dot s${shapeOf(topic)}`), topic);
  node.setAttribute("aria-hidden", "true");
  return node;
}

// Light and dark: as the system is set, or else as the button was pressed.

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = () => (systemDark.matches ? "dark" : "light");
const memory = {
  key: "dnmf_topics theme",
  // Browsers may refuse it to a page that is a file.
  read() { try { return localStorage.getItem(this.key); } catch { return null; } },
  write(value) { try { localStorage.setItem(this.key, value); } catch { /* not remembered */ } },
};
let choice = ["dark", "light"].find((value) => value === memory.read()) ?? null;
let theme = choice ?? systemTheme();

function setTheme(value) {
  theme = value;
  document.documentElement.style.colorScheme = value;
  document.documentElement.dataset.theme = value;
  byId("theme").textContent = value === "dark" ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", `Change to ${value === "dark" ? "light" : "dark"} colors`);
  drawMap();
  drawMatrix();
}

function changeTheme() {
  setTheme(theme === "dark" ? "light" : "dark");
  choice = theme === systemTheme() ? null : theme; // the same as the system's: follow it again
  memory.write(choice ?? "");
}

// What is looked at: one topic or all, mixed documents or all, what was searched, one document or none.

const looking = {topic: null, mixed: false, terms: [], matches: null, chosen: -1, hovered: -1};

const areAllShown = () => looking.topic === null && looking.matches === null && !looking.mixed;
const isFound = (i) => (!looking.mixed || isMixed[i] === 1)
  && (looking.matches === null || looking.matches[i] === 1);
// A document is shown with its own topic; a mixed one, while these are looked at, with all its parts.
const isInTopic = (i) => looking.topic === null || documents.topic[i] === looking.topic
  || (looking.mixed && isAbout(i, looking.topic));
const isShown = (i) => isInTopic(i) && isFound(i);

// Who goes from the card of a document to one of its topics goes on reading the document.
function closeIfHidden() {
  const i = looking.chosen;
  if (i < 0) return;
  const isKept = isFound(i) && (looking.topic === null || isAbout(i, looking.topic));
  if (!isKept) looking.chosen = -1;
}

function selectTopic(topic) {
  looking.topic = topic;
  document.body.classList.toggle("isolated", topic !== null);
  for (const button of document.querySelectorAll("[data-topic]")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.topic) === topic));
  }
  for (const [at, card] of [...byId("cards").children].entries()) {
    card.classList.toggle("chosen", bySize[at] === topic);
  }
  const legend = byId("legend"), pressed = legend.querySelector("[aria-pressed=true]");
  if (pressed) legend.scrollTop = pressed.offsetTop - legend.offsetTop - legend.clientHeight / 2;
  const showing = byId("showing");
  showing.hidden = topic === null;
  if (topic !== null) {
    const all = make("button", null, "Show all");
    all.type = "button";
    all.addEventListener("click", () => toggleTopic(topic));
    showing.replaceChildren(dot(topic), make("span", null, `${topic} ${topicNames[topic]}`), all);
  }
  showFound();
  goHome();
  byId("frame").firstChild?.contentWindow.postMessage({topic}, "*");
}

function toggleTopic(topic) {
  selectTopic(looking.topic === topic ? null : topic);
  try {
    history.replaceState(null, "", looking.topic === null ? "#" : `#topic-${looking.topic}`);
  } catch {
    // A page that is shown inside another one may have no address to change.
  }
}

function topicButton(topic, className, ...children) {
  const button = make("button", className, ...children);
  button.type = "button";
  button.dataset.topic = topic;
  button.setAttribute("aria-pressed", String(looking.topic === topic));
  button.addEventListener("click", () => toggleTopic(topic));
  return button;
}

function followAddress() {
  const topic = Number(location.hash.match(/^#topic-([0-9]+)$/)?.[1] ?? NaN);
  if (topic < data.num_topics) selectTopic(topic);
  else if (!location.hash && looking.topic !== null) selectTopic(null);
}
