"""Coherence: gensim's own numbers where it has them, and a documented answer where it has none."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.matutils import corpus2csc
from gensim.models import CoherenceModel, LdaModel, LsiModel, Nmf, Word2Vec
from gensim.test.utils import common_corpus, common_dictionary, common_texts
from scipy import sparse

from dnmf_topics.adapters.coherence import MEASURES, coherence

WINDOWED = [measure for measure in MEASURES if measure != "u_mass"]
TOPICS = [["human", "computer", "system"], ["graph", "trees", "minors"]]


class FakeModel:
    """Topics with these weights, over words in a plain dict."""

    def __init__(self, weights, words):
        self.weights = np.array(weights, dtype=float)
        self.id2word = dict(words)

    def get_topics(self):
        return self.weights


def by_gensim(model=None, **options):
    options = {"processes": 1, "topn": 5} | options
    calculation = CoherenceModel(model, **options)
    return calculation.get_coherence_per_topic()


@pytest.fixture(scope="module")
def lda():
    return LdaModel(common_corpus, 3, common_dictionary, passes=5, random_state=0)


@pytest.fixture(scope="module")
def vectors():
    return Word2Vec(common_texts, vector_size=5, min_count=3, seed=0, workers=1).wv


@pytest.mark.parametrize("make", [LdaModel, Nmf, LsiModel])
@pytest.mark.parametrize("measure", MEASURES)
def test_is_gensims_own_for_models(make, measure):
    model = make(common_corpus, num_topics=3, id2word=common_dictionary)
    ours = coherence(model, texts=common_texts, measure=measure, topn=5)
    theirs = by_gensim(model, texts=common_texts, coherence=measure)
    np.testing.assert_allclose(ours.per_topic, theirs, rtol=1e-9)
    assert ours.mean == pytest.approx(np.mean(theirs))
    assert ours.measure == measure


@pytest.mark.parametrize("measure", MEASURES)
def test_is_gensims_own_for_lists_of_words(measure):
    theirs = by_gensim(
        topics=TOPICS, texts=common_texts, dictionary=common_dictionary, coherence=measure
    )
    for dictionary in (None, common_dictionary):
        ours = coherence(TOPICS, texts=common_texts, dictionary=dictionary, measure=measure)
        np.testing.assert_allclose(ours.per_topic, theirs, rtol=1e-9)


def test_is_gensims_own_with_word_vectors_and_with_a_window(lda, vectors):
    ours = coherence(lda, keyed_vectors=vectors, measure="c_w2v", topn=12)
    theirs = by_gensim(lda, keyed_vectors=vectors, coherence="c_w2v", topn=12)
    np.testing.assert_allclose(ours.per_topic, theirs, rtol=1e-6)
    ours = coherence(lda, texts=common_texts, measure="c_npmi", topn=5, window_size=2)
    theirs = by_gensim(lda, texts=common_texts, coherence="c_npmi", window_size=2)
    np.testing.assert_allclose(ours.per_topic, theirs, rtol=1e-9)


@pytest.mark.parametrize(
    "form",
    [
        list,
        iter,
        lambda corpus: corpus2csc(corpus, num_terms=12),
        lambda corpus: sparse.coo_array(corpus2csc(corpus, num_terms=12)),
        lambda corpus: corpus2csc(corpus, num_terms=12).toarray(),
    ],
    ids=["list", "iterator", "csc_matrix", "coo_array", "ndarray"],
)
def test_u_mass_takes_every_form_of_corpus(lda, form):
    theirs = by_gensim(lda, corpus=common_corpus, coherence="u_mass")
    ours = coherence(lda, corpus=form(common_corpus), measure="u_mass", topn=5)
    np.testing.assert_allclose(ours.per_topic, theirs, rtol=1e-9)


def test_u_mass_counts_empty_documents_as_gensim_does(lda):
    texts, corpus = [[], *common_texts, []], [[], *common_corpus, []]
    theirs = by_gensim(lda, corpus=corpus, coherence="u_mass")
    for source in ({"texts": texts}, {"corpus": corpus}):
        ours = coherence(lda, **source, measure="u_mass", topn=5)
        np.testing.assert_allclose(ours.per_topic, theirs, rtol=1e-9)


@pytest.mark.parametrize("measure", WINDOWED)
def test_empty_texts_are_left_out_and_a_generator_serves(lda, measure):
    clean = coherence(lda, texts=common_texts, measure=measure, topn=5)
    texts = (iter(text) for text in [[], *common_texts, [], []])
    mixed = coherence(lda, texts=texts, measure=measure, topn=5)
    np.testing.assert_array_equal(mixed.per_topic, clean.per_topic)


def test_texts_without_any_word_of_the_topics_count_as_texts(lda):
    texts = [*common_texts, ["nothing", "of", "this"]]
    theirs = by_gensim(lda, texts=texts, coherence="c_npmi")
    ours = coherence(lda, texts=texts, measure="c_npmi", topn=5)
    np.testing.assert_allclose(ours.per_topic, theirs, rtol=1e-9)


def test_two_processes_do_not_hang_on_empty_texts():
    code = f"""
from gensim.test.utils import common_texts
from dnmf_topics.adapters.coherence import coherence
if __name__ == "__main__":
    texts = [[], *common_texts * 30, []] * 5
    alone, together = (coherence({TOPICS}, texts=texts, processes=n).per_topic for n in (1, 2))
    assert abs(alone - together).max() < 1e-12, (alone, together)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_words_that_no_text_has_are_left_out_and_logged(caplog):
    topics = [["human", "unicorn", "computer", "system"], ["unicorn", "dragon"]]
    dictionary = Dictionary([*common_texts, ["unicorn", "dragon"]])
    for measure in ("c_v", "c_uci", "c_npmi"):
        caplog.clear()
        ours = coherence(topics, texts=common_texts, dictionary=dictionary, measure=measure)
        known = coherence(TOPICS[:1], texts=common_texts, measure=measure)
        np.testing.assert_array_equal(ours.per_topic, [known.mean, np.nan])
        assert "3 words of the topics are in no text" in caplog.text


def test_words_without_a_vector_are_left_out(vectors):
    assert "human" not in vectors
    topics = [["human", "graph", "trees"], ["human", "graph"], ["graph", "trees"]]
    # gensim compares the one word that is left with itself, and says 1
    ours = coherence(topics, keyed_vectors=vectors, measure="c_w2v").per_topic
    np.testing.assert_array_equal(ours, [ours[2], np.nan, ours[2]])
    assert np.isfinite(ours[2])


@pytest.mark.parametrize("measure", MEASURES)
def test_a_topic_of_one_word_or_none_has_no_coherence(measure):
    ours = coherence([["graph"], *TOPICS, []], texts=common_texts, measure=measure)
    assert np.isnan(ours.per_topic).tolist() == [True, False, False, True]
    assert ours.mean == pytest.approx(ours.per_topic[1:3].mean())
    alone = coherence([["graph"]], texts=common_texts, measure=measure)
    assert np.isnan(alone.per_topic).tolist() == [True]
    assert np.isnan(alone.mean)


def test_a_topic_without_weights_has_no_coherence():
    weights = np.zeros((3, 12))
    weights[0, :4] = [4, 3, 2, 1]
    weights[2] = np.nan  # what Nmf makes of a topic of zeros
    ours = coherence(FakeModel(weights, common_dictionary), texts=common_texts, topn=3)
    words = [common_dictionary[term] for term in range(3)]
    expected = coherence([words], texts=common_texts).mean
    np.testing.assert_array_equal(ours.per_topic, [expected, np.nan, np.nan])


def test_only_topn_words_count_and_the_heaviest_first():
    weights = np.linspace(1, 2, 12)[None]
    model = FakeModel(weights, common_dictionary)
    heaviest = [common_dictionary[term] for term in range(11, -1, -1)]
    ours = coherence(model, texts=common_texts, measure="u_mass", topn=4)
    assert ours.mean == coherence([heaviest[:4]], texts=common_texts, measure="u_mass").mean
    longer = coherence([heaviest], texts=common_texts, measure="u_mass", topn=4)
    assert ours.mean == longer.mean


def test_ids_without_a_word_are_passed_over():
    words = {0: "human", 3: "computer", 7: "system"}
    weights = np.array([[3, 9, 9, 2, 9, 9, 9, 1, 9]])
    ours = coherence(FakeModel(weights, words), texts=common_texts, topn=3)
    assert ours.mean == coherence(TOPICS[:1], texts=common_texts).mean


def test_reading_does_not_write(lda):
    dictionary = Dictionary(common_texts)
    before = lda.get_topics().tobytes()
    coherence(lda, texts=common_texts, dictionary=dictionary, topn=5)
    assert dictionary.token2id == common_dictionary.token2id
    assert lda.get_topics().tobytes() == before


def test_the_value_is_frozen():
    value = coherence(TOPICS, texts=common_texts)
    with pytest.raises(AttributeError):
        value.mean = 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "c_x"}, "measure must be one of u_mass, c_v, c_w2v, c_uci, c_npmi, got 'c_x'"),
        ({"texts": None}, "texts must be given for c_v"),
        ({"texts": None, "measure": "c_w2v"}, "texts must be given for c_w2v"),
        ({"texts": None, "corpus": common_corpus}, "texts must be given for c_v"),
        ({"texts": None, "measure": "u_mass"}, "corpus or texts must be given for u_mass"),
        ({"texts": []}, "texts must have at least one word"),
        ({"texts": [[], []]}, "texts must have at least one word"),
        ({"texts": [[], []], "measure": "u_mass"}, "texts must have at least one word"),
        ({"topn": 13}, "topn must be at most 12, the number of words, got 13"),
        ({"topn": 1}, "topn must be at least 2, got 1"),
        ({"processes": 0}, "processes must be at least 1, got 0"),
        ({"window_size": 0}, "window_size must be at least 1, got 0"),
        ({"window_size": 5, "measure": "u_mass"}, "window_size must be None for u_mass"),
        ({"keyed_vectors": {}}, "keyed_vectors must be None for c_v"),
        ({"dictionary": {}}, "dictionary must map ids from 0 to 11"),
        ({"dictionary": common_dictionary.token2id}, "dictionary must map ids from 0 to 11"),
        ({"dictionary": dict.fromkeys(range(12), "word")}, "a different word for each id"),
        (
            {"corpus": corpus2csc(common_corpus).T, "measure": "u_mass"},
            "must have a row for each of the 12 terms",
        ),
    ],
)
def test_wrong_arguments_are_refused(lda, options, message):
    with pytest.raises(ValueError, match=message):
        coherence(lda, **({"texts": common_texts, "topn": 5} | options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"texts": ["human computer"]}, "texts must be lists of words, got 'human computer'"),
        ({"texts": "human computer"}, "texts must be lists of words"),
        ({"texts": [["human", None]]}, "texts must be lists of words"),
        ({"topn": True}, "topn must be a whole number"),
        ({"topn": 2.5}, "topn must be a whole number"),
        ({"dictionary": ["human", "computer"]}, "dictionary must be a gensim Dictionary or a dict"),
        ({"corpus": common_texts, "measure": "u_mass"}, "corpus must hold documents as lists"),
        (
            {"corpus": common_corpus[0], "measure": "u_mass"},
            "corpus must hold documents as lists",
        ),
        ({"model": object()}, "model must have the method get_topics, got object"),
        ({"model": ["human", "computer"]}, "topics must be lists of words, got 'human'"),
    ],
)
def test_wrong_types_are_refused(lda, options, message):
    options = {"model": lda, "texts": common_texts, "topn": 5} | options
    with pytest.raises(TypeError, match=message):
        coherence(options.pop("model"), **options)


def test_words_are_needed():
    nameless = LdaModel(common_corpus, 2)
    with pytest.raises(ValueError, match="dictionary must be given, because the model has no"):
        coherence(nameless, texts=common_texts, topn=5)
    named = coherence(nameless, texts=common_texts, dictionary=common_dictionary, topn=5)
    assert np.isfinite(named.mean)
    with pytest.raises(ValueError, match="dictionary must be given for topics as lists of words"):
        coherence(TOPICS, corpus=common_corpus, measure="u_mass")


def test_broken_topics_are_refused():
    for weights in (np.ones(12), np.ones((0, 12))):
        with pytest.raises(ValueError, match="must give a matrix with a row for each topic"):
            coherence(FakeModel(weights, common_dictionary), texts=common_texts)
    with pytest.raises(ValueError, match="must be finite"):
        coherence(FakeModel([[1.0, np.nan]], common_dictionary), texts=common_texts, topn=2)


def test_measuring_does_not_load_what_draws():
    code = (
        "import sys, dnmf_topics.adapters.coherence\n"
        "assert not {'pyLDAvis', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
