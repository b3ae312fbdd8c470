"""Uploads: private, told apart by content, and spoken of in the words of the page."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stcmtl import read
from stcmtl.io.parsing import How, parse
from stcmtl.io.tables import Asked
from stcmtl.studio import widgets
from stcmtl.studio.state import session as session_module
from stcmtl.studio.state import uploads
from stcmtl.studio.state.choices import DataChoice
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import Session
from stcmtl.studio.state.uploads import Reading, Upload
from stcmtl.studio.words.sentences import word_error

TEMPLATES = Path(widgets.__file__).with_name("templates")
LONG = (TEMPLATES / "tasks-long.csv").read_bytes()
AS_GUESSED = Reading()


@pytest.fixture(autouse=True)
def _parse_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in a process of its own, which takes seconds to start."""
    monkeypatch.setattr(uploads, "parse_bounded", parse)


def open_as_guessed(content: bytes) -> Upload:
    upload = uploads.make_upload((("a.csv", content),))
    upload.open()
    return upload


def loaded(reading: Reading = AS_GUESSED, content: bytes = LONG, **choice: Any) -> Loaded:
    upload = open_as_guessed(content)
    found = uploads.read_upload(upload, reading)
    return uploads.divide(found, DataChoice(source="upload", **choice))


def test_keys_tell_content_reading_and_split_apart() -> None:
    keys = [
        loaded().key,
        loaded(content=LONG + b'"north",1,1,1,1,1\n').key,
        loaded(Reading(missing="median")).key,
        loaded(held_out=0.5).key,
        loaded(split=1).key,
    ]
    assert len(set(keys)) == len(keys)
    assert loaded().key == keys[0]


def test_an_upload_is_private_and_split_within_tasks() -> None:
    found = loaded(held_out=0.25)
    assert found.private
    assert found.train.n_rows.tolist() == [9] * 4
    assert found.test is not None
    assert found.test.n_rows.tolist() == [3] * 4


@pytest.mark.parametrize(
    ("content", "reading", "sentence"),
    [
        (b"a,b\n1.5,2\n2.5,3\n", Reading(), "Choose below one of a, b; or choose the wide layout"),
        (
            b"task,a,y\nu,,1\nu,2,2\nv,3,3\nv,4,4\n",
            Reading(),
            "fill them, or choose to fill them with the median.",
        ),
        (b"a,b\n1.5,2\n2.5,3\n", Reading(layout="wide"), "Choose them below, one per task."),
    ],
)
def test_sentences_speak_of_controls(content: bytes, reading: Reading, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"^a\.csv") as error:
        loaded(reading, content)
    assert sentence in word_error(error.value)
    assert "=" not in word_error(error.value)


def test_a_limit_is_told_without_the_way_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LIMITS", uploads.Limits(rows=3))
    upload = open_as_guessed(LONG)
    assert upload.opened is None
    said = "a.csv has 48 rows, more than the limit of 3: read a smaller part."
    assert upload.fault is not None
    assert word_error(upload.fault) == said


def test_templates_read_as_the_same_tasks() -> None:
    long, wide, packed = (
        read(TEMPLATES / name)[0] for name in ("tasks-long.csv", "tasks-wide.csv", "tasks.zip")
    )
    for data in (long, wide, packed):
        assert data.task_names.tolist() == ["east", "north", "south", "west"]
        assert data.feature_names == tuple(f"feature {d}" for d in (1, 2, 3, 4))
        own, expected = data.tasks == "north", long.tasks == "north"
        np.testing.assert_array_equal(data.y[own], long.y[expected])
    np.testing.assert_array_equal(packed.X, long.X[np.argsort(long.tasks, kind="stable")])


def test_what_pickers_say_becomes_what_read_takes() -> None:
    assert Reading().asked == Asked()
    assert Reading(targets=("a",)).asked == Asked(target="a")
    assert Reading(targets=("a",), layout="wide").asked == Asked(target=["a"], layout="wide")
    assert Reading(layout="wide").asked == Asked(layout="wide")


def test_what_cannot_be_read_otherwise_stays_as_it_was() -> None:
    upload = open_as_guessed(LONG)
    before = upload.opened
    upload.how = How(encoding="utf-16")
    upload.open()
    assert upload.fault is not None
    assert upload.opened is before
    upload.how = How()
    upload.open()
    assert upload.fault is None


class Ended(BaseException):
    """As Streamlit ends a run in the middle, to begin it anew."""


def test_what_an_ended_run_left_undone_is_done_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    upload, session = open_as_guessed(LONG), Session()
    monkeypatch.setattr(uploads, "current", lambda: session)
    divide, ends = uploads.divide, iter([True, False])

    def end_once(*given: Any) -> Loaded:
        if next(ends):
            raise Ended
        return divide(*given)

    monkeypatch.setattr(uploads, "divide", end_once)
    with pytest.raises(Ended):
        uploads.open_upload(upload, AS_GUESSED)
    assert (session.data, session.uploaded) == (None, None)
    assert uploads.open_upload(upload, AS_GUESSED)
    assert session.data is not None
    assert len(session.data.train) == 4
    assert not uploads.open_upload(upload, AS_GUESSED)  # tried


def test_what_an_ended_run_opened_gives_way_to_what_was_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    upload, session = open_as_guessed(LONG), Session()
    monkeypatch.setattr(uploads, "current", lambda: session)
    assert uploads.open_upload(upload, AS_GUESSED)
    all_features = session.uploaded.data.feature_names
    fewer = Reading(features=tuple(all_features[1:]))

    def end_at_once(*given: Any) -> None:
        take_in_hand(*given)
        raise Ended

    take_in_hand = uploads.take_in_hand
    with monkeypatch.context() as patched:
        patched.setattr(uploads, "take_in_hand", end_at_once)
        with pytest.raises(Ended):
            uploads.open_upload(upload, fewer)
    assert session.uploaded.data.feature_names == all_features[1:]
    assert uploads.open_upload(upload, AS_GUESSED)
    assert session.uploaded.data.feature_names == all_features


def test_a_link_is_followed_by_the_run_that_gets_through(monkeypatch: pytest.MonkeyPatch) -> None:
    known, session, ends = loaded(), Session(), iter([True, False])

    def load(_: DataChoice) -> Loaded:
        if next(ends):
            raise Ended
        return known

    monkeypatch.setattr(session_module, "load", load)
    with pytest.raises(Ended):
        session.follow_link({"data": "simulated"})
    session.follow_link({"data": "simulated", "picked": "1"})
    assert session.data is known
    assert session.picked == {1}
