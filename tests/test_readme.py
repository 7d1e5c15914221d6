"""What the README and the page of answers show is executed here; their links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from dnmf_topics.cli.arguments import parse

ROOT = Path(__file__).parents[1]
README, ANSWERS, RESULTS = (
    ROOT / name for name in ("README.md", "tutorials/answers.md", "tutorials/results.md")
)


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """The line on which each block of code begins, and the code."""
    text = page.read_text("utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, block.start(1)), block[1]) for block in found]


def run_examples(page: Path, namespace: dict[str, Any]) -> None:
    """Run all of Python in one namespace: a later block may use what an earlier one made."""
    examples = blocks(page, "python")
    assert examples, f"{page.name} shows no example"
    for line, code in examples:
        # Empty lines in front let a traceback name the line of the page.
        exec(compile("\n" * line + code, page, "exec"), namespace)


def test_readme_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the examples write files
    made: dict[str, Any] = {}
    run_examples(README, made)
    assert made["news"].excerpts[7][:30] in (tmp_path / "report.html").read_text("utf-8")
    assert made["model"].state.numdocs == 300 + 10
    assert {"palestinian", "israeli"} <= dict(made["model"].show_topic(3, 10)).keys()
    assert made["fewer"].num_topics == 7
    assert made["steered"].topic_names[:2] == ["money", "sport"]


def test_answers_run_and_are_true(capsys: pytest.CaptureFixture[str]) -> None:
    made: dict[str, Any] = {}
    run_examples(ANSWERS, made)
    printed = capsys.readouterr().out
    # The same seed, and a stream kept in files.
    assert re.findall("^(?:True|False)$", printed, flags=re.MULTILINE) == ["True", "True"]
    assert made["model"].doubts == ()
    assert set(made["equal"].get_view_info()["layer_size"]) == {6}
    assert made["choice"].number == 15
    # Topics that are named and merged there are the ones that are meant.
    first_words = [dict(made["model"].show_topic(topic, 20)) for topic in range(8)]
    assert {"palestinian", "israeli"} <= first_words[3].keys()
    assert {"cricket", "africa"} <= first_words[6].keys()
    assert made["model"].topic_names[3] == "Middle East"
    assert (made["fewer"].num_topics, made["fewest"].num_topics) == (7, 4)
    assert made["steered"].topic_names[:2] == ["money", "sport"]
    assert made["many"].get_settings()["mixing_rounds"] == 30
    assert made["first"].state.numdocs == 300
    assert made["shares"].shape == (300, 8)
    assert made["fit"].topic_term.shape == (8, len(made["news"].dictionary))
    assert {path.name for path in made["folder"].iterdir()} == {
        "report.html", "documents.csv", "model.dnmf",
    }  # fmt: skip


@pytest.mark.parametrize("page", [README, ANSWERS], ids=lambda page: page.name)
def test_commands_that_are_shown_can_be_typed(page: Path) -> None:
    lines = [line for _, code in blocks(page, "sh") for line in code.splitlines()]
    commands = [shlex.split(line) for line in lines if line.startswith("dnmf-topics ")]
    assert commands
    for command in commands:
        assert parse(command[1:]).command == command[1]


@pytest.mark.parametrize("tag", ["run", "test"])
def test_readme_has_the_commands_that_the_checks_execute(tag: str) -> None:
    # .ci/run takes the block directly below the comment.
    text = README.read_text("utf-8")
    assert len(re.findall(rf"^<!-- {tag} -->\n```sh\n.+\n```$", text, flags=re.MULTILINE)) == 1


@pytest.mark.parametrize("page", [README, ANSWERS, RESULTS], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    # Those of all pages, and to headings, are checked where the site is built.
    places = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8"))
    assert len(places) > 8
    missing = [
        place for place in places if "://" not in place and not (page.parent / place).exists()
    ]
    assert missing == []
