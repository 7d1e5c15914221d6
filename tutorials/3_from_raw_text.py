# %% [markdown]
# # From raw text
#
# To run it, in a checkout of the repository: `pip install '.[tutorials]'`.
#
# A topic model sees counts of words. What it can find was decided before, when files became
# documents and documents became words. `dnmf_topics.text` does these steps, remembers them, and
# repeats them on new text. What it makes are gensim's `Dictionary` and corpora, so it serves
# LdaModel as well.
#
# Nothing is ever downloaded unasked, here or elsewhere in the package.

# %%
import gzip
import json
import logging
import sys
import tempfile
from pathlib import Path

import example_texts
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from dnmf_topics import DnmfModel
from dnmf_topics.cli import main
from dnmf_topics.text import ReadError, TextCorpus, Tokenization, build_corpus, read_documents

folder = Path(tempfile.mkdtemp())  # for the files that this tutorial writes
news = example_texts.news()

# %% [markdown]
# ## All of it in three lines
#
# A list of strings is enough. The defaults: words of letters in any script, lower case, at least
# two letters, no English stop words, and no word that is in one document only or in more than half
# of them.

# %%
corpus = build_corpus(news)
model = DnmfModel(corpus.counts, num_topics=12, id2word=corpus.dictionary, random_state=0)
for topic, words in model.show_topics(num_topics=4, num_words=7, formatted=False):
    print(topic, " ".join(word for word, _ in words))
print(corpus)

# %% [markdown]
# Tutorial 1 has the same news, twelve topics, the same seed, and other topics. Its stop words are
# gensim's, among which are *fire*, *bill* and *system*. There are more stories than topics, and
# then a few words more or less are enough to put other stories together.
#
# ## Reading
#
# `read_documents` takes a folder, a `.txt` file with a document per line, `.csv`, `.tsv` and
# `.jsonl` files, all of these also as `.gz`, and from Python lists, iterators and pandas tables.
# Let us write a few.

# %%
rows = [
    {"body": "The river rose after days of rain.", "section": "weather"},
    {"body": "Two goals in the last minute won the final.", "section": "sport"},
    {"body": "The bank cut its interest rate again.", "section": "economy"},
]
pd.DataFrame(rows).to_csv(folder / "news.csv", index=False)
with gzip.open(folder / "news.jsonl.gz", "wt", encoding="utf-8") as file:
    file.writelines(json.dumps(row) + "\n" for row in rows)
for number, row in enumerate(rows):
    section = folder / "posts" / row["section"]
    section.mkdir(parents=True)
    (section / f"{number}.txt").write_text(row["body"], encoding="utf-8")

# %% [markdown]
# A document has a text, an id, and a label where the source knows one. In a folder the label can be
# the name of the subfolder.

# %%
sources = {
    "a CSV file": read_documents(folder / "news.csv", text="body", label="section"),
    "compressed JSON Lines": read_documents(folder / "news.jsonl.gz", text="body", label="section"),
    "a folder": read_documents(folder / "posts", label="folder"),
    "a pandas table": read_documents(pd.DataFrame(rows), text="body", label="section"),
    "an iterator": read_documents(row["body"] for row in rows),
}
read = {name: list(documents) for name, documents in sources.items()}
for name, documents in read.items():
    print(f"{name:21} {documents[0]}")

# %% [markdown]
# Files are read record by record, when they are needed, and again in every iteration. An iterator
# can be read once only.
#
# For sources that are larger than the memory there is `build_corpus(..., folder=...)`. Texts are
# read and cut into words once; the counts, the ids and the beginning of each text
# (`excerpt_length=0` for none) go to that folder, and are read from there when they are asked for.
# `TextCorpus.load` opens it again.

# %%
on_disk = build_corpus(read_documents(folder / "posts"), no_below=1, folder=folder / "corpus")
print(on_disk, "with the excerpts", *on_disk.excerpts)
print(next(iter(on_disk.counts)))

# %% [markdown]
# ## Broken input
#
# Real files are broken somewhere. What cannot be read is named, with the line, and nothing is
# guessed.


# %%
def attempt(*arguments, **options):
    """Read something and print what is said about it."""
    try:
        print("read:", [document.text for document in read_documents(*arguments, **options)])
    except ReadError as error:
        print(error)


broken, latin = folder / "broken.csv", folder / "latin.txt"
broken.write_text("body,section\nRain again,weather\nonly one field\n", encoding="utf-8")
latin.write_bytes("Überall Regen\n".encode("latin-1"))

attempt(folder / "missing.csv")
attempt(folder / "news.csv")
attempt(broken, text="body")
attempt(latin)
attempt(latin, encoding="latin-1")
attempt(["a text", None])

# %% [markdown]
# If a few bad records do not matter, leave them out. They are remembered.

# %%
documents = read_documents(broken, text="body", errors="skip")
print([document.text for document in documents])
print(documents.skipped)

# %% [markdown]
# ## Words
#
# `Tokenization` is a value that says how a text becomes words. The same sentence in four ways:

# %%
SENTENCE = "Dr Miller's firefighters weren't fighting fires near fire@example.org, they trained."
ways = {
    "regex": Tokenization(),
    "NLTK": Tokenization(tokenizer="nltk"),
    "NLTK, stems": Tokenization(tokenizer="nltk", base_form="snowball"),
    "spaCy, blank": Tokenization(tokenizer="spacy"),
}
cut = {name: next(steps.tokens([SENTENCE])) for name, steps in ways.items()}
for name, words in cut.items():
    print(f"{name:13} {' '.join(words)}")

# %% [markdown]
# Regular expressions know letters and nothing else, so an address falls apart. spaCy sees an
# address and drops it; blank means a pipeline that only cuts words, so nothing has to be installed
# beside spaCy. The Snowball stemmer makes one word of *fires* and *fire*, *fighting* and *fight*;
# the price is stems in your topics. Lemmas read better and need a spaCy pipeline that somebody
# installed; without it you are told the command.

# %%
try:
    lemmas = Tokenization(
        tokenizer="spacy",
        model="en_core_web_sm",
        base_form="lemma",
        parts_of_speech=["NOUN", "PROPN", "VERB"],
    )
    print(" ".join(next(lemmas.tokens([SENTENCE]))))
except ImportError as error:
    print(error)

# %% [markdown]
# Stop words are a list of your own, a named list, or both. The news is Australian, so *australia*
# tells no item from another.

# %%
own_stop_words = [*Tokenization().stop_words, "australia", "australian"]
without = Tokenization(stop_words=own_stop_words)
print(next(Tokenization().tokens(["Australian fires near the coast"])))
print(next(without.tokens(["Australian fires near the coast"])))

# %% [markdown]
# E-mails and posts bring headers and quoted lines along. They would make topics of senders and of
# what others said. Of the header the subject stays.

# %%
MESSAGE = """\
From: alice@example.org (Alice)
Subject: Re: Used bicycle
Organization: Department of Botany
Lines: 4

Bob writes:
> Does the telescope come with a tripod?

The bicycle has new brakes.
"""
plain = next(Tokenization().tokens([MESSAGE]))
stripped = next(Tokenization(strip_headers=True, strip_quotes=True).tokens([MESSAGE]))
print(" ".join(plain))
print(" ".join(stripped))

# %% [markdown]
# ## Phrases
#
# *Bin laden* and *asylum seekers* are one thing in two words. With `phrases=True` pairs that occur
# together more often than by chance become one word; gensim's `Phrases` decides which. They are
# learnt from the corpus and become part of its steps. Some are halves of longer names, such as
# *minister_alexander*, or *osama_bin*, which leaves *laden* alone: the count of pairs knows no
# grammar.

# %%
joined = build_corpus(news, Tokenization(phrases=True))
phrases = joined.tokenization.learnt_phrases
print(len(phrases), "phrases, such as", ", ".join(phrases[::15]))
with_phrases = DnmfModel(joined.counts, 12, joined.dictionary, random_state=0)
for topic, words in with_phrases.show_topics(num_topics=5, num_words=6, formatted=False):
    print(topic, " ".join(word for word, _ in words))

# %% [markdown]
# ## How many words are left
#
# Most of the different words in a corpus are rare, and a word of a single document cannot connect
# it with another. `no_below`, `no_above` and `keep_n` are those of gensim's `filter_extremes`.

# %%
everything = Tokenization(stop_words=None, min_length=1)
sizes = {
    "every word": build_corpus(news, everything, no_below=1, no_above=1.0),
    "no stop words, two letters": build_corpus(news, no_below=1, no_above=1.0),
    "... in two documents or more": build_corpus(news),
    "... in five documents or more": build_corpus(news, no_below=5),
    "... and as stems": build_corpus(news, ways["NLTK, stems"], no_below=5),
}
sizes = {name: len(each.dictionary) for name, each in sizes.items()}

plt.figure(figsize=(7, 3.5))
bars = plt.barh(list(sizes), list(sizes.values()), color="tab:blue")
plt.bar_label(bars, padding=3)
plt.gca().invert_yaxis()
plt.xlim(0, 1.15 * max(sizes.values()))
plt.title("300 news items: different words left")
plt.xlabel("words in the dictionary")
plt.tight_layout()
plt.show()

# %% [markdown]
# The limit on rare words takes away most; stop words are few, however often they occur. By default
# a word must be in two documents, from 1,000 documents on in five. Limits that leave nothing are an
# error.

# %%
try:
    build_corpus(["rain and storms", "goals and fouls"])
except ValueError as error:
    print(error)

# %% [markdown]
# ## New text, by the same steps
#
# A model can only know words that were made in the same way. The corpus keeps its steps, so new
# text goes through all of them, phrases included. The model keeps them too.

# %%
new = "Fast bowler Shaun Pollock took four wickets for South Africa before tea."
bow = joined.bows([new])[0]
print([joined.dictionary[term] for term, _ in bow])
topic, share = max(with_phrases[bow], key=lambda pair: pair[1])
print(f"topic {topic}, share {share:.2f}:", with_phrases.get_topic_info()["words"][topic][:5])
same_steps = with_phrases.tokenization == joined.tokenization.as_json()
print("the model's steps are the corpus's:", same_steps)

# %% [markdown]
# A corpus is saved in one file, with dictionary, counts, ids, labels, the beginnings of the texts
# and the steps, and without pickle.

# %%
joined.save(folder / "news.corpus")
loaded = TextCorpus.load(folder / "news.corpus")
print(loaded, "\nsame steps:", loaded.tokenization == joined.tokenization)
print(loaded.ids[0], loaded.excerpts[0][:60], "...")

# %% [markdown]
# ## Another language
#
# Any language with spaces between its words works; name it, since the stop words are English ones
# otherwise (a warning says so where texts are plainly in another language). Chinese, Japanese and
# Thai have tokenizers of their own: `Tokenization(tokenizer="jieba")`, "fugashi" or "pythainlp",
# with the extras `chinese`, `japanese` and `thai`.
#
# Here are 120 German documents of three sentences each, put together from four lists.

# %%
SENTENCES = {
    "Wetter": """Der Regen soll am Abend nachlassen. Im Norden weht ein starker Wind.
        Ein Gewitter mit Hagel zieht über die Küste. Die Sonne scheint nur im Süden.
        Nach dem Regen bleibt es kühl und windig. Der Wind dreht auf Süden und bringt Wolken.
        Am Morgen liegt Nebel über der Küste. Das Gewitter bringt Regen und Wolken.""",
    "Fußball": """Der Trainer lobt den Torwart nach dem Spiel. Das Tor fiel in der letzten Minute.
        Die Mannschaft verlor das Spiel trotz früher Führung. Der Stürmer schoss sein zweites Tor.
        Der Schiedsrichter zeigte dem Stürmer die rote Karte. Ein Elfmeter brachte die Führung.
        Der Torwart hielt den Elfmeter in der letzten Minute. Die Elf feiert ihren Trainer.""",
    "Küche": """Den Teig eine Stunde ruhen lassen und dann backen. Die Zwiebeln in Butter anbraten.
        Mehl, Butter und Zucker zu einem Teig kneten. Die Suppe mit Salz und Pfeffer würzen.
        Den Kuchen im Ofen bei mittlerer Hitze backen. Die Suppe mit den Zwiebeln kochen.
        Zucker und Mehl in den Topf geben und rühren. Salz und Butter in den Topf geben.""",
    "Bahn": """Der Zug hat wegen einer Störung Verspätung. Am Bahnhof warten viele Fahrgäste.
        Die Strecke ist nach der Störung wieder frei. Der Bahnhof bekommt einen neuen Bahnsteig.
        Die Fahrgäste müssen auf einen anderen Zug umsteigen. Eine Fahrkarte gilt auf der Strecke.
        Der Zug fährt heute von einem anderen Bahnsteig. Die Verspätung ärgert die Fahrgäste.""",
}
rng = np.random.default_rng(0)
german, subjects = [], []
for number in range(120):
    subject = list(SENTENCES)[number % 4]
    sentences = [sentence.strip() for sentence in SENTENCES[subject].split(".") if sentence.strip()]
    german.append(". ".join(rng.choice(sentences, 3, replace=False)) + ".")
    subjects.append(subject)
print(german[0])

# %%
steps = {
    "English stop words": Tokenization(),
    "German stop words": Tokenization(language="de"),
}
shown = logging.StreamHandler(sys.stdout)  # warnings here, among the results
logging.getLogger("dnmf_topics").addHandler(shown)
found = {}
for name, step in steps.items():
    texts = build_corpus(german, step)
    frequent = sorted(texts.dictionary.cfs, key=texts.dictionary.cfs.get, reverse=True)[:8]
    found[name] = [texts.dictionary[term] for term in frequent]
    print(f"{name}: most frequent are {' '.join(found[name])}")
logging.getLogger("dnmf_topics").removeHandler(shown)

# %% [markdown]
# With the right list the frequent words are about something. The list itself is now part of the
# steps. (`Tokenization(tokenizer="spacy", language="de")` takes spaCy's words, and NLTK's stemmer
# knows German as well.)

# %%
themen = build_corpus(german, steps["German stop words"])
modell = DnmfModel(themen.counts, num_topics=4, id2word=themen.dictionary, random_state=0)

figure, axes = plt.subplots(1, 4, figsize=(9, 3), sharex=True)
for topic, axis in enumerate(axes):
    words, weights = zip(*modell.show_topic(topic, 6), strict=True)
    axis.barh(words, weights, color="tab:blue")
    axis.invert_yaxis()
    axis.set(title=f"topic {topic}", xlabel="weight")
figure.suptitle("Topics of 120 German documents")
figure.tight_layout()
plt.show()

print(pd.crosstab(pd.Series(subjects, name="list"), pd.Series(modell.cluster_labels, name="topic")))

# %% [markdown]
# ## The same from the command line
#
# `dnmf-topics` takes the same sources and the same steps as options, and writes a folder with the
# model, its corpus, tables and a page to explore:
#
#     dnmf-topics fit texte.csv --label thema --language de \
#         --num-topics 4 --words 6 --out themen
#
# In Python the command is a function that takes the words of this line and returns the exit code.
# (`--quiet`: no progress.)

# %%
table, results = folder / "texte.csv", folder / "themen"
pd.DataFrame({"text": german, "thema": subjects}).to_csv(table, index=False)
options = ["--label", "thema", "--language", "de", "--num-topics", "4", "--words", "6"]
exit_code = main(["fit", str(table), *options, "--out", str(results), "--quiet"])
print("\nin", results, "are", ", ".join(sorted(path.name for path in results.iterdir())))

# %% [markdown]
# New text goes through the steps that were saved with the model. The answer is the topic, how much
# of the text is about it (`weight`), and how sure the topic is (`confidence`):
#
#     dnmf-topics infer themen neu.txt

# %%
fresh = folder / "neu.txt"
fresh.write_text("Wegen Nebel hat der Zug am Bahnhof Verspätung\n", encoding="utf-8")
exit_code = main(["infer", str(results), str(fresh), "--quiet"])

# %% [markdown]
# ## E-mail in earnest
#
# If 20 Newsgroups is on your machine, see what headers and quotes contribute: the words that are
# gone once they are stripped.

# %%
messages = example_texts.newsgroups()
if messages is None:
    print("20 Newsgroups is not on this machine")
else:
    raw = build_corpus(read_documents(messages.texts))
    steps_for_mail = Tokenization(strip_headers=True, strip_quotes=True)
    clean = build_corpus(read_documents(messages.texts), steps_for_mail)
    frequency = {word: raw.dictionary.dfs[term] for word, term in raw.dictionary.token2id.items()}
    lost = frequency.keys() - clean.dictionary.token2id.keys()
    print(
        f"{len(raw.dictionary):,} words with headers and quotes, {len(clean.dictionary):,} without"
    )
    print("gone:", " ".join(sorted(lost, key=frequency.get, reverse=True)[:12]))

# %% [markdown]
# `dnmf-topics fit --help` lists all options.
#
# Next: [4, Inside DNMF](4_inside_dnmf.ipynb) shows what happens between counts and topics.
