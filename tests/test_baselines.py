"""What holds for every baseline: one door, one kind of result, planted topics found."""

from __future__ import annotations

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.matutils import Sparse2Corpus
from planted import BAD_MATRICES, FORMS, TERMS_PER_TOPIC, planted_counts, raw_arrays

from dnmf_topics.baselines import BASELINES, Fitted, fit_baseline
from dnmf_topics.evaluation import clustering_accuracy

SIZES = [70, 50, 60]
COUNTS, CLASSES = planted_counts(SIZES, length=40)
FALLING = {"spa", "snpa", "xray"}  # the other objectives rise


@pytest.fixture(scope="module", params=BASELINES)
def fitted(request):
    """Name, two fits with one seed, and the events of the first."""
    events = []
    first = fit_baseline(request.param, COUNTS, 3, random_state=1, progress=events.append)
    return request.param, first, fit_baseline(request.param, COUNTS, 3, random_state=1), events


def test_topics_are_distributions_and_weights_are_not_negative(fitted):
    _, result, _, _ = fitted
    assert result.topic_term.shape == (3, COUNTS.shape[1])
    assert result.doc_topic.shape == (COUNTS.shape[0], 3)
    assert result.topic_term.dtype == result.doc_topic.dtype == np.float64
    assert result.topic_term.min() >= 0
    assert result.doc_topic.min() >= 0
    np.testing.assert_allclose(result.topic_term.sum(axis=1), 1)
    assert result.get_topics() is result.topic_term


def test_planted_topics_are_found(fitted):
    name, result, _, _ = fitted
    if name == "lda":
        pytest.skip("depends on the start, see below")
    assert clustering_accuracy(CLASSES, result.cluster_labels) >= 0.98
    own = result.topic_term[:, : 3 * TERMS_PER_TOPIC].reshape(3, 3, TERMS_PER_TOPIC)
    shares = own.sum(axis=2)  # of planted topic j in found topic k
    assert sorted(shares.argmax(axis=1)) == [0, 1, 2]
    assert shares.max(axis=1).min() > 0.6


def test_the_same_seed_gives_the_same_bits(fitted):
    _, first, second, _ = fitted
    np.testing.assert_array_equal(first.topic_term, second.topic_term)
    np.testing.assert_array_equal(first.doc_topic, second.doc_topic)
    assert first.objective == second.objective


def test_the_objective_goes_one_way(fitted):
    name, result, _, _ = fitted
    steps = np.diff(result.objective)
    slack = 1e-12 * np.abs(result.objective[:1])
    assert np.all(steps <= slack) if name in FALLING else np.all(steps >= -slack)
    iterative = {"plsi", "lapplsi", "ltm", "anchorfree"} | FALLING
    assert (len(result.objective) >= 2) == (name in iterative)


def test_progress_is_told(fitted):
    _, result, _, events = fitted
    assert events
    assert events[-1].step <= events[-1].total
    if result.objective:
        assert events[-1].loss == pytest.approx(result.objective[-1])


def test_the_callback_can_cancel():
    def cancel(event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_baseline("plsi", COUNTS, 3, progress=cancel)


def test_seeds_matter_where_something_is_drawn():
    one, two = (fit_baseline("plsi", COUNTS, 3, random_state=seed) for seed in (0, 1))
    assert not np.array_equal(one.doc_topic, two.doc_topic)


SMALL = {
    "one topic": ([[1, 2, 0], [0, 1, 1]], 1),
    "as many topics as documents": ([[1, 2, 0], [0, 1, 1]], 2),
    "more topics than terms": ([[1, 1], [2, 0], [0, 3]], 3),
    "equal documents": ([[1, 1], [1, 1], [1, 1]], 3),
    "one number": ([[1]], 1),
    "nothing at all": ([[0, 0], [0, 0]], 2),
    "empty documents and terms": ([[0, 2, 0, 0], [0] * 4, [0, 1, 3, 0], [1, 0, 0, 0]], 4),
    "each document its own term": (np.diag([3, 2, 5, 0, 1]), 5),
}


@pytest.mark.filterwarnings("ignore:invalid value encountered in sqrt")  # in scikit-learn
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("case", SMALL)
def test_small_corpora(name, case, monkeypatch):
    monkeypatch.setattr("dnmf_topics.baselines.dpfa.NUM_SWEEPS", 60)
    counts, num_topics = SMALL[case]
    result = fit_baseline(name, counts, num_topics)
    counts = np.array(counts)
    assert np.isfinite(result.doc_topic).all()
    assert result.doc_topic.min() >= 0
    assert result.topic_term.shape == (num_topics, counts.shape[1])
    np.testing.assert_allclose(result.topic_term.sum(axis=1), 1)
    assert not result.doc_topic[counts.sum(axis=1) == 0].any()
    used = result.topic_term[result.doc_topic.any(axis=0)]
    assert not used[:, counts.sum(axis=0) == 0].any()


def test_an_empty_topic_is_uniform():
    result = fit_baseline("plsi", [[1, 2], [0, 0]], 2)
    np.testing.assert_allclose(result.topic_term, [[1 / 3, 2 / 3], [0.5, 0.5]])


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_counts_is_the_same(form):
    dense = COUNTS[:40].toarray()
    given = FORMS[form](dense)
    before = raw_arrays(given)
    expected = fit_baseline("spa", dense, 3)
    np.testing.assert_array_equal(fit_baseline("spa", given, 3).doc_topic, expected.doc_topic)
    for old, new in zip(before, raw_arrays(given), strict=True):
        np.testing.assert_array_equal(old, new)


def test_a_gensim_corpus_is_the_same_as_its_matrix():
    bows = [[(int(i), int(n)) for i, n in doc] for doc in Sparse2Corpus(COUNTS, False)]
    expected = fit_baseline("spa", COUNTS, 3)
    np.testing.assert_array_equal(fit_baseline("spa", bows, 3).topic_term, expected.topic_term)
    streamed = (bow for bow in bows)
    np.testing.assert_array_equal(fit_baseline("spa", streamed, 3).doc_topic, expected.doc_topic)


def test_id2word_says_how_many_terms_a_corpus_has():
    words = Dictionary([["a", "b"], ["c"]])
    bows = [words.doc2bow(["a"]), [], words.doc2bow(["b"])]
    assert fit_baseline("plsi", bows, 1).topic_term.shape == (1, 2)
    assert fit_baseline("plsi", bows, 1, id2word=words).topic_term.shape == (1, 3)
    with pytest.raises(ValueError, match=r"ids go from 0 to 1; document 0 has the id 2"):
        fit_baseline("plsi", [[(2, 1)]], 1, id2word={0: "a", 1: "b"})


def test_labels_of_equals_are_the_first():
    result = Fitted(np.ones((2, 1)), np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 2.0]]))
    assert result.cluster_labels.tolist() == [0, 0, 1]
    assert result.cluster_labels.dtype == np.int64


@pytest.mark.parametrize("case", sorted(set(BAD_MATRICES) - {"None", "a number", "one axis"}))
def test_bad_counts_are_refused(case):
    value, error, message = BAD_MATRICES[case]
    with pytest.raises(error, match=message):
        fit_baseline("kmeans", value, 1)


@pytest.mark.parametrize("value", [None, 3.0, [1.0, 2.0], ["a word", "another"], [[("a", 1)]]])
def test_what_is_no_corpus_is_refused(value):
    with pytest.raises(TypeError, match=r"doc_term must (be|hold) .*( got | is )"):
        fit_baseline("kmeans", value, 1)


@pytest.mark.parametrize("name", BASELINES)
def test_numbers_that_are_no_counts_are_refused(name):
    with pytest.raises(ValueError, match=r"doc_term must hold counts up to 1e\+09, its largest is"):
        fit_baseline(name, COUNTS * 1e48, 3)
    with pytest.raises(ValueError, match=r"largest is 0\.0"):  # whose tf-idf is 0
        fit_baseline(name, COUNTS * 1e-4, 3)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match=r"name must be one of plsi, lda, .*, got 'svd'\."):
        fit_baseline("svd", COUNTS, 3)
    with pytest.raises(ValueError, match=r"num_topics must be from 1 to 2, got 3\."):
        fit_baseline("plsi", [[1], [2]], 3)
    with pytest.raises(TypeError, match=r"num_topics must be a whole number, got 2\.0\."):
        fit_baseline("plsi", COUNTS, 2.0)
    with pytest.raises(ValueError, match=r"random_state must be at least 0, got -1\."):
        fit_baseline("plsi", COUNTS, 3, random_state=-1)


def test_lda_finds_planted_topics_from_some_start():
    # Variational Bayes stays where two topics share a class, from about every other start.
    results = [fit_baseline("lda", COUNTS, 3, random_state=seed) for seed in range(4)]
    assert max(clustering_accuracy(CLASSES, result.cluster_labels) for result in results) > 0.95
