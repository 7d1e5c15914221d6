"""The benchmark scripts: that each can be started, and that its names are those of one table."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from dnmf_topics.bench import METHODS

FOLDER = Path(__file__).parent / "benchmarks"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.fixture
def script(monkeypatch):
    """A function that imports a script, as if it were started in its folder."""
    monkeypatch.syspath_prepend(str(FOLDER))

    def load(name):
        spec = importlib.util.spec_from_file_location(f"benchmark_{name}", FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)  # where dataclasses look for theirs
        spec.loader.exec_module(module)
        return module

    return load


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_finds_all_that_it_imports(script, name):
    script(name)


def test_one_name_means_one_method_with_the_others_too(script):
    others = script("others").OTHERS
    assert not set(others) & set(METHODS)
    titles = [method.title for method in (METHODS | others).values()]
    assert len(set(titles)) == len(titles)


def test_the_methods_of_all_lines_are_in_the_table(script):
    rivals = script("rivals")
    lines = map(json.loads, rivals.RESULTS.read_text("utf-8").splitlines())
    assert {line["method"] for line in lines} <= set(rivals.NAMES)
    assert set(rivals.NAMES.values()) <= set(rivals.ALL)


def test_the_study_has_the_methods_of_the_table():
    lines = (FOLDER / "study" / "cells.jsonl").read_text("utf-8").splitlines()
    studied = {name for name, method in METHODS.items() if method.in_studies}
    assert {json.loads(line)["method"] for line in lines} == studied


def test_mean_and_error(script):
    printing = script("printing")
    assert printing.mean_and_error([0.2, 0.4, 0.9]) == "0.500 ± 0.208"
    assert printing.mean_and_error([0.2]) == "0.200 ± nan"
