"""How well clusters agree with classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from ..common.arrays import Labels
from ..common.checks import check_unmasked

Column: TypeAlias = Sequence[Any] | NDArray[Any]


def clustering_accuracy(classes: Column, labels: Column) -> float:
    """Share of documents in the best one-to-one matching of clusters and classes (ACC).

    Parameters
    ----------
    classes : array-like of shape (N,)
        The true class of each document: strings or numbers.
    labels : array-like of shape (N,)
        The cluster of each document.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        If there is not one class and one cluster for each document.

    Examples
    --------
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    table = contingency(classes, labels)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / table.sum())


def normalized_mutual_information(classes: Column, labels: Column) -> float:
    """What clusters and classes tell of each other, from 0 to 1 (NMI, arithmetic mean).

    Parameters
    ----------
    classes : array-like of shape (N,)
        The true class of each document: strings or numbers.
    labels : array-like of shape (N,)
        The cluster of each document.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        If there is not one class and one cluster for each document.

    Examples
    --------
    >>> normalized_mutual_information(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    """
    contingency(classes, labels)  # refuses what has no entry for each document
    return float(normalized_mutual_info_score(classes, labels))


def purity(classes: Column, labels: Column) -> float:
    """Share of documents that are of the most frequent class of their cluster.

    Parameters
    ----------
    classes : array-like of shape (N,)
        The true class of each document: strings or numbers.
    labels : array-like of shape (N,)
        The cluster of each document.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        If there is not one class and one cluster for each document.

    Examples
    --------
    >>> purity(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    table = contingency(classes, labels)
    return float(table.max(axis=0).sum() / table.sum())


def contingency(classes: Column, labels: Column) -> Labels:
    """How many documents each cluster (column) has of each class (row), both in sorted order.

    Parameters
    ----------
    classes : array-like of shape (N,)
        The true class of each document: strings or numbers.
    labels : array-like of shape (N,)
        The cluster of each document.

    Returns
    -------
    array of int, shape (classes, clusters)
        Counts of documents.

    Raises
    ------
    ValueError
        If there is not one class and one cluster for each document.

    Examples
    --------
    >>> contingency(["a", "a", "b", "b"], [1, 1, 0, 1]).tolist()
    [[0, 2], [1, 1]]
    """
    shapes = np.shape(classes), np.shape(labels)
    if shapes[0] != shapes[1] or len(shapes[0]) != 1 or shapes[0] == (0,):
        raise ValueError(
            "classes and labels must hold one entry for each document, "
            f"got shapes {shapes[0]} and {shapes[1]}."
        )
    check_unmasked(classes, "classes")
    check_unmasked(labels, "labels")
    return np.asarray(contingency_matrix(classes, labels))
