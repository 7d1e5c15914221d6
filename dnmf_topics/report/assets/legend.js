// The list of topics beside the map: along the tree, or the largest first; cut into few groups or many.

let isByTree = merges.length > 0;
const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const numberAndWords = (topic) =>
  [dot(topic), make("span", "number", String(topic)), make("bdi", "words", topicNames[topic])];

function makeRow(node) {
  const row = isGroup(node)
    ? nodeButton(node, "row group", swatchDot(swatchAt(swatchOf[node])), make("bdi", "words", titleOf(node)),
      make("span", "share"))
    : nodeButton(node, "row", ...numberAndWords(node), sparkline(node), make("span", "share"));
  row.title = titleOf(node); // there may be no room for all of it
  row.addEventListener("click", () => { if (nodeNow() !== null) showOpenedIfNarrow(); });
  return row;
}

const rows = new Map(); // of nodes, once they have been shown

function rowOf(node) {
  if (!rows.has(node)) rows.set(node, makeRow(node));
  return rows.get(node);
}

// Along the tree a group stands above its topics; by size it stands for them.
function nodesListed() {
  const groups = groupsAt(looking.cut);
  if (isByTree) return groups.flatMap((node) => (isGroup(node) ? [node, ...topicsOf(node)] : [node]));
  return groups.sort((one, other) => sizeOf(other) - sizeOf(one) || one - other);
}

function showLegend() {
  const legend = byId("legend"), wanted = nodesListed().map(rowOf), isWanted = new Set(wanted);
  // Rows that stay where they are cost the browser nothing.
  for (const row of [...legend.children]) if (!isWanted.has(row)) row.remove();
  wanted.forEach((row, at) => {
    if (legend.children[at] !== row) legend.insertBefore(row, legend.children[at] ?? null);
  });
  legend.classList.toggle("with-tree", isByTree);
  showCounts();
  drawTree();
}

// How many documents there are of each topic: of all of them the share, of those found the number.
function showCounts() {
  const counts = new Int32Array(numTopics);
  for (let i = 0; i < count; i++) if (isFound(i)) counts[documents.topic[i]]++;
  for (const node of nodesListed()) {
    const row = rowOf(node);
    const found = topicsOf(node).reduce((sum, topic) => sum + counts[topic], 0);
    row.querySelector(".share").textContent = isFiltered() ? number(found) : percent(found / count);
    row.classList.toggle("empty", isFiltered() && !found);
  }
}

// The branches, to the left of the rows. Keyboards and screen readers have the slider, the groups in the
// list, and the parts of a group where it is opened.

const TREE_WIDTH = 74;

function drawTree() {
  const legend = byId("legend");
  legend.querySelector(".branches")?.remove();
  if (!isByTree || !legend.offsetHeight) return;
  const middle = new Map(), highest = data.tree.heights.at(-1) || 1;
  for (const row of legend.querySelectorAll(".row:not(.group)")) {
    middle.set(Number(row.dataset.node), row.offsetTop + row.offsetHeight / 2);
  }
  // The square root, because the last merges are far above all others.
  const height = (group) => Math.sqrt(Math.max(0, data.tree.heights[group - numTopics]) / highest);
  const across = (node) =>
    (isGroup(node) ? TREE_WIDTH - 6 - (TREE_WIDTH - 14) * height(node) : TREE_WIDTH - 2);
  const end = nodes.length - (looking.cut - 1), lines = [], knots = [];
  for (let group = numTopics; group < nodes.length; group++) {
    const pair = childrenOf(group).sort((one, other) => middle.get(one) - middle.get(other));
    const [high, low] = pair.map((node) => middle.get(node)), x = across(group);
    middle.set(group, (high + low) / 2);
    const isCut = group >= end;
    const line = draw("path", {class: isCut ? "cut" : "branch",
      d: `M${across(pair[0])} ${high}H${x}V${low}H${across(pair[1])}`});
    if (!isCut) paintSwatch(line, swatchAt(swatchOf[groupAt(topicsOf(group)[0], looking.cut)]));
    lines.push(line);
    knots.push(knotOf(group, x, middle.get(group)));
  }
  const size = {width: TREE_WIDTH, height: legend.scrollHeight};
  legend.append(unspoken(draw("svg", {class: "branches", ...size}, ...lines, ...knots)));
}

function knotOf(group, x, y) {
  const knot = draw("g", {class: `knot${looking.group === group ? " chosen" : ""}`},
    draw("title", {}, `${data.tree.names[group]} · ${plural(topicsOf(group).length, "topic")}`),
    draw("circle", {cx: x, cy: y, r: 8, fill: "transparent"}), draw("circle", {cx: x, cy: y, r: 3}));
  knot.addEventListener("click", () => openNode(group));
  return knot;
}

function setCut(numGroups) {
  looking.cut = numGroups;
  const all = plural(numTopics, "topic");
  const text = numGroups === numTopics ? all : `${plural(numGroups, "group")} of ${all}`;
  byId("cut").value = numGroups;
  byId("cut").setAttribute("aria-valuetext", text);
  byId("cut-number").textContent = text;
  refresh();
  showLegend();
}

function showCutControl() {
  const slider = byId("cut");
  byId("cutting").hidden = numTopics < 3 || !merges.length;
  byId("order").hidden = !merges.length;
  slider.min = 2;
  slider.max = numTopics;
  slider.addEventListener("input", () => setCut(Number(slider.value)));
  for (const [id, byTree] of [["by-tree", true], ["by-size", false]]) {
    byId(id).setAttribute("aria-pressed", String(isByTree === byTree));
    byId(id).addEventListener("click", () => {
      isByTree = byTree;
      byId("by-tree").setAttribute("aria-pressed", String(isByTree));
      byId("by-size").setAttribute("aria-pressed", String(!isByTree));
      showLegend();
    });
  }
}
