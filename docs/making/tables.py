"""Tables of results, from the files that ship with the package: so they are never older than it."""

import numpy as np
import pandas as pd

from stcmtl.paper.experiments import ORACLE
from stcmtl.paper.results import read_shipped
from stcmtl.paper.settings import SETTINGS, pick_ours
from stcmtl.paper.table import kinds_of_tasks, side_by_side

SIMULATED = ["sparse-200", "dense-200", "sparse-600", "dense-600", "outliers-100", "outliers-200"]
REAL = ["school", "isolet", "mnist", "usps", "digits-10", "digits-40"]
OURS = "**ours**"


def as_markdown(frame: pd.DataFrame) -> str:
    lines = [list(frame.columns), ["---"] * frame.shape[1], *frame.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def kinds() -> str:
    """Everything automatic beside the best alternative, one row per kind of tasks."""
    found = kinds_of_tasks()
    ratio = found["ours / best"]
    behind = int((ratio > 1.0).sum())
    said = f"Ours is at least as good as the best of the others on {len(found) - behind} of "
    said += f"{len(found)} kinds of tasks"
    said += f"; on the rest it is behind by at most {ratio.max() - 1.0:.1%}." if behind else "."
    shown = pd.DataFrame(
        {
            "tasks": found["cell"],
            "ours": found["ours"].map("{:.3f}".format),
            "best alternative": found["best"].map("{:.3f}".format) + " " + found["by"],
            "ours / best": ratio.map("{:.3f}".format).where(
                ratio <= 1.0, ratio.map("**{:.3f}**".format)
            ),
            "chosen": found["chose"],
        }
    )
    return f"{said}\n\n{as_markdown(shown)}"


def paper_tables(settings: list[str], digits: int) -> str:
    """One row per method, one column per setting; the paper's own number in brackets."""
    columns: dict[str, dict[str, str]] = {}
    for setting in settings:
        runs = read_shipped(setting)
        measure, own = SETTINGS[setting].measure, pick_ours(setting)
        table = side_by_side(setting, runs, measure).set_index("method")
        column = {
            (OURS if method == own else method): cell(
                row["ours"], row["paper"], digits, method == own
            )
            for method, row in table.iterrows()
            if not np.isnan(row["ours"]) and (method == own or not method.startswith("STCMTL"))
        }
        if any(run.method == ORACLE for run in runs):
            column["oracle"] = f"{table['oracle'].iloc[0]:.{digits}f}"
        columns[f"{SETTINGS[setting].title}"] = column
    frame = pd.DataFrame(columns).fillna("")
    order = sorted(frame.index, key=lambda method: (method == "oracle", method == OURS))
    frame = frame.loc[order].rename_axis("").reset_index()
    return as_markdown(frame)


def cell(ours: float, paper: float, digits: int, bold: bool) -> str:
    shown = f"{ours:.{digits}f}"
    shown = f"**{shown}**" if bold else shown
    return shown if np.isnan(paper) else f"{shown} ({paper:.{digits}f})"


def simulated() -> str:
    return paper_tables(SIMULATED, 3)


def real() -> str:
    return paper_tables(REAL, 4)
