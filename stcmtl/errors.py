"""One kind of error: what is wrong, where, and what to do about it.

Python, the command line and the dashboard call our settings by different names. So a sentence
holds a ``Setting`` wherever it names one, and whoever shows the sentence brings the words:

    raise InputError("is 0", where=Setting("n_clusters"), remedy="it must be 1 or more")
    str(error)              n_clusters is 0: it must be 1 or more.
    error.sentence(words)   --clusters is 0: it must be 1 or more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

__all__ = [
    "InputError",
    "MissingPackageError",
    "Setting",
    "Text",
    "Worded",
    "bad_value",
    "name_in_python",
    "require",
]


@dataclass(frozen=True)
class Setting:
    """An argument of ours; with a value where the sentence proposes one.

    ``Setting("limits.rows", 10)`` is a field of an argument. ``clause`` is what it stands in, as in
    ``"Pass {}, one of"``: whoever has another way to give it words all of that anew.
    """

    name: str
    value: object = None
    clause: str = "{}"


Text = str | Setting | tuple[str | Setting, ...]


def name_in_python(setting: Setting) -> str:
    """``missing='median'``, ``limits=Limits(rows=10)``, or the name alone; in its clause."""
    argument, _, field = setting.name.partition(".")
    if field:
        argument = f"{argument}={argument.capitalize()}({field}={setting.value})"
    elif setting.value is not None:
        argument = f"{argument}={setting.value!r}"
    return setting.clause.format(argument)


class Worded(Exception):  # noqa: N818 warnings are made of it too
    """A sentence in three parts, for an exception or a warning to be made of."""

    def __init__(self, what: Text, *, where: Text = "", remedy: Text = "") -> None:
        super().__init__(what)
        self.what, self.where, self.remedy = what, where, remedy

    def sentence(self, words: Callable[[Setting], str] = name_in_python) -> str:
        """``<where> <what>: <remedy>.`` with our settings in the words of the reader."""
        where, what, remedy = (put(text, words) for text in (self.where, self.what, self.remedy))
        fault = " ".join(filter(None, [where, what]))
        return f"{fault}: {remedy}." if remedy else f"{fault}."

    def __str__(self) -> str:
        return self.sentence()


class InputError(Worded, ValueError):
    """Something a person gave us cannot be used; nothing else is wrong."""


def bad_value(name: str, value: object, remedy: Text) -> InputError:
    """``n_clusters is 0: it must be 1 or more.``, to be raised."""
    return InputError(f"is {value!r}", where=Setting(name), remedy=remedy)


class MissingPackageError(Worded, ImportError):
    """A package that only part of this one needs is not installed."""


def require(package: str, purpose: str, extra: str) -> ModuleSpec:
    """Where a package of an extra is; asked for before it is imported.

    ``require("pyarrow", "Reading Parquet", extra="files")``
    """
    found = find_spec(package)
    if found is None:
        raise MissingPackageError(
            f"needs {package}, which is not installed",
            where=purpose,
            remedy=f'install it with pip install "stcmtl[{extra}]"',
        )
    return found


def put(text: Text, words: Callable[[Setting], str]) -> str:
    """A text with its settings put in words."""
    parts = text if isinstance(text, tuple) else (text,)
    return "".join(words(part) if isinstance(part, Setting) else part for part in parts)
