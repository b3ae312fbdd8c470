"""Methods on the tasks in hand, as one job: on which rows, what was asked of each, what came out.

Every finished repetition is kept in the store, so that nothing is computed twice: not after a
cancel, not for another repetition, not for another visitor.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field, replace
from inspect import signature
from threading import Lock
from typing import Any, Self

import numpy as np

from stcmtl.baselines.registry import expect_seconds, find_method
from stcmtl.data import datasets
from stcmtl.data.taskset import TaskSet
from stcmtl.evaluation import comparison
from stcmtl.evaluation.comparison import Outcome, Step, compare_steps
from stcmtl.studio.state.choices import EXAMPLE, SIMULATED, DataChoice
from stcmtl.studio.state.loading import Loaded, draw
from stcmtl.studio.state.session import Store, current
from stcmtl.studio.work.jobs import COMPARISONS, REST, Job, explain, watch_visitor

SMALL = 1000  # bytes of an outcome beside its coefficients
TEST_SHARE = 0.25  # where the tasks in hand have no test rows


@dataclass(frozen=True, eq=False)
class Repeats:
    """What a repetition is, in words and in rows; the first is on the rows in hand."""

    words: str
    loaded: Loaded
    again: comparison.Redraw

    def __call__(self, r: int) -> comparison.TrainTest:
        if r == 0 and self.loaded.test is not None:
            return datasets.Split(self.loaded.train, self.loaded.test)
        return self.again(r)


def repeats(loaded: Loaded) -> Repeats:
    """Simulated rows and drawn examples are drawn anew, all others divided anew."""
    choice = loaded.key if isinstance(loaded.key, DataChoice) else None
    if choice is not None and choice.source == SIMULATED:
        return Repeats(
            "new rows and noise for the same clusters",
            loaded,
            lambda r: draw(choice.with_values(draw=choice.draw + r)),
        )
    if choice is not None and choice.source == EXAMPLE:
        load = getattr(datasets, f"load_{choice.example}")
        if "random_state" in signature(load).parameters:
            return Repeats("tasks drawn anew", loaded, lambda r: load(random_state=r))
    share = test_share(loaded)
    return Repeats(
        f"another {share:.0%} of every task's rows for testing",
        loaded,
        comparison.split_each(all_rows(loaded), 1.0 - share, 0 if choice is None else choice.split),
    )


def test_share(loaded: Loaded) -> float:
    if loaded.test is None:
        return TEST_SHARE
    held_out, kept = len(loaded.test.y), len(loaded.train.y)
    return held_out / (held_out + kept)


def all_rows(loaded: Loaded) -> TaskSet:
    train, test = loaded.train, loaded.test
    if test is None:
        return train
    both: dict[str, Any] = {
        name: np.concatenate([getattr(train, name), getattr(test, name)])
        for name in ("X", "y", "tasks")
    }
    return replace(train, **both)


@dataclass(frozen=True)
class Settings:
    """What a method's results depend on; K only where the method is told it."""

    method: str
    k: int | None
    seed: int
    standardize: bool | str

    @classmethod
    def now(cls, method: str) -> Self:
        choice = current().fit_choice
        k = choice.k if find_method(method).needs_clusters else None
        return cls(method, k, choice.seed, choice.standardize)


@dataclass(frozen=True)
class Request:
    """So many repetitions of a method, and the store that may have some of them."""

    settings: Settings
    repetitions: int
    loaded: Loaded = field(compare=False)
    store: Store = field(compare=False)

    @classmethod
    def now(cls, method: str, repetitions: int, loaded: Loaded) -> Self:
        return cls(Settings.now(method), repetitions, loaded, current().store)

    def recall(self, r: int) -> Outcome | None:
        return self.store.get((self.loaded.key, "compare", self.settings, r))

    def keep(self, r: int, outcome: Outcome) -> None:
        key = self.loaded.key, "compare", self.settings, r
        self.store.put(key, outcome, outcome.coef.nbytes + SMALL)

    def known(self) -> list[Outcome]:
        found = map(self.recall, range(self.repetitions))
        return [outcome for outcome in found if outcome is not None]

    def steps(self) -> Generator[Step, None, list[Outcome]]:
        settings = self.settings
        return compare_steps(
            settings.method, repeats(self.loaded), self.repetitions, settings.k or 1, settings.seed,
            recall=self.recall, keep=self.keep, standardize=settings.standardize,
        )  # fmt: skip


class Comparison(Job):
    """Methods one after the other, so that their seconds can be compared.

    After each the job stands in line again, so that nobody waits for all methods of another
    visitor. A method may be added or taken out while others run; one that fails stops no other.
    """

    def __init__(self, requests: Iterable[Request]) -> None:
        self.requests = {request.settings.method: request for request in requests}
        self.latest: dict[Request, Step] = {}
        self.ended: list[tuple[Settings, list[Outcome] | str]] = []  # or why there are none
        self._lock, self._is_closed = Lock(), False
        super().__init__(self._go_on, workers=COMPARISONS, wanted=watch_visitor())

    def _go_on(self) -> Generator[object, None, None]:
        while (request := self._next()) is not None:
            found: list[Outcome] | str
            try:
                found = yield from self._run_one(request)
            except Exception as error:  # noqa: BLE001 told beside the method
                found = explain(error)
            self._end(request, found)
            if self.requests:
                yield REST

    def _run_one(self, request: Request) -> Generator[Step, None, list[Outcome]]:
        """All repetitions, unless the method is taken out."""
        steps = request.steps()
        while self._wants(request):
            try:
                self.latest[request] = next(steps)
            except StopIteration as end:
                return end.value
            yield self.latest[request]
        steps.close()
        return []

    def _wants(self, request: Request) -> bool:
        return self.requests.get(request.settings.method) is request

    def _next(self) -> Request | None:
        with self._lock:
            request = next(iter(self.requests.values()), None)
            self._is_closed = request is None
            return request

    def _end(self, request: Request, found: list[Outcome] | str) -> None:
        with self._lock:
            if self._wants(request):
                self.ended.append((request.settings, found))
                del self.requests[request.settings.method]

    def take_out(self, method: str) -> None:
        with self._lock:
            self.requests.pop(method, None)

    def add(self, request: Request) -> bool:
        """Whether it was in time."""
        with self._lock:
            if self._is_closed or self.done:
                return False
            self.requests.pop(request.settings.method, None)  # to stand at the end
            self.requests[request.settings.method] = request
            return True


def running() -> dict[str, Request]:
    """What runs or waits for its turn, by method."""
    job = current().comparison
    return {} if job is None else dict(job.requests)


def run(methods: Iterable[str], repetitions: int) -> None:
    """Start what is neither known nor running; what is known shows at once."""
    session = current()
    loaded = session.data
    if loaded is None:
        return
    session.compare_faults = {}
    requests = []
    for method in methods:
        request = Request.now(method, repetitions, loaded)
        if request == running().get(method):
            continue
        outcomes = request.known()
        if len(outcomes) == repetitions:
            cancel(method)
            session.compared[method] = request.settings, outcomes
        else:
            requests.append(request)
    job = session.comparison
    left = [request for request in requests if job is None or not job.add(request)]
    if left:
        collect()
        session.comparison = Comparison(left)


def cancel(method: str) -> None:
    """Stop one method; the others go on."""
    collect()
    job = current().comparison
    if job is None:
        return
    job.take_out(method)
    if not job.requests:
        job.cancel()
        current().comparison = None


def collect() -> bool:
    """Take what methods have left that have ended; whether any just has."""
    session = current()
    job = session.comparison
    if job is None:
        return False
    if is_over := job.done:
        session.comparison = None
    has_news = is_over or bool(job.ended)
    while job.ended:
        settings, found = job.ended.pop(0)
        if isinstance(found, str):
            session.compare_faults[settings.method] = found
        else:
            session.compared[settings.method] = settings, found
    return has_news


def results(methods: Iterable[str]) -> dict[str, list[Outcome]]:
    """The last good outcomes on the tasks in hand, of those methods that have any."""
    compared = current().compared
    return {method: compared[method][1] for method in methods if method in compared}


def find_stale(methods: Iterable[str]) -> list[str]:
    """Methods whose outcomes came from other settings than those chosen now."""
    compared = current().compared
    return [m for m in methods if m in compared and compared[m][0] != Settings.now(m)]


def seconds_ahead(loaded: Loaded, method: str, repetitions: int) -> float:
    """About how long the repetitions that are not yet known will take."""
    outcomes = Request.now(method, repetitions, loaded).known()
    if outcomes:
        each = float(np.mean([outcome.seconds for outcome in outcomes]))
    else:
        each = expect_seconds(method, loaded.train.X.size, loaded.train.task_type)
    return each * (repetitions - len(outcomes))
