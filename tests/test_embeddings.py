"""Models of documents with vectors: planted problems, updates, files, and what is refused."""

from __future__ import annotations

import copy
import io

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from trained import as_bow, file_of

from dnmf_topics import DnmfModel, storage
from dnmf_topics.core import Mbn, deep

NUM_DOCS, NUM_DIMENSIONS = 240, 8
EMPTY = [3, 77]  # documents without words
BLANK = [5, 100]  # without a vector
NOTHING = 9  # with neither


def halves(seed=0):
    """Counts, vectors and classes: words tell 0 from 1 and 2 from 3, vectors 0, 1 from 2, 3.

    The words of the classes 0 and 2 are the same, those of 1 and 3 too.
    """
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.repeat(np.arange(4), NUM_DOCS // 4))
    words = np.kron(np.eye(2), np.ones(12))[classes % 2]
    rates = np.hstack([1.2 * words, np.full((NUM_DOCS, 10), 0.4)])
    counts = rng.poisson(rates)
    centers = rng.standard_normal((2, NUM_DIMENSIONS))
    vectors = centers[classes // 2] + 0.4 * rng.standard_normal((NUM_DOCS, NUM_DIMENSIONS))
    counts[EMPTY] = 0
    vectors[BLANK] = 0
    counts[NOTHING], vectors[NOTHING] = 0, 0
    return sparse.csr_array(counts), vectors, classes


COUNTS, VECTORS, CLASSES = halves()
CORPUS = as_bow(COUNTS)
BOTH = np.setdiff1d(np.arange(NUM_DOCS), [*EMPTY, *BLANK, NOTHING])
SMALL = {"num_clusterings": 40, "random_state": 0}


def train(counts=COUNTS, vectors=VECTORS, num_topics=4, **options):
    return DnmfModel(counts.T, num_topics, embeddings=vectors, **{**SMALL, **options})


@pytest.fixture(scope="module")
def model():
    return train()


def agreement(labels, classes=CLASSES):
    return adjusted_rand_score(classes, labels)


def test_words_and_vectors_know_half_each_and_all_together(model):
    assert agreement(model.cluster_labels[BOTH], CLASSES[BOTH]) > 0.9
    words = DnmfModel(COUNTS.T, 4, **SMALL)
    assert agreement(words.cluster_labels[BOTH], CLASSES[BOTH]) < 0.6
    # Of the same word in all documents there is nothing to learn.
    alike = sparse.csr_array(np.ones((NUM_DOCS, 1)))
    vectors = train(alike, weighting="none")
    assert agreement(vectors.cluster_labels[BOTH], CLASSES[BOTH]) < 0.6


def test_all_documents_have_a_topic(model):
    labels, sides = model.cluster_labels, CLASSES // 2
    assert labels.shape == (NUM_DOCS,)
    side_of = {
        topic: np.bincount(sides[BOTH][labels[BOTH] == topic]).argmax() for topic in range(4)
    }
    # By the vector where there are no words, by words where there is no vector.
    assert [side_of[labels[doc]] for doc in EMPTY] == sides[EMPTY].tolist()
    words_of = {
        topic: np.bincount(CLASSES[BOTH][labels[BOTH] == topic] % 2).argmax() for topic in range(4)
    }
    assert [words_of[labels[doc]] for doc in BLANK] == (CLASSES[BLANK] % 2).tolist()
    assert labels[NOTHING] == np.bincount(labels).argmax()
    confidence = model.get_document_info()["confidence"]
    assert (confidence[EMPTY] > 0.4).all()
    assert np.flatnonzero(confidence == 0).tolist() == [NOTHING]
    assert model.get_topic_info()["size"].sum() == model.state.topic_sizes.sum() == NUM_DOCS - 1
    assert confidence[BOTH].median() > 0.9


def test_tables_words_and_shares_are_there_as_ever(model):
    info = model.get_topic_info(topn=4)
    assert info["size"].tolist() == sorted(info["size"], reverse=True)
    assert model.doc_topics().shape == (NUM_DOCS, 4)
    assert model.doc_embedding.shape == (NUM_DOCS, 4)
    assert not model.doc_embedding[BLANK].any()
    assert model.doc_embedding[EMPTY].any(axis=1).all()
    views = model.get_view_info()
    assert set(views["view"]) == {"joint"}
    assert views["layer_size"][1] is None
    assert views["information"][views["taken"]].tolist() == [views["information"].max()]
    assert model.get_settings()["embeddings"] == NUM_DIMENSIONS
    assert model.get_settings()["mixing_rounds"] == 0
    assert len(str(model.hierarchy()).splitlines()) >= 4


def test_unseen_documents_with_and_without_vectors(model):
    with_vectors = model.get_document_info(CORPUS, embeddings=VECTORS)
    assert (with_vectors["topic"] == model.cluster_labels).mean() > 0.97
    of_training = model.get_document_info()["confidence"]
    np.testing.assert_allclose(with_vectors["confidence"][BOTH], of_training[BOTH], atol=1e-9)
    assert np.flatnonzero(with_vectors["confidence"] == 0).tolist() == [NOTHING]
    by_words = model.get_document_info(CORPUS)
    assert np.flatnonzero(by_words["confidence"] == 0).tolist() == sorted([*EMPTY, NOTHING])
    assert agreement(by_words["topic"][BOTH], CLASSES[BOTH]) < 0.7
    # Shares are parts of the words.
    full = [
        model.get_document_info(CORPUS, full=True, **each) for each in ({}, {"embeddings": VECTORS})
    ]
    np.testing.assert_array_equal(full[0][[0, 1, 2, 3]], full[1][[0, 1, 2, 3]])


def test_chunks_change_nothing(model):
    whole = model.get_document_info(COUNTS.T, embeddings=VECTORS)
    parts = copy.copy(model)
    parts.chunksize = 7
    assert whole.equals(parts.get_document_info(COUNTS.T, embeddings=VECTORS))


def test_lengths_and_types_of_vectors_do_not_matter(model):
    lengths = np.random.default_rng(1).uniform(0.1, 10, (NUM_DOCS, 1))
    other = train(vectors=(VECTORS * lengths).astype(np.float64))
    assert agreement(other.cluster_labels, model.cluster_labels) > 0.95
    lists = train(vectors=VECTORS.tolist())
    np.testing.assert_array_equal(lists.cluster_labels, model.cluster_labels)
    column = train(vectors=pd.DataFrame({"vector": list(VECTORS)})["vector"])
    np.testing.assert_array_equal(column.cluster_labels, model.cluster_labels)
    whole = np.rint(VECTORS * 1000).astype(np.int32)
    assert agreement(train(vectors=whole).cluster_labels, model.cluster_labels) > 0.9


def test_threads_and_files_change_nothing(model, tmp_path):
    for options in ({"n_jobs": 1}, {"n_jobs": 2}, {"max_in_memory": 0, "spool": tmp_path}):
        other = train(**options)
        np.testing.assert_array_equal(other.cluster_labels, model.cluster_labels)
        np.testing.assert_array_equal(other.expElogbeta, model.expElogbeta)
        np.testing.assert_array_equal(
            other.get_document_info()["confidence"], model.get_document_info()["confidence"]
        )


def test_of_many_documents_the_network_sees_some(monkeypatch):
    monkeypatch.setattr(deep, "MOST_SEEN", 150)
    monkeypatch.setattr(deep, "SCORING_SAMPLE", 60)
    network = Mbn(num_clusterings=40, landmarks=60)
    model = DnmfModel(COUNTS.T, 4, embeddings=VECTORS, deep_model=network, random_state=0)
    assert model.doc_embedding.shape[0] == 0
    assert agreement(model.cluster_labels[BOTH], CLASSES[BOTH]) > 0.9


def test_a_network_without_refinement():
    model = DnmfModel(
        COUNTS.T, 2, embeddings=VECTORS, deep_model=Mbn(num_clusterings=40, refine=False),
        random_state=0,
    )  # fmt: skip
    assert agreement(model.cluster_labels[BOTH], CLASSES[BOTH] // 2) > 0.9


def test_seed_words_keep_their_place():
    model = train(seed_words={"second": [12, 13], "first": [0, 1]})
    assert model.topic_names[:2] == ["second", "first"]
    words = [{term for term, _ in model.show_topic(topic, 8)} for topic in range(2)]
    assert words[0] <= {str(term) for term in range(12, 34)}
    assert words[1] <= {str(term) for term in [*range(12), *range(24, 34)]}
    assert agreement(model.cluster_labels[BOTH], CLASSES[BOTH]) > 0.8


# ------------------------------------------------------------------------ updates and what follows


def first_half(**options):
    return train(COUNTS[:160], VECTORS[:160], **options)


def test_updates_with_vectors_and_without():
    model = first_half()
    words = copy.deepcopy(model.get_document_info(COUNTS[160:].T)["topic"].to_numpy())
    sums = np.array(model._learnt.vector_sums)
    updated = train(COUNTS[:160], VECTORS[:160])
    updated.update(COUNTS[160:].T, embeddings=VECTORS[160:])
    assert updated.state.numdocs == NUM_DOCS
    later = np.intersect1d(BOTH, np.arange(160, NUM_DOCS))
    assert agreement(updated.cluster_labels[later], CLASSES[later]) > 0.85
    added = updated._learnt.vector_sums - sums
    np.testing.assert_allclose(
        added.sum(axis=0),
        (VECTORS[160:] / np.linalg.norm(VECTORS[160:], axis=1, keepdims=True)).sum(axis=0),
        atol=1e-4,
    )
    model.update(COUNTS[160:].T)
    np.testing.assert_array_equal(model.cluster_labels[160:], words)
    np.testing.assert_array_equal(model._learnt.vector_sums, sums)


def test_refine_looks_at_vectors():
    model = first_half()
    model.update(COUNTS[160:].T)  # by words alone, which know half
    later = np.intersect1d(BOTH, np.arange(160, NUM_DOCS))
    before = agreement(model.cluster_labels[later], CLASSES[later])
    model.refine(COUNTS.T, embeddings=VECTORS)
    assert agreement(model.cluster_labels[later], CLASSES[later]) > max(0.9, before)
    with pytest.raises(ValueError, match=r"^embeddings must be given, those of all documents"):
        model.refine(COUNTS.T)


def test_new_topics_have_vectors_of_their_own():
    old = np.flatnonzero(CLASSES < 2)
    new = np.setdiff1d(np.arange(NUM_DOCS), old)
    model = train(COUNTS[old], VECTORS[old], num_topics=2)
    with pytest.raises(ValueError, match=r"^embeddings must be given with new_topics"):
        model.update(COUNTS[new].T, new_topics=1)
    model.update(COUNTS[new].T, new_topics=1, embeddings=VECTORS[new])
    assert model.num_topics == 3
    assert model._learnt.vector_sums.shape == (3, NUM_DIMENSIONS)
    assert model._learnt.vector_sums[2].any()


def test_merged_topics_add_their_vectors(model):
    merged = model.merge_topics([[0, 1]])
    sums = model._learnt.vector_sums
    np.testing.assert_allclose(merged._learnt.vector_sums.sum(axis=0), sums.sum(axis=0))
    assert merged.get_document_info(CORPUS, embeddings=VECTORS)["topic"].max() == 2


def test_subtopics_with_vectors():
    model = train(num_topics=2)
    topic = 0
    inside = model.subtopics(topic, 2, COUNTS.T, embeddings=VECTORS)
    assert inside._learnt.num_dimensions == NUM_DIMENSIONS
    plain = model.subtopics(topic, 2, COUNTS.T)
    assert plain._learnt.num_dimensions == 0
    assert plain.cluster_labels.size == inside.cluster_labels.size


def test_a_cleared_model_may_learn_without():
    model = first_half()
    model.clear()
    model.update(COUNTS.T)
    assert model._learnt.num_dimensions == 0


def test_saved_and_loaded(model):
    again = DnmfModel.load(io.BytesIO(file_of(model)))
    np.testing.assert_array_equal(again._learnt.vector_sums, model._learnt.vector_sums)
    assert again._learnt.kappa == model._learnt.kappa > 0
    one, other = (m.get_document_info(CORPUS, embeddings=VECTORS) for m in (model, again))
    assert one.equals(other)


def test_half_of_what_is_known_of_vectors_is_no_model(model):
    for name, broken in (("kappa", {}), ("vector_sums", {}), ("kappa", np.zeros(2))):
        stored = storage.load(io.BytesIO(file_of(model)), "DnmfModel")
        arrays = {key: array for key, array in stored.arrays.items() if key != name}
        if len(broken):
            arrays[name] = broken
        file = io.BytesIO()
        storage.save(file, "DnmfModel", stored.meta, arrays, stored.strings)
        file.seek(0)
        with pytest.raises(storage.FileFormatError, match=r"parts do not fit together"):
            DnmfModel.load(file)


# --------------------------------------------------------------------------------- what is refused


MATRIX = "must be a matrix with a row for each document, got the shape"
BROKEN = np.where(np.arange(NUM_DOCS) == 7, np.nan, 1.0)[:, None]


@pytest.mark.parametrize(
    ("embeddings", "kind", "sentence"),
    [
        (VECTORS[:-1], ValueError, "must have a row for each of the 240 documents, got 239 rows."),
        (VECTORS[:, 0], ValueError, f"{MATRIX} (240,)."),
        (VECTORS[:, :0], ValueError, f"{MATRIX} (240, 0)."),
        (BROKEN, ValueError, "must be finite, got NaN or infinity in row 7."),
        (
            np.full((NUM_DOCS, 2), np.inf),
            ValueError,
            "must be finite, got NaN or infinity in row 0.",
        ),
        (VECTORS.astype(object), TypeError, "must be an array of numbers, got dtype object."),
        (VECTORS.astype(complex), TypeError, "must be an array of numbers, got dtype complex128."),
        ([[1.0], [1.0, 2.0]], ValueError, "must be a matrix, got rows of unequal length."),
        ("file.npy", TypeError, "must be a dense array, got 'file.npy'."),
        (np.zeros((NUM_DOCS, 3)), ValueError, "must have a row that is not all zeros, got none."),
    ],
)
def test_wrong_embeddings(embeddings, kind, sentence):
    with pytest.raises(kind) as caught:
        train(vectors=embeddings)
    assert str(caught.value) == f"embeddings {sentence}"


def test_sparse_embeddings_are_refused():
    with pytest.raises(TypeError, match=r"^embeddings must be a dense array, got"):
        train(vectors=sparse.csr_array(VECTORS))


def test_what_embeddings_cannot_stand_beside():
    with pytest.raises(ValueError, match=r"^embeddings must not be given beside a deep_model"):
        train(deep_model=CLASSES)
    with pytest.raises(ValueError, match=r'^mixing_rounds must be "auto" or 0 beside embeddings'):
        train(mixing_rounds=3)
    with pytest.raises(ValueError, match=r"^embeddings must come with the corpus"):
        DnmfModel(id2word={0: "a"}, embeddings=VECTORS)
    untrained = DnmfModel(id2word=dict.fromkeys(range(34), "a"), num_topics=4, deep_model=CLASSES)
    with pytest.raises(ValueError, match=r"^embeddings must not be given beside a deep_model"):
        untrained.update(COUNTS.T, embeddings=VECTORS)


def test_vectors_of_another_model_are_refused(model):
    trained = copy.deepcopy(model)
    for use in (trained.update, trained.refine, trained.get_document_info):
        with pytest.raises(
            ValueError, match=r"^embeddings must have 8 columns.*got 7; take the same"
        ):
            use(COUNTS.T, embeddings=VECTORS[:, :-1])
    without = DnmfModel(COUNTS.T, 2, **SMALL)
    for use in (without.update, without.refine, without.get_document_info):
        with pytest.raises(ValueError, match=r"^embeddings must not be given, as the model was"):
            use(COUNTS.T, embeddings=VECTORS)
    assert trained.state.numdocs == NUM_DOCS


@pytest.mark.parametrize("num_rows", [0, 100, 239, 241])
def test_as_many_rows_as_unseen_documents(model, num_rows):
    rows = np.resize(VECTORS, (num_rows, NUM_DIMENSIONS))
    with pytest.raises(ValueError, match=r"^embeddings must have a row for each document, got"):
        model.get_document_info(COUNTS.T, embeddings=rows)


def test_vectors_without_documents_are_refused(model):
    with pytest.raises(ValueError, match=r"^embeddings must come with a corpus"):
        model.get_document_info(embeddings=VECTORS)


def test_vectors_alone_are_no_topics():
    with pytest.raises(ValueError, match=r"^corpus must have a document with a weight"):
        train(sparse.csr_array((NUM_DOCS, 3)))


def test_more_topics_than_vectors(caplog):
    vectors = np.zeros((NUM_DOCS, 2))
    vectors[:3] = [[1, 0], [0, 1], [-1, 0]]
    model = train(vectors=vectors, num_topics=5)
    assert "only 3 documents have a vector" in caplog.text
    assert model.cluster_labels.max() == 2


def test_words_and_vectors_may_be_of_different_documents():
    documents = [[(0, 1), (1, 1)], [(1, 1), (2, 1)], [(2, 1), (3, 1)], [], [], []]
    vectors = np.zeros((6, 2))
    vectors[3:] = [[1, 0], [0, 1], [1, 1]]
    model = DnmfModel(documents, 2, embeddings=vectors, random_state=0)
    assert set(model.cluster_labels) == {0, 1}


def test_documents_with_the_same_words_train_with_vectors_too():
    documents = [[(0, 1), (1, 2)]] * 5
    model = DnmfModel(documents, 2, embeddings=np.eye(5), random_state=0)
    assert model.weighting == "none"


def test_a_topic_without_vectors_is_divided_by_its_words():
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(3), 20)
    counts = rng.poisson(0.2 + 3.0 * np.kron(np.eye(3), np.ones(8))[classes])
    documents = as_bow(sparse.csr_array(counts))
    vectors = np.eye(3)[classes] * (classes > 0)[:, None]
    model = DnmfModel(documents, 3, embeddings=vectors, random_state=0)
    topic = int(model.cluster_labels[0])
    inside = model.subtopics(topic, 2, documents, embeddings=vectors)
    assert inside.cluster_labels.size == (model.cluster_labels == topic).sum()
