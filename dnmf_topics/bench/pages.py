"""The pages of a study: an index, a page for each corpus, tables and plots beside them."""

from __future__ import annotations

import logging
import statistics
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ..common.writing import write_text
from .entries import METRICS, Results
from .methods import METHODS
from .paper import KNOWN_ERRORS, paper_value
from .paper_tables import (
    footnotes,
    long_csv,
    markdown,
    metric_csv,
    metric_table,
    rank_csv,
    rank_table,
)
from .plots import NOT_THERE, has_matplotlib, write_plots
from .ranks import LISTS, average_ranks, ranked_methods
from .records import FAILED, OK, TIMEOUT

logger = logging.getLogger(__name__)

INDEX = "README.md"
REMARKS = "remarks.md"
TABLES, PLOTS = "tables", "plots"
OURS = "sdnmf"


def write_results(out: Path) -> list[Path]:
    r"""Tables, plots and pages of the cells that a folder has, finished or not.

    What `remarks.md` in the folder says is put at the head of the index; the rest of the index is
    written anew each time. Returns what was written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from dnmf_topics.bench import run
    >>> toml = "methods = ['kmeans']\ncorpus.planted = {built_in = 'planted', num_topics = [4]}"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = Path(folder, "small.toml")
    ...     _ = study.write_text(toml)
    ...     _ = run(study, Path(folder, "results"))
    ...     written = write_results(Path(folder, "results"))
    >>> [path.name for path in written if path.suffix == ".md"]
    ['planted.md', 'README.md']
    """
    results = Results.read(out)
    plots: dict[str, list[str]] = {}
    if has_matplotlib():
        plots = write_plots(results, out / PLOTS)
    else:
        logger.warning("%s", NOT_THERE)
    written = [
        _write(out / TABLES / "results.csv", long_csv(results)),
        _write(out / TABLES / "ranks.csv", rank_csv(results, in_paper=False)),
        _write(out / TABLES / "ranks-papers-methods.csv", rank_csv(results, in_paper=True)),
    ]
    for corpus in results.corpora:
        written.append(_write(out / f"{corpus}.md", corpus_page(results, corpus, plots)))
        for metric in _metrics(results, corpus):
            path = out / TABLES / f"{corpus}-{metric}.csv"
            written.append(_write(path, metric_csv(results, corpus, metric)))
    remarks = out / REMARKS
    said = remarks.read_text("utf-8") if remarks.is_file() else ""
    written.append(_write(out / INDEX, index_page(results, plots, said)))
    return written


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return path


def _metrics(results: Results, corpus: str) -> list[str]:
    return [metric for metric in METRICS if results.has(corpus, metric)]


def corpus_page(results: Results, corpus: str, plots: dict[str, list[str]]) -> str:
    """All tables of a corpus."""
    facts = results.study["corpora"][corpus]
    classes = "no classes" if facts["classes"] is None else f"{facts['classes']} classes"
    parts = [
        f"# {corpus}",
        f"{facts['documents']:,} documents, {facts['terms']:,} terms, {classes}. Means over all "
        "draws of a method ± standard errors. Bold goes with the ranks: the best, over the draws "
        "that all methods have, of those that know nothing of the classes and have a value in "
        "every run.",
    ]
    if f"{corpus}-acc.png" in plots.get("accuracy", []):
        parts.append(f"![ACC against the number of topics]({PLOTS}/{corpus}-acc.png)")
    for metric in _metrics(results, corpus):
        better = "higher" if METRICS[metric].higher_is_better else "lower"
        table, marks = metric_table(results, corpus, metric)
        link = f"[CSV]({TABLES}/{corpus}-{metric}.csv)"
        said = f"{METRICS[metric].meaning} The {better}, the better. {link}".lstrip()
        parts += [f"## {METRICS[metric].title}", said, table]
        parts += [footnotes(marks)] if marks else []
    return _page(parts)


def _page(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def index_page(results: Results, plots: dict[str, list[str]], remarks: str = "") -> str:
    """What was run, how the methods rank, where DNMF loses, what went wrong."""
    pages = " · ".join(f"[{corpus}]({corpus}.md)" for corpus in results.corpora)
    parts = [
        "# Results",
        remarks,
        _cells_section(results),
        f"Tables: {pages}. Everything in one file: [results.csv]({TABLES}/results.csv), and the "
        "raw lines: [cells.jsonl](cells.jsonl); the configuration: [study.toml](study.toml).",
        "## Corpora",
        _corpora_table(results),
        *_rank_sections(results),
        *_loss_section(results),
        *_paper_sections(results),
        *_plot_sections(results, plots),
        *_failure_section(results),
        "## Errors in the paper's tables",
        "Marked in our tables beside the values:",
        "\n".join(f"- ({mark}) {said}" for mark, said in KNOWN_ERRORS.items()),
    ]
    return _page(parts)


def _cells_section(results: Results) -> str:
    ended = Counter(record["status"] for record in results.records)
    versions = [record["versions"] for record in results.records if record["versions"]]
    used = sorted({" ".join(item) for found in versions for item in found.items()})
    return (
        f"{len(results.records):,} of {results.study['cells']:,} cells ran: {ended[OK]:,} well, "
        f"{ended[FAILED]:,} failed, {ended[TIMEOUT]:,} took too long. With {', '.join(used)}."
    )


def _corpora_table(results: Results) -> str:
    rows = []
    for name, facts in results.study["corpora"].items():
        sizes = [f"{facts[key]:,}" for key in ("documents", "terms", "words")]
        rows.append([name, *sizes, str(facts["classes"] or "none"), facts["paper"] or "no"])
    return markdown(["corpus", "documents", "terms", "words", "classes", "in the paper"], rows)


def _rank_sections(results: Results) -> list[str]:
    parts = []
    for in_paper, title in ((True, "the paper's methods"), (False, "all methods")):
        table, marks = rank_table(results, in_paper=in_paper)
        if table:
            parts += [f"## Average ranks of {title}", table]
            parts += [footnotes(marks | {"b", "c"})] if marks else []
    if parts:
        parts.insert(1, (
            "Ranks of the means at every number of topics, over the draws that all methods of the "
            "table have, averaged over numbers of topics and then over corpora. Equals share the "
            "better rank, as in the paper. A method comes last where one of its runs failed, took "
            "too long or has no value, and the others are compared without it. The paper's ranks "
            "are over more numbers of topics than ours."
        ))  # fmt: skip
    return parts


def _loss_section(results: Results) -> list[str]:
    """Where another method is ahead of sDNMF, and which."""
    if OURS not in results.methods:
        return []
    title = "## Where sDNMF is not the best"
    rows, compared = [], False
    for corpus in results.corpora:
        for metric in ("acc", "coherence", "sim_count"):
            for num_topics in results.num_topics(corpus):
                pairs = _pairs(results, corpus, metric, num_topics)
                compared = compared or bool(pairs)
                rows += _loss_row(pairs, corpus, metric, num_topics)
    if not compared:
        return [title, "sDNMF has no draw in common with another method to compare them on."]
    said = (
        "sDNMF is compared with one method at a time, over the draws in which both have a value; "
        "shown is the method that is furthest ahead of it, with the means of both over these draws."
    )
    ranked = ranked_methods(results)
    behind = [
        f"{LISTS[name]} ({', '.join(METHODS[n].title for n in ranked if r[n] < r[OURS])})"
        for name, r in average_ranks(results, ranked).items()
        if min(r.values()) < r[OURS]
    ]
    if behind:
        said += (
            " By average rank of all methods, over the draws that all of them have, others are "
            f"ahead in: {'; '.join(behind)}."
        )
    header = ["corpus", "metric", "topics", "draws", "sDNMF", "other", "which"]
    return [title, said, markdown(header, rows) if rows else "Nowhere."]


def _pairs(
    results: Results, corpus: str, metric: str, num_topics: int
) -> dict[str, tuple[int, float, float]]:
    """By method: how many draws it shares with sDNMF, sDNMF's mean over these, its own."""
    ours = results.entry(corpus, OURS, num_topics, metric).by_draw
    pairs = {}
    for name in ranked_methods(results):
        theirs = results.entry(corpus, name, num_topics, metric).by_draw
        shared = ours.keys() & theirs.keys()
        if name != OURS and shared:
            mean, other = (statistics.fmean(e[draw] for draw in shared) for e in (ours, theirs))
            pairs[name] = len(shared), mean, other
    return pairs


def _loss_row(
    pairs: dict[str, tuple[int, float, float]], corpus: str, metric: str, num_topics: int
) -> list[list[str]]:
    """One row, or none where no method is ahead."""
    sign = 1 if METRICS[metric].higher_is_better else -1
    leads = {name: sign * (theirs - ours) for name, (_, ours, theirs) in pairs.items()}
    if max(leads.values(), default=0) <= 0:
        return []
    most = pairs[max(leads, key=leads.__getitem__)]
    names = ", ".join(METHODS[name].title for name in pairs if pairs[name] == most)
    values = map(METRICS[metric].text, most[1:])
    return [[corpus, METRICS[metric].title, str(num_topics), str(most[0]), *values, names]]


def _paper_sections(results: Results) -> list[str]:
    """ACC beside the paper's: DNMF place by place, the other methods on the average."""
    named = {c: results.study["corpora"][c]["paper"] for c in results.corpora}
    rows, differences = [], []
    for corpus in (name for name in results.corpora if named[name]):
        for num_topics in results.num_topics(corpus):
            ours = results.entry(corpus, OURS, num_topics, "acc")
            paper = paper_value(named[corpus], "acc", num_topics, OURS)
            rule = results.entry(corpus, "sdnmf-paper-rule", num_topics, "acc")
            if ours.mean is None or paper is None:
                continue
            reached = ours.mean + (ours.error or 0) >= paper.value
            shown = ["" if e.mean is None else f"{e.mean:.3f} ± {e.error or 0:.3f}"
                     for e in (ours, rule)]  # fmt: skip
            rows.append([corpus, str(num_topics), *shown, f"{paper.value:.3f}",
                         "yes" if reached else "**no**"])  # fmt: skip
        differences.append([corpus, *(
            _difference(results, corpus, named[corpus], name) for name in _papers(results)
        )])  # fmt: skip
    if not rows and not differences:
        return []
    header = ["corpus", "topics", "DNMF", "by the paper's rule", "paper", "reached"]
    return [
        "## DNMF's ACC beside the paper's",
        "The paper's rule for the last layer knows the sizes of the classes, our default nothing. "
        "Reached: at least the paper's value, within one standard error.",
        markdown(header, rows),
        "## ACC minus the paper's",
        "Mean over the numbers of topics that both have. Where the paper's value is known to be "
        "wrong, what another paper prints counts instead, or nothing.",
        markdown(["corpus", *(METHODS[name].title for name in _papers(results))], differences),
    ]


def _papers(results: Results) -> list[str]:
    return [name for name in results.methods if METHODS[name].in_paper]


def _difference(results: Results, corpus: str, named: str, method: str) -> str:
    found = []
    for num_topics in results.num_topics(corpus):
        mean = results.entry(corpus, method, num_topics, "acc").mean
        paper = paper_value(named, "acc", num_topics, method)
        if paper is not None and mean is not None:
            value = paper.other if paper.error else paper.value
            found += [] if value is None else [mean - value]
    return f"{sum(found) / len(found):+.3f}" if found else ""


def _plot_sections(results: Results, plots: dict[str, list[str]]) -> list[str]:
    parts = []
    for name, files in plots.items():
        title = "ACC against the number of topics" if name == "accuracy" else f"Study of {name}"
        shown = "\n\n".join(f"![{title}]({PLOTS}/{file})" for file in files)
        parts += [f"## {title}", shown] if files else []
    return parts


def _failure_section(results: Results) -> list[str]:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for record in results.records:
        if record["status"] != OK:
            what = record["method"], record["status"], record["error"]
            groups.setdefault(what, []).append(f"{record['corpus']} {record['num_topics']}")
    if not groups:
        return []
    rows = [
        [method, status, str(len(places)), ", ".join(dict.fromkeys(places)), why]
        for (method, status, why), places in sorted(groups.items())
    ]
    header = ["method", "status", "cells", "corpus and topics", "why"]
    return ["## Cells without a result", markdown(header, rows)]
