"""Names of topics: the heaviest words, none of them twice in different forms."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnmf_topics.naming import NUM_WORDS, are_forms, topic_name

# Few letters and few endings, so that many words are forms of each other.
STEMS = st.text("ab", min_size=1, max_size=5)
ENDINGS = st.sampled_from(["", "s", "es", "ed", "ing", "ion", "ity", "1", "_c"])
WORD_LISTS = st.lists(st.builds(str.__add__, STEMS, ENDINGS), max_size=12)

FORMS = [
    ("game", "games"), ("knots", "knot"), ("christian", "christians"), ("god", "gods"),
    ("israel", "israeli"), ("israel", "israelis"), ("israeli", "israelis"), ("tax", "taxes"),
    ("query", "queries"), ("prices", "pricing"), ("encrypted", "encryption"),
    ("medical", "medicine"), ("House", "houses"), ("katze", "katzen"), ("école", "écoles"),
    ("город", "города"), ("same", "same"),
]  # fmt: skip
NO_FORMS = [
    ("compact", "complex"), ("nuclear", "number"), ("ora", "oracle"), ("card", "care"),
    ("form", "formation"), ("new", "newspaper"), ("os", "osi"), ("1990", "1991"),
    ("mp3", "mp4"), ("intel386", "intel486"), ("new_york", "new_year"), ("main", "maintain"),
    ("中国", "中国人"), ("", "a"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), FORMS)
def test_forms_of_one_word(one, other):
    assert are_forms(one, other)
    assert are_forms(other, one)


@pytest.mark.parametrize(("one", "other"), NO_FORMS)
def test_different_words(one, other):
    assert not are_forms(one, other)
    assert not are_forms(other, one)


@given(WORD_LISTS)
def test_a_name_has_no_two_forms_and_keeps_the_order(words):
    chosen = topic_name(words).split()
    assert not any(are_forms(one, other) for one, other in combinations(chosen, 2))
    places = [words.index(word) for word in chosen]
    assert places == sorted(places)
    assert chosen[:1] == words[:1]
    assert len(chosen) <= NUM_WORDS


@given(WORD_LISTS)
def test_a_word_is_left_out_only_for_a_heavier_form(words):
    chosen = topic_name(words).split()
    last = words.index(chosen[-1]) if len(chosen) == NUM_WORDS else len(words)
    for place, word in enumerate(words[:last]):
        assert word in chosen or any(are_forms(word, other) for other in words[:place])


def test_words_are_read_no_further_than_needed():
    words = iter(["game", "games", "team", "hockey", "season"])
    assert topic_name(words) == "game team hockey"
    assert topic_name([]) == ""
