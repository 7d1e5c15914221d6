"""What is inside a topic: a model of its documents."""

from __future__ import annotations

import copy
import logging
from collections import defaultdict
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from ..common.blocks import Blocks
from ..common.checks import check_int, memory_for
from ..common.documents import AnyCorpus
from ..core import Mbn, choose_number, count_documents, find_unit_documents
from .embeddings import check_embeddings, no_vectors
from .learning import learn_topics, weigh_all
from .learnt import NUM_ARRAYS, Learnt, TrainingDocuments
from .priors import topic_prior, word_prior
from .reporting import reporting
from .state import DnmfState
from .topic_methods import check_topic
from .training_methods import TrainingMethods, check_training_corpus
from .workshop import Workshop

logger = logging.getLogger(__name__)

# Sub-topics that "auto" takes at the most: more are no overview, and of fewer documents each they
# would be stories rather than topics.
MOST_CHOSEN = 12
DOCS_PER_SUBTOPIC = 25

Model = TypeVar("Model", bound="SubtopicMethods")


class SubtopicMethods(TrainingMethods):
    """Topics inside of topics."""

    def subtopics(
        self: Model,
        topic: int,
        n: int | Literal["auto"] = "auto",
        corpus: AnyCorpus | None = None,
        *,
        embeddings: Any = None,
    ) -> Model:
        """A model of the documents of one topic, which finds n topics among them.

        Its documents are in the order of the training documents, those that the topic counts
        (`get_topic_info`). Terms weigh what they weigh in all
        documents, also later, when it is saved, updated or refined; the words of a sub-topic are
        those that tell it from the others.

        Parameters
        ----------
        topic : int
            The topic; negative ones count from the end.
        n : int or "auto", default="auto"
            Number of sub-topics; "auto" chooses it as `num_topics="auto"` does, but no more than
            12, and no more than one for 25 documents.
        corpus : gensim corpus, or sparse matrix of shape (V, N)
            All documents that this model was trained on, in the order in which they came. It must
            be given, as the model does not keep them.
        embeddings : (N x d) array, optional
            Vectors of all of them, where the model was trained with embeddings; without them
            sub-topics are found by words alone.

        Returns
        -------
        DnmfModel
            With the settings of this one, but those that belong to its number of topics: priors of
            single topics, seed words, widths of layers, and groups of your own. This one stays as
            it is.

        Examples
        --------
        >>> from gensim.test.utils import common_corpus, common_dictionary
        >>> from dnmf_topics import DnmfModel
        >>> model = DnmfModel(common_corpus, 2, common_dictionary, random_state=0)
        >>> inside = model.subtopics(0, 2, common_corpus)
        >>> inside.cluster_labels.tolist()
        [0, 1, 0, 0, 1]
        >>> inside.topic_names
        ['human, interface, eps', 'response, time, user']
        """
        if corpus is None:
            raise ValueError(
                "corpus must be given, all documents that the model was trained on; got None."
            )
        model = copy.copy(self)  # which no update on another thread changes
        whole = model._learnt
        topic = check_topic(topic, whole.alpha.size, "topic")
        labels = whole.documents.cluster_labels
        numbers = np.flatnonzero((labels == topic) & whole.documents.are_known)
        if labels.size and not numbers.size:
            raise ValueError(f"topic must have documents to look into, {topic} has none.")
        n = _check_number(n, numbers.size)
        with Workshop(model.resources, model.n_jobs) as workshop:
            counts = workshop.read(corpus, model.num_terms)
            check_training_corpus(counts, whole)
            vectors = check_embeddings(embeddings, counts.shape[0], whole.num_dimensions)[numbers]
            if not vectors.any():  # these go by their words
                vectors = no_vectors(numbers.size)
            counts = workshop.choose(counts, numbers)
            network = replace(model.network, first_layer_size=None, last_layer_size="auto")
            random_state = copy.deepcopy(model.random_state)
            seed = int(random_state.randint(2**31))
            if n == "auto":
                n = _choose_number(whole, counts, network, seed, model.show_progress, workshop)
            settings = replace(model.settings, num_topics=n, network=network, seed_words={})
            with memory_for(n, model.num_terms, NUM_ARRAYS):
                before = _part_of(whole, counts, n, workshop)
                learnt = learn_topics(counts, settings, None, seed, before, workshop, vectors)
        logger.info("%i documents of topic %i have %i topics inside", numbers.size, topic, n)
        model.__dict__.update(
            _learnt=learnt, settings=settings, random_state=random_state,
            metrics=defaultdict(list), deep_model=None, callbacks=None, num_topics_choice=None,
        )  # fmt: skip
        return model


def _check_number(n: Any, num_docs: int) -> int | Literal["auto"]:
    if isinstance(n, str) and n == "auto":
        return "auto"
    try:
        return check_int(n, "n", 1, num_docs or None)  # 0 where topics are unknown
    except TypeError as error:
        raise TypeError(f'{error} Or give "auto".') from None


def _choose_number(
    whole: Learnt, counts: Blocks, network: Mbn, seed: int, show_progress: bool, workshop: Workshop
) -> int:
    """How many topics some of the documents have."""
    documents = weigh_all(counts, _part_of(whole, counts, 1, workshop), workshop)
    units = find_unit_documents(documents, workshop.engine, workshop.folder_for(counts))
    with reporting(show_progress) as progress:
        curve = choose_number(
            units, network, None, np.random.SeedSequence(seed), workshop.engine, progress,
            highest=max(2, min(MOST_CHOSEN, counts.shape[0] // DOCS_PER_SUBTOPIC)),
        )  # fmt: skip
    return curve.number


def _part_of(whole: Learnt, counts: Blocks, num_topics: int, workshop: Workshop) -> Learnt:
    """What is known of some of the documents before they are learnt: how terms are weighed."""
    num_docs, num_terms = counts.shape
    alpha, _ = topic_prior("auto" if whole.optimize_alpha else None, num_topics)
    eta: Any = whole.eta
    if eta.ndim > 1 or (eta == 1.0 / whole.alpha.size).all() or whole.optimize_eta:
        eta, _ = word_prior(None, num_topics, num_terms)
    other_docs, others = 0, np.zeros(1)
    if whole.weighs:
        other_docs = int(whole.state.numdocs) + whole.other_docs - num_docs
        frequency = whole.state.doc_frequency + whole.other_frequency
        # Sums that were stretched may have lost a little, by rounding.
        others = np.maximum(frequency - count_documents(counts, workshop.engine), 0.0)
    part = replace(
        whole, alpha=alpha, eta=eta, other_frequency=others, other_docs=other_docs,
        documents=TrainingDocuments.none(num_topics), names=(None,) * num_topics, num_updates=0,
        mixing_rounds=0, views=(), seed_terms=(),
    )  # fmt: skip
    return part.with_state(DnmfState(num_topics, num_terms))
