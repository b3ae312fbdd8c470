"""What a file says of tasks, and not of their rows, is kept whether or not it is a feature."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import read
from stcmtl.data.splits import split_rows

RNG = np.random.default_rng(0)
STORES = [f"s{i:02d}" for i in range(12)]
LEVELS = ("region=north", "region=south", "region=west")
TABLE = pd.DataFrame(
    {
        "store": np.repeat(STORES, 9),
        "region": np.repeat(["north", "south", "west"] * 4, 9),
        "staff": np.repeat(np.arange(12) + 3, 9),
        "price": RNG.normal(size=108),
        "sales": RNG.normal(size=108),
    }
)


def read_stores(**options: Any) -> Any:
    table = options.pop("table", TABLE)
    content = table.to_csv(index=False).encode()
    return read(("stores.csv", content), task="store", target="sales", **options)


@pytest.mark.parametrize(
    ("options", "features"),
    [
        ({}, ("price",)),
        ({"features": ["staff", "price"]}, ("staff", "price")),
        ({"features": ["price"]}, ("price",)),
        ({"exclude": ["region", "staff"]}, ("price",)),
        (
            {"features": ["region", "price"]},
            ("region=north", "region=south", "region=west", "price"),
        ),
    ],
    ids=str,
)
def test_they_are_there_whatever_becomes_a_feature(
    options: dict[str, Any], features: tuple[str, ...]
) -> None:
    data, _ = read_stores(**options)
    assert data.feature_names == features
    columns = data.task_columns[["region", "staff"]]
    assert columns.index.tolist() == STORES
    assert columns["region"].tolist() == ["north", "south", "west"] * 4
    assert columns["staff"].tolist() == [*range(3, 15)]
    for part in split_rows(data):
        pd.testing.assert_frame_equal(part.task_columns, data.task_columns)


def test_the_account_says_why_numbers_of_tasks_are_no_features() -> None:
    _, account = read_stores()
    why = "the same in all rows of a task; kept to compare tasks by"
    assert {f"column {name!r}, {why}" for name in ("region", "staff")} <= account.dropped.keys()


def test_dates_of_tasks_are_no_features() -> None:
    opened = np.repeat(pd.date_range("2001-02-03", periods=12, freq="97D"), 9)
    data, _ = read_stores(table=TABLE.assign(opened=opened.strftime("%Y-%m-%d")))
    assert data.feature_names == ("price",)
    assert pd.Timestamp(data.task_columns["opened"].iloc[0]) == pd.Timestamp("2001-02-03")


def test_what_moves_in_some_tasks_is_a_feature() -> None:
    staff = TABLE["staff"].where(TABLE.index != 107, 3)  # one row of one store
    data, account = read_stores(table=TABLE.assign(staff=staff))
    assert data.feature_names == ("staff", "price")
    assert "staff" not in data.task_columns
    assert not any("staff" in dropped for dropped in account.dropped)


def test_where_nothing_else_is_left_numbers_are_features() -> None:
    assert read_stores(table=TABLE.drop(columns="price"))[0].feature_names == ("staff",)


def test_with_a_row_per_task_every_column_is_a_feature() -> None:
    assert read_stores(table=TABLE[::9])[0].feature_names == (*LEVELS, "staff", "price")


def test_rows_without_a_target_change_nothing() -> None:
    table = TABLE.assign(sales=TABLE["sales"].where(TABLE.index % 9 != 4))
    data, _ = read_stores(table=table, features=["price"])
    assert data.task_columns["region"].tolist() == ["north", "south", "west"] * 4


def test_without_any_there_is_none() -> None:
    assert read_stores(table=TABLE[["store", "price", "sales"]])[0].task_columns is None


def test_labels_that_became_tasks_have_none() -> None:
    table = TABLE.assign(sales=RNG.choice(list("abc"), 108))
    data, account = read_stores(table=table, task_type="classification")
    assert account.understood["each_label"]
    assert data.task_columns is None
