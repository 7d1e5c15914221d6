"""Layers and networks in one call, for tests of what they hold."""

from __future__ import annotations

from dnmf_topics.common.engines import Threads
from dnmf_topics.core.mbn import Layer, code_layer, code_network, draw_layer, draw_network


def grow_layer(inputs, size, num_clusterings, seed, *, pool_size=None, n_jobs=1, task_rows=None):
    """A layer on document rows, or on another layer."""
    num_docs = (inputs.codes if isinstance(inputs, Layer) else inputs).shape[0]
    draws = draw_layer(num_docs, size, num_clusterings, seed, pool_size)
    engine = Threads(n_jobs)
    engine.task_rows = task_rows or engine.task_rows
    return code_layer(inputs, draws, engine)


def grow_network(doc_term, sizes, num_clusterings, seed, *, pool_size=None, **options):
    """All layers."""
    draws = draw_network(doc_term.shape[0], sizes, num_clusterings, seed, pool_size)
    return code_network(doc_term, draws, Threads(1), **options)
