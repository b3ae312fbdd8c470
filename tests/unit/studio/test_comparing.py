"""Repetitions on other rows than those in hand, by where the tasks came from."""

from dataclasses import replace

import numpy as np

from stcmtl import datasets
from stcmtl.studio.state.choices import EXAMPLE, DataChoice
from stcmtl.studio.state.loading import Loaded, load
from stcmtl.studio.work.comparing import repeats

TINY = DataChoice(tasks=6, features=20, clusters=2, mixed=1, rows=12, test_rows=8, draw=3)


def upload(held_out: bool) -> Loaded:
    loaded = load(TINY)
    test = loaded.test if held_out else None
    return replace(loaded, key=("upload", "digest"), private=True, test=test)


def test_the_first_repetition_is_on_the_rows_in_hand() -> None:
    for loaded in (load(TINY), upload(held_out=True), load(DataChoice(source=EXAMPLE))):
        first = repeats(loaded)(0)
        assert (first.train, first.test) == (loaded.train, loaded.test)


def test_simulated_tasks_are_drawn_with_the_next_seed() -> None:
    rows, expected = repeats(load(TINY))(2), load(TINY.with_values(draw=5))
    np.testing.assert_array_equal(rows.train.X, expected.train.X)
    assert rows.train.truth is not None
    np.testing.assert_array_equal(rows.train.truth.W, expected.train.truth.W)


def test_drawn_examples_are_drawn_anew_by_their_loader() -> None:
    rows = repeats(load(DataChoice(source=EXAMPLE, example="digits")))(1)
    np.testing.assert_array_equal(rows.test.X, datasets.load_digits(random_state=1).test.X)


def test_other_examples_and_uploads_are_divided_anew() -> None:
    for loaded in (upload(True), load(DataChoice(source=EXAMPLE, example="gapminder"))):
        assert loaded.test is not None
        again = repeats(loaded)
        one, two = again(1), again(2)
        whole = np.sort(np.concatenate([loaded.train.y, loaded.test.y]))
        for rows in (one, two):
            assert rows.test.n_rows.tolist() == loaded.test.n_rows.tolist()
            np.testing.assert_array_equal(
                np.sort(np.concatenate([rows.train.y, rows.test.y])), whole
            )
        assert not np.array_equal(np.sort(one.test.y), np.sort(two.test.y))


def test_without_test_rows_a_quarter_is_kept_aside() -> None:
    again = repeats(upload(held_out=False))
    rows = again(0)
    assert (rows.train.n_rows.tolist(), rows.test.n_rows.tolist()) == ([9] * 6, [3] * 6)
    assert again.words == "another 25% of every task's rows for testing"
