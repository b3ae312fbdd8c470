"""One click to finished results: data and settings that show one thing each."""

from __future__ import annotations

from dataclasses import dataclass

from stcmtl.studio.start import load_everything
from stcmtl.studio.state.choices import EXAMPLE, ROBUST, DataChoice, FitChoice
from stcmtl.studio.state.session import current
from stcmtl.studio.words.sentences import word_error

FIRST_PICTURE = "pages/memberships.py"


@dataclass(frozen=True)
class Preset:
    """Tasks, and how to fit them."""

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
        "Forty tasks from ten digits: tasks of one digit should meet.",
        DataChoice(source=EXAMPLE, example="digits"),
        FitChoice(k=10),
    ),
    "gapminder": Preset(
        "Gapminder",
        "One task per country: life expectancy from year, income and population.",
        DataChoice(source=EXAMPLE, example="gapminder"),
        FitChoice(k=4),
    ),
}


def take(preset: Preset) -> None:
    """Open the preset's data, fit it, and go where its picture is."""
    load_everything()
    session = current()
    session.fit_choice, session.data_error = preset.fit, None
    try:
        session.open_data(preset.data)
    except (OSError, ValueError) as error:
        session.error = word_error(error)
        return
    session.run_fit()
    session.go = FIRST_PICTURE
