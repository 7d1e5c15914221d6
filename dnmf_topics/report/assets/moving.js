// Moving and zooming.

function setView(zoom, left, top) {
  view.zoom = clamp(zoom, 1, MAX_ZOOM);
  // At least half of the page shows map.
  view.left = clamp(left, view.width * (0.5 - view.zoom * 0.95), view.width * (0.5 - view.zoom * 0.05));
  view.top = clamp(top, view.height * (0.5 - view.zoom * 0.95), view.height * (0.5 - view.zoom * 0.05));
  if (view.zoom === 1) view.left = view.top = 0;
  byId("map").classList.toggle("zoomed", view.zoom > 1);
  placeCard();
  drawMap();
}

function zoomAt(factor, x, y) {
  const zoom = clamp(view.zoom * factor, 1, MAX_ZOOM);
  const ratio = zoom / view.zoom;
  setView(zoom, x - (x - view.left) * ratio, y - (y - view.top) * ratio);
}

let journey = 0;
function moveTo(zoom, left, top) {
  cancelAnimationFrame(journey);
  const from = {...view}, start = performance.now(), length = calm.matches ? 0 : 350;
  const step = (now) => {
    const part = length ? clamp((now - start) / length, 0, 1) : 1;
    const eased = part * part * (3 - 2 * part);
    const between = (one, other) => one + (other - one) * eased;
    setView(between(from.zoom, zoom), between(from.left, left), between(from.top, top));
    if (part < 1) journey = requestAnimationFrame(step);
  };
  step(start);
}

const zoomButton = (factor) => () => {
  const zoom = clamp(view.zoom * factor, 1, MAX_ZOOM), ratio = zoom / view.zoom;
  const [x, y] = [view.width / 2, view.height / 2];
  moveTo(zoom, x - (x - view.left) * ratio, y - (y - view.top) * ratio);
};
const showWhole = () => moveTo(1, 0, 0);

// The view of what is looked at: where most of its documents are, or the whole map.
function home() {
  const node = nodeNow();
  if (node === null) return [1, 0, 0];
  const {bounds} = looking.subtopic === null ? {bounds: boundsOf(node)}
    : data.subtopics[node][looking.subtopic];
  const [[left, top], [right, bottom]] = bounds.map((at) => toBase(...at));
  const fits = Math.min(view.width / (right - left), view.height / (bottom - top));
  return centered(clamp(0.6 * fits, 1, 12), (left + right) / 2, (top + bottom) / 2);
}
const centered = (zoom, baseX, baseY) =>
  [zoom, view.width / 2 - baseX * zoom, view.height / 2 - baseY * zoom];

function goHome() {
  if (view.width) moveTo(...home());
}

function listenToMap() {
  const pointers = new Map();
  let moved = 0, scrolled = -Infinity;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const reach = (event) => (event.pointerType === "touch" ? 22 : 10);
  const labelAt = (x, y) =>
    labelBoxes.find((box) => Math.abs(box.x - x) < box.half && Math.abs(box.y - y) < box.tall);

  canvas.addEventListener("pointerdown", (event) => {
    if (!pointers.size) moved = 0;
    pointers.set(event.pointerId, place(event));
    canvas.setPointerCapture(event.pointerId);
    cancelAnimationFrame(journey);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      hover(isNearCard(x, y) ? -1 : documentAt(x, y, reach(event)));
      byId("map").classList.toggle("pointing", looking.hovered >= 0 || Boolean(labelAt(x, y)));
      return;
    }
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, [x, y]);
    moved += Math.hypot(x - before[0], y - before[1]);
    if (other) {
      // What is between the fingers stays between them.
      const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
      const factor = apart([x, y]) / Math.max(apart(before), 1);
      zoomAt(factor, (before[0] + other[0]) / 2, (before[1] + other[1]) / 2);
      setView(view.zoom, view.left + (x - before[0]) / 2, view.top + (y - before[1]) / 2);
    } else if (moved > 5) {
      byId("map").classList.add("dragging");
      setView(view.zoom, view.left + x - before[0], view.top + y - before[1]);
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    const [x, y] = place(event);
    if (moved <= 5 && pointers.size === 1) {
      const found = documentAt(x, y, reach(event)), label = labelAt(x, y);
      if (found < 0 && label) openNode(label.node, label.subtopic);
      else choose(found);
    }
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => {
      pointers.delete(event.pointerId);
      if (!pointers.size) byId("map").classList.remove("dragging");
    });
  }
  canvas.addEventListener("pointerleave", () => hover(-1));
  canvas.addEventListener("dblclick", (event) => zoomAt(2, ...place(event)));
  // Who scrolls down the page and comes across the map goes on scrolling.
  addEventListener("scroll", () => {
    scrolled = performance.now();
    placeCard();
  }, {passive: true});
  canvas.addEventListener("wheel", (event) => {
    const outOfMap = event.deltaY > 0 && view.zoom === 1;
    if (!event.ctrlKey && (outOfMap || performance.now() - scrolled < 300)) return;
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    zoomAt(Math.exp(-clamp(pixels, -200, 200) * (event.ctrlKey ? 0.01 : 0.002)), ...place(event));
  }, {passive: false});
  const pan = (dx, dy) => () => setView(view.zoom, view.left + dx, view.top + dy);
  const keys = {
    ArrowLeft: pan(60, 0), ArrowRight: pan(-60, 0), ArrowUp: pan(0, 60), ArrowDown: pan(0, -60),
    "+": zoomButton(1.5), "=": zoomButton(1.5), "-": zoomButton(1 / 1.5), "0": showWhole, Home: showWhole,
    Enter: () => choose(documentAt(view.width / 2, view.height / 2, Math.max(view.width, view.height))),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (looking.chosen >= 0) closeCard();
    else if (nodeNow() !== null) closeOpened();
    else if (looking.mixed) toggleMixed();
    else if (isTimed()) setRange(0, numBins);
  });
  byId("zoom-in").addEventListener("click", zoomButton(1.6));
  byId("zoom-out").addEventListener("click", zoomButton(1 / 1.6));
  byId("reset").addEventListener("click", showWhole);
}
