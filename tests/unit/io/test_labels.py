"""Targets of labels: what is said where they are too many, too few or of the wrong kind."""

from typing import Any

import pytest

from stcmtl import ReadError, read


def table(n_labels: int) -> tuple[str, bytes]:
    rows = [f"{'ab'[n % 2]},{n},t{n % n_labels}" for n in range(2 * n_labels)]
    return "a.csv", "\n".join(["task,x,y", *rows]).encode()


@pytest.mark.parametrize(
    ("n_labels", "task_type", "sentence"),
    [
        (
            90,
            None,
            "a.csv has 90 labels in the target 'y' (t0, t1, t2, t3, t4, t5 and 84 more): keep two "
            "of them, or pass task_type='classification' to make every label a task against the "
            "rest.",
        ),
        (
            120,
            "classification",
            "a.csv has 120 labels in the target 'y' (t0, t1, t2, t3, t4, t5 and 114 more): name "
            "another column, or keep 100 labels at most.",
        ),
        (
            2,
            "regression",
            "a.csv has text in the target 'y' (t0, t1), which cannot be the target of a "
            "regression: name a column of numbers, or leave out task_type='regression'.",
        ),
    ],
)
def test_remedy_is_one_that_helps(n_labels: int, task_type: str | None, sentence: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(table(n_labels), target="y", task_type=task_type)
    assert str(caught.value) == sentence


def test_the_remedy_of_few_labels_is_taken() -> None:
    data, _ = read(table(5), target="y", task_type="classification")
    assert len(data) == 10


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["yes", "no", "Yes ", "no", "yes", "NO", "yes", "no"], ("no", "yes")),
        (["1.0", "2.0", "1.0", "2.0", "", "2.0", "1.0", "1.0"], (1, 2)),
        (["True", "False", "", "True", "False", "True", "", "False"], (False, True)),
    ],
    ids=["spellings", "whole numbers", "truths with holes"],
)
def test_two_labels_however_written(cells: list[str], labels: tuple[Any, Any]) -> None:
    lines = ["task,x,y", *(f"{'ab'[n // 4]},{n}.5,{cell}" for n, cell in enumerate(cells))]
    data, account = read(("a.csv", "\n".join(lines).encode()))
    assert account.classes == labels
    assert [type(label) for label in account.classes] == [type(label) for label in labels]
    kept = [cell.strip().casefold() for cell in cells if cell]
    positive = [cell in ("yes", "2.0", "true") for cell in kept]
    assert (data.y == labels[1]).tolist() == positive
