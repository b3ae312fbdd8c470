"""How the tasks, the fit, the resamples and the curve of a session are made, as lines of Python."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any

import numpy as np

from stcmtl.data import datasets
from stcmtl.data.examples import PANELS
from stcmtl.data.simulation import add_task, simulate
from stcmtl.data.taskset import TaskSet
from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.io.parsing import HOW, How
from stcmtl.studio.state.choices import GROWTH, SIMULATED, DataChoice
from stcmtl.studio.state.loading import Loaded, SessionKey, WithTask, added, arguments_of
from stcmtl.studio.state.naming import names_of
from stcmtl.studio.state.uploads import Reading, UploadKey
from stcmtl.studio.work.comparing import Settings, division
from stcmtl.studio.work.fits import Curve, Fitted, estimator
from stcmtl.studio.work.trust import Trusted

LINE = 72  # letters that fit into a popover
SEVERAL = "your files"


Place = tuple[str, Callable[[], Any]]  # an expression, and what it is


@dataclass(frozen=True)
class Recipe:
    """Lines that make variables, and what they import from `stcmtl`."""

    makes: tuple[str, ...]
    lines: list[str]
    imports: tuple[str, ...] = ()

    def is_used_in(self, text: str) -> bool:
        return any(re.search(rf"(?<![\w.]){name}\b", text) for name in self.makes)


@dataclass(frozen=True)
class Part:
    """Something that a figure is made of: where its pieces are found, and how it is made."""

    places: Sequence[Place]
    recipes: Sequence[Recipe]


def holds(value: Any) -> Callable[[], Any]:
    return lambda: value


def both_ways(expression: str, values: Any) -> Iterator[Place]:
    """An array as it is, and a matrix also on its side."""
    if values is not None:
        yield expression, lambda: values
        if np.ndim(values) == 2:
            yield f"{expression}.T", lambda: values.T


def call(opening: str, *arguments: str, **options: Any) -> str:
    """A call on one line where it fits, else one line per argument."""
    given = [*arguments, *(f"{name}={spell(value)}" for name, value in options.items())]
    line = f"{opening}({', '.join(given)})"
    if len(line) <= LINE:
        return line
    return "\n".join([f"{opening}(", *(f"    {text}," for text in given), ")"])


def spell(value: Any) -> str:
    """A plain value as one would write it."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(spell, value))}]"
    return repr(value)


def unlike_default(function: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options that a call has to name, in the order of the function's."""
    known = signature(function).parameters
    return {n: options[n] for n, p in known.items() if n in options and p.default != options[n]}


def is_known(loaded: Loaded) -> bool:
    """Whether these tasks can be made again."""
    return isinstance(loaded.key, DataChoice | UploadKey | SessionKey | WithTask)


def make_data(loaded: Loaded, before: str = "") -> Recipe:
    """Tasks to fit on and to test on; ``before`` begins the names of the variables."""
    choice, names = loaded.key, tuple(f"{before}{name}" for name in ("train", "test", "data"))
    if isinstance(choice, WithTask):
        return Recipe(names, simulate_with(choice), ("simulate",))
    if isinstance(choice, SessionKey):
        return Recipe(names[:2], open_session(choice, before))
    if not isinstance(choice, DataChoice):
        return Recipe(names, read_file(loaded, before), ("datasets", "read"))
    if choice.source == SIMULATED:
        options = unlike_default(simulate, arguments_of(choice))
        lines = [call(f"{before}sim = simulate", **options)]
        lines.append(f"{before}train, {before}test = {before}sim.train, {before}sim.test")
        return Recipe(names, lines, ("simulate",))
    return Recipe(names, load_example(choice, loaded, before), ("datasets",))


def simulate_with(key: WithTask) -> list[str]:
    """Simulated tasks and one more."""
    return [
        call("sim = simulate", **unlike_default(simulate, arguments_of(key.choice))),
        call(
            "sim = add_task", "sim", spell(list(key.shares)),
            **unlike_default(add_task, added(key.choice)),
        ),
        "train, test = sim.train, sim.test",
    ]  # fmt: skip


def open_session(key: SessionKey, before: str) -> list[str]:
    """The rows as the session file has them."""
    kept = f"{before}kept"
    rows = f'{kept}["{key.before}train"], {kept}.get("{key.before}test")'
    made = f"{before}train, {before}test = {rows}"
    return [call(f"{kept} = load_tasks", spell(key.file)), made]


def load_example(choice: DataChoice, loaded: Loaded, before: str) -> list[str]:
    growth = {"growth": True} if choice.example in PANELS and choice.series == GROWTH else {}
    load = getattr(datasets, f"load_{choice.example}")
    made = f"datasets.load_{choice.example}"
    if signature(load).return_annotation in (TaskSet, "TaskSet"):
        return [call(f"{before}data = {made}", **growth), *split(choice, loaded, before)]
    return [call(f"{before}train, {before}test = {made}", **growth)]


def read_file(loaded: Loaded, before: str) -> list[str]:
    """An upload under its own name; several files under one that says so."""
    key: UploadKey = loaded.key
    name = SEVERAL if re.fullmatch(r"[\d,]+ files", loaded.name) else loaded.name
    options = {name: value for name, value in asked(key.reading).items() if value is not None}
    options |= {name: value for name, value in said(key.how).items() if value is not None}
    lines = [call(f"{before}data, {before}account = read", spell(name), **options)]
    return [*lines, *split(key, loaded, before)]


def asked(reading: Reading) -> dict[str, Any]:
    """The arguments of ``read`` that say what to take."""
    found = vars(reading.asked) | {"exclude": None}
    if found["missing"] == "error":
        found["missing"] = None
    if found["features"] is not None:
        found["features"] = list(found["features"])
    return found


def said(how: How) -> dict[str, Any]:
    """And those that say how the file is written."""
    found = {f.name: getattr(how, f.name) for f in fields(how) if f.name != "texts"}
    if found["missing_marks"] is not None:
        found["missing_marks"] = list(found["missing_marks"])
    return {name: value for name, value in found.items() if value != getattr(HOW, name)}


def split(choice: DataChoice | UploadKey, loaded: Loaded, before: str) -> list[str]:
    """Rows kept for testing, where there are any."""
    if loaded.test is None:
        return [f"{before}train = {before}data"]
    made = f"{before}train, {before}test = datasets.split_rows"
    share = 1.0 - choice.held_out
    return [call(made, f"{before}data", repr(share), random_state=choice.split)]


def make_model(name: str, result: Fitted, before: str = "") -> Recipe:
    kind, made = type(result.model).__name__, construct(result.model)
    rows = [f"{before}train.{part}" for part in ("features()", "y", "tasks")]
    if result.data.train.weight is not None:
        rows.append(f"{before}train.weight")
    lines = [f"{name} = {made}", f"{name}.fit({', '.join(rows)})"]
    if any(names_of(result)):
        lines.append(call(f"{name}.name_clusters", spell(list(result.model.cluster_names_))))
    return Recipe((name,), lines, (kind,))


def construct(model: SemisoftTaskClustering) -> str:
    options = unlike_default(type(model), model.get_params(deep=False))
    return call(type(model).__name__, **options)


def make_trust(trust: Trusted) -> Recipe:
    given = ["model", "train.features()", "train.y", "train.tasks", f"n_boot={trust.n_boot}"]
    given += [f"level={trust.level}", f"random_state={trust.result.choice.seed}"]
    if trust.result.data.train.weight is not None:
        given.append("sample_weight=train.weight")
    return Recipe(("trust",), [call("trust = stability", *given)], ("stability",))


def make_path(curve: Curve, data: Loaded) -> Recipe:
    model = estimator(data, curve.choice)
    ks = data.ks_to_try
    given = ["train.X", "train.y", "train.tasks", f"range({ks.start}, {ks.stop})"]
    if data.train.weight is not None:
        given.append("sample_weight=train.weight")
    made = construct(model).replace("\n", "\n    ")
    given.append(f"estimator={made}")
    return Recipe(
        ("path",), [call("path = select_n_clusters", *given)],
        ("select_n_clusters", type(model).__name__),
    )  # fmt: skip


def make_comparison(results: Mapping[str, tuple[Settings, int]], data: Loaded) -> list[Recipe]:
    """Methods with their settings and repetitions, each on the same rows."""
    lines = [
        call(
            f"    {spell(method)}: comparison.compare", spell(method), "again", str(repetitions),
            str(settings.k or 1), str(settings.seed), standardize=settings.standardize,
        ).replace("\n", "\n    ")
        + ","
        for method, (settings, repetitions) in results.items()
    ]  # fmt: skip
    compared = ["results = {", *lines, "}", "found = comparison.table(results)"]
    return [make_repeats(data), Recipe(("results", "found"), compared, ())]


def make_repeats(data: Loaded) -> Recipe:
    """What the rows of a repetition are."""
    choice = data.key
    if isinstance(choice, DataChoice) and choice.source == SIMULATED:
        options = {"random_state": choice.draw, **unlike_default(simulate, arguments_of(choice))}
        return Recipe(("again",), [call("again = comparison.simulate_each", **options)])
    if isinstance(choice, DataChoice):
        load = getattr(datasets, f"load_{choice.example}")
        if "random_state" in signature(load).parameters:
            line = f"again = lambda r: datasets.load_{choice.example}(random_state=r)"
            return Recipe(("again",), [line], ("datasets",))
    share, seed = division(data)
    given = "data", repr(1.0 - share)
    return Recipe(("again",), [call("again = comparison.split_each", *given, random_state=seed)])
