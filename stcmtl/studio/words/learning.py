"""What the page that teaches shows: a small world whose truth is known, and words for it."""

from dataclasses import dataclass

from stcmtl.figures.pieces import Array, Flags
from stcmtl.phrases import digits
from stcmtl.solver.alignment import match_clusters, pad_clusters
from stcmtl.studio.state.choices import PRESETS, DataChoice, FitChoice
from stcmtl.studio.state.loading import load
from stcmtl.studio.state.session import current
from stcmtl.studio.work.fits import Fitted, fit_within

IDEA = """
A **task** is one prediction problem of many: say, the marks of one school from what is known of
its pupils. Each task weighs the same features in its own way. A **pure** task weighs them just as
one of a few patterns does, a **mixed** task blends several patterns. From the rows of all tasks
together, the fit finds the patterns and which task blends what.

Here are 18 tasks from three patterns, a corner each. Move a slider, and they are fitted again.
"""
# Field of a lesson: label, values, the usual one, and what it is.
SLIDERS: dict[str, tuple[str, tuple[float, ...], float, str]] = {
    "noise": ("Noise", (0.2, 0.5, 1.0, 2.0, 4.0), 0.5, "How much chance is in every target."),
    "rows": ("Rows per task", (10, 20, 40, 60, 100, 200), 60, "How much data every task has."),
    "k": ("Clusters K", (2, 3, 4, 5), 3, "Corners that the fit may use. In truth there are three."),
}
LONGEST = 10.0  # seconds
TRUE_CLUSTERS = PRESETS["tiny"].data.clusters

PICTURES = {
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
        "How alike any two tasks are; the pure tasks of a cluster form a dark block.",
    ),
    "choose_k": (
        "Choose K",
        "What the data speak for: how many clusters, if any, by the error on rows held back.",
    ),
}
WORDS = ("Task", "Cluster", "Pure", "Mixed", "K", "SOUP", "theta", "RMSE", "REE", "MCC")


@dataclass(frozen=True)
class Lesson:
    """Tasks whose truth is known, and what a fit makes of them."""

    noise: float
    rows: int
    k: int

    @property
    def data(self) -> DataChoice:
        return PRESETS["tiny"].data.with_values(noise=self.noise, rows=self.rows)

    @property
    def fit(self) -> FitChoice:
        return FitChoice(k=self.k)

    def result(self) -> Fitted | None:
        """The fit, made at once: it takes a tenth of a second. None if the server is too busy."""
        return fit_within(LONGEST, load(self.data), self.fit)

    def explore(self) -> None:
        """Take these tasks and their fit in hand, for all pages."""
        current().fit_at_once(self.data, self.fit)


def sides(result: Fitted) -> list[tuple[str, str, Array, Flags]]:
    """Key, heading, memberships (K, T) and pure tasks: as they are, and as they were found."""
    truth, model = result.data.truth, result.model
    assert truth is not None
    return [
        ("true", "In truth", truth.V, truth.pure),
        ("found", "Found", in_true_order(model.memberships_.T, truth.V), model.pure_),
    ]


def in_true_order(V: Array, true: Array) -> Array:
    """Clusters come out in any order: here in that of the true ones, if they are not too few."""
    return V if len(V) < len(true) else V[match_clusters(V, pad_clusters(true, len(V)))]


def verdict(lesson: Lesson, result: Fitted) -> str:
    """What one sees, and why."""
    truth, model = result.data.truth, result.model
    assert truth is not None
    assert result.error is not None
    assert result.lasso_error is not None
    right, n_tasks = int((model.pure_ == truth.pure).sum()), len(truth.pure)
    share = f"All {n_tasks}" if right == n_tasks else f"{right} of {n_tasks}"
    sentences = [
        f"**{share} tasks are rightly called pure or mixed.** On new rows the error is "
        f"{digits(result.error)}, of which {digits(lesson.noise)} is noise that nobody can "
        f"predict; each task on its own has {digits(result.lasso_error)}."
    ]
    if lesson.k < TRUE_CLUSTERS:
        sentences.append("With too few corners, tasks that have little in common must share one.")
    elif lesson.k > TRUE_CLUSTERS:
        sentences.append("There are more corners than patterns: the spare ones split or stay bare.")
    elif right < n_tasks:
        sentences.append("More rows, or less noise, and the tasks fall into place.")
    return " ".join(sentences)
