"""Columns and labels that are known from an earlier file: encoded as they were there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array, TaskSet
from stcmtl.io.account import Account, Findings, listed
from stcmtl.io.features import check_no_infinity, filled_cells, measured, missing_sentence
from stcmtl.io.levels import SINCE, in_days
from stcmtl.io.limits import fault
from stcmtl.io.targets import Target, against_the_rest, native, plain, target_of

SPANS = ""  # of time, which count from no day


@dataclass(frozen=True, eq=False)
class Reading:
    """How a file was read, which a further file is to be read like.

    ``classes`` are the two labels, empty for a regression; ``understood`` is the account's;
    ``dates`` the day from which a column of dates counts, empty for spans of time; ``medians``
    a value per feature for cells that are missing, of texts 1 for the most frequent.
    """

    features: tuple[str, ...]
    classes: tuple[Any, ...] = ()
    understood: dict[str, Any] = field(default_factory=dict)
    dates: dict[str, str] = field(default_factory=dict)
    medians: Array | None = None

    @classmethod
    def of(cls, data: TaskSet, account: Account) -> Reading:
        """What the reading of one file says about the next."""
        units = {name: to[0] for name, to in account.encoded.items() if name in data.feature_names}
        dates = {
            name: unit.removeprefix(SINCE) if unit.startswith(SINCE) else SPANS
            for name, unit in units.items()
        }
        return cls(
            tuple(data.feature_names),
            account.classes,
            account.understood,
            dates,
            typical(data, account),
        )


def typical(data: TaskSet, account: Account) -> Array:
    """Medians, which stay as they were where they filled cells; of texts the most frequent."""
    values = np.array([np.median(column) for column in data.X.T])
    position = {name: d for d, name in enumerate(data.feature_names)}
    for name, levels in account.encoded.items():
        if name not in position:
            own = [position[f"{name}={level}"] for level in levels]
            values[own] = np.arange(len(own)) == data.X[:, own].sum(axis=0).argmax()
    return values


def known_matrix(
    frame: pd.DataFrame, reading: Reading, file: str, missing: str, findings: Findings
) -> tuple[Array, set[str]]:
    """The features of ``reading`` from a frame that has them, and the columns they came from."""
    numbers, indicators = sources(frame, reading, file)
    X = np.empty((len(frame), len(reading.features)))
    for d, name in numbers.items():
        X[:, d] = known_numbers(frame[name], name, reading, file, findings)
    for name, levels in indicators.items():
        fill_indicators(X, frame[name], name, levels, file)
    feature = {name: d for d, name in numbers.items()}
    feature |= {name: next(iter(levels.values())) for name, levels in indicators.items()}
    holes = {name: int(np.isnan(X[:, d]).sum()) for name, d in feature.items()}
    holes = {name: count for name, count in holes.items() if count}
    if holes:
        fill_holes(X, holes, reading, file, missing, findings)
    return X, set(feature)


def sources(
    frame: pd.DataFrame, reading: Reading, file: str
) -> tuple[dict[int, str], dict[str, dict[str, int]]]:
    """Features that are columns, and columns of text with the feature of each level."""
    columns = set(frame.columns)
    numbers: dict[int, str] = {}
    indicators: dict[str, dict[str, int]] = {}
    absent: list[str] = []
    for d, feature in enumerate(reading.features):
        if feature in columns:
            numbers[d] = feature
        elif column := text_column(feature, columns):
            indicators.setdefault(column, {})[feature[len(column) + 1 :]] = d
        else:
            absent.append(feature)
    if absent:
        what = "feature" if len(absent) == 1 else f"{len(absent)} features"
        them = "it" if len(absent) == 1 else "them"
        names = listed(tuple(repr(name) for name in absent))
        raise fault(file, f"lacks the {what} {names} that the model was fitted on", f"add {them}")
    return numbers, indicators


def text_column(feature: str, columns: set[str]) -> str | None:
    """The column of which ``column=level`` is a level; either may hold more equals signs."""
    parts = feature.split("=")
    beginnings = ("=".join(parts[:n]) for n in range(1, len(parts)))
    return next((column for column in beginnings if column in columns), None)


def known_numbers(
    column: pd.Series, name: str, reading: Reading, file: str, findings: Findings
) -> Array:
    if column.isna().all():
        return np.full(len(column), np.nan)
    values = measured(column, name, file, findings)
    if name in reading.dates:
        return known_days(values, name, reading.dates[name], file)
    if values is None or isinstance(values, pd.Series):
        texts = pd.to_numeric(column.astype(object), errors="coerce").isna() & column.notna()
        shown = column[texts].iloc[0] if texts.any() else column.dtype
        raise fault(
            file,
            f"has {str(shown)[:40]!r} in column {name!r}, where the model was fitted on numbers",
            "correct such cells",
        )
    check_no_infinity(values, name, file)
    return values


def known_days(times: Any, name: str, since: str, file: str) -> Array:
    kind, what = ("m", "spans of time") if since == SPANS else ("M", "dates")
    if not isinstance(times, pd.Series) or times.dtype.kind != kind:
        raise fault(file, f"has no {what} in column {name!r}", "save them as such")
    return in_days(times if since == SPANS else times - pd.Timestamp(since, tz=times.dt.tz))


def fill_indicators(
    X: Array, column: pd.Series, name: str, levels: dict[str, int], file: str
) -> None:
    """1 in the feature of each row's level, 0 in those of the others, NaN where it has none."""
    codes, found = pd.factorize(column)
    texts = [str(level) for level in found]
    # whole numbers among texts come back as 1.0 from a file that has nothing else but holes
    texts = [text if text in levels else text.removesuffix(".0") for text in texts]
    unknown = [text for text in texts if text not in levels]
    if unknown:
        raise fault(
            file,
            f"has {listed(tuple(repr(text[:40]) for text in unknown))} in column {name!r}, "
            f"where the model was fitted on {listed(tuple(map(repr, levels)))}",
            "correct or leave out such rows",
        )
    X[:, list(levels.values())] = np.where(codes < 0, np.nan, 0.0)[:, None]
    feature = np.array([levels[text] for text in texts], dtype=np.int64)
    rows = np.flatnonzero(codes >= 0)
    X[rows, feature[codes[rows]]] = 1.0


def fill_holes(
    X: Array,
    holes: dict[str, int],
    reading: Reading,
    file: str,
    missing: str,
    findings: Findings,
) -> None:
    if missing == "error":
        raise missing_sentence(file, holes)
    if reading.medians is None:
        raise missing_sentence(file, holes, "fill them, as the model knows no medians")
    X[:] = np.where(np.isnan(X), reading.medians, X)
    findings.notes.append(
        f"{filled_cells(holes)} filled with the medians, or the most frequent texts, of the data "
        "that the model was fitted on"
    )


def known_target(
    values: NDArray[Any],
    tasks: NDArray[Any],
    name: str,
    file: str,
    reading: Reading,
    findings: Findings,
) -> Target:
    """Numbers, or the labels of ``reading`` as they are."""
    if not reading.classes:
        return target_of(values, tasks, name, file, "regression", findings)
    if reading.understood.get("each_label"):
        return against_the_rest(values, tasks, pd.unique(pd.Series(values)), findings)
    labels = known_labels(values, name, file, reading.classes)
    return Target(labels, "classification", reading.classes)


def known_labels(
    values: NDArray[Any], name: str, file: str, classes: tuple[Any, ...]
) -> NDArray[Any]:
    """Labels by what they read as, so that 1, 1.0 and '1' are the same."""
    position = {plain(native(label)): k for k, label in enumerate(classes)}
    codes, found = pd.factorize(values)
    texts = [plain(native(label)) for label in found]
    unknown = [text for text in texts if text not in position]
    if unknown:
        raise fault(
            file,
            f"has {listed(tuple(map(repr, unknown)))} in the target {name!r}, where the "
            f"model knows {' and '.join(map(repr, position))}",
            "correct or leave out such rows",
        )
    return np.array(classes)[np.array([position[text] for text in texts])[codes]]
