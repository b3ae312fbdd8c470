"""A session as a file, and a session from one: the same picture without fitting again.

Nothing of a file reaches what other visitors see: its tasks and results stay in the session.
"""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from hashlib import sha256
from io import BytesIO
from typing import Any

import numpy as np

from stcmtl.baselines.registry import REGISTRY
from stcmtl.errors import InputError, MissingPackageError
from stcmtl.estimators.semisoft import STCMTLClassifier, STCMTLRegressor
from stcmtl.evaluation.comparison import Outcome
from stcmtl.io.limits import fault
from stcmtl.io.remembered import recall
from stcmtl.io.session_file import MAX_BYTES, SavedSession, load_session, save_session
from stcmtl.solver.records import KSelection
from stcmtl.studio.state.choices import SIMULATED, UPLOAD, DataChoice, FitChoice
from stcmtl.studio.state.loading import Loaded, SessionKey, load
from stcmtl.studio.state.naming import Naming, names_of
from stcmtl.studio.state.session import Session
from stcmtl.studio.work.comparing import Settings
from stcmtl.studio.work.fits import Curve, Fitted

CLASSES = STCMTLRegressor, STCMTLClassifier
FITTED, SPOKEN = "model", "chosen"  # files of the two results
LARGE = ("choice", "data", "model")  # of a result; the rest are numbers


def pack_session(session: Session) -> bytes:
    """All that the pages show: choices, tasks, results, names, picks and views."""
    loaded = session.data
    assert loaded is not None
    results = {FITTED: session.fitted, SPOKEN: session.spoken}
    if session.spoken is session.fitted:
        del results[SPOKEN]
    found = {name: result for name, result in results.items() if result is not None}
    tasks = {} if session.data_choice.source == SIMULATED else {"train": loaded.train}
    if tasks and loaded.test is not None:
        tasks["test"] = loaded.test
    content: dict[str, Any] = {
        "data": session.data_choice.query(),
        "name": loaded.name,
        "account": list(loaded.account),
        "fit": session.fit_choice.query(),
        "results": {
            name: {
                "choice": result.choice.query(),
                "numbers": {key: known and float(known) for key, known in numbers_of(result)},
            }
            for name, result in found.items()
        },
        "picked": sorted(session.picked),
        "views": dict(session.views),
        "compared": {
            method: {"settings": asdict(settings), "outcomes": list(map(asdict, outcomes))}
            for method, (settings, outcomes) in session.compared.items()
        },
    }
    if session.curve is not None:
        choice, path = session.curve.choice, session.curve.path
        content["curve"] = {"choice": choice.query(), "path": path}
    models = {name: result.model for name, result in found.items()}
    return save_session(SavedSession(content, tasks, models))


def unpack_session(name: str, data: bytes) -> Session:
    """The session that a file holds; an InputError says why it holds none."""
    stream = BytesIO(data)
    stream.name = name
    saved = load_session(stream, CLASSES, MAX_BYTES)
    try:
        return rebuild(saved, SessionKey(sha256(data).hexdigest(), name))
    except (KeyError, TypeError, AttributeError, AssertionError) as error:
        what = "holds no session that fits together"
        raise fault(name, what, "save the session again") from error


def rebuild(saved: SavedSession, key: SessionKey) -> Session:
    content = saved.content
    loaded, choice = find_tasks(saved, key)
    fit = FitChoice.from_query(content["fit"])
    session = Session(data_choice=choice, data=loaded, fit_choice=fit, has_followed_link=True)
    results = {
        name: recall_fit(saved.models[name], loaded, **content["results"][name])
        for name in saved.models
    }
    session.fitted, session.spoken = results.get(FITTED), results.get(SPOKEN)
    if session.fitted is not None:
        named = session.fitted.model
        session.naming = Naming(tuple(names_of(session.fitted)), named)
        if SPOKEN not in results and len(getattr(named, "choices_", ())) > 1:
            session.spoken = session.fitted
    places = range(len(loaded.train))
    session.picked = frozenset(place for place in content["picked"] if place in places)
    session.views = {str(key): str(view) for key, view in content["views"].items()}
    if "curve" in content:
        path = content["curve"]["path"]
        assert isinstance(path, KSelection)
        session.curve = Curve(FitChoice.from_query(content["curve"]["choice"]), path)
    session.compared = {
        method: recall_outcomes(kept, loaded)
        for method, kept in content["compared"].items()
        if method in REGISTRY
    }
    return session


def find_tasks(saved: SavedSession, key: SessionKey) -> tuple[Loaded, DataChoice]:
    """As the choice says, where this server has the same; else those of the file."""
    content, train = saved.content, saved.tasks.get("train")
    choice = DataChoice.from_query(content["data"])
    if choice.source == SIMULATED:
        return load(choice), choice
    assert train is not None
    if choice.source != UPLOAD and (known := try_to_load(choice)) is not None:
        rows = known.train
        if np.array_equal(rows.X, train.X) and np.array_equal(rows.y, train.y):
            return known, choice
    account = tuple(str(line) for line in content["account"])
    reading = next(
        (
            recall(m, tuple(train.feature_names))
            for m in saved.models.values()
            if hasattr(m, "reading_")
        ),
        None,
    )
    loaded = Loaded(
        key, str(content["name"]), train, saved.tasks.get("test"), account, True, reading
    )
    return loaded, choice.with_values(source=UPLOAD)


def try_to_load(choice: DataChoice) -> Loaded | None:
    try:
        return load(choice)
    except (OSError, ValueError, MissingPackageError):
        return None


def numbers_of(result: Fitted) -> list[tuple[str, float | None]]:
    """Seconds and errors, some of which take other fits to know."""
    return [(f.name, getattr(result, f.name)) for f in fields(Fitted) if f.name not in LARGE]


def recall_fit(
    model: Any, loaded: Loaded, choice: dict[str, str], numbers: dict[str, float | None]
) -> Fitted:
    """A model of these very tasks with what was known of it."""
    train = loaded.train
    is_theirs = (
        list(model.task_names_) == list(train.task_names)
        and model.n_features_in_ == train.X.shape[1]
        and isinstance(model, STCMTLClassifier) == loaded.classification
    )
    if not is_theirs:
        raise InputError("The model of the file is not of its tasks", remedy="save it again")
    known = {name: value if value is None else float(value) for name, value in numbers.items()}
    return Fitted(FitChoice.from_query(choice), loaded, model, **known)  # type: ignore[arg-type]


def recall_outcomes(kept: dict[str, Any], loaded: Loaded) -> tuple[Settings, list[Outcome]]:
    outcomes = [Outcome(**values) for values in kept["outcomes"]]
    shape = loaded.train.X.shape[1], len(loaded.train)
    assert outcomes
    assert all(outcome.coef.shape == shape for outcome in outcomes)
    numbers = [(float(one.error), float(one.seconds)) for one in outcomes]
    pairs = zip(outcomes, numbers, strict=True)
    return Settings(**kept["settings"]), [
        replace(one, error=error, seconds=seconds) for one, (error, seconds) in pairs
    ]
