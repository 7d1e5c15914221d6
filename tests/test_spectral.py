"""The spectral step: the operator and the embedding against dense twins, and its k-means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import one_hot_codes
from scipy import sparse

from dnmf_topics.core.mbn import Layer, code_dtype
from dnmf_topics.core.spectral import (
    CodeKernel,
    TermKernel,
    cluster_rows,
    scale_rows,
    spectral_embedding,
)
from dnmf_topics.core.tfidf import unit_rows

quick = settings(max_examples=30)


def planted_layer(seed, num_docs, num_groups, num_clusterings=40, codes_per_group=2, loyalty=0.8):
    """Codes that documents of a group share, but for a share of noise; and the groups."""
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.arange(num_docs) % num_groups)
    size = num_groups * codes_per_group
    shape = (num_docs, num_clusterings)
    own = groups[:, None] * codes_per_group + rng.integers(codes_per_group, size=shape)
    codes = np.where(rng.random(shape) < loyalty, own, rng.integers(size, size=shape))
    return Layer(size, codes.astype(code_dtype(size))), groups


def dense_kernel(layer):
    """S = H H' / M."""
    codes = layer.codes.astype(np.int64)
    H = one_hot_codes(codes, layer.size)
    return H @ H.T / codes.shape[1]


def embed(layer, num_dimensions, rng, n_jobs=1):
    return spectral_embedding(CodeKernel(layer, n_jobs), layer.codes.shape[0], num_dimensions, rng)


def dense_eigenvectors(S, num_dimensions):
    """Leading eigenvectors of diag(d)^-1/2 S diag(d)^-1/2, and the gap to the next eigenvalue."""
    scale = 1 / np.sqrt(S.sum(axis=1))
    values, vectors = np.linalg.eigh(scale[:, None] * S * scale)
    below = values[-num_dimensions - 1] if num_dimensions < values.size else -np.inf
    return vectors[:, -num_dimensions:], values[-num_dimensions] - below


def assert_same_space(ours, theirs, atol):
    """Both orthonormal, and every principal angle is 0: cosines of 1."""
    np.testing.assert_allclose(ours.T @ ours, np.eye(ours.shape[1]), atol=1e-5)
    cosines = np.linalg.svd(theirs.T @ ours, compute_uv=False)
    np.testing.assert_allclose(cosines, 1, atol=atol)


# -------------------------------------------------------------------------------------- operator


@quick
@given(
    st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 60), st.integers(1, 300),
    st.integers(1, 4),
)  # fmt: skip
def test_the_kernel_is_its_dense_twin(seed, num_docs, num_clusterings, size, width):
    rng = np.random.default_rng(seed)
    codes = rng.integers(size, size=(num_docs, num_clusterings)).astype(code_dtype(size))
    layer, rows = Layer(size, codes), rng.standard_normal((num_docs, width))
    kernel = CodeKernel(layer, n_jobs=1)
    np.testing.assert_allclose(kernel @ rows, dense_kernel(layer) @ rows, atol=1e-12)


@quick
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 20), st.integers(1, 4))
def test_the_kernel_of_terms_is_its_dense_twin(seed, num_docs, num_terms, width):
    rng = np.random.default_rng(seed)
    docs = unit_rows(sparse.csr_array(rng.random((num_docs, num_terms))))
    rows = rng.standard_normal((num_docs, width))
    dense = docs.toarray()
    np.testing.assert_allclose(TermKernel(docs) @ rows, dense @ dense.T @ rows, atol=1e-12)


def test_the_embedding_of_terms_spans_the_leading_eigenvectors():
    rng = np.random.default_rng(0)
    blocks = np.kron(np.eye(4), np.ones((20, 9))) + 0.3 * rng.random((80, 36))
    docs = unit_rows(sparse.csr_array(blocks)).astype(np.float32)
    dense = docs.toarray().astype(np.float64)
    theirs, gap = dense_eigenvectors(dense @ dense.T, 4)
    assert gap > 0.1, "the example must have a clear answer"
    ours = spectral_embedding(TermKernel(docs), 80, 4, np.random.default_rng(0))
    assert_same_space(ours, theirs, atol=1e-4)


def test_threads_do_not_change_the_sums():
    layer, _ = planted_layer(0, 200, 4, num_clusterings=130)
    rows = np.random.default_rng(0).standard_normal((200, 5)).astype(np.float32)
    alone = CodeKernel(layer, n_jobs=1) @ rows
    together = CodeKernel(layer, n_jobs=2) @ rows
    np.testing.assert_array_equal(alone, together)


# ------------------------------------------------------------------------------------- embedding


@pytest.mark.parametrize(
    ("num_docs", "num_groups"),
    [(6, 2), (8, 6), (12, 3), (16, 3), (20, 3), (24, 3), (30, 4), (45, 15), (60, 3), (150, 8)],
)
def test_the_embedding_spans_the_leading_eigenvectors(num_docs, num_groups):
    layer, _ = planted_layer(num_docs, num_docs, num_groups)
    theirs, gap = dense_eigenvectors(dense_kernel(layer), num_groups)
    assert gap > 0.1, "the example must have a clear answer"
    ours = embed(layer, num_groups, np.random.default_rng(0))
    assert ours.shape == (num_docs, num_groups)
    assert_same_space(ours, theirs, atol=1e-4)


def test_the_first_column_is_the_largest_eigenvector():
    layer, _ = planted_layer(1, 80, 4)
    ours = embed(layer, 4, np.random.default_rng(0))
    # Its eigenvector is known: the square roots of the degrees.
    root_degree = np.sqrt(dense_kernel(layer).sum(axis=1))
    assert abs(ours[:, 0] @ root_degree) == pytest.approx(np.linalg.norm(root_degree), rel=1e-5)
    S = dense_kernel(layer) / np.outer(root_degree, root_degree)
    values = np.einsum("nk,nm,mk->k", ours, S, ours)
    assert (np.diff(values) < 1e-6).all()


@pytest.mark.parametrize("num_docs", [1, 2, 5, 9])
def test_as_many_dimensions_as_documents_and_identical_codes(num_docs):
    layer, _ = planted_layer(3, num_docs, min(num_docs, 2))
    same = Layer(layer.size, np.repeat(layer.codes[:1], num_docs, axis=0))
    for codes in (layer, same):
        ours = embed(codes, num_docs, np.random.default_rng(0))
        assert_same_space(ours, np.eye(num_docs), atol=1e-4)


def test_the_embedding_depends_on_the_seed_alone():
    layer, _ = planted_layer(4, 200, 4, num_clusterings=80)
    first, again, threads = (
        embed(layer, 4, np.random.default_rng(7), n_jobs=n_jobs) for n_jobs in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, threads)


def test_scaling_takes_the_length_to_a_power():
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 16.0]])
    np.testing.assert_allclose(scale_rows(rows, 0.0), rows)
    np.testing.assert_allclose(scale_rows(rows, 1.0), [[0.6, 0.8], [0, 0], [0, 1]])
    np.testing.assert_allclose(np.linalg.norm(scale_rows(rows, 0.5), axis=1), [5**0.5, 0, 4])


# --------------------------------------------------------------------------------------- k-means


@pytest.mark.filterwarnings("error")  # k-means would warn
@quick
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12), st.integers(1, 5))
def test_no_cluster_is_empty_even_with_identical_rows(seed, num_docs, num_clusters, distinct):
    rng = np.random.default_rng(seed)
    num_clusters = min(num_clusters, num_docs)
    rows = rng.standard_normal((distinct, 3))[rng.integers(distinct, size=num_docs)]
    before = rows.copy()
    labels = cluster_rows(rows, num_clusters, np.random.default_rng(seed))
    assert labels.shape == (num_docs,)
    assert set(labels) == set(range(num_clusters))
    np.testing.assert_array_equal(rows, before)


def test_clusters_that_lie_apart_are_found_and_found_again():
    layer, groups = planted_layer(5, 120, 4)
    rows = embed(layer, 4, np.random.default_rng(0))
    labels = cluster_rows(rows, 4, np.random.default_rng(1))
    assert len(set(zip(groups, labels, strict=True))) == 4
    np.testing.assert_array_equal(labels, cluster_rows(rows, 4, np.random.default_rng(1)))
