"""The task column a person would choose, in tables as people have them and without a hint."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import csv_bytes, npz_bytes
from stcmtl import Account, ReadError, TaskSet, read
from stcmtl.io.guess import ChoiceNeededError
from stcmtl.io.names import find_role, weigh_target_name
from stcmtl.io.reading import Opened, open_source
from stcmtl.io.tables import Asked

Table = dict[str, Any]
RNG = np.random.default_rng


def source(table: Table | pd.DataFrame) -> tuple[str, bytes]:
    return "a.csv", csv_bytes(pd.DataFrame(table))


def read_table(table: Table | pd.DataFrame, **options: Any) -> tuple[TaskSet, Account]:
    return read(source(table), **options)


def open_table(table: Table | pd.DataFrame) -> Opened:
    return open_source(source(table))


def normal(rng: np.random.Generator, size: int, mean: float = 0.0) -> Any:
    return rng.normal(mean, 1.0 + abs(mean) / 9, size).round(3)


def repeat(names: Any, sizes: Any) -> Any:
    return np.repeat(np.array(names), sizes)


# Ten shapes, and relatives of theirs: the task column and the target that a person would name.


def panel() -> Table:
    rng = RNG(1)
    countries = [f"{a}{b}land" for a in "ABCDE" for b in "aeiou"]
    n = len(countries) * 20
    continent = dict(zip(countries, rng.choice(["Asia", "Africa", "Europe"], 25), strict=True))
    country = np.repeat(countries, 20)
    return {
        "country": country,
        "continent": [continent[c] for c in country],
        "year": np.tile(np.arange(1995, 2015), 25),
        "population": rng.integers(10**6, 10**8, n),
        "life_expectancy": normal(rng, n, 65),
        "gdp_per_capita": normal(rng, n, 9000),
    }


def schools() -> Table:
    rng = RNG(2)
    sizes = rng.integers(12, 60, 30)
    n = int(sizes.sum())
    return {
        "pupil_id": rng.permutation(n) + 1000,
        "school": repeat([f"School {k}" for k in range(30)], sizes),
        "district": repeat(rng.choice(["north", "south", "east"], 30), sizes),
        "gender": rng.choice(["f", "m"], n),
        "grade": rng.integers(7, 10, n),
        "hours_of_homework": rng.integers(0, 12, n),
        "free_lunch": rng.integers(0, 2, n),
        "math_score": normal(rng, n, 50),
    }


def stores() -> Table:
    rng = RNG(3)
    sizes = rng.integers(76, 89, 30)
    n = int(sizes.sum())
    store = repeat(np.arange(1, 31), sizes)
    return {
        "date": pd.concat(
            [pd.Series(pd.date_range("2023-01-02", periods=k)) for k in sizes]
        ).values,
        "store": store,
        "region": np.where(store % 2, "north", "south"),
        "promo": rng.integers(0, 2, n),
        "weekday": rng.choice(["Mon", "Tue", "Wed"], n),
        "customers": rng.integers(200, 900, n),
        "price": normal(rng, n, 4),
        "sales": normal(rng, n, 3000),
    }


def patients() -> Table:
    rng = RNG(4)
    sizes = rng.integers(6, 11, 40)
    n = int(sizes.sum())
    return {
        "patient_id": repeat([f"P{k:03}" for k in rng.permutation(40)], sizes),
        "hospital": repeat(rng.choice(["A", "B", "C"], 40), sizes),
        "sex": repeat(rng.choice(["female", "male"], 40), sizes),
        "age": repeat(rng.integers(30, 80, 40), sizes),
        "visit": np.concatenate([np.arange(1, k + 1) for k in sizes]),
        "treatment": repeat(rng.choice(["drug", "placebo"], 40), sizes),
        "dose": rng.choice([0, 5, 10], n),
        "weight": normal(rng, n, 70),
        "systolic_bp": normal(rng, n, 130),
    }


def sensors() -> Table:
    rng = RNG(5)
    n = 12 * 96
    times = pd.date_range("2024-03-01", periods=96, freq="h")
    rows = rng.permutation(n)
    frame = pd.DataFrame(
        {
            "timestamp": np.tile(times, 12),
            "sensor": np.repeat([f"s-{k:02}" for k in range(12)], 96),
            "floor": np.repeat(np.arange(12) // 4, 96),
            "temperature": normal(rng, n, 20),
            "humidity": normal(rng, n, 45),
            "status": rng.choice(["ok", "low battery"], n),
            "co2": normal(rng, n, 600),
        }
    )
    return frame.iloc[rows].to_dict("list")


def farms() -> Table:
    rng = RNG(6)
    n = 18 * 8
    return {
        "farm": np.repeat([f"farm {c}" for c in "abcdefghijklmnopqr"], 8),
        "plot": np.tile(np.arange(1, 9), 18),
        "soil": rng.choice(["clay", "sand", "loam"], n),
        "variety": rng.choice(["A1", "B2"], n),
        "rain": normal(rng, n, 600),
        "nitrogen": rng.integers(0, 200, n),
        "yield": normal(rng, n, 7),
    }


def drivers() -> Table:
    rng = RNG(7)
    n = 900
    return {
        "trip_id": np.arange(50_000, 50_000 + n),
        "driver_id": rng.integers(101, 126, n),
        "vehicle_type": rng.choice(["van", "truck", "car"], n),
        "start": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**6, n), "min"),
        "distance_km": normal(rng, n, 30),
        "stops": rng.integers(0, 9, n),
        "rush_hour": rng.integers(0, 2, n).astype(bool),
        "fuel_used": normal(rng, n, 3),
    }


def machines() -> Table:
    rng = RNG(8)
    sizes = rng.integers(80, 160, 15)
    n = int(sizes.sum())
    cycles = [np.arange(1, k + 1) for k in sizes]
    return {
        "unit": repeat(np.arange(1, 16), sizes),
        "cycle": np.concatenate(cycles),
        "setting_1": normal(rng, n),
        "setting_2": rng.integers(1, 4, n),
        **{f"sensor_{k}": normal(rng, n, 10 * k) for k in range(1, 5)},
        "sensor_5": rng.integers(390, 395, n),
        "RUL": np.concatenate([c[::-1] for c in cycles]),
    }


def trials() -> Table:
    rng = RNG(9)
    n = 24 * 40
    return {
        "subject": np.repeat(np.arange(1, 25), 40),
        "group": np.repeat(rng.choice(["control", "patient"], 24), 40),
        "block": np.tile(np.repeat([1, 2, 3, 4], 10), 24),
        "trial": np.tile(np.arange(1, 41), 24),
        "condition": rng.choice(["congruent", "incongruent", "neutral"], n),
        "contrast": normal(rng, n),
        "correct": rng.integers(0, 2, n),
        "rt": normal(rng, n, 600),
    }


def products() -> Table:
    rng = RNG(10)
    n = 40 * 52
    return {
        "product": np.tile([f"item {k}" for k in range(40)], 52),
        "category": np.tile(np.repeat(["dairy", "bread", "fruit", "meat"], 10), 52),
        "week": np.repeat(np.arange(1, 53), 40),
        "price": normal(rng, n, 3),
        "on_promotion": rng.integers(0, 2, n),
        "stock": rng.integers(0, 500, n),
        "units_sold": rng.integers(0, 900, n),
    }


def german_schools() -> Table:
    rng = RNG(11)
    sizes = rng.integers(15, 40, 20)
    n = int(sizes.sum())
    return {
        "lfd_nr": np.arange(1, n + 1) * 3,
        "Schulnummer": repeat(rng.permutation(20) + 4711, sizes),
        "Bundesland": repeat(rng.choice(["Bayern", "Hessen", "Sachsen"], 20), sizes),
        "Geschlecht": rng.choice(["m", "w"], n),
        "Klassenstufe": rng.integers(5, 8, n),
        "Lernzeit": normal(rng, n, 5),
        "Punkte": normal(rng, n, 60),
    }


def german_branches() -> Table:
    rng = RNG(12)
    n = 14 * 60
    return {
        "Filiale": np.tile([f"Filiale {c}" for c in "ABCDEFGHIJKLMN"], 60),
        "Gebiet": np.tile(["Nord", "Süd"] * 7, 60),
        "Kalenderwoche": np.repeat(np.arange(1, 61) % 52 + 1, 14),
        "Jahr": np.repeat(2022 + np.arange(60) // 52, 14),
        "Werbung": rng.integers(0, 2, n),
        "Temperatur": normal(rng, n, 12),
        "Umsatz": normal(rng, n, 9000),
    }


def german_weather() -> Table:
    rng = RNG(13)
    n = 9 * 120
    return {
        "Messstation": np.repeat([f"St. {c}" for c in "abcdefghi"], 120),
        "Höhe": np.repeat(rng.integers(10, 2000, 9), 120),
        "Tag": np.tile(np.arange(1, 121), 9),
        "Luftdruck": normal(rng, n, 1013),
        "Wind": normal(rng, n, 4),
        "Niederschlag": normal(rng, n, 3),
    }


def german_probands() -> Table:
    rng = RNG(14)
    n = 30 * 20
    return {
        "vp": np.repeat(np.arange(1, 31), 20),
        "alter": np.repeat(rng.integers(18, 60, 30), 20),
        "durchgang": np.tile(np.arange(1, 21), 30),
        "bedingung": rng.choice(["a", "b"], n),
        "abstand": normal(rng, n),
        "reaktionszeit": normal(rng, n, 500),
    }


def french_farms() -> Table:
    rng = RNG(15)
    n = 22 * 12
    return {
        "exploitation": np.repeat([f"Ferme {k}" for k in range(22)], 12),
        "département": np.repeat(rng.choice(["Ain", "Gers", "Orne", "Var"], 22), 12),
        "année": np.tile(np.arange(2008, 2020), 22),
        "pluie": normal(rng, n, 700),
        "engrais": rng.integers(0, 150, n),
        "rendement": normal(rng, n, 70),
    }


def french_sensors() -> Table:
    rng = RNG(16)
    n = 8 * 200
    return {
        "id_capteur": rng.permutation(np.repeat(np.arange(11, 19), 200)),
        "horodatage": pd.date_range("2024-01-01", periods=n, freq="7min"),
        "pression": normal(rng, n, 5),
        "débit": normal(rng, n, 2),
        "état": rng.choice(["marche", "arrêt"], n),
        "consommation": normal(rng, n, 30),
    }


def french_patients() -> Table:
    rng = RNG(17)
    sizes = rng.integers(5, 12, 25)
    n = int(sizes.sum())
    return {
        "numéro": np.arange(n) + 17,
        "hôpital": repeat(rng.choice(["Lyon", "Lille"], 25), sizes),
        "patient": repeat([f"p{k}" for k in range(25)], sizes),
        "sexe": repeat(rng.choice(["F", "H"], 25), sizes),
        "visite": np.concatenate([np.arange(k) for k in sizes]),
        "dose": rng.choice([1, 2, 4], n),
        "réponse": normal(rng, n, 10),
    }


def spanish_stores() -> Table:
    rng = RNG(18)
    n = 16 * 50
    return {
        "fecha": np.repeat(pd.date_range("2024-01-01", periods=50), 16),
        "tienda": np.tile([f"T{k}" for k in range(16)], 50),
        "provincia": np.tile(np.repeat(["Soria", "Jaén", "Lugo", "León"], 4), 50),
        "festivo": rng.integers(0, 2, n),
        "precio": normal(rng, n, 4),
        "ventas": normal(rng, n, 800),
    }


def unnamed_codes() -> Table:
    """Codes without a telling name, sorted, with what belongs to each."""
    rng = RNG(19)
    sizes = rng.integers(10, 30, 12)
    n = int(sizes.sum())
    return {
        "k": repeat(np.arange(12), sizes),
        "a": normal(rng, n),
        "b": rng.integers(0, 4, n),
        "c": normal(rng, n),
        "z": normal(rng, n),
    }


def unnamed_panel() -> Table:
    """Shuffled rows: only that every code has every year once tells that it is a key."""
    rng = RNG(20)
    frame = pd.DataFrame(
        {
            "t": np.tile(np.arange(2001, 2016), 20),
            "year": np.tile(np.arange(2001, 2016), 20),
            "ccode": np.repeat(rng.choice(np.arange(2, 900), 20, replace=False), 15),
            "polity": rng.integers(-10, 11, 300),
            "trade": normal(rng, 300),
            "conflict": normal(rng, 300),
        }
    ).drop(columns="t")
    return frame.sample(frac=1, random_state=0).to_dict("list")


def names_and_numbers() -> Table:
    """A number and a name of the same things."""
    rng = RNG(21)
    sizes = rng.integers(20, 50, 10)
    n = int(sizes.sum())
    return {
        "store_id": repeat(np.arange(10) + 100, sizes),
        "store_name": repeat([f"Shop {c}" for c in "abcdefghij"], sizes),
        "area_m2": repeat(rng.integers(50, 900, 10), sizes),
        "ads": normal(rng, n),
        "revenue": normal(rng, n, 100),
    }


def pupils_over_years() -> Table:
    """Three rows per pupil are too few for a fit: the school is the task."""
    rng = RNG(22)
    n = 200 * 3
    return {
        "student": np.repeat(np.arange(200) + 1, 3),
        "school": np.repeat([f"sch{k}" for k in np.arange(200) // 20], 3),
        "wave": np.tile([1, 2, 3], 200),
        "ses": normal(rng, n),
        "female": np.repeat(rng.integers(0, 2, 200), 3),
        "reading_score": normal(rng, n, 100),
    }


def unbalanced_customers() -> Table:
    rng = RNG(23)
    sizes = np.maximum(3, (200 / np.arange(1, 40)).astype(int))
    n = int(sizes.sum())
    order = rng.permutation(n)
    return {
        "order_no": np.arange(n) + 9000,
        "customer": repeat([f"C-{k}" for k in range(39)], sizes)[order],
        "channel": rng.choice(["web", "phone"], n),
        "month": rng.choice(["Jan", "Feb", "Mar", "Apr", "May"], n),
        "quantity": rng.integers(1, 20, n),
        "discount": normal(rng, n),
        "amount": normal(rng, n, 80),
    }


def holes() -> Table:
    """Missing cells in the decoys and in the target."""
    rng = RNG(24)
    n = 20 * 15
    region = np.repeat(rng.choice(["n", "s", "w"], 20), 15).astype(object)
    region[rng.choice(n, 30, replace=False)] = None
    target = normal(rng, n, 20)
    target[rng.choice(n, 40, replace=False)] = np.nan
    return {
        "region": region,
        "well": np.repeat([f"W{k}" for k in range(20)], 15),
        "depth": normal(rng, n, 100),
        "ph": normal(rng, n, 7),
        "arsenic": target,
    }


def loans() -> Table:
    rng = RNG(25)
    n = 1500
    return {
        "loan_id": [f"L{k:05}" for k in rng.permutation(n)],
        "branch_code": rng.choice([1001, 1002, 1007, 1011, 1020, 1033, 1040], n),
        "gender": rng.choice(["F", "M"], n),
        "education": rng.choice(["school", "college", "none"], n),
        "income": normal(rng, n, 3000),
        "term_months": rng.choice([12, 24, 36, 60], n),
        "defaulted": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
    }


def houses() -> Table:
    rng = RNG(26)
    n = 800
    return {
        "id": rng.permutation(n) + 77,
        "neighborhood": rng.choice([f"Quarter {c}" for c in "ABCDEFGHIJKL"], n),
        "house_style": rng.choice(["1 story", "2 story", "split"], n),
        "bedrooms": rng.integers(1, 6, n),
        "year_built": rng.integers(1900, 2020, n),
        "area_sqft": rng.integers(500, 4000, n),
        "sale_price": normal(rng, n, 250),
    }


def stocks() -> Table:
    rng = RNG(27)
    n = 15 * 100
    return {
        "date": np.repeat(pd.date_range("2024-01-01", periods=100), 15),
        "ticker": np.tile([a + b for a in "ABC" for b in "UVWXY"], 100),
        "sector": np.tile(np.repeat(["tech", "oil", "food"], 5), 100),
        "volume": rng.integers(10**5, 10**7, n),
        "momentum": normal(rng, n),
        "return": normal(rng, n),
    }


def turbines() -> Table:
    rng = RNG(28)
    n = 6 * 300
    return {
        "Turbine ID": rng.permutation(np.repeat([f"WT0{k}" for k in range(6)], 300)),
        "Wind Speed": normal(rng, n, 8),
        "Wind Direction": rng.integers(0, 360, n),
        "Month": rng.integers(1, 13, n),
        "Error Code": rng.choice([0, 0, 0, 101, 205], n),
        "Power Output": normal(rng, n, 900),
    }


def teams() -> Table:
    rng = RNG(29)
    n = 18 * 34
    return {
        "season": np.repeat(2023, n),
        "matchday": np.repeat(np.arange(1, 35), 18),
        "team": np.tile([f"FC {c}" for c in "abcdefghijklmnopqr"], 34),
        "opponent": rng.choice([f"FC {c}" for c in "abcdefghijklmnopqr"], n),
        "home": rng.integers(0, 2, n),
        "shots": rng.integers(2, 25, n),
        "possession": normal(rng, n, 50),
        "goals": rng.integers(0, 6, n),
    }


def mice() -> Table:
    rng = RNG(30)
    n = 16 * 12
    return {
        "mouse": np.repeat(np.arange(1, 17), 12),
        "strain": np.repeat(["wild", "ko"] * 8, 12),
        "day": np.tile(np.arange(12), 16),
        "dose_mg": np.repeat([0, 1, 2, 4] * 4, 12),
        "food": normal(rng, n, 4),
        "tumor_volume": normal(rng, n, 200),
    }


def households() -> Table:
    rng = RNG(31)
    sizes = rng.integers(8, 30, 35)
    n = int(sizes.sum())
    order = rng.permutation(n)
    return {
        "hhid": np.arange(n) + 30_001,
        "village": repeat([f"village {k}" for k in range(35)], sizes)[order],
        "province": repeat([f"prov {k % 4}" for k in range(35)], sizes)[order],
        "urban": repeat(np.arange(35) % 2, sizes)[order],
        "hh_size": rng.integers(1, 9, n),
        "has_electricity": rng.choice(["yes", "no"], n),
        "consumption": normal(rng, n, 40),
    }


TABLES: list[tuple[Callable[[], Table], str, str]] = [
    (panel, "country", "gdp_per_capita"),
    (schools, "school", "math_score"),
    (stores, "store", "sales"),
    (patients, "patient_id", "systolic_bp"),
    (sensors, "sensor", "co2"),
    (farms, "farm", "yield"),
    (drivers, "driver_id", "fuel_used"),
    (machines, "unit", "RUL"),
    (trials, "subject", "rt"),
    (products, "product", "units_sold"),
    (german_schools, "Schulnummer", "Punkte"),
    (german_branches, "Filiale", "Umsatz"),
    (german_weather, "Messstation", "Niederschlag"),
    (german_probands, "vp", "reaktionszeit"),
    (french_farms, "exploitation", "rendement"),
    (french_sensors, "id_capteur", "consommation"),
    (french_patients, "patient", "réponse"),
    (spanish_stores, "tienda", "ventas"),
    (unnamed_codes, "k", "z"),
    (unnamed_panel, "ccode", "conflict"),
    (names_and_numbers, "store_name", "revenue"),
    (pupils_over_years, "school", "reading_score"),
    (unbalanced_customers, "customer", "amount"),
    (holes, "well", "arsenic"),
    (loans, "branch_code", "defaulted"),
    (houses, "neighborhood", "sale_price"),
    (stocks, "ticker", "return"),
    (turbines, "Turbine ID", "Power Output"),
    (teams, "team", "goals"),
    (mice, "mouse", "tumor_volume"),
    (households, "village", "consumption"),
]


@pytest.mark.parametrize(
    ("make", "task", "target"), TABLES, ids=lambda v: getattr(v, "__name__", "")
)
def test_task_and_target_are_what_a_person_would_choose(
    make: Callable[[], Table], task: str, target: str
) -> None:
    guess = open_table(make()).guess
    assert (guess.task, guess.targets) == (task, (target,))


def crossed() -> Table:
    rng = RNG(32)
    n = 10 * 12 * 20
    return {
        "store": np.tile(np.repeat([f"s{k}" for k in range(10)], 12), 20),
        "product": np.tile([f"p{k}" for k in range(12)], 200),
        "week": np.repeat(np.arange(20), 120),
        "price": normal(rng, n),
        "demand": normal(rng, n),
    }


# What is said of it


def test_the_finer_of_two_nested_keys_is_taken_and_the_coarser_named() -> None:
    data, account = read_table(stores())
    assert len(data) == 30
    assert account.alternatives == {"region": "2 tasks of 1,217 to 1,219 rows"}
    assert account.guessed[-2] == (
        "the task is column 'store' (30 tasks of 76 to 87 rows), by its name; "
        "it could also be 'region' (2 tasks of 1,217 to 1,219 rows)"
    )


def test_two_keys_that_cross_are_both_named_and_the_dashboard_asks() -> None:
    opened = open_table(crossed())
    assert opened.guess.ask
    assert opened.guess.tasks["product"] == "12 tasks of 200 rows"
    _, account = opened.take(Asked())
    assert account.alternatives == {"product": "12 tasks of 200 rows"}
    assert not open_table(stores()).guess.ask


def test_numbers_and_names_of_the_same_tasks_are_no_alternatives() -> None:
    data, account = read_table(names_and_numbers())
    assert account.alternatives == {}
    assert data.feature_names == ("area_m2", "ads")
    assert account.task_columns["store_id"] == {
        f"Shop {c}": 100 + k for k, c in enumerate("abcdefghij")
    }


def test_what_is_not_convincing_is_asked_with_counts() -> None:
    rng = RNG(33)
    table = {"sex": ["f", "m"] * 20, "age": rng.integers(20, 30, 40), "y": normal(rng, 40)}
    opened = open_table(table)
    assert (opened.guess.task, opened.guess.ask) == (None, True)
    with pytest.raises(ChoiceNeededError, match=r"one of sex \(2 tasks of 20 rows\)") as caught:
        opened.take(Asked())
    assert caught.value.setting == "task"
    assert caught.value.candidates["sex"] == "2 tasks of 20 rows"
    assert len(read_table(table, task="sex")[0]) == 2


def test_close_targets_are_named() -> None:
    rng = RNG(34)
    table = {"school": np.repeat(list("abcde"), 8), **{c: normal(rng, 40) for c in "uvw"}}
    _, account = read_table(table)
    assert account.guessed[-1].startswith(
        "the target is column 'w', the last with numbers; it could"
    )
    _, account = read_table(table | {"reading": table["u"], "score": table["v"]})
    assert account.guessed[-1] == "the target is column 'score', by its name"


@pytest.mark.parametrize("odd", ["date", "row", "constant", "code", "remark"])
def test_the_target_is_no_date_number_of_rows_constant_or_name(odd: str) -> None:
    rng = RNG(35)
    odd_columns = {
        "date": pd.date_range("2024-01-01", periods=40),
        "row": np.arange(40),
        "constant": np.ones(40),
        "code": [f"k{n}" for n in range(40)],
        "remark": [f"a remark on row {n}" for n in range(40)],
    }
    table = {"school": np.repeat(list("abcde"), 8), "u": normal(rng, 40), "v": normal(rng, 40)}
    assert open_table(table | {odd: odd_columns[odd]}).guess.targets == ("v",)


def test_one_country_is_no_task_where_sensors_are() -> None:
    table = {"country": ["DE"] * 40, "sensor": np.tile(np.arange(5), 8), "u": normal(RNG(44), 40)}
    assert open_table(table | {"y": normal(RNG(45), 40)}).guess.task == "sensor"


def test_a_task_without_anything_else_is_refused() -> None:
    with pytest.raises(ReadError, match="has no column left for a target"):
        read_table({"task": ["a", "a", "b", "b"]})


def test_one_task_is_said_plainly() -> None:
    rng = RNG(36)
    table = {"school": ["north"] * 9, "x": normal(rng, 9), "y": normal(rng, 9)}
    data, account = read_table(table)
    assert len(data) == 1
    assert str(account).splitlines()[-1] == (
        "Only one task ('north') was found, and one task has no clusters: "
        "pass task='...' if another column names the tasks."
    )


# Wide tables


def wide(names: list[str], rows: int = 12, **columns: Any) -> Table:
    rng = RNG(37)
    return {"a": normal(rng, rows), "b": normal(rng, rows), **columns} | {
        name: normal(rng, rows) for name in names
    }


@pytest.mark.parametrize(
    "names", [["y1", "y2", "y3"], ["target_a", "target_b"], ["Y_north", "Y_south"], ["yA", "yB"]]
)
def test_numbered_or_named_targets_are_wide(names: list[str]) -> None:
    assert open_table(wide(names)).guess.targets == tuple(names)


@pytest.mark.parametrize(
    "names", [["year", "yield"], ["youth", "yearly"], ["output", "outputs"], ["labels", "target"]]
)
def test_words_that_begin_alike_are_not(names: list[str]) -> None:
    assert len(open_table(wide(names)).guess.targets) < 2


def test_targets_on_other_scales_are_not_wide() -> None:
    table = wide(["y_load", "y_pressure"])
    table["y_load"] = table["y_load"] * 1e6
    assert len(open_table(table).guess.targets) == 1


def test_farms_over_years_are_long() -> None:
    table = {"farm": repeat(list("abcdef"), 8), "rain": normal(RNG(38), 48)}
    table |= {"year": np.tile(np.arange(2010, 2018), 6), "yield": normal(RNG(39), 48)}
    data, account = read_table(table)
    assert account.understood == {"task": "farm", "target": "yield", "layout": "long"}
    assert len(data) == 6


def test_a_few_holes_in_the_last_columns_do_not_make_tasks_of_them() -> None:
    table = wide(["u", "v"], 60, place=repeat(list("abcdef"), 10))
    for name in "uv":
        table[name][:4] = np.nan
    assert open_table(table).guess.task == "place"


# Features


def test_features_are_those_asked_for() -> None:
    data, account = read_table(stores(), features=["price", "customers"])
    assert data.feature_names == ("customers", "price")
    assert "columns that were not asked for: date, region, promo, weekday" in account.dropped


def test_excluded_columns_are_neither_features_nor_guessed() -> None:
    data, account = read_table(stores(), exclude=["store", "weekday", "date"])
    assert account.understood["task"] == "region"
    assert data.feature_names == ("promo", "customers", "price")
    assert account.dropped["column 'weekday', as asked"] == 1
    data, _ = read_table(stores(), task="store", exclude=["store", "date", "weekday"])
    assert len(data) == 30


def test_a_row_number_can_be_a_feature_if_asked_for() -> None:
    table = {"id": np.arange(1, 41), "school": repeat(list("abcde"), 8)}
    table |= {"u": normal(RNG(40), 40), "score": normal(RNG(41), 40)}
    assert read_table(table)[0].feature_names == ("u",)
    assert read_table(table, features=["id", "u"])[0].feature_names == ("id", "u")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"features": ["prize"]}, "has no column 'prize': it has date, store"),
        ({"exclude": ["prize"]}, "has no column 'prize'"),
        ({"features": ["price"], "task": "price"}, "'price' cannot be a feature and the task"),
        (
            {"exclude": ["promo", "weekday", "customers", "price", "date", "region"]},
            "no column left",
        ),
    ],
)
def test_features_that_cannot_be_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ReadError, match=words):
        read_table(stores(), **options)


def test_features_of_arrays_have_names_too() -> None:
    arrays = {"X": np.arange(12.0).reshape(6, 2), "y": np.arange(6.0), "tasks": [1, 1, 1, 2, 2, 2]}
    content = npz_bytes(**{name: np.array(value) for name, value in arrays.items()})
    data, _ = read(("a.npz", content), exclude="x0")
    assert data.feature_names == ("x1",)
    with pytest.raises(ReadError, match="has no column 'x7'"):
        read(("a.npz", content), features=["x7"])


def test_columns_of_tasks_are_set_aside_and_measures_of_tasks_stay() -> None:
    data, account = read_table(panel())
    assert data.feature_names == ("year", "population", "life_expectancy")
    assert account.dropped == {"column 'continent', the same in all rows of a task": 1}
    assert set(account.task_columns["continent"].values()) == {"Asia", "Africa", "Europe"}
    data, account = read_table(names_and_numbers(), features=["store_id", "ads"])
    assert data.feature_names == ("store_id", "ads")


def test_what_an_array_holds_stays() -> None:
    tasks = np.repeat([1, 2, 3], 8)
    X = np.column_stack([tasks % 2, np.arange(24.0)])
    names = np.array(["region", "age"])
    content = npz_bytes(X=X, y=np.arange(24.0), tasks=tasks, feature_names=names)
    assert read(("a.npz", content))[0].feature_names == ("region", "age")


def test_a_column_with_the_name_of_each_file_is_no_feature() -> None:
    rng = RNG(46)
    parts = [
        (
            f"{c}.csv",
            csv_bytes(pd.DataFrame({"shop": [c] * 9, "u": normal(rng, 9), "y": normal(rng, 9)})),
        )
        for c in "abc"
    ]
    data, account = read(parts)
    assert data.feature_names == ("u",)
    assert account.task_columns == {"shop": {"a": "a", "b": "b", "c": "c"}}


def test_long_names_are_cut_in_sentences() -> None:
    long = "a very long name of a column " * 9
    table = {long: repeat(list("abcde"), 8), "u": normal(RNG(42), 40), "score": normal(RNG(43), 40)}
    _, account = read_table(table)
    assert max(len(guess) for guess in account.guessed) < 200
    with pytest.raises(ReadError) as caught:
        read_table(table, task="v")
    assert len(str(caught.value)) < 200


# Names


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("schoolID", "entity"),
        ("Wetterstation", "entity"),
        ("Patientennummer", "entity"),
        ("num_capteur", "entity"),
        ("Hôpital", "entity"),
        ("country_code", "entity"),
        ("customers", "either"),
        ("age_patient", "either"),
        ("number_of_rooms", "measure"),
        ("type_of_house", "trait"),
        ("type_véhicule", "trait"),
        ("patient_sex", "trait"),
        ("date_of_birth", "time"),
        ("Kalenderwoche", "time"),
        ("visit_no", "time"),
        ("sensor_17", ""),
        ("school_rating", "measure"),
        ("id", "id"),
    ],
)
def test_a_name_says_what_a_column_is(name: str, role: str) -> None:
    assert find_role(name) == role


def test_what_was_before_is_not_the_target() -> None:
    assert weigh_target_name("sales_lag1") < 0 < weigh_target_name("sales_total")
    assert weigh_target_name("exam_score") < weigh_target_name("score") < weigh_target_name("y")
