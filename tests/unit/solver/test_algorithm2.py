"""Algorithm 2: outliers found, none where there are none, and what becomes of them."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor, load, simulate
from stcmtl.data.simulation import Simulation
from stcmtl.solver.algorithm2 import solve_robust
from stcmtl.solver.memberships import nearest_mixtures
from stcmtl.solver.outliers import factorisation_distances
from stcmtl.solver.records import Settings
from stcmtl.solver.single_task import initialise
from stcmtl.solver.thresholds import beyond_fence
from tests.unit import twins
from tests.unit.io.test_model_file import assert_identical
from tests.unit.plain import plain_model
from tests.unit.problems import simulated
from tests.unit.setups import Setup, equation_2
from tests.unit.small import MODELS

K, N_OUTLIERS = 2, 2


@cache
def tasks(model: Any = STCMTLRegressor, n_train: int = 60) -> Simulation:
    """Sixteen tasks of two clusters, and two outliers."""
    kind = "regression" if model is STCMTLRegressor else "classification"
    return simulate(
        n_tasks=16, n_features=25, n_clusters=K, n_train=n_train, n_outliers=N_OUTLIERS,
        task_type=kind, structure_seed=1, random_state=1,
    )  # fmt: skip


@cache
def fitted(model: Any = STCMTLRegressor, n_train: int = 60, **options: Any) -> Any:
    data = tasks(model, n_train).train
    return robust_fit(data.X, data.y, data.tasks, model, **options)


def robust_fit(X: Any, y: Any, tasks: Any, model: Any = STCMTLRegressor, **options: Any) -> Any:
    options = {"n_clusters": K, "robust": True, "random_state": 0, **options}
    return plain_model(model, **options).fit(X, y, tasks)


class TestOutliersAreFound:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"refine": False},
            {"outlier_rule": "paper"},
            {"outlier_rule": "paper", "refine": False},
            {"standardize": True},
            {"fit_intercept": False},
            {"n_clusters": "auto"},
        ],
        ids=str,
    )
    def test_all_and_no_others(self, options: dict[str, Any]) -> None:
        model = fitted(**options)
        np.testing.assert_array_equal(model.outliers_, tasks().truth.outliers)
        assert model.n_clusters_ == K

    @pytest.mark.parametrize("seed", [0, 1])
    def test_with_fewer_rows(self, seed: int) -> None:
        sim = simulate(
            n_tasks=28, n_features=80, n_train=50, n_outliers=4, n_test=1,
            structure_seed=70 + seed, random_state=seed,
        )  # fmt: skip
        model = robust_fit(sim.train.X, sim.train.y, sim.train.tasks, n_clusters=5)
        np.testing.assert_array_equal(model.outliers_, sim.truth.outliers)

    def test_with_labels(self) -> None:
        found = fitted(STCMTLClassifier, 200).outliers_
        np.testing.assert_array_equal(found, tasks(STCMTLClassifier, 200).truth.outliers)

    def test_a_fit_that_is_not_robust_has_none(self) -> None:
        assert not fitted(robust=False).outliers_.any()

    def test_they_no_longer_spoil_the_clusters(self) -> None:
        truth = tasks().truth
        inside = ~truth.outliers

        def error(model: Any) -> float:
            return float(np.abs(model.coef_ - truth.W.T)[inside].mean())

        assert error(fitted()) < 0.8 * error(fitted(robust=False))


class TestNoneWhereThereAreNone:
    @pytest.mark.parametrize("n_tasks", [5, 7, 10, 20])
    @pytest.mark.parametrize("mixing", ["sparse", "dense"])
    @pytest.mark.parametrize("n_train", [30, (10, 60)], ids=str)
    def test_clean_draws(self, n_tasks: int, mixing: str, n_train: Any) -> None:
        for seed in (1, 2):
            data = simulate(
                n_tasks=n_tasks, n_features=15, n_clusters=2, n_train=n_train, n_test=1,
                mixing=mixing, structure_seed=seed, random_state=seed,
            ).train  # fmt: skip
            assert not robust_fit(data.X, data.y, data.tasks).outliers_.any()

    def test_noise_that_differs_between_tasks(self) -> None:
        sim = simulate(n_tasks=24, n_features=40, n_clusters=3, n_train=50, n_test=1, noise=0.0)
        rng = np.random.default_rng(0)
        noise = np.repeat(rng.uniform(0.3, 1.5, 24), 50)
        y = sim.train.y + noise * rng.normal(size=noise.size)
        assert not robust_fit(sim.train.X, y, sim.train.tasks, n_clusters=3).outliers_.any()

    def test_correlated_features(self) -> None:
        sim = simulate(n_tasks=12, n_features=15, n_clusters=2, n_train=40)
        X = sim.train.X.copy()
        for d in range(1, 15):
            X[:, d] = 0.7 * X[:, d - 1] + 0.7 * X[:, d]
        codes = np.searchsorted(sim.train.task_names, sim.train.tasks)
        y = np.einsum("nd,dn->n", X, sim.truth.W[:, codes])
        y += 0.5 * np.random.default_rng(0).normal(size=y.size)
        assert not robust_fit(X, y, sim.train.tasks).outliers_.any()

    def test_the_same_fit_as_without_robust(self) -> None:
        data = simulate(n_tasks=10, n_features=15, n_clusters=2, n_train=30).train
        rows = data.X, data.y, data.tasks
        plain, robust = (robust_fit(*rows, robust=robust) for robust in (False, True))
        for name in ("coef_", "intercept_", "memberships_", "labels_", "gamma_", "distances_"):
            np.testing.assert_array_equal(getattr(robust, name), getattr(plain, name))

    @pytest.mark.parametrize("n_clusters", [1, 4])
    def test_identical_tasks(self, n_clusters: int) -> None:
        rng = np.random.default_rng(0)
        X, noise = rng.normal(size=(20, 4)), rng.normal(size=20)
        y = X @ [1.0, -1.0, 0.0, 2.0] + noise
        rows = np.tile(X, (4, 1)), np.tile(y, 4), np.repeat(np.arange(4), 20)
        assert not robust_fit(*rows, n_clusters=n_clusters).outliers_.any()

    def test_targets_that_say_nothing(self) -> None:
        X = np.random.default_rng(0).normal(size=(60, 4))
        model = robust_fit(X, np.ones(60), np.repeat(np.arange(6), 10))
        assert not model.outliers_.any()
        np.testing.assert_array_equal(model.predict(X, np.repeat(np.arange(6), 10)), 1.0)

    def test_one_task(self) -> None:
        X = np.random.default_rng(0).normal(size=(20, 4))
        assert not robust_fit(X, X[:, 0], np.zeros(20), n_clusters=1).outliers_.any()

    @pytest.mark.parametrize("n", [2, 3])
    def test_tasks_of_hardly_any_rows(self, n: int) -> None:
        rng = np.random.default_rng(0)
        X, tasks = rng.normal(size=(6 * n, 5)), np.repeat(np.arange(6), n)
        y = 2 * X[np.arange(6 * n), tasks % 2] + 0.3 * rng.normal(size=6 * n)
        with pytest.warns(UserWarning, match="^Fewer rows than the 5 folds"):
            model = robust_fit(X, y, tasks)
        assert np.isfinite(model.coef_).all()
        assert not model.outliers_.any()


class TestWhatBecomesOfThem:
    @pytest.mark.parametrize("options", [{}, {"standardize": True}, {"refine": False}], ids=str)
    def test_no_cluster_and_the_coefficients_of_their_own_fit(
        self, options: dict[str, Any]
    ) -> None:
        model, data = fitted(**options), tasks().train
        out = model.outliers_
        np.testing.assert_array_equal(model.memberships_[out], 0.0)
        np.testing.assert_allclose(model.memberships_[~out].sum(axis=1), 1.0)
        assert model.labels_[out].tolist() == [-1] * N_OUTLIERS
        assert (model.labels_[~out] >= 0).all()
        assert not model.pure_[out].any()
        scale = data.X.std(axis=0) if options.get("standardize") else np.ones(25)
        for i in np.flatnonzero(out):
            rows = data.tasks == model.task_names_[i]
            X, y = data.X[rows], data.y[rows]
            w, b = model.coef_[i], model.intercept_[i]
            # the first-order conditions of (1/n)|y - X w - b|^2 + lambda |w scale|_1
            residual = y - X @ w - b
            assert residual.mean() == pytest.approx(0.0, abs=1e-9)
            slopes = 2.0 * X.T @ residual / len(y) / scale
            level = np.array([model.lambdas_[i]])
            gap = twins.optimality_gap(slopes[:, None], (w * scale)[:, None], level)
            assert gap < 0.01

    @pytest.mark.parametrize("rule", ["checked", "paper"])
    def test_the_last_iteration_is_the_model(self, rule: str) -> None:
        model = fitted(outlier_rule=rule)
        last = model.history_[-1]
        np.testing.assert_array_equal(last.outliers, model.outliers_)
        np.testing.assert_array_equal(last.V.T, model.memberships_)
        np.testing.assert_allclose(last.W.T, model.coef_, atol=1e-12)
        assert [it.iteration for it in model.history_] == list(range(1, len(model.history_) + 1))
        for it in model.history_:
            np.testing.assert_array_equal(it.V[:, it.outliers], 0.0)
            assert not it.pure[it.outliers].any()

    def test_distances_and_the_fence_say_why(self) -> None:
        model = fitted()
        assert (model.distances_[model.outliers_] > model.fence_).all()
        assert (model.distances_[~model.outliers_] <= model.fence_).all()
        q1, q3 = np.percentile(model.distances_, [25, 75])
        assert model.fence_ == pytest.approx(q3 + 4.5 * (q3 - q1))

    @pytest.mark.parametrize("model", MODELS)
    def test_a_saved_model_is_the_same(self, model: Any) -> None:
        original, data = fitted(model), tasks(model).test
        assert original.outliers_.any()
        stream = io.BytesIO()
        original.save(stream)
        stream.seek(0)
        loaded = load(stream)
        assert_identical(vars(loaded), vars(original))
        np.testing.assert_array_equal(
            loaded.predict(data.X, data.tasks), original.predict(data.X, data.tasks)
        )


class TestRules:
    def test_the_paper_s_first_iteration_is_its_factorisation_and_fence(
        self, regression: Setup
    ) -> None:
        _, problem, initial = regression
        settings = Settings(n_clusters=3, outlier_rule="paper", outlier_factor=0.5)
        first = next(iter(solve_robust(problem, initial, settings)))
        expected = beyond_fence(factorisation_distances(initial.W, 3, 0), 0.5)
        assert expected.any()
        np.testing.assert_array_equal(first.outliers, expected)

    def test_the_objective_is_that_of_the_tasks_inside(self, regression: Setup) -> None:
        _, problem, initial = regression
        settings = Settings(n_clusters=3, outlier_rule="paper", outlier_factor=0.5, refine=False)
        for state in solve_robust(problem, initial, settings):
            inside = ~state.outliers
            part = problem.keep(inside)
            assert state.objective == pytest.approx(
                equation_2(part, state.keep(inside), state.gamma), rel=1e-9
            )

    @pytest.mark.parametrize("rule", ["checked", "paper"])
    def test_a_lower_factor_never_flags_fewer_at_first(self, rule: str) -> None:
        _, problem = simulated(n_tasks=20)
        initial = initialise(problem, 5, 0)
        flagged = []
        for factor in (0.0, 0.5, 1.5, 4.5, 100.0):
            settings = Settings(n_clusters=3, outlier_rule=rule, outlier_factor=factor)
            first = next(iter(solve_robust(problem, initial, settings)))
            flagged.append(int(first.outliers.sum()))
        assert flagged == sorted(flagged, reverse=True)
        assert flagged[0] > flagged[-1] == 0

    def test_the_checked_rule_wants_a_task_to_be_better_off_alone(self) -> None:
        """At factor 0.5 some tasks are beyond the fence, but the mixtures fit them."""
        data = simulate(n_tasks=12, n_features=15, n_clusters=2, n_train=60).train
        found = {
            rule: robust_fit(
                data.X, data.y, data.tasks, outlier_factor=0.5, outlier_rule=rule
            ).outliers_.sum()
            for rule in ("checked", "paper")
        }
        assert found["checked"] == 0
        assert found["paper"] > 0

    def test_a_cluster_that_swallowed_an_outlier_gives_it_back(self) -> None:
        """An outlier larger than a whole cluster wins that cluster in the factorisation."""
        sim = tasks()
        data, y = sim.train, sim.train.y.copy()
        y[data.tasks == data.task_names[sim.truth.outliers][0]] *= 20.0
        paper, checked = (
            robust_fit(data.X, y, data.tasks, outlier_rule=rule).outliers_
            for rule in ("paper", "checked")
        )
        assert (~paper & sim.truth.outliers).any()
        np.testing.assert_array_equal(checked, sim.truth.outliers)

    def test_nearest_mixtures_leave_the_others_alone(self, regression: Setup) -> None:
        _, problem, initial = regression
        settings = Settings(n_clusters=3, outlier_rule="paper", outlier_factor=0.5)
        state = list(solve_robust(problem, initial, settings))[-1]
        out = state.outliers
        assert out.any()
        V, b = nearest_mixtures(problem, state)
        np.testing.assert_array_equal(V[:, ~out], state.V[:, ~out])
        np.testing.assert_array_equal(b[~out], state.b[~out])
        np.testing.assert_allclose(V.sum(axis=0), 1.0)
        # clean data: the mixture is nearly as good as the best one on the simplex
        for i in np.flatnonzero(out):
            rows = problem.rows(int(i))
            Z, y = problem.X[rows] @ state.U, problem.y[rows]
            weight = np.full(y.size, 1.0 / y.size)
            best = twins.fit_memberships(Z, y, weight, problem.loss, True)[2]
            assert ((y - Z @ V[:, i] - b[i]) ** 2).mean() <= 1.2 * best


class TestBadInput:
    def test_too_many_outliers(self) -> None:
        data = simulate(n_tasks=6, n_features=15, n_clusters=2, n_train=20).train
        wanted = r"^\d of 6 tasks are outliers, which leaves \d for 6 clusters: raise"
        with pytest.raises(ValueError, match=wanted):
            robust_fit(
                data.X, data.y, data.tasks, n_clusters=6, outlier_factor=0.0, outlier_rule="paper"
            )

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"robust": 1}, "robust is 1: it must be True or False."),
            ({"outlier_factor": -1}, "outlier_factor is -1: it must be a number of 0 or more."),
            ({"outlier_rule": "r"}, "outlier_rule is 'r': it must be 'checked' or 'paper'."),
        ],
        ids=str,
    )
    def test_settings(self, options: dict[str, Any], sentence: str) -> None:
        data = tasks().train
        with pytest.raises(ValueError, match=f"^{sentence}$"):
            STCMTLRegressor(**options).fit(data.X, data.y, data.tasks)

    def test_an_unsettled_last_run_is_warned_of(self) -> None:
        data = tasks().train
        with pytest.warns(match="^The objective had not settled after 2 iterations"):
            robust_fit(data.X, data.y, data.tasks, max_iter=2, tol=0.0, refine=False)
