"""From a choice of data to tasks, or to a sentence that says why there are none."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from stcmtl.data.examples import PANELS
from stcmtl.data.simulation import FEATURES_PER_BLOCK, Simulation, simulate
from stcmtl.data.taskset import TaskSet, Truth
from stcmtl.errors import InputError
from stcmtl.io.encode_like import Reading
from stcmtl.phrases import counted, digits
from stcmtl.studio.limits import LIMITS, MEGABYTE
from stcmtl.studio.state.choices import EXAMPLE, EXAMPLES, GROWTH, SIMULATED, DataChoice
from stcmtl.studio.state.store import Store

CLASSIFICATION = "classification"
LARGEST_K = 9
INCLUDED = ("digits", "gapminder")  # in packages that the dashboard cannot do without
USUAL_SCALE = {"regression": 1.0, "classification": 3.0}  # of coefficients, as in ``simulate``
# Fields that are arguments of ``simulate`` as they are.
ARGUMENTS = {
    "tasks": "n_tasks",
    "features": "n_features",
    "clusters": "n_clusters",
    "test_rows": "n_test",
    "outliers": "n_outliers",
    "kind": "task_type",
    "structure": "structure_seed",
    "draw": "random_state",
    **{name: name for name in ("mixing", "noise", "correlation", "overlap")},
}


@dataclass(frozen=True)
class SessionKey:
    """Tasks of a session file: what it holds, what it is called, and how their names begin."""

    digest: str
    file: str
    before: str = ""


@dataclass(frozen=True)
class WithTask:
    """Simulated tasks, and one more with these shares of their patterns."""

    choice: DataChoice
    shares: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Loaded:
    """Tasks to fit, rows to test on, and where they came from.

    ``key`` tells data sets apart; a private one never leaves its session.
    """

    key: Any
    name: str
    train: TaskSet
    test: TaskSet | None
    account: tuple[str, ...] = ()
    private: bool = False
    known: Reading | None = None  # how a further file is to be read like this one

    @property
    def truth(self) -> Truth | None:
        return self.train.truth

    @property
    def classification(self) -> bool:
        return self.train.task_type == CLASSIFICATION

    @property
    def account_of_size(self) -> str:
        """ "60 tasks with 1.2 million cells", which say what a fit costs."""
        cells = self.train.X.size / 1e6
        return f"{counted(len(self.train), 'task')} with {digits(cells, 2)} million cells"

    @cached_property
    def scale_forecast(self) -> str:
        """What the automatic scale will do, in a sentence: for 12 million cells it takes 0.4 s."""
        from stcmtl.evaluation import summary  # and scikit-learn, which Home need not wait for

        return summary.scale_forecast(self.train)

    @cached_property
    def wild_features(self) -> str:
        """Values of features that may be slips, in a sentence; may be empty."""
        from stcmtl.evaluation import summary

        return summary.say_wild_features(self.train)

    @cached_property
    def target_sizes(self) -> str:
        """That targets of tasks are in different units, if they seem to be."""
        from stcmtl.evaluation.target_sizes import say_target_sizes

        return say_target_sizes(self.train)

    @property
    def ks_to_try(self) -> range:
        """One to nine clusters, as far as there are tasks for them."""
        return range(1, min(LARGEST_K, len(self.train)) + 1)


def load(choice: DataChoice) -> Loaded:
    """Simulated or example data; ValueError says what is wrong or missing."""
    if choice.source == SIMULATED:
        return load_simulated(choice)
    if choice.source == EXAMPLE:
        return load_example(choice)
    raise InputError("Uploaded data lives in its session only", remedy="upload the file again")


@st.cache_resource(show_spinner=False)
def shared_tasks() -> Store:
    """Simulated tasks, for everybody who asks for the same."""
    return Store(LIMITS.tasks * MEGABYTE)


def load_simulated(choice: DataChoice) -> Loaded:
    if fault := size_fault(choice):
        raise fault
    known: Loaded | None = shared_tasks().get(choice)
    if known is None:
        sim = draw(choice)
        known = Loaded(choice, "Simulated tasks", sim.train, sim.test)
        shared_tasks().put(choice, known, sim.train.X.nbytes + sim.test.X.nbytes)
    return known


def draw(choice: DataChoice) -> Simulation:
    return simulate(**arguments_of(choice))


def arguments_of(choice: DataChoice) -> dict[str, Any]:
    """What ``simulate`` is asked for."""
    return {argument: getattr(choice, name) for name, argument in ARGUMENTS.items()} | {
        "n_train": rows_range(choice.rows, choice.uneven),
        "n_mixed": min(choice.mixed, max(0, choice.tasks - choice.clusters)),
        "scale": None if choice.signal == 1.0 else choice.signal * USUAL_SCALE[choice.kind],
    }


def added(choice: DataChoice) -> dict[str, Any]:
    """What ``add_task`` is asked for beside the shares."""
    return {
        "n_train": choice.rows,
        "n_test": choice.test_rows,
        "noise": choice.noise,
        "correlation": choice.correlation,
        "random_state": choice.draw,
    }


@st.cache_resource(max_entries=4, show_spinner=False)
def load_example(choice: DataChoice) -> Loaded:
    from stcmtl.data import datasets  # and scikit-learn, which Home need not wait for

    name = EXAMPLES[choice.example]
    growth = {"growth": choice.series == GROWTH} if choice.example in PANELS else {}
    data = getattr(datasets, f"load_{choice.example}")(**growth)
    if isinstance(data, TaskSet):
        return split(choice, name, data)
    train, test = data
    return Loaded(choice, name, train, test)


def find_absence(choice: DataChoice) -> str:
    """Why this data is not at hand, in a sentence; empty if it is."""
    if choice.source != EXAMPLE or choice.example in INCLUDED:
        return ""
    from stcmtl.data import datasets

    return datasets.find_absence(choice.example)


def split(choice: DataChoice, name: str, data: TaskSet, **options: Any) -> Loaded:
    """Keep a share of every task's rows for testing."""
    if choice.held_out == 0.0:
        return Loaded(choice, name, data, None, **options)
    from stcmtl.data import datasets

    train, test = datasets.split_rows(data, 1.0 - choice.held_out, random_state=choice.split)
    return Loaded(choice, name, train, test, **options)


def find_faults(choice: DataChoice) -> dict[str, str]:
    """A sentence for every field that the others leave no room for."""
    found = {}
    needed = FEATURES_PER_BLOCK * (choice.clusters + 1)
    if choice.features < needed:
        found["features"] = (
            f"{choice.clusters} clusters need at least {needed} features: "
            "add features or take fewer clusters."
        )
    room = choice.tasks - choice.clusters
    if room < 0:
        found["tasks"] = f"{choice.clusters} clusters need a pure task each: add tasks."
    elif choice.mixed > room:
        found["mixed"] = (
            f"At most {room} of {choice.tasks} tasks can be mixed: every cluster needs a pure one."
        )
    if size := size_fault(choice):
        found["rows"] = str(size)
    return found


def size_fault(choice: DataChoice) -> InputError | None:
    """Why these tasks are too large."""
    tasks = choice.tasks + choice.outliers
    cells = tasks * (choice.rows + choice.test_rows) * choice.features
    if cells <= LIMITS.cells:
        return None
    return InputError(
        f"would have {cells / 1e6:,.0f} million cells, and {LIMITS.cells / 1e6:,.0f} million is "
        "the limit here",
        where="These tasks",
        remedy="take fewer tasks, rows or features, or simulate them by the command line",
    )


def rows_range(rows: int, uneven: float) -> int | tuple[int, int]:
    """The same number for all tasks, or the range to draw each task's own from."""
    if uneven == 0.0:
        return rows
    return max(2, round(rows * (1.0 - uneven))), round(rows * (1.0 + uneven))
