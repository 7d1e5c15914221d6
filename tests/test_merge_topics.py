"""Models with fewer topics, made from the state: what they know, and that they can do all."""

from __future__ import annotations

import copy
import io

import numpy as np
import pytest
from gensim.models import CoherenceModel
from gensim.models.callbacks import PerplexityMetric
from planted import planted_counts
from trained import (
    CORPUS,
    answers,
    as_bow,
    assert_same_answers,
    family_model,
    file_of,
    small_model,
)
from trained import FAMILIES as COUNTS
from trained import FAMILY_CLASSES as CLASSES

from dnmf_topics import DnmfModel
from dnmf_topics.adapters import pyldavis
from dnmf_topics.core import VARIANTS
from dnmf_topics.model import learning
from dnmf_topics.report import Report

BOW = as_bow(COUNTS)
GROUPS = [[0, 2], [1, 3]]
WORDS = {term: f"word{term}" for term in range(COUNTS.shape[1])}


def fitted_so(**options):
    """A model that was fitted with the merged topics."""
    return DnmfModel(
        COUNTS.T, 2, WORDS, deep_model=CLASSES % 2, random_state=0, n_jobs=1, **options
    )


def same_sums(one, other):
    for name in one.sums():
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12)
    assert one.numdocs == other.numdocs


@pytest.mark.parametrize("weighting", ["tfidf", "none"])
def test_a_merged_model_is_that_of_a_fit_with_these_topics(weighting):
    merged = family_model(weighting=weighting).merge_topics(GROUPS)
    fitted = fitted_so(weighting=weighting)
    assert merged.num_topics == 2
    same_sums(merged.state, fitted.state)
    np.testing.assert_array_equal(merged.cluster_labels, fitted.cluster_labels)
    np.testing.assert_allclose(merged.get_topics(), fitted.get_topics(), rtol=1e-9)
    np.testing.assert_array_equal(merged.alpha, fitted.alpha)
    np.testing.assert_array_equal(merged.eta, fitted.eta)
    np.testing.assert_allclose(merged.inference(BOW)[0], fitted.inference(BOW)[0], rtol=1e-6)
    assert merged.topic_names == fitted.topic_names
    np.testing.assert_allclose(merged.bound(BOW), fitted.bound(BOW))


def test_reducing_merges_as_the_tree_does():
    model = family_model()
    reduced, merged = model.reduce_topics(2), model.merge_topics(GROUPS)
    assert file_of(reduced) == file_of(merged)
    assert file_of(model.reduce_topics(4)) == file_of(family_model())
    for n in (0, 5):
        with pytest.raises(ValueError, match=f"n must be from 1 to 4, got {n}"):
            model.reduce_topics(n)


def test_topics_keep_their_order_and_shares_add_up():
    model = family_model()
    merged = model.merge_topics([[3, 1]])
    assert merged.num_topics == 3
    new_numbers = np.array([0, 1, 2, 1])
    np.testing.assert_array_equal(merged.cluster_labels, new_numbers[model.cluster_labels])
    shares = model.doc_topics()
    expected = np.column_stack([shares[:, 0], shares[:, 1] + shares[:, 3], shares[:, 2]])
    np.testing.assert_allclose(merged.doc_topics(), expected)
    np.testing.assert_allclose(merged.get_topics()[[0, 2]], model.get_topics()[[0, 2]], rtol=1e-9)
    assert merged.get_topic_info()["size"].sum() == 48


def test_the_old_model_stays_as_it_was():
    model = family_model()
    before = file_of(model)
    merged = model.merge_topics(GROUPS)
    merged.update(BOW[:5])
    merged.random_state.rand()
    merged.topic_names = {0: "mine"}
    assert file_of(model) == before


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        ([[0, 4]], ValueError, "a topic in groups must be from -4 to 3, got 4"),
        ([[0, 1], [1, 2]], ValueError, "each topic at most once, got 1 twice"),
        ([[0, 0]], ValueError, "each topic at most once, got 0 twice"),
        ([[0, -4]], ValueError, "each topic at most once, got 0 twice"),
        ([0, 1], TypeError, r"lists of topics, such as \[\[1, 5\].*got \[0, 1\]"),
        (3, TypeError, "lists of topics"),
        ([[0, "1"]], TypeError, "whole number, got '1'"),
        ([[0, True]], TypeError, "whole number, got True"),
    ],
)
def test_what_is_no_group(groups, error, message):
    with pytest.raises(error, match=message):
        family_model().merge_topics(groups)


def test_groups_may_be_of_one_or_none():
    model = family_model()
    for groups in ([], [[2]], [[]]):
        assert file_of(model.merge_topics(groups)) == file_of(family_model())


@pytest.mark.parametrize("how", ["reduce", "merge"])
def test_without_statistics_nothing_is_merged(how):
    model = family_model()
    model.clear()
    with pytest.raises(ValueError, match="not trained, or was cleared; call update first"):
        model.reduce_topics(2) if how == "reduce" else model.merge_topics(GROUPS)


# What a model can do, a merged one can do too


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_merged_model_can_do_everything(variant, tmp_path):
    counts, _ = planted_counts((20, 15, 12, 10))
    corpus = as_bow(counts)
    words = {term: f"word{term}" for term in range(counts.shape[1])}
    merged = small_model(corpus, 4, words, variant=variant).merge_topics([[1, 3]])
    assert merged.doc_embedding.shape == (57, 3)
    again = DnmfModel.load(io.BytesIO(file_of(merged)))
    assert_same_answers(answers(merged, corpus), answers(again, corpus))
    assert len(pyldavis.prepare(merged, counts.T).topic_coordinates) == 3
    coherence = CoherenceModel(model=merged, corpus=corpus, coherence="u_mass").get_coherence()
    assert np.isfinite(coherence)
    Report(merged, corpus).save(tmp_path / "page.html")
    merged.update(corpus[:9])
    merged.refine([*corpus, *corpus[:9]])
    merged.update(corpus[:9], new_topics=1)
    assert merged.num_topics == 4
    assert merged.get_topic_info()["size"].sum() == 75
    assert merged.hierarchy().num_topics == 4
    assert merged.reduce_topics(1).doc_topics().tolist() == [[1.0]] * 75
    merged.clear()
    merged.update(corpus)
    assert merged.state.numdocs == 57


def test_a_model_of_mixed_documents_is_merged():
    model = family_model(mixing_rounds=3)
    merged = model.merge_topics(GROUPS)
    assert merged.get_settings()["mixing_rounds"] == 3
    merged.refine(BOW)
    merged.update(BOW[:5])
    np.testing.assert_allclose(merged.doc_topics().sum(axis=1), 1)


def test_own_shares_alone_are_kept_as_they_are(monkeypatch):
    monkeypatch.setattr(learning, "MOST_SHARES", 10)
    model = family_model()
    merged = model.merge_topics(GROUPS)
    known, before = merged.get_document_info(), model.get_document_info()
    np.testing.assert_array_equal(known["weight"], before["weight"])
    np.testing.assert_array_equal(known["topic"], before["topic"] % 2)
    with pytest.raises(ValueError, match="shares of all topics"):
        merged.doc_topics()
    whole = model.reduce_topics(1)
    assert set(whole.get_document_info()["weight"]) == {1.0}
    for each in (merged, whole):
        DnmfModel.load(io.BytesIO(file_of(each)))


def test_a_model_without_its_documents_is_merged():
    file = io.BytesIO()
    family_model().save(file, ignore="doc_topics")
    file.seek(0)
    merged = DnmfModel.load(file).merge_topics(GROUPS)
    assert merged.get_topic_info()["size"].tolist() == [24, 24]
    assert len(merged.cluster_labels) == 0


def test_a_mapped_model_is_merged(tmp_path):
    family_model().save(tmp_path / "model")
    merged = DnmfModel.load(tmp_path / "model", mmap="r").merge_topics(GROUPS)
    merged.update(BOW[:3])
    assert file_of(family_model().merge_topics(GROUPS).reduce_topics(1))


def test_empty_topics_are_merged_away_first():
    model = small_model(CORPUS[:3], 5)
    reduced = model.reduce_topics(3)
    assert sorted(reduced.get_topic_info()["size"]) == [1, 1, 1]


# Priors, names, and what a subclass adds


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        ("symmetric", [0.5, 0.5]),
        ([1.0, 2.0, 3.0, 4.0], [4.0, 6.0]),
        (0.3, [0.6, 0.6]),
        ("auto", [0.5, 0.5]),  # the shares of the topics, of which there are as many documents
    ],
)
def test_alpha_adds_up_or_stays_the_default(alpha, expected):
    np.testing.assert_allclose(family_model(alpha=alpha).merge_topics(GROUPS).alpha, expected)


def test_eta_stays_what_it_was_in_a_topic():
    assert set(family_model().merge_topics(GROUPS).eta) == {0.5}
    assert set(family_model(eta=0.2).merge_topics(GROUPS).eta) == {0.2}
    rows = np.full((4, COUNTS.shape[1]), 0.1)
    rows[2, 5] = 0.9
    merged = family_model(eta=rows).merge_topics(GROUPS)
    assert merged.eta.shape == (2, COUNTS.shape[1])
    np.testing.assert_allclose(merged.eta[:, 5], [0.5, 0.1])
    learnt = family_model(eta="auto").merge_topics(GROUPS).eta
    np.testing.assert_allclose(learnt, fitted_so(eta="auto").eta)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({}, None),
        ({0: "Space"}, "Space"),  # of two of a size, the first
        ({2: "Space"}, None),
        ({0: "Space", 2: "Space"}, "Space"),
        ({0: "Space", 2: "Stars"}, None),
        ({1: "Other"}, None),
    ],
)
def test_a_merged_topic_keeps_the_name_of_its_largest_part(names, expected):
    model = family_model()
    model.topic_names = names
    merged = model.merge_topics([[0, 2]])
    automatic = family_model().merge_topics([[0, 2]]).topic_names
    assert merged.topic_names[0] == (expected or automatic[0])
    if 1 in names:
        assert merged.topic_names[1] == "Other"


class Named(DnmfModel):
    owner = "somebody"


def test_what_a_subclass_adds_stays():
    model = Named(COUNTS.T, 4, WORDS, deep_model=CLASSES, random_state=0, n_jobs=1)
    model.remark = "kept"
    model.callbacks = [PerplexityMetric(corpus=BOW[:5], logger="shell")]
    merged = model.merge_topics(GROUPS)
    assert isinstance(merged, Named)
    assert merged.remark == "kept"
    merged.update(BOW[:5])
    assert len(merged.metrics["Perplexity"]) == 1
    assert not model.metrics
    assert merged._lock is not model._lock


def test_the_same_random_state_draws_the_same_in_both():
    model = family_model()
    merged = model.merge_topics(GROUPS)
    twin = copy.deepcopy(model.random_state)
    assert merged.random_state.randint(10**6) == twin.randint(10**6)
