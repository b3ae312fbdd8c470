"""A session as a file, and a session from one: the same picture without fitting again.

Nothing of a file reaches what other visitors see: its tasks and results stay in the session.
"""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from hashlib import sha256
from typing import Any

import numpy as np

from stcmtl.baselines.registry import REGISTRY
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError, MissingPackageError
from stcmtl.estimators.resampling import Stability
from stcmtl.estimators.semisoft import STCMTLClassifier, STCMTLRegressor
from stcmtl.evaluation.comparison import Outcome
from stcmtl.io.bounded import check_bounded
from stcmtl.io.limits import fault
from stcmtl.io.remembered import recall
from stcmtl.io.session_file import MAX_BYTES, SavedSession, load_session, named, save_session
from stcmtl.io.sources import File
from stcmtl.solver.records import KSelection
from stcmtl.studio.state.choices import SIMULATED, UPLOAD, DataChoice, FitChoice
from stcmtl.studio.state.loading import Loaded, SessionKey, load
from stcmtl.studio.state.naming import Naming, names_of
from stcmtl.studio.state.session import Session
from stcmtl.studio.state.uploads import LIMITS
from stcmtl.studio.work.comparing import Settings
from stcmtl.studio.work.fits import Curve, Fitted
from stcmtl.studio.work.trust import Trusted

CLASSES = STCMTLRegressor, STCMTLClassifier
# Files of results: in hand, chosen by the data, resampled on Trust, kept to compare with.
FITTED, SPOKEN, EXAMINED, KEPT = "model", "chosen", "examined", "kept"
LARGE = ("choice", "data", "model")  # of a result; the rest are numbers


def pack_session(session: Session) -> bytes:
    """All that the pages show: choices, tasks, results, names, picks and views."""
    loaded = session.data
    assert loaded is not None
    found = list_results(session)
    described, tasks = pack_tasks(loaded, session.data_choice)
    content: dict[str, Any] = {
        **described,
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
    if (trust := session.trust) is not None:
        content["trust"] = {
            "n_boot": trust.n_boot,
            "level": trust.level,
            "found": vars(trust.found),
        }
    if (kept := session.kept_fit) is not None and kept.data.key != loaded.key:
        content["kept"], rows = pack_tasks(kept.data, choice_of(kept.data), f"{KEPT} ")
        tasks |= rows
    models = {name: result.model for name, result in found.items()}
    return save_session(SavedSession(content, tasks, models))


def list_results(session: Session) -> dict[str, Fitted]:
    """Every fit that a page shows, once; resamples are of the one in hand as a rule."""
    results = {FITTED: session.fitted, KEPT: session.kept_fit}
    if session.spoken is not session.fitted:
        results[SPOKEN] = session.spoken
    trust, fitted = session.trust, session.fitted
    if trust is not None and (fitted is None or not trust.is_of(fitted)):
        results[EXAMINED] = trust.result
    return {name: result for name, result in results.items() if result is not None}


def pack_tasks(
    loaded: Loaded, choice: DataChoice, before: str = ""
) -> tuple[dict[str, Any], dict[str, TaskSet]]:
    """What is said of tasks, and their rows if these cannot be simulated again."""
    described = {"data": choice.query(), "name": loaded.name, "account": list(loaded.account)}
    if choice.source == SIMULATED:
        return described, {}
    tasks = {f"{before}train": loaded.train}
    if loaded.test is not None:
        tasks[f"{before}test"] = loaded.test
    return described, tasks


def choice_of(loaded: Loaded) -> DataChoice:
    """Of tasks that are not in hand any more."""
    known = isinstance(loaded.key, DataChoice)
    return loaded.key if known else DataChoice(source=UPLOAD)


def unpack_session(name: str, data: bytes) -> Session:
    """The session that a file holds; an InputError says why it holds none."""
    check_bounded(File(name, data=data), replace(LIMITS, bytes_unpacked=MAX_BYTES))
    saved = load_session(named(name, data), CLASSES, MAX_BYTES)
    try:
        return rebuild(saved, SessionKey(sha256(data).hexdigest(), name))
    except (KeyError, TypeError, AttributeError, AssertionError) as error:
        what = "holds no session that fits together"
        raise fault(name, what, "save the session again") from error


def rebuild(saved: SavedSession, key: SessionKey) -> Session:
    content = saved.content
    loaded, choice = find_tasks(saved, content, key)
    other = loaded
    if KEPT in content:
        other, _ = find_tasks(saved, content[KEPT], replace(key, before=f"{KEPT} "))
    fit = FitChoice.from_query(content["fit"])
    session = Session(data_choice=choice, data=loaded, fit_choice=fit, has_followed_link=True)
    results = {
        name: recall_fit(model, other if name == KEPT else loaded, **content["results"][name])
        for name, model in saved.models.items()
    }
    session.fitted, session.spoken = results.get(FITTED), results.get(SPOKEN)
    session.kept_fit = results.get(KEPT)
    if "trust" in content:
        examined = results[EXAMINED if EXAMINED in results else FITTED]
        session.trust = recall_trust(examined, **content["trust"])
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


def find_tasks(
    saved: SavedSession, described: dict[str, Any], key: SessionKey
) -> tuple[Loaded, DataChoice]:
    """As the choice says, where this server has the same; else those of the file."""
    train, test = (saved.tasks.get(f"{key.before}{part}") for part in ("train", "test"))
    choice = DataChoice.from_query(described["data"])
    if choice.source == SIMULATED:
        return load(choice), choice
    assert train is not None
    if choice.source != UPLOAD and (known := try_to_load(choice)) is not None:
        rows = known.train
        if np.array_equal(rows.X, train.X) and np.array_equal(rows.y, train.y):
            return known, choice
    account = tuple(str(line) for line in described["account"])
    reading = next(
        (
            recall(m, tuple(train.feature_names))
            for name, m in saved.models.items()
            if hasattr(m, "reading_") and (name == KEPT or not key.before)
        ),
        None,
    )
    loaded = Loaded(key, str(described["name"]), train, test, account, True, reading)
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


def recall_trust(result: Fitted, n_boot: int, level: float, found: dict[str, Any]) -> Trusted:
    """What resamples said of this very fit."""
    model = result.model
    T, (K, D) = len(model.task_names_), model.cluster_coef_.shape
    sizes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(("kept", "pure", "strength_lower", "strength_upper"), (T,)),
        **dict.fromkeys(("lower", "upper"), (T, K)),
        **dict.fromkeys(("selected", "coef_se", "coef_lower", "coef_upper"), (K, D)),
        "co_clustering": (T, T),
        "memberships": (int(n_boot), T, K),
    }
    assert all(found[name].shape == size for name, size in sizes.items())
    return Trusted(result, int(n_boot), float(level), Stability(**found))


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
