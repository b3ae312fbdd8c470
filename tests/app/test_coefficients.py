"""Coefficients: the matrices drawn are the model's and the truth's."""

from dataclasses import replace

import numpy as np
import pytest

from stcmtl import metrics
from stcmtl.progress import drain
from stcmtl.studio.work import fits
from tests.app.states import (
    CLASSIFIED,
    FITTED,
    THREE,
    Visit,
    data_of,
    fit_of,
    numbers,
    sentences,
    trace,
)


def matrix(found: dict) -> np.ndarray:
    z = found["z"]
    shape = tuple(map(int, z["shape"].split(","))) if isinstance(z, dict) else np.shape(z)
    return numbers(z).reshape(shape)


def matrices(figure: dict) -> list[str]:
    return [t["name"] for t in figure["data"] if t["type"] == "heatmap"]


def test_true_and_estimated_share_order_and_scale() -> None:
    app = Visit("coefficients", FITTED)
    model, truth = fit_of(FITTED).model, data_of(FITTED).truth
    (figure,) = app.figures
    names, features = list(model.task_names_), list(data_of(FITTED).train.feature_names)
    for name, W in (("Estimated", model.coef_.T), ("True", truth.W)):
        drawn = trace(figure, name)
        rows = [features.index(f) for f in drawn["y"]]
        columns = [names.index(t) for t in drawn["x"]]
        np.testing.assert_allclose(matrix(drawn), W[np.ix_(rows, columns)])
        assert drawn["coloraxis"] == "coloraxis"
    used = int(model.cluster_coef_.any(axis=0).sum())
    assert app.headline.startswith(f"{used} of 30 features are used by the clusters")
    assert f"MCC **{metrics.mcc(truth.W, model.coef_.T):.3g}**" in sentences(app.markdown)


def test_without_the_truth_there_is_no_difference_to_show() -> None:
    app = Visit("coefficients", CLASSIFIED)
    assert app.button_group[0].options == ["Values", "Zeros", "Clusters"]
    (figure,) = app.figures
    assert matrices(figure) == ["Estimated"]
    assert "MCC" not in sentences(app.markdown)


def test_picked_tasks_are_framed_in_both_matrices() -> None:
    app = Visit("coefficients", FITTED)
    app.session.picked = frozenset({4})
    (figure,) = app.run().figures
    place = trace(figure, "True")["x"].index(str(fit_of(FITTED).model.task_names_[4]))
    frames = figure["layout"]["shapes"]
    assert {(s["xref"], s["x0"], s["x1"]) for s in frames} == {
        ("x", place - 0.5, place + 0.5),
        ("x2", place - 0.5, place + 0.5),
    }
    assert app.button(key="page.clear").label == "Clear 1 picked"
    app.button(key="page.clear").click().run()
    assert "shapes" not in app.figures[0]["layout"]


@pytest.mark.parametrize(
    ("view", "drawn"),
    [
        ("Values", ["True", "Estimated"]),
        ("Zeros", ["found", "missed", "extra", "zero"]),
        ("Difference", ["Error"]),
    ],
)
def test_every_view_draws_its_own_and_a_column_carries_its_task(
    view: str, drawn: list[str]
) -> None:
    app = Visit("coefficients", FITTED)
    app.button_group[0].set_value(view).run()
    (figure,) = app.figures
    assert matrices(figure) == drawn
    names = [str(name) for name in fit_of(FITTED).model.task_names_]
    clicked = [t for t in figure["data"] if t["name"] == "clicked"]
    assert len(clicked) == (2 if view == "Values" else 1)
    for points in clicked:
        assert [names[i] for i in points["customdata"]] == list(figure["data"][0]["x"])
    assert "picks its task" in sentences(app.caption)


def test_a_column_of_a_cluster_carries_the_tasks_of_it() -> None:
    app = Visit("coefficients", FITTED)
    app.button_group[0].set_value("Clusters").run()
    (figure,) = app.figures
    assert matrices(figure) == ["Clusters"]
    labels = fit_of(FITTED).model.labels_
    carried = trace(figure, "clicked")["customdata"]
    assert [{int(labels[i]) for i in tasks} for tasks in carried] == [{0}, {1}, {2}]
    assert sorted(i for tasks in carried for i in tasks) == list(range(18))
    app.session.picked = frozenset({4})
    app.run()
    assert "tasks of that cluster" in sentences(app.caption)


def test_the_table_is_searched_by_part_of_a_name() -> None:
    app = Visit("coefficients", FITTED)
    everything = app.dataframe[0].value
    app.text_input(key="coefficients.search").input("X1").run()
    found = app.dataframe[0].value
    assert list(found["feature"]) == [f for f in everything["feature"] if "x1" in f]
    app.text_input(key="coefficients.search").input("(").run()
    assert "No selected feature" in app.caption[-1].value


def test_features_in_different_units_are_shown_times_their_spread_or_per_unit() -> None:
    plain = data_of(CLASSIFIED)
    units = np.where(np.arange(30) % 2, 1e3, 1.0)
    train, test = (replace(part, X=part.X * units) for part in (plain.train, plain.test))
    data = replace(plain, key="in units", train=train, test=test)
    app = Visit("coefficients", CLASSIFIED).show(drain(fits.fit_steps(data, THREE)))
    model = app.session.fitted.model
    names, features = list(model.task_names_), list(train.feature_names)
    for scale in (model.feature_scale_, np.ones(30)):
        drawn = trace(app.figures[0], "Estimated")
        rows, columns = ([own.index(name) for name in drawn[axis]] for own, axis in
                         ((features, "y"), (names, "x")))  # fmt: skip
        W = (model.coef_ * scale).T
        np.testing.assert_allclose(matrix(drawn), W[np.ix_(rows, columns)])
        table = app.dataframe[-1].value
        strongest = np.abs(model.cluster_coef_ * scale).max(axis=0).argmax()
        assert table["feature"].iloc[0] == features[strongest]
        app.toggle(key="coefficients.per_unit").set_value(True).run()
    app.go("fit")
    assert "Features were put on one scale: their spreads differ 1," in sentences(app.markdown)


def test_simulated_features_have_no_units_to_switch() -> None:
    app = Visit("coefficients", FITTED)
    assert "coefficients.per_unit" not in [toggle.key for toggle in app.toggle]
