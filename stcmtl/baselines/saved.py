"""Models from files, ours and other methods: ``stcmtl.load``."""

from os import PathLike
from typing import Any, BinaryIO

from stcmtl.baselines import METHODS
from stcmtl.estimators import semisoft


def load(path: str | PathLike[str] | BinaryIO, max_bytes: int = semisoft.MAX_BYTES) -> Any:
    """A model written by ``save``; its predictions are the same to the last bit.

    A file that is damaged, of another format version or not a saved model at all ends in a
    ValueError of one sentence. ``max_bytes`` limits the file, packed and unpacked.

    >>> from stcmtl import load
    >>> model.save("fit.stcmtl")
    >>> bool((load("fit.stcmtl").coef_ == model.coef_).all())
    True
    """
    return semisoft.load(path, max_bytes, tuple(METHODS.values()))
