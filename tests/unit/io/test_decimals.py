"""Numbers with a decimal comma, and dots that mean thousands, dates or fractions."""

import pytest

from stcmtl import read

SIZE = 20


def written(**columns: list[str]) -> tuple[str, bytes]:
    columns = {"task": [f"t{n % 2}" for n in range(SIZE)], **columns}
    lines = [";".join(columns), *(";".join(row) for row in zip(*columns.values(), strict=True))]
    return "a.csv", "\n".join(lines).encode()


COMMAS = [f"{30 + n},{n % 10}" for n in range(SIZE)]
NUMBERS = [30 + n + n % 10 / 10 for n in range(SIZE)]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ([f"{30 + n}.000" for n in range(SIZE)], [(30 + n) * 1000 for n in range(SIZE)]),
        ([f"1.{100 + n}.500" for n in range(SIZE)], [1100500 + 1000 * n for n in range(SIZE)]),
        ([f"0.{100 + n}" for n in range(SIZE)], [(100 + n) / 1000 for n in range(SIZE)]),
        ([f"{n}.25" for n in range(SIZE)], [n + 0.25 for n in range(SIZE)]),
        (
            ["1.5", *(f"{n}.250" for n in range(1, SIZE))],
            [1.5, *(n + 0.25 for n in range(1, SIZE))],
        ),
    ],
    ids=["thousands", "millions", "below one", "fractions", "a fraction among them"],
)
def test_dots_beside_decimal_commas(cells: list[str], numbers: list[float]) -> None:
    data, account = read(written(size=cells, weight=COMMAS, price=COMMAS[::-1]))
    assert data.feature_names == ("size", "weight")
    assert data.X[:, 0].tolist() == pytest.approx(numbers)
    assert data.X[:, 1].tolist() == pytest.approx(NUMBERS)
    assert data.y.tolist() == pytest.approx(NUMBERS[::-1])
    assert "numbers have a decimal comma" in account.guessed


def test_dates_with_dots_are_dates_beside_thousands() -> None:
    dates = [f"0{1 + n // 2 % 2}.02.2024" for n in range(SIZE)]
    data, account = read(written(day=dates, size=["30.000"] * SIZE, price=COMMAS))
    assert account.encoded["day"][-1] == "days since 2024-02-01"
    days = data.X[:, data.feature_names.index("day: days")]
    assert days.tolist() == [n // 2 % 2 for n in range(SIZE)]
    assert "a dot separates thousands" in account.guessed
    assert set(data.X[:, -1]) == {30000}


def test_commas_for_thousands_stay_so_beside_points() -> None:
    data, _ = read(written(size=[f"{n + 1},000" for n in range(SIZE)], price=["1.5", "2.25"] * 10))
    assert data.X[:, 0].tolist() == [1000 * (n + 1) for n in range(SIZE)]
