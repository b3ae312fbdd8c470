"""What somebody has in hand as one portable file: choices, tasks, models; nothing is executed.

It is a zip of ``session.json`` (choices and small results), ``arrays/<i>.npy`` (the rows of tasks)
and a file per model, as ``model.save`` writes it: so that a model can be taken out and used alone.
It is read with the distrust of ``portable``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError
from stcmtl.io import model_file, portable
from stcmtl.io.account import Case, shorten
from stcmtl.io.formats.archives import read_member
from stcmtl.io.limits import Limits, ReadError
from stcmtl.io.parsing import How, Parsed
from stcmtl.io.sources import File

FORM = portable.Form("session.json", "stcmtl-session", 1, "session")
ENDING = ".stcmtl"
MAX_BYTES = 400 * 2**20
KEPT = [f.name for f in fields(TaskSet) if f.init and f.name != "truth"]  # of tasks, in a file


@dataclass(frozen=True, eq=False)
class SavedSession:
    """What a file holds. ``content`` is made of what a model file knows how to write."""

    content: dict[str, Any]
    tasks: dict[str, TaskSet] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)


def save_session(saved: SavedSession) -> bytes:
    """The bytes of the file; the same session gives the same bytes."""
    arrays: portable.Arrays = []
    rows = {
        name: {key: flatten(value) for key in KEPT if (value := getattr(one, key)) is not None}
        for name, one in saved.tasks.items()
    }
    content = {
        "content": portable.encode_items(saved.content, arrays),
        "tasks": portable.encode_items(rows, arrays),
        "models": list(saved.models),
    }
    files = {f"{name}{ENDING}": model_file.to_bytes(model) for name, model in saved.models.items()}
    return portable.pack(FORM, content, arrays, **files)


def load_session(stream: BinaryIO, classes: Sequence[type], max_bytes: int) -> SavedSession:
    """Models are of one of the classes, without any they are left where they are; whatever is
    wrong with the file ends in an InputError.
    """
    name = str(getattr(stream, "name", "The file"))
    file = File(name, data=stream.read(max_bytes + 1))
    with portable.open_file(file, FORM, max_bytes) as (document, archive):
        get = portable.read_arrays(name, archive)
        try:
            content = portable.decode_items(document["content"], get)
            rows = portable.decode_items(document["tasks"], get)
            tasks = {str(key): rebuild_tasks(values) for key, values in rows.items()}
            models = {}
            for key in document["models"] if classes else ():
                info = archive.NameToInfo[f"{key}{ENDING}"]
                member = BytesIO(read_member(name, archive, info))
                models[key] = model_file.load(member, classes, max_bytes)
        except (TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ReadError(f"{FORM.text} describes no session: {shorten(error)}") from error
    return SavedSession(content, tasks, models)


def check_session(files: list[File], how: How, limits: Limits) -> Parsed:
    """Open all of a session file, in a process that may fail at it; nothing of it is kept."""
    file, max_bytes = files[0], limits.bytes_unpacked
    load_session(named(file.name, file.data), (), max_bytes)
    with portable.open_file(file, FORM, max_bytes) as (document, archive):
        for key in document["models"]:
            if (info := archive.NameToInfo.get(f"{key}{ENDING}")) is None:
                raise ReadError(f"{shorten(key)}{ENDING} is missing")
            model = File(info.filename, data=read_member(file.name, archive, info))
            with portable.open_file(model, model_file.FORM, max_bytes) as (parts, packed):
                try:
                    model_file.decode(parts, model.name, packed)
                except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
                    raise ReadError(f"{model.name} is no model: {shorten(error)}") from error
    return Parsed((file.name,), FORM.noun, Case.of_files(files, limits))


def named(name: str, data: bytes) -> BytesIO:
    stream = BytesIO(data)
    stream.name = name
    return stream


def load_tasks(path: str | Path) -> dict[str, TaskSet]:
    """The rows in a session file: "train", and "test" where some were kept."""
    with Path(path).open("rb") as stream:
        return load_session(stream, (), MAX_BYTES).tasks


def rebuild_tasks(values: dict[str, Any]) -> TaskSet:
    """Rows that TaskSet itself checks."""
    if not isinstance(values, dict) or not values.keys() <= set(KEPT):
        raise ReadError("its tasks are none")
    try:
        return TaskSet(**{key: unflatten(value) for key, value in values.items()})
    except (InputError, ValueError) as error:
        raise ReadError(f"its tasks are none: {shorten(error)}") from error


def flatten(value: Any) -> Any:
    """A data frame as arrays, which a file can hold."""
    if not isinstance(value, pd.DataFrame):
        return value
    columns = {str(name): flatten_column(column) for name, column in value.items()}
    return {"index": value.index.to_numpy(object), "columns": columns}


def flatten_column(column: pd.Series) -> NDArray[Any]:
    """Dates and spans as numpy has them, all else value by value: None for one that is missing."""
    if column.dtype.kind in "mM":
        return column.to_numpy(f"{column.dtype.kind}8[ns]")
    return column.astype(object).where(column.notna(), None).to_numpy(object)


def unflatten(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return pd.DataFrame(value["columns"], index=value["index"]).infer_objects()
