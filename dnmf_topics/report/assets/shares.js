// How much of a document is about what: its parts, which documents are mixed, why a word is there.

// The parts of all documents follow one another, and so do the topics of all words.
function startsOf(counts) {
  const starts = new Int32Array(counts.length + 1);
  counts.forEach((n, at) => { starts[at + 1] = starts[at] + n; });
  return starts;
}

const partStart = startsOf(documents.num_parts);

function partsOf(i) {
  const parts = [];
  for (let at = partStart[i]; at < partStart[i + 1]; at++) {
    parts.push({topic: documents.part_topic[at], percent: documents.part_percent[at]});
  }
  return parts;
}

const otherPercent = (parts) => Math.max(0, 100 - parts.reduce((sum, part) => sum + part.percent, 0));

// Whether a topic that is looked at is a document's own or one of its parts.
function isAboutLookedAt(i) {
  if (looking.subtopic !== null) return isInTopic(i);
  if (isLookedAt[documents.topic[i]]) return true;
  for (let at = partStart[i]; at < partStart[i + 1]; at++) {
    if (isLookedAt[documents.part_topic[at]]) return true;
  }
  return false;
}

// Mixed documents; the largest part comes first.

const isMixed = Uint8Array.from({length: count}, (_, i) =>
  documents.num_parts[i] > 1 && documents.part_percent[partStart[i]] <= data.shares.mixed_percent);
const numMixed = isMixed.reduce((sum, one) => sum + one, 0);
// The more there is of the second topic, the more a document is about both. Many small parts may
// mean no more than a text that says little.
const secondPercent = (i) => documents.part_percent[partStart[i] + 1];

function showMixedControl() {
  const button = byId("mixed");
  button.disabled = !numMixed;
  button.textContent = numMixed ? `Mixed documents: ${number(numMixed)}` : "No mixed documents";
  button.title = `At most ${data.shares.mixed_percent} % of the document is about one topic`;
  button.addEventListener("click", toggleMixed);
}

function toggleMixed() {
  looking.mixed = !looking.mixed;
  byId("mixed").setAttribute("aria-pressed", String(looking.mixed));
  refresh();
}

// The parts as a bar, and in words.

function barOf(parts) {
  const piece = (percent) => {
    const node = make("span");
    node.style.flexGrow = percent;
    return node;
  };
  const bar = make("div", "parts", ...parts.map(({topic, percent}) => paint(piece(percent), topic)),
    piece(otherPercent(parts)));
  bar.setAttribute("aria-hidden", "true");
  return bar;
}

// A part's words are underlined in the text as its name is here: the color is not all that tells.
function partsLegend(parts) {
  const rest = otherPercent(parts);
  const entries = parts.map(({topic, percent}, rank) => paint(nodeButton(topic, null, dot(topic),
    make("bdi", `telling line${rank}`, `${topic} ${topicNames[topic]}`), " ",
    make("span", "share", `${percent} %`)), topic));
  if (rest) entries.push(make("span", null, make("span", "dot"), make("span", null, "other"), " ",
    make("span", "share", `${rest} %`)));
  return make("ul", "shares", ...entries.map((entry) => make("li", null, entry)));
}

const partsText = (parts) =>
  parts.map(({topic, percent}) => `${percent} % ${topic} ${topicNames[topic]}`).join(", ");

function sharesOf(parts) {
  if (parts.length) return [barOf(parts), partsLegend(parts)];
  return [make("p", "none", `No topic has ${data.shares.min_percent} % of it.`)];
}

// Where the topic that a document is in has not the largest part of it: what is which.
function whyOwnTopic(i, parts) {
  const own = documents.topic[i], largest = parts[0]?.topic ?? own;
  return largest === own ? null : make("span", "why",
    `It is in topic ${own} with the documents it is most like; more of its words are about topic ${largest}.`);
}

// Words that speak for a topic.

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c\u200d]*/gu;
let wordTopics = null; // from a word in small letters to [topic, ratio] pairs

function readTellingWords() {
  wordTopics = new Map();
  if (!data.telling_words) return;
  const {word, num_topics: counts, topic, ratio} = data.telling_words, starts = startsOf(counts);
  word.forEach((name, at) => {
    const key = name.toLowerCase();
    if (wordTopics.has(key)) return; // the more frequent of two spellings came first
    wordTopics.set(key, Array.from({length: counts[at]}, (_, n) =>
      [topic[starts[at] + n], ratio[starts[at] + n]]));
  });
}

// Of a document's parts the one that a word speaks for most, or null.
function partOfWord(word, parts) {
  let best = null, most = 0;
  for (const [topic, ratio] of wordTopics.get(word) ?? []) {
    const rank = parts.findIndex((part) => part.topic === topic);
    if (rank < 0 || parts[rank].percent * ratio <= most) continue;
    [best, most] = [{topic, rank, ratio}, parts[rank].percent * ratio];
  }
  return best;
}

// Where the text has words, or two words as one phrase, that speak for one of the parts.
function tellingRanges(text, parts) {
  if (!wordTopics) readTellingWords();
  const words = [...text.matchAll(WORD)], ranges = [];
  for (let at = 0; at < words.length; at++) {
    const [word] = words[at], from = words[at].index, next = words[at + 1]?.[0];
    const pair = next && text.startsWith(` ${next}`, from + word.length)
      ? partOfWord(`${word}_${next}`.toLowerCase(), parts) : null;
    const part = pair ?? partOfWord(word.toLowerCase(), parts);
    if (part) ranges.push({...part, from, to: from + word.length + (pair ? 1 + next.length : 0)});
    if (pair) at++;
  }
  return ranges;
}

function tellingWord({topic, rank, ratio}, pieces) {
  const node = paint(make("span", `telling line${rank}`, ...pieces), topic);
  node.title = `${topic} ${topicNames[topic]}: ${ratio} times as frequent as in all documents`;
  return node;
}
