// Similarity: a picture of all pairs of topics, and the pairs in words.

const matrix = byId("matrix");
const grid = {left: 0, top: 0, cell: 0, row: -1, column: -1};
const order = data.similarity.order;
const pairs = order.flatMap((_, one) => order.slice(one + 1).map((_, more) => [one, one + 1 + more]))
  .sort((a, b) => data.similarity.cosines[b[0]][b[1]] - data.similarity.cosines[a[0]][a[1]]);
const highest = Math.max(0.2, pairs.length ? data.similarity.cosines[pairs[0][0]][pairs[0][1]] : 0);

function drawMatrix() {
  const width = matrix.clientWidth, k = order.length;
  if (!width || k < 2) return;
  const named = width > 560 && k <= 40;
  const pen = matrix.getContext("2d"), style = getComputedStyle(matrix);
  const names = order.map((topic) => (named ? `${topicNames[topic].slice(0, 28)}  ${topic}` : String(topic)));
  pen.font = `700 12px ${style.fontFamily}`;
  grid.left = 10 + Math.max(...names.map((name) => pen.measureText(name).width));
  grid.top = 22;
  grid.cell = Math.min(64, (width - grid.left - 2) / k);
  const height = grid.top + grid.cell * k + 2;
  matrix.style.height = `${height}px`;
  matrix.width = width * devicePixelRatio;
  matrix.height = height * devicePixelRatio;
  pen.scale(devicePixelRatio, devicePixelRatio);
  const gap = grid.cell > 8 ? 1 : 0;
  order.forEach((one, row) => order.forEach((other, column) => {
    pen.globalAlpha = 0.04 + 0.96 * data.similarity.cosines[one][other] / highest;
    pen.fillStyle = one === other ? "#8a8d93" : theme === "dark" ? "#7cc0ff" : "#0b62a8";
    if (one === other) pen.globalAlpha = 0.25;
    pen.fillRect(grid.left + column * grid.cell, grid.top + row * grid.cell,
      grid.cell - gap, grid.cell - gap);
  }));
  pen.globalAlpha = 1;
  pen.fillStyle = style.color;
  pen.textBaseline = "middle";
  const size = clamp(0.8 * grid.cell, 8.5, 12);
  pen.font = `700 ${size}px ${style.fontFamily}`;
  const everyRow = Math.ceil(size / grid.cell);
  const everyColumn = Math.ceil((pen.measureText(String(k - 1)).width + 2) / grid.cell);
  order.forEach((topic, at) => {
    const middle = (at + 0.5) * grid.cell;
    pen.font = `${at === grid.row || at === grid.column ? 700 : 400} ${size}px ${style.fontFamily}`;
    pen.textAlign = "center";
    if (at % everyColumn === 0) pen.fillText(String(topic), grid.left + middle, 11);
    pen.textAlign = "end";
    if (at % everyRow === 0) pen.fillText(names[at], grid.left - 6, grid.top + middle);
  });
  if (grid.row >= 0) {
    pen.lineWidth = 2;
    pen.strokeStyle = style.color;
    pen.strokeRect(grid.left + grid.column * grid.cell, grid.top + grid.row * grid.cell,
      Math.max(grid.cell - gap, 3), Math.max(grid.cell - gap, 3));
  }
}

// First the words that are more the pair's own: heavy in both, beside their mean weight in all topics.
function sharedWords(one, other) {
  const times = new Map(data.topics[other].words.map(([word, , ratio]) => [word, ratio]));
  return data.topics[one].words.filter(([word]) => times.has(word))
    .map(([word, , ratio]) => [word, Math.min(ratio, times.get(word))])
    .sort((a, b) => b[1] - a[1])
    .slice(0, 6).map(([word]) => word).join(", ");
}

function pairText(one, other) {
  const words = sharedWords(one, other);
  return [make("b", null, data.similarity.cosines[one][other].toFixed(2)), " ",
    dot(one), ` ${one} ${topicNames[one]} — `, dot(other), ` ${other} ${topicNames[other]}. `,
    make("span", "about", words ? `Both have: ${words}` : "None of their top words is the same.")];
}

function pointAtPair(row, column) {
  const last = order.length - 1;
  [grid.row, grid.column] = [clamp(row, 0, last), clamp(column, 0, last)];
  byId("pair").replaceChildren(...pairText(order[grid.row], order[grid.column]));
  drawMatrix();
}

function showSimilarity() {
  const k = order.length;
  byId("similarity").hidden = document.querySelector("a[href='#similarity']").hidden = k < 2;
  byId("pairs-picture").open = k <= MANY_TOPICS * 2;
  byId("pair").textContent = "Tap or point at a square to see the pair and the words that both topics have.";
  byId("pairs").append(...pairs.slice(0, k > 12 ? 10 : 6).map((pair) => make("li", null, ...pairText(...pair))));
  byId("scale").style.setProperty("--highest", `${100 * highest}%`);
  const point = (event) => {
    const box = matrix.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - grid.top) / grid.cell);
    const column = Math.floor((event.clientX - box.left - grid.left) / grid.cell);
    const same = row === grid.row && column === grid.column;
    if (!same && row >= 0 && column >= 0 && row < k && column < k) pointAtPair(row, column);
  };
  matrix.addEventListener("pointermove", point);
  matrix.addEventListener("pointerdown", point);
  const steps = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
  matrix.addEventListener("keydown", (event) => {
    if (!(event.key in steps)) return;
    event.preventDefault();
    pointAtPair(grid.row + steps[event.key][0], grid.column + steps[event.key][1]);
  });
}

// Labels that people gave, beside the topics.

function showLabels() {
  const labels = data.labels;
  byId("labels").hidden = document.querySelector("a[href='#labels']").hidden = !labels;
  if (!labels) return;
  const [name, largest] = labels.largest;
  const share = (n) => percent(n / labels.num_labeled).replace(" ", "\u00a0");
  byId("labels-facts").textContent = "How many documents of each topic have each label. "
    + `Of ${plural(labels.num_labeled, "labeled document")}, ${share(labels.num_majority)} have the label `
    + "that is most frequent in their topic; the most frequent label of all, "
    + `${name}, has ${share(largest)}.`;
  const others = labels.num_others ? [plural(labels.num_others, "other label")] : [];
  const names = [...labels.names, ...others];
  const head = make("tr", null, make("td", null), ...names.map((label) => {
    const cell = make("th", null, make("span", null, label));
    cell.scope = "col";
    cell.title = label;
    return cell;
  }));
  const rows = labels.counts.map((counts, topic) => {
    const all = Math.max(counts.reduce((sum, n) => sum + n, 0), 1);
    const row = make("th", null, dot(topic), ` ${topic} ${topicNames[topic]}`);
    row.scope = "row";
    return make("tr", null, row, ...counts.map((n) => {
      const cell = make("td", null, n ? number(n) : "");
      if (n) cell.style.setProperty("--shade", `${Math.round(8 + 62 * n / all)}%`);
      return cell;
    }));
  });
  byId("contingency").style.setProperty("--columns", names.length);
  byId("contingency").append(make("thead", null, head), make("tbody", null, ...rows));
}

// The pyLDAvis panel is a page of its own. It starts when it is opened.

function showPanel() {
  const panel = JSON.parse(byId("panel").textContent);
  const frameBox = byId("frame");
  if (panel.reason) {
    byId("words-facts").textContent = `pyLDAvis cannot show these topics: ${panel.reason}`;
    frameBox.hidden = true;
    return;
  }
  byId("words-facts").textContent = "Circles are topics: large ones have more words of the corpus, "
    + "near ones have more words in common. Choose one to see its words, and move the slider "
    + "for the words that are most its own. Its percentages are shares of words; the sizes of the "
    + "topics above are shares of documents.";
  const page = make("iframe");
  page.title = "pyLDAvis";
  page.setAttribute("sandbox", "allow-scripts");
  page.srcdoc = panel.html;
  page.addEventListener("load", () => page.contentWindow.postMessage({topic: looking.topic}, "*"));
  frameBox.append(page);
  byId("sideways").hidden = frameBox.scrollWidth <= frameBox.clientWidth;
}
