"""The topic model: gensim's LdaModel interface over the numerical core."""

from __future__ import annotations

from .dnmf import DnmfModel
from .number_choice import NO_MATPLOTLIB as NO_MATPLOTLIB
from .number_choice import NumTopicsChoice, choose_num_topics
from .state import DnmfState

__all__ = ["DnmfModel", "DnmfState", "NumTopicsChoice", "choose_num_topics"]
