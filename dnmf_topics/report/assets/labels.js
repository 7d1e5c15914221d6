// The topics' names on the map: of large topics from afar, further in of small ones and of what is inside.

const LABEL = {size: 13.5, weight: 600, tall: 9.5, length: 34};
const INNER_LABEL = {size: 12, weight: 500, tall: 8.5, length: 30};
const LABEL_AREA = 20_000; // pixels of the map for each label
const BORDER = 6; // pixels between a label and the border of the map
const OPEN_ZOOM = 1.9, OPEN_WIDTH = 230; // from here on, what is inside a topic has labels too

let labelBoxes = []; // where they are now
let obstacles = null; // what lies over the map, while its places are known
let layout = {key: null, labels: []}; // where they are beside their topics, at a zoom

function fontOf({weight, size}) {
  const pixels = size - (view.width < 500 ? 1.5 : 0);
  return `${weight} ${pixels}px ${getComputedStyle(document.body).fontFamily}`;
}

// Very small topics have their labels further in.
function isLabeled(size, zoom) {
  const few = Math.min(Math.max(5, 0.003 * count), count / numTopics / 2);
  return size > 0 && (size >= few || zoom >= 2);
}

const labelOfNode = (node) => ({node, subtopic: null, place: placeOf(node), bounds: boundsOf(node),
  size: sizeOf(node), style: LABEL,
  name: isGroup(node) ? data.tree.names[node] : topicNames[node],
  swatch: looking.column ? null : swatchAt(swatchOf[node])});
const labelOfSubtopic = (topic, subtopic, swatch) => {
  const {place, bounds, size, name} = data.subtopics[topic][subtopic];
  return {node: topic, subtopic, place, bounds, size, name, style: INNER_LABEL, swatch};
};

// What can have a label, the most important first. What is looked at is named above the map.
function labelsWanted(zoom) {
  if (looking.subtopic !== null) return [];
  if (looking.topic !== null) {
    return data.subtopics[looking.topic].map((_, at) =>
      ({...labelOfSubtopic(looking.topic, at, looking.column ? null : swatchAt(at)), style: LABEL}));
  }
  const outer = (looking.group === null ? groupsAt(looking.cut) : topicsOf(looking.group)).map(labelOfNode);
  const inner = outer.filter(({bounds}) => {
    const [[left], [right]] = bounds.map((corner) => toBase(...corner));
    return zoom >= OPEN_ZOOM && (right - left) * zoom >= OPEN_WIDTH;
  }).flatMap(({node}) => (isGroup(node)
    ? topicsOf(node).map((topic) => ({...labelOfNode(topic), style: INNER_LABEL, swatch: null}))
    : data.subtopics[node].map((_, at) => labelOfSubtopic(node, at, null))));
  const largestFirst = (one, other) => other.size - one.size;
  return [...outer.sort(largestFirst), ...inner.sort(largestFirst)].filter(({size}) => isLabeled(size, zoom));
}

// Labels keep their places beside their topics while the map moves, and for some steps of the wheel.
function layoutNow() {
  const zoom = 2 ** (Math.floor(3 * Math.log2(view.zoom) + 1e-9) / 3);
  const {subtopic, cut, column} = looking;
  const key = [zoom, view.width, view.height, nodeNow(), subtopic, cut, column !== null].join();
  if (key !== layout.key) layout = {key, labels: layLabels(zoom)};
  return layout.labels;
}

function layLabels(zoom) {
  const taken = zoom === 1 ? [...obstaclesNow()] : [];
  const most = zoom ** 2 * view.width * view.height / LABEL_AREA, laid = [];
  for (const label of labelsWanted(zoom)) {
    if (laid.length >= most) break;
    context.font = fontOf(label.style);
    label.text = shortened(label.name, label.style.length);
    label.sign = label.swatch === null ? "" : "●■▲◆"[shapeOf(label.swatch)];
    label.indent = label.sign && context.measureText(label.sign).width + 3;
    label.half = (Number(label.indent) + context.measureText(label.text).width) / 2 + 4;
    const box = placeOfLabel(label, taken, zoom);
    if (!box) continue;
    taken.push(box);
    laid.push({...label, dx: box.dx, dy: box.dy});
  }
  return laid;
}

function boxOf(node) {
  const half = node.offsetWidth / 2, tall = node.offsetHeight / 2;
  return {x: node.offsetLeft + half, y: node.offsetTop + tall, half, tall};
}

// Asking the browser for places makes it lay out the page: once after each change, not in each frame.
function obstaclesNow() {
  obstacles ??= [byId("zoom-in").parentNode, byId("showing")].map(boxOf);
  return obstacles;
}

const areApart = (one, other) => Math.abs(one.y - other.y) >= one.tall + other.tall
  || Math.abs(one.x - other.x) >= one.half + other.half;
const isInside = (box) => box.x - box.half >= BORDER && box.x + box.half <= view.width - BORDER
  && box.y - box.tall >= BORDER && box.y + box.tall <= view.height - BORDER;

// Where a label covers few dots and is near its topic: from its middle to the edges of its bounds,
// if they are not far, and a little beyond, in four directions. All of it lies on the map.
function placeOfLabel({place, bounds, size, half, style: {tall}}, taken, zoom) {
  const onPlane = (at) => toBase(...at).map((part) => part * zoom);
  const [across, down] = spread();
  const onMap = (x, y) => [((x / zoom - view.width / 2) / across + 0.5) * MAP_STEPS,
    ((y / zoom - view.height / 2) / down + 0.5) * MAP_STEPS];
  const [x, y] = onPlane(place), [[left, top], [right, bottom]] = bounds.map(onPlane);
  const gap = radius() + 2;
  // Above or below its topic, a label near the border of the whole map makes way for it.
  const aside = zoom === 1 ? clamp(x, half + BORDER, view.width - half - BORDER) - x : 0;
  let best = null, least = Infinity;
  for (const part of [0, 0.25, 0.5, 0.75, 1, 1.3]) {
    const [up, below, before, after] = [y - top, bottom - y, x - left, right - x]
      .map((way) => part * clamp(way, 12, Math.max(36, view.width / 14)) + gap);
    for (const [dx, dy] of [[aside, -up - tall], [aside, below + tall], [after + half, 0], [-before - half, 0]]) {
      const box = {dx, dy, half, tall, x: x + dx, y: y + dy};
      if ((zoom === 1 && !isInside(box)) || !taken.every((other) => areApart(box, other))) continue;
      let covered = 0;
      visitWithin(onMap(box.x - half, box.y - tall), onMap(box.x + half, box.y + tall), () => covered++);
      const cost = 100 * covered / size + 8 * part + Math.abs(dx) / half;
      if (cost < least) [best, least] = [box, cost];
    }
  }
  return best;
}

// The labels that are in sight with all of their letters, and whose topics are.
function labelsInSight() {
  const taken = [...obstaclesNow()], inSight = [];
  for (const label of layoutNow()) {
    const [x, y] = toScreen(...label.place);
    const box = {...label, x: x + label.dx, y: y + label.dy, tall: label.style.tall};
    if (x < 0 || y < 0 || x > view.width || y > view.height || !isInside(box)) continue;
    if (!taken.every((other) => areApart(box, other))) continue;
    taken.push(box);
    inSight.push(box);
  }
  return inSight;
}

function drawLabels(pen, ink, paper) {
  labelBoxes = labelsInSight();
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = paper;
  for (const {x, y, half, sign, indent, text, swatch, style} of labelBoxes) {
    pen.font = fontOf(style);
    const left = x - half + 4;
    pen.strokeText(sign, left, y);
    pen.strokeText(text, left + Number(indent), y);
    if (sign) {
      pen.fillStyle = colorOf(swatch);
      pen.fillText(sign, left, y);
    }
    pen.fillStyle = ink;
    pen.fillText(text, left + Number(indent), y);
  }
}
