"""Saved models: the same to the last bit, and one sentence for anything that is not one."""

import io
import json
import zipfile
from dataclasses import asdict
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

import stcmtl
from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, load, simulate
from stcmtl.data.taskset import task_codes
from tests.unit.plain import plain_model

T, D, K = 6, 15, 2
MODELS = [STCMTLRegressor, STCMTLClassifier]


@cache
def data(model: Any = STCMTLRegressor) -> TaskSet:
    kind = "regression" if model is STCMTLRegressor else "classification"
    return simulate(n_tasks=T, n_features=D, n_clusters=K, n_train=20, task_type=kind).train


@cache
def fitted(model: Any = STCMTLRegressor, **options: Any) -> Any:
    rows = data(model)
    return plain_model(model, K, random_state=0, **options).fit(rows.X, rows.y, rows.tasks)


def saved(model: Any) -> bytes:
    stream = io.BytesIO()
    model.save(stream)
    return stream.getvalue()


def round_trip(model: Any) -> Any:
    return load(io.BytesIO(saved(model)))


def assert_identical(left: Any, right: Any) -> None:
    """The same type, dtype, memory order and bits, all the way down."""
    assert type(left) is type(right)
    if isinstance(left, np.ndarray):
        assert left.dtype == right.dtype
        assert left.shape == right.shape
        assert left.flags.f_contiguous == right.flags.f_contiguous
        assert right.flags.writeable
        if left.dtype.kind in "OT":
            assert_identical(left.tolist(), right.tolist())
        else:
            assert left.tobytes() == right.tobytes()
    elif isinstance(left, (list, tuple)):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_identical(one, other)
    elif isinstance(left, dict):
        assert list(left) == list(right)
        assert_identical(list(left.values()), list(right.values()))
    elif hasattr(left, "__dataclass_fields__"):
        assert_identical(asdict(left), asdict(right))
    else:
        assert left == right or (left != left and right != right)


# The round trip


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "options",
    [
        {"shape": "auto", "own": "auto"},
        {"refine": False},
        {"standardize": True, "fit_intercept": False, "gamma": 0.1},
    ],
    ids=["chosen", "paper", "standardized"],
)
def test_every_attribute_comes_back_to_the_last_bit(model: Any, options: dict[str, Any]) -> None:
    before = fitted(model, **options)
    after = round_trip(before)
    assert type(after) is model
    assert set(vars(after)) == set(vars(before))
    for name, value in vars(before).items():
        assert_identical(value, getattr(after, name))


@pytest.mark.parametrize("model", MODELS)
def test_predictions_are_identical(model: Any) -> None:
    rows, before = data(model), fitted(model)
    after = round_trip(before)
    assert (
        before.predict(rows.X, rows.tasks).tobytes() == after.predict(rows.X, rows.tasks).tobytes()
    )
    if model is STCMTLClassifier:
        wanted = before.predict_proba(rows.X, rows.tasks)
        assert wanted.tobytes() == after.predict_proba(rows.X, rows.tasks).tobytes()


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype=object),
        np.array([-1, 1]),
        np.array([1, 2], dtype=np.uint8),
        np.array([False, True]),
        np.array([0.5, 1.5]),
        np.array([b"a", b"b"]),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_class_labels_keep_their_type(labels: Any) -> None:
    rows = data(STCMTLClassifier)
    y = labels[(rows.y == rows.y.max()).astype(int)]
    before = plain_model(STCMTLClassifier, K, random_state=0).fit(rows.X, y, rows.tasks)
    after = round_trip(before)
    assert_identical(before.classes_, after.classes_)
    assert_identical(before.predict(rows.X, rows.tasks), after.predict(rows.X, rows.tasks))


@pytest.mark.parametrize(
    "names",
    [
        [f"school {i}" for i in range(T)],
        ["ünï", "日本", "=1+1", "a\tb", "", "\U0001f600"],
        np.arange(T) - 2,
        np.linspace(0, 1, T),
        np.array([f"s{i}" for i in range(T)], dtype=object),
        np.array([1, "two", 3.5, True, date(2020, 2, 29), np.int64(7)], dtype=object),
        pd.date_range("2020-01-31", periods=T),
        np.array([f"s{i}" for i in range(T)], dtype=np.dtypes.StringDType()),
    ],
    ids=["text", "unicode", "int", "float", "object", "mixed", "time", "StringDType"],
)
def test_task_names_keep_their_type(names: Any) -> None:
    rows = data()
    tasks = np.asarray(names)[task_codes(rows.tasks)[1]]
    before = plain_model(STCMTLRegressor, K, random_state=0).fit(rows.X, rows.y, tasks)
    after = round_trip(before)
    assert_identical(before.task_names_, after.task_names_)
    assert (before.predict(rows.X, tasks) == after.predict(rows.X, tasks)).all()


def test_feature_names_are_remembered_and_compared() -> None:
    rows = data()
    frame = pd.DataFrame(rows.X, columns=[f"feature {d}" for d in range(D)])
    model = plain_model(STCMTLRegressor, K, random_state=0)
    after = round_trip(model.fit(frame, rows.y, rows.tasks))
    assert after.feature_names_in_.tolist() == list(frame.columns)
    assert np.isfinite(after.predict(frame, rows.tasks)).all()
    with pytest.raises(ValueError, match="feature names"):
        after.predict(frame.rename(columns={"feature 0": "other"}), rows.tasks)


def test_random_state_goes_on_where_it_was() -> None:
    rows, state = data(), np.random.RandomState(3)
    before = plain_model(STCMTLRegressor, K, random_state=state).fit(rows.X, rows.y, rows.tasks)
    state.normal()  # leaves half of a pair behind, which is part of the state
    after = round_trip(before)
    assert state.normal(size=5).tolist() == after.random_state.normal(size=5).tolist()


def test_numpy_parameters_and_infinities_keep_their_type() -> None:
    before = round_trip(fitted()).set_params(n_clusters=np.int64(2), tol=np.float32(0.1))
    before.gamma_ = float("nan")
    after = round_trip(before)
    assert type(after.n_clusters) is np.int64
    assert type(after.tol) is np.float32
    assert np.isnan(after.gamma_)


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "model.stcmtl"
    fitted().save(path)
    assert path.read_bytes() == saved(fitted())
    assert saved(load(path)) == path.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["model.stcmtl"]


def test_the_file_says_what_wrote_it_and_numpy_opens_its_arrays() -> None:
    with zipfile.ZipFile(io.BytesIO(saved(fitted()))) as archive:
        document = json.loads(archive.read("model.json"))
        number = document["attributes"]["intercept_"]["array"]
        array = np.load(io.BytesIO(archive.read(f"arrays/{number}.npy")), allow_pickle=False)
    assert document["versions"]["stcmtl"] == stcmtl.__version__
    assert document["versions"]["numpy"] == np.__version__
    assert document["class"] == "STCMTLRegressor"
    assert document["parameters"]["n_clusters"] == K
    assert array.tolist() == fitted().intercept_.tolist()


def test_a_file_of_an_earlier_release_loads() -> None:
    """Saved by stcmtl 0.1 with labels of several kinds and a generator half way."""
    model = load(Path(__file__).with_name("version_1.stcmtl"))
    names = [1, "two", 3.5, True, date(2020, 2, 29), np.int64(7)]
    wanted = sorted([1, *names[1:3], *names[4:]], key=str)  # True and 1 are one task
    assert_identical(sorted(model.task_names_.tolist(), key=str), wanted)
    rows = data(STCMTLClassifier)
    tasks = np.array(names, dtype=object)[task_codes(rows.tasks)[1]]
    shares = model.predict_proba(rows.X, tasks)[:, 1]
    assert shares[0] == pytest.approx(float.fromhex("0x1.5c0a679b884fep-2"), rel=1e-13)
    assert model.random_state.normal() == pytest.approx(0.18412820337989788, rel=1e-13)
    assert len(model.history_) == model.n_iter_ + 1


# What cannot be saved


def test_an_unfitted_model_is_not_saved() -> None:
    with pytest.raises(NotFittedError):
        STCMTLRegressor().save(io.BytesIO())


def test_a_label_without_portable_form_is_named() -> None:
    model = round_trip(fitted())
    model.task_names_ = np.array([object()] * T, dtype=object)
    with pytest.raises(ValueError, match="task_names_ cannot be saved: it holds a object"):
        model.save(io.BytesIO())


def test_a_class_of_ones_own_is_refused() -> None:
    class STCMTLRegressor2(STCMTLRegressor):
        pass

    model = STCMTLRegressor2()
    with pytest.raises(ValueError, match="STCMTLRegressor2 cannot be saved"):
        model.save(io.BytesIO())


def test_any_object_with_the_name_of_a_model_is_not_one() -> None:
    impostor = type("STCMTLRegressor", (BaseEstimator,), {"save": STCMTLRegressor.save})()
    with pytest.raises(ValueError, match="cannot be saved"):
        impostor.save(io.BytesIO())
