"""Seed words: the topics that they mean are found, under their names and in their places."""

from __future__ import annotations

import csv
import io
import json
import logging

import numpy as np
import pytest
from gensim.corpora import Dictionary
from planted import planted_counts
from scipy import sparse
from trained import (
    CLASSES,
    CORPUS,
    NUM_TERMS,
    WORDS,
    answers,
    as_bow,
    assert_same_answers,
    file_of,
    small_model,
)

from dnmf_topics import DnmfModel
from dnmf_topics.cli import main
from dnmf_topics.common import blocks
from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.engines import Threads
from dnmf_topics.core import Mbn, Seeds, largest_first
from dnmf_topics.core.seeding import (
    cluster_seeded_rows,
    draw_centers,
    match_seeds,
    seed_prior,
    seed_weights,
)
from dnmf_topics.model.seed_words import find_seed_terms, seed_terms_of_prior

OWN = 10  # words of each subject and of each tone


def crossed(num_docs=240, seed=0, subject_words=14, tone_words=6):
    """Documents of one of two subjects in one of two tones; subjects tell them apart better.

    The words 0..9 and 10..19 are those of the subjects, 20..29 and 30..39 those of the tones.
    """
    rng = np.random.default_rng(seed)
    subjects, tones = rng.integers(2, size=num_docs), rng.integers(2, size=num_docs)
    rate = np.zeros((num_docs, 4 * OWN))
    for doc in range(num_docs):
        rate[doc, OWN * subjects[doc] : OWN * (subjects[doc] + 1)] = subject_words / OWN
        rate[doc, OWN * (2 + tones[doc]) : OWN * (3 + tones[doc])] = tone_words / OWN
    return sparse.csr_array(rng.poisson(rate)), subjects, tones


CROSSED, SUBJECTS, TONES = crossed()
CROSSED_CORPUS = as_bow(CROSSED)
NAMES = {term: f"w{term}" for term in range(4 * OWN)}
BY_TONE = {"calm": ["w20", "w21", "w22"], "angry": ["w30", "w31", "w32"]}
BY_SUBJECT = {"law": ["w10", "w11", "w12"], "art": ["w0", "w1", "w2"]}


def crossed_model(corpus=None, num_topics=2, **options):
    quick = {"num_clusterings": 20, "n_jobs": 1, "random_state": 0}
    corpus = CROSSED_CORPUS if corpus is None else corpus
    return DnmfModel(corpus, num_topics, NAMES, **(quick | options))


@pytest.fixture(scope="module")
def by_tone():
    """For tests that do not change it."""
    return crossed_model(seed_words=BY_TONE)


# -------------------------------------------------------------------- what seeds do to the clusters


def test_seeds_decide_which_of_two_groupings_is_found(by_tone):
    plain = crossed_model().cluster_labels
    assert max((plain == SUBJECTS).mean(), (plain != SUBJECTS).mean()) > 0.95
    assert (by_tone.cluster_labels == TONES).mean() > 0.9
    law_first = crossed_model(seed_words=BY_SUBJECT)
    assert (law_first.cluster_labels == 1 - SUBJECTS).mean() > 0.95
    assert law_first.topic_names == ["law", "art"]


@pytest.mark.parametrize("refine", [True, False])
def test_a_single_seeded_topic_draws_its_documents(refine):
    counts, _, tones = crossed(subject_words=12, tone_words=8)
    network = Mbn(num_clusterings=20, refine=refine)
    model = DnmfModel(
        as_bow(counts), 3, NAMES, deep_model=network, seed_words={"angry": BY_TONE["angry"]},
        random_state=0, n_jobs=1,
    )  # fmt: skip
    angry = model.cluster_labels == 0
    assert angry.sum() > 40
    assert tones[angry].mean() > 0.9  # of all documents half


def test_seeded_topics_keep_place_and_name_and_the_others_follow_by_size():
    model = small_model(seed_words={"small": ["word25", "word30"]})
    assert model.topic_names[0] == "small"
    assert model.state.topic_sizes.tolist() == [10, 20, 15]
    np.testing.assert_array_equal(model.cluster_labels, np.array([1, 2, 0])[CLASSES])
    both = small_model(seed_words={"small": ["word25"], "middle": ["word14"]})
    assert both.topic_names[:2] == ["small", "middle"]
    assert both.state.topic_sizes.tolist() == [10, 15, 20]


def test_documents_without_words_join_the_largest_topic_wherever_it_is():
    model = small_model([*CORPUS, []], seed_words={"small": ["word25"]})
    assert model.cluster_labels[-1] == 1


def test_more_topics_than_documents_leave_the_others_empty():
    model = small_model(
        CORPUS[:2], 4, seed_words={"a": ["word1"], "b": ["word14"], "c": ["word25"]}
    )
    assert model.topic_names[:3] == ["a", "b", "c"]
    assert model.state.topic_sizes.sum() == 2


@pytest.mark.parametrize("view", range(4))
def test_seeds_hold_in_every_view(view, monkeypatch):
    monkeypatch.setattr("dnmf_topics.core.deep.choose_view", lambda scores: view)
    labels = crossed_model(seed_words=BY_TONE).cluster_labels
    assert (labels == TONES).mean() > 0.85


def test_seeds_hold_where_the_network_sees_a_sample(monkeypatch):
    counts, _, tones = crossed(600, seed=1)
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 70)
    for name, value in {"MOST_SEEN": 200, "SCORING_SAMPLE": 150, "SAMPLE_PER_TOPIC": 1}.items():
        monkeypatch.setattr(f"dnmf_topics.core.deep.{name}", value)
    options = {"deep_model": Mbn(num_clusterings=10, landmarks=60), "seed_words": BY_TONE}
    models = [
        DnmfModel(as_bow(counts), 2, NAMES, random_state=0, n_jobs=n_jobs, **options, **more)
        for n_jobs, more in [(1, {}), (3, {}), (2, {"max_in_memory": 0})]
    ]
    assert (models[0].cluster_labels == tones).mean() > 0.9
    for model in models[1:]:  # on any number of threads, and from files
        assert_same_answers(
            answers(models[0], CROSSED_CORPUS[:9]), answers(model, CROSSED_CORPUS[:9])
        )


def test_mixing_topics_keeps_the_seeds():
    rng = np.random.default_rng(0)
    rate = np.zeros((200, 4 * OWN))
    for row in rate:  # two of four topics in each document
        for topic in rng.choice(4, 2, replace=False):
            row[OWN * topic : OWN * (topic + 1)] = 2
    corpus = as_bow(sparse.csr_array(rng.poisson(rate)))
    seeds = {"third": ["w20", "w25"], "first": ["w3", "w4"]}
    model = crossed_model(corpus, 4, seed_words=seeds, mixing_rounds=30)
    model.refine(corpus)
    assert model.get_settings()["mixing_rounds"] == 30
    assert model.topic_names[:2] == ["third", "first"]
    owners = [
        np.bincount([int(word[1:]) // OWN for word, _ in model.show_topic(k, OWN)], minlength=4)
        for k in range(2)
    ]
    assert owners[0].argmax() == 2
    assert owners[0].max() >= 9
    assert owners[1].argmax() == 0
    assert owners[1].max() >= 9


# --------------------------------------------------------------------------- through a model's life


def test_new_documents_updates_and_refinement_stay_with_the_seeds(by_tone):
    counts, _, tones = crossed(80, seed=5)
    found = by_tone.get_document_info(as_bow(counts))["topic"].to_numpy()
    assert (found == tones).mean() > 0.85
    model = crossed_model(seed_words=BY_TONE)
    model.update(as_bow(counts))
    model.refine(as_bow(sparse.vstack([CROSSED, counts])))
    assert model.topic_names == ["calm", "angry"]
    assert (model.cluster_labels == np.concatenate([TONES, tones])).mean() > 0.9
    model.update(as_bow(counts), new_topics=1)
    assert model.topic_names[:2] == ["calm", "angry"]
    assert model.num_topics == 3


def test_refinement_is_pulled_by_the_seeds(by_tone):
    # From clusters that have nothing to do with the seeds but their numbers.
    model = crossed_model(seed_words=BY_TONE)
    model.cluster_labels = np.where(np.arange(len(TONES)) % 3 == 0, 1 - TONES, SUBJECTS)
    model.refine(CROSSED_CORPUS)
    assert (model.cluster_labels == TONES).mean() > 0.9


def test_an_untrained_model_trains_with_its_seeds_also_when_it_was_saved(by_tone):
    model = crossed_model([], seed_words=BY_TONE)
    assert model.topic_names == ["calm", "angry"]
    again = DnmfModel.load(io.BytesIO(file_of(model)))
    assert again.settings == model.settings
    assert again.get_settings()["seed_words.calm"] == ["w20", "w21", "w22"]
    for each in (model, again):
        each.update(CROSSED_CORPUS)
        assert_same_answers(answers(each, CROSSED_CORPUS[:9]), answers(by_tone, CROSSED_CORPUS[:9]))
    assert file_of(again) == file_of(model)


def test_a_model_that_was_cleared_finds_its_seeds_again():
    model = crossed_model(seed_words=BY_TONE)
    model.topic_names = {0: "peace"}
    model.clear()
    model.update(CROSSED_CORPUS)
    assert model.topic_names == ["peace", "angry"]
    assert (model.cluster_labels == TONES).mean() > 0.9


def test_merged_topics_have_the_seeds_of_both():
    seeds = {"small": ["word25"], "middle": ["word14"], "large": ["word1", "word2"]}
    model = small_model(seed_words=seeds).merge_topics([[0, 2]])
    assert model._learnt.seed_terms == ((1, 2, 25), (14,))
    before = model.cluster_labels
    model.refine(CORPUS)
    np.testing.assert_array_equal(model.cluster_labels, before)
    again = DnmfModel.load(io.BytesIO(file_of(model)))
    again.clear()
    again.update(CORPUS)
    assert again.topic_names[1] == "middle"
    assert (again.cluster_labels == 1).sum() == 15


def test_what_is_inside_a_seeded_topic_is_free(by_tone):
    inside = by_tone.subtopics(0, 2, CROSSED_CORPUS)
    assert inside._learnt.seeds is None
    assert "seed_words.calm" not in inside.get_settings()
    subjects = SUBJECTS[by_tone.cluster_labels == 0]
    assert max((inside.cluster_labels == own).mean() for own in (subjects, 1 - subjects)) > 0.95


def test_a_name_that_the_user_sets_takes_the_place_of_the_seeds():
    model = small_model(seed_words={"small": ["word25"]})
    model.topic_names = {0: "Tiny"}
    model.update(CORPUS[:3])
    assert DnmfModel.load(io.BytesIO(file_of(model))).topic_names[0] == "Tiny"


def test_without_seeds_nothing_changes():
    plain = file_of(small_model())
    assert file_of(small_model(seed_words=None)) == plain
    assert file_of(small_model(seed_words={})) == plain
    assert small_model()._learnt.seeds is None


# -------------------------------------------------------------------------------------------- words


def test_words_that_the_vocabulary_lacks_are_said(caplog):
    seeds = {"small": ["word25", "moon", "star"], "large": ["word1", "sun"]}
    with caplog.at_level(logging.WARNING, "dnmf_topics"):
        model = small_model(seed_words=seeds)
    assert "seed words that the vocabulary lacks: small: moon, star; large: sun" in caplog.text
    assert model.state.topic_sizes.tolist() == [10, 20, 15]
    assert model.get_settings()["seed_words.large"] == ["word1", "sun"]


def test_upper_and_lower_case_matter_only_where_both_are_there():
    words = {0: "NASA", 1: "Nasa", 2: "moon", 3: "Moon"}
    found = find_seed_terms({"space": ["nasa", "moon"]}, words, 4)
    assert found == ((0, 1, 2),)
    dictionary = Dictionary([["moon", "star"], ["sun"]])
    ids = dictionary.token2id
    assert find_seed_terms({"sky": ["SUN", "Moon"]}, dictionary, 3) == (
        tuple(sorted([ids["sun"], ids["moon"]])),
    )


def test_ids_will_do_also_without_words():
    by_id = small_model(id2word=None, seed_words={"small": [25, np.int64(30)]})
    by_text = small_model(id2word=None, seed_words={"small": ["25", "30"]})
    assert by_id.state.topic_sizes.tolist() == [10, 20, 15]
    np.testing.assert_array_equal(by_id.cluster_labels, by_text.cluster_labels)
    small_model(seed_words={"small": [25, "word30"]})


def test_seeds_that_no_document_has_are_said_and_do_no_harm(caplog):
    words = WORDS | {NUM_TERMS: "moon"}
    with caplog.at_level(logging.WARNING, "dnmf_topics"):
        model = small_model(id2word=words, seed_words={"sky": ["moon"], "small": ["word25"]})
    assert "no document has a seed word of topic sky" in caplog.text
    assert model.state.topic_sizes.tolist() == [20, 10, 15]
    assert model.topic_names[:2] == ["sky", "small"]


def test_more_seeded_topics_than_a_chosen_number_are_refused():
    seeds = {word: [word] for word in list(WORDS.values())[:9]}
    with pytest.raises(ValueError, match="number of topics in seed_words, 9, got 5"):
        small_model(CORPUS[:5], "auto", seed_words=seeds)


def test_a_word_of_two_topics_pulls_for_both():
    seeds = {"small": ["word25", "word50"], "large": ["word1", "word50"]}
    assert small_model(seed_words=seeds).state.topic_sizes.tolist() == [10, 20, 15]


# ----------------------------------------------------------------------------------- LdaModel's eta


def test_rows_of_eta_steer_the_topics_of_their_numbers():
    eta = np.full((3, NUM_TERMS), 0.1)
    eta[1, [25, 30]] = 0.5
    model = small_model(eta=eta)
    assert model.state.topic_sizes.tolist() == [20, 10, 15]
    assert model._learnt.seed_terms == ((), (25, 30))
    # Users divide the columns by their sums, so that a word's priors sum to 1.
    eta = np.full((3, NUM_TERMS), 1.0)
    eta[2, 1] = 1e7
    model = small_model(eta=eta / eta.sum(axis=0))
    assert model.state.topic_sizes.tolist() == [15, 10, 20]
    assert model.topic_names[2] != "word1"


@pytest.mark.parametrize(
    ("eta", "expected"),
    [
        (np.full(5, 0.1), ()),
        (np.full((3, 2), 0.1), ()),
        ([[0.1, 7.0], [0.1, 7.0], [0.1, 7.0]], ()),  # words differ, topics do not
        ([[0.1, 1.0], [0.1, 0.1], [0.1, 0.1]], ((1,),)),
        ([[0.1, 0.1], [0.1, 0.001], [0.1, 0.1]], ()),  # one topic shall not have it
        ([[0.1, 0.1], [0.1, 0.2]], ((), (1,))),
        ([[0.1, 0.1], [0.1, 0.19]], ()),
    ],
)
def test_words_that_stand_out_in_a_prior_are_seeds(eta, expected):
    assert seed_terms_of_prior(np.array(eta)) == expected


def test_equal_rows_of_eta_change_nothing_but_the_prior():
    flat = small_model(eta=np.full((3, NUM_TERMS), 0.2))
    np.testing.assert_array_equal(flat.cluster_labels, small_model(eta=0.2).cluster_labels)
    assert flat.state.topic_sizes.tolist() == [20, 15, 10]


def test_beside_seed_words_eta_steers_nothing():
    eta = np.full((3, NUM_TERMS), 0.1)
    eta[0, 1] = 5
    model = small_model(eta=eta, seed_words={"small": ["word25"]})
    assert model.state.topic_sizes.tolist() == [10, 20, 15]


# ------------------------------------------------------------------------------ the core, literally


def literal_weights(rows, seed_terms):
    weights = np.zeros((len(rows), len(seed_terms)))
    for i, row in enumerate(rows):
        for k, terms in enumerate(seed_terms):
            weights[i, k] = sum(row[w] ** 2 for w in terms)
        for k in range(len(seed_terms)):
            if weights[i, k] < weights[i].max():
                weights[i, k] = 0
    return weights


def test_weights_and_prior_are_those_of_the_formulas(monkeypatch):
    counts, _ = planted_counts((20, 20, 10), seed=3)
    rows = counts.toarray().astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    seed_terms = ((1, 2), (), (14, 40))
    seeds = Seeds.of_terms(seed_terms, rows.shape[1])
    assert seeds.clusters.tolist() == [0, 2]
    used = [seed_terms[0], seed_terms[2]]
    weights = literal_weights(rows, used)
    np.testing.assert_allclose(seed_weights(sparse.csr_array(rows), seeds), weights)
    expected = np.zeros((rows.shape[1], 4))
    for column, cluster in enumerate((0, 2)):
        spoken = weights[:, column] @ rows
        expected[:, cluster] = spoken / spoken.sum() * rows.sum() / 4
        for w in used[column]:
            expected[w, cluster] += rows[:, w].sum()
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 7)
    prior = seed_prior(RowBlocks(sparse.csr_array(rows)), seeds, 4, Threads(1))
    np.testing.assert_allclose(prior, expected)


def test_seeds_of_some_clusters_are_numbered_anew():
    seeds = Seeds.of_terms(((1,), (), (2, 3), (4,)), 6)
    some = seeds.among(np.array([1, 2, 3]))
    assert some.clusters.tolist() == [1, 2]
    assert some.terms.toarray().T.nonzero()[1].tolist() == [2, 3, 4]
    assert seeds.among(np.array([1])) is None
    assert Seeds.of_terms(((), ()), 6) is None


def test_topics_of_parts_are_matched_with_the_seeds():
    counts = np.array([[1.0, 1, 1, 9], [5, 0, 1, 0], [0, 2, 7, 0], [0, 8, 0, 1]])
    seeds = Seeds.of_terms(((2,), (), (0, 1)), 4)
    # Topic 2 has most of term 2; of the terms 0 and 1, topic 1 has 5/6 + 0, topic 3 has 0 + 8/11.
    assert match_seeds(counts, seeds).tolist() == [2, 0, 1, 3]
    assert match_seeds(counts[[2, 0, 1, 3]], seeds).tolist() == [0, 1, 2, 3]


def test_seeded_clusters_keep_their_numbers():
    sizes = np.array([3, 9, 1, 5, 7])
    assert largest_first(sizes).tolist() == [1, 4, 3, 0, 2]
    seeds = Seeds.of_terms(((1,), (), (2,)), 6)
    assert largest_first(sizes, seeds).tolist() == [0, 1, 2, 4, 3]


def test_kmeans_starts_and_stays_where_the_seeds_are():
    rng = np.random.default_rng(0)
    places = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    classes = np.repeat(np.arange(4), 30)
    rows = (places[classes] + rng.normal(size=(120, 2))).astype(np.float32)
    weights = np.zeros((120, 2))
    weights[classes == 3, 0] = rng.random(30)
    weights[classes == 1, 1] = rng.random(30)
    seeds = Seeds.of_terms(((5,), (), (6,)), 9)
    labels = cluster_seeded_rows(rows, 4, seeds, weights, np.random.default_rng(1))
    assert (labels[classes == 3] == 0).all()
    assert (labels[classes == 1] == 2).all()
    assert sorted({labels[0], labels[60]}) == [1, 3]


def test_further_centers_are_far_from_those_there_are():
    places = np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0]])
    rows = np.repeat(places, 20, axis=0) + np.random.default_rng(0).random((60, 2))
    centers = draw_centers(rows, places[:1], 2, np.random.default_rng(0))
    assert sorted(np.linalg.norm(centers, axis=1).round(-1).tolist()) == [50, 50]
    assert {tuple(center > 25) for center in centers} == {(True, False), (False, True)}
    same = draw_centers(np.ones((5, 2)), np.ones((1, 2)), 2, np.random.default_rng(0))
    assert same.tolist() == [[1, 1], [1, 1]]


def test_more_seeded_clusters_than_documents_tell_apart():
    rows = np.ones((6, 3), np.float32)
    seeds = Seeds.of_terms(((0,), (1,), (2,)), 3)
    labels = cluster_seeded_rows(
        rows, 3, seeds, np.eye(3)[[0, 0, 1, 1, 2, 2]], np.random.default_rng(0)
    )
    assert np.bincount(labels, minlength=3).min() > 0


# --------------------------------------------------------------------------------- the command line


@pytest.mark.parametrize(
    "content",
    [
        "# what we know\n\ngraphs: graph, minors\nsystems: system  user\n",
        "\ufeffgraphs:graph,minors\r\nsystems: system user",
        '\n{"graphs": ["graph", "minors"], "systems": ["system", "user"]}',
    ],
)
def test_seed_words_come_from_a_file(content, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = ["graph minors trees", "system user interface"] * 6
    (tmp_path / "texts.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "seeds").write_text(content, encoding="utf-8", newline="")
    quick = ["-k", "3", "--num-clusterings", "5", "--no-report", "--quiet", "--jobs", "1"]
    assert main(["fit", "texts.txt", *quick, "--seed-words", "seeds", "--out", "out"]) == 0
    model = DnmfModel.load(tmp_path / "out" / "model.dnmf")
    assert model.settings.seed_words == {
        "graphs": ["graph", "minors"],
        "systems": ["system", "user"],
    }
    with (tmp_path / "out" / "topics.csv").open(encoding="utf-8", newline="") as file:
        names = {row["topic"]: row["name"] for row in csv.DictReader(file)}
    assert (names["0"], names["1"]) == ("graphs", "systems")
    assert model.cluster_labels[0] == 0
    run = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert run["options"]["seed_words"] == "seeds"
