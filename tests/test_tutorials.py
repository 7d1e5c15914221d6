"""Every tutorial is executed here, what its text claims is checked, and so is its notebook."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path

import pytest

jupytext = pytest.importorskip("jupytext", reason="jupytext is not installed: no notebooks to pair")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: no notebooks to read")

FOLDER = Path(__file__).parents[1] / "tutorials"
TUTORIALS = sorted(path.stem for path in FOLDER.glob("[0-9]_*.py"))


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a tutorial as a script would, in an empty folder, and return its variables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "nothing"))
    monkeypatch.syspath_prepend(str(FOLDER))

    def run_one(name):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
            return runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")

    return run_one


@pytest.fixture
def run_offline(run, monkeypatch):
    """The same without 20 Newsgroups, as on a fresh installation."""
    monkeypatch.delenv("DNMF_CORPORA", raising=False)
    return run


# 1, From LdaModel to DnmfModel


def test_tutorial_1_from_lda_to_dnmf(run_offline, capsys):
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

    for story in ({"israeli", "palestinian"}, {"afghanistan", "taliban"}, {"test", "africa"}):
        assert [
            pair
            for pair in variables["pairs"]
            if story <= words(dnmf, pair[0]) and story <= words(lda, pair[1])
        ], story
    # words of everything: among LdaModel's topics, hardly among those of DnmfModel
    repeated = {name: dict(words) for name, words in variables["repeated"].items()}
    assert all(repeated["LdaModel"].get(word, 0) > 1 for word in ("people", "year", "new"))
    assert not {"people", "year", "new"} & repeated["DnmfModel"].keys()
    assert 3 * len(repeated["DnmfModel"]) < len(repeated["LdaModel"])

    # the calls return the same shapes
    for one, other in (
        (dnmf.print_topics(2, 5), lda.print_topics(2, 5)),
        (dnmf.show_topics(-1, 3, formatted=False), lda.show_topics(-1, 3, formatted=False)),
    ):
        assert len(one) == len(other)
        assert [type(entry[1]) for entry in one] == [type(entry[1]) for entry in other]
    assert printed.out.count(f"{num_topics} topics sum to 1.00") == 2
    assert len(variables["all_topics"]) == len(corpus)
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
    assert (shares["LdaModel"].max(axis=1) < 0.9).mean() > 0.25
    sizes = variables["sizes"]
    assert list(sizes["DnmfModel"]) == sorted(sizes["DnmfModel"], reverse=True)
    assert sizes["DnmfModel"].min() > 0
    assert sizes["DnmfModel"].sum() == len(corpus)
    assert list(sizes["LdaModel"]) != sorted(sizes["LdaModel"], reverse=True)
    assert [topic for topic, _ in dnmf.show_topics(2)] == [0, 1]
    assert [topic for topic, _ in lda.show_topics(2)] != [0, 1]

    assert variables["same"] == {"LdaModel": False, "DnmfModel": True}
    assert len(variables["once"]) < 10 * num_topics / 2
    assert variables["identical"]
    assert list(variables["info"]["topic"]) == list(range(num_topics))
    assert "the loaded model says the same: True" in printed.out
    assert "wrote news.dnmf, topics.html" in printed.out


# 2, Evaluate against LDA


# 3, From raw text


# 4, Inside DNMF


# 5, Reproduce the paper


# 6, In production


# The notebooks


@pytest.mark.parametrize("name", TUTORIALS)
def test_notebook_shows_what_the_script_does(name):
    script = jupytext.read(FOLDER / f"{name}.py", fmt="py:percent")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
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


def test_every_tutorial_has_a_test():
    tested = {name.removeprefix("test_tutorial_") for name in globals()}
    assert {name[0] for name in TUTORIALS} <= {name[0] for name in tested if name}
