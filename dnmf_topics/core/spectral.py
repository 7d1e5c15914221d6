"""Spectral clustering by a linear kernel, without the N x N matrix.

The kernel of a layer is S = H H' / M with H the one-hot codes (N x M k), that of the documents
themselves S = X X' with their unit-length rows X (N x V). The embedding holds the leading
eigenvectors of the degree-normalized S. Products with a layer's S go through the codes: sum the
rows of each cluster, hand every row its cluster's sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..common.arrays import Codes, FloatArray, Labels
from ..common.compiled import kernel
from ..common.parallel import map_blocks, no_convergence_warnings, one_openmp_thread
from .mbn import Layer

# Fixed, so that sums are formed in the same order on any number of threads.
CLUSTERINGS_PER_BLOCK = 25
OVERSAMPLING = 8
MAX_BASIS = 1024  # columns of the Krylov basis, to bound its memory
MAX_ROUNDS = 10
TOLERANCE = 1e-3  # of an eigenvector's residual
NUM_STARTS = 4  # of k-means


@kernel
def _add_cluster_sums(codes: Any, size: int, rows: Any, result: Any) -> None:
    """Result += H H' rows, for codes (clusterings x N) and rows (N x b)."""
    for m in range(codes.shape[0]):
        sums = np.zeros((size, rows.shape[1]), rows.dtype)
        for i in range(codes.shape[1]):
            total = sums[codes[m, i]]
            for j in range(rows.shape[1]):
                total[j] += rows[i, j]
        for i in range(codes.shape[1]):
            total = sums[codes[m, i]]
            for j in range(rows.shape[1]):
                result[i, j] += total[j]


class CodeKernel:
    """The linear kernel S = H H' / M of a layer's codes, as a linear operator."""

    def __init__(self, layer: Layer, n_jobs: int | None) -> None:
        # One type for all narrow layers, so that the inner loop is compiled once.
        dtype = np.uint32 if layer.size > 2**16 else np.uint16
        self.codes: Codes = np.ascontiguousarray(layer.codes.T, dtype)
        self.size = layer.size
        self.n_jobs = n_jobs

    def __matmul__(self, rows: FloatArray) -> FloatArray:
        """S rows."""

        def block(start: int, stop: int) -> FloatArray:
            result = np.zeros_like(rows)
            _add_cluster_sums(self.codes[start:stop], self.size, rows, result)
            return result

        total = np.zeros_like(rows)
        num_clusterings = self.codes.shape[0]
        for part in map_blocks(
            block, num_clusterings, block_size=CLUSTERINGS_PER_BLOCK, n_jobs=self.n_jobs
        ):
            total += part
        total /= num_clusterings
        return total


class TermKernel:
    """The linear kernel S = X X' of unit-length documents, as a linear operator."""

    def __init__(self, doc_term: sparse.csr_array) -> None:
        self.doc_term = doc_term
        self.term_doc = doc_term.T.tocsr()

    def __matmul__(self, rows: FloatArray) -> FloatArray:
        """S rows."""
        product: FloatArray = self.doc_term @ (self.term_doc @ rows)
        return product


def spectral_embedding(
    similarity: CodeKernel | TermKernel,
    num_docs: int,
    num_dimensions: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Leading eigenvectors (N x num_dimensions) of the degree-normalized kernel.

    Block Krylov iteration, restarted: the blocks B, S B, S^2 B, ... span a space, the best
    approximations in it (Rayleigh-Ritz) start the next one. Wide layers, whose eigenvalues lie
    close to each other, need several rounds.
    """
    degree = similarity @ np.ones((num_docs, 1), np.float32)
    scale = 1 / np.sqrt(degree)
    width = num_dimensions + OVERSAMPLING
    num_steps = max(3, min(8, MAX_BASIS // width))
    if num_docs < num_steps * width:  # the whole space is no larger
        width, num_steps = num_docs, 1
    block: FloatArray = rng.standard_normal((num_docs, width), np.float32)
    block[:, :1] = np.sqrt(degree)  # the first eigenvector is known
    block = np.linalg.qr(block)[0]
    for _ in range(MAX_ROUNDS):
        basis = np.empty((num_docs, num_steps * width), np.float32)
        projected = np.zeros((basis.shape[1], basis.shape[1]), np.float32)
        for step in range(num_steps):
            end = (step + 1) * width
            basis[:, step * width : end] = block
            image = scale * (similarity @ (scale * block))
            projected[:end, step * width : end] = basis[:, :end].T @ image
            if step + 1 < num_steps:
                block = image
                for _ in range(2):  # twice is enough to stay orthogonal
                    block = np.linalg.qr(block - basis[:, :end] @ (basis[:, :end].T @ block))[0]
        _, vectors = np.linalg.eigh(projected, UPLO="U")
        # |S u - theta u| of a Ritz pair is what its image has outside the space
        overhang = image - basis @ (basis.T @ image)
        residuals = np.linalg.norm(overhang @ vectors[-width:, -num_dimensions:], axis=0)
        block = basis @ vectors[:, : -width - 1 : -1]
        if residuals.max() <= TOLERANCE:
            break
    return block[:, :num_dimensions]


def scale_rows(embedding: FloatArray, exponent: float) -> FloatArray:
    """Rows u / |u|^exponent: 0 keeps the lengths, 1 keeps the directions alone."""
    lengths = np.linalg.norm(embedding, axis=1, keepdims=True)
    return embedding / np.where(lengths > 0, lengths, 1) ** exponent


def cluster_rows(
    rows: FloatArray, num_clusters: int, rng: np.random.Generator, num_starts: int = NUM_STARTS
) -> Labels:
    """k-means labels of the rows; no cluster is empty, even where rows are equal."""
    from sklearn.cluster import KMeans  # late: it loads slowly

    kmeans = KMeans(num_clusters, n_init=num_starts, random_state=int(rng.integers(2**31)))
    with one_openmp_thread(), no_convergence_warnings():
        labels: Labels = kmeans.fit_predict(rows).astype(np.int64)
    return fill_clusters(labels, num_clusters)


def fill_clusters(labels: Labels, num_clusters: int) -> Labels:
    """The labels, changed in place so that each cluster has a row; the largest gives one away."""
    sizes = np.bincount(labels, minlength=num_clusters)
    for cluster in np.flatnonzero(sizes == 0):
        largest = sizes.argmax()
        labels[np.flatnonzero(labels == largest)[-1]] = cluster
        sizes[largest] -= 1
        sizes[cluster] = 1
    return labels
