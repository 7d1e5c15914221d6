"""A saved model says what the model said; whatever else a file holds is refused."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import LdaModel
from trained import (
    CLASSES,
    CORPUS,
    DICTIONARY,
    NUM_TERMS,
    WORDS,
    answers,
    assert_same_answers,
    file_of,
    small_model,
)

import dnmf_topics
from dnmf_topics import DnmfModel, storage
from dnmf_topics.core import VARIANTS, Mbn
from dnmf_topics.storage import FileFormatError

MAPPED = {
    "topics": ("expElogbeta", "term_weights", "idf"),
    "documents": ("doc_topics",),
}


@pytest.fixture(scope="module")
def model():
    return small_model()


@pytest.fixture(scope="module")
def whole(model):
    """The bytes of a sound file."""
    return file_of(model)


def loaded(data):
    return DnmfModel.load(io.BytesIO(data))


def names_in(folder):
    return {path.name for path in folder.iterdir()}


# ------------------------------------------------------------------------- what goes in comes out

MODELS = {
    **{variant: {"variant": variant} for variant in VARIANTS},
    "weights": {"weighting": "none"},
    "learnt priors": {"alpha": "auto", "eta": "auto"},
    "priors": {"alpha": [0.1, 0.2, 0.3], "eta": np.full((3, NUM_TERMS), 0.2)},
    "seeds": {"seed_words": {"small": ["word25", "no such word"], "large": ["word1", 2]}},
    "soft": {"deep_model": 0.7 * np.eye(3)[CLASSES] + 0.1},
    "settings": {
        "chunksize": 7, "passes": 3, "eval_every": None, "minimum_probability": 0.2,
        "minimum_phi_value": 0.3, "per_word_topics": True, "variant": "cdnmf", "lambda1": "auto",
        "dtype": np.float64, "first_layer_size": 20, "last_layer_size": 5, "delta": 0.4,
        "n_jobs": None,
    },
}  # fmt: skip


@pytest.mark.parametrize("case", MODELS)
def test_a_loaded_model_says_what_the_saved_one_said(tmp_path, case):
    model = small_model(**MODELS[case])
    model.update([*CORPUS[:7], []])
    before = answers(model)
    model.save(tmp_path / "model")
    again = DnmfModel.load(tmp_path / "model")
    assert_same_answers(before, answers(again))
    assert file_of(again) == file_of(model)
    for name in ("num_topics", "chunksize", "passes", "eval_every", "minimum_probability",
                 "minimum_phi_value", "per_word_topics", "variant", "settings", "dtype",
                 "weighting", "n_jobs", "network", "optimize_alpha", "optimize_eta"):  # fmt: skip
        assert getattr(again, name) == getattr(model, name), name
    model.update(CORPUS[7:12])
    again.update(CORPUS[7:12])
    assert_same_answers(answers(model), answers(again))


VOCABULARIES = {
    "dict": dict(WORDS),
    "Dictionary": DICTIONARY,
    "gaps": {t: word for t, word in WORDS.items() if t % 7} | {100: "hundred"},
    "Dictionary with gaps": Dictionary.from_corpus(CORPUS, WORDS | {100: "hundred"}),
    "any words": {t: '\ud83d \0\n"\\é漢'[t % 8] + str(t) for t in WORDS},
    "numpy ids": {np.int64(t): word for t, word in WORDS.items()},
    "ids": None,
}


@pytest.mark.parametrize("case", VOCABULARIES)
def test_the_vocabulary_comes_along(case):
    id2word = VOCABULARIES[case]
    model = small_model(id2word=id2word)
    again = loaded(file_of(model))
    assert again.num_terms == model.num_terms
    assert again.show_topics(-1, None) == model.show_topics(-1, None)
    if isinstance(id2word, Dictionary):
        assert type(again.id2word) is Dictionary
        for name in ("token2id", "dfs", "cfs", "num_docs", "num_pos", "num_nnz"):
            assert getattr(again.id2word, name) == getattr(id2word, name), name
        assert again.id2word.doc2bow(["word3", "word3", "new"]) == [(3, 2)]
        assert again.id2word[3] == "word3"
    elif id2word is not None:
        assert again.id2word == id2word
    again.update(CORPUS)


def test_a_dictionary_that_grew_does_not_make_the_file_unreadable():
    dictionary = Dictionary.from_corpus(CORPUS, WORDS)
    model = small_model(id2word=dictionary)
    before = model.show_topics(-1, None)
    dictionary.add_documents([["brand", "new", "words", "word1"]])
    again = loaded(file_of(model))
    assert again.show_topics(-1, None) == before
    assert again.id2word.doc2bow(["new", "word1"]) == [(1, 1)]
    grown = dict(WORDS)
    model = small_model(id2word=grown)
    grown[NUM_TERMS + 5] = "new"
    assert loaded(file_of(model)).id2word == WORDS


def test_equal_models_give_equal_bytes(tmp_path, whole):
    assert file_of(small_model()) == whole
    small_model().save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == whole
    small_model().save(str(tmp_path / "model.gz"))
    assert gzip.decompress((tmp_path / "model.gz").read_bytes()) == whole
    assert file_of(small_model(random_state=1)) != whole


@pytest.mark.parametrize("options", [{}, {"deep_model": Mbn(num_clusterings=10, refine=False)}])
def test_an_untrained_model_goes_on_as_if_it_had_not_been_saved(options):
    original = small_model(None, alpha="auto", **options)
    original.random_state.normal()  # half of a pair: numpy keeps the other half
    again = loaded(file_of(original))
    assert again.weighting == "auto"
    for model in (original, again):
        model.update(CORPUS)
    assert_same_answers(answers(original), answers(again))
    assert original.random_state.normal() == again.random_state.normal()
    assert original.random_state.randint(2**31) == again.random_state.randint(2**31)


def test_a_cleared_model_can_be_read_after_loading():
    model = small_model()
    model.clear()
    again = loaded(file_of(model))
    assert_same_answers(answers(model), answers(again))
    assert again.state.numdocs == 0


def test_that_a_clusterer_is_not_saved_is_said_where_it_matters(caplog):
    model = small_model(None, deep_model=CLASSES)
    file_of(model)
    assert "deep_model is not saved" in caplog.text
    caplog.clear()
    model.update(CORPUS)
    file_of(model)
    assert not caplog.text


def test_callbacks_and_metrics_stay_behind(whole):
    model = loaded(whole)
    assert model.callbacks is None
    assert model.metrics == {}
    assert model.deep_model is None


def test_a_subclass_with_its_own_constructor_is_loaded(whole):
    class Own(DnmfModel):
        def __init__(self, something):
            raise AssertionError("not called")

    model = Own.load(io.BytesIO(whole))
    assert type(model) is Own
    assert file_of(model) == whole


def test_loading_says_nothing_again(caplog):
    data = file_of(small_model(passes=9, dtype=np.float64))
    caplog.set_level("INFO")
    caplog.clear()
    assert loaded(data).passes == 9
    assert not caplog.text


# -------------------------------------------------------------------------------- gensim's options


def test_id2word_can_be_left_out(tmp_path, model):
    for ignore in ("id2word", ["id2word"], ("state", "id2word", None)):
        model.save(tmp_path / "model", ignore=ignore)
        again = DnmfModel.load(tmp_path / "model")
        assert again.id2word is None
        assert again.get_topic_terms(0) == model.get_topic_terms(0)
        term, probability = again.get_topic_terms(0)[0]
        assert again.show_topic(0)[0] == (str(term), probability)
        again.id2word = WORDS
        assert_same_answers(answers(model), answers(again))


def test_the_topics_of_documents_can_be_left_out(model, whole):
    data = file_of(model, ignore=["doc_topics"])
    assert len(data) < len(whole)
    again = loaded(data)
    assert again.doc_topics().shape == again.doc_embedding.shape == (0, 3)
    assert again.get_document_info().empty
    assert again.get_representative_docs(0) == []
    # Not forgotten with them: how large the topics are.
    assert again.get_topic_info().equals(model.get_topic_info())
    twin = loaded(whole)
    for each in (again, twin):
        each.update(CORPUS[:5])
    assert again.get_topic_info().equals(twin.get_topic_info())
    np.testing.assert_array_equal(again.get_topics(), twin.get_topics())
    assert len(again.cluster_labels) == 5


def test_a_learnt_prior_does_not_depend_on_stored_documents():
    model = small_model(alpha="auto")
    with_documents, without = (loaded(file_of(model, ignore=i)) for i in ((), "doc_topics"))
    for each in (with_documents, without):
        each.update(CORPUS[:5])
    np.testing.assert_array_equal(with_documents.alpha, without.alpha)


class Tokenized(list):
    tokenization = {"tokenizer": "regex", "stop_words": ["the"]}  # noqa: RUF012


def test_the_tokenization_of_the_corpus_comes_along():
    model = small_model(Tokenized(CORPUS))
    assert loaded(file_of(model)).tokenization == Tokenized.tokenization
    # The model's own: the corpus may change, the model stays.
    assert model.tokenization["stop_words"] is not Tokenized.tokenization["stop_words"]
    model.update(CORPUS)
    assert model.tokenization == Tokenized.tokenization
    later = DnmfModel(id2word=WORDS, num_topics=3)
    assert later.tokenization is None
    later.update(Tokenized(CORPUS))
    assert later.tokenization == Tokenized.tokenization


def test_the_state_is_always_kept(model, whole):
    assert file_of(model, ignore=["state", "dispatcher", "expElogbeta", "unknown"]) == whole


@pytest.mark.parametrize(
    "options", [{"separately": ["expElogbeta"]}, {"sep_limit": 0}, {"pickle_protocol": 2}], ids=str
)
def test_all_is_in_one_file_whatever_ldamodel_would_do(tmp_path, model, whole, options):
    model.save(tmp_path / "m", **options)
    assert names_in(tmp_path) == {"m"}
    assert (tmp_path / "m").read_bytes() == whole


@pytest.mark.parametrize("mmap", ["r", "c"])
def test_mapped_arrays_are_mapped_read_and_learnt_on(tmp_path, mmap):
    model = small_model(alpha="auto", eta="auto")
    path = str(tmp_path / "model")
    model.save(path, sep_limit=0)
    mapped = DnmfModel.load(path, mmap=mmap)
    assert isinstance(mapped.alpha, np.memmap)
    for value, names in MAPPED.items():
        for name in names:
            assert isinstance(getattr(getattr(mapped._learnt, value), name), np.memmap), name
    for name in mapped.state.sums():
        assert isinstance(getattr(mapped.state, name), np.memmap), name
    assert_same_answers(answers(model), answers(mapped))
    assert file_of(mapped) == file_of(model)
    files = {file: (tmp_path / file).read_bytes() for file in names_in(tmp_path)}
    for each in (model, mapped):
        each.update(CORPUS[:9])
        each.do_mstep(0.3, each.state)
    assert_same_answers(answers(model), answers(mapped))
    # What was learnt stays in memory, until it is saved over the files that are mapped.
    assert files == {file: (tmp_path / file).read_bytes() for file in names_in(tmp_path)}
    mapped.save(path, sep_limit=0)
    assert_same_answers(answers(model), answers(DnmfModel.load(path, mmap=mmap)))


@pytest.mark.parametrize("as_name", [str, Path])
def test_a_compressed_file_is_smaller_and_cannot_be_mapped(tmp_path, model, whole, as_name):
    path = as_name(tmp_path / "model.gz")
    model.save(path, sep_limit=0)
    assert names_in(tmp_path) == {"model.gz"}
    assert (tmp_path / "model.gz").stat().st_size < len(whole)
    assert_same_answers(answers(model), answers(DnmfModel.load(path)))
    with pytest.raises(OSError, match="a compressed file cannot be memory-mapped"):
        DnmfModel.load(path, mmap="r")


class OneWay(io.RawIOBase):
    """A pipe: it can be written and read, not sought."""

    def __init__(self, data=b""):
        self.data = data

    def write(self, data):
        self.data += bytes(data)
        return len(data)

    def read(self, size=-1):
        size = len(self.data) if size < 0 else size
        head, self.data = self.data[:size], self.data[size:]
        return head


def test_a_pipe_will_do(model, whole):
    pipe = OneWay()
    model.save(pipe, sep_limit=0)
    assert pipe.data == whole
    assert_same_answers(answers(model), answers(DnmfModel.load(pipe)))


def test_an_open_file_will_do(tmp_path, model):
    with (tmp_path / "file").open("w+b") as file:
        model.save(file)
        file.seek(0)
        assert_same_answers(answers(model), answers(DnmfModel.load(file)))


def test_a_new_process_says_the_same(tmp_path, model):
    model.save(tmp_path / "model", sep_limit=0)
    script = (
        "import sys\n"
        "from dnmf_topics import DnmfModel\n"
        "model = DnmfModel.load(sys.argv[1], mmap='r')\n"
        "model.update([[(0, 2), (5, 1)]])\n"
        "sys.stdout.write(repr((model.show_topics(-1), model[[(0, 1), (13, 2)]])))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(dnmf_topics.__file__).parent.parent)}
    said = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "model")],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    twin = loaded(file_of(model))
    twin.update([[(0, 2), (5, 1)]])
    assert said.stdout == repr((twin.show_topics(-1), twin[[(0, 1), (13, 2)]]))


def test_what_could_not_be_loaded_is_not_saved(tmp_path):
    model = small_model()
    model.save(tmp_path / "model")
    model.state.sstats[0, 0] = np.nan
    with pytest.raises(ValueError, match="sstats must be finite"):
        model.save(tmp_path / "model")
    assert np.isfinite(DnmfModel.load(tmp_path / "model").state.sstats).all()
    with pytest.raises(TypeError, match="random_state must be numpy's default"):
        small_model(random_state=np.random.RandomState(np.random.PCG64(0))).save(tmp_path / "other")
    assert names_in(tmp_path) == {"model"}


# ------------------------------------------------------------------------------------- bad files


def test_names_that_are_no_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        DnmfModel.load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        DnmfModel.load(tmp_path)
    with pytest.raises(ValueError, match="mmap must be None, 'r' or 'c', got 'w'"):
        DnmfModel.load(tmp_path / "nothing", mmap="w")


def test_a_truncated_file_is_refused(whole):
    for length in {0, 1, 50, *range(100, len(whole), 997), len(whole) - 1}:
        with pytest.raises(FileFormatError):
            loaded(whole[:length])


def test_a_flipped_bit_is_refused_or_harmless(model, whole):
    draw = random.Random(0)
    refused = 0
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        try:
            again = loaded(bytes(damaged))
        except FileFormatError:
            refused += 1
        else:
            assert file_of(again) == whole
    assert refused > 120


class Trap:
    """Unpickled, it says so."""

    sprung = False

    def __reduce__(self):
        return (setattr, (Trap, "sprung", True))


def lda_file():
    file = io.BytesIO()
    pickle.dump(LdaModel(CORPUS[:5], 2), file)
    return file.getvalue()


FOREIGN = {
    "empty": lambda: b"",
    "text": lambda: b"topic 1: tea",
    "pickle": lambda: pickle.dumps(Trap()),
    "compressed pickle": lambda: gzip.compress(pickle.dumps(Trap())),
    "LdaModel": lda_file,
}


@pytest.mark.parametrize("case", FOREIGN)
def test_foreign_files_are_refused_and_run_nothing(tmp_path, case):
    path = tmp_path / "stranger"
    path.write_bytes(FOREIGN[case]())
    with pytest.raises(FileFormatError, match="stranger"):
        DnmfModel.load(path)
    assert not Trap.sprung


def test_the_trap_works():
    pickle.loads(pickle.dumps(Trap()))
    assert Trap.sprung
    Trap.sprung = False


def test_another_kind_and_a_newer_format_say_what_to_do(model):
    target = io.BytesIO()
    storage.save(target, "OtherModel", {}, {})
    with pytest.raises(FileFormatError, match="holds 'OtherModel', not 'DnmfModel'"):
        loaded(target.getvalue())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "VERSION", 99)
        newer = file_of(model)
    with pytest.raises(FileFormatError, match="upgrade dnmf_topics"):
        loaded(newer)


# ------------------------------------------------------ sound containers, parts that do not fit


def forged(whole, *, meta=(), arrays=(), strings=(), without=()):
    """The file with other parts: {"numdocs": 3}, {"alpha": array}, ["numdocs"]."""
    stored = storage.load(io.BytesIO(whole), "DnmfModel")
    for path, value in dict(meta).items():
        *outer, last = path.split(".")
        place = stored.meta
        for name in outer:
            place = place[name]
        place[last] = value
    for path in without:
        *outer, last = path.split(".")
        parts = stored.arrays, stored.strings, stored.meta
        place = next(part for part in parts if outer or path in part)
        place = stored.meta if outer else place
        for name in outer:
            place = place[name]
        del place[last]
    target = io.BytesIO()
    strings = stored.strings | dict(strings)
    storage.save(target, "DnmfModel", stored.meta, stored.arrays | dict(arrays), strings)
    return target.getvalue()


def test_a_forged_file_without_a_fault_is_read(whole):
    assert forged(whole) == whole
    assert loaded(forged(whole, meta={"numdocs": 99})).state.numdocs == 99


def paths_in(meta, prefix=""):
    for name, value in meta.items():
        yield prefix + name
        if isinstance(value, dict):
            yield from paths_in(value, f"{prefix}{name}.")


def test_no_part_may_be_missing(whole):
    stored = storage.load(io.BytesIO(whole), "DnmfModel")
    paths = [*paths_in(stored.meta), *stored.arrays, *stored.strings]
    assert len(paths) > 50
    for path in paths:
        with pytest.raises(FileFormatError, match=path.split(".")[-1]):
            loaded(forged(whole, without=[path]))


def test_no_array_may_have_another_shape_or_type(whole):
    arrays = storage.load(io.BytesIO(whole), "DnmfModel").arrays
    for name, array in arrays.items():
        other_float = np.float64 if array.dtype == np.float32 else np.float32
        wrong = [
            array[:-1], array[:, None], array[..., None], array.ravel()[:0], array.ravel()[0],
            array.astype(other_float), array.astype(np.int16), array.astype(bool),
        ]  # fmt: skip
        if array.ndim == 2:
            wrong += [array.T.copy()] if array.shape[0] != array.shape[1] else []
            wrong += [np.hstack([array, array])]
        for other in wrong:
            with pytest.raises(FileFormatError, match=f"{name}|doc_topics") as caught:
                loaded(forged(whole, arrays={name: np.asarray(other)}))
            assert len(str(caught.value).splitlines()) == 1


def test_no_array_may_hold_what_is_no_number(whole):
    arrays = storage.load(io.BytesIO(whole), "DnmfModel").arrays
    floats = {name: array for name, array in arrays.items() if array.dtype.kind == "f"}
    assert len(floats) == 20
    for name, array in floats.items():
        for value in (np.nan, np.inf, -np.inf, -1.0):
            if value == -1 and name in ("term_weights", "idf", "doc_embedding"):
                continue  # logarithms and coordinates
            bad = array.copy()
            bad.flat[-1] = value
            with pytest.raises(FileFormatError, match=name):
                loaded(forged(whole, arrays={name: bad}))
    for name in ("alpha", "eta"):
        with pytest.raises(FileFormatError, match=name):
            loaded(forged(whole, arrays={name: arrays[name] * 0}))


@pytest.mark.parametrize("label", [-1, 3, 2**62])
def test_labels_are_topics(whole, label):
    labels = np.array(loaded(whole).cluster_labels)
    labels[5] = label
    with pytest.raises(FileFormatError, match="cluster_labels"):
        loaded(forged(whole, arrays={"cluster_labels": labels}))


def test_frequencies_are_of_documents(whole):
    for name in ("doc_frequency", "other_frequency"):
        with pytest.raises(FileFormatError, match=f"{name} must not be above the number of doc"):
            loaded(forged(whole, arrays={name: np.full(NUM_TERMS, 1000.0)}))


NO_NUMBERS = [None, "3", [3], {}, True, 2.5]
META_FAULTS = [
    *[("settings.num_topics", value) for value in [*NO_NUMBERS, 0, -3, 4, 10**15]],
    *[("num_terms", value) for value in [*NO_NUMBERS, 0, -3, NUM_TERMS + 1, 10**15]],
    *[("numdocs", value) for value in [*NO_NUMBERS, -1, 3]],
    *[("learnt.num_updates", value) for value in [*NO_NUMBERS, -1]],
    *[("learnt.other_docs", value) for value in [*NO_NUMBERS, -1]],
    *[("learnt.names", value) for value in [*NO_NUMBERS, "abc", ["a", "b"], [1, 2, 3]]],
    ("learnt.names", ["a", "b", "two\nlines"]),
    ("learnt.names", ["a", "b", "x" * 201]),
    ("dtype", "no such type"),
    ("dtype", "O"),
    ("dtype", ",".join(["f8"] * 100_000)),
    ("learnt.tokenization", "regex"),
    ("learnt.tokenization", ["regex"]),
    ("learnt", []),
    ("learnt", None),
    ("settings", []),
    ("settings", "text"),
    ("settings.variant", "nmf"),
    ("settings.weighting", ["auto"]),
    ("settings.chunksize", 0),
    ("settings.minimum_probability", "much"),
    ("settings.variant_options", {"lambda1": -1}),
    ("settings.variant_options", ["overlap"]),
    ("settings.n_jobs", 0),
    ("ignored.passes", {"a": 1}),
    ("settings.network", []),
    ("settings.network.delta", 7),
    ("settings.network.num_clusterings", 10**15),
    ("settings.network.last_layer_size", "no"),
    ("random_state", None),
    ("random_state.gauss", "x"),
    ("random_state.has_gauss", 5),
    *[("random_state.pos", value) for value in [*NO_NUMBERS, -1, 625, 10**7, 2**31 - 1, 2**70]],
    ("id2word", 3),
    ("id2word", []),
    ("id2word.kind", "pickle"),
    ("id2word.kind", None),
]


@pytest.mark.parametrize(("path", "value"), META_FAULTS, ids=lambda value: str(value)[:30])
def test_numbers_and_names_that_do_not_fit_are_refused_without_much_memory(whole, path, value):
    data = forged(whole, meta={path: value})
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError, match=r"^The open file must hold a whole ") as caught:
            loaded(data)
        assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    finally:
        tracemalloc.stop()
    assert len(str(caught.value).splitlines()) == 1


IDS = np.arange(NUM_TERMS)


@pytest.mark.parametrize(
    "parts",
    [
        {"arrays": {"word_ids": IDS[:1]}},
        {"arrays": {"word_ids": IDS + 1}},
        {"arrays": {"word_ids": IDS - 1}},
        {"arrays": {"word_ids": IDS * 0}},
        {"arrays": {"word_ids": IDS.astype(float)}},
        {"arrays": {"word_ids": IDS[:, None]}},
        {"strings": {"words": ["a"]}},
        {"strings": {"words": ["a"] * NUM_TERMS}},
        {"arrays": {"word_dfs": IDS}},
        {"arrays": {"word_dfs": np.array([[NUM_TERMS, 1]])}},
        {"arrays": {"word_dfs": np.array([[0, -1]])}},
        {"arrays": {"word_cfs": np.array([[0, 1, 2]])}},
        {"arrays": {"word_cfs": np.array([[0, 1], [0, 1]])}},
        {"arrays": {"word_cfs": np.array([[0.0, 1.0]])}},
        {"meta": {"id2word.num_docs": -1}},
        {"meta": {"id2word.num_nnz": "3"}},
    ],
    ids=str,
)
def test_so_are_words_and_counts_of_a_dictionary(parts):
    data = file_of(small_model(id2word=DICTIONARY))
    with pytest.raises(FileFormatError, match=r"^The open file must hold a whole "):
        loaded(forged(data, **parts))


@pytest.mark.parametrize("value", [None, True, -1, 7, 2**70, 1e300, "auto", [], {"a": 1}], ids=str)
def test_whatever_an_entry_is_replaced_by_is_refused_or_does_no_harm(value):
    data = file_of(small_model(id2word=DICTIONARY))
    paths = list(paths_in(storage.load(io.BytesIO(data), "DnmfModel").meta))
    refused = 0
    for path in paths:
        try:
            model = loaded(forged(data, meta={path: value}))
        except FileFormatError:
            refused += 1
            continue
        model.update(CORPUS[:3])
        model[CORPUS[0]]
        loaded(file_of(model))
    assert refused >= len(paths) / 3


def test_an_absurd_identity_vocabulary_is_the_models_own():
    data = file_of(small_model(id2word=None))
    again = loaded(forged(data, meta={"id2word.num_terms": 10**15}))
    assert len(again.id2word) == again.num_terms


def test_parameters_from_elsewhere_are_not_passed_on(whole):
    for name in ("corpus", "callbacks", "deep_model", "__class__"):
        data = forged(whole, meta={f"settings.{name}": ["x"], f"learnt.{name}": ["x"]})
        assert file_of(loaded(data)) == whole


def test_arrays_that_no_model_has_are_not_even_unpacked(tmp_path, whole):
    stored = storage.load(io.BytesIO(whole), "DnmfModel")
    more = {"more": np.zeros(2**27, np.uint8)}
    for arrays in (stored.arrays | more, stored.arrays | {"word_ids": more["more"]}):
        path = tmp_path / "model.gz"
        storage.save(path, "DnmfModel", stored.meta, arrays, stored.strings)
        tracemalloc.start()
        try:
            with pytest.raises(
                FileFormatError, match=r"no model has an array 'more'|word_ids must"
            ):
                DnmfModel.load(path)
            assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
        finally:
            tracemalloc.stop()
