"""DnmfTopics: scikit-learn's own checks, its tools around it, and the model underneath."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from gensim.test.utils import common_texts
from joblib import parallel_config
from planted import FORMS, planted_counts, raw_arrays
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from dnmf_topics import DnmfModel, DnmfTopics

COUNTS, CLASSES = planted_counts((20, 15, 10))
WORDS = [f"word{term}" for term in range(COUNTS.shape[1])]
FRAME = pd.DataFrame(COUNTS.toarray(), columns=WORDS, index=np.arange(100, 145))
TEXTS = [" ".join(words) for words in common_texts]
HALVES = np.repeat([0, 1], [5, 4])  # what the texts are about


def small(n_components=3, **options):
    """An estimator that is fitted in a few milliseconds."""
    return DnmfTopics(n_components, **{"num_clusterings": 10, "random_state": 0} | options)


@pytest.fixture(scope="module")
def fitted():
    """Fitted to the planted topics. Tests read it."""
    return small().fit(FRAME)


# scikit-learn's own checks

# Those that a topic model must fail, and why.
EXPECTED_FAILURES = {
    "check_clustering": "its points have coordinates below 0, which counts of words never have",
}


class WithExpectedFailures(DnmfTopics):
    """Before scikit-learn 1.6 the estimator itself says what is to fail."""

    def _more_tags(self):
        return {**super()._more_tags(), "_xfail_checks": EXPECTED_FAILURES}


if hasattr(estimator_checks, "estimator_checks_generator"):
    checks = parametrize_with_checks(
        [DnmfTopics(3, num_clusterings=5)], expected_failed_checks=lambda _: EXPECTED_FAILURES
    )
else:
    checks = parametrize_with_checks([WithExpectedFailures(3, num_clusterings=5)])


@checks
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)


@pytest.mark.parametrize("form", [FRAME.to_numpy(), COUNTS])
def test_what_the_failing_check_asks_of_a_clusterer_holds_for_counts(form):
    topics = small()
    labels = topics.fit_predict(form)
    assert adjusted_rand_score(labels, CLASSES) > 0.4
    assert labels.dtype == np.int64
    np.testing.assert_array_equal(labels, topics.labels_)
    np.testing.assert_array_equal(labels, topics.fit(form).labels_)
    noise = np.random.default_rng(0).integers(3, size=(5, len(WORDS)))
    labels = topics.fit_predict(np.vstack([FRAME, noise]))
    assert np.unique(labels).tolist() == [0, 1, 2]


# The model underneath


def test_it_is_the_model(fitted):
    model = DnmfModel(
        COUNTS.T, 3, dict(enumerate(WORDS)), num_clusterings=10, random_state=0, n_jobs=1
    )
    np.testing.assert_array_equal(fitted.labels_, model.cluster_labels)
    np.testing.assert_array_equal(fitted.components_, model.get_topics())
    np.testing.assert_array_equal(fitted.transform(FRAME), model.doc_topics())
    np.testing.assert_array_equal(clone(fitted).fit_transform(FRAME), model.doc_topics())
    assert fitted.score(FRAME) == model.log_perplexity(COUNTS.T)
    assert fitted.topic_names_ == model.topic_names
    assert fitted.model_.show_topics() == model.show_topics()
    assert (fitted.n_components_, fitted.n_features_in_) == (3, len(WORDS))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"variant": "sdnmf"}, {"variant": "sdnmf", "overlap": 1}),
        ({"variant": "sdnmf", "model_options": {"overlap": 0.5}}, {"overlap": 0.5}),
        ({"weighting": "none"}, {"weighting": "none"}),
        ({"mixing_rounds": 3}, {"mixing_rounds": 3}),
        ({"num_clusterings": 7}, {"num_clusterings": 7}),
        ({"last_layer_size": 20}, {"last_layer_size": 20}),
        ({"model_options": {"delta": 0.4}}, {"delta": 0.4}),
        ({"seed_words": {"third": [30]}}, {"seed_words.third": [30]}),
    ],
)
def test_a_setting_reaches_the_model(options, said):
    settings = small(**options).fit(COUNTS).model_.get_settings()
    assert said.items() <= settings.items()


def test_priors_and_threads_reach_the_model(capsys):
    topics = small(alpha=0.5, eta=0.25, n_jobs=2, verbose=True).fit(COUNTS)
    assert topics.model_.alpha.tolist() == [0.5] * 3
    assert set(topics.model_.eta.ravel().tolist()) == {0.25}
    assert topics.model_.n_jobs == 2
    assert "%" in capsys.readouterr().err  # a bar
    silent = small(alpha=0.5, eta=0.25).fit(COUNTS)
    assert capsys.readouterr().err == ""
    np.testing.assert_array_equal(silent.components_, topics.components_)


def test_the_number_of_topics_can_be_chosen():
    topics = small("auto").fit(COUNTS)
    assert topics.n_components_ == topics.model_.num_topics_choice.number == 3
    assert topics.transform(COUNTS).shape == (45, 3)
    assert topics.n_components == "auto"


def test_an_int_repeats_a_fit_and_a_random_state_goes_on():
    state, twin = np.random.RandomState(0), np.random.RandomState(0)
    topics = small(random_state=state)
    for _ in range(2):  # each draws one number
        topics.fit(COUNTS)
        twin.randint(2**31)
    assert state.randint(2**31) == twin.randint(2**31)
    one, other = (small().fit(COUNTS).components_ for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_attributes_follow_what_is_done_to_the_model():
    topics = small().fit(FRAME)
    topics.model_.update(COUNTS[:4].T)
    assert topics.labels_.shape == (49,)
    topics.model_.topic_names = {0: "first"}
    assert topics.topic_names_[0] == "first"
    topics.model_.update(COUNTS[:4].T, new_topics=1)
    assert topics.transform(FRAME).shape == (45, 4)
    assert topics.get_feature_names_out()[-1] == "dnmftopics3"
    assert topics.fit(FRAME).n_components_ == 3


# Documents


@pytest.mark.parametrize(
    "form", ["list", "uint8", "float32", "csr_matrix", "csc_array", "read-only", "duplicates"]
)
def test_the_form_of_the_counts_does_not_matter(form, fitted):
    given = FORMS[form](COUNTS.toarray())
    before = raw_arrays(given)
    topics = small().fit(given)
    np.testing.assert_array_equal(topics.labels_, fitted.labels_)
    np.testing.assert_array_equal(topics.components_, fitted.components_)
    np.testing.assert_array_equal(topics.transform(given), fitted.transform(FRAME))
    np.testing.assert_array_equal(topics.predict(given), fitted.predict(FRAME))
    for array, other in zip(raw_arrays(given), before, strict=True):
        np.testing.assert_array_equal(array, other)


def test_shares_sum_to_one_and_new_documents_find_their_topic(fitted):
    new, classes = planted_counts((5, 5, 5), seed=1)
    shares = fitted.transform(pd.DataFrame(new.toarray(), columns=WORDS))
    assert shares.shape == (15, 3)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    labels = fitted.predict(pd.DataFrame(new.toarray(), columns=WORDS))
    assert labels.dtype == np.int64
    assert adjusted_rand_score(labels, classes) == 1
    np.testing.assert_array_equal(labels, shares.argmax(axis=1))


def test_training_documents_are_assigned_as_they_were_grouped(fitted):
    np.testing.assert_array_equal(fitted.predict(FRAME), fitted.labels_)


def test_an_empty_document_has_the_prior_and_goes_to_the_largest_topic():
    topics = small(alpha=[1.0, 2.0, 1.0]).fit(sparse.vstack([COUNTS, COUNTS[:1] * 0]))
    empty = np.zeros((1, len(WORDS)))
    np.testing.assert_allclose(topics.transform(empty), [[0.25, 0.5, 0.25]])
    assert topics.predict(empty) == np.bincount(topics.labels_).argmax()


def test_columns_must_be_those_of_the_fit(fitted):
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.transform(FRAME[WORDS[::-1]])
    with pytest.raises(ValueError, match="expecting 46 features"):
        small().fit(COUNTS).predict(COUNTS[:, :-1])


# Words


def test_a_frame_tells_the_words(fitted):
    assert fitted.feature_names_in_.tolist() == WORDS
    assert {word for word, _ in fitted.model_.show_topic(0)} < set(WORDS)
    seeded = small(seed_words={"third": ["word30", "word31"]}).fit(FRAME)
    assert seeded.topic_names_[0] == "third"
    assert set(CLASSES[seeded.labels_ == 0]) == {2}


def test_words_are_told_afterwards(fitted, tmp_path):
    topics = small().fit(COUNTS)
    assert not hasattr(topics, "feature_names_in_")
    assert topics.model_.show_topic(0, topn=1)[0][0].startswith("x")
    assert topics.set_words(np.array(WORDS)) is topics
    assert topics.topic_names_ == fitted.topic_names_
    assert topics.model_.show_topics() == fitted.model_.show_topics()
    topics.model_.save(tmp_path / "model.dnmf")
    assert DnmfModel.load(tmp_path / "model.dnmf").topic_names == fitted.topic_names_
    assert topics.fit(COUNTS).model_.show_topic(0, topn=1)[0][0].startswith("x")


# scikit-learn's tools


@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer])
def test_in_a_pipeline(vectorizer):
    pipeline = make_pipeline(vectorizer(), small(2))
    shares = pipeline.fit_transform(TEXTS)
    assert shares.shape == (9, 2)
    topics = pipeline[-1]
    assert adjusted_rand_score(topics.labels_, HALVES) == 1
    assert pipeline.predict(["minors of trees"]) == topics.labels_[-1]
    assert pipeline.get_feature_names_out().tolist() == ["dnmftopics0", "dnmftopics1"]
    weighting = topics.model_.get_settings()["weighting"]
    assert weighting == ("tfidf" if vectorizer is CountVectorizer else "none")
    topics.set_words(pipeline[:-1].get_feature_names_out())
    words = {word for word, _ in topics.model_.show_topic(topics.labels_[-1], topn=3)}
    assert words == {"graph", "trees", "minors"}


def test_shares_serve_a_classifier():
    pipeline = make_pipeline(CountVectorizer(), small(2), LogisticRegression(C=100))
    assert pipeline.fit(TEXTS, HALVES).score(TEXTS, HALVES) == 1


def test_in_a_grid_search():
    pipeline = Pipeline([("counts", CountVectorizer()), ("topics", small())])
    rows = COUNTS.toarray()
    texts = [" ".join(np.repeat(WORDS, row)) for row in rows]
    grid = {"topics__n_components": [1, 3], "topics__weighting": ["auto", "none"]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(texts)
    assert search.best_params_["topics__n_components"] == 3
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = search.best_estimator_
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    assert search.score(texts) == best["topics"].score(best["counts"].transform(texts))
    assert adjusted_rand_score(search.predict(texts), CLASSES) == 1


def test_a_grid_search_on_threads():
    grid = {"n_components": [2, 3]}
    alone = GridSearchCV(small(), grid, cv=2).fit(COUNTS)
    with parallel_config(backend="threading", n_jobs=2):
        search = GridSearchCV(small(), grid, cv=2).fit(COUNTS)
    scores = [each.cv_results_["mean_test_score"] for each in (alone, search)]
    np.testing.assert_array_equal(*scores)


def test_a_clone_has_the_parameters_and_nothing_else():
    seeds = {"third": [30]}
    topics = small(seed_words=seeds, model_options={"delta": 0.4}).fit(COUNTS)
    copy = clone(topics)
    assert copy.get_params() == topics.get_params()
    assert not hasattr(copy, "labels_")
    np.testing.assert_array_equal(copy.fit(COUNTS).components_, topics.components_)
    assert (seeds, topics.seed_words) == ({"third": [30]}, {"third": [30]})
    assert "DnmfTopics" in repr(copy)


def test_a_pickle_is_the_same(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(FRAME), fitted.transform(FRAME))
    np.testing.assert_array_equal(again.labels_, fitted.labels_)
    assert again.topic_names_ == fitted.topic_names_
    assert again.get_params() == fitted.get_params()


def test_shares_as_a_frame(fitted):
    topics = clone(fitted).set_output(transform="pandas")
    shares = topics.fit_transform(FRAME)
    assert shares.columns.tolist() == ["dnmftopics0", "dnmftopics1", "dnmftopics2"]
    assert shares.index.equals(FRAME.index)
    np.testing.assert_array_equal(shares.to_numpy(), fitted.transform(FRAME))
    pd.testing.assert_frame_equal(topics.transform(FRAME), shares)
    assert isinstance(topics.predict(FRAME), np.ndarray)


# What is wrong is said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components must be at least 1, got 0"),
        ({"n_components": 2.5}, "n_components must be a whole number, got 2.5"),
        ({"n_components": "many"}, 'n_components must be a whole number or "auto", got .many'),
        ({"n_components": 1, "seed_words": {"a": [1], "b": [2]}}, "n_components must be at least "),
        ({"n_components": 10**12}, "n_components and the vocabulary must fit into memory"),
        ({"n_components": "auto", "alpha": [1, 1]}, 'alpha .* n_components="auto"'),
        ({"seed_words": {"a": ["word1"]}}, r"seed_words must be numbers .* vocabulary_\[word\]"),
        ({"seed_words": ["word1"]}, "seed_words must be a dict"),
        ({"weighting": "idf"}, "weighting must be one of"),
        ({"variant": "nmf"}, "variant must be one of"),
        ({"model_options": {"variant": "cdnmf"}}, "model_options must not have 'variant', which"),
        ({"model_options": {"num_topics": 3}}, "model_options must not have 'num_topics', which"),
        ({"model_options": {"embeddings": COUNTS}}, "must not have 'embeddings': a vector for"),
        ({"model_options": [1]}, r"^model_options must be a dict of .* got \[1\]\.$"),
        ({"model_options": {"overlapp": 1}}, "no argument 'overlapp'; did you mean 'overlap'"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_wrong_parameters(options, message):
    topics = small(**options)  # which is no fault yet
    with pytest.raises((TypeError, ValueError, MemoryError), match=message):
        topics.fit(COUNTS)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (-FRAME, "Negative values in data passed to"),
        (FRAME * 0, "X must have a document with a weight"),
        (FRAME * 1e60, "X must have finite weights from 0 to"),
        (TEXTS, "(?i)could not convert string to float|expected 2D"),
        (FRAME[:0], r"0 sample\(s\)"),
        (FRAME.replace(0, np.inf), "infinity"),
    ],
)
def test_wrong_documents(documents, message):
    with pytest.raises(ValueError, match=message):
        small().fit(documents)


@pytest.mark.parametrize("topics", [None, small(n_components=0)], ids=["fitted", "never fitted"])
def test_a_fit_that_fails_changes_nothing(fitted, topics):
    topics = clone(fitted).fit(FRAME) if topics is None else topics
    before = dict(vars(topics))
    narrow = FRAME.iloc[:, :10]
    for documents in (narrow * 0, -narrow, narrow * np.nan, narrow.to_numpy() * 0):
        with pytest.raises(ValueError, match=r"X|data|n_components"):
            topics.fit(documents)
        assert vars(topics).keys() == before.keys()
        assert all(value is before[name] for name, value in vars(topics).items())


def test_documents_without_a_word_have_no_score(fitted):
    with pytest.raises(ValueError, match="X must have a known word"):
        fitted.score(FRAME * 0)


@pytest.mark.parametrize("words", [WORDS[1:], [WORDS], "word" * 46, "w" * 46])
def test_wrong_words(words):
    topics = small().fit(COUNTS)
    with pytest.raises(ValueError, match="words must have a word for each of the 46 columns"):
        topics.set_words(words)


def test_nothing_can_be_asked_before_fit():
    for ask in ("transform", "predict", "score", "set_words"):
        with pytest.raises(NotFittedError):
            getattr(small(), ask)(COUNTS)
    with pytest.raises(NotFittedError):
        small().get_feature_names_out()
    for name in ("labels_", "components_", "topic_names_", "n_components_", "partial_fit"):
        assert not hasattr(small(), name)


def test_the_package_loads_scikit_learn_when_it_is_asked_for():
    program = "import sys, dnmf_topics; assert not {'sklearn', 'gensim'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", program], check=True)
