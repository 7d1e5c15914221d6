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
const lookOf = (swatch) => LOOKS[swatch];
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
