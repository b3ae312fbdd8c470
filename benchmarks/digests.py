"""Fingerprints of what the dashboard computes on its presets, as JSON; `same_bits.py` compares.

    PYTHONPATH=CHECKOUT python benchmarks/digests.py FOLDER_OF_SAVED_MODELS [--quick]

Public names only, so that it runs on any checkout. Seconds are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

import stcmtl
from stcmtl import baselines, datasets, figures, select_n_clusters, simulate, stability

try:
    from stcmtl.evaluation.comparison import compare
except ModuleNotFoundError:  # where it was before the package had rooms
    from stcmtl.comparison import compare

# What the presets come to: rows to fit on and to test on, K, and other settings of the fit.
LABELS = {"task_type": "classification"}
PRESETS: dict[str, tuple[Callable[[], Any], int, dict[str, Any]]] = {
    "tiny": (lambda: simulate(18, 30, 3, 60, structure_seed=2, n_mixed=4), 3, {}),
    "small labels": (lambda: simulate(12, 20, 3, 50, **LABELS), 3, {}),  # of our own
    "sparse": (lambda: simulate(n_mixed=10), 5, {}),
    "dense": (lambda: simulate(mixing="dense", n_mixed=10), 5, {}),
    "outliers": (lambda: simulate(n_features=100, n_outliers=5, n_mixed=10), 5, {"robust": True}),
    "classification": (lambda: simulate(n_features=100, n_mixed=10, scale=3.0, **LABELS), 5, {}),
    "digits": (datasets.load_digits, 10, {}),
    "gapminder": (
        lambda: datasets.split_rows(datasets.load_gapminder(), 0.75, 0),
        4,
        {"standardize": False},
    ),
}
SMALL = ("tiny", "small labels")  # on which everything is tried
LATER = ("feature_scale_", "units_differ_", "standardized_")  # that earlier checkouts do not have
VARIANTS = {
    "robust": {"robust": True},
    "on one scale": {"standardize": True},
    "by 1 thread": {"n_jobs": 1},
    "by 2 threads": {"n_jobs": 2},
}
COMPARED = ("STCMTL refined", "LASSO", "Trace", "Pooled")
Results = Iterator[tuple[str, Any]]


def results(preset: str, saved: Path) -> Results:
    """What is computed on a preset, by name."""
    make_rows, k, options = PRESETS[preset]
    rows = make_rows()
    train, test = rows.train, rows.test
    labels = train.task_type == "classification"
    kind = stcmtl.STCMTLClassifier if labels else stcmtl.STCMTLRegressor
    plain = {"shape": "simplex", "own": "none"}  # which an older checkout does not know
    given = {name: value for name, value in plain.items() if name in kind().get_params()}
    estimator = kind(k, random_state=0, **given, **options)
    known = train.X, train.y, train.tasks
    model = clone(estimator).fit(*known)
    yield "fit", model
    yield "fit, paper", clone(estimator).set_params(refine=False).fit(*known)
    yield "predictions", predictions(model, test)
    yield "saved and loaded", loaded(model, saved / f"{preset}.stcmtl", test)
    found = model.assign(test.X, test.y, test.tasks)
    yield "new tasks", [found, model.decision_values(test.X, test.tasks, found)]
    ks = range(1, 8) if preset in SMALL else (k - 1, k, k + 1)
    path = select_n_clusters(*known, ks, estimator=estimator, random_state=0)
    yield "curve over K", [path, path.best, path.one_se]
    common = {name: value for name, value in options.items() if name == "standardize"}
    yield "comparison", {name: compare(name, lambda r: rows, 1, k, **common) for name in COMPARED}
    if preset not in SMALL:
        return
    for name, variant in VARIANTS.items():
        yield f"fit, {name}", clone(estimator).set_params(**variant).fit(*known)
    yield "stability", stability(model, *known, n_boot=10, random_state=0)
    for name, method in baselines.METHODS.items():
        other = method(random_state=0).fit(*known)
        yield f"baseline {name}", [other, predictions(other, test)]
    yield "figures, words included", dict(drawings(model, path, rows))


def predictions(model: Any, test: Any) -> dict[str, Any]:
    return {how: getattr(model, how)(test.X, test.tasks) for how in ("predict", "decision_values")}


def loaded(model: Any, path: Path, test: Any) -> dict[str, Any]:
    """The model from bytes of its own, and from the file of the checkout that ran first."""
    stream = BytesIO()
    model.save(stream)
    if not path.exists():
        model.save(path)
    models = {"own": stcmtl.load(BytesIO(stream.getvalue())), "first": stcmtl.load(path)}
    return {name: [each, predictions(each, test)] for name, each in models.items()}


def drawings(model: Any, path: Any, rows: Any) -> Results:
    """Figures as text, drawn as if nothing had taken any time."""
    W, V, U, true = model.coef_.T, model.memberships_.T, model.cluster_coef_.T, rows.truth
    path = replace(path, seconds=np.zeros_like(path.seconds))
    history = [replace(s, seconds=dict.fromkeys(s.seconds, 0.0)) for s in model.history_]
    calls: dict[str, tuple[Any, ...]] = {
        "memberships": (V, true.V), "membership_bars": (V,), "purity": (model.purity_, V),
        "coefficients": (W, true.W), "coefficient_errors": (W, true.W),
        "selection_pattern": (W, true.W), "cluster_coefficients": (U,),
        "similarity": (model.similarity_, V), "outliers": (model.distances_, V),
        "convergence": (history,), "changes": (history,), "replay": (history,),
        "k_curve": (path,), "singular_ratios": (path.singular_ratios,),
        "task_rows": (rows.train, rows.test, V), "task_targets": (rows.train, V),
    }  # fmt: skip
    for name, arguments in calls.items():
        text = getattr(figures, name)(*arguments).to_json()
        # in which order it was built, and whether from 1 or from 1.0, is no matter
        yield name, json.dumps(json.loads(text, object_hook=unpacked), sort_keys=True)


def unpacked(part: dict[str, Any]) -> Any:
    """The numbers of an array that plotly has packed."""
    if "bdata" not in part:
        return part
    values = np.frombuffer(b64decode(part["bdata"]), part["dtype"])
    return [part.get("shape", ""), *values.astype(float).tolist()]


def digests(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Of every array, number and text in a value, by its name there."""
    if isinstance(value, BaseEstimator):
        parts = {
            key: part for key, part in vars(value).items() if key.endswith("_") and key not in LATER
        }
    elif isinstance(value, (dict, list, tuple)):
        parts = value if isinstance(value, dict) else dict(enumerate(value))
    elif hasattr(value, "__dict__"):
        parts = vars(value)
    else:
        array = np.asarray(value)
        content = repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes()
        what = f"{array.dtype.str} {array.shape} ".encode() + content
        yield name, hashlib.sha256(what).hexdigest()
        return
    for key, part in parts.items():
        if key != "seconds":
            yield from digests(part, f"{name}.{key}" if name else str(key))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("saved", type=Path, help="where models are saved, or have been")
    parser.add_argument("--quick", action="store_true", help="small tasks only")
    arguments = parser.parse_args()
    table = {
        f"{preset}: {what}": dict(digests(value))
        for preset in (SMALL if arguments.quick else PRESETS)
        for what, value in results(preset, arguments.saved)
    }
    json.dump({"package": stcmtl.__file__, "digests": table}, sys.stdout)


if __name__ == "__main__":
    main()
