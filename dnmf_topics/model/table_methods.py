"""Topics and documents as pandas tables."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.arrays import Dense
from ..common.checks import check_int, shortened
from ..common.excerpts import IN_TABLES, cut_excerpt
from .document_methods import DocumentMethods, known_chunks
from .doubts import doubts_of
from .embeddings import check_embeddings
from .inference import assign_topics, doc_topic_weights
from .learnt import MOST_SHARES, Learnt
from .normalization import normalize_rows
from .topic_methods import check_topic
from .tree_methods import TreeMethods

if TYPE_CHECKING:
    import pandas as pd

# Of the table of views, with their types.
VIEW_COLUMNS: dict[str, tuple[type, ...]] = {
    "view": (str,), "layer_size": (int, type(None)), "fit": (float,), "information": (float,),
    "separation": (float,), "cohesion": (float,), "largest": (float,), "total": (float,),
    "taken": (bool,),
}  # fmt: skip


class TableMethods(DocumentMethods, TreeMethods):
    """What users of topic models ask for beyond LdaModel: overviews of topics and documents."""

    def doc_topics(self) -> Dense:
        """Topic shares of all training documents, as the model saw them when they came.

        Returns
        -------
        (N x K) array
            A copy; rows sum to 1. Without rows if the model is not trained, or was saved without
            them.

        Raises
        ------
        ValueError
            If there are more than 65,536 documents, of which the model keeps the topic and its
            share alone.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.doc_topics().shape
        (9, 2)
        >>> model.doc_topics()[0].round(2).tolist()
        [0.88, 0.12]
        """
        return np.array(_all_shares(self._learnt))

    def get_topic_info(self, topn: int = 10) -> pd.DataFrame:
        """A row for each topic, the largest first.

        Parameters
        ----------
        topn : int, default=10
            Number of words.

        Returns
        -------
        pandas.DataFrame
            `topic`, `size` (number of documents), their `share` of all that are counted, `name` (as
            in `topic_names`), and `words` (a list, the heaviest first; none where the topic's
            documents have none). Documents with neither known words nor a vector are not counted,
            see `get_document_info`.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> table = model.get_topic_info(topn=3)
        >>> list(table.columns)
        ['topic', 'size', 'share', 'name', 'words']
        >>> table["words"][1]
        ['trees', 'graph', 'minors']
        """
        import pandas as pd

        model = copy.copy(self)  # which no update on another thread changes
        sizes, order, names = model._learnt.sizes, model.topic_order(), model.topic_names
        has_words = model._learnt.topics.have_words
        return pd.DataFrame(
            {
                "topic": order,
                "size": sizes[order],
                "share": sizes[order] / max(float(sizes.sum()), 1.0),
                "name": [names[k] for k in order],
                "words": [
                    [word for word, _ in model.show_topic(k, topn)] if has_words[k] else []
                    for k in order
                ],
            }
        )

    def get_document_info(
        self,
        corpus: Any = None,
        *,
        texts: Iterable[str] | None = None,
        full: bool = False,
        embeddings: Any = None,
    ) -> pd.DataFrame:
        """A row for each document, in order.

        Parameters
        ----------
        corpus : gensim corpus, or sparse matrix of shape (V, n), optional
            The documents; None for the training documents, with the topics they were trained in.
            Training documents that are given are taken for new ones: a few get another topic.
        texts : iterable of str, optional
            Their texts, as many and in the same order, whose beginnings become a column `text`.
        full : bool, default=False
            Whether to add the share of every topic, as columns named by the topics' numbers.
        embeddings : (n x d) array, optional
            Vectors of the documents of `corpus`, for a model that was trained with embeddings:
            topics and confidence follow words and vectors then, and else words alone. Shares are
            parts of a document's words, whatever its vector is.

        Returns
        -------
        pandas.DataFrame
            `topic`, the one that the document belongs to; `weight`, its share in the document; and
            `confidence`, the probability of the topic, were the document about one alone. It is 0
            for a document of which nothing is known, as it has neither known words nor a vector:
            it has a topic for want of another, and no topic counts it.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.get_document_info()["topic"].tolist()
        [0, 0, 0, 0, 0, 1, 1, 1, 1]
        >>> new = [common_dictionary.doc2bow(["graph", "trees"])]
        >>> model.get_document_info(new, full=True).round(2).to_dict("records")
        [{'topic': 1, 'weight': 0.83, 'confidence': 0.94, 0: 0.17, 1: 0.83}]
        >>> model.get_document_info(new, texts=["Graphs, and trees."])["text"].tolist()
        ['Graphs, and trees.']
        """
        table = self._document_table(corpus, full, embeddings)
        if texts is not None:
            place = list(table.columns).index("confidence") + 1
            table.insert(place, "text", _beginnings(texts, len(table)))
        return table

    def _document_table(self, corpus: Any, full: bool, embeddings: Any) -> pd.DataFrame:
        import pandas as pd

        learnt = self._learnt
        vectors = None
        if embeddings is not None:
            vectors = check_embeddings(embeddings, None, learnt.num_dimensions)
        if corpus is None:
            if vectors is not None:
                raise ValueError("embeddings must come with a corpus, those of its documents.")
            known = learnt.documents
            table = pd.DataFrame(
                {
                    "topic": known.cluster_labels,
                    "weight": known.own_shares[:, 0],
                    "confidence": known.doc_confidence,
                }
            )
            return table if not full else _with_columns(table, _all_shares(learnt))
        tables, num_docs = [], 0
        for documents in known_chunks(self, corpus):
            rows = slice(num_docs, num_docs + len(documents))
            num_docs = rows.stop
            of_chunk = None if vectors is None else vectors[rows]
            if of_chunk is not None and len(of_chunk) < len(documents):
                break
            gamma = doc_topic_weights(documents, learnt)
            shares = normalize_rows(gamma)
            topics, confidence = assign_topics(documents, learnt, gamma, of_chunk)
            own = shares[np.arange(topics.size), topics]
            table = pd.DataFrame({"topic": topics, "weight": own, "confidence": confidence})
            tables.append(_with_columns(table, shares) if full else table)
        if vectors is not None and num_docs != len(vectors):
            more = "more than " if num_docs > len(vectors) else ""
            raise ValueError(
                f"embeddings must have a row for each document, got {len(vectors)} rows for "
                f"{more}{min(num_docs, len(vectors))} documents."
            )
        return pd.concat(tables, ignore_index=True)

    def get_view_info(self) -> pd.DataFrame:
        """A row for each grouping of the documents that was tried, and which one was taken.

        Returns
        -------
        pandas.DataFrame
            `view` says what it takes topics to be ("equal" or "unequal" in size; "joint" where
            documents came with vectors, of which the most `information` counts), `layer_size` from
            which layer of the network it comes (None: from the documents' own words); the measures
            are those of `core.ViewScore`. The best `total` says which sizes topics have, and of
            "equal" ones the best `fit` is taken; `taken` says which it was. Without rows if no
            network was trained.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> model.get_view_info()[["view", "layer_size", "taken"]].to_dict("records")[-1]
        {'view': 'equal', 'layer_size': None, 'taken': False}
        """
        import pandas as pd

        views = self._learnt.views
        table = pd.DataFrame(views, columns=list(VIEW_COLUMNS))
        # A whole number or none, not a float or nan.
        table["layer_size"] = pd.Series([view["layer_size"] for view in views], dtype=object)
        return table

    def get_settings(self) -> dict[str, Any]:
        """What made the topics, by name: of the model, its variant, its network and its text.

        `mixing_rounds` are those that were taken; `embeddings`, if there were any, the number of
        their dimensions.

        Returns
        -------
        dict
            Names and values. Those of the text begin with "tokenization.", so that
            "tokenization.model" is the pipeline of spaCy; "seed_words.space" are the seed words of
            the topic "space".

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, variant="sdnmf", random_state=0)
        >>> settings = model.get_settings()
        >>> settings["num_topics"], settings["overlap"], settings["num_clusterings"]
        (2, 1.0, 200)
        """
        settings, learnt = self.settings, self._learnt
        text = learnt.tokenization or {}
        network: dict[str, Any] = asdict(settings.network)
        if self.deep_model is not None:
            network = {"deep_model": type(self.deep_model).__name__}
        return {
            "num_topics": settings.num_topics,
            "variant": settings.variant,
            **settings.variant_options,
            "weighting": learnt.weighting,
            "mixing_rounds": learnt.mixing_rounds,
            **({"embeddings": learnt.num_dimensions} if learnt.num_dimensions else {}),
            **{f"seed_words.{name}": words for name, words in settings.seed_words.items()},
            **network,
            **{f"tokenization.{name}": value for name, value in text.items()},
        }

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against the topics, and what to try: a tuple of str, empty where all is well.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> DnmfModel(common_corpus, 2, common_dictionary, random_state=0).doubts
        ()
        """
        return doubts_of(self._learnt)

    def get_representative_docs(self, topic: int, n: int = 10) -> list[int]:
        """Positions of the `n` training documents of a topic that are most like it.

        Parameters
        ----------
        topic : int
            The topic; negative ones count from the end.
        n : int, default=10
            How many documents, at most.

        Returns
        -------
        list of int
            Positions in the training corpus, ordered by the cosine of the documents' words with the
            topic's, which does not favor long documents; of equal documents only the first.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary, common_texts
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> [common_texts[document] for document in model.get_representative_docs(topic=1, n=2)]
        [['graph', 'minors', 'trees'], ['graph', 'trees']]
        """
        learnt = self._learnt
        topic, documents = check_topic(topic, learnt.alpha.size, "topic"), learnt.documents
        members = np.flatnonzero((documents.cluster_labels == topic) & documents.are_known)
        cosines, shares = documents.doc_cosines[members], documents.own_shares[members, 0]
        # Copies of a document have the same cosine and share but for rounding.
        looks = zip(cosines.round(10).tolist(), shares.round(10).tolist(), strict=True)
        first = {look: number for number, look in reversed(list(enumerate(looks)))}
        order = sorted(first.values(), key=lambda number: (-cosines[number], number))
        return [int(members[number]) for number in order[: check_int(n, "n", 0)]]


def _all_shares(learnt: Learnt) -> Dense:
    documents = learnt.documents
    if not documents.has_all_shares:
        raise ValueError(
            f"The model keeps the shares of all topics for up to {MOST_SHARES:,} training "
            f"documents, and it has {documents.cluster_labels.size:,}; give the documents to "
            "get_document_info(corpus, full=True), part by part."
        )
    return documents.doc_topics


def _beginnings(texts: Iterable[str], num_docs: int) -> list[str]:
    """The beginnings of so many texts, each in one line."""
    if isinstance(texts, str):
        raise TypeError("texts must be a list of strings, one for each document, got a string.")
    beginnings = []
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"texts must be strings, got {shortened(text)}.")
        beginnings.append(cut_excerpt(text, IN_TABLES))
    if len(beginnings) != num_docs:
        raise ValueError(
            f"texts must have {num_docs} entries, one for each document, got {len(beginnings)}."
        )
    return beginnings


def _with_columns(table: pd.DataFrame, shares: Dense) -> pd.DataFrame:
    """The table with a column for each topic."""
    import pandas as pd

    return pd.concat([table, pd.DataFrame(shares)], axis=1)
