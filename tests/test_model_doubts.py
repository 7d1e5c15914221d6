"""Doubts: when they are said, that they name what to try, and that sound topics have none."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from planted import planted_counts
from scipy import sparse

from dnmf_topics import DnmfModel
from dnmf_topics.model.doubts import find_doubts

SOUND = [{"fit": 1.0, "information": 0.9}, {"fit": -0.1, "information": 0.0}]
NOTHING = [{"fit": -0.2, "information": 0.01}, {"fit": -0.1, "information": 0.0}]


def doubts(sizes, views=SOUND):
    return find_doubts(np.array(sizes), views)


def test_sound_topics_have_none():
    assert doubts([400, 300, 300]) == ()
    assert doubts([20] * 50) == ()
    assert doubts([900, 100]) == ()  # of two topics one has half of the documents at least


@pytest.mark.parametrize("share", [0.41, 0.9])
def test_a_topic_that_swallows_the_rest_is_named(share):
    large = round(1000 * share)
    (doubt,) = doubts([(1000 - large) // 2, large, (1000 - large) // 2])
    assert doubt.startswith(f"topic 1 holds {share:.0%} of the documents")
    assert "last_layer_size=2" in doubt


def test_many_small_topics_are_too_many():
    (doubt,) = doubts([300] * 4 + [5, 5])
    assert doubt == "2 of 6 topics hold under 0.01 of the documents each: try fewer topics"
    assert doubts([300] * 4 + [5]) == ()
    # With many topics an equal share is not far above one in a hundred.
    assert doubts([30] * 100 + [20] * 50) == ()
    assert len(doubts([30] * 100 + [5] * 50)) == 1


def test_words_that_no_grouping_explains():
    (doubt,) = doubts([400, 300, 300], NOTHING)
    assert "explains their words better than none" in doubt
    # Groups that come from the user have no views.
    assert doubts([400, 300, 300], []) == ()


def test_few_documents_say_nothing():
    assert doubts([20, 2, 2], NOTHING) == ()
    assert doubts([0, 0, 0]) == ()


def unequal_corpus():
    counts, _ = planted_counts((300, 20, 20), length=20, noise=0.3)
    return counts.T.tocsc()


def test_the_model_says_it_once_keeps_it_and_saves_it(caplog, tmp_path):
    with caplog.at_level(logging.WARNING, "dnmf_topics"):
        model = DnmfModel(unequal_corpus(), 3, random_state=0)
    assert len(model.doubts) == 1
    assert [model.doubts[0] in record.getMessage() for record in caplog.records].count(True) == 1
    table = model.get_view_info()
    assert table["taken"].sum() == 1
    model.save(tmp_path / "model.dnmf")
    again = DnmfModel.load(tmp_path / "model.dnmf")
    assert again.doubts == model.doubts
    assert again.get_view_info().equals(table)
    assert list(table["layer_size"])[-1] is None


def test_given_groups_have_no_views():
    counts, classes = planted_counts((60, 50, 40))
    model = DnmfModel(counts.T.tocsc(), 3, deep_model=classes)
    assert model.doubts == ()
    assert len(model.get_view_info()) == 0
    assert list(model.get_view_info().columns)[:2] == ["view", "layer_size"]


def test_new_documents_can_end_a_doubt():
    model = DnmfModel(unequal_corpus(), 3, random_state=0)
    counts, _ = planted_counts((0, 300, 300), length=20, noise=0.3)
    model.update(counts.T.tocsc())
    assert model.doubts == ()


def test_a_topic_that_lacks_its_seeds_is_doubted(caplog):
    counts, classes = planted_counts((60, 50, 40))
    own = [np.flatnonzero(counts[classes == 0].sum(axis=0) > 40)[:3].tolist()]
    found = DnmfModel(counts.T.tocsc(), 3, seed_words={"first": own[0]}, random_state=0)
    assert found.doubts == ()
    # A seed that a single document has says nothing of a topic.
    rare = sparse.csc_array(np.vstack([counts.T.toarray(), np.eye(1, counts.shape[0])]))
    with caplog.at_level(logging.WARNING, "dnmf_topics"):
        model = DnmfModel(rare, 3, seed_words={"rare": [rare.shape[0] - 1]}, random_state=0)
    (doubt,) = model.doubts
    assert doubt.startswith("topic 0 (rare) has none of its seed words among its first 10 words")
    assert doubt in caplog.text
