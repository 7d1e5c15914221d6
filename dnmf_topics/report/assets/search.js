// Search: documents that have all the words and "phrases", in their text, id or label.

const NUM_RESULTS = 20;
let haystack = null;

function marked(tag, text) {
  const node = make(tag, null);
  node.dir = "auto";
  const escaped = looking.terms.map((term) => term.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"));
  const pieces = escaped.length ? text.split(new RegExp(`(${escaped.join("|")})`, "i")) : [text];
  pieces.forEach((piece, at) => node.append(at % 2 ? make("mark", null, piece) : piece));
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

function search() {
  const wasSearched = looking.terms.length > 0;
  looking.terms = termsOf(byId("search").value);
  const results = byId("results");
  results.replaceChildren();
  looking.matches = null;
  byId("found").textContent = "";
  if (looking.terms.length) {
    haystack ??= Array.from({length: count}, (_, i) =>
      [textOf(i), nameOf(i), labelOf(i) ?? ""].join("\n").toLowerCase());
    looking.matches = Uint8Array.from(haystack, (text) =>
      looking.terms.every((term) => text.includes(term)));
    const found = [];
    let total = 0;
    for (let i = 0; i < count; i++) {
      if (isShown(i) && ++total <= NUM_RESULTS) found.push(i);
    }
    const where = looking.topic === null ? "" : ` in topic ${looking.topic}`;
    byId("found").textContent = `${plural(total, "document")} found${where}`;
    results.append(...found.map(resultOf));
  } else if (wasSearched) goHome();
  if (looking.chosen >= 0 && !isShown(looking.chosen)) looking.chosen = -1;
  showCard();
  drawMap();
}

function resultOf(i) {
  const button = make("button", null,
    make("span", "about", dot(documents.topic[i]), marked("bdi", aboutDocument(i).textContent)),
    marked("span", passage(i, 160)));
  button.type = "button";
  button.addEventListener("click", () => focusDocument(i));
  return make("li", null, button);
}
