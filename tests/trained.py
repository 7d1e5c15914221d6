"""Small models on planted topics, and everything a model says of itself."""

from __future__ import annotations

import io

import numpy as np
from gensim.corpora import Dictionary
from planted import planted_counts, planted_families

from dnmf_topics import DnmfModel
from dnmf_topics.core import Mbn


def as_bow(counts):
    """A sparse matrix (documents x terms) as gensim's lists of (term id, count)."""
    return [
        [(int(term), int(n)) for term, n in zip(row.indices, row.data, strict=True)]
        for row in (counts[[i]] for i in range(counts.shape[0]))
    ]


COUNTS, CLASSES = planted_counts((20, 15, 10))
CORPUS = as_bow(COUNTS)
NUM_TERMS = COUNTS.shape[1]
WORDS = {term: f"word{term}" for term in range(NUM_TERMS)}


DICTIONARY = Dictionary.from_corpus(CORPUS, id2word=WORDS)


def small_model(corpus=CORPUS, num_topics=3, id2word=WORDS, **options):
    """Trained in a few milliseconds, on one thread."""
    quick = {"num_clusterings": 10, "n_jobs": 1, "random_state": 0}
    if isinstance(options.get("deep_model"), Mbn):  # which has settings of its own
        del quick["num_clusterings"]
    return DnmfModel(corpus, num_topics, id2word, **(quick | options))


# Four topics, of which 0 and 2 share words, and 1 and 3.
FAMILIES, FAMILY_CLASSES = planted_families()


def family_model(**options):
    """A model of these topics, given."""
    words = {term: f"word{term}" for term in range(FAMILIES.shape[1])}
    return DnmfModel(
        FAMILIES.T, 4, words, deep_model=FAMILY_CLASSES, random_state=0, n_jobs=1, **options
    )


def file_of(model, **options):
    """The bytes of the model's file: all it has learnt, its settings and its random state."""
    target = io.BytesIO()
    model.save(target, **options)
    return target.getvalue()


def answers(model, corpus=CORPUS):
    """What every reading method says."""
    gamma, sstats = model.inference(corpus, collect_sstats=True)
    state = model.state
    return {
        "str": str(model),
        "inference": gamma,
        "collected": sstats,
        "topics": model.get_topics(),
        "show_topics": model.show_topics(-1),
        "show_topic": [model.show_topic(k) for k in range(model.num_topics)],
        "topic terms": model.get_topic_terms(0, None),
        "term topics": [model.get_term_topics(term, 0) for term in range(model.num_terms)],
        "top topics": model.top_topics(corpus, topn=5),
        "item": model[corpus[0]],
        "corpus": list(model[corpus]),
        "words": model.get_document_topics(corpus[0], 0, 0, per_word_topics=True),
        "bound": model.bound(corpus),
        "log perplexity": model.log_perplexity(corpus),
        "diff": model.diff(model)[0],
        "topic names": model.topic_names,
        "tree": str(model.hierarchy()) if state.numdocs else None,
        "topic info": model.get_topic_info().values.tolist(),
        "document info": model.get_document_info(full=True).to_numpy(),
        "new document info": model.get_document_info(corpus).to_numpy(),
        "representative": [model.get_representative_docs(k) for k in range(model.num_topics)],
        "doc_topics": model.doc_topics(),
        "cluster_labels": model.cluster_labels,
        "doc_embedding": model.doc_embedding,
        "tokenization": model.tokenization,
        "lambda": state.get_lambda(),
        "Elogbeta": state.get_Elogbeta(),
        "numdocs": state.numdocs,
        "num_updates": model.num_updates,
    }


def assert_same_answers(one, other):
    for (name, answer), (_, twin) in zip(one.items(), other.items(), strict=True):
        if isinstance(answer, np.ndarray):
            assert answer.dtype == twin.dtype, name
            np.testing.assert_array_equal(answer, twin, err_msg=name)
        else:
            assert answer == twin, name
