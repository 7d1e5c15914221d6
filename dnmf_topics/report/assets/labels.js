// The topics' words on the map.

let labelBoxes = []; // where they are now

function drawLabels(ink, paper) {
  labelBoxes = [];
  context.font = `600 ${view.width < 500 ? 12 : 13.5}px ${getComputedStyle(document.body).fontFamily}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = paper;
  const taken = [byId("zoom-in").parentNode, byId("showing")].map(boxOf);
  for (const topic of bySize) {
    if (!isLabeled(topic)) continue;
    const words = data.num_topics > 30 ? topicNames[topic].split(" ", 2).join(" ") : topicNames[topic];
    const text = words.length > 34 ? words.slice(0, 33) + "…" : words;
    const sign = "●■▲◆"[shapeOf(topic)];
    const indent = context.measureText(sign).width + 3;
    const box = placeOfLabel(topic, (indent + context.measureText(text).width) / 2 + 4, taken);
    if (!box) continue;
    taken.push(box);
    labelBoxes.push(box);
    const left = box.x - box.half + 4;
    context.strokeText(sign, left, box.y);
    context.strokeText(text, left + indent, box.y);
    context.fillStyle = colorOf(topic);
    context.fillText(sign, left, box.y);
    context.fillStyle = ink;
    context.fillText(text, left + indent, box.y);
  }
}

// Very small topics have their labels further in. The one topic that is looked at is named above.
function isLabeled(topic) {
  const size = data.topics[topic].size;
  if (looking.topic !== null) return false;
  const few = Math.min(Math.max(5, 0.003 * count), count / data.num_topics / 2);
  return size > 0 && (size >= few || view.zoom >= 2);
}

function boxOf(node) {
  const half = node.offsetWidth / 2, tall = node.offsetHeight / 2;
  return {x: node.offsetLeft + half, y: node.offsetTop + tall, half, tall};
}

// Where a label covers few dots and is near its topic: from its middle to the edges of its bounds,
// if they are not far, and a little beyond, in four directions.
function placeOfLabel(topic, half, taken) {
  const {place, bounds, size} = data.topics[topic];
  const tall = 9.5, gap = radius() + 2, [x, y] = toScreen(...place);
  const [[left, top], [right, bottom]] = bounds.map((corner) => toScreen(...corner));
  if (right < 0 || left > view.width || bottom < 0 || top > view.height) return null;
  let best = null, least = Infinity;
  for (const part of [0, 0.25, 0.5, 0.75, 1, 1.3]) {
    const [up, down, before, after] = [y - top, bottom - y, x - left, right - x]
      .map((way) => part * clamp(way, 12, Math.max(36, view.width / 14)) + gap);
    for (const [dx, dy] of [[0, -up - tall], [0, down + tall], [after + half, 0], [-before - half, 0]]) {
      const box = {topic, half, tall,
        x: clamp(x + dx, half, Math.max(half, view.width - half)),
        y: clamp(y + dy, tall, view.height - tall)};
      const isFree = taken.every((other) => Math.abs(other.y - box.y) >= other.tall + tall
        || Math.abs(other.x - box.x) >= other.half + half);
      if (!isFree) continue;
      let covered = 0;
      visitWithin(toMap(box.x - half, box.y - tall), toMap(box.x + half, box.y + tall), () => covered++);
      const cost = 100 * covered / size + 8 * part + Math.abs(box.x - x) / half;
      if (cost < least) [best, least] = [box, cost];
    }
  }
  return best;
}
