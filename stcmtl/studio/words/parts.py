"""What else figures are made of, as lines of Python: new tasks, a task's card, errors beside simple
ways, the scenes of Learn, the paper's figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from stcmtl import figures
from stcmtl.data.taskset import Array
from stcmtl.estimators.new_tasks import Assignment
from stcmtl.estimators.places import outline_places
from stcmtl.evaluation.blocks import cosines
from stcmtl.evaluation.simple_ways import Errors
from stcmtl.evaluation.task_cards import TaskCard
from stcmtl.io.parsing import HOW
from stcmtl.solver.alignment import align_clusters, match_clusters
from stcmtl.studio.state.choices import DataChoice
from stcmtl.studio.state.loading import USUAL_SCALE, Loaded
from stcmtl.studio.state.uploads import Upload, UploadKey
from stcmtl.studio.words.recipes import Part, Place, Recipe, both_ways, call, holds, spell
from stcmtl.studio.work.fits import Fitted

# New tasks


def draw_new(choice: DataChoice, weights: Array, n_rows: int, seed: int) -> list[str]:
    """A task of the simulation; without weights one that follows no cluster."""
    given = ["train.truth", spell(np.round(weights, 6).tolist()), str(n_rows), repr(choice.noise)]
    options: dict[str, Any] = {"random_state": seed}
    if choice.correlation:
        options["correlation"] = choice.correlation
    if choice.kind != "regression":
        options["task_type"] = choice.kind
    if not weights.any() and (scale := choice.signal * USUAL_SCALE[choice.kind]) != 1.0:
        options["scale"] = scale
    return [
        call("new = draw_task", *given, **options),
        "found = model.assign(new.features(), new.y, new.tasks)",
    ]


def take_test_rows(task: Any) -> list[str]:
    """A fitted task met again."""
    name = spell(f"{task}, test rows")
    return [
        f"own = test.tasks == {spell(np.asarray(task).item())}",
        call(
            "found = model.assign", "test.features()[own]", "test.y[own]", f"[{name}] * own.sum()"
        ),
    ]


def read_new(upload: Upload, data: Loaded, missing: str) -> list[str]:
    """Files read like the first one; no lines where more was said of them than their names."""
    if upload.how != HOW or missing != "error" or not isinstance(data.key, DataChoice | UploadKey):
        return []
    names = spell([name for name, _ in upload.sources])
    like = "Reading.of(data, account)" if data.known else "Reading(tuple(train.feature_names))"
    return [
        call("new = read_tables_like", names, like),
        "found = model.assign(with_names(model, new.X), new.y, new.labels)",
    ]


def part_of_new(found: Assignment, lines: list[str]) -> Part:
    strength = np.abs(found.loadings).sum(axis=1)
    places: list[Place] = [
        *both_ways("found.memberships", found.memberships),
        *both_ways("found.loadings", found.loadings),
        ("list(found.task_names)", lambda: list(found.task_names)),
        ("abs(found.loadings).sum(axis=1)", lambda: strength),
        ("outline_places(found)", lambda: outline_places(found)),
    ]
    return Part(places, [Recipe(("found",), lines)] if lines else [])


# Overview, and the card of a task


def part_of_errors(errors: Errors, named: dict[str, float]) -> Part:
    """Errors under the names that the figure gives them, in the order of ``Errors``."""
    fields = ("fit", "separate", "pooled")
    written = ", ".join(
        f"{spell(name)}: errors.{field}" for name, field in zip(named, fields, strict=False)
    )
    lines = ["errors = measure_errors(model, train, test)"]
    return Part([(f"{{{written}}}", lambda: named)], [Recipe(("errors",), lines)])


def part_of_card(card: TaskCard, data: Loaded) -> Part:
    test = "None" if data.test is None else "test"
    places: list[Place] = [("card.shares", lambda: card.shares)]
    if card.intervals is not None:
        low, high = card.intervals
        places += [("card.intervals[0]", lambda: low), ("card.intervals[1]", lambda: high)]
    for name in ("actual", "predicted", "test"):
        places.append((f'card.rows["{name}"]', holds(card.rows[name].to_numpy())))
    places.append(("card.cluster_names", lambda: list(card.cluster_names)))
    lines = [f"card = task_card(model, train, {test}, {card.task})"]
    return Part(places, [Recipe(("card",), lines)])


# Learn


def part_of_lesson(result: Fitted, shares: tuple[float, ...]) -> Part:
    """Clusters in the order of the true patterns, with and without the visitor's own task."""
    model, truth = result.model, result.data.truth
    assert truth is not None
    V, odd, first = model.memberships_.T, truth.outliers, model.history_[0]
    order, aligned = match_clusters(V, truth.V), align_clusters(V, truth.V)[0]
    written = "(model.memberships_.T, train.truth.V)"
    W = model.single_task_coef_

    def list_places() -> Iterator[Place]:
        alike = "model.single_task_coef_ @ model.single_task_coef_.T"
        yield f"cosines({alike})", lambda: cosines(W @ W.T)
        yield f"align_clusters{written}[0]", lambda: aligned
        yield (
            f"model.cluster_coef_.T[:, match_clusters{written}]",
            lambda: model.cluster_coef_.T[:, order],
        )
        yield f"model.history_[0].V[match_clusters{written}]", lambda: first.V[order]
        yield "model.history_[0].purity", lambda: first.purity
        yield "model.history_[0].pure", lambda: first.pure
        yield "figures.task_colours(train.truth.V)", lambda: figures.task_colours(truth.V)
        slices: dict[str, Any] = {":-1": slice(None, -1), "-1:": slice(-1, None)} if shares else {}
        flags = {"~train.truth.outliers": ~odd, "train.truth.outliers": odd}
        for text, chosen in {**slices, **flags}.items():
            yield f"align_clusters{written}[0][:, {text}]", holds(aligned[:, chosen])
            yield f"train.truth.V[:, {text}]", holds(truth.V[:, chosen])
            yield f"model.pure_[{text}]", holds(model.pure_[chosen])
            yield f"list(model.task_names_[{text}])", holds(list(model.task_names_[chosen]))
        if shares:
            blend = f"[train.truth.U * {spell(list(shares))}, train.truth.W[:, -1]]"
            yield (
                f"np.column_stack({blend})",
                lambda: np.column_stack([truth.U * shares, truth.W[:, -1]]),
            )

    return Part(list(list_places()), [])


# Paper


def part_of_paper(figure: str, setting: str, seed: int, data: Any) -> Part:
    steps = call("experiments.picture_steps", spell(figure), spell(setting), str(seed))
    places: list[Place] = [("found", lambda: data)]
    if hasattr(data, "estimated"):
        everyone = "np.stack([found.true, *found.estimated.values()])"
        stacked = np.stack([data.true, *data.estimated.values()])
        places = [
            ("found.estimated", lambda: data.estimated),
            ("found.true", lambda: data.true),
            (
                f"figures.features_by_selection(abs({everyone}).max(axis=0))",
                lambda: figures.features_by_selection(np.abs(stacked).max(axis=0)),
            ),
        ]
    return Part(places, [Recipe(("found",), [f"found = drain({steps})"])])
