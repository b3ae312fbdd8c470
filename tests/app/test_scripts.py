"""Python for this view: run elsewhere, a script draws the figure that is on the page."""

import json
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from stcmtl.paper import experiments
from stcmtl.paper.experiments import CURVE, OBJECTIVE, PATTERNS, Patterns
from stcmtl.progress import drain
from stcmtl.solver.records import KSelection
from stcmtl.studio.state import saved
from stcmtl.studio.state.session import KEY
from stcmtl.studio.widgets import replay
from stcmtl.studio.widgets.paper import Picture
from stcmtl.studio.work import fits, trust
from stcmtl.studio.work.fits import Curve
from tests.app.states import DATA, FITTED, THREE, Visit, data_of, fit_of


def run_scripts(codes: Sequence[Any], monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the scripts of a page draw."""
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    drawn = []
    for code in codes:
        names: dict[str, Any] = {}
        exec(code.value, names)
        drawn.append(json.loads(names["figure"].to_json()))
    return drawn


def assert_same(
    app: Visit, monkeypatch: pytest.MonkeyPatch, n_figures: int, apart: Sequence[str] = ()
) -> None:
    """One script per figure, and all that it draws is there; clicks need more on a page.

    ``apart`` is what tells of time or serves clicks, which no script makes again.
    """
    codes = [code for code in app.code if "replay(" not in code.value]  # which is no chart
    drawn, shown = run_scripts(codes, monkeypatch), app.figures
    assert len(drawn) == len(shown) == n_figures
    for script, page in zip(drawn, shown, strict=True):
        assert page["layout"]["title"] == script["layout"]["title"]
        for own, made in zip(page["data"], script["data"], strict=False):
            assert {k: v for k, v in own.items() if k not in apart} == {
                k: v for k, v in made.items() if k not in apart
            }
        assert len(page["data"]) >= len(script["data"])


@pytest.mark.parametrize(
    ("page", "n_figures"),
    [("memberships", 2), ("similarity", 3), ("outliers", 1), ("data", 2)],
)
def test_pages_of_a_fit(page: str, n_figures: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(Visit(page, FITTED), monkeypatch, n_figures)


def test_the_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(Visit("convergence", FITTED), monkeypatch, 1, apart=["customdata"])


@pytest.mark.parametrize("view", ["Values", "Zeros", "Difference", "Clusters"])
def test_every_view_of_the_coefficients(view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Visit("coefficients", FITTED)
    app.button_group[0].set_value(view).run()
    assert_same(app, monkeypatch, 1)


@pytest.mark.parametrize(
    ("settings", "n_figures"),
    [
        ({}, 4),
        ({"shape": "span", "k": 2}, 4),
        ({"k": 1}, 4),
        ({"k": 1, "own": "deviation"}, 4),
        ({"k": 0}, 3),
    ],
    ids=str,
)
def test_small_views_of_the_overview(
    settings: dict[str, Any], n_figures: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Visit("overview", DATA).show(fit_of(DATA, **settings))
    assert_same(app, monkeypatch, n_figures)


@pytest.mark.parametrize("way", ["Simulate a task", "Unlike all clusters", "Try test rows"])
def test_new_tasks(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Visit("new_tasks", FITTED)
    if way == "Try test rows":
        app.get("button_group")[0].set_value(way).run()
    elif way == "Unlike all clusters":
        app.toggle(key="new.stranger").set_value(True).run()
    assert_same(app, monkeypatch, 1)


@pytest.mark.parametrize("scene", range(1, 7))
def test_every_scene_of_learn(scene: int, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Visit("learn", scene=str(scene))
    n_figures, clicks = 1, ["unselected"]
    if scene == 2:  # a click places a task: on the page, marks leave it to the triangle
        n_figures, clicks = 2, ["unselected", "hoverinfo", "hovertemplate"]
    assert_same(app, monkeypatch, n_figures, apart=clicks)
    for toggle in app.toggle:
        toggle.set_value(True).run()
        assert_same(app, monkeypatch, n_figures, apart=clicks)


ONES = np.ones(3)


@pytest.mark.parametrize(
    ("figure", "data"),
    [
        (CURVE, KSelection(np.arange(1, 4), ONES, ONES, ONES, ONES, ONES, "RMSE")),
        (PATTERNS, Patterns(np.eye(4), {"STCMTL": np.eye(4) * 2, "VSTG-MTL": np.ones((4, 4))})),
        (OBJECTIVE, None),
    ],
)
def test_figures_of_the_paper(figure: str, data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """From what a script asks for; computing it takes minutes."""
    data = fit_of(FITTED).model.history_ if data is None else data
    asked = []
    monkeypatch.setattr(experiments, "picture_steps", lambda *given: asked.append(given))
    monkeypatch.setattr("stcmtl.progress.drain", lambda steps: data)
    app = Visit("paper")
    setting = app.selectbox(key="paper.setting").value
    app.session_state["paper.figure.True"] = figure
    app.session.paper_picture = Picture(figure, setting, data)
    app.run()
    (drawn,) = run_scripts([c for c in app.code if c.language == "python"], monkeypatch)
    assert asked == [(figure, setting, 0)]
    assert app.figures[-1]["layout"]["title"] == drawn["layout"]["title"]
    assert app.figures[-1]["data"] == drawn["data"]


def test_the_card_of_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Visit("memberships", FITTED)
    app.session.picked = frozenset({3})
    app.run()
    app.button(key="page.card").click().run()
    titles = [figure["layout"]["title"] for figure in app.figures]
    for name in ("share_intervals", "task_rows_fit"):
        (drawn,) = run_scripts([c for c in app.code if name in c.value], monkeypatch)
        assert app.figures[titles.index(drawn["layout"]["title"])]["data"] == drawn["data"]


def test_the_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Visit("convergence", FITTED)
    (made,) = run_scripts([c for c in app.code if "replay(" in c.value], monkeypatch)
    assert made["frames"] == json.loads(replay.draw(fit_of(FITTED)).to_json())["frames"]


@pytest.mark.parametrize(
    "settings",
    [
        {"shape": "span", "k": 2},
        {"shape": "cone", "own": "deviation", "k": 4},
        {"method": "paper", "theta": 0.6},
        {"k": 0},
    ],
    ids=str,
)
def test_other_settings_of_the_fit(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = fit_of(DATA, **settings)
    app = Visit("memberships", DATA).show(result)
    n_figures = len(app.figures)
    assert_same(app, monkeypatch, n_figures)
    assert_same(app.go("coefficients"), monkeypatch, 1)


def test_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Visit("trust", FITTED)
    app.session.trust = drain(trust.trust_steps(fit_of(FITTED), 10, 0.8))
    app.run()
    assert_same(app, monkeypatch, 4)
    app.show(fit_of(FITTED, k=2))  # and those of an earlier fit
    assert_same(app, monkeypatch, 4)


@pytest.mark.parametrize("page", ["overview", "memberships", "similarity", "outliers"])
def test_scripts_are_of_the_fit_in_hand_though_another_one_drew_the_same(page: str) -> None:
    earlier = fit_of(FITTED)
    app = Visit("home", FITTED)
    app.session.trust = drain(trust.trust_steps(earlier, 10, 0.8))
    robust = replace(fit_of(FITTED, method="robust"), model=deepcopy(earlier.model))
    robust.model.set_params(robust=True)
    app.show(robust).go(page)
    scripts = [code.value for code in app.code if "model = " in code.value]
    assert scripts
    assert all("robust=True" in script for script in scripts)


def test_the_curve_over_k(monkeypatch: pytest.MonkeyPatch) -> None:
    app, data = Visit("choose_k", FITTED), data_of(FITTED)
    app.session_state["k.look"] = "K alone"
    curve: Curve = drain(fits.curve_steps(data, THREE.with_values(k=1)))
    app.session.curve = curve
    app.run()
    assert_same(app, monkeypatch, 2, apart=["hovertext", "hovertemplate"])


def test_two_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Visit("compare", FITTED)
    app.session.kept_fit = fit_of(FITTED, k=2)
    app.session_state["compare.look"] = "Two fits"
    app.run()
    assert_same(app, monkeypatch, 1)


@pytest.mark.parametrize("kind", ["simulated", "upload"])
def test_methods(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patient: None) -> None:
    if kind == "upload":
        make_stores().to_csv(tmp_path / "stores.csv", index=False)
        monkeypatch.chdir(tmp_path)
        app = Visit("data", DATA, tab="upload").upload("data.files", make_stores(), "stores.csv")
    else:
        app = Visit("compare", DATA)
    app.session_state["compare.methods"] = ["LASSO", "Pooled"]
    app.go("compare")
    app.number_input(key="compare.repetitions").set_value(2).run()
    app.button(key="compare.run").click().run()
    assert_same(app, monkeypatch, 2)


def make_stores() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    U = np.array([[2.0, 0.0, -1.5, 0.0], [0.0, 1.8, 0.0, 1.2]])
    groups = np.repeat(np.arange(12) % 2, 20)
    X = rng.normal(size=(240, 4))
    table = pd.DataFrame(X.round(3), columns=["price", "promo", "rain", "rival"])
    table.insert(0, "region", np.array(["north", "south"])[groups])
    table.insert(0, "store", np.repeat([f"s{i:02d}" for i in range(12)], 20))
    y = (X * U[groups]).sum(axis=1) + rng.normal(size=240) / 2
    return table.assign(sales=y.round(3))


def test_an_upload_coloured_by_a_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patient: None
) -> None:
    table = make_stores()
    table.to_csv(tmp_path / "stores.csv", index=False)
    monkeypatch.chdir(tmp_path)
    app = Visit("data", DATA, tab="upload").upload("data.files", table, "stores.csv")
    app.session.set_fit(k=2)
    app.session.run_fit()
    app.go("memberships")
    app.selectbox[0].set_value("region").run()
    assert "read(" in app.code[0].value
    assert 'train.task_columns["region"]' in app.code[0].value
    assert_same(app, monkeypatch, 2)
    kept = saved.pack_session(app.session)
    (tmp_path / "kept.zip").write_bytes(kept)
    app.session_state[KEY] = saved.unpack_session("kept.zip", kept)
    app.run()
    assert 'load_tasks("kept.zip")' in app.code[0].value
    assert_same(app, monkeypatch, 2)
