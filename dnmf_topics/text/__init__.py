"""From raw text to what gensim works with: documents, words, dictionary, counts and TF-IDF."""

from .build import build_corpus
from .corpus import TextCorpus
from .embedding import embed_texts
from .raw_texts import Document, Documents, ReadError, Skipped
from .readers import read_documents
from .tokenization import Tokenization
from .tokenizers import TOKENIZERS as TOKENIZERS

__all__ = [
    "Document",
    "Documents",
    "ReadError",
    "Skipped",
    "TextCorpus",
    "Tokenization",
    "build_corpus",
    "embed_texts",
    "read_documents",
]
