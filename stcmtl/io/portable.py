"""Values and arrays as one portable file, and back to the last bit; nothing in it is executed.

It is a zip of a JSON text and ``arrays/<i>.npy``, so that numpy and any zip tool can open what this
package cannot. JSON keeps None, truth values, whole numbers, finite floats, text and lists as they
are; anything else becomes an object with one key that names its kind, as in ``{"array": 3}``.

A file is read with the same distrust as an upload (see ``archives``): what cannot have been written
here is a ReadError of a few words, which ``open_file`` puts into a sentence.
"""

import base64
import datetime
import json
import math
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray

from stcmtl.errors import InputError, Setting
from stcmtl.io.account import shorten
from stcmtl.io.formats.archives import open_zip, read_member
from stcmtl.io.formats.arrays import check_values, parse_npy
from stcmtl.io.limits import Limits, ReadError, fault
from stcmtl.io.sources import File
from stcmtl.solver.records import Alternative, Choice, CVPoint, Iteration, KSelection
from stcmtl.version import __version__

MAX_TEXT = 1 << 26
MAX_VALUES = 1_000_000  # in its text: a feature of a very wide table has a dozen
MAX_MEMBERS = 50_000
LARGE, TIGHTEST = 1 << 25, 150  # bytes unpacked, from which they may be so many times as many
ZIP_LIMIT = 1 << 31  # beyond it zip needs an extension, which is refused here
ZIP_LIMITS = Limits(bytes_unpacked=sys.maxsize, members=MAX_MEMBERS)  # bytes: by max_bytes

# Records by their kind, and the dimensions of the arrays in them.
RECORDS: dict[str, type] = {
    "iteration": Iteration,
    "selection": KSelection,
    "choice": Choice,
    "cv_point": CVPoint,
    "alternative": Alternative,
}
DIMENSIONS = {
    "iteration": {"U": 2, "V": 2, "W": 2, "b": 1, "pure": 1, "purity": 1, "outliers": 1},
    "selection": dict.fromkeys(("ks", "error", "se", "objective", "seconds"), 1),
    "choice": {},
    "cv_point": {},
    "alternative": {},
}
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
MERSENNE_WORDS = 624  # the state of numpy's RandomState
OBJECTS: dict[str, np.dtype[Any]] = {"O": np.dtype(object), "T": np.dtypes.StringDType()}
KINDS = "biufcmMUS"  # dtypes that need no pickle

Arrays = list[NDArray[Any]]
GetArray = Callable[[int], NDArray[Any]]


class Form(NamedTuple):
    """A kind of file: its text, what that says it is, in which version, and what to call it."""

    text: str
    name: str
    version: int
    noun: str


class OtherVersionError(ReadError):
    """A file of ours in a form that this version does not know."""


def pack(form: Form, content: dict[str, Any], arrays: Arrays, **files: bytes) -> bytes:
    """The bytes of the file; the same content gives the same bytes."""
    n_bytes = sum(array.nbytes for array in arrays)
    if len(arrays) >= MAX_MEMBERS or n_bytes >= ZIP_LIMIT:
        what = f"A model of {len(arrays)} arrays and {n_bytes} bytes cannot be saved"
        raise InputError(what, remedy="shorten its history_")
    libraries = {"numpy": np.__version__, "scikit-learn": sklearn.__version__}
    document = {
        "format": form.name,
        "format_version": form.version,
        "versions": {"stcmtl": __version__, **libraries},
        **content,
    }
    members = {form.text: json.dumps(document, allow_nan=False, indent=1).encode(), **files}
    members |= {f"arrays/{i}.npy": npy_bytes(array) for i, array in enumerate(arrays)}
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, member in members.items():  # dated 1980, zip's first year, whenever made
            archive.writestr(zipfile.ZipInfo(name), member, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def npy_bytes(array: NDArray[Any]) -> bytes:
    buffer = BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def encode_items(values: dict[str, Any], arrays: Arrays) -> dict[str, Any]:
    encoded = {}
    for key, value in values.items():
        try:
            encoded[key] = encode(value, arrays)
        except TypeError as error:
            raise InputError("cannot be saved", where=key, remedy=str(error)) from error
    return encoded


def encode(value: Any, arrays: Arrays) -> Any:
    """A value as JSON; ``arrays`` collects what ``{"array": i}`` stands for."""
    # exact types: a subclass, such as np.float64 of float, would come back as its base
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if type(value) is list:
        return [encode(item, arrays) for item in value]
    if type(value) is tuple:
        return {"tuple": encode(list(value), arrays)}
    if type(value) is dict and all(type(key) is str for key in value):
        return {"dict": {key: encode(item, arrays) for key, item in value.items()}}
    if type(value) is datetime.date:
        return {"date": value.isoformat()}
    if hasattr(value, "get_n_splits"):  # a splitter: what is left of it is its number of folds
        return int(value.get_n_splits())
    for kind, cls in RECORDS.items():
        if type(value) is cls:
            return {kind: {f.name: encode(getattr(value, f.name), arrays) for f in fields(cls)}}
    if isinstance(value, np.random.RandomState):
        name, key, *rest = value.get_state(legacy=True)
        if name != "MT19937":
            raise TypeError(f"its random state is of kind {name}: give a seed instead")
        return {"random_state": [encode(key, arrays), *rest]}
    if isinstance(value, np.generic) and value.dtype.kind in KINDS:
        return {"numpy": [value.dtype.str, base64.b64encode(value.tobytes()).decode()]}
    if not isinstance(value, np.ndarray):
        raise TypeError(f"it holds a {type(value).__name__}, which has no portable form")
    if (kind := value.dtype.kind) in OBJECTS:
        return {"objects": [kind, list(value.shape), encode(value.ravel().tolist(), arrays)]}
    if kind not in KINDS:
        raise TypeError(f"it is an array of {value.dtype}, which has no portable form")
    arrays.append(value)
    return {"array": len(arrays) - 1}


@contextmanager
def open_file(
    file: File, form: Form, max_bytes: int
) -> Iterator[tuple[dict[str, Any], zipfile.ZipFile]]:
    """Its document, and the zip: no larger than it may be, packed and unpacked.

    What is wrong with it, here or while it is in use, ends in one sentence.
    """
    check_size(f"has {file.size} bytes", file.size, max_bytes, file)
    try:
        with open_zip(file, ZIP_LIMITS) as archive:
            total = sum(info.file_size for info in archive.infolist())
            check_size(f"unpacks to {total} bytes", total, max_bytes, file)
            if total > LARGE and total > TIGHTEST * file.size:
                raise ReadError(f"it unpacks to more than {TIGHTEST} times its size")
            yield read_document(file.name, archive, form), archive
    except OtherVersionError:
        raise
    except ReadError as error:
        what = error.what if error.where == file.name else f"{error.where} {error.what}".strip()
        what = f"is damaged or is not a {form.noun} saved by stcmtl ({shorten(what, 160)})"
        raise fault(file.name, what, f"save the {form.noun} again") from error


def check_size(what: str, size: int, max_bytes: int, file: File) -> None:
    if size > max_bytes:
        remedy = "raise ", Setting("max_bytes"), " if you trust it"
        raise InputError(
            f"{what}, more than the limit of {max_bytes}", where=file.name, remedy=remedy
        )


def read_document(file: str, archive: zipfile.ZipFile, form: Form) -> dict[str, Any]:
    info = archive.NameToInfo.get(form.text)
    if info is None or info.file_size > MAX_TEXT:
        raise ReadError(f"it has no {form.text} of less than {MAX_TEXT >> 20} MB")
    text = read_member(file, archive, info)
    if sum(map(text.count, b",[{")) > MAX_VALUES:
        raise ReadError(f"{form.text} has more than {MAX_VALUES:,} values")
    try:
        document = json.loads(text)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ReadError(f"{form.text} is not JSON") from error
    if not isinstance(document, dict) or document.get("format") != form.name:
        raise ReadError(f"{form.text} does not say {form.name}")
    if (found := document.get("format_version")) != form.version:
        versions = document.get("versions")
        writer = versions.get("stcmtl", "unknown") if isinstance(versions, dict) else "unknown"
        raise OtherVersionError(
            f"has format version {shorten(found)}, written by stcmtl {shorten(writer)}, and this "
            f"stcmtl {__version__} reads format version {form.version}",
            where=file,
            remedy="load it with the version that wrote it",
        )
    return document


def read_arrays(file: str, archive: zipfile.ZipFile) -> GetArray:
    """Finds an array of the file by its number, each of them once."""
    taken: set[int] = set()

    def get(i: int) -> NDArray[Any]:
        if i in taken:
            raise ReadError(f"arrays/{i}.npy is there twice")
        taken.add(i)
        info = archive.NameToInfo.get(f"arrays/{i}.npy")
        if info is None:
            raise ReadError(f"arrays/{i}.npy is missing")
        return parse_npy(read_member(file, archive, info), info.filename).copy(order="K")

    return get


def check_array(value: Any, ndim: int, name: str) -> None:
    if not isinstance(value, np.ndarray) or value.ndim != ndim:
        raise ReadError(f"{name} is no array of {ndim} dimensions")


def decode(value: Any, get: GetArray) -> Any:
    """The way back from ``encode``; ``get`` finds an array by its number."""
    if isinstance(value, list):
        return [decode(item, get) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1 or (kind := next(iter(value))) not in DECODERS:
        raise ReadError("a value is of no known kind")
    try:
        return DECODERS[kind](value[kind], get)
    except (TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise ReadError(f"a value is no {kind}") from error


def decode_items(values: dict[str, Any], get: GetArray) -> dict[str, Any]:
    return {key: decode(value, get) for key, value in values.items()}


def decode_record(kind: str, values: dict[str, Any], get: GetArray) -> Any:
    record = RECORDS[kind](**decode_items(values, get))
    for name, ndim in DIMENSIONS[kind].items():
        check_array(getattr(record, name), ndim, f"{name} of the {kind}")
    return record


def decode_scalar(value: list[str], get: GetArray) -> np.generic:
    code, text = value
    dtype, data = np.dtype(code), base64.b64decode(text, validate=True)
    if dtype.kind not in KINDS or not len(data) == dtype.itemsize > 0:
        raise ReadError("a number has the wrong length")
    values = np.frombuffer(data, dtype)
    check_values(values, "a number")
    return values[0]


def decode_objects(value: list[Any], get: GetArray) -> NDArray[Any]:
    kind, shape, items = value
    array = np.empty(len(items), dtype=OBJECTS[kind])
    array[:] = [decode(item, get) for item in items]
    return array.reshape(shape)


def decode_random_state(value: list[Any], get: GetArray) -> np.random.RandomState:
    key, pos, has_gauss, gauss = value
    words = decode(key, get)
    # numpy trusts the position, and would read beyond the words
    if words.shape != (MERSENNE_WORDS,) or not 0 <= pos <= MERSENNE_WORDS:
        raise ReadError("its random state is out of range")
    generator = np.random.RandomState()
    generator.set_state(("MT19937", words, pos, int(has_gauss), float(gauss)))
    return generator


DECODERS: dict[str, Callable[[Any, GetArray], Any]] = {
    "array": lambda number, get: get(number),
    "date": lambda text, _: datetime.date.fromisoformat(text),
    "dict": decode_items,
    "float": lambda text, _: NOT_FINITE[text],
    "numpy": decode_scalar,
    "objects": decode_objects,
    "random_state": decode_random_state,
    "tuple": lambda items, get: tuple(decode(item, get) for item in items),
    **{kind: partial(decode_record, kind) for kind in RECORDS},
}
