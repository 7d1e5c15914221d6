"""Files of JSON, arrays and strings: what goes in comes out, a bad file is refused."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import pickle
import random
import tempfile
import tracemalloc
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from gensim.corpora import Dictionary
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as drawn

from dnmf_topics.storage import (
    ALIGNMENT,
    LONGEST_HEADER,
    PREFIX,
    SIGNATURE,
    TYPES,
    FileFormatError,
    Pieces,
    load,
    save,
)

META = {"num_topics": 2, "words": ["tea", "Übung"], "alpha": 0.1, "seed": None}
ARRAYS = {
    "W": np.arange(6.0).reshape(2, 3),
    "H": np.asfortranarray(np.arange(8, dtype=np.float32).reshape(4, 2)),
}
STRINGS = {"words": ["tea", "", "Übung", "\ud800"], "none": []}


class OneWay:
    """The least a target can be."""

    def __init__(self):
        self.received = b""

    def write(self, data):
        self.received += data


def saved(meta=META, arrays=ARRAYS, strings=STRINGS, kind="Model"):
    target = OneWay()
    save(target, kind, meta, arrays, strings)
    return target.received


def loaded(data, kind="Model"):
    return load(io.BytesIO(data), kind)


def same(stored, meta=META, arrays=ARRAYS, strings=STRINGS):
    return (
        stored.meta == meta
        and list(stored.arrays) == list(arrays)
        and all(same_array(stored.arrays[name], array) for name, array in arrays.items())
        and stored.strings == strings
    )


def same_array(one, other):
    return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def names_in(folder):
    return {path.name for path in folder.iterdir()}


# What goes in comes out

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "backwards": lambda array: array[::-1] if array.ndim else array,
    "transposed": np.transpose,
}
layouts = st.sampled_from(list(LAYOUTS.values()))
arrays = st.builds(
    lambda array, layout: layout(array),
    drawn.arrays(
        st.sampled_from(TYPES), drawn.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
    ),
    layouts,
)
array_names = st.from_regex(r"[a-zA-Z_][a-zA-Z_0-9]{0,5}", fullmatch=True)


@settings(max_examples=40)
@given(
    st.dictionaries(st.text(), json_values, max_size=3),
    st.dictionaries(array_names, arrays, max_size=4),
    st.dictionaries(array_names, st.lists(st.text(), max_size=4), max_size=2),
    st.sampled_from(["model", "model.gz"]),
)
def test_what_goes_in_comes_out(meta, arrays, strings, name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        save(path, "Model", meta, arrays, strings)
        assert same(load(str(path), "Model"), meta, arrays, strings)
        if name == "model":
            assert same(load(path, "Model", mmap="r"), meta, arrays, strings)
    assert same(loaded(saved(meta, arrays, strings)), meta, arrays, strings)


@pytest.mark.parametrize("mmap", [None, "r", "c"])
def test_the_order_in_memory_stays(tmp_path, mmap):
    save(tmp_path / "model", "Model", META, ARRAYS)
    result = load(tmp_path / "model", "Model", mmap=mmap).arrays
    assert result["W"].flags.c_contiguous
    assert result["H"].flags.f_contiguous
    assert same_array(result["H"], ARRAYS["H"])


def test_numbers_of_the_other_byte_order_are_the_same_numbers():
    swapped = np.arange(3.0).astype(">f8")
    assert same_array(loaded(saved(arrays={"swapped": swapped})).arrays["swapped"], np.arange(3.0))


def test_a_read_only_array_comes_back_writable():
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    assert loaded(saved(arrays={"frozen": frozen})).arrays["frozen"].flags.writeable


def test_numpy_scalars_become_numbers_and_tuples_lists():
    meta = {"size": np.int64(3), "rate": np.float32(0.5), "on": np.bool_(True), "pair": (1, "a")}
    result = loaded(saved(meta)).meta
    assert result == {"size": 3, "rate": 0.5, "on": True, "pair": [1, "a"]}
    assert [type(value) for value in result.values()] == [int, float, bool, list]


def test_equal_models_give_equal_bytes_wherever_they_are_written(tmp_path):
    expected = saved()
    save(tmp_path / "model", "Model", META, ARRAYS, STRINGS)
    assert (tmp_path / "model").read_bytes() == expected
    with (tmp_path / "appended").open("w+b") as file:
        file.write(b"before")
        save(file, "Model", META, ARRAYS, STRINGS)
        file.seek(len(b"before"))
        assert file.read() == expected
        file.seek(len(b"before"))
        assert same(load(file, "Model"))
    save(tmp_path / "one.gz", "Model", META, ARRAYS, STRINGS)
    save(tmp_path / "two.gz", "Model", META, ARRAYS, STRINGS)
    packed = (tmp_path / "one.gz").read_bytes()
    assert packed == (tmp_path / "two.gz").read_bytes()
    assert packed[4:8] == bytes(4)  # where gzip has the time
    assert gzip.decompress(packed) == expected


def test_arrays_are_mapped_where_they_lie(tmp_path):
    path = tmp_path / "model"
    save(path, "Model", META, ARRAYS)
    for mmap in ("r", "c"):
        result = load(path, "Model", mmap=mmap).arrays
        assert all(isinstance(array, np.memmap) for array in result.values())
        assert all(array.offset % ALIGNMENT == 0 for array in result.values())
    assert not load(path, "Model", mmap="r").arrays["W"].flags.writeable
    load(path, "Model", mmap="c").arrays["W"][:] = 7  # stays in memory
    assert same(load(path, "Model"), strings={})


@pytest.mark.parametrize("mmap", ["r", "c"])
def test_mapped_arrays_are_saved_over_their_own_file(tmp_path, mmap):
    path = tmp_path / "model"
    save(path, "Model", META, ARRAYS)
    mapped = load(path, "Model", mmap=mmap).arrays
    save(path, "Model", META, {"W": mapped["W"][::-1], "H": mapped["H"]})
    assert same(load(path, "Model"), arrays=ARRAYS | {"W": ARRAYS["W"][::-1]}, strings={})
    assert same_array(mapped["W"], ARRAYS["W"])


def test_a_compressed_file_cannot_be_mapped(tmp_path):
    save(tmp_path / "model.gz", "Model", META, ARRAYS)
    with pytest.raises(OSError, match="a compressed file cannot be memory-mapped"):
        load(tmp_path / "model.gz", "Model", mmap="r")


@pytest.mark.parametrize("place", [None, 5, b"name", io.StringIO()])
def test_what_is_no_file_is_refused(place):
    with pytest.raises(TypeError, match="target must be a path or a binary file, got"):
        save(place, "Model", META, ARRAYS)
    with pytest.raises(TypeError, match="source must be a path or a binary file, got"):
        load(place, "Model")


def test_a_full_disk_is_reported_with_the_file(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left.*model'"):
        save(tmp_path / "model", "Model", META, ARRAYS)
    assert names_in(tmp_path) == set()


# Damage


def assert_refused_or_unharmed(data):
    try:
        result = loaded(data)
    except FileFormatError:
        return
    assert same(result)


@pytest.fixture(params=["plain", "packed"])
def read(request, tmp_path):
    """Reads bytes as a file, as it is or compressed."""
    path = tmp_path / "file"

    def read_bytes(data):
        path.write_bytes(data if request.param == "plain" else gzip.compress(data, 1, mtime=0))
        return load(path, "Model")

    return read_bytes


def test_truncated_or_extended_anywhere(read):
    whole = saved()
    for length in range(0, len(whole), 7):
        with pytest.raises(FileFormatError):
            read(whole[:length])
    for more in (b"\0", b"more", whole):
        with pytest.raises(FileFormatError):
            read(whole + more)
    assert same(read(whole))


def test_every_changed_byte_is_found(read):
    draw = random.Random(0)
    whole = saved()
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= draw.randrange(1, 256)
        with pytest.raises(FileFormatError):
            read(bytes(damaged))


def test_a_changed_byte_of_a_compressed_file():
    draw = random.Random(0)
    whole = gzip.compress(saved(), mtime=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.gz")
        for position in range(len(whole)):
            damaged = bytearray(whole)
            damaged[position] ^= draw.randrange(1, 256)
            path.write_bytes(damaged)
            try:
                assert same(load(path, "Model"))
            except FileFormatError:
                continue


@given(st.binary(max_size=200), st.integers(0, 2000), st.integers(0, 2000))
def test_a_piece_replaced_by_noise(noise, start, stop):
    whole = saved()
    assert_refused_or_unharmed(whole[:start] + noise + whole[stop:])


# Files from elsewhere: sound to the last checksum, but for one thing

ENTRY = {"type": "float64", "shape": [3], "fortran": False, "checksum": zlib.crc32(bytes(24))}
HEADER = {
    "version": 4, "package": "", "kind": "Model", "meta": {}, "arrays": {"W": ENTRY},
    "strings": [],
}  # fmt: skip


def forged(changes=None, *, header=None, data=bytes(64), length=None):
    """A file with an altered header, or another text for it, or other data."""
    text = json.dumps(HEADER | (changes or {})) if header is None else header
    encoded = text if isinstance(text, bytes) else text.encode()
    encoded += b" " * (-(PREFIX.size + len(encoded)) % ALIGNMENT)
    prefix = PREFIX.pack(SIGNATURE, length or len(encoded), zlib.crc32(encoded))
    return prefix + encoded + data


def array(data=bytes(24), **changes):
    """A file of one array with an altered entry."""
    entry = ENTRY | {"checksum": zlib.crc32(data)} | changes
    return forged({"arrays": {"W": entry}}, data=data + bytes(-len(data) % ALIGNMENT))


def strings(text, ends):
    """A file of one list of strings."""
    data, entries = b"", {}
    for name, dtype, content in [("text", "uint8", text), ("ends", "int64", ends.tobytes())]:
        entries[f"words.{name}"] = {
            "type": dtype, "shape": [len(content) // np.dtype(dtype).itemsize], "fortran": False,
            "checksum": zlib.crc32(content),
        }  # fmt: skip
        data += content + bytes(-len(content) % ALIGNMENT)
    return forged({"arrays": entries, "strings": ["words"]}, data=data)


def test_forged_files_without_a_fault_are_read():
    assert same(loaded(forged()), {}, {"W": np.zeros(3)}, {})
    assert same(loaded(array(np.arange(3.0).tobytes())), {}, {"W": np.arange(3.0)}, {})
    assert loaded(strings(b"tea", np.array([1, 1, 3]))).strings == {"words": ["t", "", "ea"]}


class Trap:
    """Unpickled, it says so."""

    sprung = False

    def __reduce__(self):
        return (setattr, (Trap, "sprung", True))


def npz():
    file = io.BytesIO()
    np.savez(file, W=np.arange(3))
    return file.getvalue()


def npy_of_objects():
    file = io.BytesIO()
    np.save(file, np.array([Trap()], dtype=object))
    return file.getvalue()


def gensim_model():
    file = io.BytesIO()
    Dictionary([["tea", "cup"]]).save(file)
    return file.getvalue()


FOREIGN = {
    "empty": b"",
    "text": b"hello",
    "pickle": pickle.dumps(Trap()),
    "gensim": gensim_model(),
    "npy of objects": npy_of_objects(),
    "npz": npz(),
    "gzip of nothing": gzip.compress(b""),
    "gzip of a pickle": gzip.compress(pickle.dumps(Trap())),
    "gzip of zeros": gzip.compress(bytes(10**8), 9),
    "gzip of a header of zeros": gzip.compress(
        PREFIX.pack(SIGNATURE, LONGEST_HEADER, 0) + bytes(10**8), 9
    ),
    "gzip that claims more than it can": gzip.compress(array(shape=[2**20])),
    "gzip with more than it claims": gzip.compress(forged() + bytes(10**8), 9),
    "only the magic of gzip": b"\x1f\x8b",
    "only the signature": SIGNATURE,
    "a line end changed": forged().replace(b"\r\n", b"\n", 1),
    "header of a terabyte": forged(length=2**40),
    "header no dict": forged(header="[]"),
    "header no json": forged(header="{"),
    "header no text": forged(header=b"\xff\xff"),
    "header nested": forged(header="[" * 10**6),
    "header with NaN": forged(header=json.dumps(HEADER | {"meta": {"a": float("nan")}})),
    "no version": forged({"version": None}),
    "version 0": forged({"version": 0}),
    "version -5": forged({"version": -5}),
    "version true": forged({"version": True}),
    "no kind": forged({"kind": 3}),
    "no meta": forged({"meta": None}),
    "arrays no dict": forged({"arrays": ["W"]}),
    "array no dict": forged({"arrays": {"W": 3}}),
    "array with an entry more": array(path="/etc/passwd"),
    "objects": array(type="object"),
    "many fields": array(type="f4," * 10**5),
    "a type by its code": array(type="<f8"),
    "a type of text": array(type="str"),
    "another type": array(type="float32"),
    "shape no list": array(shape="3"),
    "shape of floats": array(shape=[3.0]),
    "shape of bools": array(shape=[3, True]),
    "too long": array(shape=[4]),
    "too short": array(shape=[2]),
    "negative": array(shape=[-1, -3]),
    "giant": array(shape=[2**36]),
    "overflowing": array(shape=[2**59, 2**59, 0, 2**59]),
    "many dimensions": array(shape=[1] * 10**4 + [3]),
    "checksum": array(checksum=7),
    "checksum no number": array(checksum="7"),
    "order no bool": array(fortran=1),
    "bools that are none": array(b"\x00\x01\x02", type="bool", shape=[3]),
    "between arrays": forged(data=bytes(24) + b"secret" + bytes(34)),
    "strings no list": forged({"strings": "W"}),
    "strings without their arrays": forged({"strings": ["W"]}),
    "strings no name": forged({"strings": [["W"]]}),
    "strings that end before they begin": strings(b"tea", np.array([2, 1, 3])),
    "strings that begin before the text": strings(b"tea", np.array([-1, 3])),
    "strings that end too late": strings(b"tea", np.array([1, 4])),
    "strings that end too early": strings(b"tea", np.array([1, 2])),
    "strings that are no text": strings(b"te\xff", np.array([1, 3])),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_files_from_elsewhere_are_refused(tmp_path, case):
    path = tmp_path / "foreign.bin"
    path.write_bytes(FOREIGN[case])
    for mmap in [None] if FOREIGN[case][:2] == b"\x1f\x8b" else [None, "r"]:
        tracemalloc.start()
        try:
            with pytest.raises(FileFormatError, match=r"foreign\.bin") as caught:
                load(path, "Model", mmap=mmap)
            assert tracemalloc.get_traced_memory()[1] < 40 * 2**20
        finally:
            tracemalloc.stop()
        assert len(str(caught.value).splitlines()) == 1
        assert len(str(caught.value)) < 500
    assert not Trap.sprung
    save(path, "Model", META, ARRAYS, STRINGS)
    assert same(load(path, "Model"))


def test_a_compressed_file_is_not_unpacked_if_it_claims_too_much(tmp_path):
    path = tmp_path / "model.gz"
    path.write_bytes(gzip.compress(array(bytes(8 * 2**20), shape=[2**20])))  # as large as it says
    assert load(path, "Model").arrays["W"].size == 2**20
    path.write_bytes(gzip.compress(array(shape=[2**30])))
    with pytest.raises(FileFormatError, match=r"it is shorter than the 85\d{8} bytes it claims"):
        load(path, "Model")


def test_the_trap_works():
    pickle.loads(pickle.dumps(Trap()))
    assert Trap.sprung
    Trap.sprung = False


def test_other_versions_and_another_kind_say_what_to_do():
    with pytest.raises(FileFormatError, match="format 7, this version reads 4: upgrade dnmf_to"):
        loaded(forged({"version": 7, "arrays": "otherwise"}))
    with pytest.raises(FileFormatError, match="format 2, this version reads 4: save it again"):
        loaded(forged({"version": 2}))
    with pytest.raises(FileFormatError, match="holds 'Other', not 'Model'"):
        loaded(saved(kind="Other"))


@pytest.mark.parametrize("target", ["pipe", "/dev/zero"])
def test_pipes_and_devices_are_neither_read_nor_waited_for(tmp_path, target):
    path = tmp_path / "model"
    if target == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(target)
    with pytest.raises(OSError, match="is a folder or a device; name a file"):
        load(path, "Model")
    with pytest.raises(OSError, match="is a folder or a device; name a file"):
        save(path, "Model", META, ARRAYS)


def test_a_pipe_that_comes_in_between_is_not_waited_for(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "model")
    monkeypatch.setattr(Path, "is_file", lambda _: True)
    with pytest.raises(FileFormatError, match="is not a file"):
        load(tmp_path / "model", "Model")


# At the door


@pytest.mark.parametrize("value", [np.nan, -np.inf, {1: "a"}, {"a": object()}, [b"x"], {1, 2}])
def test_meta_that_json_cannot_hold_is_refused(tmp_path, value):
    with pytest.raises(ValueError, match=r"^meta\['some'\]"):
        save(tmp_path / "model", "Model", {"some": value}, ARRAYS)
    assert names_in(tmp_path) == set()


def test_meta_that_could_not_be_read_again_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="meta must have at most 16777216 bytes as JSON, got"):
        save(tmp_path / "model", "Model", {"some": "x" * LONGEST_HEADER}, ARRAYS)
    assert names_in(tmp_path) == set()


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ({"W": np.array([None])}, TypeError, "W must be of one of the types bool, .* got object"),
        ({"W": np.zeros(2, "f4,f4")}, TypeError, "W must be of one of the types"),
        ({"W": np.zeros(2, complex)}, TypeError, "W must be of one of the types"),
        ({"W": [1.0]}, TypeError, "W must be a numpy array, got list"),
        ({"../W": np.ones(2)}, ValueError, "identifier, got '../W'"),
        ({"": np.ones(2)}, ValueError, "identifier"),
        ({"Ü": np.ones(2)}, ValueError, "identifier"),
        ({3: np.ones(2)}, ValueError, "identifier"),
    ],
)
def test_arrays_that_a_file_cannot_hold_are_refused(tmp_path, arrays, error, message):
    with pytest.raises(error, match=message):
        save(tmp_path / "model", "Model", META, arrays)
    assert names_in(tmp_path) == set()


def test_other_arguments_are_checked(tmp_path):
    with pytest.raises(TypeError, match="words must hold strings, got 3"):
        save(tmp_path / "model", "Model", META, ARRAYS, {"words": ["a", 3]})
    with pytest.raises(ValueError, match="mmap must be None, 'r' or 'c', got 'r\\+'"):
        load(tmp_path / "model", "Model", mmap="r+")
    with pytest.raises(FileNotFoundError, match="model"):
        load(tmp_path / "model", "Model")
    with pytest.raises(FileNotFoundError, match="create it first"):
        save(tmp_path / "no folder" / "model", "Model", META, ARRAYS)
    with pytest.raises(IsADirectoryError, match="name a file"):
        save(tmp_path, "Model", META, ARRAYS)
    with pytest.raises(IsADirectoryError, match="name a file"):
        load(tmp_path, "Model")
    assert names_in(tmp_path) == set()


# Pieces


def pieces_of(array, limits):
    flat = array.reshape(-1)
    return Pieces(array.dtype, array.shape, lambda: np.split(flat, limits))


@pytest.mark.parametrize("name", ["pieces", "pieces.gz"])
@pytest.mark.parametrize("limits", [[], [1, 1, 5], [23], [0, 24]], ids=str)
def test_an_array_in_pieces_gives_the_bytes_of_the_whole(tmp_path, name, limits):
    array = np.arange(24.0).reshape(4, 6)
    other = np.arange(5, dtype=np.int32)
    save(tmp_path / "whole" if name == "pieces" else tmp_path / "whole.gz", "Test", {"a": 1},
         {"array": array, "other": other, "none": array[:0]}, {"texts": ["a", "ü"]})  # fmt: skip
    save(tmp_path / name, "Test", {"a": 1},
         {"array": pieces_of(array, limits), "other": other, "none": pieces_of(array[:0], [])},
         {"texts": ("a", "ü")})  # fmt: skip
    whole = next(tmp_path.glob("whole*"))
    assert (tmp_path / name).read_bytes() == whole.read_bytes()
    np.testing.assert_array_equal(load(tmp_path / name, "Test").arrays["array"], array)


def test_pieces_are_converted_to_their_type():
    file = io.BytesIO()
    save(file, "Test", {}, {"a": Pieces(np.int32, (2,), lambda: [np.array([1.0, 2.0])])})
    again = load(io.BytesIO(file.getvalue()), "Test").arrays["a"]
    assert (again.dtype, again.tolist()) == (np.int32, [1, 2])


@pytest.mark.parametrize("size", [2, 4])
def test_pieces_must_have_the_size_of_the_whole(tmp_path, size):
    with pytest.raises(ValueError, match=f"The pieces of a must have {8 * size} bytes, got 24"):
        save(tmp_path / "a", "Test", {}, {"a": Pieces(float, (size,), lambda: [np.ones(3)])})
    assert not list(tmp_path.iterdir())


def test_pieces_that_change_while_they_are_saved_leave_the_old_file(tmp_path):
    save(tmp_path / "a", "Test", {}, {"a": np.ones(3)})
    before = (tmp_path / "a").read_bytes()
    number = itertools.count()
    with pytest.raises(ValueError, match="a must not change while it is saved"):
        save(tmp_path / "a", "Test", {}, {"a": Pieces(int, (1,), lambda: [np.array(next(number))])})
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


def test_neither_pieces_nor_strings_are_held_as_a_whole(tmp_path):
    class Texts(Sequence):
        def __len__(self):
            return 20_000

        def __getitem__(self, number):
            return "x" * 1000

        def __iter__(self):
            return (self[number] for number in range(len(self)))

    array = Pieces(float, (200, 10_000), lambda: (np.ones(10_000) for _ in range(200)))
    tracemalloc.start()
    try:
        save(tmp_path / "a", "Test", {}, {"a": array}, {"texts": Texts()})
        assert tracemalloc.get_traced_memory()[1] < 5e6  # of 36 MB
    finally:
        tracemalloc.stop()
    assert (tmp_path / "a").stat().st_size > 36e6
