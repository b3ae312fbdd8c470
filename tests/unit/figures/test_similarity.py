"""The similarity heatmap."""

import numpy as np
import plotly.graph_objects as go
import pytest

from stcmtl import figures
from stcmtl.figures.pieces.style import CLUSTERS
from stcmtl.figures.plots.similarity import MAX_TASKS

# tasks a and c are pure in cluster 2, b and e in cluster 1, d is mixed, f an outlier
V = np.array([[0, 1, 0, 0.6, 1, 0], [1, 0, 1, 0.4, 0, 0]], dtype=float)
U = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
W = U @ V
W[2, 5] = 10.0
S = W.T @ W
ORDER = [1, 4, 3, 0, 2, 5]


def drawn(**options: object) -> go.Figure:
    return figures.similarity(S, V, task_names="abcdef", **options)


def test_tasks_are_in_the_order_of_clusters_on_both_axes() -> None:
    cells = drawn().data[0]
    np.testing.assert_array_equal(cells.z, S[np.ix_(ORDER, ORDER)].astype(np.float32))
    expected = [
        "b, cluster 1", "e, cluster 1", "d, cluster 1",
        "a, cluster 2", "c, cluster 2", "f, in no cluster",
    ]  # fmt: skip
    assert list(cells.x) == list(cells.y) == expected


def test_blocks_of_pure_tasks_are_outlined_in_their_colours() -> None:
    outlines = [s for s in drawn().layout.shapes if s.line.width]
    found = [(s.x0, s.x1, s.y0, s.y1, s.line.color) for s in outlines]
    assert found == [(-0.5, 1.5, -0.5, 1.5, CLUSTERS[0]), (2.5, 4.5, 2.5, 4.5, CLUSTERS[1])]


def test_clusters_are_numbered_above_their_tasks() -> None:
    numbers = [(note.text, note.x) for note in drawn().layout.annotations]
    assert numbers == [("1", 1.0), ("2", 3.5), ("out", 5.0)]


def test_an_outliers_likeness_to_itself_does_not_pale_the_others() -> None:
    figure = drawn()
    assert S.max() == 100
    assert 2.4 <= figure.data[0].zmax <= 4
    assert "and more" in figures.describe(figure)


def test_title_counts_blocks_and_measures_their_contrast() -> None:
    noisy = S + 0.5
    figure = figures.similarity(noisy, V)
    # within: b-e 4.5, a-c 1.5, on average 3; between: 0.5
    assert figure.layout.title.text == "2 clear blocks"
    assert "6 × as alike within clusters" in figures.describe(figure)
    assert figures.similarity(np.ones((6, 6)), V).layout.title.text == "2 faint blocks"


def test_nothing_in_common_and_one_cluster_have_their_own_words() -> None:
    assert "nothing in common" in figures.describe(drawn())
    one = figures.similarity(np.ones((3, 3)), np.ones((1, 3)))
    assert one.layout.title.text == "One block: no clusters to compare"


def test_clusters_of_one_pure_task_have_no_inside_to_compare() -> None:
    assert figures.similarity(np.eye(3), np.eye(3)).layout.title.text == "3 blocks of a single task"


def test_many_tasks_are_thinned_out_and_it_says_so() -> None:
    many = np.eye(2)[:, np.arange(1500) % 2]
    figure = figures.similarity(many.T @ many, many)
    assert figure.data[0].z.shape == (MAX_TASKS, MAX_TASKS)
    assert figure.data[0].z[:200, :200].min() == 1
    assert "400 of 1,500 tasks" in figures.describe(figure)
    assert len(figure.to_json()) < 2e6


def test_a_matrix_that_is_not_square_is_refused() -> None:
    with pytest.raises(ValueError, match=r"S has shape \(2, 3\)"):
        figures.similarity(np.ones((2, 3)), V)
