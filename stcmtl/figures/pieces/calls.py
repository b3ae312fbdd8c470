"""Which call drew a figure, so that whoever shows it can say how to draw it again."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec

import plotly.graph_objects as go

P = ParamSpec("P")


@dataclass(frozen=True, eq=False)
class Call:
    """A function of `stcmtl.figures` by its name, and what it was given."""

    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]


def remember_call(draw: Callable[P, go.Figure]) -> Callable[P, go.Figure]:
    """A function that notes in each figure how it was called; see `call_of`."""

    @wraps(draw)
    def drawn(*arguments: P.args, **options: P.kwargs) -> go.Figure:
        figure = draw(*arguments, **options)
        figure._call = Call(draw.__name__, arguments, options)
        return figure

    return drawn


def call_of(figure: go.Figure) -> Call | None:
    """The call that drew a figure; a figure that somebody built by hand has none."""
    return getattr(figure, "_call", None)
