"""The paper's protocols on real data: School, and handwritten digits as forty tasks."""

from __future__ import annotations

import os
from pathlib import Path

from stcmtl import datasets
from stcmtl.data.datasets import Split

DIGITS = {"usps": datasets.load_usps, "mnist": datasets.load_mnist}


def data_folder() -> Path | None:
    """The folder of ``STCMTL_DATA``, or None where it is unset or missing."""
    name = os.environ.get("STCMTL_DATA")
    return Path(name) if name and Path(name).is_dir() else None


def school(seed: int) -> Split:
    """75 / 25 within every school."""
    return datasets.split_rows(datasets.load_school(data_folder()), random_state=seed)


def digits(name: str, seed: int) -> Split:
    """Each digit against the others, four times with new rows: forty tasks."""
    return DIGITS[name](data_folder(), n_draws=4, random_state=seed)
