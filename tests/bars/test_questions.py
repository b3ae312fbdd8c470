"""The bars on outliers, K, new tasks and intervals, in a form short enough for every run."""

from benchmarks import questions


def test_outlier_tasks_are_found_and_only_they() -> None:
    table = questions.outliers(range(2), sizes=(100,))
    assert table["exactly right"].eq(1).all()
    assert table["RMSE"].max() <= 0.530
    assert table["REE"].max() <= 0.018


def test_clean_data_has_no_outliers() -> None:
    table = questions.clean(range(1))
    assert table.xs("checked", level="rule")["none flagged"].eq(1).all()


def test_k_is_right() -> None:
    table = questions.k(range(1), true_ks=(3, 5), n_tasks=36, n_features=80)
    assert table["one SE"].eq(1).all()


def test_new_tasks_are_placed_as_well_as_the_true_clusters_allow() -> None:
    assert questions.new(range(1))["ratio"].max() <= 1.2


def test_intervals_hold_the_truth() -> None:
    table = questions.sure(range(2), sizes=((100, 3),))
    for kind in ("memberships", "all coefficients", "strengths"):  # of a few draws, each
        assert table[kind].between(0.75, 1.0).all()
        assert 0.86 <= table.loc["cone", kind].mean() <= 0.95
    assert (
        table.loc["simplex", ["memberships", "all coefficients"]].mean().between(0.86, 0.94).all()
    )
