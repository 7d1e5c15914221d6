"""Tables in the paper's layout: a row for each number of topics, a column for each method."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from .entries import METRICS, Entry, Metric, Results
from .methods import METHODS
from .paper import KNOWN_ERRORS, Printed, paper_rank, paper_value
from .ranks import LISTS, average_ranks, corpus_ranks, place_ranks, ranked_methods

NOT_RUN = "–"  # noqa: RUF001


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the first column to the left, the others to the right."""
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(_escape, line)) + " |" for line in lines) + "\n"


def _escape(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The same for programs; None is an empty field."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    return file.getvalue()


def titles(methods: Sequence[str]) -> list[str]:
    """The heads of columns; what knows the classes says so."""
    return [
        METHODS[name].title + (" (knows the classes)" if METHODS[name].knows_classes else "")
        for name in methods
    ]


def metric_table(results: Results, corpus: str, metric: str) -> tuple[str, set[str]]:
    """Means with standard errors, the paper's values below them; and the marks of those.

    Bold is what is first by rank, over the draws in common; a mean is over all that a method has.
    """
    row_of = METRICS[metric]
    ranked = ranked_methods(results)
    marks: set[str] = set()
    rows = []
    for num_topics in results.num_topics(corpus):
        entries = {
            name: results.entry(corpus, name, num_topics, metric) for name in results.methods
        }
        rank = place_ranks(results, corpus, metric, ranked, num_topics)
        most = max(entry.runs for entry in entries.values())
        row = [f"{num_topics}<br>({results.draws(corpus, num_topics)})"]
        for name, entry in entries.items():
            paper = paper_value(results.study["corpora"][corpus]["paper"], metric, num_topics, name)
            marks |= {paper.error} if paper and paper.error else set()
            text = _entry_text(entry, row_of, is_best=rank.get(name) == 1, most=most)
            row.append(text + _paper_text(paper, row_of))
        rows.append(row)
    average = corpus_ranks(results, corpus, metric, ranked)
    if average:
        rows.append(["rank", *(_number(average.get(name), 2) for name in results.methods)])
    return markdown(["topics", *titles(results.methods)], rows), marks


def _entry_text(entry: Entry, metric: Metric, *, is_best: bool, most: int) -> str:
    if not entry.runs:
        return NOT_RUN
    trouble = [
        f"{number} of {entry.runs} {what}"
        for number, what in ((entry.failed, "failed"), (entry.timeouts, "timed out"))
        if number
    ]
    if entry.mean is None:
        return ", ".join(trouble) or NOT_RUN
    text = f"**{metric.text(entry.mean)}**" if is_best else metric.text(entry.mean)
    if entry.error is not None:
        text += f" ± {metric.text(entry.error)}"
    if entry.runs < most:
        trouble.insert(0, f"{entry.runs} run" + ("s" if entry.runs > 1 else ""))
    return text + (f" ({', '.join(trouble)})" if trouble else "")


def _paper_text(paper: Printed | None, metric: Metric) -> str:
    if paper is None:
        return ""
    if paper.error is None:
        return f"<br>paper {metric.text(paper.value)}"
    other = "" if paper.other is None else f", elsewhere {metric.text(paper.other)}"
    return f"<br>paper ~~{metric.text(paper.value)}~~ ({paper.error}){other}"


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def footnotes(marks: set[str]) -> str:
    """What the marks beside the paper's values say."""
    said = [f"- ({mark}) {KNOWN_ERRORS[mark]}" for mark in sorted(marks)]
    return "Printed values that cannot be right:\n\n" + "\n".join(said) + "\n" if said else ""


def metric_csv(results: Results, corpus: str, metric: str) -> str:
    """The same table for programs: for each method the mean, its error, and the paper's value."""
    header = ["num_topics"]
    for name in results.methods:
        header += [name, f"{name} error", f"{name} runs", f"{name} paper"]
    rows = []
    for num_topics in results.num_topics(corpus):
        row: list[object] = [num_topics]
        for name in results.methods:
            entry = results.entry(corpus, name, num_topics, metric)
            paper = paper_value(results.study["corpora"][corpus]["paper"], metric, num_topics, name)
            row += [*map(_csv_number, (entry.mean, entry.error)), len(entry.values)]
            row.append(None if paper is None else paper.value)
        rows.append(row)
    return csv_text(header, rows)


def _csv_number(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def long_csv(results: Results) -> str:
    """All of it in one file, a line for each corpus, number of topics, method and metric."""
    header = [
        "corpus", "metric", "num_topics", "method", "mean", "standard_error", "runs", "failed",
        "timeouts", "paper", "paper_error", "paper_elsewhere",
    ]  # fmt: skip
    rows: list[list[object]] = []
    for corpus in results.corpora:
        for metric in results.metrics:
            for num_topics in results.num_topics(corpus):
                for name in results.methods:
                    entry = results.entry(corpus, name, num_topics, metric)
                    named = results.study["corpora"][corpus]["paper"]
                    paper = paper_value(named, metric, num_topics, name)
                    known = (paper.value, paper.error, paper.other) if paper else (None,) * 3
                    rows.append([
                        corpus, metric, num_topics, name, _csv_number(entry.mean),
                        _csv_number(entry.error), entry.runs, entry.failed, entry.timeouts, *known,
                    ])  # fmt: skip
    return csv_text(header, rows)


def rank_table(results: Results, *, in_paper: bool) -> tuple[str, set[str]]:
    """The paper's last table, of its methods (with its values beside ours) or of all."""
    methods = ranked_methods(results, in_paper=in_paper)
    marks: set[str] = set()
    rows = []
    for rank_list, ours in average_ranks(results, methods).items():
        least = min(ours.values())
        row = [LISTS[rank_list]]
        for name in methods:
            text = f"**{ours[name]:.2f}**" if ours[name] == least else f"{ours[name]:.2f}"
            paper = paper_rank(rank_list, name) if in_paper else None
            if paper is not None:
                marks |= {paper.error} if paper.error else set()
                text += f"<br>paper {paper.value:.2f}" + (
                    f" ({paper.error})" if paper.error else ""
                )
            row.append(text)
        rows.append(row)
    return markdown(["rank of", *titles(methods)], rows) if rows else "", marks


def rank_csv(results: Results, *, in_paper: bool) -> str:
    """The same for programs."""
    methods = ranked_methods(results, in_paper=in_paper)
    lists = average_ranks(results, methods)
    rows = [
        [rank_list, *(round(ours[name], 4) for name in methods)]
        for rank_list, ours in lists.items()
    ]
    return csv_text(["list", *methods], rows)
