"""Tasks on the simplex."""

from functools import partial

import numpy as np
import plotly.graph_objects as go
import pytest
from numpy.typing import NDArray

from stcmtl import figures
from stcmtl.figures.pieces.simplex import corners, square
from stcmtl.figures.pieces.style import task_colours


def trace(figure: go.Figure, name: str) -> go.Scatter:
    (found,) = (t for t in figure.data if t.name == name)
    return found


def points(figure: go.Figure, name: str = "tasks") -> NDArray[np.float64]:
    found = trace(figure, name)
    axes = [found.x, found.y] if found.type == "scatter" else [found.x, found.y, found.z]
    return np.column_stack(axes).astype(float)


solid = partial(figures.memberships, flat=False)


def mixtures(K: int, T: int = 12) -> NDArray[np.float64]:
    return np.random.default_rng(K).dirichlet(np.ones(K), T).T


@pytest.mark.parametrize("K", [2, 3, 4, 5, 7])
def test_tasks_lie_at_the_mean_of_the_corners(K: int) -> None:
    V = mixtures(K)
    figure = figures.memberships(V, flat=False)
    np.testing.assert_allclose(points(figure), V.T @ corners(K))
    assert list(trace(figure, "tasks").marker.color) == task_colours(V)
    assert figure.layout.title.text == "Where tasks lie among their clusters"


def test_four_clusters_lie_flat_unless_a_solid_is_asked_for() -> None:
    V = mixtures(4)
    figure = figures.memberships(V)
    np.testing.assert_allclose(points(figure), V.T @ square())
    assert "A projection" in figures.describe(figure)
    assert "on a polygon" in figures.describe(figure)
    np.testing.assert_allclose(points(figures.memberships(mixtures(3))), mixtures(3).T @ corners(3))


@pytest.mark.parametrize("K", [1, 2, 3, 4, 6])
def test_pure_tasks_gather_at_their_corner_all_of_them_to_be_seen(K: int) -> None:
    V = np.repeat(np.eye(K), 8, axis=1)
    figure = figures.memberships(V, flat=False)
    found = points(figure)
    assert len(np.unique(found, axis=0)) == 8 * K
    np.testing.assert_allclose(found.reshape(K, 8, -1).mean(axis=1), corners(K), atol=0.05)
    labels = " ".join(note.text or "" for note in figure.layout.annotations)
    assert K == 4 or labels.count("8 pure") == K  # a solid has its labels in space


def test_a_window_that_grows_again_has_the_picture_as_large_again() -> None:
    """Where room is short plotly takes it from domains, which come back, and not from ranges."""
    figure = figures.memberships(np.eye(3))
    assert (figure.layout.xaxis.constrain, figure.layout.yaxis.constrain) == ("domain", "domain")


def test_corners_say_how_many_are_pure() -> None:
    V = np.array([[1, 1, 0, 0.5], [0, 0, 1, 0.5], [0, 0, 0, 0]])
    notes = [note.text for note in figures.memberships(V).layout.annotations]
    assert notes == ["Cluster 1<br>2 pure", "Cluster 2<br>1 pure", "Cluster 3<br>0 pure"]


@pytest.mark.parametrize("K", [3, 4, 5])
def test_the_truth_is_aligned_and_joined_to_the_estimate(K: int) -> None:
    V = np.hstack([np.repeat(np.eye(K), 3, axis=1), mixtures(K)])
    true = V.copy()
    true[:, -1] = np.eye(K)[0]
    figure = figures.memberships(V, true[::-1], flat=False)
    hollow, full, lines = points(figure, "true places"), points(figure), points(figure, "error")
    np.testing.assert_allclose((hollow - full)[:-1], 0, atol=1e-12)
    at = corners(K)
    np.testing.assert_allclose((hollow - full)[-1], at[0] - V[:, -1] @ at)
    np.testing.assert_array_equal(lines[0::3], hollow)
    np.testing.assert_array_equal(lines[1::3], full)
    assert np.isnan(lines[2::3]).all()


def test_a_truth_with_fewer_clusters_finds_its_own_among_them() -> None:
    V = np.repeat(np.eye(3), [4, 1, 6], axis=1)
    true = np.array([V[1] + V[2], V[0]])
    figure = figures.memberships(V, true)
    apart = points(figure, "true places") - points(figure)
    at = corners(3)
    np.testing.assert_allclose(apart[4], at[2] - at[1])
    np.testing.assert_allclose(np.delete(apart, 4, axis=0), 0, atol=1e-12)


def test_a_truth_with_more_clusters_is_not_drawn_and_it_says_so() -> None:
    figure = figures.memberships(mixtures(3), mixtures(5))
    assert "true places" not in [t.name for t in figure.data]
    assert "The truth has 5 clusters" in figures.describe(figure)


def test_a_truth_of_one_cluster_has_no_place_among_several() -> None:
    V = mixtures(3)
    figure = figures.memberships(V, np.ones((1, V.shape[1])))
    assert "true places" not in [t.name for t in figure.data]
    assert "The truth has one cluster and no place among 3." in figures.describe(figure)
    alone = figures.memberships(V[:1] ** 0, np.ones((1, V.shape[1])))
    assert "no place" not in figures.describe(alone)


def test_three_clusters_of_five_as_a_triangle() -> None:
    V = np.array([[1, 0, 0.3, 0.1], [0, 0, 0, 0.3], [0, 0, 0, 0], [0, 0, 0.3, 0], [0, 1, 0.4, 0.6]])
    figure = figures.memberships(V, clusters=(0, 3, 4), task_names="abcd")
    found = trace(figure, "tasks")
    assert list(found.customdata) == [0, 1, 2, 3]
    relative = np.array([[1, 0, 0.3, 1 / 7], [0, 0, 0.3, 0], [0, 1, 0.4, 6 / 7]])
    np.testing.assert_allclose(points(figure), relative.T @ corners(3), atol=1e-12)
    notes = [note.text.split("<")[0] for note in figure.layout.annotations]
    assert notes == ["Cluster 1", "Cluster 4", "Cluster 5"]
    # the hover and the colour are of all clusters
    assert "cluster 2: <b>0.3</b>" in found.hovertext[3]
    assert found.marker.color[3] == task_colours(V)[3]


def test_tasks_of_other_clusters_are_left_out_of_the_triangle_and_counted() -> None:
    figure = figures.memberships(np.eye(5), clusters=(0, 1, 2))
    assert list(trace(figure, "tasks").customdata) == [0, 1, 2]
    assert "2 tasks mostly in other clusters" in figures.describe(figure)


def test_outliers_have_no_place_and_are_counted() -> None:
    V = np.array([[1.0, 0.0, 0.2], [0.0, 0.0, 0.8]])
    figure = figures.memberships(V, pure=[True, True, False])
    assert list(trace(figure, "tasks").customdata) == [0, 2]
    assert "Not drawn: 1 task in no cluster." in figures.describe(figure)
    assert "1 task in no cluster" in figures.describe(figure)


def test_hover_names_the_task_and_its_clusters_largest_first() -> None:
    figure = figures.memberships([[0.25], [0.75]], task_names=["<script>"])
    assert trace(figure, "tasks").hovertext[0] == (
        "&lt;script&gt;<br>cluster 2: <b>0.75</b><br>cluster 1: <b>0.25</b>"
    )


@pytest.mark.parametrize("clusters", [(0, 1), (0, 1, 1), (0, 1, 7)])
def test_three_different_clusters_are_needed(clusters: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="name three different ones from 0 to 4"):
        figures.memberships(np.eye(5), clusters=clusters)


@pytest.mark.parametrize("K", [1, 2, 3, 4, 6])
def test_new_tasks_are_marked_by_name_where_they_land(K: int) -> None:
    V, new = mixtures(K), mixtures(K, 2)
    figure = solid(V, new=new, new_true=new[:, ::-1], new_names=["a<", "b"])
    at = corners(K)
    np.testing.assert_allclose(points(figure, "new tasks"), new.T @ at)
    np.testing.assert_allclose(points(figure, "true places of new tasks"), new[:, ::-1].T @ at)
    stars = trace(figure, "new tasks")
    named = [note for note in figure.layout.annotations if note.ax is not None]
    names = list(stars.text) if K == 4 else [note.text for note in named]
    assert ", ".join(names) == "a&lt;, b"
    assert list(stars.marker.color) == task_colours(new)
    assert stars.customdata is None  # only fitted tasks can be picked
    assert figure.layout.title.text == "Where 2 new tasks land"


def test_new_tasks_at_one_place_are_named_together() -> None:
    figure = figures.memberships(mixtures(3), new=np.eye(3)[:, [0, 0, 1]], new_names="abc")
    assert [n.text for n in figure.layout.annotations if n.ax is not None] == ["a, b", "c"]


@pytest.mark.parametrize("K", [2, 3, 6])
def test_a_name_lies_clear_of_the_tasks_around_a_corner(K: int) -> None:
    figure = figures.memberships(mixtures(K), new=np.eye(K)[:, :1], new_names=["a"])
    (name,) = (note for note in figure.layout.annotations if note.ax is not None)
    corner, offset = corners(K)[0], np.array([name.ax, -name.ay])  # pixels count down
    np.testing.assert_allclose([name.x, name.y], corner)
    assert np.hypot(*offset) == pytest.approx(70)
    if K == 2:  # below, and beside the tasks that stand above one another
        assert offset[1] < 0 < offset[0]
        assert name.xanchor == "left"
    else:
        np.testing.assert_allclose(offset / 70, -corner / np.hypot(*corner))


def test_a_new_task_mostly_elsewhere_is_not_drawn_among_three_clusters() -> None:
    new = np.array([[0.8, 0.1], [0.2, 0.1], [0.0, 0.0], [0.0, 0.8]])
    figure = figures.memberships(np.eye(4), new=new, clusters=[0, 1, 2])
    np.testing.assert_allclose(points(figure, "new tasks"), new[:3, :1].T @ corners(3))


@pytest.mark.parametrize("K", [2, 3, 4, 6])
def test_the_area_of_a_mark_is_the_strength_of_its_task(K: int) -> None:
    V = mixtures(K, 4)
    figure = solid(V, strength=[0.25, 1.0, 4.0, 50.0])
    size = np.array(trace(figure, "tasks").marker.size)
    base = 10 if K == 4 else 8  # plotly halves lists of sizes in space
    np.testing.assert_allclose(size[:3], [base / 2, base, 2 * base])
    np.testing.assert_allclose(size[3], base * np.sqrt(6))  # not larger than all the others
    keys = [t for t in figure.data if t.showlegend]
    assert [t.name for t in keys] == ["strength 0.5", "strength 1", "strength 2"]
    np.testing.assert_allclose([t.marker.size for t in keys], base * np.sqrt([0.5, 1, 2]))
    assert "Size: strength, from 0.25 to 50" in figures.describe(figure)


def test_strength_in_words() -> None:
    figure = figures.memberships(np.eye(2), strength=[1.8, 1.0], task_names="ab")
    strong, plain = trace(figure, "tasks").hovertext
    assert strong.endswith("strength 1.8: reacts like its clusters,<br>1.8 times as strongly")
    assert plain.endswith("strength 1: reacts like its clusters")


def test_without_strengths_there_is_nothing_about_them() -> None:
    figure = figures.memberships(np.eye(3))
    assert "strength" not in figures.describe(figure)
    assert not [t for t in figure.data if t.showlegend]


def test_new_tasks_have_strengths_too() -> None:
    V = mixtures(3)
    stars = figures.memberships(V, strength=np.ones(12), new=np.eye(3)[:, :2], new_strength=[1, 4])
    np.testing.assert_allclose(trace(stars, "new tasks").marker.size, [20, 40])
    assert "4 times as strongly" in trace(stars, "new tasks").hovertext[1]


def test_tasks_can_have_the_colours_of_the_truth() -> None:
    found = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    true = np.array([[0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.0]])  # the third is misplaced
    plain = trace(figures.memberships(found, true), "tasks").marker.color
    by_truth = trace(figures.memberships(found, true, colour_by_truth=True), "tasks").marker.color
    assert plain[0] == plain[1] != plain[2] == plain[3]
    assert by_truth[0] == by_truth[1] == by_truth[2] == plain[0]
    assert by_truth[3] == plain[3]
    assert "the true clusters" in figures.describe(
        figures.memberships(found, true, colour_by_truth=True)
    )
    without = trace(figures.memberships(found, colour_by_truth=True), "tasks").marker.color
    assert list(without) == list(plain)


def test_the_region_of_a_new_task_is_outlined_where_it_can_be() -> None:
    V = np.repeat(np.eye(3), 2, axis=1)
    around = np.array([[0.6, 0.2, 0.4], [0.2, 0.6, 0.4], [0.2, 0.2, 0.2]])
    new = np.full((3, 1), 1 / 3)
    figure = figures.memberships(V, new=new, new_regions=[around])
    drawn = trace(figure, "region")
    np.testing.assert_allclose(np.column_stack([drawn.x, drawn.y]), around.T @ corners(3))
    assert "where the new task lies, at 95% confidence" in figures.describe(figure)
    four = np.repeat(np.eye(4), 2, axis=1)
    flat = figures.memberships(four, new=np.full((4, 1), 0.25), new_regions=[around], flat=True)
    assert "region" not in [one.name for one in flat.data]
