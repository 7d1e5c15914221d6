"""Documents in blocks: what looks at all of them gives the same however many blocks there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import planted_counts, planted_docs
from scipy import sparse

from dnmf_topics import DnmfModel
from dnmf_topics.common import blocks
from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.documents import MatrixCorpus
from dnmf_topics.common.engines import Outcome, Parts, Threads, add_in_place, tree_sum
from dnmf_topics.core import Mbn, fit_topics
from dnmf_topics.core.refine import refine_equal, refine_unequal
from dnmf_topics.evaluation import clustering_accuracy


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 50)
    monkeypatch.setattr("dnmf_topics.core.deep.MOST_SEEN", 50)


@pytest.fixture
def small_sample(small_blocks, monkeypatch):
    monkeypatch.setattr("dnmf_topics.core.deep.SCORING_SAMPLE", 100)
    monkeypatch.setattr("dnmf_topics.core.deep.SAMPLE_PER_TOPIC", 1)


@given(st.lists(st.text(max_size=1), min_size=1, max_size=40))
def test_the_tree_keeps_the_order(summands):
    assert tree_sum(iter(summands)) == "".join(summands)


def test_the_tree_is_a_tree():
    class Node(tuple):
        def __add__(self, other):
            return Node((self, other))

    def shape(node):
        return 1 if len(node) == 1 else tuple(map(shape, node))

    assert shape(tree_sum(Node((i,)) for i in range(5))) == (((1, 1), (1, 1)), 1)
    assert shape(tree_sum(Node((i,)) for i in range(6))) == (((1, 1), (1, 1)), (1, 1))


def test_blocks_are_the_rows_without_copies(small_blocks):
    docs, _ = planted_docs((60, 50, 13))
    documents = RowBlocks(docs)
    assert len(documents) == 3
    joined = sparse.vstack([documents[number] for number in range(3)])
    assert (joined != docs).nnz == 0
    assert all(np.shares_memory(documents[number].data, docs.data) for number in range(3))


def measure(block, labels, factor):
    return Outcome(factor * labels, np.array([block.sum(), labels.size]))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_engine_keeps_in_order_and_sums(small_blocks, n_jobs):
    docs, classes = planted_docs((60, 50, 13))
    kept, total = Threads(n_jobs).over(RowBlocks(docs), measure, 2, split=(classes,))
    np.testing.assert_array_equal(kept, 2 * classes)
    np.testing.assert_allclose(total, [docs.sum(), 123])


@pytest.mark.parametrize("refine", [refine_unequal, refine_equal])
@pytest.mark.parametrize("length", [5, 25])  # short documents are refined without the mixture
def test_refinement_in_blocks_is_that_of_one_block(monkeypatch, refine, length):
    docs, classes = planted_docs((90, 80, 60), length=length, noise=0.5, num_common=40)
    docs, classes = docs[np.diff(docs.indptr) > 0], classes[np.diff(docs.indptr) > 0]
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(classes.size) < 0.3, rng.integers(3, size=classes.size), classes)
    whole = refine(RowBlocks(docs), labels, 3, Threads(1))
    for size in (1, 7, 100):
        monkeypatch.setattr(blocks, "BLOCK_SIZE", size)
        for n_jobs in (1, 2):
            np.testing.assert_array_equal(
                refine(RowBlocks(docs), labels, 3, Threads(n_jobs)), whole
            )


def test_an_emptied_cluster_gets_its_document_back_from_any_block(small_blocks):
    # The lone document of cluster 1 is nearer to cluster 0, in the second block.
    docs = sparse.csr_array(np.eye(2)[np.array([0] * 60 + [0] + [0] * 9)])
    labels = np.zeros(70, np.int64)
    labels[60] = 1
    np.testing.assert_array_equal(refine_unequal(RowBlocks(docs), labels, 2, Threads(1)), labels)


@pytest.mark.parametrize("refine", [True, False])
def test_of_many_documents_the_network_sees_some_and_all_get_topics(small_sample, refine):
    docs, classes = planted_docs((300, 250, 200), length=25, noise=0.4)
    settings = Mbn(num_clusterings=30, landmarks=40, refine=refine)
    fits = [
        fit_topics(docs, 3, deep_model=settings, random_state=0, n_jobs=n_jobs) for n_jobs in (1, 2)
    ]
    seen = fits[0].deep.documents
    assert 0 < seen.size < classes.size
    assert fits[0].deep.embedding.shape[0] == fits[0].deep.layers[0].codes.shape[0] == seen.size
    assert clustering_accuracy(classes, fits[0].cluster_labels) > (0.99 if refine else 0.8)
    np.testing.assert_array_equal(fits[0].cluster_labels, fits[1].cluster_labels)
    np.testing.assert_array_equal(fits[0].topic_term, fits[1].topic_term)


def test_the_network_of_some_documents_is_that_of_all(monkeypatch):
    """The codes of the documents that it sees do not depend on those that it does not see."""
    docs, _ = planted_docs((300, 250, 200), length=25, noise=0.4)
    settings = Mbn(num_clusterings=20, landmarks=40)
    monkeypatch.setattr("dnmf_topics.core.deep.SCORING_SAMPLE", 100)
    monkeypatch.setattr("dnmf_topics.core.deep.SAMPLE_PER_TOPIC", 1)
    every = fit_topics(docs, 3, deep_model=settings, random_state=0).deep
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 50)
    monkeypatch.setattr("dnmf_topics.core.deep.MOST_SEEN", 50)
    some = fit_topics(docs, 3, deep_model=settings, random_state=0).deep
    assert some.documents.size < every.documents.size == docs.shape[0]
    for ours, theirs in zip(some.layers, every.layers, strict=True):
        np.testing.assert_array_equal(ours.codes, theirs.codes[some.documents])
    assert some.scores == every.scores


def test_a_model_of_many_documents_keeps_no_embedding(small_sample):
    counts, classes = planted_counts((200, 150, 100))
    network = Mbn(num_clusterings=20, landmarks=40)
    model = DnmfModel(MatrixCorpus(counts), 3, deep_model=network, random_state=0)
    assert model.doc_embedding.shape == (0, 3)
    assert clustering_accuracy(classes, model.cluster_labels) > 0.95


def test_sums_of_others_are_left_as_they_are():
    first, second = np.ones(3), Parts((np.ones(2), None))
    tree_sum([first, first, first])
    tree_sum([second, second])
    np.testing.assert_array_equal(first, 1)
    np.testing.assert_array_equal(second[0], 1)
    np.testing.assert_array_equal(tree_sum([np.ones(3) for _ in range(5)], add_in_place), 5)
    total = tree_sum([Parts((np.ones(2), 1.5)) for _ in range(5)], add_in_place)
    np.testing.assert_array_equal(total[0], 5)
    assert total[1] == 7.5
