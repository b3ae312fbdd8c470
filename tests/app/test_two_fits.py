"""Two fits: one is kept, the other in hand, and Compare shows what moved."""

from dataclasses import replace

import numpy as np
import pytest

from stcmtl.evaluation.two_fits import compare_fits
from tests.app.states import FITTED, Visit, fit_of, numbers, sentences, trace


def two_fits(app: Visit) -> Visit:
    app.go("compare")
    app.button_group[0].set_value("Two fits").run()
    return app


def test_keep_fit_again_and_compare() -> None:
    app = Visit("fit", FITTED)
    app.button(key="fit.keep").click().run()
    two_fits(app)
    assert "Fit with other settings" in sentences(app.markdown)
    other = fit_of(FITTED, k=4)
    app.show(other)
    moves = compare_fits(fit_of(FITTED).model, other.model)
    (figure,) = app.figures
    now, before = trace(figure, "tasks"), trace(figure, "before")
    assert sorted(numbers(now["customdata"])) == list(range(18))
    xs, ys = (numbers(now[a]) - numbers(before[a]) for a in "xy")
    apart = np.hypot(xs, ys)
    moved = moves.table["moved"].to_numpy()[numbers(now["customdata"])]
    np.testing.assert_array_equal(apart > 1e-9, moved > 1e-9)
    table = app.dataframe[0].value
    assert sorted(table["task"]) == sorted(other.model.task_names_)
    assert list(table["moved"]) == sorted(table["moved"], reverse=True)
    assert [m.label for m in app.metric] == ["Test RMSE, kept", "Test RMSE, in hand"]
    assert app.metric[1].value == f"{other.error:.3g}"
    app.button(key="two.forget").click().run()
    assert app.session.kept_fit is None


@pytest.mark.parametrize(("ratio", "arrow"), [(1.1, "+10.0%"), (1.0, ""), (1.0004, "")])
def test_an_arrow_stands_where_the_errors_differ(ratio: float, arrow: str) -> None:
    app = two_fits(Visit("compare", FITTED))
    app.button(key="two.keep").click().run()
    other = fit_of(FITTED, k=4)
    app.show(replace(other, error=ratio * fit_of(FITTED).error))
    assert app.metric[1].delta == arrow


def test_nothing_is_kept_at_first() -> None:
    app = two_fits(Visit("compare", FITTED))
    assert app.headline == "What does another fit change?"
    app.button(key="two.keep").click().run()
    assert app.session.kept_fit is app.session.fitted


def test_other_rows_of_the_same_tasks() -> None:
    app = Visit("compare", FITTED)
    app.session.kept_fit = fit_of("classified")
    two_fits(app)
    assert "cannot be compared" in sentences(app.caption)


def test_fits_of_other_kinds_can_be_compared_too() -> None:
    app = Visit("compare", FITTED)
    app.session.kept_fit = fit_of(FITTED, k=0)
    two_fits(app)
    assert "18 of 18 tasks change" in app.headline
    app.session.kept_fit = fit_of(FITTED)
    app.show(fit_of(FITTED, k=0))
    assert len(app.dataframe) == 1
