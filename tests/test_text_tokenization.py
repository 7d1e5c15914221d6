"""From text to words: scripts, settings, NLTK and spaCy, and what they say when data is missing."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
import unicodedata
from dataclasses import replace

import pytest
from gensim.models.phrases import FrozenPhrases, Phrases
from hypothesis import given
from hypothesis import strategies as st
from real_texts import lee_texts, newsgroups_texts

from dnmf_topics.common.excerpts import cut_excerpt
from dnmf_topics.text import TextCorpus, Tokenization, build_corpus, tokenizers
from dnmf_topics.text.phrases import join_phrases, learn_phrases
from dnmf_topics.text.tokenizers import TOKENIZERS


def tokens(text, **settings):
    settings = {"stop_words": None, "min_length": 1, **settings}
    [found] = Tokenization(**settings).tokens([text])
    return found


def literal_words(text, keep_numbers=False):
    """Runs of letters and what belongs to them, character by character."""
    words, word = [], ""
    for sign in unicodedata.normalize("NFC", text).lower() + " ":
        kind = unicodedata.category(sign)
        starts = kind[0] == "L" or (keep_numbers and kind == "Nd")
        if starts or (word and (kind[0] == "M" or sign in "\u200c\u200d")):
            word += sign
        elif word:
            words.append(word)
            word = ""
    return words


# The default tokenizer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The U.S. didn't e-mail!", ["the", "u", "s", "didn", "t", "e", "mail"]),
        ("snake_case, x2 and 3rd", ["snake", "case", "x", "and", "rd"]),
        ("café CAFE\u0301", ["café", "café"]),  # composed and decomposed are one word
        ("हिन्दी में किताब", ["हिन्दी", "में", "किताब"]),
        ("كِتَابٌ جديد", ["كِتَابٌ", "جديد"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),  # noqa: RUF001
        ("ภาษาไทย", ["ภาษาไทย"]),
        ("北京 欢迎\uff0c你", ["北京", "欢迎", "你"]),
        ("서울 날씨", ["서울", "날씨"]),
        ("👩‍💻 emoji 🎉 ½ x² Ⅷ", ["emoji", "x"]),
        ("a\0b\u00adc\u2028d", ["a", "b", "c", "d"]),
        ("", []),
    ],
)
def test_words_of_many_scripts(text, words):
    assert tokens(text) == words


@given(st.text(), st.booleans())
def test_the_slow_twin_finds_the_same_words(text, keep_numbers):
    assert tokens(text, keep_numbers=keep_numbers) == literal_words(text, keep_numbers)


@given(st.text(alphabet=st.characters(max_codepoint=127)), st.booleans())
def test_ascii_takes_a_faster_way_to_the_same_words(text, keep_numbers):
    assert tokens(text, keep_numbers=keep_numbers) == literal_words(text, keep_numbers)


def test_settings_of_words():
    assert tokens("House 2024 mp3", lowercase=False) == ["House", "mp"]
    assert tokens("House 2024 mp3", keep_numbers=True) == ["house", "2024", "mp3"]
    assert tokens("Éric Šimić Ёж 2\u0301", strip_accents=True) == ["eric", "simic", "еж"]
    assert tokens("हिन्दी", strip_accents=True) == ["हिन्दी"]
    assert tokens("a ab abc 北 北京", min_length=2) == ["ab", "abc", "北京"]
    assert tokens("The THE them", stop_words=["The"], lowercase=False) == ["them"]
    assert tokens("étaient là", stop_words=["étaient"], strip_accents=True) == ["la"]


def test_english_stop_words_know_contractions_and_leave_topics():
    found = tokens("They've shown it isn't, wasn\u2019t; a computer system", stop_words="english")
    assert found == ["shown", "computer", "system"]
    assert tokens("I don't know", stop_words=["don't", "i"]) == ["know"]


# Scripts without spaces

CHINESE = [
    "昨天北部下了大雨，河水漫过了堤岸，许多村庄被淹没。",  # noqa: RUF001
    "这家餐馆的葡萄酒很好，面包也是当天早上新鲜烤出来的。",  # noqa: RUF001
    "科学家们发现了一颗新的行星，它围绕着一颗遥远的恒星运行。",  # noqa: RUF001
    "球队在最后一分钟进球，赢得了这场重要的比赛。",  # noqa: RUF001
]
JAPANESE = [
    "昨日は北部で大雨が降り、川の水が堤防を越えて多くの村が水に浸かった。",
    "このレストランのワインはとても美味しく、パンも毎朝焼きたてである。",
    "科学者たちは遠くの恒星の周りを回る新しい惑星を発見した。",
]
THAI = [
    "เมื่อวานนี้ฝนตกหนักทางภาคเหนือ น้ำในแม่น้ำท่วมหมู่บ้านหลายแห่ง",
    "ร้านอาหารแห่งนี้มีไวน์ที่ดีมาก และขนมปังก็อบใหม่ทุกเช้า",
    "นักวิทยาศาสตร์ค้นพบดาวเคราะห์ดวงใหม่ที่โคจรรอบดาวฤกษ์ที่อยู่ห่างไกล",
]


SPACELESS = {"jieba": CHINESE, "fugashi": JAPANESE, "pythainlp": THAI}
PACKAGES = {"jieba": "jieba", "fugashi": "fugashi unidic-lite", "pythainlp": "pythainlp"}


@pytest.mark.parametrize("name", SPACELESS)
def test_phrases_that_pass_for_words_are_said_once(name, caplog):
    texts = SPACELESS[name]
    hint = f"take tokenizer='{name}' (--tokenizer {name}) after `pip install {PACKAGES[name]}`"
    corpus = build_corpus(texts, no_below=1)
    list(corpus.counts)
    [record] = caplog.records
    assert hint in record.message
    caplog.clear()
    with pytest.raises(ValueError, match="None of the") as caught:
        build_corpus(texts, no_below=2)
    assert hint in str(caught.value)
    assert str(caught.value).endswith(".")
    assert not caplog.records


@pytest.mark.parametrize(
    ("name", "words", "left_out"),
    [
        ("jieba", ["大雨", "葡萄酒", "行星", "科学家", "球队"], ["的", "了", "大雨河水"]),
        ("fugashi", ["大雨", "ワイン", "惑星", "恒星", "堤防"], ["は", "この", "大雨が"]),
        ("pythainlp", ["ฝน", "ไวน์", "ขนมปัง", "นักวิทยาศาสตร์", "หมู่บ้าน"], ["ที่", "และ", "มี"]),
    ],
)
def test_what_the_hint_names_helps(name, words, left_out, caplog):
    pytest.importorskip(name, reason=f"{name} is not installed")
    corpus = build_corpus(SPACELESS[name], Tokenization(tokenizer=name, min_length=2), no_below=1)
    found = set(corpus.dictionary.token2id)
    assert set(words) <= found
    assert found.isdisjoint(left_out)
    assert not caplog.records
    # A file may name these without permission: they load nothing but what is installed with them.
    again = Tokenization.from_json(json.loads(json.dumps(corpus.tokenization.as_json())))
    assert again.tokens(SPACELESS[name])
    assert again == corpus.tokenization


@pytest.mark.parametrize("name", SPACELESS)
def test_no_text_breaks_what_cuts_without_spaces(name):
    pytest.importorskip(name, reason=f"{name} is not installed")
    text = " \0 ".join(["a", *SPACELESS[name], "\ud800", "👩‍💻", "end"])
    found = tokens(text, tokenizer=name)
    assert {"a", "end"} <= set(found)
    assert len(found) > 15
    assert not tokens("\0 \n", tokenizer=name)


def test_jieba_neither_reads_nor_writes_temporary_files(tmp_path, monkeypatch, capfd):
    pytest.importorskip("jieba", reason="jieba is not installed")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tokenizers._jieba_tokenizer.cache_clear()
    assert "大雨" in tokens(CHINESE[0], tokenizer="jieba", min_length=2)  # not loaded before
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "texts",
    [
        [*lee_texts()[:50], *CHINESE],  # English that quotes some
        ["昨天 北部 下 了 大雨 河水 漫过 了 堤岸", "这 家 餐馆 的 葡萄酒 很 好"],  # cut already
        ["インターネット の レストラン は とても 美味しい", "コンピューター を 使う"],
        ["นักวิทยาศาสตร์ ค้นพบ ดาวเคราะห์ ดวง ใหม่", "ร้านอาหาร มี ไวน์ ดี มาก"],
        ["Вчера на севере шёл сильный дождь", "वैज्ञानिकों ने एक नया ग्रह खोजा", "서울 날씨가 좋다"],
    ],
    ids=["quotes", "Chinese", "Japanese", "Thai", "with spaces"],
)
def test_words_between_spaces_get_no_hint(texts, caplog):
    build_corpus(texts, no_below=1)
    assert not caplog.records


# Phrases


def test_phrases_are_those_of_gensim(corpora_folder):
    lists = list(Tokenization().tokens(newsgroups_texts(corpora_folder)[:1000]))
    learnt = learn_phrases(lists, 5, 10.0)
    frozen = FrozenPhrases(Phrases(lists, min_count=5, threshold=10.0))
    assert len(learnt) > 100
    assert [join_phrases(each, frozenset(learnt)) for each in lists] == [
        frozen[each] for each in lists
    ]


@given(st.lists(st.sampled_from("abc")), st.sets(st.sampled_from(["a_b", "b_c", "a_a"])))
def test_joined_phrases_lose_nothing(words, phrases):
    joined = join_phrases(words, frozenset(phrases))
    assert "_".join(joined).split("_") == (words or [""])
    assert {word for word in joined if "_" in word} <= phrases


def test_learnt_phrases_are_applied():
    steps = {"phrases": True, "learnt_phrases": ["new_york"]}
    assert tokens("in New York City", **steps) == ["in", "new_york", "city"]
    assert tokens("in New York", learnt_phrases=["new_york"]) == ["in", "new", "york"]
    assert tokens("in New York", phrases=True) == ["in", "new", "york"]  # none learnt yet


# NLTK


@pytest.fixture
def nltk_data(corpora_folder, monkeypatch):
    nltk = pytest.importorskip("nltk", reason="nltk is not installed")
    monkeypatch.setattr(nltk.data, "path", [str(corpora_folder / "nltk_data")])


def test_nltk_needs_no_data_to_cut_and_stem():
    pytest.importorskip("nltk", reason="nltk is not installed")
    text = "Rivers flooded. It didn't rain; and/or -- the U.S. in the 1990s."
    assert tokens(text, tokenizer="nltk", min_length=2) == [
        "rivers", "flooded", "it", "did", "n't", "rain", "the", "u.s", "in", "the",
    ]  # fmt: skip
    stems = tokens(text, tokenizer="nltk", base_form="snowball", stop_words="english", min_length=3)
    assert stems == ["river", "flood", "rain"]
    german = tokens("Flüsse fließen", tokenizer="nltk", base_form="snowball", language="german")
    assert german == ["fluss", "fliess"]


def test_wordnet_lemmas(nltk_data):
    found = tokens("Rivers flooded the leaves", tokenizer="nltk", base_form="wordnet")
    assert found == ["river", "flood", "the", "leaf"]
    # The base form is looked up among the stop words as well.
    found = tokens("rivers flow", tokenizer="nltk", base_form="wordnet", stop_words=["river"])
    assert found == ["flow"]


def test_stop_words_of_nltk(nltk_data):
    steps = Tokenization(stop_words="nltk:german")
    assert list(steps.tokens(["Das Haus und der Garten"])) == [["haus", "garten"]]
    with pytest.raises(ValueError, match=r"lists for .*english.*not 'klingon'"):
        Tokenization(stop_words="nltk:klingon")


def test_missing_nltk_data_names_the_command(monkeypatch):
    nltk = pytest.importorskip("nltk", reason="nltk is not installed")
    monkeypatch.setattr(nltk.data, "path", [])
    with pytest.raises(ValueError, match=r"'stopwords' .* `python -m nltk.downloader stopwords`"):
        Tokenization(stop_words="nltk:english")
    with pytest.raises(ValueError, match=r"`python -m nltk.downloader wordnet`"):
        tokens("text", tokenizer="nltk", base_form="wordnet", min_length=9)
    with pytest.raises(ValueError, match=r"one of arabic, .*german.* stemmer, got 'polish'"):
        tokens("text", tokenizer="nltk", base_form="snowball", language="pl")


# spaCy


@pytest.fixture
def english(corpora_folder):
    pytest.importorskip("spacy", reason="spacy is not installed")
    return {
        "tokenizer": "spacy", "model": str(corpora_folder / "spacy" / "en_core_web_sm-3.8.0"),
    }  # fmt: skip


def test_a_blank_pipeline_of_any_language():
    pytest.importorskip("spacy", reason="spacy is not installed")
    assert tokens("Das Haus, z.B. rot!", tokenizer="spacy", language="de") == [
        "das", "haus", "z.b", "rot",
    ]  # fmt: skip
    assert tokens("北京欢迎你", tokenizer="spacy", language="zh") == list("北京欢迎你")
    assert "der" in Tokenization(stop_words="spacy:de").stop_words


def test_lemmas_and_parts_of_speech(english):
    text = "The rivers were flooding three valleys quickly."
    assert tokens(text, base_form="lemma", **english) == [
        "the", "river", "be", "flood", "three", "valley", "quickly",
    ]  # fmt: skip
    assert tokens(text, parts_of_speech=["NOUN"], **english) == ["rivers", "valleys"]
    # "were" is a stop word as it stands, "river" as the base form.
    found = tokens(text, base_form="lemma", stop_words=["were", "river"], **english)
    assert found == ["the", "flood", "three", "valley", "quickly"]


def test_what_spacy_lacks_names_the_command():
    pytest.importorskip("spacy", reason="spacy is not installed")
    with pytest.raises(ValueError, match=r"`python -m spacy download xx_none`"):
        tokens("text", tokenizer="spacy", model="xx_none")
    with pytest.raises(ValueError, match=r"language: .*'en', not 'zu'"):
        tokens("text", tokenizer="spacy", language="zulu")
    with pytest.raises(ValueError, match=r"language: .* not 'klingon'"):
        Tokenization(stop_words="spacy:klingon")


@pytest.mark.parametrize("name", [name for name in TOKENIZERS if name != "regex"])
def test_libraries_that_are_not_installed(monkeypatch, name):
    for module in [each for each in sys.modules if each.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)
    for cached in (tokenizers._jieba_tokenizer, tokenizers._pipeline):
        cached.cache_clear()
    Tokenization(tokenizer=name)  # settings alone, as of a saved model, need no library
    with pytest.raises(ImportError, match=f"`pip install {PACKAGES.get(name, name)}`"):
        tokens("text", tokenizer=name, min_length=8)


def test_fugashi_without_a_dictionary_names_one(monkeypatch):
    fugashi = pytest.importorskip("fugashi", reason="fugashi is not installed")

    def fail():
        raise RuntimeError("no dictionary")

    monkeypatch.setattr(fugashi, "Tagger", fail)
    with pytest.raises(ValueError, match="no dictionary; `pip install fugashi unidic-lite`"):
        tokens("text", tokenizer="fugashi", min_length=8)


def test_libraries_are_imported_only_when_used():
    code = (
        "import sys; from dnmf_topics.text import build_corpus;"
        "build_corpus(['a river'] * 2, no_above=1.0);"
        "print([name for name in ('nltk', 'spacy', 'jieba', 'polars') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Processes, files and bad settings


@pytest.mark.parametrize("name", TOKENIZERS)
def test_processes_change_nothing(name):
    if name != "regex":
        pytest.importorskip(name)
    texts = [f"Document {chr(97 + i % 26) * 3} has rivers" for i in range(200)]
    steps = Tokenization(tokenizer=name)
    assert list(steps.tokens(texts, processes=2)) == list(steps.tokens(texts))


def test_all_settings_survive_json():
    steps = Tokenization(
        tokenizer="spacy", language="de", model="x", base_form="lemma", parts_of_speech=["NOUN"],
        stop_words={"the", "of"}, min_length=2, keep_numbers=True, lowercase=False,
        strip_accents=True, strip_headers=True, strip_quotes=True, strip_signatures=True,
        strip_latex=True, phrases=True, phrase_min_count=9, phrase_threshold=2.5,
        learnt_phrases=["new_york"],
    )  # fmt: skip
    written = json.loads(json.dumps(steps.as_json()))
    assert written["stop_words"] == ["of", "the"]
    assert Tokenization.from_json(written) == steps
    assert hash(Tokenization.from_json(written)) == hash(steps)
    with pytest.raises(ValueError, match="unknown settings: 'magic'"):
        Tokenization.from_json({**written, "magic": 1})


# Settings out of a file, which may be a stranger's


@pytest.fixture
def trap(tmp_path, monkeypatch):
    """An installed package with a `load` of its own, as spaCy's pipelines have, and its trace."""
    package = tmp_path / "site" / "harmless_looking"
    package.mkdir(parents=True)
    trace = tmp_path / "trace"
    (package / "__init__.py").write_text(
        f"from pathlib import Path\ntrace = Path({str(trace)!r})\ntrace.write_text('imported')\n"
        "def load(**_):\n    trace.write_text('loaded')\n    raise OSError('no pipeline')\n"
    )
    information = tmp_path / "site" / "harmless_looking-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: harmless_looking\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield trace
    sys.modules.pop("harmless_looking", None)


def stored(**settings):
    return {"stop_words": [], "min_length": 1, **settings}


def test_a_file_loads_no_pipeline_that_nobody_allowed(trap, tmp_path):
    pytest.importorskip("spacy", reason="spacy is not installed")
    package = stored(tokenizer="spacy", model="harmless_looking")
    folder = stored(tokenizer="spacy", model=str(tmp_path / "site" / "harmless_looking"))
    for settings, allow in [(package, ()), (package, ["another"]), (folder, "harmless_looking")]:
        steps = Tokenization.from_json(settings, allow)
        for use in (
            lambda steps=steps: steps.tokens(["text"]),
            lambda steps=steps: steps.tokens(["text"], processes=2),
            lambda steps=steps: replace(steps, min_length=2).tokens(["text"]),
            lambda steps=steps: pickle.loads(pickle.dumps(steps)).tokens(["text"]),
            lambda steps=steps: Tokenization(**steps.as_json()).tokens(["text"]),
            lambda steps=steps: build_corpus(["text"], steps),
        ):
            with pytest.raises(ValueError, match=r"names '.*'.* could run code; .* `allow`"):
                use()
        assert not trap.exists()
    # The trap works: what is allowed, or named by the caller himself, is loaded.
    for steps in (
        Tokenization.from_json(package, allow="harmless_looking"),
        Tokenization(tokenizer="spacy", model="harmless_looking"),
    ):
        with pytest.raises(ValueError, match="spacy download"):
            steps.tokens(["text"])
        assert trap.read_text() == "loaded"
        trap.unlink()


def test_refused_settings_can_be_looked_at_and_saved():
    settings = stored(tokenizer="spacy", model="x", base_form="lemma")
    refused, allowed = (Tokenization.from_json(settings, allow) for allow in ((), ["x"]))
    assert refused == allowed == Tokenization(**settings)
    assert repr(refused) == repr(allowed)
    assert refused.as_json() == allowed.as_json()
    assert json.loads(json.dumps(refused.as_json())) == Tokenization(**settings).as_json()


def test_a_name_of_the_callers_own_takes_the_place_of_a_refused_one(english):
    steps = Tokenization.from_json(stored(tokenizer="spacy", model="of_a_stranger"))
    assert list(replace(steps, model=english["model"]).tokens(["Rain"])) == [["rain"]]


def test_a_corpus_hands_on_what_is_allowed(english, tmp_path):
    texts = ["Rivers flood", "Rivers flow"]
    build_corpus(texts, Tokenization(**english), no_above=1.0).save(tmp_path / "c.dnmf")
    refused = TextCorpus.load(tmp_path / "c.dnmf")
    assert refused.tokenization.model == english["model"]
    with pytest.raises(ValueError, match="could run code"):
        refused.bows(texts)
    refused.save(tmp_path / "again.dnmf")
    allowed = TextCorpus.load(tmp_path / "again.dnmf", allow=english["model"])
    assert allowed.bows(texts) == list(refused.counts)
    with pytest.raises(TypeError, match="allow must be a name or names, got 5"):
        TextCorpus.load(tmp_path / "c.dnmf", allow=5)


def test_wordnet_of_a_file_must_be_allowed(nltk_data):
    settings = stored(tokenizer="nltk", base_form="wordnet")
    with pytest.raises(ValueError, match="names 'wordnet'"):
        Tokenization.from_json(settings).tokens(["rivers"])
    assert list(Tokenization.from_json(settings, ["wordnet"]).tokens(["rivers"])) == [["river"]]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"tokenizer": "spacy", "language": "de"}, ["flüsse"]),
        ({"tokenizer": "nltk", "base_form": "snowball", "language": "german"}, ["fluss"]),
    ],
)
def test_parts_of_the_libraries_need_no_permission(settings, words):
    pytest.importorskip(settings["tokenizer"])
    assert list(Tokenization.from_json(stored(**settings)).tokens(["Flüsse"])) == [words]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"stop_words": "nltk:german"}, "stop_words must be a list of strings or None in a file"),
        ({"stop_words": "english"}, "stop_words must be a list of strings or None in a file"),
        ({"stop_words": {"a": 1}}, "stop_words must be a list of strings or None in a file"),
        ({"stop_words": ["a", 1]}, "stop_words must be a list of strings or None in a file"),
        ({"learnt_phrases": [1]}, "learnt_phrases must be a list of strings or None in a file"),
        ({"parts_of_speech": "NOUN"}, "parts_of_speech must be a list of strings or None"),
        ({"tokenizer": ["spacy"]}, "tokenizer must be a string, got"),
        ({"tokenizer": "spacy", "language": "evil.en"}, "language must be the name .*'evil.en'"),
        ({"tokenizer": "nltk", "language": "../german"}, "did you mean 'german'"),
        ({"tokenizer": "nltk", "language": "german\n"}, r"language must be the name .*'german\\n'"),
        ({"tokenizer": "jieba", "language": "de"}, "tokenizer='jieba' is for Chinese"),
        ({"tokenizer": "spacy", "model": ["x"]}, "model must be a string or None"),
        ({"min_length": "3"}, "min_length must be a whole number"),
        ({"min_length": True}, "min_length must be a whole number"),
        ({"lowercase": 1}, "lowercase must be True or False, got 1"),
        ({"phrase_threshold": None}, "phrase_threshold must be a number"),
        ([["tokenizer", "spacy"]], "A tokenization must be settings by name"),
    ],
)
def test_settings_of_a_file_have_exactly_their_types(settings, said, monkeypatch):
    for name in ("nltk", "spacy"):
        monkeypatch.setitem(sys.modules, name, None)  # neither is asked
    with pytest.raises((TypeError, ValueError), match=said) as caught:
        Tokenization.from_json(settings)
    assert str(caught.value).endswith(".")
    assert not isinstance(caught.value, ImportError)


def test_stop_words_that_a_file_does_not_have_ask_no_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    steps = Tokenization.from_json({"tokenizer": "spacy", "language": "de"})
    assert steps.stop_words == Tokenization().stop_words


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"tokenizer": "words"}, "one of regex, nltk, spacy, jieba, fugashi, pythainlp, got"),
        ({"language": "germann"}, "got 'germann' .did you mean 'german'"),
        ({"language": "tamil"}, "stop_words: there is no list for Tamil; give the words"),
        ({"tokenizer": "fugashi", "language": "zh"}, "is for Japanese; leave language out, .*'zh'"),
        ({"base_form": "lemma"}, "base_form can be nothing with tokenizer='regex'"),
        ({"tokenizer": "nltk", "base_form": "lemma"}, "'snowball', 'wordnet' with"),
        ({"model": "en_core_web_sm"}, "add tokenizer='spacy'"),
        ({"tokenizer": "spacy", "base_form": "lemma"}, "add .* model"),
        ({"parts_of_speech": ["NOUN"]}, "add tokenizer='spacy' and model"),
        ({"stop_words": "klingon"}, "stop_words must be 'auto', a language .* 'nltk:'"),
        ({"stop_words": [1]}, "not a string"),
        ({"stop_words": 5}, "stop_words must be .* got 5"),
        ({"min_length": 0}, "min_length must be at least 1, got 0"),
        ({"phrase_min_count": 1.5}, "phrase_min_count must be a whole number"),
        ({"phrase_threshold": float("nan")}, "phrase_threshold must be at least 0 and finite"),
        ({"phrase_threshold": "high"}, "phrase_threshold must be a number"),
        ({"language": 5}, "language must be a string or None, got 5"),
        ({"learnt_phrases": 5}, "learnt_phrases must be a list of strings, got 5"),
        ({"lowercase": "yes"}, "lowercase must be True or False, got 'yes'"),
        ({"learnt_phrases": "new_york"}, "learnt_phrases must be a list of strings"),
    ],
)
def test_bad_settings_are_refused_at_once(settings, said):
    with pytest.raises((TypeError, ValueError), match=said) as caught:
        Tokenization(**settings)
    assert str(caught.value).endswith(".")


def test_a_single_text_is_no_list_of_texts():
    with pytest.raises(TypeError, match="put a single text into a list"):
        Tokenization().tokens("a text")
    with pytest.raises(ValueError, match="processes must be from 1 to 256, got 0"):
        Tokenization().tokens(["a text"], processes=0)


@given(st.text(), st.integers(2, 40))
def test_excerpts_are_short_lines(text, length):
    excerpt = cut_excerpt(text, length)
    assert len(excerpt) <= length
    assert excerpt == " ".join(excerpt.split())
