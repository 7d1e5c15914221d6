"""DnmfModel: deep NMF topics behind the interface of gensim's LdaModel."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from threading import RLock
from typing import Any, Literal

import numpy as np
from gensim.interfaces import TransformationABC
from gensim.utils import get_random_state

from ..common.checks import memory_for
from ..common.documents import AnyCorpus
from ..common.spool import MAX_IN_MEMORY
from ..core import Mbn
from .change_methods import ChangeMethods
from .construction import (
    check_call,
    check_choice,
    check_first_embeddings,
    check_names,
    check_seeds_beside,
    choose_with,
    network_of,
    nothing_learnt,
    num_jobs,
    read_vocabulary,
)
from .learnt import NUM_ARRAYS, Learnt
from .model_file import load_model, save_model
from .priors import topic_prior
from .settings import IGNORED_PARAMETERS, Resources, Settings
from .subtopic_methods import SubtopicMethods
from .training_methods import log_ignored
from .vocabulary import tokenization_of
from .workshop import Workshop


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
        The topic of every training document. A document of which nothing is known has one for want
        of another, that of its group or the one that was largest, and the confidence 0 in
        `get_document_info`.
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
        check_call(corpus, id2word, callbacks)
        check_names(variant_options, signature(DnmfModel.__init__).parameters)
        n_jobs = num_jobs(n_jobs, workers)
        chooses = isinstance(num_topics, str)
        if chooses:
            check_choice(num_topics, corpus, deep_model, alpha, eta)
        settings = Settings(
            num_topics=1 if isinstance(num_topics, str) else num_topics,  # until it is known
            chunksize=chunksize, minimum_probability=minimum_probability,
            minimum_phi_value=minimum_phi_value, per_word_topics=per_word_topics, variant=variant,
            variant_options=variant_options, weighting=weighting, n_jobs=n_jobs,
            network=network_of(
                deep_model, num_clusterings=num_clusterings, delta=delta,
                first_layer_size=first_layer_size, last_layer_size=last_layer_size,
            ),
            mixing_rounds=mixing_rounds, seed_words={} if seed_words is None else seed_words,
            show_progress=show_progress,
        )  # fmt: skip
        check_seeds_beside(settings, deep_model, chooses)
        if embeddings is not None:
            embeddings = check_first_embeddings(embeddings, corpus, deep_model, settings)
        resources = Resources(distributed, ns_conf, spool, max_in_memory)
        ignored = {
            "passes": passes, "update_every": update_every, "decay": decay, "offset": offset,
            "eval_every": eval_every, "iterations": iterations, "gamma_threshold": gamma_threshold,
            "dtype": np.dtype(dtype),
        }  # fmt: skip
        given = [name for name, value in ignored.items() if value != IGNORED_PARAMETERS[name]]
        log_ignored([*given, "batch"] if batch else given)
        random_state = get_random_state(random_state)
        with memory_for(settings.num_topics, 1, NUM_ARRAYS):
            topic_prior(alpha, settings.num_topics)  # said before anything is read
        with Workshop(resources, n_jobs) as workshop:
            id2word, num_terms, counts = read_vocabulary(corpus, id2word, workshop)
            choice = None
            if chooses:
                counts = workshop.read(corpus, num_terms) if counts is None else counts
                choice = choose_with(settings, counts, random_state, workshop)
                settings = replace(settings, num_topics=choice.number)
            learnt = nothing_learnt(settings, id2word, num_terms, alpha, eta, deep_model)
            if counts is None and corpus is not None:
                counts = workshop.read(corpus, num_terms)
            self._put_together(settings, id2word, num_terms, learnt, ignored)
            self.resources, self.random_state, self.callbacks = resources, random_state, callbacks
            self.deep_model = None if isinstance(deep_model, Mbn) else deep_model
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
