"""DNMF beside LDA and NMF, on documents with planted topics."""

from __future__ import annotations

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel
from planted import planted_counts
from trained import as_bow

from dnmf_topics.baselines import fit_baseline
from dnmf_topics.bench import METHODS, Problem, measure_completion
from dnmf_topics.common.documents import read_matrix
from dnmf_topics.common.progress import Progress
from dnmf_topics.comparison import COMPARED, compare
from dnmf_topics.evaluation import top_terms

COUNTS, CLASSES = planted_counts((20, 15, 10))
LABELS = [f"class {c}" for c in CLASSES]


@pytest.fixture(scope="module")
def corpus():
    texts = [[f"word{term}" for term, count in bow for _ in range(count)] for bow in as_bow(COUNTS)]
    dictionary = Dictionary(texts)
    return [dictionary.doc2bow(text) for text in texts], dictionary, texts


@pytest.fixture(scope="module")
def scores(corpus):
    counts, dictionary, texts = corpus
    found = compare(counts, dictionary, 3, texts=iter(texts), labels=LABELS, topn=5)
    return {score.method: score for score in found}


def test_every_method_is_measured(scores):
    assert list(scores) == [METHODS[name].title for name in COMPARED]
    for score in scores.values():
        assert 0 <= score.c_v <= 1
        assert -1 <= score.c_npmi <= 1
        assert score.seconds > 0
        assert 0 < score.diversity <= 1


def test_planted_topics_are_found(scores):
    assert scores["DNMF"].accuracy == scores["DNMF"].nmi == 1
    assert scores["DNMF"].sim_count == 0
    assert scores["DNMF"].diversity == 1
    assert scores["NMF (gensim)"].accuracy > 0.8


@pytest.mark.parametrize("measure", ["c_v", "c_npmi"])
def test_coherence_is_gensims_own_for_each_method(scores, corpus, measure):
    counts, dictionary, texts = corpus
    lda = fit_baseline("lda", counts, 3, id2word=dictionary, random_state=0)
    topics = [[dictionary[term] for term in row] for row in top_terms(lda.topic_term, 5)]
    assert scores["LDA (gensim)"].topics == topics
    alone = CoherenceModel(
        topics=topics, texts=texts, dictionary=dictionary, coherence=measure, topn=5, processes=1
    )
    assert getattr(scores["LDA (gensim)"], measure) == pytest.approx(alone.get_coherence())


def test_documents_without_a_label_do_not_count(corpus):
    counts, dictionary, texts = corpus
    wrong = np.arange(45) % 2 == 0
    labels = [None if w else label for w, label in zip(wrong, LABELS, strict=True)]
    score = compare(counts, dictionary, 3, texts=texts, labels=labels, topn=5)[0]
    assert score.accuracy == score.nmi == 1
    for unknown in (None, [None] * 45):
        score = compare(counts, dictionary, 3, texts=texts, labels=unknown, topn=5)[0]
        assert score.accuracy is score.nmi is None


def test_completion_is_that_of_the_studies(scores, corpus):
    counts, dictionary, _ = corpus
    matrix = read_matrix(counts, len(dictionary), unknown="refuse")
    problem = Problem(matrix, None, 3, is_balanced=True, words=dictionary)
    for name in COMPARED:
        wanted = measure_completion(METHODS[name], problem, {}, 0)
        assert scores[METHODS[name].title].completion == wanted
    # Planted topics are found, so that each of 22 words is as likely as another; or not, of 46.
    assert scores["DNMF"].completion == pytest.approx(-np.log(22), abs=0.5)
    assert scores["DNMF"].completion > -np.log(46)


def test_completion_is_none_where_it_is_not_asked_for_or_has_no_value(corpus):
    counts, dictionary, texts = corpus
    weights = [[(term, count / 2) for term, count in bow] for bow in counts]
    some = {"texts": texts, "topn": 5}
    for found in (
        compare(counts, dictionary, 3, completion=False, **some),
        compare(counts[:9], dictionary, 3, **some),
        compare(weights, dictionary, 3, **some),
    ):
        assert [score.completion for score in found] == [None] * 3


def test_groups_of_the_users_are_divided_with_the_documents(corpus):
    counts, dictionary, texts = corpus
    options = {"deep_model": CLASSES}
    given = compare(counts, dictionary, 3, texts=texts, topn=5, model_options=options)[0]
    assert given.completion == pytest.approx(-np.log(22), abs=0.5)


def test_progress_tells_the_stages(corpus):
    counts, dictionary, texts = corpus
    stages = {"training": 3, "completion": 3, "coherence": 2}
    for completion in (True, False):
        events = []
        compare(
            counts, dictionary, 3, texts=texts, completion=completion, progress=events.append
        )  # fmt: skip
        assert events == [
            Progress(stage, step, total)
            for stage, total in stages.items()
            for step in range(total + 1)
            if completion or stage != "completion"
        ]
