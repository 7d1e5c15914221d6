// The map of the documents.

const canvas = byId("canvas");
const context = canvas.getContext("2d");
const view = {width: 0, height: 0, zoom: 1, left: 0, top: 0};
const MAX_ZOOM = 80;
const STRETCH = 1.5; // the axes have no meaning, so the map may fill a wide or a high page
let image = null; // the canvas as pixels, once it has a size
let frame = 0;
// Pixels of the map for each of the page: three or four of a phone look like two, and take their time.
const mapRatio = () => Math.min(devicePixelRatio, 2);

function spread() {
  const side = Math.min(view.width, view.height);
  return [Math.min(view.width, STRETCH * side) * 0.88, Math.min(view.height, STRETCH * side) * 0.88];
}

// Where a place of the map is on the screen before zooming and moving.
function toBase(x, y) {
  const [across, down] = spread();
  return [view.width / 2 + (x / MAP_STEPS - 0.5) * across,
    view.height / 2 + (y / MAP_STEPS - 0.5) * down];
}

function toScreen(x, y) {
  const [baseX, baseY] = toBase(x, y);
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

// Whether a dot of this shape and of radius 1 covers a point.
const INSIDE = [
  (x, y) => x * x + y * y <= 1,
  (x, y) => Math.max(Math.abs(x), Math.abs(y)) <= 0.85,
  (x, y) => y <= 0.9 && Math.abs(x) <= (y + 1) / 1.9,
  (x, y) => Math.abs(x) + Math.abs(y) <= 1,
];

// The pixels of a dot, as ways from its middle, and how much of each it covers, in 64ths.
function maskOf(shape, r, width, alpha) {
  const reach = Math.ceil(r), size = 2 * reach + 1, ways = [], covers = [];
  const fine = [-3, -1, 1, 3].map((eighths) => eighths / 8);
  for (let at = 0; at < size * size; at++) {
    const column = at % size - reach, row = Math.floor(at / size) - reach;
    let hits = 0;
    for (const dx of fine) for (const dy of fine) hits += INSIDE[shape]((column + dx) / r, (row + dy) / r);
    const cover = Math.round(64 * alpha * hits / 16);
    if (!cover) continue;
    ways.push(row * width + column);
    covers.push(cover);
  }
  return {reach, ways: Int32Array.from(ways), covers: Int32Array.from(covers)};
}

const canvasColor = () => getComputedStyle(canvas).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number);

function drawMap() {
  frame ||= requestAnimationFrame(drawNow);
}

function drawNow() {
  frame = 0;
  if (!image) return;
  const style = getComputedStyle(canvas);
  drawDots(image, mapRatio(), canvasColor());
  context.putImageData(image, 0, 0);
  context.setTransform(mapRatio(), 0, 0, mapRatio(), 0, 0);
  drawLabels(context, style.color, style.backgroundColor);
  for (const i of [looking.hovered, looking.chosen]) if (i >= 0) drawRing(i, style.color);
}

// Straight into the pixels, which is fast also where no graphics card helps: red and blue at once,
// green for itself, new = (old (64 - cover) + color cover) / 64.
function drawDots({width, height, data: bytes}, ratio, paper) {
  const pixels = new Uint32Array(bytes.buffer);
  pixels.fill(packed(paper));
  const [x0, y0] = toScreen(0, 0), [x1, y1] = toScreen(1, 1), r = Math.round(radius() * ratio) + 0.5;
  // First what is not looked at, so that it never covers the rest.
  for (const now of areAllShown() ? [1] : [0, 1]) {
    const masks = INSIDE.map((_, shape) => maskOf(shape, r, width, now ? 0.82 : 0.2));
    const colors = LOOKS.map((look) => packed(channels(look[theme])));
    for (let i = 0; i < count; i++) {
      if (shown[i] !== now) continue;
      const swatch = now ? swatches[i] : PLAIN;
      const {reach, ways, covers} = masks[LOOKS[swatch].shape];
      const x = Math.round((x0 + (x1 - x0) * documents.x[i]) * ratio);
      const y = Math.round((y0 + (y1 - y0) * documents.y[i]) * ratio);
      if (x < reach || y < reach || x + reach >= width || y + reach >= height) continue;
      const redBlue = colors[swatch] & 0xff00ff, green = colors[swatch] >> 8 & 0xff, middle = y * width + x;
      for (let at = 0; at < ways.length; at++) {
        const to = middle + ways[at], cover = covers[at], old = pixels[to], rest = 64 - cover;
        const mixedRedBlue = (old & 0xff00ff) * rest + redBlue * cover + 0x200020 >> 6 & 0xff00ff;
        const mixedGreen = (old >> 8 & 0xff) * rest + green * cover + 32 >> 6;
        pixels[to] = 0xff000000 | mixedGreen << 8 | mixedRedBlue;
      }
    }
  }
}

const packed = ([red, green, blue]) => (0xff000000 | blue << 16 | green << 8 | red) >>> 0;

function drawRing(i, color) {
  const [x, y] = toScreen(documents.x[i], documents.y[i]);
  const r = radius() + 2.5;
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.fillStyle = colorOf(swatches[i]);
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = color;
  context.stroke();
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

// All documents in a part of the map, given by two corners.
function visitWithin([left, top], [right, bottom], visit) {
  for (let row = cellOf(top); row <= cellOf(bottom); row++) {
    const end = cellStart[row * CELLS + cellOf(right) + 1];
    for (let at = cellStart[row * CELLS + cellOf(left)]; at < end; at++) {
      const i = inCells[at], x = documents.x[i], y = documents.y[i];
      if (x >= left && x <= right && y >= top && y <= bottom) visit(i);
    }
  }
}

function documentAt(screenX, screenY, reach) {
  let nearest = -1, best = reach * reach;
  visitWithin(toMap(screenX - reach, screenY - reach), toMap(screenX + reach, screenY + reach), (i) => {
    const [x, y] = toScreen(documents.x[i], documents.y[i]);
    const square = (x - screenX) ** 2 + (y - screenY) ** 2;
    if (square < best && shown[i]) [nearest, best] = [i, square];
  });
  return nearest;
}
