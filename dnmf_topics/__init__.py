"""Deep NMF topic modeling for everyone who uses gensim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import DnmfModel

__version__ = "0.1.0"
__all__ = ["DnmfModel"]


def __getattr__(name: str) -> Any:
    # Late, so that the core can be used without loading gensim.
    if name == "DnmfModel":
        from .model import DnmfModel

        return DnmfModel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
