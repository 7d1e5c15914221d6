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
  ...(numBins > 1 ? [{name: "time", kind: "number", values: [0, numBins - 1],
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
  entries.push({name: "not known", swatch: PLAIN, size: counts[numNamed + 1]});
  return entries.filter(({size}) => size > 0);
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
