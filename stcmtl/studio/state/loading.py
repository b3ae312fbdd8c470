"""From a choice of data to tasks, with what was understood of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from stcmtl.data.simulation import Simulation, simulate
from stcmtl.data.taskset import TaskSet, Truth
from stcmtl.studio.state.choices import EXAMPLE, SIMULATED, DataChoice
from stcmtl.studio.state.simulating import USUAL_SCALE, rows_range, size_fault

CLASSIFICATION = "classification"
EXAMPLE_NAMES = {
    "digits": "Handwritten digits",
    "gapminder": "Gapminder",
    "school": "School",
    "isolet": "Isolet",
    "usps": "USPS digits",
    "mnist": "MNIST digits",
}
# How the folder of the data files is named: a loader's way, and that of a server.
NAMED_HERE = "name it by data_home or STCMTL_DATA", "start the dashboard with STCMTL_DATA set to it"


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

    @property
    def truth(self) -> Truth | None:
        return self.train.truth

    @property
    def classification(self) -> bool:
        return self.train.task_type == CLASSIFICATION


def load(choice: DataChoice) -> Loaded:
    """Simulated or example data; ValueError says what is wrong or missing."""
    if choice.source == SIMULATED:
        return simulated(choice)
    if choice.source == EXAMPLE:
        return example(choice)
    raise ValueError("Uploaded data lives in its session only: upload the file again.")


@st.cache_resource(max_entries=8, show_spinner=False)
def simulated(choice: DataChoice) -> Loaded:
    if fault := size_fault(choice):
        raise ValueError(fault)
    sim = drawn(choice)
    return Loaded(choice, "Simulated tasks", sim.train, sim.test)


def drawn(choice: DataChoice) -> Simulation:
    return simulate(
        n_tasks=choice.tasks,
        n_features=choice.features,
        n_clusters=choice.clusters,
        n_train=rows_range(choice.rows, choice.uneven),
        n_test=choice.test_rows,
        mixing=choice.mixing,
        noise=choice.noise,
        n_outliers=choice.outliers,
        task_type=choice.kind,
        structure_seed=choice.structure,
        random_state=choice.draw,
        n_mixed=min(choice.mixed, max(0, choice.tasks - choice.clusters)),
        correlation=choice.correlation,
        scale=choice.signal * USUAL_SCALE[choice.kind],
    )


@st.cache_resource(max_entries=4, show_spinner=False)
def example(choice: DataChoice) -> Loaded:
    from stcmtl.data import datasets  # and scikit-learn, which Home need not wait for

    name = EXAMPLE_NAMES[choice.example]
    try:
        data = getattr(datasets, f"load_{choice.example}")()
    except OSError as error:  # the sentence says which file to put where
        raise ValueError(str(error).replace(*NAMED_HERE)) from None
    if isinstance(data, TaskSet):
        return split(choice, name, data)
    train, test = data
    return Loaded(choice, name, train, test)


def split(choice: DataChoice, name: str, data: TaskSet, **options: Any) -> Loaded:
    """Keep a share of every task's rows for testing."""
    if choice.held_out == 0.0:
        return Loaded(choice, name, data, None, **options)
    from stcmtl.data import datasets

    train, test = datasets.split_rows(data, 1.0 - choice.held_out, random_state=choice.split)
    return Loaded(choice, name, train, test, **options)
