// The rest of the page.

function showHeader() {
  byId("title").textContent = data.title;
  const numbers = [[data.num_documents, "document"], [data.num_topics, "topic"], [data.num_terms, "term"]];
  byId("numbers").append(...numbers.flatMap(([n, word], at) =>
    [at ? " · " : "", make("b", null, number(n)), ` ${word}${n === 1 ? "" : "s"}`]));
  if (data.num_unknown) byId("numbers").append(` · ${plural(data.num_unknown, "more document")} without words`);
  byId("doubts").hidden = !data.doubts.length;
  byId("doubts").textContent = `The topics may not be what you want: ${data.doubts.join("; ")}.`;
  canvas.setAttribute("aria-label", `Map of ${plural(count, "document")} in `
    + `${plural(data.num_topics, "topic")}. The arrow keys move it, plus and minus zoom, `
    + "Enter reads the document in the middle, Escape closes it.");
}

// The cards of the topics. Where they are many, or the screen is narrow, they are folded.

const MANY_TOPICS = 12;
const areFolded = () => numTopics > MANY_TOPICS || isNarrow();

function showTopics() {
  byId("cards").append(...bySize.map((topic) => cardOfTopic(topic, !areFolded())));
  byId("cards").classList.toggle("folded", areFolded());
}

function cardOfTopic(k, isOpen) {
  const topic = data.topics[k], content = make("div", "content");
  const fold = makeButton("fold", () => setFold(!isUnfolded()));
  const isUnfolded = () => fold.getAttribute("aria-expanded") === "true";
  const setFold = (unfolded) => {
    fold.setAttribute("aria-expanded", String(unfolded));
    content.hidden = !unfolded;
    if (unfolded && content.children.length < 3) content.append(...contentOf(topic));
  };
  content.id = `topic-card-${k}`;
  fold.setAttribute("aria-controls", content.id);
  fold.setAttribute("aria-label", `Words and documents of topic ${titleOf(k)}`);
  const bar = make("span", "bar");
  bar.style.setProperty("--length", `${100 * topic.size / Math.max(data.topics[bySize[0]].size, 1)}%`);
  content.append(make("div", "size", make("span", null, plural(topic.size, "document")),
    make("span", null, percent(topic.share))), make("div", "track", bar));
  setFold(isOpen);
  const card = paint(make("article", null,
    make("div", "line", headOf(k), make("span", "share", percent(topic.share)), fold), content), k);
  card.dataset.card = k;
  return card;
}

const noWords = (topic) => make("p", "none",
  topic.size ? "No words, as its documents have none." : "No documents, and so no words.");

const contentOf = (topic) => [
  topic.words.length ? weightsOf(topic) : noWords(topic),
  ...(topic.documents.length
    ? [make("ol", "typical", ...topic.documents.slice(0, 3).map((i) => documentItem(i, CARD_LENGTH)))] : []),
];

function headOf(topic) {
  const button = nodeButton(topic, "head", ...numberAndWords(topic));
  button.addEventListener("click", () => {
    if (looking.topic !== topic) return;
    if (isNarrow()) showOpenedIfNarrow();
    else byId("map").scrollIntoView({block: "center"});
  });
  return button;
}

function weightsOf(topic) {
  const list = make("ol", "weights");
  for (const [word, weight] of topic.words.slice(0, 10)) {
    const bar = make("span", "bar");
    bar.style.setProperty("--length", `${100 * weight / topic.words[0][1]}%`);
    bar.title = weight.toPrecision(2);
    list.append(make("li", null, make("bdi", null, word), bar));
  }
  return list;
}

function documentItem(i, length) {
  const text = make("span", "text", passage(i, length));
  text.dir = "auto";
  return make("li", null, makeButton(null, () => {
    focusDocument(i);
    byId("map").scrollIntoView({block: "nearest"});
  }, make("span", "about", aboutDocument(i)), text));
}

function showMade() {
  const fill = (id, pairs) => byId(id).append(...pairs.flatMap(([name, value]) =>
    [make("dt", null, name), make("dd", null, value)]));
  fill("run", [["documents", number(count)], ["more documents, without words", number(data.num_unknown)],
    ["terms", number(data.num_terms)], ...data.facts]);
  const isUnset = ([, value]) => ["none", "no", ""].includes(value);
  const unset = data.settings.filter(isUnset);
  fill("settings", data.settings.filter((setting) => !isUnset(setting)));
  fill("unset", unset);
  byId("more").hidden = !unset.length;
  byId("more").firstChild.textContent = `${unset.length} more, off or not set`;
  fill("versions", data.versions);
}
