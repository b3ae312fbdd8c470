"""A session's file: what goes in comes out, and what is not ours is refused in a sentence."""

import io
import json
import zipfile
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import zip_bytes
from stcmtl import Limits, STCMTLRegressor, TaskSet, load
from stcmtl.errors import InputError
from stcmtl.io.bounded import check_bounded
from stcmtl.io.session_file import SavedSession, load_session, save_session
from stcmtl.io.sources import File
from tests.unit.cases import together
from tests.unit.io.hostile_files import unpack

LIMIT = 1 << 24


def make_tasks(**more: Any) -> TaskSet:
    rng = np.random.default_rng(0)
    tasks = np.repeat(["a", "b", "c", "d"], 12)
    return TaskSet(rng.normal(size=(48, 3)), rng.normal(size=48), tasks, ("u", "v", "é"), **more)


def make_session() -> SavedSession:
    data = make_tasks(weight=np.arange(48) + 1.0, row_numbers=np.arange(48))
    model = STCMTLRegressor(1, shape="simplex", own="none", random_state=0)
    model.fit(data.features(), data.y, data.tasks)
    content = {"fit": {"k": "1"}, "picked": [1, 2], "none": None, "part": 0.5}
    return SavedSession(content, {"train": data}, {"model": model})


SESSION = make_session()
FILE = save_session(SESSION)


def read(data: bytes, limit: int = LIMIT) -> SavedSession:
    stream = io.BytesIO(data)
    stream.name = "kept.zip"
    return load_session(stream, [STCMTLRegressor], limit)


def rewrite(**members: Any) -> bytes:
    """The file with some members changed: bytes, a change of the JSON, or None to leave it out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(FILE)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content: Any = old.read(name)
            if name == "session.json" and "document" in members:
                content = json.dumps(members["document"](json.loads(content))).encode()
            content = members.get(name.replace(".", "_"), content)
            if content is not None:
                new.writestr(name, content)
    return out.getvalue()


def test_columns_of_tasks_come_back_whatever_is_in_them() -> None:
    opened = pd.to_datetime(["2001-02-03", None, "2010-11-12", "1999-01-01"])
    columns = pd.DataFrame(
        {
            "opened": opened,
            "in Berlin": opened.tz_localize("Europe/Berlin"),  # comes back in UTC
            "for": opened - opened[0],
            "size": [1.5, None, 3.0, 4.0],
            "many": pd.array([1, None, 3, 4], dtype="Int64"),
            "region": ["north", None, "south", "north"],
            "kind": pd.Categorical(["a", "b", None, "a"]),
            "is new": [True, False, True, False],
        },
        index=list("abcd"),
    )
    data = make_tasks(task_columns=columns)
    found = read(save_session(SavedSession({}, {"train": data}))).tasks["train"].task_columns
    assert found is not None
    columns["in Berlin"] = columns["in Berlin"].dt.tz_convert(None)
    assert list(found.columns) == list(columns.columns)
    for name, column in columns.items():
        there = found[name].notna()
        assert there.tolist() == column.notna().tolist()
        assert found[name][there].tolist() == column[there].tolist()
    assert [found[name].dtype.kind for name in ("opened", "in Berlin", "for")] == ["M", "M", "m"]


def test_what_goes_in_comes_out_to_the_last_bit() -> None:
    found = read(FILE)
    assert found.content == SESSION.content
    for name in ("X", "y", "tasks", "weight", "row_numbers"):
        np.testing.assert_array_equal(
            getattr(found.tasks["train"], name), getattr(SESSION.tasks["train"], name)
        )
    assert found.tasks["train"].feature_names == ("u", "v", "é")
    ours, theirs = SESSION.models["model"], found.models["model"]
    np.testing.assert_array_equal(theirs.coef_, ours.coef_)
    assert save_session(found) == FILE


def test_a_table_of_tasks_survives() -> None:
    about = pd.DataFrame(
        {"region": ["north", None, "south", "south"], "size": [1.5, 2.0, np.nan, 4.0]},
        index=list("abcd"),
    )
    data = make_tasks(task_columns=about)
    found = read(save_session(SavedSession({}, {"train": data}))).tasks["train"]
    pd.testing.assert_frame_equal(found.task_columns, about, check_dtype=False)


def test_the_model_can_be_taken_out_and_used_alone() -> None:
    with zipfile.ZipFile(io.BytesIO(FILE)) as archive:
        model = load(io.BytesIO(archive.read("model.stcmtl")))
    np.testing.assert_array_equal(model.coef_, SESSION.models["model"].coef_)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"nothing", "is damaged or is not a session"),
        (FILE[: len(FILE) // 2], "is damaged or is not a session"),
        (rewrite(session_json=b"{"), "session.json is not JSON"),
        (rewrite(document=lambda d: d | {"format": "stcmtl-model"}), "does not say stcmtl-session"),
        (rewrite(document=lambda d: d | {"format_version": 9}), "has format version 9"),
        (rewrite(document=lambda d: d | {"content": {"a": {"pickle": 1}}}), "of no known kind"),
        (
            rewrite(document=lambda d: d | {"tasks": {"train": {"dict": {"X": 1}}}}),
            "describes no session",
        ),
        (rewrite(document=lambda d: d | {"models": ["other"]}), "describes no session"),
        (rewrite(model_stcmtl=b"PK"), "is damaged or is not a session"),
    ],
)
def test_what_is_not_ours_is_refused_in_one_sentence(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        read(data)
    assert str(refused.value).startswith("kept.zip ")
    assert str(refused.value).count(". ") == 0


def test_a_file_has_its_limit_packed_and_unpacked() -> None:
    with pytest.raises(InputError, match="more than the limit"):
        read(FILE, limit=len(FILE) - 1)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.json", b" " * (LIMIT + 1))
    with pytest.raises(InputError, match="unpacks to"):
        read(bomb.getvalue())


@together(
    ("change", "words"),
    [
        ({"document": lambda d: d | {"models": ["other"]}}, "other.stcmtl is missing"),
        ({"model_stcmtl": b"[]"}, "damaged or is not a model"),
        ({"document": lambda d: d | {"content": {"a": [{"array": 0}] * 2}}}, "there twice"),
        ({"document": lambda d: d | {"content": {"a": [[]] * 10**6}}}, "more than 1,000,000"),
        ({"document": lambda d: d | {"content": {"a": "0" * (1 << 26)}}}, "times its size"),
        ({"session_json": b"[" * 10**5}, "not JSON"),
    ],
)
def test_a_file_is_opened_by_the_bounded_child_first(change: dict[str, Any], words: str) -> None:
    data = rewrite(**change)
    packed = zip_bytes(unpack(data)) if len(data) > 1 << 25 else data
    with pytest.raises(InputError, match=words) as caught:
        check_bounded(File("kept.zip", data=packed), Limits(bytes_unpacked=LIMIT * 8))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_good_file_passes_the_child() -> None:
    check_bounded(File("kept.zip", data=FILE), Limits())
