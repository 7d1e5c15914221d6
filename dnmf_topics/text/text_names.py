"""What `dnmf_topics.text` gives: its names for users, and those for other parts."""

from __future__ import annotations

from .build import build_corpus as build_corpus
from .corpus import TextCorpus as TextCorpus
from .embedding import embed_texts as embed_texts
from .portions import excerpt_of as excerpt_of
from .raw_texts import Document as Document
from .raw_texts import Documents as Documents
from .raw_texts import ReadError as ReadError
from .raw_texts import Skipped as Skipped
from .readers import read_documents as read_documents
from .tokenization import Tokenization as Tokenization
