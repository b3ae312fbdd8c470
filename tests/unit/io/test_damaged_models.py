"""Files that are no saved models: one sentence, quickly, and nothing is executed."""

import io
import json
import struct
import tracemalloc
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stcmtl import STCMTLRegressor, load
from stcmtl.io.model_file import FORM
from stcmtl.io.portable import MAX_MEMBERS, npy_bytes, pack
from tests.unit.cases import together
from tests.unit.io.test_model_file import K, data, fitted, saved
from tests.unit.plain import plain_model


@cache
def fitted_file() -> bytes:
    return saved(fitted(shape="auto", own="auto"))  # with all that a search leaves behind


@cache
def fitted_members() -> tuple[tuple[str, bytes], ...]:
    with zipfile.ZipFile(io.BytesIO(fitted_file())) as archive:
        return tuple((name, archive.read(name)) for name in archive.namelist())


def repacked(change: Any = None, **members: bytes) -> bytes:
    """The file of a fitted model with its JSON changed and members replaced, sums correct."""
    content = dict(fitted_members())
    document = json.loads(content["model.json"])
    if change is not None:
        change(document)
    content["model.json"] = json.dumps(document).encode()
    content.update({name.replace("__", "/") + ".npy": data for name, data in members.items()})
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in content.items():
            archive.writestr(name, member)
    return stream.getvalue()


def refusal(content: bytes, **options: Any) -> str:
    """What load says to a file; anything but a ValueError of one sentence fails."""
    with pytest.raises(ValueError, match=r".") as caught:
        load(io.BytesIO(content), **options)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    assert len(text) < 400
    return text


# Files of another kind


@together(
    "content",
    [b"", b"PK", b"PK\x05\x06" + bytes(18), b"x" * 5000, b"<html>" * 100, npy_bytes(np.ones(3))],
    ids=["empty", "short", "empty zip", "text", "html", "npy"],
)
def test_a_file_of_another_kind_is_refused(content: bytes) -> None:
    assert "not a model saved by stcmtl" in refusal(content)


def test_another_zip_is_refused() -> None:
    stream = io.BytesIO()
    np.savez(stream, X=np.ones(3))
    assert "has no model.json" in refusal(stream.getvalue())


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "half.stcmtl"
    path.write_bytes(fitted_file()[:2000])
    with pytest.raises(ValueError, match=r"^half\.stcmtl is damaged"):
        load(path)
    with pytest.raises(FileNotFoundError, match=r"none\.stcmtl"):
        load(tmp_path / "none.stcmtl")


def test_another_format_version_says_which_stcmtl_wrote_it() -> None:
    def newer(document: dict[str, Any]) -> None:
        document["format_version"] = 2
        document["versions"]["stcmtl"] = "3.4.5"

    text = refusal(repacked(newer))
    assert "has format version 2, written by stcmtl 3.4.5" in text
    assert "reads format version 1" in text


# Damaged and hostile files


@together("share", [0.01, 0.3, 0.7, 0.99, 0.9999])
def test_a_truncated_file_is_refused(share: float) -> None:
    content = fitted_file()
    refusal(content[: int(share * len(content))])


def test_a_message_does_not_repeat_the_file() -> None:
    """zipfile quotes the name it found, which a wrong length makes as long as the file."""
    content = bytearray(fitted_file())
    name = content.index(b"arrays/0.npy")
    content[name - 4 : name - 2] = b"\xff\x0f"
    assert "arrays/0.npy in The file is damaged" in refusal(bytes(content))


def survives(content: bytes) -> None:
    """Either refused in one sentence, or a model that predicts."""
    try:
        model = load(io.BytesIO(content))
    except ValueError:
        refusal(content)
        return
    rows = data()
    assert model.predict(rows.X, rows.tasks).shape == rows.y.shape


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_flipped_removed_and_inserted_bytes(draw: st.DataObject) -> None:
    content = bytearray(fitted_file())
    for _ in range(draw.draw(st.integers(1, 4))):
        place = draw.draw(st.integers(0, len(content) - 1))
        kind = draw.draw(st.sampled_from(["flip", "remove", "insert", "directory"]))
        if kind == "flip":
            content[place] ^= draw.draw(st.integers(1, 255))
        elif kind == "remove":
            del content[place : place + draw.draw(st.integers(1, 500))]
        elif kind == "insert":
            content[place:place] = draw.draw(st.binary(min_size=1, max_size=50))
        else:  # where the sizes are
            content[-1 - place % 300] = draw.draw(st.integers(0, 255))
        content = content or bytearray(b"P")
    survives(bytes(content))


KINDS = ["array", "date", "dict", "float", "iteration", "numpy", "objects", "random_state", "tuple"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KINDS),
            inner,
            max_size=2,
        )
    ),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_json_with_other_values(draw: st.DataObject) -> None:
    """Sums are right here, so that nothing but the reader's own checks stands in the way."""

    def change(document: dict[str, Any]) -> None:
        inside = draw.draw(st.sampled_from(["parameters", "attributes", ""]))
        table = document[inside] if inside else document
        key = draw.draw(st.sampled_from(sorted(table)) | st.text(max_size=8))
        table[key] = draw.draw(json_values)

    try:
        content = repacked(change)
    except ValueError:  # a lone surrogate, which is no text
        return
    survives(content)


def header(descr: str, shape: str, order: str = "False") -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".ljust(117)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + 1) + text.encode() + b"\n"


@pytest.mark.parametrize(
    "member",
    [
        header("<f8", "(1000000000000,)"),
        header("<f8", "(0, 999999999999999, 999999999999999)"),
        header("<U0", "(1000000000,)"),
        header("|O", "(1,)") + bytes(8),
        header("<f3", "(1,)") + bytes(3),
        header("<U1", "(1,)") + b"\xff\xff\xff\xff",
        header("|b1", "(6,)") + bytes([7] * 6),
        header("<f8", "(" + "1," * 40 + ")") + bytes(8),
        header("<f8", "__import__('os').abort()"),
        npy_bytes(np.ones((2, 2))),
        b"\x93NUMPY",
        b"",
    ],
)
def test_lying_array_headers_are_refused_before_they_cost_memory(member: bytes) -> None:
    data = repacked(arrays__0=member, arrays__1=member)
    tracemalloc.start()
    refusal(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_a_bomb_is_refused_by_its_declared_size() -> None:
    bomb = repacked(arrays__0=npy_bytes(np.zeros(4_000_000)))
    assert len(bomb) < 100_000
    assert "unpacks to" in refusal(bomb, max_bytes=10_000_000)
    assert "has 1001 bytes, more than the limit of 1000" in refusal(fitted_file(), max_bytes=1000)


def test_what_could_not_be_read_is_not_written() -> None:
    with pytest.raises(ValueError, match="A model of 50000 arrays and 400000 bytes cannot be"):
        pack(FORM, {}, [np.zeros(1)] * MAX_MEMBERS)
    with pytest.raises(ValueError, match="A model of 1 arrays and 2147483648 bytes cannot be"):
        pack(FORM, {}, [np.broadcast_to(0.0, 1 << 28)])


def test_too_many_members_are_refused_unread() -> None:
    content = bytearray(fitted_file())
    content[-14:-10] = struct.pack("<2H", MAX_MEMBERS + 1, MAX_MEMBERS + 1)
    assert f"has {MAX_MEMBERS + 1:,} files inside, more than the limit" in refusal(bytes(content))
    content[-14:-6] = struct.pack("<2HL", 2, 2, 60_000_000)  # a directory of many for a few
    assert "has 58,593 files inside, more than the limit" in refusal(bytes(content))


@together(
    ("key", "value", "said"),
    [
        ("predict", 1, "no fitted attribute"),
        ("__class__", 1, "no fitted attribute"),
        ("coef_", 1, "coef_ is no array"),
        ("coef_", {"array": 10**9}, "is missing"),
        ("n_features_in_", 99, "unlike the other attributes"),
        ("n_features_in_", None, "unlike the other attributes"),
        ("history_", [{"iteration": {}}], "no iteration"),
        ("gamma_", {"numpy": ["<U1", "/////w=="]}, "no letter"),
        ("gamma_", {"numpy": ["<f8", "AAAA"]}, "wrong length"),
    ],
)
def test_attributes_that_do_not_fit_are_named(key: str, value: Any, said: str) -> None:
    assert said in refusal(repacked(lambda document: document["attributes"].update({key: value})))


def test_a_random_state_beyond_its_words_is_refused() -> None:
    rows, state = data(), np.random.RandomState(0)
    model = plain_model(STCMTLRegressor, K, random_state=state).fit(rows.X, rows.y, rows.tasks)
    content = saved(model)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        document = json.loads(archive.read("model.json"))
    value = document["parameters"]["random_state"]["random_state"]
    value[0], value[1] = {"array": 0}, 10**6
    words = np.zeros(624, np.uint32)
    document["attributes"] = {}
    assert "random state is out of range" in refusal(pack(FORM, document, [words]))


def test_deep_nesting_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("model.json", b'{"a":' + b"[" * 200_000)
    assert "not JSON" in refusal(stream.getvalue())
