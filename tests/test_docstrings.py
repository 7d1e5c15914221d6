"""Every example in a docstring of the package is executed here."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil

import pytest

import dnmf_topics

PARSER = doctest.DocTestParser()
# A __main__ runs the program when it is imported.
MODULES = sorted(
    {"dnmf_topics"}
    | {
        module.name
        for module in pkgutil.walk_packages(dnmf_topics.__path__, "dnmf_topics.")
        if not module.name.endswith("__main__")
    }
)


def written_examples(source):
    """The number of examples in the docstrings of a source, compiled functions' included."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = (
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(source))
        if isinstance(node, documented)
    )
    return sum(len(PARSER.get_examples(docstring)) for docstring in docstrings)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    module = importlib.import_module(name)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, attempted = doctest.testmod(module, optionflags=flags)
    assert failed == 0
    # The finder passes over what it takes for no function, such as compiled ones.
    assert attempted == written_examples(inspect.getsource(module))


def test_there_are_examples():
    sources = [inspect.getsource(importlib.import_module(name)) for name in MODULES]
    assert sum(written_examples(source) for source in sources) > 0


def test_an_example_is_counted_wherever_it_stands():
    example = '"""\n{0}>>> 1 + 1\n{0}2\n{0}"""\n'
    source = example.format("") + "class A:\n    " + example.format(" " * 4)
    source += "    def f():\n        " + example.format(" " * 8) + "\nx = '>>> 1'"
    assert written_examples(source) == 3
