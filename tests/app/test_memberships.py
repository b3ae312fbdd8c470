"""Memberships: places, bars and table show the model's shares, and picks join them."""

import numpy as np
import pytest

from stcmtl import metrics
from tests.app.states import (
    CLASSIFIED,
    DATA,
    FITTED,
    Visit,
    fit_of,
    numbers,
    sentences,
    trace,
)


def with_clusters(k: int) -> Visit:
    return Visit("memberships", DATA).show(fit_of(DATA, k=k))


def picked_in(figure: dict, name: str) -> set[int]:
    found = trace(figure, name)
    bright = numbers(found["marker"]["opacity"]) == 1.0
    return set(numbers(found["customdata"])[bright].tolist())


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_simplex_bars_and_table_show_the_shares(state: str) -> None:
    app, model = Visit("memberships", state), fit_of(state).model
    simplex, bars = app.figures
    assert sorted(numbers(trace(simplex, "tasks")["customdata"])) == list(range(18))
    assert any(t["name"] == "true places" for t in simplex["data"]) == (state == FITTED)
    for k in range(3):
        drawn = trace(bars, f"cluster {k + 1}")
        order = numbers(drawn["customdata"])
        np.testing.assert_allclose(numbers(drawn["y"]), model.memberships_[order, k])
    table = app.dataframe[0].value
    clusters = ["cluster 1", "cluster 2", "cluster 3"]
    assert list(table["main cluster"]) == sorted(table["main cluster"])
    by_task = table.set_index("task").loc[model.task_names_]
    np.testing.assert_allclose(by_task[clusters], model.memberships_)
    assert (table["kind"] == "pure").sum() == model.pure_.sum()
    data, error = fit_of(state).data, metrics.rmse if state == FITTED else metrics.error_rate
    for name, rows in (("error", data.train), ("test error", data.test)):
        predicted = model.predict(rows.X, rows.tasks)
        own = rows.tasks == "task03"
        assert by_task.loc["task03", name] == pytest.approx(error(rows.y[own], predicted[own]))
    assert app.headline.startswith(f"3 clusters, {model.pure_.sum()} pure tasks")


@pytest.mark.parametrize("k", [2, 4, 5, 9])
def test_any_number_of_clusters_beyond_one_has_a_picture(k: int) -> None:
    app = with_clusters(k)
    simplex, bars = app.figures
    assert trace(simplex, "tasks")["type"] == "scatter"
    assert len(bars["data"]) == k
    assert len(app.multiselect) == (k > 3)


def test_three_clusters_alone_make_a_triangle() -> None:
    app = with_clusters(5)
    app.multiselect[0].set_value([0, 1]).run()
    assert any("Choose three" in caption.value for caption in app.caption)
    app.multiselect[0].set_value([0, 1, 3]).run()
    corners = [a["text"].split("<")[0] for a in app.figures[0]["layout"]["annotations"]]
    assert corners == ["Cluster 1", "Cluster 2", "Cluster 4"]


def test_picks_are_bright_everywhere_and_cleared_at_once() -> None:
    app = Visit("memberships", FITTED)
    app.session.picked = frozenset({2, 5})
    simplex, bars = app.run().figures
    assert picked_in(simplex, "tasks") == picked_in(simplex, "true places") == {2, 5}
    assert picked_in(bars, "cluster 1") == {2, 5}
    assert "task03 and task06" in sentences(app.markdown)
    app.go("outliers")
    assert picked_in(app.figures[0], "distance") == {2, 5}
    app.button(key="page.clear").click().run()
    assert app.session.picked == frozenset()
    assert "page.clear" not in [b.key for b in app.button]


def test_picked_points_of_the_tetrahedron_keep_their_colour() -> None:
    app = with_clusters(4)
    app.button_group[0].set_value("Solid")
    app.session.picked = frozenset({0})
    simplex = app.run().figures[0]
    found = trace(simplex, "tasks")
    bright = [c for c in found["marker"]["color"] if c.startswith("#")]
    assert len(bright) == 1


def test_four_clusters_lie_flat_unless_a_solid_is_asked_for() -> None:
    app = with_clusters(4)
    found = trace(app.figures[0], "tasks")
    assert found["type"] == "scatter"
    assert sorted(numbers(found["customdata"])) == list(range(18))
    assert "choose Flat" not in sentences(app.caption)
    app.button_group[0].set_value("Solid").run()
    assert trace(app.figures[0], "tasks")["type"] == "scatter3d"
    assert "choose Flat" in sentences(app.caption)
