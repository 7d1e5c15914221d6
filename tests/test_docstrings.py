"""Every example in a docstring is executed; every public name has one and is in the reference."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

import dnmf_topics
from dnmf_topics.cli import main
from dnmf_topics.cli.arguments import COMMANDS

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


# What is public


@pytest.fixture(scope="module")
def reference():
    """The script that writes the reference; it knows what is public."""
    folder = Path(__file__).parents[1] / "tutorials"
    return SimpleNamespace(**runpy.run_path(str(folder / "make_reference.py")))


@pytest.fixture(scope="module")
def documented(reference):
    """The public classes and functions, by the names to import."""
    return {
        path: value
        for _, path, value in reference.public_objects()
        if reference.is_class(value) or inspect.isfunction(value)
    }


def examples_of(*documented):
    """All that the examples in these docstrings do."""
    examples = [PARSER.get_examples(inspect.getdoc(each) or "") for each in documented]
    return "".join(example.source for found in examples for example in found)


def test_every_public_name_has_an_example(documented):
    assert [path for path, value in documented.items() if not examples_of(value)] == []


def test_every_public_method_has_an_example(documented, reference):
    members = [
        (path, value, name)
        for path, value in documented.items()
        if reference.is_class(value)
        for name in reference.members(value)
    ]
    assert len(members) > 40
    without = [
        f"{path}.{name}"
        for path, value, name in members
        if not re.search(rf"\.{name}\b", examples_of(value, getattr(value, name)))
    ]
    assert without == []


def told_parameters(docstring):
    """The names in the section of the parameters, whose entries begin at the margin."""
    section = docstring.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    heads = [line for line in section.splitlines() if not line.startswith(" ")]
    return re.findall(r"\w+", " ".join(head.partition(" : ")[0] for head in heads))


def test_every_method_of_the_model_says_what_it_takes_and_gives(documented, reference):
    model = documented["dnmf_topics.DnmfModel"]
    methods = [getattr(model, name) for name in reference.members(model)]
    for method in filter(callable, methods):  # the others are properties
        signature, docstring = inspect.signature(method), inspect.getdoc(method)
        taken = [name for name in signature.parameters if name != "self"]
        assert told_parameters(docstring) == taken, method
        gives = signature.return_annotation != "None"
        assert ("Returns\n-------\n" in docstring) == gives, method


# The reference


def test_the_reference_is_up_to_date(reference):
    written = reference.PAGE.read_text("utf-8")
    assert written == reference.page(), "python tutorials/make_reference.py writes it anew"


def test_the_reference_has_every_part(reference):
    parts = {module.name for module in pkgutil.iter_modules(dnmf_topics.__path__)}
    modules = {module for modules in reference.PARTS.values() for module in modules}
    shown = {module.split(".")[1] for module in modules if "." in module}
    assert parts - shown == {"__main__", "common", "storage"}


def test_the_reference_has_every_option_of_every_command(reference, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")  # so that no option is cut at a hyphen
    chapters = reference.page().split("\n### ")
    assert len(COMMANDS) > 8
    for name in COMMANDS:
        with pytest.raises(SystemExit):
            main([name, "--help"])
        listed = r"^ +(?:-\w [A-Z]+, )?(--[a-z][\w-]*)"
        options = set(re.findall(listed, capsys.readouterr().out, flags=re.MULTILINE))
        [chapter] = [each for each in chapters if each.startswith(f"command {name}\n")]
        assert options
        assert options - {"--help"} <= set(re.findall(r"(?<=`)--[\w-]+", chapter)), name


def test_links_of_the_reference_lead_to_one_heading(reference):
    page = re.sub(r"```.*?```", "", reference.page(), flags=re.DOTALL)
    headings = [
        re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))
        for heading in re.findall(r"^#+ (.*)", page, flags=re.MULTILINE)
    ]
    assert len(set(headings)) == len(headings)
    assert set(re.findall(r"\]\(#(.*?)\)", page)) <= set(headings)


@pytest.mark.parametrize(
    ("docstring", "shown"),
    [
        ("One line.", "One line."),
        ("`a*b` < c * d", "`a*b` \\< c \\* d"),
        ("Parameters\n----------\nx : int\n    The number.", "- **x** (int):\n  The number."),
        ("Parameters\n----------\nx : the number\n    of it.", "- **x:** the number\n  of it."),
        ("Parameters\n----------\nx\n    The number.", "- **x:** The number."),
        ("Parameters\n----------\nx, y,\nz : two.", "- **x, y, z:** two."),
        ("Parameters\n----------\nx : it.\n\nAll of\nthem.", "- **x:** it.\n\nAll of\nthem."),
        ("Parameters\n----------\nx : int\n    - One.\n      More.", "  - One.\n    More."),
        ("Returns\n-------\nint", "- **int**"),
        ("Returns\n-------\nlist of (int, str)", "- **list of (int, str)**"),
        ("Returns\n-------\nint\n    0 or 1.", "- **int:** 0 or 1."),
        ("Examples\n--------\n>>> 1 + 1\n2", "```python\n>>> 1 + 1\n2\n```"),
    ],
)
def test_a_docstring_becomes_markdown(reference, docstring, shown):
    assert reference.markdown(docstring).endswith(shown)
