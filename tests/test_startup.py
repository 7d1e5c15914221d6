"""What is loaded, and what is not: help and names are there before the libraries behind them."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import pytest

import dnmf_topics
from dnmf_topics import core, text
from dnmf_topics.cli.arguments import COMMANDS

# Libraries that take a quarter of a second or more to load, or are not there everywhere.
HEAVY = [
    "gensim", "numba", "scipy", "sklearn", "pandas", "pyLDAvis", "matplotlib", "joblib", "dask",
    "spacy", "nltk", "pyarrow",
]  # fmt: skip


def loaded_after(program):
    """Which of the heavy libraries are loaded when a program has run, in a new process."""
    ask = f"; import json, sys; print(json.dumps([n for n in {HEAVY} if n in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", program + ask], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_help_loads_nothing_heavy():
    program = """
from dnmf_topics.cli import main
for arguments in [[], *([name] for name in {names})]:
    try:
        main([*arguments, "--help"])
    except SystemExit as end:
        assert end.code == 0
"""
    assert loaded_after(program.format(names=list(COMMANDS)).strip() + "\nimport sys") == []


def test_the_package_loads_nothing_and_the_model_no_more_than_it_needs():
    assert loaded_after("import dnmf_topics") == []
    needed = loaded_after("from dnmf_topics import DnmfModel")
    assert set(needed) == {"gensim", "numba", "scipy", "joblib"}


@pytest.mark.parametrize("module", [dnmf_topics, core, text], ids=lambda module: module.__name__)
def test_names_that_are_loaded_late_are_there(module):
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        assert getattr(module, name) is getattr(module, name)
    with pytest.raises(AttributeError, match=rf"module '{module.__name__}' has no attribute 'no'"):
        module.no  # noqa: B018


def test_a_class_is_one_class_whichever_way_it_came():
    from dnmf_topics.core.mbn import Mbn
    from dnmf_topics.text.tokenization import Tokenization

    assert core.Mbn is Mbn
    assert text.Tokenization is Tokenization
    settings = text.Tokenization(min_length=4)
    again = pickle.loads(pickle.dumps(settings))
    assert isinstance(again, Tokenization)
    assert again == settings


@pytest.mark.parametrize("module", ["core.mbn", "core.fit", "text.formats", "text.steps"])
def test_a_module_behind_a_door_can_be_the_first_one(module):
    # As in a process that unpickles what another one has made: a worker of a cluster.
    program = f"import dnmf_topics.{module}"
    subprocess.run([sys.executable, "-c", program], check=True)
