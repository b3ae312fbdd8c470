"""What a person can choose, in one place: widgets, links, limits and presets come from here."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from stcmtl.data.examples import PANELS
from stcmtl.phrases import OWNS, SHAPES

SIMULATED, EXAMPLE, UPLOAD = SOURCES = ("simulated", "example", "upload")
REFINED, PAPER, ROBUST = METHODS = ("refined", "paper", "robust")
GIVEN, CHOSEN = WAYS = ("given", "automatic")
DECIDE = {"auto": "Decide by cross-validation"}
LEVELS, GROWTH = "levels", "growth rates"  # of a panel
AUTOMATIC, AS_THEY_ARE, ONE_SCALE = SCALES = ("automatic", "as they are", "one scale")
EXAMPLES = {
    "digits": "Handwritten digits",
    "gapminder": "Gapminder",
    **{name: panel.title for name, panel in PANELS.items()},
    "school": "School",
    "isolet": "Isolet",
    "usps": "USPS digits",
    "mnist": "MNIST digits",
}


def number(default: float, low: float, high: float, step: float, label: str, help: str) -> Any:
    """A whole number or a share, and what a widget needs to know of it."""
    limits = {"low": low, "high": high, "step": step}
    return field(default=default, metadata={"label": label, "help": help, **limits})


def option(default: str, options: tuple[str, ...] | dict[str, str], label: str, help: str) -> Any:
    """One of a few, with words for them where their names are not what one reads."""
    words = {"words": options} if isinstance(options, dict) else {}
    more = {"options": tuple(options), **words}
    return field(default=default, metadata={"label": label, "help": help, **more})


class Linked:
    """A frozen dataclass whose values travel in a link; defaults are left out of it."""

    def query(self) -> dict[str, str]:
        return {
            f.name: str(value)
            for f in fields(self)  # type: ignore[arg-type]
            if (value := getattr(self, f.name)) != f.default
        }

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """What the link says, as far as it makes sense; the rest stays as it is by default."""
        known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
        values = {}
        for name in known.keys() & query.keys():
            value = parse_value(query[name], known[name])
            if value is not None:
                values[name] = value
        return cls(**values)

    def with_values(self, **values: Any) -> Self:
        return replace(self, **values)  # type: ignore[type-var]


def parse_value(text: str, f: Any) -> Any:
    """The value that a text in a link stands for, or None."""
    if "options" in f.metadata:
        return text if text in f.metadata["options"] else None
    try:
        value = type(f.default)(text)
    except ValueError:
        return None
    return value if f.metadata["low"] <= value <= f.metadata["high"] else None


@dataclass(frozen=True)
class DataChoice(Linked):
    """Where tasks come from; equal choices mean equal data."""

    source: str = option(SIMULATED, SOURCES, "Source", "Where the tasks come from.")
    example: str = option("digits", tuple(EXAMPLES), "Example", "A real data set.")
    series: str = option(
        LEVELS,
        (LEVELS, GROWTH),
        "Series",
        "Levels of trending series follow one another whatever the causes; growth rates are "
        "their changes from year to year.",
    )
    tasks: int = number(60, 3, 400, 1, "Tasks", "Tasks that follow the model.")
    features: int = number(200, 20, 1000, 10, "Features", "Columns of every task's table.")
    clusters: int = number(5, 1, 9, 1, "True clusters", "How many clusters the tasks come from.")
    rows: int = number(100, 10, 500, 10, "Rows per task", "Training rows of every task.")
    test_rows: int = number(100, 10, 500, 10, "Test rows per task", "Rows kept aside for testing.")
    uneven: float = number(
        0.0, 0.0, 0.9, 0.1, "Unequal rows", "0.5: from half to one and a half times as many rows."
    )
    mixing: str = option(
        "sparse",
        ("sparse", "dense"),
        "Mixed tasks share",
        "Sparse: a mixed task shares two clusters. Dense: it shares all of them.",
    )
    mixed: int = number(10, 0, 200, 1, "Mixed tasks", "Tasks that belong to several clusters.")
    outliers: int = number(0, 0, 20, 1, "Outlier tasks", "Tasks that follow no cluster, on top.")
    kind: str = option(
        "regression",
        ("regression", "classification"),
        "Target",
        "A number for every row, or one of two labels.",
    )
    noise: float = number(0.5, 0.0, 5.0, 0.1, "Noise", "Standard deviation of the noise.")
    signal: float = number(
        1.0, 0.1, 10.0, 0.1, "Signal", "Size of the coefficients, in multiples of the usual."
    )
    correlation: float = number(
        0.0, 0.0, 0.9, 0.1, "Correlation", "Of neighbouring features; it fades with distance."
    )
    overlap: float = number(
        0.0, 0.0, 0.9, 0.1, "Overlap", "How alike the patterns of clusters are: at 1, all one."
    )
    structure: int = number(0, 0, 9999, 1, "Structure seed", "Fixes clusters and memberships.")
    draw: int = number(0, 0, 9999, 1, "Draw seed", "Draws rows and noise for that structure.")
    held_out: float = number(0.25, 0.0, 0.5, 0.05, "Test share", "Rows of every task kept aside.")
    split: int = number(0, 0, 9999, 1, "Split seed", "Which rows are kept aside.")


@dataclass(frozen=True)
class FitChoice(Linked):
    """How the tasks are fitted; equal choices on equal data mean equal results."""

    model: str = option(
        GIVEN,
        WAYS,
        "Model",
        "Given: you say how many clusters there are and what tasks make of them. Automatic: "
        "cross-validation decides all of it, which takes several times as long.",
    )
    k: int = number(
        5, 0, 20, 1, "Clusters K", "Patterns that tasks are made of. 0: every task on its own."
    )
    shape: str = option(
        "simplex",
        SHAPES | DECIDE,
        "Tasks are",
        "Mixtures: shares in the clusters that sum to one. With strengths: a mixture times a "
        "number of the task's own. Subtracted: a task may also turn a pattern around.",
    )
    own: str = option(
        "none",
        {own: words for own, words in OWNS.items() if own != "alone"} | DECIDE,
        "A task's own",
        "Nothing: clusters say it all. A deviation: each task may depart from its clusters, as "
        "far as that predicts better. For tasks that are all their own, set K to 0.",
    )
    method: str = option(
        REFINED,
        METHODS,
        "Method",
        "Refined: pure tasks and unused features become exact. Paper: Algorithm 1 as published. "
        "Robust: refined, and tasks unlike all others are set aside.",
    )
    theta: float = number(0.5, 0.1, 1.0, 0.05, "theta", "Share of tasks that SOUP takes for pure.")
    epsilon: float = number(
        0.1, 0.02, 1.0, 0.02, "epsilon", "Share of tasks that count as neighbours."
    )
    folds: int = number(5, 2, 10, 1, "Folds", "Of every cross-validation, within tasks.")
    iterations: int = number(50, 1, 200, 1, "Iterations", "Of Algorithm 1, at most.")
    fence: float = number(
        4.5,
        0.5,
        20.0,
        0.5,
        "Fence factor",
        "How far from the others a task is out, in interquartile ranges.",
    )
    scale: str = option(
        AUTOMATIC,
        SCALES,
        "Features",
        "One scale: columns in very different units, such as metres and dollars, count alike. "
        "Automatic: only where their spreads tell of different units.",
    )
    seed: int = number(0, 0, 9999, 1, "Seed", "Of folds and of k-means.")

    @property
    def shape_counts(self) -> bool:
        """Whether shape and own part are for the visitor to say."""
        return self.model == GIVEN and self.k > 0 and self.method != PAPER

    @property
    def in_effect(self) -> Self:
        """With settings that make no difference as they are by default."""
        names = [] if self.shape_counts else ["shape", "own"]
        if self.model == CHOSEN:
            names.append("k")
        return self.with_values(**{f.name: f.default for f in fields(self) if f.name in names})

    @property
    def account(self) -> str:
        """In a few words, for the sidebar."""
        if self.model == CHOSEN:
            return f"everything automatic, {self.method}"
        said = [f"K = {self.k}", self.method]
        if self.in_effect.shape != "simplex":
            said.append((SHAPES | {"auto": "shape automatic"})[self.shape].lower())
        if self.in_effect.own != "none":
            said.append("own part automatic" if self.own == "auto" else "own deviations")
        return ", ".join(said)

    @property
    def asked(self) -> dict[str, Any]:
        """Clusters, shape and own part as the estimators take them."""
        if self.model == CHOSEN:
            return {"n_clusters": "auto", "shape": "auto", "own": "auto"}
        if self.k == 0:
            return {"n_clusters": 0, "shape": "simplex", "own": "auto"}
        if self.method == PAPER:
            return {"n_clusters": self.k, "shape": "simplex", "own": "none"}
        return {"n_clusters": self.k, "shape": self.shape, "own": self.own}

    @property
    def standardize(self) -> bool | str:
        """The scale as the estimators take it."""
        return "auto" if self.scale == AUTOMATIC else self.scale == ONE_SCALE


@dataclass(frozen=True)
class Preset:
    """One click to a finished result that shows one thing."""

    title: str
    sentence: str
    data: DataChoice
    fit: FitChoice


PRESETS = {
    "sparse": Preset(
        "The paper, sparse",
        "60 tasks from 5 clusters; mixed tasks share two.",
        DataChoice(),
        FitChoice(),
    ),
    "dense": Preset(
        "The paper, dense",
        "The same, but mixed tasks share all five.",
        DataChoice(mixing="dense"),
        FitChoice(),
    ),
    "outliers": Preset(
        "With outlier tasks",
        "Five tasks follow no cluster. The robust method sets them aside.",
        DataChoice(outliers=5, features=100),
        FitChoice(method=ROBUST),
    ),
    "tiny": Preset(
        "Tiny, for teaching",
        "18 tasks, 3 clusters, 30 features: small enough to see every cell.",
        DataChoice(tasks=18, features=30, clusters=3, mixed=4, rows=60, structure=2),
        FitChoice(k=3),
    ),
    "classification": Preset(
        "Two labels",
        "The same structure behind yes-or-no targets.",
        DataChoice(kind="classification", features=100),
        FitChoice(),
    ),
    "digits": Preset(
        "Handwritten digits",
        "Forty tasks from ten digits: tasks of one digit should meet. The data choose.",
        DataChoice(source=EXAMPLE, example="digits"),
        FitChoice(model=CHOSEN),
    ),
    "gapminder": Preset(
        "Gapminder",
        "One task per country: life expectancy from year, income and population. The data choose.",
        DataChoice(source=EXAMPLE, example="gapminder"),
        FitChoice(model=CHOSEN),
    ),
}
