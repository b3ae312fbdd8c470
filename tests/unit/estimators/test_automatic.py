"""Shapes, own parts and no clusters: what is chosen, what is kept, and how it fits together."""

import io
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Lasso, Ridge

from stcmtl import STCMTLClassifier, STCMTLRegressor, load
from stcmtl.solver.trials import NEGLIGIBLE
from tests.unit.io.test_model_file import assert_identical
from tests.unit.regimes import D, T, draw
from tests.unit.small import MODELS

ARRAYS = (
    "coef_", "intercept_", "loadings_", "memberships_", "strength_", "own_coef_", "own_share_",
    "cluster_coef_", "labels_", "pure_", "distances_", "losses_",
)  # fmt: skip
SHAPES = ("simplex", "cone", "span")


def fit(kind: str, model: Any = STCMTLRegressor, **options: Any) -> Any:
    return fit_once(kind, model, **options)


@cache
def fit_once(kind: str, model: Any, **options: Any) -> Any:
    """The same fit serves many tests: none may change it."""
    return model(**{"random_state": 0, "cv": 3, **options}).fit(*draw(kind, model))


def assert_fits_together(model: Any) -> None:
    """The identities that hold for every fit, from what the attributes mean."""
    K = model.n_clusters_
    assert model.loadings_.shape == model.memberships_.shape == (T, K)
    assert model.cluster_coef_.shape == (K, D)
    assert model.own_coef_.shape == (T, D)
    assert model.strength_.shape == model.own_share_.shape == model.labels_.shape == (T,)
    together = model.loadings_ @ model.cluster_coef_ + model.own_coef_
    np.testing.assert_allclose(model.coef_, together, rtol=1e-12, atol=1e-12)
    size = np.abs(model.loadings_)
    np.testing.assert_allclose(model.strength_, size.sum(axis=1), atol=1e-9)
    np.testing.assert_allclose(
        model.memberships_ * model.strength_[:, None], size, rtol=1e-9, atol=1e-12
    )
    assert ((model.own_share_ >= 0) & (model.own_share_ <= 1)).all()
    np.testing.assert_array_equal(model.own_share_ > 0, model.own_coef_.any(axis=1))
    used = size.any(axis=1)
    np.testing.assert_array_equal(model.labels_[~used], -1)
    if used.any():
        np.testing.assert_array_equal(model.labels_[used], size[used].argmax(axis=1))
    if model.shape_ == "simplex" and K:
        np.testing.assert_allclose(model.loadings_[~model.outliers_].sum(axis=1), 1.0)
    if model.shape_ != "span":
        assert (model.loadings_ >= 0).all()
    assert model.own_ in ("none", "deviation", "alone")
    assert (model.own_ == "alone") == (K == 0)
    assert model.own_ != "none" or not model.own_coef_[~model.outliers_].any()


def held_out_error(model: Any, kind: str) -> float:
    """Of log-odds or targets without noise, from the coefficients that made the rows."""
    X, y, tasks = draw(kind, STCMTLRegressor, 400)
    return float(np.sqrt(np.mean((y - model.decision_values(X, tasks)) ** 2)))


class TestShape:
    """With two clusters given."""

    @pytest.mark.parametrize(
        ("kind", "shape"), [("mixtures", "simplex"), ("strengths", "cone"), ("signed", "span")]
    )
    def test_is_the_one_that_made_the_tasks(self, kind: str, shape: str) -> None:
        found = fit(kind, n_clusters=2, own="none")
        assert (found.n_clusters_, found.shape_, found.own_) == (2, shape, "none")
        assert_fits_together(found)
        (taken,) = [choice for choice in found.choices_ if choice.taken]
        assert (taken.n_clusters, taken.shape, taken.own) == (2, shape, "none")
        # the span is tried only where strengths gain
        n_tried = 2 if shape == "simplex" else 3
        assert [choice.rank for choice in found.choices_] == list(range(1, n_tried + 1))

    @pytest.mark.parametrize("kind", ["strengths", "signed"])
    def test_and_the_fit_is_that_of_the_shape_given(self, kind: str) -> None:
        found = fit(kind, n_clusters=2, own="none")
        given = fit(kind, n_clusters=2, shape=found.shape_, own="none")
        assert not hasattr(given, "choices_")
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(found, name), getattr(given, name))

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("shape", SHAPES)
    def test_given_it_is_kept(self, model: Any, shape: str) -> None:
        found = fit("signed", model, n_clusters=3, shape=shape, own="none")
        assert (found.n_clusters_, found.shape_, found.own_) == (3, shape, "none")
        assert_fits_together(found)

    def test_strengths_are_found(self) -> None:
        found = fit("strengths", n_clusters=2, shape="cone", own="none")
        X, y, tasks = draw("strengths")
        length = np.array(
            [np.linalg.norm(np.linalg.lstsq(X[tasks == i], y[tasks == i])[0]) for i in range(T)]
        )
        pure = found.pure_
        assert pure.sum() >= 6
        # of tasks of one cluster, coefficients are as long as the tasks are strong
        for k in range(2):
            some = pure & (found.labels_ == k)
            ratio = found.strength_[some] / length[some]
            np.testing.assert_allclose(ratio / ratio.mean(), 1.0, atol=0.12)

    def test_a_sign_is_no_membership_below_zero(self) -> None:
        found = fit("signed", n_clusters=2, shape="span", own="none")
        assert found.loadings_.min() < 0.0
        assert found.memberships_.min() >= 0.0
        np.testing.assert_allclose(found.memberships_.sum(axis=1), 1.0)


class TestOwn:
    @pytest.mark.parametrize("kind", ["dense own", "sparse own"])
    def test_deviations_are_found_and_help(self, kind: str) -> None:
        found = fit(kind, n_clusters=2, shape="simplex")
        plain = fit(kind, n_clusters=2, shape="simplex", own="none")
        assert found.own_ == "deviation"
        assert_fits_together(found)
        assert found.own_share_.max() > 0.05
        assert held_out_error(found, kind) < 0.95 * held_out_error(plain, kind)

    @pytest.mark.parametrize(
        ("kind", "model", "K"),
        [("mixtures", STCMTLRegressor, 4), ("identical", STCMTLClassifier, 1)],
    )
    def test_the_fit_is_untouched_to_the_bit_where_there_are_none(
        self, kind: str, model: Any, K: int
    ) -> None:
        found = fit(kind, model, n_clusters=K, shape="simplex")
        plain = fit(kind, model, n_clusters=K, shape="simplex", own="none")
        assert found.own_ == "none"
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))
        assert not found.own_coef_.any()

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("shape", SHAPES)
    def test_given_it_is_kept(self, model: Any, shape: str) -> None:
        found = fit("dense own", model, n_clusters=2, shape=shape, own="deviation")
        assert (found.n_clusters_, found.shape_, found.own_) == (2, shape, "deviation")
        assert found.own_penalty_[1] > 0
        assert {choice.own for choice in found.choices_} == {"deviation"}
        assert_fits_together(found)

    def test_a_given_gamma_is_kept_beside_it(self) -> None:
        found = fit("dense own", n_clusters=2, shape="simplex", own="deviation", gamma=0.1)
        assert found.gamma_ == 0.1

    def test_the_own_share_is_that_of_the_variance(self) -> None:
        found = fit("dense own", n_clusters=2, shape="simplex", own="deviation")
        X, _, tasks = draw("dense own")
        for i in range(T):
            rows = X[tasks == i]
            own, shared = (
                (rows @ w).var() for w in (found.own_coef_[i], found.coef_[i] - found.own_coef_[i])
            )
            assert found.own_share_[i] == pytest.approx(own / (own + shared), rel=1e-9)


class TestNoClusters:
    @pytest.mark.parametrize("model", MODELS)
    def test_independent_tasks_have_none(self, model: Any) -> None:
        found = fit("independent", model)
        assert (found.n_clusters_, found.own_) == (0, "alone")
        assert_fits_together(found)
        np.testing.assert_array_equal(found.own_share_, found.own_coef_.any(axis=1))
        np.testing.assert_array_equal(found.labels_, -1)

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("options", [{"n_clusters": 0}, {"own": "alone"}], ids=str)
    def test_given_it_is_kept(self, model: Any, options: dict[str, Any]) -> None:
        found = fit("mixtures", model, **options)
        assert (found.n_clusters_, found.own_) == (0, "alone")
        assert_fits_together(found)
        assert not hasattr(found, "selection_")
        assert [it.stage for it in found.history_] == ["alone"]

    def test_every_task_is_its_own_fit(self) -> None:
        """scikit-learn's, at the level chosen."""
        X, y, tasks = draw("independent")
        found = fit("independent", n_clusters=0, standardize=False)
        kind, level = found.own_penalty_
        for i in range(T):
            rows = tasks == i
            twin = Lasso(level / np.sqrt(rows.sum()), tol=1e-10, max_iter=10**5)
            if kind == "ridge":
                twin = Ridge(level)
            twin.fit(X[rows], y[rows])
            np.testing.assert_allclose(found.coef_[i], twin.coef_, atol=0.01)

    @pytest.mark.parametrize("model", MODELS)
    def test_identical_tasks_have_one(self, model: Any) -> None:
        found = fit("identical", model)
        assert found.n_clusters_ == 1
        assert_fits_together(found)
        assert np.ptp(found.coef_ - found.own_coef_, axis=0).max() < 1e-12


class TestAutomatic:
    @pytest.mark.parametrize(
        "kind", ["mixtures", "strengths", "signed", "independent", "identical"]
    )
    def test_choices_are_a_ranking_and_one_is_taken(self, kind: str) -> None:
        found = fit(kind)
        assert_fits_together(found)
        ranks = [choice.rank for choice in found.choices_]
        assert ranks == list(range(1, len(ranks) + 1))
        behind = [choice.behind for choice in found.choices_]
        assert behind[0] == 0.0
        np.testing.assert_allclose(behind, sorted(behind), atol=1e-12)
        (taken,) = [choice for choice in found.choices_ if choice.taken]
        assert (taken.n_clusters, taken.own) == (found.n_clusters_, found.own_)
        assert found.n_clusters_ == 0 or taken.shape == found.shape_
        near = [c for c in found.choices_ if c.behind <= max(c.behind_se, NEGLIGIBLE)]
        assert any(taken.behind <= choice.behind for choice in near)
        names = [(choice.n_clusters, choice.shape, choice.own) for choice in found.choices_]
        assert len(set(names)) == len(names)

    def test_mixtures_are_found_without_a_knob(self) -> None:
        found = fit("mixtures")
        assert (found.n_clusters_, found.shape_, found.own_) == (2, "simplex", "none")
        given = fit("mixtures", n_clusters=2, shape="simplex", own="none")
        np.testing.assert_array_equal(found.coef_, given.coef_)

    def test_the_curve_over_k_is_of_the_shape_taken(self) -> None:
        found = fit("mixtures")
        assert 2 in found.selection_.ks
        tried = {
            choice.n_clusters: choice.error
            for choice in found.choices_
            if (choice.shape, choice.own) == ("simplex", "none")
        }
        assert dict(zip(found.selection_.ks, found.selection_.error, strict=True)) == tried

    @pytest.mark.parametrize(
        ("kind", "model", "options"),
        [
            ("identical", STCMTLRegressor, {}),
            ("dense own", STCMTLRegressor, {"n_clusters": 2}),
            ("dense own", STCMTLClassifier, {"n_clusters": 2, "shape": "cone"}),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_threads_do_not_change_a_bit(
        self, kind: str, model: Any, options: dict[str, Any]
    ) -> None:
        one, two = (fit(kind, model, n_jobs=n_jobs, **options) for n_jobs in (1, 2))
        assert (one.n_clusters_, one.shape_, one.own_) == (two.n_clusters_, two.shape_, two.own_)
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
        assert one.choices_ == two.choices_
        assert one.own_penalty_ == two.own_penalty_

    @pytest.mark.parametrize("model", MODELS)
    def test_the_paper_s_algorithm_knows_neither_shapes_nor_own_parts(self, model: Any) -> None:
        found = fit("signed", model, n_clusters=3, refine=False)
        assert (found.shape_, found.own_) == ("simplex", "none")
        assert not hasattr(found, "choices_")
        assert_fits_together(found)

    @pytest.mark.parametrize("kind", ["mixtures", "signed", "dense own"])
    def test_robust(self, kind: str) -> None:
        """One task is of another world."""
        X, y, tasks = draw(kind)
        y = np.where(tasks == 5, 12.0 * X[:, -1] - 9.0 * X[:, -2], y)
        found = STCMTLRegressor(2, robust=True, cv=3, random_state=0).fit(X, y, tasks)
        np.testing.assert_array_equal(found.outliers_, np.arange(T) == 5)
        assert_fits_together(found)
        assert not found.loadings_[5].any()
        assert found.strength_[5] == 0.0
        assert found.own_share_[5] == 1.0
        np.testing.assert_array_equal(found.coef_[5], found.own_coef_[5])
        assert np.abs(found.coef_[5, -2:] - [-9.0, 12.0]).max() < 0.5

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("n_tasks", [1, 2])
    def test_one_task_and_two(self, model: Any, n_tasks: int) -> None:
        X, y, tasks = draw("strengths", model)
        some = tasks < n_tasks
        found = model(cv=3, random_state=0).fit(X[some], y[some], tasks[some])
        assert found.n_clusters_ <= n_tasks
        assert found.coef_.shape == (n_tasks, D)
        together = found.loadings_ @ found.cluster_coef_ + found.own_coef_
        np.testing.assert_allclose(found.coef_, together, rtol=1e-12, atol=1e-12)
        assert found.score(X[some], y[some], tasks[some]) > 0.7

    @pytest.mark.parametrize(
        ("kind", "options"),
        [
            ("strengths", {"n_clusters": 2, "shape": "cone", "own": "none"}),
            ("dense own", {"n_clusters": 2, "shape": "simplex", "own": "deviation"}),
            ("independent", {"n_clusters": 0}),
            ("mixtures", {}),
        ],
        ids=str,
    )
    def test_a_saved_model_is_the_same(self, kind: str, options: dict[str, Any]) -> None:
        found, stream = fit(kind, **options), io.BytesIO()
        found.save(stream)
        stream.seek(0)
        assert_identical(vars(load(stream)), vars(found))


class TestNewTasks:
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize(
        ("kind", "options"),
        [
            ("strengths", {"n_clusters": 2, "shape": "cone", "own": "none"}),
            ("signed", {"n_clusters": 2, "shape": "span", "own": "none"}),
            ("dense own", {"n_clusters": 2, "shape": "simplex", "own": "deviation"}),
            ("independent", {"n_clusters": 0}),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_are_made_like_those_of_the_model(
        self, kind: str, options: dict[str, Any], model: Any
    ) -> None:
        fitted = fit(kind, model, **options)
        X, y, tasks = draw(kind, model)
        found = fitted.assign(X, y, tasks)
        together = found.loadings @ fitted.cluster_coef_ + found.own_coef
        np.testing.assert_allclose(found.coef, together, rtol=1e-12, atol=1e-12)
        assert found.own_coef.any() == fitted.own_coef_.any()
        assert (found.loadings < 0).any() == (fitted.loadings_ < 0).any()
        # the loss is that of the predictions
        f = np.einsum("nd,nd->n", X, found.coef[tasks]) + found.intercept[tasks]
        losses = (y - f) ** 2 if model is STCMTLRegressor else np.logaddexp(0.0, (1 - 2 * y) * f)
        np.testing.assert_allclose(found.loss, losses.reshape(T, -1).mean(axis=1), rtol=1e-6)

    def test_do_not_depend_on_one_another(self) -> None:
        fitted = fit("dense own", n_clusters=2, shape="simplex", own="deviation")
        X, y, tasks = draw("dense own")
        some, all_of_them = tasks == 3, fitted.assign(X, y, tasks)
        one = fitted.assign(X[some], y[some], tasks[some])
        np.testing.assert_allclose(one.coef[0], all_of_them.coef[3], atol=1e-9)
