"""Small files of tasks, and the command line run on them."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl.cli import main
from tests.unit.two_clusters import rows

COLOURS = np.array(["blue", "green", "red"])


def school_frame(n: int = 20, seed: int = 0, labels: bool = False) -> pd.DataFrame:
    """Six schools in two clusters, five features with numbers and one with text."""
    X, y, tasks = rows(n=n, seed=seed)
    frame = pd.DataFrame(X, columns=list("abcde"))
    colour = np.random.default_rng(seed + 1).integers(0, 3, len(y))
    frame["colour"] = COLOURS[colour]
    frame.insert(0, "school", tasks)
    score = y + 2.0 * (colour == 1)
    frame["score"] = np.where(score > 0.7, "pass", "fail") if labels else score
    return frame


def written(frame: pd.DataFrame, path: Path) -> str:
    """The frame as a file, by its ending."""
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False)
    return str(path)


def pipe(monkeypatch: pytest.MonkeyPatch, file: str) -> str:
    """The file through standard input."""
    stream = io.TextIOWrapper(io.BytesIO(Path(file).read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    return "-"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    capsys.readouterr()
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The document of a run that must go well."""
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    document: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    return document


def error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence of a run that must fail."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("stcmtl: ")
    assert err.count("\n") == 1
    return err.removeprefix("stcmtl: ").strip()
