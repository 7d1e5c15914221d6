"""The numerical core: TF-IDF, the multilayer bootstrap network and the DNMF factorizations.

It knows numpy, scipy, scikit-learn (with its threadpoolctl), numba and joblib, and neither gensim
nor text.
"""

from __future__ import annotations

from .choice import ViewScore
from .deep import DeepClustering, Mbn
from .factorization import VARIANTS
from .fit import TopicFit, fit_topics
from .mbn import Layer, balanced_layer_size, imbalanced_layer_size
from .progress import Progress, ProgressCallback
from .tfidf import Tfidf

__all__ = [
    "VARIANTS",
    "DeepClustering",
    "Layer",
    "Mbn",
    "Progress",
    "ProgressCallback",
    "Tfidf",
    "TopicFit",
    "ViewScore",
    "balanced_layer_size",
    "fit_topics",
    "imbalanced_layer_size",
]
