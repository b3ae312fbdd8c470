"""The restricted likelihood: its value by the book, its slopes by differences, both layouts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from stcmtl.baselines.mixed import NEARLY_FLAT, Layout, MixedModel, Task, Variances

Array = NDArray[np.float64]
LABELS = {"numbers": None, "labels": 0.7}  # the noise where it is known


def tasks(sizes: tuple[int, ...], q: int) -> list[tuple[Array, Array]]:
    rng = np.random.default_rng(1)
    common = rng.normal(size=q)
    drawn = []
    for n in sizes:
        Z = rng.normal(size=(n, q))
        Z[:, 0] = 1.0
        drawn.append((Z, Z @ (common + 0.5 * rng.normal(size=q)) + 0.7 * rng.normal(size=n)))
    return drawn


def model(drawn: list[tuple[Array, Array]], noise: float | None = None) -> MixedModel:
    q = drawn[0][0].shape[1]
    compressed = [Task.compress(Z, y) for Z, y in drawn]
    return MixedModel(compressed, np.arange(q) > 0, noise)


def at(q: int, k: int) -> Variances:
    rng = np.random.default_rng(2)
    return Variances(rng.uniform(0.1, 0.6, size=q), 0.3 * rng.normal(size=(q, k)), -0.4)


def full(q: int) -> Variances:
    rng = np.random.default_rng(2)
    return Variances(np.zeros(q), np.tri(q) * rng.normal(size=(q, q)), None)


def by_the_book(drawn: list[tuple[Array, Array]], there: Variances) -> tuple[float, Array, float]:
    """The density of all rows with the common effects drawn too, noise at its best; and they."""
    q = drawn[0][0].shape[1]
    Z = np.vstack([rows for rows, _ in drawn])
    y = np.concatenate([target for _, target in drawn])
    prior = np.full(q, NEARLY_FLAT)
    flat = q
    if there.log_tau is not None:
        prior[1:], flat = np.exp(there.log_tau), 1
    V = np.eye(y.size)
    start = 0
    for rows, target in drawn:
        part = slice(start, start + target.size)
        V[part, part] += rows @ there.psi @ rows.T
        start += target.size
    beta = np.linalg.solve(
        Z.T @ np.linalg.solve(V, Z) + np.diag(1.0 / prior), Z.T @ np.linalg.solve(V, y)
    )
    marginal = V + Z @ np.diag(prior) @ Z.T
    noise = y @ np.linalg.solve(marginal, y) / (y.size - flat)
    value = np.linalg.slogdet(marginal)[1] + (y.size - flat) * np.log(noise)
    value -= flat * np.log(NEARLY_FLAT)  # of which the criterion leaves out the constant
    if there.log_tau is not None:
        value += q * np.log(1.0 + np.trace(there.psi))
    return float(value), beta, float(noise)


@pytest.mark.parametrize(
    "there", [at(4, 0), at(4, 2), full(4)], ids=["diagonal", "low rank", "full"]
)
def test_the_criterion_is_the_density_of_all_rows(there: Variances) -> None:
    drawn = tasks((3, 9, 20, 4), 4)
    value, common, noise = by_the_book(drawn, there)
    found = model(drawn).evaluate(there)
    assert found.value == pytest.approx(value, rel=1e-6)
    assert found.noise == pytest.approx(noise, rel=1e-6)
    np.testing.assert_allclose(found.common, common, rtol=1e-6)
    for (Z, y), own in zip(drawn, found.own, strict=True):
        H = np.eye(y.size) + Z @ there.psi @ Z.T
        expected = there.psi @ Z.T @ np.linalg.solve(H, y - Z @ found.common)
        np.testing.assert_allclose(own, expected, atol=1e-10)


@pytest.mark.parametrize("noise", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize(
    ("there", "layout"),
    [
        (at(5, 0), Layout.low_rank(5, 0)),
        (at(5, 2), Layout.low_rank(5, 2)),
        (full(5), Layout.full(5)),
    ],
    ids=["diagonal", "low rank", "full"],
)
def test_slopes_are_those_of_the_criterion(
    there: Variances, layout: Layout, noise: float | None
) -> None:
    mixed, theta, size = model(tasks((3, 12, 7), 5), noise), layout.pack(there), 1e-5
    found = mixed.evaluate(there)
    slopes = [2.0 * there.diagonal * found.along_diagonal] if layout.has_diagonal else []
    slopes += [2.0 * found.along_probe[layout.mask], np.full(int(layout.has_tau), found.along_tau)]
    differences = [
        mixed.evaluate(layout.unpack(theta + step)).value
        - mixed.evaluate(layout.unpack(theta - step)).value
        for step in size * np.eye(theta.size)
    ]
    np.testing.assert_allclose(
        np.concatenate(slopes), np.array(differences) / (2.0 * size), rtol=1e-5, atol=1e-5
    )


def test_a_probe_gives_the_slope_along_other_columns() -> None:
    mixed, there = model(tasks((6, 12, 7), 4)), at(4, 1)
    slope = mixed.evaluate(there, np.eye(4)).along_probe
    found = mixed.evaluate(there)
    np.testing.assert_allclose(np.diag(slope), found.along_diagonal, rtol=1e-10)
    np.testing.assert_allclose(slope @ there.factor, found.along_probe, atol=1e-10)


def test_rows_beyond_the_columns_are_compressed_without_loss() -> None:
    drawn = tasks((40, 15), 4)
    plain = MixedModel([Task(Z, y, 0.0, 0) for Z, y in drawn], np.arange(4) > 0)
    small = model(drawn)
    assert {task.y.size for task in small.tasks} == {4}
    one, other = plain.evaluate(at(4, 1)), small.evaluate(at(4, 1))
    assert one.value == pytest.approx(other.value, rel=1e-12)
    np.testing.assert_allclose(one.own, other.own, atol=1e-12)
    np.testing.assert_allclose(one.along_probe, other.along_probe, rtol=1e-8, atol=1e-10)


def test_the_way_down_ends_where_slopes_vanish() -> None:
    mixed = model(tasks((12,) * 15, 3))
    there, has_settled = mixed.descend(full(3), Layout.full(3), 200)
    assert has_settled
    assert np.abs(mixed.evaluate(there).along_probe).max() < 1e-2
    assert mixed.evaluate(there).value < mixed.evaluate(full(3)).value
    _, in_two = mixed.descend(full(3), Layout.full(3), 2)
    assert not in_two
