"""A large text table parsed in blocks of lines by a few threads, in little memory."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pandas as pd
from joblib import cpu_count

from stcmtl.io.limits import MIB
from stcmtl.io.sources import File

BLOCK = 8 * MIB
WORTH_IT = 4 * BLOCK  # a smaller file is parsed sooner in one piece
MOST_THREADS = 4

Parse = Callable[[io.BytesIO, bool], pd.DataFrame]  # of a block, and whether it is the first


def parse_in_blocks(file: File, parse: Parse) -> pd.DataFrame | None:
    """The whole table, or None where a block does not stand on its own.

    For encodings in which the byte of a line end is nothing else. What a block raises is raised
    here, with line numbers that are the block's: also that it ends within a quoted cell.
    """
    frames: list[pd.DataFrame] = []
    pending: deque[Future[pd.DataFrame]] = deque()
    n_threads = min(MOST_THREADS, cpu_count())
    with ThreadPoolExecutor(n_threads) as pool:
        for number, block in enumerate(line_blocks(file)):
            pending.append(pool.submit(parse, io.BytesIO(block), number == 0))
            if len(pending) > n_threads:
                frames.append(pending.popleft().result())
        frames += [future.result() for future in pending]
    if not all(isinstance(frame.index, pd.RangeIndex) for frame in frames):
        return None
    return pd.concat(frames, ignore_index=True)


def line_blocks(file: File) -> Iterator[bytes]:
    """Whole lines, some megabytes at a time."""
    with file.open() as handle:
        rest = b""
        while chunk := handle.read(BLOCK):
            end = chunk.rfind(b"\n") + 1
            if end:
                yield rest + chunk[:end]
                rest = chunk[end:]
            else:
                rest += chunk
        if rest.strip():
            yield rest
