"""Write `reference.md`, beside this file: every public name and every command.

    python tutorials/make_reference.py

Signatures are taken as the source has them, and options from the parsers, not from the help that
they print, so that the page is the same from any Python.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import FunctionType
from typing import Any
from unittest.mock import patch

from dnmf_topics.cli import main

PAGE = Path(__file__).with_name("reference.md")
PARTS = {
    "Model": ["dnmf_topics", "dnmf_topics.model", "dnmf_topics.estimator"],
    "Text": ["dnmf_topics.text"],
    "Evaluation": ["dnmf_topics.evaluation"],
    "Adapters": ["dnmf_topics.adapters.coherence", "dnmf_topics.adapters.pyldavis"],
    "Comparison": ["dnmf_topics.comparison"],
    "Baselines": ["dnmf_topics.baselines"],
    "Bench": ["dnmf_topics.bench"],
    "Report": ["dnmf_topics.report", "dnmf_topics.naming"],
    "Core": ["dnmf_topics.core"],
    "Command line": ["dnmf_topics.cli"],
}
HEAD = """\
# Reference

All that is public in `dnmf_topics`, from the docstrings, and [the commands](#command-line) with all
their options. The tests execute the examples, in which the names of the module itself are imported
already.

In shapes, N is the number of documents, V of terms and K of topics. In signatures, `Dense` and
`FloatArray` are numpy arrays of floating-point numbers, `Labels`, `IntArray` and `Codes` of whole
ones; a `Column` is a sequence or an array with an entry for each document. `AnyCorpus` is an
iterable of gensim's documents, or a sparse matrix with a column for each document; `SparseInput` is
a matrix with a row for each document, sparse or dense. A `TopicModel` is what has `get_topics()`, a
`TrainedModel` a `DnmfModel` or what reads like one; `WordsById` is a gensim `Dictionary` or a dict.

`python tutorials/make_reference.py` writes this page."""
WIDTH = 88  # of a signature on one line
MEMBERS = (FunctionType, classmethod, property, cached_property)
PROPERTIES = (property, cached_property)


# What is public


def public_objects() -> Iterator[tuple[str, str, Any]]:
    """The part, the name to import and the object of everything public, each object once."""
    seen: list[Any] = []
    for part, modules in PARTS.items():
        for module in map(importlib.import_module, modules):
            defined = [n for n, o in vars(module).items() if _home(o) == module.__name__]
            for name in getattr(module, "__all__", defined):
                value = getattr(module, name)
                if not (name.startswith("_") or any(value is other for other in seen)):
                    seen.append(value)
                    yield part, f"{module.__name__}.{name}", value


def members(cls: type) -> dict[str, Any]:
    """The public methods and properties that this package gives a class, the basic ones first."""
    found: dict[str, Any] = {}
    for base in reversed([base for base in cls.__mro__ if _home(base).startswith("dnmf_topics")]):
        for name, value in vars(base).items():
            if isinstance(value, MEMBERS) and not name.startswith("_"):
                found.pop(name, None)  # it stands where it was defined last
                found[name] = value
    return found


def is_class(value: Any) -> bool:
    """Whether it is a class, and no alias of one, which `inspect` of Python 3.10 takes for it."""
    return issubclass(type(value), type)


def kind_of(value: Any) -> str:
    """What it is called in the headings."""
    if is_class(value):
        return "exception" if issubclass(value, Exception) else "class"
    if inspect.isfunction(value):
        return "function"
    return "table" if isinstance(value, dict) else "type"


def _home(value: Any) -> str:
    return getattr(value, "__module__", None) or ""


# Signatures


def parsed(value: Any) -> tuple[Any, str]:
    """The syntax tree of a class, function, method or property, and the source of the tree."""
    for name in ("fget", "func", "__func__"):  # of a property, a cached one, a class method
        value = getattr(value, name, value)
    source = textwrap.dedent(inspect.getsource(value))
    return ast.parse(source).body[0], source


def signature(name: str, value: Any, *, bound: bool = False) -> str:
    """The call on one line, or with a line for each parameter."""
    node, source = parsed(value)
    if isinstance(value, PROPERTIES):
        return f"{name}: {_text(node.returns, source)}"
    if kind_of(value) == "exception":
        return f"class {name}({value.__base__.__name__})"
    if is_class(value) and "__dataclass_fields__" in vars(value):
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        parameters = [_parameter(f.target, f.annotation, f.value, source) for f in fields]
        return _call(name, parameters, "")
    if is_class(value):
        return signature(name, value.__init__, bound=True).removesuffix(" -> None")
    return _call(name, _parameters(node.args, source)[bound:], f" -> {_text(node.returns, source)}")


def _parameters(arguments: ast.arguments, source: str) -> list[str]:
    positional = arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + [*arguments.defaults]
    given = [*zip(positional, defaults, strict=True)]
    named = [*zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    listed = [
        [_parameter(each, each.annotation, default, source) for each, default in pairs]
        for pairs in (given, named)
    ]
    return listed[0] + ["*"] * bool(named) + listed[1]


def _parameter(name: Any, annotation: Any, default: Any, source: str) -> str:
    text = getattr(name, "arg", None) or name.id
    if annotation is not None:
        text += f": {_text(annotation, source)}"
    if isinstance(default, ast.Call):  # field(default=...) or field(default_factory=dict)
        given = {word.arg: _text(word.value, source) for word in default.keywords}
        if "default_factory" in given:
            return f"{text} = {given['default_factory']}()"
        return f"{text} = {given['default']}" if "default" in given else text
    return text if default is None else f"{text} = {_text(default, source)}"


def _text(node: Any, source: str) -> str:
    return ast.get_source_segment(source, node) or ""


def _call(name: str, parameters: list[str], result: str) -> str:
    line = f"{name}({', '.join(parameters)}){result}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {each},\n" for each in parameters) + f"){result}"


# Docstrings


def markdown(docstring: str) -> str:
    """A numpy docstring as Markdown."""
    first, *rest = re.split(r"^(\w[\w ]*)\n-{3,}\n", docstring, flags=re.MULTILINE)
    blocks = [_prose(first)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        entries = _examples(body) if title == "Examples" else _entries(body, title)
        blocks += [f"**{title}**", entries]
    return "\n\n".join(blocks)


def _prose(text: str) -> str:
    """Text in which no sign but that of code means something to Markdown."""
    parts = re.split(r"(``.+?``|`[^`]+`)", text.strip(), flags=re.DOTALL)
    parts[::2] = [re.sub(r"([*<])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def _examples(body: str) -> str:
    blocks = body.strip().split("\n\n")
    return "\n\n".join(_code(each) if each[:3] == ">>>" else _prose(each) for each in blocks)


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _entries(body: str, title: str) -> str:
    """A list of what a section has: `name : type`, a name or a type above its text."""
    body = re.sub(r"^(\w[\w, ]*,)\n(?=\w)", r"\1 ", body, flags=re.MULTILINE)  # names on two lines
    listed, remarks = [], []
    for entry in re.split(r"\n(?=\S)", body.strip()):
        head, _, below = entry.partition("\n")
        name, _, said = head.partition(" : ")
        below = textwrap.dedent(below)
        is_name = title in ("Returns", "Raises") or re.fullmatch(r"[\w.]*\w(, [\w.]*\w)*", name)
        if not (said or below or is_name):  # about all of them
            remarks.append(head)
            continue
        # A type is no sentence, and what goes on below a text does not begin one.
        if said and said[-1] != "." and re.match(r"[A-Z`-]|gensim|pyLDAvis", below):
            said = f"({said}):"
        elif said or below:
            name += ":"
        lines = _prose("\n".join(text for text in (said, below) if text))
        listed.append(textwrap.indent(f"**{name}** {lines}", "  ").replace("  ", "- ", 1).rstrip())
    return "\n".join(listed) + "\n\n" * bool(remarks) + _prose("\n".join(remarks))


def docstring_of(value: Any) -> str:
    """The docstring; for a dataclass with those below its fields, as attributes."""
    text = inspect.getdoc(value) or ""
    if not is_class(value):
        return text
    node, source = parsed(value)
    fields = [
        f"{field.target.id} : {_text(field.annotation, source)}\n    {below.value.value}"
        for field, below in pairwise(node.body)
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr)
    ]
    attributes = "\n".join(["Attributes", "----------", *fields, "", ""]) if fields else ""
    return text.replace("Examples\n---", f"{attributes}Examples\n---")


# Commands


def parser_of(*arguments: str) -> argparse.ArgumentParser:
    """The parser that would print the help for these arguments."""
    found: list[argparse.ArgumentParser] = []

    def keep(parser: argparse.ArgumentParser, file: Any = None) -> None:
        found.append(parser)

    with patch("argparse.ArgumentParser.print_help", keep), contextlib.suppress(SystemExit):
        main([*arguments, "--help"])
    return found[0]


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of every command, in the order of the help."""
    [table] = [each for each in parser_of()._actions if isinstance(each.choices, dict)]
    return {name: parser_of(name) for name in table.choices}


def command(parser: argparse.ArgumentParser) -> list[str]:
    """The blocks below the heading of a command: its usage, its options, examples."""
    groups = [(group.title, _options(group, parser)) for group in parser._action_groups]
    needed = [each for each in parser._actions if each.required]
    usage = " ".join([parser.prog, *map(_call_of, needed), "[options]"])
    blocks = [_shell(usage), _prose(parser.description or "")]
    for title, options in groups:
        if options:
            title = {"positional arguments": "arguments"}.get(str(title), str(title))
            blocks += [f"**{title[0].upper()}{title[1:]}**", "\n".join(options)]
    examples = textwrap.dedent((parser.epilog or "").partition("examples:\n")[2])
    return [*blocks, "**Examples**", _shell(examples)] if examples else blocks


def _about_all() -> str:
    return f"```text\n{(parser_of().epilog or '').strip()}\n```"


def _shell(text: str) -> str:
    return f"```sh\n{text.rstrip()}\n```"


def _options(group: Any, parser: argparse.ArgumentParser) -> list[str]:
    return [
        f"- {_names_of(action)}: {_prose(_help_of(action, parser))}"
        for action in group._group_actions
        if action.dest != "help" and action.help != argparse.SUPPRESS
    ]


def _names_of(action: argparse.Action) -> str:
    value = _value_of(action)
    names = action.option_strings or [value]
    shown = [f"{name} {value}".strip() if action.option_strings else name for name in names]
    return ", ".join(f"`{each}`" for each in shown)


def _call_of(action: argparse.Action) -> str:
    return " ".join([*action.option_strings[-1:], _value_of(action)])


def _value_of(action: argparse.Action) -> str:
    """What stands after an option, or in the place of an argument."""
    name = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.metavar
    name = str(name or action.dest.upper())
    forms = {0: "", "?": f"[{name}]", "+": f"{name} [{name} ...]", "*": f"[{name} ...]"}
    return forms.get(action.nargs, name)  # type: ignore[arg-type]


def _help_of(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    return (action.help or "") % {**vars(action), "prog": parser.prog}


# The page


def constant(path: str, value: Any) -> list[str]:
    """A table or a type: how a module assigns it, and what the module says below that."""
    name = path.rpartition(".")[2]
    modules = [module for key, module in sys.modules.items() if key.startswith("dnmf_topics")]
    for module in [module for module in modules if vars(module).get(name) is value]:
        source = inspect.getsource(module)
        for node, below in pairwise(ast.parse(source).body):
            if isinstance(node, ast.AnnAssign) and node.target.id == name:
                keys = ", ".join(f"`{key}`" for key in value)
                shown = f"{path}: {_text(node.annotation, source)}"
                return [_code(shown), f"{_prose(below.value.value)} They are {keys}."]
            if isinstance(node, ast.Assign) and node.targets[0].id == name:
                shown = f"{path} = {_text(node.value, source)}"
                return [_code(shown), _prose(below.value.value)]
    raise LookupError(path)


def described(path: str, value: Any) -> list[str]:
    """The blocks below a heading: signature, docstring, and the same of all methods."""
    if kind_of(value) in ("table", "type"):
        return constant(path, value)
    blocks = [_code(signature(path, value)), markdown(docstring_of(value))]
    return blocks + _methods(value) if is_class(value) else blocks


def _methods(cls: type) -> list[str]:
    blocks = []
    own = members(cls)
    for name, member in own.items():
        title = f"{cls.__name__}.{name}"
        call = title if isinstance(member, classmethod) else name
        blocks += [
            f"#### {title}",
            _code(signature(call, member, bound=True)),
            markdown(inspect.getdoc(getattr(cls, name)) or ""),
        ]
    for library in ("gensim", "sklearn"):
        bases = [base for base in cls.__mro__ if _home(base).startswith(f"{library}.")]
        names = {name for base in bases for name in vars(base) if not name.startswith("_")}
        if names := names - {*own}:
            listed = ", ".join(f"`{name}`" for name in sorted(names))
            blocks.append(f"Inherited from {library}: {listed}.")
    return blocks


def page() -> str:
    """The whole reference."""
    contents, chapters = [], []
    objects = list(public_objects())
    for part, modules in PARTS.items():
        links = []
        chapters.append(f"## {part}")
        for module in modules:
            about = inspect.getdoc(importlib.import_module(module)) or ""
            chapters.append(f"`{module}`: {_prose(about)}")
        for path, value in [(path, value) for where, path, value in objects if where == part]:
            name, kind = path.rpartition(".")[2], kind_of(value)
            links.append(f"[{name}](#{kind}-{name.lower()})")
            chapters += [f"### {kind} {name}", *described(path, value)]
        if part == "Command line":
            chapters += ["### dnmf-topics", _shell("dnmf-topics COMMAND [options]"), _about_all()]
            for name, parser in commands().items():
                links.append(f"[{name}](#command-{name})")
                chapters += [f"### command {name}", *command(parser)]
        contents.append(f"- [{part}](#{part.lower().replace(' ', '-')}): {', '.join(links)}")
    return "\n\n".join([HEAD, "## Contents", "\n".join(contents), *chapters]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
