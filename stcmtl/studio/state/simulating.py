"""What can be simulated, and in one sentence by its control what cannot."""

from __future__ import annotations

from stcmtl.data.simulation import FEATURES_PER_BLOCK
from stcmtl.studio.state.choices import DataChoice

MOST_CELLS = 20_000_000  # 160 MB: what one visitor of a shared server may ask of it
USUAL_SCALE = {"regression": 1.0, "classification": 3.0}  # of coefficients, as in ``simulate``


def faults(choice: DataChoice) -> dict[str, str]:
    """A sentence for every field that the others leave no room for."""
    found = {}
    needed = FEATURES_PER_BLOCK * (choice.clusters + 1)
    if choice.features < needed:
        found["features"] = (
            f"{choice.clusters} clusters need at least {needed} features: "
            "add features or take fewer clusters."
        )
    room = choice.tasks - choice.clusters
    if room < 0:
        found["tasks"] = f"{choice.clusters} clusters need a pure task each: add tasks."
    elif choice.mixed > room:
        found["mixed"] = (
            f"At most {room} of {choice.tasks} tasks can be mixed: every cluster needs a pure one."
        )
    if size := size_fault(choice):
        found["rows"] = size
    return found


def size_fault(choice: DataChoice) -> str:
    """Why these tasks are too large, or nothing."""
    tasks = choice.tasks + choice.outliers
    cells = tasks * (choice.rows + choice.test_rows) * choice.features
    if cells <= MOST_CELLS:
        return ""
    return (
        f"These tasks would have {cells / 1e6:,.0f} million cells, and {MOST_CELLS / 1e6:,.0f} "
        "million is the limit here: take fewer tasks, rows or features."
    )


def rows_range(rows: int, uneven: float) -> int | tuple[int, int]:
    """The same number for all tasks, or the range to draw each task's own from."""
    if uneven == 0.0:
        return rows
    return max(2, round(rows * (1.0 - uneven))), round(rows * (1.0 + uneven))
