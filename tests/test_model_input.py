"""Bad input: one clear sentence before any work, or a documented result; and never half of it."""

from __future__ import annotations

import io
import logging
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from children import outcome
from gensim.corpora import Dictionary
from gensim.models.callbacks import PerplexityMetric
from gensim.utils import FakeDict
from scipy import sparse
from sklearn.cluster import KMeans
from trained import CLASSES, CORPUS, COUNTS, DICTIONARY, NUM_TERMS, WORDS, file_of, small_model

import dnmf_topics
from dnmf_topics import DnmfModel, DnmfTopics
from dnmf_topics.baselines import fit_baseline
from dnmf_topics.common.documents import MatrixCorpus, read_matrix
from dnmf_topics.core import VARIANTS, Mbn, fit_topics
from dnmf_topics.evaluation import clustering_accuracy

EMPTY = [[], [], []]


@pytest.fixture(scope="module")
def model():
    """Trained, for tests that must not change it."""
    return small_model()


def untrained(**options):
    return small_model(None, **options)


def short(value):
    return " ".join(str(value).split())[:40]


def one_line(caught):
    return len(str(caught.value).splitlines()) == 1


class Unread:
    """A corpus nobody may look into."""

    def __iter__(self):
        raise AssertionError("the corpus was read")


# --------------------------------------------------------------------------------- parameters


CDNMF = {"variant": "cdnmf"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"num_topics": 0}, ValueError, "num_topics must be at least 1, got 0"),
        ({"num_topics": -3}, ValueError, "num_topics must be at least 1, got -3"),
        ({"num_topics": 2.0}, TypeError, "num_topics must be a whole number, got 2.0"),
        ({"num_topics": "3"}, TypeError, "num_topics must be a whole number or .auto., got '3'"),
        ({"num_topics": None}, TypeError, "num_topics must be a whole number, got None"),
        ({"num_topics": True}, TypeError, "num_topics must be a whole number, got True"),
        ({"chunksize": 0}, ValueError, "chunksize must be at least 1, got 0"),
        ({"minimum_probability": -0.1}, ValueError, "minimum_probability must be at least 0"),
        ({"minimum_probability": np.nan}, ValueError, "minimum_probability .* got nan"),
        ({"minimum_phi_value": "x"}, TypeError, "minimum_phi_value must be a number, got 'x'"),
        ({"variant": "nmf"}, ValueError, "variant must be one of bdnmf, sdnmf, cdnmf; got 'nmf'"),
        ({"variant": None}, ValueError, "variant must be one of .* got None"),
        ({"seed_words": ["moon"]}, TypeError, r"seed_words must be a dict .* got \['moon'\]"),
        ({"seed_words": "moon"}, TypeError, "seed_words must be a dict .* got 'moon'"),
        ({"seed_words": {1: ["word1"]}}, TypeError, "A name of a topic must be text, got 1"),
        ({"seed_words": {" ": ["word1"]}}, ValueError, "must have a name for each of its topics"),
        ({"seed_words": {"a\nb": ["word1"]}}, ValueError, "must be one line of text"),
        ({"seed_words": {"a": ["word1"], " a": ["word2"]}}, ValueError, "not name a topic twice"),
        ({"seed_words": {"a": "word1"}}, TypeError, "of 'a' must be a list of words, got 'word1'"),
        ({"seed_words": {"a": None}}, TypeError, "of 'a' must be a list of words, got None"),
        ({"seed_words": {"a": []}}, ValueError, "of 'a' must have at least one word"),
        ({"seed_words": {"a": [""]}}, TypeError, "must be words, or term ids .* got ''"),
        ({"seed_words": {"a": [True]}}, TypeError, "must be words, or term ids .* got True"),
        (
            {"seed_words": {"a": [-1]}},
            ValueError,
            "in seed_words of 'a' must be at least 0",
        ),
        ({"seed_words": {"a": ["moon", 10_000]}}, ValueError, "has none of them: 'moon, 10000'"),
        (
            {"seed_words": {name: ["word1"] for name in "abcd"}},
            ValueError,
            "num_topics must be at least the number of topics in seed_words, 4, got 3",
        ),
        (
            {"seed_words": {"a": ["word1"]}, "deep_model": CLASSES},
            ValueError,
            "seed_words must not be given beside a deep_model",
        ),
        ({"weighting": "bm25"}, ValueError, "weighting must be one of auto, .* got 'bm25'"),
        ({"weighting": ["auto"]}, ValueError, r"weighting must be one of auto, .* got \['auto'\]"),
        (
            {"variant": "cdnmf", "lambda1": -1},
            ValueError,
            "lambda1 must be at least 0 and finite, got -1",
        ),
        (
            {"variant": "cdnmf", "lambda2": "large"},
            TypeError,
            "lambda2 must be a number, got 'large'",
        ),
        ({"num_clusterings": 0}, ValueError, "num_clusterings must be from 1 to"),
        ({"delta": 1.5}, ValueError, "delta must be at least 0 and below 1, got 1.5"),
        ({"first_layer_size": 0}, ValueError, "first_layer_size must be at least 1, got 0"),
        ({"last_layer_size": "tiny"}, TypeError, "last_layer_size must be a whole number"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
        ({"n_jobs": 10**18}, ValueError, "n_jobs must be at most 10000, got 1000000000000000000"),
        ({"n_jobs": 1.5}, TypeError, "n_jobs must be a whole number or None, got 1.5"),
        ({"random_state": "lucky"}, ValueError, "'lucky' cannot be used to seed"),
        ({"callbacks": PerplexityMetric(CORPUS)}, TypeError, "callbacks must be a list of"),
        ({"callbacks": ["perplexity"]}, TypeError, r"callbacks must be a list .* \['perplexity'\]"),
        ({"alpha": 0}, ValueError, "alpha must be finite and above 0, got 0"),
        ({"alpha": [0.1, -2, 0.1]}, ValueError, "alpha must be finite and above 0, got -2"),
        ({"alpha": 5e-324}, ValueError, "alpha must lie from 1e-50 to 1e.50, got 5e-324"),
        ({"eta": 1.7e308}, ValueError, r"eta must lie from 1e-50 to 1e.50, got 1.7e\+308"),
        ({"alpha": [0.1, 0.1]}, ValueError, r"alpha must have one number for each of the 3 topics"),
        ({"alpha": np.ones((3, 3))}, ValueError, r"alpha .* got shape \(3, 3\)"),
        ({"alpha": np.full(3, np.nan)}, ValueError, "alpha must be finite and above 0, got nan"),
        ({"alpha": ["a", "b", "c"]}, ValueError, r"alpha must hold numbers, got \['a', 'b', 'c'\]"),
        ({"alpha": "automatic"}, ValueError, "alpha .* 'symmetric', 'auto', 'asymmetric', got"),
        ({"alpha": True}, ValueError, "alpha must be a number, an array, or one of .* got True"),
        ({"eta": "asymmetric"}, ValueError, "eta must .* 'symmetric', 'auto', got 'asymmetric'"),
        ({"eta": np.inf}, ValueError, "eta must be finite and above 0, got inf"),
        ({"eta": [0.1] * 3}, ValueError, f"eta must have one number for each of the {NUM_TERMS} "),
        ({"eta": -np.ones(NUM_TERMS)}, ValueError, "eta must be finite and above 0, got -1"),
        ({"eta": {0: 1}}, ValueError, "eta must be a number, an array, or one of"),
        ({"id2word": {}}, ValueError, "corpus and id2word must have at least one term"),
        ({"id2word": list(WORDS.values())}, TypeError, "id2word must be a dict or .* got list"),
        ({"id2word": DICTIONARY.token2id}, TypeError, "id2word must map term ids, .* key 'word0'"),
        ({"id2word": {-1: "a", 0: "b"}}, TypeError, "id2word must map term ids, .* the key -1"),
        ({"id2word": {0.5: "a"}}, TypeError, "id2word must map term ids, .* the key 0.5"),
    ],
    ids=short,
)
def test_a_bad_parameter_is_refused_before_the_corpus_is_read(options, error, message):
    with pytest.raises(error, match=message) as caught:
        small_model(Unread(), **options)
    assert one_line(caught)


def test_the_vocabulary_must_come_from_somewhere():
    with pytest.raises(ValueError, match=r"corpus or id2word must be given, .* both are None"):
        DnmfModel()
    with pytest.raises(ValueError, match="must have at least one term, got none"):
        DnmfModel(EMPTY, 2)


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        ("symmetric", [1 / 3] * 3),
        (None, [1 / 3] * 3),
        (0.5, [0.5] * 3),
        (2, [2.0] * 3),
        (np.float32(0.5), [0.5] * 3),
        ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]),
        ((1, 2, 3), [1.0, 2.0, 3.0]),
        (np.arange(1, 4), [1.0, 2.0, 3.0]),
        # 20, 15 and 10 documents, and one that has all topics
        ("auto", [(20 + 1 / 3) / 46, (15 + 1 / 3) / 46, (10 + 1 / 3) / 46]),
    ],
    ids=short,
)
def test_alpha_is_what_an_empty_document_gets(alpha, expected):
    model = small_model(alpha=alpha, minimum_probability=0)
    np.testing.assert_allclose(model.alpha, expected)
    np.testing.assert_allclose([share for _, share in model[[]]], expected / np.sum(expected))
    # What was learnt with the model is what the model infers.
    gamma, _ = model.inference(CORPUS)
    np.testing.assert_array_equal(model.doc_topics(), gamma / gamma.sum(axis=1, keepdims=True))


def test_an_asymmetric_alpha_falls():
    alpha = untrained(alpha="asymmetric").alpha
    assert (np.diff(alpha) < 0).all()
    assert alpha.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("eta", "expected"),
    [
        (None, 1 / 3),
        ("symmetric", 1 / 3),
        (0.01, 0.01),
        (np.full(NUM_TERMS, 2.0), 2.0),
        ([0.5] * NUM_TERMS, 0.5),
        (np.full((3, NUM_TERMS), 0.25), 0.25),
    ],
)
def test_eta_takes_every_form_and_moves_the_likelihood(eta, expected):
    model = small_model(eta=eta)
    np.testing.assert_array_equal(np.broadcast_to(model.eta, (3, NUM_TERMS)), expected)
    flat = small_model(eta=1e6)
    assert model.bound(CORPUS) > flat.bound(CORPUS)
    # Where all words are alike, the likelihood is known.
    known = -COUNTS.sum() * np.log(NUM_TERMS)
    assert 1.05 * known < flat.bound(CORPUS) < known


def test_eta_auto_follows_the_words():
    model = small_model(eta="auto")
    counts = COUNTS.sum(axis=0) + 1
    np.testing.assert_allclose(model.eta, counts / counts.sum() * NUM_TERMS / 3)


def test_a_prior_that_is_given_back_changed_does_not_change_the_model():
    alpha = np.ones(3)
    model = untrained(alpha=alpha)
    alpha[:] = 7
    assert model.alpha.tolist() == [1, 1, 1]


def test_parameters_without_a_meaning_are_said_once_and_change_nothing(caplog):
    caplog.set_level(logging.INFO)
    model = small_model(passes=10, iterations=100, decay=0.7, eval_every=None, dtype=np.float64)
    (said,) = [r.message for r in caplog.records if "without a meaning" in r.message]
    assert said.endswith("without an effect: passes, decay, eval_every, iterations, dtype")
    caplog.clear()
    plain = small_model()
    assert "without a meaning" not in caplog.text
    np.testing.assert_array_equal(model.get_topics(), plain.get_topics())
    np.testing.assert_array_equal(model.doc_topics(), plain.doc_topics())


def test_a_random_state_is_shared_with_its_owner():
    shared, twin = np.random.RandomState(3), np.random.RandomState(3)
    first, second = (small_model(random_state=shared) for _ in range(2))
    assert first.random_state is second.random_state is shared
    # Each model takes one number, whatever happens inside.
    twin.randint(2**31, size=2)
    assert shared.randint(2**31) == twin.randint(2**31)
    first.update(CORPUS)
    assert shared.randint(2**31) == twin.randint(2**31)


def test_those_of_update_too(caplog):
    caplog.set_level(logging.INFO)
    one, other = small_model(CORPUS[:30]), small_model(CORPUS[:30])
    one.update(CORPUS[30:])
    assert "without a meaning" not in caplog.text
    other.update(CORPUS[30:], passes=7, decay=0.6)
    (said,) = [r.message for r in caplog.records if "without a meaning" in r.message]
    assert said.endswith("decay, passes")
    assert file_of(one) == file_of(other)


def test_progress_is_a_bar_for_each_stage_where_wanted(capsys, caplog):
    caplog.set_level(logging.INFO, "dnmf_topics")
    small_model()
    assert capsys.readouterr().err == ""
    ends = [record.message for record in caplog.records if " done" in record.message]
    assert [end.split(":")[0] for end in ends] == ["network", "clusters", "bdnmf"]
    assert ", loss " in ends[-1]
    small_model(show_progress=True)
    bars = capsys.readouterr().err.strip().split("\n")
    assert [bar.split("\r")[-1].split("|")[0] for bar in bars] == [
        "network: 100%", "clusters: 100%", "bdnmf: 100%",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("corpus", "weighting", "values"),
    [
        (CORPUS, "tfidf", "whole numbers"),
        ([[(t, float(n)) for t, n in bow] for bow in CORPUS], "tfidf", "whole numbers"),
        ([[(t, n / 2) for t, n in bow] for bow in CORPUS], "none", "weights"),
    ],
    ids=["counts", "counts as floats", "weights"],
)
def test_auto_tells_counts_from_weights_and_says_so(caplog, corpus, weighting, values):
    caplog.set_level(logging.INFO)
    model = small_model(corpus)
    assert model.weighting == weighting
    assert f"the corpus holds {values}: weighting='{weighting}'" in caplog.text
    # What was chosen stays chosen.
    model.update([[(0, 0.25), (1, 2.0)]])
    assert model.weighting == weighting


# ------------------------------------------------------------------------------- the documents

BAD_WEIGHTS = [np.nan, np.inf, -np.inf, -1, -0.5, 1e60]


@pytest.mark.parametrize("weight", BAD_WEIGHTS)
def test_bad_weights_are_refused_with_their_document(model, weight):
    corpus = [*CORPUS[:4], [(0, 1), (1, weight)], *CORPUS[4:]]
    said = "corpus must have finite weights from 0 to 1e.50, document 4 has "
    said += str(float(weight)).replace("+", ".")
    before = file_of(model)
    for use in (small_model, model.update, model.inference, model.do_estep, model.bound,
                model.get_document_info, lambda c: list(model[c])):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            use(corpus)
    dense = np.zeros((NUM_TERMS, 6))
    dense[0], dense[1, 4] = 1, weight
    for use in (small_model, model.update, model.inference):
        with pytest.raises(ValueError, match=said):
            use(sparse.csc_array(dense))
    assert file_of(model) == before


@pytest.mark.parametrize("term", [NUM_TERMS, NUM_TERMS + 100, -1])
def test_training_refuses_unknown_ids_with_their_document(model, term):
    corpus = [*CORPUS[:7], [(0, 1), (term, 2)], *CORPUS[7:]]
    said = rf"vocabulary, whose ids go from 0 to {NUM_TERMS - 1}; document 7 has the id {term}\."
    before = file_of(model)
    for use in (small_model, untrained().update, model.update, model.do_estep):
        with pytest.raises(ValueError, match=said) as caught:
            use(corpus)
        assert one_line(caught)
    assert file_of(model) == before


def test_a_negative_id_is_refused_also_where_the_ids_make_the_vocabulary():
    with pytest.raises(ValueError, match="document 1 has the id -1"):
        small_model([[(0, 1)], [(-1, 1), (1, 1)]], 2, None)


@pytest.mark.parametrize("term", [NUM_TERMS, 10**12, -1])
def test_inference_ignores_unknown_ids_with_one_warning(model, term):
    strange = [[*bow, (term, 3)] for bow in CORPUS]
    for use in (
        lambda corpus: model.inference(corpus)[0].tolist(),
        lambda corpus: model[corpus[3]],
        lambda corpus: list(model[corpus]),
        lambda corpus: model.bound(corpus),
        lambda corpus: model.get_document_info(corpus).values.tolist(),
    ):
        with pytest.warns(UserWarning, match="ids that the model's vocabulary does not") as caught:
            answer = use(strange)
        assert len(caught) == 1
        assert answer == use(CORPUS)


def test_known_ids_give_no_warning(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.inference(CORPUS)
        model.get_document_topics([(0, 0), (5, 2.5), (5, 1)])


def test_zero_weights_are_as_good_as_none():
    with_zeros = [[*bow, (45, 0), (44, 0.0)] for bow in CORPUS[:20]]
    model = small_model(with_zeros, 2)
    assert file_of(model) == file_of(small_model(CORPUS[:20], 2))
    np.testing.assert_array_equal(model.inference(with_zeros)[0], model.inference(CORPUS[:20])[0])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("scale", [1e-20, 1e20, 1e49])
def test_the_scale_of_weights_changes_no_topic(variant, scale):
    plain, scaled = (
        small_model([[(t, n * by) for t, n in bow] for bow in CORPUS], variant=variant,
                    weighting="none")
        for by in (1, scale)
    )  # fmt: skip
    np.testing.assert_array_equal(plain.cluster_labels, scaled.cluster_labels)
    if variant != "cdnmf":  # whose penalties have a scale
        np.testing.assert_allclose(plain.get_topics(), scaled.get_topics(), rtol=1e-3, atol=1e-6)
    scaled.update([[(0, 3 * scale), (1, scale)]])
    assert np.isfinite(scaled.get_topics()).all()


def test_a_weight_too_small_for_arithmetic_counts_as_none():
    tiny = [[(t, n + 0.5) for t, n in bow] + [(45, 1e-200)] for bow in CORPUS[:20]]
    without = [[(t, n + 0.5) for t, n in bow] for bow in CORPUS[:20]]
    model = small_model(tiny, 2)
    assert file_of(model) == file_of(small_model(without, 2))
    assert model[tiny[0]] == model[without[0]]
    assert model[[(3, 1e-200)]] == model[[]]


def test_a_repeated_id_counts_as_often_as_it_comes():
    apart = [[pair for t, n in bow for pair in [(t, 1)] * n] for bow in CORPUS]
    model = small_model(apart)
    assert file_of(model) == file_of(small_model())
    np.testing.assert_allclose(model.inference(apart)[0], model.inference(CORPUS)[0], rtol=1e-12)


def test_an_empty_corpus_leaves_the_model_untrained(caplog):
    for nothing in ([], iter([]), sparse.csc_array((NUM_TERMS, 0))):
        caplog.clear()
        model = small_model(nothing)
        assert "corpus is empty: nothing to learn" in caplog.text
        assert file_of(model) == file_of(untrained())
        model.update(CORPUS)
        before = file_of(model)
        assert before == file_of(small_model())
        model.update([])
        assert file_of(model) == before


SAME = [(0, 1), (3, 2), (7, 1)]
WITHOUT_WEIGHT = {
    "all empty": EMPTY,
    "all zero": [[(0, 0)], [(1, 0)]],
}
SAME_TERMS = {
    "one": [SAME],
    "identical": [SAME] * 4,
    "identical but for empty weights": [SAME, [*SAME, (9, 0)]],
}


@pytest.mark.parametrize("num_topics", [1, 3, 6])
@pytest.mark.parametrize("case", SAME_TERMS)
def test_documents_that_tf_idf_cannot_tell_apart_are_taken_as_they_are(caplog, case, num_topics):
    corpus = SAME_TERMS[case]
    model = small_model(corpus, num_topics)
    plain = small_model(corpus, num_topics, weighting="none")
    assert "tf-idf weighs nothing, as documents have the same terms" in caplog.text
    assert model.weighting == "none"
    np.testing.assert_array_equal(model.inference(corpus)[0], plain.inference(corpus)[0])
    np.testing.assert_array_equal(model.get_topics(), plain.get_topics())
    # The words of the document have all of the topic it belongs to.
    shares = [share for _, share in model.get_topic_terms(int(model.cluster_labels[0]), 3)]
    assert sum(shares) > 0.99
    model.update(CORPUS)
    assert model.state.numdocs == len(corpus) + len(CORPUS)


@pytest.mark.parametrize(
    ("case", "options"),
    [*((case, {}) for case in WITHOUT_WEIGHT), *((c, {"weighting": "tfidf"}) for c in SAME_TERMS)],
)
def test_documents_without_a_weight_are_refused(case, options):
    model = untrained(**options)
    before = file_of(model)
    with pytest.raises(ValueError, match="corpus must have a document with a weight") as caught:
        model.update((WITHOUT_WEIGHT | SAME_TERMS)[case])
    assert "weighting='none'" in str(caught.value)
    assert one_line(caught)
    # Nothing stays, neither the choice of the weighting nor a step of the random numbers.
    assert file_of(model) == before


def test_all_empty_documents_are_refused_also_without_weighting():
    with pytest.raises(ValueError, match="corpus must have a document with a weight"):
        small_model(EMPTY, weighting="none")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("num_docs", [1, 4])
def test_identical_documents_make_topics_where_they_are_taken_as_they_are(variant, num_docs):
    model = small_model([SAME] * num_docs, 2, weighting="none", variant=variant)
    assert np.bincount(model.cluster_labels, minlength=2).sum() == num_docs
    assert {term for term, _ in model.get_topic_terms(0, 3)} == {0, 3, 7}
    np.testing.assert_allclose(model.get_topics().sum(axis=1), 1)
    np.testing.assert_allclose(model.doc_topics().sum(axis=1), 1)
    assert np.isfinite(model.log_perplexity([SAME]))
    model.update([SAME, []])
    assert model.state.numdocs == num_docs + 2
    assert np.isfinite(model.get_topics()).all()


def test_words_of_every_document_say_nothing():
    everywhere = NUM_TERMS
    corpus = [[*bow, (everywhere, 5)] for bow in CORPUS]
    words = WORDS | {everywhere: "the"}
    model = small_model(corpus, id2word=words)
    np.testing.assert_array_equal(model.cluster_labels, small_model().cluster_labels)
    # A document of nothing else is answered like an empty one.
    assert model[[(everywhere, 3)]] == model[[]]
    # Nor does it describe a topic: words that others have less often are all heavier.
    assert model.get_topics()[:, everywhere].max() < 1e-3
    assert all("the" not in dict(model.show_topic(k, 12)) for k in range(3))


@pytest.mark.parametrize("weighting", ["tfidf", "none"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_topics_beyond_the_documents_stay_empty(caplog, variant, weighting):
    corpus = [*CORPUS[:4], []]
    model = small_model(corpus, 7, variant=variant, weighting=weighting)
    assert "num_topics=7, but only 4 documents have a weight" in caplog.text
    for document in ([], CORPUS[10], [(0, 1)]):
        model.update([document])
        assert set(model.cluster_labels) == {0, 1, 2, 3}
        np.testing.assert_allclose(model.get_topics()[4:], 1 / NUM_TERMS)
        assert model.get_topic_info()["size"].tolist()[4:] == [0, 0, 0]
        assert sorted(model.get_topic_info()["topic"][4:]) == [4, 5, 6]
    gamma, _ = model.inference([*CORPUS, []])
    shares = gamma / gamma.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    # No more than the prior's.
    np.testing.assert_array_equal(gamma[:, 4:], np.broadcast_to(model.alpha[4:], (46, 3)))
    assert set(model.get_document_info([*CORPUS, []])["topic"]) <= {0, 1, 2, 3}


@pytest.mark.parametrize(
    "use",
    [
        lambda masked: fit_topics(masked(COUNTS.toarray()), 3),
        lambda masked: small_model([*CORPUS[:44], masked(CORPUS[44])]),
        lambda masked: small_model(embeddings=masked(np.ones((45, 2)))),
        lambda masked: small_model(deep_model=masked(CLASSES)),
        lambda masked: small_model(alpha=masked([0.1, 0.2, 0.3])),
        lambda masked: DnmfTopics(3).fit(masked(COUNTS.toarray())),
        lambda masked: clustering_accuracy(masked(CLASSES), CLASSES),
    ],
    ids=["core", "corpus", "embeddings", "deep_model", "alpha", "estimator", "evaluation"],
)
def test_masked_values_are_no_data(use):
    def masked(values):
        hidden = np.ma.array(values, mask=False)
        hidden[-1] = np.ma.masked
        return hidden

    with pytest.raises((TypeError, ValueError), match="masked"):
        use(masked)


def test_an_empty_document_goes_to_the_largest_topic_not_to_an_empty_one():
    labels = np.where(CLASSES == 0, 1, 2)  # nobody has topic 0
    # Not even if the prior favors it.
    model = small_model(deep_model=labels, alpha=[90, 0.1, 0.1])
    assert model.get_topic_info()["topic"].tolist() == [2, 1, 0]
    model.update([[], *CORPUS[:2]])
    assert model.cluster_labels[-3:].tolist() == [2, *labels[:2]]
    assert model.get_document_info([[], CORPUS[0]])["topic"].tolist() == [2, labels[0]]
    assert model.get_topic_info()["size"].sum() == 47
    np.testing.assert_allclose(model.get_topics()[0], 1 / NUM_TERMS)


# ------------------------------------------------------------------------------- forms of a corpus


def once(corpus=CORPUS):
    yield from corpus


def test_a_corpus_that_can_be_read_only_once_is_enough():
    assert file_of(small_model(once())) == file_of(small_model())
    assert file_of(small_model(once(), id2word=None)) == file_of(small_model(id2word=None))
    one, other = small_model(), small_model()
    one.update(once())
    other.update(CORPUS)
    assert file_of(one) == file_of(other)
    np.testing.assert_array_equal(one.inference(once())[0], one.inference(CORPUS)[0])
    assert list(one[once()]) == list(one[CORPUS])
    assert one.bound(once()) == one.bound(CORPUS)
    assert one.log_perplexity(once()) == one.log_perplexity(CORPUS)
    assert one.get_document_info(once()).equals(one.get_document_info(CORPUS))


FORMS = {
    "tuples": tuple(tuple(bow) for bow in CORPUS),
    "lists of lists": [[list(pair) for pair in bow] for bow in CORPUS],
    "numpy numbers": [[(np.int32(t), np.float32(n)) for t, n in bow] for bow in CORPUS],
    "arrays": [np.array(bow, dtype=np.float64) for bow in CORPUS],
    "csc_matrix": sparse.csc_matrix(COUNTS.T),
    "csr_array": sparse.csr_array(COUNTS.T),
    "coo_array of int8": sparse.coo_array(COUNTS.T.astype(np.int8)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_corpus_gives_the_same_model(form):
    corpus = FORMS[form]
    assert file_of(small_model(corpus)) == file_of(small_model())
    one, other = small_model(), small_model()
    one.update(corpus)
    other.update(CORPUS)
    assert file_of(one) == file_of(other)
    np.testing.assert_array_equal(one.inference(corpus)[0], one.inference(CORPUS)[0])
    assert list(one[corpus]) == list(one[CORPUS])
    assert list(one[corpus][2:5]) == [one[corpus][i] for i in (2, 3, 4)]


WRONG_TYPES = {
    "words": ["human", "interface"],
    "texts": [["human", "interface"], ["graph", "trees"]],
    "texts of two letters": [["ab", "cd"]],
    "a string": "human interface",
    "a number": 7,
    "one document": [(0, 1), (1, 2)],
    "ids alone": [[0, 1, 2], [1, 2]],
    "triples": [[(0, 1, 2)], [(1, 1, 1)]],
    "a triple among pairs": [[(0, 1), (1, 2, 3)]],
    "dicts": [{0: 1, 3: 2}],
    "None inside": [CORPUS[0], None],
    "a dense matrix": COUNTS.toarray(),
    "a dense row": COUNTS.toarray()[0],
    "a matrix": np.asmatrix(COUNTS.toarray()),
    "a table": pd.DataFrame(COUNTS.toarray()),
    "a table with names": pd.DataFrame({"a": [1, 2], "b": [0, 3]}),
    "fractional ids": [[(0.5, 1.0)]],
    "fractional ids in an array": [np.array([[0.5, 1.0]])],
    "ids that are words": [[("0", 1)]],
    "weights that are words": [[(0, "1")]],
    "complex weights": [[(0, 1j)]],
    "an id beyond all integers": [[(2**70, 1)]],
    "complex, sparse": sparse.csr_array(COUNTS.T.astype(complex)),
}


@pytest.mark.parametrize("case", WRONG_TYPES)
def test_wrong_types_are_refused(model, case):
    corpus = WRONG_TYPES[case]
    before = file_of(model)
    for use in (small_model, model.update, model.inference, model.get_document_info):
        with pytest.raises(TypeError, match=r"^corpus must ") as caught:
            use(corpus)
        assert one_line(caught)
    assert file_of(model) == before


@pytest.mark.parametrize("document", [None, 7, "words", ["some", "words"], [3, 4], object()])
def test_what_is_no_document_is_refused(model, document):
    with pytest.raises(TypeError, match="documents as lists of \\(term id, weight\\) pairs"):
        model[document]


def test_there_is_no_update_with_nothing(model):
    with pytest.raises(TypeError, match="corpus must be an iterable of documents, got None"):
        model.update(None)


@pytest.mark.parametrize("shape", [(NUM_TERMS - 1, 5), (NUM_TERMS + 1, 5), (5, NUM_TERMS)])
def test_a_sparse_matrix_has_a_row_for_each_term(model, shape):
    for use in (small_model, model.update, model.inference):
        with pytest.raises(ValueError, match=rf"each of the {NUM_TERMS} terms .* got shape"):
            use(sparse.coo_array(np.ones(shape)))


# ----------------------------------------------------------------------------------- vocabularies


@pytest.mark.parametrize("as_id2word", [dict, lambda words: Dictionary.from_corpus([], words)])
def test_ids_may_have_gaps(as_id2word):
    spread = [[(3 * t + 2, n) for t, n in bow] for bow in CORPUS]
    words = {3 * t + 2: word for t, word in WORDS.items()}
    words[500] = "unused"
    model = small_model(spread, id2word=as_id2word(words))
    assert model.num_terms == 501
    np.testing.assert_array_equal(model.cluster_labels, small_model().cluster_labels)
    # No word is made up for a gap, however many are asked for.
    shown = [word for word, _ in model.show_topic(0, None)]
    assert sorted(shown) == sorted(words.values())
    assert len(model.get_topics()[0]) == 501
    with pytest.raises(ValueError, match="document 0 has the id 501"):
        model.update([[(501, 1)]])


@pytest.mark.parametrize(
    "words",
    [{t: t * 10 for t in WORDS}, {t: ("a", t) for t in WORDS}, dict.fromkeys(WORDS)],
    ids=["numbers", "tuples", "None"],
)
def test_words_need_not_be_strings_to_be_shown(words):
    model = small_model(id2word=words)
    term, probability = model.get_topic_terms(0, 1)[0]
    assert model.show_topic(0, 1) == [(str(words[term]), probability)]
    with pytest.raises(TypeError, match="id2word must map ids to strings to be saved; pass ignore"):
        file_of(model)
    assert file_of(model, ignore="id2word") == file_of(small_model(), ignore="id2word")


def test_without_id2word_the_ids_are_the_words(caplog):
    model = small_model(id2word=None)
    assert "no id2word given" in caplog.text
    assert model.num_terms == 1 + max(t for bow in CORPUS for t, _ in bow)
    term, probability = model.get_topic_terms(0, 1)[0]
    assert model.show_topic(0, 1) == [(str(term), probability)]


# ------------------------------------------------------------------------------------- deep_model


class Constant:
    """A clusterer that says what it was told."""

    def __init__(self, answer):
        self.answer = answer

    def fit_predict(self, doc_term):
        self.shape = doc_term.shape
        if isinstance(self.answer, type):
            raise self.answer
        return self.answer


ONE_HOT = np.eye(3)[CLASSES]


@pytest.mark.parametrize(
    "deep_model",
    [
        CLASSES,
        CLASSES.tolist(),
        pd.Series(CLASSES),
        CLASSES.astype(np.uint8),
        Constant(CLASSES),
        ONE_HOT,
        sparse.csr_array(ONE_HOT),
        pd.DataFrame(ONE_HOT),
        Constant(ONE_HOT),
    ],
    ids=lambda value: type(value).__name__,
)
def test_given_clusters_are_the_topics(deep_model):
    model = small_model(deep_model=deep_model)
    np.testing.assert_array_equal(model.cluster_labels, CLASSES)
    assert model.get_topic_info()["size"].tolist() == [20, 15, 10]
    plain = small_model(deep_model=CLASSES)
    np.testing.assert_array_equal(model.get_topics(), plain.get_topics())


def test_a_clusterer_sees_the_weighted_documents():
    clusterer = Constant(CLASSES)
    small_model(deep_model=clusterer)
    assert clusterer.shape == COUNTS.shape
    model = small_model(deep_model=KMeans(3, n_init=3, random_state=0))
    assert clustering_accuracy(CLASSES, model.cluster_labels) == 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_soft_memberships_are_allowed(variant):
    soft = 0.7 * ONE_HOT + 0.1
    model = small_model(deep_model=soft, variant=variant)
    np.testing.assert_array_equal(model.cluster_labels, CLASSES)
    np.testing.assert_allclose(model.state.topic_sizes, soft.sum(axis=0))
    assert model.get_topic_info()["size"].tolist() == [20, 15, 10]


def test_a_network_with_its_own_settings_counts():
    plain = Mbn(num_clusterings=10, refine=False)
    np.testing.assert_array_equal(
        small_model(deep_model=Mbn(num_clusterings=10)).get_topics(), small_model().get_topics()
    )
    with pytest.raises(ValueError, match="num_clusterings must be set in deep_model"):
        DnmfModel(CORPUS, 3, deep_model=Mbn(), num_clusterings=77)
    assert small_model(deep_model=plain).network == plain


@pytest.mark.parametrize(
    ("deep_model", "error", "message"),
    [
        (CLASSES[:-1], ValueError, r"each of the 45 documents, got shape \(44,\)"),
        (ONE_HOT[1:], ValueError, r"each of the 45 documents, got shape \(44, 3\)"),
        (Constant(CLASSES[:5]), ValueError, r"each of the 45 documents, got shape \(5,\)"),
        (ONE_HOT[:, :2], ValueError, "num_topics = 3 columns, got 2"),
        (CLASSES + 1, ValueError, "labels must lie from 0 to 2 .* got 1 to 3"),
        (CLASSES - 1, ValueError, "labels must lie from 0 to 2 .* got -1 to 1"),
        (CLASSES.astype(float), TypeError, "labels must be whole numbers, got dtype float64"),
        (ONE_HOT * 2, ValueError, "rows must sum to 1, row 0 sums to 2"),
        (ONE_HOT * np.nan, ValueError, "membership must be finite"),
        (ONE_HOT - 1 / 3, ValueError, "must not be negative"),
        ("kmeans", ValueError, r"one label or one row .* got shape \(\)"),
        (Constant(ZeroDivisionError), ZeroDivisionError, "^$"),
    ],
    ids=short,
)
def test_clusters_that_do_not_fit_are_refused(deep_model, error, message):
    with pytest.raises(error, match=message):
        small_model(deep_model=deep_model)
    model = untrained(deep_model=deep_model)
    before = file_of(model)
    with pytest.raises(error, match=message):
        model.update(CORPUS)
    assert file_of(model) == before


def test_given_clusters_need_as_many_documents_as_topics():
    with pytest.raises(ValueError, match="num_topics must be from 1 to 2, got 3"):
        small_model(CORPUS[:2], 3, deep_model=[0, 1])


def test_deep_model_is_for_the_first_documents_only():
    model = small_model(deep_model=CLASSES)
    model.update(CORPUS[:5])
    assert len(model.cluster_labels) == 50


# ------------------------------------------------------------------------------- all or nothing


def breaking(corpus, error, after=3):
    for number, document in enumerate(corpus):
        if number == after:
            raise error
        yield document


class Broken(PerplexityMetric):
    def get_value(self, **kwargs):
        raise ZeroDivisionError


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("first", [True, False], ids=["first", "later"])
def test_a_corpus_that_breaks_off_leaves_the_model_as_it_was(first, error):
    model = untrained() if first else small_model()
    before = file_of(model)
    with pytest.raises(error):
        model.update(breaking(CORPUS, error))
    assert file_of(model) == before


@pytest.mark.parametrize("first", [True, False], ids=["first", "later"])
def test_a_metric_that_breaks_leaves_the_model_as_it_was(first):
    working = PerplexityMetric(CORPUS, logger="shell", title="working")
    model = untrained(callbacks=[working])
    if not first:
        model.update(CORPUS)
    before, metrics = file_of(model), {name: list(v) for name, v in model.metrics.items()}
    model.callbacks = [working, Broken(CORPUS)]
    with pytest.raises(ZeroDivisionError):
        model.update(CORPUS)
    assert file_of(model) == before
    assert model.metrics == metrics
    model.callbacks = [working]
    model.update(CORPUS)
    assert len(model.metrics["working"]) == 1


def test_an_interrupted_clusterer_leaves_the_model_as_it_was():
    model = untrained(deep_model=Constant(KeyboardInterrupt))
    before = file_of(model)
    with pytest.raises(KeyboardInterrupt):
        model.update(CORPUS)
    assert file_of(model) == before


class Interrupting(logging.Handler):
    """Raises at the n-th line of the log."""

    def __init__(self, line):
        super().__init__(logging.INFO)
        self.lines_left = line

    def emit(self, record):
        self.lines_left -= 1
        if self.lines_left < 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_fit_interrupted_wherever_it_reports_leaves_the_model_as_it_was(caplog, variant):
    caplog.set_level(logging.INFO, "dnmf_topics")
    model = untrained(variant=variant, callbacks=[PerplexityMetric(CORPUS, logger="shell")])
    before = file_of(model)
    log = logging.getLogger("dnmf_topics")
    for line in range(100):
        handler = Interrupting(line)
        log.addHandler(handler)
        try:
            model.update(CORPUS)
            break
        except KeyboardInterrupt:
            assert file_of(model) == before
            assert model.metrics == {}
        finally:
            log.removeHandler(handler)
    assert line >= 4  # the weighting, the network, the clusters, the factorization, the end
    # And what is interrupted and started again ends as if nothing had happened.
    assert file_of(model) == file_of(small_model(variant=variant))


def test_folding_in_interrupted_at_any_line_leaves_the_model_as_it_was_or_is_done():
    model = small_model(variant="cdnmf", chunksize=2, alpha="auto", eta="auto")
    folder = str(Path(dnmf_topics.__file__).parent / "model")
    before = file_of(model)
    twin = DnmfModel.load(io.BytesIO(before))
    twin.update(CORPUS[:3])
    after = file_of(twin)
    lines_left = 0

    def trace(frame, event, _):
        nonlocal lines_left
        if not frame.f_code.co_filename.startswith(folder):
            return None
        if event == "line":
            lines_left -= 1
            if lines_left < 0:
                raise KeyboardInterrupt
        return trace

    previous = sys.gettrace()
    lines = 0
    while True:
        lines_left = lines
        sys.settrace(trace)
        try:
            model.update(CORPUS[:3])
            break
        except KeyboardInterrupt:
            lines += 3
        finally:
            sys.settrace(previous)
        if file_of(model) == after:  # interrupted while the lock was given back
            break
        assert file_of(model) == before
    assert lines > 100
    assert file_of(model) == after


# --- what looks like something else


def test_a_document_that_can_be_read_once_keeps_its_first_word():
    model = small_model()
    assert model[iter(CORPUS[3])] == model[CORPUS[3]]


def test_a_corpus_with_an_attribute_called_matrix_is_read_by_its_documents():
    class Own(list):
        matrix = COUNTS[:10]

    np.testing.assert_array_equal(
        small_model(Own(CORPUS)).cluster_labels, small_model().cluster_labels
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, bool, np.float32])
def test_duplicates_of_a_matrix_are_summed_beyond_its_type(dtype):
    data = np.array([100, 100, 1], dtype)
    matrix = sparse.csr_array((data, [0, 0, 1], [0, 2, 3]), shape=(2, 3))
    found = read_matrix(MatrixCorpus(matrix), 3, unknown="refuse")
    assert found.toarray().tolist() == [[2 * float(data[0]), 0, 0], [0, float(data[2]), 0]]
    assert matrix.data.size == 3  # the caller's stays as it is


def test_a_misspelled_argument_is_named_with_what_may_be_meant():
    with pytest.raises(TypeError, match=r"no argument 'num_topic'; did you mean 'num_topics'\?"):
        DnmfModel(CORPUS, num_topic=3)
    with pytest.raises(TypeError, match=r"DnmfModel has no argument 'xyz'\."):
        DnmfModel(CORPUS, xyz=3)


def test_numbers_of_numpy_are_settings_too():
    model = small_model(num_topics=np.int64(3), variant="sdnmf", overlap=np.float32(0.5))
    assert file_of(model) == file_of(small_model(variant="sdnmf", overlap=0.5))
    assert type(model.num_topics) is int


# --- more than there can be


@pytest.mark.parametrize("wild", [2**31 - 1, 2**40, 2**62])
def test_one_wild_id_does_not_ask_for_all_the_memory(wild):
    message = rf"^corpus must have term ids .* below 2147483647; document 1 has the id {wild}\. "
    with pytest.raises(ValueError, match=message):
        DnmfModel([[(0, 1)], [(3, 1), (wild, 1)], []], num_topics=2)
    model = small_model()
    with pytest.raises(ValueError, match=rf"document 0 has the id {wild}\."):
        model.update([[(wild, 1)]])
    with pytest.warns(UserWarning, match="ids that the model's vocabulary does not have"):
        assert model[[(wild, 1)]] == model[[]]


BEYOND_ANY_MACHINE = {
    "topics": lambda: DnmfModel(CORPUS, 10**15),
    "topics, words": lambda: DnmfModel(CORPUS, 2**70, WORDS),
    "words": lambda: DnmfModel(CORPUS, 3, {**WORDS, 2**50: "rare"}),
    "both": lambda: DnmfModel(None, 10**8, FakeDict(10**8)),
    "core": lambda: fit_topics(sparse.coo_array(([1.0], ([0], [0])), shape=(3, 2**50)), 1),
    "baseline": lambda: fit_baseline(
        "plsi", sparse.coo_array(([1.0], ([0], [0])), shape=(3, 2**50)), 1
    ),
}


@pytest.mark.parametrize("case", BEYOND_ANY_MACHINE)
def test_what_no_memory_holds_is_refused_with_its_size(case):
    message = r"^num_topics and the vocabulary must fit .* need [\d.e+]+ GiB; ask for fewer topics"
    with pytest.raises(MemoryError, match=message):
        BEYOND_ANY_MACHINE[case]()


def test_what_this_process_may_not_have_is_refused_with_its_size():
    resource = pytest.importorskip("resource", reason="this system has no limits for processes")

    def train():
        in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (in_use + 2**28, resource.RLIM_INFINITY))
        DnmfModel(CORPUS, 500, FakeDict(100_000))  # 380 MiB for one array

    if not Path("/proc/self/statm").exists():
        pytest.skip("/proc does not say how much memory is in use")
    error = outcome(train)
    assert type(error) is MemoryError
    assert re.search(r"6 arrays of 500 x 100000 \(topics x terms\) need 2.24 GiB", str(error))


def test_chunks_may_be_as_large_as_one_likes():
    assert list(small_model(chunksize=2**70)[CORPUS]) == list(small_model()[CORPUS])
