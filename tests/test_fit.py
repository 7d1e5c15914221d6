"""The whole fit: planted topics come back, bit for bit the same, from whatever is brought."""

from __future__ import annotations

import sys
import threading
import warnings
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import (
    BAD_MATRICES,
    FORMS,
    TERMS_PER_TOPIC,
    planted_counts,
    planted_docs,
    raw_arrays,
)
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

import dnmf_topics
from dnmf_topics.core import VARIANTS, Mbn, Progress, fit_topics
from dnmf_topics.evaluation import clustering_accuracy, top_terms

SMALL = Mbn(num_clusterings=20)
TINY = Mbn(num_clusterings=10, last_layer_size=4)


def fit_quickly(doc_term, num_topics, **options):
    return fit_topics(
        doc_term, num_topics, **{"deep_model": TINY, "random_state": 0, "n_jobs": 1, **options}
    )


def arrays_of(fit):
    """Everything a fit consists of, by name."""
    arrays = {
        "labels": fit.cluster_labels,
        "topic_term": fit.topic_term,
        "doc_topic": fit.doc_topic,
        "membership": fit.membership,
        "assignment_weights": fit.assignment_weights,
        "losses": np.array(fit.losses),
    }
    if fit.deep is not None:
        arrays |= {f"layer {i}": layer.codes for i, layer in enumerate(fit.deep.layers)}
        arrays |= {"embedding": fit.deep.embedding, "documents": fit.deep.documents}
        layer = [] if fit.deep.layer_index is None else [fit.deep.layer_index]
        arrays |= {"layer": np.array(layer), "deep labels": fit.deep.cluster_labels}
    return arrays


def assert_identical(first, second):
    first, second = arrays_of(first), arrays_of(second)
    assert first.keys() == second.keys()
    for name, array in first.items():
        assert array.dtype == second[name].dtype, name
        np.testing.assert_array_equal(array, second[name], err_msg=name)


def assert_sound(fit, doc_term, num_topics):
    """What every fit promises."""
    num_docs, num_terms = doc_term.shape
    assert fit.num_topics == num_topics
    assert fit.cluster_labels.shape == (num_docs,)
    assert set(fit.cluster_labels) == set(range(num_topics))
    assert fit.topic_term.shape == (num_topics, num_terms)
    assert fit.doc_topic.shape == fit.membership.shape == (num_docs, num_topics)
    assert fit.assignment_weights.shape == (num_terms, num_topics)
    for name, array in arrays_of(fit).items():
        assert np.isfinite(array).all(), name
        assert name in ("embedding", "assignment_weights") or array.min(initial=0) >= 0, name
    np.testing.assert_allclose(fit.membership.sum(axis=1), 1)


# -------------------------------------------------------------------------------- planted topics


@pytest.mark.parametrize(
    "sizes",
    [(60, 60), (20, 20, 20), (40,) * 5, (80, 40, 20, 10), (100, 20, 12, 12, 8, 8), (15,) * 12],
    ids=str,
)
def test_the_default_recovers_planted_topics(sizes):
    docs, classes = planted_docs(sizes)
    fit = fit_topics(docs, len(sizes), random_state=0)
    assert_sound(fit, docs, len(sizes))
    assert clustering_accuracy(classes, fit.cluster_labels) == 1.0
    heaviest = top_terms(fit.topic_term, TERMS_PER_TOPIC)
    for topic, terms in enumerate(heaviest):
        own = classes[fit.cluster_labels == topic][0]
        assert set(terms // TERMS_PER_TOPIC) == {own}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_finds_the_topics(variant):
    docs, classes = planted_docs((50, 40, 30))
    fit = fit_quickly(docs, 3, variant=variant, deep_model=Mbn(num_clusterings=50))
    assert_sound(fit, docs, 3)
    assert clustering_accuracy(classes, fit.cluster_labels) == 1.0
    heaviest = top_terms(fit.topic_term, TERMS_PER_TOPIC)
    for topic, terms in enumerate(heaviest):
        assert set(terms // TERMS_PER_TOPIC) == {classes[fit.cluster_labels == topic][0]}
    outside = fit.doc_topic[fit.membership == 0]
    assert (fit.doc_topic.argmax(axis=1) == fit.cluster_labels).all()
    # bDNMF alone keeps to one topic for a document.
    assert outside.any() == (variant != "bdnmf")
    if variant == "bdnmf":
        np.testing.assert_array_equal(fit.doc_topic, fit.membership)


def test_without_an_overlap_a_document_of_sdnmf_has_one_topic():
    docs, _ = planted_docs((50, 40, 30), num_common=10)
    plain, shared = (fit_quickly(docs, 3, variant="sdnmf", overlap=overlap) for overlap in (0, 1))
    np.testing.assert_array_equal(plain.doc_topic > 0, plain.membership > 0)
    np.testing.assert_array_equal(plain.membership, shared.membership)
    # A topic shares as many documents as it has, at most.
    shares = ((shared.doc_topic > 0) & (shared.membership == 0)).sum(axis=0)
    assert shares.all()
    assert (shares <= shared.membership.sum(axis=0)).all()


def test_refinement_helps_and_leaves_the_network_alone():
    docs, classes = planted_docs((200, 60, 40, 20), length=12, noise=0.5, num_common=40)
    plain, refined = (
        fit_quickly(docs, 4, deep_model=Mbn(num_clusterings=50, last_layer_size=6, refine=flag))
        for flag in (False, True)
    )
    for below, above in zip(plain.deep.layers, refined.deep.layers, strict=True):
        np.testing.assert_array_equal(below.codes, above.codes)
    np.testing.assert_array_equal(plain.deep.embedding, refined.deep.embedding)
    before, after = (clustering_accuracy(classes, fit.cluster_labels) for fit in (plain, refined))
    assert before + 0.1 < after


def test_a_given_last_layer_is_the_one_that_counts():
    docs, _ = planted_docs((30, 30))
    events: list[Progress] = []
    settings = Mbn(num_clusterings=20, first_layer_size=25, last_layer_size=6, delta=0.5)
    fit = fit_quickly(docs, 2, deep_model=settings, progress=events.append)
    assert [layer.size for layer in fit.deep.layers] == [25, 12, 6]
    assert {layer.codes.shape for layer in fit.deep.layers} == {(60, 20)}
    assert all(layer.codes.max() < layer.size for layer in fit.deep.layers)
    assert fit.deep.layer_index == 2
    assert [score.layer_size for score in fit.deep.scores] == [6, 6]
    assert {event.stage for event in events} == {"network", "clusters", "bdnmf"}


# ---------------------------------------------------------------------------------- bit for bit


@pytest.mark.parametrize("landmarks", [None, 150])
def test_threads_and_repetition_change_no_bit_but_the_seed_does(landmarks):
    # More documents than scikit-learn's k-means takes at a time (256).
    docs, _ = planted_docs((300, 200, 100), length=10, noise=0.5, num_common=40)
    docs = docs[np.flatnonzero(np.diff(docs.indptr))]
    deep_model = Mbn(num_clusterings=30, delta=0.2, landmarks=landmarks)
    first = fit_quickly(docs, 3, deep_model=deep_model)
    assert len(first.deep.layers) >= 3
    for n_jobs in (2, 1):
        again = fit_quickly(docs, 3, deep_model=deep_model, n_jobs=n_jobs)
        assert_identical(first, again)
        assert again.deep.scores == first.deep.scores
    other = fit_quickly(docs, 3, deep_model=deep_model, random_state=1)
    for ours, theirs in zip(first.deep.layers, other.deep.layers, strict=True):
        assert (ours.codes != theirs.codes).mean() > 0.5


def test_k_means_never_shares_its_sums_between_threads(monkeypatch):
    """With two OpenMP threads the order of its sums, and so its result, is up to chance."""
    seen = []
    fit = KMeans.fit

    def spy(self, *args, **kwargs):
        seen.append(_openmp_effective_n_threads())
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(KMeans, "fit", spy)
    docs, _ = planted_docs((30, 30))
    fit_quickly(docs, 2, deep_model=SMALL, n_jobs=2)
    assert set(seen) == {1}


def random_states():
    return {
        "int": lambda: 7,
        "numpy int": lambda: np.int64(7),
        "RandomState": lambda: np.random.RandomState(7),
        "Generator": lambda: np.random.default_rng(7),
        "SeedSequence": lambda: np.random.SeedSequence(7),
    }


@pytest.mark.parametrize("kind", random_states())
def test_every_kind_of_random_state_can_be_repeated(kind):
    docs, _ = planted_docs((20, 20))
    make = random_states()[kind]
    first = fit_quickly(docs, 2, random_state=make())
    assert_identical(first, fit_quickly(docs, 2, random_state=make()))
    if "int" in kind:
        assert_identical(first, fit_quickly(docs, 2, random_state=7))


def test_a_generator_moves_on_and_a_seed_does_not():
    docs, _ = planted_docs((20, 20))
    for make in (np.random.RandomState, np.random.default_rng):
        generator = make(7)
        fits = [fit_quickly(docs, 2, random_state=generator) for _ in range(2)]
        assert (fits[0].deep.layers[0].codes != fits[1].deep.layers[0].codes).any()
    seed = np.random.SeedSequence(7)
    fits = [fit_quickly(docs, 2, random_state=seed) for _ in range(2)]
    assert_identical(*fits)


def test_without_a_random_state_every_fit_is_another_and_the_global_one_is_not_touched():
    docs, _ = planted_docs((20, 20))
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - it is the one that must not move
    fits = [fit_quickly(docs, 2, random_state=None) for _ in range(2)]
    assert (fits[0].deep.layers[0].codes != fits[1].deep.layers[0].codes).any()
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_input_gives_the_same_and_is_left_alone(form):
    counts, _ = planted_counts((12, 10), length=8)
    dense = counts.toarray()
    dense[:, 5] = 0
    dense[3] = 0
    given_counts = FORMS[form](dense)
    before = raw_arrays(given_counts)
    assert_identical(fit_quickly(given_counts, 2), fit_quickly(dense, 2))
    for now, then in zip(raw_arrays(given_counts), before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("landmarks", ["auto", 60, 100])
def test_enough_landmarks_are_all_documents(landmarks):
    docs, _ = planted_docs((30, 30))
    exact, other = (
        fit_quickly(docs, 2, deep_model=Mbn(num_clusterings=10, landmarks=number))
        for number in (None, landmarks)
    )
    assert_identical(exact, other)


def test_landmarks_find_the_planted_topics():
    docs, classes = planted_docs((80, 60, 40))
    fit = fit_quickly(docs, 3, deep_model=Mbn(num_clusterings=50, landmarks=40))
    assert fit.deep.layers[0].size == 20
    assert clustering_accuracy(classes, fit.cluster_labels) == 1.0


# ------------------------------------------------------------------------------------- odd shapes


@settings(max_examples=40)
@given(
    st.integers(0, 10**6), st.integers(1, 14), st.integers(1, 14), st.integers(1, 6),
    st.sampled_from([1, 2, 14]), st.booleans(),
)  # fmt: skip
def test_any_small_corpus_gives_a_sound_fit(seed, num_docs, num_topics, num_terms, distinct, auto):
    rng = np.random.default_rng(seed)
    rows = rng.random((distinct, num_terms)) * (rng.random((distinct, num_terms)) < 0.5)
    rows[np.arange(distinct), rng.integers(num_terms, size=distinct)] += 1
    rows = rows[rng.integers(distinct, size=num_docs)]
    num_topics = min(num_topics, num_docs)
    deep_model = Mbn(num_clusterings=5, last_layer_size="auto" if auto else 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fit = fit_quickly(rows, num_topics, deep_model=deep_model)
    assert_sound(fit, rows, num_topics)
    assert fit.assign(rows).shape == (num_docs,)


@pytest.mark.parametrize("num_topics", [1, 2, 49, 50])
def test_from_one_topic_to_one_for_each_document(num_topics):
    docs, _ = planted_docs((25, 25))
    fit = fit_quickly(docs, num_topics, deep_model=SMALL)
    assert_sound(fit, docs, num_topics)
    if num_topics == 50:
        np.testing.assert_allclose(fit.doc_topic @ fit.topic_term, docs.toarray(), atol=1e-12)


def test_duplicate_documents_stay_together():
    docs, classes = planted_docs((20, 15, 10))
    fit = fit_quickly(sparse.vstack([docs] * 3), 3, deep_model=Mbn(num_clusterings=50))
    assert clustering_accuracy(np.tile(classes, 3), fit.cluster_labels) == 1.0


@pytest.mark.parametrize("deep_model", [TINY, SMALL], ids=["given layer", "auto"])
def test_empty_documents_go_to_the_largest_topic_and_disturb_nobody(deep_model):
    docs, _ = planted_docs((15, 35, 20))
    alone = fit_quickly(docs, 3, deep_model=deep_model)
    rows = np.insert(docs.toarray(), [0, 0, 20, 70], 0, axis=0)
    empty = ~rows.any(axis=1)
    fit = fit_quickly(rows, 3, deep_model=deep_model)
    assert_sound(fit, rows, 3)
    np.testing.assert_array_equal(fit.cluster_labels[~empty], alone.cluster_labels)
    np.testing.assert_array_equal(fit.deep.documents, np.flatnonzero(~empty))
    assert set(fit.cluster_labels[empty]) == {np.bincount(alone.cluster_labels).argmax()}
    # The topics keep their terms; how long a topic is may change with who belongs to it.
    for topic, wanted in zip(fit.topic_term, alone.topic_term, strict=True):
        cosine = topic @ wanted / np.linalg.norm(topic) / np.linalg.norm(wanted)
        assert cosine == pytest.approx(1)


def test_documents_without_a_weight_are_no_topics():
    rows = np.diag([1.0, 1.0, 1.0, 0.0])
    with pytest.raises(ValueError, match=r"^num_topics must .* 3, got 4\.$"):
        fit_quickly(rows, 4)
    with pytest.raises(ValueError, match=r"^num_topics must .* 0, got 1\.$"):
        fit_quickly(np.zeros((3, 2)), 1)


def test_the_unit_of_the_weights_does_not_matter():
    docs, _ = planted_docs((30, 20))
    fit, large = fit_quickly(docs, 2), fit_quickly(docs * 2.0**20, 2)
    np.testing.assert_array_equal(large.cluster_labels, fit.cluster_labels)
    np.testing.assert_allclose(large.topic_term, fit.topic_term * 2.0**20)
    np.testing.assert_array_equal(large.assign(docs * 2.0**20), fit.assign(docs))


@pytest.mark.parametrize("unit", [1e-48, 1e46])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_whole_range_of_weights_that_is_let_in_gives_sound_topics(variant, unit):
    docs, classes = planted_docs((20, 15, 10))
    for weights in (docs * unit, docs * np.array([1, unit, 1])[classes][:, None]):
        fit = fit_quickly(sparse.csr_array(weights), 3, variant=variant)
        assert np.isfinite(fit.topic_term).all()
        assert np.isfinite(fit.losses).all()
        assert fit.topic_term.any(axis=1).all()
        assert fit.doc_topic.any(axis=0).all()
        assert clustering_accuracy(classes, fit.cluster_labels) == 1.0
        np.testing.assert_array_equal(fit.assign(weights), fit.cluster_labels)
        assert np.isfinite(fit.fold_in(weights)).all()


# ------------------------------------------------------------------------------------- other f(D)


class Clusterer:
    """The least that scikit-learn's clusterers have in common."""

    def __init__(self, answer):
        self.answer = answer

    def fit_predict(self, X):
        self.seen = X
        return self.answer


def test_labels_a_clusterer_and_one_hot_rows_are_the_same():
    docs, classes = planted_docs((20, 15, 10))
    clusterer = Clusterer(classes)
    fits = [
        fit_quickly(docs, 3, deep_model=deep_model)
        for deep_model in (
            classes, clusterer, list(classes), classes.astype(np.uint8),
            np.eye(3)[classes], np.eye(3, dtype=bool)[classes],
        )
    ]  # fmt: skip
    assert fits[0].deep is None
    np.testing.assert_array_equal(fits[0].cluster_labels, classes)
    for fit in fits:
        assert_identical(fits[0], fit)
    assert sparse.issparse(clusterer.seen)
    np.testing.assert_array_equal(clusterer.seen.toarray(), docs.toarray())


def test_scikit_learns_k_means_may_make_the_clusters():
    docs, classes = planted_docs((60, 50, 40))
    fit = fit_quickly(docs, 3, deep_model=KMeans(3, n_init=5, random_state=0))
    assert clustering_accuracy(classes, fit.cluster_labels) == 1.0


@pytest.mark.parametrize("variant", VARIANTS)
def test_soft_memberships_are_kept(variant):
    docs, classes = planted_docs((20, 15, 10))
    membership = 0.7 * np.eye(3)[classes] + 0.1
    given_rows = membership.copy()
    fit = fit_quickly(docs, 3, deep_model=membership, variant=variant)
    np.testing.assert_array_equal(fit.membership, given_rows)
    np.testing.assert_array_equal(membership, given_rows)
    np.testing.assert_array_equal(fit.cluster_labels, classes)
    assert_sound(fit, docs, 3)


@pytest.mark.parametrize("variant", VARIANTS)
def test_memberships_too_small_for_floats_are_none(variant):
    docs, classes = planted_docs((20, 15, 10))
    tiny = np.maximum(np.eye(4)[classes], 1e-300)  # the last topic has no others
    fit = fit_quickly(docs, 4, deep_model=tiny, variant=variant)
    plain = fit_quickly(docs, 4, deep_model=classes, variant=variant)
    np.testing.assert_array_equal(fit.membership, plain.membership)
    np.testing.assert_array_equal(fit.topic_term, plain.topic_term)
    assert (tiny > 0).all()


def test_a_topic_without_documents_stays_empty_and_gets_none():
    docs, classes = planted_docs((30, 20), noise=0.6)
    fit = fit_quickly(docs, 3, deep_model=2 * classes)
    assert not fit.topic_term[1].any()
    assert not fit.doc_topic[:, 1].any()
    assert set(fit.assign(docs)) == {0, 2}
    assert set(fit.assign(np.eye(docs.shape[1]))) == {0, 2}


CLASSES = np.arange(12) % 3
ROWS = np.eye(3)[CLASSES]
BAD_DEEP_MODELS = {
    "too few labels": (CLASSES[:-1], ValueError),
    "no labels": ([], ValueError),
    "label too large": (CLASSES + 1, ValueError),
    "noise label -1": (CLASSES - 1, ValueError),
    "float labels": (CLASSES * 1.0, TypeError),
    "text labels": (CLASSES.astype(str), TypeError),
    "too few rows": (ROWS[:-1], ValueError),
    "rows do not sum to 1": (ROWS * 0.9, ValueError),
    "negative": (1.5 * ROWS - 0.5 / 3, ValueError),
    "NaN": (ROWS * np.nan, ValueError),
    "too many columns": (np.eye(4)[CLASSES], ValueError),
    "too few columns": (np.ones((12, 1)), ValueError),
    "text rows": (ROWS.astype(str), (TypeError, ValueError)),
    "three axes": (ROWS[None], ValueError),
    "a number": (3, (TypeError, ValueError)),
    "a name": ("mbn", (TypeError, ValueError)),
    "a class": (Mbn, (TypeError, ValueError)),
    "bad clusterer": (Clusterer(CLASSES - 1), ValueError),
}


@pytest.mark.parametrize("case", BAD_DEEP_MODELS)
def test_bad_deep_models_are_refused_in_one_sentence(case):
    deep_model, error = BAD_DEEP_MODELS[case]
    events: list[Progress] = []
    with pytest.raises(error, match=r"^deep_model .*must"):
        fit_quickly(np.eye(12), 3, deep_model=deep_model, progress=events.append)
    assert events == []


# ----------------------------------------------------------------------------------- bad arguments


@pytest.mark.parametrize("case", BAD_MATRICES)
def test_bad_matrices_are_refused_in_one_sentence(case):
    value, error, message = BAD_MATRICES[case]
    events: list[Progress] = []
    with pytest.raises(error, match=f"^doc_term must .*{message}"):
        fit_quickly(value, 1, progress=events.append)
    assert events == []
    fit = fit_quickly(np.eye(2), 1, deep_model=[0, 0])
    for method in (fit.assign, fit.fold_in):
        with pytest.raises(error, match=f"^doc_term must .*{message}"):
            method(value)


BAD_ARGUMENTS = [
    ("num_topics", 0, ValueError),
    ("num_topics", -1, ValueError),
    ("num_topics", 13, ValueError),
    ("num_topics", True, TypeError),
    ("num_topics", 2.0, TypeError),
    ("num_topics", "2", TypeError),
    ("num_topics", None, TypeError),
    ("variant", "nmf", ValueError),
    ("variant", None, (TypeError, ValueError)),
    ("variant", ["sdnmf"], (TypeError, ValueError)),
    ("overlap", -0.1, ValueError),
    ("overlap", np.inf, ValueError),
    ("overlap", np.nan, ValueError),
    ("overlap", 10**400, ValueError),
    ("overlap", True, TypeError),
    ("overlap", "auto", TypeError),
    ("lambda1", -0.1, ValueError),
    ("lambda1", np.nan, ValueError),
    ("lambda1", "much", TypeError),
    ("lambda2", -0.1, ValueError),
    ("lambda2", np.nan, ValueError),
    ("lambda1", 1e300, ValueError),
    ("lambda2", 1e51, ValueError),
    ("overlap", 1e300, ValueError),
    ("lambda2", np.inf, ValueError),
    ("lambda2", True, TypeError),
    ("max_iterations", -1, ValueError),
    ("max_iterations", "5", TypeError),
    ("max_iterations", 2.5, TypeError),
    ("tol", -1.0, ValueError),
    ("tol", np.nan, ValueError),
    ("tol", "small", TypeError),
    ("random_state", -1, ValueError),
    ("random_state", 0.5, TypeError),
    ("random_state", True, TypeError),
    ("random_state", "seed", TypeError),
    ("n_jobs", 0, ValueError),
    ("n_jobs", "all", (TypeError, ValueError)),
    ("progress", None, TypeError),
]


@pytest.mark.parametrize(("name", "value", "error"), BAD_ARGUMENTS)
def test_bad_arguments_are_refused_before_any_work(name, value, error):
    events: list[Progress] = []
    variant = "sdnmf" if name == "overlap" else "cdnmf"
    options = {"num_topics": 3, "variant": variant, "progress": events.append, name: value}
    with pytest.raises(error, match=f"^{name} must"):
        fit_quickly(np.eye(12), **options)
    assert events == []


@pytest.mark.parametrize("unit", [1e-48, 1.0, 1e46])
@pytest.mark.parametrize("lambdas", list(product([0, 1e-300, 1e50], repeat=2)))
def test_all_penalties_that_are_let_in_give_sound_topics(lambdas, unit):
    docs, _ = planted_docs((20, 15, 10))
    options = {"variant": "cdnmf", "lambda1": lambdas[0], "lambda2": lambdas[1]}
    fit = fit_quickly(docs * unit, 3, **options)
    assert np.isfinite([*fit.losses, *fit.topic_term.ravel(), *fit.doc_topic.ravel()]).all()
    assert fit.topic_term.any(axis=1).all()
    assert fit.doc_topic.any(axis=0).all()


def test_an_option_of_another_variant_is_refused():
    message = r"overlap is no option of bdnmf; its options are: none\."
    with pytest.raises(TypeError, match=message):
        fit_quickly(np.eye(12), 3, variant="bdnmf", overlap=1.0)
    message = r"overlap is no option of cdnmf; its options are: lambda1, lambda2\."
    with pytest.raises(TypeError, match=message):
        fit_quickly(np.eye(12), 3, variant="cdnmf", overlap=1.0)


BAD_SETTINGS = [
    ("num_clusterings", 0, ValueError),
    ("num_clusterings", 2**16, ValueError),
    ("num_clusterings", 2.5, TypeError),
    ("delta", 1, ValueError),
    ("delta", np.nan, ValueError),
    ("delta", -0.5, ValueError),
    ("delta", "half", TypeError),
    ("first_layer_size", 0, ValueError),
    ("first_layer_size", 13, ValueError),
    ("first_layer_size", "auto", TypeError),
    ("first_layer_size", 2.5, TypeError),
    ("last_layer_size", 0, ValueError),
    ("last_layer_size", 7, ValueError),
    ("last_layer_size", None, (TypeError, ValueError)),
    ("last_layer_size", "last", TypeError),
    ("landmarks", 0, ValueError),
    ("landmarks", "some", TypeError),
    ("landmarks", True, TypeError),
]


@pytest.mark.parametrize(("name", "value", "error"), BAD_SETTINGS)
def test_bad_settings_of_the_network_are_refused_before_any_work(name, value, error):
    events: list[Progress] = []
    with pytest.raises(error, match=f"^{name} must"):
        fit_quickly(np.eye(12), 3, deep_model=Mbn(**{name: value}), progress=events.append)
    assert events == []


@pytest.mark.parametrize("settings", [{"delta": 0}, {"delta": 0.95}, {"landmarks": 1}], ids=str)
def test_extreme_settings_work(settings):
    docs, _ = planted_docs((20, 10))
    fit = fit_quickly(docs, 2, deep_model=Mbn(num_clusterings=1, **settings))
    assert_sound(fit, docs, 2)
    sizes = [layer.size for layer in fit.deep.layers]
    assert all(below > above for below, above in pairwise(sizes))


# -------------------------------------------------------------------------- progress and canceling


def steps_by_stage(events):
    """The stages in order, and for each its (step, total) pairs."""
    stages = {}
    for event in events:
        stages.setdefault(event.stage, []).append((event.step, event.total))
    return stages


@pytest.mark.parametrize(
    ("options", "stages"),
    [
        ({"variant": "bdnmf"}, ["network", "clusters", "bdnmf"]),
        ({"variant": "sdnmf"}, ["network", "clusters", "sdnmf"]),
        ({"variant": "cdnmf"}, ["network", "clusters", "cdnmf"]),
        (
            {"variant": "cdnmf", "lambda1": "auto", "deep_model": TINY},
            ["network", "clusters", "lambdas", "cdnmf"],
        ),
        ({"variant": "sdnmf", "deep_model": np.arange(50) % 2}, ["sdnmf"]),
        ({"variant": "sdnmf", "deep_model": np.full((50, 2), 0.5)}, ["sdnmf"]),
    ],
)
def test_progress_tells_every_step_in_order(options, stages):
    docs, _ = planted_docs((30, 20))
    events: list[Progress] = []
    callers = set()

    def listen(event):
        events.append(event)
        callers.add(threading.current_thread())

    options = {"deep_model": SMALL, "max_iterations": 20, "n_jobs": 2, **options}
    fit = fit_quickly(docs, 2, progress=listen, **options)
    assert callers == {threading.current_thread()}
    seen = steps_by_stage(events)
    assert list(seen) == stages
    assert [event.stage for event in events] == [s for s in seen for _ in seen[s]]
    *earlier, last = stages
    for stage in earlier:
        total = len(seen[stage])
        assert seen[stage] == [(step, total) for step in range(1, total + 1)]
    # The factorization may end before its last step.
    total = seen[last][0][1]
    assert seen[last] == [(step, total) for step in range(1, len(seen[last]) + 1)]
    assert len(seen[last]) <= total
    losses = [event.loss for event in events if event.stage == last]
    assert tuple(losses) == fit.losses
    assert all(after <= before * (1 + 1e-12) for before, after in pairwise(losses))
    assert {event.loss for event in events if event.stage != last} <= {None}
    if "network" in stages:
        assert len(seen["network"]) == len(fit.deep.layers)


class Canceled(Exception):  # noqa: N818 - it is no error
    pass


def cancel_at(number):
    """A callback that raises at the given event, and the exception it raises."""
    exception, seen = Canceled(number), []

    def callback(event):
        seen.append(event)
        if len(seen) == number:
            raise exception

    return callback, exception, seen


def threads_inside_the_package():
    """Threads, other than this one, that are executing code of the package."""
    package = str(Path(dnmf_topics.__file__).parent)
    inside = []
    for ident, frame in sys._current_frames().items():
        while frame is not None and ident != threading.get_ident():
            if frame.f_code.co_filename.startswith(package):
                inside.append(ident)
                break
            frame = frame.f_back
    return inside


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_can_be_canceled_at_every_event(n_jobs):
    docs, _ = planted_docs((60, 60))
    options = {"deep_model": SMALL, "n_jobs": n_jobs}
    events: list[Progress] = []
    whole = fit_quickly(docs, 2, progress=events.append, **options)
    before = set(threading.enumerate())
    for number in range(1, len(events) + 1):
        callback, exception, seen = cancel_at(number)
        with warnings.catch_warnings(record=True) as noise:
            warnings.simplefilter("always")
            with pytest.raises(Canceled) as raised:
                fit_quickly(docs, 2, progress=callback, **options)
        assert raised.value is exception
        assert seen == events[:number]
        where = f"canceled at {events[number - 1]}"
        assert threads_inside_the_package() == [], where
        # An idle thread may need a moment to leave; the limit is for one that never does.
        for thread in set(threading.enumerate()) - before:
            thread.join(timeout=60)
        assert set(threading.enumerate()) <= before, where
        assert [str(warning.message) for warning in noise] == [], where
    # And nothing that was canceled is left in the way of the next fit.
    assert_identical(whole, fit_quickly(docs, 2, **options))


def test_a_fit_that_ends_leaves_no_threads():
    docs, _ = planted_docs((60, 60))
    before = set(threading.enumerate())
    fit_quickly(docs, 2, deep_model=SMALL, n_jobs=2)
    assert threads_inside_the_package() == []
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=60)
    assert set(threading.enumerate()) <= before


# ------------------------------------------------------------------------------------ new documents


@pytest.fixture(scope="module")
def fitted():
    docs, classes = planted_docs((30, 60, 45), noise=0.4)
    return docs, fit_topics(docs, 3, deep_model=classes, random_state=0)


def test_assign_agrees_with_the_fit_on_its_own_documents(fitted):
    docs, fit = fitted
    assert (fit.assign(docs) == fit.cluster_labels).mean() > 0.98


def test_assign_finds_the_topics_of_new_documents(fitted):
    _, fit = fitted
    # Same topics, other documents; the weights of the terms need not be the same to tell them.
    docs, classes = planted_docs((30, 60, 45), noise=0.4, seed=1)
    assert (fit.assign(docs) == classes).mean() > 0.98


@pytest.mark.parametrize("form", ["float32", "csc_matrix", "unsorted", "duplicates", "list"])
def test_new_documents_come_in_every_form(fitted, form):
    _, fit = fitted
    counts = planted_counts((5, 5, 5), seed=2)[0].toarray()
    np.testing.assert_array_equal(fit.assign(FORMS[form](counts)), fit.assign(counts))
    np.testing.assert_array_equal(fit.fold_in(FORMS[form](counts)), fit.fold_in(counts))


def test_documents_without_a_known_term_go_to_the_largest_topic():
    docs, classes = planted_docs((30, 60, 45))
    # A last term that no document of the fit has.
    docs = sparse.hstack([docs, sparse.csr_array((docs.shape[0], 1))]).tocsr()
    fit = fit_quickly(docs, 3, deep_model=classes)
    largest = 1
    assert np.bincount(fit.cluster_labels).argmax() == largest
    new = np.zeros((2, docs.shape[1]))
    new[1, -1] = 3.0
    np.testing.assert_array_equal(fit.assign(new), [largest, largest])
    np.testing.assert_array_equal(fit.fold_in(new), np.zeros((2, 3)))
    # Beside a known term the unknown one does not count.
    new[:, 0] = 1.0
    np.testing.assert_array_equal(fit.assign(new), [0, 0])


def test_fold_in_gives_non_negative_weights_of_the_right_topic(fitted):
    docs, fit = fitted
    weights = fit.fold_in(docs)
    assert weights.shape == (docs.shape[0], 3)
    assert weights.min() >= 0
    assert (weights.argmax(axis=1) == fit.cluster_labels).mean() > 0.98
    np.testing.assert_allclose(fit.fold_in(fit.topic_term), np.eye(3), atol=1e-9)


@pytest.mark.parametrize("method", ["assign", "fold_in"])
@pytest.mark.parametrize("difference", [-1, 1])
def test_new_documents_have_the_terms_of_the_fit(fitted, method, difference):
    docs, fit = fitted
    new = np.ones((2, docs.shape[1] + difference))
    wanted = rf"^doc_term must have {docs.shape[1]} columns.* got {new.shape[1]}\.$"
    with pytest.raises(ValueError, match=wanted):
        getattr(fit, method)(new)


def test_reading_does_not_write(fitted):
    docs, fit = fitted
    before = {name: array.tobytes() for name, array in arrays_of(fit).items()}
    rows = raw_arrays(docs)
    readings = [
        lambda: fit.cluster_labels,
        lambda: np.array(fit.num_topics),
        lambda: fit.assign(docs),
        lambda: fit.fold_in(docs),
    ]
    for read in readings:
        np.testing.assert_array_equal(read(), read())
    assert {name: array.tobytes() for name, array in arrays_of(fit).items()} == before
    for now, then in zip(raw_arrays(docs), rows, strict=True):
        np.testing.assert_array_equal(now, then)
