"use strict";

// The data, and small tools. Everything from outside reaches the page as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const documents = data.documents;
const count = data.num_documents;
const numTopics = data.num_topics;
const numBins = data.time ? data.time.labels.length : 0; // of the time line
const MAP_STEPS = data.map_steps; // the places of documents go from 0 to this
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en").format;
const percent = (share) => (share > 0 && share < 0.01 ? "<1" : Math.round(100 * share)) + " %";
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;
const shortened = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null));
  return node;
}

function makeButton(className, action, ...children) {
  const button = make("button", className, ...children);
  button.type = "button";
  button.addEventListener("click", action);
  return button;
}

const topicNames = data.topics.map((topic) => topic.name);
const bySize = data.topics.map((_, k) => k)
  .sort((one, other) => data.topics[other].size - data.topics[one].size || one - other);
for (const inside of data.subtopics) {
  inside.forEach((subtopic, at) => { subtopic.name ||= `Sub-topic ${at}`; });
}
const nameOf = (i) => (documents.id ? documents.id[i] : `Document ${i}`);
const labelOf = (i) => (documents.label ? documents.label[i] : null);
const dateOf = (i) => (documents.date ? documents.date[i] : null);
const textOf = (i) => (documents.text ? documents.text[i] : "");
const subtopicOf = (i) => (documents.subtopic ? documents.subtopic[i] : null);

const aboutDocument = (i) => make("bdi", null,
  [nameOf(i), labelOf(i), dateOf(i)].filter((part) => part !== null).join(" · "));

// Addresses that a browser opens and does not execute; the base makes relative ones whole. On a page
// that is a file, //server/name would be a file of another machine, to which some systems log in.
function isSafeLink(link) {
  try {
    const {protocol, host} = new URL(link, document.baseURI);
    if (protocol === "file:" && host !== location.host) return false;
    return ["http:", "https:", "mailto:"].includes(new URL(link, "https://relative.invalid").protocol);
  } catch {
    return false;
  }
}

// Where a document is: to be followed, or as text if it is no address.
function linkOf(i) {
  const link = documents.link?.[i];
  if (!link) return null;
  if (!isSafeLink(link)) return make("div", "link", make("bdi", null, link));
  const anchor = make("a", null, "Open the document ↗");
  anchor.href = link;
  anchor.target = "_blank";
  anchor.rel = "noopener noreferrer";
  anchor.title = link;
  return make("div", "link", anchor);
}
