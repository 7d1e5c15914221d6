"""The paper's measures against their definitions, spelled out."""

from __future__ import annotations

from itertools import combinations, permutations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import BAD_MATRICES, FORMS
from scipy import sparse

from dnmf_topics.adapters.coherence import coherence
from dnmf_topics.evaluation import (
    clustering_accuracy,
    completion_likelihood,
    contingency,
    halve_documents,
    infer_shares,
    normalized_mutual_information,
    purity,
    similarity_count,
    smooth_topics,
    top_terms,
    topic_coherence,
    topic_diversity,
    topic_npmi,
    topic_stability,
)


def literal_accuracy(classes, labels):
    """The best of all ways to give every cluster a class of its own."""
    wide = max(len(set(classes)), len(set(labels)))
    targets = sorted(set(classes)) + [None] * (wide - len(set(classes)))
    clusters = sorted(set(labels))
    best = 0
    for chosen in permutations(targets, len(clusters)):
        match = dict(zip(clusters, chosen, strict=True))
        best = max(best, sum(match[b] == a for a, b in zip(classes, labels, strict=True)))
    return best / len(classes)


def literal_coherence(topics, counts, epsilon=0.01):
    """sum over ordered v1 != v2 of log((freq(v1, v2) + epsilon) / freq(v2)), mean over topics."""
    docs = [{term for term in range(counts.shape[1]) if row[term] > 0} for row in counts]

    def freq(*terms):
        return sum(set(terms) <= doc for doc in docs)

    totals = []
    for topic in topics:
        total = 0.0
        for v1 in topic:
            for v2 in topic:
                if v1 != v2:
                    total += log((freq(v1, v2) + epsilon) / max(freq(v2), 1))
        totals.append(total)
    return sum(totals) / len(totals)


def random_counts(seed, num_docs=15, num_terms=9):
    return np.random.default_rng(seed).poisson(0.4, size=(num_docs, num_terms))


def random_topics(seed, num_topics, num_terms, length):
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(num_terms)[:length] for _ in range(num_topics)])


# ------------------------------------------------------------------------------------------- ACC


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_accuracy_is_the_best_of_all_matchings(pairs):
    classes, labels = zip(*pairs, strict=True)
    assert clustering_accuracy(classes, labels) == pytest.approx(literal_accuracy(classes, labels))


def test_accuracy_does_not_look_at_names():
    classes = ["b", "b", "a", "c", "c", "c"]
    assert clustering_accuracy(classes, [7, 7, -2, 5, 5, 5]) == 1.0
    assert clustering_accuracy(np.array(classes), np.array([7, 7, 7, 5, 5, 2])) == 4 / 6
    # A cluster counts for one class only, a class for one cluster only.
    assert clustering_accuracy([0, 0, 0, 0], [0, 1, 2, 3]) == 0.25
    assert clustering_accuracy([0, 1, 2, 3], [0, 0, 0, 0]) == 0.25


@pytest.mark.parametrize(
    ("classes", "labels"),
    [([0, 1], [0]), ([], []), ([0], []), ([[0, 1], [1, 0]], [0, 1, 1, 0]), (3, 4)],
)
def test_agreement_wants_one_entry_for_each_document(classes, labels):
    for measure in (clustering_accuracy, normalized_mutual_information, purity, contingency):
        with pytest.raises(ValueError, match="classes and labels must hold one entry"):
            measure(classes, labels)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_purity_counts_the_most_frequent_class_of_each_cluster(pairs):
    classes, labels = zip(*pairs, strict=True)
    members = [[c for c, label in pairs if label == cluster] for cluster in set(labels)]
    most = sum(max(own.count(c) for c in own) for own in members)
    assert purity(classes, labels) == pytest.approx(most / len(pairs))
    assert contingency(classes, labels).sum() == len(pairs)


def test_nmi_of_a_worked_example():
    # nothing in common
    assert normalized_mutual_information([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(0, abs=1e-12)
    # I = log 2, H(classes) = log 2, H(labels) = log 4
    found = normalized_mutual_information(["a", "a", "b", "b"], [0, 1, 2, 3])
    assert found == pytest.approx(2 / 3)


# ------------------------------------------------------------------------------------- coherence


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 6))
def test_coherence_is_the_double_loop(seed, num_topics, length):
    counts, topics = random_counts(seed), random_topics(seed, num_topics, 9, length)
    wanted = literal_coherence(topics, counts)
    assert topic_coherence(topics, counts) == pytest.approx(wanted, abs=1e-9)
    wanted = literal_coherence(topics, counts, epsilon=1.0)
    assert topic_coherence(topics, counts, epsilon=1.0) == pytest.approx(wanted, abs=1e-9)


def test_coherence_of_a_worked_example():
    # freq(0) = 3, freq(1) = 2, freq(0, 1) = 1
    counts = np.array([[5, 1], [1, 0], [2, 0], [0, 4]])
    wanted = log(1.01 / 2) + log(1.01 / 3)
    assert topic_coherence(np.array([[0, 1]]), counts) == pytest.approx(wanted)


@pytest.mark.parametrize("form", FORMS)
def test_coherence_takes_every_form_of_counts(form):
    counts, topics = random_counts(3), random_topics(3, 2, 9, 4)
    assert topic_coherence(topics, FORMS[form](counts)) == topic_coherence(topics, counts)


@pytest.mark.parametrize(
    "topics",
    [[[0, 9]], [[0, -1]], [[0.0, 1.5]], np.zeros((0, 2), int), [0, 1]],
    ids=["too large", "negative", "fractions", "no topics", "one axis"],
)
def test_coherence_wants_topics_of_known_terms(topics):
    with pytest.raises((TypeError, ValueError), match=r"^topic_terms must"):
        topic_coherence(np.array(topics), random_counts(0))


@pytest.mark.parametrize("epsilon", [0, -1.0, np.nan, 1e300, 1e-300, "small"])
def test_coherence_wants_a_number_that_has_a_logarithm(epsilon):
    with pytest.raises((TypeError, ValueError), match=r"^epsilon must be a"):
        topic_coherence(np.array([[0, 1]]), random_counts(0), epsilon)


def test_coherence_asks_only_whether_a_term_is_there():
    counts = np.array([[5, 1], [1, 0], [2, 0], [0, 4]])
    absurd = np.where(counts > 0, [[1e-300, 1e300]], 0)
    topics = np.array([[0, 1]])
    assert topic_coherence(topics, absurd) == topic_coherence(topics, counts)
    np.testing.assert_array_equal(topic_npmi(topics, absurd), topic_npmi(topics, counts))


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 6))
def test_npmi_is_gensims_where_a_window_is_a_document(seed, num_topics, length):
    counts, topics = random_counts(seed), random_topics(seed, num_topics, 9, length)
    counts = np.asarray(counts.toarray() if sparse.issparse(counts) else counts)
    counts[0] = np.maximum(counts[0], 1)  # every term occurs
    texts = [[f"w{j}" for j in np.repeat(np.arange(row.size), row)] for row in counts]
    texts = [text or ["other"] for text in texts]
    words = [[f"w{j}" for j in topic] for topic in topics]
    longest = max(map(len, texts))
    wanted = coherence(words, texts=texts, measure="c_npmi", topn=length, window_size=longest)
    np.testing.assert_allclose(topic_npmi(topics, counts), wanted.per_topic, rtol=1e-9)


def test_npmi_of_a_term_that_nobody_uses_or_has_no_partner_is_unknown():
    counts = np.array([[1, 1, 0], [1, 0, 0]])
    assert np.isnan(topic_npmi(np.array([[0, 2]]), counts)).all()
    assert np.isnan(topic_npmi(np.array([[0]]), counts)).all()
    assert np.isfinite(topic_npmi(np.array([[0, 1]]), counts)).all()


# ------------------------------------------------------------------------------------ term lists


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 9))
def test_similarity_count_is_the_sum_over_pairs(seed, num_topics, length):
    topics = random_topics(seed, num_topics, 12, length)
    shared = [len(set(a) & set(b)) for a, b in combinations(topics, 2)]
    assert similarity_count(topics) == sum(shared)
    distinct = {term for topic in topics for term in topic}
    assert topic_diversity(topics) == len(distinct) / (num_topics * length)


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_top_terms_are_the_heaviest_and_of_equals_the_first(seed, num_terms):
    weights = np.random.default_rng(seed).integers(0, 4, size=(3, 8)) / 4
    wanted = [sorted(range(8), key=lambda term: (-row[term], term))[:num_terms] for row in weights]
    np.testing.assert_array_equal(top_terms(weights, num_terms), wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8])
def test_top_terms_of_any_numbers(dtype):
    weights = np.array([[0, 1, 0, 3], [1, 0, 0, 0]]).astype(dtype)
    np.testing.assert_array_equal(top_terms(weights, 2), [[3, 1], [0, 1]])


@pytest.mark.parametrize("num_terms", [-1, 2.5])
def test_top_terms_wants_a_number_of_terms(num_terms):
    with pytest.raises((TypeError, ValueError), match=r"^num_terms must"):
        top_terms(np.eye(3), num_terms)


@pytest.mark.parametrize(
    "weights",
    [np.ones(3), sparse.csr_array(np.eye(3)), [[1, np.nan]]],
    ids=["1d", "csr", "NaN"],
)
def test_top_terms_wants_a_dense_matrix(weights):
    with pytest.raises((TypeError, ValueError), match=r"^topic_term must"):
        top_terms(weights, 2)


def test_stability_matches_topics_whatever_their_order():
    topics = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    assert topic_stability([topics, topics[[2, 0, 1]], topics[:, ::-1]]) == 1
    assert topic_stability([topics, topics + 9]) == 0
    # One topic of three has another word: 2 of 4 words in common.
    other = np.array([[6, 7, 8], [0, 1, 9], [3, 4, 5]])
    assert topic_stability([topics, other]) == pytest.approx((1 + 1 + 0.5) / 3)


def test_stability_wants_runs_that_can_be_compared():
    topics = np.array([[0, 1], [2, 3]])
    with pytest.raises(ValueError, match="at least two runs"):
        topic_stability([topics])
    with pytest.raises(ValueError, match="equally many"):
        topic_stability([topics, topics[:1]])


# --------------------------------------------------------------------------- document completion


def literal_completion(hidden, shares, words):
    """Word by word: the mean of log sum_k theta_dk p(w | k)."""
    logs = [
        log(sum(shares[d][k] * words[k][w] for k in range(len(words))))
        for d, row in enumerate(hidden)
        for w, count in enumerate(row)
        for _ in range(count)
    ]
    return sum(logs) / len(logs)


def literal_shares(document, words, num_steps):
    """EM of one document, token by token."""
    tokens = [w for w, count in enumerate(document) for _ in range(count)]
    shares = [1 / len(words)] * len(words)
    for _ in range(num_steps if tokens else 0):
        found = [0.0] * len(words)
        for w in tokens:
            whole = sum(share * topic[w] for share, topic in zip(shares, words, strict=True))
            for k, topic in enumerate(words):
                found[k] += shares[k] * topic[w] / whole / len(tokens)
        shares = found
    return shares


def random_model(seed, num_topics=3, num_terms=9, num_docs=15):
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(num_terms, 0.5), num_topics)
    words = 0.9 * words + 0.1 / num_terms
    return rng.dirichlet(np.full(num_topics, 0.3), num_docs), words


@given(st.integers(0, 10**6), st.integers(0, 3))
def test_halves_are_halves(counts_seed, seed):
    counts = random_counts(counts_seed)
    shown, hidden = halve_documents(counts, seed)
    np.testing.assert_array_equal((shown + hidden).toarray(), counts)
    sizes = counts.sum(axis=1)
    np.testing.assert_array_equal(shown.sum(axis=1), (sizes + 1) // 2)
    for half in (shown, hidden):
        assert half.format == "csr"
        assert (half.data > 0).all()
    again = halve_documents(counts, seed)
    assert all((a != b).nnz == 0 for a, b in zip(again, (shown, hidden), strict=True))


def test_every_word_is_as_likely_to_be_shown():
    counts = np.tile([6, 3, 1], (4000, 1))
    shown, _ = halve_documents(counts, 1)
    # 5 of 10 words: hypergeometric means 3, 1.5 and 0.5, variances of at most 0.7
    assert shown.mean(axis=0) == pytest.approx([3, 1.5, 0.5], abs=0.06)
    assert np.unique(shown.toarray()[:, 2]).tolist() == [0, 1]
    other, _ = halve_documents(counts, 2)
    assert (shown != other).nnz > 0


@pytest.mark.parametrize("form", FORMS)
def test_completion_takes_every_form_of_counts(form):
    counts = random_counts(3)
    shares, words = random_model(3)
    given_form = FORMS[form](counts)
    for half, same in zip(halve_documents(given_form), halve_documents(counts), strict=True):
        assert (half != same).nnz == 0
    np.testing.assert_array_equal(infer_shares(given_form, words), infer_shares(counts, words))
    found = completion_likelihood(given_form, shares, words)
    assert found == completion_likelihood(counts, shares, words)


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_completion_is_the_loop_over_words(seed, num_topics):
    counts = random_counts(seed)
    counts[0, 0] += 1  # some word is hidden
    shares, words = random_model(seed, num_topics)
    wanted = literal_completion(counts, shares, words)
    assert completion_likelihood(counts, shares, words) == pytest.approx(wanted)


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 5))
def test_inferred_shares_are_those_of_the_loop_over_words(seed, num_topics, num_steps):
    counts = random_counts(seed)
    _, words = random_model(seed, num_topics)
    wanted = [literal_shares(row, words, num_steps) for row in counts]
    np.testing.assert_allclose(infer_shares(counts, words, num_steps), wanted, atol=1e-12)


def test_every_step_of_the_inference_makes_the_words_more_likely():
    counts = random_counts(5, num_docs=40)
    _, words = random_model(5)
    values = [
        completion_likelihood(counts, infer_shares(counts, words, steps), words)
        for steps in range(1, 40)
    ]
    assert (np.diff(values) >= -1e-12).all()
    assert values[-1] > values[0]


def test_inferred_shares_are_the_most_likely_ones():
    """At the maximum, sum_w n_dw p(w | k) / p(w | d) is n_d for topics with a share, else less."""
    counts = np.random.default_rng(6).poisson(3.0, (15, 9)) + 1
    _, words = random_model(6)
    shares = infer_shares(counts, words, 5000)
    slopes = (counts / (shares @ words)) @ words.T / counts.sum(axis=1, keepdims=True)
    assert slopes.max() < 1 + 1e-3
    assert (abs(slopes[shares > 0.01] - 1) < 1e-3).all()


def test_blocks_do_not_change_anything(monkeypatch):
    counts = random_counts(7, num_docs=60)
    shares, words = random_model(7, num_docs=60)
    inferred, value = infer_shares(counts, words), completion_likelihood(counts, shares, words)
    for size in (1, 10, 100):
        monkeypatch.setattr("dnmf_topics.evaluation.completion.BLOCK", size)
        np.testing.assert_array_equal(infer_shares(counts, words), inferred)
        assert completion_likelihood(counts, shares, words) == pytest.approx(value)


def test_memory_is_that_of_a_block():
    """100,000 documents x 100,000 terms, dense, would be 80 GB."""
    num_docs = num_terms = 100_000
    counts = sparse.csr_array(sparse.diags_array(np.full(num_docs, 2.0)))
    words = np.full((2, num_terms), 1 / num_terms)
    shown, hidden = halve_documents(counts)
    value = completion_likelihood(hidden, infer_shares(shown, words, 2), words)
    assert value == pytest.approx(-log(num_terms))


def test_true_parameters_complete_documents_better_than_shuffled_ones():
    rng = np.random.default_rng(8)
    words = 0.95 * rng.dirichlet(np.full(60, 0.1), 4) + 0.05 / 60
    shares = rng.dirichlet(np.full(4, 0.2), 300)
    counts = np.array([rng.multinomial(80, p) for p in shares @ words])
    shown, hidden = halve_documents(counts, 0)
    truth = completion_likelihood(hidden, shares, words)
    inferred = completion_likelihood(hidden, infer_shares(shown, words), words)
    corpus = smooth_topics(np.zeros((4, 60)), counts)
    unigrams = completion_likelihood(hidden, shares, corpus)
    assert truth > inferred > unigrams  # 40 words tell the shares well, though not exactly
    assert truth - inferred < 0.1
    for shuffled in (shares[rng.permutation(300)], shares[:, [1, 2, 3, 0]]):
        assert completion_likelihood(hidden, shuffled, words) < unigrams
    assert completion_likelihood(hidden, shares, words[:, rng.permutation(60)]) < unigrams


def test_documents_with_nothing_hidden_do_not_count():
    shares, words = random_model(9, num_docs=2)
    both = completion_likelihood([[1, 0, 2] + [0] * 6, [0] * 9], shares, words)
    assert both == completion_likelihood([[1, 0, 2] + [0] * 6], shares[:1], words)


def test_smoothed_topics_by_hand():
    counts = [[2, 1, 1, 0], [0, 0, 4, 0]]  # p(w) = 1/4, 1/8, 5/8, 0
    found = smooth_topics([[1, 3, 0, 0], [0, 0, 0, 2], [0, 0, 0, 0]], counts, share=0.5)
    wanted = [[0.25, 0.4375, 0.3125, 0], [0.125, 0.0625, 0.3125, 0.5], [0.25, 0.125, 0.625, 0]]
    np.testing.assert_allclose(found, wanted)
    with pytest.raises(ValueError, match="share must be at least 0 and below 1, got 1"):
        smooth_topics([[1, 3, 0, 0]], counts, share=1)
    with pytest.raises(ValueError, match="counts must have at least one word"):
        smooth_topics([[1, 3, 0, 0]], np.zeros((2, 4)))


@pytest.mark.parametrize("name", BAD_MATRICES)
def test_completion_wants_counts(name):
    matrix, error, message = BAD_MATRICES[name]
    for function in (halve_documents, lambda m: infer_shares(m, [[0.5, 0.5]])):
        with pytest.raises(error, match=f"must.*{message}"):
            function(matrix)


def test_halves_want_whole_words():
    with pytest.raises(
        ValueError, match=r"counts must be whole numbers, got 0\.5; give the counts"
    ):
        halve_documents([[1, 0.5]])
    with pytest.raises(
        ValueError, match=r"fewer than 1,000,000,000 words in a document, got 1e\+10"
    ):
        halve_documents([[1e10, 1]])


@pytest.mark.parametrize(
    ("shares", "words", "message"),
    [
        ([[0.5, 0.4]], None, r"doc_topic must have rows that sum to 1, got 0\.9 in row 0; divide"),
        ([[1.5, -0.5]], None, "doc_topic must be finite and not negative"),
        ([[np.nan, 1.0]], None, "doc_topic must be finite and not negative"),
        ([0.5, 0.5], None, "doc_topic must be a dense matrix of numbers, got list"),
        ([["a", "b"]], None, "doc_topic must be a dense matrix of numbers, got list"),
        (sparse.csr_array([[0.5, 0.5]]), None, "doc_topic must be a dense matrix of numbers"),
        ([[0.2, 0.3, 0.5]], None, r"of 1 documents and .* of 2 topics, got shape \(1, 3\)"),
        ([[0.5, 0.5]] * 2, None, r"of 1 documents and .* of 2 topics, got shape \(2, 2\)"),
        (None, [[0.5, 0.5, 0.5], [1, 0, 0]], "topic_word must have rows that sum to 1, got 1.5"),
        (None, [[0.5, 0.5], [0.5, 0.5]], "hidden must have 2 columns, .* got 3"),
        (None, [[1, 0, 0], [1, 0, 0]], "probability 0 to term 1, .* smooth_topics"),
    ],
)
def test_completion_wants_distributions_that_fit(shares, words, message):
    shares = [[0.5, 0.5]] if shares is None else shares
    words = [[0.5, 0.5, 0], [0, 0.5, 0.5]] if words is None else words
    with pytest.raises(ValueError, match=message):
        completion_likelihood([[1, 1, 0]], shares, words)


def test_what_cannot_be_inferred_or_measured_is_said():
    words = [[0.5, 0.5, 0], [1, 0, 0]]
    with pytest.raises(ValueError, match=r"probability 0 to term 2, .* smooth_topics"):
        infer_shares([[1, 0, 2]], words)
    with pytest.raises(ValueError, match="hidden must have at least one word"):
        completion_likelihood([[0, 0, 0]], [[0.5, 0.5]], words)
    with pytest.raises(ValueError, match="num_steps must be at least 1, got 0"):
        infer_shares([[1, 1, 0]], words, 0)
