"""What users of gensim write about LdaModel and its relatives, one function for each kind.

`tests/side_by_side.py` runs these as they are, and again with DnmfModel in the place of LdaModel
and LdaMulticore: the import and the names of the classes change, nothing else. Each returns what
its user would look at next.
"""

import copy
import functools
import logging
import os
import pickle
import tempfile

import gensim
import numpy as np
import pandas as pd
import pyLDAvis.gensim_models
from gensim import corpora, matutils, similarities
from gensim.models import LdaModel, LdaMulticore
from gensim.models.callbacks import (
    CoherenceMetric,
    ConvergenceMetric,
    DiffMetric,
    Metric,
    PerplexityMetric,
)
from gensim.models.coherencemodel import CoherenceModel
from gensim.parsing.preprocessing import STOPWORDS
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess

NUM_DOCS = 60

with open(datapath("lee_background.cor"), encoding="utf-8") as file:
    lines = file.read().splitlines()[:NUM_DOCS]
texts = [[word for word in simple_preprocess(line) if word not in STOPWORDS] for line in lines]
dictionary = corpora.Dictionary(texts)
dictionary.filter_extremes(no_below=2, no_above=0.5)
corpus = [dictionary.doc2bow(text) for text in texts]
unseen = dictionary.doc2bow(simple_preprocess("Australian police said fire near Sydney"))


@functools.cache
def trained():
    """A model that the functions that only read share."""
    return LdaModel(corpus, id2word=dictionary, num_topics=4, random_state=1, passes=2)


# --- training


def preprocess_train_show():
    documents = [simple_preprocess(line, deacc=True) for line in lines]
    id2word = corpora.Dictionary(documents)
    id2word.filter_extremes(no_below=5, no_above=0.4, keep_n=1000)
    bows = [id2word.doc2bow(document) for document in documents]
    model = LdaModel(
        corpus=bows, id2word=id2word, num_topics=5, random_state=100, update_every=1,
        chunksize=100, passes=3, alpha="auto", per_word_topics=True,
    )  # fmt: skip
    return model.show_topics(formatted=False), model.print_topics(), str(model)


def multicore():
    model = LdaMulticore(
        corpus, num_topics=4, id2word=dictionary, workers=2, batch=False, passes=2, chunksize=20,
        eval_every=None, iterations=20, random_state=0,
    )  # fmt: skip
    return model.get_topics(), model.show_topic(0, topn=5)


def multicore_batch():
    model = LdaMulticore(corpus, 3, dictionary, batch=True, workers=1, minimum_probability=0.0)
    return model.get_document_topics(corpus[0])


def learned_priors():
    model = LdaModel(corpus, 4, dictionary, alpha="auto", eta="auto", passes=2, eval_every=1)
    return model.alpha, model.eta, model.optimize_alpha


def explicit_priors():
    symmetric = LdaModel(corpus, 4, dictionary, alpha=0.1, eta=0.01, decay=0.7, offset=10.0)
    unequal = LdaModel(corpus, 4, dictionary, alpha=[0.4, 0.3, 0.2, 0.1])
    return symmetric.alpha, symmetric.eta, unequal.alpha, LdaModel(
        corpus, 4, dictionary, alpha="asymmetric"
    ).alpha  # fmt: skip


def guided_by_eta():
    eta = np.full((3, len(dictionary)), 1e-2)
    for topic, seeds in enumerate([["fires", "winds"], ["pakistan", "india"]]):
        for word in seeds:
            eta[topic, dictionary.token2id[word]] = 5.0
    model = LdaModel(corpus, 3, dictionary, eta=eta, passes=3, random_state=0)
    return model.show_topic(1, topn=3)


def data_types_and_random_states():
    models = [
        LdaModel(corpus, 3, dictionary, random_state=np.random.RandomState(7), dtype=np.float64)
        for _ in range(2)
    ]
    return bool(np.array_equal(models[0].get_topics(), models[1].get_topics())), models[0].dtype


def without_a_dictionary():
    model = LdaModel(corpus, num_topics=3)
    return model.show_topic(0, 3), model.num_terms


def words_as_a_dict():
    model = LdaModel(corpus, 3, id2word=dict(dictionary.items()))
    return model.show_topic(2, 4)


def hashed_words():
    hashed = corpora.HashDictionary(texts, id_range=500)
    bows = [hashed.doc2bow(text) for text in texts]
    model = LdaModel(bows, num_topics=3, id2word=hashed)
    return model.show_topics(2, 3)


def streamed_corpus():
    class Lines:
        def __len__(self):
            return len(lines)

        def __iter__(self):
            for line in lines:
                yield dictionary.doc2bow(simple_preprocess(line))

    model = LdaModel(Lines(), id2word=dictionary, num_topics=3, chunksize=10)
    return [max(topics, key=lambda pair: pair[1]) for topics in model[Lines()]]


def corpora_from_files():
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in (corpora.MmCorpus, corpora.BleiCorpus, corpora.SvmLightCorpus):
            path = os.path.join(folder, kind.__name__)
            kind.serialize(path, corpus, id2word=dictionary)
            found.append(LdaModel(kind(path), 3, dictionary).inference(kind(path))[0])
    return found


def weighted_corpus():
    tfidf = gensim.models.TfidfModel(corpus, dictionary=dictionary)
    model = LdaModel(tfidf[corpus], id2word=dictionary, num_topics=4)
    return [topic for topic, _ in model[tfidf[unseen]]], model.show_topics(1, 4)


def sparse_matrix():
    matrix = matutils.corpus2csc(corpus, num_terms=len(dictionary))
    model = LdaModel(matutils.Sparse2Corpus(matrix), 3, dictionary)
    return model.get_topics()


def small_corpora():
    one = LdaModel([corpus[0]], id2word=dictionary, num_topics=2)
    same = LdaModel([corpus[0]] * 5, id2word=dictionary, num_topics=1)
    more = LdaModel(corpus[:3], id2word=dictionary, num_topics=10)
    return [model.get_document_topics(corpus[0], 0.0) for model in (one, same, more)]


def trained_later():
    model = LdaModel(id2word=dictionary, num_topics=3)
    model.update(corpus)
    return model.num_updates, model.show_topic(0)


def updated_online():
    model = LdaModel(corpus[:30], id2word=dictionary, num_topics=3, update_every=1, passes=1)
    for start in range(30, NUM_DOCS, 10):
        model.update(corpus[start : start + 10], passes=2, chunksize=5)
    return model.state.numdocs, model.get_topics()


def own_steps():
    model = LdaModel(corpus[:40], id2word=dictionary, num_topics=3)
    gamma = model.do_estep(corpus[40:])
    model.update_alpha(gamma, 0.1)
    model.do_mstep(0.5, model.state)
    model.sync_state()
    return gamma, model.get_topics()


# --- topics


def topics_as_a_table():
    model = trained()
    table = pd.DataFrame(
        [[word for word, _ in model.show_topic(topic, topn=6)] for topic in range(4)],
        columns=[f"word {rank}" for rank in range(6)],
    )
    return table, model.print_topic(2, 5)


def words_with_their_counts():
    counts = {}
    for text in texts:
        for word in text:
            counts[word] = counts.get(word, 0) + 1
    rows = [
        [word, topic, weight, counts[word]]
        for topic, words in trained().show_topics(formatted=False)
        for word, weight in words
    ]
    return pd.DataFrame(rows, columns=["word", "topic", "weight", "count"])


def logged_topics():
    records = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        trained().show_topics(num_topics=2, num_words=3, log=True)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    return sum(record.startswith("topic #") for record in records)


def terms_of_topics():
    model = trained()
    fires = dictionary.token2id["fires"]
    return (
        [(dictionary[term], weight) for term, weight in model.get_topic_terms(0, topn=4)],
        model.get_term_topics(fires, minimum_probability=1e-9),
        model.get_term_topics("fires", minimum_probability=1e-9),
    )


def word_clouds():
    frequencies = [dict(trained().show_topic(topic, 200)) for topic in range(4)]
    return frequencies, [len(each) for each in frequencies]


def state_and_matrices():
    model = trained()
    topics = model.state.get_lambda()
    topics = topics / topics.sum(axis=1)[:, None]
    return topics, model.state.get_Elogbeta(), model.expElogbeta, model.state.sstats, model.alpha


def best_topics():
    ranked = trained().top_topics(corpus=corpus, topn=5)
    by_texts = trained().top_topics(texts=texts, dictionary=dictionary, coherence="c_npmi", topn=5)
    return sum(score for _, score in ranked) / len(ranked), ranked, by_texts


# --- documents


def dominant_topics():
    model = trained()
    rows = []
    for number, topics in enumerate(model[corpus]):
        topic, share = max(topics, key=lambda pair: pair[1])
        keywords = ", ".join(word for word, _ in model.show_topic(topic))
        rows.append([number, topic, round(float(share), 4), keywords, " ".join(texts[number])])
    table = pd.DataFrame(rows, columns=["document", "topic", "share", "keywords", "text"])
    best = table.sort_values("share", ascending=False).groupby("topic").head(1)
    return table, best, table["topic"].value_counts(normalize=True)


def topics_of_words():
    model = LdaModel(corpus, 3, dictionary, per_word_topics=True, minimum_phi_value=0.02)
    topics, word_topics, word_weights = model[unseen]
    same = model.get_document_topics(unseen, per_word_topics=True, minimum_phi_value=1e-9)
    return topics, word_topics, word_weights, len(same)


def all_shares():
    model = trained()
    rows = [dict(model.get_document_topics(bow, minimum_probability=0.0)) for bow in corpus]
    every = model.get_document_topics(corpus, minimum_probability=0.0)
    return pd.DataFrame(rows).fillna(0), list(every)[0]  # noqa: RUF015


def inferred_weights():
    gamma, statistics = trained().inference(corpus[:10], collect_sstats=True)
    return gamma, gamma / gamma.sum(axis=1)[:, None], statistics


def changed_settings():
    model = LdaModel(corpus, 3, dictionary)
    model.minimum_probability, model.per_word_topics, model.chunksize = 0.0, False, 7
    bow = model.id2word.doc2bow(["police", "sydney", "unheard-of"])
    return model[bow], len(model[[]]), list(model[[bow, []]])


def dense_features():
    features = matutils.corpus2dense(trained()[corpus], num_terms=4).T
    return features, matutils.corpus2csc(trained()[corpus], num_terms=4).shape


def similar_documents():
    model = trained()
    index = similarities.MatrixSimilarity(model[corpus], num_features=4)
    found = sorted(enumerate(index[model[unseen]]), key=lambda pair: -pair[1])
    return found[:3], matutils.hellinger(model[corpus[0]], model[corpus[1]])


def chained_transformations():
    tfidf = gensim.models.TfidfModel(corpus)
    weighted = tfidf[corpus]
    model = LdaModel(weighted, id2word=dictionary, num_topics=3)
    chained = model[weighted]
    lsi = gensim.models.LsiModel(chained, num_topics=2)
    return len(chained), lsi[model[tfidf[unseen]]]


# --- how good it is


def coherence_by_number_of_topics():
    scores = {}
    for num_topics in range(2, 7, 2):
        model = LdaModel(corpus, id2word=dictionary, num_topics=num_topics, random_state=100)
        measure = CoherenceModel(model=model, texts=texts, dictionary=dictionary, coherence="c_v")
        scores[num_topics] = measure.get_coherence()
    return scores, max(scores, key=scores.get)


def coherence_of_models():
    models = [LdaModel(corpus, num_topics, dictionary) for num_topics in (2, 3)]
    measure = CoherenceModel.for_models(
        models, dictionary=dictionary, corpus=corpus, coherence="u_mass", topn=5
    )
    return measure.compare_models(models)


def coherence_by_parts():
    from gensim.topic_coherence import direct_confirmation_measure, segmentation
    from gensim.topic_coherence.probability_estimation import p_boolean_document

    topics = [np.array([term for term, _ in trained().get_topic_terms(k, 5)]) for k in range(4)]
    segments = segmentation.s_one_pre(topics)
    counts = p_boolean_document(corpus, segments)
    return direct_confirmation_measure.log_conditional_probability(segments, counts)


def perplexity_curve():
    held_out, rest = corpus[:10], corpus[10:]
    curve = []
    for num_topics in (2, 4):
        model = LdaModel(rest, id2word=dictionary, num_topics=num_topics, eval_every=1)
        curve.append((num_topics, np.exp2(-model.log_perplexity(held_out)), model.bound(held_out)))
    return curve


def metrics_of_passes():
    class Largest(Metric):
        def __init__(self, logger=None, title="Largest"):
            self.logger, self.title = logger, title

        def get_value(self, model, **_):
            return float(model.get_topics().max())

    passes = 3
    model = LdaModel(
        corpus, 3, dictionary, passes=passes,
        callbacks=[
            CoherenceMetric(corpus=corpus, coherence="u_mass", topn=5, logger="shell"),
            PerplexityMetric(corpus=corpus[:10], logger="shell"),
            DiffMetric(distance="jaccard", num_words=10, logger="shell"),
            ConvergenceMetric(distance="jaccard", num_words=10, logger="shell"),
            Largest(),
        ],
    )  # fmt: skip
    curve = pd.DataFrame({name: list(model.metrics[name]) for name in sorted(model.metrics)})
    return curve.assign(epoch=range(passes)), len(model.metrics["Diff"])


def differences():
    one, other = trained(), LdaModel(corpus, 3, dictionary, random_state=5)
    heat_map, words = one.diff(other, distance="jaccard", num_words=50)
    own, _ = one.diff(one, distance="hellinger", diagonal=True, annotation=False)
    labels = [[f"shared: {cell[0]}, other: {cell[1]}" for cell in row] for row in words]
    return heat_map, labels, own


def visualization():
    prepared = pyLDAvis.gensim_models.prepare(trained(), corpus, dictionary, n_jobs=1)
    return prepared.topic_info, prepared.topic_coordinates.shape


# --- files


def saved_and_loaded():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lda.model")
        trained().save(path)
        loaded = LdaModel.load(path)
        mapped = LdaModel.load(path, mmap="r")
        events = [event["event"] for event in loaded.lifecycle_events]
        return loaded[unseen], mapped.show_topic(1, 3), loaded.id2word[3], events[-1]


def copied_and_pickled():
    other = pickle.loads(pickle.dumps(trained()))
    return copy.deepcopy(trained()).get_topics(), other.show_topic(0), other.num_topics


def events_of_a_model():
    model = LdaModel(corpus[:20], 2, dictionary)
    model.add_lifecycle_event("reviewed", log_level=None, by="us")
    return [sorted(event) for event in model.lifecycle_events]


def loads_what_ldamodel_saved():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lda.model")
        gensim.models.ldamodel.LdaModel(corpus[:20], 2, dictionary).save(path)
        return LdaModel.load(path).show_topic(0)


# --- relatives


def ensemble_of_topics():
    ensemble = gensim.models.EnsembleLda(id2word=dictionary, num_models=0, epsilon=0.5)
    ensemble.add_model([LdaModel(corpus, 3, dictionary, random_state=seed) for seed in range(3)])
    ensemble.recluster(eps=0.9, min_samples=1, min_cores=1)
    return ensemble.ttda, ensemble.num_models, ensemble.get_topics(), ensemble.print_topics(1, 3)


def ensemble_of_a_class():
    ensemble = gensim.models.EnsembleLda(
        topic_model_class=LdaModel, corpus=corpus, id2word=dictionary, num_topics=3, num_models=2
    )
    return ensemble.ttda


def dynamic_topics():
    sequence = gensim.models.LdaSeqModel(
        corpus[:6], time_slice=[3, 3], id2word=dictionary, num_topics=3, initialize="ldamodel",
        lda_model=LdaModel(corpus[:6], 3, dictionary), em_min_iter=1, em_max_iter=1, passes=1,
        lda_inference_max_iter=2, random_state=0,
    )  # fmt: skip
    return sequence.print_topic(0, top_terms=3)


def kind_of_a_model():
    model = trained()
    assert isinstance(model, gensim.models.ldamodel.LdaModel), type(model).__name__
    return True


def compared_by_ldamodel():
    lda = gensim.models.ldamodel.LdaModel(corpus, 3, dictionary)
    return lda.diff(trained(), distance="jaccard")[0]
