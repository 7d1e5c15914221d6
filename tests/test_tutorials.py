"""Every tutorial is executed here, what its text claims is checked, and so is its notebook."""

from __future__ import annotations

import configparser
import re
import runpy
import shutil
import sys
import tracemalloc
import warnings
from contextlib import contextmanager
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy
from planted import planted_counts

from dnmf_topics import DnmfModel
from dnmf_topics.common import blocks
from dnmf_topics.common.blocks import FolderBlocks, write_part
from dnmf_topics.common.documents import BlockCorpus
from dnmf_topics.core import Mbn, deep, proportions, refine
from dnmf_topics.model import learning

jupytext = pytest.importorskip("jupytext", reason="jupytext is not installed: no notebooks to pair")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: no notebooks to read")

FOLDER = Path(__file__).parents[1] / "tutorials"
TUTORIALS = sorted(path.stem for path in FOLDER.glob("[0-9]_*.py"))
SCIPY = "1.17"  # whose documentation two tutorials tell of, where they have no better corpus


@pytest.fixture
def run(monkeypatch, tmp_path, tmp_path_factory):
    """Run a tutorial as a script would, in an empty folder, and return its variables."""
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path_factory.mktemp("nothing")))
    monkeypatch.syspath_prepend(str(FOLDER))

    def run_one(name):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
            return runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")

    yield run_one
    plt.close("all")


@pytest.fixture
def run_offline(run, monkeypatch):
    """The same without 20 Newsgroups, as on a fresh installation."""
    monkeypatch.delenv("DNMF_CORPORA", raising=False)
    return run


def skip_for_another_scipy():
    """The tutorial ran; what it says about its texts holds for those that it was written for."""
    if not scipy.__version__.startswith(f"{SCIPY}."):
        pytest.skip(f"it tells of the documentation of scipy {SCIPY}, not of {scipy.__version__}")


# 1, From LdaModel to DnmfModel


def test_tutorial_1_from_lda_to_dnmf(run_offline, capsys):
    import numpy as np

    variables = run_offline("1_from_lda_to_dnmf")
    printed = capsys.readouterr()
    assert not printed.err
    lda, dnmf, corpus = (variables[name] for name in ("lda", "dnmf", "corpus"))
    num_topics = variables["NUM_TOPICS"]
    assert f"{len(corpus)} documents" in printed.out
    assert len(corpus) == 300

    # both models find the distinct stories, and their topics stand in the same row
    def words(model, topic, number=10):
        return {word for word, _ in model.show_topic(topic, number)}

    for story in ({"israeli", "palestinian"}, {"laden", "qaeda"}, {"test", "africa"}):
        assert [
            pair
            for pair in variables["pairs"]
            if story <= words(dnmf, pair[0]) and story <= words(lda, pair[1])
        ], story
    [joined] = [topic for topic in range(num_topics) if "economy" in words(dnmf, topic, 7)]
    assert {"disease", "cent", "rate"} <= words(dnmf, joined, 7)
    of_topic = [variables["texts"][i] for i in np.flatnonzero(dnmf.cluster_labels == joined)]
    for theme in ({"economy", "economic"}, {"disease", "hiv", "cancer"}):
        sharing = [text for text in of_topic if theme & set(text) and {"cent", "rate"} & set(text)]
        assert len(sharing) > 1, theme
    # words of everything: among LdaModel's topics, hardly among those of DnmfModel
    repeated = {name: dict(words) for name, words in variables["repeated"].items()}
    assert all(repeated["LdaModel"].get(word, 0) > 1 for word in ("people", "year", "new"))
    assert not {"people", "year", "new"} & repeated["DnmfModel"].keys()
    assert 3 * len(repeated["DnmfModel"]) < len(repeated["LdaModel"])

    # the words of a topic are in many of its documents, and in fewer of the others
    has = np.zeros((len(corpus), len(variables["dictionary"])))
    for position, document in enumerate(corpus):
        has[position, [term for term, _ in document]] = 1
    for topic in range(num_topics):
        own = dnmf.cluster_labels == topic
        terms = [term for term, _ in dnmf.get_topic_terms(topic)]
        assert (has[own][:, terms].mean(axis=0) > 2 * has[~own][:, terms].mean(axis=0)).all()
    assert np.allclose(dnmf.get_topics().sum(axis=1), 1)

    # the calls return the same shapes
    for one, other in (
        (dnmf.print_topics(2, 5), lda.print_topics(2, 5)),
        (dnmf.show_topics(-1, 3, formatted=False), lda.show_topics(-1, 3, formatted=False)),
    ):
        assert len(one) == len(other)
        assert [type(entry[1]) for entry in one] == [type(entry[1]) for entry in other]
    assert printed.out.count(f"{num_topics} topics sum to 1.00") == 2
    assert "dnmf[corpus]: the topics of 300 documents" in printed.out
    for topics in variables["ranked"].values():
        coherences = [coherence for _, coherence in topics]
        assert len(coherences) == num_topics
        assert coherences == sorted(coherences, reverse=True)

    # the new document is about cricket
    assert "wickets" in words(dnmf, variables["found"]["DnmfModel"], 20)
    assert "test" in words(lda, variables["found"]["LdaModel"])
    assert len(variables["typical"]) == 2
    for position in variables["typical"]:
        assert "cricket" in variables["documents"][position]

    # shares and sizes
    shares = variables["shares"]
    assert shares["DnmfModel"].max(axis=1).min() > 0.9
    assert max(share for _, share in dnmf[variables["bow"]]) < 0.9  # "as of the one above"
    assert "confidence" in dnmf.get_document_info()
    assert (shares["LdaModel"].max(axis=1) < 0.9).mean() > 0.25
    sizes = variables["sizes"]
    assert list(sizes["DnmfModel"]) == sorted(sizes["DnmfModel"], reverse=True)
    assert sizes["DnmfModel"].min() > 0
    assert sizes["DnmfModel"].sum() == len(corpus)
    assert list(sizes["LdaModel"]) != sorted(sizes["LdaModel"], reverse=True)
    assert [topic for topic, _ in dnmf.show_topics(2)] == [0, 1]
    assert [topic for topic, _ in lda.show_topics(2)] != [0, 1]
    lda.alpha = lda.alpha + 0.01 * abs(6 - np.arange(num_topics))  # a prior without ties
    assert [topic for topic, _ in lda.show_topics(2)] == [6, 0]  # the lowest and the highest

    assert variables["same"] == {"LdaModel": False, "DnmfModel": True}
    once, default, chunks, own = variables["summaries"].values()
    assert once[0] == 45
    assert once[0] < default[0] < chunks[0] < own[0]
    assert chunks[1] < 0.5 < 0.9 < min(default[1], own[1])
    assert variables["identical"]
    assert list(variables["info"]["topic"]) == list(range(num_topics))
    assert "the loaded model says the same: True" in printed.out
    assert "doubts: ()\n" in printed.out
    for name in ("news.dnmf", "topics.html"):
        path = variables["folder"] / name
        assert path.is_file()
        assert f"wrote {path}\n" in printed.out


# 2, Evaluate against LDA


def check_tutorial_2(variables, printed):
    assert not printed.err
    corpus, labels = variables["corpus"], variables["labels"]
    assert len(variables["classes"]) == variables["num_topics"] == 8
    assert len(corpus) == len(labels) <= 600
    assert len(corpus) / 8 > 50  # so the chunks are well below the number of documents

    # every fit of DnmfModel is above every fit of LdaModel
    measured, agreement = variables["measured"], variables["agreement"]
    assert list(measured) == ["c_v", "c_npmi", "u_mass", "topic_npmi", "diversity"]
    for column in measured:
        values = measured[column]
        assert values["DnmfModel"].min() > values["LdaModel"].max(), column
    for column in ("ACC", "NMI", "purity"):
        values = agreement[column]
        assert (values["DnmfModel"] > values["LdaModel"]).all(), column
    assert measured["diversity"]["DnmfModel"].min() > 0.95
    assert variables["stability"]["DnmfModel"] > variables["stability"]["LdaModel"]

    # the traps
    traps = variables["traps"]
    model, frequent, copied, at_random = traps.index
    assert traps.u_mass[frequent] > traps.u_mass[model]
    assert traps.topic_npmi[copied] > traps.topic_npmi[model]
    assert traps.u_mass[copied] > traps.u_mass[model]
    assert traps.diversity[copied] == pytest.approx(1 / 8)
    assert traps.diversity[at_random] == 1
    assert traps.topic_npmi[at_random] < 0
    alone = variables["alone"]
    assert alone["purity"] == 1
    assert alone["NMI"] > 0.3
    assert alone["ACC"] < 0.05

    # the tables are in the order of the best match
    for table in variables["tables"].values():
        matched = variables["linear_sum_assignment"](table, maximize=True)
        assert table.trace() == pytest.approx(table[matched].sum())
    assert variables["tables"]["DnmfModel"].trace() > variables["tables"]["LdaModel"].trace()

    # how many topics?
    by_topics = variables["by_topics"]
    assert list(by_topics.index) == [4, 8, 16, 32]
    assert by_topics.topic_npmi[16] > by_topics.topic_npmi[8]
    assert by_topics.diversity.min() > 0.95
    assert by_topics["largest topic"].max() < 0.4
    assert (by_topics["doubts"] == 0).all()

    # the map: the topics are about equally far apart, and not so in the plane
    for name in variables["TRAIN"]:
        path = variables["folder"] / f"{name}.html"
        assert path.is_file()
        assert f"wrote {path}\n" in printed.out
    divergence, on_map = (variables[name][variables["pairs"]] for name in ("divergence", "on_map"))
    assert divergence.max() < 1.5 * divergence.min()
    assert on_map.max() > 5 * on_map.min()

    check_written_documents(variables)
    check_blends_and_completion(variables)


def check_written_documents(variables):
    """What tutorial 2 says of the documents that it writes from vocabularies."""
    seeds = list(variables["MORE_SEEDS"])
    errors = {
        (number, name): variables["by_seed"].loc[(number, name), seeds]
        for number in (1, 2, 3)
        for name in variables["TRAIN"]
    }
    has_all = variables["found_by_seed"] == 6
    assert len(seeds) == 8
    assert variables["equal"].round(2).to_list() == [0.83, 0.67, 0.5]
    assert errors[1, "DnmfModel"].max() < 0.05
    assert [has_all.loc[number, "LdaModel"].sum() for number in (1, 2, 3)] == [3, 6, 5]
    for number in (2, 3):
        # where LdaModel has found all vocabularies it is nearer, with three topics more clearly
        good = has_all.loc[number, "LdaModel"]
        ours, theirs = errors[number, "DnmfModel"][good], errors[number, "LdaModel"][good]
        difference = ours - theirs
        assert difference.min() > 0
        assert (difference.max() < 0.025) == (number == 2)
        bad = ~good & has_all.loc[number, "DnmfModel"]
        assert (errors[number, "LdaModel"][bad] > errors[number, "DnmfModel"][bad]).all()
    for number in (1, 2, 3):
        assert has_all.loc[number, "DnmfModel"].all()
        assert errors[number, "DnmfModel"].max() - errors[number, "DnmfModel"].min() < 0.02
        assert all(variables["is_mixed"][number, seed] == (number > 1) for seed in seeds)
    assert not variables["logging"].getLogger("dnmf_topics").handlers

    # the models and the documents of the picture
    for model, matched in variables["mixed"].values():
        assert variables["count_found"](model) == 6
        true = variables["true_shares"] > 0
        assert (np.where(true, matched, 0).sum(axis=1)[:4] > 0.9).all()


def check_blends_and_completion(variables):
    """What tutorial 2 says of mixtures of texts, and of completing documents."""
    blended, blends = variables["blended"], variables["blends"]
    assert len(blends) == 300
    assert ((variables["true_parts"] == 0.5).sum(axis=1) == 2).all()
    dnmf, lda = blended.loc["DnmfModel"], blended.loc["LdaModel"]
    is_scipy = variables["source"].name == "documentation of scipy"
    better = dnmf.index != 1 if is_scipy else dnmf.index >= 0
    assert (dnmf["error"] < lda["error"]).all()
    assert (dnmf["error"] < lda["error"] - 0.1)[better].all()
    assert (dnmf["both found"] > lda["both found"] + 0.1)[better].all()
    assert (dnmf["both found"] < lda["both found"])[~better].all()
    assert dnmf["largest share"].between(0.55, 0.68).all()
    for seed in variables["SEEDS"]:
        topics = {
            name: (variables["shares_of"](variables["known_fits"][name, seed], blends) > 0.05)
            .sum(axis=1)
            .mean()
            for name in variables["TRAIN"]
        }
        assert topics["LdaModel"] > topics["DnmfModel"] + 1
    assert dnmf["both found"].mean() == pytest.approx(0.65 if is_scipy else 0.5, abs=0.04)

    completed = variables["completed"]
    seeds = list(variables["SEEDS"])
    assert (completed.loc["DnmfModel", seeds] > completed.loc["LdaModel", seeds]).all()
    assert (completed.loc["LdaModel", seeds] > completed.loc["no topics", seeds]).all()
    ours, theirs = completed.loc["DnmfModel", "written"], completed.loc["LdaModel", "written"]
    assert theirs > ours > completed.loc["no topics", "written"]
    # most of the difference is the language of all documents that DnmfModel has in its topics
    shown, hidden = variables["halve_documents"](variables["more_counts"], random_state=0)
    model, _ = variables["mixed"]["DnmfModel"]
    frequency = variables["written_counts"].sum(axis=0).A1
    background = proportions.BACKGROUND + proportions.CORPUS_SHARE * (1 - proportions.BACKGROUND)
    words = model.get_word_distributions() - background * frequency / frequency.sum()
    words = np.maximum(words, 1e-5)
    shares = variables["shares_of"](model, variables["Sparse2Corpus"](shown.T))
    without = variables["completion_likelihood"](
        hidden, shares, words / words.sum(axis=1, keepdims=True)
    )
    assert without - ours > 0.5 * (theirs - ours)
    assert proportions.BACKGROUND == 0.1  # "a tenth"


def test_tutorial_2_evaluate_against_lda(run_offline, capsys):
    import numpy as np

    variables = run_offline("2_evaluate_against_lda")
    skip_for_another_scipy()
    check_tutorial_2(variables, capsys.readouterr())
    # the most frequent words are those of a note that hundreds of pages share
    dictionary, frequent = variables["dictionary"], variables["frequent"]
    assert {"gpu", "cupy", "dask"} <= {dictionary[term] for term in frequent}
    assert min(dictionary.dfs[term] for term in frequent) > 200
    assert variables["traps"].topic_npmi["the most frequent words"] > 0.9

    # which classes are split and which are put together, seed 0
    tables, classes = variables["tables"], variables["classes"]
    dnmf, lda = (
        dict(zip(classes, tables[name], strict=True)) for name in ("DnmfModel", "LdaModel")
    )
    own = [row.argmax() for row in dnmf.values()]
    assert sorted(own) == list(range(8))
    for (name, row), topic in zip(dnmf.items(), own, strict=True):
        assert row[topic] > 0.6
        others = {other: share[topic] for other, share in dnmf.items() if other != name}
        if name == "fft":
            assert others.pop("signal") == pytest.approx(0.25, abs=0.05)
            assert others.pop("ndimage") > 0.25
        assert max(others.values()) < 0.11
    without = [lda[name] for name in classes if name != "special"]
    assert sorted(row.argmax() for row in without) == sorted(set(range(8)) - {6})
    assert lda["special"][6] < 0.05
    assert (
        sum(lda["special"][lda[name].argmax()] for name in ("fft", "interpolate", "signal")) > 0.8
    )

    # the words of the mixed topics, and the map
    def topic_of(name):
        chosen = [label == name for label in variables["labels"]]
        return np.bincount(variables["found"]["DnmfModel", 0][chosen], minlength=8)

    words = variables["words_of"](variables["top"]["DnmfModel", 0][topic_of("fft").argmax()])
    assert set(words[:3]) == {"fft", "transform", "fourier"}
    note = {dictionary[term] for term in frequent}
    assert {"dask", "capability"} <= note & set(words)
    strangers = (variables["found"]["DnmfModel", 0] == topic_of("fft").argmax()) & [
        label != "fft" for label in variables["labels"]
    ]
    with_note = [note <= set(variables["tokens"][i]) for i in np.flatnonzero(strangers)]
    assert np.mean(with_note) > 0.9
    wrong = (1 - variables["agreement"]["ACC"]["DnmfModel", 0]) * len(variables["labels"])
    assert len(with_note) > 0.6 * wrong
    on_map, divergence = (variables[name] for name in ("on_map", "divergence"))
    topic = {name: int(topic_of(name).argmax()) for name in classes}
    near = [topic[name] for name in ("fft", "ndimage", "signal")]
    assert on_map[np.ix_(near, near)].max() < 0.1
    within = divergence[np.ix_(near, near)]
    assert within.max() < 1.05 * np.sort(divergence[variables["pairs"]])[2:4].max()
    stats, interpolate, optimize = (topic[name] for name in ("stats", "interpolate", "optimize"))
    assert on_map[stats, interpolate] < 0.1
    assert divergence[stats, optimize] < divergence[stats, interpolate]
    assert on_map[stats, optimize] > 2 * on_map[stats, interpolate]
    # the exception: stats was cut in two
    known_labels = np.array(variables["labels"][: variables["num_known"]])
    of_stats = variables["known_fits"]["DnmfModel", 1].cluster_labels[known_labels == "stats"]
    assert np.sort(np.bincount(of_stats))[-2] > 0.4 * len(of_stats)


def test_tutorial_2_evaluate_against_lda_on_newsgroups(run, corpora_folder, capsys):
    from dnmf_topics.evaluation import contingency

    variables = run("2_evaluate_against_lda")
    assert variables["source"].name == "20 Newsgroups"
    check_tutorial_2(variables, capsys.readouterr())
    # topics that are mostly one class
    labels = variables["labels"]
    pure = {}
    for name in variables["TRAIN"]:
        table = contingency(labels, variables["found"][name, 0])
        pure[name] = (table.max(axis=0) > 0.6 * table.sum(axis=0)).sum()
    assert pure["DnmfModel"] == 7
    assert pure["LdaModel"] == 2
    rows = dict(zip(variables["classes"], variables["tables"]["DnmfModel"], strict=True))
    mixed = rows["sci.med"].argmax()
    assert rows["sci.med"][mixed] > 0.6
    assert rows["talk.politics.mideast"][mixed] == pytest.approx(0.33, abs=0.04)
    table = contingency(labels, variables["found"]["DnmfModel", 0])
    purest = table.max(axis=0) / table.sum(axis=0)
    assert purest.argmin() == table[variables["classes"].index("sci.med")].argmax()


# 3, From raw text


def test_tutorial_3_from_raw_text(run_offline, capsys, tmp_path):
    from gensim.models import LdaModel
    from gensim.parsing.preprocessing import STOPWORDS

    from dnmf_topics import DnmfModel
    from dnmf_topics.text import TextCorpus, Tokenization, build_corpus

    pytest.importorskip("nltk", reason="NLTK is not installed: no stems")
    pytest.importorskip("spacy", reason="spaCy is not installed: no German stop words")
    variables = run_offline("3_from_raw_text")
    printed = capsys.readouterr()
    assert not printed.err
    lines = printed.out.splitlines()

    # the defaults, and the first topics
    dictionary = variables["corpus"].dictionary
    assert min(dictionary.dfs.values()) == 2
    assert max(dictionary.dfs.values()) <= 150
    assert min(map(len, dictionary.token2id)) == 2
    assert {"palestinian", "israeli"} <= {word for word, _ in variables["model"].show_topic(2)}
    assert {"fire", "bill", "system"} <= STOPWORDS & dictionary.token2id.keys()
    by_gensim = build_corpus(variables["news"], Tokenization(stop_words=sorted(STOPWORDS)))
    other = DnmfModel(by_gensim.counts, 12, by_gensim.dictionary, random_state=0)
    assert (
        other.get_topic_info()["words"][0][:3]
        != variables["model"].get_topic_info()["words"][0][:3]
    )

    # all sources give the same documents
    read = variables["read"]
    texts = {name: {document.text for document in documents} for name, documents in read.items()}
    assert all(each == {row["body"] for row in variables["rows"]} for each in texts.values())
    labels = {name: {document.label for document in documents} for name, documents in read.items()}
    assert labels.pop("an iterator") == {None}
    assert all(each == {"weather", "sport", "economy"} for each in labels.values())
    assert read["a folder"][0].id == "economy/2.txt"

    # a corpus on disk has the beginnings of the texts, and no matrix; it can be opened again
    on_disk = variables["on_disk"]
    assert set(on_disk.excerpts) == {row["body"] for row in variables["rows"]}
    assert not hasattr(on_disk.counts, "matrix")
    again = TextCorpus.load(on_disk.counts.blocks.folder)
    assert list(again.counts) == list(on_disk.counts)
    LdaModel(on_disk.counts, 2, on_disk.dictionary, random_state=0)

    # what is wrong is named, with the line
    folder = variables["folder"]
    assert not list(tmp_path.iterdir())
    for start in (
        f"There is no file or folder {str(folder / 'missing.csv')!r}.",
        f"{folder / 'news.csv'} has no column 'text'",
        f"{folder / 'broken.csv'}, line 3: ",
        f"{folder / 'latin.txt'}, line 1: the byte 0xdc is not utf-8",
        "read: ['Überall Regen']",
        "The documents, item 2: the text must be a string, got None.",
        "None of the 4 words is in at least 2",
    ):
        assert [line for line in lines if line.startswith(start)], start
    assert [skipped.place for skipped in variables["documents"].skipped] == [
        f"{folder / 'broken.csv'}, line 3"
    ]

    # words
    cut = variables["cut"]
    assert {"fire", "example", "org"} <= set(cut["regex"])
    assert "example" not in " ".join(cut["spaCy, blank"])
    assert {"fires", "fighting"} <= set(cut["regex"])
    assert cut["NLTK, stems"].count("fire") == 2
    assert {"fires", "fighting"}.isdisjoint(cut["NLTK, stems"])
    assert [line for line in lines if "en_core_web_sm" in line or line.startswith("miller fire")]
    assert "['fires', 'near', 'coast']" in lines
    assert {"alice", "botany", "telescope"} <= set(variables["plain"])
    assert variables["stripped"] == ["bicycle", "bicycle", "new", "brakes"]
    phrases = {"bin_laden", "asylum_seekers", "minister_alexander"}
    assert phrases <= set(variables["phrases"])
    joined = variables["joined"]
    [named] = [line.split() for line in lines if "osama_bin" in line.split()]
    assert named[named.index("osama_bin") + 1] == "laden"
    assert [line for line in lines if line.startswith("3 ") and "yasser_arafat" in line]

    # how many words are left
    sizes = variables["sizes"]
    all_words, no_stop_words, in_two, in_five, stems = sizes.values()
    assert all_words > no_stop_words > in_two > in_five > stems
    assert all_words - no_stop_words < 0.1 * all_words
    assert no_stop_words - in_two > 0.5 * no_stop_words

    # new text, and the saved corpus
    words = [joined.dictionary[term] for term, _ in variables["bow"]]
    assert {"fast_bowler", "shaun_pollock", "south_africa"} <= set(words)
    [assigned] = [line for line in lines if line.startswith("topic 6, share")]
    assert "'test', 'south_africa', 'match'" in assigned
    assert "the model's steps are the corpus's: True" in printed.out
    assert "same steps: True" in printed.out

    # German
    chinese = Tokenization(tokenizer="spacy", language="zh", min_length=1)
    assert {len(word) for word in next(chinese.tokens(["今天的天气很好"]))} == {1}
    assert not next(Tokenization(tokenizer="spacy", language="zh").tokens(["今天的天气很好"]))
    assert len(variables["german"]) == 120
    assert {"und", "den", "dem"} <= set(variables["found"]["English stop words"])
    stop_words = variables["steps"]["German stop words"].stop_words
    assert set(variables["found"]["German stop words"]).isdisjoint(stop_words)
    pairs = set(zip(variables["subjects"], variables["modell"].cluster_labels, strict=True))
    assert len(pairs) == 4
    assert printed.out.count("25.0%") == 4
    assert variables["exit_code"] == 0
    assert "documents.csv, model.dnmf, report.html" in printed.out
    assert "id,topic,name,weight,confidence,known_words,words,text" in lines
    assert [line for line in lines if line.startswith("1,") and "verspätung" in line]


# 4, Inside DNMF


def check_tutorial_4(variables):
    from itertools import combinations

    import numpy as np

    from dnmf_topics.core import Mbn, fit_topics
    from dnmf_topics.evaluation import clustering_accuracy, top_terms

    # by hand
    by_hand, last = variables["by_hand"], variables["similarities"][-1]
    assert clustering_accuracy(variables["group"], variables["by_means"]) < 0.85
    halves = np.bincount(variables["by_means"][:100])
    assert halves.min() > 30
    assert np.bincount(variables["by_means"][100:]).max() > 90
    assert by_hand["within a group"].is_monotonic_increasing
    assert (by_hand["within a group"] > 3 * by_hand["between groups"]).all()
    assert last[0, 90:100].mean() > 2 * last[0, 100:].mean()
    to_core, to_other_end = (
        np.linalg.norm(variables["points"][0] - point)
        for point in (variables["core"].mean(axis=0) + 2, variables["points"][99])
    )
    assert to_other_end == pytest.approx(2 * to_core, rel=0.1)
    assert min(variables["accuracy_by_hand"], variables["accuracy_of_package"]) > 0.95
    assert [layer.size for layer in variables["package"].deep.layers] == variables["sizes"]

    # on text
    by_layer, fit, widths = variables["by_layer"], variables["fit"], variables["widths"]
    assert (by_layer["within classes"] > 3 * by_layer["between classes"]).all()
    alone, refined = by_layer["network alone"], by_layer["refined"]
    is_scipy = variables["data"].name == "documentation of scipy"
    assert alone.iloc[-3:].min() > alone.iloc[:2].max()
    if is_scipy:
        assert refined.max() - refined.min() < 0.02 < alone.max() - alone.min()
    else:
        assert refined.iloc[-3:].min() > refined.iloc[:2].max() + 0.03
    assert refined.iloc[-1] >= alone.iloc[-1]
    assert {layer.codes.shape[1] for layer in fit.deep.layers} == {200}
    narrow = widths[-1]
    assert narrow <= 10
    scores = variables["scores"].round(3)
    assert scores["view"].to_list() == ["unequal", "unequal", "equal", "equal"]
    assert scores["layer_size"].to_list() == [widths[0], widths[2], narrow, "terms"]
    best = scores["total"].drop(index=scores["fit"][2:].idxmin()).idxmax()
    assert best == fit.deep.view_index == (2 if is_scipy else 1)
    total = (
        np.log(scores["information"])
        + 2 * np.log(scores["separation"])
        + np.log(np.minimum(scores["cohesion"], 2))
    )
    assert np.allclose(scores["total"], total, atol=0.01)  # as a reader finds it from the table
    # with last_layer_size both ways are tried on that layer
    fixed = fit_topics(
        variables["doc_term"], 8, deep_model=Mbn(last_layer_size=narrow), random_state=0
    )
    assert [(score.view, score.layer_size) for score in fixed.deep.scores] == [
        ("unequal", narrow), ("equal", narrow),
    ]  # fmt: skip
    assert refined.iloc[-1] == clustering_accuracy(variables["classes"], fixed.cluster_labels)
    assert refined[widths[fit.deep.layer_index]] == pytest.approx(
        variables["accuracy_of_fit"], abs=0.05
    )
    shorter = fit_topics(
        variables["doc_term"], 8, deep_model=Mbn(last_layer_size=widths[1]), random_state=0
    )
    for ours, theirs in zip(shorter.deep.layers, fit.deep.layers, strict=False):
        assert np.array_equal(ours.codes, theirs.codes)

    # a model of nothing
    nothing = variables["of_nothing"]
    views = nothing.get_view_info()
    assert views["fit"].max() < 0
    assert views["information"].max() < 0.15
    assert any("explains their words better than none" in doubt for doubt in nothing.doubts)
    assert all(doubt in variables["log"].stream.getvalue() for doubt in nothing.doubts)
    assert sum(len(document) for document in variables["shuffled"]) > 0.9 * variables["counts"].nnz

    # three factorizations
    variants, compared = variables["variants"], variables["compared"]
    words = {name: top_terms(found.topic_term, 8) for name, found in variants.items()}
    for one, other in combinations(words.values(), 2):
        assert np.mean([np.intersect1d(*pair).size for pair in zip(one, other, strict=True)]) > 4
    has = (variables["counts"] > 0).toarray()
    P = np.array([has[fit.cluster_labels == topic].mean(axis=0) for topic in range(8)])
    lift = np.log(np.maximum(P, 1e-9) / has.mean(axis=0))
    of_model = top_terms(variables["model"].get_topics(), 8)
    assert [set(best) for best in of_model] == [set(best) for best in top_terms(P * lift, 8)]
    assert (
        np.take_along_axis(P, of_model, 1).mean()
        > 1.05 * np.take_along_axis(P, words["sdnmf"], 1).mean()
    )
    in_first = fit.cluster_labels == 0
    typical = variables["members"] @ variables["singular"]
    plain = variants["sdnmf of the paper"]
    assert np.corrcoef(plain.doc_topic[in_first, 0], typical)[0, 1] > 0.99
    assert max(variables["from_mean"], variables["from_singular"]) < 1e-6
    assert compared["misfit of D"].idxmin() == "sdnmf"
    assert compared["topics per document"].round(2).to_list()[:2] == [1, 1]
    assert (compared["topics per document"].iloc[2:] > 1.1).all()
    fits = compared["misfit of D"]
    assert fits["sdnmf"] < fits["sdnmf of the paper"] < fits["bdnmf"] < fits["cdnmf"]
    pair = (words["sdnmf"], words["sdnmf of the paper"])
    assert np.mean([np.intersect1d(*topics).size for topics in zip(*pair, strict=True)]) > 6
    assert compared.loc["sdnmf of the paper", "steps"] == 8
    assert len(variables["losses"]) > 10
    assert (np.diff(variables["losses"]) <= 0).all()

    # the settings
    means = variables["means"]
    clusterings, delta = means.loc["num_clusterings"], means.loc["delta"]
    alone, refined = clusterings["network alone"], clusterings["refined"]
    assert alone[10] < alone[50] - 0.15
    assert ((clusterings.loc[50] - clusterings.loc[200]).abs() < 0.1).all()
    assert (means["refined"] > means["network alone"]).all()
    worse = delta.loc[0.5] - delta.loc[0.8]
    assert worse["network alone"] > max(0.12, worse["refined"])
    assert ((delta.loc[0.2] - delta.loc[0.5]).between(-0.1, 0.04)).all()
    if is_scipy:
        assert refined[10] < refined[200] - 0.1
        assert worse["refined"] > 0.08
    else:
        assert means["refined"].max() - means["refined"].min() < 0.06
    lambdas = variables["lambdas"]
    agreement = lambdas.groupby("lambda1")["own topic first"]
    assert agreement.max()[0] < 0.95
    assert agreement.min().loc[0.1:].min() > 0.998
    for _, part in lambdas.groupby("lambda2"):
        assert part["topics per document"].is_monotonic_decreasing
        assert part["misfit of D"].is_monotonic_increasing
    without, with_it = (part.set_index("lambda1") for _, part in lambdas.groupby("lambda2"))
    assert (with_it["steps"] > 2 * without["steps"]).all()
    assert with_it["same words"].loc[1:].between(7.5, 8.5).all()
    assert (with_it["misfit of D"] > without["misfit of D"]).loc[1:].all()

    # a deep model of your own
    assert clustering_accuracy(variables["classes"], variables["by_kmeans"].cluster_labels) < (
        variables["accuracy_of_fit"] - 0.1
    )
    assert len(variables["class_words"]) == 8
    assert (variables["shares"] > 0).all()
    frequency = (variables["counts"] > 0).sum(axis=0)
    assert frequency[variables["dnmf_words"]].mean() < frequency[variables["lda_words"]].mean()
    assert "every document needs a topic" in variables["refusal"]


def test_tutorial_4_says_what_is_so(run_offline):
    variables = run_offline("4_inside_dnmf")
    assert variables["data"].name == "documentation of scipy"
    skip_for_another_scipy()
    check_tutorial_4(variables)
    assert variables["accuracy_of_fit"] > 0.85
    assert "spline" in variables["class_words"]["interpolate"]
    assert "distribution" in variables["class_words"]["stats"]


def test_tutorial_4_holds_for_newsgroups(run, corpora_folder):
    variables = run("4_inside_dnmf")
    assert variables["data"].name == "20 Newsgroups"
    check_tutorial_4(variables)
    # a choice that is wrong, as the text says it can be
    assert variables["accuracy_of_fit"] < variables["by_layer"]["refined"][20] - 0.03
    assert "car" in variables["class_words"]["rec.autos"]


# 5, Reproduce the paper


def check_tutorial_5(variables, printed):
    import numpy as np

    assert not printed.err
    assert variables["outcome"].ok == variables["outcome"].cells == 12
    assert "12 cells, 12 of them found" in printed.out
    assert (variables["accuracy"]["runs"] == 3).all()
    assert variables["accuracy"]["mean"].idxmax() == "sdnmf"

    # the paper's study
    assert {"lda", "sklearn-nmf"} <= set(variables["baselines"])
    table = variables["table"]
    assert len(table) == 14
    main = variables["found"].query("metric == 'acc'")
    seeds = (main["corpus"] == "20newsgroups") & (main["num_topics"] == 20)
    assert (main["runs"] == np.where(seeds, 5, 10)).all()
    assert set(variables["acc"]) == set(main["method"])
    balanced = table.drop(index="reuters21578")
    assert (balanced["DNMF"] > balanced["best baseline"]).all()
    ranks = variables["ranks"]
    both = ranks["coherence and sim_count"]
    assert ranks["overall"].idxmin() == both.idxmin() == "sdnmf"
    assert ranks["coherence"].idxmin() == "sklearn-nmf"
    assert both.nsmallest(2).index[1] == "sklearn-nmf"
    assert both["sklearn-nmf"] < both["sdnmf"] + 0.2
    assert ranks["acc"]["sklearn-nmf"] > 5 * ranks["acc"]["sdnmf"]
    errors = (variables["study"] / "README.md").read_text(encoding="utf-8")
    assert "those of TDT2 over again" in errors


def test_tutorial_5_reproduce_the_paper(run_offline, capsys):
    check_tutorial_5(run_offline("5_reproduce_the_paper"), capsys.readouterr())


def test_tutorial_5_reproduce_the_paper_on_newsgroups(run, corpora_folder, capsys):
    variables = run("5_reproduce_the_paper")
    assert variables["corpus"].name == "20 Newsgroups"
    check_tutorial_5(variables, capsys.readouterr())


# 6, In production


def test_tutorial_6_says_what_is_so(run_offline, monkeypatch, tmp_path, capsys):
    import hashlib
    import re

    import numpy as np

    variables = run_offline("6_in_production")
    printed = capsys.readouterr()
    assert not printed.err
    model, bow = variables["model"], variables["bow"]
    assert not list(tmp_path.iterdir())
    assert not variables["folder"].exists()

    # saving and loading
    assert variables["loaded"][bow] == variables["mapped"][bow] == model[bow]
    assert isinstance(variables["mapped"].expElogbeta, np.memmap)
    sizes = {
        name: int(size.replace(",", ""))
        for size, name in re.findall(r"([\d,]+) bytes  (\S+)", printed.out)
    }
    assert sizes["model.dnmf.gz"] < sizes["model.dnmf"] / 2
    assert 0.9 * sizes["model.dnmf"] < sizes["small.dnmf"] < sizes["model.dnmf"]
    assert len(sizes) == 4
    assert set(variables["refusals"]) == {"short", "flipped", "other"}
    for said in variables["refusals"].values():
        assert "is not a whole file of dnmf_topics" in said
    path = tmp_path / "model.dnmf"
    model.save(path)
    assert path.read_bytes() == variables["whole"]
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            variables["fresh"].save(path)
    assert path.read_bytes() == variables["whole"]
    assert [found.name for found in tmp_path.iterdir()] == ["model.dnmf"]

    # the same result again
    again = variables["again"]
    assert again["same topics"].to_list() == [True] * 5 + [False]
    files = again["checksum of the file"].to_list()
    assert len(set(files[:3])) == 1
    assert len(set(files)) == 4  # the file keeps n_jobs
    digest = hashlib.sha256(variables["whole"]).hexdigest()
    assert digest.startswith(files[0])
    for found in variables["models"].values():
        found.n_jobs = -1
        found.save(path)
        assert (path.read_bytes() == variables["whole"]) == (
            found is not variables["models"]["seed 1"]
        )

    # many questions at once
    assert variables["at_once"] == variables["one_by_one"]
    assert len(variables["at_once"]) == 300
    assert "cricket" in variables["reply"]["words"]
    assert variables["server"].socket.fileno() == -1  # closed

    # documents without words
    shares = dict(model[variables["empty"]])
    assert variables["empty"] == variables["unknown"] == []
    assert np.allclose(list(shares.values()), model.alpha / model.alpha.sum())
    largest = model.topic_order()[0]
    assert variables["in_table"].to_numpy().tolist() == [[largest, 0], [largest, 0]]
    assert variables["with_foreign_id"] == model[bow]
    assert "are ignored" in str(variables["caught"][0].message)

    # tomorrow's documents
    fresh, table = variables["fresh"], variables["old_and_new"]
    assert variables["kept"].all()
    assert fresh.num_updates == fresh.state.numdocs == 300
    assert model.num_updates == model.state.numdocs == 250
    assert table["after"].sum() == table["documents before"].sum() + 50 == 300
    assert ((table["words changed by"] > 0) & (table["words changed by"] < 0.3)).all()
    assert (fresh.state.word_counts.sum(axis=1) >= model.state.word_counts.sum(axis=1)).all()
    assert (fresh.num_topics, fresh.num_terms) == (model.num_topics, model.num_terms)
    # an update keeps the numbers, and these are no longer by size
    assert model.topic_order() == list(range(10))
    assert fresh.topic_order() == list(np.argsort(-table["after"], kind="stable"))
    assert fresh.topic_order() != model.topic_order()
    merged, alone = variables["merged"], variables["alone"]
    for name in merged.sums():
        assert np.allclose(getattr(merged, name), getattr(alone, name))
    assert merged.numdocs == alone.numdocs == 50
    assert variables["collected"].state.numdocs == 300
    assert not np.array_equal(variables["collected"].get_topics(), model.get_topics())
    assert variables["same_words"]
    assert variables["same_shares"]
    assert 0 < variables["differing"].mean() < 0.01

    # progress, canceling, logging
    stages = [event.stage for event in variables["events"]]
    assert list(dict.fromkeys(stages)) == ["network", "clusters", "bdnmf"]
    assert variables["canceled"] == "in stage network, after step 3"
    assert "the connection broke; the model is unchanged: True" in printed.out
    fresh.save(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == variables["before"]
    log = variables["log"].getvalue()
    for line in (
        "without an effect: passes", "weighting='tfidf'", "network: ", "bdnmf: 1 done in ",
        "a document is about one topic",
    ):  # fmt: skip
        assert line in log
    assert not model.doubts
    assert "may not be what you want" not in log
    assert not variables["logger"].handlers

    # time and memory, without a word about this machine's speed
    costs = variables["costs"].set_index("documents")
    assert costs["seconds"][4000] / costs["seconds"][500] < 8**2 / 2  # far from the square
    assert 5 < costs["MB at the peak"][4000] / costs["MB at the peak"][500] < 10
    assert variables["planned"] == pytest.approx(variables["codes"])
    assert variables["plan"]["landmarks"].to_list() == [1000, 8000, 8000, 8000]
    planned = variables["megabytes_of_codes"]
    network = variables["Mbn"]
    assert planned(100, 5, network(100)) == pytest.approx(planned(100, 5, network(400)) / 4)
    assert min(variables["accuracies"]) > 0.95
    results = FOLDER.parent / "tests" / "benchmarks" / "results"
    newsgroups, arxiv = ((results / name).read_text() for name in ("speed.txt", "large.txt"))
    [fits] = re.findall(r"fit \[(.*?)\]", newsgroups)
    assert np.median([float(seconds) for seconds in fits.split(",")]) < 60
    [seconds] = re.findall(r"^abstracts, in memory: seconds .* ([\d.]+) \(", arxiv, re.MULTILINE)
    assert float(seconds) < 60
    [megabytes] = re.findall(r"^100,000: the fit, CPU s, MB .* (\d+)$", arxiv, re.MULTILINE)
    assert int(megabytes) < 1500

    # the command line
    assert "the same topics: True" in printed.out
    assert len(variables["inferred"]) == 50
    assert {"topic", "weight", "confidence"} <= set(variables["inferred"])
    assert np.allclose(
        variables["inferred"][["weight", "confidence"]],
        model.get_document_info(variables["tomorrow"])[["weight", "confidence"]],
        atol=1e-6,
    )
    lines = re.findall(r"^ +\d +\d+ +[\d.]+% +(.*)$", printed.out, re.MULTILINE)
    assert len(lines) == 10
    for topic, line in enumerate(lines):
        words = [word for word, _ in model.show_topic(topic, 10)]
        assert line.split(maxsplit=3)[3].split() == words, "after a name of three words"


# 7, Large corpora


def test_tutorial_7_large_corpora(run_offline, capsys):
    pytest.importorskip("distributed", reason="dask is not installed")
    variables = run_offline("7_large_corpora")
    printed = capsys.readouterr()
    assert not printed.err
    for claim in ("the same topics of documents", "the same words, bit for bit"):
        assert re.findall(rf"{claim}: (\w+)", printed.out) == ["True"] * 2
    assert f"<TextCorpus: {len(variables['texts'])} documents" in printed.out

    # the task stream has the stages that the text names, on both workers
    bars = variables["bars"]
    assert {"code_rows", "cluster_view"} <= set(bars["stage"])
    assert [stage for stage in bars["stage"] if stage.endswith("-sum")]
    assert bars["worker"].nunique() == 2

    # what the text says about the plans
    plans = variables["plans"].set_index(["documents", "workers"])
    assert 0.35 < plans["hours"][10**7, 2] < 0.65
    assert 4 < plans["driver, GB"][10**8, 16] < 8
    wide = plans.loc[10**8, 128]
    assert wide["hours of moving"] > wide["hours"]
    large = (FOLDER.parent / "tests" / "benchmarks" / "results" / "large.txt").read_text("utf-8")

    def cpu_seconds(stage):
        found = re.search(rf"^1,000,000: {stage}, s \(CPU s\).*\(([\d.]+)\)", large, re.MULTILINE)
        return float(found[1])

    millionths = 1e6 * variables["TEXT_SECONDS"]
    assert cpu_seconds("text") == pytest.approx(millionths, rel=0.2)
    passes = 63 * 50 * variables["MOST_PASSES"] * variables["PASS_SECONDS"] * 1e6
    assert cpu_seconds("refinement") == pytest.approx(passes, rel=0.2)
    network = cpu_seconds("network") + cpu_seconds("clusters")
    assert network == pytest.approx(variables["NETWORK_SECONDS"], rel=0.2)
    others = cpu_seconds("bdnmf") + cpu_seconds("description")
    assert others == pytest.approx(1e6 * variables["OTHER_SECONDS"], rel=0.2)


@pytest.fixture
def long_refinement(monkeypatch):
    """Fits of many small blocks that take the longest way there is."""
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 1000)
    monkeypatch.setattr(deep, "MOST_SEEN", 150)
    monkeypatch.setattr(deep, "SCORING_SAMPLE", 50)
    monkeypatch.setattr(deep, "SAMPLE_PER_TOPIC", 1)
    monkeypatch.setattr(deep, "choose_view", lambda scores: len(scores) - 1)  # of equal topics
    monkeypatch.setattr(refine, "SETTLED", -1)
    monkeypatch.setattr(learning, "MOST_SHARES", 100)


def plan_of_tutorial_7():
    """The function and its constants, without the rest of the tutorial."""
    [cell] = [
        cell.source
        for cell in jupytext.read(FOLDER / "7_large_corpora.py", fmt="py:percent").cells
        if "def plan(" in cell.source
    ]
    variables = {"pd": pd}
    exec(cell, variables)
    return variables["plan"]


def write_planted(folder, num_parts):
    """Files of 2,000 planted documents each in a folder, and the number of their pairs."""
    counts, _ = planted_counts([200] * 10, noise=0.3, num_common=1000)
    for number in range(num_parts):
        write_part(folder, "counts", number, counts)
    documents = FolderBlocks(folder, "counts", [2000] * num_parts, counts.shape[1], np.float64)
    return documents, num_parts * counts.nnz


def fit_files(documents, **options):
    """A fit, and the number of its passes."""
    num_passes = 0

    def count(event):
        nonlocal num_passes
        num_passes += event.stage == "refinement"

    @contextmanager
    def reporting(show):
        yield count

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "reporting", reporting)
        DnmfModel(
            BlockCorpus(documents), 10, dict.fromkeys(range(documents.shape[1]), ""),
            random_state=0, deep_model=Mbn(num_clusterings=10, landmarks=40), n_jobs=1, **options,
        )  # fmt: skip
    return num_passes


def test_the_plan_of_tutorial_7_meets_what_is_read_and_kept(long_refinement, tmp_path, monkeypatch):
    counted = {"read": 0, "disk": 0}
    read, remove = FolderBlocks._read, shutil.rmtree

    def watched_read(self, part, start, stop):
        rows = read(self, part, start, stop)
        if self.name == "units":
            counted["read"] += rows.data.nbytes + rows.indices.nbytes + 8 * rows.shape[0]
        return rows

    def watched_remove(folder, **options):
        counted["disk"] += sum(path.stat().st_size for path in Path(folder).glob("units-*"))
        remove(folder, **options)

    monkeypatch.setattr(FolderBlocks, "_read", watched_read)
    monkeypatch.setattr(shutil, "rmtree", watched_remove)
    fit_files(write_planted(tmp_path, 1)[0])  # compiles
    plan, peaks = plan_of_tutorial_7(), []
    for num_docs in (4000, 40_000):
        documents, num_pairs = write_planted(tmp_path, num_docs // 2000)
        counted.update(read=0, disk=0)
        tracemalloc.start()
        passes = fit_files(documents, spool=tmp_path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        expected = plan(
            num_docs, 1, pairs_per_doc=num_pairs / num_docs, num_terms=documents.shape[1],
            num_topics=10, passes=passes,
        )  # fmt: skip
        # A pass more assigns the documents at first, and some are taken for the network.
        assert counted["read"] / 1e9 == pytest.approx(expected["read, GB"], rel=0.05)
        counted["disk"] += sum(path.stat().st_size for path in tmp_path.glob("counts-*"))
        assert counted["disk"] / 1e9 == pytest.approx(expected["disk, GB"], rel=0.05)
    assert passes == plan.__globals__["MOST_PASSES"] - 1
    of_docs = [plan(num_docs, 1)["driver, GB"] * 1e9 for num_docs in (4000, 40_000)]
    assert np.diff(peaks) == pytest.approx(np.diff(of_docs), rel=0.4)


def test_the_plan_of_tutorial_7_meets_what_is_moved(long_refinement, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="dask is not installed")
    from dnmf_topics.common import dask_engine
    from dnmf_topics.common.dask_cluster import local_cluster

    moved = 0
    passes = {"sum_clusters", "find_best", "sum_posteriors", "find_best_and_posteriors"}
    remove = dask_engine._Call._remove

    def watched(call):
        nonlocal moved
        if call.name in passes:
            moved += sum(path.stat().st_size for path in call.folder.rglob("*") if path.is_file())
        remove(call)

    monkeypatch.setattr(dask_engine._Call, "_remove", watched)
    with local_cluster(1):
        documents, _ = write_planted(tmp_path, 1)
        passes = fit_files(documents, distributed=True)
    expected = plan_of_tutorial_7()(
        2000, 1, num_terms=documents.shape[1], num_topics=10, passes=passes
    )
    assert moved / 1e9 == pytest.approx(expected["moved, GB"], rel=0.15)


# 8, Explore


def test_tutorial_8_explore(run_offline, capsys):
    variables = run_offline("8_explore")
    printed = capsys.readouterr()
    assert not printed.err
    skip_for_another_scipy()
    model, tree, choice = (variables[name] for name in ("model", "tree", "choice"))
    assert model.num_topics == choice.number == tree.num_topics
    assert choice.low <= choice.number <= choice.high

    # a cut, a merge and a look inside are models of the same documents
    assert variables["few"].num_topics == 5
    assert variables["few"].state.numdocs == model.state.numdocs == len(variables["table"])
    assert variables["merged"].num_topics == model.num_topics - 1
    inside, largest = variables["inside"], variables["largest"]
    assert inside.state.numdocs == (model.cluster_labels == largest).sum()

    # names that were given are shown, and topics with them are about their functions
    for name in variables["named"]:
        assert f": {name} (" in printed.out
    steered = variables["steered"]
    assert steered.topic_names[:2] == ["graphs", "integrals"]
    of_graphs = [
        document
        for document, topic in zip(variables["corpus"].ids, steered.cluster_labels, strict=True)
        if topic == 0
    ]
    assert sum(".csgraph." in document for document in of_graphs) > len(of_graphs) / 2

    # "added in 2012": more than half of the dated ones
    graphs = variables["sizes"]["graphs"]
    assert graphs[2012] > graphs.sum() / 2
    assert variables["sizes"].to_numpy().sum() == variables["table"]["added"].notna().sum()
    assert set(variables["by_class"]["label"]) == set(variables["corpus"].labels)

    # the page and the folder of results
    page = (variables["folder"] / "scipy.html").read_text("utf-8")
    assert "https://docs.scipy.org/doc/scipy/reference/generated/scipy.fft.fft.html" in page
    assert "1: Filters (" in printed.out
    topics = pd.read_csv(variables["folder"] / "out" / "topics.csv", index_col="topic")
    assert topics.loc[1, "words"].startswith("filter ")
    assert variables["code"] == 0


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("1_from_lda_to_dnmf", r"^\d rec.sport.hockey .*(hockey|nhl|team)"),
        ("3_from_raw_text", r"^gone: .*nntp.* newsreader"),
        ("6_in_production", r"^[89]\d% of the new messages are in their group's topic"),
    ],
)
def test_tutorials_of_the_news_have_something_to_say_about_newsgroups(
    run, corpora_folder, name, wanted, capsys
):
    run(name)
    assert re.search(wanted, capsys.readouterr().out, flags=re.MULTILINE)


# The notebooks


@pytest.mark.parametrize("name", TUTORIALS)
def test_notebook_shows_what_the_script_does(name):
    script = jupytext.read(FOLDER / f"{name}.py", fmt="py:percent")
    notebook = nbformat.reads((FOLDER / f"{name}.ipynb").read_text("utf-8"), as_version=4)
    nbformat.validate(notebook)
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == [
        (cell.cell_type, cell.source) for cell in script.cells
    ], f"python tutorials/build.py {name} writes it anew"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert outputs
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"]


@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorial_says_what_to_install(name):
    script = (FOLDER / f"{name}.py").read_text("utf-8")
    assert "pip install '.[tutorials]'" in script.partition("# %%\n")[0]
    setup = configparser.ConfigParser()
    setup.read(FOLDER.parent / "setup.cfg", encoding="utf-8")
    lists = [setup["options"]["install_requires"], setup["options.extras_require"]["tutorials"]]
    installed = set(re.findall(r"^[\w-]+", "\n".join(lists), flags=re.MULTILINE))
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", script, flags=re.MULTILINE))
    imported -= {*sys.stdlib_module_names, "dnmf_topics", "example_texts"}
    assert {{"sklearn": "scikit-learn"}.get(name, name) for name in imported} <= installed


def test_every_tutorial_has_a_test():
    tested = {name.removeprefix("test_tutorial_") for name in globals()}
    assert {name[0] for name in TUTORIALS} <= {name[0] for name in tested if name}
