// The map as a picture, with its title and what the colors mean: pixels or, to be changed, shapes.

const MARGIN = 20, TITLE_HEIGHT = 46, LINE = 20, PICTURE_RATIO = 2;

const pictureTitle = () => {
  const what = nodeNow() === null ? "" : ` · ${shownTitle()}`;
  return data.title + what + (isTimed() ? ` · ${rangeText(looking.from, looking.to)}` : "");
};

// What the colors mean, as swatches and texts.
function pictureEntries() {
  const {column, topic, subtopic, group, cut} = looking;
  if (column?.kind === "category") return keyEntries().map(({name, swatch}) => ({swatch, text: name}));
  if (column) {
    return scaleEnds(column).map((end, at) =>
      ({swatch: SCALE + at * (NUM_STEPS - 1), text: `${column.name} ${end}`}));
  }
  if (topic !== null && data.subtopics[topic].length) {
    return data.subtopics[topic].map(({name}, at) => ({swatch: swatchAt(at), text: name}))
      .filter((_, at) => subtopic === null || at === subtopic);
  }
  const wanted = topic !== null ? [topic] : group !== null ? topicsOf(group) : groupsAt(cut);
  const swatch = (node) => swatchAt(swatchOf[topic === null ? node : groupAt(node, cut)]);
  return wanted.sort((one, other) => sizeOf(other) - sizeOf(one) || one - other)
    .map((node) => ({swatch: swatch(node), text: titleOf(node)}));
}

// Where everything is: the title, the map, and below it the entries in columns.
function pictureLayout() {
  const entries = pictureEntries(), numColumns = clamp(Math.floor(view.width / 260), 1, entries.length || 1);
  const numRows = Math.ceil(entries.length / numColumns), wide = (view.width - MARGIN) / numColumns;
  const style = getComputedStyle(canvas), top = TITLE_HEIGHT + view.height + MARGIN;
  return {
    width: view.width + 2 * MARGIN,
    height: top + numRows * LINE + MARGIN,
    ink: style.color, paper: style.backgroundColor, font: getComputedStyle(document.body).fontFamily,
    entries: entries.map((entry, at) => ({...entry, text: shortened(entry.text, 36),
      x: MARGIN + Math.floor(at / numRows) * wide, y: top + (at % numRows) * LINE + LINE / 2})),
  };
}

// A shape around a place, as the points of a polygon; a circle has none.
const SHAPES = [null, [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
  [[0, -1], [1, 0.9], [-1, 0.9]], [[0, -1], [1, 0], [0, 1], [-1, 0]]];

function pathOf(shape, x, y, r) {
  const points = SHAPES[shape].map(([dx, dy]) => `${(x + dx * r).toFixed(1)} ${(y + dy * r).toFixed(1)}`);
  return `M${points.join("L")}Z`;
}

function shapeNode(swatch, x, y, r) {
  const shape = shapeOf(swatch), fill = colorOf(swatch);
  return shape ? draw("path", {d: pathOf(shape, x, y, r), fill})
    : draw("circle", {cx: x.toFixed(1), cy: y.toFixed(1), r: r.toFixed(1), fill});
}

function drawPng() {
  const {width, height, ink, paper, font, entries} = pictureLayout();
  const sheet = make("canvas"), pen = sheet.getContext("2d"), ratio = PICTURE_RATIO;
  sheet.width = width * ratio;
  sheet.height = height * ratio;
  pen.fillStyle = paper;
  pen.fillRect(0, 0, sheet.width, sheet.height);
  const dots = pen.createImageData(Math.round(view.width * ratio), Math.round(view.height * ratio));
  drawDots(dots, ratio, canvasColor());
  pen.putImageData(dots, MARGIN * ratio, TITLE_HEIGHT * ratio);
  pen.setTransform(ratio, 0, 0, ratio, MARGIN * ratio, TITLE_HEIGHT * ratio);
  drawLabels(pen, ink, paper);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = ink;
  pen.font = `600 18px ${font}`;
  pen.fillText(shortened(pictureTitle(), 110), MARGIN, TITLE_HEIGHT / 2, width - 2 * MARGIN);
  pen.font = `13px ${font}`;
  for (const {swatch, text, x, y} of entries) {
    pen.fillStyle = colorOf(swatch);
    const shape = new Path2D(shapeOf(swatch) ? pathOf(shapeOf(swatch), x + 5, y, 5) : undefined);
    if (!shapeOf(swatch)) shape.arc(x + 5, y, 5, 0, 2 * Math.PI);
    pen.fill(shape);
    pen.fillStyle = ink;
    pen.fillText(text, x + 16, y);
  }
  return sheet;
}

function svgText(text, x, y, attributes) {
  // XML has no place for these characters.
  const clean = text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, "");
  return draw("text", {x, y, "dominant-baseline": "central", ...attributes}, clean);
}

function drawSvg() {
  const {width, height, ink, paper, font, entries} = pictureLayout();
  const r = radius(), margin = r + 1, hidden = [], dots = [];
  for (let i = 0; i < count; i++) {
    const [x, y] = toScreen(documents.x[i], documents.y[i]);
    if (x < margin || y < margin || x > view.width - margin || y > view.height - margin) continue;
    if (shown[i]) dots.push(shapeNode(swatches[i], x, y, r));
    else hidden.push(shapeNode(PLAIN, x, y, r));
  }
  const labels = labelsInSight().flatMap(({x, y, half, sign, indent, text, swatch, style}) => {
    const common = {"font-size": style.size, "font-weight": style.weight, stroke: paper, "stroke-width": 4,
      "stroke-linejoin": "round", "paint-order": "stroke"};
    const words = svgText(text, x - half + 4 + Number(indent), y, {...common, fill: ink});
    return sign ? [svgText(sign, x - half + 4, y, {...common, fill: colorOf(swatch)}), words] : [words];
  });
  const title = svgText(shortened(pictureTitle(), 110), MARGIN, TITLE_HEIGHT / 2,
    {"font-size": 18, "font-weight": 600, fill: ink});
  return draw("svg", {xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": font},
    draw("rect", {width, height, fill: paper}),
    title,
    draw("g", {transform: `translate(${MARGIN} ${TITLE_HEIGHT})`},
      draw("g", {"fill-opacity": 0.2}, ...hidden), draw("g", {"fill-opacity": 0.82}, ...dots), ...labels),
    ...entries.map(({swatch, text, x, y}) => draw("g", {"font-size": 13},
      shapeNode(swatch, x + 5, y, 5), svgText(text, x + 16, y, {fill: ink}))));
}

function download(blob, ending) {
  const anchor = make("a");
  anchor.href = URL.createObjectURL(blob);
  const name = data.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60);
  anchor.download = `${name || "topics"}.${ending}`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000); // when it has been written
}

const savePng = () => drawPng().toBlob((blob) => download(blob, "png"));
const saveSvg = () => download(new Blob([new XMLSerializer().serializeToString(drawSvg())],
  {type: "image/svg+xml"}), "svg");
