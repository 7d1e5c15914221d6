// The time line: how many documents there are of each time, and a range of it to look at.

const bars = byId("bars");
const EDGE = 9; // half the width of a slider's thumb: bars begin where it can be
const BARS_HEIGHT = 58, AXIS_HEIGHT = 24;
let barsWidth = 0; // until they have a size

// Of each topic, the share of its documents in all documents of each time.
const timeShares = numBins > 1 ? sharesOverTime() : [];

function sharesOverTime() {
  const counts = data.topics.map(() => new Float64Array(numBins)), all = new Float64Array(numBins);
  for (let i = 0; i < count; i++) {
    const bin = documents.time[i];
    if (bin === null) continue;
    counts[documents.topic[i]][bin]++;
    all[bin]++;
  }
  return counts.map((row) => row.map((n, bin) => n / Math.max(all[bin], 1)));
}

function sparkline(topic, width = 44, height = 16) {
  if (numBins < 2) return make("span");
  const shares = timeShares[topic], most = Math.max(...shares, 1e-9);
  const points = [...shares].map((share, bin) => [1 + bin / (numBins - 1) * (width - 2),
    height - 1 - share / most * (height - 3)].map((part) => part.toFixed(1)).join());
  const box = {width, height, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none"};
  const line = draw("svg", {class: "spark", ...box},
    draw("polygon", {points: `1,${height} ${points.join(" ")} ${width - 1},${height}`}),
    draw("polyline", {points: points.join(" ")}));
  return unspoken(paint(line, topic));
}

const rangeText = (from, to) => (to - from === 1 ? data.time.labels[from]
  : `${data.time.labels[from]} – ${data.time.labels[to - 1]}`);

function showTime() {
  if (numBins < 2) return;
  const {from, to} = looking, node = nodeNow();
  byId("time-title").textContent = (node === null ? "Documents" : `${shownTitle()}: documents`)
    + ` per ${data.time.unit}`;
  let inRange = 0, undated = 0;
  for (let i = 0; i < count; i++) {
    if (!isInTopic(i) || !isFoundAnyTime(i)) continue;
    if (documents.time[i] === null) undated++;
    else if (isInTime(i)) inRange++;
  }
  byId("time-range").textContent = `${rangeText(from, to)}: ${plural(inRange, "document")}`
    + (undated && !isTimed() ? `, ${number(undated)} without a date` : "");
  byId("time-all").hidden = !isTimed();
  byId("time-from").value = from;
  byId("time-to").value = to;
  byId("time-from").setAttribute("aria-valuetext", `from ${data.time.labels[from]}`);
  byId("time-to").setAttribute("aria-valuetext", `to ${data.time.labels[to - 1]}`);
  byId("time-span").style.insetInline = `calc(${EDGE}px + (100% - ${2 * EDGE}px) * ${from / numBins}) `
    + `calc(${EDGE}px + (100% - ${2 * EDGE}px) * ${1 - to / numBins})`;
  drawTime();
}

// How many documents of each swatch each bin has, without regard to the range.
function stacks() {
  const counts = Array.from({length: numBins}, () => new Uint32Array(LOOKS.length));
  for (let i = 0; i < count; i++) {
    const bin = documents.time[i];
    if (bin !== null && isInTopic(i) && isFoundAnyTime(i)) counts[bin][swatches[i]]++;
  }
  return counts;
}

function drawTime() {
  if (!barsWidth) return;
  const width = barsWidth, height = BARS_HEIGHT + AXIS_HEIGHT, pen = bars.getContext("2d");
  bars.width = Math.round(width * devicePixelRatio);
  bars.height = Math.round(height * devicePixelRatio);
  pen.scale(devicePixelRatio, devicePixelRatio);
  const step = (width - 2 * EDGE) / numBins, gap = step > 5 ? 1 : 0;
  const counts = stacks();
  const most = Math.max(1, ...counts.map((row) => row.reduce((sum, n) => sum + n, 0)));
  // No paper between two colors.
  const onPixel = (n) => Math.round(n / most * (BARS_HEIGHT - 4) * devicePixelRatio) / devicePixelRatio;
  counts.forEach((row, bin) => {
    pen.globalAlpha = bin >= looking.from && bin < looking.to ? 0.9 : 0.22;
    let sum = 0, low = 0;
    row.forEach((n, swatch) => {
      if (!n) return;
      const high = onPixel(sum += n);
      pen.fillStyle = colorOf(swatch);
      pen.fillRect(EDGE + bin * step, BARS_HEIGHT - high, Math.max(step - gap, 1), high - low);
      low = high;
    });
  });
  pen.globalAlpha = 1;
  drawAxis(pen, step, width);
}

// Names of times, as many as there is room for, each below the middle of its bar.
function drawAxis(pen, step, width) {
  const style = getComputedStyle(bars);
  pen.font = `11px ${style.fontFamily}`;
  pen.fillStyle = style.color;
  pen.textBaseline = "bottom";
  pen.textAlign = "center";
  const halves = data.time.labels.map((label) => pen.measureText(label).width / 2);
  const every = Math.ceil((2 * Math.max(...halves) + 16) / step);
  const middleOf = (bin) => EDGE + (bin + 0.5) * step;
  const first = halves.findIndex((half, bin) => middleOf(bin) >= half);
  for (let bin = first; bin < numBins && middleOf(bin) + halves[bin] <= width; bin += every) {
    pen.fillText(data.time.labels[bin], middleOf(bin), BARS_HEIGHT + AXIS_HEIGHT);
  }
}

function setRange(from, to) {
  [looking.from, looking.to] = [from, to];
  refresh();
}

function listenToTime() {
  byId("time").hidden = numBins < 2;
  document.body.classList.toggle("has-time", numBins > 1);
  if (numBins < 2) return;
  const [low, high] = [byId("time-from"), byId("time-to")];
  for (const slider of [low, high]) slider.max = numBins;
  // The ends do not pass each other.
  low.addEventListener("input", () => setRange(Math.min(Number(low.value), looking.to - 1), looking.to));
  high.addEventListener("input", () => setRange(looking.from, Math.max(Number(high.value), looking.from + 1)));
  byId("time-all").addEventListener("click", () => {
    setRange(0, numBins);
    low.focus();
  });
  bars.setAttribute("aria-label", `Documents per ${data.time.unit}, ${rangeText(0, numBins)}. `
    + "The two sliders below choose a range.");
  let start = null;
  const binAt = (event) => {
    const box = bars.getBoundingClientRect(), width = box.width - 2 * EDGE;
    return clamp(Math.floor((event.clientX - box.left - EDGE) / width * numBins), 0, numBins - 1);
  };
  const select = (bin) => {
    const [from, to] = [Math.min(start, bin), Math.max(start, bin) + 1];
    if (from !== looking.from || to !== looking.to) setRange(from, to);
  };
  bars.addEventListener("pointerdown", (event) => {
    start = binAt(event);
    bars.setPointerCapture(event.pointerId);
    select(start);
  });
  bars.addEventListener("pointermove", (event) => {
    if (start !== null) return select(binAt(event));
    const bin = binAt(event);
    bars.title = data.time.labels[bin];
  });
  for (const name of ["pointerup", "pointercancel"]) bars.addEventListener(name, () => { start = null; });
  new ResizeObserver(([{contentRect}]) => {
    barsWidth = contentRect.width;
    drawTime();
  }).observe(bars);
}
