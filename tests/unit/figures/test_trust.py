"""Figures of resamples: they draw what the resamples say, in the order of the similarity."""

import numpy as np
import pytest

from stcmtl import figures

V = np.array([[1.0, 0.7, 0.0, 0.2, 0.0], [0.0, 0.3, 1.0, 0.8, 0.0]])
KEPT, PURE = np.array([1.0, 0.6, 0.95, 0.9, 0.0]), np.array([0.9, 0.1, 1.0, 0.3, 0.0])
LOW, HIGH = np.clip(V - 0.25, 0, 1), np.clip(V + 0.15, 0, 1)
LOW[:, 4] = HIGH[:, 4] = 0.0
ORDER = [0, 1, 2, 3]  # by cluster, pure first


def test_kept_clusters_are_bars_and_pure_shares_diamonds() -> None:
    figure = figures.kept_clusters(KEPT, PURE, V)
    bars, diamonds = figure.data
    assert list(bars.customdata) == list(diamonds.customdata) == ORDER  # no outlier
    np.testing.assert_array_equal(bars.y, KEPT[ORDER])
    np.testing.assert_array_equal(diamonds.y, PURE[ORDER])
    assert "3 of 4 tasks: in at least 90% of resamples." in figures.describe(figure)


def test_the_largest_share_stands_at_the_bottom_with_its_interval() -> None:
    figure = figures.membership_intervals(V, LOW, HIGH, level=0.8)
    main, second = figure.data
    tasks = np.array(main.customdata)
    share = V.max(axis=0)[tasks]
    np.testing.assert_allclose(main.y, share)
    np.testing.assert_allclose(main.y - main.error_y.arrayminus, LOW.max(axis=0)[tasks])
    np.testing.assert_allclose(main.y + main.error_y.array, HIGH.max(axis=0)[tasks])
    np.testing.assert_allclose(second.y, V.min(axis=0)[tasks])
    assert second.error_y.visible is False
    assert figure.layout.title.text == "Given K = 2, 3 of 4 main clusters stay put"
    colours = figures.cluster_colours(2)
    assert [main.marker.color[i] for i in (0, 2)] == colours  # tasks 1 and 3


def test_pairs_are_drawn_in_the_order_of_the_similarity() -> None:
    purity = np.array([0.2, 0.4, 0.1, 0.3, 0.0])
    C = np.eye(5)
    C[0, 1] = C[1, 0] = 0.8
    C[2, 3] = C[3, 2] = 0.6
    C[1, 3] = C[3, 1] = 0.2
    figure = figures.co_clustering(C, V, purity=purity)
    same = figures.similarity(C, V, purity=purity)
    assert list(figure.data[0].x) == list(same.data[0].x)
    np.testing.assert_allclose(figure.data[0].z, same.data[0].z)
    assert figure.layout.title.text == ("Together: 70% within clusters, 5% across")


def test_chosen_features_are_marked_and_counted() -> None:
    selected = np.array([[1.0, 0.0], [0.7, 0.6], [0.0, 0.0], [0.1, 0.95]])
    U = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 3.0]])
    figure = figures.feature_choices(selected, U, feature_names=list("abcd"))
    cells, chosen = figure.data
    assert list(cells.y) == ["a", "b", "d"]  # c is never chosen
    np.testing.assert_array_equal(cells.z, selected[[0, 1, 3]])
    assert set(zip(chosen.y, chosen.x, strict=True)) == {
        ("a", "cluster 1"), ("b", "cluster 1"), ("d", "cluster 2"),
    }  # fmt: skip
    title = "2 of 3 coefficients stay chosen"
    assert figure.layout.title.text == title
    assert "in half of the resamples: 1." in figures.describe(figure)


@pytest.mark.parametrize("K", [0])
def test_without_clusters_there_are_words(K: int) -> None:
    none = np.zeros((K, 3))
    drawn = [
        figures.kept_clusters(np.zeros(3), np.zeros(3), none),
        figures.membership_intervals(none, none, none),
        figures.feature_choices(np.zeros((4, 0)), np.zeros((4, 0))),
    ]
    assert [len(figure.data) for figure in drawn] == [0, 0, 0]
