"""From records to tables, ranks and plots, against values computed by hand."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from dnmf_topics.bench import write_results
from dnmf_topics.bench.cells import Cell
from dnmf_topics.bench.entries import Results, over_common_draws
from dnmf_topics.bench.methods import METHODS
from dnmf_topics.bench.pages import corpus_page, index_page
from dnmf_topics.bench.paper import CORPORA, KNOWN_ERRORS, METRICS, paper_rank, paper_value
from dnmf_topics.bench.paper_tables import (
    footnotes,
    long_csv,
    markdown,
    metric_csv,
    metric_table,
    rank_table,
)
from dnmf_topics.bench.plots import write_plots
from dnmf_topics.bench.ranks import average_ranks, corpus_ranks, ranked_methods, ranks
from dnmf_topics.bench.records import FAILED, FOUND, OK, TIMEOUT, RecordFile

FACTS = {"documents": 10, "terms": 5, "words": 50, "classes": 30, "balanced": False, "paper": None}


def record(corpus, method, num_topics, subset, status=OK, settings=None, **found):
    seed = 0 if subset is None else subset
    cell = Cell(corpus, method, num_topics, subset, seed, settings or {})
    values = {"acc": 0.5, "coherence": -500.0, "sim_count": 2, "seconds": 1.0}
    empty = dict.fromkeys(FOUND) | {"versions": {"numpy": "1"}, "status": status}
    return cell.as_json() | empty | (values if status == OK else {"error": "why"}) | found


def results(records, *, methods=("lda", "spa", "sdnmf"), studies=(), **facts):
    facts.setdefault("num_topics", sorted({each["num_topics"] for each in records}))
    corpora = dict.fromkeys([each["corpus"] for each in records])
    study = {
        "cells": len(records),
        "corpora": dict.fromkeys(corpora, FACTS | facts),
        "methods": {name: {} for name in methods},
        "studies": list(studies),
    }
    return Results(records, study)


def accs(corpus, num_topics, **values):
    """One record for each value of each method."""
    return [
        record(corpus, method, num_topics, subset, acc=value)
        for method, all_values in values.items()
        for subset, value in enumerate(all_values)
    ]


# Entries


def test_mean_and_standard_error():
    entry = results(accs("c", 3, lda=[0.2, 0.4, 0.9])).entry("c", "lda", 3, "acc")
    assert entry.mean == pytest.approx(0.5)
    # variance (0.09 + 0.01 + 0.16) / 2 = 0.13; sqrt(0.13 / 3)
    assert entry.error == pytest.approx(0.2081666)
    assert (entry.runs, entry.failed, entry.timeouts) == (3, 0, 0)


def test_one_value_has_no_error_and_none_no_mean():
    found = results(accs("c", 3, lda=[0.2]))
    assert found.entry("c", "lda", 3, "acc").error is None
    assert found.entry("c", "spa", 3, "acc").mean is None


def test_seeds_of_one_subset_count_once():
    runs = accs("c", 3, lda=[0.2, 0.6])
    runs.append(runs[1] | {"seed": 9, "acc": 0.8})
    entry = results(runs).entry("c", "lda", 3, "acc")
    assert sorted(entry.values) == pytest.approx([0.2, 0.7])
    assert entry.runs == 3


def test_other_settings_are_not_in_the_tables():
    runs = [*accs("c", 3, sdnmf=[0.5]), record("c", "sdnmf", 9, 0, settings={"delta": 0.1}, acc=1)]
    assert results(runs).num_topics("c") == [3]
    assert results(runs).entry("c", "sdnmf", 3, "acc").values == (0.5,)


def test_rows_are_those_that_the_configuration_asks_for():
    runs = accs("c", 3, sdnmf=[0.5]) + accs("c", 7, sdnmf=[0.5])  # which a study has tried
    assert results(runs, num_topics=[3, 5]).num_topics("c") == [3]


def test_a_study_compares_the_same_subsets():
    swept = {"settings": [{"sdnmf": {"delta": 0.1}}, {"sdnmf": {}}]}
    runs = [
        record("c", "sdnmf", 3, 0, settings={"delta": 0.1}, acc=0.4),
        *accs("c", 3, sdnmf=[0.5, 0.9]),  # of which the second has no counterpart
    ]
    entries = results(runs).study_entries(swept, "c", "sdnmf", 3, "acc")
    assert [entry.values for entry in entries] == [(0.4,), (0.5,)]


def test_a_value_that_failed_takes_no_draw_from_the_others_of_a_study():
    swept = {"settings": [{"sdnmf": {"delta": 0.1}}, {"sdnmf": {}}]}
    runs = [
        record("c", "sdnmf", 3, 0, settings={"delta": 0.1}),
        record("c", "sdnmf", 3, 1, TIMEOUT, settings={"delta": 0.1}),
        *accs("c", 3, sdnmf=[0.5, 0.9]),
    ]
    entries = results(runs).study_entries(swept, "c", "sdnmf", 3, "acc")
    assert [entry.values for entry in entries] == [(), (0.5, 0.9)]


# Tables


def test_a_table_in_the_papers_layout():
    runs = accs("c", 3, lda=[0.2, 0.4], spa=[0.5], sdnmf=[0.6, 0.7])
    runs += [
        record("c", "spa", 3, 1, FAILED), record("c", "lda", 5, 0, TIMEOUT),
        record("c", "spa", 5, 0, acc=0.8), record("c", "sdnmf", 5, 0, acc=0.8),
    ]  # fmt: skip
    table, marks = metric_table(results(runs), "c", "acc")
    assert table.splitlines() == [
        "| topics | LDA (gensim) | SPA | sDNMF |",
        "| :-- | --: | --: | --: |",
        "| 3<br>(2 subsets) | 0.300 ± 0.100 | 0.500 (1 of 2 failed) | **0.650** ± 0.050 |",
        "| 5<br>(1 subset) | 1 of 1 timed out | **0.800** | **0.800** |",
        "| rank | 2.50 | 2.00 | 1.00 |",
    ]
    assert marks == set()


def test_the_papers_value_stands_beside_ours():
    table, marks = metric_table(results(accs("tdt2", 5, sdnmf=[0.9]), paper="tdt2"), "tdt2", "acc")
    assert "**0.900**<br>paper 0.981" in table
    assert marks == set()
    assert "–<br>paper 0.6" in table  # noqa: RUF001 - LDA was not run


def test_wrong_values_of_the_paper_are_struck_out():
    runs = accs("r", 3, spa=[0.5], sdnmf=[0.6])
    table, marks = metric_table(results(runs, paper="reuters21578"), "r", "acc")
    assert "(c), elsewhere 0.690" in table
    assert "~~" in table
    assert marks == {"c"}
    assert footnotes(marks).endswith(f"(c) {KNOWN_ERRORS['c']}\n")


def test_fewer_runs_than_others_are_told():
    table, _ = metric_table(results(accs("c", 3, lda=[0.1, 0.3], spa=[0.05])), "c", "acc")
    assert "| 0.050 (1 run) |" in table


def test_bold_goes_with_the_ranks():
    # lda has the easy draw only, where sdnmf is better.
    found = results(accs("c", 3, lda=[0.8], sdnmf=[0.9, 0.1], spa=[0.2, 0.2]))
    table, _ = metric_table(found, "c", "acc")
    assert "| 0.800 (1 run) | 0.200 ± 0.000 | **0.500** ± 0.400 |" in table
    assert "| rank | 2.00 | 3.00 | 1.00 |" in table
    assert "Bold goes with the ranks" in corpus_page(found, "c", {})


def test_without_a_draw_in_common_nothing_is_bold():
    runs = [record("c", "lda", 3, 0), record("c", "sdnmf", 3, 1)]
    table, _ = metric_table(results(runs, methods=("lda", "sdnmf")), "c", "acc")
    assert "| 0.500 | 0.500 |" in table
    assert "rank" not in table


def test_fewer_is_better_for_shared_words():
    runs = [record("c", "lda", 3, 0, sim_count=9), record("c", "spa", 3, 0, sim_count=4)]
    table, _ = metric_table(results(runs, methods=("lda", "spa")), "c", "sim_count")
    assert "| 9.0 | **4.0** |" in table


def test_what_knows_the_classes_is_neither_best_nor_ranked():
    runs = accs("c", 3, **{"lda": [0.5], "sdnmf-paper-rule": [0.9]})
    table, _ = metric_table(results(runs, methods=("lda", "sdnmf-paper-rule")), "c", "acc")
    assert "sDNMF, paper's rule (knows the classes)" in table
    assert "**0.500** | 0.900 |" in table
    assert "| rank | 1.00 |  |" in table


def test_cells_of_a_table_cannot_break_it():
    assert markdown(["a"], [["x | y\nz"]]).splitlines()[-1] == "| x \\| y z |"


def test_csv_has_the_same_numbers():
    found = results(accs("tdt2", 5, lda=[0.2, 0.4]), methods=("lda",), paper="tdt2")
    (row,) = csv.DictReader(metric_csv(found, "tdt2", "acc").splitlines())
    assert row["num_topics"] == "5"
    assert (row["lda"], row["lda error"], row["lda runs"]) == ("0.3", "0.1", "2")
    assert float(row["lda paper"]) == paper_value("tdt2", "acc", 5, "lda").value


# Ranks


def test_equals_share_the_better_rank():
    values = {"a": 3.0, "b": 1.0, "c": 3.0, "d": 2.0}
    assert ranks(values, higher_is_better=True) == {"a": 1, "b": 4, "c": 1, "d": 3}
    assert ranks(values, higher_is_better=False) == {"a": 3, "b": 1, "c": 3, "d": 2}


def test_what_never_ended_well_comes_last():
    runs = [*accs("c", 3, lda=[0.1], sdnmf=[0.9]), record("c", "spa", 3, 0, TIMEOUT)]
    found = results(runs)
    assert corpus_ranks(found, "c", "acc", ranked_methods(found)) == {
        "lda": 2, "spa": 3, "sdnmf": 1,
    }  # fmt: skip


def test_a_place_where_a_method_was_not_run_is_left_out():
    runs = accs("c", 3, lda=[0.1], spa=[0.2], sdnmf=[0.3]) + accs("c", 5, lda=[0.9])
    found = results(runs)
    assert corpus_ranks(found, "c", "acc", ranked_methods(found))["lda"] == 3


def test_methods_are_ranked_on_the_draws_that_all_of_them_have():
    # lda has the two easy draws only, where sdnmf is better.
    runs = accs("c", 3, lda=[0.8, 0.8], sdnmf=[0.9, 0.9, 0.1, 0.1], spa=[0.2, 0.2, 0.2, 0.2])
    runs.append(record("c", "kmeans", 3, 0, TIMEOUT))
    found = results(runs, methods=("lda", "spa", "sdnmf", "kmeans"))
    assert found.entry("c", "sdnmf", 3, "acc").mean == pytest.approx(0.5)
    assert corpus_ranks(found, "c", "acc", ranked_methods(found)) == {
        "lda": 2, "spa": 3, "sdnmf": 1, "kmeans": 4,
    }  # fmt: skip
    entries = [found.entry("c", name, 3, "acc") for name in ("lda", "sdnmf", "kmeans")]
    compared = over_common_draws(entries)
    assert [entry.values for entry in compared] == [(0.8, 0.8), (0.9, 0.9), ()]


@pytest.mark.parametrize("trouble", [
    {"status": FAILED, "acc": None}, {"status": TIMEOUT, "acc": None}, {"acc": None},
])  # fmt: skip
def test_a_method_with_a_run_without_a_value_comes_last_and_takes_no_draw_away(trouble):
    # In the only draw that spa has, lda is better than sdnmf.
    runs = accs("c", 3, lda=[0.6, 0.1, 0.1], sdnmf=[0.5, 0.9, 0.9], spa=[0.99])
    runs += [record("c", "spa", 3, subset) | trouble for subset in (1, 2)]
    found = results(runs)
    assert corpus_ranks(found, "c", "acc", ranked_methods(found)) == {
        "lda": 2, "spa": 3, "sdnmf": 1,
    }  # fmt: skip
    assert "**0.767**" in metric_table(found, "c", "acc")[0]


def test_a_place_where_nothing_ended_well_is_left_out():
    found = results([record("c", name, 3, 0, FAILED) for name in ("lda", "spa", "sdnmf")])
    assert corpus_ranks(found, "c", "acc", ranked_methods(found)) == {}


def test_average_ranks_by_hand():
    def runs(corpus, num_topics, lda, spa):
        return [
            record(corpus, name, num_topics, 0, acc=acc, coherence=coherence, sim_count=shared)
            for name, (acc, coherence, shared) in (("lda", lda), ("spa", spa))
        ]

    # Corpus a: lda is first in ACC at 3 and second at 5, so 1.5; corpus b: 1. Together 1.25.
    everything = (
        runs("a", 3, (0.9, -1.0, 5), (0.8, -2.0, 4))
        + runs("a", 5, (0.1, -1.0, 5), (0.8, -2.0, 5))
        + runs("b", 3, (0.5, -3.0, 9), (0.5, -2.0, 1))
    )
    found = average_ranks(results(everything, methods=("lda", "spa")), ["lda", "spa"])
    assert found["acc"] == {"lda": 1.25, "spa": 1.25}
    assert found["coherence"] == {"lda": 1.5, "spa": 1.5}
    assert found["sim_count"] == {"lda": 1.75, "spa": 1.0}
    assert found["topics"] == {"lda": 1.625, "spa": 1.25}
    assert found["overall"] == pytest.approx({"lda": 4.5 / 3, "spa": 3.75 / 3})


def test_the_papers_own_ranks_come_out_of_its_tables():
    """Our rule, applied to the printed values, gives the printed averages for most methods."""
    methods = [name for name in METHODS if METHODS[name].in_paper]
    runs = [
        record(corpus, method, number, 0, **{
            metric: paper_value(corpus, metric, number, method).value for metric in METRICS
        })
        for corpus in CORPORA
        for number in (*range(3, 11), 15, 20, *(() if corpus == "20newsgroups" else (25,)))
        for method in methods
    ]  # fmt: skip
    found = average_ranks(results(runs, methods=methods), methods)
    for rank_list, ours in found.items():
        for method in methods:
            if method != "snpa":  # whose printed ranks are, now and then, one more than SPA's
                assert ours[method] == pytest.approx(paper_rank(rank_list, method).value, abs=0.02)


def test_the_rank_table_has_the_papers_ranks_for_its_methods_only():
    found = results(accs("c", 3, **{"lda": [0.1], "sdnmf": [0.9], "kmeans": [0.5]}),
                    methods=("lda", "sdnmf", "kmeans"))  # fmt: skip
    table, marks = rank_table(found, in_paper=True)
    assert "k-means" not in table
    assert "| ACC | 2.00<br>paper 8.75 | **1.00**<br>paper 1.06 |" in table
    assert marks == {"d"}  # of LDA's SimCount on Reuters
    everyone, _ = rank_table(found, in_paper=False)
    assert "| ACC | 3.00 | **1.00** | 2.00 |" in everyone


# The paper


def test_the_marked_errors_are_those_that_are_known():
    marked = {}
    for corpus in CORPORA:
        for metric in METRICS:
            for method in METHODS:
                for number in (*range(3, 11), 15, 20, 25):
                    value = paper_value(corpus, metric, number, method)
                    if value is not None and value.error:
                        marked.setdefault(value.error, set()).add((corpus, metric, method))
    assert marked["c"] == {
        ("reuters21578", metric, method) for metric in METRICS for method in ("spa", "snpa", "xray")
    }
    impossible = {
        ("20newsgroups", "sim_count", "plsi"), ("20newsgroups", "sim_count", "lapplsi"),
        ("tdt2", "sim_count", "plsi"), ("tdt2", "sim_count", "lapplsi"),
        ("reuters21578", "sim_count", "lda"), ("reuters21578", "sim_count", "lapplsi"),
    }  # fmt: skip
    assert marked["a"] == marked["b"] == impossible
    assert set(marked) | {"d"} == set(KNOWN_ERRORS)


def test_copied_columns_are_really_copies():
    for metric in METRICS:
        for method in ("spa", "snpa", "xray"):
            for number in (3, 10, 25):
                copy = paper_value("reuters21578", metric, number, method)
                assert copy.value == paper_value("tdt2", metric, number, method).value


def test_sdnmf_has_no_error_and_the_unknown_no_value():
    assert paper_value("20newsgroups", "acc", 20, "sdnmf").value == 0.6502
    assert paper_value("20newsgroups", "acc", 25, "sdnmf") is None
    assert paper_value("20newsgroups", "acc", 20, "kmeans") is None
    assert paper_value(None, "acc", 20, "sdnmf") is None
    assert paper_rank("acc", "kmeans") is None


def test_the_facts_are_those_of_the_shared_table(corpora_folder):
    shared = corpora_folder.parent / "paper" / "tables.csv"
    if not shared.is_file():
        pytest.skip("the paper's tables are not here")
    for row in csv.DictReader(shared.read_text("utf-8").splitlines()):
        metric = row["metric"].replace("simcount", "sim_count")
        ours = paper_value(row["corpus"], metric, int(row["num_topics"]), row["method"].lower())
        assert ours.value == float(row["value"])


# Pages and plots


@pytest.fixture
def folder(tmp_path):
    """A study with a hyper-parameter, a failure and the paper's TDT2, as a run leaves it."""
    runs = [
        each
        for number in (3, 5)
        for each in accs("tdt2", number, lda=[0.5, 0.7], spa=[0.3, 0.4], sdnmf=[0.9, 0.95])
    ]
    runs += [record("tdt2", "sdnmf", 3, s, settings={"delta": 0.3}, acc=0.8) for s in (0, 1)]
    runs.append(record("tdt2", "spa", 5, 7, FAILED, error="ValueError: a | b"))
    runs[0]["coherence"] = runs[1]["coherence"] = -100.0  # LDA's are better there
    studied = {
        "name": "delta", "setting": "delta", "values": [0.3, 0.5], "methods": ["sdnmf"],
        "corpora": ["tdt2"], "num_topics": [3],
        "settings": [{"sdnmf": {"delta": 0.3}}, {"sdnmf": {}}],
    }  # fmt: skip
    with RecordFile(tmp_path) as file:
        for each in runs:
            file.append(each)
    study = results(runs, studies=[studied], paper="tdt2").study
    (tmp_path / "study.json").write_text(json.dumps(study), "utf-8")
    return tmp_path


def test_the_index_says_what_ran_and_where_sdnmf_loses(folder):
    page = index_page(Results.read(folder), {}, "A remark.")
    assert page.startswith("# Results\n\nA remark.\n\n15 of 15 cells ran: 14 well, 1 failed, 0 ")
    assert "| tdt2 | Coherence | 3 | 2 | -500.0 | -100.0 | LDA (gensim) |" in page
    assert "others are ahead in: Coherence (LDA (gensim))" in page
    # 0.925 + 0.025 does not reach 0.9951; nor 0.9808
    assert "| tdt2 | 5 | 0.925 ± 0.025 |  | 0.981 | **no** |" in page
    assert "| spa | failed | 1 | tdt2 5 | ValueError: a \\| b |" in page
    for sentence in KNOWN_ERRORS.values():
        assert sentence in page


def losses(found):
    """The section of the index, line by line."""
    page = index_page(found, {})
    return page.split("## Where sDNMF is not the best\n\n")[1].split("\n\n## ")[0].splitlines()


def test_sdnmf_is_compared_with_one_method_at_a_time():
    # With 3 topics spa is ahead over its four draws, not over the two that lda has as well; with 5
    # it is the other way round.
    runs = accs("c", 3, lda=[0.8, 0.8], sdnmf=[0.9, 0.9, 0.1, 0.1], spa=[0.7, 0.7, 0.7, 0.7])
    runs += accs("c", 5, lda=[0.1, 0.1], sdnmf=[0.5, 0.5, 0.9, 0.9], spa=[0.6, 0.6, 0.1, 0.1])
    said, _, *table = losses(results(runs))
    assert "over the draws in which both have a value" in said
    assert table[2:] == ["| c | ACC | 3 | 4 | 0.500 | 0.700 | SPA |"]
    # Ranks are over the two draws: with 3 and 5 topics 1 and 2, spa's 3 and 1.
    assert "others are ahead in" not in said


def test_who_is_furthest_ahead_of_sdnmf():
    # lda is higher, but not so far ahead of sdnmf in its draw; a failure hides nothing.
    runs = accs("c", 3, lda=[0.9], sdnmf=[0.8, 0.2], spa=[0.8, 0.6], snpa=[0.6, 0.8])
    runs.append(record("c", "spa", 3, 2, FAILED))
    *_, row = losses(results(runs, methods=("lda", "spa", "snpa", "sdnmf")))
    assert row == "| c | ACC | 3 | 2 | 0.500 | 0.700 | SPA, SNPA |"


def test_fewer_shared_words_are_ahead():
    counts = {"lda": 9, "spa": 1, "sdnmf": 4}
    runs = [record("c", name, 3, 0, sim_count=count) for name, count in counts.items()]
    assert losses(results(runs))[-1] == "| c | SimCount | 3 | 1 | 4.0 | 1.0 | SPA |"


def test_nowhere_is_said_after_a_comparison_only():
    best = accs("c", 3, lda=[0.1], sdnmf=[0.5])
    assert losses(results(best))[-1] == "Nowhere."
    for runs in (
        accs("c", 3, sdnmf=[0.5]),
        [record("c", "sdnmf", 3, 0), record("c", "lda", 3, 1)],
        [record("c", "sdnmf", 3, 0, TIMEOUT), record("c", "lda", 3, 0)],
        [
            record("c", name, 3, 0, acc=None, coherence=None, sim_count=None)
            for name in ("sdnmf", "lda")
        ],
    ):
        [sentence] = losses(results(runs))
        assert sentence.startswith("sDNMF has no draw in common with another method")


def test_the_difference_to_the_paper_is_a_mean_over_topics(folder):
    page = index_page(Results.read(folder), {})
    expected = sum(0.6 - paper_value("tdt2", "acc", number, "lda").value for number in (3, 5)) / 2
    assert f"| tdt2 | {expected:+.3f} |" in page


def test_all_files_are_written_and_linked(folder):
    (folder / "remarks.md").write_text("Why it is so.", "utf-8")
    written = write_results(folder)
    page = (folder / "README.md").read_text("utf-8")
    assert "Why it is so." in page
    linked = [part.split(")")[0] for part in page.split("](")[1:]]
    assert {"tdt2.md", "tables/results.csv", "plots/study-delta.png"} <= set(linked)
    for name in linked:
        assert name == "study.toml" or (folder / name).is_file()  # which the run itself copies
    assert "![ACC" in corpus_page(Results.read(folder), "tdt2", {"accuracy": ["tdt2-acc.png"]})
    assert all(path.stat().st_size for path in written)


def test_pages_and_plots_are_equal_twice(folder):
    def contents():
        write_results(folder)
        return {
            path.relative_to(folder): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    first = contents()
    plots = {path.name for path in first if path.parent == Path("plots")}
    assert plots == {"tdt2-acc.png", "tdt2-acc.svg", "study-delta.png", "study-delta.svg"}
    assert contents() == first


def test_completion_is_shown_where_it_was_measured(folder):
    before = {path.name for path in write_results(folder)}
    assert "tdt2-completion.csv" not in before
    assert "completion" not in (folder / "tables" / "results.csv").read_text("utf-8")
    with RecordFile(folder) as file:
        for subset, value in enumerate((-7.0, -7.5)):
            file.append(record("tdt2", "lda", 3, subset, acc=0.5, completion=value))
        file.append(record("tdt2", "sdnmf", 3, 0, acc=0.9, completion=None))  # it had no value
    added = {path.name for path in write_results(folder)} - before
    assert added == {"tdt2-completion.csv"}
    page = (folder / "tdt2.md").read_text("utf-8")
    section = page.split("## Completion\n\n")[1].split("\n\n## ")[0]
    assert section.startswith("Document completion: log-likelihood per word")
    assert "The higher, the better. [CSV](tables/tdt2-completion.csv)" in section
    assert "**-7.250** ± 0.250" in section
    long = (folder / "tables" / "results.csv").read_text("utf-8")
    assert "tdt2,completion,3,lda,-7.25,0.25,2,0,0,,," in long


def test_results_of_studies_without_completion_look_as_before():
    """The study in the repository ran before there was that measure."""
    stored = Path(__file__).parent / "benchmarks" / "study"
    if not stored.is_dir():
        pytest.skip("only the package is here")
    found = Results.read(stored)
    assert long_csv(found) == (stored / "tables" / "results.csv").read_text("utf-8")
    for corpus in found.corpora:
        page = corpus_page(found, corpus, {"accuracy": [f"{corpus}-acc.png"]})
        assert page == (stored / f"{corpus}.md").read_text("utf-8")


def test_without_matplotlib_a_sentence_says_how_to_get_it(folder, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        write_plots(Results.read(folder), folder / "plots")
    write_results(folder)  # the tables all the same
    assert "matplotlib" in caplog.text
    assert (folder / "README.md").is_file()
    assert not (folder / "plots").exists()


def test_a_folder_that_no_run_wrote_to(tmp_path):
    with pytest.raises(ValueError, match=r"has no cells\.jsonl"):
        write_results(tmp_path)
