"""Targets and task labels in every form: they work to the end, or are refused at the door."""

import datetime as dt
import io
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, load, metrics
from stcmtl.baselines import Pooled
from stcmtl.data.labels import one_per_row
from stcmtl.errors import InputError
from tests.unit.cases import naming, together
from tests.unit.plain import plain_model
from tests.unit.two_clusters import rows

X, NUMBERS, _ = rows(n=6, features=3)
N, TEXT = len(X), list("abcdef")
CODES = np.repeat(np.arange(6), 6)
FLAGS = NUMBERS > 0
DAYS = [dt.date(2020, 1, day) for day in range(1, 7)]
HOLES = [3, 8]
MASK = np.isin(np.arange(N), HOLES)
SEVERAL = "it must be one value per row; join its parts into one text"
OTHER_KIND = "use text, numbers, truth values or dates; str makes text of it"
NO_COLUMN = "should be a 1d array or a list, with one value per row"
MODELS = {
    "regressor": lambda: plain_model(STCMTLRegressor, 2, cv=2, random_state=0),
    "classifier": lambda: plain_model(STCMTLClassifier, 2, cv=2, random_state=0),
    "baseline": lambda: Pooled(cv=2, random_state=0),
}
ALL_MODELS = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
LABELLED = pytest.mark.parametrize("model", [MODELS["classifier"], MODELS["baseline"]])

pytestmark = pytest.mark.filterwarnings("ignore:Fewer rows")


def of_tasks(names: Any) -> list[Any]:
    return [names[code] for code in CODES]


def of_classes(no: Any, yes: Any) -> list[Any]:
    return [yes if flag else no for flag in FLAGS]


def holed(values: Any, hole: Any) -> list[Any]:
    return [hole if row in HOLES else value for row, value in enumerate(values)]


def objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def expect_refusal(action: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        action()


def go_through(model: Any, y: Any, tasks: Any) -> Any:
    """All that a model does with labels, before and after it was saved."""
    model.fit(X, y, tasks)
    predicted = model.predict(X, tasks)
    if hasattr(model, "classes_"):
        score = np.mean((predicted == model.classes_[1]) == FLAGS)
    else:
        score = r2_score(NUMBERS, predicted)
    assert model.score(X, y, tasks) == pytest.approx(score, rel=1e-12)
    if not isinstance(model, Pooled):
        assigned = model.assign(X, y, tasks)
        assert assigned.task_names.tolist() == model.task_names_.tolist()
        assert len(model.predict(X, tasks, assigned)) == N
        stream = io.BytesIO()
        model.save(stream)
        stream.seek(0)
        loaded = load(stream)
        assert loaded.task_names_.tolist() == model.task_names_.tolist()
        np.testing.assert_array_equal(loaded.predict(X, tasks), predicted)
        assert loaded.score(X, y, tasks) == model.score(X, y, tasks)
    return model


def target_of(model: Any) -> Any:
    return NUMBERS if isinstance(model, STCMTLRegressor) else FLAGS


@cache
def fit_once(model: Any, numbers: bool = False) -> Any:
    """The same fit serves many tests: none may change it."""
    return model().fit(X, NUMBERS if numbers else target_of(model()), of_tasks(TEXT))


# Task labels, and what they are called after the fit
TASKS: dict[str, tuple[Any, list[Any]]] = {
    "list of text": (of_tasks(TEXT), TEXT),
    "the text nan": (of_tasks(["nan", *TEXT[:5]]), [*TEXT[:5], "nan"]),
    "numpy's text": (of_tasks([np.str_(name) for name in TEXT]), TEXT),
    "numbers and text": (of_tasks([1, 2, 3, "a", "b", "c"]), [1, 2, 3, "a", "b", "c"]),
    "bytes": (of_tasks([b"a", b"b", b"c", b"d", b"e", b"f"]), [b"a", b"b", b"c", b"d", b"e", b"f"]),
    "floats": (CODES.astype(float), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
    "objects that are numbers": (CODES.astype(object), [0, 1, 2, 3, 4, 5]),
    "objects that are truth values": (objects((CODES > 2).tolist()), [False, True]),
    "large numbers": (of_tasks([10**30 + i for i in range(6)]), [10**30 + i for i in range(6)]),
    "tuple": (tuple(of_tasks(TEXT)), TEXT),
    "nested": ([[name] for name in of_tasks(TEXT)], TEXT),
    "column": (CODES[:, None], [0, 1, 2, 3, 4, 5]),
    "frame": (pd.DataFrame({"task": of_tasks(TEXT)}), TEXT),
    "nothing masked": (np.ma.array(CODES), [0, 1, 2, 3, 4, 5]),
    "categories, some unused": (
        pd.Categorical(of_tasks(TEXT), categories=list("hgfedcba")),
        TEXT,
    ),
    "Int64": (pd.array(CODES, dtype="Int64"), [0, 1, 2, 3, 4, 5]),
    "string": (pd.Series(of_tasks(TEXT), dtype="string"), TEXT),
    "boolean": (pd.array(CODES > 2, dtype="boolean"), [False, True]),
    "dates": (of_tasks(DAYS), DAYS),
    "datetime64": (np.array(of_tasks(DAYS), dtype="datetime64[D]"), DAYS),
    "times": (
        of_tasks([dt.datetime(2020, 1, day) for day in range(1, 7)]),
        [dt.datetime(2020, 1, day) for day in range(1, 7)],
    ),
}


@pytest.mark.parametrize(("tasks", "names"), TASKS.values(), ids=TASKS)
def test_task_labels_work_to_the_end(tasks: Any, names: list[Any]) -> None:
    for name, model in MODELS.items():
        with naming(name):
            fitted = go_through(model(), target_of(model()), tasks)
            assert fitted.task_names_.tolist() == names


@together(("tasks", "names"), TASKS)
def test_task_labels_in_a_task_set(tasks: Any, names: list[Any]) -> None:
    data = TaskSet(X, NUMBERS, tasks)
    assert data.task_names.tolist() == names
    assert [len(y) for _, _, y in data] == data.n_rows.tolist() == [N // len(names)] * len(names)
    assert data.to_frame()["task"].nunique() == len(names)


NO_LABEL = "Rows 3 and 8 have no task label (2 of 36): name their tasks or drop them."
NO_TASKS: dict[str, tuple[Any, str]] = {
    **{
        f"{hole} among text": (holed(of_tasks(TEXT), hole), NO_LABEL)
        for hole in (None, float("nan"), pd.NaT, pd.NA, np.ma.masked)
    },
    **{
        f"{hole} among numbers": (holed(CODES.tolist(), hole), NO_LABEL)
        for hole in (None, float("nan"), pd.NaT, pd.NA)
    },
    "objects": (objects(holed(of_tasks(TEXT), float("nan"))), NO_LABEL),
    "truth values": (objects(holed((CODES > 2).tolist(), None)), NO_LABEL),
    "nested": ([[name] for name in holed(of_tasks(TEXT), None)], NO_LABEL),
    "masked text": (np.ma.array(of_tasks(TEXT), mask=MASK), NO_LABEL),
    "masked numbers": (np.ma.array(CODES, mask=MASK), NO_LABEL),
    "masked floats": (np.ma.array(CODES * 1.0, mask=MASK), NO_LABEL),
    "categories": (pd.Categorical(holed(of_tasks(TEXT), None)), NO_LABEL),
    "Int64": (pd.array(holed(CODES.tolist(), pd.NA), dtype="Int64"), NO_LABEL),
    "string": (pd.array(holed(of_tasks(TEXT), pd.NA), dtype="string"), NO_LABEL),
    "boolean": (pd.array(holed((CODES > 2).tolist(), pd.NA), dtype="boolean"), NO_LABEL),
    "times": (pd.Series(pd.to_datetime(holed(of_tasks(DAYS), None))), NO_LABEL),
    "one": ([None, *of_tasks(TEXT)[1:]], "Row 0 has no task label: name its task or drop it."),
    "many": (
        [None] * 20 + of_tasks(TEXT)[20:],
        "Rows 0, 1, 2, 3, 4 and 15 more have no task label (20 of 36): name their tasks or drop",
    ),
    "tuples": (of_tasks([(i, "x") for i in range(6)]), f"tasks holds (0, 'x') in row 0: {SEVERAL}"),
    "lists": ([[1, 2]] * N, f"tasks holds [1, 2] in row 0: {SEVERAL}"),
    "unequal lists": ([[1]] * 4 + [[1, 2]] * 32, f"tasks holds [1] in row 0: {SEVERAL}"),
    "two columns": (np.c_[CODES, CODES], "tasks has shape (36, 2): it must be one value per row."),
    "dict": (dict(enumerate(CODES)), f"tasks is of type dict: tasks {NO_COLUMN}"),
    "set": (set(range(N)), f"tasks is of type set: tasks {NO_COLUMN}"),
    "generator": (iter(CODES.tolist()), f"tasks is of type list_iterator: tasks {NO_COLUMN}"),
    "text": ("abcdef" * 6, f"tasks is of type str: tasks {NO_COLUMN}"),
    "number": (3, f"tasks is of type int: tasks {NO_COLUMN}"),
    "nothing": (None, f"tasks is None: tasks {NO_COLUMN}"),
    "too few": (CODES[:-1], "X has 36 rows, "),
    "decimals": (
        of_tasks([Decimal(i) for i in range(6)]),
        f"tasks holds Decimal('0') in row 0: {OTHER_KIND}",
    ),
    "fractions": (
        of_tasks([1, 2, 3, Fraction(1, 2), Fraction(1, 3), 4]),
        f"tasks holds Fraction(1, 2) in row 18: {OTHER_KIND}",
    ),
    "periods": (
        pd.PeriodIndex(of_tasks(DAYS), freq="D"),
        f"tasks holds Period('2020-01-01', 'D') in row 0: {OTHER_KIND}",
    ),
    "time zones": (
        pd.to_datetime(of_tasks(DAYS)).tz_localize("UTC"),
        "tasks holds Timestamp('2020-01-01 00:00:00+0000', tz='UTC') in row 0: use text",
    ),
    "intervals": (pd.cut(CODES, 6), "tasks holds Interval("),
    "identifiers": (of_tasks([UUID(int=i) for i in range(6)]), "tasks holds UUID('00000000-"),
    "records": (np.array([(i,) for i in CODES], dtype=[("a", int)]), "tasks holds "),
}


@together(("tasks", "sentence"), NO_TASKS)
def test_task_labels_are_refused_at_the_door(tasks: Any, sentence: str) -> None:
    for name, model in MODELS.items():
        y = target_of(model())
        with naming(name):
            expect_refusal(lambda model=model, y=y: model().fit(X, y, tasks), sentence)
            expect_refusal(lambda y=y: TaskSet(X, y, tasks), sentence)


@ALL_MODELS
def test_a_hole_in_the_task_labels_is_no_unknown_task(model: Any) -> None:
    fitted = fit_once(model)
    tasks = holed(of_tasks(TEXT), float("nan"))
    expect_refusal(lambda: fitted.predict(X, tasks), NO_LABEL)
    expect_refusal(lambda: fitted.score(X, target_of(model()), tasks), NO_LABEL)
    expect_refusal(lambda: metrics.rmse(NUMBERS, NUMBERS, tasks), "tasks has no label for row 3")


def test_labels_of_a_fit_are_found_in_whatever_form_they_come() -> None:
    model = MODELS["regressor"]().fit(X, NUMBERS, CODES)
    expected = model.predict(X, CODES)
    for same in (CODES.astype(float), CODES.tolist(), CODES.astype(object), pd.array(CODES)):
        np.testing.assert_array_equal(model.predict(X, same), expected)
    expect_refusal(lambda: model.predict(X, of_tasks(list("012345"))), "Task '0' was not seen in")


# Class labels, and which come out as classes
CLASSES: dict[str, tuple[Any, list[Any]]] = {
    "list of text": (of_classes("no", "yes"), ["no", "yes"]),
    "objects": (objects(of_classes("no", "yes")), ["no", "yes"]),
    "truth values": (FLAGS, [False, True]),
    "objects that are truth values": (objects(FLAGS.tolist()), [False, True]),
    "objects that are numbers": (objects(of_classes(0, 1)), [0, 1]),
    "floats": (FLAGS * 1.0, [0.0, 1.0]),
    "bytes": (of_classes(b"no", b"yes"), [b"no", b"yes"]),
    "dates": (of_classes(*DAYS[:2]), DAYS[:2]),
    "times": (pd.Series(pd.to_datetime(of_classes(*DAYS[:2]))), pd.to_datetime(DAYS[:2]).tolist()),
    "boolean": (pd.array(FLAGS, dtype="boolean"), [False, True]),
    "Int64": (pd.array(FLAGS * 1, dtype="Int64"), [0, 1]),
    "string": (pd.array(of_classes("no", "yes"), dtype="string"), ["no", "yes"]),
    "categories": (pd.Categorical(of_classes("no", "yes"), ["z", "yes", "no"]), ["no", "yes"]),
    "nested": ([[label] for label in of_classes("no", "yes")], ["no", "yes"]),
    "nothing masked": (np.ma.array(FLAGS), [False, True]),
}


@LABELLED
@pytest.mark.parametrize(("y", "classes"), CLASSES.values(), ids=CLASSES)
def test_class_labels_work_to_the_end(model: Any, y: Any, classes: list[Any]) -> None:
    fitted = go_through(model(), y, of_tasks(TEXT))
    assert list(fitted.classes_) == classes
    assert set(fitted.predict(X, of_tasks(TEXT))) <= set(fitted.classes_)


NO_TARGET = "Task 'a' has NaN in the target y: drop such rows first (2 of 36 rows: 3 and 8)."
NO_CLASSES: dict[str, tuple[Any, str]] = {
    **{
        f"{hole} among text": (holed(of_classes("no", "yes"), hole), NO_TARGET)
        for hole in (None, float("nan"), pd.NaT, pd.NA)
    },
    "truth values": (objects(holed(FLAGS.tolist(), None)), NO_TARGET),
    "list of truth values": (holed(FLAGS.tolist(), float("nan")), NO_TARGET),
    "masked text": (np.ma.array(of_classes("no", "yes"), mask=MASK), NO_TARGET),
    "masked truth values": (np.ma.array(FLAGS, mask=MASK), NO_TARGET),
    "masked floats": (np.ma.array(FLAGS * 1.0, mask=MASK), NO_TARGET),
    "boolean": (pd.array(holed(FLAGS.tolist(), pd.NA), dtype="boolean"), NO_TARGET),
    "Int64": (pd.array(holed((FLAGS * 1).tolist(), pd.NA), dtype="Int64"), NO_TARGET),
    "string": (pd.array(holed(of_classes("no", "yes"), pd.NA), dtype="string"), NO_TARGET),
    "categories": (pd.Categorical(holed(of_classes("no", "yes"), None)), NO_TARGET),
    "infinite": (np.where(MASK, np.inf, FLAGS), NO_TARGET.replace("NaN", "infinity")),
    "numbers and text": (of_classes(1, "a"), "The target mixes text and numbers: give labels"),
    "tuples": (of_classes((0, 1), (1, 0)), f"y holds (0, 1) in row 0: {SEVERAL}"),
    "fractions": (
        of_classes(Fraction(1, 2), Fraction(3, 2)),
        f"y holds Fraction(1, 2) in row 0: {OTHER_KIND}",
    ),
    "decimals": (
        of_classes(Decimal(0), Decimal(1)),
        f"y holds Decimal('0') in row 0: {OTHER_KIND}",
    ),
    "dict": (dict(enumerate(FLAGS)), f"y is of type dict: y {NO_COLUMN}"),
    "too many": ([*FLAGS, True], "X has 36 rows, y 37 and tasks 36: give every row one target"),
}


@LABELLED
@together(("y", "sentence"), NO_CLASSES)
def test_class_labels_are_refused_at_the_door(model: Any, y: Any, sentence: str) -> None:
    tasks = of_tasks(TEXT)
    expect_refusal(lambda: model().fit(X, y, tasks), sentence)
    if "target" in sentence.split(":")[0] and "mixes" not in sentence:  # what is missing
        expect_refusal(lambda: fit_once(model).score(X, y, tasks), sentence)


@LABELLED
def test_truth_values_with_holes_can_be_scored_once_the_holes_are_dropped(model: Any) -> None:
    y, tasks = objects(holed(FLAGS.tolist(), None)), objects(of_tasks(TEXT))
    fitted = model().fit(X[~MASK], y[~MASK], tasks[~MASK])
    assert fitted.classes_.dtype == bool
    right = fitted.predict(X[~MASK], tasks[~MASK]) == FLAGS[~MASK]
    assert fitted.score(X[~MASK], y[~MASK], tasks[~MASK]) == right.mean()
    assert TaskSet(X[~MASK], y[~MASK], tasks[~MASK]).y.dtype == bool
    assert TaskSet(X, y, tasks).y[3] is None


@LABELLED
def test_a_label_that_no_fit_has_seen_cannot_be_scored(model: Any) -> None:
    fitted = model().fit(X, of_classes("no", "yes"), of_tasks(TEXT))
    for y, shown in ((of_classes("no", "maybe"), "'maybe'"), (FLAGS, "False")):
        sentence = f"The label {shown} was not seen in fit: use 'no' and 'yes'."
        expect_refusal(lambda y=y: fitted.score(X, y, of_tasks(TEXT)), sentence)


# Targets that are numbers
NUMERIC: dict[str, Callable[[Any], Any]] = {
    "list": lambda y: y.tolist(),
    "objects": lambda y: y.astype(object),
    "decimals": lambda y: [Decimal(float(value)) for value in y],
    "fractions": lambda y: [Fraction(float(value)) for value in y],
    "mixed kinds": lambda y: [Fraction(float(y[0])), Decimal(float(y[1])), *y[2:].tolist()],
    "Float64": lambda y: pd.array(y, dtype="Float64"),
    "column": lambda y: y[:, None],
    "nothing masked": np.ma.array,
}


@pytest.mark.parametrize("form", NUMERIC.values(), ids=NUMERIC)
@pytest.mark.parametrize("model", [MODELS["regressor"], MODELS["baseline"]])
def test_numbers_in_every_form_are_the_same_target(model: Any, form: Any) -> None:
    tasks, y = of_tasks(TEXT), form(NUMBERS)
    found = go_through(model(), y, tasks)
    np.testing.assert_array_equal(found.coef_, fit_once(model, numbers=True).coef_)


@together(
    "y",
    [
        holed(NUMBERS.tolist(), None),
        holed(NUMBERS.tolist(), float("nan")),
        np.ma.array(NUMBERS, mask=MASK),
        np.ma.array((100 * NUMBERS).astype(int), mask=MASK),
        pd.array(holed(NUMBERS.tolist(), pd.NA), dtype="Float64"),
    ],
    ids=["None", "NaN", "masked", "masked integers", "Float64"],
)
@pytest.mark.parametrize("model", [MODELS["regressor"], MODELS["baseline"]])
def test_numbers_with_holes_are_refused(model: Any, y: Any) -> None:
    expect_refusal(lambda: model().fit(X, y, of_tasks(TEXT)), NO_TARGET)
    expect_refusal(lambda: fit_once(model, numbers=True).score(X, y, of_tasks(TEXT)), NO_TARGET)


# Features


@ALL_MODELS
@together(
    ("form", "sentence"),
    [
        (lambda A: np.ma.array(A, mask=(A[3, 1] == A)), "Task 'a' has NaN in column 1: fill or"),
        (
            lambda A: np.ma.array((100 * A).astype(int), mask=(A[3, 1] == A)),
            "Task 'a' has NaN in column 1: fill or",
        ),
        (
            lambda A: [[None if v == A[3, 1] else v for v in row] for row in A.tolist()],
            "Task 'a' has NaN in column 1: fill or",
        ),
        (
            lambda A: [[*row[:2], "red"] for row in A.tolist()],
            "Column 'x2' of X is not numeric: encode or drop it",
        ),
        (lambda A: [*A.tolist()[:-1], [1.0]], "X has rows of unequal length: give every row"),
        (lambda A: pd.DataFrame(A, columns=["a", "b", "a"]), "X has 2 columns named 'a': rename"),
        (
            lambda A: pd.DataFrame(A, columns=["a", "b", 3]),
            "X has columns of which some are named by text and some are not: X.columns = X.col",
        ),
        (lambda A: dict(enumerate(A)), "X has shape (): it must be (rows, features)"),
    ],
    ids=["masked", "masked integers", "None", "text", "unequal", "twice", "mixed names", "dict"],
)
def test_features_are_refused_at_the_door(model: Any, form: Any, sentence: str) -> None:
    y, tasks = target_of(model()), of_tasks(TEXT)
    expect_refusal(lambda: model().fit(form(X), y, tasks), sentence)
    expect_refusal(lambda: fit_once(model).predict(form(X), tasks), sentence)


@ALL_MODELS
def test_features_in_other_forms_are_the_same_numbers(model: Any) -> None:
    y, tasks = target_of(model()), of_tasks(TEXT)
    expected = fit_once(model).coef_
    fractions = [[Fraction(value) for value in row] for row in X.tolist()]
    for form in (X.tolist(), X.astype(object), np.ma.array(X), fractions):
        np.testing.assert_array_equal(model().fit(form, y, tasks).coef_, expected)


# The door alone


def test_numbers_stay_what_they_are() -> None:
    for values in (NUMBERS, NUMBERS.astype(np.float32), CODES.astype(np.uint8), FLAGS):
        assert one_per_row(values, "y") is values


def test_error_rates_do_not_take_a_hole_for_a_label() -> None:
    for y in (["a", float("nan")], np.ma.array(["a", "b"], mask=[False, True])):
        expect_refusal(lambda y=y: metrics.error_rate(y, ["a", "nan"]), "y has missing labels")


def test_an_infinite_label_is_refused() -> None:
    with pytest.raises(InputError, match="tasks is infinite in row 1: give that row a label"):
        TaskSet(np.ones((2, 1)), [1.0, 2.0], np.array([1.0, np.inf]))
