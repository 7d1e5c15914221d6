"""The topic model: gensim's LdaModel interface over the numerical core."""

from __future__ import annotations

from .dnmf import DnmfModel
from .state import DnmfState
from .topic_tree import TopicTree

__all__ = ["DnmfModel", "DnmfState", "TopicTree"]
