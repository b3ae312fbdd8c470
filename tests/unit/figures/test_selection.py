"""Error by K, and singular values."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.solver.records import Choice, KSelection


@dataclass
class Path:
    ks: list[int] = field(default_factory=lambda: [1, 2, 3, 4])
    error: list[float] = field(default_factory=lambda: [2.0, 1.0, 0.52, 0.5])
    se: list[float] = field(default_factory=lambda: [0.1, 0.1, 0.05, 0.04])
    seconds: list[float] = field(default_factory=lambda: [0.1, 0.1, 0.1, 0.1])
    one_se: int = 3
    best: int = 4
    metric: str = "RMSE"


def test_rmse_is_drawn_as_it_is_with_bars_of_one_standard_error() -> None:
    path = Path()
    figure = figures.k_curve(path)
    limit, curve, best, choice = figure.data
    assert list(curve.x) == [1, 2, 3, 4]
    assert list(curve.y) == path.error
    assert list(curve.error_y.array) == path.se
    assert list(limit.y) == pytest.approx([0.54, 0.54])
    assert (best.x[0], best.y[0]) == (4, 0.5)
    assert (choice.x[0], choice.y[0]) == (3, 0.52)
    assert "<b>0.52</b> ± 0.05" in curve.hovertext[2]
    assert figure.layout.yaxis.title.text == "RMSE"
    assert figure.layout.yaxis.type is None
    assert not figure.layout.yaxis.tickformat


def test_an_error_rate_is_drawn_as_it_is() -> None:
    figure = figures.k_curve(Path(metric="error rate"))
    np.testing.assert_allclose(figure.data[1].y, Path().error)
    assert figure.layout.yaxis.title.text == "error rate"


def test_what_was_taken_is_marked_where_its_own_error_is() -> None:
    ks, errors = np.array([1, 2]), np.array([1.0, 0.6])
    path = KSelection(ks, errors, errors / 10, errors, errors, np.empty(0), "RMSE")
    taken = Choice(2, "cone", "deviation", 0.5, 0.05, 0.0, 0.0, 1, True, "taken")
    alone = Choice(0, "simplex", "alone", 0.7, 0.07, 0.4, 0.1, 3, False, "worse")
    level, line, mark = figures.choice_curve(path, [taken, alone], "RMSE").data
    assert (list(line.x), list(line.y)) == ([1, 2], [1.0, 0.6])
    np.testing.assert_allclose(line.error_y.array, [0.1, 0.06])
    assert (list(level.x), list(level.y), level.error_y.array[0]) == ([0, 2], [0.7, 0.7], 0.07)
    assert (mark.x[0], mark.y[0], mark.name) == (
        2, 0.5, "taken: K = 2, with own parts",
    )  # fmt: skip
    plain = figures.choice_curve(path, [replace(taken, own="none"), alone], "RMSE").data[-1]
    assert plain.name == "taken: K = 2"


def test_without_a_curve_there_is_the_level_of_tasks_on_their_own() -> None:
    alone = Choice(0, "simplex", "alone", 0.7, 0.07, 0.0, 0.0, 1, True, "taken")
    level, mark = figures.choice_curve(None, [alone], "error rate").data
    assert (level.y[0], mark.x[0], mark.y[0]) == (0.7, 0, 0.7)


def test_words() -> None:
    figure = figures.k_curve(Path())
    assert "3 clusters are enough." in figure.layout.title.subtitle.text
    assert "within one standard error (0.04) of the lowest error, 0.5 at K = 4" in (
        figures.describe(figure)
    )


def test_a_curve_that_has_only_begun() -> None:
    part = Path(ks=[1, 2], error=[2.0, 1.0], se=[0.1, 0.1], seconds=[1, 1], one_se=2, best=2)
    figure = figures.k_curve(part)
    assert list(figure.data[1].x) == [1, 2]
    assert "The error still falls at K = 2." in figure.layout.title.subtitle.text
    empty = figures.k_curve(Path(ks=[], error=[], se=[], seconds=[]))
    assert len(empty.data) == 0


def test_the_kth_ratio_speaks_for_one_cluster_more() -> None:
    figure = figures.singular_ratios([1.2, 1.1, 4.0, 1.0, np.inf])
    (bars,) = figure.data
    assert list(bars.x) == [2, 3, 4, 5, 6]
    assert list(bars.y[:4]) == [1.2, 1.1, 4.0, 1.0]
    assert figure.layout.title.text == "The largest ratio is that for K = 4"
    assert [colour != bars.marker.color[0] for colour in bars.marker.color] == [
        False, False, True, False, False,
    ]  # fmt: skip


def test_no_singular_values() -> None:
    assert "Too few tasks" in figures.singular_ratios([]).layout.title.text
