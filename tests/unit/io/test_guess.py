"""The task column a person would choose, in tables as people have them and without a hint."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import csv_bytes, npz_bytes
from stcmtl import Account, ReadError, TaskSet, read
from stcmtl.io.guess import Candidate, ChoiceNeededError, weigh_nesting
from stcmtl.io.names import find_role, weigh_target_name
from stcmtl.io.reading import Opened, open_source
from stcmtl.io.tables import Asked
from tests.unit.cases import together

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


# Tables as people have them. A row is a name, the number of its tasks and of the rows of each (0
# for sizes that differ), and its columns with what is in them:
#   key, number, code   the task in blocks: texts, 1, 2, ..., codes of four digits
#   of N, trait N       one of N texts, or a number, that goes with the task
#   clock, years, days  1, 2, 3, ..., years or dates within a task
#   row, name           another number or text in every row
#   N words, N numbers  one of so many, by chance; real, whole, yes/no are what they say


def fill(kind: str, tasks: Any, places: Any, rng: np.random.Generator) -> Any:
    n, n_tasks = len(tasks), int(tasks.max()) + 1
    count, _, what = kind.rpartition(" ")
    if what.isdigit():
        each = rng.integers(0, int(what), n_tasks)
        return [f"g{k}" for k in each[tasks]] if count == "of" else 10 * each[tasks] + 3
    if what in ("words", "numbers"):
        drawn = rng.integers(0, int(count), n)
        return [f"w{k}" for k in drawn] if what == "words" else drawn
    return {
        "key": lambda: [f"thing {k:02}" for k in tasks],
        "number": lambda: tasks + 1,
        "code": lambda: (rng.permutation(n_tasks) * 37 + 1001)[tasks],
        "clock": lambda: places + 1,
        "years": lambda: places + 1995,
        "days": lambda: pd.Timestamp("2023-01-02") + pd.to_timedelta(places, "D"),
        "row": lambda: rng.permutation(n) * 3 + 1000,
        "name": lambda: [f"L{k:05}" for k in rng.permutation(n)],
        "real": lambda: rng.normal(20.0, 4.0, n).round(3),
        "whole": lambda: rng.integers(0, 900, n),
        "yes/no": lambda: rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
    }[what]()


def make_table(n_tasks: int, n_rows: int, columns: str, shuffled: bool = False) -> pd.DataFrame:
    rng = RNG(n_tasks)
    sizes = np.full(n_tasks, n_rows) if n_rows else rng.integers(12, 60, n_tasks)
    tasks = np.repeat(np.arange(n_tasks), sizes)
    places = np.concatenate([np.arange(size) for size in sizes])
    said = [column.strip().partition(":") for column in columns.split(",")]
    frame = pd.DataFrame({name: fill(kind.strip(), tasks, places, rng) for name, _, kind in said})
    return frame.sample(frac=1, random_state=0) if shuffled else frame


# The task column and the target that a person would name.
TABLES = [
    ("country", "gdp_per_capita", 25, 20, "country: key, continent: of 3, year: years, "
     "population: whole, life_expectancy: real, gdp_per_capita: real"),
    ("school", "math_score", 30, 0, "pupil_id: row, school: key, district: of 3, gender: 2 words, "
     "grade: 3 numbers, hours_of_homework: 12 numbers, free_lunch: 2 numbers, math_score: real"),
    ("store", "sales", 30, 80, "date: days, store: number, region: of 2, promo: 2 numbers, "
     "weekday: 3 words, customers: whole, price: real, sales: real"),
    ("patient_id", "systolic_bp", 40, 8, "patient_id: key, hospital: of 3, sex: of 2, "
     "age: trait 30, visit: clock, treatment: of 2, dose: 3 numbers, weight: real, "
     "systolic_bp: real"),
    ("farm", "yield", 18, 8, "farm: key, plot: clock, soil: 3 words, variety: 2 words, rain: real, "
     "nitrogen: whole, yield: real"),
    ("driver_id", "fuel_used", 25, 36, "trip_id: row, driver_id: code, vehicle_type: 3 words, "
     "distance_km: real, stops: 9 numbers, rush_hour: 2 numbers, fuel_used: real"),
    ("unit", "RUL", 15, 0, "unit: number, cycle: clock, setting_1: real, setting_2: 3 numbers, "
     "sensor_1: real, sensor_2: real, sensor_5: 5 numbers, RUL: whole"),
    ("subject", "rt", 24, 40, "subject: number, group: of 2, block: 4 numbers, trial: clock, "
     "condition: 3 words, contrast: real, correct: 2 numbers, rt: real"),
    ("Schulnummer", "Punkte", 20, 0, "lfd_nr: row, Schulnummer: code, Bundesland: of 3, "
     "Geschlecht: 2 words, Klassenstufe: 3 numbers, Lernzeit: real, Punkte: real"),
    ("Messstation", "Niederschlag", 9, 120, "Messstation: key, Höhe: trait 900, Tag: clock, "
     "Luftdruck: real, Wind: real, Niederschlag: real"),
    ("vp", "reaktionszeit", 30, 20, "vp: number, alter: trait 40, durchgang: clock, "
     "bedingung: 2 words, abstand: real, reaktionszeit: real"),
    ("exploitation", "rendement", 22, 12, "exploitation: key, département: of 4, année: years, "
     "pluie: real, engrais: whole, rendement: real"),
    ("patient", "réponse", 25, 0, "numéro: row, hôpital: of 2, patient: key, sexe: of 2, "
     "visite: clock, dose: 3 numbers, réponse: real"),
    ("k", "z", 12, 0, "k: number, a: real, b: 4 numbers, c: real, z: real"),
    ("store_name", "revenue", 10, 0, "store_id: code, store_name: key, area_m2: trait 800, "
     "ads: real, revenue: real"),
    ("mouse", "tumor_volume", 16, 12, "mouse: number, strain: of 2, day: clock, dose_mg: trait 4, "
     "food: real, tumor_volume: real"),
]  # fmt: skip
SHUFFLED = [
    ("sensor", "co2", 12, 96, "timestamp: days, sensor: key, floor: trait 3, temperature: real, "
     "humidity: real, status: 2 words, co2: real"),
    ("product", "units_sold", 40, 52, "product: key, category: of 4, week: clock, price: real, "
     "on_promotion: 2 numbers, stock: whole, units_sold: whole"),
    ("Filiale", "Umsatz", 14, 60, "Filiale: key, Gebiet: of 2, Kalenderwoche: clock, "
     "Werbung: 2 numbers, Temperatur: real, Umsatz: real"),
    ("id_capteur", "consommation", 8, 200, "id_capteur: number, pression: real, débit: real, "
     "état: 2 words, consommation: real"),
    ("tienda", "ventas", 16, 50, "fecha: days, tienda: key, provincia: of 4, festivo: 2 numbers, "
     "precio: real, ventas: real"),
    ("ccode", "conflict", 20, 15, "year: years, ccode: code, polity: 21 numbers, trade: real, "
     "conflict: real"),
    ("customer", "amount", 39, 0, "order_no: row, customer: key, channel: 2 words, month: 5 words, "
     "quantity: 20 numbers, discount: real, amount: real"),
    ("branch_code", "defaulted", 7, 200, "loan_id: name, branch_code: code, gender: 2 words, "
     "education: 3 words, income: real, term_months: 4 numbers, defaulted: yes/no"),
    ("neighborhood", "sale_price", 12, 66, "id: row, neighborhood: key, house_style: 3 words, "
     "bedrooms: 5 numbers, area_sqft: whole, sale_price: real"),
    ("ticker", "return", 15, 100, "date: days, ticker: key, sector: of 3, volume: whole, "
     "momentum: real, return: real"),
    ("Turbine ID", "Power Output", 6, 300, "Turbine ID: key, Wind Speed: real, "
     "Wind Direction: 360 numbers, Month: 12 numbers, Error Code: 3 numbers, Power Output: real"),
    ("team", "goals", 18, 34, "matchday: clock, team: key, opponent: 18 words, home: 2 numbers, "
     "shots: 25 numbers, possession: real, goals: 6 numbers"),
    ("village", "consumption", 35, 0, "hhid: row, village: key, province: of 4, urban: trait 2, "
     "hh_size: 9 numbers, has_electricity: 2 words, consumption: real"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("task", "target", "n_tasks", "n_rows", "columns", "shuffled"),
    [*((*table, False) for table in TABLES), *((*table, True) for table in SHUFFLED)],
    ids=lambda value: value if isinstance(value, str) and ":" not in value else "",
)
def test_task_and_target_are_what_a_person_would_choose(
    task: str, target: str, n_tasks: int, n_rows: int, columns: str, shuffled: bool
) -> None:
    guess = open_table(make_table(n_tasks, n_rows, columns, shuffled)).guess
    assert (guess.task, guess.targets) == (task, (target,))


def test_tasks_of_three_rows_are_too_small() -> None:
    """The school is the task, not the pupil who is met three times."""
    table = make_table(200, 3, "student: number, wave: clock, ses: real, reading_score: real")
    table.insert(1, "school", [f"sch{k}" for k in np.arange(600) // 60])
    assert open_table(table).guess.task == "school"


def test_holes_in_decoys_and_in_the_target() -> None:
    table = make_table(20, 15, "region: of 3, well: key, depth: real, ph: real, arsenic: real")
    table.loc[::10, "region"] = None
    table.loc[::7, "arsenic"] = np.nan
    guess = open_table(table).guess
    assert (guess.task, guess.targets) == ("well", ("arsenic",))


def stores() -> pd.DataFrame:
    return make_table(*TABLES[2][2:])


def names_and_numbers() -> pd.DataFrame:
    return make_table(*TABLES[14][2:])


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
    counts = account.alternatives["region"]
    assert counts.startswith("2 tasks of ")
    assert account.guessed[-2] == (
        "the task is column 'store' (30 tasks of 80 rows), by its name; "
        f"it could also be 'region' ({counts})"
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
    assert data.feature_names == ("ads",)
    table = names_and_numbers().drop_duplicates("store_id")
    numbers = dict(zip(table["store_name"], table["store_id"], strict=True))
    assert account.task_columns["store_id"] == numbers


@pytest.mark.parametrize(("of_name", "after"), [(1.0, 3.25), (-4.0, 3.25), (5.0, 5.25)])
def test_a_name_has_a_little_more_than_the_number_of_the_same(of_name: float, after: float) -> None:
    tasks, sizes = np.repeat(np.arange(8), 10), np.full(8, 10)
    found = [
        Candidate("shop", sizes, True, "", True, of_name),
        Candidate("code", sizes, False, "", True, 3.0),
    ]
    name, number = weigh_nesting(found, {"shop": tasks, "code": 7 - tasks})
    assert (name.points, number.points) == (after, 3.0)
    assert (name.twins, number.twins) == ({"code"}, {"shop"})


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


@together("odd", ["date", "row", "constant", "code", "remark"])
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


@together(
    "names", [["y1", "y2", "y3"], ["target_a", "target_b"], ["Y_north", "Y_south"], ["yA", "yB"]]
)
def test_numbered_or_named_targets_are_wide(names: list[str]) -> None:
    assert open_table(wide(names)).guess.targets == tuple(names)


@together(
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


def test_columns_of_tasks_are_set_aside_unless_they_are_asked_for() -> None:
    data, account = read_table(make_table(*TABLES[0][2:]))
    assert data.feature_names == ("year", "population", "life_expectancy")
    assert account.dropped == {
        "column 'continent', the same in all rows of a task; kept to compare tasks by": 1
    }
    assert set(account.task_columns["continent"].values()) == {"g0", "g1", "g2"}
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


@together(
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
    assert weigh_target_name("coffee_price") < weigh_target_name("price") - 1.0
    assert weigh_target_name("daily_takings") > weigh_target_name("price")
    assert weigh_target_name("exam_score") < weigh_target_name("score") < weigh_target_name("y")
