"""How further files are to be read, as part of a model: so that its file carries it too."""

from dataclasses import replace
from typing import Any

import numpy as np

from stcmtl.io.encode_like import Reading, are_records


def remember(model: Any, reading: Reading) -> None:
    model.reading_ = {
        "understood": {key: value for key, value in reading.understood.items() if value},
        "dates": reading.dates,
        "medians": reading.medians,
        "columns": reading.columns,
    }


def recall(model: Any, features: tuple[str, ...]) -> Reading | None:
    """How files are read for a model, by names alone where it knows no more; None if damaged."""
    classes = np.asarray(getattr(model, "classes_", ())).tolist()
    reading = Reading(features, tuple(classes))
    memory = getattr(model, "reading_", None)
    if memory is None:  # it was fitted in Python
        return reading
    return replace(reading, **memory) if is_memory(memory, len(features)) else None


def is_memory(memory: Any, n_features: int) -> bool:
    """A file may hold anything: nothing but what ``remember`` writes is used."""
    return (
        isinstance(memory, dict)
        and memory.keys() | {"columns"} == {"understood", "dates", "medians", "columns"}
        and are_records(memory.get("columns", {}))
        and isinstance(memory["understood"], dict)
        and memory["understood"].keys() <= {"task", "target", "weight", "layout", "each_label"}
        and all(isinstance(memory["understood"].get(name, ""), str) for name in ("task", "weight"))
        and isinstance(memory["dates"], dict)
        and np.shape(memory["medians"]) == (n_features,)
        and getattr(memory["medians"], "dtype", None) == np.float64
    )
