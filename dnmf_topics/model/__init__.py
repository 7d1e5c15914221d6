"""The topic model: gensim's LdaModel interface over the numerical core."""

from __future__ import annotations

from .dnmf import DnmfModel
from .number_choice import NumTopicsChoice, choose_num_topics
from .seed_words import check_seed_words as check_seed_words
from .state import DnmfState
from .topic_tree import TopicTree

__all__ = ["DnmfModel", "DnmfState", "NumTopicsChoice", "TopicTree", "choose_num_topics"]
