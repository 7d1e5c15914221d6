"""The choice of the layer: its measure against a loop, and that it leads to the planted topics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import planted_docs
from scipy import sparse

from dnmf_topics.core.choice import PRIOR_SCALE, choose_layer, predictive_gain
from dnmf_topics.core.mbn import grow_network, layer_sizes
from dnmf_topics.core.progress import Progress, silent
from dnmf_topics.core.refine import refine
from dnmf_topics.core.spectral import cluster_rows, scale_rows, spectral_embedding
from dnmf_topics.core.tfidf import unit_rows
from dnmf_topics.evaluation import clustering_accuracy


def random_docs(seed, num_docs, num_terms=10):
    rng = np.random.default_rng(seed)
    dense = rng.random((num_docs, num_terms)) * (rng.random((num_docs, num_terms)) < 0.4)
    dense[np.arange(num_docs), rng.integers(num_terms, size=num_docs)] += 0.5
    return unit_rows(sparse.csr_array(dense))


def literal_gain(rows, labels, prior_mass):
    """Mean over documents of sum_w x_w log[p(w | own cluster without x) / p(w | corpus)]."""
    corpus = rows.sum(axis=0) / rows.sum()
    gain = 0.0
    for doc, row in enumerate(rows):
        others = [i for i in range(labels.size) if labels[i] == labels[doc] and i != doc]
        mass = rows[others].sum(axis=0)
        for term in np.flatnonzero(row):
            share = mass[term] + prior_mass * corpus[term]
            share /= mass.sum() + prior_mass
            gain += row[term] * np.log(share / corpus[term])
    return gain / labels.size


@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 5))
def test_the_gain_is_the_loop_over_documents_left_out(seed, num_docs, num_clusters):
    docs = random_docs(seed, num_docs)
    prior_mass = PRIOR_SCALE * np.sqrt(docs.sum() / num_clusters)
    labels = np.random.default_rng(seed).integers(num_clusters, size=num_docs)
    assert predictive_gain(docs, labels, num_clusters) == pytest.approx(
        literal_gain(docs.toarray(), labels, prior_mass), rel=1e-7, abs=1e-7
    )


def test_the_gain_is_larger_for_the_planted_partition():
    docs, classes = planted_docs((40, 30, 20))
    rng = np.random.default_rng(0)
    planted = predictive_gain(docs, classes, 3)
    # None of the corpus by chance, and a half where two topics are one.
    assert planted > predictive_gain(docs, np.minimum(classes, 1), 3) > 0
    assert planted > predictive_gain(docs, rng.permutation(classes), 3)


@pytest.fixture(scope="module")
def unequal():
    """Documents of very unequal topics, their classes, and a network on top of them."""
    docs, classes = planted_docs((200, 20, 20, 10, 6), length=20, noise=0.5, num_common=60)
    docs = docs.astype(np.float32)
    sizes = layer_sizes(classes.size // 2, 7, 0.3)
    return docs, classes, grow_network(docs, sizes, 40, np.random.SeedSequence(0), n_jobs=1)


def partition_of(docs, layer, num_topics):
    embedding = spectral_embedding(layer, num_topics, np.random.default_rng(0), n_jobs=1)
    clusters = cluster_rows(scale_rows(embedding, 0.5), num_topics, np.random.default_rng(0))
    return refine(docs, clusters, num_topics)


def test_the_chosen_layer_gives_the_planted_topics(unequal):
    docs, classes, layers = unequal
    chosen, scores = choose_layer(docs, layers, 5, np.random.SeedSequence(1), 1, silent)
    accuracy = [clustering_accuracy(classes, partition_of(docs, layer, 5)) for layer in layers]
    assert min(accuracy) < 0.97, "the example must punish a wrong choice"
    assert accuracy[chosen] == 1.0
    assert [score.size for score in scores] == [layer.size for layer in layers]


def test_the_choice_does_not_depend_on_threads(unequal):
    docs, _, layers = unequal
    runs = []
    for n_jobs in (1, 2, 2):
        events: list[Progress] = []
        chosen = choose_layer(docs, layers, 5, np.random.SeedSequence(2), n_jobs, events.append)
        runs.append(chosen)
        assert 0 <= chosen[0] < len(layers)
        wanted = [Progress("layers", step, len(layers)) for step in range(1, len(layers) + 1)]
        assert events == wanted
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize("num_layers", [1, 2])
@pytest.mark.parametrize("identical", [False, True])
def test_few_layers_and_few_documents_are_enough(num_layers, identical):
    docs = random_docs(0, 6)
    docs = docs[np.zeros(6, int)] if identical else docs
    layers = grow_network(docs, [3, 2][:num_layers], 5, np.random.SeedSequence(0), n_jobs=1)
    chosen, scores = choose_layer(docs, layers, 2, np.random.SeedSequence(0), 1, silent)
    assert chosen in range(num_layers)
    assert len(scores) == num_layers
