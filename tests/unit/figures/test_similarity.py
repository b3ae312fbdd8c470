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
    assert found[1::2] == [(-0.5, 1.5, -0.5, 1.5, CLUSTERS[0]), (2.5, 4.5, 2.5, 4.5, CLUSTERS[1])]
    assert [one[:4] for one in found[::2]] == [one[:4] for one in found[1::2]]  # each on a rim
    assert {one[4] for one in found[::2]} == {"#ffffff"}


def test_clusters_are_numbered_above_their_tasks() -> None:
    numbers = [(note.text, note.x) for note in drawn().layout.annotations]
    assert numbers == [("1", 1.0), ("2", 3.5), ("out", 5.0)]


def test_an_outliers_likeness_to_itself_does_not_pale_the_others() -> None:
    figure = drawn()
    assert S.max() == 100
    assert 2.4 <= figure.data[0].zmax <= 4
    assert "and more" in figures.describe(figure)


def test_title_says_how_alike_pure_tasks_are() -> None:
    noisy = S + 0.5
    # within: b-e 4.5, a-c 1.5, on average 3; across: 0.5
    title = figures.similarity(noisy, V, heading="Before the fit").layout.title.text
    assert title == "Before the fit: 3 within, 0.5 across"


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        (np.ones((1, 3)), "1.00 within"),
        (np.eye(3), "0.00 across"),
        (np.full((2, 3), 0.5), "no pairs of pure tasks"),
        (np.zeros((0, 3)), "no clusters, no blocks"),
    ],
)
def test_nothing_is_said_of_pairs_that_are_not_there(tasks: np.ndarray, said: str) -> None:
    S = np.ones((3, 3)) if len(tasks) == 1 else np.eye(3)
    assert figures.similarity(S, tasks).layout.title.text == f"Similarity: {said}"


def test_figures_can_share_their_colours() -> None:
    assert figures.similarity(S, V, top=7.0).data[0].zmax == 7.0


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
