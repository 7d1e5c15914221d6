"""The topic model: gensim's LdaModel interface over the numerical core."""

from __future__ import annotations

from .dnmf import DnmfModel
from .state import DnmfState

__all__ = ["DnmfModel", "DnmfState"]
