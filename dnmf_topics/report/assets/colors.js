// Colors: twenty, told apart on light and on dark paper; what comes after them takes another shape too.

const LIGHT = ["#1590dc", "#fb6d73", "#5f9d00", "#7f309b", "#cbb528", "#066482", "#f386e5",
  "#a71d04", "#46d193", "#324ebb", "#bd7634", "#bb3875", "#639585", "#8e70e8", "#6d5732",
  "#3cc8e1", "#a9aeed", "#0a6d37", "#7f678a", "#d8a6a4"];
const DARK = ["#41aefc", "#ff9f9f", "#7bbb36", "#9f50bc", "#e7d24d", "#3382a2", "#ffb2f3",
  "#ca432d", "#67eeae", "#4c6dde", "#dc9353", "#dd5892", "#7fb2a1", "#a991fe", "#8b744f",
  "#5fe5fd", "#c6ccfe", "#358c53", "#9d84a7", "#f5c1c0"];
const GRAY = "#8a8d93";
// A scale for numbers: the more, the further from the paper.
const LIGHT_SCALE = ["#e3b23c", "#e0704f", "#b23a76", "#6a2c8f", "#1f2366"];
const DARK_SCALE = ["#4b4fa8", "#9a4fb0", "#de5f86", "#f79a62", "#ffe08a"];
const CLIPS = ["circle(50%)", "inset(7%)", "polygon(50% 4%, 100% 96%, 0 96%)",
  "polygon(50% 0, 100% 50%, 50% 100%, 0 50%)"];

const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

function colorBetween(scale, part) {
  const at = part * (scale.length - 1), before = Math.min(Math.floor(at), scale.length - 2);
  const [one, other] = [channels(scale[before]), channels(scale[before + 1])];
  const rgb = one.map((from, c) => Math.round(from + (other[c] - from) * (at - before)));
  return `#${rgb.map((c) => c.toString(16).padStart(2, "0")).join("")}`;
}

// All that a dot can look like. A swatch is a number in this list.
const NUM_STEPS = 64;
const LOOKS = CLIPS.flatMap((_, shape) => LIGHT.map((light, at) => ({light, dark: DARK[at], shape})));
const PLAIN = LOOKS.length;
LOOKS.push({light: GRAY, dark: GRAY, shape: 0});
const SCALE = LOOKS.length;
for (let step = 0; step < NUM_STEPS; step++) {
  const part = step / (NUM_STEPS - 1);
  LOOKS.push({light: colorBetween(LIGHT_SCALE, part), dark: colorBetween(DARK_SCALE, part), shape: 0});
}
const lookOf = (swatch) => LOOKS[swatch < SCALE + NUM_STEPS ? swatch : swatch % PLAIN];
const swatchAt = (place) => place % PLAIN; // of topics, groups and categories
const colorOf = (swatch) => lookOf(swatch)[theme];
const shapeOf = (swatch) => lookOf(swatch).shape;
const cssColor = ({light, dark}) => `light-dark(${light}, ${dark})`;

// What is painted for a topic follows the topic's color by a rule of its own: when it changes, the
// browser looks at these nodes alone.
const sheet = new CSSStyleSheet();
data.topics.forEach((_, k) => sheet.insertRule(`.t${k} {}`, k));
document.adoptedStyleSheets = [sheet];

function paint(node, topic) {
  node.classList.add(`t${topic}`);
  return node;
}

function paintSwatch(node, swatch) {
  const look = lookOf(swatch);
  node.style.setProperty("--topic", cssColor(look));
  node.style.setProperty("--clip", CLIPS[look.shape]);
  return node;
}

const unspoken = (node) => {
  node.setAttribute("aria-hidden", "true");
  return node;
};
const dot = (topic) => unspoken(paint(make("span", "dot"), topic));
const swatchDot = (swatch) => unspoken(paintSwatch(make("span", "dot"), swatch));

// What the dots of the map are colored by: their topics, or a column.

const NUM_CATEGORIES = 20; // that have a color of their own

function labelColumn() {
  const counts = new Map();
  for (const label of documents.label) {
    if (label !== null) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const values = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one));
  const places = new Map(values.map((label, place) => [label, place]));
  return {name: "label", kind: "category", values,
    codes: documents.label.map((label) => places.get(label) ?? null)};
}

const columns = [
  ...(data.labels ? [labelColumn()] : []),
  ...(data.time ? [{name: "time", kind: "number", values: [0, data.time.labels.length - 1],
    codes: documents.time, ends: [data.time.labels[0], data.time.labels.at(-1)]}] : []),
  ...data.columns,
];

function swatchOfCode({kind, values}, code) {
  if (code === null) return PLAIN;
  if (kind === "number") {
    const [low, high] = values, part = high > low ? clamp((code - low) / (high - low), 0, 1) : 0.5;
    return SCALE + Math.round(part * (NUM_STEPS - 1));
  }
  return code < NUM_CATEGORIES && (values.length <= NUM_CATEGORIES || code < NUM_CATEGORIES - 1)
    ? code : PLAIN;
}

const swatches = new Uint16Array(count);

let painted = []; // the topics' swatches now

function paintTopics(ofTopic) {
  ofTopic.forEach((swatch, k) => {
    if (swatch === painted[k]) return;
    const {style} = sheet.cssRules[k];
    style.setProperty("--topic", cssColor(lookOf(swatch)));
    style.setProperty("--clip", CLIPS[shapeOf(swatch)]);
  });
  painted = ofTopic;
}

function colorDocuments() {
  const {column, topic, group, cut} = looking;
  const numGroups = group === null ? cut : numTopics; // one that is looked at shows its topics
  const ofTopic = data.topics.map((_, k) => swatchAt(swatchOf[groupAt(k, numGroups)]));
  paintTopics(ofTopic);
  const opened = topic !== null && data.subtopics[topic].length ? topic : null;
  for (let i = 0; i < count; i++) {
    if (column) swatches[i] = swatchOfCode(column, column.codes[i]);
    else if (documents.topic[i] === opened) swatches[i] = swatchAt(subtopicOf(i));
    else swatches[i] = ofTopic[documents.topic[i]];
  }
}

function showColorControl() {
  const select = byId("color-by");
  const options = ["topic", ...columns.map((column) => column.name)];
  select.append(...options.map((name, at) => {
    const option = make("option", null, shortened(name, 40));
    option.value = at;
    return option;
  }));
  byId("color-control").hidden = !columns.length;
  select.addEventListener("change", () => {
    looking.column = columns[Number(select.value) - 1] ?? null;
    refresh();
  });
}

// What the colors of a column mean.

function keyEntries() {
  const {values, codes} = looking.column;
  const numNamed = values.length <= NUM_CATEGORIES ? values.length : NUM_CATEGORIES - 1;
  const counts = new Int32Array(numNamed + 2);
  for (let i = 0; i < count; i++) {
    if (shown[i]) counts[codes[i] === null ? numNamed + 1 : Math.min(codes[i], numNamed)]++;
  }
  const entries = values.slice(0, numNamed).map((name, at) => ({name, swatch: at, size: counts[at]}));
  const rest = values.length - numNamed;
  if (rest) entries.push({name: plural(rest, "other value"), swatch: PLAIN, size: counts[numNamed]});
  if (counts[numNamed + 1]) entries.push({name: "not known", swatch: PLAIN, size: counts[numNamed + 1]});
  return entries;
}

const scaleEnds = ({values, ends}) => ends ?? values.map((value) => value.toLocaleString("en",
  {maximumSignificantDigits: 4, useGrouping: Math.abs(value) >= 10_000}));

function showKey() {
  const key = byId("key"), {column} = looking;
  key.hidden = !column;
  document.body.classList.toggle("by-column", column !== null);
  if (!column) return;
  if (column.kind === "category") {
    key.replaceChildren(...keyEntries().map(({name, swatch, size}) => make("span", "entry",
      swatchDot(swatch), make("bdi", null, shortened(name, 40)), " ", make("span", "share", number(size)))));
    return;
  }
  const bar = make("span", "gradient");
  const steps = LIGHT_SCALE.map((light, at) => cssColor({light, dark: DARK_SCALE[at]}));
  bar.style.background = `linear-gradient(to right, ${steps.join(", ")})`;
  const [low, high] = scaleEnds(column);
  key.replaceChildren(make("bdi", null, shortened(column.name, 40)), make("span", "share", low),
    unspoken(bar), make("span", "share", high));
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
  drawTime();
  drawMatrix();
}

function changeTheme() {
  setTheme(theme === "dark" ? "light" : "dark");
  choice = theme === systemTheme() ? null : theme; // the same as the system's: follow it again
  memory.write(choice ?? "");
}
