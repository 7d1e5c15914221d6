"""How many topics: planted numbers are found, by the model, the function and the command line."""

from __future__ import annotations

import json
import logging
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import planted_counts, planted_docs
from scipy import sparse
from trained import as_bow, file_of

import dnmf_topics
from dnmf_topics import DnmfModel, choose_num_topics
from dnmf_topics.cli import main
from dnmf_topics.common import blocks
from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.engines import Threads
from dnmf_topics.common.seeds import child_rng, child_seed
from dnmf_topics.core import (
    Mbn,
    candidate_numbers,
    choose_number,
    find_unit_documents,
    number,
    number_curve,
)
from dnmf_topics.core.deep import SPLITS
from dnmf_topics.core.mbn import narrowest_layer_size
from dnmf_topics.model import NumTopicsChoice, number_choice

SEED = np.random.SeedSequence(0)
QUICK = {"num_clusterings": 20, "n_jobs": 1, "random_state": 0}
COUNTS, _ = planted_counts((30,) * 5)
CORPUS = as_bow(COUNTS)


def units_of(sizes, **options):
    docs, _ = planted_docs(sizes, **options)
    return find_unit_documents(RowBlocks(docs), Threads(1))


def choose(units, candidates=None, network=None, **options):
    network = network or Mbn(num_clusterings=20)
    return choose_number(units, network, candidates, SEED, Threads(1), **options)


@pytest.fixture(scope="module")
def choice():
    return choose_num_topics(COUNTS.T, **QUICK)


# The core


@pytest.mark.parametrize("sizes", [(60,) * 2, (40,) * 3, (25,) * 8, (90, 60, 40, 30)])
def test_a_planted_number_is_found(sizes):
    curve = choose(units_of(sizes))
    assert curve.number == len(sizes)
    assert curve.low <= curve.number <= curve.high


def test_thirty_documents_have_an_answer():
    assert choose(units_of((10, 10, 10))).number == 3


@given(st.integers(1, 10**6), st.integers(1, 50), st.none() | st.integers(1, 500))
def test_candidates_grow_from_the_lowest_to_what_documents_can_carry(num_docs, lowest, highest):
    numbers = candidate_numbers(num_docs, lowest, highest)
    assert numbers == sorted(set(numbers))
    assert numbers[0] == min(lowest, numbers[-1])
    assert 1 <= numbers[-1] <= num_docs
    for before, after in pairwise(numbers):
        assert after <= max(before + 1, 1.2 * before + 1)
    if highest is not None and lowest <= highest <= num_docs:
        assert numbers[-1] == highest


@pytest.mark.parametrize("num_docs", [1, 2, 3, 5, 9, 20])
def test_a_handful_of_documents_is_no_error(num_docs):
    rng = np.random.default_rng(num_docs)
    counts = sparse.csr_array(rng.poisson(1, (num_docs, 12)) + np.eye(num_docs, 12))
    units = find_unit_documents(RowBlocks(counts), Threads(1))
    assert 1 <= choose(units).number <= num_docs


def test_documents_without_a_weight_are_left_out():
    units = find_unit_documents(RowBlocks(sparse.csr_array((5, 3))), Threads(1))
    assert choose(units).num_docs == 0


def test_the_layers_for_many_topics_are_the_first_of_those_for_few():
    rows = units_of((40, 40, 40)).rows[0]
    few = number.grow_network(rows, 2, Mbn(num_clusterings=10), SEED, Threads(1))
    many = number.grow_network(rows, 20, Mbn(num_clusterings=10), SEED, Threads(1))
    assert 1 < len(many) < len(few)
    for mine, its in zip(many, few, strict=False):
        assert mine.size == its.size
        np.testing.assert_array_equal(mine.codes, its.codes)
    assert number.layer_for(20, few) == len(many) - 1
    assert few[number.layer_for(20, few)].size >= narrowest_layer_size(20)


def test_the_number_of_threads_changes_nothing():
    units = units_of((40, 40, 40))
    all_of_them = choose(units)
    on_threads = choose_number(units, Mbn(num_clusterings=20), None, SEED, Threads(4))
    assert all_of_them.scores == on_threads.scores
    assert on_threads.candidates == tuple(candidate_numbers(120))


def test_many_topics_are_tried_if_the_best_number_is_near_the_limit(monkeypatch):
    monkeypatch.setattr(number, "ROUNDS", (4, 8))
    few, more = units_of((60, 60)), units_of((30,) * 4)
    assert choose(few).candidates == (2, 3, 4)
    assert choose(more).candidates == (2, 3, 4, 5, 6, 8)
    # Who asks for a range gets it.
    assert choose(few, highest=9).candidates == (2, 3, 4, 5, 6, 8, 9)
    assert choose(few, (9, 3, 9, 2)).candidates == (2, 3, 9)


def test_the_score_is_higher_where_topics_are_clearer():
    clear = choose(units_of((40, 40, 40), noise=0.1), (2, 3, 4))
    blurred = choose(units_of((40, 40, 40), noise=0.9), (2, 3, 4))
    assert max(clear.scores) > max(blurred.scores)


def test_a_large_corpus_is_sampled(monkeypatch):
    monkeypatch.setattr(number, "SAMPLE_SIZE", 90)
    curve = choose(units_of((100, 100, 100)))
    assert (curve.number, curve.num_docs) == (3, 90)


@pytest.mark.parametrize(
    "network",
    [
        Mbn(num_clusterings=20, last_layer_size=4),
        Mbn(num_clusterings=20, first_layer_size=30),
        Mbn(num_clusterings=20, last_layer_size=5000),
        Mbn(num_clusterings=20, delta=0.3, landmarks=50),
    ],
    ids=str,
)
def test_every_network_can_be_asked(network):
    assert choose(units_of((40, 40, 40)), range(2, 7), network).number == 3


def test_the_papers_plain_algorithm_can_be_asked_too():
    plain = Mbn(num_clusterings=20, refine=False)
    assert max(choose(units_of((40, 40, 40)), (2, 3, 8), plain).scores) > 0.5


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        ([], ValueError, "candidates must be at least one number of topics, got none"),
        ([0, 2], ValueError, "candidates must be"),
        ([2, 10**6], ValueError, "candidates must be"),
        ([2.5], TypeError, "candidates must be"),
    ],
)
def test_wrong_candidates_are_refused(candidates, error, message):
    with pytest.raises(error, match=message):
        choose(units_of((10, 10)), candidates)


def trials_of(information):
    """Trials with 2, 3, ... topics that share so much."""
    return {k: number.Trial(k, each, 1.0) for k, each in enumerate(information, start=2)}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=50)
def test_what_follows_from_a_curve(information):
    trials = trials_of(information)
    curve = number.read_curve([trials], 100)
    numbers = curve.candidates
    assert numbers == tuple(trials)
    assert curve.information == tuple(information)
    assert curve.scores == pytest.approx([trial.score for trial in trials.values()])
    score_of = dict(zip(numbers, curve.scores, strict=True))
    assert score_of[curve.number] == max(curve.scores)
    near = [score_of[each] for each in numbers if curve.low <= each <= curve.high]
    assert min(near) >= number_curve.NEARLY * max(curve.scores)
    for each in curve.alternatives:
        assert not curve.low <= each <= curve.high
        assert score_of[each] >= max(score_of.get(each - 1, 0), score_of.get(each + 1, 0))


@given(
    st.lists(st.lists(st.floats(0, 1), min_size=6, max_size=6), min_size=3, max_size=3),
)
@settings(max_examples=50)
def test_those_tried_again_are_compared_by_their_sum(information):
    repetitions = []
    for each in map(trials_of, information):
        live = number.finalists(repetitions) if repetitions else list(each)
        repetitions.append({k: each[k] for k in live})
    curve = number.read_curve(repetitions, 100)
    sums = {k: sum(trials[k].score for trials in repetitions) for k in repetitions[-1]}
    assert sums[curve.number] == max(sums.values())
    # Who was left behind is lower, whatever one repetition has of all.
    assert max(curve.scores) == curve.scores[curve.candidates.index(curve.number)]


def test_what_was_left_behind_keeps_its_share_of_the_best():
    first, second = trials_of([0.4, 0.8]), {3: number.Trial(3, 0.4, 1.0)}
    curve = number.read_curve([first, second], 0)
    best = (first[3].score + second[3].score) / 2
    assert curve.scores == pytest.approx((best * first[2].score / first[3].score, best))


def test_the_best_are_tried_again_with_other_halves_and_other_documents(monkeypatch):
    tried = []

    def watched(rows, numbers, limits, settings, seed, *others):
        tried.append((rows, numbers, number.split_documents(rows, child_rng(seed, SPLITS))))
        return try_sample(rows, numbers, limits, settings, seed, *others)

    try_sample = number._try_sample
    monkeypatch.setattr(number, "_try_sample", watched)
    monkeypatch.setattr(number, "SAMPLE_SIZE", 90)
    monkeypatch.setattr(number_curve, "FINALIST", 0.5)
    curve = choose(units_of((100, 100, 100)), (2, 3, 4, 12))
    assert len(tried) == number.NUM_REPETITIONS
    (rows, numbers, halves), (other_rows, finalists, other_halves) = tried[:2]
    assert numbers == [2, 3, 4, 12]
    assert 3 in finalists
    assert len(finalists) < 4
    assert (rows != other_rows).nnz
    assert halves[0].shape[1] != other_halves[0].shape[1]
    assert curve.candidates == (2, 3, 4, 12)


def test_a_number_that_is_best_by_chance_is_found_out():
    lucky, other = trials_of([0.5, 0.81, 0.79]), trials_of([0.9, 0.4, 0.8])
    assert number.read_curve([lucky], 0).number == 3
    assert number.finalists([lucky]) == [3, 4]
    assert number.read_curve([lucky, {k: other[k] for k in (3, 4)}], 0).number == 4


def test_the_better_view_counts():
    good, bad = trials_of([0.2, 0.9]), trials_of([0.3, 0.1])
    found = number.best_trials([*bad.values(), *good.values()])
    assert list(found.items()) == [(2, bad[2]), (3, good[3])]


def test_a_score_pays_for_what_is_said_and_not_shared():
    shared = number.Trial(4, 1.0, 1.2)
    assert shared.score > number.Trial(8, 1.0, 2.0).score
    assert number.Trial(8, -0.1, 2.0).score == number.Trial(8, 0.0, 0.0).score == 0
    assert number.Trial(8, 1.0, 1.2, separation=0.5).score == number.Trial(8, 0.5, 1.2).score


def test_a_flat_curve_leans_to_usual_numbers_and_a_clear_one_to_its_own():
    flat = {each: number.Trial(each, 1.0, 1.0) for each in (2, 5, 10, 20, 40)}
    assert number.read_curve([flat], 0).number == number_curve.USUAL
    clear = flat | {40: number.Trial(40, 1.1, 1.0)}
    assert number.read_curve([clear], 0).number == 40


@pytest.mark.parametrize("length", [25, 4])
def test_only_short_documents_are_clustered_by_all_their_words(length):
    rows = units_of((40, 40, 40), length=length).rows[0]
    parts = number.split_documents(rows, np.random.default_rng(0))
    if length == 4:
        assert len(parts) == 1
        assert parts[0] is rows
        return
    first, second = parts
    assert first.shape[1] + second.shape[1] == rows.shape[1]
    assert first.shape[0] == second.shape[0]
    for part in parts:
        np.testing.assert_allclose(np.sqrt(part.multiply(part).sum(axis=1)), 1, rtol=1e-5)


def test_short_documents_have_an_answer_too():
    # Within a factor of two: they are judged by clusters that have seen all their words.
    assert 4 <= choose(units_of((100,) * 4, length=5), highest=10).number <= 8


# The function


def test_the_whole_curve_is_told(choice):
    assert isinstance(choice, NumTopicsChoice)
    assert choice.number == choice.low == 5 <= choice.high <= 8
    frame = choice.to_frame()
    assert frame["num_topics"].tolist() == list(choice.candidates)
    assert frame.loc[frame["score"].idxmax(), "num_topics"] == 5
    assert frame.loc[frame["taken"], "num_topics"].tolist() == [5]
    assert frame.loc[frame["alternative"], "num_topics"].tolist() == sorted(choice.alternatives)


def test_it_reads_as_a_picture_of_bars(choice):
    first, _, *bars = str(choice).splitlines()
    assert first == choice.sentence()
    assert first.startswith("5 topics")
    assert len(bars) == len(choice.candidates)
    longest = max(bars, key=len)
    assert longest.split()[:2] == ["5", "*"]


def test_it_is_drawn(choice):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert choice.plot(ax) is ax
    assert list(ax.lines[0].get_xdata()) == list(choice.candidates)
    assert choice.plot().get_xlabel() == "number of topics"


def test_without_matplotlib_the_error_says_what_to_install(choice, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        choice.plot()


def test_numbers_to_try_can_be_given():
    assert choose_num_topics(CORPUS, candidates=[4, 5, 6], **QUICK).candidates == (4, 5, 6)
    ranged = choose_num_topics(CORPUS, min_topics=3, max_topics=7, **QUICK)
    assert (ranged.candidates[0], ranged.candidates[-1], ranged.number) == (3, 7, 5)
    assert choose_num_topics(CORPUS, candidates=[7], **QUICK).sentence().startswith("7 topics, the")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_topics": 5, "max_topics": 4}, "max_topics must be"),
        ({"min_topics": 0}, "min_topics must be"),
        ({"weighting": "some"}, "weighting must be one of"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"delta": 2}, "delta"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_read(options, message):
    with pytest.raises(ValueError, match=message):
        choose_num_topics(iter([]), **options)


def test_more_topics_than_documents_are_refused():
    with pytest.raises(
        ValueError, match="min_topics must be at most 3, the number of documents, go"
    ):
        choose_num_topics([[(0, 1)], [(1, 1)], [(0, 1), (1, 1)]], min_topics=4, **QUICK)


def test_a_single_candidate_is_no_list_of_them():
    with pytest.raises(TypeError, match="candidates must be a list of numbers, got 3"):
        choose_num_topics(iter([]), candidates=3)


@pytest.mark.parametrize(
    ("corpus", "message"),
    [([], "got none"), ([[], []], "all are empty"), ([[(0, 1)]] * 3, "weighting='none'")],
)
def test_a_corpus_that_says_nothing_is_refused(corpus, message):
    with pytest.raises(ValueError, match=message):
        choose_num_topics(corpus, {0: "a", 1: "b"})


def test_all_that_a_module_offers_is_there():
    assert dnmf_topics.choose_num_topics is choose_num_topics
    with pytest.raises(AttributeError, match="choose_topics"):
        _ = dnmf_topics.choose_topics


# The model


def test_auto_is_the_model_of_the_number_that_it_finds(choice, caplog):
    with caplog.at_level(logging.INFO, "dnmf_topics"):
        model = DnmfModel(CORPUS, "auto", **QUICK)
    assert "how many topics: 5 topics" in caplog.text
    assert model.num_topics == model.settings.num_topics == 5
    assert model.num_topics_choice.scores == choice.scores
    explicit = DnmfModel(CORPUS, 5, **QUICK)
    assert explicit.num_topics_choice is None
    assert file_of(model) == file_of(explicit)


def test_a_random_state_goes_on_as_if_the_number_had_been_given():
    state, other = np.random.RandomState(3), np.random.RandomState(3)
    options = QUICK | {"random_state": state}
    model = DnmfModel(CORPUS, "auto", **options)
    DnmfModel(CORPUS, model.num_topics, **(QUICK | {"random_state": other}))
    assert state.randint(10**6) == other.randint(10**6)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"corpus": None, "id2word": {0: "a"}}, ValueError, "needs a corpus to choose"),
        ({"num_topics": "many"}, TypeError, "whole number or \"auto\", got 'many'"),
        ({"deep_model": np.zeros(150, int)}, ValueError, "deep_model must be None or a core.Mbn"),
        ({"alpha": [0.5, 0.5]}, ValueError, "alpha must not have numbers for each topic"),
        ({"eta": np.ones((2, COUNTS.shape[1]))}, ValueError, "eta must not have numbers for each"),
        ({"corpus": [], "id2word": {0: "a"}}, ValueError, "corpus must have documents"),
    ],
)
def test_what_auto_cannot_do_is_said(options, error, message):
    with pytest.raises(error, match=message):
        DnmfModel(**({"corpus": CORPUS, "num_topics": "auto"} | options))


def test_the_settings_of_the_network_choose_too():
    network = Mbn(num_clusterings=20)
    model = DnmfModel(CORPUS, "auto", deep_model=network, n_jobs=1, random_state=0)
    assert model.num_topics == 5
    assert file_of(model) == file_of(
        DnmfModel(CORPUS, 5, deep_model=network, n_jobs=1, random_state=0)
    )


def test_documents_in_files_give_the_same(monkeypatch, tmp_path, choice):
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 32)
    stored = choose_num_topics(iter(CORPUS), max_in_memory=0, spool=tmp_path, **QUICK)
    assert stored.scores == choice.scores
    assert list(tmp_path.iterdir()) == []


def test_the_seed_is_the_next_one_of_the_random_state():
    state = np.random.RandomState(5)
    expected = child_seed(number_choice.next_seed(state), number.NUMBER)
    assert expected.entropy == state.randint(2**31)


# The command line


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """Texts of five planted topics, as a document per line."""
    path = tmp_path_factory.mktemp("number") / "lines.txt"
    words = [f"w{chr(97 + term // 26)}{chr(97 + term % 26)}" for term in range(COUNTS.shape[1])]
    texts = (" ".join(words[term] for term, n in doc for _ in range(n)) for doc in CORPUS)
    path.write_text("\n".join(texts))
    return path


@pytest.fixture
def call(capsys):
    def call_main(*arguments):
        code = main([*map(str, arguments), "--quiet", "--num-clusterings", "20"])
        return code, capsys.readouterr().out

    return call_main


def test_choose_shows_the_curve_and_draws_it(lines, call, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "curve.svg"
    code, out = call("choose", lines, "--max-topics", 8, "--plot", picture)
    assert code == 0
    assert out.startswith("5 topics")
    assert "number of topics" in picture.read_text("utf-8")
    code, out = call("choose", lines, "--max-topics", 8, "--plot", tmp_path / "c.PNG", "--json")
    found = json.loads(out)
    assert found["num_topics"] == 5
    assert [row["num_topics"] for row in found["curve"]] == [2, 3, 4, 5, 6, 8]
    assert (tmp_path / "c.PNG").read_bytes().startswith(b"\x89PNG")


def test_fit_chooses_by_itself(lines, call, tmp_path):
    code, out = call("fit", lines, "--out", tmp_path / "run", "--json", "--no-report")
    assert code == 0
    assert len(json.loads(out)["topics"]) == 5
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["facts"]["number of topics"].startswith("chosen: 5 topics")


def test_compare_chooses_by_itself(lines, call):
    code, out = call("compare", lines, "--json", "--no-completion")
    assert code == 0
    assert [len(score["topics"]) for score in json.loads(out)] == [5, 5, 5]
