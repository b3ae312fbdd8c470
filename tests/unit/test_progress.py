"""Step by step, in other words, or all at once: the result is the same."""

from collections.abc import Generator

import pytest

from stcmtl.progress import drain, map_steps


def squares(n: int) -> Generator[int, None, int]:
    """The first squares, and their sum."""
    total = 0
    for i in range(n):
        yield i * i
        total += i * i
    return total


@pytest.mark.parametrize(("n", "total"), [(0, 0), (4, 14)])
def test_the_result_comes_through(n: int, total: int) -> None:
    assert drain(squares(n)) == total
    words: list[str] = []
    assert drain(map_steps(map_steps(squares(n), str), words.append)) == total
    assert words == ["0", "1", "4", "9"][:n]


def test_nothing_is_done_before_it_is_asked_for_nor_after_it_is_left() -> None:
    seen: list[int] = []
    steps = map_steps(squares(3), seen.append)
    assert seen == []
    next(steps)
    steps.close()
    assert seen == [0]
