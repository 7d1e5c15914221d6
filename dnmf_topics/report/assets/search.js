// Search: documents that have all the words and "phrases", in their text, id or label.

const NUM_RESULTS = 20;
let haystack = null; // the documents in small letters, once they are searched
const having = new Map(); // from terms to the documents that have them, until the search is emptied

function markRanges(text) {
  if (!looking.terms.length) return [];
  const escaped = looking.terms.map((term) => term.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"));
  return [...text.matchAll(new RegExp(escaped.join("|"), "gi"))]
    .map((match) => ({from: match.index, to: match.index + match[0].length}));
}

// A part of a text; what was searched is marked in it.
function markedPieces(text, marks, start, end) {
  const pieces = [];
  let at = start;
  for (const {from, to} of marks) {
    if (to <= at || from >= end) continue;
    if (from > at) pieces.push(text.slice(at, from));
    pieces.push(make("mark", null, text.slice(Math.max(at, from), Math.min(to, end))));
    at = Math.min(to, end);
  }
  if (at < end) pieces.push(text.slice(at, end));
  return pieces;
}

// A text with what was searched marked, and words that speak for a topic underlined.
function marked(tag, text, telling = []) {
  const node = make(tag, null), marks = markRanges(text);
  node.dir = "auto";
  let at = 0;
  for (const range of telling) {
    node.append(...markedPieces(text, marks, at, range.from),
      tellingWord(range, markedPieces(text, marks, range.from, range.to)));
    at = range.to;
  }
  node.append(...markedPieces(text, marks, at, text.length));
  return node;
}

const termsOf = (query) => [...query.toLowerCase().matchAll(/"([^"]*)"?|[^\s"]+/g)]
  .map(([word, phrase]) => (phrase ?? word).trim().replace(/\s+/g, " ")).filter(Boolean);

// About so many characters of a text, whole words: its beginning, or what is around the first match.
function passage(i, length) {
  const text = textOf(i), low = text.toLowerCase();
  const matches = looking.terms.map((term) => low.indexOf(term)).filter((at) => at >= 0);
  const first = matches.length ? Math.min(...matches) : 0;
  let from = 0;
  if (first > length / 2) {
    const space = text.indexOf(" ", first - Math.round(length / 3));
    from = space < 0 || space > first ? first : space + 1;
  }
  let to = from + length;
  if (to >= text.length) to = text.length;
  else if (text.lastIndexOf(" ", to) > from + length / 2) to = text.lastIndexOf(" ", to);
  return (from ? "…" : "") + text.slice(from, to) + (to < text.length ? "…" : "");
}

function readHaystack() {
  haystack ??= Array.from({length: count}, (_, i) =>
    [textOf(i), nameOf(i), labelOf(i) ?? ""].join("\n").toLowerCase());
}

// Who types on asks for less: only what had the shorter word is looked at again.
function documentsWith(term) {
  if (having.has(term)) return having.get(term);
  const before = having.get(term.slice(0, -1)), found = new Uint8Array(count);
  for (let i = 0; i < count; i++) if (!before || before[i]) found[i] = haystack[i].includes(term) ? 1 : 0;
  having.set(term, found);
  return found;
}

function search() {
  const wasSearched = looking.terms.length > 0;
  looking.terms = termsOf(byId("search").value);
  if (looking.terms.length) {
    readHaystack();
    const lists = looking.terms.map(documentsWith);
    looking.matches = lists[0].map((_, i) => (lists.every((found) => found[i]) ? 1 : 0));
  } else {
    looking.matches = null;
    having.clear();
    if (wasSearched) goHome();
  }
  refresh();
}

// The list of what is searched or mixed.
const isListed = () => looking.terms.length > 0 || looking.mixed;

function showFound() {
  const found = [];
  for (let i = 0; isListed() && i < count; i++) if (shown[i]) found.push(i);
  if (looking.mixed) found.sort((one, other) => secondPercent(other) - secondPercent(one) || one - other);
  const where = looking.topic !== null ? ` in topic ${looking.topic}`
    : looking.group !== null ? " in these topics" : "";
  const what = plural(found.length, looking.mixed ? "mixed document" : "document");
  byId("found").textContent = isListed() ? `${what} found${where}` : "";
  byId("results").replaceChildren(...found.slice(0, NUM_RESULTS).map(resultOf));
}

function resultOf(i) {
  const parts = partsOf(i);
  const button = makeButton(null, () => focusDocument(i),
    make("span", "about", dot(documents.topic[i]), marked("bdi", aboutDocument(i).textContent)),
    ...(looking.mixed ? [barOf(parts), make("span", "unseen", partsText(parts)), whyOwnTopic(i, parts)] : []),
    marked("span", passage(i, 160)));
  return make("li", null, button);
}
