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

function showRows() {
  const legend = byId("legend"), wanted = [...(isByTree ? [branches] : []), ...nodesListed().map(rowOf)];
  const isWanted = new Set(wanted);
  // Rows that stay where they are cost the browser nothing.
  for (const row of [...legend.children]) if (!isWanted.has(row)) row.remove();
  wanted.forEach((row, at) => {
    if (legend.children[at] !== row) legend.insertBefore(row, legend.children[at] ?? null);
  });
  legend.classList.toggle("with-tree", isByTree);
}

// How many documents there are of each topic: of all of them the share, of those found the number.
function showCounts() {
  const counts = new Int32Array(numTopics);
  for (let i = 0; i < count; i++) if (isFound(i)) counts[documents.topic[i]]++;
  for (const node of nodesListed()) {
    const row = rowOf(node), share = row.querySelector(".share");
    const found = topicsOf(node).reduce((sum, topic) => sum + counts[topic], 0);
    const text = isFiltered() ? number(found) : percent(found / count);
    if (share.textContent !== text) share.textContent = text; // no layout for nothing
    row.classList.toggle("empty", isFiltered() && !found);
  }
}

// The branches, to the left of the rows. Keyboards and screen readers have the slider, the groups in the
// list, and the parts of a group where it is opened.

const TREE_WIDTH = 74;
const branches = unspoken(draw("svg", {class: "branches", width: TREE_WIDTH}));
const branchParts = merges.map((_, at) => {
  const group = numTopics + at;
  const line = paint(draw("path", {class: "branch"}), topicsOf(group)[0]), knot = knotOf(group);
  branches.append(line);
  return {group, line, knot};
});
branches.append(...branchParts.map(({knot}) => knot)); // above all lines

function knotOf(group) {
  const knot = draw("g", {class: "knot"},
    draw("title", {}, `${data.tree.names[group]} · ${plural(topicsOf(group).length, "topic")}`),
    draw("circle", {r: 8, fill: "transparent"}), draw("circle", {r: 3}));
  knot.addEventListener("click", () => openNode(group));
  return knot;
}

function drawTree() {
  const legend = byId("legend");
  if (!isByTree || !legend.offsetHeight) return;
  const middle = new Map(), highest = data.tree.heights.at(-1) || 1;
  for (const topic of byTree) {
    const {offsetTop, offsetHeight} = rowOf(topic);
    middle.set(topic, offsetTop + offsetHeight / 2);
  }
  // The square root, because the last merges are far above all others.
  const height = (group) => Math.sqrt(Math.max(0, data.tree.heights[group - numTopics]) / highest);
  const across = (node) =>
    (isGroup(node) ? TREE_WIDTH - 6 - (TREE_WIDTH - 14) * height(node) : TREE_WIDTH - 2);
  const end = nodes.length - (looking.cut - 1);
  const last = legend.lastElementChild;
  branches.setAttribute("height", last.offsetTop + last.offsetHeight);
  for (const {group, line, knot} of branchParts) {
    const pair = childrenOf(group).sort((one, other) => middle.get(one) - middle.get(other));
    const [high, low] = pair.map((node) => middle.get(node)), x = across(group);
    middle.set(group, (high + low) / 2);
    line.setAttribute("d", `M${across(pair[0])} ${high}H${x}V${low}H${across(pair[1])}`);
    line.classList.toggle("cut", group >= end);
    knot.setAttribute("transform", `translate(${x} ${middle.get(group)})`);
  }
}

function setCut(numGroups) {
  looking.cut = numGroups;
  const all = plural(numTopics, "topic");
  const text = numGroups === numTopics ? all : `${plural(numGroups, "group")} of ${all}`;
  byId("cut").value = numGroups;
  byId("cut").setAttribute("aria-valuetext", text);
  byId("cut-number").textContent = text;
  showRows();
  refresh();
  drawTree();
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
      showRows();
      showCounts();
      drawTree();
    });
  }
}
