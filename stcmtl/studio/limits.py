"""What one visitor may ask of a shared server: the limits, and what work costs before it starts.

Work above a limit is not begun: one sentence says what it would take, and what to do instead. The
environment moves a limit: ``STCMTL_MOST_SECONDS=7200 streamlit run app.py``.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

from stcmtl.baselines.registry import expect_seconds
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError
from stcmtl.phrases import duration
from stcmtl.studio.state.choices import CHOSEN, PAPER, ROBUST, FitChoice

VARIABLE = "STCMTL_MOST_"
MEGABYTE = 2**20


@dataclass(frozen=True)
class Limits:
    """Each can be moved by a variable such as ``STCMTL_MOST_CELLS``."""

    cells: float = 20e6  # numbers in simulated tasks, test rows included: 160 MB
    seconds: float = 600.0  # seconds that work may be expected to take
    megabytes: float = 2000.0  # megabytes that it may be expected to hold at once
    running: float = 1800.0  # seconds after which it is stopped, whatever was expected
    quick: float = 10.0  # seconds: work expected to take longer has workers of its own
    shared: float = 48.0  # megabytes of results kept for everybody, their rows included
    tasks: float = 16.0  # megabytes of simulated tasks kept for everybody
    private: float = 128.0  # megabytes of results on an upload, kept for its visitor
    kept: float = 512.0  # megabytes of uploads that outlive a refresh

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """As they are by default, but for those that the environment has."""
        variables = {VARIABLE + f.name.upper(): f.name for f in fields(cls)}
        moved = {
            name: read_number(variable, environment[variable])
            for variable, name in variables.items()
            if environment.get(variable)
        }
        return cls(**moved)


def read_number(variable: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0.0:
        raise InputError(f"is {text!r}", where=variable, remedy="give a number above 0")
    return number


LIMITS = Limits.read(os.environ)


@dataclass(frozen=True)
class Cost:
    """What work is expected to take, on two cores like those of the shipped results."""

    seconds: float
    megabytes: float = 0.0

    @property
    def is_small(self) -> bool:
        return self.seconds <= LIMITS.quick

    def times(self, often: float) -> "Cost":
        return Cost(often * self.seconds, self.megabytes)


@dataclass(frozen=True)
class Asked:
    """Work that somebody asks for: what it is, what it costs, what to do where that is too much."""

    what: str
    cost: Cost
    remedy: str

    @property
    def excess(self) -> InputError | None:
        return find_excess(self.what, self.cost, self.remedy)


def find_excess(what: str, cost: Cost, remedy: str) -> InputError | None:
    """Why work is not begun, if it is not."""
    if cost.seconds > LIMITS.seconds:
        asked, most = (f"{duration(s)}" for s in (cost.seconds, LIMITS.seconds))
        needs = f"would take about {asked}, and {most} is the limit here"
    elif cost.megabytes > LIMITS.megabytes:
        asked, most = (f"{m / 1000:.1f} GB" for m in (cost.megabytes, LIMITS.megabytes))
        needs = f"would need about {asked} of memory, and {most} is the limit here"
    else:
        return None
    return InputError(needs, where=what, remedy=remedy)


# Of fits, by the sizes of their tasks and what was chosen: benchmarks/costs.py

FITS_OF_SHAPES = 0.65  # that a choice of shape and own part, K given, takes of one of everything
FITS_OF_CURVE = 4.0  # that the curve over K takes the time of
FITS_OF_RESAMPLE = 0.06  # which goes on from where the fit ended
FITS_AS_PUBLISHED = 0.15  # the same of the paper's algorithm
USUAL_FOLDS = 5
REFINED = "STCMTL refined"
NAMES = {PAPER: "STCMTL paper", ROBUST: "STCMTL robust"}
COPIES, COPIES_OF_CHOICE = 6.0, 14.0  # of the numbers, at once: with folds of their own twice
SQUARES = 12.0  # of matrices with a row and a column for every task


def seconds_of(method: str, train: TaskSet) -> float:
    return expect_seconds(method, (len(train.X), train.X.shape[1]), len(train), train.task_type)


def fit_cost(train: TaskSet, choice: FitChoice) -> Cost:
    """Of one fit, by its method; K, shapes to choose from and folds count too."""
    if choice.model == CHOSEN:
        seconds = seconds_of("STCMTL automatic", train)
    elif "auto" in choice.asked.values():
        seconds = seconds_of("STCMTL automatic", train) * FITS_OF_SHAPES * cluster_share(choice.k)
    else:
        seconds = seconds_of(NAMES.get(choice.method, REFINED), train) * cluster_share(choice.k)
    seconds *= max(1.0, choice.folds / USUAL_FOLDS)
    return Cost(seconds, memory(train, COPIES_OF_CHOICE if choice.model == CHOSEN else COPIES))


def cluster_share(k: int) -> float:
    """How a fit's time grows with K: with five clusters it is as expected."""
    return max(1.0, 0.75 + k / 20.0)


def curve_cost(train: TaskSet, choice: FitChoice) -> Cost:
    often = FITS_OF_CURVE * max(1.0, choice.folds / USUAL_FOLDS)
    return Cost(often * seconds_of(REFINED, train), memory(train, COPIES_OF_CHOICE))


def resampling_cost(train: TaskSet, k: int, n_boot: int, *, refined: bool = True) -> Cost:
    """Of resamples of a fit of k clusters."""
    each = FITS_OF_RESAMPLE * seconds_of(REFINED, train)
    if not refined:
        each = FITS_AS_PUBLISHED * seconds_of(NAMES[PAPER], train)
    return Cost(n_boot * each * max(1.0, 0.5 + k / 8.0), memory(train, COPIES))


def memory(train: TaskSet, copies: float) -> float:
    """Megabytes of so many copies of the numbers, and of similarities of the tasks."""
    return 8.0 * (copies * train.X.size + SQUARES * len(train) ** 2) / MEGABYTE
