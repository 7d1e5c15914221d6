"""Data for pyLDAvis: its own tables where it has them, and every trap survived."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

import numpy as np
import pyLDAvis.gensim_models
import pytest
from fake_models import TOPICS, WORDS, Topics, WithInference, WithItems, documents_of
from gensim.corpora import Dictionary
from gensim.matutils import corpus2csc
from gensim.models import HdpModel, LdaModel, LsiModel, Nmf, TfidfModel
from gensim.test.utils import common_corpus, common_dictionary, common_texts
from scipy import sparse

from dnmf_topics.adapters.pyldavis import prepare
from dnmf_topics.adapters.topic_map import MAPS


def strict_json(prepared):
    """What a strict reader understands of it: no NaN, no infinity."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(prepared.to_json(), parse_constant=refuse)


def assert_whole(prepared, num_topics):
    """A point for each topic under its own number, words for each, and valid JSON."""
    strict_json(prepared)
    points = prepared.topic_coordinates
    assert points["topics"].tolist() == list(range(num_topics))
    assert prepared.topic_order == list(range(num_topics))
    assert points["x"].dtype == points["y"].dtype == float
    assert points["Freq"].sum() == pytest.approx(100)
    categories = {"Default"} | {f"Topic{topic}" for topic in range(num_topics)}
    assert set(prepared.topic_info["Category"]) == categories
    assert set(prepared.token_table["Topic"]) <= set(range(num_topics))


def assert_same(ours, theirs):
    for name in ("topic_coordinates", "topic_info", "token_table"):
        assert getattr(ours, name).to_dict("list") == getattr(theirs, name).to_dict("list"), name


def test_tables_are_those_of_pyldavis_where_it_works():
    lda = LdaModel(common_corpus, 4, common_dictionary, passes=5, random_state=0)
    start = lda.random_state.get_state()
    ours = prepare(lda, common_corpus)
    lda.random_state.set_state(start)
    theirs = pyLDAvis.gensim_models.prepare(
        lda, common_corpus, common_dictionary, sort_topics=False, start_index=0, n_jobs=1
    )
    for name, key in [("topic_info", ["Category", "Term"]), ("token_table", ["Topic", "Term"])]:
        our_rows = getattr(ours, name).set_index(key).sort_index()
        their_rows = getattr(theirs, name).set_index(key).sort_index()
        assert our_rows.index.equals(their_rows.index)
        np.testing.assert_allclose(our_rows, their_rows, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(
        ours.topic_coordinates["Freq"], theirs.topic_coordinates["Freq"], rtol=1e-5
    )
    np.testing.assert_allclose(
        ours.topic_coordinates[["x", "y"]].abs(), theirs.topic_coordinates[["x", "y"]].abs(),
        atol=1e-6,
    )  # fmt: skip


@pytest.mark.parametrize("make", [WithInference, WithItems])
def test_topics_keep_their_numbers_sizes_and_words(make):
    prepared = prepare(make(), documents_of(TOPICS))
    assert_whole(prepared, 3)
    for topic, row in enumerate(TOPICS):
        terms = prepared.sorted_terms(topic, _lambda=1)["Term"].tolist()
        assert terms[:3] == [WORDS[term] for term in np.argsort(-row)[:3]]
    # A topic's size: its share of each document, by the document's length, 1, 2 and 3 times.
    shares = TOPICS @ TOPICS.T / (TOPICS @ TOPICS.T).sum(axis=1, keepdims=True)
    sizes = (TOPICS.sum(axis=1) * [1, 2, 3]) @ shares
    np.testing.assert_allclose(prepared.topic_coordinates["Freq"], 100 * sizes / sizes.sum())


@pytest.mark.parametrize("make", [LdaModel, Nmf, HdpModel])
def test_gensims_models_serve(make):
    model = make(corpus=common_corpus, id2word=common_dictionary, random_state=0)
    assert_whole(prepare(model, common_corpus, lambda_step=0.5), len(model.get_topics()))


SPREAD = np.eye(9)[:5] * 9 + 1
TRAPS = {
    "duplicate topics": TOPICS[[0, 1, 1, 2, 0]],
    "nearly duplicate topics": np.vstack([SPREAD, SPREAD * (1 + 1e-9), SPREAD + 1e-12]),
    "only duplicates": TOPICS[[0, 0, 0, 0]],
    "a topic without words": np.vstack([TOPICS, np.zeros(9)]),
    "one topic": TOPICS[:1],
    "two topics": TOPICS[:2],
    "two equal topics": TOPICS[[0, 0]],
    "disjoint topics": np.eye(9)[:4] * 20,
    "more topics than words": np.vstack([np.eye(9) * 9, TOPICS]),
    "a word of no topic": TOPICS * (np.arange(9) != 4),
    "tiny weights": np.where(TOPICS > 0, 1, 1e-300),
}


@pytest.mark.parametrize("mds", MAPS)
@pytest.mark.parametrize("weights", TRAPS.values(), ids=TRAPS)
def test_traps_are_survived(weights, mds):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = documents_of(np.ceil(weights))
        prepared = prepare(WithInference(weights), corpus, mds=mds, lambda_step=0.25)
    assert_whole(prepared, len(weights))


def test_a_topic_of_nmf_without_words_is_survived():
    nmf = Nmf(common_corpus, 3, common_dictionary, random_state=0)
    nmf._W[:, 1] = 0  # get_topics() divides by this sum
    assert_whole(prepare(nmf, common_corpus), 3)


def test_a_document_without_topics_counts_for_all_alike():
    class Undecided(WithInference):
        def gamma(self, document):
            return np.zeros(len(self.weights))

    prepared = prepare(Undecided(), documents_of(TOPICS))
    np.testing.assert_allclose(prepared.topic_coordinates["Freq"], [100 / 3] * 3)


def test_a_topic_of_no_document_has_no_size():
    class Decided(WithInference):
        def gamma(self, document):
            return np.array([1.0, 0.0, 0.0])

    prepared = prepare(Decided(), documents_of(TOPICS))
    assert_whole(prepared, 3)
    np.testing.assert_allclose(prepared.topic_coordinates["Freq"], [100, 0, 0], atol=1e-9)


def test_a_single_word_in_a_single_document_is_enough():
    assert_whole(prepare(WithInference([[1]], ["sun"]), [[(0, 1)]]), 1)


@pytest.mark.parametrize(
    "form",
    [
        iter,
        lambda corpus: (iter(document) for document in corpus),
        lambda corpus: [[], *corpus, [], []],
        lambda corpus: [*corpus, [(99, 5)]],
        lambda corpus: corpus2csc(corpus, num_terms=9),
        lambda corpus: sparse.csr_array(corpus2csc(corpus, num_terms=9)),
        lambda corpus: sparse.coo_array(corpus2csc([*corpus, []], num_terms=9)),
        lambda corpus: corpus2csc(corpus, num_terms=9).toarray().astype(int),
    ],
    ids=["iterator", "generators", "empty documents", "unknown id", "csc", "csr", "coo", "dense"],
)
def test_every_form_of_corpus_gives_the_same(form):
    corpus = documents_of(TOPICS)
    assert_same(prepare(WithInference(), form(corpus)), prepare(WithInference(), corpus))


def test_ids_without_a_word_are_left_out():
    spaced = np.zeros((3, 20))
    spaced[:, 2::2] = TOPICS
    words = {2 + 2 * term: word for term, word in enumerate(WORDS)}
    corpus = [[(2 + 2 * t, n) for t, n in document] + [(3, 7)] for document in documents_of(TOPICS)]
    ours = prepare(WithInference(spaced, words), [*corpus, [(0, 3)]])
    assert_same(ours, prepare(WithInference(), documents_of(TOPICS)))


def test_words_that_never_occur_are_survived():
    dictionary = Dictionary([*common_texts, ["unicorn", "dragon"]])
    lda = LdaModel(common_corpus, 3, dictionary, random_state=0)
    prepared = prepare(lda, common_corpus)
    assert_whole(prepared, 3)
    assert "unicorn" in set(prepared.topic_info["Term"])


def test_a_weighted_corpus_counts_its_average_weight_as_one_word():
    weighted = list(TfidfModel(common_corpus)[common_corpus])
    lda = LdaModel(weighted, 2, common_dictionary, random_state=0)
    default = prepare(lda, weighted).topic_info.query("Category == 'Default'")
    num_weights = sum(map(len, weighted))
    assert num_weights - len(default) <= default["Freq"].sum() <= num_weights  # rounded down


def test_reading_does_not_write():
    model, dictionary = WithInference(), Dictionary([WORDS])
    matrix = sparse.csc_array(corpus2csc(documents_of(TOPICS), num_terms=9))
    matrix.data[3] = 0
    before = model.weights.copy(), dict(dictionary.token2id), matrix.data.copy()
    prepared = prepare(model, matrix, dictionary)
    strict_json(prepared)
    np.testing.assert_array_equal(model.weights, before[0])
    assert dictionary.token2id == before[1]
    np.testing.assert_array_equal(matrix.data, before[2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mds": "umap"}, "mds must be one of pcoa, mmds, tsne, got 'umap'"),
        ({"topn": 0}, "topn must be from 1 to 30, got 0"),
        ({"topn": 31}, "topn must be from 1 to 30, got 31"),
        ({"lambda_step": 0}, "lambda_step must be above 0 and up to 1, got 0"),
        ({"lambda_step": 2}, "lambda_step must be above 0 and up to 1, got 2"),
        ({"corpus": []}, "corpus must have at least one word of the model"),
        ({"corpus": [[], [(50, 1)]]}, "corpus must have at least one word of the model"),
        ({"corpus": [[(0, -1)]]}, "corpus must have finite weights from 0"),
        ({"corpus": [[(0, np.nan)]]}, "corpus must have finite weights from 0"),
        ({"corpus": np.ones((4, 9))}, "must have a row for each of the 9 terms"),
        ({"dictionary": {"sun": 0}}, "dictionary must map ids from 0 to 8"),
    ],
)
def test_wrong_arguments_are_refused(options, message):
    options = {"model": WithInference(), "corpus": documents_of(TOPICS)} | options
    with pytest.raises(ValueError, match=message):
        prepare(options.pop("model"), options.pop("corpus"), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topn": 2.0}, "topn must be a whole number, got 2.0"),
        ({"lambda_step": "0.1"}, "lambda_step must be a number, got '0.1'"),
    ],
)
def test_wrong_types_are_refused(options, message):
    with pytest.raises(TypeError, match=message):
        prepare(WithInference(), documents_of(TOPICS), **options)


def test_models_that_do_not_fit_are_refused():
    lsi = LsiModel(common_corpus, 3, common_dictionary)
    with pytest.raises(ValueError, match=r"get_topics\(\) must be finite and at least 0"):
        prepare(lsi, common_corpus)
    with pytest.raises(TypeError, match="model must have the method get_topics, got object"):
        prepare(object(), common_corpus)
    with pytest.raises(TypeError, match="model must have inference, get_document_topics or"):
        prepare(Topics(), documents_of(TOPICS))
    with pytest.raises(ValueError, match="dictionary must be given, because the model has no"):
        prepare(LdaModel(common_corpus, 2), common_corpus)

    class OneTopicMore(WithInference):
        def gamma(self, document):
            return np.ones(len(self.weights) + 1)

    with pytest.raises(ValueError, match=r"column for each of 3 topics, got shape \(6, 4\)"):
        prepare(OneTopicMore(), documents_of(TOPICS))


def test_importing_does_not_switch_on_the_warnings_of_others():
    code = (
        "import warnings, dnmf_topics.adapters.pyldavis\n"
        "assert ('always', None, DeprecationWarning, None, 0) not in warnings.filters"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
