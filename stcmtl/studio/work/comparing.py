"""Methods on the tasks in hand: on which rows, what was asked of each, what came out.

Every finished repetition is kept in the store, so that nothing is computed twice: not after a
cancel, not for another repetition, not for another visitor.
"""

from collections.abc import Generator, Hashable, Iterable
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any, Self

import numpy as np

from stcmtl.baselines.registry import find_method
from stcmtl.data import datasets
from stcmtl.data.taskset import TaskSet
from stcmtl.estimators.choose_k import selection_steps
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.evaluation import comparison
from stcmtl.evaluation.comparison import Outcome, Step, compare_steps
from stcmtl.studio.limits import COPIES_OF_CHOICE, Asked, Cost, memory, seconds_of
from stcmtl.studio.state.choices import CHOSEN, EXAMPLE, SIMULATED, DataChoice
from stcmtl.studio.state.loading import Loaded, draw
from stcmtl.studio.state.session import current
from stcmtl.studio.state.store import Store
from stcmtl.studio.state.uploads import UploadKey
from stcmtl.studio.words.sentences import word_error
from stcmtl.studio.work.jobs import Job, watch_visitor

SMALL = 1000  # bytes of an outcome beside its coefficients
SPOKEN = 0  # clusters: as many as the data speak for
REMEDY = "take fewer methods, repetitions or rows, or compare them in Python"
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
    rows, (share, seed) = loaded.train, division(loaded)
    if loaded.test is not None:
        rows = join_rows(loaded.train, loaded.test)
    return Repeats(
        f"another {share:.0%} of every task's rows for testing",
        loaded,
        comparison.split_each(rows, 1.0 - share, seed),
    )


def division(loaded: Loaded) -> tuple[float, int]:
    """The share of rows kept for testing, and the seed by which the first were drawn."""
    choice = loaded.key
    if loaded.test is None:
        return TEST_SHARE, choice.split if isinstance(choice, DataChoice) else 0
    if isinstance(choice, DataChoice | UploadKey):
        return choice.held_out, choice.split
    return len(loaded.test.y) / (len(loaded.train.y) + len(loaded.test.y)), 0


def join_rows(train: TaskSet, test: TaskSet) -> TaskSet:
    """All rows, in the order they had where they know it; they may lack weights and numbers."""
    names = ("X", "y", "tasks", "weight", "row_numbers")
    both: dict[str, Any] = {
        name: np.concatenate([getattr(train, name), getattr(test, name)])
        for name in names
        if getattr(train, name) is not None
    }
    if "row_numbers" in both:
        order = np.argsort(both["row_numbers"], kind="stable")
        both = {name: values[order] for name, values in both.items()}
    return replace(train, **both)


@dataclass(frozen=True)
class Settings:
    """What a method's results depend on; K only where the method is told it.

    Where the model is automatic K is ``SPOKEN``: one for all methods, found before the first runs.
    """

    method: str
    k: int | None
    seed: int
    standardize: bool | str

    @classmethod
    def now(cls, method: str) -> Self:
        choice = current().fit_choice
        k = SPOKEN if choice.model == CHOSEN else max(choice.k, 1)
        told = k if find_method(method).needs_clusters else None
        return cls(method, told, choice.seed, choice.standardize)


@dataclass(frozen=True)
class Request:
    """So many repetitions of a method, and the store that may have some of them."""

    settings: Settings
    repetitions: int
    loaded: Loaded = field(compare=False)
    store: Store = field(compare=False)
    spoken: int | None = field(compare=False, default=None)  # clusters, if the data were asked

    @classmethod
    def now(cls, method: str, repetitions: int, loaded: Loaded) -> Self:
        session = current()
        known = session.spoken is not None and not session.spoken_is_stale
        spoken = session.spoken.model.n_clusters_ if session.spoken and known else None
        return cls(Settings.now(method), repetitions, loaded, session.store, spoken)

    def recall(self, r: int) -> Outcome | None:
        return self.store.get(self.key(r))

    def key(self, r: int) -> Hashable:
        """All that an outcome depends on: where the data were asked for K, what they said."""
        settings = self.settings
        if settings.k == SPOKEN and self.spoken is not None:
            settings = replace(settings, k=max(1, self.spoken))
        return self.loaded.key, "compare", settings, r

    def keep(self, r: int, outcome: Outcome) -> None:
        self.store.put(self.key(r), outcome, outcome.coef.nbytes + SMALL)

    def known(self) -> list[Outcome]:
        found = map(self.recall, range(self.repetitions))
        return [outcome for outcome in found if outcome is not None]

    def steps(self) -> Generator[Step, None, list[Outcome]]:
        settings = self.settings
        k = settings.k or 1
        if settings.k == SPOKEN:
            k = max(1, self.spoken if self.spoken is not None else (yield from self.find_k()))
        return (
            yield from compare_steps(
                settings.method, repeats(self.loaded), self.repetitions, k, settings.seed,
                recall=self.recall, keep=self.keep, standardize=settings.standardize,
            )
        )  # fmt: skip

    def find_k(self) -> Generator[Step, None, int]:
        """As many clusters as the rows in hand speak for, found once for all methods."""
        train, settings = self.loaded.train, self.settings
        key = self.loaded.key, "compare", "k", settings.seed, settings.standardize
        if (known := self.store.get(key)) is None:
            common: dict[str, Any] = {
                "random_state": settings.seed,
                "standardize": settings.standardize,
            }
            model = pick_estimator(train.task_type)(shape="simplex", own="none", **common)
            rows, ks = (train.X, train.y, train.tasks), self.loaded.ks_to_try
            trials = selection_steps(model, *rows, ks, train.weight)
            while True:
                try:
                    point = next(trials)
                except StopIteration as ended:
                    known = ended.value.one_se
                    break
                yield Step(1, self.repetitions, f"after K = {point.k} was tried", 0.0)
            self.store.put(key, known, SMALL)
        return int(known)


def run(methods: Iterable[str], repetitions: int) -> None:
    """Start what is neither known nor running; what is known shows at once.

    Methods run one after the other, so that their seconds can be compared.
    """
    session = current()
    loaded = session.data
    if loaded is None:
        return
    session.compare_faults = {}
    methods = list(methods)
    seconds = sum(seconds_ahead(loaded, method, repetitions) for method in methods)
    cost = Cost(seconds, memory(loaded.train, COPIES_OF_CHOICE))
    if excess := Asked(f"A comparison on {loaded.account_of_size}", cost, REMEDY).excess:
        session.compare_faults = {"Compare": word_error(excess)}
        return
    for method in methods:
        request = Request.now(method, repetitions, loaded)
        if method in session.trials and session.trials[method][0] == request:
            continue
        cancel(method)
        outcomes = request.known()
        if len(outcomes) == repetitions:
            session.compared[method] = request.settings, outcomes
        else:
            job = Job(request.steps, workers=session.lane, wanted=watch_visitor())
            session.trials[method] = request, job


def cancel(method: str) -> None:
    """Stop one method; the others go on."""
    collect()
    if method in current().trials:
        current().trials.pop(method)[1].cancel()


def collect() -> bool:
    """Take what methods have left that have ended; whether any just has."""
    session = current()
    ended = {method: trial for method, trial in session.trials.items() if trial[1].done}
    for method, (request, job) in ended.items():
        del session.trials[method]
        if job.error is not None:
            session.compare_faults[method] = job.error
        elif job.result is not None:
            session.compared[method] = request.settings, job.result
    return bool(ended)


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
        each = seconds_of(method, loaded.train)
    return each * (repetitions - len(outcomes))
