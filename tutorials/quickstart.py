"""Topics of 300 news items, from raw text to ten words per topic, with the numerical core alone.

The text is the Lee background corpus, which comes with gensim: one news item per line.
"""

from pathlib import Path

import numpy as np
from gensim.test.utils import datapath
from sklearn.feature_extraction.text import CountVectorizer

from dnmf_topics.core import Tfidf, fit_topics

NUM_TOPICS = 8


def main() -> None:
    documents = Path(datapath("lee_background.cor")).read_text(encoding="utf-8").splitlines()

    # Words of three letters or more, without stop words, found in at least two documents.
    vectorizer = CountVectorizer(token_pattern=r"[a-z]{3,}", stop_words="english", min_df=2)
    counts = vectorizer.fit_transform(documents)
    terms = vectorizer.get_feature_names_out()

    tfidf = Tfidf.fit(counts)
    doc_term = tfidf.transform(counts)
    fit = fit_topics(doc_term, num_topics=NUM_TOPICS, random_state=0)

    sizes = np.bincount(fit.labels, minlength=NUM_TOPICS)
    for topic, weights in enumerate(fit.topic_term):
        words = terms[np.argsort(-weights)[:10]]
        print(f"topic {topic} ({sizes[topic]} documents): {' '.join(words)}")


if __name__ == "__main__":
    main()
