"""Training, under LdaModel's names."""

from __future__ import annotations

import copy
import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gensim.models.callbacks import Callback

from ..common.arrays import Dense
from ..common.blocks import Blocks
from ..common.checks import check_int, memory_for
from ..common.documents import AnyCorpus, read_matrix
from ..core import Vectors
from .doubts import doubts_of
from .embeddings import check_beside, check_embeddings
from .face import Face
from .inference import expect
from .learning import add_documents, add_topics, learn_topics, refine_topics
from .learnt import NUM_ARRAYS, Learnt, smooth_shares, word_shares
from .normalization import normalize_rows
from .priors import topic_prior, word_prior
from .settings import Settings
from .state import DnmfState
from .vocabulary import tokenization_of
from .workshop import Workshop

logger = logging.getLogger(__name__)


class TrainingMethods(Face):
    """Everything that changes a model: each puts another `_learnt` in its place, in one step.

    Threads that change one model do so one after the other, each what the one before left.
    """

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
        *,
        new_topics: int = 0,
        embeddings: Any = None,
    ) -> None:
        """Train on new documents. The first ones make the topics, later ones are folded in.

        Folding in assigns the documents to the topics there are and adds them to the sums in
        `state`, from which the topics' words are made anew; nothing is forgotten. With bDNMF the
        words are those that a fit of all documents with these topics would have; with sDNMF new
        documents count for their own topic alone, whatever its options are. If it fails or is
        interrupted, the model stays as it was. Several threads may update one model: their
        documents are learnt one corpus after the other.

        Parameters
        ----------
        corpus : gensim corpus, or sparse matrix of shape (V, n)
            The new documents, of words that the model knows.
        chunksize : int, optional
            How many documents are folded in at a time; by default the model's own.
        decay, offset, passes, update_every, eval_every, iterations, gamma_threshold,
        chunks_as_numpy : as in LdaModel
            Without a meaning here and without an effect, but that `callbacks` are evaluated as
            often as there are `passes`. The log says so.
        new_topics : int, default=0
            How many topics to add, for what the topics there are do not explain. The network groups
            the new documents; groups that are like an old topic, or like each other, are merged
            until so many are left. Then each new document is assigned to an old topic or to a new
            one. Old topics keep their numbers and their documents, the new ones come last. As many
            are added whether the documents bring anything new or not; `refine` lets old documents
            move to them. Must be 0 for the first documents, which make `num_topics` topics.
        embeddings : (n x d) array, optional
            Vectors of the new documents, of the same embedding model as those that the model was
            trained with; the documents are assigned by words and vectors then, and else by words
            alone. New topics of such a model need them.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.update([common_dictionary.doc2bow(["graph", "minors"])])
        >>> model.state.numdocs, int(model.cluster_labels[-1])
        (10, 1)
        >>> model = DnmfModel(common_corpus[:5], 2, common_dictionary, random_state=0)
        >>> model.update(common_corpus[5:], new_topics=1)
        >>> model.num_topics, [word for word, _ in model.show_topic(2, topn=3)]
        (3, ['trees', 'graph', 'minors'])
        """
        new_topics = check_int(new_topics, "new_topics", 0)
        given = {
            "decay": decay, "offset": offset, "passes": passes,
            "update_every": update_every, "eval_every": eval_every, "iterations": iterations,
            "gamma_threshold": gamma_threshold, "chunks_as_numpy": chunks_as_numpy or None,
        }  # fmt: skip
        log_ignored(name for name, value in given.items() if value is not None)
        settings = replace(self.settings, chunksize=chunksize or self.chunksize)
        with Workshop(self.resources, settings.n_jobs) as workshop:
            counts = workshop.read(corpus, self.num_terms)
            self._learn(
                counts, tokenization_of(corpus), settings, workshop, new_topics, passes, embeddings
            )

    def refine(self, corpus: AnyCorpus, *, embeddings: Any = None) -> None:
        """Let all training documents look again for the topic that suits them, after updates.

        An update assigns new documents to the topics as they were. Here all documents, old and new,
        go through the last steps of a fit, which look at words, and the topics' words are made
        anew; topics keep their numbers. If it fails or is interrupted, the model stays as it was.

        Parameters
        ----------
        corpus : gensim corpus, or sparse matrix of shape (V, N)
            All documents that the model was trained on, in the order in which they came.
        embeddings : (N x d) array, optional
            Vectors of all of them. A model that was trained with embeddings needs them, since its
            last steps look at words and vectors; it does not keep them.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus[:5], 2, common_dictionary, random_state=0)
        >>> model.update(common_corpus[5:])
        >>> model.refine(common_corpus)
        >>> model.state.numdocs
        9
        """
        with Workshop(self.resources, self.n_jobs) as workshop, self._lock:
            counts = workshop.read(corpus, self.num_terms)
            before = self._learnt
            check_training_corpus(counts, before)
            if before.num_dimensions and embeddings is None:
                raise ValueError(
                    "embeddings must be given, those of all documents that the model was trained "
                    "on: it was trained with them, and does not keep them."
                )
            vectors = check_embeddings(embeddings, counts.shape[0], before.num_dimensions)
            start = time.perf_counter()
            learnt = refine_topics(counts, self.settings, before, workshop, vectors)
            moved = (learnt.documents.cluster_labels != before.documents.cluster_labels).sum()
            logger.info("%i of %i documents have another topic", moved, counts.shape[0])
            _log(learnt, counts.shape[0], time.perf_counter() - start)
            self._learnt = learnt

    def _learn(
        self,
        counts: Blocks,
        tokenization: dict[str, Any] | None,
        settings: Settings,
        workshop: Workshop,
        new_topics: int = 0,
        passes: int | None = None,
        embeddings: Any = None,
    ) -> None:
        if counts.shape[0] == 0:
            logger.warning("corpus is empty: nothing to learn")
            return
        with self._lock:
            start = time.perf_counter()
            before = self._learnt
            before = replace(before, tokenization=before.tokenization or tokenization)
            random_state = self.random_state.get_state()
            try:
                settings = replace(settings, num_topics=self.num_topics)  # it may have grown
                dimensions = None if before.state.numdocs == 0 else before.num_dimensions
                vectors = check_embeddings(embeddings, counts.shape[0], dimensions)
                num_topics = self.num_topics + new_topics
                with memory_for(num_topics, counts.shape[1], NUM_ARRAYS):
                    learnt = self._learn_from(
                        counts, settings, before, workshop, new_topics, vectors
                    )
                metrics = self._measure(learnt, self.passes if passes is None else passes)
                _log(learnt, counts.shape[0], time.perf_counter() - start)
            except BaseException:  # what fails half-way leaves no trace
                self.random_state.set_state(random_state)
                raise
            # In one step, so that no reader sees the one without the other.
            settings = replace(self.settings, num_topics=num_topics)
            self.__dict__.update(_learnt=learnt, metrics=metrics, settings=settings)

    def _learn_from(
        self,
        counts: Blocks,
        settings: Settings,
        before: Learnt,
        workshop: Workshop,
        new_topics: int,
        vectors: Vectors,
    ) -> Learnt:
        is_first = before.state.numdocs == 0
        if is_first and new_topics:
            raise ValueError(
                f"new_topics must be 0 for the first documents, which make the model's "
                f"{settings.num_topics} topics, got {new_topics}."
            )
        if not is_first and not new_topics:
            return add_documents(counts, settings, before, workshop, vectors)
        if is_first and vectors.size:
            check_beside(self.deep_model, settings.mixing_rounds)
        seed = int(self.random_state.randint(2**31))
        if new_topics:
            if before.num_dimensions and not vectors.size:
                raise ValueError(
                    "embeddings must be given with new_topics, as the model was trained with them."
                )
            return add_topics(counts, settings, new_topics, seed, before, workshop, vectors)
        if before.topics.synced_sizes.any():  # of topics that were cleared: new ones take over
            before = replace(before, names=before.seed_names)
        return learn_topics(counts, settings, self.deep_model, seed, before, workshop, vectors)

    def _measure(self, learnt: Learnt, passes: int) -> dict[str, list[Any]]:
        """The metrics of `learnt`, which the model does not have yet, after each pass.

        All is learnt in the first pass, so that the model no longer changes in the others.
        """
        if not self.callbacks:
            return self.metrics
        candidate = copy.copy(self)
        candidate.callbacks = None  # which hold models; gensim's copies would hold them all
        callback = Callback(self.callbacks)
        # Some metrics compare what follows with the model before, topic by topic: new topics are
        # without words there, as all are before the first documents.
        candidate.settings = replace(self.settings, num_topics=learnt.alpha.size)
        if num_new := learnt.alpha.size - self.num_topics:
            candidate._learnt = self._learnt.widened(num_new)
        callback.set_model(candidate)
        candidate._learnt = learnt
        metrics = defaultdict(list)
        for pass_number in range(max(int(passes), 1)):
            for name, value in callback.on_epoch_end(pass_number).items():
                metrics[name].append(value)
        return metrics

    def sync_state(self, current_Elogbeta: Dense | None = None) -> None:  # noqa: N803 - gensim's
        """Make everything that reading needs from `state`, after it was changed.

        Parameters
        ----------
        current_Elogbeta : (K x V) array, optional
            Logarithms of the topics' word probabilities; by default the state's own.

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
        with self._lock:
            learnt = self._learnt
            self._learnt = learnt.with_state(learnt.state, current_Elogbeta)

    def do_estep(self, chunk: AnyCorpus, state: DnmfState | None = None) -> Dense:
        """Infer documents and add their statistics to a state.

        Parameters
        ----------
        chunk : gensim corpus, or sparse matrix of shape (V, n)
            The documents, of words that the model knows.
        state : DnmfState, optional
            What to add to; by default the model's own.

        Returns
        -------
        (n x K) array
            Topic weights of the documents, as `inference` gives them.

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
        learnt = self._learnt
        if not learnt.topics.synced_sizes.any():
            raise ValueError("chunk must come after documents with topics: call update first.")
        counts = read_matrix(chunk, self.num_terms, unknown="refuse")
        gamma, _, statistics = expect(counts, learnt, self.variant)
        if state is not None:
            state.merge(statistics)
            return gamma
        with self._lock:
            learnt = self._learnt  # which may be another by now, with more topics
            statistics = statistics.widened(learnt.alpha.size - gamma.shape[1])
            self._learnt = replace(learnt, state=learnt.state + statistics)
        return gamma

    def do_mstep(self, rho: float, other: DnmfState, extra_pass: bool = False) -> None:
        """Blend a state into the model's, and make the topics anew.

        Parameters
        ----------
        rho : float
            Weight of the other state, from 0 to 1.
        other : DnmfState
            The other state.
        extra_pass : bool, default=False
            Whether its documents were counted in `num_updates` before.

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
        with self._lock:
            learnt = self._learnt
            state = copy.copy(learnt.state)
            state.blend(rho, other)
            seen = 0 if extra_pass else int(other.numdocs)
            learnt = learnt.with_state(state).with_learnt_priors()
            self._learnt = replace(learnt, num_updates=learnt.num_updates + seen)

    def clear(self) -> None:
        """Drop the statistics, to save memory.

        Topics and documents can still be read, and the next `update` finds new topics.

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
        with self._lock:
            self.state = DnmfState(self.num_topics, self.num_terms)

    def init_dir_prior(self, prior: Any, name: str) -> tuple[Dense, bool]:
        """A prior as an array.

        Parameters
        ----------
        prior : float, array, str or None
            The prior, as in the constructor.
        name : {"alpha", "eta"}
            Which one it is.

        Returns
        -------
        prior : array
            (K) for `alpha`, (V) or (K x V) for `eta`.
        is_learnt : bool
            Whether it follows the documents, as "auto" does.

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

    def update_alpha(self, gammat: Dense, rho: float) -> Dense:
        """Move `alpha` toward the topics' mean shares in documents.

        Parameters
        ----------
        gammat : (n x K) array
            Topic weights of the documents, as `inference` gives them.
        rho : float
            How far to move, from 0 to 1.

        Returns
        -------
        (K) array
            The new `alpha`.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> weights, _ = model.inference(common_corpus[5:])
        >>> model.update_alpha(weights, rho=1.0).round(1).tolist()
        [0.2, 0.8]
        """
        target = smooth_shares(normalize_rows(gammat).sum(axis=0))
        with self._lock:
            self.alpha = (1 - rho) * self.alpha + rho * target
            return self.alpha

    def update_eta(self, lambdat: Dense, rho: float) -> Dense:
        """Move `eta` toward the words' shares in topics.

        Parameters
        ----------
        lambdat : (K x V) array
            Counts of the words in the topics, such as `state.word_counts`.
        rho : float
            How far to move, from 0 to 1.

        Returns
        -------
        (V) or (K x V) array
            The new `eta`, of the shape of the old.

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
        with self._lock:
            self.eta = (1 - rho) * self.eta + rho * word_shares(lambdat)
            return self.eta


def check_training_corpus(counts: Blocks, learnt: Learnt) -> None:
    """Raise unless these are as many documents as a model was trained on, and knows topics of."""
    if not counts.shape[0] == learnt.documents.cluster_labels.size == learnt.state.numdocs:
        raise ValueError(
            f"corpus must hold all {learnt.state.numdocs} documents that the model was trained on, "
            f"whose topics it must know; got {counts.shape[0]}."
        )


def _log(learnt: Learnt, num_docs: int, seconds: float) -> None:
    num_topics, num_terms = learnt.topics.expElogbeta.shape
    logger.info(
        "learnt %i documents in %.1f s: %i topics, %i terms, weighting=%r",
        num_docs, seconds, num_topics, num_terms, learnt.weighting,
    )  # fmt: skip
    if doubts := doubts_of(learnt):
        logger.warning("the topics may not be what you want: %s", "; ".join(doubts))


def log_ignored(names: Iterable[str]) -> None:
    """Parameters that LdaModel's users may give, and that mean nothing here."""
    if given := ", ".join(names):
        logger.info("without a meaning for DNMF, and without an effect: %s", given)
