// The rest of the page.

function showHeader() {
  byId("title").textContent = data.title;
  const numbers = [[data.num_documents, "document"], [data.num_topics, "topic"], [data.num_terms, "term"]];
  byId("numbers").append(...numbers.flatMap(([n, word], at) =>
    [at ? " · " : "", make("b", null, number(n)), ` ${word}${n === 1 ? "" : "s"}`]));
  const facts = data.facts.map(([name, value]) => `${name}: ${value}`);
  if (data.num_empty) facts.push(`${plural(data.num_empty, "document")} without words`);
  byId("facts").textContent = facts.join(" · ");
  byId("doubts").hidden = !data.doubts.length;
  byId("doubts").textContent = `The topics may not be what you want: ${data.doubts.join("; ")}.`;
  canvas.setAttribute("aria-label", `Map of ${plural(count, "document")} in `
    + `${plural(data.num_topics, "topic")}. The arrow keys move it, plus and minus zoom, `
    + "Enter reads the document in the middle, Escape closes it.");
}

const numberAndWords = (topic) =>
  [dot(topic), make("span", "number", String(topic)), make("bdi", "words", topicNames[topic])];

function showTopics() {
  const largest = Math.max(...data.topics.map((topic) => topic.share), 1e-9);
  byId("legend").append(...bySize.map((k) => {
    const share = make("span", "share", percent(data.topics[k].share));
    const button = paint(topicButton(k, null, ...numberAndWords(k), share), k);
    button.addEventListener("click", () => { if (looking.topic === k) showMapIfNarrow(); });
    return button;
  }));
  byId("cards").append(...bySize.map((k) => {
    const topic = data.topics[k];
    const bar = make("span", "bar");
    bar.style.setProperty("--length", `${100 * topic.share / largest}%`);
    return paint(make("article", null,
      headOf(k),
      make("div", "size", make("span", null, plural(topic.size, "document")),
        make("span", null, percent(topic.share))),
      make("div", "track", bar),
      topic.words.length ? weightsOf(topic) : make("p", "none", "No documents, and so no words."),
      topic.documents.length ? typicalOf(topic) : null), k);
  }));
  byId("cards").classList.toggle("many", data.num_topics > 40);
}

function headOf(topic) {
  const button = topicButton(topic, "head", ...numberAndWords(topic));
  button.addEventListener("click", () => {
    if (looking.topic === topic) byId("map").scrollIntoView({block: "center"});
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

function typicalOf(topic) {
  return make("ol", "typical", ...topic.documents.slice(0, 3).map((i) => {
    const text = make("span", "text", passage(i, CARD_LENGTH));
    text.dir = "auto";
    const button = make("button", null, make("span", "about", aboutDocument(i)), text);
    button.type = "button";
    button.addEventListener("click", () => {
      focusDocument(i);
      byId("map").scrollIntoView({block: "center"});
    });
    return make("li", null, button);
  }));
}

function showMade() {
  const fill = (id, pairs) => byId(id).append(...pairs.flatMap(([name, value]) =>
    [make("dt", null, name), make("dd", null, value)]));
  fill("run", [["documents", number(count)], ["documents without words", number(data.num_empty)],
    ["terms", number(data.num_terms)], ...data.facts]);
  const isUnset = ([, value]) => ["none", "no", ""].includes(value);
  const unset = data.settings.filter(isUnset);
  fill("settings", data.settings.filter((setting) => !isUnset(setting)));
  fill("unset", unset);
  byId("more").hidden = !unset.length;
  byId("more").firstChild.textContent = `${unset.length} more, off or not set`;
  fill("versions", data.versions);
}
