"""A model as JSON and arrays, and back. `storage` puts them into files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gensim.corpora import Dictionary
from gensim.utils import FakeDict

from .. import storage
from .state import DnmfState

if TYPE_CHECKING:
    from .dnmf import DnmfModel

KIND = "DnmfModel"
# Constructor arguments that are kept as they are.
PARAMETERS = (
    "num_topics", "distributed", "chunksize", "passes", "update_every", "decay", "offset",
    "eval_every", "iterations", "gamma_threshold", "minimum_probability", "minimum_phi_value",
    "per_word_topics", "variant", "lambda1", "lambda2", "weighting", "n_jobs", "show_progress",
)  # fmt: skip
NETWORK = ("num_clusterings", "delta", "first_layer_size", "last_layer_size")
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
}
OF_DOCUMENTS = ("cluster_labels", "doc_topics")


def save_model(model: DnmfModel, target: Any, ignore: Any, separately: Any, sep_limit: int) -> None:
    """Write a model; the arguments are those of `DnmfModel.save`."""
    left_out = set(_names(ignore))
    arrays = {name: np.asarray(getattr(model, attribute)) for name, attribute in ARRAYS.items()}
    arrays |= {name: getattr(model.state, name) for name in DnmfState.SUMS}
    if "doc_topics" in left_out:
        arrays |= {name: arrays[name][:0] for name in OF_DOCUMENTS}
    meta = {
        "parameters": {name: getattr(model, name) for name in PARAMETERS},
        "network": {name: getattr(model.network, name) for name in NETWORK},
        "learnt": {
            "num_terms": model.num_terms,
            "num_updates": model.num_updates,
            "numdocs": model.state.numdocs,
            "optimize_alpha": model.optimize_alpha,
            "optimize_eta": model.optimize_eta,
            "dtype": model.dtype.name,
        },
        "id2word": None if "id2word" in left_out else _vocabulary_as_json(model.id2word),
    }
    key, meta["random_state"] = _random_state_as_json(model.random_state)
    arrays["random_key"] = key
    wanted = [name for name in _names(separately) if name in arrays] or None
    storage.save(target, KIND, meta, arrays, separately=wanted, sep_limit=sep_limit)


def load_model(model: DnmfModel, source: Any, mmap: str | None) -> None:
    """Fill an empty model from a file; nothing is set unless all of it is sound."""
    stored = storage.load(source, KIND, mmap=mmap)
    try:
        model.__dict__.update(_attributes(type(model), stored))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise storage.FileFormatError(
            f"{source} must hold a whole DnmfModel, but its parts do not fit together: {error}"
        ) from error


def _attributes(cls: type[DnmfModel], stored: storage.Stored) -> dict[str, Any]:
    meta: Any = stored.meta
    arrays = stored.arrays
    learnt = meta["learnt"]
    num_topics, num_terms = meta["parameters"]["num_topics"], learnt["num_terms"]
    # The constructor checks the parameters as it checks those of any user.
    model = cls(
        None, id2word=FakeDict(num_terms), alpha=arrays["alpha"], eta=arrays["eta"],
        dtype=np.dtype(learnt["dtype"]), **meta["parameters"], **meta["network"],
    )  # fmt: skip
    num_docs = len(arrays["cluster_labels"])
    shapes = {name: getattr(model.state, name).shape for name in DnmfState.SUMS}
    shapes |= {
        "expElogbeta": (num_topics, num_terms), "term_weights": (num_terms, num_topics),
        "topic_scale": (num_topics,), "synced_sizes": (num_topics,), "idf": (num_terms,),
        "alpha": (num_topics,), "eta": model.eta.shape, "cluster_labels": (num_docs,),
        "doc_topics": (num_docs, num_topics),
    }  # fmt: skip
    for name, shape in shapes.items():
        kind = np.int64 if name == "cluster_labels" else np.float64
        if arrays[name].shape != shape or arrays[name].dtype != kind:
            raise ValueError(f"{name} has shape {arrays[name].shape}, not {shape}")
    for name in DnmfState.SUMS:
        setattr(model.state, name, arrays[name])
    for name, attribute in ARRAYS.items():
        setattr(model, attribute, arrays[name])
    model.state.numdocs = int(learnt["numdocs"])
    model.num_updates = int(learnt["num_updates"])
    model.optimize_alpha = bool(learnt["optimize_alpha"])
    model.optimize_eta = bool(learnt["optimize_eta"])
    model.id2word = _vocabulary_from_json(meta["id2word"], num_terms)
    model.random_state = _random_state_from_json(meta["random_state"], arrays["random_key"])
    return model.__dict__


def _names(names: Any) -> Iterable[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else [name for name in names if name]


def _vocabulary_as_json(id2word: Any) -> Any:
    if id2word is None:
        return None
    if isinstance(id2word, FakeDict):
        return {"kind": "identity", "num_terms": id2word.num_terms}
    if isinstance(id2word, Dictionary):
        words, ids = list(id2word.token2id), [int(i) for i in id2word.token2id.values()]
        counts = {
            name: [[int(k), int(v)] for k, v in getattr(id2word, name).items()]
            for name in ("dfs", "cfs")
        }
        totals = {name: int(getattr(id2word, name)) for name in ("num_docs", "num_pos", "num_nnz")}
        return {"kind": "Dictionary", "ids": ids, "words": words, **counts, **totals}
    ids, words = [int(i) for i in id2word], [id2word[i] for i in id2word]
    if not all(isinstance(word, str) for word in words):
        raise TypeError("id2word must map ids to strings to be saved; pass ignore='id2word'.")
    return {"kind": "dict", "ids": ids, "words": words}


def _vocabulary_from_json(stored: Any, num_terms: int) -> Any:
    if stored is None:
        return None
    if stored["kind"] == "identity":
        return FakeDict(int(stored["num_terms"]))
    ids, words = stored["ids"], stored["words"]
    if len(ids) != len(words) or not all(isinstance(word, str) for word in words):
        raise ValueError("id2word needs a word for each id")
    if not all(isinstance(i, int) and 0 <= i < num_terms for i in ids):
        raise ValueError(f"id2word has ids outside of the {num_terms} terms")
    if stored["kind"] == "dict":
        return dict(zip(ids, words, strict=True))
    dictionary = Dictionary()
    dictionary.token2id = dict(zip(words, ids, strict=True))
    dictionary.dfs, dictionary.cfs = dict(stored["dfs"]), dict(stored["cfs"])
    for name in ("num_docs", "num_pos", "num_nnz"):
        setattr(dictionary, name, int(stored[name]))
    return dictionary


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
    random_state = np.random.RandomState()
    inner = {"key": np.asarray(key), "pos": stored["pos"]}
    random_state.set_state(
        {
            "bit_generator": "MT19937",
            "state": inner,
            "has_gauss": stored["has_gauss"],
            "gauss": stored["gauss"],
        }
    )
    return random_state
