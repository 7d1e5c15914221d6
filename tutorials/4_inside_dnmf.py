# %% [markdown]
# # Inside DNMF
#
# To run it, in a checkout of the repository: `pip install '.[tutorials]'`.
#
# Deep NMF works in two steps. A *multilayer bootstrap network* (MBN) decides which documents belong
# together; its answer is called `f(D)`. Then a non-negative matrix factorization that is guided by
# `f(D)` finds the words of every topic. This tutorial looks into both: first by hand on points in
# the plane, then on text, then at the three factorizations, the settings that matter, and at
# putting a clustering of your own in the place of the network.
#
# The method is from Wang and Zhang, "Deep NMF Topic Modeling".

# %%
import io
import logging
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from example_texts import labeled
from gensim.models import LdaModel
from scipy import sparse
from scipy.sparse.linalg import svds
from sklearn.cluster import DBSCAN, KMeans, SpectralClustering

from dnmf_topics import DnmfModel
from dnmf_topics.core import Mbn, Tfidf, fit_topics
from dnmf_topics.evaluation import clustering_accuracy, top_terms
from dnmf_topics.text import build_corpus

# %% [markdown]
# ## The network by hand
#
# Two hundred points: a core, and an arc around it. The network compares by the cosine, that is by
# directions, so each point (x, y) becomes the direction of (x, y, 6). The coordinates are positive,
# as the weights of words in a document are.

# %%
rng = np.random.default_rng(1)
group = np.repeat([0, 1], 100)
angles = np.linspace(0, np.pi, 100)
arc = 1.3 * np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(0, 0.07, (100, 2))
core = rng.normal(0, 0.18, (100, 2))
points = np.vstack([arc, core]) + 2

directions = np.column_stack([points, np.full(200, 6.0)])
directions /= np.linalg.norm(directions, axis=1, keepdims=True)
cosine = directions @ directions.T


# %%
def draw(axes, colors, title, **options):
    """The points of the plane in the given colors."""
    image = axes.scatter(*points.T, c=colors, s=14, **options)
    axes.set(title=title, aspect="equal", xticks=[], yticks=[])
    return image


by_means = KMeans(2, n_init=10, random_state=0).fit_predict(points)

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
draw(left, group, "the two groups", cmap="tab10", vmax=9)
draw(right, by_means, "what k-means finds", cmap="tab10", vmax=9)
plt.show()
print(f"k-means puts {clustering_accuracy(group, by_means):.0%} of the points in the right group.")

# %% [markdown]
# k-means cuts the arc in two and gives one half to the core: it asks which mean is near, and the
# arc is not where its mean is.
#
# **One clustering** of the network asks for less. It draws some points at random as centroids, and
# gives every point the number of its nearest centroid, its *code*. Nothing is optimized. Here are
# three such clusterings with twelve centroids (the crosses); each cuts the plane another way.


# %%
def clustering(similarity, size, rng):
    """The code of every point: which of `size` randomly drawn points is the most similar one."""
    drawn = rng.choice(len(similarity), size, replace=False)
    ties = 1e-9 * rng.random((len(similarity), size))  # equally near: chance decides
    return (similarity[:, drawn] + ties).argmax(axis=1), drawn


figure, plots = plt.subplots(1, 3, figsize=(7, 2.2), layout="constrained")
for number, axes in enumerate(plots, start=1):
    codes, drawn = clustering(cosine, 12, rng)
    draw(axes, codes, f"clustering {number}", cmap="tab20")
    axes.plot(*points[drawn].T, "kx", markersize=5)
plt.show()

# %% [markdown]
# **A layer** is many of them. What it says about two points is in how many of its clusterings they
# have the same code. That share is a new similarity, and the next layer's nearest centroids are the
# nearest by it. (Written as one-hot vectors, the codes have exactly this share as their cosine.)


# %%
def layer(similarity, size, num_clusterings=200):
    """The share of the clusterings in which two points have the same code."""
    codes = [clustering(similarity, size, rng)[0] for _ in range(num_clusterings)]
    return np.mean([column[:, None] == column for column in codes], axis=0)


sizes = [100, 50, 25, 12, 6, 3]
similarities = []
similarity = cosine
for size in sizes:
    similarity = layer(similarity, size)
    similarities.append(similarity)

# %% [markdown]
# The first layer draws half of the points as centroids, and each further layer half as many. With
# many centroids only close neighbors share one; with few, larger regions do. Below, the points are
# colored by their similarity to one of them, the circled right end of the arc. Its neighborhood
# grows along the arc, from neighbor to neighbor. In the last layer the other end of the arc is
# more similar to it than the core is, although the core is only half as far away.

# %%
shown = [0, 2, 5]
figure, plots = plt.subplots(1, 3, figsize=(7, 2.2), layout="constrained")
for number, axes in zip(shown, plots, strict=True):
    to_end = similarities[number][0]
    title = f"layer {number + 1}: {sizes[number]} centroids"
    image = draw(axes, to_end, title, cmap="viridis", vmin=0, vmax=1)
    axes.plot(*points[0], "o", mfc="none", mec="tab:red", markersize=11)
figure.colorbar(image, ax=plots, label="similarity")
plt.show()

# %% [markdown]
# The same for all pairs of points, as matrices: first the arc from end to end, then the core. The
# first layer has a thin band, everybody knows some neighbors. The last one has a block for the arc
# and a block for the core.

# %%
figure, plots = plt.subplots(1, 3, figsize=(7, 2.6), layout="constrained")
for number, axes in zip(shown, plots, strict=True):
    image = axes.imshow(similarities[number], cmap="viridis", vmin=0, vmax=1)
    axes.set(title=f"layer {number + 1}", xticks=[50, 150], xticklabels=["arc", "core"], yticks=[])
figure.colorbar(image, ax=plots, label="similarity")
plt.show()

same_group = group[:, None] == group
by_hand = pd.DataFrame(
    {
        "centroids": sizes,
        "within a group": [found[same_group].mean() for found in similarities],
        "between groups": [found[~same_group].mean() for found in similarities],
    },
    index=pd.RangeIndex(1, 7, name="layer"),
)
print(by_hand.round(3).to_string())

# %% [markdown]
# **The output** is a spectral clustering of the last layer: the cut through the matrix that severs
# the least similarity. It finds both groups. `fit_topics` from `dnmf_topics.core` does the same
# when it is told the same settings; `refine=False` is for the network alone.

# %%
spectral = SpectralClustering(2, affinity="precomputed", random_state=0)
accuracy_by_hand = clustering_accuracy(group, spectral.fit_predict(similarities[-1]))
package = fit_topics(
    sparse.csr_array(directions),
    2,
    deep_model=Mbn(num_clusterings=200, last_layer_size=3, refine=False),
    random_state=0,
)
accuracy_of_package = clustering_accuracy(group, package.cluster_labels)
print(f"by hand: {accuracy_by_hand:.0%}, the package: {accuracy_of_package:.0%} right")
print("widths of the package's layers:", [found.size for found in package.deep.layers])

# %% [markdown]
# ## The same on text
#
# Now the points are documents, their coordinates the TF-IDF weights of words, and the groups eight
# classes that people gave them. At most 40 documents of each class keep this quick; they are sorted
# by class for the pictures. The labels serve to judge, nothing else.

# %%
data = labeled()
labels = pd.Series(data.labels)
chosen = labels.groupby(labels).head(40).sort_values(kind="stable")
classes = chosen.to_numpy()
corpus = build_corpus([data.texts[position] for position in chosen.index])

counts = corpus.counts.matrix  # documents x words
doc_term = Tfidf.fit(counts).transform(counts)
num_topics = len(set(classes))
print(f"{data.name}: {len(corpus)} documents, {len(corpus.dictionary)} words")

# %%
fit = fit_topics(doc_term, num_topics, random_state=0)
network = fit.deep.layers


def share_of_equal_codes(codes):
    """Similarity matrix of a layer, from its codes (documents x clusterings)."""
    return np.mean([column[:, None] == column for column in codes.T], axis=0)


same_class = classes[:, None] == classes
in_text = [share_of_equal_codes(found.codes) for found in network]

# %% [markdown]
# The layers of the fit are there to be looked at: `fit.deep.layers`, each with the codes of all
# documents in 200 clusterings. As with the points, a first layer knows little more than
# duplicates and near neighbors, and classes show as blocks in the last one. The colors are scaled
# to each matrix, as the first one would be black otherwise.

# %%
ends = np.flatnonzero(np.r_[classes[1:] != classes[:-1], True]) + 1
middles = (np.r_[0, ends[:-1]] + ends) / 2
figure, plots = plt.subplots(1, 3, figsize=(7, 2.9), layout="constrained")
for number, axes in zip([0, len(network) // 2, -1], plots, strict=True):
    top = np.quantile(in_text[number][same_class], 0.95)
    axes.imshow(in_text[number], cmap="viridis", vmin=0, vmax=top)
    axes.set(title=f"{network[number].size} centroids", xticks=[], yticks=[])
plots[0].set_yticks(middles, np.unique(classes), fontsize=7)
plt.show()

# %% [markdown]
# Is a narrow layer better than a wide one? `Mbn(last_layer_size=...)` ends the network at a layer
# and clusters that one. The layers below it are the same bit for bit, as every layer has its own
# seed. The accuracy is the share of documents in the best one-to-one match of topics and classes,
# once for the network alone, and once with the refinement, some steps of reassignment in TF-IDF
# space that start from the network's clusters.


# %%
@cache
def accuracy(deep_model, seed=0):
    """Accuracy of a fit with this deep model."""
    found = fit_topics(
        doc_term, num_topics, deep_model=deep_model, variant="bdnmf", random_state=seed
    )
    return clustering_accuracy(classes, found.cluster_labels)


widths = [found.size for found in network]
by_layer = pd.DataFrame(
    {
        "within classes": [found[same_class].mean() for found in in_text],
        "between classes": [found[~same_class].mean() for found in in_text],
        "network alone": [accuracy(Mbn(last_layer_size=size, refine=False)) for size in widths],
        "refined": [accuracy(Mbn(last_layer_size=size)) for size in widths],
    },
    index=pd.Index(widths, name="centroids"),
)
print(by_layer.round(3).to_string())

# %%
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.plot(widths, by_layer["network alone"], "o-", label="network alone")
axes.plot(widths, by_layer["refined"], "s-", label="refined")
axes.set_xscale("log")
axes.set_xticks(widths, widths)
axes.minorticks_off()
axes.invert_xaxis()
axes.set(xlabel="centroids per clustering, layer by layer", ylabel="accuracy", ylim=(0, 1))
axes.set_title("Which layer the clusters are taken from")
axes.legend(loc="lower right")
plt.show()

# %% [markdown]
# The network's clusters are better from the three narrower layers here than from the two widest:
# these classes are of similar size, and topics of equal size come out whole in a narrow layer. In
# messages the difference stays when they are refined; in scipy's documentation the refinement mends
# what the wide layers lack. For topics of unequal size the paper asks for a wide last layer, in
# which a small topic keeps a place of its own beside a large one. And where documents are too short
# for the network, their own terms say more.
#
# Nobody tells the model which kind a corpus is. So it takes several *views*: two wide layers,
# clustered as suits topics of unequal size; the narrow end, and the documents' TF-IDF weights
# without any network, both clustered as suits topics of equal size. It judges the refined
# partitions by the words alone.
#
# Between the views for equal sizes the *fit* decides: how much better do a document's
# cluster-mates predict its words than the whole corpus does? Then three measures decide together:
#
# - *information*: cut the vocabulary in halves, and let either say where each document belongs. How
#   much does the one answer tell about the other? Parts that were cut at random tell nothing.
# - *separation*: how much nearer is a document to its own cluster than to the next one? Parts of
#   one topic are close to each other.
# - *cohesion*: how much more alike are two documents of the largest cluster than one in it and one
#   outside? Leftovers are not alike. From 2 on it is good enough.
#
# total = log(information) + 2 log(separation) + log(cohesion, at most 2), and the largest wins.

# %%
columns = ["view", "layer_size", "fit", "information", "separation", "cohesion", "total"]
scores = pd.DataFrame(
    [[getattr(score, column) for column in columns] for score in fit.deep.scores], columns=columns
)
scores["layer_size"] = [score.layer_size or "terms" for score in fit.deep.scores]
print(scores.round(3).to_string())
accuracy_of_fit = clustering_accuracy(classes, fit.cluster_labels)
print(f"taken: view {fit.deep.view_index}, accuracy {accuracy_of_fit:.3f}")

# %% [markdown]
# The accuracy may differ a little from that of the same row in the table above. There
# `last_layer_size` had fixed the layer, and both ways of clustering were tried on that one. And a
# choice without labels can be wrong, more often with few documents: in messages the layer of 20
# centroids would have been better.
#
# `DnmfModel` keeps the table, `get_view_info()`, and when the outcome looks wrong it says so,
# `doubts`. Here is a model of nothing: the same documents, with all of their words shuffled among
# them.

# %%
places, terms = counts.nonzero()
terms = rng.permutation(terms)
shuffled = [
    [(int(term), 1) for term in np.unique(terms[places == document])]
    for document in range(len(corpus))
]

log = logging.StreamHandler(io.StringIO())  # doubts are in the log, too
logging.getLogger("dnmf_topics").addHandler(log)
of_nothing = DnmfModel(shuffled, num_topics, corpus.dictionary, random_state=0)
logging.getLogger("dnmf_topics").removeHandler(log)

print(of_nothing.get_view_info().round(2).to_string())
for doubt in of_nothing.doubts:
    print("-", doubt)

# %% [markdown]
# Nothing was found: no view has a fit above 0, and next to no information. What wins then means
# nothing, and the doubts say so. Where they are only about sizes, try what they propose, another
# number of topics or `last_layer_size`; if nothing helps, there may be no topics in these texts.

# %% [markdown]
# ## Three factorizations
#
# The clusters are known now; what are their words? Let the columns of $D$ be the documents, those
# of $C$ the topics, $W$ the weight of every topic in every document, and $F = f(D)$ the membership
# of the documents in the clusters. No entry may be negative.
#
# - bDNMF: $\min_C \lVert D - CF \rVert^2$. The topics are the mean documents of the clusters.
# - sDNMF: $\min_{C,T} \lVert D - C(F \circ T) \rVert^2$. One singular pair for each cluster, or
#   with an `overlap` two least squares problems by turns.
# - cDNMF: $\min_{C,W,T} \lVert D - CW \rVert^2 + \lambda_1 \lVert F - TW \rVert^2 +
#   \lambda_2 \lVert CC' - DD' \rVert^2$. By iterations.
#
# Each lets $W$ further away from $F$: bDNMF not at all, sDNMF may weight a document within its
# cluster, cDNMF may give it several topics. In between is the default of `fit_topics`: sDNMF with
# an `overlap` of 1, where $F$ is opened at the borders of the clusters first. Each topic may then
# share as many documents of other clusters as it has of its own, those that are nearest to it. The
# paper's sDNMF has no overlap. All share $F$, which is passed on here as labels, so that the
# network need not run again.
#
# `DnmfModel` does not read a topic's words off $C$. A word weighs as much as the share $P$ of the
# topic's documents that have it, times $\log(P / q)$, where $q$ is its share of all documents. The
# variant says how much each document counts: with bDNMF, the model's default, all of a topic count
# the same, and with the other two as much as their weight in $W$.

# %%
settings = {
    "bdnmf": {"variant": "bdnmf"},
    "sdnmf of the paper": {"variant": "sdnmf", "overlap": 0},
    "sdnmf": {"variant": "sdnmf"},
    "cdnmf": {"variant": "cdnmf"},
}
variants = {
    name: fit_topics(doc_term, num_topics, deep_model=fit.cluster_labels, **chosen)
    for name, chosen in settings.items()
}
model = DnmfModel(corpus.counts, num_topics, corpus.dictionary, deep_model=fit.cluster_labels)
words_of = {name: found.topic_term for name, found in variants.items()}
words_of["DnmfModel"] = model.get_topics()
for topic in range(3):
    for name, topic_term in words_of.items():
        best = top_terms(topic_term, 8)[topic]
        print(f"topic {topic}, {name}: {' '.join(corpus.dictionary[int(i)] for i in best)}")
    print()

# %% [markdown]
# Most of the words of the factorizations are the same. sDNMF weights the documents: those that are
# typical of their cluster say more about its words, strays say less. The words of `DnmfModel` are
# in more of the topic's documents than those of the default sDNMF.
#
# The two closed forms can be checked in a few lines. With hard clusters, the topics of bDNMF are
# means, and those of the paper's sDNMF leading singular vectors of the clusters' parts of $D$.

# %%
members = doc_term[fit.cluster_labels == 0]
mean = np.asarray(members.mean(axis=0)).ravel()
_, _, vectors = svds(members, k=1, random_state=0)
singular = np.abs(vectors[0])
structured = variants["sdnmf of the paper"].topic_term[0]

from_mean = np.abs(variants["bdnmf"].topic_term[0] - mean).max()
from_singular = np.abs(structured / np.linalg.norm(structured) - singular).max()
print(f"largest difference: bDNMF and the mean {from_mean:.0e}", end=", ")
print(f"sDNMF and the singular vector {from_singular:.0e}")


# %%
def misfit(found):
    """||D - C W||^2, with documents as rows."""
    return np.linalg.norm(doc_term.toarray() - found.doc_topic @ found.topic_term) ** 2


compared = pd.DataFrame(
    {
        "misfit of D": {name: misfit(found) for name, found in variants.items()},
        "topics per document": {
            name: (found.doc_topic > 0.01).sum(axis=1).mean() for name, found in variants.items()
        },
        "steps": {name: len(found.losses) for name, found in variants.items()},
    }
)
print(compared.round(1).to_string())

# %% [markdown]
# sDNMF fits the documents better than bDNMF, as it must: bDNMF's solution is one of those it may
# choose from. It takes one step for each topic. The overlap makes the fit better again, for the
# same reason. There are few words that topics share here, so it changes little else; among 20
# newsgroups, where what two groups have in common need not be said by both topics any longer, it
# halves their number (`tests/benchmarks/results/shared_words.txt`). cDNMF gives a document several
# topics and pays for it in the misfit, for its other two terms want something else. It iterates by
# updates under which the loss never rises (those printed in the paper can make it rise).

# %%
losses = variants["cdnmf"].losses
figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
axes.plot(range(1, len(losses) + 1), losses)
axes.set(title="cDNMF", xlabel="step", ylabel="loss")
plt.show()

# %% [markdown]
# ## The settings
#
# `num_clusterings` is how many clusterings vote in a layer. With few, two documents of a class may
# never meet in a cluster; the more, the finer the similarity, and the longer it takes. `delta` is
# how much narrower each layer is than the one before: near 1 there are many layers, near 0 few.
# Both are looked at here for the narrow end of the network; each dot is one seed.

# %%
narrow = widths[-1]
grid = pd.DataFrame(
    [
        (
            name,
            value,
            refine,
            accuracy(Mbn(**{name: value}, last_layer_size=narrow, refine=refine), seed),
        )
        for name, values in {"num_clusterings": [10, 50, 200], "delta": [0.2, 0.5, 0.8]}.items()
        for value in values
        for refine in (False, True)
        for seed in (0, 1)
    ],
    columns=["setting", "value", "refine", "accuracy"],
)
means = grid.groupby(["setting", "refine", "value"])["accuracy"].mean().unstack("refine")
means.columns = ["network alone", "refined"]
print(means.rename(index="{:g}".format, level="value").round(2).to_string())

# %%
figure, plots = plt.subplots(1, 2, figsize=(7, 3), sharey=True, layout="constrained")
for axes, setting in zip(plots, ["num_clusterings", "delta"], strict=True):
    for refine, mark, label in [(False, "o", "network alone"), (True, "s", "refined")]:
        part = grid[(grid["setting"] == setting) & (grid["refine"] == refine)]
        mean = part.groupby("value")["accuracy"].mean()
        [line] = axes.plot(mean.index, mean, label=label)
        axes.plot(part["value"], part["accuracy"], mark, color=line.get_color(), markersize=4)
    axes.set(xlabel=setting, ylim=(0, 1))
plots[0].set_xscale("log")
plots[0].set_xticks([10, 50, 200], [10, 50, 200])
plots[0].minorticks_off()
plots[0].set_ylabel("accuracy")
plots[0].legend(loc="lower right")
plt.show()

# %% [markdown]
# For the network alone ten clusterings are too few, and more than fifty change less. More layers
# than those of the default `delta=0.5` do worse, and fewer no better, or hardly. In messages the
# refinement mends all of this. But it starts from the network's clusters and cannot replace them:
# in scipy's documentation it stays behind from ten clusterings, and from too many layers.
#
# What `last_layer_size` does was seen above, layer by layer. Those who know how large their topics
# are can use the paper's rules, `balanced_layer_size` and `imbalanced_layer_size` of
# `dnmf_topics.core`. `DnmfModel` takes all these settings too, `refine` in `deep_model=Mbn(...)`.
#
# `lambda1` and `lambda2` are cDNMF's. The first ties the weights of the topics in a document to its
# cluster. The second ties the words that are strong together in topics to those that are together
# in documents.

# %%
given = {"deep_model": fit.cluster_labels, "variant": "cdnmf", "max_iterations": 100}
rows = []
for lambda1 in (0.0, 0.1, 1.0, 10.0):
    for lambda2 in (0.0, 1.0):
        found = fit_topics(doc_term, num_topics, lambda1=lambda1, lambda2=lambda2, **given)
        words = [set(best) for best in top_terms(found.topic_term, 10)]
        if lambda2 == 0:
            without = words
        rows.append(
            {
                "lambda1": lambda1,
                "lambda2": lambda2,
                "own topic first": (found.doc_topic.argmax(axis=1) == fit.cluster_labels).mean(),
                "topics per document": (found.doc_topic > 0.01).sum(axis=1).mean(),
                "misfit of D": misfit(found),
                "same words": np.mean([len(a & b) for a, b in zip(words, without, strict=True)]),
                "steps": len(found.losses),
            }
        )
lambdas = pd.DataFrame(rows)
print(lambdas.round(2).to_string(index=False))

# %% [markdown]
# *Own topic first* is the share of the documents whose heaviest topic is that of their cluster, and
# *same words* is how many of a topic's ten first words are those found with `lambda2=0`.
#
# Without `lambda1` this is NMF that starts from the clusters and then leaves them: some documents
# have another heaviest topic. From 0.1 on it is their cluster's in all of them. A larger `lambda1`
# leaves fewer topics to a document, and the price is the misfit.
#
# `lambda2` acts on the words. From `lambda1=1` on it exchanges about two of a topic's ten first
# words, and the misfit rises. It takes more than twice the steps.
#
# `"auto"` tries several values of both, and takes those for which the heaviest topic is that of the
# cluster in the most documents; of equally good ones, those with the smallest misfit.
#
# ## A deep model of your own
#
# The network is one way to make `f(D)`. `deep_model` takes any other: an object with `fit_predict`,
# such as scikit-learn's clusterers, labels that you have already, or soft memberships. It may be
# given to `fit_topics` and to `DnmfModel` alike.

# %%
by_kmeans = fit_topics(
    doc_term, num_topics, deep_model=KMeans(num_topics, n_init=3, random_state=0)
)
print(f"k-means:     accuracy {clustering_accuracy(classes, by_kmeans.cluster_labels):.2f}")
print(f"the network: accuracy {accuracy_of_fit:.2f}")

# %% [markdown]
# Labels of your own make it a supervised method: what are the words of each class? The clusters are
# then the classes, and only the words are learnt.

# %%
names, numbers = np.unique(classes, return_inverse=True)
of_classes = fit_topics(doc_term, num_topics, deep_model=numbers)
class_words = {
    str(name): [corpus.dictionary[int(term)] for term in terms]
    for name, terms in zip(names, top_terms(of_classes.topic_term, 7), strict=True)
}
for name, words in class_words.items():
    print(f"{name:22}{' '.join(words)}")

# %% [markdown]
# Soft memberships say how much of a document is in each topic. LDA gives such shares, so LDA can be
# the deep model: bDNMF then finds the TF-IDF topics that belong to them. Where LDA's topics show
# the words that are frequent in a topic, these show the words that are frequent there and rare
# elsewhere. sDNMF would keep only the zeros of a soft membership, and LDA's shares have none; it
# would be plain NMF that starts from them.

# %%
lda = LdaModel(corpus.counts, num_topics, corpus.dictionary, passes=10, random_state=0)
gamma, _ = lda.inference(corpus.counts)
shares = gamma / gamma.sum(axis=1, keepdims=True, dtype=np.float64)
from_lda = fit_topics(doc_term, num_topics, deep_model=shares, variant="bdnmf")

lda_words = top_terms(lda.get_topics(), 8)
dnmf_words = top_terms(from_lda.topic_term, 8)
for topic in range(3):
    print(f"topic {topic}, LDA:   {' '.join(corpus.dictionary[int(i)] for i in lda_words[topic])}")
    print(f"topic {topic}, bDNMF: {' '.join(corpus.dictionary[int(i)] for i in dnmf_words[topic])}")

# %% [markdown]
# A clusterer that leaves documents out does not fit, and the error says so. Here DBSCAN gives -1 to
# every document that it calls noise.

# %%
try:
    fit_topics(doc_term, num_topics, deep_model=DBSCAN(eps=0.5))
except ValueError as error:
    refusal = str(error)
print(refusal)

# %% [markdown]
# Every document is put into one cluster first. `DnmfModel` then finds the shares of the topics in
# it, and where documents mix topics learns the words from their parts. How well, and when to take
# LDA, is in [2, Evaluate against LDA](2_evaluate_against_lda.ipynb).
#
# Next: [5, Reproduce the paper](5_reproduce_the_paper.ipynb) compares the three variants with many
# other methods. [6, In production](6_in_production.ipynb) stores, serves and updates a model.
