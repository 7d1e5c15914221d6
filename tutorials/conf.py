"""The documentation site, for Sphinx.

    pip install '.[docs]'
    sphinx-build -W --keep-going -q -c tutorials . build/site

The pages are the repository's own, at the places that they have there, so that their links lead to
the same places on the site. A link to a file that is no page, such as a table of results, becomes a
download. Notebooks are shown with the outputs that they have. Nothing is loaded from elsewhere,
neither here nor when the site is read.
"""

from __future__ import annotations

import configparser
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
SETUP = configparser.ConfigParser()
SETUP.read(ROOT / "setup.cfg", encoding="utf-8")

project = SETUP["metadata"]["name"]
author = SETUP["metadata"]["author"]
html_title = project
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]

extensions = ["myst_nb"]
root_doc = "README"
include_patterns = [
    "*.md",
    "corpora/*.md",
    "tests/benchmarks/study/*.md",
    "tutorials/*.md",
    "tutorials/*.ipynb",
]
exclude_patterns = [".*", "build", "dist", "tests/benchmarks/study/remarks.md"]
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, Any] = {}  # no notebook has widgets; the default is from a CDN
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath", "strikethrough"]
suppress_warnings = ["myst.strikethrough"]  # that it is for HTML alone
html_math_renderer = "mathml"

# What README.md has in addition here: the pages at the side.
CONTENTS = """

```{toctree}
:hidden:
:caption: Tutorials
:glob:

tutorials/[0-9]*
```

```{toctree}
:hidden:
:caption: Look up
:glob:

tutorials/[!0-9]*
```

```{toctree}
:hidden:
:caption: The paper's tables

All methods <tests/benchmarks/study/README>
20 Newsgroups <tests/benchmarks/study/20newsgroups>
TDT2 <tests/benchmarks/study/tdt2>
Reuters-21578 <tests/benchmarks/study/reuters21578>
```

```{toctree}
:hidden:
:caption: The project

CHANGELOG
CONTRIBUTING
SECURITY
corpora/README
```
"""
FIRST = '<!doctype html><meta http-equiv="refresh" content="0; url=README.html">\n'


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (_write_math, None), (_write_math, None))
    app.connect("source-read", _add_contents)
    app.connect("build-finished", _write_first_page)


def _add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    if page == root_doc:
        source[0] += CONTENTS


def _write_math(writer: Any, node: nodes.Element) -> None:
    """A formula as MathML, which browsers know, in the place of scripts from a CDN."""
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    bar = "<mo>&#x02016;</mo>"  # of a norm; it would be as high as its exponent
    formula = convert(node.astext(), display=display)
    writer.body.append(formula.replace(bar, bar.replace(">", ' stretchy="false">', 1)))
    raise nodes.SkipNode


def _write_first_page(app: Sphinx, exception: Exception | None) -> None:
    if not exception:
        (Path(app.outdir) / "index.html").write_text(FIRST, encoding="utf-8")
