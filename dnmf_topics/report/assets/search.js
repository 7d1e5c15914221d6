// Search: documents that have all the words, in their text, id or label.

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

function snippet(i) {
  const text = textOf(i), low = text.toLowerCase();
  const first = Math.min(...looking.terms.map((term) => low.indexOf(term)).filter((at) => at >= 0));
  if (first <= 60 || first === Infinity) return text.slice(0, 150);
  return "…" + text.slice(text.indexOf(" ", first - 50) + 1, first + 100);
}

function search() {
  looking.terms = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
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
  }
  if (looking.chosen >= 0 && !isShown(looking.chosen)) looking.chosen = -1;
  showCard();
  drawMap();
}

function resultOf(i) {
  const button = make("button", null,
    make("span", "about", dot(documents.topic[i]), marked("bdi", aboutDocument(i).textContent)),
    marked("span", snippet(i)));
  button.type = "button";
  button.addEventListener("click", () => focusDocument(i));
  return make("li", null, button);
}
