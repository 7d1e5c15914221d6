"""The numerical core: TF-IDF, the multilayer bootstrap network and the DNMF factorizations.

It knows numpy, scipy, scikit-learn and numba, and neither gensim nor text.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .factorization import VARIANTS, Option, Variant

if TYPE_CHECKING:
    from .core_names import *
else:

    def __getattr__(name: str) -> Any:
        # Late, so that help, which shows the table above, is there at once: numba loads slowly.
        # A module of this package is none of these names: `from . import` finds it itself, while
        # the others may be half loaded.
        if find_spec(f"{__name__}.{name}") is None:
            names = vars(import_module(f"{__name__}.core_names"))
            if name in names:
                return names[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "VARIANTS",
    "DeepClustering",
    "Layer",
    "Mbn",
    "Option",
    "Progress",
    "ProgressCallback",
    "Tfidf",
    "TopicFit",
    "Variant",
    "ViewScore",
    "balanced_layer_size",
    "fit_topics",
    "imbalanced_layer_size",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
