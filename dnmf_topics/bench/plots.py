"""Plots of accuracy against the number of topics, and of the hyper-parameter studies.

The same results give the same files, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.writing import new_file
from .entries import METRICS, Results
from .methods import METHODS, complete_settings
from .paper import paper_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STUDIED = ("acc", "coherence", "sim_count")
FORMATS = ("png", "svg")
DNMF = ("bdnmf", "sdnmf", "cdnmf", "dnmf")
FONT_SIZE = 9
SETTINGS: Any = {  # of matplotlib
    "font.size": FONT_SIZE,
    "svg.fonttype": "none",
    "svg.hashsalt": "dnmf_topics",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "grid.color": "#e5e5e5",
    "axes.axisbelow": True,
}
NOT_THERE = "Plots need matplotlib, which is not installed; `pip install matplotlib` gets it."


def has_matplotlib() -> bool:
    """Whether plots can be made."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def write_plots(results: Results, folder: Path) -> dict[str, list[str]]:
    """Write every plot as PNG and SVG; the names of the PNG files, by "accuracy" and study."""
    if not has_matplotlib():
        raise ImportError(NOT_THERE)
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, list[str]] = {"accuracy": []}
    with matplotlib.rc_context(SETTINGS):
        for corpus in results.corpora:
            if results.has(corpus, "acc") and len(results.num_topics(corpus)) > 1:
                name = f"{corpus}-acc"
                _save(accuracy_plot(results, corpus), folder, name)
                written["accuracy"].append(f"{name}.png")
        for study in results.study["studies"]:
            if _has_values(results, study):
                _save(study_plot(results, study), folder, f"study-{study['name']}")
                written[study["name"]] = [f"study-{study['name']}.png"]
    return written


def _save(figure: Figure, folder: Path, name: str) -> None:
    for kind in FORMATS:
        # Without the date and the version: they would make equal plots different files.
        metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        with new_file(folder / f"{name}.{kind}") as file:
            figure.savefig(file, format=kind, dpi=110, metadata=metadata)


def accuracy_plot(results: Results, corpus: str) -> Figure:
    """ACC against the number of topics: DNMF in front, the other methods behind it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.add_subplot()
    topics = results.num_topics(corpus)
    others = [name for name in results.methods if not _is_dnmf(name)]
    for number, name in enumerate(others):
        style = _style(number) | {"linewidth": 1.1, "markersize": 4}
        _line(axes, results, corpus, name, topics, METHODS[name].title, style)
    if "sdnmf-paper-rule" in results.methods:
        style = {"color": "#c0392b", "linestyle": ":", "marker": "s", "markersize": 4}
        title = METHODS["sdnmf-paper-rule"].title + " (knows the classes)"
        _line(axes, results, corpus, "sdnmf-paper-rule", topics, title, style)
    # All variants share the clusters, and so the accuracy.
    variant = next((name for name in ("sdnmf", *DNMF) if name in results.methods), None)
    if variant is not None:
        style = {"color": "#c0392b", "linewidth": 2.4, "marker": "o", "zorder": 5}
        _line(axes, results, corpus, variant, topics, "DNMF", style)
        _paper_line(axes, results, corpus, variant, topics)
    axes.set(
        xlabel="number of topics", ylabel="ACC", title=corpus, xticks=topics,
        ylim=(0, 1.02),
    )  # fmt: skip
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def _is_dnmf(name: str) -> bool:
    return name in DNMF or name == "sdnmf-paper-rule"


def _style(number: int) -> dict[str, Any]:
    """Ten colors, and beyond them other markers and dashes."""
    import matplotlib

    colors = [color for color in matplotlib.color_sequences["tab10"] if color != _RED]
    return {
        "color": colors[number % len(colors)],
        "marker": "ovDP^X"[number // len(colors)],
        "linestyle": ["-", "--"][number // len(colors) % 2],
    }


_RED = (0.8392156862745098, 0.15294117647058825, 0.1568627450980392)  # tab10's, near to DNMF's


def _line(
    axes: Axes,
    results: Results,
    corpus: str,
    method: str,
    topics: Sequence[int],
    label: str,
    style: Mapping[str, Any],
) -> None:
    entries = [results.entry(corpus, method, number, "acc") for number in topics]
    points = [
        (number, entry.mean, entry.error or 0)
        for number, entry in zip(topics, entries, strict=True)
        if entry.mean is not None
    ]
    if points:
        x, y, error = zip(*points, strict=True)
        axes.errorbar(x, y, error, label=label, capsize=2, **style)


def _paper_line(
    axes: Axes, results: Results, corpus: str, method: str, topics: Sequence[int]
) -> None:
    named = results.study["corpora"][corpus]["paper"]
    values = [(number, paper_value(named, "acc", number, method)) for number in topics]
    known = [(number, value.value) for number, value in values if value is not None]
    if known:
        axes.plot(*zip(*known, strict=True), color="black", linestyle="--", marker="x",
                  linewidth=1.2, label="DNMF, as printed in the paper")  # fmt: skip


def study_plot(results: Results, study: Mapping[str, Any]) -> Figure:
    """A row for each metric, a column for each corpus and number of topics, a line a method."""
    from matplotlib.figure import Figure

    columns = [(corpus, k) for corpus in study["corpora"] for k in study["num_topics"]]
    metrics = [name for name in STUDIED if any(results.has(corpus, name) for corpus, _ in columns)]
    # The methods' lines often lie on each other: each gets a marker of its own, thicker below.
    figure = Figure(
        figsize=(1.6 + 2.9 * len(columns), 0.8 + 2.1 * len(metrics)), layout="constrained"
    )
    grid = figure.subplots(len(metrics), len(columns), squeeze=False, sharex=True)
    positions = range(len(study["values"]))
    for row, metric in zip(grid, metrics, strict=True):
        for axes, (corpus, num_topics) in zip(row, columns, strict=True):
            for number, method in enumerate(study["methods"]):
                _study_line(axes, results, study, corpus, num_topics, metric, method, number)
            axes.set_xticks(positions, [_value_text(value) for value in study["values"]])
        row[0].set_ylabel(METRICS[metric].title)
    for axes, (corpus, num_topics) in zip(grid[0], columns, strict=True):
        axes.set_title(f"{corpus}, {num_topics} topics", fontsize=FONT_SIZE)
    figure.supxlabel(_axis_title(study), fontsize=FONT_SIZE)
    drawn = next(axes for axes in grid.flat if axes.lines)
    figure.legend(
        *drawn.get_legend_handles_labels(), loc="outside upper left", ncols=4, frameon=False
    )
    return figure


def _study_line(
    axes: Axes,
    results: Results,
    study: Mapping[str, Any],
    corpus: str,
    num_topics: int,
    metric: str,
    method: str,
    number: int,
) -> None:
    entries = results.study_entries(study, corpus, method, num_topics, metric)
    points = [
        (position, entry.mean, entry.error or 0)
        for position, entry in enumerate(entries)
        if entry.mean is not None
    ]
    if points:
        x, y, error = zip(*points, strict=True)
        axes.errorbar(
            x, y, error, label=METHODS[method].title, capsize=2,
            color=f"C{number}", marker="osD^vP"[number % 6], markersize=7 - 1.5 * (number % 3),
            linewidth=2.4 - 0.7 * (number % 3),
        )  # fmt: skip


def _axis_title(study: Mapping[str, Any]) -> str:
    default = complete_settings(study["methods"][0], {})[study["setting"]]
    return f"{study['setting']} (default {_value_text(default)})"


def _value_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def _has_values(results: Results, study: Mapping[str, Any]) -> bool:
    return any(
        entry.values
        for corpus in study["corpora"]
        for number in study["num_topics"]
        for method in study["methods"]
        for entry in results.study_entries(study, corpus, method, number, "coherence")
    )
