"""Further files for a fitted model: read like the first, with or without tasks and targets."""

from __future__ import annotations

from stcmtl.io.encode_like import Reading
from stcmtl.io.limits import ReadError
from stcmtl.io.read_like import FurtherRows, read_tables_like
from stcmtl.studio.state.uploads import LIMITS, Sources, spoken


def further_rows(sources: Sources, known: Reading, missing: str = "error") -> FurtherRows:
    """Every table of an upload, as rows for a model that was fitted on what ``known`` tells of."""
    try:
        return read_tables_like(list(sources), known, missing=missing, limits=LIMITS)
    except ReadError as error:
        raise ValueError(spoken(error)) from None
