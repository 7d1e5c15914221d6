# %% [markdown]
# # Explore
#
# To run it, in a checkout of the repository: `pip install '.[tutorials]'`.
#
# You have texts and no idea what is in them. How many topics are there? Which belong together, and
# what is inside this one? Can two be merged, one named, another steered with words that you know?
# How do they change over the years? This tutorial goes from a table of texts to a named tree, its
# change over time, and a page to share.
#
# The texts are the documentation of scipy's functions, which every installation has; many say in
# which version a function came, and hence when. (What is said below was seen with scipy 1.17.)

# %%
import logging
import tempfile
from pathlib import Path

import example_texts
import matplotlib.pyplot as plt
import pandas as pd

from dnmf_topics import DnmfModel, choose_num_topics
from dnmf_topics.cli import main
from dnmf_topics.report import Report
from dnmf_topics.text import build_corpus, read_documents

logging.getLogger("dnmf_topics").setLevel(logging.ERROR)  # it would warn of texts without dates
folder = Path(tempfile.mkdtemp())  # for the files that this tutorial writes
table = example_texts.dated()
print(f"{len(table)} functions, {table['added'].notna().sum()} of which say when they came")
table.iloc[[0, 500, -1]][["name", "subpackage", "added"]]

# %% [markdown]
# `columns=` keeps further columns of a table with the corpus. They play no part in finding topics.

# %%
documents = read_documents(
    table, text="text", id="name", label="subpackage", columns=["added", "page"]
)
corpus = build_corpus(documents)
print(corpus, "with the columns", *corpus.columns)

# %% [markdown]
# ## How many topics?
#
# `choose_num_topics` tries many numbers on one network. A number is good if words agree on it:
# either half of the vocabulary alone says where the documents belong, and the two answers tell much
# about each other, for so many topics.

# %%
choice = choose_num_topics(corpus.counts, corpus.dictionary, random_state=0)
print(choice)

# %%
choice.plot()
plt.show()

# %% [markdown]
# No number is the true one. The curve says from where to where numbers do about as well, and the
# alternatives are worth a look. `num_topics="auto"` takes the best, and trains the very model that
# this number would give.

# %%
model = DnmfModel(corpus.counts, num_topics="auto", id2word=corpus.dictionary, random_state=0)
print(model)
model.get_topic_info(topn=6)[["topic", "size", "name", "words"]]

# %% [markdown]
# ## Which belong together?
#
# `hierarchy` makes a tree over the topics. It merges the two whose documents agree the most, then
# again, until one is left. It is made from the model's sums in a moment, so every saved model has
# it.

# %%
tree = model.hierarchy()
print(tree)

# %%
tree.plot()
plt.show()

# %% [markdown]
# A cut through the tree is a model of its own, made without training: it infers, updates, saves and
# is drawn as any other.

# %%
few = model.reduce_topics(5)
print(few)
few.get_topic_info(topn=6)[["topic", "size", "name", "words"]]

# %% [markdown]
# Or say yourself what to merge. Here those two topics that the tree merges first.

# %%
pair = [int(topic) for topic in tree.merges[0]]
merged = model.merge_topics([pair])
print("merged:", " + ".join(tree.names[topic] for topic in pair))
print("to:", merged.topic_names[min(pair)], f"({merged.num_topics} topics)")

# %% [markdown]
# ## Inside a topic
#
# `subtopics` looks inside one topic: a model of its documents alone, with the words weighed as in
# the whole corpus. Let us open the largest one. How many there are is chosen again if you do not
# say it.

# %%
largest = model.topic_order()[0]
inside = model.subtopics(largest, 4, corpus=corpus.counts)
print("inside", model.topic_names[largest])
inside.get_topic_info(topn=6)[["topic", "size", "name", "words"]]

# %% [markdown]
# ## Names
#
# Names are made of a topic's words. Give those that you will talk about a better one: it is saved
# with the model, and shown wherever the topic is.


# %%
def topic_of(function):
    """The topic of a function of scipy."""
    return int(model.cluster_labels[list(corpus.ids).index(function)])


named = {
    "Fourier transforms": "scipy.fft.fft",
    "Splines": "scipy.interpolate.CubicSpline",
    "Tests of hypotheses": "scipy.stats.ttest_ind",
    "Bessel functions": "scipy.special.kve",
}
model.topic_names = {topic_of(function): name for name, function in named.items()}
print(model.hierarchy())

# %% [markdown]
# ## Words that you know
#
# What if a topic that you expect is not there? Say some of its words. Seeded topics come first, in
# your order and under your names; the other topics are found as always. The words steer how
# documents are grouped, not only how a topic is described.

# %%
seeds = {
    "graphs": ["graph", "nodes", "directed"],
    "integrals": ["integrate", "quadrature", "integral"],
}
steered = DnmfModel(
    corpus.counts, model.num_topics, corpus.dictionary, seed_words=seeds, random_state=0
)
for topic in range(3):
    words = [word for word, _ in steered.show_topic(topic, 8)]
    print(topic, steered.topic_names[topic], "|", *words)

# %% [markdown]
# ## Over time
#
# `topics_over_time` counts the documents of each topic in bins of the calendar, chosen to suit the
# dates, and finds the words that a topic has more often at that time than at others. Functions
# without a date are left out.

# %%
dates = corpus.columns["added"]
changes = steered.topics_over_time(dates, corpus.counts)
sizes = changes.pivot(index="start", columns="name", values="size")
sizes.index = sizes.index.year
print(sizes[list(seeds)].T.to_string())

# %% [markdown]
# Most of scipy's graph algorithms came at once: `scipy.sparse.csgraph` was added in 2012, with
# version 0.11.

# %%
most = sizes.sum().nlargest(6).index
sizes[most].plot.area(figsize=(9, 4), xlabel="", ylabel="functions added", colormap="tab10")
plt.legend(fontsize=8)
plt.show()

# %% [markdown]
# `topics_per_class` does the same with classes, here with subpackages. Of each the topic that it
# has most of:

# %%
by_class = model.topics_per_class(corpus.labels)
by_class.sort_values("size").groupby("label").tail(1)[["label", "name", "size", "share"]]

# %% [markdown]
# ## A page to share
#
# One file without a network: the map, the tree with its slider, the time line, colors by any
# column, a click on a topic for its words, documents and sub-topics, and a link from each document
# to where it came from.

# %%
page = Report(
    model,
    corpus.counts,
    excerpts=corpus.excerpts,
    ids=corpus.ids,
    labels=corpus.labels,
    dates=dates,
    links=corpus.columns["page"],
    subtopics={largest: inside},
    title="scipy",
)
page.save(folder / "scipy.html")
print(f"{(folder / 'scipy.html').stat().st_size / 1e6:.1f} MB")

# %% [markdown]
# ## The same at the command line
#
# `fit` chooses the number of topics if you do not say it, keeps dates and links, and makes the
# page; `choose` shows the curve, `tree` the tree, and `edit` names and merges topics of results
# that are there.

# %%
table[table["added"].notna()].to_csv(folder / "scipy.csv", index=False)
code = main(
    ["fit", str(folder / "scipy.csv"), "--text", "text", "--id", "name", "--label", "subpackage",
     "--date", "added", "--link", "page", "--words", "4", "--quiet", "--out", str(folder / "out")]
)  # fmt: skip

# %%
main(["edit", str(folder / "out"), "--reduce", "5", "--name", "1=Filters", "--quiet"])
main(["tree", str(folder / "out")])
print(pd.read_csv(folder / "out" / "topics_over_time.csv").tail(3))
