"""Columns of tasks against memberships: who goes with the clusters, and who only by chance."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stcmtl.evaluation.task_columns import correct, relate_columns, say_columns, say_going


def clustered(labels: Any, K: int = 3, outliers: Any = ()) -> SimpleNamespace:
    """A model whose tasks are in one cluster each."""
    V = np.eye(K)[np.asarray(labels)]
    out = np.isin(np.arange(len(V)), outliers)
    V[out] = 0.0
    names = np.array([f"task{i:02d}" for i in range(len(V))])
    return SimpleNamespace(task_names_=names, memberships_=V, outliers_=out)


def frame(model: Any, **columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns, index=model.task_names_)


def row(table: pd.DataFrame, column: str) -> pd.Series:
    return table.set_index("column").loc[column]


LABELS = np.repeat([0, 1, 2], 8)
RNG = np.random.default_rng


def test_what_follows_clusters_is_told_from_what_does_not() -> None:
    rng, model = RNG(0), clustered(LABELS)
    table = relate_columns(
        model,
        frame(
            model,
            region=np.array(["north", "south", "west"])[LABELS],
            middle=np.where(LABELS == 1, 10.0, 0.0) + rng.normal(size=24),
            noise=rng.normal(size=24),
            coin=rng.choice(["heads", "tails"], 24),
            address=[f"street {i}" for i in range(24)],
        ),
    )
    assert row(table, "region")["explained"] == pytest.approx(1.0)
    assert row(table, "middle")["corrected p"] < 0.01
    assert table.set_index("column").loc[["noise", "coin"], "corrected p"].min() > 0.05
    assert np.isnan(row(table, "address")["p"])
    assert say_columns(table) == (
        "region (p < 0.001) and middle (p < 0.001) go with the clusters; noise and coin do not."
    )


def test_of_hard_clusters_it_is_kruskal_wallis_and_chi_squared() -> None:
    """The statistics are these up to a factor; of ranks, p is as in large samples."""
    rng, model = RNG(3), clustered(LABELS)
    size = rng.normal(size=24) + 0.6 * LABELS
    kind = np.where(rng.random(24) < 0.3 + 0.2 * LABELS, "a", "b")
    table = relate_columns(model, frame(model, size=size, kind=kind))
    H, p_size = stats.kruskal(*(size[k == LABELS] for k in range(3)))
    assert row(table, "size")["explained"] == pytest.approx(H / 23)
    assert row(table, "size")["p"] == pytest.approx(p_size, abs=0.02)
    chi2 = stats.chi2_contingency(pd.crosstab(LABELS, kind), correction=False)
    # with two levels |Y|^2 is the variance of either, and chi2 / T the share between clusters
    assert row(table, "kind")["explained"] == pytest.approx(chi2.statistic / 24)


def test_more_levels_than_clusters_do_not_hide_that_clusters_follow_from_them() -> None:
    """Four regions, two of which make a cluster; and Cramer's V of any such table."""
    model = clustered(np.repeat([0, 1], 12), K=2)
    region = np.tile(["north", "east"], 6).tolist() + np.tile(["south", "west"], 6).tolist()
    kind = RNG(2).choice(["a", "b", "c", "d"], 24)
    table = relate_columns(model, frame(model, region=region, kind=kind))
    assert row(table, "region")["explained"] == pytest.approx(1.0)
    counts = pd.crosstab(np.repeat([0, 1], 12), kind)
    cramer = stats.contingency.association(counts, method="cramer")
    assert row(table, "kind")["explained"] == pytest.approx(cramer**2)


def test_p_values_of_chance_are_uniform() -> None:
    rng = RNG(1)
    V = rng.dirichlet(np.ones(3), 20)
    model = SimpleNamespace(
        task_names_=np.arange(20), memberships_=V, outliers_=np.zeros(20, dtype=bool)
    )
    columns = pd.DataFrame({f"c{i}": rng.normal(size=20) for i in range(200)})
    p = relate_columns(model, columns, n_permutations=199)["p"]
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert relate_columns(model, columns.iloc[:, :40])["corrected p"].min() > 0.05


def test_outliers_and_empty_cells_take_no_part() -> None:
    model = clustered(LABELS, outliers=[0, 23])
    size = np.where(LABELS == 0, 1.0, 0.0)
    size[5] = np.nan
    found = relate_columns(model, frame(model, size=size)).iloc[0]
    assert found["tasks"] == 21
    assert found["corrected p"] < 0.01


def test_rows_are_found_by_the_names_of_tasks() -> None:
    model = clustered(LABELS)
    columns = frame(model, region=LABELS.astype(str)).iloc[::-1]
    assert relate_columns(model, columns)["explained"].iloc[0] == pytest.approx(1.0)


@pytest.mark.parametrize("K", [0, 1])
def test_without_a_second_cluster_nothing_is_tested(K: int) -> None:
    model = clustered(np.zeros(6, dtype=int), max(K, 1))
    model.memberships_ = model.memberships_[:, :K]
    table = relate_columns(model, frame(model, size=range(6)))
    assert table["p"].isna().all()
    assert say_columns(table) == ""


def test_holm() -> None:
    corrected = correct(np.array([0.04, np.nan, 0.01, 0.03]))
    np.testing.assert_allclose(corrected, [0.06, np.nan, 0.03, 0.06])


def test_one_sentence_for_one_column() -> None:
    model = clustered(LABELS)
    alone = relate_columns(model, frame(model, coin=["a", "b"] * 12))
    assert say_columns(alone) == "coin does not go with the clusters beyond chance."
    yes = relate_columns(model, frame(model, region=LABELS.astype(str)))
    assert say_columns(yes) == "region (p < 0.001) goes with the clusters."


def test_beside_the_cards_only_what_goes_with_the_clusters_is_told() -> None:
    table = pd.DataFrame({"column": ["region", "size"], "corrected p": [0.0004, 0.3]})
    assert say_going(table) == "Column of the tasks: region (p < 0.001) goes with the clusters."
    both = table.assign(**{"corrected p": [0.0004, 0.02]})
    assert say_going(both).startswith(
        "Columns of the tasks: region (p < 0.001) and size (p = 0.02) go"
    )
    assert say_going(table[1:]) == ""
    assert say_going(table[:0]) == ""
