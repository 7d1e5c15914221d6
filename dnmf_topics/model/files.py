"""A model as JSON and arrays, and back. `storage` puts them into files."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gensim.corpora import Dictionary
from gensim.utils import FakeDict

from .. import storage
from ..common.checks import check_int, check_real
from ..core import Mbn
from .state import DnmfState
from .tables import VIEW_COLUMNS

if TYPE_CHECKING:
    from .dnmf import DnmfModel

logger = logging.getLogger(__name__)

KIND = "DnmfModel"
# Constructor arguments that are kept as they are: those it checks, and those without a meaning.
PARAMETERS = (
    "num_topics", "chunksize", "minimum_probability", "minimum_phi_value", "per_word_topics",
    "variant", "overlap", "lambda1", "lambda2", "weighting", "n_jobs", "show_progress",
)  # fmt: skip
WITHOUT_MEANING = (
    "distributed", "passes", "update_every", "decay", "offset", "eval_every", "iterations",
    "gamma_threshold",
)  # fmt: skip
NETWORK = (
    "num_clusterings", "delta", "first_layer_size", "last_layer_size", "landmarks", "refine",
)  # fmt: skip
# Arrays beside those of the state, by their names in the file.
ARRAYS = {
    "expElogbeta": "expElogbeta",
    "term_weights": "_term_weights",
    "topic_scale": "_topic_scale",
    "synced_sizes": "_topic_sizes",
    "idf": "_idf",
    "alpha": "alpha",
    "eta": "eta",
    "cluster_labels": "cluster_labels",
    "doc_topics": "_doc_topics",
    "doc_cosines": "_doc_cosines",
    "doc_embedding": "doc_embedding",
}
OF_DOCUMENTS = ("cluster_labels", "doc_topics", "doc_cosines", "doc_embedding")
TYPES = {"cluster_labels": np.int64, "doc_embedding": np.float32}  # of arrays but float64
MAY_BE_NEGATIVE = ("term_weights", "idf", "doc_embedding")
MUST_BE_POSITIVE = ("alpha", "eta")
KEY_SIZE = 624  # of numpy's RandomState
COUNTS, TOTALS = ("dfs", "cfs"), ("num_docs", "num_pos", "num_nnz")  # of gensim's Dictionary


def save_model(model: DnmfModel, target: Any, ignore: Any, separately: Any, sep_limit: int) -> None:
    """Write a model; the arguments are those of `DnmfModel.save`."""
    left_out = set(_names(ignore))
    arrays = {name: np.asarray(getattr(model, attribute)) for name, attribute in ARRAYS.items()}
    arrays |= {name: getattr(model.state, name) for name in DnmfState.SUMS}
    if "doc_topics" in left_out:
        arrays |= {name: arrays[name][:0] for name in OF_DOCUMENTS}
    # What could not be loaded is not saved.
    _check_arrays(arrays, model.num_topics, model.num_terms)
    _check_sizes(arrays, model.state.numdocs)
    if model.state.numdocs == 0 and not isinstance(model.deep_model, (Mbn, type(None))):
        logger.warning("deep_model is not saved: the loaded model will train with the network")
    meta = {
        "parameters": {name: getattr(model, name) for name in PARAMETERS + WITHOUT_MEANING},
        "network": {name: getattr(model.network, name) for name in NETWORK},
        "learnt": {
            "num_terms": model.num_terms,
            "num_updates": int(model.num_updates),
            "numdocs": int(model.state.numdocs),
            "optimize_alpha": model.optimize_alpha,
            "optimize_eta": model.optimize_eta,
            "dtype": model.dtype.name,
        },
        "views": model.views,
        "tokenization": model.tokenization,
        "id2word": None
        if "id2word" in left_out
        else _vocabulary_as_json(model.id2word, model.num_terms),
    }
    arrays["random_key"], meta["random_state"] = _random_state_as_json(model.random_state)
    wanted = None if separately is None else [n for n in _names(separately) if n in arrays]
    storage.save(target, KIND, meta, arrays, separately=wanted, sep_limit=sep_limit)


def load_model(
    model: DnmfModel, construct: Callable[..., None], source: Any, mmap: str | None
) -> None:
    """Fill an empty model from a file. Unless all of it is sound, there is an error.

    `construct` is the constructor, which checks the parameters as it checks those of any user.
    """
    stored = storage.load(source, KIND, mmap=mmap)
    try:
        _fill(model, construct, stored)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        name = source if isinstance(source, (str, os.PathLike)) else "The open file"
        missing = isinstance(error, KeyError)
        reason = f"{error} is missing" if missing else " ".join(str(error).split())
        raise storage.FileFormatError(
            f"{name} must hold a whole DnmfModel, but its parts do not fit together: {reason}"
        ) from error


def _fill(model: DnmfModel, construct: Callable[..., None], stored: storage.Stored) -> None:
    meta: Any = stored.meta
    arrays = stored.arrays
    parameters, learnt = meta["parameters"], meta["learnt"]
    num_topics = check_int(parameters["num_topics"], "num_topics", 1)
    num_terms = check_int(learnt["num_terms"], "num_terms", 1)
    # First of all, as memory is reserved only for what the file has arrays for.
    _check_arrays(arrays, num_topics, num_terms)
    network = {name: meta["network"][name] for name in NETWORK}
    construct(
        model, id2word=FakeDict(1), random_state=0, deep_model=Mbn(**network),
        **{name: parameters[name] for name in PARAMETERS},
    )  # fmt: skip
    model.deep_model = None
    model.dtype = np.dtype(str(learnt["dtype"]))
    for name in WITHOUT_MEANING:
        setattr(model, name, _scalar(parameters[name], name))
    for name in DnmfState.SUMS:
        setattr(model.state, name, arrays[name])
    for name, attribute in ARRAYS.items():
        setattr(model, attribute, arrays[name])
    model.num_terms = num_terms
    model.state.numdocs = check_int(learnt["numdocs"], "numdocs", 0)
    _check_sizes(arrays, model.state.numdocs)
    model.num_updates = check_int(learnt["num_updates"], "num_updates", 0)
    model.optimize_alpha = learnt["optimize_alpha"] is True
    model.optimize_eta = learnt["optimize_eta"] is True
    model.views = [_view(view) for view in meta["views"]]
    model.tokenization = meta["tokenization"]
    if not isinstance(model.tokenization, (dict, type(None))):
        raise ValueError(f"tokenization must be settings by name, got {model.tokenization!r}.")
    model.id2word = _vocabulary_from_json(meta["id2word"], num_terms)
    model.random_state = _random_state_from_json(meta["random_state"], arrays["random_key"])


def _check_arrays(arrays: Mapping[str, Any], num_topics: int, num_terms: int) -> None:
    """Raise what reading or updating would stumble over."""
    by_term = (num_topics, num_terms)
    num_docs = arrays["cluster_labels"].size
    shapes: dict[str, tuple[int, ...]] = {
        "sstats": by_term, "topic_weights": (num_topics,), "cluster_mass": by_term,
        "word_counts": by_term, "topic_sizes": (num_topics,), "doc_frequency": (num_terms,),
        "expElogbeta": by_term, "term_weights": (num_terms, num_topics),
        "topic_scale": (num_topics,), "synced_sizes": (num_topics,), "idf": (num_terms,),
        "alpha": (num_topics,), "eta": by_term if arrays["eta"].ndim == 2 else (num_terms,),
        "cluster_labels": (num_docs,), "doc_topics": (num_docs, num_topics),
        "doc_cosines": (num_docs,),
        "doc_embedding": (num_docs if arrays["doc_embedding"].size else 0, num_topics),
    }  # fmt: skip
    for name, shape in shapes.items():
        array, kind = arrays[name], TYPES.get(name, np.float64)
        if array.shape != shape or array.dtype != kind:
            raise ValueError(
                f"{name} must be {np.dtype(kind)} of shape {shape}, got {array.dtype} of shape "
                f"{array.shape}."
            )
        if array.size == 0:
            continue
        smallest, largest = array.min(), array.max()
        if not (np.isfinite(smallest) and np.isfinite(largest)):
            raise ValueError(f"{name} must be finite, got NaN or infinity.")
        if (smallest < 0 and name not in MAY_BE_NEGATIVE) or (
            smallest == 0 and name in MUST_BE_POSITIVE
        ):
            raise ValueError(f"{name} must not go down to {smallest}.")
        if name == "cluster_labels" and largest >= num_topics:
            raise ValueError(f"{name} must be below {num_topics}, got {largest}.")


def _check_sizes(arrays: Mapping[str, Any], num_docs: float) -> None:
    # One more for rounding: blending makes fractions of documents.
    if arrays["doc_frequency"].max() > num_docs + 1:
        raise ValueError(
            f"numdocs must not be below the number of documents of a term, got {num_docs}."
        )


def _scalar(value: Any, name: str) -> Any:
    if not isinstance(value, (int, float, str, type(None))) or value != value:
        raise TypeError(f"{name} must be a number, got {value!r}.")
    return value


def _view(view: Any) -> dict[str, Any]:
    """A row of `get_view_info`, sound and with no other keys."""
    for name, kinds in VIEW_COLUMNS.items():
        value = view[name]
        if type(value) not in kinds or value != value:
            raise TypeError(f"{name} of a view must be of type {kinds}, got {value!r}.")
    return {name: view[name] for name in VIEW_COLUMNS}


def _names(names: Any) -> Iterable[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else [name for name in names if name]


# The vocabulary


def _vocabulary_as_json(id2word: Any, num_terms: int) -> Any:
    """The words of the model; those that the vocabulary got later are left out."""
    if id2word is None:
        return None
    if isinstance(id2word, FakeDict):
        return {"kind": "identity"}
    if isinstance(id2word, Dictionary):
        pairs = [(int(i), word) for word, i in id2word.token2id.items() if i < num_terms]
        counts = {
            name: [[int(i), int(n)] for i, n in getattr(id2word, name).items() if i < num_terms]
            for name in COUNTS
        }
        totals = {name: int(getattr(id2word, name)) for name in TOTALS}
        stored = {"kind": "Dictionary", **counts, **totals}
    else:
        pairs = [(int(i), id2word[i]) for i in id2word if i < num_terms]
        stored = {"kind": "dict"}
    if not all(isinstance(word, str) for _, word in pairs):
        raise TypeError("id2word must map ids to strings to be saved; pass ignore='id2word'.")
    return stored | {"ids": [i for i, _ in pairs], "words": [word for _, word in pairs]}


def _vocabulary_from_json(stored: Any, num_terms: int) -> Any:
    if stored is None:
        return None
    if stored["kind"] == "identity":
        return FakeDict(num_terms)
    ids = [check_int(i, "an id of id2word", 0, num_terms - 1) for i in stored["ids"]]
    words = stored["words"]
    if len(set(ids)) != len(words) or not all(isinstance(word, str) for word in words):
        raise ValueError("id2word must have a word for each id.")
    if stored["kind"] == "dict":
        return dict(zip(ids, words, strict=True))
    if stored["kind"] != "Dictionary":
        raise ValueError(f"id2word is of an unknown kind, {stored['kind']!r}.")
    dictionary = Dictionary()
    dictionary.token2id = dict(zip(words, ids, strict=True))
    for name in COUNTS:
        counts = {
            check_int(i, f"an id of {name}", 0, num_terms - 1): check_int(n, name, 0)
            for i, n in stored[name]
        }
        setattr(dictionary, name, counts)
    for name in TOTALS:
        setattr(dictionary, name, check_int(stored[name], name, 0))
    return dictionary


# The random state


def _random_state_as_json(random_state: np.random.RandomState) -> tuple[Any, Mapping[str, Any]]:
    state = random_state.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise TypeError(
            f"random_state must be numpy's default (MT19937) to be saved, "
            f"got {state['bit_generator']}."
        )
    rest = {"pos": state["state"]["pos"], "has_gauss": state["has_gauss"], "gauss": state["gauss"]}
    return state["state"]["key"], rest


def _random_state_from_json(stored: Any, key: Any) -> np.random.RandomState:
    # numpy takes any position, and reads memory that is not its own.
    position = check_int(stored["pos"], "the position of random_state", 0, KEY_SIZE)
    if key.shape != (KEY_SIZE,) or key.dtype != np.uint32:
        raise ValueError(f"random_key must be {KEY_SIZE} uint32, got {key.dtype} {key.shape}.")
    random_state = np.random.RandomState()
    random_state.set_state(
        {
            "bit_generator": "MT19937",
            "state": {"key": np.asarray(key), "pos": position},
            "has_gauss": check_int(stored["has_gauss"], "has_gauss", 0, 1),
            "gauss": check_real(stored["gauss"], "gauss", -np.inf),
        }
    )
    return random_state
