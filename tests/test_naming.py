"""Names of topics: the heaviest words, none of them twice in different forms."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnmf_topics.naming import NUM_WORDS, are_forms, topic_name, topic_names

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


def words_of(name):
    return name.split(", ") if name else []


@given(WORD_LISTS)
def test_a_name_has_no_two_forms_and_keeps_the_order(words):
    chosen = words_of(topic_name(words))
    assert not any(are_forms(one, other) for one, other in combinations(chosen, 2))
    known = [word.replace("_", " ") for word in words]
    places = [known.index(word) for word in chosen if " " not in word and len(word) > 1]
    assert places == sorted(places)
    assert len(chosen) <= NUM_WORDS


@given(st.lists(st.text("abcd", min_size=2, max_size=6), max_size=12))
def test_a_word_is_left_out_only_for_a_heavier_form(words):
    chosen = words_of(topic_name(words))
    last = words.index(chosen[-1]) if len(chosen) == NUM_WORDS else len(words)
    for place, word in enumerate(words[:last]):
        assert word in chosen or any(are_forms(word, other) for other in words[:place])


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], ""),
        (["game"], "game"),
        (["game", "games", "team", "hockey", "season"], "game, team, hockey"),
        # A phrase stands in the place of its words, also of forms of them.
        (["york", "mayor", "new_york", "new", "police"], "new york, mayor, police"),
        (["prices", "oil", "oil_price", "opec", "barrel"], "oil price, opec, barrel"),
        (["new_york", "york_city", "mayor"], "new york, mayor"),
        # but not if it is too light to matter
        (["york", *"abcdefghijklm", "new_york"], "york, a, b"),
        # Letters, numbers and signs come last.
        (["x", "2", "1999", "2nd", "window", "--"], "2nd, window, x"),
        (["x", "2"], "x, 2"),
        (["中", "文"], "中, 文"),
        # A name is one line.
        (["two\nlines", "_", "a_"], "two lines, a, _"),
    ],
)
def test_names(words, name):
    assert topic_name(words) == name


def test_names_of_topics_differ():
    words = ["card", "drive", "video", "disk", "mouse"]
    forms = ["cards", "videos", "drives", "floppy", "mouse"]
    assert topic_names([words, words, forms, ["mouse"], words[:3]]) == [
        "card, drive, video", "card, drive, disk", "cards, videos, floppy", "mouse",
        "card, drive, video",  # there is nothing else to say
    ]  # fmt: skip
    assert topic_names([words], taken=["card, drive, video"]) == ["card, drive, disk"]
    assert topic_names([[], []]) == ["", ""]


@given(st.lists(WORD_LISTS, max_size=4))
def test_a_name_among_others_begins_as_it_does_alone(topics):
    for words, name in zip(topics, topic_names(topics), strict=True):
        alone = words_of(topic_name(words))
        assert words_of(name)[: NUM_WORDS - 1] == alone[: NUM_WORDS - 1]
        assert len(words_of(name)) == len(alone)
