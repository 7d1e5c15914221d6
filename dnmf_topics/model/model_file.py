"""A model as JSON and arrays, and back. `storage` puts them into files."""

from __future__ import annotations

import copy
import logging
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from gensim.corpora import Dictionary
from gensim.utils import FakeDict
from numpy.typing import NDArray

from .. import storage
from ..common.checks import LARGEST, check_int, check_real, shortened
from .learnt import Learnt, Topics, TrainingDocuments
from .seed_words import SeedTerms
from .settings import IGNORED_PARAMETERS, WEIGHTINGS, Settings
from .state import DnmfState
from .table_methods import VIEW_COLUMNS
from .user_names import changed_names

if TYPE_CHECKING:
    from .dnmf import DnmfModel

logger = logging.getLogger(__name__)

KIND = "DnmfModel"
NOT_AS_THEY_ARE = ("dtype",)  # which is saved by its name
RANDOM_KEY, KEY_SIZE = "random_key", 624  # of numpy's RandomState
FLOATS = ("float16", "float32", "float64")  # what LdaModel's dtype may be
VALUES = (DnmfState, Topics, TrainingDocuments, Learnt)  # whose arrays are saved
COUNTS, TOTALS = ("dfs", "cfs"), ("num_docs", "num_pos", "num_nnz")  # of gensim's Dictionary


def save_model(model: DnmfModel, target: Any, ignore: Any) -> None:
    """Write a model; the arguments are those of `DnmfModel.save`."""
    left_out = set(_names(ignore))
    model = copy.copy(model)  # which no update on another thread changes
    learnt = model._learnt
    if "doc_topics" in left_out:
        learnt = replace(learnt, documents=TrainingDocuments.none(model.num_topics))
    arrays = {
        name: np.asarray(getattr(value, name))
        for value in (learnt.state, learnt.topics, learnt.documents, learnt)
        for name, wanted in _array_fields(type(value)).items()
        if getattr(value, name).size or not wanted["is_optional"]
    }
    # What could not be loaded is not saved.
    shapes = {name: (array.dtype.name, array.shape) for name, array in arrays.items()}
    _check_shapes(shapes, model.num_topics, model.num_terms)
    _check_values(arrays, model.num_topics)
    _check_sizes(arrays, learnt.state.numdocs, learnt.other_docs)
    if learnt.state.numdocs == 0 and model.deep_model is not None:
        logger.warning("deep_model is not saved: the loaded model will train with the network")
    kept = [name for name in IGNORED_PARAMETERS if name not in NOT_AS_THEY_ARE]
    meta = {
        "settings": model.settings.as_json(),
        "ignored": {name: getattr(model, name) for name in kept},
        "dtype": model.dtype.name,
        "num_terms": model.num_terms,
        "numdocs": int(learnt.state.numdocs),
        "learnt": {name: getattr(learnt, name) for name in _plain_fields()},
    }
    arrays[RANDOM_KEY], meta["random_state"] = _random_state_as_json(model.random_state)
    id2word = None if "id2word" in left_out else model.id2word
    meta["id2word"], more, words = _stored_vocabulary(id2word, model.num_terms)
    storage.save(target, KIND, meta, arrays | more, {"words": words})


def _array_fields(value: type) -> dict[str, Mapping[str, Any]]:
    """The fields of a value that are arrays, with what they must be."""
    return {each.name: each.metadata for each in fields(value) if each.metadata}


def _plain_fields() -> list[str]:
    """The fields of what a model has learnt that are neither arrays nor values of their own."""
    values = ("state", "topics", "documents")
    return [each.name for each in fields(Learnt) if not each.metadata and each.name not in values]


def load_model(model: DnmfModel, source: Any, mmap: str | None) -> None:
    """Fill an empty model from a file. Unless all of it is sound, there is an error."""
    name = source if isinstance(source, (str, os.PathLike)) else "The open file"

    def check(meta: Any, shapes: storage.Shapes) -> None:
        with _fitting(name):
            _check_header(meta, shapes)

    stored = storage.load(source, KIND, mmap=mmap, check=check)
    with _fitting(name):
        _fill(model, stored.meta, stored.arrays, stored.strings)


@contextmanager
def _fitting(name: object) -> Iterator[None]:
    """Whatever is wrong inside means that the parts of a file do not fit together."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        missing = isinstance(error, KeyError)
        reason = f"{error} is missing" if missing else " ".join(str(error).split())
        raise storage.FileFormatError(
            f"{name} must hold a whole DnmfModel, but its parts do not fit together: {reason[:300]}"
        ) from error


def _check_header(meta: Any, shapes: storage.Shapes) -> None:
    """Raise, before any array is read, if a file has other arrays than its model must have."""
    settings = Settings.from_json(meta["settings"])
    num_terms = check_int(meta["num_terms"], "num_terms", 1)
    _check_shapes(shapes, settings.num_topics, num_terms)
    own = {name for value in VALUES for name in _array_fields(value)}
    for name in shapes.keys() - own:
        # Beside the model's own: of numpy's random state, and of the vocabulary.
        if name not in (RANDOM_KEY, "word_ids", *(f"word_{each}" for each in COUNTS)):
            raise ValueError(f"no model has an array {name!r}.")
        longest = KEY_SIZE if name == RANDOM_KEY else num_terms
        if math.prod(shapes[name][1]) > 2 * longest:
            raise ValueError(f"{name} must have at most {longest} rows, got {shapes[name][1]}.")


def _fill(
    model: DnmfModel, meta: Any, arrays: Mapping[str, Any], strings: Mapping[str, list[str]]
) -> None:
    settings = Settings.from_json(meta["settings"])
    num_terms = check_int(meta["num_terms"], "num_terms", 1)
    _check_values(arrays, settings.num_topics)
    state = DnmfState.of_arrays({name: arrays[name] for name in DnmfState.sums()})
    state.numdocs = check_int(meta["numdocs"], "numdocs", 0)
    learnt = Learnt(
        state=state,
        topics=Topics(**{name: arrays[name] for name in _array_fields(Topics)}),
        documents=TrainingDocuments(
            **{name: arrays[name] for name in _array_fields(TrainingDocuments)}
        ),
        **{name: arrays[name] for name in _array_fields(Learnt) if name in arrays},
        **_checked_plain(
            {name: meta["learnt"][name] for name in _plain_fields()}, settings.num_topics, num_terms
        ),
    )
    _check_sizes(arrays, state.numdocs, learnt.other_docs)
    ignored = {
        name: default if name in NOT_AS_THEY_ARE else _scalar(meta["ignored"][name], name)
        for name, default in IGNORED_PARAMETERS.items()
    }
    if meta["dtype"] not in FLOATS:
        raise ValueError(f"dtype must be one of {', '.join(FLOATS)}.")
    ignored["dtype"] = np.dtype(meta["dtype"])
    id2word = _loaded_vocabulary(meta["id2word"], arrays, strings["words"], num_terms)
    model._put_together(settings, id2word, num_terms, learnt, ignored)
    model.random_state = _random_state_from_json(meta["random_state"], arrays["random_key"])


def _checked_plain(values: dict[str, Any], num_topics: int, num_terms: int) -> dict[str, Any]:
    """The plain fields of what a model has learnt, sound."""
    if values["weighting"] not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}.")
    for name in ("num_updates", "mixing_rounds", "other_docs"):
        check_int(values[name], name, 0)
    if not isinstance(values["names"], (list, tuple)):
        raise TypeError(f"names must be a list, got {shortened(values['names'])}.")
    if not isinstance(values["tokenization"], (dict, type(None))):
        raise ValueError(
            f"tokenization must be settings by name, got {shortened(values['tokenization'])}."
        )
    return values | {
        "optimize_alpha": values["optimize_alpha"] is True,
        "optimize_eta": values["optimize_eta"] is True,
        "views": tuple(_view(view) for view in values["views"]),
        "names": changed_names((None,) * num_topics, values["names"]),
        "seed_terms": _checked_seeds(values["seed_terms"], num_topics, num_terms),
    }


def _checked_seeds(seed_terms: Any, num_topics: int, num_terms: int) -> SeedTerms:
    if len(seed_terms) > num_topics:
        raise ValueError(f"seed_terms must be of {num_topics} topics, got {len(seed_terms)}.")
    return tuple(
        tuple(check_int(term, "a term of seed_terms", 0, num_terms - 1) for term in terms)
        for terms in seed_terms
    )


def _check_shapes(shapes: storage.Shapes, num_topics: int, num_terms: int) -> None:
    """Raise if an array is not of the type and shape that reading or updating relies on."""
    num_docs = math.prod(shapes["cluster_labels"][1])
    dimensions = shapes.get("vector_sums", ("", (0,)))[1][-1:]
    lengths = {"K": num_topics, "V": num_terms, "N": num_docs, "0": 0, "1": 1}
    lengths["D"] = dimensions[0] if dimensions else 0
    if ("vector_sums" in shapes) != ("kappa" in shapes):
        raise ValueError("vector_sums and kappa must be there both, or none of them.")
    for value in VALUES:
        for name, wanted in _array_fields(value).items():
            if name not in shapes and wanted["is_optional"]:
                continue
            (found, shape), dtype = shapes[name], np.dtype(wanted["dtype"])
            possible = [tuple(lengths[letter] for letter in each) for each in wanted["shapes"]]
            if shape not in possible or found != dtype.name:
                raise ValueError(
                    f"{name} must be {dtype} of shape {' or '.join(map(str, possible))}, got "
                    f"{found} of shape {shape}."
                )


def _check_values(arrays: Mapping[str, Any], num_topics: int) -> None:
    """Raise if an array holds what reading or updating would stumble over."""
    for value in VALUES:
        for name, wanted in _array_fields(value).items():
            if name in arrays:
                _check_range(arrays[name], name, wanted)
    labels = arrays["cluster_labels"]
    if labels.size and labels.max() >= num_topics:
        raise ValueError(f"cluster_labels must be below {num_topics}, got {labels.max()}.")


def _check_range(array: Any, name: str, wanted: Mapping[str, Any]) -> None:
    if array.size == 0:
        return
    smallest, largest = array.min(), array.max()
    if not (np.isfinite(smallest) and np.isfinite(largest)):
        raise ValueError(f"{name} must be finite, got NaN or infinity.")
    if max(abs(float(smallest)), abs(float(largest))) > LARGEST**2:  # of sums of weights
        raise ValueError(f"{name} must be at most {LARGEST**2:g}, got {largest}.")
    if smallest < 0 and not wanted["may_be_negative"]:
        raise ValueError(f"{name} must be at least 0, got {smallest}.")
    if smallest == 0 and not wanted["may_be_zero"]:
        raise ValueError(f"{name} must be above 0, got 0.")


def _check_sizes(arrays: Mapping[str, Any], num_docs: float, other_docs: float) -> None:
    frequencies = {"doc_frequency": num_docs, "other_frequency": other_docs}
    for name, number in frequencies.items():
        # One more for rounding: blending makes fractions of documents.
        if arrays[name].max() > number + 1:
            raise ValueError(
                f"{name} must not be above the number of documents, {number}, got "
                f"{arrays[name].max()}."
            )


def _scalar(value: Any, name: str) -> Any:
    if not isinstance(value, (int, float, str, type(None))) or value != value:
        raise TypeError(f"{name} must be a number, got {shortened(value)}.")
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


def _stored_vocabulary(
    id2word: Any, num_terms: int
) -> tuple[Any, dict[str, NDArray[np.int64]], list[str]]:
    """JSON, arrays and words of the vocabulary; words that it got later are left out."""
    if id2word is None:
        return None, {}, []
    if isinstance(id2word, FakeDict):
        return {"kind": "identity"}, {}, []
    arrays = {}
    if isinstance(id2word, Dictionary):
        stored = {"kind": "Dictionary"} | {name: int(getattr(id2word, name)) for name in TOTALS}
        pairs = [(i, word) for word, i in id2word.token2id.items() if i < num_terms]
        for name in COUNTS:
            counts = [(i, n) for i, n in getattr(id2word, name).items() if i < num_terms]
            arrays[f"word_{name}"] = np.array(counts, np.int64).reshape(-1, 2)
    else:
        stored = {"kind": "dict"}
        pairs = [(i, id2word[i]) for i in id2word if i < num_terms]
    if not all(isinstance(word, str) for _, word in pairs):
        raise TypeError("id2word must map ids to strings to be saved; pass ignore='id2word'.")
    arrays["word_ids"] = np.array([i for i, _ in pairs], np.int64)
    return stored, arrays, [word for _, word in pairs]


def _loaded_vocabulary(
    stored: Any, arrays: Mapping[str, Any], words: list[str], num_terms: int
) -> Any:
    if stored is None:
        return None
    if stored["kind"] == "identity":
        return FakeDict(num_terms)
    ids = _checked_ids(arrays["word_ids"], "word_ids", num_terms)
    if len(ids) != len(words):
        raise ValueError(f"word_ids must be one for each of {len(words)} words, got {len(ids)}.")
    if stored["kind"] == "dict":
        return dict(zip(ids, words, strict=True))
    if stored["kind"] != "Dictionary":
        raise ValueError(f"id2word is of an unknown kind, {shortened(stored['kind'])}.")
    if len(set(words)) < len(words):
        raise ValueError("id2word must not have a word twice.")
    dictionary = Dictionary()
    dictionary.token2id = dict(zip(words, ids, strict=True))
    for name in COUNTS:
        counts = arrays[f"word_{name}"]
        if counts.dtype != np.int64 or counts.shape[1:] != (2,) or (counts < 0).any():
            raise ValueError(f"{name} must be pairs of ids and counts.")
        counted = _checked_ids(counts[:, 0], name, num_terms)
        setattr(dictionary, name, dict(zip(counted, counts[:, 1].tolist(), strict=True)))
    for name in TOTALS:
        setattr(dictionary, name, check_int(stored[name], name, 0))
    return dictionary


def _checked_ids(ids: Any, name: str, num_terms: int) -> list[int]:
    if ids.dtype != np.int64 or ids.ndim != 1 or np.unique(ids).size < ids.size:
        raise ValueError(f"{name} must be ids that differ from each other.")
    if ids.size and not 0 <= ids.min() <= ids.max() < num_terms:
        raise ValueError(f"{name} must be from 0 to {num_terms - 1}.")
    return ids.tolist()  # type: ignore[no-any-return]


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
