"""Languages by name and code, their stop words, and the notice that the texts are in another."""

from __future__ import annotations

import importlib
import json
import logging

import pytest
from declaration import ARTICLE_1
from real_texts import arxiv_texts, diverse_texts, lee_texts, newsgroups_texts

from dnmf_topics import DnmfModel
from dnmf_topics.cli import main
from dnmf_topics.text import Tokenization, build_corpus
from dnmf_topics.text.languages import LANGUAGES, find_language, language_of
from dnmf_topics.text.stop_words import listed_languages


def words(text, **settings):
    [found] = Tokenization(**{"min_length": 1, **settings}).tokens([text])
    return found


# Names and codes


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda each: each.name)
def test_a_language_is_known_by_its_name_and_codes(language):
    for name in (language.name, language.code, language.code3):
        assert language_of(name) is language
        assert language_of(name.upper()) is language
    assert language_of(language.title) is language


def test_an_unknown_language_lists_the_known_ones():
    with pytest.raises(ValueError, match="language must be the name or the ISO code") as caught:
        language_of("norwegain")
    said = str(caught.value)
    assert "got 'norwegain' (did you mean 'norwegian'" in said
    assert said.endswith(f"; the codes are {', '.join(LANGUAGES)}.")
    assert find_language("klingon") is None


def test_languages_of_the_libraries_have_their_names():
    stemmers = pytest.importorskip("nltk.stem.snowball").SnowballStemmer.languages
    assert {"porter"} == {name for name in stemmers if find_language(name) is None}
    lang = pytest.importorskip("spacy.lang")
    for language in LANGUAGES.values():
        known = importlib.util.find_spec(f"{lang.__name__}.{language.spacy}") is not None
        assert known or language.code in listed_languages()


def test_a_language_is_kept_as_its_code():
    for name in ("german", "German", "de", "deu"):
        for tokenizer in ("regex", "nltk", "spacy"):
            steps = Tokenization(tokenizer=tokenizer, language=name)
            assert steps.language == "de"
            assert steps == Tokenization(tokenizer=tokenizer, language="de", stop_words="german")
    assert Tokenization().language == "en"
    # As files of earlier versions have it
    stored = {"tokenizer": "nltk", "language": "german", "stop_words": []}
    assert Tokenization.from_json(stored).language == "de"
    assert Tokenization.from_json({"language": None, "stop_words": []}).language == "en"


def test_the_two_norwegians_share_stop_words_and_stemmer():
    pytest.importorskip("nltk")
    found = {
        tuple(words("Alle husene og båtene", language=name, tokenizer="nltk", base_form="snowball"))
        for name in ("norwegian", "nb", "nynorsk")
    }
    assert found == {("hus", "båt")}
    pytest.importorskip("spacy")
    assert words("Huset", language="norwegian", tokenizer="spacy") == ["huset"]


# Stop words


def test_there_are_many_lists():
    assert len(listed_languages()) >= 50
    assert set(ARTICLE_1) <= set(listed_languages())
    for code in listed_languages():
        stop_words = Tokenization(language=code).stop_words
        assert len(stop_words) >= 20
        assert not any(" " in word or word[0].isdigit() for word in stop_words)


@pytest.mark.parametrize("code", ARTICLE_1)
def test_stop_words_of(code):
    function_word, topic, text = ARTICLE_1[code]
    everything, left = words(text, stop_words=None), words(text, language=code)
    assert {function_word, topic} <= set(everything)
    assert topic in left
    assert function_word not in left
    assert 0.1 < 1 - len(left) / len(everything) < 0.7


def test_english_is_as_it_was_and_nouns_are_no_stop_words():
    assert Tokenization().stop_words == Tokenization(stop_words="english", language="en").stop_words
    assert len(Tokenization().stop_words) == 369
    assert words("Gott und der Mensch", language="de") == ["gott", "mensch"]
    assert words("la città e il mondo", language="italian") == ["città", "mondo"]


def test_words_of_two_letters_are_kept_but_those_that_say_nothing():
    text = "Hi! On the 5th of May, Mr Smith et al. can't run Qt on a PC: an AI"
    for tokenizer in ("regex", "nltk", "spacy"):
        if tokenizer != "regex":
            pytest.importorskip(tokenizer)
        [found] = Tokenization(tokenizer=tokenizer).tokens([text])
        assert found == ["smith", "run", "qt", "pc", "ai"]
    [found] = Tokenization(language="uk").tokens(["Ще не за горами: на дворі ШІ"])
    assert found == ["горами", "дворі", "ші"]


def test_languages_that_only_spacy_has_a_list_of():
    pytest.importorskip("spacy")
    assert "மற்றும்" in Tokenization(tokenizer="spacy", language="tamil").stop_words
    with pytest.raises(ValueError, match="there is no list for Tamil"):
        Tokenization(language="tamil")
    assert Tokenization(language="tamil", stop_words=None).language == "ta"


# The notice


def sentences(code):
    """Real ones, of spaCy and of the Declaration."""
    examples = importlib.import_module(f"spacy.lang.{code}.examples").sentences
    return [*examples, *ARTICLE_1[code][2].split(".")]


NOTICED = ["ar", "ca", "cs", "de", "el", "es", "fa", "fi", "fr", "hi", "nl", "pl", "pt", "ru", "vi"]


@pytest.mark.parametrize("code", NOTICED)
def test_texts_in_another_language_than_the_stop_words_are_noticed(code, caplog):
    pytest.importorskip("spacy")
    title = LANGUAGES[code].title
    texts = sentences(code)
    build_corpus(texts, no_below=1)
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert f"the texts seem to be {title}, but the stop words are English" in record.message
    assert f"take language={code!r} (--language {code})" in record.message
    caplog.clear()
    build_corpus(texts, Tokenization(language=code), no_below=1)
    assert not caplog.records


def test_the_notice_is_the_same_wherever_words_are_counted(tmp_path, caplog):
    pytest.importorskip("spacy")
    build_corpus(sentences("de"), no_below=1)
    build_corpus(sentences("de"), no_below=1, folder=tmp_path / "corpus")
    first, second = caplog.records
    assert first.message == second.message
    with pytest.raises(ValueError, match=r"None of the .*; the texts seem to be German, .*de\)\."):
        build_corpus(sentences("de"), no_below=20)


def test_english_texts_with_german_stop_words_are_noticed(caplog):
    build_corpus(lee_texts()[:50], Tokenization(language="de"))
    [record] = caplog.records
    assert "the texts seem to be English, but the stop words are German" in record.message


def test_who_chooses_words_himself_hears_nothing(caplog):
    pytest.importorskip("spacy")
    for stop_words in (None, ["der", "die", "das"]):
        build_corpus(sentences("de"), Tokenization(stop_words=stop_words), no_below=1)
    assert not caplog.records


def test_english_texts_are_not_taken_for_another_language(corpora_folder, caplog):
    posts = newsgroups_texts(corpora_folder)
    corpora = [lee_texts(), arxiv_texts(corpora_folder)[:1000], posts[:1000], posts[1000:1030]]
    names = ("agnews", "biomedical", "stackoverflow", "webkb")
    corpora += [diverse_texts(corpora_folder, name)[:1000] for name in names]
    for texts in corpora:
        build_corpus(texts)
    assert not caplog.records


# The command line


def test_another_language_on_the_command_line(tmp_path, capsys):
    lines = [ARTICLE_1["de"][2], *sentences("de")] * 4
    lines = [f"{line} $x^2$ \\emph{{Wort}}" for line in lines]
    (tmp_path / "texte.txt").write_text("\n".join(lines), encoding="utf-8")
    fit = ["fit", str(tmp_path / "texte.txt"), "-k", "2", "--num-clusterings", "5", "--no-report"]
    strip = ["--strip-latex", "--strip-signatures"]
    assert main([*fit, "--quiet", "--out", str(tmp_path / "a")]) == 0
    assert capsys.readouterr().err.count("take language='de' (--language de)") == 1
    assert main([*fit, "--quiet", "--out", str(tmp_path / "b"), "--language", "de", *strip]) == 0
    assert "language" not in capsys.readouterr().err
    steps = DnmfModel.load(str(tmp_path / "b" / "model.dnmf")).tokenization
    assert steps["language"] == "de"
    assert steps["strip_latex"] is steps["strip_signatures"] is True
    assert "und" in steps["stop_words"]
    assert json.loads(json.dumps(steps)) == steps
