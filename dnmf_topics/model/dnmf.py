"""DnmfModel: deep NMF topics behind the interface of gensim's LdaModel."""

from __future__ import annotations

import copy
import logging
import time
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np
from gensim.interfaces import CorpusABC, TransformationABC
from gensim.models.callbacks import Callback
from gensim.utils import get_random_state
from scipy import sparse

from ..core import Mbn, Tfidf, TopicFit, fit_topics
from ..core.checks import check_int, check_jobs, check_real
from ..core.factorization import Lambda, check_variant
from ..core.fold_in import fold_in
from ..core.membership import one_hot
from ..core.refine import assignment_weights
from ..core.types import Dense, Labels
from .corpus import (
    Corpus,
    Document,
    Documents,
    as_corpus,
    identity_vocabulary,
    known_documents,
    of_matrix,
    read_corpus,
    vocabulary_size,
)
from .files import load_model, save_model
from .posterior import evidence_bound, topic_shares, word_topics
from .priors import topic_prior, word_prior
from .progress import reporting
from .state import DnmfState
from .tables import TopicTables

logger = logging.getLogger(__name__)

WEIGHTINGS = ("auto", "tfidf", "none")
# LdaModel's parameters for its way of training, with their defaults. They mean nothing here.
WITHOUT_MEANING = {
    "distributed": False,
    "passes": 1,
    "update_every": 1,
    "decay": 0.5,
    "offset": 1.0,
    "eval_every": 10,
    "iterations": 50,
    "gamma_threshold": 0.001,
    "ns_conf": None,
    "dtype": np.float32,
}

DocumentTopics = list[tuple[int, np.float64]]


class DnmfModel(TopicTables, TransformationABC):  # type: ignore[misc]
    """Deep NMF topics, a drop-in for gensim's LdaModel.

    Parameters
    ----------
    corpus : documents to train on, each a list of (term id, count) pairs; or a sparse matrix with a
        row for each term and a column for each document. A corpus that can be read only once will
        do. None leaves the model untrained, until `update`. Documents may be empty, but not all.
    num_topics : number of topics. Those beyond the number of documents stay empty: their words are
        all alike, and no document is assigned to them.
    id2word : dict or gensim Dictionary from term ids to words; None for the ids themselves.
    chunksize : how many documents are inferred at a time.
    alpha : prior of the topics in a document, in units of words: a number, an array, 'symmetric',
        'asymmetric', or 'auto' for the topics' shares in the corpus. A document without known
        words, or with none but those of all documents, gets the prior as its topics.
    eta : prior of the words in a topic, for `bound` and `log_perplexity`: a number, an array,
        'symmetric', or 'auto' for the words' shares in the corpus.
    minimum_probability : topics below it are left out of a document's topics.
    random_state : an int or a numpy RandomState. The same int gives the same model, bit for bit.
    minimum_phi_value : topics below it, in counts, are left out of the topics of a word.
    per_word_topics : whether `model[bow]` also returns the topics of the words.
    callbacks : gensim's metrics (CoherenceMetric, PerplexityMetric, DiffMetric, ConvergenceMetric).
        They are evaluated once for each `update`; `model.metrics` holds their values.
    distributed, passes, update_every, decay, offset, eval_every, iterations, gamma_threshold,
    ns_conf, dtype : LdaModel's, without a meaning here and without an effect. The log says so.
    variant : "bdnmf", "sdnmf" or "cdnmf", the factorization.
    num_clusterings, delta, first_layer_size, last_layer_size : the network's, see `core.Mbn`.
    lambda1, lambda2 : weights of cDNMF's penalties; "auto" chooses them.
    deep_model : what groups the training documents: None for the network with the settings above,
        a `core.Mbn`, an object with `fit_predict`, an array of labels, or a matrix of memberships
        (documents x topics, rows sum to 1). Given groups need as many documents as topics.
    weighting : "tfidf" weighs the terms, "none" takes a weighted corpus as it is; "auto" weighs
        them if all values are whole numbers, hence counts. Terms of all documents weigh nothing,
        so "tfidf" cannot learn from a single document, or from documents that are all the same.
    n_jobs : number of threads, as joblib counts them.
    show_progress : whether training shows a progress bar.

    Attributes
    ----------
    state : the sums that the topics are made of, see `DnmfState`.
    expElogbeta : (K x V) word probabilities of the topics.
    cluster_labels : (N) the topic of every training document.

    Examples
    --------
    >>> from gensim.test.utils import common_corpus, common_dictionary
    >>> model = DnmfModel(common_corpus, num_topics=2, id2word=common_dictionary, random_state=0)
    >>> [word for word, _ in model.show_topic(1, topn=3)]
    ['trees', 'graph', 'minors']
    >>> document = common_dictionary.doc2bow(["graph", "of", "trees"])
    >>> max(model[document], key=lambda pair: pair[1])[0]
    1
    """

    def __init__(
        self,
        corpus: Corpus | None = None,
        num_topics: int = 100,
        id2word: Any = None,
        distributed: bool = False,
        chunksize: int = 2000,
        passes: int = 1,
        update_every: int = 1,
        alpha: Any = "symmetric",
        eta: Any = None,
        decay: float = 0.5,
        offset: float = 1.0,
        eval_every: int | None = 10,
        iterations: int = 50,
        gamma_threshold: float = 0.001,
        minimum_probability: float = 0.01,
        random_state: Any = None,
        ns_conf: dict[str, Any] | None = None,
        minimum_phi_value: float = 0.01,
        per_word_topics: bool = False,
        callbacks: list[Any] | None = None,
        dtype: Any = np.float32,
        *,
        variant: str = "sdnmf",
        num_clusterings: int = 400,
        delta: float = 0.5,
        first_layer_size: int | None = None,
        last_layer_size: int | Literal["auto"] = "auto",
        lambda1: Lambda = 1.0,
        lambda2: Lambda = 1.0,
        deep_model: Any = None,
        weighting: str = "auto",
        n_jobs: int | None = -1,
        show_progress: bool = False,
    ) -> None:
        if corpus is None and id2word is None:
            raise ValueError(
                "corpus or id2word must be given, to know the vocabulary; both are None."
            )
        self.num_topics = check_int(num_topics, "num_topics", 1)
        self.chunksize = check_int(chunksize, "chunksize", 1)
        self.minimum_probability = check_real(minimum_probability or 0, "minimum_probability", 0)
        self.minimum_phi_value = check_real(minimum_phi_value or 0, "minimum_phi_value", 0)
        check_variant(variant, lambda1, lambda2)
        if weighting not in WEIGHTINGS:
            raise ValueError(
                f"weighting must be one of {', '.join(WEIGHTINGS)}; got {weighting!r}."
            )
        check_jobs(n_jobs)
        _check_callbacks(callbacks)
        self.network = Mbn(num_clusterings, delta, first_layer_size, last_layer_size)
        if isinstance(deep_model, Mbn):
            self.network = deep_model
        self.random_state = get_random_state(random_state)
        self.variant = variant
        self.lambda1, self.lambda2 = lambda1, lambda2
        self.deep_model = deep_model
        self.weighting = weighting
        self.n_jobs = n_jobs
        self.show_progress = show_progress
        self.per_word_topics = per_word_topics
        self.callbacks = callbacks
        self.distributed, self.passes, self.update_every = distributed, passes, update_every
        self.decay, self.offset, self.eval_every = decay, offset, eval_every
        self.iterations, self.gamma_threshold = iterations, gamma_threshold
        self.ns_conf, self.dtype = ns_conf, np.dtype(dtype)
        self.dispatcher, self.numworkers = None, 1
        _say_without_effect(
            name for name, default in WITHOUT_MEANING.items() if getattr(self, name) != default
        )
        self.alpha, self.optimize_alpha = self.init_dir_prior(alpha, "alpha")

        documents = None
        if id2word is None:
            documents = read_corpus(corpus)
            id2word = identity_vocabulary(documents.shape[1])
        self.id2word = id2word
        self.num_terms = vocabulary_size(id2word)
        if self.num_terms == 0:
            raise ValueError("corpus and id2word must have at least one term, got none.")
        self.eta, self.optimize_eta = self.init_dir_prior(eta, "eta")
        if documents is None and corpus is not None:
            documents = read_corpus(corpus, self.num_terms)
        self.num_updates = 0
        self.metrics: dict[str, list[Any]] = defaultdict(list)
        self.cluster_labels: Labels = np.zeros(0, dtype=np.int64)
        self._doc_topics: Dense = np.zeros((0, self.num_topics))
        self.state = DnmfState(self.num_topics, self.num_terms)
        self.sync_state()
        if documents is not None:
            self._learn(documents)

    def __str__(self) -> str:
        return (
            f"{type(self).__name__}<num_terms={self.num_terms}, num_topics={self.num_topics}, "
            f"variant={self.variant}, weighting={self.weighting}>"
        )

    # --- training

    def update(
        self,
        corpus: Corpus,
        chunksize: int | None = None,
        decay: float | None = None,
        offset: float | None = None,
        passes: int | None = None,
        update_every: int | None = None,
        eval_every: int | None = None,
        iterations: int | None = None,
        gamma_threshold: float | None = None,
        chunks_as_numpy: bool = False,
    ) -> None:
        """Train on new documents. The first ones make the topics, later ones are folded in.

        Folding in assigns the documents to the topics there are and adds them to the statistics in
        `state`, from which the topics' words are made anew; nothing is forgotten. The other
        arguments are LdaModel's, without an effect. If it fails or is interrupted, the model stays
        as it was.
        """
        given = {
            "chunksize": chunksize, "decay": decay, "offset": offset, "passes": passes,
            "update_every": update_every, "eval_every": eval_every, "iterations": iterations,
            "gamma_threshold": gamma_threshold, "chunks_as_numpy": chunks_as_numpy or None,
        }  # fmt: skip
        _say_without_effect(name for name, value in given.items() if value is not None)
        self._learn(read_corpus(corpus, self.num_terms))

    def _learn(self, documents: sparse.csr_array) -> None:
        if documents.shape[0] == 0:
            logger.warning("corpus is empty: nothing to learn")
            return
        start = time.perf_counter()
        # All the work is done on a copy, so what fails half-way leaves no trace.
        learner = copy.copy(self)
        learner.state = copy.copy(self.state)
        learner.metrics = defaultdict(list, {name: [*old] for name, old in self.metrics.items()})
        learner.callbacks = None  # which hold models; gensim's copies of the model would hold all
        callback = None
        if self.callbacks:
            callback = Callback(self.callbacks)
            callback.set_model(learner)
        first = self.state.numdocs == 0
        if first:
            learner._fit(documents)
        else:
            learner._fold_in(documents)
        learner.num_updates += documents.shape[0]
        if callback is not None:
            epoch = max((len(values) for values in self.metrics.values()), default=0)
            for metric, value in callback.on_epoch_end(epoch).items():
                learner.metrics[metric].append(value)
        logger.info(
            "learnt %i documents in %.1f s: %s",
            documents.shape[0], time.perf_counter() - start, learner,
        )  # fmt: skip
        if first:
            self.random_state.randint(2**31)  # the seed that the copy has used
        learner.callbacks = self.callbacks
        self.__dict__.update(learner.__dict__)

    def _fit(self, documents: sparse.csr_array) -> None:
        """The topics of the first documents."""
        if self.weighting == "auto":
            counted = bool((documents.data == np.floor(documents.data)).all())
            self.weighting = "tfidf" if counted else "none"
            values = "whole numbers" if counted else "weights"
            logger.info("the corpus holds %s: weighting=%r", values, self.weighting)
        doc_term = Tfidf.fit(documents).transform(documents) if self._weighs else documents
        num_weighted = int((np.diff(doc_term.indptr) > 0).sum())
        if num_weighted == 0:
            raise ValueError(
                "corpus must have a document with a weight, but all are empty, or tf-idf is 0 as "
                "every document has the same terms; weighting='none' takes the counts as they are."
            )
        deep_model = self.network if self.deep_model is None else self.deep_model
        num_found = self.num_topics
        if isinstance(deep_model, Mbn) and num_weighted < num_found:
            num_found = num_weighted
            logger.warning(
                "num_topics=%i, but only %i documents have a weight: the other topics stay empty",
                self.num_topics, num_weighted,
            )  # fmt: skip
        with reporting(self.show_progress) as progress:
            fit = fit_topics(
                doc_term, num_found,
                deep_model=deep_model, variant=self.variant,
                lambda1=self.lambda1, lambda2=self.lambda2,
                random_state=int(copy.deepcopy(self.random_state).randint(2**31)),
                n_jobs=self.n_jobs, progress=progress,
            )  # fmt: skip
        self.state.merge(self._statistics_of(fit, doc_term, documents))
        self.sync_state()
        self._learn_priors()
        # In the place of what was there: after `clear` these are other topics.
        self.cluster_labels = fit.labels
        self._doc_topics = _normalised(self._gamma(of_matrix(documents)))

    def _statistics_of(
        self, fit: TopicFit, doc_term: sparse.csr_array, documents: sparse.csr_array
    ) -> DnmfState:
        missing = self.num_topics - fit.num_topics
        weights = np.pad(fit.doc_topic, ((0, 0), (0, missing)))
        membership = np.pad(fit.membership, ((0, 0), (0, missing)))
        statistics = self._statistics(doc_term, documents, weights, membership)
        if self.variant == "cdnmf":
            # Its topics also answer to a penalty, so D W' alone does not give them back. The
            # model's own D ~ C W does: C W W'.
            topics = np.pad(fit.topic_term, ((0, missing), (0, 0)))
            statistics.sstats = statistics.weight_gram @ topics
        return statistics

    def _statistics(
        self, doc_term: sparse.csr_array, documents: sparse.csr_array, weights: Dense,
        membership: Dense,
    ) -> DnmfState:  # fmt: skip
        statistics = DnmfState(self.num_topics, self.num_terms)
        statistics.sstats = (doc_term.T @ weights).T
        statistics.weight_gram = weights.T @ weights
        statistics.cluster_mass = (doc_term.T @ membership).T
        statistics.word_counts = (documents.T @ membership).T
        statistics.topic_sizes = membership.sum(axis=0)
        statistics.doc_frequency += np.bincount(documents.indices, minlength=self.num_terms)
        statistics.numdocs = documents.shape[0]
        return statistics

    def _fold_in(self, documents: sparse.csr_array) -> None:
        """New documents, with the topics as they are; then the topics' words anew."""
        statistics = DnmfState(self.num_topics, self.num_terms)
        labels, shares = [self.cluster_labels], [self._doc_topics]
        # Weighed by all documents, the new ones too: or words they bring would weigh nothing.
        idf = self.state.idf(documents)
        for start in range(0, documents.shape[0], self.chunksize):
            chunk = documents[start : start + self.chunksize]
            gamma, chunk_statistics = self._expect(chunk, idf)
            statistics.merge(chunk_statistics)
            labels.append(self._assigned_topics(gamma))
            shares.append(_normalised(gamma))
        self.state.merge(statistics)
        self.sync_state()
        self._learn_priors()
        self.cluster_labels, self._doc_topics = np.concatenate(labels), np.concatenate(shares)

    def _expect(
        self, documents: sparse.csr_array, idf: Dense | None = None
    ) -> tuple[Dense, DnmfState]:
        """Topics of documents under the model as it is, and the statistics they add.

        These are weighed by `idf`, by default the model's.
        """
        tfidf = Tfidf(self._idf if idf is None else idf)
        doc_term = tfidf.transform(documents) if self._weighs else documents
        gamma = self._gamma(of_matrix(documents))
        membership = one_hot(self._assigned_topics(gamma), self.num_topics)
        topics = self.expElogbeta * self._topic_scale[:, None]
        if self._topic_sizes.any():
            topics[self._topic_sizes == 0] = 0  # topics without documents stay so
        if self.variant == "bdnmf":
            weights = membership
        elif self.variant == "sdnmf":
            # W = F . T: within a document's topic, the weight that fits it best
            squares = (topics**2).sum(axis=1)
            weights = membership * (doc_term @ topics.T) / np.where(squares > 0, squares, 1)
        else:
            weights = fold_in(doc_term, np.ascontiguousarray(topics.T))
        return gamma, self._statistics(doc_term, documents, weights, membership)

    def _assigned_topics(self, gamma: Dense) -> Labels:
        """The topic of every document, from `inference`'s weights (n x K).

        It is the one with the highest weight, but never one without training documents. A document
        without known words goes to the largest topic.
        """
        sizes = self._topic_sizes
        allowed = sizes > 0 if sizes.any() else np.ones(self.num_topics, dtype=bool)
        labels: Labels = np.where(allowed, gamma, 0).argmax(axis=1)
        labels[(gamma == self.alpha).all(axis=1)] = sizes.argmax()
        return labels

    def sync_state(self, current_Elogbeta: Dense | None = None) -> None:  # noqa: N803 - gensim's
        """Make everything that reading needs from `state`, after it was changed.

        `current_Elogbeta` gives the logarithms of the topics' word probabilities, in the place of
        the state's own.
        """
        topics = self.state.get_lambda()
        totals = topics.sum(axis=1)
        self._topic_scale: Dense = totals
        if current_Elogbeta is None:
            self.expElogbeta = topics / totals[:, None]
        else:
            self.expElogbeta = np.exp(current_Elogbeta)
        weights = assignment_weights(self.state.cluster_mass.T)
        self._term_weights: Dense = np.ascontiguousarray(weights, dtype=np.float64)
        self._topic_sizes = np.array(self.state.topic_sizes)
        self._idf = self.state.idf()

    def do_estep(self, chunk: Corpus, state: DnmfState | None = None) -> Dense:
        """Infer documents and add their statistics to `state` (default: the model's own).

        Returns `inference`'s first result.
        """
        if not self._topic_sizes.any():
            raise ValueError("chunk must come after documents with topics: call update first.")
        documents = read_corpus(chunk, self.num_terms)
        gamma, statistics = self._expect(documents)
        (self.state if state is None else state).merge(statistics)
        return gamma

    def do_mstep(self, rho: float, other: DnmfState, extra_pass: bool = False) -> None:
        """Blend `other` into the model's state with weight `rho`, and make the topics anew."""
        self.state.blend(rho, other)
        self.sync_state()
        self._learn_priors()
        if not extra_pass:
            self.num_updates += other.numdocs

    def clear(self) -> None:
        """Drop the statistics, to save memory.

        Topics and documents can still be read; likelihoods know no more than the prior `eta`, and
        the next `update` finds new topics.
        """
        self.state = DnmfState(self.num_topics, self.num_terms)

    def init_dir_prior(self, prior: Any, name: str) -> tuple[Dense, bool]:
        """The prior `name` ('alpha' or 'eta') as an array, and whether it is learnt."""
        if name not in ("alpha", "eta"):
            raise ValueError(f"name must be 'alpha' or 'eta', got {name!r}.")
        if name == "alpha":
            return topic_prior(prior, self.num_topics)
        return word_prior(prior, self.num_topics, self.num_terms)

    def _learn_priors(self) -> None:
        if self.optimize_alpha:
            self.alpha = _smoothed_shares(self.state.topic_sizes)
        if self.optimize_eta:
            self.update_eta(self.state.word_counts, 1.0)

    def update_alpha(self, gammat: Dense, rho: float) -> Dense:
        """Move `alpha` by `rho` towards the topics' mean shares in documents (n x K)."""
        target = _smoothed_shares(_normalised(gammat).sum(axis=0))
        self.alpha = (1 - rho) * self.alpha + rho * target
        return self.alpha

    def update_eta(self, lambdat: Dense, rho: float) -> Dense:
        """Move `eta` by `rho` towards the words' shares in topics (K x V)."""
        counts = lambdat.sum(axis=0) + 1
        target = counts / counts.sum() * self.num_terms / self.num_topics
        self.eta = (1 - rho) * self.eta + rho * target
        return self.eta

    # --- documents

    def inference(self, chunk: Corpus, collect_sstats: bool = False) -> tuple[Dense, Dense | None]:
        """Topic weights of documents (n x K), in units of words and on top of `alpha`.

        Divided by their sums they are the documents' topic shares. With `collect_sstats` also what
        the documents would add to `state.sstats`.
        """
        documents = self._known(chunk)
        if collect_sstats:
            gamma, statistics = self._expect(documents.matrix)
            return gamma, statistics.sstats
        return self._gamma(documents), None

    def get_document_topics(
        self,
        bow: Document | Corpus,
        minimum_probability: float | None = None,
        minimum_phi_value: float | None = None,
        per_word_topics: bool = False,
    ) -> Any:
        """Topics of a document as (topic, share) pairs, or of each document of a corpus.

        The shares sum to 1; those below `minimum_probability` (0 for none) are left out. A document
        without known words has the shares of the prior `alpha`; unknown words are ignored, with a
        warning. A corpus is read when its topics are.

        With `per_word_topics` three lists: the topics, (word id, its topics, the most likely
        first), and (word id, [(topic, the word's count that belongs to it)]), without values below
        `minimum_phi_value`.
        """
        if minimum_probability is None:
            minimum_probability = self.minimum_probability
        if minimum_phi_value is None:
            minimum_phi_value = self.minimum_phi_value
        limits = (minimum_probability, minimum_phi_value, per_word_topics)
        found, corpus = as_corpus(bow)
        if found:
            return TopicCorpus(self, corpus, *limits)
        return next(self._document_topics(self._known([bow]), *limits))

    def _document_topics(
        self, documents: Documents, minimum_probability: float, minimum_phi_value: float,
        per_word_topics: bool,
    ) -> Iterator[Any]:  # fmt: skip
        all_shares = _normalised(self._gamma(documents))
        topic_word = self._word_distributions() if per_word_topics else None
        for (ids, values), shares in zip(documents, all_shares, strict=True):
            topics = _above(shares, minimum_probability)
            if topic_word is None:
                yield topics
                continue
            phi = word_topics(ids, values, shares, topic_word)
            kept = [_above(row, minimum_phi_value) for row in phi]
            ranked = [[k for k, _ in sorted(pairs, key=lambda p: -p[1])] for pairs in kept]
            terms = ids.tolist()
            yield topics, list(zip(terms, ranked, strict=True)), list(zip(terms, kept, strict=True))

    def __getitem__(self, bow: Document | Corpus, eps: float | None = None) -> Any:
        """`get_document_topics` with the model's own limits."""
        return self.get_document_topics(bow, eps, self.minimum_phi_value, self.per_word_topics)

    def doc_topics(self) -> Dense:
        """Topic shares of all training documents (N x K), as the model saw them when they came."""
        return np.array(self._doc_topics)

    def bound(
        self, corpus: Corpus, gamma: Dense | None = None, subsample_ratio: float = 1.0
    ) -> float:
        """A lower bound of the log-likelihood of the documents' counts.

        The topics' word distributions are those of the counts of their documents, smoothed by
        `eta`; a document's topic shares have the prior `alpha`. It is LdaModel's bound for these
        topics but for one term: LdaModel also subtracts how far its topics are from their prior.
        `gamma` (default: that of `inference`) may be any weights; the bound is a bound for all.
        """
        documents = self._known(corpus)
        if gamma is None:
            gamma = self._gamma(documents)
        elif np.shape(gamma) != (len(documents), self.num_topics) or not (gamma > 0).all():
            raise ValueError(
                f"gamma must have weights above 0 of {self.num_topics} topics for each of the "
                f"{len(documents)} documents, got shape {np.shape(gamma)}."
            )
        return subsample_ratio * evidence_bound(
            documents.matrix, gamma, self.alpha, self._word_distributions()
        )

    def log_perplexity(self, chunk: Corpus, total_docs: int | None = None) -> float:
        """`bound` for each word of the documents; the perplexity is 2 to the power of minus it.

        `total_docs` is LdaModel's, without an effect.
        """
        documents = self._known(chunk)
        num_words = float(documents.values.sum())
        if num_words == 0:
            raise ValueError("chunk must have a known word: nothing else has a likelihood.")
        gamma = self._gamma(documents)
        bound = evidence_bound(documents.matrix, gamma, self.alpha, self._word_distributions())
        logger.info(
            "%.3f per-word bound, %.1f perplexity of %i documents with %i words",
            bound / num_words, np.exp2(-bound / num_words), len(documents), num_words,
        )  # fmt: skip
        return bound / num_words

    # --- files

    def save(
        self,
        fname: Any,
        ignore: Any = ("state", "dispatcher"),
        separately: Any = None,
        sep_limit: int = 10 * 1024**2,
        pickle_protocol: int | None = None,
    ) -> None:
        """Write the model to the file `fname`, or to a handle, without pickle.

        `ignore` names what to leave out: "id2word", or "doc_topics" (topics and labels of the
        training documents); as with LdaModel, `state` is always kept. `separately` names arrays to
        put into files of their own, which `load` can map into memory; by default those of at least
        `sep_limit` bytes. A name that ends in .gz is compressed. `callbacks`, `metrics` and
        `deep_model` (but a `core.Mbn`) are not saved, nor are words that `id2word` got since; and
        `pickle_protocol` means nothing. The old file stays whole until the new one is complete.
        """
        save_model(self, fname, ignore, separately, sep_limit)

    @classmethod
    def load(cls, fname: Any, mmap: str | None = None) -> DnmfModel:
        """Read a model that `save` wrote. Nothing in the file can run code.

        mmap='r' maps arrays that were stored separately instead of reading them.
        """
        model = cls.__new__(cls)
        load_model(model, DnmfModel.__init__, fname, mmap)
        return model

    # --- inside

    @property
    def _weighs(self) -> bool:
        return self.weighting == "tfidf"

    def topic_order(self) -> list[int]:
        """Topic ids, the topics of most documents first."""
        return [int(k) for k in np.argsort(-self._topic_sizes, kind="stable")]

    def _known(self, chunk: Corpus, warn: bool = True) -> Documents:
        documents = known_documents(chunk, self.num_terms)
        if documents.has_unknown and warn:
            warnings.warn(
                "Term ids that the model's vocabulary does not have are ignored.", stacklevel=3
            )
        return documents

    def _gamma(self, documents: Documents) -> Dense:
        shares, lengths = topic_shares(
            documents, self._idf if self._weighs else None, self._term_weights, self._topic_sizes
        )
        return self.alpha + lengths[:, None] * shares

    def _word_distributions(self) -> Dense:
        counts = self.state.word_counts + self.eta
        distributions: Dense = counts / counts.sum(axis=1, keepdims=True)
        return distributions


class TopicCorpus(CorpusABC):  # type: ignore[misc]
    """The topics of the documents of a corpus, computed when they are asked for."""

    def __init__(self, model: DnmfModel, corpus: Corpus, *limits: Any) -> None:
        self.model = model
        self.corpus = corpus.tocsc() if sparse.issparse(corpus) else corpus
        self.limits = limits

    def __iter__(self) -> Iterator[Any]:
        warn = True
        for chunk in self._chunks():
            documents = self.model._known(chunk, warn)
            warn = warn and not documents.has_unknown  # once is enough
            yield from self.model._document_topics(documents, *self.limits)

    def __len__(self) -> int:
        return int(self.corpus.shape[1]) if sparse.issparse(self.corpus) else len(self.corpus)

    def __getitem__(self, index: Any) -> Any:
        one = not isinstance(index, slice)
        if sparse.issparse(self.corpus):
            chosen = self.corpus[:, [index] if one else index]
        else:
            chosen = [self.corpus[index]] if one else self.corpus[index]
        if not one:
            return TopicCorpus(self.model, chosen, *self.limits)
        return next(self.model._document_topics(self.model._known(chosen), *self.limits))

    def _chunks(self) -> Iterator[Corpus]:
        size = self.model.chunksize
        if sparse.issparse(self.corpus):
            for start in range(0, self.corpus.shape[1], size):
                yield self.corpus[:, start : start + size]
            return
        chunk: list[Document] = []
        for document in self.corpus:
            chunk.append(document)
            if len(chunk) == size:
                yield chunk
                chunk = []
        if chunk:
            yield chunk


def _normalised(gamma: Dense) -> Dense:
    return gamma / gamma.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


def _smoothed_shares(sizes: Dense) -> Dense:
    """Topics' shares, with one more document that has all topics: none becomes zero."""
    return (sizes + 1 / sizes.size) / (sizes.sum() + 1)  # type: ignore[no-any-return]


def _check_callbacks(callbacks: Any) -> None:
    if callbacks is not None and not (
        isinstance(callbacks, (list, tuple)) and all(hasattr(m, "get_value") for m in callbacks)
    ):
        raise TypeError(f"callbacks must be a list of gensim's metrics, got {callbacks!r}.")


def _say_without_effect(names: Iterable[str]) -> None:
    if given := ", ".join(names):
        logger.info("without a meaning for DNMF, and without an effect: %s", given)


def _above(shares: Dense, minimum: float) -> DocumentTopics:
    return [(k, share) for k, share in enumerate(shares) if share >= minimum]
