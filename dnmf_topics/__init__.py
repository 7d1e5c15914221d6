"""Deep NMF topic modeling for everyone who uses gensim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .estimator import DnmfTopics
    from .model import DnmfModel, choose_num_topics

__version__ = "0.1.0"
__all__ = ["DnmfModel", "DnmfTopics", "choose_num_topics"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    # Late, so that the core can be used without loading gensim, and each alone.
    if name == "DnmfTopics":
        from .estimator import DnmfTopics

        return DnmfTopics
    if name in __all__:
        from . import model

        return getattr(model, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
