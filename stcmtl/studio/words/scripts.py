"""A view as a Python script: its tasks, its fit, and the call that draws its figure.

A figure knows the call that drew it (``figures/pieces/calls.py``). Every argument is looked for
among what tasks, model and resamples hold, and written as the place where it was found; what is
small and found nowhere is written out. A figure with a large argument that is found nowhere has no
script.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from stcmtl import figures
from stcmtl.data.taskset import Array
from stcmtl.evaluation import comparison, tables
from stcmtl.evaluation.blocks import cosines
from stcmtl.evaluation.comparison import Outcome
from stcmtl.evaluation.two_fits import Moves, compare_fits
from stcmtl.figures.pieces.calls import Call, call_of
from stcmtl.studio.state.loading import Loaded, SessionKey
from stcmtl.studio.words.recipes import (
    Part,
    Place,
    Recipe,
    both_ways,
    is_known,
    make_comparison,
    make_data,
    make_model,
    make_path,
    make_trust,
    spell,
)
from stcmtl.studio.words.recipes import call as write_line
from stcmtl.studio.work.comparing import Settings
from stcmtl.studio.work.fits import Curve, Fitted
from stcmtl.studio.work.trust import Trusted

MOST_WRITTEN = 30  # numbers or texts of an argument that is found nowhere
ELSEWHERE = {
    "tables.": "from stcmtl.evaluation import tables",
    "cosines(": "from stcmtl.evaluation.blocks import cosines",
    "load_tasks(": "from stcmtl.io.session_file import load_tasks",
    "comparison.": "from stcmtl.evaluation import comparison",
    "compare_fits(": "from stcmtl.evaluation.two_fits import compare_fits",
    "measure_errors(": "from stcmtl.evaluation.simple_ways import measure_errors",
    "task_card(": "from stcmtl.evaluation.task_cards import task_card",
    "with_names(": "from stcmtl.evaluation.predictions import with_names",
    "outline_places(": "from stcmtl.estimators.places import outline_places",
    "Reading": "from stcmtl.io.encode_like import Reading",
    "read_tables_like(": "from stcmtl.io.read_like import read_tables_like",
    "draw_task(": "from stcmtl.data.simulation import draw_task",
    "add_task(": "from stcmtl.data.simulation import add_task",
    "align_clusters(": "from stcmtl.solver.alignment import align_clusters",
    "match_clusters(": "from stcmtl.solver.alignment import match_clusters",
    "experiments.": "from stcmtl.paper import experiments",
    "drain(": "from stcmtl.progress import drain",
}
ATTRIBUTES = (
    *("memberships_", "pure_", "purity_", "similarity_", "coef_", "cluster_coef_", "loadings_"),
    "cluster_coef_se_",
    *("strength_", "own_coef_", "own_share_", "distances_", "outliers_", "feature_scale_"),
    *("single_task_coef_", "labels_"),
)
OF_TRUTH = ("V", "W", "U", "pure", "outliers")
OF_TRUST = ("kept", "pure", "lower", "upper", "co_clustering", "selected")


@dataclass(frozen=True)
class Sources:
    """Where the arguments of a figure may come from."""

    data: Loaded | None
    fitted: Fitted | None = None
    earlier: Fitted | None = None
    trust: Trusted | None = None
    curve: Curve | None = None
    compared: Mapping[str, tuple[Settings, list[Outcome]]] | None = None
    parts: Sequence[Part] = ()

    def moves(self) -> Moves | None:
        """Between both fits, if they have tasks in common."""
        if self.earlier is None or self.fitted is None:
            return None
        try:
            return compare_fits(self.earlier.model, self.fitted.model)
        except ValueError:
            return None

    def places(self) -> Iterator[Place]:
        """The likeliest first."""
        for part in self.parts:
            yield from part.places
        if self.data is not None:
            yield from places_of_tasks(self.data)
        if self.fitted is not None:
            yield from places_of_model("model", self.fitted)
        if self.trust is not None:
            for name in OF_TRUST:
                yield from both_ways(f"trust.{name}", getattr(self.trust.found, name))
        if self.data is not None and self.data.truth is not None:
            for name in OF_TRUTH:
                yield from both_ways(f"train.truth.{name}", getattr(self.data.truth, name))
        if self.earlier is not None:
            yield from places_of_model("earlier", self.earlier)
        if self.fitted is not None and (moves := self.moves()) is not None:
            yield from both_ways("moves.before", moves.before)
            yield from both_ways("moves.after", moves.after)
            yield "moves.cluster_names", lambda: moves.cluster_names
            yield from both_ways("model.pure_[moves.later]", self.fitted.model.pure_[moves.later])
        if self.compared is not None:
            yield from places_of_outcomes({m: own for m, (_, own) in self.compared.items()})
        if self.curve is not None:
            path = self.curve.path
            yield "path", lambda: path
            yield "path.singular_ratios", lambda: path.singular_ratios


def places_of_tasks(data: Loaded) -> Iterator[Place]:
    yield "train", lambda: data.train
    yield "test", lambda: data.test
    yield "list(train.task_names)", lambda: data.train.task_names.tolist()
    yield "list(train.feature_names)", lambda: list(data.train.feature_names)


def places_of_model(name: str, fitted: Fitted) -> Iterator[Place]:
    """Attributes, what tables make of them, and the orders in which figures draw."""
    model = fitted.model
    for attribute in ATTRIBUTES:
        yield from both_ways(f"{name}.{attribute}", getattr(model, attribute, None))
    for attribute in ("history_", "choices_", "selection_"):
        yield f"{name}.{attribute}", partial(getattr, model, attribute, None)
    yield f"list({name}.task_names_)", lambda: list(model.task_names_)
    yield f"tables.cluster_names({name})", lambda: tables.cluster_names(model)
    yield f"tables.shown_scale({name})", lambda: tables.shown_scale(model)
    V, U, W = model.memberships_.T, model.cluster_coef_.T, model.coef_.T
    yield f"({name}.loadings_ @ {name}.cluster_coef_).T", lambda: (model.loadings_ @ U.T).T
    yield (
        f"figures.tasks_by_cluster({name}.memberships_.T, {name}.pure_)",
        lambda: figures.tasks_by_cluster(V, model.pure_),
    )
    if tables.shown_scale(model) is not None:
        by = model.feature_scale_[:, None]
        yield from feature_orders(name, U * by, W * by, f" * {name}.feature_scale_[:, None]")
    yield from feature_orders(name, U, W)
    # what takes longest to make comes last
    alone = f"tables.single_task_similarity({name})"
    yield f"{alone}[0]", lambda: tables.single_task_similarity(model)[0]
    yield f"{alone}[1]", lambda: tables.single_task_similarity(model)[1]
    yield f"cosines({name}.similarity_)", lambda: cosines(model.similarity_)
    yield f"cosines({alone}[0])", lambda: cosines(tables.single_task_similarity(model)[0])


def feature_orders(name: str, U: Array, W: Array, times: str = "") -> Iterator[Place]:
    by_cluster = f"figures.features_by_cluster({name}.cluster_coef_.T{times})"
    yield by_cluster, lambda: figures.features_by_cluster(U)
    by_selection = f"figures.features_by_selection({name}.coef_.T{times})"
    yield by_selection, lambda: figures.features_by_selection(W)


def places_of_outcomes(results: Mapping[str, list[Outcome]]) -> Iterator[Place]:
    """Means and spreads by method, and the coefficients of the first repetition."""
    found = comparison.table(results)
    for name in found:
        yield f'found["{name}"].to_dict()', partial(found[name].to_dict)
    first = {method: own[0].coef for method, own in results.items()}
    yield "{m: own[0].coef for m, own in results.items()}", lambda: first


@dataclass(frozen=True)
class Writer:
    """Arguments as Python."""

    places: Sequence[Place]

    def write(self, value: Any) -> str | None:
        """As an expression; None where nothing says how to make it."""
        if isinstance(value, (np.bool_, np.number)):
            value = value.item()
        if value is None or isinstance(value, (bool, int, float, str)):
            return spell(value)
        if place := next((text for text, get in self.places if is_same(get(), value)), None):
            return place
        return self.write_out(value)

    def write_out(self, value: Any) -> str | None:
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, dict):
            written = {key: self.write(own) for key, own in value.items()}
            if None in written.values():
                return None
            return "{" + ", ".join(f"{spell(key)}: {own}" for key, own in written.items()) + "}"
        if isinstance(value, (list, tuple)) and np.size(np.array(value, object)) <= MOST_WRITTEN:
            parts = [self.write(part) for part in value]
            return None if None in parts else f"[{', '.join(map(str, parts))}]"
        return None


def is_same(known: Any, value: Any) -> bool:
    """Whether two arguments are one, or hold the same."""
    if known is value:
        return known is not None
    if isinstance(value, pd.Series):
        value = value.to_numpy()
    if isinstance(known, np.ndarray) or isinstance(value, np.ndarray):
        if np.shape(known) != np.shape(value) or known is None:
            return False
        one, other = np.asarray(known), np.asarray(value)
        numeric = one.dtype.kind in "fiub" and other.dtype.kind in "fiub"
        return numeric and one.dtype.kind == other.dtype.kind and np.array_equal(one, other, True)
    if isinstance(known, dict) and isinstance(value, dict):
        return list(known) == list(value) and all(
            not isinstance(value[key], str)
            and np.array_equal(known[key], value[key], equal_nan=True)
            for key in known
        )
    if isinstance(known, list) and isinstance(value, (list, tuple)):
        if known and isinstance(known[0], np.ndarray):
            return len(known) == len(value) and all(map(is_same, known, value))
        texts = isinstance(next(iter(known), None), str)
        return texts and list(map(str, known)) == list(map(str, value))
    return False


def write_script(
    figure: go.Figure, sources: Iterable[Sources], coloured_by: str = "", after: Sequence[str] = ()
) -> str:
    """The script of a figure from the first sources that have all of it; may be empty.

    ``after`` are lines for what was done to the figure since it was drawn.
    """
    call = call_of(figure)
    scripts = (write_from(call, own, coloured_by, after) for own in sources) if call else ()
    return next(filter(None, scripts), "")


def is_drawn_from(figure: go.Figure, values: Iterable[Any]) -> bool:
    """Whether an argument of the figure is one of these arrays, or a view of it."""
    call, arrays = call_of(figure), [value for value in values if isinstance(value, np.ndarray)]
    given = () if call is None else (*call.arguments, *call.options.values())
    return any(
        np.shares_memory(argument, array)
        for argument in given
        if isinstance(argument, np.ndarray)
        for array in arrays
    )


def write_from(call: Call, sources: Sources, coloured_by: str, after: Sequence[str]) -> str:
    earlier = sources.earlier
    found = sources.data, None if earlier is None else earlier.data
    origins = [data for data in found if data is not None]
    drawn = write_call(call, Writer([(text, cache(get)) for text, get in sources.places()]))
    if drawn is None or not all(map(is_known, origins)) or lacks_rows(sources):
        return ""
    lines = [drawn, *after]
    if coloured_by:
        lines.append(f"figures.colour_tasks(figure, train.task_columns[{spell(coloured_by)}])")
    lines.append("figure.show()")
    recipes = needed(make_recipes(sources), "\n".join(lines))
    return assemble(recipes, lines) if recipes else ""


def lacks_rows(sources: Sources) -> bool:
    """A comparison divides all rows anew, which a session file holds in two parts."""
    data = sources.data
    return sources.compared is not None and data is not None and isinstance(data.key, SessionKey)


def write_call(call: Call, writer: Writer) -> str | None:
    given = [("", value) for value in call.arguments]
    defaults = signature(getattr(figures, call.name)).parameters
    for name, value in call.options.items():
        known = defaults.get(name)
        if known is None or not is_default(value, known.default):
            given.append((f"{name}=", value))
    written = [(name, writer.write(value)) for name, value in given]
    if any(text is None for _, text in written):
        return None
    return write_line(f"figure = figures.{call.name}", *(f"{n}{t}" for n, t in written))


def is_default(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (bool, int, float, str)) and value == default)


def make_recipes(sources: Sources) -> list[Recipe]:
    """Whatever the figure may need, in the order in which it is made."""
    data, earlier = sources.data, sources.earlier
    parts = [recipe for part in sources.parts for recipe in part.recipes]
    if data is None:
        return parts
    before = "" if earlier is None or earlier.data.key == data.key else "earlier_"
    made = [make_data(data)]
    if earlier is not None:
        made += [make_data(earlier.data, before)] if before else []
        made.append(make_model("earlier", earlier, before))
    if sources.fitted is not None:
        made.append(make_model("model", sources.fitted))
    if earlier is not None:
        made.append(Recipe(("moves",), ["moves = compare_fits(earlier, model)"]))
    if sources.trust is not None:
        made.append(make_trust(sources.trust))
    if sources.compared is not None:
        asked = {m: (settings, len(own)) for m, (settings, own) in sources.compared.items()}
        made += make_comparison(asked, data)
    if sources.curve is not None:
        made.append(make_path(sources.curve, data))
    return [*made, *parts]


def needed(recipes: Sequence[Recipe], text: str) -> list[Recipe]:
    """Those whose variables the text, or a recipe that it needs, speaks of; in their order."""
    chosen: list[Recipe] = []
    for recipe in reversed(recipes):
        if recipe.is_used_in(text):
            chosen.append(recipe)
            text = "\n".join([text, *recipe.lines])
    return chosen[::-1]


def assemble(recipes: Sequence[Recipe], lines: Sequence[str]) -> str:
    """Imports, then what is made of what, then the figure."""
    blocks = ["\n".join(recipe.lines) for recipe in recipes]
    text = "\n".join([*blocks, *lines])
    names = {"figures", *(name for recipe in recipes for name in recipe.imports if name in text)}
    imports = ["import numpy as np"] if "np." in text else []
    imports.append(f"from stcmtl import {', '.join(sorted(names))}")
    imports += [line for used, line in ELSEWHERE.items() if used in text]
    return "\n\n".join(["\n".join(imports), *blocks, "\n".join(lines)]) + "\n"
