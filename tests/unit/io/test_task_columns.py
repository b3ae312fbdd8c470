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
        ({}, ("staff", "price")),
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
