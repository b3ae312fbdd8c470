"""Uploads that outlive a refresh: for one browser, for a while, within so many bytes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stcmtl.data.taskset import TaskSet
from stcmtl.studio.state.keeping import MOST_SECONDS, Kept, Shelf, can_be_given, unmask
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import Session

DATA = Loaded("own", "own.csv", TaskSet(np.ones((4, 1)), np.arange(4.0), list("aabb")), None)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def make_shelf(**options: int) -> tuple[Shelf, set[str], Clock]:
    """An empty shelf, who is there, and the time."""
    there: set[str] = set()
    clock = Clock()
    return Shelf(there.__contains__, clock, **options), there, clock


def make_kept(visitor: str = "visitor", n_bytes: int = 10) -> Kept:
    session = Session(data=DATA, token="token", picked=frozenset({1}))
    return Kept(session, {"data.tab": "Upload"}, "cookie", visitor, 0.0, n_bytes)


def test_after_a_refresh_the_session_itself_is_there() -> None:
    shelf, _, _ = make_shelf()
    kept = make_kept()
    shelf.put("token", kept)
    assert shelf.take("token", "cookie") is kept


def test_another_tab_gets_a_copy_under_a_token_of_its_own() -> None:
    shelf, there, _ = make_shelf()
    there.add("visitor")
    shelf.put("token", make_kept())
    found = shelf.take("token", "cookie")
    assert found is not None
    assert found.session.data is DATA
    assert found.session.picked == {1}
    assert len(found.session.token) > 20
    found.session.views["a.b"] = "c"
    again = shelf.take("token", "cookie")
    assert again is not None
    assert again.session.views == {}
    assert again.session.token != found.session.token


def test_another_browser_is_not_let_in() -> None:
    shelf, _, _ = make_shelf()
    shelf.put("token", make_kept())
    assert shelf.take("token", "another cookie") is None
    assert shelf.take("token", "") is None
    assert shelf.take("another token", "cookie") is None


def test_it_is_forgotten_an_hour_after_its_visitor_has_left() -> None:
    shelf, there, clock = make_shelf()
    there.add("visitor")
    shelf.put("token", make_kept())
    clock.now = 5 * MOST_SECONDS
    assert shelf.take("token", "cookie") is not None  # who is there keeps it
    there.clear()
    clock.now += MOST_SECONDS
    assert shelf.take("token", "cookie") is not None
    clock.now += 1.0
    assert shelf.take("token", "cookie") is None


def test_where_room_is_short_the_first_goes() -> None:
    shelf, _, _ = make_shelf(max_bytes=25)
    for token in "abc":
        shelf.put(token, replace(make_kept(), n_bytes=10))
    assert [shelf.take(token, "cookie") is not None for token in "abc"] == [False, True, True]
    shelf.put("d", make_kept(n_bytes=26))
    assert shelf.take("d", "cookie") is None


def test_a_cookie_is_known_again_under_another_mask() -> None:
    """As tornado writes it: version, mask, the token under the mask, and when it was made."""
    token = bytes(range(16))

    def write(mask: bytes) -> str:
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(token))
        return f"2|{mask.hex()}|{masked.hex()}|1794973338"

    assert unmask(write(b"abcd")) == unmask(write(b"wxyz")) == token.hex()
    assert [unmask(odd) for odd in ("", "a|b|c|d", "2||00|1")] == ["", "a|b|c|d", "2||00|1"]


@pytest.mark.parametrize("value", ["", "Upload", 3, 0.5, ["price"], [1, 2.5]])
def test_what_a_control_says_can_be_given_to_it_again(value: Any) -> None:
    assert can_be_given(value)


@pytest.mark.parametrize("value", [[], None, True, [object()], [True], {"edited_rows": {}}, DATA])
def test_what_uploaders_buttons_and_tables_say_is_given_to_none(value: Any) -> None:
    assert not can_be_given(value)
