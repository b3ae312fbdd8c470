"""Methods side by side: bars of a measure with its spread."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from stcmtl.figures.pieces.style import INK, NEGATIVE, POSITIVE, as_plain, dress
from stcmtl.phrases import digits

BAR, AROUND = 38, 150  # pixels of a bar, and of all around the bars


def method_bars(
    mean: Mapping[str, float],
    spread: Mapping[str, float],
    measure: str,
    *,
    larger_is_better: bool = False,
) -> go.Figure:
    """Draw a measure of several methods, the best on top.

    Parameters
    ----------
    mean, spread : mappings from the name of a method to its mean over repetitions, and to their
        standard deviation; NaN where there is but one.
    measure : what it is called.
    larger_is_better : as for MCC.
    """
    names = sorted(mean, key=lambda name: mean[name], reverse=larger_is_better)
    values, spreads = (np.array([column[name] for name in names]) for column in (mean, spread))
    repeated = bool(np.isfinite(spreads).any())
    said = [with_spread(v, s) for v, s in zip(values, spreads, strict=True)]
    figure = go.Figure(
        go.Bar(
            name=measure,
            x=values,
            y=[f"{as_plain(name)}<br>{words}" for name, words in zip(names, said, strict=True)],
            orientation="h",
            marker={
                "color": [POSITIVE, *[NEGATIVE] * (len(names) - 1)],
                "opacity": 0.6,  # so that the spread shows on the bar too
            },
            error_x={
                "type": "data", "array": spreads, "visible": repeated,
                "color": INK, "thickness": 2,
            },
            hovertemplate="%{y}<extra></extra>",
        )
    )  # fmt: skip
    dress(
        figure,
        f"{names[0]} is best in {measure}",
        ["Mean ± standard deviation over repetitions." if repeated else "Of one repetition."],
        picture=f"Bars of the {measure} of each method: "
        f"{', '.join(f'{name} {words}' for name, words in zip(names, said, strict=True))}.",
        height=AROUND + BAR * len(names),
    )
    figure.update_yaxes(autorange="reversed", automargin=True, showgrid=False)
    figure.update_xaxes(title_text=measure)
    return figure


def with_spread(mean: float, spread: float) -> str:
    """ "0.5104 ± 0.0031", both to the decimals of the spread; the mean alone without one."""
    if np.isnan(spread):
        return digits(mean)
    if spread == 0.0:
        return f"{digits(mean)} ± 0"
    decimals = max(0, 1 - int(np.floor(np.log10(spread))))
    return f"{mean:,.{decimals}f} ± {spread:.{decimals}f}"
