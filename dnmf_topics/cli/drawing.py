"""Pictures that commands write with `--plot`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from ..common.writing import check_place, new_file

PICTURES = (".png", ".svg", ".pdf")


class Plots(Protocol):
    """What draws itself."""

    def plot(self) -> Any:
        """Axes of matplotlib with the picture."""
        ...


def picture_path(given: str | None) -> Path | None:
    """Where to write a picture, if one is wanted; raises, before any work, if that cannot be."""
    if given is None:
        return None
    path = Path(given)
    if path.suffix.lower() not in PICTURES:
        raise ValueError(f"--plot must end in {', '.join(PICTURES)}, got {path.name}.")
    check_place(path)
    if find_spec("matplotlib") is None:
        raise ImportError("--plot needs matplotlib; install it with `pip install matplotlib`.")
    return path


def write_picture(path: Path, drawn: Plots) -> None:
    """Draw, on a machine that may have no screen, and write the picture."""
    import matplotlib

    matplotlib.use("agg")
    figure = drawn.plot().figure
    with new_file(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
