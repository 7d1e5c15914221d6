"""Names of a model's topics: automatic ones, and those that users give."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest
from trained import CORPUS, NUM_TERMS, WORDS, file_of, small_model

from dnmf_topics import DnmfModel


@pytest.fixture
def model():
    return small_model()


def loaded(model):
    return DnmfModel.load(io.BytesIO(file_of(model)))


def words_of_topic(model, topic, n=3):
    return [word for word, _ in model.show_topic(topic, n)]


def test_automatic_names_are_the_topics_heaviest_words(model):
    expected = [", ".join(words_of_topic(model, topic)) for topic in range(3)]
    assert model.topic_names == expected
    assert len(set(expected)) == 3


def test_automatic_names_show_phrases_and_no_numbers():
    words = dict.fromkeys(range(NUM_TERMS), "") | {term: f"{term}" for term in range(NUM_TERMS)}
    model = small_model()
    heaviest = [term for term, _ in model.get_topic_terms(0, 3)]
    words[heaviest[0]], words[heaviest[2]] = "york", "new_york"
    named = small_model(id2word=words)
    assert named.topic_names[0].startswith("new york, ")


def test_names_that_are_set_take_the_place_of_automatic_ones(model):
    automatic = model.topic_names
    model.topic_names = ["Space", None, "  Guns & law "]
    assert model.topic_names == ["Space", automatic[1], "Guns & law"]
    model.topic_names = {1: "Religion", -1: ""}
    assert model.topic_names == ["Space", "Religion", automatic[2]]
    model.topic_names = (None, "", None)
    assert model.topic_names == automatic


def test_names_are_changed_by_the_setter_alone(model):
    names = model.topic_names
    names[0] = "mine"
    assert model.topic_names[0] != "mine"


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["one", "two"], ValueError, "a list of 3 names.*or a dict"),
        ("abc", ValueError, "a list of 3 names.*got 'abc'"),
        ({3: "x"}, ValueError, "from -3 to 2, got 3"),
        ({"0": "x"}, TypeError, "whole number, got '0'"),
        ({0: 5}, TypeError, "must be text, got 5"),
        ({0: "two\nlines"}, ValueError, "one line"),
        ({0: "bell\a"}, ValueError, "one line"),
        ({0: "half \ud800"}, ValueError, "one line"),
        ({0: "x" * 201}, ValueError, "at most 200 characters, got 201"),
    ],
)
def test_what_is_no_name(model, names, error, message):
    model.topic_names = {0: "before"}
    with pytest.raises(error, match=message):
        model.topic_names = names
    assert model.topic_names[0] == "before"


def test_names_stay_with_their_topics(model):
    model.topic_names = {0: "Space", 2: "Sport"}
    for twin in (loaded(model), copy.copy(model), copy.deepcopy(model)):
        assert twin.topic_names == model.topic_names
    assert pickle.loads(pickle.dumps(model)).topic_names == model.topic_names
    model.update(CORPUS[:10])
    model.refine([*CORPUS, *CORPUS[:10]])
    assert model.topic_names[0::2] == ["Space", "Sport"]
    model.update(CORPUS[:10], new_topics=2)
    assert model.topic_names[:3:2] == ["Space", "Sport"]
    assert len(model.topic_names) == 5
    assert len(loaded(model).topic_names) == 5


def test_names_of_topics_that_are_no_more_are_forgotten(model):
    model.topic_names = {0: "Space"}
    model.clear()
    assert model.topic_names[0] == "Space"
    model.update(CORPUS)
    assert "Space" not in model.topic_names


def test_names_given_before_the_training_stay():
    model = DnmfModel(None, 2, WORDS, num_clusterings=10, random_state=0)
    assert model.topic_names == ["topic 0", "topic 1"]  # nothing is known of them yet
    model.topic_names = ["first", "second"]
    model.update(CORPUS)
    assert model.topic_names == ["first", "second"]


def test_a_topic_without_words_is_called_by_its_number():
    model = small_model(CORPUS[:2], 4)
    assert model.topic_names[2:] == ["topic 2", "topic 3"]
    assert not {"topic 0", "topic 1"} & set(model.topic_names)
    info = model.get_topic_info().set_index("topic")
    assert [len(info.loc[topic, "words"]) for topic in range(4)] == [10, 10, 0, 0]
    tree = model.hierarchy()
    assert all(tree.names)
    assert tree.words[2:4] == ((), ())
    model.topic_names = {2: "Mine"}
    assert model.topic_names[2:] == ["Mine", "topic 3"]
    # By its vectors alone a topic has documents without words.
    corpus, vectors = [*CORPUS[:10], *[[]] * 5], np.eye(2)[[0] * 10 + [1] * 5]
    words, none = small_model(corpus, 2, embeddings=vectors).get_topic_info().to_dict("records")
    assert (none["size"], none["name"], none["words"]) == (5, "topic 1", [])
    assert words["words"]
    # Where all words weigh the same, they are words all the same.
    alike = DnmfModel([[(0, 1), (1, 1)]] * 3, 1, {0: "rain", 1: "sun"}, random_state=0)
    assert alike.topic_names == ["rain, sun"]
    assert alike.get_topic_info()["words"][0] == ["rain", "sun"]


def test_tables_show_names(model):
    model.topic_names = {1: "Religion"}
    table = model.get_topic_info().set_index("topic")
    assert table["name"].sort_index().tolist() == model.topic_names
