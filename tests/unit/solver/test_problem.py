"""The solver's view of the data: sorted, centred, weighted, and split into folds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bernoulli, norm

from stcmtl.solver.kernels.clusters import Clusters, cluster_path
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem, Rows, feature_scale
from tests.unit import twins
from tests.unit.problems import random_problem
from tests.unit.twins import LOSSES

CODES = np.array([2, 0, 1, 0, 2, 2, 1])
X = np.arange(14.0).reshape(7, 2) ** 1.5
Y = np.array([10, 20, 30, 40, 50, 60, 70])
ORDER = [1, 3, 2, 6, 0, 4, 5]  # by task, and as they came within a task


class TestBuild:
    def test_rows_are_sorted_by_task_and_keep_their_order(self) -> None:
        problem = Problem.build(X, Y, CODES, SQUARED, fit_intercept=False)
        np.testing.assert_array_equal(problem.X, X[ORDER])
        np.testing.assert_array_equal(problem.y, Y[ORDER])
        assert problem.y.dtype == np.float64
        assert problem.X.flags.f_contiguous
        np.testing.assert_array_equal(problem.means, np.zeros((3, 2)))
        np.testing.assert_array_equal(problem.target_means, np.zeros(3))

    def test_sizes(self) -> None:
        problem = Problem.build(X, Y, CODES, SQUARED, fit_intercept=False)
        assert problem.starts.tolist() == [0, 2, 4, 7]
        assert problem.n_rows.tolist() == [2, 2, 3]
        assert problem.task_of_row.tolist() == [0, 0, 1, 1, 2, 2, 2]
        assert (problem.n_tasks, problem.n_features) == (3, 2)
        np.testing.assert_allclose(problem.weight, [1 / 2] * 4 + [1 / 3] * 3)
        assert problem.rows(1) == slice(2, 4)

    def test_what_a_message_leaves_at_an_odd_byte_is_moved_to_an_even_one(self) -> None:
        state = vars(Problem.build(X, Y, CODES, SQUARED, fit_intercept=True)).copy()
        odd = np.frombuffer(b"." + state["X"].tobytes("F"), dtype=float, offset=1)
        odd = odd.reshape(state["X"].shape, order="F")
        assert not odd.flags.aligned
        arrived = Problem.__new__(Problem)
        arrived.__setstate__({**state, "X": odd})
        assert arrived.X.flags.aligned
        assert arrived.X.flags.f_contiguous
        np.testing.assert_array_equal(arrived.X, state["X"])
        assert arrived.y is state["y"]

    def test_kernels_get_column_major_rows_however_few(self) -> None:
        """Else numba compiles them again, for a minute."""
        one = Problem.build(X[:1], Y[:1], CODES[:1] - 2, SQUARED, fit_intercept=False)
        for problem in (one, Problem.build(X[:, :1], Y, CODES, SQUARED, fit_intercept=False)):
            tasks = problem.as_tasks()
            assert tasks.X.flags.f_contiguous
            assert not tasks.X.flags.c_contiguous
        at = Clusters(np.zeros((2, 1)), np.ones((1, 1)), np.zeros(1))
        U, *_ = cluster_path(one.as_tasks(), at, np.array([[1.0]]), 0.0, 1e-12)
        # x = (0, 1), y = 10: (10 - u)^2 + u is least at 9.5
        np.testing.assert_allclose(U, [[[0.0], [9.5]]])

    @pytest.mark.parametrize("loss", LOSSES)
    def test_an_intercept_centres_the_rows_of_each_task(self, loss: int) -> None:
        """And the targets, but for the logistic loss, where they are labels."""
        problem = Problem.build(X, Y, CODES, loss, fit_intercept=True)
        task = problem.task_of_row
        means = np.array([X[i == CODES].mean(axis=0) for i in range(3)])
        target_means = np.array([30.0, 50.0, 40.0]) * (loss == SQUARED)
        np.testing.assert_allclose(problem.means, means)
        np.testing.assert_allclose(problem.target_means, target_means)
        np.testing.assert_allclose(problem.X, X[ORDER] - means[task], atol=1e-14)
        np.testing.assert_allclose(problem.y, Y[ORDER] - target_means[task], atol=1e-14)

    @pytest.mark.parametrize("loss", LOSSES)
    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_predictions_are_the_same_on_either_scale(self, loss: int, fit_intercept: bool) -> None:
        problem = Problem.build(X, Y, CODES, loss, fit_intercept)
        W, b = np.array([[1.0, -2.0, 0.5], [0.3, 0.0, 4.0]]), np.array([1.0, 2.0, 3.0])
        task = problem.task_of_row
        original = problem.original_intercepts(W, b)
        centred = np.einsum("nd,dn->n", problem.X, W[:, task]) + b[task]
        residual = Y[ORDER] - np.einsum("nd,dn->n", X[ORDER], W[:, task]) - original[task]
        np.testing.assert_allclose(residual, problem.y - centred, atol=1e-12)

    def test_scaling_comes_first(self) -> None:
        scale = np.array([2.0, 10.0])
        problem = Problem.build(X, Y, CODES, SQUARED, True, scale)
        expected = Problem.build(X / scale, Y, CODES, SQUARED, True)
        np.testing.assert_allclose(problem.X, expected.X, atol=1e-14)
        np.testing.assert_allclose(problem.means, expected.means)

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_what_was_given_stays_as_it_was(self, order: str) -> None:
        given, target = X.copy(order=order), Y.copy()
        problem = Problem.build(given, target, CODES, SQUARED, True, np.array([2.0, 3.0]))
        problem.X[:] = 0.0
        problem.y[:] = 0.0
        np.testing.assert_array_equal(given, X)
        np.testing.assert_array_equal(target, Y)


class TestLosses:
    @pytest.mark.parametrize("loss", LOSSES)
    def test_every_task_counts_the_same(self, loss: int) -> None:
        problem = random_problem(loss)
        f = np.random.default_rng(0).normal(size=problem.y.size)
        by_task = [
            twins.row_losses(loss, problem.y[rows], f[rows]).mean()
            for rows in map(problem.rows, range(problem.n_tasks))
        ]
        assert problem.total_loss(f) == pytest.approx(sum(by_task), rel=1e-12)
        np.testing.assert_allclose(
            problem.row_losses(f), twins.row_losses(loss, problem.y, f), rtol=1e-12
        )

    def test_gaussian_likelihood_up_to_a_constant(self) -> None:
        problem = random_problem(SQUARED)
        rng = np.random.default_rng(1)
        for noise in (0.3, 4.0):
            f = rng.normal(size=problem.y.size)
            expected = norm.logpdf(problem.y, f, np.sqrt(noise)).sum()
            constant = -0.5 * problem.y.size * np.log(2 * np.pi)
            assert problem.log_likelihood(f, noise) + constant == pytest.approx(expected)

    def test_bernoulli_likelihood(self) -> None:
        problem = random_problem(LOGISTIC)
        f = np.random.default_rng(2).normal(size=problem.y.size)
        expected = bernoulli.logpmf(problem.y > 0, 1 / (1 + np.exp(-f))).sum()
        assert problem.log_likelihood(f, 1.0) == pytest.approx(expected)

    @pytest.mark.parametrize("loss", LOSSES)
    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_pull_at_the_null_model(self, loss: int, fit_intercept: bool) -> None:
        problem = random_problem(loss, fit_intercept)
        null = np.zeros(problem.y.size)
        if fit_intercept:
            mean = np.array([problem.y[problem.rows(i)].mean() for i in range(problem.n_tasks)])
            level = mean if loss == SQUARED else np.log((1 + mean) / (1 - mean))
            null = level[problem.task_of_row]
        expected, _ = twins.pull_and_stiffness(loss, problem.y, null, np.ones(null.size))
        np.testing.assert_allclose(problem.null_pull, expected, atol=1e-13)


class TestFolds:
    @pytest.mark.parametrize("loss", LOSSES)
    def test_folds_of_a_task_differ_by_one_row_at_most(self, loss: int) -> None:
        problem = random_problem(loss)
        fold = problem.folds(4, seed=0)
        for i in range(problem.n_tasks):
            sizes = np.bincount(fold[problem.rows(i)], minlength=4)
            assert sizes.sum() == problem.n_rows[i]
            assert np.ptp(sizes) <= 1

    def test_labels_are_spread_evenly(self) -> None:
        problem = random_problem(LOGISTIC)
        fold = problem.folds(4, seed=0)
        for i in range(problem.n_tasks):
            y, part = problem.y[problem.rows(i)], fold[problem.rows(i)]
            for label in (-1.0, 1.0):
                assert np.ptp(np.bincount(part[y == label], minlength=4)) <= 1

    def test_the_seed_decides(self) -> None:
        problem = random_problem(SQUARED)
        np.testing.assert_array_equal(problem.folds(4, 0), problem.folds(4, 0))
        assert (problem.folds(4, 0) != problem.folds(4, 1)).mean() > 0.5

    def test_rows_are_shuffled_alike_whatever_the_task(self) -> None:
        problem = random_problem(SQUARED, sizes=(24, 24))
        fold = problem.folds(4, 0)
        assert (fold[:24] != np.arange(24) % 4).any()
        np.testing.assert_array_equal(fold[:24], fold[24:])

    def test_a_small_task_has_a_fold_for_every_row(self) -> None:
        problem = random_problem(SQUARED, sizes=(3, 20))
        assert sorted(problem.folds(5, 0)[:3]) == [0, 1, 2]


class TestRows:
    CODES = np.array([2, 0, 1, 0, 2, 2, 1, 0])
    X = np.random.default_rng(0).normal(size=(8, 3)) * [1.0, 10.0, 100.0]
    Y = np.arange(8.0)

    def rows(self, standardize: bool = False, fit_intercept: bool = False) -> Rows:
        return Rows(self.X, self.Y, self.CODES, SQUARED, fit_intercept, standardize)

    def test_by_task_is_the_order_of_a_problem(self) -> None:
        np.testing.assert_array_equal(self.rows().problem().X, self.X[self.rows().by_task])
        np.testing.assert_array_equal(self.rows().by_task, [1, 3, 7, 2, 6, 0, 4, 5])

    def test_keep_numbers_the_other_tasks_anew(self) -> None:
        kept = self.rows().keep(np.array([True, False, True]))
        np.testing.assert_array_equal(kept.y, [0, 1, 3, 4, 5, 7])
        np.testing.assert_array_equal(kept.codes, [1, 0, 0, 1, 1, 0])
        whole = self.rows().problem().keep(np.array([True, False, True]))
        np.testing.assert_array_equal(kept.problem().X, whole.X)
        np.testing.assert_array_equal(kept.problem().starts, whole.starts)

    def test_a_problem_of_chosen_rows_repeats_what_was_drawn_twice(self) -> None:
        problem = self.rows().problem(np.array([0, 0, 2, 1]))
        np.testing.assert_array_equal(problem.y, [1, 2, 0, 0])
        assert problem.n_rows.tolist() == [1, 1, 2]

    @pytest.mark.parametrize("chosen", [None, np.array([0, 1, 2, 3, 4])])
    def test_scales_are_those_of_the_chosen_rows(self, chosen: np.ndarray | None) -> None:
        problem = self.rows(standardize=True).problem(chosen)
        part = self.X if chosen is None else self.X[chosen]
        np.testing.assert_allclose(problem.scale, part.std(axis=0))
        np.testing.assert_allclose(problem.X.std(axis=0), 1.0)
        A = np.random.default_rng(0).normal(size=(3, 2))
        np.testing.assert_allclose(problem.scaled_coefficients(problem.original_coefficients(A)), A)
        np.testing.assert_allclose(
            problem.X @ problem.scaled_coefficients(A),
            part[np.argsort(self.CODES[: len(part)], kind="stable")] @ A,
        )

    def test_a_constant_feature_keeps_its_scale(self) -> None:
        constant = np.column_stack([np.full(7, 0.1), np.arange(7.0)])
        np.testing.assert_allclose(feature_scale(constant), [1.0, 2.0])

    def test_a_lone_feature_gets_its_companion_back(self) -> None:
        problem = Rows(self.X[:, :1], self.Y, self.CODES, SQUARED, True, False).problem()
        np.testing.assert_array_equal(
            problem.scaled_coefficients(np.ones((1, 2))), [[1, 1], [0, 0]]
        )
