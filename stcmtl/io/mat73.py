"""MATLAB v7.3 files, which are HDF5: shapes, types and filters are checked, then chunks unpacked.

The HDF5 library opens external files, loads filter plug-ins and inflates without a bound when
asked to by a file. So nothing but plain links is followed, and chunks are inflated here.
"""

from __future__ import annotations

import zlib
from math import prod
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from stcmtl.io.archives import damage_fault
from stcmtl.io.arrays import Cells, Record, Value, flatten, split_letters
from stcmtl.io.limits import Budget, Limits, ReadError, fault
from stcmtl.io.sources import File

DEFLATE, SHUFFLE, FLETCHER = 1, 2, 3
KNOWN_FILTERS = {DEFLATE, SHUFFLE, FLETCHER}
REFERENCES = "#refs#"
DEEPEST = 6
ITEM_BYTES = 1024  # that anything visited is charged with, however small
DEFLATE_MOST = 1040  # times that deflate can shrink anything
DAMAGE = (
    *(OSError, LookupError, ValueError, RuntimeError, TypeError, AttributeError, OverflowError),
    zlib.error,
)


def read_mat73(file: File, limits: Limits) -> dict[str, Value]:
    try:
        with file.open() as handle, h5py.File(file.path or handle, "r") as root:
            values = flatten(Reader(file.name, limits).group(root, 0))
    except ReadError:
        raise
    except DAMAGE:
        raise damage_fault(file.name) from None
    if not values:
        raise fault(file.name, "holds no arrays", "save X and Y in it")
    return values


class Reader:
    """Groups, datasets and cells of one file, within its limits."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.name, self.limits = name, limits
        self.budget = Budget(name, limits)

    def group(self, group: Any, depth: int) -> Record:
        if depth > DEEPEST:
            raise fault(self.name, "has groups nested too deeply", "flatten them")
        self.limits.check(self.name, members=len(group))
        found: Record = {}
        for name in group:
            if name == REFERENCES or name.startswith("#"):
                continue
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                what = f"has a link {name!r} to somewhere else, which is not followed"
                raise fault(self.name, what, "save the data itself")
            self.budget.spend(ITEM_BYTES)
            item = group[name]
            if isinstance(item, h5py.Group):
                found[name] = self.group(item, depth + 1)
            elif isinstance(item, h5py.Dataset):
                found[name] = self.dataset(item)
        return found

    def dataset(self, item: Any) -> Value:
        if item.dtype.metadata and item.dtype.metadata.get("ref") is h5py.Reference:
            return self.cells(item)
        return self.array(item)

    def cells(self, item: Any) -> Cells:
        self.check_storage(item)
        self.budget.spend(prod(item.shape or ()) * ITEM_BYTES)
        if item.chunks is not None:  # the library inflates these itself
            self.check_filters(item)
            self.budget.spend(item.id.get_storage_size() * DEFLATE_MOST)
        # MATLAB's own order: the last axis of HDF5 is its first.
        references = np.asarray(item[()]).T.ravel(order="F")
        arrays = []
        for reference in references:
            target = item.file[reference] if reference else None
            if not isinstance(target, h5py.Dataset):
                raise damage_fault(self.name)
            arrays.append(self.array(target))
        return Cells(arrays)

    def array(self, item: Any) -> NDArray[Any]:
        kind = class_of(item)
        if item.dtype.kind not in "biuf" or item.shape is None:
            what = f"holds {item.name!r}, which is neither numbers nor cells of numbers"
            raise fault(self.name, what, "save plain arrays")
        if len(item.shape) > 3:
            raise fault(self.name, f"has {len(item.shape)} axes in {item.name!r}", "use two")
        if "MATLAB_empty" in item.attrs:
            return np.empty((0, 0))
        self.budget.spend(prod(item.shape) * item.dtype.itemsize)
        values = self.read_stored(item)
        if kind == "char":
            letters = "".join(map(chr, values.ravel().astype(np.uint16).tolist()))
            return split_letters(letters, values.shape[::-1])
        return values.T if kind else values

    def check_storage(self, item: Any) -> None:
        if item.is_virtual or item.external:
            raise fault(self.name, f"keeps {item.name!r} in another file", "save it in this one")

    def check_filters(self, item: Any) -> list[int]:
        settings = item.id.get_create_plist()
        filters = [settings.get_filter(k)[0] for k in range(settings.get_nfilters())]
        if not set(filters) <= KNOWN_FILTERS:
            raise fault(self.name, "is packed in an unusual way", "save it with gzip or none")
        return filters

    def read_stored(self, item: Any) -> NDArray[Any]:
        self.check_storage(item)
        if item.chunks is None:
            if item.id.get_storage_size() > self.limits.bytes_on_disk:
                raise damage_fault(self.name)
            return np.asarray(item[()])
        filters = self.check_filters(item)
        self.budget.spend(prod(item.chunks) * item.dtype.itemsize)
        self.budget.spend(item.id.get_num_chunks() * ITEM_BYTES)
        values = np.full(item.shape, item.fillvalue, item.dtype)
        chunks: list[Any] = []
        item.id.chunk_iter(chunks.append)
        for info in chunks:
            if info.size > self.limits.bytes_on_disk:
                raise damage_fault(self.name)
            mask, raw = item.id.read_direct_chunk(info.chunk_offset)
            applied = [f for k, f in enumerate(filters) if not mask & (1 << k)]
            chunk = self.undo_filters(bytes(raw), applied, item)
            corner = info.chunk_offset
            part = tuple(
                slice(start, min(start + width, end))
                for start, width, end in zip(corner, item.chunks, item.shape, strict=True)
            )
            values[part] = chunk[tuple(slice(0, s.stop - s.start) for s in part)]
        return values

    def undo_filters(self, raw: bytes, filters: list[int], item: Any) -> NDArray[Any]:
        """A chunk's numbers, the filters undone from the last to the first."""
        width = item.dtype.itemsize
        size = prod(item.chunks) * width
        for kind in reversed(filters):
            if kind == DEFLATE:
                raw = zlib.decompressobj().decompress(raw, size + 4)
            elif kind == SHUFFLE:
                raw = np.frombuffer(raw, np.uint8).reshape(width, -1).T.tobytes()
            else:
                raw = raw[:-4]  # the checksum; a wrong one shows elsewhere or does no harm
        if len(raw) != size:
            raise damage_fault(self.name)
        return np.frombuffer(raw, item.dtype).reshape(item.chunks)


def class_of(item: Any) -> str:
    """MATLAB's class, without which the file was not written by MATLAB (nor transposed)."""
    if "MATLAB_class" not in item.attrs:
        return ""
    attribute = item.attrs.get_id("MATLAB_class")
    if attribute.shape != () or attribute.dtype.kind != "S" or attribute.dtype.itemsize > 64:
        return ""
    return bytes(item.attrs["MATLAB_class"]).decode("latin-1")
