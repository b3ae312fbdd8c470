"""The small world of the page that teaches, and its scenes in words that its fits make true."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from stcmtl.data.simulation import Simulation, add_task
from stcmtl.data.taskset import Truth
from stcmtl.evaluation.metrics import placed_as
from stcmtl.evaluation.predictions import predict_rows
from stcmtl.figures.pieces import Array, Index
from stcmtl.phrases import counted, digits, joined, listed, say_shares
from stcmtl.solver.alignment import align_clusters, match_clusters
from stcmtl.studio.state.choices import PRESETS, REFINED, ROBUST, DataChoice, FitChoice
from stcmtl.studio.state.loading import Loaded, WithTask, added, load
from stcmtl.studio.state.session import current
from stcmtl.studio.work.fits import Fitted, fit_within

# Field of a lesson: label, values, and what it is.
SLIDERS: dict[str, tuple[str, tuple[float, ...], str]] = {
    "noise": ("Noise", (0.2, 0.5, 1.0, 2.0, 4.0), "How much chance is in every target."),
    "rows": ("Rows per task", (10, 20, 40, 60, 100, 200), "How much data every task has."),
    "mixed": ("Mixed tasks of 18", (0, 2, 4, 6, 9, 12), "Tasks that blend two patterns."),
    "overlap": ("Overlap of patterns", (0.0, 0.3, 0.6, 0.9), "How alike the patterns are."),
    "k": ("Clusters K", (2, 3, 4, 5), "Corners that the fit may use. In truth there are three."),
    "outliers": ("Outlier tasks", (0, 1, 2, 3), "Tasks on top that follow none of the patterns."),
}
WORLD = PRESETS["tiny"].data
LONGEST = 10.0  # seconds
PATTERNS = ("pattern 1", "pattern 2", "pattern 3")
NUMERALS = {0: "none", 1: "one", 2: "two", 3: "three"}

PAGES = {
    "memberships": (
        "Memberships",
        "Every task between the corners of its clusters, with pure ones in the corners.",
    ),
    "coefficients": (
        "Coefficients",
        "What each task makes of each feature; blank cells are features it does not use.",
    ),
    "similarity": (
        "Similarity",
        "How alike any two tasks are; the pure tasks of a cluster form a block of strong colour.",
    ),
    "choose_k": (
        "Choose K",
        "What the data speak for: how many clusters, if any, by the error on rows held back.",
    ),
}
WORDS = ("Task", "Cluster", "Pure", "Mixed", "K", "SOUP", "theta", "RMSE", "REE", "MCC")


@dataclass(frozen=True)
class Lesson:
    """Tasks whose truth is known, how they are fitted, and perhaps one task put among them."""

    noise: float = 0.5
    rows: int = 60
    mixed: int = 4
    overlap: float = 0.0
    k: int = 3
    outliers: int = 0
    robust: bool = False
    place: tuple[float, ...] = ()  # shares of the patterns in the visitor's own task

    @property
    def data(self) -> DataChoice:
        own = {f.name: getattr(self, f.name) for f in fields(self)}
        return WORLD.with_values(**{name: own[name] for name in SLIDERS if name != "k"})

    @property
    def fit(self) -> FitChoice:
        return FitChoice(k=self.k, method=ROBUST if self.robust else REFINED)

    def result(self) -> Fitted | None:
        """The fit, made at once: it takes a tenth of a second. None if the server is too busy."""
        loaded = load(self.data)
        if self.place:
            loaded = put_among(loaded, self.data, self.place)
        return fit_within(LONGEST, loaded, self.fit)

    def explore(self) -> None:
        """Take these tasks and their fit in hand, for all pages."""
        current().fit_at_once(self.data, self.fit)


def put_among(loaded: Loaded, choice: DataChoice, shares: tuple[float, ...]) -> Loaded:
    """The same tasks and the visitor's own."""
    assert loaded.test is not None
    sim = Simulation(loaded.train, loaded.test, truth_of(loaded))
    both = add_task(sim, shares, **added(choice))
    return replace(loaded, key=WithTask(choice, shares), train=both.train, test=both.test)


@dataclass(frozen=True)
class Scene:
    """One idea: its name on the way, its title, what one moves, and what it says."""

    name: str
    title: str
    moves: str  # the field of the lesson
    say: Callable[[Lesson, Fitted, bool], list[str]]
    hides: bool = True  # whether there is a truth to be shown when asked for


def say_alone(lesson: Lesson, result: Fitted, shown: bool) -> list[str]:
    alone, together = error_of(result.lasso_error), error_of(result.error)
    which = "less" if together < alone else "more"
    if digits(together) == digits(alone):
        which = "the same"
    return [
        "A **task** is one prediction problem of many, such as the marks of one school from what "
        "is known of its pupils: a column here, with a weight for every feature.",
        f"Each fitted alone on its {lesson.rows} rows, the 18 tasks have an error of "
        f"**{digits(alone)}** on new rows; noise alone makes about {digits(lesson.noise)}.",
        f"Fitted together they have **{digits(together)}**, which is {which}.",
    ]


def say_mixture(lesson: Lesson, result: Fitted, shown: bool) -> list[str]:
    found = in_true_order(result)[:, -1]
    return [
        "A **pure** task follows one pattern of weights and sits in its corner; a **mixed** task "
        "blends several and lies between their corners, nearest to what it has most of.",
        f"Yours (☆) is {say_blend(np.array(lesson.place))}.",
        f"From {lesson.rows} noisy rows of it the fit finds (★): {say_blend(found)}.",
    ]


def say_similarity(lesson: Lesson, result: Fitted, shown: bool) -> list[str]:
    first, truth = result.model.history_[0], truth_of(result.data)
    taken, right = int(first.pure.sum()), int((first.pure & truth.pure).sum())
    said = f"The {taken} of highest purity are taken for pure"
    return [
        "Two tasks are alike if they weigh the same features alike, as far as their fits alone "
        "can tell: cells of strong colour.",
        "**Purity** (the bars) is how nearly a task is the closest match of those most like it: "
        "high among tasks of one pattern and, as a rule, lower for mixed ones.",
        f"{said}: {'all' if right == taken else right} of them truly are."
        if shown
        else f"{said} (full bars).",
    ]


def say_places(lesson: Lesson, result: Fitted, shown: bool) -> list[str]:
    n_pure = int(result.model.pure_.sum())
    n_mixed = len(result.model.pure_) - n_pure
    corners = {
        2: "Two corners are too few for three patterns: tasks of different patterns share them.",
        3: "Tasks of the highest purity mark the corners, and all the others find their places "
        "between them.",
    }.get(lesson.k, "There are more corners than patterns: the spare ones stand for nothing.")
    placed = placed_as(truth_of(result.data), result.model)
    right, n_tasks = int(placed.sum()), len(placed)
    share = f"All {n_tasks}" if right == n_tasks else f"{right} of {n_tasks}"
    return [
        corners,
        f"Found: **{counted(n_pure, 'pure task')}, {n_mixed} mixed**.",
        f"**{share} are right**, in corner and kind: the truth has {18 - lesson.mixed} pure tasks."
        if shown
        else "Which of them are right? Guess, then show the truth.",
    ]


def say_sparse(lesson: Lesson, result: Fitted, shown: bool) -> list[str]:
    U, true = patterns_of(result), truth_of(result.data).U
    kept = list(map(int, np.count_nonzero(U, axis=0)))
    missed, extra = int(((U == 0) & (true != 0)).sum()), int(((U != 0) & (true == 0)).sum())
    return [
        "A **sparse** pattern uses few features: where there is no bar, the weight is exactly "
        "zero and the feature can be left out.",
        f"The fit keeps {listed(kept)} of {len(U)} features.",
        f"Against the truth (dashes) it missed {missed} and has {extra} too many, "
        f"of {true.size} weights."
        if shown
        else "Does it keep the right ones? Show the truth.",
    ]


def say_outliers(lesson: Lesson, result: Fitted, shown: bool) -> list[str]:
    other = replace(lesson, robust=not lesson.robust).result()
    ours = digits(ordinary_error(result))
    error = f"The 18 ordinary tasks have an error of **{ours}** on new rows"
    if other is not None:
        error += say_other_fit(ours, digits(ordinary_error(other)), lesson.robust)
    return [
        f"An **outlier** follows none of the patterns; here {say_some(lesson.outliers)}.",
        say_set_aside(result) if lesson.robust else SERVES_ALL[min(lesson.outliers, 2)],
        f"{error}.",
    ]


def say_other_fit(ours: str, others: str, is_robust: bool) -> str:
    """The other fit's error, both to the digits shown, and whether robust is then no better."""
    name = "plain" if is_robust else "robust"
    if ours == others:
        return f"; the {name} fit has the same, so that letting go gains nothing here"
    robust, plain = (ours, others) if is_robust else (others, ours)
    is_worse = float(robust.replace(",", "")) > float(plain.replace(",", ""))
    return f"; with the {name} fit, {others}{': letting go costs here' if is_worse else ''}"


SERVES_ALL = (
    "The plain fit finds every task a place.",
    "The plain fit finds every task a place, so the patterns have to serve the outlier (★) too.",
    "The plain fit finds every task a place, so the patterns have to serve the outliers (★) too.",
)


def say_set_aside(result: Fitted) -> str:
    out, truly = result.model.outliers_, truth_of(result.data).outliers
    found, wrongly = int((out & truly).sum()), int((out & ~truly).sum())
    said = "The robust fit has no outlier to set aside"
    if truly.any():
        said = f"The robust fit sets aside {found} of {counted(int(truly.sum()), 'outlier')}"
    return said + (f", and {counted(wrongly, 'ordinary task')} by mistake." if wrongly else ".")


SCENES = {
    scene.name: scene
    for scene in (
        Scene("Alone", "Each task alone", "rows", say_alone),
        Scene("Mixtures", "Patterns and mixtures", "place", say_mixture, hides=False),
        Scene("Similarity", "Who is like whom: similarity and purity", "overlap", say_similarity),
        Scene("Places", "From pure tasks to all", "mixed", say_places),
        Scene("Sparse", "Sparse patterns", "noise", say_sparse),
        Scene("Outliers", "A task like no other", "outliers", say_outliers),
    )
}


def error_of(error: float | None) -> float:
    assert error is not None  # there are test rows
    return error


def truth_of(data: Loaded) -> Truth:
    assert data.truth is not None  # it is a simulation
    return data.truth


def say_some(count: int) -> str:
    return f"there {'is' if count == 1 else 'are'} {NUMERALS[count]}"


def say_blend(v: Array) -> str:
    """Shares of the patterns, and what kind of task that is."""
    if not v.any():
        return "in no cluster"
    parts = say_shares((v / v.sum()).tolist(), PATTERNS, v.tolist())
    if np.count_nonzero(v) == 1:
        return f"all {PATTERNS[int(v.argmax())]}, a **pure** task"
    return f"{joined([*parts.values()])}, a **mixed** task"


def true_order(result: Fitted) -> Index:
    """Clusters come out in any order: theirs by the true ones."""
    return match_clusters(result.model.memberships_.T, truth_of(result.data).V)


def in_true_order(result: Fitted) -> Array:
    """Memberships (K, T) with the true clusters first, at least as many as there are."""
    return align_clusters(result.model.memberships_.T, truth_of(result.data).V)[0]


def patterns_of(result: Fitted) -> Array:
    """U (D, K) in the order of the true patterns."""
    return result.model.cluster_coef_.T[:, true_order(result)]


def ordinary_error(result: Fitted) -> float:
    """RMSE on the new rows of the tasks that follow the patterns."""
    test, truth = result.data.test, truth_of(result.data)
    assert test is not None
    rows = np.isin(test.tasks, test.task_names[~truth.outliers])
    residual = test.y[rows] - predict_rows(result.model, test)[rows]
    return float(np.sqrt(np.mean(residual**2)))
