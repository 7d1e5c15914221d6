"""Training: the topics of the first documents, then updates through sums that can be merged."""

from __future__ import annotations

import copy
import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
from gensim.models.callbacks import Callback
from scipy import sparse

from ..common.arrays import Dense, FloatArray
from ..common.documents import AnyCorpus, documents_of, read_matrix
from ..core import Lambda, Mbn, Tfidf, TopicFit, assignment_weights, fit_topics
from .documents import normalised
from .priors import topic_prior, word_prior
from .reporting import reporting
from .state import DnmfState
from .tables import TopicTables
from .vocabulary import tokenization_of

logger = logging.getLogger(__name__)


class Learner(TopicTables):
    """Everything that changes a model."""

    network: Mbn
    deep_model: Any
    overlap: float
    lambda1: Lambda
    lambda2: Lambda
    random_state: np.random.RandomState
    n_jobs: int | None
    show_progress: bool
    callbacks: Any
    metrics: dict[str, list[Any]]
    num_updates: int
    optimize_alpha: bool
    optimize_eta: bool
    doc_embedding: FloatArray
    tokenization: Any

    def update(
        self,
        corpus: AnyCorpus,
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

        Folding in assigns the documents to the topics there are and adds them to the sums in
        `state`, from which the topics' words are made anew; nothing is forgotten. With bDNMF the
        words are those that a fit of all documents with these topics would have; with sDNMF new
        documents count for their own topic alone, whatever the `overlap` is. The other arguments
        are LdaModel's, without an effect. If it fails or is interrupted, the model stays as it was.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.update([common_dictionary.doc2bow(["graph", "minors"])])
        >>> model.state.numdocs, int(model.cluster_labels[-1])
        (10, 1)
        """
        given = {
            "chunksize": chunksize, "decay": decay, "offset": offset, "passes": passes,
            "update_every": update_every, "eval_every": eval_every, "iterations": iterations,
            "gamma_threshold": gamma_threshold, "chunks_as_numpy": chunks_as_numpy or None,
        }  # fmt: skip
        say_without_effect(name for name, value in given.items() if value is not None)
        self._learn(read_matrix(corpus, self.num_terms, unknown="refuse"), tokenization_of(corpus))

    def _learn(self, documents: sparse.csr_array, tokenization: dict[str, Any] | None) -> None:
        if documents.shape[0] == 0:
            logger.warning("corpus is empty: nothing to learn")
            return
        start = time.perf_counter()
        # All the work is done on a copy, so what fails half-way leaves no trace.
        learner = copy.copy(self)
        learner.state = copy.copy(self.state)
        learner.metrics = defaultdict(list, {name: [*old] for name, old in self.metrics.items()})
        learner.tokenization = self.tokenization or tokenization
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
        if learner.doubts:
            logger.warning("the topics may not be what you want: %s", "; ".join(learner.doubts))
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
                overlap=self.overlap, lambda1=self.lambda1, lambda2=self.lambda2,
                random_state=int(copy.deepcopy(self.random_state).randint(2**31)),
                n_jobs=self.n_jobs, progress=progress,
            )  # fmt: skip
        self.state.merge(self._statistics_of(fit, doc_term, documents))
        self.sync_state()
        self._learn_priors()
        # In the place of what was there: after `clear` these are other topics.
        self.cluster_labels = fit.labels
        self._doc_topics = normalised(self._gamma(documents_of(documents)))
        self._doc_cosines = self._own_cosines(documents, fit.labels)
        self.doc_embedding = np.zeros(
            (documents.shape[0] if fit.deep else 0, self.num_topics), "f4"
        )
        self.views = []
        if fit.deep:
            self.views = [
                {**vars(score), "total": score.total, "taken": number == fit.deep.taken}
                for number, score in enumerate(fit.deep.scores)
            ]
            embedding = fit.deep.embedding
            self.doc_embedding[fit.deep.documents, : embedding.shape[1]] = embedding

    def _statistics_of(
        self, fit: TopicFit, doc_term: sparse.csr_array, documents: sparse.csr_array
    ) -> DnmfState:
        missing = self.num_topics - fit.num_topics
        weights = np.pad(fit.doc_topic, ((0, 0), (0, missing)))
        membership = np.pad(fit.membership, ((0, 0), (0, missing)))
        return self._statistics(doc_term, documents, weights, membership)

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
            shares.append(normalised(gamma))
        self.state.merge(statistics)
        self.sync_state()
        self._learn_priors()
        self.cluster_labels, self._doc_topics = np.concatenate(labels), np.concatenate(shares)
        new = self._own_cosines(documents, self.cluster_labels[-documents.shape[0] :])
        self._doc_cosines = np.concatenate([self._doc_cosines, new])
        self.doc_embedding = self.doc_embedding[:0]

    def sync_state(self, current_Elogbeta: Dense | None = None) -> None:  # noqa: N803 - gensim's
        """Make everything that reading needs from `state`, after it was changed.

        `current_Elogbeta` gives the logarithms of the topics' word probabilities, in the place of
        the state's own.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.state.sstats[1, common_dictionary.token2id["trees"]] = 0
        >>> model.sync_state()
        >>> [word for word, _ in model.show_topic(1, topn=2)]
        ['graph', 'minors']
        """
        if current_Elogbeta is None:
            self.expElogbeta = normalised(self.state.get_lambda())
        else:
            self.expElogbeta = np.exp(current_Elogbeta)
        # c_k such that D ~ c_k beta_k w has weights w of 1 in the mean over the topic's documents
        products = (self.state.cluster_mass * self.expElogbeta).sum(axis=1)
        squares = (self.expElogbeta**2).sum(axis=1)
        sizes = np.where(self.state.topic_sizes > 0, self.state.topic_sizes, 1)
        self._topic_scale: Dense = products / (squares * sizes)
        weights = assignment_weights(self.state.cluster_mass.T)
        self._term_weights: Dense = np.ascontiguousarray(weights, dtype=np.float64)
        self._topic_sizes = np.array(self.state.topic_sizes)
        self._idf = self.state.idf()

    def do_estep(self, chunk: AnyCorpus, state: DnmfState | None = None) -> Dense:
        """Infer documents and add their statistics to `state` (default: the model's own).

        Returns `inference`'s first result.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics.model import DnmfModel, DnmfState
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> new = DnmfState(model.num_topics, model.num_terms)
        >>> model.do_estep(common_corpus[5:], new).shape
        (4, 2)
        >>> new.topic_sizes.tolist()
        [0.0, 4.0]
        """
        if not self._topic_sizes.any():
            raise ValueError("chunk must come after documents with topics: call update first.")
        documents = read_matrix(chunk, self.num_terms, unknown="refuse")
        gamma, statistics = self._expect(documents)
        (self.state if state is None else state).merge(statistics)
        return gamma

    def do_mstep(self, rho: float, other: DnmfState, extra_pass: bool = False) -> None:
        """Blend `other` into the model's state with weight `rho`, and make the topics anew.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics.model import DnmfModel, DnmfState
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> new = DnmfState(model.num_topics, model.num_terms)
        >>> _ = model.do_estep(common_corpus[5:], new)
        >>> model.do_mstep(0.5, new)  # as if half of the nine documents were like the new ones
        >>> model.state.topic_sizes.tolist()
        [2.5, 6.5]
        """
        self.state.blend(rho, other)
        self.sync_state()
        self._learn_priors()
        if not extra_pass:
            self.num_updates += other.numdocs

    def clear(self) -> None:
        """Drop the statistics, to save memory.

        Topics and documents can still be read; likelihoods know no more than the prior `eta`, and
        the next `update` finds new topics.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.clear()
        >>> model.state.numdocs
        0
        >>> [word for word, _ in model.show_topic(1, topn=2)]
        ['trees', 'graph']
        """
        self.state = DnmfState(self.num_topics, self.num_terms)

    def init_dir_prior(self, prior: Any, name: str) -> tuple[Dense, bool]:
        """The prior `name` ('alpha' or 'eta') as an array, and whether it is learnt.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> alpha, is_learnt = model.init_dir_prior([0.1, 0.3], "alpha")
        >>> alpha.tolist(), is_learnt
        ([0.1, 0.3], False)
        >>> model.init_dir_prior("auto", "alpha")[1]
        True
        """
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
        """Move `alpha` by `rho` towards the topics' mean shares in documents (n x K).

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> weights, _ = model.inference(common_corpus[5:])
        >>> model.update_alpha(weights, rho=1.0).round(1).tolist()
        [0.3, 0.7]
        """
        target = _smoothed_shares(normalised(gammat).sum(axis=0))
        self.alpha = (1 - rho) * self.alpha + rho * target
        return self.alpha

    def update_eta(self, lambdat: Dense, rho: float) -> Dense:
        """Move `eta` by `rho` towards the words' shares in topics (K x V).

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> eta = model.update_eta(model.state.word_counts, rho=1.0)
        >>> often, seldom = (common_dictionary.token2id[word] for word in ("system", "eps"))
        >>> bool(eta[often] > eta[seldom])
        True
        """
        counts = lambdat.sum(axis=0) + 1
        target = counts / counts.sum() * self.num_terms / self.num_topics
        self.eta = (1 - rho) * self.eta + rho * target
        return self.eta


def _smoothed_shares(sizes: Dense) -> Dense:
    """Topics' shares, with one more document that has all topics: none becomes zero."""
    return (sizes + 1 / sizes.size) / (sizes.sum() + 1)  # type: ignore[no-any-return]


def say_without_effect(names: Iterable[str]) -> None:
    """Parameters that LdaModel's users may give, and that mean nothing here."""
    if given := ", ".join(names):
        logger.info("without a meaning for DNMF, and without an effect: %s", given)
