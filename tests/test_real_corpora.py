"""The defaults on real text: topics that agree with what people called the documents."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import io, sparse
from sklearn.cluster import KMeans
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer

from dnmf_topics.core import Mbn, Tfidf, fit_topics, imbalanced_layer_size
from dnmf_topics.evaluation import (
    clustering_accuracy,
    similarity_count,
    top_terms,
    topic_npmi,
)

GROUPS = ["rec.sport.hockey", "sci.space", "talk.politics.mideast", "rec.autos"]


@pytest.fixture(scope="module")
def tdt2():
    """Five classes of TDT2 with 441, 272, 238, 141 and 65 documents or so: counts, classes."""

    def load(folder):
        path = folder / "tdt2" / "TDT2.mat"
        if not path.exists():
            pytest.skip(f"needs {path}")
        content = io.loadmat(path)
        classes = content["gnd"].ravel()
        largest = np.argsort(-np.bincount(classes), kind="stable")
        kept = np.isin(classes, largest[[4, 6, 9, 15, 25]])
        return sparse.csr_matrix(content["fea"])[kept], classes[kept]

    return load


def test_unequal_classes_of_tdt2_are_found(corpora_folder, tdt2):
    counts, classes = tdt2(corpora_folder)
    assert np.unique(classes, return_counts=True)[1].min() < 100
    fit = fit_topics(Tfidf.fit(counts).transform(counts), 5, random_state=0)
    assert clustering_accuracy(classes, fit.cluster_labels) > 0.97


def test_the_plain_algorithm_of_the_paper_finds_them_too(corpora_folder, tdt2):
    counts, classes = tdt2(corpora_folder)
    smallest = np.unique(classes, return_counts=True)[1].min()
    settings = Mbn(last_layer_size=imbalanced_layer_size(classes.size, smallest), refine=False)
    doc_term = Tfidf.fit(counts).transform(counts)
    fit = fit_topics(doc_term, 5, deep_model=settings, random_state=0)
    assert clustering_accuracy(classes, fit.cluster_labels) > 0.94


def test_copies_of_a_message_are_no_topic(corpora_folder):
    """Beside a few messages that were sent again and again, all others look like one cluster."""
    home = corpora_folder / "20newsgroups"
    if not home.exists():
        pytest.skip(f"needs {home}")
    groups = ["comp.os.ms-windows.misc", "sci.space", "soc.religion.christian"]
    found = fetch_20newsgroups(
        subset="all", data_home=home, download_if_missing=False, categories=groups
    )
    vectorizer = CountVectorizer(token_pattern=r"[a-z]{3,}", stop_words="english", min_df=5)
    counts = vectorizer.fit_transform(found.data)
    fit = fit_topics(Tfidf.fit(counts).transform(counts), 3, random_state=0)
    assert clustering_accuracy(found.target, fit.cluster_labels) > 0.9


def test_newsgroups_are_found_and_named_by_their_words(corpora_folder):
    home = corpora_folder / "20newsgroups"
    if not home.exists():
        pytest.skip(f"needs {home}")
    options = {"data_home": home, "download_if_missing": False, "categories": GROUPS}
    train = fetch_20newsgroups(subset="train", **options)
    test = fetch_20newsgroups(subset="test", **options)
    vectorizer = CountVectorizer(
        token_pattern=r"[a-z]{3,}", stop_words="english", min_df=5, max_df=0.5
    )
    counts = vectorizer.fit_transform(train.data)
    tfidf = Tfidf.fit(counts)
    doc_term = tfidf.transform(counts)
    fit = fit_topics(doc_term, 4, random_state=0)
    accuracy = clustering_accuracy(train.target, fit.cluster_labels)
    by_kmeans = KMeans(4, n_init=3, random_state=0).fit_predict(doc_term)
    assert accuracy > max(0.95, clustering_accuracy(train.target, by_kmeans))

    unseen = tfidf.transform(vectorizer.transform(test.data))
    assert clustering_accuracy(test.target, fit.assign(unseen)) > 0.93

    words = vectorizer.get_feature_names_out()[top_terms(fit.topic_term, 20)]
    for telling in ({"hockey", "team", "game"}, {"space", "nasa"}, {"israel", "turkish"}, {"car"}):
        assert sum(telling <= set(topic) for topic in words) == 1


def test_an_overlap_leaves_neighboring_newsgroups_fewer_words_in_common(corpora_folder):
    home = corpora_folder / "20newsgroups"
    if not home.exists():
        pytest.skip(f"needs {home}")
    options = {"data_home": home, "download_if_missing": False}
    groups = ["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "comp.os.ms-windows.misc",
              "talk.religion.misc", "soc.religion.christian", "alt.atheism"]  # fmt: skip
    found = fetch_20newsgroups(subset="train", categories=groups, **options)
    vectorizer = CountVectorizer(
        token_pattern=r"[a-z]{3,}", stop_words="english", min_df=5, max_df=0.5
    )
    counts = vectorizer.fit_transform(found.data)
    doc_term = Tfidf.fit(counts).transform(counts)
    plain, shared = (
        top_terms(
            fit_topics(
                doc_term, 6, deep_model=found.target, variant="sdnmf", overlap=overlap
            ).topic_term
        )
        for overlap in (0, 1)
    )
    assert similarity_count(shared) < 0.75 * similarity_count(plain)
    assert topic_npmi(shared, counts).mean() > topic_npmi(plain, counts).mean()
