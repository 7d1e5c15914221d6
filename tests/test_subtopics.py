"""Inside a topic: planted sub-topics, and terms that weigh what they weigh in all documents."""

from __future__ import annotations

import io

import numpy as np
import pytest
from planted import planted_families
from trained import as_bow, file_of

from dnmf_topics import DnmfModel
from dnmf_topics.common.documents import MatrixCorpus
from dnmf_topics.evaluation import clustering_accuracy

# Two topics, families of two classes each.
COUNTS, CLASSES = planted_families(num_docs=30)
CORPUS = as_bow(COUNTS)
WORDS = {term: f"word{term}" for term in range(COUNTS.shape[1])}
FAMILIES = CLASSES % 2


def whole_model(cls=DnmfModel, **options):
    quick = {"num_clusterings": 20, "n_jobs": 1, "random_state": 0, "deep_model": FAMILIES}
    return cls(CORPUS, 2, WORDS, **(quick | options))


@pytest.fixture(scope="module")
def whole():
    return whole_model()


@pytest.fixture(scope="module")
def inside(whole):
    return whole.subtopics(1, 2, CORPUS)


def loaded(model):
    return DnmfModel.load(io.BytesIO(file_of(model)))


def idf_of(model):
    return model._learnt.topics.idf


def counted_idf(counts):
    return np.log(counts.shape[0] / counts.astype(bool).sum(axis=0))


def own(family):
    return [document for document, one in zip(CORPUS, FAMILIES, strict=True) if one == family]


def test_sub_topics_are_found(inside):
    assert clustering_accuracy(CLASSES[FAMILIES == 1], inside.cluster_labels) > 0.95
    assert inside.num_topics == 2
    assert inside.state.numdocs == 60
    for topic in (0, 1):  # whose words are those of its class, not of the family
        terms = [int(word.removeprefix("word")) for word, _ in inside.show_topic(topic, 5)]
        assert len({term // 8 for term in terms}) == 1
        assert max(terms) < 32


def test_their_number_is_chosen(whole, inside):
    model = whole.subtopics(1, corpus=CORPUS)
    assert model.num_topics == 2
    # It is the model that this number gives.
    assert file_of(model) == file_of(inside)


def test_terms_weigh_what_they_weigh_in_all_documents(whole, inside):
    np.testing.assert_allclose(idf_of(inside), idf_of(whole))
    np.testing.assert_allclose(idf_of(inside), counted_idf(COUNTS))
    own_weights = DnmfModel(own(1), 2, WORDS, num_clusterings=20, random_state=0)
    assert abs(idf_of(own_weights) - idf_of(inside)).max() > 0.1


def test_and_go_on_to_do_so(inside):
    again = loaded(inside)
    np.testing.assert_array_equal(idf_of(again), idf_of(inside))
    assert again.inference(CORPUS)[0].tolist() == inside.inference(CORPUS)[0].tolist()
    new = CORPUS[:7]
    again.update(new)
    expected = counted_idf(np.vstack([COUNTS.toarray(), COUNTS[:7].toarray()]))
    np.testing.assert_allclose(idf_of(again), expected)
    again.refine([*own(1), *new])
    np.testing.assert_allclose(idf_of(again), expected)
    again.update(new, new_topics=1)
    expected = counted_idf(np.vstack([COUNTS.toarray(), *[COUNTS[:7].toarray()] * 2]))
    np.testing.assert_allclose(idf_of(again), expected)
    fewer = again.reduce_topics(2)
    np.testing.assert_allclose(idf_of(fewer), expected)
    fewer.sync_state()
    np.testing.assert_allclose(idf_of(fewer), expected)


def test_the_masses_are_those_of_the_whole_corpus(whole, inside):
    np.testing.assert_allclose(
        inside.state.cluster_mass.sum(axis=0), whole.state.cluster_mass[1], rtol=1e-9
    )


def test_a_sub_topic_has_sub_topics_too(inside):
    again = inside.subtopics(0, 2, own(1))
    np.testing.assert_allclose(idf_of(again), counted_idf(COUNTS))
    assert again.state.numdocs == (inside.cluster_labels == 0).sum()
    with pytest.raises(ValueError, match=r"all 60 documents .* got 120"):
        inside.subtopics(0, 2, CORPUS)


def test_nothing_else_changes_and_the_same_comes_twice():
    model = whole_model()
    before = file_of(model)
    first, second = (model.subtopics(0, 2, CORPUS) for _ in range(2))
    assert file_of(first) == file_of(second)
    first.update(CORPUS[:3])
    first.topic_names = {0: "mine"}
    assert file_of(model) == before


def test_from_files_it_is_the_same(tmp_path, inside):
    spooled = whole_model(max_in_memory=0, spool=tmp_path)
    assert file_of(spooled.subtopics(1, 2, iter(CORPUS))) == file_of(inside)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", [MatrixCorpus, lambda counts: counts.T], ids=["matrix", "sparse"])
def test_any_form_of_the_corpus(whole, inside, form):
    assert file_of(whole.subtopics(-1, 2, form(COUNTS.astype(float)))) == file_of(inside)


def test_weighted_documents_are_taken_as_they_are():
    model = whole_model(weighting="none")
    inside = model.subtopics(0, 2, CORPUS)
    assert inside._learnt.other_docs == 0
    np.testing.assert_allclose(
        inside.state.cluster_mass.sum(axis=0), model.state.cluster_mass[0], rtol=1e-9
    )
    inside.update(CORPUS[:3])


@pytest.mark.parametrize(
    ("options", "alpha", "eta"),
    [
        ({}, 1 / 3, 1 / 3),
        ({"alpha": [1.0, 5.0], "eta": 0.2}, 1 / 3, 0.2),
        ({"eta": np.full((2, COUNTS.shape[1]), 0.7)}, 1 / 3, 1 / 3),
    ],
    ids=["default", "given", "of topics"],
)
def test_priors(options, alpha, eta):
    inside = whole_model(**options).subtopics(0, 3, CORPUS)
    assert set(inside.alpha) == {alpha}
    assert set(inside.eta) == {eta}
    learning = whole_model(alpha="auto", eta="auto").subtopics(0, 3, CORPUS)
    assert len(set(learning.alpha)) > 1
    assert len(set(learning.eta)) > 1


class Named(DnmfModel):
    pass


def test_settings_but_those_of_the_number_of_topics_stay():
    model = whole_model(Named, variant="sdnmf", minimum_probability=0.05, last_layer_size=2)
    model.topic_names = {0: "mine"}
    inside = model.subtopics(0, 4, CORPUS)
    assert isinstance(inside, Named)
    assert (inside.variant, inside.minimum_probability) == ("sdnmf", 0.05)
    assert inside.network.last_layer_size == "auto"
    assert inside.network.num_clusterings == 20
    assert "mine" not in inside.topic_names
    assert inside.deep_model is None
    assert inside.num_topics_choice is None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((2, 2, CORPUS), ValueError, "topic must be from -2 to 1, got 2"),
        ((0, 0, CORPUS), ValueError, "n must be from 1 to 60, got 0"),
        ((0, 61, CORPUS), ValueError, "n must be from 1 to 60, got 61"),
        ((0, "many", CORPUS), TypeError, "n must be a whole number, got 'many'.* Or give .auto."),
        ((0, 2), ValueError, "corpus must be given"),
        ((0, 2, CORPUS[:50]), ValueError, "all 120 documents .* got 50"),
    ],
)
def test_what_cannot_be(whole, arguments, error, message):
    with pytest.raises(error, match=message):
        whole.subtopics(*arguments)


def test_a_topic_without_documents_has_nothing_inside():
    model = DnmfModel(CORPUS[:2], 3, WORDS, num_clusterings=5, random_state=0)
    with pytest.raises(ValueError, match="topic must have documents to look into, 2 has none"):
        model.subtopics(2, 1, CORPUS[:2])


def test_a_model_that_does_not_know_its_documents_topics():
    file = io.BytesIO()
    whole_model().save(file, ignore="doc_topics")
    file.seek(0)
    with pytest.raises(ValueError, match="whose topics it must know"):
        DnmfModel.load(file).subtopics(0, 2, CORPUS)
