"""What each page says first, word for word, on results made by hand; see also ``test_rules``."""

from copy import copy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stcmtl.data.taskset import Truth
from stcmtl.studio.state.choices import CHOSEN, GIVEN, PAPER, ROBUST, FitChoice
from stcmtl.studio.words import findings, placing
from tests.unit.figures.test_convergence import WENT_BACK
from tests.unit.kinds import model_of
from tests.unit.studio.test_rules import (
    NAMES,
    assigned,
    curve,
    guessed,
    result,
    spoken,
    untested,
    useless,
)

STILL_FALLS = "Take 3 clusters or more, or none: the error still falls at the end of the curve"
NEAR, FAR = np.ones(6), np.array([1.0, 1.1, 0.9, 1.0, 1.0, 9.0])
TWO_FAR = np.concatenate([FAR, FAR])


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ((0.9, 0.7, 0.5), STILL_FALLS),
        (
            (0.995, 0.99, 0.985),
            "Nothing to cluster by: clusters predict hardly better than guessing, however many",
        ),
        (
            (1.01, 1.02),
            "Nothing to cluster by: clusters predict no better than guessing, however many",
        ),
        ((0.5, 0.7, 0.9), "One cluster is enough: splitting the tasks predicts no better"),
        ((0.5,), "One cluster is enough: splitting the tasks predicts no better"),
        ((0.9, 0.5, 0.6), "Take 2 clusters: no other number predicts better"),
        (
            (0.9, 0.505, 0.5, 0.6),
            "Take 2 clusters, if not more: 3 do better only by less than chance could",
        ),
    ],
)
def test_number_of_clusters(errors: tuple[float, ...], said: str) -> None:
    assert findings.number_of_clusters(curve(*errors), guessed(1.0)) == said


def test_clusters_of_one_or_two_tasks_may_as_well_be_none() -> None:
    said = findings.number_of_clusters(curve(0.9, 0.7, 0.5, 0.6), guessed(1.0, 8))
    assert said == "Take 3 clusters, or none: no other number predicts better"


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (FitChoice(model=CHOSEN, method=PAPER), "Cross-validation decides K. The paper's"),
        (FitChoice(model=CHOSEN), "Cross-validation decides how many clusters there are"),
        (FitChoice(model=GIVEN, k=0, method=PAPER), "With K = 0 every task is fitted on its own"),
        (FitChoice(model=GIVEN, k=1, method=PAPER), "The paper's algorithm knows plain mixtures"),
    ],
)
def test_what_settings_do(choice: FitChoice, said: str) -> None:
    assert findings.what_settings_do(choice).startswith(said)
    assert findings.what_settings_do(replace(choice, model=GIVEN, k=1, method=ROBUST)) == ""


def test_without_test_rows_or_errors_nothing_is_doubted() -> None:
    doubtful = useless()
    for doubt in (findings.no_help, findings.no_signal):
        assert doubt(doubtful) != ""
        for missing in (result(error=None), useless()):
            if missing.errors is not None:
                missing.data.test = None
            assert doubt(missing) == ""


def test_a_poor_fit_is_not_put_down_to_the_features() -> None:
    """Guessing errs by one; what errs less has found something in them."""
    poor = useless(pooled_error=0.9)
    assert findings.no_help(poor) == (
        "This fit predicts no better than guessing each task's level; one fit for all does (0.9). "
        "RMSE on 9 rows that no fit has seen: 1.01 with this fit, 1 by guessing."
    )
    assert "separate fits do (0.8)" in findings.no_help(
        useless(pooled_error=0.9, separate_error=0.8)
    )
    assert "hardly better than guessing" in findings.no_help(useless(error=0.99, pooled_error=0.9))
    assert findings.no_signal(poor) == ""
    assert findings.memberships(poor).startswith("3 clusters that do not help, ")
    assert findings.memberships(useless()).startswith("Nothing to sort ")


def test_no_places() -> None:
    labels = np.array([0, 0, 0, -1])
    alone, one, strengths = (
        result(cluster_coef_=np.ones((k, 2)), labels_=labels, shape_=shape)
        for k, shape in ((0, "simplex"), (1, "simplex"), (1, "cone"))
    )
    assert findings.no_places(alone).startswith("Every task has coefficients of its own")
    assert findings.no_places(one) == (
        "There is one cluster, so there is nothing to place: 3 tasks belong to it wholly."
    )
    assert findings.no_places(strengths) == (
        "There is one pattern, so there is nothing to place: 3 tasks differ in strength alone."
    )


def test_prediction() -> None:
    assert findings.prediction(result()) == (
        "On rows the fit has not seen: error 0.5, 29% less than with every task fitted alone (0.7)."
    )
    assert "with a LASSO for each task" in findings.prediction(
        result(cluster_coef_=np.ones((0, 2)))
    )
    for missing in ("error", "separate_error"):
        fitted = result()
        setattr(fitted, missing, None)
        assert findings.prediction(fitted) == ""
    labels = result()
    labels.data.classification, labels.data.train.task_type = True, "classification"
    assert findings.prediction(labels).startswith("On rows the fit has not seen: labels wrong 50")


def used(kind: str, W: np.ndarray | None = None) -> str:
    """What is said of a model's coefficients, beside true ones."""
    fitted = result(model=model_of(kind))
    if W is not None:
        fitted.data.truth = SimpleNamespace(W=W)
    return findings.coefficients(fitted)


def test_coefficients() -> None:
    for kind, whom in (("simplex", "the clusters"), ("one", "the one cluster")):
        n_used = int(model_of(kind).cluster_coef_.any(axis=0).sum())
        assert used(kind) == f"{n_used} of 15 features are used by {whom}"
    n_used = int(model_of("alone").coef_.any(axis=0).sum())
    assert used("alone") == f"{n_used} of 15 features are used by at least one task"
    right = model_of("simplex").coef_.T != 0
    wrong = right.copy()
    wrong[0, :9] = ~wrong[0, :9]  # of 12 tasks x 15 features
    assert used("simplex", right).endswith("; 100.0% of coefficients are rightly zero or not")
    assert used("simplex", wrong).endswith("; 95.0% of coefficients are rightly zero or not")


def settled(n_paper: int, n_refined: int, iterations: int = 50, **changes: Any) -> Any:
    first = replace(model_of("simplex").history_[0], stage="paper", objective=9.0)
    history = [
        *(replace(first, iteration=i + 1, objective=9.0 - i) for i in range(n_paper)),
        *(replace(first, stage="refine", objective=1.0) for _ in range(n_refined)),
    ]
    choice = FitChoice(iterations=iterations)
    return result(history_=history, n_iter_=n_paper, choice=choice, **changes)


def test_convergence() -> None:
    alone = result(cluster_coef_=np.ones((0, 2)), seconds=1.234)
    assert findings.convergence(alone) == (
        "Every task was fitted on its own, in 1.23 s: nothing to iterate"
    )
    assert findings.convergence(settled(3, 0)) == "Settled after 3 iterations, 1 s in all"
    assert findings.convergence(settled(3, 1)) == (
        "Settled after 3 iterations; 1 round of refinement followed, 1 s in all"
    )
    assert findings.convergence(settled(1, 2)) == (
        "Settled after 1 iteration; 2 rounds of refinement followed, 1 s in all"
    )


def test_how_the_loop_ended() -> None:
    lowest, back = findings.find_returns(WENT_BACK)[-1]
    missed = [s for s in WENT_BACK if lowest.iteration < s.iteration < back.iteration]
    assert findings.say_ending(result(history_=WENT_BACK)) == (
        f"Did not settle: after iteration {lowest.iteration} the objective rose, and {len(missed)} "
        "iterations later the loop went back to it"
    )
    assert findings.say_ending(settled(4, 0, 4)) == "Stopped at its limit of 4 iterations"
    assert findings.say_ending(settled(2, 0, 2)) == "Stopped at its limit of 2 iterations"
    assert findings.say_ending(settled(4, 0, 5)) == "Settled after 4 iterations"
    assert findings.say_ending(settled(1, 0, 1)) == "Settled after 1 iteration"
    risen = settled(3, 0)
    risen.model.history_[1] = replace(risen.model.history_[1], objective=10.0)
    assert findings.say_ending(risen) == (
        "Settled after 3 iterations, though the objective rose after 1 of them"
    )
    risen.model.history_[1] = replace(risen.model.history_[1], objective=9.002)  # below ``tol``
    assert findings.say_ending(risen).endswith("though the objective rose after 1 of them")


def test_iterations_in_a_row_are_those_between_refinements() -> None:
    paper, refined = settled(5, 1).model.history_[0], settled(1, 1).model.history_[1]
    twice = result(history_=[paper, paper, refined, paper, paper, paper])
    assert findings.longest_stretch(twice) == 3
    assert findings.longest_stretch(result(history_=[refined])) == 0


@pytest.mark.parametrize(
    ("n_clusters", "distances", "aside", "said"),
    [
        (3, NEAR, None, "None of 6 tasks lies far from all clusters"),
        (1, FAR, None, "1 of 6 tasks lies far from the one cluster, maybe by chance: a robust"),
        (3, TWO_FAR, None, "2 of 12 tasks lie far from all clusters, maybe by chance: a robust"),
        (0, FAR, None, "No clusters: no task can lie far from them"),
        (3, FAR, 0, "1 of 6 tasks lies far from all clusters; the fit set none aside"),
        (3, TWO_FAR, 1, "2 of 12 tasks lie far from all clusters; the fit set 1 aside"),
    ],
)
def test_outliers(n_clusters: int, distances: np.ndarray, aside: int | None, said: str) -> None:
    made = {"cluster_coef_": np.ones((n_clusters, 2)), "distances_": distances}
    if aside is not None:
        made |= {"choice": FitChoice(method=ROBUST), "outliers_": np.arange(len(distances)) < aside}
    assert findings.outliers(untested(**made), 4.5).startswith(said)


@pytest.mark.parametrize(
    ("n_clusters", "distances", "said"),
    [
        (2, FAR, "1 task lies far from all clusters and was kept in the fit."),
        (1, FAR, "1 task lies far from the one cluster and was kept in the fit."),
        (3, TWO_FAR, "2 tasks lie far from all clusters and were kept in the fit."),
        (3, NEAR, ""),
        (0, FAR, ""),
    ],
)
def test_far_tasks_that_were_kept(n_clusters: int, distances: np.ndarray, said: str) -> None:
    none = np.zeros(len(distances), dtype=bool)
    made = {"cluster_coef_": np.ones((n_clusters, 2)), "outliers_": none}
    assert findings.say_far(result(distances_=distances, **made)) == said


def test_as_many_set_aside_as_flagged_need_no_word() -> None:
    robust = result(choice=FitChoice(method=ROBUST), outliers_=np.arange(6) == 5)
    assert findings.by_chance(robust, np.arange(6) == 5) == ""


def test_what_happens_to_outliers() -> None:
    assert findings.what_happens_to_outliers(result()).startswith("This fit kept all tasks in")
    none, two = (
        result(choice=FitChoice(method=ROBUST, fence=3.5), outliers_=np.arange(6) < n)
        for n in (0, 2)
    )
    assert findings.what_happens_to_outliers(none).startswith("The robust fit set no task aside.")
    assert findings.what_happens_to_outliers(two).startswith(
        "The robust fit set 2 tasks aside, at a factor of 3.5."
    )


# Where new tasks land


def place(**changes: Any) -> Any:
    """One task of 60 % and 40 %, between 50 % and 70 %, that halves its loss as a mixture."""
    found = assigned(0.5, 0.7)
    vars(found).update({"task_names": np.array(["shop"])} | changes)
    return found


def single(n_clusters: int, variance: float = 0.0, **changes: Any) -> Any:
    """One task among no clusters, or one."""
    shares = np.ones((1, n_clusters))
    covariance = np.full((1, n_clusters, n_clusters), variance)
    places = SimpleNamespace(low=shares, high=shares, covariance=covariance)
    known = {"memberships": shares, "loadings": shares, "places": places}
    return place(**known | changes)


SURE = np.array([[0.998, 0.0]])


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (place(), "60% cluster 1 (50% to 70%) and 40% cluster 2 (0% to 50%)"),
        (place(outliers=np.array([True])), "no mixture of the clusters fits"),
        (single(1, outliers=np.array([True])), "it is unlike the others"),
        (single(1), "nothing in its 3 rows speaks against the one cluster"),
        (
            single(1, own_coef=np.ones((1, 2))),
            "nothing in its 3 rows speaks against the one cluster, with a part of its own",
        ),
        (
            single(1, 0.01, loadings=np.full((1, 1), 2.0)),
            "it follows the one cluster, at strength 2 (1.8 to 2.2)",
        ),
        (
            single(1, 0.01, loadings=np.full((1, 1), -2.0)),
            "it turns around the one cluster, at strength 2 (1.8 to 2.2)",
        ),
        (
            single(1, 4.0, loadings=np.full((1, 1), 2.0)),
            "too few rows to tell, as by its 3 rows it may have nothing of the one cluster",
        ),
        (
            place(loadings=np.array([[1.2, 0.8]])),
            "60% cluster 1 (50% to 70%) and 40% cluster 2 (0% to 50%), at strength 2",
        ),
        (
            place(own_coef=np.array([[0.0, 1.0]])),
            "60% cluster 1 (50% to 70%) and 40% cluster 2 (0% to 50%), and a part of its own",
        ),
        (
            place(loss=np.array([1.99])),
            "cluster 1 alone explains it, with a share of 50% or more",
        ),
        (
            place(loss=np.array([1.99]), single=np.array([1]), loadings=np.array([[1.2, 0.8]])),
            "cluster 2 alone explains it, with a share of 0% or more, at strength 2",
        ),
        (
            place(loss=np.array([1.99]), places=SimpleNamespace(low=SURE, high=SURE)),
            "cluster 1 alone explains it",
        ),
        (
            place(loss=np.array([1.99]), own_coef=np.ones((1, 2))),
            "60% cluster 1 (50% to 70%) and 40% cluster 2 (0% to 50%), and a part of its own",
        ),
        (
            place(places=SimpleNamespace(low=np.array([[0.2, 0.0]]), high=np.array([[0.9, 0.8]]))),
            "too few rows to tell, as 3 rows may be of a task with 20% to 90% cluster 1",
        ),
    ],
)
def test_the_place_of_one_task(found: Any, said: str) -> None:
    assert placing.say_place(found, NAMES) == said
    assert placing.new_tasks(found, NAMES) == f"shop: {said}"


@pytest.mark.parametrize(
    ("apart", "se", "alike"), [(0.1, 0.0, True), (1.0, 0.1, False), (1.0, 2.0, True)]
)
def test_among_clusters_that_are_alike_and_do_not_help_no_task_has_a_place(
    apart: float, se: float, alike: bool
) -> None:
    model = copy(model_of("simplex"))
    one = np.ones_like(model.cluster_coef_)
    model.cluster_coef_ = one + apart * np.arange(len(one))[:, None]
    model.cluster_coef_se_ = se * one
    assert findings.are_too_alike(result(error=0.75, model=model)) is alike
    assert not findings.are_too_alike(result(model=model))  # they help
    assert not findings.are_too_alike(result(error=0.75, model=model_of("one")))


def test_what_is_said_among_clusters_that_are_alike() -> None:
    assert placing.new_tasks(place(), NAMES, alike=True) == (
        "shop: the 2 clusters are too alike to place it"
    )
    assert placing.new_task(place(), 0, NAMES, alike=True).startswith(
        "The clusters differ by too little"
    )
    assert placing.new_tasks(assigned(0.4, 0.6, tasks=2), NAMES, alike=True) == (
        "2 new tasks among the clusters; the 2 clusters are too alike to place them"
    )
    strange = place(outliers=np.array([True]))
    assert placing.say_place(strange, NAMES, alike=True) == "no mixture of the clusters fits"


def test_four_shares_are_named_and_the_rest_counted() -> None:
    shares = np.array([[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]])
    places = SimpleNamespace(low=shares - 0.05, high=shares + 0.05)
    found = place(memberships=shares, loadings=shares, places=places)
    said = placing.say_place(found, [f"cluster {k + 1}" for k in range(6)])
    assert said.endswith("20% cluster 3 (15% to 25%), 10% cluster 4 (5% to 15%) and 2 more")


def test_many_new_tasks() -> None:
    assert placing.new_tasks(assigned(0.4, 0.6, tasks=2), NAMES) == "2 new tasks among the clusters"
    strange = assigned(0.1, 0.9, strange=True, tasks=2)
    assert placing.new_tasks(strange, NAMES) == (
        "2 new tasks among the clusters; no mixture fits a; too few rows to tell for b"
    )
    one = single(
        1, task_names=np.array(["a", "b"]), loadings=np.ones((2, 1)), outliers=np.array([1, 0]) > 0,
        places=SimpleNamespace(covariance=np.ones((2, 1, 1))),
    )  # fmt: skip
    assert placing.new_tasks(one, NAMES[:1]) == (
        "2 new tasks beside the one cluster; it does not fit a; too few rows to tell for b"
    )
    alone = place(loadings=np.zeros((1, 0)))
    assert placing.new_tasks(alone, NAMES) == (
        "shop: fitted alone, as there are no clusters to be placed among"
    )


def test_new_tasks_are_named_three_at_a_time() -> None:
    found = place(
        task_names=np.array(list("abcde")),
        memberships=np.tile([0.6, 0.4], (5, 1)),
        loadings=np.tile([0.6, 0.4], (5, 1)),
        places=SimpleNamespace(low=np.zeros((5, 2)), high=np.ones((5, 2))),
        outliers=np.zeros(5, bool),
    )
    assert placing.new_tasks(found, NAMES) == (
        "5 new tasks among the clusters; too few rows to tell for a, b, c and 2 more"
    )


def test_a_long_name_of_a_new_task_is_cut() -> None:
    found = place(task_names=np.array(["L" * 100]))
    assert placing.new_tasks(found, NAMES).startswith("L" * 77 + "...: 60% cluster 1")


def test_a_place_is_open_where_the_largest_share_may_be_half_a_task_more_or_less() -> None:
    low, high = np.array([[0.5, 0.0], [0.4, 0.0]]), np.array([[1.0, 0.9], [1.0, 0.1]])
    found = SimpleNamespace(
        memberships=np.array([[0.7, 0.3]] * 2),
        loadings=np.array([[0.7, 0.3]] * 2),
        places=SimpleNamespace(low=low, high=high),
    )
    assert placing.is_unsure(found).tolist() == [False, True]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            single(0, coef=np.ones((1, 3)), rows=np.array([8])),
            "Its own fit was made of 8 rows for 3 coefficients: too few rows to tell how well it "
            "predicts. More rows of the task would.",
        ),
        (
            single(0, coef=np.ones((1, 3)), rows=np.array([19])),
            "Its own fit was made of 19 rows for 3 coefficients: too few rows to tell how well it "
            "predicts. More rows of the task would.",
        ),
        (
            single(0, coef=np.ones((1, 3)), rows=np.array([20])),
            "Its own fit has a loss of 1 per row on the rows that made it, against 2 without any "
            "feature. On new rows it errs more than on these.",
        ),
        (
            place(own_coef=np.ones((1, 2))),
            "With a part of its own it has a loss of 1 per row on the rows that made it, against "
            "2 with cluster 1 alone. On new rows it errs more than on these.",
        ),
        (single(1), "With the one cluster its loss is 1 per row on these rows."),
        (
            place(places=SimpleNamespace(low=np.array([[0.2, 0.0]]), high=np.array([[0.9, 0.8]]))),
            "So few rows fit many places: no loss on them says which is right. More rows of the "
            "task would.",
        ),
        (
            place(places=SimpleNamespace(low=np.array([[0.6, 0]]), high=np.array([[0.995, 0.4]]))),
            "Its 3 rows cannot tell it from a task that follows cluster 1 alone.",
        ),
        (
            place(loss=np.array([1.985])),
            "With cluster 1 alone its loss is 2 per row; a mixture does hardly better (1.99).",
        ),
        (
            place(loss=np.array([1.9999])),
            "With cluster 1 alone its loss is 2 per row; a mixture does no better.",
        ),
        (
            place(loss=np.array([1.5])),
            "As a mixture it has a loss of 1.5 per row on these rows, 25% less than the 2 of "
            "cluster 1 alone.",
        ),
    ],
)
def test_what_a_task_gains(found: Any, said: str) -> None:
    assert placing.new_task(found, 0, NAMES) == said


def test_nothing_is_gained_where_one_cluster_leaves_no_loss() -> None:
    assert placing.gain(place(loss=np.zeros(1), single_loss=np.zeros(1)), 0) == 0.0


def test_memberships_are_held_against_the_truth() -> None:
    model = model_of("simplex")
    fitted = result(model=model)
    V = model.memberships_.T
    fitted.data.truth = Truth(
        U=model.cluster_coef_.T, V=V, W=model.coef_.T, pure=V.max(axis=0) == 1.0,
        outliers=np.zeros(V.shape[1], dtype=bool),
    )  # fmt: skip
    assert findings.memberships(fitted).endswith("all 12 placed as simulated")


def test_what_was_chosen_may_not_help() -> None:
    assert (
        findings.choice(spoken())
        == "The data speak for 3 clusters: tasks belong to one or mix them"
    )
    assert findings.choice(spoken(error=0.75)).endswith("; on test rows they do not help")


def test_a_task_set_aside_within_the_fence_is_told() -> None:
    robust = result(choice=FitChoice(method=ROBUST), outliers_=np.arange(6) == 2)
    assert findings.outliers(robust, 4.5) == (
        "1 of 6 tasks was set aside, though none lies beyond the fence"
    )


@pytest.mark.parametrize(("own", "is_told"), [(0.9, True), (0.6, False)])
def test_distances_by_noisy_own_fits_say_little(own: float, is_told: bool) -> None:
    fitted = result(lasso_error=own, separate_error=own)
    assert (
        "as far as their own fits, which are noisy, can tell" in findings.outliers(fitted, 4.5)
    ) is is_told
