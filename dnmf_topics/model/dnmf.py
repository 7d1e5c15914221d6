"""DnmfModel: deep NMF topics behind the interface of gensim's LdaModel."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from inspect import signature
from threading import RLock
from typing import Any, Literal

import gensim.models
import numpy as np
from gensim.interfaces import TransformationABC
from gensim.utils import get_random_state

from ..common.checks import check_int, memory_for, shortened
from ..common.documents import AnyCorpus
from ..common.spool import MAX_IN_MEMORY
from ..common.vectors import check_vectors
from ..core import VARIANTS, Mbn
from .change_methods import ChangeMethods
from .embeddings import check_beside
from .learnt import NUM_ARRAYS, Learnt, Topics, TrainingDocuments
from .model_file import load_model, save_model
from .number_choice import choose_for
from .priors import topic_prior, word_prior
from .seed_words import check_seeds_fit, find_seed_terms, seed_names, seed_terms_of_prior
from .settings import IGNORED_PARAMETERS, Resources, Settings
from .state import DnmfState
from .subtopic_methods import SubtopicMethods
from .training_methods import log_ignored
from .vocabulary import (
    identity_vocabulary,
    plain_vocabulary,
    tokenization_of,
    vocabulary_size,
)
from .workshop import Workshop

# LdaModel's relatives, of which arguments may be left in a script.
RELATIVES = ("Nmf", "LsiModel", "HdpModel", "LdaSeqModel", "AuthorTopicModel", "EnsembleLda")


class DnmfModel(SubtopicMethods, ChangeMethods, TransformationABC):  # type: ignore[misc]
    """Deep NMF topics, a drop-in for gensim's LdaModel and LdaMulticore.

    A script changes the import and the name of the class; what is different then is listed in
    ``tutorials/differences.md``. It is a gensim `BaseTopicModel`, but no `LdaModel`: where gensim
    itself asks for one (`EnsembleLda`, ``lda.diff(model)``), give `EnsembleLda.add_model` trained
    models, and call ``model.diff(lda)``.

    Parameters
    ----------
    corpus : iterable of documents, or sparse matrix, optional
        Documents to train on, each a list of (term id, count) pairs; or a sparse matrix with a row
        for each term and a column for each document. A corpus that can be read only once will do.
        None leaves the model untrained, until `update`. Documents may be empty, but not all.
    num_topics : int or "auto", default=100
        Number of topics. Those beyond the number of documents stay empty: their words are all
        alike, and no document is assigned to them. "auto" lets `choose_num_topics` choose it with
        these settings and this `random_state`; the model is then the one that this number gives.
        It needs a corpus and the network: not groups of your own (`deep_model`), and no `alpha` or
        `eta` with numbers for each topic.
    id2word : dict or gensim Dictionary, optional
        The words of the term ids; None for the ids themselves. Of a HashDictionary all words of an
        id are taken as one, "fire/smoke".
    chunksize : int, default=2000
        How many documents are inferred at a time.
    alpha : float, array or str, default="symmetric"
        Prior of the topics in a document, in units of words: a number, an array, 'symmetric',
        'asymmetric', or 'auto' for the topics' shares in the corpus. A document without known
        words, or with none but those of all documents, gets the prior as its topics.
    eta : float, array or str, optional
        Prior of the words in a topic, added to their counts (`get_word_distributions`): a number,
        an array, 'symmetric', or 'auto' for the words' shares in the corpus. An array of topics x
        terms also steers the topics, as `seed_words` do: a word is a seed of the topics in which it
        has at least twice the prior that it has in half of the topics. Equal rows steer nothing.
    minimum_probability : float, default=0.01
        Topics below it are left out of a document's topics.
    random_state : int or RandomState, optional
        The same int gives the same model, bit for bit.
    minimum_phi_value : float, default=0.01
        Topics below it, in counts, are left out of the topics of a word.
    per_word_topics : bool, default=False
        Whether `model[bow]` also returns the topics of the words.
    callbacks : list of gensim metrics, optional
        CoherenceMetric, PerplexityMetric, DiffMetric, ConvergenceMetric, or your own. As with
        LdaModel they are evaluated after each of the `passes`, and `model.metrics` holds the values
        of the last training. All is learnt in the first pass: after it the values stay the same,
        and differences from the pass before are 0.
    distributed : bool, default=False
        Whether a dask cluster works on the documents: that of the current
        `dask.distributed.Client`, or the one that `ns_conf` names. The result is the same.
    ns_conf : dict, optional
        ``{"address": "tcp://..."}``, the address of a dask scheduler to connect to.
    passes, update_every, decay, offset, eval_every, iterations, gamma_threshold, dtype : as in
        LdaModel
        Without a meaning here and without an effect. The log says so.
    workers : int, optional
        LdaMulticore's name for `n_jobs`, which counts if both are given.
    batch : bool, default=False
        As in LdaMulticore; without an effect.
    variant : {"bdnmf", "sdnmf", "cdnmf"}, default="bdnmf"
        How much each document counts for the words of a topic: "bdnmf", all documents of the topic
        the same; "sdnmf", those that are most alike more, near-copies above all; "cdnmf", as the
        factorization with penalties weighs them. For the words see `DnmfState.get_lambda`.
    num_clusterings, delta, first_layer_size, last_layer_size : as in `core.Mbn`
        The settings of the network.
    deep_model : Mbn, clusterer or array, optional
        What groups the training documents: None for the network with the settings above, a
        `core.Mbn`, an object with `fit_predict`, an array of labels, or a matrix of memberships
        (documents x topics, rows sum to 1). Given groups need as many documents as topics.
    weighting : {"auto", "tfidf", "none"}, default="auto"
        "tfidf" weighs the terms, "none" takes the corpus as it is; "auto" weighs them if all values
        are whole numbers, hence counts. Terms of all documents weigh nothing, so "tfidf" cannot
        learn from a single document, or from documents that are all the same; "auto" takes the
        counts of these as they are.
    mixing_rounds : int or "auto", default="auto"
        How many rounds of EM learn the topics' words from parts of documents, after the documents
        were grouped. 0 for documents that are about one thing each; "auto" decides between 0, 10,
        30 and 100 by how well words of left-out documents are predicted, and takes 0 for fewer than
        100 documents and for groups of your own (`deep_model`). Without an effect on corpora that
        come weighted, on a matrix of memberships, or if there is one topic.
    seed_words : dict of lists, optional
        Words that you know some topics by, from the topics' names to lists of words or term ids:
        ``{"space": ["orbit", "nasa"], "medicine": ["disease", "patients"]}``. These topics are the
        first ones, in this order and with these names (`topic_names`); the others are free, and
        follow by size. Seed words decide which documents a topic begins with, and pull at every
        step of the grouping; a few words that are typical of a topic and of no other will do.
        Upper and lower case do not matter where the vocabulary lacks a word as it is; words that
        it lacks altogether are left out with a warning. A word of two topics pulls for both. Beside
        them `eta` is a prior and steers nothing.
    embeddings : (N x d) array, optional
        A vector for each document of the corpus, such as those of a sentence encoder
        (`dnmf_topics.text.embed_texts`). The network groups the documents by the cosines of their
        vectors then, words and vectors together decide on each one's topic, and words describe the
        topics as ever. Documents without known words go by their vectors, those whose vector is
        all zeros by their words; with neither, to the largest topic. `num_topics="auto"` looks at
        words alone. `mixing_rounds` must be "auto" or 0, since a vector is that of a whole
        document. The vectors are not kept.
    n_jobs : int or None, default=-1
        Number of threads, as joblib counts them.
    show_progress : bool, default=False
        Whether training shows a progress bar.
    spool : path, optional
        An existing folder for what does not fit into memory while the model trains; by default
        where temporary files belong (``TMPDIR``). All machines of a cluster must see it. What is
        put there is removed at the end, or, if the process is killed, by the next training.
    max_in_memory : int, default=10,000,000
        A corpus of more (document, term) pairs is read once and kept in files while the model
        trains. A pair takes about 20 bytes of memory. The result is the same. With "sdnmf" and
        "cdnmf" numbers of documents x topics stay in memory all the same, with "cdnmf" and a
        `deep_model` of your own all documents too.
    **variant_options : float or str
        Options of the variant, by name. bDNMF has none. sDNMF's `overlap` says how many documents
        of other clusters may count for the words of a topic, in parts of its own number (default 1;
        0 for none, as in the paper); without effect where `deep_model` is a soft membership, which
        says itself who shares what, and on documents that come by `update`. cDNMF's `lambda1` and
        `lambda2` (default 1) weigh its penalties; "auto" chooses them.

    Attributes
    ----------
    state : DnmfState
        The sums that the topics are made of, see `DnmfState`.
    expElogbeta : (K x V) array
        Weights of the words in the topics; rows sum to 1.
    cluster_labels : (N) array of int
        The topic of every training document; the largest one of a document of which nothing is
        known, which has the confidence 0 in `get_document_info`.
    doc_embedding : (N x K) array
        The training documents as the network sees them, for maps; zeros for those without a weight.
        Without rows if no network was trained, after an update, or where there are more than 65,536
        documents, of which the network sees a sample.
    num_topics_choice : NumTopicsChoice or None
        How `num_topics="auto"` chose, with the whole curve; None where it was a number. Not saved.
    lifecycle_events : list of dict
        What happened to this object and when, as gensim keeps it: "created", "saving", "loaded",
        and what `add_lifecycle_event` adds. Neither copied nor saved, so that equal models are
        equal files.
    tokenization : dict or None
        How the text of the corpus was tokenized, if the corpus says so by an attribute of this
        name, as those of `dnmf_topics.text` do; it is saved with the model.

    Examples
    --------
    >>> from gensim.test.utils import common_corpus, common_dictionary
    >>> model = DnmfModel(common_corpus, num_topics=2, id2word=common_dictionary, random_state=0)
    >>> [word for word, _ in model.show_topic(1, topn=3)]
    ['trees', 'graph', 'minors']
    >>> document = common_dictionary.doc2bow(["graph", "of", "trees"])
    >>> max(model[document], key=lambda pair: pair[1])[0]
    1
    >>> seeds = {"graphs": ["graph", "minors"]}
    >>> model = DnmfModel(common_corpus, 2, common_dictionary, seed_words=seeds, random_state=0)
    >>> model.topic_names[0], [word for word, _ in model.show_topic(0, topn=3)]
    ('graphs', ['trees', 'graph', 'minors'])
    """

    def __init__(
        self,
        corpus: AnyCorpus | None = None,
        num_topics: int | Literal["auto"] = 100,
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
        workers: int | None = None,
        batch: bool = False,
        variant: str = "bdnmf",
        num_clusterings: int = 200,
        delta: float = 0.5,
        first_layer_size: int | None = None,
        last_layer_size: int | Literal["auto"] = "auto",
        deep_model: Any = None,
        weighting: str = "auto",
        mixing_rounds: int | Literal["auto"] = "auto",
        seed_words: Mapping[str, Sequence[str | int]] | None = None,
        embeddings: Any = None,
        n_jobs: int | None = -1,
        show_progress: bool = False,
        spool: Any = None,
        max_in_memory: int = MAX_IN_MEMORY,
        **variant_options: Any,
    ) -> None:
        if corpus is None and id2word is None:
            raise ValueError(
                "corpus or id2word must be given, to know the vocabulary; both are None."
            )
        _check_callbacks(callbacks)
        _check_names(variant_options)
        n_jobs = _num_jobs(n_jobs, workers)
        chooses = isinstance(num_topics, str)
        if isinstance(num_topics, str):
            _check_choice(num_topics, corpus, deep_model, alpha, eta)
            num_topics = 1  # until it is known
        settings = Settings(
            num_topics=num_topics, chunksize=chunksize, minimum_probability=minimum_probability,
            minimum_phi_value=minimum_phi_value, per_word_topics=per_word_topics, variant=variant,
            variant_options=variant_options, weighting=weighting, n_jobs=n_jobs,
            network=_network(
                deep_model, num_clusterings=num_clusterings, delta=delta,
                first_layer_size=first_layer_size, last_layer_size=last_layer_size,
            ),
            mixing_rounds=mixing_rounds, seed_words={} if seed_words is None else seed_words,
            show_progress=show_progress,
        )  # fmt: skip
        is_network = deep_model is None or isinstance(deep_model, Mbn)
        if settings.seed_words and not is_network:
            raise ValueError(
                "seed_words must not be given beside a deep_model that groups the documents "
                "already; leave one of them out."
            )
        if embeddings is not None:
            if corpus is None:
                raise ValueError("embeddings must come with the corpus that they are of; got None.")
            check_beside(deep_model, settings.mixing_rounds)
            embeddings = check_vectors(embeddings)
        if not chooses:
            check_seeds_fit(settings.seed_words, settings.num_topics)
        resources = Resources(distributed, ns_conf, spool, max_in_memory)
        ignored = {
            "passes": passes, "update_every": update_every, "decay": decay, "offset": offset,
            "eval_every": eval_every, "iterations": iterations, "gamma_threshold": gamma_threshold,
            "dtype": np.dtype(dtype),
        }  # fmt: skip
        given = [name for name, value in ignored.items() if value != IGNORED_PARAMETERS[name]]
        log_ignored([*given, "batch"] if batch else given)
        random_state = get_random_state(random_state)
        with memory_for(num_topics, 1, NUM_ARRAYS):
            topic_prior(alpha, num_topics)  # what is wrong is said before anything is read
        with Workshop(resources, n_jobs) as workshop:
            counts = None
            if id2word is None:
                counts = workshop.read(corpus, None)
                id2word = identity_vocabulary(counts.shape[1])
            id2word = plain_vocabulary(id2word)
            num_terms = vocabulary_size(id2word)
            if num_terms == 0:
                raise ValueError("corpus and id2word must have at least one term, got none.")
            choice = None
            if chooses:
                counts = workshop.read(corpus, num_terms) if counts is None else counts
                choice = choose_for(
                    counts, settings.network, weighting, random_state, workshop,
                    limits=(max(2, len(settings.seed_words)), None), show_progress=show_progress,
                )  # fmt: skip
                check_seeds_fit(settings.seed_words, choice.number)
                settings = replace(settings, num_topics=choice.number)
            seeds = find_seed_terms(settings.seed_words, id2word, num_terms)
            learnt = _nothing_learnt(settings, num_terms, alpha, eta)
            if is_network:
                learnt = replace(learnt, seed_terms=seeds or seed_terms_of_prior(learnt.eta))
            if counts is None and corpus is not None:
                counts = workshop.read(corpus, num_terms)
            self._put_together(settings, id2word, num_terms, learnt, ignored)
            self.resources = resources
            self.random_state = random_state
            self.deep_model = None if isinstance(deep_model, Mbn) else deep_model
            self.callbacks = callbacks
            self.num_topics_choice = choice
            if counts is not None:
                start = time.perf_counter()
                self._learn(
                    counts, tokenization_of(corpus), settings, workshop, embeddings=embeddings
                )
                seconds = time.perf_counter() - start
                self._note("created", msg=f"trained {self} in {seconds:.2f}s")

    def _put_together(
        self, settings: Settings, id2word: Any, num_terms: int, learnt: Learnt,
        ignored: dict[str, Any],
    ) -> None:  # fmt: skip
        """Set all attributes but `random_state`, those that are not saved as if none was given."""
        self._lock = RLock()
        self.settings = settings
        self.resources = Resources()
        self.id2word = id2word
        self.num_terms = num_terms
        self._learnt = learnt
        self.__dict__.update(ignored)
        self.dispatcher, self.numworkers = None, 1
        self.deep_model = self.callbacks = self.num_topics_choice = None
        self.metrics = defaultdict(list)
        self.lifecycle_events = []

    def _note(self, event: str, **what: Any) -> None:
        """Add to `lifecycle_events`; the log tells of training in its own words."""
        self.add_lifecycle_event(event, log_level=logging.DEBUG, **what)

    def __str__(self) -> str:
        return (
            f"{type(self).__name__}<num_terms={self.num_terms}, num_topics={self.num_topics}, "
            f"variant={self.variant}, weighting={self.weighting}>"
        )

    def save(
        self,
        fname: Any,
        ignore: Any = ("state", "dispatcher"),
        separately: Any = None,
        sep_limit: int = 10 * 1024**2,
        pickle_protocol: int | None = None,
    ) -> None:
        """Write the model to the file `fname`, or to a handle, without pickle.

        All of it is in one file, which replaces an old one when it is complete; a process that
        loads meanwhile gets the old model or the new. `callbacks`, `metrics`, `lifecycle_events`
        and `deep_model` (but a `core.Mbn`) are not saved, nor are words that `id2word` got since.

        Parameters
        ----------
        fname : path or binary file
            Where to write; a name that ends in ``.gz`` is compressed.
        ignore : str or iterable of str, optional
            What to leave out: "id2word", or "doc_topics" (topics, labels and embedding of the
            training documents). As with LdaModel, `state` is always kept.
        separately, sep_limit, pickle_protocol : as in LdaModel
            Without a meaning here: `load` can map any array of the one file.

        Examples
        --------
        >>> import tempfile
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.dnmf")
        ...     again = DnmfModel.load(f"{folder}/model.dnmf")
        >>> again[common_corpus[0]] == model[common_corpus[0]]
        True
        """
        self._note(
            "saving", fname_or_handle=str(fname), separately=str(separately), sep_limit=sep_limit,
            ignore=ignore,
        )  # fmt: skip
        save_model(self, fname, ignore)

    @classmethod
    def load(cls, fname: Any, mmap: str | None = None) -> DnmfModel:
        """Read a model that `save` wrote. Nothing in the file can run code.

        Models of gensim are pickles, which can: they are not read, and their topics cannot be
        taken over.

        Parameters
        ----------
        fname : path or binary file
            What `save` wrote to.
        mmap : {"r", "c"}, optional
            Map the arrays of a file that is not compressed into memory, instead of reading them:
            "r" read-only, "c" with changes that stay in memory.

        Returns
        -------
        DnmfModel

        Raises
        ------
        FileFormatError
            If the file does not hold a whole model.

        Examples
        --------
        >>> import io
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> file = io.BytesIO()
        >>> DnmfModel(common_corpus, 2, common_dictionary, random_state=0).save(file)
        >>> _ = file.seek(0)
        >>> DnmfModel.load(file).cluster_labels.tolist()
        [0, 0, 0, 0, 0, 1, 1, 1, 1]
        """
        model = cls.__new__(cls)
        load_model(model, fname, mmap)
        model._note("loaded", fname=str(fname))
        return model


def _nothing_learnt(settings: Settings, num_terms: int, alpha: Any, eta: Any) -> Learnt:
    """What a model knows before its first documents: its priors."""
    num_topics = settings.num_topics
    with memory_for(num_topics, num_terms, NUM_ARRAYS):
        first_alpha, optimize_alpha = topic_prior(alpha, num_topics)
        first_eta, optimize_eta = word_prior(eta, num_topics, num_terms)
        state = DnmfState(num_topics, num_terms)
        return Learnt(
            state, Topics.of_state(state, first_eta, state.idf()), first_alpha, first_eta,
            documents=TrainingDocuments.none(num_topics), weighting=settings.weighting,
            optimize_alpha=optimize_alpha, optimize_eta=optimize_eta,
            names=seed_names(settings.seed_words, num_topics),
        )  # fmt: skip


def _check_callbacks(callbacks: Any) -> None:
    if callbacks is not None and not (
        isinstance(callbacks, (list, tuple)) and all(hasattr(m, "get_value") for m in callbacks)
    ):
        raise TypeError(f"callbacks must be a list of gensim's metrics, got {callbacks!r}.")


def _check_choice(
    word: str, corpus: AnyCorpus | None, deep_model: Any, alpha: Any, eta: Any
) -> None:
    """Raise where the number of topics, for which there is a word, cannot be chosen."""
    if word != "auto":
        raise TypeError(f'num_topics must be a whole number or "auto", got {shortened(word)}.')
    if corpus is None:
        raise ValueError(
            'num_topics="auto" needs a corpus to choose the number by, got None; give a number.'
        )
    if not isinstance(deep_model, (Mbn, type(None))):
        raise ValueError(
            'num_topics="auto" chooses by the network, so that deep_model must be None or a '
            f"core.Mbn, got {shortened(deep_model)}; give the number of its groups."
        )
    for name, prior, dimensions in (("alpha", alpha, 1), ("eta", eta, 2)):
        if not isinstance(prior, str) and np.ndim(prior) >= dimensions:
            raise ValueError(
                f'{name} must not have numbers for each topic with num_topics="auto", got shape '
                f"{np.shape(prior)}; give the number of topics."
            )


def _check_names(variant_options: dict[str, Any]) -> None:
    """Raise for a name that is neither an argument nor an option of any variant."""
    options = {name for row in VARIANTS.values() for name in row.options}
    known = options | set(signature(DnmfModel.__init__).parameters)
    for name in variant_options.keys() - options:
        close = get_close_matches(name, known, 1, cutoff=0.7)
        theirs = [each for each in RELATIVES if _has_argument(each, name)]
        hint = "."
        if close:
            hint = f"; did you mean {close[0]!r}?"
        elif theirs:
            hint = f", which is {theirs[0]}'s; leave it out."
        raise TypeError(f"DnmfModel has no argument {name!r}{hint}")


def _has_argument(model: str, name: str) -> bool:
    """Whether gensim's model of this name has such an argument."""
    return name in signature(getattr(gensim.models, model)).parameters


def _num_jobs(n_jobs: int | None, workers: int | None) -> int | None:
    """The number of threads, by our name or by LdaMulticore's."""
    if workers is None:
        return n_jobs
    workers = check_int(workers, "workers", 1)
    return workers if n_jobs == -1 else n_jobs


def _network(deep_model: Any, **given: Any) -> Mbn:
    """The network's settings, from `deep_model` or from those given one by one."""
    if not isinstance(deep_model, Mbn):
        return Mbn(**given)
    for name, value in given.items():
        if value != getattr(Mbn(), name):
            raise ValueError(
                f"{name} must be set in deep_model, which is an Mbn with settings of its own; got "
                f"{name}={value!r} beside it."
            )
    return deep_model
