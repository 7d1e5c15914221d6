"""corpora/prepare.py: published corpora are read, verified, written, or refused in a sentence."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import io
import json
import re
import subprocess
import sys
import tarfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import io as matlab
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from dnmf_topics.text import Document, TextCorpus, read_documents

FOLDER = Path(__file__).parents[1] / "corpora"
sys.path.insert(0, str(FOLDER))  # where a script's own modules are found
known, prepare, reuters = map(importlib.import_module, ["known", "prepare", "reuters"])
KNOWN = known.KNOWN


def story(number, body="Corn fell.", topics=("corn",), split="TRAIN", indexed="YES", title="NEWS"):
    """A story in the form of the distribution."""
    labels = "".join(f"<D>{topic}</D>" for topic in topics)
    text = f"\n<TITLE>{title}</TITLE><DATELINE> HERE </DATELINE>"
    text += "" if body is None else f"<BODY>{body}</BODY>"
    return (
        f'<REUTERS TOPICS="{indexed}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="7" '
        f'NEWID="{number}">\n<DATE> 1-JAN</DATE>\n<TOPICS>{labels}</TOPICS>\n'
        f"<PLACES><D>elsewhere</D></PLACES>\n<TEXT>&#2;{text}</TEXT>\n</REUTERS>\n"
    )


def write_archive(path, files):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def only(content):
    (found,) = reuters.parse(content)
    return found


def found_files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# The SGML of Reuters


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("A &lt;B> of C &amp; D", "A <B> of C & D"),
        ("AT&T and R&D; too", "AT&T and R&D; too"),  # a bare & stands for itself
        ("&amp;lt;", "&lt;"),  # resolved once only
        ("one&#5;&#31;two", "one  two"),  # control characters part words
        ("&#65;&#8364;&#9999999;", "A€&#9999999;"),
        ("\n    Said.\n REUTER\n&#3;", "Said.\n REUTER"),
        ("caf\xe9", "caf\xe9"),
    ],
)
def test_texts_are_freed_from_markup(written, meant):
    assert only(story(1, body=written)).body == meant
    assert only(story(1, title=written)).title == meant


def test_a_story_has_the_parts_that_its_tags_name():
    found = only(story(12, "Wheat rose.", ["wheat", "grain"], split="TEST", title="WHEAT"))
    assert replace(found, date=None) == reuters.Story(
        "12", "TEST", True, ("wheat", "grain"), "WHEAT", "Wheat rose."
    )
    assert found.text == "WHEAT\n\nWheat rose."


def test_a_story_without_topics_or_body_is_read_too():
    found = only(story(1, body=None, topics=()))
    assert (found.topics, found.body, found.text) == ((), None, "NEWS")


@pytest.mark.parametrize(
    ("split", "indexed", "belongs"),
    [
        ("TRAIN", "YES", True),
        ("TEST", "YES", True),
        ("NOT-USED", "YES", False),
        ("TRAIN", "NO", False),
        ("TEST", "BYPASS", False),
    ],
)
def test_the_mod_apte_split(split, indexed, belongs):
    assert only(story(1, split=split, indexed=indexed)).in_mod_apte is belongs


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (story(1).replace("</REUTERS>", "") + story(2), "story 1 is not closed"),
        (story(1) + story(2).replace("</REUTERS>", ""), "last story is not closed"),
        (story(1) + story(2).replace("NEWID", "ID"), "story 2 lacks the attribute NEWID"),
    ],
)
def test_broken_sgml_is_refused(content, sentence):
    with pytest.raises(reuters.BrokenArchiveError, match=sentence):
        list(reuters.parse(content))


def test_bytes_that_are_no_utf8_are_read(tmp_path):
    content = story(1, body="M\xfcnchen").encode("latin-1")
    path = write_archive(tmp_path / "r.tar.gz", {"reut2-000.sgm": content})
    assert [found.body for found in reuters.read_archive(path)] == ["München"]


def test_an_archive_is_never_unpacked(tmp_path):
    """Names that lead outside, links and other files do no harm."""
    path = tmp_path / "inside" / "r.tar.gz"
    files = {"../../reut2-000.sgm": story(1), "reut2-001.sgm": story(2), "README.txt": story(3)}
    write_archive(path, {name: content.encode() for name, content in files.items()})
    assert [found.id for found in reuters.read_archive(path)] == ["1", "2"]
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("reut2-002.sgm")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert list(reuters.read_archive(path)) == []
    assert found_files(tmp_path) == ["inside/r.tar.gz"]


def test_a_member_of_absurd_size_is_not_read(tmp_path, monkeypatch):
    path = write_archive(tmp_path / "r.tar.gz", {"reut2-000.sgm": story(1).encode()})
    monkeypatch.setattr(reuters, "MAX_BYTES", 100)
    with pytest.raises(reuters.BrokenArchiveError, match=r"reut2-000.sgm claims \d+ bytes"):
        list(reuters.read_archive(path))


def test_an_archive_that_is_cut_off_is_refused(tmp_path):
    noise = np.random.default_rng(0).bytes(50_000)  # which does not shrink
    files = {"noise": noise, "reut2-000.sgm": story(1).encode()}
    path = write_archive(tmp_path / "r.tar.gz", files)
    path.write_bytes(path.read_bytes()[:30_000])
    with pytest.raises(known.CorpusError, match=r"r.tar.gz is no whole .tar.gz archive .* again"):
        known.read_reuters(path)


def test_only_stories_of_one_topic_with_a_body_are_taken(tmp_path):
    stories = [
        story(1, "Corn.", ["corn"]),
        story(2, "Corn and oil.", ["corn", "oil"]),
        story(3, "Nothing.", []),
        story(4, None, ["corn"]),
        story(5, "&#3;", ["corn"]),
        story(6, "Unused.", ["corn"], split="NOT-USED"),
        story(7, "Oil.", ["oil"], split="TEST", title="&lt;OIL>"),
    ]
    path = write_archive(tmp_path / "r.tar.gz", {"reut2-000.sgm": "".join(stories).encode()})
    assert known.read_reuters(path) == [
        Document("NEWS\n\nCorn.", "1", "corn"),
        Document("<OIL>\n\nOil.", "7", "oil"),
    ]


# The table


@pytest.mark.parametrize("name", KNOWN)
def test_the_sizes_of_classes_make_up_all_documents(name):
    facts = KNOWN[name].facts
    assert sum(facts.classes.values()) == (facts.documents if facts.classes else 0)


def test_both_publishers_of_reuters_have_classes_of_the_same_sizes():
    sizes = [sorted(KNOWN[name].facts.classes.values()) for name in KNOWN if "reuters" in name]
    assert sizes[0] == sizes[1]


def test_the_readme_has_the_numbers_that_are_verified():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, row in KNOWN.items():
        facts = row.facts
        numbers = [facts.documents, len(facts.classes) or "none", facts.terms, facts.words]
        cells = [f"{each:,}" if isinstance(each, int) else each for each in numbers]
        assert f"| `{name}` | {' | '.join(cells)} |" in readme


def test_the_readme_has_the_checksums_of_the_files(corpora_folder):
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    checksums = dict(re.findall(r"^\| `([\w.]+)` \| `([0-9a-f]{64})` \|$", readme, re.MULTILINE))
    assert len(checksums) == 4
    for row in KNOWN.values():
        path = corpora_folder / row.file  # an absolute one stays as it is
        if path.name in checksums and path.exists():
            assert hashlib.sha256(path.read_bytes()).hexdigest() == checksums[path.name]


# Refusals


def sentence_of(capsys):
    """What was said about the error: one line."""
    said = capsys.readouterr().err
    assert said.startswith("prepare.py: ")
    assert said.count("\n") == 1
    return said


@pytest.mark.parametrize("name", [name for name in KNOWN if name != "lee"])
def test_a_missing_file_is_named_with_the_place_to_get_it(name, tmp_path, capsys):
    assert prepare.main([name, "--source", str(tmp_path / "s"), "--out", str(tmp_path)]) == 1
    said = sentence_of(capsys)
    assert f"{name}: there is no file {tmp_path / 's' / KNOWN[name].file};" in said
    assert KNOWN[name].address in said
    assert ("--download" in said) == (name == "20newsgroups")
    assert list(tmp_path.iterdir()) == []  # nor has looking for it made a folder


def test_without_a_source_the_option_is_asked_for(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("DNMF_CORPORA", raising=False)
    assert prepare.main(["tdt2-cai", "--out", str(tmp_path)]) == 1
    assert "tdt2-cai: --source must name the folder that has tdt2" in sentence_of(capsys)


FACTS = KNOWN["lee"].facts


@pytest.mark.parametrize(
    ("facts", "difference"),
    [
        (replace(FACTS, documents=301), "expected 301 documents, found 300"),
        (replace(FACTS, classes={"a": 1}), "expected 1 classes, found 0"),
        (replace(FACTS, terms=5), "expected 5 terms, found 1,271"),
        (replace(FACTS, words=7), "expected 7 words in all, found 20,054"),
    ],
)
def test_other_numbers_than_known_are_refused(facts, difference, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(KNOWN, "lee", replace(KNOWN["lee"], facts=facts))
    assert prepare.main(["lee", "--out", str(tmp_path / "out"), "--text"]) == 1
    said = sentence_of(capsys)
    assert f"lee: {difference} in {KNOWN['lee'].file}; nothing was written." in said
    assert not (tmp_path / "out").exists()


def test_classes_of_other_sizes_are_refused():
    facts = known.Facts(documents=3, terms=1, words=1, classes={"a": 2, "b": 1})
    found = prepare.different_documents(facts, ["a", "b", "b"])
    assert list(found) == [
        "expected 2 documents of class a, found 1",
        "expected 1 documents of class b, found 2",
    ]
    found = prepare.different_documents(facts, ["a", "a", "c"])
    assert next(found) == "expected 1 documents of class b, found 0"
    assert list(prepare.different_documents(facts, ["b", "a", "a"])) == []


@pytest.mark.parametrize("name", [name for name in KNOWN if name != "lee"])
def test_foreign_bytes_are_refused(name, tmp_path, capsys):
    path = tmp_path / KNOWN[name].file
    path.parent.mkdir()
    path.write_bytes(b"<html>404 not found</html>" * 100)
    assert prepare.main([name, "--source", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    said = sentence_of(capsys)
    assert str(path) in said
    assert "again" in said
    assert not (tmp_path / "out").exists()


def test_a_matrix_without_classes_is_refused(tmp_path):
    matlab.savemat(tmp_path / "x.mat", {"fea": sparse.csc_matrix([[1.0, 0.0], [0.0, 2.0]])})
    with pytest.raises(known.CorpusError, match=r"variables fea and gnd \(KeyError: 'gnd'\)"):
        known.read_cai(tmp_path / "x.mat")


def test_a_failed_download_is_one_sentence(tmp_path, capsys, monkeypatch):
    def unreachable(**options):
        assert options["download_if_missing"]
        raise OSError("no route to host")

    monkeypatch.setattr(known, "fetch_20newsgroups", unreachable)
    options = ["--download", "--source", str(tmp_path), "--out", str(tmp_path)]
    assert prepare.main(["20newsgroups", *options]) == 1
    assert "could not download 20 Newsgroups (no route to host)" in sentence_of(capsys)


def test_without_download_nothing_is_fetched(tmp_path, capsys, monkeypatch):
    def never(path):
        raise AssertionError("fetched without being asked to")

    row = replace(KNOWN["20newsgroups"], fetch=never)
    monkeypatch.setitem(KNOWN, "20newsgroups", row)
    assert prepare.main(["20newsgroups", "--source", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "there is no file" in sentence_of(capsys)


# Results


def test_a_matrix_of_cai_keeps_its_rows_and_columns(tmp_path):
    counts = sparse.csc_matrix([[1.0, 0.0, 3.0], [0.0, 0.0, 2.0]])
    matlab.savemat(tmp_path / "x.mat", {"fea": counts, "gnd": [[2], [11]]})
    corpus = known.read_cai(tmp_path / "x.mat")
    assert corpus.counts.matrix.toarray().tolist() == [[1, 0, 3], [0, 0, 2]]
    assert corpus.labels == ("02", "11")
    assert corpus.ids == ("1", "2")
    assert [corpus.dictionary[column] for column in range(3)] == ["0", "1", "2"]


def test_the_bundled_corpus_is_prepared_by_the_command(tmp_path):
    out = tmp_path / "new" / "out"
    command = [sys.executable, FOLDER / "prepare.py", "lee", "--out", out, "--text"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "lee: 300 documents, no classes, 1,271 terms, 20,054 words, as known" in result.stdout
    assert found_files(out) == ["lee.dnmf", "lee.jsonl.gz"]

    corpus = TextCorpus.load(out / "lee.dnmf")
    lines = Path(KNOWN["lee"].file).read_text(encoding="utf-8").splitlines()
    assert corpus.ids == tuple(str(number) for number in range(1, 301))
    assert corpus.labels is None or set(corpus.labels) == {None}
    texts = list(read_documents(out / "lee.jsonl.gz", id="id"))
    assert [each.text for each in texts] == lines
    assert tuple(each.id for each in texts) == corpus.ids
    # Row, id and text belong together: counting a text again gives its row.
    assert corpus.bows(lines[::50]) == [corpus.counts[row] for row in range(0, 300, 50)]
    assert all(
        " ".join(line.split()).startswith(excerpt[:-1])
        for line, excerpt in zip(lines, corpus.excerpts, strict=True)
    )


def test_the_same_corpus_gives_the_same_bytes(tmp_path):
    for out in ("a", "b"):
        assert prepare.main(["lee", "--out", str(tmp_path / out), "--text"]) == 0
    packed = (tmp_path / "a" / "lee.jsonl.gz").read_bytes()
    assert packed[4:8] == bytes(4)  # gzip's field for the time
    for name in found_files(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_one_refused_corpus_does_not_stop_the_others(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("DNMF_CORPORA", str(tmp_path))
    assert prepare.main(["tdt2-cai", "lee", "lee", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.err.startswith(f"prepare.py: tdt2-cai: there is no file {tmp_path}")
    assert said.out.count("\n") == 1  # named twice, prepared once
    assert found_files(tmp_path) == ["lee.dnmf"]


def test_texts_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    prepare.write_texts(path, [Document("Grüße\n", "1", "a"), Document("", "2")])
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        assert [json.loads(line) for line in lines] == [
            {"id": "1", "text": "Grüße\n", "label": "a"},
            {"id": "2", "text": "", "label": None},
        ]
    before = path.read_bytes()
    with pytest.raises(UnicodeEncodeError):
        prepare.write_texts(path, [Document("fine", "1"), Document("\ud800", "2")])
    assert path.read_bytes() == before
    assert found_files(tmp_path) == ["x.jsonl.gz"]


def test_list_and_help_show_what_there_is(capsys):
    assert prepare.main(["--list"]) == 0
    listed = capsys.readouterr().out
    with pytest.raises(SystemExit, match="0"):
        prepare.main(["--help"])
    helped = capsys.readouterr().out
    for name, row in KNOWN.items():
        assert re.search(rf"^{name} .* documents", listed, re.MULTILINE)
        assert row.address in listed
        assert name in helped
    assert "python corpora/prepare.py lee --out prepared" in helped


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["leee", "--out", "x"], "NAME must be one of 20newsgroups, .*lee, got 'leee'"),
        (["lee"], "--out must name the folder to write to"),
        (["lee", "--out", __file__], "--out must name a folder, .*test_corpora.py is a file"),
    ],
)
def test_wrong_arguments_are_told(arguments, sentence, capsys):
    with pytest.raises(SystemExit) as error:
        prepare.main(arguments)
    assert error.value.code == 2
    assert re.search(sentence, capsys.readouterr().err)


# The real files


@pytest.fixture(scope="module")
def prepared(corpora_folder, tmp_path_factory):
    """Prepare a corpus once; its file, and what is beside it."""
    out = tmp_path_factory.mktemp("prepared")

    def load(name):
        if not (corpora_folder / KNOWN[name].file).exists():
            pytest.skip(f"needs {corpora_folder / KNOWN[name].file}")
        if not (out / f"{name}.dnmf").exists():
            options = ["--source", str(corpora_folder), "--out", str(out), "--text"]
            assert prepare.main([name, *options]) == 0
        return TextCorpus.load(out / f"{name}.dnmf"), out / f"{name}.jsonl.gz"

    return load


@pytest.mark.parametrize("name", KNOWN)
def test_published_corpora_are_as_known(name, prepared):
    corpus, texts = prepared(name)
    facts = KNOWN[name].facts
    assert corpus.counts.matrix.shape == (facts.documents, facts.terms)
    assert corpus.counts.matrix.sum() == facts.words
    assert len(set(corpus.ids)) == facts.documents
    assert Counter(corpus.labels or ()) == Counter(facts.classes)
    assert texts.exists() == (not name.endswith("-cai"))


@pytest.mark.parametrize("name", ["20newsgroups", "reuters21578"])
def test_ids_labels_and_counts_belong_to_the_same_text(name, prepared):
    corpus, texts = prepared(name)
    documents = list(read_documents(texts, id="id", label="label"))
    assert tuple(each.id for each in documents) == corpus.ids
    assert tuple(each.label for each in documents) == corpus.labels
    rows = range(0, len(documents), 97)
    found = corpus.bows([documents[row].text for row in rows])
    assert found == [corpus.counts[row] for row in rows]


def test_reuters_has_the_splits_that_its_publisher_counted(corpora_folder):
    path = corpora_folder / KNOWN["reuters21578"].file
    if not path.exists():
        pytest.skip(f"needs {path}")
    stories = list(reuters.read_archive(path))
    assert len(stories) == len({each.id for each in stories}) == 21_578
    mod_apte = [each for each in stories if each.in_mod_apte]
    assert Counter(each.split for each in mod_apte) == {"TRAIN": 9_603, "TEST": 3_299}
    chosen = [each for each in mod_apte if len(each.topics) == 1 and each.body]
    # Deng Cai's trainIdx and testIdx have these lengths.
    assert Counter(each.split for each in chosen) == {"TRAIN": 5_946, "TEST": 2_347}
    assert not any(re.search(r"[\x00-\x08\x7f]|&lt;|</", each.text) for each in chosen)


@pytest.mark.parametrize(
    ("name", "other_words", "num_docs"),
    [
        ("lee", set(), 0),
        ("reuters21578", set(), 0),
        ("20newsgroups", {"rnblom", "törnblom", "wätte"}, 21),
    ],
)
def test_words_are_counted_as_scikit_learn_counts(name, other_words, num_docs, prepared):
    """But letters with accents belong to words."""
    corpus, texts = prepared(name)
    vectorizer = CountVectorizer(
        token_pattern=r"[a-z]{3,}", stop_words="english", min_df=5, max_df=0.5
    )
    counts = vectorizer.fit_transform([each.text for each in read_documents(texts)])
    ids, columns = corpus.dictionary.token2id, vectorizer.vocabulary_
    assert ids.keys() ^ columns.keys() == other_words
    shared = sorted(ids.keys() & columns.keys())
    ours = corpus.counts.matrix[:, [ids[word] for word in shared]]
    different = ours - counts[:, [columns[word] for word in shared]]
    assert np.unique(different.nonzero()[0]).size == num_docs
