"""DnmfTopics: deep NMF topics as a scikit-learn estimator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import validation

from .common.arrays import Dense, Labels
from .common.checks import SparseInput, check_unmasked, shortened
from .model import DnmfModel, check_seed_words

# What DnmfModel's sentences call the arguments, and what they are called here.
OWN_NAMES = {"num_topics": "n_components", "corpus": "X", "chunk": "X"}


class DnmfTopics(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator,  # type: ignore[misc]
):  # fmt: skip
    """Deep NMF topics in scikit-learn: a transformer to topic shares, and a clusterer.

    It takes counts (documents x terms), as `CountVectorizer` makes them, sparse or dense. Weights,
    as of `TfidfVectorizer`, will do, but counts tell more: these are weighed here, and whether
    documents mix topics can be seen from them alone.

    There is no `partial_fit`: topics are found from documents that are there together, and those of
    a first small batch would be the topics for ever. Documents are added to topics that were found
    by ``model_.update(X.T)``.

    Parameters
    ----------
    n_components : int or "auto", default=10
        Number of topics. Those beyond the number of documents stay empty. "auto" lets
        `choose_num_topics` choose it; `n_components_` is the number then.
    random_state : int or RandomState, optional
        The same int gives the same result, bit for bit, whatever `n_jobs` is.
    variant : {"bdnmf", "sdnmf", "cdnmf"}, default="bdnmf"
        How much each document counts for the words of a topic, see `DnmfModel`.
    weighting : {"auto", "tfidf", "none"}, default="auto"
        "tfidf" weighs the terms, "none" takes weights as they are; "auto" weighs them if all values
        are whole numbers, hence counts.
    mixing_rounds : int or "auto", default="auto"
        How many rounds learn the topics' words from parts of documents; 0 for documents that are
        about one thing each. "auto" decides by words of left-out documents.
    seed_words : dict of lists, optional
        Words that you know some topics by, from the topics' names to lists of words, which need a
        DataFrame with words as its columns, or of numbers of columns, which
        ``CountVectorizer.vocabulary_`` knows. These topics come first, and have these names.
    alpha : float, array or str, default="symmetric"
        Prior of the topics in a document, in units of words: a number, an array, "symmetric",
        "asymmetric" or "auto".
    eta : float, array or str, optional
        Prior of the words in a topic, added to their counts: a number, an array, "symmetric" or
        "auto". Rows that differ steer the topics, see `DnmfModel`.
    num_clusterings, last_layer_size : as in `core.Mbn`
        Settings of the network; fewer clusterings take less time.
    model_options : dict, optional
        Further arguments of `DnmfModel` by name: other settings of the network, options of the
        variant such as ``{"overlap": 0}`` of sDNMF, or ``{"spool": folder}``.
    n_jobs : int, optional
        Number of threads of `fit`, as joblib counts them: None for one, -1 for all cores.
    verbose : bool, default=False
        Whether `fit` shows a progress bar.

    Attributes
    ----------
    model_ : DnmfModel
        The model underneath, for all else: `show_topics`, `get_topic_info`, `hierarchy`, `save`. It
        takes matrices the other way round, terms x documents. The attributes below follow it.
    components_ : (n_components_ x n_features_in_) array
        The weights of the terms in the topics; rows sum to 1.
    labels_ : (n_samples) array of int
        The topic of every training document.
    topic_names_ : list of str
        A short name of every topic, from its words.
    n_components_ : int
        Number of topics.
    n_features_in_ : int
        Number of terms.
    feature_names_in_ : (n_features_in_) array of str
        The columns of `X`, if it was a DataFrame. They are the words of `model_`, see `set_words`.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> texts = ["the cat chased a mouse", "a mouse fled from the cat", "cat and mouse"]
    >>> texts += ["planets and stars", "planets orbit stars", "stars in a telescope", "two stars"]
    >>> topics = DnmfTopics(n_components=2, random_state=0)
    >>> pipeline = make_pipeline(CountVectorizer(stop_words="english"), topics)
    >>> pipeline.fit_transform(texts).shape
    (7, 2)
    >>> topics.labels_.tolist()
    [1, 1, 1, 0, 0, 0, 0]
    >>> pipeline.predict(["a telescope for planets"]).tolist()
    [0]
    >>> topics.components_.shape, topics.n_components_
    ((2, 8), 2)
    >>> topics.set_words(pipeline[:-1].get_feature_names_out()).topic_names_
    ['stars, planets, orbit', 'cat, mouse, chased']
    """

    model_: DnmfModel

    def __init__(
        self,
        n_components: int | Literal["auto"] = 10,
        *,
        random_state: Any = None,
        variant: str = "bdnmf",
        weighting: str = "auto",
        mixing_rounds: int | Literal["auto"] = "auto",
        seed_words: Mapping[str, Sequence[str | int]] | None = None,
        alpha: Any = "symmetric",
        eta: Any = None,
        num_clusterings: int = 200,
        last_layer_size: int | Literal["auto"] = "auto",
        model_options: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state
        self.variant = variant
        self.weighting = weighting
        self.mixing_rounds = mixing_rounds
        self.seed_words = seed_words
        self.alpha = alpha
        self.eta = eta
        self.num_clusterings = num_clusterings
        self.last_layer_size = last_layer_size
        self.model_options = model_options
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: SparseInput, y: Any = None) -> DnmfTopics:
        """Find the topics of documents.

        Parameters
        ----------
        X : sparse matrix, array or DataFrame of shape (n_samples, n_features)
            Counts or weights of the terms in the documents, not below 0. Documents may be empty,
            but not all. If it fails or is interrupted, the estimator stays as it was.
        y : None
            Without an effect.

        Returns
        -------
        DnmfTopics
            Itself.

        Examples
        --------
        >>> counts = [[2, 1, 0], [1, 2, 0], [0, 0, 3]]
        >>> DnmfTopics(n_components=2, random_state=0).fit(counts).labels_
        array([0, 0, 1])
        """
        options = self._further_options()
        with _all_or_nothing(self), _own_names():
            counts = self._checked(X, "fit", reset=True)
            self.model_ = DnmfModel(
                counts.T, self.n_components, dict(enumerate(self._words())), alpha=self.alpha,
                eta=self.eta, random_state=self.random_state, variant=self.variant,
                num_clusterings=self.num_clusterings, last_layer_size=self.last_layer_size,
                weighting=self.weighting, mixing_rounds=self.mixing_rounds,
                seed_words=self.seed_words, n_jobs=self.n_jobs, show_progress=bool(self.verbose),
                **options,
            )  # fmt: skip
        return self

    def transform(self, X: SparseInput) -> Dense:
        """How much of each document is about each topic.

        Parameters
        ----------
        X : sparse matrix, array or DataFrame of shape (n_samples, n_features)
            Counts or weights of the terms in the documents, as for `fit`.

        Returns
        -------
        (n_samples x n_components_) array
            Topic shares; rows sum to 1. A document without terms has the shares of the prior
            `alpha`. After `set_output` a DataFrame.

        Examples
        --------
        >>> counts = [[2, 1, 0], [1, 2, 0], [0, 0, 3]]
        >>> topics = DnmfTopics(n_components=2, random_state=0).fit(counts)
        >>> topics.transform([[0, 4, 0], [0, 0, 0]]).round(1)
        array([[0.9, 0.1],
               [0.5, 0.5]])
        """
        gamma, _ = self._fitted().inference(self._checked(X, "transform").T)
        shares: Dense = gamma / gamma.sum(axis=1, keepdims=True)
        return shares

    def predict(self, X: SparseInput) -> Labels:
        """The topic of each document, were it new.

        It is the one that its weighted terms speak for or, where documents mix topics, that most of
        its words are about. Nearly all training documents get the topic of `labels_`, but these
        were grouped together, and here each document is by itself. A document without known words
        goes to the largest topic.

        Parameters
        ----------
        X : sparse matrix, array or DataFrame of shape (n_samples, n_features)
            Counts or weights of the terms in the documents, as for `fit`.

        Returns
        -------
        (n_samples) array of int
            The topics' numbers.

        Examples
        --------
        >>> counts = [[2, 1, 0], [1, 2, 0], [0, 0, 3]]
        >>> DnmfTopics(n_components=2, random_state=0).fit(counts).predict([[0, 1, 0], [0, 0, 1]])
        array([0, 1])
        """
        table = self._fitted().get_document_info(self._checked(X, "predict").T)
        labels: Labels = table["topic"].to_numpy()
        return labels

    def score(self, X: SparseInput, y: Any = None) -> float:
        """How well the topics tell the words of documents: the more, the better.

        It compares settings on documents that were not trained on, as `GridSearchCV` does. For the
        number of topics take it with care: it goes on rising with more of them than one would read,
        and ``n_components="auto"`` looks for groups instead.

        Parameters
        ----------
        X : sparse matrix, array or DataFrame of shape (n_samples, n_features)
            Counts or weights of the terms in the documents, as for `fit`.
        y : None
            Without an effect.

        Returns
        -------
        float
            A lower bound of the log-likelihood of a word, see `DnmfModel.log_perplexity`.

        Examples
        --------
        >>> counts = [[2, 1, 0], [1, 2, 0], [0, 0, 3]]
        >>> topics = DnmfTopics(n_components=2, random_state=0).fit(counts)
        >>> bool(topics.score([[3, 3, 0]]) > topics.score([[3, 0, 3]]))  # of two topics
        True
        """
        model, counts = self._fitted(), self._checked(X, "score")
        with _own_names():
            return model.log_perplexity(counts.T)

    def set_words(self, words: Sequence[str]) -> DnmfTopics:
        """Tell the fitted model the words of the columns, where no DataFrame told them.

        In a pipeline the topics get a matrix without names; what `model_` shows are words when it
        is told those of the vectorizer.

        Parameters
        ----------
        words : sequence of str
            The words of the columns, as the vectorizer's ``get_feature_names_out()`` has them.

        Returns
        -------
        DnmfTopics
            Itself.

        Examples
        --------
        >>> counts = [[0, 2, 0], [1, 1, 0], [0, 0, 3]]
        >>> topics = DnmfTopics(n_components=2, random_state=0).fit(counts)
        >>> topics.model_.show_topic(0, topn=1)[0][0]
        'x1'
        >>> topics.set_words(["cat", "mouse", "star"]).model_.show_topic(0, topn=1)[0][0]
        'mouse'
        """
        model = self._fitted()
        if isinstance(words, str) or np.shape(words) != (model.num_terms,):
            raise ValueError(
                f"words must have a word for each of the {model.num_terms} columns, got "
                f"{shortened(words)}."
            )
        model.id2word = dict(enumerate(map(str, words)))
        return self

    @property
    def components_(self) -> Dense:
        """The weights of the terms in the topics (n_components_ x n_features_in_)."""
        return self.model_.get_topics()

    @property
    def labels_(self) -> Labels:
        """The topic of every training document (n_samples)."""
        return self.model_.cluster_labels

    @property
    def topic_names_(self) -> list[str]:
        """A name of every topic."""
        return self.model_.topic_names

    @property
    def n_components_(self) -> int:
        """Number of topics."""
        return self.model_.num_topics

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`, which scikit-learn names."""
        return self.n_components_

    def _further_options(self) -> Mapping[str, Any]:
        """Arguments of `DnmfModel` that are none of the estimator's."""
        options: Any = {} if self.model_options is None else self.model_options
        if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
            raise TypeError(
                f"model_options must be a dict of arguments of DnmfModel, got {shortened(options)}."
            )
        if "embeddings" in options:
            raise ValueError(
                "model_options must not have 'embeddings': a vector for each document cannot "
                "follow the rows of X through pipelines and searches; train a DnmfModel with them."
            )
        for name in options:
            if name in {*vars(self), *OWN_NAMES, "id2word", "show_progress"}:
                raise ValueError(
                    f"model_options must not have {name!r}, which DnmfTopics has or sets itself; "
                    "leave it out there."
                )
        return options

    def _words(self) -> Sequence[str]:
        """The words of the columns; where they have none, what scikit-learn calls them."""
        if hasattr(self, "feature_names_in_"):
            return list(self.feature_names_in_)
        seeds = check_seed_words({} if self.seed_words is None else self.seed_words)
        word = next((word for row in seeds.values() for word in row if isinstance(word, str)), None)
        if word is not None:
            raise ValueError(
                f"seed_words must be numbers of columns where X does not name these, got {word!r}; "
                "a vectorizer's vocabulary_[word] is the number, or give a DataFrame."
            )
        return [f"x{column}" for column in range(self.n_features_in_)]

    def _fitted(self) -> DnmfModel:
        validation.check_is_fitted(self, "model_")
        return self.model_

    def _checked(self, X: Any, method: str, *, reset: bool = False) -> sparse.csr_array:
        """Documents (n x V) of numbers not below 0; `reset` learns their columns."""
        check_unmasked(X, "X")
        checks = {"accept_sparse": "csr", "dtype": np.float64}
        if hasattr(validation, "validate_data"):
            X = validation.validate_data(self, X, reset=reset, **checks)
        else:  # before scikit-learn 1.6
            X = self._validate_data(X, reset=reset, **checks)
        validation.check_non_negative(X, f"{type(self).__name__}.{method}")
        return sparse.csr_array(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """The same before scikit-learn 1.6."""
        return {"requires_positive_X": True}


@contextmanager
def _all_or_nothing(estimator: DnmfTopics) -> Iterator[None]:
    """Leave the estimator as it was, fitted or not, by a fit that fails or is interrupted."""
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise


@contextmanager
def _own_names() -> Iterator[None]:
    """Have errors of the model speak of the arguments as they are called here."""
    try:
        yield
    except (TypeError, ValueError, MemoryError) as error:
        pattern = rf"\b({'|'.join(OWN_NAMES)})\b"
        error.args = (re.sub(pattern, lambda name: OWN_NAMES[name[0]], str(error)),)
        raise
