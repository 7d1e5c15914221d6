"""The tree over the topics: its merges beside a slow twin, planted parents, its faces."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, is_valid_linkage
from trained import CORPUS, FAMILIES, FAMILY_CLASSES, WORDS, family_model, small_model

from dnmf_topics import DnmfModel
from dnmf_topics.core import link_clusters
from dnmf_topics.model import TopicTree

FAMILY_WORDS = [{f"word{32 + 8 * family + i}" for i in range(8)} for family in (0, 1)]


@pytest.fixture(scope="module")
def tree():
    return family_model().hierarchy()


# The merges


def merged_slowly(sums, sizes, unit_length):
    """Each pair's cost anew at every step, from the sums themselves."""
    vectors = [n * (row / max(n, 1)) ** 0.75 for row, n in zip(sums, sizes, strict=True)]
    # Of products of documents, how much is of documents with themselves.
    own = [min(n / (row @ row), 1) if row.any() else 0 for row, n in zip(sums, sizes, strict=True)]
    selves = [unit_length * part * (v @ v) for part, v in zip(own, vectors, strict=True)]
    nodes = dict(enumerate(zip(vectors, selves, strict=True)))

    def length(*numbers):
        whole = sum(nodes[number][0] for number in numbers)
        return np.sqrt(max(whole @ whole - sum(nodes[number][1] for number in numbers), 0))

    merges, heights = [], []
    while len(nodes) > 1:
        pairs = [(a, b) for a in nodes for b in nodes if a < b]
        costs = [
            length(a) + length(b) - length(a, b)
            if nodes[a][0].any() and nodes[b][0].any()
            else -1e9
            for a, b in pairs
        ]
        best = int(np.argmin(costs))
        a, b = pairs[best]
        merges.append([a, b])
        heights.append(max([costs[best], 0, *heights]))
        one, other = nodes.pop(a), nodes.pop(b)
        nodes[len(sums) + len(merges) - 1] = one[0] + other[0], one[1] + other[1]
    return merges, heights


@pytest.mark.parametrize("unit_length", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_merges_are_those_of_a_slow_twin(seed, unit_length):
    rng = np.random.default_rng(seed)
    documents = rng.random((40, 6)) ** 4
    documents /= np.linalg.norm(documents, axis=1, keepdims=True)
    labels = np.sort([0, 1, *rng.integers(1, 8, 38)])  # the first has one document, the last none
    sums = np.array([documents[labels == k].sum(axis=0) for k in range(9)])
    sizes = np.bincount(labels, minlength=9).astype(float)
    merges, heights = link_clusters(sums, sizes, unit_length=unit_length)
    slow_merges, slow_heights = merged_slowly(sums, sizes, unit_length)
    assert merges.tolist() == slow_merges
    np.testing.assert_allclose(heights, slow_heights, atol=1e-9)


def test_a_single_document_goes_early_to_where_it_fits():
    sums = np.array([[9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.6, 0.8]])
    merges, heights = link_clusters(sums, np.array([9.0, 9.0, 1.0]), unit_length=True)
    assert merges[0].tolist() == [1, 2]
    assert heights[0] == 0


SUMS = arrays.arrays(
    float, st.tuples(st.integers(1, 7), st.integers(1, 4)), elements=st.sampled_from([0, 1, 2.5])
)


@settings(max_examples=60)
@given(SUMS)
def test_any_sums_make_a_tree(sums):
    merges, heights = link_clusters(sums, np.rint(sums.sum(axis=1)), unit_length=True)
    assert merges.shape == (len(sums) - 1, 2)
    # Every node but the root is merged once, and after it was made.
    assert sorted(merges.ravel().tolist()) == list(range(2 * len(sums) - 2))
    assert (merges.max(axis=1, initial=0) < len(sums) + np.arange(len(merges))).all()
    assert (np.diff(heights, prepend=0) >= 0).all()


# Planted parents


def test_families_are_found(tree):
    assert tree.cut(2) == [[0, 2], [1, 3]]
    assert tree.sizes.tolist() == [12, 12, 12, 12, 24, 24, 48]


def test_inner_nodes_have_the_words_of_a_model_that_was_fitted_so(tree):
    words = {term: f"word{term}" for term in range(FAMILIES.shape[1])}
    fitted = DnmfModel(
        FAMILIES.T, 2, words, deep_model=FAMILY_CLASSES % 2, random_state=0, n_jobs=1
    )
    for family, group in enumerate(tree.cut(2)):
        node = 4 + tree.merges.tolist().index(group)
        assert list(tree.words[node]) == [word for word, _ in fitted.show_topic(family, 10)]


def test_names_say_what_the_parts_have_in_common(tree):
    for family, group in enumerate(tree.cut(2)):
        node = 4 + tree.merges.tolist().index(group)
        assert set(tree.names[node].split(", ")) <= FAMILY_WORDS[family]
    assert tree.names[-1] == "all documents"
    assert len(set(tree.names)) == 7


def test_the_larger_part_leads_the_name():
    # Two subjects with words 15 to 19 in common; all of the smaller one has words of its own.
    rates = np.zeros((100, 30))
    rates[:48, :10], rates[48:70, 10:15], rates[:70, 15:20] = 0.8, 3.0, 0.8
    rates[70:, 20:] = 2.0
    counts = np.random.default_rng(0).poisson(rates)
    groups = np.repeat([0, 1, 2], [48, 22, 30])
    tree = DnmfModel(sparse.csc_array(counts.T), 3, deep_model=groups).hierarchy()
    assert tree.cut(2) == [[0, 1], [2]]
    assert int(tree.names[3].split(", ")[0]) in {*range(10), *range(15, 20)}


def test_leaves_have_the_topics_names():
    model = family_model()
    model.topic_names = {2: "Space"}
    assert list(model.hierarchy().names[:4]) == model.topic_names


@pytest.mark.parametrize("variant", ["bdnmf", "sdnmf", "cdnmf"])
def test_every_variant_has_a_tree(variant):
    assert family_model(variant=variant).hierarchy().cut(2) == [[0, 2], [1, 3]]


def test_a_weighted_corpus_has_a_tree():
    tree = family_model(weighting="none").hierarchy()
    assert tree.cut(2) == [[0, 2], [1, 3]]


# Its faces


def test_cuts(tree):
    assert tree.cut(4) == [[0], [1], [2], [3]]
    assert tree.cut(1) == [[0, 1, 2, 3]]
    for n in (0, 5):
        with pytest.raises(ValueError, match=f"n must be from 1 to 4, got {n}"):
            tree.cut(n)


def test_scipy_takes_the_linkage(tree):
    linkage = tree.linkage()
    assert is_valid_linkage(linkage)
    groups = fcluster(linkage, 2, "maxclust")
    assert groups[0] == groups[2] != groups[1] == groups[3]


def test_pandas(tree):
    table = tree.to_frame()
    assert list(table) == ["node", "parent", "height", "size", "share", "name", "words"]
    assert table["share"].iloc[-1] == 1
    assert table["parent"].isna().tolist() == [False] * 6 + [True]
    # What a parent has is what its children have.
    sums = table.groupby("parent")["size"].sum()
    assert sums.tolist() == table["size"][4:].tolist()


def test_printed(tree):
    lines = str(tree).splitlines()
    assert lines[0] == "all documents (48)"
    assert len(lines) == 7
    for topic in range(4):
        assert sum(f"─ {topic}: {tree.names[topic]} (12)" in line for line in lines) == 1
    assert sum(line.startswith(("├─", "└─")) for line in lines) == 2


def test_plotted(tree):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    axes = tree.plot()
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert sorted(labels) == [f"{topic}: {tree.names[topic]} (12)" for topic in range(4)]
    high = [
        name
        for name, height in zip(tree.names[4:], tree.heights, strict=True)
        if height >= 0.25 * tree.heights[-1]
    ]
    assert [text.get_text() for text in axes.texts] == high
    assert "all documents" in high
    # No line crosses another one: siblings are neighbors.
    order = [int(label[0]) for label in labels]
    assert {order[0], order[1]} in ({0, 2}, {1, 3})
    other = pyplot.figure().add_subplot()
    assert tree.plot(other) is other
    pyplot.close("all")


def test_without_matplotlib_a_picture_is_a_clear_error(tree, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="plot needs matplotlib; install it"):
        tree.plot()


def test_a_tree_cannot_be_changed(tree):
    with pytest.raises(ValueError, match="read-only"):
        tree.heights[0] = 0


# Edges


def test_one_topic_is_its_own_tree():
    tree = small_model(num_topics=1).hierarchy()
    assert tree.cut(1) == [[0]]
    assert tree.linkage().shape == (0, 4)
    assert len(tree.to_frame()) == 1
    assert str(tree).startswith("0: ")
    pytest.importorskip("matplotlib").use("agg")
    tree.plot()


def test_topics_without_documents_cost_nothing():
    tree = small_model(CORPUS[:3], 5).hierarchy()
    assert tree.heights[:2].tolist() == [0, 0]
    assert tree.sizes[-1] == 3
    assert [size > 0 for size in tree.sizes[:5]] == [True] * 3 + [False] * 2
    assert [len(group) for group in tree.cut(3)].count(1) == 2


@pytest.mark.parametrize("state", ["untrained", "cleared"])
def test_without_statistics_there_is_no_tree(state):
    model = DnmfModel(None, 2, WORDS) if state == "untrained" else small_model()
    model.clear()
    with pytest.raises(ValueError, match="not trained, or was cleared; call update first"):
        model.hierarchy()


def test_a_tree_follows_updates_and_new_topics():
    model = family_model()
    model.update(FAMILIES[:6].T, new_topics=1)
    tree = model.hierarchy()
    assert tree.num_topics == 5
    assert tree.sizes[-1] == 54


def test_a_tree_may_be_as_deep_as_it_has_topics():
    num_topics = 1500
    made = np.arange(num_topics, 2 * num_topics - 2)
    rest = np.column_stack([np.arange(2, num_topics), made])
    nodes = 2 * num_topics - 1
    sizes = np.concatenate([np.ones(num_topics, int), np.arange(2, num_topics + 1)])
    tree = TopicTree(
        np.vstack([[0, 1], rest]), np.ones(num_topics - 1), sizes, ("x",) * nodes, ((),) * nodes
    )
    assert len(str(tree).splitlines()) == nodes
    assert tree.cut(2) == [[*range(num_topics - 1)], [num_topics - 1]]
