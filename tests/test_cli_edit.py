"""The commands that look at topics as a whole: tree, edit, and fit with sub-topics."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from gensim.test.utils import datapath

from dnmf_topics import DnmfModel
from dnmf_topics.cli import main
from dnmf_topics.cli.inside import load_inside
from dnmf_topics.cli.run_folder import read_run
from dnmf_topics.storage import FileFormatError

LINES = Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()[:150]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """Results of a run with sub-topics."""
    folder = tmp_path_factory.mktemp("edit")
    rows = ({"text": line, "kind": f"k{n % 3}"} for n, line in enumerate(LINES))
    (folder / "news.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    arguments = [
        "fit", folder / "news.jsonl", "--label", "kind", "-k", "3", "--subtopics", "2", "--words",
        "5", "--num-clusterings", "10", "--jobs", "1", "--quiet", "--out", folder / "topics",
    ]  # fmt: skip
    assert main([str(argument) for argument in arguments]) == 0
    return folder / "topics"


@pytest.fixture
def results(fitted, tmp_path):
    """A copy, to be changed."""
    return shutil.copytree(fitted, tmp_path / "topics")


@pytest.fixture
def call(capsys):
    def call_main(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call_main


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def all_files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# The tree


def test_the_tree_is_printed_and_given_as_json(fitted, call):
    tree = DnmfModel.load(fitted / "model.dnmf").hierarchy()
    assert call("tree", fitted) == (0, f"{tree}\n", "")
    code, out, _ = call("tree", fitted / "model.dnmf", "--json")
    assert code == 0
    nodes = json.loads(out)
    assert nodes[-1]["parent"] is None
    assert sorted(node["parent"] for node in nodes[:-1]) == [3, 3, 4, 4]
    assert [node["name"] for node in nodes] == list(tree.names)
    assert nodes[-1]["size"] == 150


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.SVG", b"<?xml")])
def test_the_tree_is_drawn(fitted, call, tmp_path, name, start):
    pytest.importorskip("matplotlib")
    code, _, err = call("tree", fitted, "--plot", tmp_path / name)
    assert code == 0
    assert f"written: {tmp_path / name}" in err
    assert (tmp_path / name).read_bytes().startswith(start)


# Sub-topics


def test_sub_topics_are_made_of_large_topics(fitted):
    model, corpus, run = read_run(fitted)
    sizes = np.bincount(model.cluster_labels, minlength=3)
    assert list(run["subtopics"]) == np.flatnonzero(sizes >= 50).tolist() != []
    topic, inside = next(iter(run["subtopics"].items()))
    again = model.subtopics(topic, 2, corpus.counts)
    np.testing.assert_array_equal(inside.cluster_labels, again.cluster_labels)
    assert inside.topic_names == again.topic_names
    for n in (0, 3):
        assert inside.get_topic_info(n).to_dict("list") == again.get_topic_info(n).to_dict("list")
    for label in (0, 1):
        assert inside.get_representative_docs(label, 4) == again.get_representative_docs(label, 4)


def test_tables_have_sub_topics(fitted):
    run = read_run(fitted)[2]
    documents, table = rows_of(fitted / "documents.csv"), rows_of(fitted / "subtopics.csv")
    for topic, inside in run["subtopics"].items():
        own = [row["subtopic"] for row in documents if int(row["topic"]) == topic]
        assert [int(label) for label in own] == inside.cluster_labels.tolist()
        rows = [row for row in table if int(row["topic"]) == topic]
        assert [row["name"] for row in rows] == inside.get_topic_info()["name"].tolist()
        assert sum(int(row["size"]) for row in rows) == len(own)
        assert {len(row["words"].split()) for row in rows} == {5}
    others = [row for row in documents if int(row["topic"]) not in run["subtopics"]]
    assert {row["subtopic"] for row in others} <= {""}


def test_the_page_is_made_again(results, call):
    inside = next(iter(read_run(results)[2]["subtopics"].values()))
    assert inside.topic_names[1] in (results / "report.html").read_text("utf-8")
    page = (results / "report.html").read_bytes()
    (results / "report.html").unlink()
    assert call("report", results)[0] == 0
    assert (results / "report.html").read_bytes() == page


def test_sub_topics_of_another_run_are_refused(results):
    model = DnmfModel.load(results / "model.dnmf")
    with pytest.raises(FileFormatError, match="must hold the sub-topics of this run"):
        load_inside(results / "subtopics.dnmf", model.cluster_labels[1:])
    with pytest.raises(FileFormatError, match="must hold the sub-topics of this run"):
        load_inside(results / "subtopics.dnmf", (model.cluster_labels + 1) % 3)


# Edits


def test_topics_are_merged_and_named_in_one_step(results, call):
    before = read_run(results)
    code, out, err = call("edit", results, "--merge", "0,2", "--name", "2=Sport", "--name", "1=Law")
    assert code == 0
    assert f"written: {results / 'report.html'}" in err
    model, _, run = read_run(results)
    assert model.num_topics == 2
    assert model.topic_names == ["Sport", "Law"]
    expected = before[0].merge_topics([[0, 2]])
    np.testing.assert_array_equal(model.cluster_labels, expected.cluster_labels)
    np.testing.assert_array_equal(model.get_topics(), expected.get_topics())
    assert "Sport" in out
    assert {row["name"] for row in rows_of(results / "topics.csv")} == {"Sport", "Law"}
    topics = [int(row["topic"]) for row in rows_of(results / "documents.csv")]
    assert topics == model.cluster_labels.tolist()
    assert "Sport" in (results / "report.html").read_text("utf-8")
    assert run["title"] == before[2]["title"]
    assert run["options"]["words"] == 5
    assert run["facts"]["edited"] == "topics merged, named by hand"
    names = {"2": "Sport", "1": "Law"}
    assert run["edits"] == [{"merge": [[0, 2]], "reduce": None, "name": names}]
    assert re.search("page: done in", err)
    # What was inside of a topic stays there, unless it was merged.
    kept = {1: before[2]["subtopics"][1]} if 1 in before[2]["subtopics"] else {}
    assert list(run["subtopics"]) == list(kept)
    # And nothing else is there.
    assert [path.name for path in results.parent.iterdir()] == ["topics"]


def test_topics_are_reduced_into_another_folder(results, call):
    before = all_files(results)
    new = results.parent / "fewer"
    code, out, _ = call("edit", results, "--reduce", "2", "--out", new, "--json")
    assert code == 0
    assert len(json.loads(out)["topics"]) == 2
    assert all_files(results) == before
    model = DnmfModel.load(results / "model.dnmf")
    assert (
        read_run(new)[0].cluster_labels.tolist() == model.reduce_topics(2).cluster_labels.tolist()
    )
    # The numbers of names are those before.
    call("edit", results, "--reduce", "1", "--name", "2=All")
    assert read_run(results)[0].topic_names == ["All"]


def test_edits_follow_each_other(results, call):
    names = read_run(results)[0].topic_names
    assert call("edit", results, "--name", "1=Law")[0] == 0
    assert call("edit", results, "--name", "1=", "--name", "0=News")[0] == 0
    model, _, run = read_run(results)
    assert model.topic_names == ["News", *names[1:]]
    assert run["facts"]["edited"] == "topics named by hand"
    assert [edit["name"] for edit in run["edits"]] == [{"1": "Law"}, {"1": "", "0": "News"}]
    assert run["options"]["num_topics"] == 3  # as `fit` was told


def test_a_page_is_made_unless_fit_was_told_otherwise(results, call):
    (results / "report.html").unlink()
    assert call("edit", results, "--name", "0=News")[0] == 0
    assert (results / "report.html").exists()
    run = json.loads((results / "run.json").read_text("utf-8"))
    run["options"]["no_report"] = True
    (results / "run.json").write_text(json.dumps(run), "utf-8")
    assert call("edit", results, "--reduce", "2")[0] == 0
    assert not (results / "report.html").exists()


def test_what_others_put_into_the_folder_is_not_touched(results, call):
    (results / "notes.txt").write_text("mine")
    before = all_files(results)
    code, _, err = call("edit", results, "--reduce", "2")
    assert code == 1
    assert "holds other files too, such as notes.txt" in err
    assert all_files(results) == before


def test_what_merging_takes_away_is_said(results, call):
    assert call("edit", results, "--name", "2=Space")[0] == 0
    code, _, err = call("edit", results, "--reduce", "1", "--name", "2=Space")
    assert code == 0
    assert "'Space' names 150 documents now; topic 2 has " in err
    assert "names of topics that were merged are gone: Space" in err
