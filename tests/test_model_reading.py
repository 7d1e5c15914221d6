"""Reading never writes, is repeatable, and takes documents in all the forms that users have."""

from __future__ import annotations

import io
from collections.abc import Iterator

import joblib
import numpy as np
import pandas as pd
import pytest
from gensim.corpora import MmCorpus
from gensim.matutils import Sparse2Corpus, corpus2csc
from gensim.models import LdaModel, Nmf, TfidfModel
from gensim.test.utils import common_corpus, common_dictionary, common_texts
from lee import lee
from scipy import sparse

from dnmf_topics import DnmfModel

WORDS = dict(common_dictionary.items())
NUM_TERMS = len(WORDS)
DOCUMENT = common_corpus[3]


def fitted(cls=DnmfModel, num_topics=3, corpus=common_corpus, **options):
    return cls(corpus, num_topics=num_topics, id2word=WORDS, random_state=0, **options)


@pytest.fixture(scope="module")
def model():
    return fitted()


# --- reading never writes


def saved(model):
    file = io.BytesIO()
    model.save(file)
    return file.getvalue()


def tree_of(model):
    """None for a model that has no documents to make it of."""
    return model.hierarchy() if model.state.numdocs else None


def over_time(model, years, corpus):
    return model.topics_over_time(years, corpus) if model.cluster_labels.size else None


def by_class(model, labels, corpus):
    return model.topics_per_class(list(labels), corpus) if model.cluster_labels.size else None


READERS = {
    "get_settings": [lambda model: model.get_settings()],
    "__getitem__": [
        lambda model: model[DOCUMENT],
        lambda model: model[[]],
        lambda model: list(model[common_corpus]),
        lambda model: model[common_corpus][4],
        lambda model: list(model[common_corpus][2:5]),
    ],
    "__str__": [str],
    "bound": [
        lambda model: model.bound(common_corpus),
        lambda model: model.bound(common_corpus, model.inference(common_corpus)[0], 2.0),
    ],
    "diff": [
        lambda model: model.diff(model),
        lambda model: model.diff(fitted(LdaModel), "jaccard", 5, annotation=False),
        lambda model: model.diff(fitted(num_topics=model.num_topics), diagonal=True),
    ],
    "doc_topics": [lambda model: model.doc_topics()],
    "get_document_info": [
        lambda model: model.get_document_info(),
        lambda model: model.get_document_info(common_corpus, full=True),
    ],
    "get_document_topics": [
        lambda model: model.get_document_topics(DOCUMENT, 0, 0, per_word_topics=True),
        lambda model: list(model.get_document_topics(common_corpus, 0.5)),
        lambda model: list(model.get_document_topics(common_corpus, 0.5, 0.5, True)),
    ],
    "get_representative_docs": [lambda model: model.get_representative_docs(1, 2)],
    "get_view_info": [lambda model: model.get_view_info()],
    "get_term_topics": [
        lambda model: model.get_term_topics(2),
        lambda model: model.get_term_topics("graph", 0),
    ],
    "get_topic_info": [lambda model: model.get_topic_info()],
    "get_topic_terms": [lambda model: model.get_topic_terms(1, None)],
    "get_word_distributions": [lambda model: model.get_word_distributions()],
    "get_topics": [lambda model: model.get_topics()],
    "hierarchy": [
        lambda model: str(tree_of(model)),
        lambda model: tree_of(model) and tree_of(model).to_frame(),
        lambda model: tree_of(model) and tree_of(model).linkage(),
    ],
    "inference": [
        lambda model: model.inference(common_corpus),
        lambda model: model.inference(common_corpus, collect_sstats=True),
    ],
    "init_dir_prior": [
        lambda model: model.init_dir_prior("asymmetric", "alpha"),
        lambda model: model.init_dir_prior(model.eta, "eta"),
    ],
    "log_perplexity": [lambda model: model.log_perplexity(common_corpus)],
    "merge_topics": [lambda model: model.state.numdocs and saved(model.merge_topics([[0, 1]]))],
    "print_topic": [lambda model: model.print_topic(1)],
    "print_topics": [lambda model: model.print_topics(2)],
    "reduce_topics": [lambda model: model.state.numdocs and saved(model.reduce_topics(2))],
    "save": [saved],
    "subtopics": [
        lambda model: model.state.numdocs and saved(model.subtopics(0, 1, common_corpus)),
    ],
    "show_topic": [lambda model: model.show_topic(1)],
    "show_topics": [
        lambda model: model.show_topics(),
        lambda model: model.show_topics(2, 5, log=True, formatted=False),
    ],
    "state": [
        lambda model: model.state.get_lambda(),
        lambda model: model.state.get_Elogbeta(),
        lambda model: model.state.idf(),
    ],
    "top_topics": [
        lambda model: model.top_topics(common_corpus, topn=4),
        lambda model: model.top_topics(
            texts=common_texts, dictionary=common_dictionary, coherence="c_v", topn=4
        ),
    ],
    "topic_names": [lambda model: model.topic_names],
    "topic_order": [lambda model: model.topic_order()],
    "topics_over_time": [lambda model: over_time(model, range(1987, 1996), common_corpus)],
    "topics_per_class": [lambda model: by_class(model, "aaabbbccc", common_corpus)],
}
WRITERS = {
    "add_lifecycle_event", "clear", "do_estep", "do_mstep", "load", "refine", "sync_state",
    "update", "update_alpha", "update_eta",
}  # fmt: skip


def loaded(tmp_path):
    fitted().save(str(tmp_path / "model"), sep_limit=0)
    return DnmfModel.load(str(tmp_path / "model"), mmap="r")


MODELS = {
    "bdnmf": lambda _: fitted(),
    "sdnmf": lambda _: fitted(variant="sdnmf"),
    "bdnmf, two topics": lambda _: fitted(variant="bdnmf", num_topics=2, per_word_topics=True),
    "cdnmf, weighted": lambda _: fitted(
        variant="cdnmf", corpus=TfidfModel(common_corpus)[common_corpus]
    ),
    "more topics than documents": lambda _: fitted(num_topics=12, alpha="auto", eta="auto"),
    "untrained": lambda _: DnmfModel(num_topics=3, id2word=WORDS, random_state=0),
    "mapped from a file": loaded,
}


def own_arrays(result) -> Iterator[np.ndarray]:
    if isinstance(result, np.ndarray):
        yield result
    elif isinstance(result, tuple):
        for part in result:
            yield from own_arrays(part)


@pytest.mark.parametrize("kind", MODELS)
def test_reading_never_writes_and_gives_the_same_twice(kind, tmp_path):
    model = MODELS[kind](tmp_path)
    # The hash of all that the model is made of: its arrays, its state's, its random generator's.
    before = joblib.hash(model)
    for name, calls in READERS.items():
        for number, read in enumerate(calls):
            first = read(model)
            assert joblib.hash(model) == before, (name, number)
            hashed = joblib.hash(first)
            for array in own_arrays(first):
                array[...] = -1  # what was returned is the reader's own
            assert joblib.hash(model) == before, (name, number)
            assert joblib.hash(read(model)) == hashed, (name, number)


def test_the_hash_tells_when_something_is_written():
    model = fitted()
    before = joblib.hash(model)
    for write in [
        lambda: model.expElogbeta.__setitem__((0, 0), model.expElogbeta[0, 0] + 1e-12),
        lambda: model.state.sstats.__setitem__((0, 0), 7),
        lambda: model.random_state.rand(),
        lambda: setattr(model, "minimum_probability", 0.5),
    ]:
        whole = joblib.hash(model)
        write()
        assert joblib.hash(model) != whole
    assert joblib.hash(fitted()) == before


def test_the_table_of_readers_has_every_public_method():
    public = {
        name
        for name in dir(DnmfModel)
        if not name.startswith("_") and callable(getattr(DnmfModel, name))
    }
    assert public == (READERS.keys() - {"__getitem__", "__str__", "state", "topic_names"}) | WRITERS


# --- gensim's faults, shown in gensim's own classes


def reading_changes_topics(model):
    before = joblib.hash(model)
    model.get_topic_terms(0)
    model.get_term_topics(2)
    return joblib.hash(model) != before


def a_selection_of_topics_is_drawn(model):
    return len({tuple(topic for topic, _ in model.show_topics(3)) for _ in range(3)}) > 1


def a_document_has_two_answers(model):
    return model[DOCUMENT] != model[DOCUMENT]


def a_limit_stays_on_the_model(model):
    model.get_document_topics(common_corpus, minimum_probability=0.5)
    return model.minimum_probability != 0.01


def another_class_makes_diff_fail(model):
    with pytest.raises((AttributeError, ValueError)) as raised:
        model.diff([])
    return raised.type is AttributeError


@pytest.mark.parametrize(
    ("has_fault", "gensims"),
    [
        (reading_changes_topics, Nmf),
        (a_selection_of_topics_is_drawn, LdaModel),
        (a_document_has_two_answers, LdaModel),
        (a_limit_stays_on_the_model, LdaModel),
        (another_class_makes_diff_fail, LdaModel),
    ],
)
def test_a_fault_of_gensim_is_not_here(has_fault, gensims):
    assert has_fault(fitted(gensims, 8))
    assert not has_fault(fitted(DnmfModel, 8))


# --- what comes out


def test_topics_are_shown_by_size_and_number():
    labels = np.array([0, 1, 1, 2, 2, 2, 3, 3, 1])
    model = fitted(num_topics=4, deep_model=labels)
    shown = model.show_topics(formatted=False)
    # As in LdaModel, all of them are at the places of their numbers.
    assert [topic for topic, _ in shown] == [0, 1, 2, 3]
    assert [topic for topic, _ in model.show_topics(-1)] == [0, 1, 2, 3]
    assert [topic for topic, _ in model.show_topics(2)] == [1, 2]
    assert [topic for topic, _ in model.show_topics(3)] == [1, 2, 3]
    assert model.show_topics(0) == []
    for topic, words in shown:
        assert words == model.show_topic(topic)
        weights = [weight for _, weight in words]
        assert weights == sorted(weights, reverse=True)
    text = model.show_topics(1, 2)[0][1]
    assert text == " + ".join(f'{weight:.3f}*"{word}"' for word, weight in shown[1][1][:2])
    assert model.print_topics(1, 2) == [(1, text)]
    assert model.print_topic(1, 2) == text


def test_equally_probable_words_come_in_the_order_of_their_ids():
    corpus = [[(term, 1) for term in range(start, 500, 2)] for start in (0, 1)]
    model = DnmfModel(corpus, 2, deep_model=np.array([0, 1]))
    even, odd = (list(range(start, 500, 2)) for start in (0, 1))
    assert [term for term, _ in model.get_topic_terms(0, None)] == even + odd
    assert [word for word, _ in model.show_topic(1, None)] == [str(term) for term in odd + even]


def test_topics_of_a_word_come_the_most_probable_first(model):
    topics = model.get_topics()
    for term, word in WORDS.items():
        found = model.get_term_topics(term, 0)
        assert found == sorted(enumerate(topics[:, term]), key=lambda pair: -pair[1])
        assert model.get_term_topics(word, 0) == found
        assert model.get_term_topics(term, 0.1) == [pair for pair in found if pair[1] >= 0.1]
        assert model.get_term_topics(term) == [pair for pair in found if pair[1] >= 0.01]


@pytest.mark.parametrize("coherence", ["u_mass", "c_v", "c_npmi"])
def test_the_most_coherent_topics_come_first(model, coherence):
    texts = [*common_texts, []]
    found = model.top_topics(common_corpus, texts, common_dictionary, coherence=coherence, topn=4)
    assert len(found) == 3
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 1
    words = [[(weight, word) for word, weight in model.show_topic(k, 4)] for k in range(3)]
    assert sorted(topic for topic, _ in found) == sorted(words)


@pytest.mark.filterwarnings("ignore::RuntimeWarning:gensim")
def test_topics_without_a_coherence_come_last():
    labels = [1, 1, 2, 2, 1, 0, 0, 0, 0]
    model = fitted(deep_model=np.array(labels))
    texts = common_texts[:5]  # none has a word of topic 0
    found = model.top_topics(texts=texts, dictionary=common_dictionary, coherence="c_v", topn=4)
    (_, first), (_, second), (last_topic, last) = found
    assert first > second
    assert np.isnan(last)
    assert [word for _, word in last_topic] == [word for word, _ in model.show_topic(0, 4)]


def test_ids_are_ints_and_weights_float64(model):
    topics, word_topics, word_shares = model.get_document_topics(DOCUMENT, 0, 0, True)
    shown = [pair for _, words in model.show_topics(formatted=False) for pair in words]
    pairs = [
        *topics,
        *[pair for _, shares in word_shares for pair in shares],
        *model[DOCUMENT],
        *[pair for document in model[common_corpus] for pair in document],
        *model.get_term_topics(2, 0),
        *model.get_topic_terms(1),
    ]
    ids = [first for first, _ in pairs]
    ids += [term for term, _ in word_topics + word_shares]
    ids += [topic for _, ranked in word_topics for topic in ranked]
    ids += [topic for topic, _ in model.show_topics()]
    ids += model.topic_order() + model.get_representative_docs(0)
    weights = [weight for _, weight in pairs + shown + model.show_topic(1)]
    top_topics = model.top_topics(common_corpus)
    weights += [weight for topic, _ in top_topics for weight, _ in topic]
    assert {type(number) for number in ids} == {int}
    assert {type(number) for number in weights} == {np.float64}
    assert {type(score) for _, score in top_topics} == {float}
    assert {type(word) for word, _ in shown} == {str}
    arrays = [model.get_topics(), model.doc_topics(), *model.inference(common_corpus, True)]
    assert {array.dtype for array in arrays} == {np.dtype(np.float64)}


def test_shares_sum_to_1_however_they_are_asked_for(model):
    gamma, nothing = model.inference(common_corpus)
    assert nothing is None
    shares = gamma / gamma.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(shares, model.doc_topics())
    for document, row in zip(common_corpus, shares, strict=True):
        full = model.get_document_topics(document, minimum_probability=0)
        assert full == list(enumerate(row))
        assert sum(row) == pytest.approx(1, abs=1e-12)
        assert model[document] == [(k, share) for k, share in full if share >= 0.01]
        assert model.get_document_topics(document, 0.4) == [pair for pair in full if pair[1] >= 0.4]
        kept, _, _ = model.get_document_topics(document, 0.4, per_word_topics=True)
        assert kept == model.get_document_topics(document, 0.4)
    assert list(model[common_corpus]) == [model[document] for document in common_corpus]
    assert list(model.get_document_topics(common_corpus, 0)) == [
        list(enumerate(row)) for row in shares
    ]
    assert (shares.argmax(axis=1) == model.cluster_labels).all()


def test_no_topic_is_hidden_where_the_limit_is_0():
    model = fitted(
        num_topics=12, alpha=1e-9, minimum_probability=0, minimum_phi_value=0, per_word_topics=True
    )
    for document in common_corpus:
        topics, word_topics, word_shares = model[document]
        assert [topic for topic, _ in topics] == list(range(12))
        # Nine documents: the last topics have none, and nothing but the prior.
        length = sum(count for _, count in document)
        assert [share for _, share in topics[9:]] == pytest.approx([1e-9 / length] * 3)
        assert all(sorted(ranked) == list(range(12)) for _, ranked in word_topics)
        for (term, count), (word, shares) in zip(document, word_shares, strict=True):
            assert word == term
            assert sum(share for _, share in shares) == pytest.approx(count)


def test_topics_of_words_are_ranked_and_limited(model):
    orders = set()
    # The last one is about everything, and so are its words.
    for document in [*common_corpus, [(term, 3) for term in range(len(common_dictionary))]]:
        _, word_topics, word_shares = model.get_document_topics(document, 0, 0.2, True)
        assert [word for word, _ in word_topics] == [term for term, _ in document]
        for (word, ranked), (same_word, shares) in zip(word_topics, word_shares, strict=True):
            assert word == same_word
            assert all(share >= 0.2 for _, share in shares)
            by_share = sorted(shares, key=lambda pair: -pair[1])
            assert ranked == [topic for topic, _ in by_share]
            orders.add(tuple(ranked))
    assert any(list(order) != sorted(order) for order in orders)
    assert {1, 3} <= {len(order) for order in orders}


@pytest.mark.parametrize("alpha", ["symmetric", "asymmetric", [0.2, 0.5, 0.3], "auto"])
def test_a_document_without_a_word_has_the_prior(alpha):
    in_all = [[*document, (NUM_TERMS, 1)] for document in common_corpus]
    words = WORDS | {NUM_TERMS: "everywhere"}
    model = DnmfModel(in_all, 3, words, alpha=alpha, random_state=0)
    prior = list(enumerate(model.alpha / model.alpha.sum()))
    assert model[[]] == model[[(3, 0)]] == model[[(NUM_TERMS, 4)]] == prior
    assert list(model[[[], DOCUMENT]]) == [prior, model[DOCUMENT]]
    np.testing.assert_array_equal(model.inference([[]])[0], [model.alpha])
    assert model[DOCUMENT] != prior


def test_unknown_words_are_ignored_with_one_warning():
    model = fitted(chunksize=2)
    unknown = [[*document, (NUM_TERMS, 2), (10**12, 1), (-1, 3)] for document in common_corpus]
    message = "Term ids that the model's vocabulary does not have are ignored"

    def warned(read):
        with pytest.warns(UserWarning, match=message) as record:
            result = read()
        assert len(record) == 1
        return result

    assert warned(lambda: model[unknown[3]]) == model[DOCUMENT]
    assert warned(lambda: list(model[unknown])) == list(model[common_corpus])
    gamma, _ = warned(lambda: model.inference(unknown))
    np.testing.assert_array_equal(gamma, model.inference(common_corpus)[0])
    assert warned(lambda: model.bound(unknown)) == model.bound(common_corpus)
    assert warned(lambda: model.log_perplexity(unknown)) == model.log_perplexity(common_corpus)
    assert warned(lambda: model[[(NUM_TERMS, 1)]]) == model[[]]
    table = warned(lambda: model.get_document_info(unknown))
    pd.testing.assert_frame_equal(table, model.get_document_info(common_corpus))


# --- what goes in


def mm_corpus(corpus, folder):
    MmCorpus.serialize(str(folder / "corpus.mm"), corpus)
    return MmCorpus(str(folder / "corpus.mm"))


class Stream:
    """A corpus with nothing but an iterator."""

    def __init__(self, corpus):
        self.corpus = corpus

    def __iter__(self):
        return iter(self.corpus)


def repeated(document):
    return [(term, 1) for term, count in document for _ in range(int(count))]


def as_csc(corpus):
    return corpus2csc(corpus, num_terms=NUM_TERMS)


# A corpus in all the forms that users bring: of its documents, and a folder for files.
FORMS = {
    "csc_matrix": lambda corpus, _: as_csc(corpus),
    "csr_matrix": lambda corpus, _: as_csc(corpus).tocsr(),
    "csc_array": lambda corpus, _: sparse.csc_array(as_csc(corpus)),
    "csr_array": lambda corpus, _: sparse.csr_array(as_csc(corpus)),
    "coo_array": lambda corpus, _: sparse.coo_array(as_csc(corpus)),
    "integers": lambda corpus, _: sparse.csc_array(as_csc(corpus)).astype(np.int64),
    "generator": lambda corpus, _: (document for document in corpus),
    "stream": lambda corpus, _: Stream(corpus),
    "tuple": lambda corpus, _: tuple(map(tuple, corpus)),
    "MmCorpus": mm_corpus,
    "Sparse2Corpus": lambda corpus, _: Sparse2Corpus(as_csc(corpus)),
    "arrays": lambda corpus, _: [np.array(document) for document in corpus],
    "arrays of floats": lambda corpus, _: [np.array(document, float) for document in corpus],
    "numpy numbers": lambda corpus, _: [
        [(np.int32(term), np.float32(count)) for term, count in document] for document in corpus
    ],
    "unsorted ids": lambda corpus, _: [document[::-1] for document in corpus],
    "repeated ids": lambda corpus, _: [repeated(document) for document in corpus],
    "explicit zeros": lambda corpus, _: [[(0, 0), *document] for document in corpus],
}
COUNTED = [*common_corpus[:-1], [(term, count + term % 3) for term, count in common_corpus[-1]]]


@pytest.mark.parametrize("form", FORMS)
def test_a_corpus_reads_alike_in_every_form(model, form, tmp_path):
    def corpus():
        return FORMS[form](COUNTED, tmp_path)

    expected, _ = model.inference(COUNTED)
    gamma, _ = model.inference(corpus())
    np.testing.assert_allclose(gamma, expected, rtol=1e-12)
    shares = expected / expected.sum(axis=1, keepdims=True)
    for topics, row in zip(model.get_document_topics(corpus(), 0), shares, strict=True):
        assert [topic for topic, _ in topics] == [0, 1, 2]
        np.testing.assert_allclose([share for _, share in topics], row, rtol=1e-12)
    assert model.bound(corpus()) == pytest.approx(model.bound(COUNTED), rel=1e-12)
    assert model.log_perplexity(corpus()) == pytest.approx(model.log_perplexity(COUNTED), rel=1e-12)
    table = model.get_document_info(corpus(), full=True)
    pd.testing.assert_frame_equal(table, model.get_document_info(COUNTED, full=True), rtol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_a_corpus_trains_alike_in_every_form_and_stays_as_it_is(form, tmp_path):
    corpus = FORMS[form](COUNTED, tmp_path)
    is_generator = isinstance(corpus, Iterator)
    before = None if is_generator else joblib.hash(corpus)
    trained = fitted(corpus=corpus)
    expected = fitted(corpus=COUNTED)
    np.testing.assert_array_equal(trained.get_topics(), expected.get_topics())
    np.testing.assert_array_equal(trained.cluster_labels, expected.cluster_labels)
    trained.update(FORMS[form](COUNTED[:3], tmp_path))
    expected.update(COUNTED[:3])
    np.testing.assert_array_equal(trained.get_topics(), expected.get_topics())
    assert is_generator or joblib.hash(corpus) == before


@pytest.mark.parametrize("form", ["csc_matrix", "csr_array", "tuple", "MmCorpus", "Sparse2Corpus"])
def test_topics_of_a_corpus_have_a_length_places_and_slices(model, form, tmp_path):
    topics = model[FORMS[form](COUNTED, tmp_path)]
    expected = [model[document] for document in COUNTED]
    assert list(topics) == list(topics) == expected
    assert len(topics) == len(COUNTED)
    assert topics[4] == expected[4]
    if form != "Sparse2Corpus":  # which has no negative places
        assert topics[-1] == expected[-1]
    assert list(topics[2:5]) == expected[2:5]


@pytest.mark.parametrize("document", [DOCUMENT[::-1], tuple(DOCUMENT), np.array(DOCUMENT, float)])
def test_a_document_reads_alike_in_every_form(model, document):
    np.testing.assert_allclose(model[document], model[DOCUMENT], rtol=1e-12)


def test_a_generator_of_documents_is_read_once_and_in_chunks():
    model = fitted(chunksize=2)
    read = []

    def documents():
        for number, document in enumerate(common_corpus):
            read.append(number)
            yield document

    topics = iter(model[documents()])
    assert next(topics) == model[common_corpus[0]]
    assert len(read) <= 3
    assert list(topics) == [model[document] for document in common_corpus[1:]]
    assert read == list(range(len(common_corpus)))


# --- the same seed


@pytest.fixture(scope="module")
def lee_model():
    _, dictionary, corpus = lee()
    return DnmfModel(corpus, 10, dictionary, random_state=0, n_jobs=1)


def arrays_of(model):
    learnt = model._learnt
    return {
        name: value
        for part in (learnt, learnt.topics, learnt.documents)
        for name, value in vars(part).items()
        if isinstance(value, np.ndarray)
    }


@pytest.mark.parametrize("random_state", [0, np.random.RandomState(0)], ids=["int", "RandomState"])
def test_the_same_seed_gives_the_same_bits_with_one_and_two_threads(lee_model, random_state):
    _, dictionary, corpus = lee()
    again = DnmfModel(corpus, 10, dictionary, random_state=random_state, n_jobs=2)
    arrays = arrays_of(lee_model)
    assert {"expElogbeta", "cluster_labels", "doc_topics"} <= arrays.keys()
    for name, array in arrays_of(again).items():
        np.testing.assert_array_equal(array, arrays[name], err_msg=name)
    assert joblib.hash(again.state) == joblib.hash(lee_model.state)
    assert joblib.hash(again.random_state) == joblib.hash(lee_model.random_state)


def test_another_seed_gives_other_topics(lee_model):
    _, dictionary, corpus = lee()
    other = DnmfModel(corpus, 10, dictionary, random_state=1)
    assert (other.cluster_labels != lee_model.cluster_labels).any()
    assert np.abs(other.get_topics() - lee_model.get_topics()).max() > 0.001


@pytest.mark.parametrize("variant", ["bdnmf", "cdnmf"])
def test_other_variants_do_not_depend_on_threads_either(variant):
    _, dictionary, corpus = lee()
    one, two = (
        DnmfModel(
            corpus, 4, dictionary, random_state=3, n_jobs=n_jobs, variant=variant,
            num_clusterings=40,
        )
        for n_jobs in (1, 2)
    )  # fmt: skip
    np.testing.assert_array_equal(one.get_topics(), two.get_topics())


def test_most_training_documents_find_their_cluster_again(lee_model):
    _, _, corpus = lee()
    gamma, _ = lee_model.inference(corpus)
    assert (gamma.argmax(axis=1) == lee_model.cluster_labels).mean() >= 0.95
