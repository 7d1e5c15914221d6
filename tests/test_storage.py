"""Model files: what goes in comes out, a failing save changes nothing, a bad file is refused."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import pickle
import random
import struct
import sys
import tempfile
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from gensim.corpora import Dictionary
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as drawn

from dnmf_topics.storage import FileFormatError, load, save

META = {"num_topics": 2, "words": ["tea", "Übung"], "alpha": 0.1, "seed": None}
ARRAYS = {
    "W": np.arange(6.0).reshape(2, 3),
    "H": np.asfortranarray(np.arange(8, dtype=np.float32).reshape(4, 2)),
}
OTHER = {"W": np.ones(5), "extra": np.arange(3)}


class OneWay:
    """The least a target can be."""

    def __init__(self):
        self.received = b""

    def write(self, data):
        self.received += data


def saved(meta=META, arrays=ARRAYS, kind="Model"):
    target = OneWay()
    save(target, kind, meta, arrays)
    return target.received


def loaded(data, kind="Model"):
    return load(io.BytesIO(data), kind)


def same(stored, meta=META, arrays=ARRAYS):
    return (
        stored.meta == meta
        and list(stored.arrays) == list(arrays)
        and all(same_array(stored.arrays[name], array) for name, array in arrays.items())
    )


def same_array(one, other):
    return (one.dtype.str, one.shape, one.tobytes()) == (
        other.dtype.str,
        other.shape,
        other.tobytes(),
    )


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
dtypes = (
    drawn.boolean_dtypes()
    | drawn.integer_dtypes(endianness="?")
    | drawn.floating_dtypes(endianness="?")
    | drawn.complex_number_dtypes()
    | drawn.datetime64_dtypes()
    | drawn.timedelta64_dtypes()
    | drawn.unicode_string_dtypes()
    | drawn.byte_string_dtypes()
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
    drawn.arrays(dtypes, drawn.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)),
    layouts,
)
array_names = st.from_regex(r"[a-zA-Z_][a-zA-Z_0-9]{0,5}", fullmatch=True)


@settings(max_examples=40)
@given(
    st.dictionaries(st.text(), json_values, max_size=3),
    st.dictionaries(array_names, arrays, max_size=4),
    st.sampled_from(["model", "model.gz"]),
    st.sampled_from([0, 10, 10**9]),
)
def test_what_goes_in_comes_out(meta, arrays, name, sep_limit):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        save(path, "Model", meta, arrays, sep_limit=sep_limit)
        assert same(load(str(path), "Model"), meta, arrays)
    assert same(loaded(saved(meta, arrays)), meta, arrays)


@pytest.mark.parametrize("mmap", [None, "r", "c"])
def test_the_order_in_memory_stays(tmp_path, mmap):
    save(tmp_path / "model", "Model", META, ARRAYS, separately=ARRAYS)
    result = load(tmp_path / "model", "Model", mmap=mmap).arrays
    assert result["W"].flags.c_contiguous
    assert result["H"].flags.f_contiguous
    assert same_array(result["H"], ARRAYS["H"])


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
    save(tmp_path / "model", "Model", META, ARRAYS)
    assert (tmp_path / "model").read_bytes() == expected
    # Not at its beginning: zipfile would count positions from there.
    with (tmp_path / "appended").open("w+b") as file:
        file.write(b"before")
        save(file, "Model", META, ARRAYS)
        file.seek(len(b"before"))
        assert file.read() == expected
        file.seek(len(b"before"))
        assert same(load(file, "Model"))
    save(tmp_path / "one.gz", "Model", META, ARRAYS)
    save(tmp_path / "two.gz", "Model", META, ARRAYS)
    packed = (tmp_path / "one.gz").read_bytes()
    assert packed == (tmp_path / "two.gz").read_bytes()
    assert packed[4:8] == bytes(4)  # where gzip has the time
    assert gzip.decompress(packed) == expected
    assert same(loaded(packed))


def test_the_operating_system_leaves_no_trace(monkeypatch):
    expected = saved()
    monkeypatch.setattr(sys, "platform", "win32")  # zipfile notes it
    assert saved() == expected


def test_numpy_and_zip_tools_open_the_file():
    with np.load(io.BytesIO(saved()), allow_pickle=False) as opened:
        assert same_array(opened["W"], ARRAYS["W"])
    with zipfile.ZipFile(io.BytesIO(saved())) as container:
        assert container.testzip() is None
        assert json.loads(container.read("meta.json"))["meta"] == META


def test_members_too_long_for_the_old_zip_format(monkeypatch):
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 1000)
    arrays = {"small": np.arange(3), "large": np.arange(999)}
    assert same(loaded(saved(arrays=arrays)), arrays=arrays)


def test_files_get_the_usual_permissions(tmp_path):
    (tmp_path / "plain").touch()
    save(tmp_path / "model", "Model", META, ARRAYS, separately=["W"])
    assert len({path.stat().st_mode for path in tmp_path.iterdir()}) == 1


# Arrays beside the file


@pytest.mark.parametrize(
    ("options", "beside"),
    [
        ({}, set()),
        ({"sep_limit": 48}, {"W"}),
        ({"sep_limit": 49}, set()),
        ({"sep_limit": 1}, {"W", "H"}),
        ({"separately": ["H"]}, {"H"}),
        ({"separately": [], "sep_limit": 1}, set()),
    ],
)
def test_which_arrays_lie_beside_the_file(tmp_path, options, beside):
    path = tmp_path / "my.model"
    save(path, "Model", META, ARRAYS, **options)
    files = names_in(tmp_path) - {"my.model"}
    assert {name.removeprefix("my.model.").split(".")[0] for name in files} == beside
    for name in files:
        array = ARRAYS[name.split(".")[2]]
        assert same_array(np.load(tmp_path / name, allow_pickle=False), array)
    for mmap in (None, "r", "c"):
        result = load(path, "Model", mmap=mmap)
        assert same(result)
        mapped = {name for name, array in result.arrays.items() if isinstance(array, np.memmap)}
        assert mapped == (beside if mmap else set())


def test_changes_to_a_mapped_array_stay_in_memory(tmp_path):
    path = tmp_path / "model"
    save(path, "Model", META, ARRAYS, separately=["W"])
    load(path, "Model", mmap="c").arrays["W"][:] = 7
    assert same(load(path, "Model"))
    assert not load(path, "Model", mmap="r").arrays["W"].flags.writeable


def test_compressed_all_is_inside_and_cannot_be_mapped(tmp_path):
    path = tmp_path / "model.gz"
    save(path, "Model", META, ARRAYS, separately=["W"], sep_limit=1)
    assert names_in(tmp_path) == {"model.gz"}
    with pytest.raises(OSError, match="a compressed file cannot be memory-mapped"):
        load(path, "Model", mmap="r")


def test_saving_again_leaves_only_the_files_of_the_new_model(tmp_path):
    path = tmp_path / "model"
    lookalikes = {"model.W.0123456789ab.npy", "model.npy", "model2.W.0123456789ab.npy"}
    for name in lookalikes:
        (tmp_path / name).touch()
    save(path, "Model", META, ARRAYS, separately=["W", "H"])
    first = names_in(tmp_path)
    save(path, "Model", {}, ARRAYS | {"W": np.ones(3)}, separately=["W", "H"])
    second = names_in(tmp_path)
    # The array that did not change keeps its file.
    assert len(first - second) == len(second - first) == 1
    save(path, "Model", {}, OTHER)
    assert names_in(tmp_path) == lookalikes | {"model"}


@pytest.mark.parametrize("mmap", ["r", "c"])
def test_mapped_arrays_are_saved_over_their_own_files(tmp_path, mmap):
    path = tmp_path / "model"
    save(path, "Model", META, ARRAYS, separately=ARRAYS)
    mapped = load(path, "Model", mmap=mmap).arrays
    save(path, "Model", META, mapped, separately=["H"])
    assert same(load(path, "Model"))
    save(path, "Model", META, {"W": mapped["W"][::-1], "H": mapped["H"]}, separately=ARRAYS)
    assert same(load(path, "Model"), arrays=ARRAYS | {"W": ARRAYS["W"][::-1]})
    assert same_array(mapped["W"], ARRAYS["W"])


def test_a_model_with_arrays_beside_it_is_loaded_by_path(tmp_path):
    save(tmp_path / "model", "Model", META, ARRAYS, separately=["W"])
    with (tmp_path / "model").open("rb") as file, pytest.raises(FileFormatError, match="path"):
        load(file, "Model")


# A save that fails


def steps_of_saving(monkeypatch, fail_at, after):
    """Each call that touches the disk is a step; the one numbered `fail_at` is interrupted."""
    count = itertools.count()

    def counted(function):
        def step(*args, **kwargs):
            fails = next(count) == fail_at
            if fails and not after:
                raise KeyboardInterrupt
            result = function(*args, **kwargs)
            if fails:
                raise KeyboardInterrupt
            return result

        return step

    monkeypatch.setattr(np.lib.format, "write_array", counted(np.lib.format.write_array))
    monkeypatch.setattr(os, "fsync", counted(os.fsync))
    monkeypatch.setattr(os, "replace", counted(os.replace))
    return count


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", ["model", "model.gz"])
@pytest.mark.parametrize("first", [False, True], ids=["replacing", "first"])
def test_an_interrupted_save_leaves_one_whole_model_and_no_other_file(
    tmp_path, monkeypatch, name, first, after
):
    path = tmp_path / name
    changed = ARRAYS | {"W": np.ones(3), "inside": np.arange(3)}
    options = {"separately": ["W", "H"]}
    save(path, "Model", {}, changed, **options)
    files_of_new = names_in(tmp_path)
    save(path, "Model", META, ARRAYS, **options)
    files_of_old = names_in(tmp_path)
    if first:
        for file in tmp_path.iterdir():
            file.unlink()
        files_of_old = set()
    interrupted = 0
    while True:
        with monkeypatch.context() as patch:
            steps_of_saving(patch, interrupted, after)
            try:
                save(path, "Model", {}, changed, **options)
                break
            except KeyboardInterrupt:
                interrupted += 1
        is_new = names_in(tmp_path) == files_of_new and same(load(path, "Model"), {}, changed)
        if not is_new:
            assert names_in(tmp_path) == files_of_old
            assert first or same(load(path, "Model"))
    assert interrupted == (14 if name == "model" else 6)
    assert names_in(tmp_path) == files_of_new
    assert same(load(path, "Model"), {}, changed)


def test_a_full_disk_is_reported_as_such(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save(tmp_path / "model", "Model", META, ARRAYS)
    assert names_in(tmp_path) == set()


# Damage


def assert_refused_or_unharmed(data):
    try:
        result = loaded(data)
    except FileFormatError:
        return
    assert same(result)


@pytest.mark.parametrize("pack", [bytes, lambda data: gzip.compress(data, mtime=0)])
def test_truncated_anywhere(pack):
    whole = pack(saved())
    for length in range(len(whole)):
        with pytest.raises(FileFormatError):
            loaded(whole[:length])


@pytest.mark.parametrize("pack", [bytes, lambda data: gzip.compress(data, mtime=0)])
def test_a_changed_byte_anywhere(pack):
    draw = random.Random(0)
    whole = pack(saved())
    for position in range(len(whole)):
        for change in (1 << draw.randrange(8), draw.randrange(1, 256)):
            damaged = bytearray(whole)
            damaged[position] ^= change
            assert_refused_or_unharmed(bytes(damaged))


@given(st.binary(max_size=200), st.integers(0, 2000), st.integers(0, 2000))
def test_a_piece_replaced_by_noise(noise, start, stop):
    whole = saved()
    assert_refused_or_unharmed(whole[:start] + noise + whole[stop:])


def test_a_model_inside_an_array_is_not_taken_for_the_file():
    inner = saved({}, OTHER)
    outer = saved(arrays={"file": np.frombuffer(inner, np.uint8)})
    end_of_inner = outer.index(inner) + len(inner)
    with pytest.raises(FileFormatError):
        loaded(outer[:end_of_inner])


@pytest.mark.parametrize("mmap", [None, "r"])
@pytest.mark.parametrize("damage", ["missing", "swapped", "truncated", "changed", "empty"])
def test_damage_beside_the_file(tmp_path, damage, mmap):
    path = tmp_path / "model"
    arrays = {"A": np.arange(9.0), "B": np.ones(9)}
    save(path, "Model", META, arrays, separately=arrays)
    file_a, file_b = sorted(tmp_path.glob("model.*.npy"))
    content = file_a.read_bytes()
    if damage == "missing":
        file_a.unlink()
    else:
        damaged = {
            "swapped": file_b.read_bytes(),
            "truncated": content[:-1],
            "changed": content[:-1] + b"!",
            "empty": b"",
        }
        file_a.write_bytes(damaged[damage])
    with pytest.raises(FileFormatError, match=file_a.name):
        load(path, "Model", mmap=mmap)


# Files from elsewhere


def npy(array=None, *, descr="<f8", shape=(3,), data=bytes(24)):
    """A .npy file, of the array or forged."""
    file = io.BytesIO()
    if array is None:
        header = {"descr": descr, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(data)
    else:
        np.lib.format.write_array(file, array)
    return file.getvalue()


ONE_MEMBER = [("W.npy", npy())]
HEADER = {"format": "dnmf_topics", "version": 1, "kind": "Model", "meta": {}, "arrays": {"W": None}}


def forged(changes=None, *, meta=None, members=ONE_MEMBER, compression=zipfile.ZIP_STORED):
    """A container with an altered header, other members, or another text for meta.json."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as container:
        container.writestr("meta.json", meta or json.dumps(HEADER | (changes or {})))
        for name, content in members:
            container.writestr(name, content)
    return file.getvalue()


def test_a_forged_file_without_a_fault_is_read():
    assert same(loaded(forged()), {}, {"W": np.zeros(3)})


class Trap:
    """Unpickled, it says so."""

    sprung = False

    def __reduce__(self):
        return (setattr, (Trap, "sprung", True))


def trap_as_array():
    return npy(np.array([Trap()], dtype=object))


def npz():
    file = io.BytesIO()
    np.savez(file, W=np.arange(3))
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
    "npy": npy(),
    "npy of objects": trap_as_array(),
    "npz": npz(),
    "gzip of nothing": gzip.compress(b""),
    "gzip of a pickle": gzip.compress(pickle.dumps(Trap())),
    "only the magic of gzip": b"\x1f\x8b",
    "other program": forged({"format": "other"}),
    "meta no dict": forged(meta="[]"),
    "meta no json": forged(meta="{"),
    "meta no text": forged(meta=b"\xff\xff"),
    "meta nested": forged(meta="[" * 10**6),
    "no version": forged({"version": None}),
    "no kind": forged({"kind": 3}),
    "no meta": forged({"meta": None}),
    "arrays no dict": forged({"arrays": ["W"]}),
    "checksum no text": forged({"arrays": {"W": 3}}),
    "checksum too short": forged({"arrays": {"W": "0" * 12}}),
    "checksum a path": forged({"arrays": {"W": "../" + "0" * 61}}),
    "name a path": forged({"arrays": {"../W": None}}, members=[("../W.npy", npy())]),
    "name beside a path": forged({"arrays": {"../W": "0" * 64}}, members=[]),
    "member missing": forged(members=[]),
    "member added": forged(members=[*ONE_MEMBER, ("V.npy", npy())]),
    "compressed": forged(compression=zipfile.ZIP_DEFLATED),
    "member no npy": forged(members=[("W.npy", b"PK")]),
    "member of objects": forged(members=[("W.npy", trap_as_array())]),
    "claims objects": forged(members=[("W.npy", npy(descr="|O"))]),
    "records": forged(members=[("W.npy", npy(np.zeros(3, "f4,f4")))]),
    "too short": forged(members=[("W.npy", npy(shape=(4,)))]),
    "too long": forged(members=[("W.npy", npy(shape=(2,)))]),
    "negative": forged(members=[("W.npy", npy(shape=(-1, -3)))]),
    "giant": forged(members=[("W.npy", npy(shape=(2**36,)))]),
    "overflowing": forged(members=[("W.npy", npy(shape=(2**61, 2**10)))]),
    "npy of the future": forged(members=[("W.npy", b"\x93NUMPY\x09" + npy()[7:])]),
    "npy header nested": forged(
        members=[("W.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", 9000) + b"-" * 9000)]
    ),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_files_from_elsewhere_are_refused(tmp_path, case):
    path = tmp_path / "foreign.bin"
    path.write_bytes(FOREIGN[case])
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError, match=r"foreign\.bin") as caught:
            load(path, "Model")
        assert tracemalloc.get_traced_memory()[1] < 30 * 2**20
    finally:
        tracemalloc.stop()
    assert len(str(caught.value).splitlines()) == 1
    assert not Trap.sprung
    # Nor does saving over it follow what it says.
    save(path, "Model", META, ARRAYS)
    assert same(load(path, "Model"))


def test_only_names_of_the_pattern_are_deleted_when_a_file_is_replaced(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(forged({"arrays": {"W": "my-precious!"}}, members=[]))
    (tmp_path / "model.W.my-precious!.npy").touch()
    save(path, "Model", META, ARRAYS)
    assert (tmp_path / "model.W.my-precious!.npy").exists()


def test_the_trap_works():
    pickle.loads(pickle.dumps(Trap()))
    assert Trap.sprung
    Trap.sprung = False


def test_a_trap_beside_the_file_is_refused(tmp_path):
    path = tmp_path / "model"
    save(path, "Model", META, ARRAYS, separately=["W"])
    (beside,) = tmp_path.glob("model.W.*.npy")
    beside.write_bytes(trap_as_array())
    with pytest.raises(FileFormatError):
        load(path, "Model")
    assert not Trap.sprung


def test_a_name_that_occurs_twice():
    with pytest.warns(UserWarning, match="Duplicate"):
        data = forged(members=ONE_MEMBER * 2)
    with pytest.raises(FileFormatError):
        loaded(data)


def test_sizes_in_the_directory_of_the_zip_are_not_believed():
    claimed = 2**31
    header = npy(shape=((claimed - 128) // 8,), data=b"")
    data = bytearray(forged(members=[("W.npy", header)]))
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 20 : entry + 28] = struct.pack("<LL", claimed, claimed)
    with pytest.raises(FileFormatError, match="shorter"):
        loaded(bytes(data))


def test_a_newer_format_and_another_kind_say_what_to_do():
    with pytest.raises(FileFormatError, match=r"format 7, .* up to 2: upgrade dnmf_topics"):
        loaded(forged({"version": 7, "arrays": "otherwise"}))
    with pytest.raises(FileFormatError, match="holds 'Other', not 'Model'"):
        loaded(saved(kind="Other"))


# At the door


@pytest.mark.parametrize("value", [np.nan, -np.inf, {1: "a"}, {"a": object()}, [b"x"], {1, 2}])
def test_meta_that_json_cannot_hold_is_refused(tmp_path, value):
    with pytest.raises(ValueError, match=r"^meta\['some'\]"):
        save(tmp_path / "model", "Model", {"some": value}, ARRAYS)
    assert names_in(tmp_path) == set()


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ({"W": np.array([None])}, TypeError, "W must hold numbers, .* got dtype object"),
        ({"W": np.zeros(2, "f4,O")}, TypeError, "W must hold numbers"),
        ({"W": np.zeros(2, "f4,f4")}, TypeError, "W must hold numbers"),
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
    with pytest.raises(ValueError, match=r"separately must name arrays of \['W', 'H'\], got"):
        save(tmp_path / "model", "Model", META, ARRAYS, separately=["W", "X"])
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
