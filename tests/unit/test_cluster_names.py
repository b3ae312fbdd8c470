"""A name given to a cluster travels: to tables, figures, the report and the model file."""

import io
from copy import copy
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLRegressor, figures, load
from stcmtl.errors import InputError
from stcmtl.evaluation import summary, tables
from stcmtl.report import report_html
from stcmtl.solver.alignment import match_patterns
from tests.unit.small import fit, small

NAMES = ["North <b>", "coast & hills", "cluster 3"]


def named(names: list[str] = NAMES) -> Any:
    return copy(fit(STCMTLRegressor, small(STCMTLRegressor))).name_clusters(names)


def test_names_are_numbers_until_somebody_gives_any() -> None:
    model = fit(STCMTLRegressor, small(STCMTLRegressor))
    assert tables.cluster_names(model) == ["cluster 1", "cluster 2", "cluster 3"]
    assert tables.cluster_keys(model).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a", "b"], "cluster_names has 2 names for 3 clusters: give each cluster one."),
        (["a", " ", "b"], "The name of cluster 2 is empty or no text: give it a few letters."),
        (["a", "b", 3], "The name of cluster 3 is empty or no text: give it a few letters."),
        (["a" * 31, "b", "c"], "The name of cluster 1 has 31 letters: at most 30 find room."),
        (["North", "b", "north"], "The name of cluster 3 is 'north', which another one has too: "),
        (["Task", "b", "c"], "The name of cluster 1 is 'Task', as another column of the tables"),
        (["s.e. 1", "b", "c"], "The name of cluster 1 is 's.e. 1', as another column"),
        (["a\x00b", "b", "c"], "The name of cluster 1 has signs that cannot be shown"),
    ],
)
def test_a_bad_name_is_refused_in_a_sentence_and_changes_nothing(
    names: list[Any], sentence: str
) -> None:
    model = named()
    with pytest.raises(InputError) as caught:
        model.name_clusters(names)
    assert str(caught.value).startswith(sentence)
    assert tables.cluster_names(model) == NAMES


def test_every_table_has_the_names() -> None:
    model = named()
    for found in (tables.memberships_table(model), tables.selected_features_table(model)):
        assert set(NAMES) <= set(found.columns)
    assert {f"s.e. {name}" for name in NAMES} <= set(tables.selected_features_table(model).columns)
    for found in (
        tables.cluster_coefficients_table(model),
        tables.cluster_standard_errors_table(model),
        tables.clusters_table(model),
    ):
        assert found["cluster"].tolist() == NAMES
    main = tables.tasks_table(model)["cluster"]
    assert main.tolist() == [NAMES[k] for k in model.labels_]


def test_a_task_in_no_cluster_has_none() -> None:
    model = named()
    model.labels_ = np.where(np.arange(len(model.labels_)) == 0, -1, model.labels_)
    assert tables.main_clusters(model)[0] == "none"


def test_the_model_file_keeps_names_and_a_file_without_any_has_numbers() -> None:
    model, stream = named(), io.BytesIO()
    model.save(stream)
    assert load(io.BytesIO(stream.getvalue())).cluster_names_.tolist() == NAMES
    del model.cluster_names_  # as of an earlier release
    stream = io.BytesIO()
    model.save(stream)
    again = load(io.BytesIO(stream.getvalue()))
    assert again.cluster_names_.tolist() == ["cluster 1", "cluster 2", "cluster 3"]


def test_a_file_with_names_that_are_none_is_refused() -> None:
    model, stream = named(), io.BytesIO()
    model.cluster_names_ = np.array(["a", "b", 3], dtype=object)
    model.save(stream)
    with pytest.raises(InputError, match="name of cluster 3"):
        load(io.BytesIO(stream.getvalue()))


def test_a_fit_forgets_the_names_of_the_last() -> None:
    model, rows = named(), small(STCMTLRegressor)
    model.fit(rows.X, rows.y, rows.tasks)
    assert tables.cluster_names(model)[0] == "cluster 1"


def drawn(figure: Any) -> str:
    return str(figure.to_json())


def test_figures_write_names_as_text() -> None:
    model = named()
    V, names = model.memberships_.T, tables.cluster_names(model)
    for figure in (
        figures.memberships(V, cluster_names=names),
        figures.membership_bars(V, cluster_names=names),
        figures.loading_bars(V, cluster_names=names),
        figures.own_shares(model.own_share_, V, cluster_names=names),
        figures.cluster_coefficients(model.cluster_coef_.T, cluster_names=names),
        figures.similarity(model.similarity_, V, cluster_names=names),
        figures.purity(model.purity_, V, cluster_names=names),
        figures.outliers(model.distances_, V, cluster_names=names),
        figures.replay(model.history_, cluster_names=names),
    ):
        text = drawn(figure)
        assert r"North \u003cb\u003e" not in text
        assert "North &lt;b&gt;" in text or r"North \u0026lt;b\u0026gt;" in text
        assert "cluster 1" not in text


def test_a_name_above_bars_is_cut_to_its_room() -> None:
    V = np.repeat(np.eye(2), [3, 17], axis=1)
    figure = figures.membership_bars(V, cluster_names=["a rather long name", "short"])
    assert [note.text for note in figure.layout.annotations] == ["a r…", "short"]
    V = np.repeat(np.eye(2), [1, 19], axis=1)
    figure = figures.membership_bars(V, cluster_names=["a rather long name", "short"])
    assert [note.text for note in figure.layout.annotations] == ["1", "short"]


def test_the_report_and_its_doubts_have_the_names() -> None:
    html = report_html(named(), small(STCMTLRegressor))
    assert "North &lt;b&gt;" in html
    assert "coast &amp; hills" in html
    V = np.eye(3)[[0, 0, 0, 1, 1, 1, 1]]
    said = summary.doubts(V, np.ones(7, bool), names=["a", "b", "c"])
    assert said == ["c is the main cluster of no task: try a smaller K."]


def test_clusters_of_another_fit_are_found_again() -> None:
    rng = np.random.default_rng(0)
    U, V = rng.normal(size=(3, 40)), np.eye(3)[rng.integers(0, 3, 20)].T
    order = [2, 0, 1]
    noisy = U[order] + 0.2 * rng.normal(size=(3, 40))
    assert match_patterns(noisy, V[order], U, V) == {0: 2, 1: 0, 2: 1}
    extra = np.vstack([noisy, rng.normal(size=(1, 40))])  # a cluster that was not there
    assert match_patterns(extra, np.vstack([V[order], np.zeros(20)]), U, V) == {0: 2, 1: 0, 2: 1}
    assert match_patterns(U[:1], V[:1], U, V) == {0: 0}  # fewer clusters than before
