"""MATLAB v7.3 files, which are HDF5, by h5py, once they are sure to stay within themselves.

The HDF5 library opens other files and loads filters when a file asks it to: neither is let.
"""

from math import prod
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from stcmtl.io.account import Case, quote
from stcmtl.io.arrays import Cells, Record, Value, flatten
from stcmtl.io.formats.arrays import DEEPEST, ITEM_BYTES, check_some
from stcmtl.io.limits import Budget, damage_fault, library_faults
from stcmtl.io.sources import File

CHUNK_BYTES = 64  # that a chunk is charged with, however little is in it
FILTERS = {1, 2, 3}  # deflate, shuffle, checksum: those that no plug-in is needed for


def read_mat73(file: File, case: Case) -> dict[str, Value]:
    with library_faults(file.name), file.open() as handle, h5py.File(handle, "r") as root:
        found = Reader(case).group(root, 0)
    return check_some(flatten(found), case)


class Reader:
    """Groups, datasets and cells of one HDF5 file, each group visited once."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.budget = Budget(case.name, case.limits)
        self.visited: set[int] = set()
        self.members = 0
        self.looked_up = 0  # cells, each of which is somewhere else in the file

    def group(self, group: Any, depth: int) -> Record:
        if depth > DEEPEST:
            raise self.case.fault("has groups nested too deeply", "flatten them")
        self.visited.add(find_address(group))
        self.members += len(group)
        self.case.check(members=self.members)
        found: Record = {}
        for name in group:
            if name.startswith("#"):  # MATLAB's own
                continue
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                what = f"has a link {quote(name)} to somewhere else, which is not followed"
                raise self.case.fault(what, "save the data itself")
            item = group[name]
            if isinstance(item, h5py.Dataset):
                found[name] = self.dataset(item)
            elif isinstance(item, h5py.Group) and find_address(item) not in self.visited:
                found[name] = self.group(item, depth + 1)
        return found

    def dataset(self, item: Any) -> Value:
        if h5py.check_ref_dtype(item.dtype) is not h5py.Reference:
            return self.array(item)
        self.count_cells(prod(item.shape or ()))
        arrays = []
        # MATLAB's own order: the last axis of HDF5 is its first.
        for reference in self.stored(item).T.ravel(order="F"):
            target = item.file[reference] if reference else None
            if not isinstance(target, h5py.Dataset):
                raise damage_fault(self.case.name)
            arrays.append(self.array(target))
        return Cells(arrays)

    def count_cells(self, n_cells: int) -> None:
        """Before they are looked up: of tasks, their targets, and names of columns."""
        self.looked_up += n_cells
        most = self.case.limits.columns
        if self.looked_up > most:
            what = f"has {self.looked_up:,} cells, more than the limit of {most:,}"
            raise self.case.fault(what, "save plain arrays, or a smaller part")
        self.budget.spend(n_cells * ITEM_BYTES)

    def array(self, item: Any) -> NDArray[Any]:
        kind = class_of(item)
        if item.dtype.kind not in "biuf" or item.shape is None:
            what = f"holds {quote(item.name)}, which is neither numbers nor cells of numbers"
            raise self.case.fault(what, "save plain arrays")
        if len(item.shape) > 3:
            what = f"has {len(item.shape)} axes in {quote(item.name)}"
            raise self.case.fault(what, "use two")
        if "MATLAB_empty" in item.attrs:
            return np.empty((0, 0))
        values = self.stored(item)
        if kind != "char":
            return values.T if kind else values
        letters = np.atleast_2d(values.T.astype("<u2"))
        lines = np.array([row.tobytes().decode("utf-16-le").rstrip() for row in letters])
        return lines if len(lines) > 1 else lines.reshape(())

    def stored(self, item: Any) -> NDArray[Any]:
        """What a dataset holds, once it is sure to be in this file and not too large."""
        if item.is_virtual or item.external:
            what = f"keeps {quote(item.name)} in another file"
            raise self.case.fault(what, "save it in this one")
        settings = item.id.get_create_plist()
        filters = {settings.get_filter(k)[0] for k in range(settings.get_nfilters())}
        if not filters <= FILTERS:
            what = "is packed in an unusual way"
            raise self.case.fault(what, "save it with gzip or none")
        self.budget.spend(prod(item.shape) * item.dtype.itemsize)
        if item.chunks is not None:
            self.budget.spend(prod(item.chunks) * item.dtype.itemsize)
            n_chunks = prod(-(-n // c) for n, c in zip(item.shape, item.chunks, strict=True))
            self.budget.spend(n_chunks * CHUNK_BYTES)
        return np.asarray(item[()])


def class_of(item: Any) -> str:
    """MATLAB's class, without which the file was not written by MATLAB (nor transposed)."""
    if "MATLAB_class" not in item.attrs:
        return ""
    attribute = item.attrs.get_id("MATLAB_class")
    if attribute.shape != () or attribute.dtype.kind != "S" or attribute.dtype.itemsize > 64:
        return ""
    return bytes(item.attrs["MATLAB_class"]).decode("latin-1")


def find_address(group: Any) -> int:
    """Where a group is in the file, whatever the name that led to it."""
    return int(h5py.h5o.get_info(group.id).addr)
