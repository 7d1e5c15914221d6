"""Run the tutorials and write each as a notebook with its outputs, beside its script.

    python tutorials/build.py                 # all of them
    python tutorials/build.py 4_inside_dnmf   # one

Needs `pip install '.[tutorials]'`. The texts are those that every installation has, so that whoever
runs a notebook sees what it shows.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
TUTORIALS = sorted(path.stem for path in FOLDER.glob("[0-9]_*.py"))
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def source_cells(path: Path) -> list[Any]:
    """The cells of a script, without outputs."""
    cells: list[Any] = jupytext.read(path, fmt="py:percent").cells
    return cells


def build(name: str) -> None:
    """Execute a tutorial and write its notebook."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL})
    notebook.cells = source_cells(FOLDER / f"{name}.py")
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": FOLDER}})
    client.execute()
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"  # drawn at random otherwise
        cell.metadata.clear()  # times of execution
    notebook.metadata = nbformat.NotebookNode(kernelspec=KERNEL)
    nbformat.write(notebook, FOLDER / f"{name}.ipynb")


def main() -> None:
    unknown = set(sys.argv[1:]) - set(TUTORIALS)
    if unknown:
        sys.exit(f"There is no tutorial {sorted(unknown)[0]}; there are {', '.join(TUTORIALS)}.")
    os.environ.pop("DNMF_CORPORA", None)
    with tempfile.TemporaryDirectory() as nothing:
        os.environ["SCIKIT_LEARN_DATA"] = nothing
        for name in sys.argv[1:] or TUTORIALS:
            build(name)
            print(f"wrote {name}.ipynb")


if __name__ == "__main__":
    main()
