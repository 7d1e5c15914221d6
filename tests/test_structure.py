"""Sparse matrices whose arrays do not fit together: an error at every door, never a crash."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from children import forked
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from trained import as_bow, small_model

from dnmf_topics.adapters import pyldavis
from dnmf_topics.baselines import fit_baseline
from dnmf_topics.common.checks import check_compressed, check_structure
from dnmf_topics.common.documents import MatrixCorpus, read_matrix
from dnmf_topics.core import Tfidf, fit_topics
from dnmf_topics.evaluation import (
    completion_likelihood,
    halve_documents,
    infer_shares,
    smooth_topics,
    topic_coherence,
    topic_npmi,
)
from dnmf_topics.text import TextCorpus

FORMATS = ("csr", "csc", "bsr", "coo", "dia", "lil", "dok")
SQUARE = np.kron(np.eye(3), [[1.0, 2.0], [3.0, 1.0]])  # documents x terms, or the other way round
SQUARE_BOWS = as_bow(sparse.csr_array(SQUARE))
ODD_NUMBERS = st.sampled_from(
    [
        0,
        1,
        2,
        3,
        5,
        6,
        7,
        -1,
        -7,
        100,
        10**7,
        2**31 - 1,
        2**31,
        -(2**31),
        2**40,
        2**63 - 1,
        -(2**63),
    ]
)


def parts(matrix):
    """The names of the arrays that say where the numbers are, and of the numbers."""
    if matrix.format in ("csr", "csc", "bsr"):
        return ("indptr", "indices", "data")
    return {"coo": ("row", "col", "data"), "dia": ("offsets", "data")}[matrix.format]


def entries_of(matrix):
    """Row, column and number of every entry, read one by one; an IndexError where one is not."""
    kind, (rows, columns) = matrix.format, matrix.shape
    if kind in ("csr", "csc", "bsr"):
        height, width = matrix.data.shape[1:] if kind == "bsr" else (1, 1)
        limits, numbers = matrix.indptr.tolist(), matrix.data.reshape(-1, height, width)
        across = rows // height if kind != "csc" else columns
        if [0, len(numbers), len(numbers), across + 1] != [
            limits[0], limits[-1], len(matrix.indices), len(limits),
        ]:  # fmt: skip
            raise IndexError
        for number, (start, stop) in enumerate(pairwise(limits)):
            if stop < start:
                raise IndexError
            for entry in range(start, stop):
                other = int(matrix.indices[entry])
                for i, j in np.ndindex(height, width):
                    place = number * height + i, other * width + j
                    yield place[:: -1 if kind == "csc" else 1], numbers[entry, i, j]
    elif kind == "coo":
        if not len(matrix.row) == len(matrix.col) == len(matrix.data):
            raise IndexError
        yield from zip(zip(matrix.row, matrix.col, strict=True), matrix.data, strict=True)
    elif kind == "dia":
        if len(matrix.offsets) != len(matrix.data) or len(set(matrix.offsets)) < len(matrix.data):
            raise IndexError
        for offset, diagonal in zip(matrix.offsets.tolist(), matrix.data, strict=True):
            if not -rows < offset < columns:
                raise IndexError
            for column, number in enumerate(diagonal[:columns]):
                if 0 <= column - offset < rows:
                    yield (column - offset, column), number
    elif kind == "lil":
        if not len(matrix.rows) == len(matrix.data) == rows:
            raise IndexError
        for row, (ids, numbers) in enumerate(zip(matrix.rows, matrix.data, strict=True)):
            if len(ids) != len(numbers):
                raise IndexError
            yield from (((row, j), x) for j, x in zip(ids, numbers, strict=True))
    else:
        yield from matrix.items()


def slowly_dense(matrix):
    dense = np.zeros(matrix.shape)
    for (row, column), number in entries_of(matrix):
        if row < 0 or column < 0:
            raise IndexError
        dense[row, column] += number
    return dense


def use(kind, attributes):
    """What scipy makes of a matrix that passed the check, in the ways that the package has."""
    made = getattr(sparse, f"{kind}_array")
    matrix = made.__new__(made)
    vars(matrix).update(attributes)
    check_structure(matrix, "counts")
    copied = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    copied.sum_duplicates()
    turned = sparse.csr_array(matrix.T, dtype=np.float64, copy=True)
    turned.sum_duplicates()
    np.testing.assert_array_equal(turned.toarray().T, copied.toarray())
    np.testing.assert_array_equal(matrix.tocsc().toarray(), copied.toarray())
    return copied.toarray()


@st.composite
def sparse_matrices(draw, kind):
    """A small matrix of the format, in which none or up to three numbers are not what they were."""
    shape = draw(st.sampled_from([(4, 6), (6, 4), (6, 6), (2, 2)]))
    numbers = draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.5]), min_size=36, max_size=36))
    dense = np.array(numbers[: shape[0] * shape[1]]).reshape(shape)
    matrix = sparse.csr_array(dense)
    matrix = matrix.tobsr((2, 2)) if kind == "bsr" else matrix.asformat(kind)
    if kind == "coo" and hasattr(matrix, "coords"):  # since scipy 1.13 of rows and columns
        matrix.coords = tuple(each.astype(np.int64) for each in matrix.coords)
    elif kind not in ("lil", "dok"):
        for name in parts(matrix)[:-1]:
            setattr(matrix, name, getattr(matrix, name).astype(np.int64))
    for _ in range(draw(st.sampled_from([0, 1, 0, 2, 3]))):
        forge(matrix, draw)
    return matrix


def forge(matrix, draw):
    if matrix.format == "dok":
        pair = st.tuples(ODD_NUMBERS, ODD_NUMBERS)
        matrix._dict[draw(pair)] = 1.0
    elif matrix.format == "lil":
        row = draw(st.integers(0, matrix.shape[0] - 1))
        target = draw(st.sampled_from([matrix.rows, matrix.data]))
        target[row] = [*target[row], draw(ODD_NUMBERS)]
    else:
        name = draw(st.sampled_from(parts(matrix)))
        array = getattr(matrix, name)
        how = draw(st.sampled_from(["number", "number", "number", "shorter", "longer"]))
        if how == "shorter":
            array = array[:-1]
        elif how == "longer":
            array = np.concatenate([array, array[-1:]])
        elif name != "data" and array.size:
            array = array.copy()
            array[draw(st.integers(0, array.size - 1))] = draw(ODD_NUMBERS)
        setattr(matrix, name, array)


@pytest.mark.parametrize("kind", FORMATS)
def test_what_passes_is_what_it_says_and_all_else_is_an_error(kind):
    seen = []

    @given(sparse_matrices(kind))
    def check(matrix):
        try:
            expected = slowly_dense(matrix)
        except (IndexError, OverflowError):
            expected = None
        result = ask(kind, vars(matrix))
        seen.append(expected is None)
        if expected is None:
            assert type(result) is ValueError
            assert re.fullmatch("counts is no sound sparse matrix: .*; build it anew.", str(result))
        else:
            np.testing.assert_array_equal(result, expected)

    with forked(use) as ask:
        check()
    assert 0.1 < np.mean(seen) < 0.9  # the examples are of both kinds


# --- every door


@cache
def fit():
    return fit_topics(SQUARE, 2, random_state=0)


@cache
def model():
    return small_model(SQUARE_BOWS, 2, None)


TERMS = np.array([[0, 1], [2, 3]])
ALIKE = np.full((2, 6), 1 / 6)  # topics
DOORS = {
    "fit_topics": lambda m: fit_topics(m, 2),
    "deep_model": lambda m: fit_topics(SQUARE, 6, deep_model=m),
    "Tfidf.fit": Tfidf.fit,
    "Tfidf.transform": lambda m: Tfidf(np.ones(6)).transform(m),
    "assign": lambda m: fit().assign(m),
    "fold_in": lambda m: fit().fold_in(m),
    "read_matrix": lambda m: read_matrix(m, unknown="refuse"),
    "MatrixCorpus": MatrixCorpus,
    "DnmfModel": lambda m: small_model(m, 2, None),
    "update": lambda m: small_model(SQUARE_BOWS, 2, None).update(m),
    "inference": lambda m: model().inference(m),
    "get_document_topics": lambda m: list(model()[m]),
    "log_perplexity": lambda m: model().log_perplexity(m),
    "TextCorpus": TextCorpus.of_matrix,
    "topic_coherence": lambda m: topic_coherence(TERMS, m),
    "topic_npmi": lambda m: topic_npmi(TERMS, m),
    "completion_likelihood": lambda m: completion_likelihood(m, np.full((6, 2), 0.5), ALIKE),
    "halve_documents": halve_documents,
    "infer_shares": lambda m: infer_shares(m, ALIKE),
    "smooth_topics": lambda m: smooth_topics(ALIKE, m),
    "baseline": lambda m: fit_baseline("kmeans", m, 2),
    "pyldavis": lambda m: pyldavis.prepare(model(), m, {term: str(term) for term in range(6)}),
}


def forged(how):
    matrix = sparse.csr_array(SQUARE)
    if how == "limits":  # the last is 0: scipy's own check looks away
        matrix.indptr = np.array([0, 10**7, 10**7, 10**7, 10**7, 10**7, 0])
        matrix.data, matrix.indices = matrix.data[:0], matrix.indices[:0]
    else:
        matrix.indices[3] = 10**9
    return matrix


@pytest.fixture(scope="module")
def at_door():
    """What a door says to a forged matrix."""
    with forked(lambda door, how: DOORS[door](forged(how))) as ask:
        yield ask


@pytest.mark.parametrize("how", ["limits", "indices"])
@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_a_forged_matrix_in(at_door, door, how):
    error = at_door(door, how)
    assert type(error) is ValueError
    assert "is no sound sparse matrix: its ind" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize("door", DOORS)
def test_every_door_lets_the_same_matrix_in_when_it_is_sound(door):
    matrix = sparse.csr_array(SQUARE)
    if door == "deep_model":
        matrix = sparse.csr_array(np.eye(6))
    DOORS[door](matrix)


# --- single faults and their sentences


@pytest.mark.parametrize(
    ("indptr", "indices", "sentence"),
    [
        ([0, 1, 2], [0, 4], "indices must lie from 0 to 3, got 4"),
        ([0, 1, 2], [0, -1], "indices must lie from 0 to 3, got -1"),
        ([0, 1], [0, 1], "indptr must have 3 limits, got 2"),
        ([0, 3, 2], [0, 1], "indptr must lie from 0 to 2, got 3"),
        ([0, 2, 1], [0, 1], "indptr must rise from 0 to the number of its entries, 2"),
        ([1, 1, 2], [0, 1], "indptr must rise from 0"),
        ([0, 1, 2], [0, 1, 2], "must have 2 indices, got 3"),
        ([0.0, 1.0, 2.0], [0, 1], "indptr must be int32 or int64, got float64"),
        ([0, 1, 2], [[0, 1]], "indices must be an array of 1 dimensions"),
        ([], [0, 1], "indptr must"),
    ],
)
def test_arrays_of_a_file_are_checked_before_scipy_has_them(indptr, indices, sentence):
    with pytest.raises(ValueError, match=sentence):
        check_compressed(np.array(indptr), np.array(indices), 2, (2, 4), "counts")
    check_compressed(np.array([0, 1, 2]), np.array([3, 0]), 2, (2, 4), "counts")


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "dia"])
def test_lists_in_the_place_of_arrays_are_named(kind):
    matrix = sparse.csr_array(SQUARE).asformat(kind)
    matrix.data = matrix.data.tolist()
    with pytest.raises(ValueError, match="its data must be an array"):
        check_structure(matrix, "counts")


def test_a_matrix_of_one_dimension_is_none():
    vector = sparse.coo_array(np.arange(3))
    if vector.ndim == 2:
        pytest.skip("scipy before 1.13 makes a matrix of it")
    with pytest.raises(ValueError, match=r"counts must be a matrix, got the shape \(3,\)"):
        check_structure(vector, "counts")
