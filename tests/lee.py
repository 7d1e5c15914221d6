"""The Lee corpus, which gensim ships: 300 short news texts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gensim.corpora import Dictionary
from gensim.parsing.preprocessing import STOPWORDS
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess


@cache
def lee():
    """Texts, dictionary and counts, without stop words and rare words."""
    lines = Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()
    texts = [[word for word in simple_preprocess(line) if word not in STOPWORDS] for line in lines]
    dictionary = Dictionary(texts)
    dictionary.filter_extremes(no_below=3, no_above=0.5)
    return texts, dictionary, [dictionary.doc2bow(text) for text in texts]
