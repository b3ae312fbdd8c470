"""The paper's settings: how the rows of a repetition are drawn, and how many clusters there are.

Synthetic repetitions go round five structures (U, V) with new rows each time; real data are
divided, or drawn, anew. The same seed and repetition give every method the same rows.
"""

from collections.abc import Callable
from dataclasses import dataclass

from stcmtl.baselines.registry import REGISTRY
from stcmtl.data import datasets
from stcmtl.data.datasets import DataNotFoundError
from stcmtl.data.simulation import simulate
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError
from stcmtl.evaluation.comparison import TrainTest
from stcmtl.paper import SYNTHETIC

N_CLUSTERS = STRUCTURES = 5
REFINED, ROBUST = "STCMTL refined", "STCMTL robust"


class NoData(InputError):  # noqa: N818 it reads as what it is
    """The files of a setting's data are not there; the sentence says which to put where."""


Draw = Callable[[int, int], TrainTest]  # from a seed and a repetition


@dataclass(frozen=True)
class PaperSetting:
    """Tasks of one kind. Without ``n_clusters`` cross-validation chooses it in every repetition."""

    title: str
    measure: str  # of the error: "RMSE" or "error rate"
    draw: Draw
    n_clusters: int | None
    has_outliers: bool = False


def simulated(n_features: int, mixing: str = "sparse", n_outliers: int = 0) -> PaperSetting:
    def draw(seed: int, repetition: int) -> TrainTest:
        return simulate(
            n_features=n_features,
            n_clusters=N_CLUSTERS,
            mixing=mixing,
            n_outliers=n_outliers,
            structure_seed=seed + repetition % STRUCTURES,
            random_state=seed + repetition,
        )

    kind = f" and {n_outliers} outliers" if n_outliers else f", {mixing} mixing"
    title = f"60 synthetic tasks{kind}, D = {n_features}"
    return PaperSetting(title, "RMSE", draw, N_CLUSTERS, has_outliers=n_outliers > 0)


def divided(title: str, load: Callable[[], TaskSet]) -> PaperSetting:
    """75 / 25 within every task."""

    def draw(seed: int, repetition: int) -> TrainTest:
        return datasets.split_rows(load(), random_state=seed + repetition)

    return PaperSetting(title, "RMSE", draw, None)


def digits(
    title: str, load: Callable[..., TrainTest], n_clusters: int | None = None, **options: int
) -> PaperSetting:
    def draw(seed: int, repetition: int) -> TrainTest:
        return load(random_state=seed + repetition, **options)

    return PaperSetting(title, "error rate", draw, n_clusters)


SETTINGS: dict[str, PaperSetting] = {
    "sparse-200": simulated(200, "sparse"),
    "dense-200": simulated(200, "dense"),
    "sparse-600": simulated(600, "sparse"),
    "dense-600": simulated(600, "dense"),
    "outliers-100": simulated(100, n_outliers=5),
    "outliers-200": simulated(200, n_outliers=5),
    "school": divided("School: exam scores of 139 schools", datasets.load_school),
    "isolet": divided("Isolet: letters of five groups of speakers", datasets.load_isolet),
    "mnist": digits("MNIST: ten digits, each against the rest", datasets.load_mnist),
    "usps": digits("USPS: ten digits, each against the rest", datasets.load_usps),
    "digits-10": digits(
        "scikit-learn's digits: ten, each against the rest", datasets.load_digits, n_draws=1
    ),
    "digits-40": digits(
        "Forty tasks from ten digits: each against the rest, four times",
        datasets.load_digits,
        n_clusters=10,
        n_draws=4,
    ),
}


def draw_rows(setting: str, seed: int, repetition: int) -> TrainTest:
    """Training and test rows of a repetition, counted from 0."""
    if setting not in SETTINGS:
        raise InputError(
            f"There is no setting {setting!r}", remedy=f"choose among {', '.join(SETTINGS)}"
        )
    try:
        return SETTINGS[setting].draw(seed, repetition)
    except DataNotFoundError as error:
        raise NoData(error.what, where=error.where, remedy=error.remedy) from None


def is_synthetic(setting: str) -> bool:
    """Whether the truth is known, and with it the oracle, REE and MCC."""
    return setting in SYNTHETIC


def pick_ours(setting: str) -> str:
    """Which of ours the setting is about: outliers are for the one that sets them aside."""
    return ROBUST if SETTINGS[setting].has_outliers else REFINED


def methods_for(setting: str) -> list[str]:
    """Every method that makes sense there: outliers are set aside only where there may be some."""
    robust_too = SETTINGS[setting].has_outliers
    return [method for method in REGISTRY if method != ROBUST or robust_too]
