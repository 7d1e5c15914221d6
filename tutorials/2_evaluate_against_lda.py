# %% [markdown]
# # Evaluate against LDA
#
# To run it, in a checkout of the repository: `pip install '.[tutorials]'`.
#
# Is the one model better than the other, on your texts? This tutorial measures LdaModel and
# DnmfModel side by side: coherence, diversity, agreement with labels, stability over seeds. For
# each measure it says how to read it and how it misleads. Then it looks at the number of topics,
# and the last part is about documents that mix topics.
#
# `dnmf-topics compare` and `dnmf_topics.comparison.compare` do a large part of this in one call;
# here you see the steps.

# %%
import io
import logging
import tempfile
from pathlib import Path

import example_texts
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from gensim.corpora import Dictionary
from gensim.matutils import Sparse2Corpus, corpus2csc
from gensim.models import LdaModel
from scipy.optimize import linear_sum_assignment

from dnmf_topics import DnmfModel
from dnmf_topics.adapters import pyldavis
from dnmf_topics.adapters.coherence import coherence
from dnmf_topics.evaluation import (
    clustering_accuracy,
    completion_likelihood,
    contingency,
    halve_documents,
    normalized_mutual_information,
    purity,
    smooth_topics,
    top_terms,
    topic_diversity,
    topic_npmi,
    topic_stability,
)
from dnmf_topics.text import Tokenization, build_corpus

SEEDS = (0, 1, 2)
COLORS = {"LdaModel": "tab:orange", "DnmfModel": "tab:blue"}

# %% [markdown]
# ## Texts with labels
#
# Texts of eight classes; at most 600 of them, so that this stays quick. No model sees a label: the
# labels only judge. (The documentation of scipy's functions, labeled by subpackage, is on every
# machine. If scikit-learn has 20 Newsgroups here, you see messages of eight groups instead.)

# %%
source = example_texts.labeled()
chosen = np.random.default_rng(0).permutation(len(source.texts))[:600]
texts = [source.texts[position] for position in chosen]
labels = [source.labels[position] for position in chosen]
classes = sorted(set(labels))

steps = Tokenization(strip_headers=True, strip_quotes=True)
built = build_corpus(texts, steps)
corpus, dictionary = list(built.counts), built.dictionary
tokens = list(steps.tokens(texts))
num_topics = len(classes)
print(f"{source.name}: {built}")
print(pd.Series(labels).value_counts().to_string())

# %% [markdown]
# ## Three seeds of each
#
# One fit is an anecdote. Both models depend on their seed, so each is trained three times, on the
# same counts. For a fair comparison give LdaModel what it needs: ten passes, and on a corpus as
# small as this a `chunksize` well below the number of documents. With its default of 2000 there
# would be one update of the topics in each pass.


# %%
def train_lda(corpus, dictionary, num_topics, seed):
    return LdaModel(corpus, num_topics, dictionary, passes=10, chunksize=50, random_state=seed)


def train_dnmf(corpus, dictionary, num_topics, seed):
    return DnmfModel(corpus, num_topics, dictionary, random_state=seed)


TRAIN = {"LdaModel": train_lda, "DnmfModel": train_dnmf}
fits = {
    (name, seed): train(corpus, dictionary, num_topics, seed)
    for name, train in TRAIN.items()
    for seed in SEEDS
}

# %% [markdown]
# First of all, read. These are the topics of the first seed.

# %%
for name in TRAIN:
    print(name)
    for topic in range(num_topics):
        words = [word for word, _ in fits[name, 0].show_topic(topic, 9)]
        print(f"   {topic}: {' '.join(words)}")

# %% [markdown]
# ## Coherence and diversity
#
# Coherence asks whether the top words of a topic occur together. `c_v` and `c_npmi` look at windows
# of the texts, `u_mass` at whole documents; all of them are gensim's, and higher is better.
# `topic_npmi` is the same idea as `c_npmi` with the document as the window: it needs no texts, only
# the matrix of counts. Diversity is the share of different words among all top words: 1 if no two
# topics have one in common.
#
# `coherence` takes a model, or lists of words. All the topics of all the fits in one call mean one
# reading of the texts for all.

# %%
TOP = 10
top = {fit: top_terms(model.get_topics(), TOP) for fit, model in fits.items()}
measured = pd.DataFrame(index=pd.MultiIndex.from_tuples(fits, names=["model", "seed"]))


def words_of(terms):
    return [dictionary[int(term)] for term in terms]


all_topics = [words_of(terms) for topics in top.values() for terms in topics]
for measure in ("c_v", "c_npmi", "u_mass"):
    values = coherence(
        all_topics, texts=tokens, dictionary=dictionary, measure=measure, topn=TOP
    ).per_topic
    measured[measure] = values.reshape(len(fits), num_topics).mean(axis=1)
measured["topic_npmi"] = [topic_npmi(terms, built.counts.matrix).mean() for terms in top.values()]
measured["diversity"] = [topic_diversity(terms) for terms in top.values()]
print(measured.to_string(float_format="{:.2f}".format))

# %% [markdown]
# Compare within a column, never across. In every column every fit of DnmfModel is above every fit
# of LdaModel. The values depend on the corpus, on the number of words that count and on the number
# of topics, so a coherence from another paper tells you nothing about yours.
#
# ### Traps
#
# Here are three sets of "topics" that no model found: the most frequent words of the corpus as one
# topic; the best topic of a model, copied for all of its topics; and words drawn at random.

# %%
frequent = sorted(dictionary.dfs, key=dictionary.dfs.get, reverse=True)[:TOP]
best = top["DnmfModel", 0][np.argmax(topic_npmi(top["DnmfModel", 0], built.counts.matrix))]
at_random = np.random.default_rng(0).choice(len(dictionary), (num_topics, TOP), replace=False)
made_up = {
    "DnmfModel, seed 0": top["DnmfModel", 0],
    "the most frequent words": np.array([frequent]),
    "one topic, copied": np.tile(best, (num_topics, 1)),
    "words at random": at_random,
}

traps = pd.DataFrame(index=list(made_up), columns=["u_mass", "topic_npmi", "diversity"])
for name, topics in made_up.items():
    lists = [words_of(terms) for terms in topics]
    u_mass = coherence(lists, corpus=corpus, dictionary=dictionary, measure="u_mass", topn=TOP)
    npmi = topic_npmi(topics, built.counts.matrix)
    traps.loc[name] = u_mass.mean, npmi.mean(), topic_diversity(topics)
print(traps.to_string(float_format="{:.2f}".format))
print("\nthe most frequent words:", " ".join(words_of(frequent)))
print("the copied topic:", " ".join(words_of(best)))

# %% [markdown]
# - **Frequent words are coherent.** By `u_mass` the most frequent words beat the model's topics, as
#   they are in so many documents together.
# - **Boilerplate is coherent**, by every measure: words that never come alone. In scipy's
#   documentation the most frequent words are those of a note that hundreds of pages share, and some
#   of them are in DnmfModel's topic of *fft*. Only reading tells.
# - **Copies are coherent.** Eight times the best topic beats the eight topics. Coherence looks at
#   one topic at a time, so always look at diversity beside it.
# - **Diversity alone is worth nothing.** Words at random are as diverse as can be.
#
# ## Agreement with labels
#
# Where documents have labels, compare each document's topic with its label. DnmfModel has put every
# document into one topic (`cluster_labels`); of LdaModel take the largest. ACC is the share of
# documents that are right in the best one-to-one match of topics and classes; NMI is what topics
# and classes tell of each other, from 0 to 1; purity is the share of documents that are of the most
# frequent class in their topic.

# %%
SCORES = {
    "ACC": clustering_accuracy,
    "NMI": normalized_mutual_information,
    "purity": purity,
}
found = {
    (name, seed): model.cluster_labels
    if name == "DnmfModel"
    else model.inference(corpus)[0].argmax(axis=1)
    for (name, seed), model in fits.items()
}
agreement = pd.DataFrame(index=measured.index)
for name, score in SCORES.items():
    agreement[name] = [score(labels, topics) for topics in found.values()]
print(agreement.to_string(float_format="{:.2f}".format))

# %% [markdown]
# In every seed DnmfModel's topics agree better with the labels, by all three measures. Each measure
# has its trap. Give every document a topic of its own:

# %%
own_topic = np.arange(len(labels))
alone = {name: round(float(score(labels, own_topic)), 2) for name, score in SCORES.items()}
print(alone)

# %% [markdown]
# Purity is perfect, and NMI far from zero, although nothing was found: compare them at the same
# number of topics only. ACC punishes a class that was split in two, even if both halves make sense.
# And labels are one way to sort the texts; a model may have found another good one. So look at the
# whole table behind the numbers. Every row is a class; a dark field says which share of it is in a
# topic. The topics are in the order of the best match, so a perfect result is a dark diagonal.

# %%
figure, axes = plt.subplots(1, 2, figsize=(8.5, 4.2), sharey=True)
tables = {}
for axis, name in zip(axes, TRAIN, strict=True):
    table = contingency(labels, found[name, 0])
    table = table / table.sum(axis=1, keepdims=True)
    order = linear_sum_assignment(table, maximize=True)[1]
    order = [*order, *sorted(set(range(table.shape[1])) - set(order))]
    tables[name] = table[:, order]
    image = axis.imshow(tables[name], vmin=0, vmax=1, cmap="Blues")
    axis.set(title=f"{name}, seed 0", xlabel="topic", xticks=range(len(order)), xticklabels=order)
    axis.set_yticks(range(len(classes)), classes)
figure.colorbar(image, ax=axes, label="share of the class", shrink=0.8)
plt.show()

# %% [markdown]
# Rows with several dark fields are classes that a model splits; columns with several are classes
# that it puts together. In scipy's documentation DnmfModel has a topic for each class, which holds
# most of it. Most of its errors are in one column: the topic of *fft* also takes a quarter of
# *signal* and more of *ndimage*. LdaModel has no topic of *special*, whose pages are in those of
# *fft*, *interpolate* and *signal*. In messages seven of DnmfModel's eight topics are mostly one
# class, and two of LdaModel's are; the other one of DnmfModel has most of *sci.med* and a third of
# *talk.politics.mideast*.
#
# Read the words of a mixed topic before you judge. Those of *fft* are about Fourier transforms, and
# then come words of the note that so many pages share. Nearly all pages of other classes that are
# in this topic have it.
#
# ## Stability
#
# How much of the topics comes again with another seed? Topics of two runs are matched, and what
# counts is the share of words that matched topics have in common, averaged over all pairs of runs.

# %%
stability = {name: topic_stability([top[name, seed] for seed in SEEDS]) for name in TRAIN}
for name, value in stability.items():
    print(f"{name}: {value:.2f}")

# %% [markdown]
# A stable model is not right for that alone, since one that always fails in the same way is stable
# as well. But if topics come and go with the seed, do not build on a single one of them.
#
# ## How many topics?
#
# Where nobody knows the number, try some that double, and look at coherence, diversity, how large
# the largest topic is, and whether the model has doubts. (One seed of each here, to save time.)

# %%
NUMBERS = (4, 8, 16, 32)
rows = []
for number in NUMBERS:
    model = train_dnmf(corpus, dictionary, number, seed=0)
    terms = top_terms(model.get_topics(), TOP)
    npmi = topic_npmi(terms, built.counts.matrix).mean()
    largest = model.get_topic_info()["share"].max()
    rows.append((npmi, topic_diversity(terms), largest, len(model.doubts)))
index = pd.Index(NUMBERS, name="topics")
columns = ["topic_npmi", "diversity", "largest topic", "doubts"]
by_topics = pd.DataFrame(rows, index, columns)
print(by_topics.to_string(float_format="{:.2f}".format))

# %% [markdown]
# - **Coherence does not count the classes.** There are eight, and sixteen topics have the higher
#   value. So do not take the number at which it is highest.
# - **Diversity stays high** here. Where it falls, topics begin to say the same.
# - **One very large topic**, or many tiny ones, would be a bad sign, whatever the coherence.
#   `model.doubts` names them in a sentence each, with what to try. There are none here.
#
# Leave out the numbers at which a topic is too large for you, the model has doubts or diversity is
# low. Among the others the table cannot choose: it is a question of how finely you want to see the
# texts, so read the words.
#
# ## pyLDAvis of both models
#
# `prepare` takes any model with gensim's interface. Open the pages beside each other in a browser,
# without a network, and select a circle to see its words.

# %%
folder = Path(tempfile.mkdtemp())
prepared = {name: pyldavis.prepare(fits[name, 0], corpus, dictionary) for name in TRAIN}
for name, data in prepared.items():
    pyldavis.save_html(data, folder / f"{name}.html")
    print("wrote", folder / f"{name}.html")

# %% [markdown]
# The left half of these pages is a map of the topics: circles that are far apart use different
# words, and the area of a circle is the topic's share of the corpus. This is what it shows.

# %%
figure, axes = plt.subplots(1, 2, figsize=(8.5, 4.2), sharex=True, sharey=True)
for axis, (name, data) in zip(axes, prepared.items(), strict=True):
    points = data.topic_coordinates
    axis.scatter(points["x"], points["y"], s=60 * points["Freq"], alpha=0.4, color=COLORS[name])
    for topic, x, y in zip(points["topics"], points["x"], points["y"], strict=True):
        axis.annotate(topic, (x, y), ha="center", va="center")
    axis.set(title=f"{name}, seed 0", xlabel="first coordinate")
    axis.set_aspect("equal")
    axis.margins(0.2)
axes[0].set_ylabel("second coordinate")
figure.tight_layout()
plt.show()

# %% [markdown]
# Some circles of DnmfModel lie over each other, although hardly any two of its topics have a top
# word in common (see its diversity above). The map compares the probabilities of all words, by
# their Jensen-Shannon divergence, and it has to put the distances of eight topics into a plane.
# How far are the topics really apart?

# %%
divergence, _ = fits["DnmfModel", 0].diff(
    fits["DnmfModel", 0], distance="jensen_shannon", normed=False
)
points = prepared["DnmfModel"].topic_coordinates[["x", "y"]].to_numpy()
on_map = np.linalg.norm(points[:, None] - points, axis=2)

pairs = np.triu_indices(num_topics, 1)
nearest = {}
for name, distance in {"divergence": divergence, "on the map": on_map}.items():
    values = distance[pairs]
    nearest[name] = [int(topics[values.argmin()]) for topics in pairs]
    print(f"{name}: {values.min():.2f} to {values.max():.2f}, the nearest two are {nearest[name]}")

# %% [markdown]
# All topics are about equally far from each other; the map makes one distance many times another.
# In scipy's documentation it lays *fft*, *ndimage* and *signal* over each other, which are indeed
# the nearest, and so it does with *interpolate* and *stats*. But *stats* is nearer to *optimize*,
# which lies more than twice as far from it. So circles that overlap may be close to each other, or
# they may not. Such a map is a table of contents, not a measurement.
#
# ## Documents that mix topics
#
# LDA takes a document for a mixture of topics. DnmfModel puts each document into one group first,
# but a document's shares, `model[bow]`, say how much of it is about which topic; and where
# documents of the training mix topics, their parts teach it the topics' words. How near do the two
# models come to the true parts? Let us write documents of which we know them, from six small
# vocabularies: each is about one, two or three of them, in equal parts.

# %%
VOCABULARIES = {
    "kitchen": "oven butter flour onion pepper recipe sauce bake boil knife garlic salt",
    "football": "goal striker referee penalty coach league defender fan corner pitch keeper cup",
    "astronomy": "planet orbit telescope galaxy comet lunar eclipse star meteor dome nebula crater",
    "garden": "soil seed prune hedge compost tulip lawn weed bulb shrub mulch rake",
    "music": "violin sonata choir melody piano concert opera tenor chord rhythm cello score",
    "sailing": "mast anchor harbour sail keel tide deck rudder regatta skipper buoy hull",
}
vocabularies = [words.split() for words in VOCABULARIES.values()]


def write(topics_per_document, seed, num_docs=200, num_words=60):
    """Documents, and the true shares of the topics in them."""
    rng = np.random.default_rng(seed)
    probabilities = 1 / np.sqrt(np.arange(1, 13))
    probabilities /= probabilities.sum()
    shares = np.zeros((num_docs, len(vocabularies)))
    documents = []
    for row in shares:
        row[rng.choice(len(row), topics_per_document, replace=False)] = 1 / topics_per_document
        topics = rng.choice(len(row), num_words, p=row)
        places = rng.choice(12, num_words, p=probabilities)
        words = [vocabularies[t][place] for t, place in zip(topics, places, strict=True)]
        documents.append(words)
    return documents, shares


written, true_shares = write(topics_per_document=2, seed=0)
print(" ".join(written[0][:15]), "...")
print(dict(zip(VOCABULARIES, true_shares[0].tolist(), strict=True)))

# %% [markdown]
# The error of a model is the part of a document that it gives to wrong topics, averaged over the
# documents; its topics are matched with the true ones so that the error is smallest. Whoever knows
# nothing and says one sixth for every topic has an error, too. A vocabulary is found if the first
# eight words of some topic are all from it. Every seed has its own documents; whether they mix
# topics DnmfModel decides by itself, and its log says how.


# %%
def shares_of(model, corpus):
    """How much of each document is about each topic."""
    weights, _ = model.inference(corpus)
    return weights / weights.sum(axis=1, keepdims=True)


def recovered(model, corpus, shares):
    """The model's shares, its topics in the order of the true ones, and their error."""
    weights = shares_of(model, corpus)
    cost = np.abs(weights[:, :, None] - shares[:, None, :]).sum(axis=0)
    own, true = linear_sum_assignment(cost)
    matched = weights[:, own[np.argsort(true)]]
    return matched, np.abs(matched - shares).sum(axis=1).mean() / 2


def count_found(model):
    """How many of the vocabularies have a topic to themselves."""
    tops = [{word for word, _ in model.show_topic(topic, 8)} for topic in range(len(vocabularies))]
    return sum(any(top <= {*words} for top in tops) for words in vocabularies)


MORE_SEEDS = range(8)
log = logging.StreamHandler(io.StringIO())
logger = logging.getLogger("dnmf_topics")
logger.addHandler(log)
logger.setLevel(logging.INFO)
errors, num_found, mixed, is_mixed = {}, {}, {}, {}
for per_document in (1, 2, 3):
    for seed in MORE_SEEDS:
        documents, shares = write(per_document, seed)
        words = Dictionary(documents)
        bows = [words.doc2bow(document) for document in documents]
        log.stream = io.StringIO()
        for name, train in TRAIN.items():
            model = train(bows, words, len(vocabularies), seed)
            matched, errors[per_document, name, seed] = recovered(model, bows, shares)
            num_found[per_document, name, seed] = count_found(model)
            if (per_document, seed) == (2, 0):
                mixed[name] = model, matched
        is_mixed[per_document, seed] = "a document is about one topic" not in log.stream.getvalue()
logger.removeHandler(log)
logger.setLevel(logging.NOTSET)

names = ["topics in a document", "model", "seed"]
by_seed = pd.Series(errors).rename_axis(names).unstack()
by_seed["median"] = by_seed.median(axis=1)
print("part given to wrong topics")
print(by_seed.to_string(float_format="{:.2f}".format))
equal = pd.Series({number: 1 - number / len(vocabularies) for number in (1, 2, 3)})
print("equal shares:", equal.round(2).to_dict())

print("\nvocabularies found")
found_by_seed = pd.Series(num_found).rename_axis(names).unstack()
print(found_by_seed.to_string())

print("\nDnmfModel takes documents for mixtures")
print(pd.Series(is_mixed).rename_axis([names[0], "seed"]).unstack().to_string())

# %%
plt.figure(figsize=(7, 4))
for name in TRAIN:
    medians = by_seed["median"].xs(name, level=1)
    side = -0.04 if name == "LdaModel" else 0.04
    plt.plot(medians.index + side, medians, "-", color=COLORS[name], label=name)
    for seed in MORE_SEEDS:
        values = by_seed[seed].xs(name, level=1)
        plt.plot(values.index + side, values, "o", color=COLORS[name], alpha=0.5)
plt.plot(equal.index, equal, ":", color="gray", label="equal shares")
plt.title("Documents that mix topics, eight seeds and their median")
plt.xlabel("topics in a document")
plt.ylabel("part given to wrong topics")
plt.xticks(equal.index)
plt.ylim(0, 1)
plt.legend(frameon=False)
plt.show()

# %% [markdown]
# With one topic in each document DnmfModel is right in every seed, while LdaModel misses topics in
# five of the eight. With two it misses some in two seeds. In the other six it has found all
# vocabularies, and then it is a little nearer than DnmfModel, as it is, more clearly, in five seeds
# of documents with three topics.
#
# DnmfModel finds all vocabularies in all fits, with errors that hardly depend on the seed. Whether
# documents mix topics it decides by itself, and says so in the log; `model.get_settings()` tells
# how many rounds took them apart. If you know better, say how many there shall be
# (`mixing_rounds`), or 0 for documents that are about one thing each.
#
# Four documents with two topics each, and the words that the models of seed 0 found:

# %%
figure, axes = plt.subplots(1, 3, figsize=(8.5, 3.5), sharey=True)
panels = {"truth": true_shares, **{name: matched for name, (_, matched) in mixed.items()}}
for axis, (name, values) in zip(axes, panels.items(), strict=True):
    bottom = np.zeros(4)
    for topic, color in zip(range(len(vocabularies)), plt.cm.Set2.colors, strict=False):
        label = list(VOCABULARIES)[topic]
        axis.bar(range(4), values[:4, topic], bottom=bottom, color=color, label=label)
        bottom += values[:4, topic]
    axis.set(title=name, xlabel="document", xticks=range(4))
axes[0].set_ylabel("share of the topic")
axes[-1].legend(frameon=False, bbox_to_anchor=(1, 1))
figure.tight_layout()
plt.show()

# %%
for name, (model, _) in mixed.items():
    print(name)
    for topic in range(len(vocabularies)):
        print(f"   {topic}: {' '.join(word for word, _ in model.show_topic(topic, 8))}")

# %% [markdown]
# Both have a topic for each vocabulary, and give each document to its two topics but for a few
# words.
#
# ### Mixed from real texts
#
# Written documents are tidy: no vocabulary has a word of another. So take the texts of the first
# part, train both models on three quarters of them, and make 300 documents out of the others: words
# of two texts of different classes, as many from the one as from the other. A model that found the
# classes would say one half for each of the two.

# %%
num_known = len(texts) * 3 // 4
known = build_corpus(texts[:num_known], steps)
known_words = known.dictionary.token2id
unseen = [[word for word in words if word in known_words] for words in tokens[num_known:]]
unseen_labels = labels[num_known:]
long_enough = [number for number, words in enumerate(unseen) if len(words) >= 20]

rng = np.random.default_rng(0)
blends, true_parts = [], np.zeros((300, len(classes)))
for row in true_parts:
    one, other = rng.choice(long_enough, 2, replace=False)
    while unseen_labels[one] == unseen_labels[other]:
        one, other = rng.choice(long_enough, 2, replace=False)
    size = min(len(unseen[one]), len(unseen[other]))
    parts = [rng.permutation(unseen[number])[:size] for number in (one, other)]
    blends.append(known.dictionary.doc2bow([*parts[0], *parts[1]]))
    row[[classes.index(unseen_labels[number]) for number in (one, other)]] = 0.5

known_fits, rows = {}, {}
for name, train in TRAIN.items():
    for seed in SEEDS:
        model = train(known.counts, known.dictionary, num_topics, seed)
        known_fits[name, seed] = model
        matched, error = recovered(model, blends, true_parts)
        largest_two = np.sort(np.argsort(-matched, axis=1)[:, :2], axis=1)
        true_two = np.nonzero(true_parts)[1].reshape(-1, 2)
        both = (largest_two == true_two).all(axis=1).mean()
        rows[name, seed] = error, both, matched.max(axis=1).mean()
blended = pd.DataFrame(rows, index=["error", "both found", "largest share"]).T
blended.index.names = ["model", "seed"]
print(f"{1 - 2 / len(classes):.2f} is the error of equal shares")
print(blended.to_string(float_format="{:.2f}".format))

# %% [markdown]
# In every seed DnmfModel is nearer, and but for one it more often has both classes as its two
# largest topics. That is still far from the truth: it has both for about two documents out of three
# in scipy's documentation, and for half of them in messages; and its largest share should be one
# half, but is about 0.6 in the mean, so it takes one of the two for too large. LdaModel spreads a
# document over more topics. What counts most here is what the topics are: those of DnmfModel agree
# better with the classes to begin with. The exception shows it, seed 1 in scipy's documentation,
# where *stats* was cut in two, and LdaModel has both classes more often.
#
# These mixtures are ours, too. Stories of Reuters that have two topics by nature are among the
# [benchmarks](../tests/benchmarks/results/mixtures.txt). There another LDA, that of tomotopy, finds
# the two about as often as DnmfModel does.
#
# ### Completing documents
#
# Most texts come without the truth. *Document completion* needs none: of documents that a model has
# not seen, one half of the words is shown, from which it infers the shares. How likely are the
# words of the hidden half, under these shares? Better shares of better topics predict them better.
# The logarithm of the probability, per word, is at most 0, and higher is better. Whoever knows no
# topic can still predict every word by its frequency in the corpus.


# %%
def completion(model, counts):
    """How well the shares of shown halves of documents predict the hidden halves."""
    shown, hidden = halve_documents(counts, random_state=0)
    is_dnmf = isinstance(model, DnmfModel)
    topics = model.get_word_distributions() if is_dnmf else model.get_topics()
    topics = topics.astype(float) / topics.sum(axis=1, keepdims=True, dtype=float)
    return completion_likelihood(hidden, shares_of(model, Sparse2Corpus(shown.T)), topics)


def completion_without_topics(known_counts, counts):
    """The same by the frequencies of words in the documents that the model saw."""
    _, hidden = halve_documents(counts, random_state=0)
    frequencies = smooth_topics(np.zeros((1, counts.shape[1])), known_counts)
    return completion_likelihood(hidden, np.ones((counts.shape[0], 1)), frequencies)


def as_matrix(corpus, num_terms):
    return corpus2csc(corpus, num_terms).T.tocsr()


unseen_counts = as_matrix(map(known.dictionary.doc2bow, unseen), len(known_words))
completed = pd.Series(
    {fit: completion(model, unseen_counts) for fit, model in known_fits.items()}
).unstack()
completed.loc["no topics"] = completion_without_topics(known.counts.matrix, unseen_counts)

more_documents, _ = write(topics_per_document=2, seed=100)
written_words = mixed["DnmfModel"][0].id2word
more_counts = as_matrix(map(written_words.doc2bow, more_documents), len(written_words))
written_counts = as_matrix(map(written_words.doc2bow, written), len(written_words))
completed["written"] = [
    *(completion(mixed[name][0], more_counts) for name in completed.index[:-1]),
    completion_without_topics(written_counts, more_counts),
]
print(completed.to_string(float_format="{:.2f}".format))

# %% [markdown]
# The numbered columns are the seeds on the texts: in each of them DnmfModel predicts the hidden
# words better. The last column is of new written documents with two topics, and there LdaModel
# does. DnmfModel reckons that a tenth of the words are of the language of all documents, as in real
# texts many are. Written documents have no such words, and this makes most of the difference.
#
# Compare such numbers only for the same documents and the same halves. For methods that cannot
# infer shares `evaluation.infer_shares` does it, and `dnmf-topics compare` has a column of it.
#
# ## Where LDA is the better choice
#
# Take LDA where
#
# - you need a generative model: priors of topics and words that mean something and can be learnt,
#   probabilities of new texts;
# - texts come in an endless stream and the topics are to move with it: LdaModel learns online,
#   while DnmfModel's `update` folds new documents into the topics that are there;
# - all documents mix several topics in equal parts, no document is about one alone, and you can
#   train with several seeds and tell a good fit from a bad one: its parts were the nearest there.
#
# Take DNMF where most documents are about one thing, or some of them about a few, and you want the
# groups and the parts. In doubt do what this page did: several seeds, a coherence *and* a
# diversity, labels if you have some, completion if not, and your own eyes on the words.
#
# Next: [3, From raw text](3_from_raw_text.ipynb) reads your files.
