"""Methods on the tasks in hand: what was asked of each, which ones run, and what came out.

A method is a job of its own. Every finished repetition is kept in the store, so that nothing is
computed twice: not after a cancel, not for another repetition, not for another visitor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stcmtl.baselines.paces import Workload, expected_seconds
from stcmtl.evaluation.comparison import Outcome, compare_steps, needs_clusters
from stcmtl.studio.state import presence, session
from stcmtl.studio.state.choices import ONE_SCALE
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.redraws import repeats
from stcmtl.studio.state.store import Store
from stcmtl.studio.work.jobs import COMPARISONS, Job
from stcmtl.studio.work.turns import Turns

SMALL = 1000  # bytes of an outcome beside its coefficients


@dataclass(frozen=True)
class Settings:
    """What a method's results depend on; K only where the method is told it."""

    method: str
    k: int | None
    seed: int
    standardize: bool

    @classmethod
    def now(cls, method: str) -> Settings:
        choice = session.fit_choice()
        k = choice.k if needs_clusters(method) else None
        return cls(method, k, choice.seed, choice.scale == ONE_SCALE)


@dataclass(frozen=True, eq=False)
class Known:
    """The outcomes of a method that are in the store, by repetition."""

    store: Store
    loaded: Loaded
    settings: Settings

    def get(self, r: int) -> Outcome | None:
        return self.store.get((self.loaded.key, "compare", self.settings, r))

    def put(self, r: int, outcome: Outcome) -> None:
        key = self.loaded.key, "compare", self.settings, r
        self.store.put(key, outcome, outcome.coef.nbytes + SMALL)

    def first(self, repetitions: int) -> list[Outcome]:
        """Those of the first so many repetitions."""
        found = map(self.get, range(repetitions))
        return [outcome for outcome in found if outcome is not None]


class MethodJob(Job):
    """All repetitions of a method, in its turn."""

    def __init__(self, known: Known, repetitions: int) -> None:
        self.settings, self.repetitions = known.settings, repetitions
        settings, loaded = known.settings, known.loaded
        super().__init__(
            lambda: compare_steps(
                settings.method, repeats(loaded), repetitions, settings.k or 1, settings.seed,
                recall=known.get, keep=known.put, standardize=settings.standardize,
            ),
            workers=turns(),
            wanted=presence.visitor(),
        )  # fmt: skip


def turns() -> Turns:
    """Methods whose seconds are compared run one after the other."""
    if session.get("turns") is None:
        session.put("turns", Turns(COMPARISONS))
    own: Turns = session.get("turns")
    return own


def jobs() -> dict[str, MethodJob]:
    """What runs or waits for its turn, by method."""
    return session.get("methods", {})


def compared() -> dict[str, tuple[Settings, list[Outcome]]]:
    """The last good outcomes on the tasks in hand, by method, and the settings they came from."""
    return session.get("compared", {})


def faults() -> dict[str, str]:
    """Why methods of the last run ended without a result."""
    return session.get("compare_faults", {})


def known_now(loaded: Loaded, method: str) -> Known:
    return Known(session.store(), loaded, Settings.now(method))


def run(methods: Iterable[str], repetitions: int) -> None:
    """Start what is neither known nor running; what is known shows at once."""
    loaded = session.data()
    if loaded is None:
        return
    session.put("compare_faults", {})
    for method in methods:
        known, running = known_now(loaded, method), jobs().get(method)
        asked = known.settings, repetitions
        if running is not None and (running.settings, running.repetitions) == asked:
            continue
        cancel(method)
        outcomes = known.first(repetitions)
        if len(outcomes) == repetitions:
            keep(known.settings, outcomes)
        else:
            session.put("methods", jobs() | {method: MethodJob(known, repetitions)})


def keep(settings: Settings, outcomes: list[Outcome]) -> None:
    session.put("compared", compared() | {settings.method: (settings, outcomes)})


def cancel(method: str) -> None:
    """Stop one method; the others go on."""
    running = jobs().get(method)
    if running is not None:
        running.cancel()
        session.put("methods", {m: job for m, job in jobs().items() if m != method})


def collect() -> bool:
    """Take what finished jobs have left; whether any has just ended."""
    ended = {method: job for method, job in jobs().items() if job.done}
    for method, job in ended.items():
        if job.result is not None:
            keep(job.settings, job.result)
        elif job.error is not None:
            session.put("compare_faults", faults() | {method: job.error})
    session.put("methods", {m: job for m, job in jobs().items() if m not in ended})
    return bool(ended)


def results(methods: Iterable[str]) -> dict[str, list[Outcome]]:
    """The outcomes of these methods, of those that have any."""
    return {method: compared()[method][1] for method in methods if method in compared()}


def stale(methods: Iterable[str]) -> list[str]:
    """Methods whose outcomes came from other settings than those chosen now."""
    return [m for m in methods if m in compared() and compared()[m][0] != Settings.now(m)]


def workload(loaded: Loaded) -> Workload:
    """Measured once for the tasks in hand."""
    key = loaded.key, "workload"
    found: Workload | None = session.store().get(key)
    if found is None:
        found = Workload.of(loaded.train)
        session.store().put(key, found, SMALL)
    return found


def seconds_ahead(loaded: Loaded, method: str, repetitions: int) -> float:
    """About how long the repetitions that are not yet known will take."""
    outcomes = known_now(loaded, method).first(repetitions)
    if outcomes:
        each = float(np.mean([outcome.seconds for outcome in outcomes]))
    else:
        each = expected_seconds(method, workload(loaded))
    return each * (repetitions - len(outcomes))
