"""A study from TOML: the cells it comes to, and one sentence for every fault."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from dnmf_topics.bench.cells import Cell, key_of
from dnmf_topics.bench.config import read_study, study_of
from dnmf_topics.bench.corpora import BUILT_IN, Corpus, Problem, Source, load, select
from dnmf_topics.bench.methods import METHODS, ConfigError, check_settings
from dnmf_topics.text import TextCorpus

PLANTED = {"built_in": "planted"}


def study(**content):
    content = {"corpus": {"p": PLANTED}, "num_topics": [3], "methods": ["lda"]} | content
    return study_of(content)


def listed(**content):
    return study(**content).cells({"p": 4})


def places(cells):
    return [(cell.method, cell.num_topics, cell.subset, cell.seed) for cell in cells]


# Cells


def test_subsets_are_numbered_and_seed_their_fits():
    assert places(listed(subsets=3, first_seed=7)) == [
        ("lda", 3, 7, 7),
        ("lda", 3, 8, 8),
        ("lda", 3, 9, 9),
    ]


def test_all_classes_are_one_draw_with_several_seeds():
    cells = listed(num_topics=[4], subsets=3, all_classes_seeds=2, first_seed=7)
    assert places(cells) == [("lda", 4, None, 7), ("lda", 4, None, 8)]


def test_a_corpus_without_classes_has_seeds_and_nothing_that_knows_classes():
    content = study(methods=["lda", "sdnmf-paper-rule"], all_classes_seeds=2)
    assert places(content.cells({"p": None})) == [("lda", 3, None, 0), ("lda", 3, None, 1)]


def test_several_seeds_for_a_subset():
    assert places(listed(subsets=2, seeds=2)) == [
        ("lda", 3, 0, 0), ("lda", 3, 0, 1), ("lda", 3, 1, 1), ("lda", 3, 1, 2),
    ]  # fmt: skip


def test_every_method_has_its_first_subset_before_any_has_a_second():
    cells = listed(methods=["lda", "spa"], subsets=2)
    assert [(cell.subset, cell.method) for cell in cells] == [
        (0, "lda"), (0, "spa"), (1, "lda"), (1, "spa"),
    ]  # fmt: skip


def test_the_most_special_limit_counts():
    content = {
        "methods": ["lda", "spa"],
        "subsets": 4,
        "timeout": 10,
        "corpus": {"p": PLANTED | {"subsets": 3}},
        "method": {"spa": {"subsets": 2, "timeout": 5}},
    }
    cells = listed(**content)
    assert [cell.method for cell in cells].count("lda") == 3
    assert [cell.method for cell in cells].count("spa") == 2
    assert {(cell.method, cell.timeout) for cell in cells} == {("lda", 10.0), ("spa", 5.0)}


def test_completion_is_measured_where_a_study_asks_for_it():
    swept = {"setting": "delta", "values": [0.3], "methods": ["sdnmf"], "num_topics": [3]}
    for asked in (True, False):
        cells = listed(completion=asked, study={"delta": swept})
        assert {cell.with_completion for cell in cells} == {asked}
    assert not any(cell.with_completion for cell in listed())
    # It is the same cell all the same.
    assert [cell.key for cell in listed(completion=True)] == [cell.key for cell in listed()]


def test_by_default_all_methods_take_part():
    content = study_of({"corpus": {"p": PLANTED}, "num_topics": [3]})
    assert content.methods == tuple(name for name in METHODS if name != "dnmf")


def test_a_hyper_parameter_study_shares_the_cells_of_the_default():
    swept = {
        "setting": "delta", "values": [0.3, 0.5], "methods": ["sdnmf"],
        "num_topics": [3], "subsets": 2,
    }  # fmt: skip
    cells = listed(methods=["sdnmf"], subsets=3, study={"delta": swept})
    # Three of the table, of which two serve as delta = 0.5, and two with another delta.
    assert [dict(cell.settings) for cell in cells] == [{}, {}, {}, {"delta": 0.3}, {"delta": 0.3}]
    assert len({cell.key for cell in cells}) == 5


def test_settings_of_a_method_hold_in_its_studies_too():
    content = study(
        methods=["lda"],
        method={"cdnmf": {"settings": {"num_clusterings": 50, "delta": 0.5}}},
        study={"l": {"setting": "lambda1", "values": [2], "methods": ["cdnmf"], "num_topics": [3]}},
    )
    assert content.settings["cdnmf"] == {"num_clusterings": 50}  # delta is the default anyway
    swept = [cell for cell in content.cells({"p": 4}) if cell.method == "cdnmf"]
    assert swept[0].settings == {"lambda1": 2, "num_clusterings": 50}


def test_the_key_knows_the_settings_but_not_the_timeout():
    cell = Cell("c", "sdnmf", 3, 0, 0, {"delta": 0.3, "num_clusterings": 10}, timeout=1)
    other = Cell("c", "sdnmf", 3, 0, 0, {"num_clusterings": 10, "delta": 0.3}, timeout=2)
    assert cell.key == other.key == key_of(cell.as_json())
    assert cell.key != Cell("c", "sdnmf", 3, 0, 0, {"delta": 0.3}).key


def test_the_studies_in_the_repository_can_be_read(tmp_path):
    path = Path(__file__).parent / "benchmarks" / "study" / "paper.toml"
    if not path.is_file():
        pytest.skip("only the package is here")
    for name in ("20newsgroups", "tdt2-cai", "reuters21578-cai"):
        (tmp_path / f"{name}.dnmf").touch()
    text = path.read_text("utf-8").replace("../../../corpora/prepared", tmp_path.as_posix())
    (tmp_path / "paper.toml").write_text(text, "utf-8")
    content = read_study(tmp_path / "paper.toml")
    cells = content.cells({"20newsgroups": 20, "tdt2": 30, "reuters21578": 30})
    main = Counter(cell.method for cell in cells if not cell.settings)
    # 13 rows of 10 subsets, and 5 seeds of all 20 newsgroups
    assert main == dict.fromkeys(set(METHODS) - {"dnmf"}, 13 * 10 + 5)
    assert {sweep.setting for sweep in content.sweeps} == {
        "lambda1", "lambda2", "delta", "num_clusterings",
    }  # fmt: skip


# Faults


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"topics": [3]}, "topics is no key here; known are all_classes_seeds"),
        ({"num_topics": 3}, "num_topics must be a list of whole numbers, got 3"),
        ({"num_topics": [1]}, "num_topics must be at least 2, got 1"),
        ({"methods": ["lsi"]}, "methods must be one of plsi, lda, .*; got 'lsi'"),
        ({"methods": []}, r"methods must be a list of names, got \[\]"),
        ({"subsets": 0}, "subsets must be at least 1, got 0"),
        ({"subsets": True}, "subsets must be a whole number, got True"),
        ({"timeout": "1h"}, "timeout must be a number, got '1h'"),
        ({"timeout": float("inf")}, "timeout must be at least 0.1 and finite, got inf"),
        ({"completion": 1}, "completion must be true or false, got 1"),
        ({"first_seed": -1}, "first_seed must be at least 0, got -1"),
        ({"corpus": {}}, "corpus is missing"),
        ({"corpus": 5}, "corpus must be a table, got 5"),
        ({"corpus": {"p": {}}}, "corpus.p.file or corpus.p.built_in must be given"),
        ({"corpus": {"p": {"built_in": "bible"}}}, "corpus.p.built_in must be one of lee, planted"),
        ({"corpus": {"p": {"file": "no.dnmf"}}}, "corpus.p.file: no.dnmf is not there"),
        ({"corpus": {"p": PLANTED | {"paper": "x"}}}, "corpus.p.paper must be one of 20newsgr"),
        (
            {"corpus": {"p": PLANTED | {"largest_classes": 1}}},
            "largest_classes must be at least 2, got 1",
        ),
        ({"method": {"lsi": {}}}, "method must be one of plsi, .*; got 'lsi'"),
        ({"method": {"lda": {"setings": {}}}}, "method.lda.setings is no key here"),
        (
            {"method": {"lda": {"settings": {"delta": 0.1}}}},
            "method.lda.settings.delta is no setting of lda; its settings are: none",
        ),
        (
            {"method": {"sdnmf": {"settings": {"delta": 1.5}}}},
            "method.sdnmf.settings: delta must be at least 0 and below 1, got 1.5",
        ),
        (
            {"method": {"sdnmf": {"settings": {"overlap": "auto"}}}},
            "method.sdnmf.settings.overlap must be a number, got 'auto'",
        ),
        (
            {"method": {"cdnmf": {"settings": {"lambda1": -1}}}},
            'method.cdnmf.settings.lambda1 must be at least 0 and finite, got -1. Or give "auto"',
        ),
        ({"study": {"s": {}}}, "study.s.setting is missing"),
    ],
)
def test_a_fault_is_one_sentence_that_names_the_key(content, message):
    with pytest.raises(ConfigError, match=message):
        study(**content)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"setting": "lambda1"}, r"study.s.setting \(of sdnmf\) must be one of num_clusterings"),
        ({"values": []}, r"study.s.values must be a list of different values, got \[\]"),
        ({"values": [0.5, 0.5]}, "study.s.values must be a list of different values"),
        ({"values": [2]}, "study.s.values: delta must be at least 0 and below 1, got 2"),
        ({"corpora": ["q"]}, "study.s.corpora must be one of p; got 'q'"),
        ({"num_topics": []}, "study.s.num_topics must be a list"),
    ],
)
def test_a_fault_of_a_hyper_parameter_study(changed, message):
    swept = {"setting": "delta", "values": [0.3], "methods": ["sdnmf"], "num_topics": [3]}
    with pytest.raises(ConfigError, match=message):
        study(study={"s": swept | changed})


def test_more_topics_than_classes():
    with pytest.raises(ConfigError, match=r"corpus.p.num_topics must be at most 4, .* got 5"):
        listed(num_topics=[5])


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text("methods = [", "utf-8")
    with pytest.raises(ConfigError, match=r"s\.toml is no TOML: "):
        read_study(path)
    path.write_text("methods = 5", "utf-8")
    with pytest.raises(ConfigError, match=r"s\.toml: methods must be a list"):
        read_study(path)


# Corpora


def test_a_subset_is_that_of_the_quality_benchmark():
    corpus = load(Source(built_in="planted"))
    drawn = np.random.default_rng([5, 2]).choice(np.unique(corpus.classes), 2, replace=False)
    problem = select(corpus, 2, 5)
    kept = np.isin(corpus.classes, drawn)
    assert (problem.classes == corpus.classes[kept]).all()
    counts = corpus.counts[kept].toarray()
    # Terms that no document of the subset has are gone, and nothing else is.
    assert (problem.counts.toarray() == counts[:, counts.any(axis=0)]).all()
    assert problem.counts.shape[1] < corpus.counts.shape[1]


def test_all_documents_take_part_without_a_subset():
    corpus = load(Source(built_in="planted"))
    assert select(corpus, 4, None).counts.shape[0] == corpus.counts.shape[0]


def test_a_part_of_a_problem_has_its_own_documents_and_terms():
    problem = select(load(Source(built_in="planted")), 3, 0)
    numbers = np.arange(problem.counts.shape[0])
    problem = replace(problem, texts=[f"text {n}" for n in numbers], vectors=numbers[:, None] / 2)
    rows, terms = np.array([5, 2, 9]), np.array([7, 0])
    part = problem.rows(rows).terms(terms)
    assert (part.counts.toarray() == problem.counts.toarray()[rows][:, terms]).all()
    assert part.classes.tolist() == problem.classes[rows].tolist()
    assert part.words == {0: problem.words[7], 1: problem.words[0]}
    assert part.texts == ["text 5", "text 2", "text 9"]
    assert part.vectors.tolist() == [[2.5], [1.0], [4.5]]
    assert part.num_topics == 3
    bare = Problem(problem.counts, None, 3, is_balanced=True).rows(rows).terms(terms)
    assert bare.classes is bare.words is bare.texts is bare.vectors is None


def test_largest_classes_of_a_file(tmp_path):
    labels = ["a", "b", "b", None, "c", "c", "d"]
    path = tmp_path / "c.dnmf"
    TextCorpus.of_matrix(np.eye(7, dtype=int), labels=labels).save(path)
    everything = load(Source(str(path)))
    assert everything.num_classes == 4
    assert everything.counts.shape[0] == 6  # not the one without a label
    assert load(Source(str(path), largest_classes=2)).classes.tolist() == ["b", "b", "c", "c"]
    assert load(Source(str(path), largest_classes=3)).classes.tolist() == ["a", *"bbcc"]
    with pytest.raises(ValueError, match="largest_classes must be at most 4"):
        load(Source(str(path), largest_classes=5))


def test_a_corpus_without_labels():
    corpus = load(Source(built_in="lee"))
    assert corpus.num_classes is None
    assert corpus.facts["documents"] == 300
    with pytest.raises(ValueError, match="largest_classes needs a corpus with labels"):
        load(Source(built_in="lee", largest_classes=2))


@pytest.mark.parametrize(("sizes", "balanced"), [((10, 19), True), ((10, 20), False)])
def test_balanced_classes(sizes, balanced):
    classes = np.repeat(["a", "b"], sizes)
    assert Corpus(sparse.csr_array((sum(sizes), 1)), classes).is_balanced is balanced


def test_built_in_corpora_are_the_same_each_time():
    for make in BUILT_IN.values():
        assert (make().counts.matrix != make().counts.matrix).nnz == 0


def test_settings_equal_to_the_default_do_not_make_another_cell():
    assert check_settings("cdnmf", {"lambda1": 1, "delta": 0.5}, "k") == {}
    assert check_settings("cdnmf", {"refine": False, "delta": 0.4}, "k") == {
        "delta": 0.4, "refine": False,
    }  # fmt: skip
