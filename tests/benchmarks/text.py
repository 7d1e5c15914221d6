"""Raw 20 Newsgroups to dictionary, counts and TF-IDF against scikit-learn, in one run; ratios.

    DNMF_CORPORA=... python tests/benchmarks/text.py

Each row prints a measured figure and its bar. Both sides keep the same words.
"""

from __future__ import annotations

from gensim.corpora import Dictionary
from gensim.matutils import Sparse2Corpus
from loading import newsgroups
from printing import report
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from dnmf_topics.bench import time_call
from dnmf_topics.text import Tokenization, build_corpus

ROUNDS = 5


def by_scikit_learn(texts):
    """TF-IDF weights as a gensim corpus, and the dictionary with its frequencies."""
    vectorizer = TfidfVectorizer(
        token_pattern=r"[a-z]{3,}", stop_words="english", min_df=5, max_df=0.5
    )
    weights = vectorizer.fit_transform(texts)
    words = vectorizer.get_feature_names_out()
    corpus = Sparse2Corpus(weights, documents_columns=False)
    dictionary = Dictionary.from_corpus(corpus, dict(enumerate(words)))
    return corpus, dictionary


def ours(texts, processes):
    steps = Tokenization(stop_words=ENGLISH_STOP_WORDS)
    corpus = build_corpus(texts, steps, no_below=5, processes=processes)
    return corpus, corpus.tfidf


def main():
    texts = newsgroups().data
    ours(texts[:100], 1), by_scikit_learn(texts[:100])  # imports what is imported late
    seconds = {"scikit-learn": [], "one process": [], "two processes": []}
    for _ in range(ROUNDS):  # in turn, so that a busy machine slows all of them
        took, (_, theirs) = time_call(by_scikit_learn, texts)
        seconds["scikit-learn"].append(took)
        took, (corpus, _) = time_call(ours, texts, 1)
        seconds["one process"].append(took)
        seconds["two processes"].append(time_call(ours, texts, 2)[0])
    for name, each in seconds.items():
        print(f"{name}: {' '.join(f'{second:.2f}' for second in sorted(each))} s")
    best = {name: min(each) for name, each in seconds.items()}  # others only make it slower
    one, two = best["one process"], best["two processes"]
    report("one process / scikit-learn, best", f"{one / best['scikit-learn']:.2f}", "bar <= 1")
    report("two processes / one, best", f"{two / one:.2f}", "bar < 1")
    both = len(set(theirs.token2id) & set(corpus.dictionary.token2id))
    sizes = f"{both} / {len(corpus.dictionary)} / {len(theirs)}"
    report("words: in common / ours / theirs", sizes, "bar the same but for accents")


if __name__ == "__main__":
    main()
