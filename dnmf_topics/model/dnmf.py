"""DnmfModel: deep NMF topics behind the interface of gensim's LdaModel."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Literal

import numpy as np
from gensim.interfaces import TransformationABC
from gensim.utils import get_random_state

from ..common.arrays import Dense, FloatArray, Labels
from ..common.checks import check_int, check_jobs, check_real
from ..common.documents import AnyCorpus, read_matrix
from ..core import Lambda, Mbn, check_variant
from .files import load_model, save_model
from .learning import Learner, say_without_effect
from .state import DnmfState
from .vocabulary import identity_vocabulary, tokenization_of, vocabulary_size

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


class DnmfModel(Learner, TransformationABC):  # type: ignore[misc]
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
    variant : how much each document counts for the words of a topic: "bdnmf", all documents of the
        topic the same; "sdnmf", those that are most alike more, near-copies above all; "cdnmf", as
        the factorization with penalties weighs them. For the words see `DnmfState.get_lambda`.
    num_clusterings, delta, first_layer_size, last_layer_size : the network's, see `core.Mbn`.
    overlap : how many documents of other clusters may count for the words of a topic of sDNMF, in
        parts of its own number; 0 for none, as in the paper. Without effect where `deep_model` is
        a soft membership, which says itself who shares what, and on documents that come by
        `update`.
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
    expElogbeta : (K x V) weights of the words in the topics; rows sum to 1.
    cluster_labels : (N) the topic of every training document.
    doc_embedding : (N x K) the training documents as the network sees them, for maps; zeros for
        those without a weight. Without rows if no network was trained, or after an update.
    tokenization : how the text of the corpus was tokenized, if the corpus says so by an attribute
        of this name, as those of `dnmf_topics.text` do; it is saved with the model.

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
        corpus: AnyCorpus | None = None,
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
        variant: str = "bdnmf",
        num_clusterings: int = 200,
        delta: float = 0.5,
        first_layer_size: int | None = None,
        last_layer_size: int | Literal["auto"] = "auto",
        overlap: float = 1.0,
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
        check_variant(variant, overlap, lambda1, lambda2)
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
        self.overlap = float(overlap)
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
        say_without_effect(
            name for name, default in WITHOUT_MEANING.items() if getattr(self, name) != default
        )
        self.alpha, self.optimize_alpha = self.init_dir_prior(alpha, "alpha")

        documents = None
        if id2word is None:
            documents = read_matrix(corpus, unknown="refuse")
            id2word = identity_vocabulary(documents.shape[1])
        self.id2word = id2word
        self.num_terms = vocabulary_size(id2word)
        if self.num_terms == 0:
            raise ValueError("corpus and id2word must have at least one term, got none.")
        self.eta, self.optimize_eta = self.init_dir_prior(eta, "eta")
        if documents is None and corpus is not None:
            documents = read_matrix(corpus, self.num_terms, unknown="refuse")
        self.num_updates = 0
        self.metrics: dict[str, list[Any]] = defaultdict(list)
        self.cluster_labels: Labels = np.zeros(0, dtype=np.int64)
        self._doc_topics: Dense = np.zeros((0, self.num_topics))
        self._doc_cosines: Dense = np.zeros(0)
        self.doc_embedding: FloatArray = np.zeros((0, self.num_topics), np.float32)
        self.views: list[dict[str, Any]] = []
        self.tokenization: dict[str, Any] | None = None
        self.state = DnmfState(self.num_topics, self.num_terms)
        self.sync_state()
        if documents is not None:
            self._learn(documents, tokenization_of(corpus))

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

        `ignore` names what to leave out: "id2word", or "doc_topics" (topics, labels and embedding
        of the training documents); as with LdaModel, `state` is always kept. `separately` names
        arrays to put into files of their own, which `load` can map into memory; by default those
        of at least `sep_limit` bytes. A name that ends in .gz is compressed. `callbacks`, `metrics`
        and `deep_model` (but a `core.Mbn`) are not saved, nor are words that `id2word` got since;
        and `pickle_protocol` means nothing. The old file stays whole until the new one is complete.

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
        save_model(self, fname, ignore, separately, sep_limit)

    @classmethod
    def load(cls, fname: Any, mmap: str | None = None) -> DnmfModel:
        """Read a model that `save` wrote. Nothing in the file can run code.

        mmap='r' maps arrays that were stored separately instead of reading them.

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
        load_model(model, DnmfModel.__init__, fname, mmap)
        return model


def _check_callbacks(callbacks: Any) -> None:
    if callbacks is not None and not (
        isinstance(callbacks, (list, tuple)) and all(hasattr(m, "get_value") for m in callbacks)
    ):
        raise TypeError(f"callbacks must be a list of gensim's metrics, got {callbacks!r}.")
