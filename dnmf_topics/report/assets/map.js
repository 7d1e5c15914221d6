// The map of the documents.

const canvas = byId("canvas");
const context = canvas.getContext("2d");
const view = {width: 0, height: 0, zoom: 1, left: 0, top: 0};
const MAX_ZOOM = 80;
const STRETCH = 1.5; // the axes have no meaning, so the map may fill a wide or a high page
let image = null; // the canvas as pixels, once it has a size
let labelBoxes = [];
let frame = 0;

function spread() {
  const side = Math.min(view.width, view.height);
  return [Math.min(view.width, STRETCH * side) * 0.88, Math.min(view.height, STRETCH * side) * 0.88];
}

function toScreen(x, y) {
  const [across, down] = spread();
  const baseX = view.width / 2 + (x / MAP_STEPS - 0.5) * across;
  const baseY = view.height / 2 + (y / MAP_STEPS - 0.5) * down;
  return [baseX * view.zoom + view.left, baseY * view.zoom + view.top];
}

function toMap(screenX, screenY) {
  const [across, down] = spread();
  const baseX = (screenX - view.left) / view.zoom, baseY = (screenY - view.top) / view.zoom;
  return [((baseX - view.width / 2) / across + 0.5) * MAP_STEPS,
    ((baseY - view.height / 2) / down + 0.5) * MAP_STEPS];
}

const radius = () =>
  clamp(23 / count ** 0.25, 1.8, 6.5) * clamp(view.width / 800, 0.7, 1.1) * view.zoom ** 0.3;

// What a dot of this shape covers of each pixel of a small square, from 0 to 1.
const INSIDE = [
  (x, y) => x * x + y * y <= 1,
  (x, y) => Math.max(Math.abs(x), Math.abs(y)) <= 0.85,
  (x, y) => y <= 0.9 && Math.abs(x) <= (y + 1) / 1.9,
  (x, y) => Math.abs(x) + Math.abs(y) <= 1,
];

function maskOf(shape, r) {
  const reach = Math.ceil(r), size = 2 * reach + 1;
  const fine = [-3, -1, 1, 3].map((eighths) => eighths / 8);
  const cover = Float32Array.from({length: size * size}, (_, at) => {
    const column = at % size - reach, row = Math.floor(at / size) - reach;
    let hits = 0;
    for (const dx of fine) for (const dy of fine) hits += INSIDE[shape]((column + dx) / r, (row + dy) / r);
    return hits / 16;
  });
  return {size, reach, cover};
}

function drawMap() {
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    const style = getComputedStyle(canvas);
    if (!image) return;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    drawDots(style.backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number));
    drawLabels(style.color, style.backgroundColor);
    for (const i of [looking.hovered, looking.chosen]) if (i >= 0) drawRing(i, style.color);
  });
}

// Straight into the pixels, which is fast also where no graphics card helps.
function drawDots(paper) {
  const ratio = devicePixelRatio, {width, height, data: pixels} = image;
  new Uint32Array(pixels.buffer).fill(new Uint32Array(Uint8Array.from([...paper, 255]).buffer)[0]);
  const masks = INSIDE.map((_, shape) => maskOf(shape, Math.round(radius() * ratio) + 0.5));
  const colours = data.topics.map((_, k) => parts(colourOf(k)));
  const [x0, y0] = toScreen(0, 0), [x1, y1] = toScreen(1, 1);
  const all = areAllShown();
  // First what is not looked at, so that it never covers the rest.
  for (const shown of all ? [true] : [false, true]) {
    for (let i = 0; i < count; i++) {
      if (!all && isShown(i) !== shown) continue;
      const topic = documents.topic[i];
      const {size, reach, cover} = masks[shown ? shapeOf(topic) : 0];
      const [red, green, blue] = shown ? colours[topic] : GREY;
      const alpha = shown ? 0.82 : 0.2;
      const left = Math.round((x0 + (x1 - x0) * documents.x[i]) * ratio) - reach;
      const top = Math.round((y0 + (y1 - y0) * documents.y[i]) * ratio) - reach;
      if (left < 0 || top < 0 || left + size > width || top + size > height) continue;
      for (let at = 0, row = 0; row < size; row++) {
        for (let to = 4 * ((top + row) * width + left), end = to + 4 * size; to < end; to += 4) {
          const part = alpha * cover[at++];
          pixels[to] += (red - pixels[to]) * part;
          pixels[to + 1] += (green - pixels[to + 1]) * part;
          pixels[to + 2] += (blue - pixels[to + 2]) * part;
        }
      }
    }
  }
  context.putImageData(image, 0, 0);
}

function drawRing(i, colour) {
  const [x, y] = toScreen(documents.x[i], documents.y[i]);
  const r = radius() + 2.5;
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.fillStyle = colourOf(documents.topic[i]);
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = colour;
  context.stroke();
}

function drawLabels(ink, paper) {
  labelBoxes = [];
  context.font = `600 ${view.width < 500 ? 12 : 13.5}px ${getComputedStyle(document.body).fontFamily}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = paper;
  context.fillStyle = ink;
  for (const topic of bySize) {
    if (!data.topics[topic].size || (looking.topic ?? topic) !== topic) continue;
    const words = data.num_topics > 30 ? topicWords[topic].split(" ", 2).join(" ") : topicWords[topic];
    const text = words.length > 34 ? words.slice(0, 33) + "…" : words;
    const half = context.measureText(text).width / 2 + 4;
    const [x, y] = toScreen(...data.topics[topic].place);
    const centre = clamp(x, half, Math.max(half, view.width - half));
    if (Math.abs(centre - x) > half) continue;
    const beside = radius() + 12; // not on the dots, where there is a place beside them
    const free = [-beside, beside, 0, -beside - 20, beside + 20]
      .map((shift) => ({topic, x: centre, y: y + shift, half}))
      .find((box) => box.y > 10 && box.y < view.height - 10 && labelBoxes.every((other) =>
        Math.abs(other.y - box.y) > 19 || Math.abs(other.x - box.x) > other.half + box.half));
    if (!free) continue;
    labelBoxes.push(free);
    context.strokeText(text, free.x, free.y);
    context.fillText(text, free.x, free.y);
  }
}

// The grid: documents sorted by cell, and where each cell begins.

const CELLS = 100;
const cellOf = (place) => clamp(Math.floor(place / MAP_STEPS * CELLS), 0, CELLS - 1);
const cellStart = new Int32Array(CELLS * CELLS + 1);
const inCells = new Int32Array(count);

function fillGrid() {
  const cells = documents.x.map((x, i) => cellOf(documents.y[i]) * CELLS + cellOf(x));
  for (const cell of cells) cellStart[cell + 1]++;
  for (let cell = 0; cell < CELLS * CELLS; cell++) cellStart[cell + 1] += cellStart[cell];
  const next = cellStart.slice();
  cells.forEach((cell, i) => { inCells[next[cell]++] = i; });
}

function documentAt(screenX, screenY, reach) {
  const [left, top] = toMap(screenX - reach, screenY - reach).map(cellOf);
  const [right, bottom] = toMap(screenX + reach, screenY + reach).map(cellOf);
  let nearest = -1, best = reach * reach;
  for (let row = top; row <= bottom; row++) {
    for (let at = cellStart[row * CELLS + left]; at < cellStart[row * CELLS + right + 1]; at++) {
      const [x, y] = toScreen(documents.x[inCells[at]], documents.y[inCells[at]]);
      const square = (x - screenX) ** 2 + (y - screenY) ** 2;
      if (square < best && isShown(inCells[at])) [nearest, best] = [inCells[at], square];
    }
  }
  return nearest;
}

// The card of the document under the pointer, or else of the one that was chosen.

function showCard() {
  const i = looking.hovered >= 0 ? looking.hovered : looking.chosen;
  const card = byId("card");
  card.hidden = i < 0;
  if (i < 0) return;
  const topic = documents.topic[i];
  const text = marked("div", textOf(i));
  text.className = "text";
  card.replaceChildren(
    make("div", "topic", dot(topic), make("bdi", null, `${topic} ${topicWords[topic]}`)),
    make("div", "about", aboutDocument(i), ` · topic share ${documents.percent[i]} %`), text);
  const [x, y] = toScreen(documents.x[i], documents.y[i]);
  const {offsetWidth: width, offsetHeight: height} = card;
  const beside = x + 16 + width < view.width ? x + 16 : x - 16 - width;
  card.style.left = `${clamp(beside, 10, Math.max(10, view.width - width - 10))}px`;
  card.style.top = `${clamp(y - height / 2, 10, Math.max(10, view.height - height - 10))}px`;
}

function hover(i) {
  if (i === looking.hovered) return;
  looking.hovered = i;
  showCard();
  drawMap();
}

function choose(i) {
  looking.chosen = i;
  looking.hovered = -1;
  showCard();
  drawMap();
}

function focusDocument(i) {
  if (looking.topic !== null && documents.topic[i] !== looking.topic) toggleTopic(looking.topic);
  choose(i);
  const zoom = Math.max(view.zoom, 4);
  const [x, y] = toScreen(documents.x[i], documents.y[i]);
  const [baseX, baseY] = [(x - view.left) / view.zoom, (y - view.top) / view.zoom];
  moveTo(zoom, view.width / 2 - baseX * zoom, view.height / 2 - baseY * zoom);
  if (innerWidth <= 900) byId("map").scrollIntoView({block: "nearest"});
}
