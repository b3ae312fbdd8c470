"""Small views: which features of clusters are shown, errors side by side, figures without words."""

import numpy as np

from stcmtl import figures
from stcmtl.figures.plots.overview import strongest_in_turn


def test_every_cluster_brings_its_largest_features_in_turn() -> None:
    U = np.zeros((6, 2))
    U[:4, 0] = [9.0, 8.0, 7.0, 6.0]
    U[4, 1] = -1.0
    assert strongest_in_turn(U, 2).tolist() == [0, 4]
    assert sorted(strongest_in_turn(U, 3).tolist()) == [0, 1, 4]
    assert len(strongest_in_turn(U, 9)) == 5  # a feature of none is not shown
    assert strongest_in_turn(np.zeros((3, 2)), 2).size == 0


def test_patterns_are_drawn_on_the_scale_given() -> None:
    U = np.array([[1.0, 0.0], [0.0, 2.0]])
    figure = figures.cluster_patterns(
        U, feature_names=["a", "b"], cluster_names=["north", "cluster 2"], feature_scale=[10.0, 1.0]
    )
    (cells,) = figure.data
    assert list(cells.x) == ["north", "cluster 2"]
    assert dict(zip(cells.y, cells.z.tolist(), strict=True)) == {"a": [10.0, 0.0], "b": [0.0, 2.0]}
    assert "2 of 2 features in use" in figures.describe(figure)


def test_a_feature_that_may_be_chance_is_left_out_where_its_cluster_has_others() -> None:
    U, se = np.array([[1.0, 0.0], [0.1, 0.0], [0.0, 2.0]]), np.full((3, 2), 0.1)
    figure = figures.cluster_patterns(U, se=se)
    assert "Left out: features that may be chance." in figures.describe(figure)
    weak = np.array([[1.0, 0.0], [0.1, 0.0], [0.0, 0.2]])
    (cells,) = figures.cluster_patterns(weak, feature_names=["a", "b", "c"], se=se).data
    assert sorted(cells.y) == ["a", "c"]
    (cells,) = figures.cluster_patterns(U, feature_names=["a", "b", "c"], se=se).data
    assert sorted(cells.y) == ["a", "c"]
    (cells,) = figures.cluster_patterns(U, feature_names=["a", "b", "c"], se=100 * se).data
    assert sorted(cells.y) == ["a", "b", "c"]
    (cells,) = figures.cluster_patterns(U, feature_names=["a", "b", "c"], se=np.nan * se).data
    assert sorted(cells.y) == ["a", "b", "c"]


def test_without_a_feature_in_use_the_patterns_are_words() -> None:
    assert not figures.cluster_patterns(np.zeros((3, 2))).data


def test_errors_say_which_is_lowest() -> None:
    figure = figures.fit_errors({"clusters": 0.5, "separate fits": 0.25}, unit="error rate")
    assert list(figure.data[0].text) == ["50.0%", "25.0%"]
    assert figure.layout.title.text == "Lowest error rate: separate fits"


def test_a_small_view_keeps_its_description_and_loses_its_words() -> None:
    figure = figures.membership_bars(np.eye(3))
    said = figures.describe(figure)
    figures.shrink(figure, 200)
    assert figure.layout.title.text is None
    assert figure.layout.height == 200
    assert figure.layout.margin.t == 34  # the room that the numbers of clusters take
    assert figures.describe(figure) == said


def test_rows_of_a_task_and_shares_with_their_ends() -> None:
    figure = figures.task_rows_fit([1.0, 3.0], [1.0, 1.0], [False, True])
    assert figure.layout.title.text == "Predictions miss by 2 (RMSE)"  # of the row not seen
    labels = figures.task_rows_fit([0, 1, 1], [0.2, 0.9, 0.4], [False] * 3, labels=["no", "yes"])
    assert labels.layout.title.text == "2 of 3 rows on the right side"
    bars = figures.share_intervals([0.7, 0.3], [0.5, 0.1], [0.9, 0.5]).data[0]
    np.testing.assert_allclose(bars.error_x.array, [0.2, 0.2])
    np.testing.assert_allclose(bars.error_x.arrayminus, [0.2, 0.2])
