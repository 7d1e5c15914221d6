"""What `DnmfModel` is made of: its arguments checked, and what it knows before its documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from inspect import signature
from typing import Any

import gensim.models
import numpy as np

from ..common.blocks import Blocks
from ..common.checks import check_int, memory_for, shortened
from ..common.documents import AnyCorpus
from ..common.vectors import check_vectors
from ..core import VARIANTS, Mbn
from .embeddings import check_beside
from .learnt import NUM_ARRAYS, Learnt, Topics, TrainingDocuments
from .number_choice import NumTopicsChoice, choose_for
from .priors import topic_prior, word_prior
from .seed_words import check_seeds_fit, find_seed_terms, seed_names, seed_terms_of_prior
from .settings import Settings
from .state import DnmfState
from .vocabulary import identity_vocabulary, plain_vocabulary, vocabulary_size
from .workshop import Workshop

# LdaModel's relatives, of which arguments may be left in a script.
RELATIVES = ("Nmf", "LsiModel", "HdpModel", "LdaSeqModel", "AuthorTopicModel", "EnsembleLda")


def check_call(corpus: AnyCorpus | None, id2word: Any, callbacks: Any) -> None:
    """Raise where there is no vocabulary, or something else than metrics is to be called."""
    if corpus is None and id2word is None:
        raise ValueError("corpus or id2word must be given, to know the vocabulary; both are None.")
    if callbacks is not None and not (
        isinstance(callbacks, (list, tuple)) and all(hasattr(m, "get_value") for m in callbacks)
    ):
        raise TypeError(f"callbacks must be a list of gensim's metrics, got {callbacks!r}.")


def check_names(variant_options: Mapping[str, Any], parameters: Iterable[str]) -> None:
    """Raise for a name that is neither one of the parameters nor an option of any variant."""
    options = {name for row in VARIANTS.values() for name in row.options}
    known = options.union(parameters)
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


def check_choice(
    word: Any, corpus: AnyCorpus | None, deep_model: Any, alpha: Any, eta: Any
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


def num_jobs(n_jobs: int | None, workers: int | None) -> int | None:
    """The number of threads, by our name or by LdaMulticore's."""
    if workers is None:
        return n_jobs
    workers = check_int(workers, "workers", 1)
    return workers if n_jobs == -1 else n_jobs


def network_of(deep_model: Any, **given: Any) -> Mbn:
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


def check_seeds_beside(settings: Settings, deep_model: Any, chooses: bool) -> None:
    """Raise where seed words contradict the groups or the number of topics, if that is known."""
    if settings.seed_words and not _is_network(deep_model):
        raise ValueError(
            "seed_words must not be given beside a deep_model that groups the documents "
            "already; leave one of them out."
        )
    if not chooses:
        check_seeds_fit(settings.seed_words, settings.num_topics)


def check_first_embeddings(
    embeddings: Any, corpus: AnyCorpus | None, deep_model: Any, settings: Settings
) -> Any:
    """The vectors of the first documents as an array, or an error."""
    if corpus is None:
        raise ValueError("embeddings must come with the corpus that they are of; got None.")
    check_beside(deep_model, settings.mixing_rounds)
    return check_vectors(embeddings)


def read_vocabulary(
    corpus: AnyCorpus | None, id2word: Any, workshop: Workshop
) -> tuple[Any, int, Blocks | None]:
    """The words of the ids and their number; and the documents if these had to be read for it."""
    counts = None
    if id2word is None:
        counts = workshop.read(corpus, None)
        id2word = identity_vocabulary(counts.shape[1])
    id2word = plain_vocabulary(id2word)
    num_terms = vocabulary_size(id2word)
    if num_terms == 0:
        raise ValueError("corpus and id2word must have at least one term, got none.")
    return id2word, num_terms, counts


def choose_with(
    settings: Settings, counts: Blocks, random_state: np.random.RandomState, workshop: Workshop
) -> NumTopicsChoice:
    """The number of topics for documents (N x V) under these settings."""
    choice = choose_for(
        counts, settings.network, settings.weighting, random_state, workshop,
        limits=(max(2, len(settings.seed_words)), None), show_progress=settings.show_progress,
    )  # fmt: skip
    check_seeds_fit(settings.seed_words, choice.number)
    return choice


def nothing_learnt(
    settings: Settings, id2word: Any, num_terms: int, alpha: Any, eta: Any, deep_model: Any
) -> Learnt:
    """What a model knows before its first documents: its priors and its seeds."""
    num_topics = settings.num_topics
    seeds = find_seed_terms(settings.seed_words, id2word, num_terms)
    with memory_for(num_topics, num_terms, NUM_ARRAYS):
        first_alpha, optimize_alpha = topic_prior(alpha, num_topics)
        first_eta, optimize_eta = word_prior(eta, num_topics, num_terms)
        state = DnmfState(num_topics, num_terms)
        learnt = Learnt(
            state, Topics.of_state(state, first_eta, state.idf()), first_alpha, first_eta,
            documents=TrainingDocuments.none(num_topics), weighting=settings.weighting,
            optimize_alpha=optimize_alpha, optimize_eta=optimize_eta,
            names=seed_names(settings.seed_words, num_topics),
        )  # fmt: skip
    if not _is_network(deep_model):
        return learnt
    return replace(learnt, seed_terms=seeds or seed_terms_of_prior(learnt.eta))


def _is_network(deep_model: Any) -> bool:
    return deep_model is None or isinstance(deep_model, Mbn)
