// The card of the document under the pointer, or else of the one that was chosen.

const CARD_LENGTH = 300, NUM_COLUMNS = 6; // characters of a text and columns that a card shows

let inCard = null; // what it says now: while that stays, so do its buttons, and the focus on them
let chosenBox = null; // where the card of the chosen document is

function showCard() {
  const i = looking.hovered >= 0 ? looking.hovered : looking.chosen;
  const card = byId("card"), content = JSON.stringify([i, looking.terms]);
  card.hidden = i < 0;
  if (i < 0) return;
  // One that goes with the pointer must not be in its way.
  card.classList.toggle("fixed", i === looking.chosen);
  if (content !== inCard) card.replaceChildren(...cardOf(i));
  inCard = content;
  placeCard();
}

function cardOf(i) {
  const topic = documents.topic[i], parts = partsOf(i), words = passage(i, CARD_LENGTH);
  const text = marked("div", words, tellingRanges(words, parts));
  text.className = "text";
  const close = makeButton("close", closeCard, "×");
  close.setAttribute("aria-label", "Close");
  return [make("div", "topic", dot(topic), make("bdi", null, titleOf(topic))),
    make("div", "about", aboutDocument(i)), ...sharesOf(parts), whyOwnTopic(i, parts), text, columnsOf(i), linkOf(i), close]
    .filter((part) => part !== null);
}

// What the columns say of a document, the first of them.
function columnsOf(i) {
  const known = data.columns.filter(({codes}) => codes[i] !== null).slice(0, NUM_COLUMNS);
  return known.length ? make("dl", "columns", ...known.flatMap(({name, kind, values, codes}) =>
    [make("dt", null, make("bdi", null, shortened(name, 30))),
      make("dd", null, make("bdi", null, kind === "number" ? String(codes[i]) : values[codes[i]]))])) : null;
}

// Whether the pointer is on its way from the chosen dot to its card, or near it: dots that lie
// there would take the card away.
function isNearCard(x, y) {
  if (looking.chosen < 0) return false;
  const [dotX, dotY] = toScreen(documents.x[looking.chosen], documents.y[looking.chosen]);
  const {left, top, right, bottom} = chosenBox, margin = 12;
  return x > Math.min(left, dotX) - margin && x < Math.max(right, dotX) + margin
    && y > Math.min(top, dotY) - margin && y < Math.max(bottom, dotY) + margin;
}

// Beside its dot; on a narrow screen above or below. Always in the part of the map that is in sight.
function placeCard() {
  const i = looking.hovered >= 0 ? looking.hovered : looking.chosen;
  if (i < 0) return;
  const card = byId("card"), box = canvas.getBoundingClientRect();
  const [x, y] = toScreen(documents.x[i], documents.y[i]);
  const {offsetWidth: width, offsetHeight: height} = card;
  const beside = x + 16 + width < view.width ? x + 16 : x - 16 - width;
  const high = Math.max(0, -box.top) + 10;
  const low = Math.max(high, Math.min(view.height, innerHeight - box.top) - height - 10);
  const wanted = !isNarrow() ? y - height / 2 : y > (high + low + height) / 2 ? high : low;
  const left = clamp(beside, 10, Math.max(10, view.width - width - 10)), top = clamp(wanted, high, low);
  card.style.left = `${left}px`;
  card.style.top = `${top}px`;
  if (i === looking.chosen) chosenBox = {left, top, right: left + width, bottom: top + height};
}

const isNarrow = () => innerWidth <= 900;
function showMapIfNarrow() {
  if (isNarrow()) byId("map").scrollIntoView({block: "nearest"});
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
  writeAddress("replaceState");
  showCard();
  drawMap();
}

// Who was in the card with the keyboard goes on with the map.
function closeCard() {
  if (byId("card").contains(document.activeElement)) canvas.focus();
  choose(-1);
}

function focusDocument(i) {
  if (looking.mixed && !isMixed[i]) toggleMixed();
  if (!isInTime(i)) setRange(0, numBins);
  if (!isInTopic(i)) openNode(null);
  choose(i);
  moveTo(...centered(Math.max(view.zoom, 4), ...toBase(documents.x[i], documents.y[i])));
  showMapIfNarrow();
}
