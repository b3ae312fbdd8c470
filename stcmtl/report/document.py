"""What a report says, from top to bottom."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sklearn.utils.validation import check_is_fitted

from stcmtl import figures
from stcmtl.data.taskset import TaskSet, Truth
from stcmtl.evaluation import cards, choices, predictions, summary, verdicts
from stcmtl.evaluation.blocks import say_blocks
from stcmtl.evaluation.comparison import Outcome
from stcmtl.evaluation.comparison import table as compared_table
from stcmtl.evaluation.predictions import task_errors
from stcmtl.evaluation.simple_ways import Errors, doubt_features
from stcmtl.evaluation.tables import (
    memberships_table,
    selected_features_table,
    shown_scale,
    suspects_table,
    tasks_table,
)
from stcmtl.evaluation.task_columns import relate_columns, say_going
from stcmtl.io.limits import shorten
from stcmtl.io.write import write_text
from stcmtl.report import drawings
from stcmtl.report.page import card_box, cell, data_table, figure, page, pair_list, paragraph
from stcmtl.solver.records import KSelection
from stcmtl.version import __version__

RULE = (
    "Every candidate predicted the same held-out rows, with everything found again without them; "
    "the simplest whose error, task by task, is not above the lowest by more than one standard "
    "error was taken."
)
MOST_FEATURES = 200  # rows of the table of selected features
VERSIONS = {
    "stcmtl": __version__,
    "Python": platform.python_version(),
    **{name: version(name) for name in ("numpy", "scipy", "scikit-learn", "plotly")},
}


def write_report(
    path: str | os.PathLike[str],
    model: Any,
    data: TaskSet | None = None,
    *,
    test: TaskSet | None = None,
    selection: KSelection | None = None,
    comparison: Mapping[str, Sequence[Outcome]] | None = None,
    errors: Errors | None = None,
    doubts: Sequence[str] = (),
    title: str | None = None,
) -> None:
    """Write a fitted model as one HTML file that opens anywhere and fetches nothing.

    Parameters
    ----------
    path : path of the file
    model : a fitted STCMTLRegressor or STCMTLClassifier, or one that `stcmtl.load` read
    data : TaskSet, optional
        The rows it was fitted on: adds numbers of rows, training errors, names of features and,
        if they were simulated, the truth.
    test : TaskSet, optional
        Rows of the same tasks that the fit has not seen: adds their errors.
    selection : result of `select_n_clusters`, optional
        Adds the error by number of clusters, if the model has not chosen K itself.
    comparison : outcomes by method, optional
        What `evaluation.comparison.compare` returns: adds which method predicts best.
    errors : result of `evaluation.simple_ways.measure_errors`, optional
        Adds the errors of separate fits and of one fit for all.
    doubts : sentences, optional
        Further warnings for the top of the report.
    title : str, optional
        The title of the report.

    >>> from stcmtl.report import write_report
    >>> write_report("fit.html", model, train, test=test)
    """
    html = report_html(
        model, data, test=test, selection=selection, comparison=comparison, errors=errors,
        doubts=doubts, title=title,
    )  # fmt: skip
    write_text(html, path, errors="xmlcharrefreplace")


def report_html(
    model: Any,
    data: TaskSet | None = None,
    *,
    test: TaskSet | None = None,
    selection: KSelection | None = None,
    comparison: Mapping[str, Sequence[Outcome]] | None = None,
    errors: Errors | None = None,
    doubts: Sequence[str] = (),
    title: str | None = None,
) -> str:
    """The text of that file; parameters as for `write_report`.

    >>> from stcmtl.report import report_html
    >>> report_html(model, train)[:15]
    '<!doctype html>'
    """
    check_is_fitted(model)
    truth = _truth(model, data)
    names = cards.names_of_features(model, data)
    name = title or "Semisoft task clustering"
    has_signal = _has_signal(model, data, test, errors)
    sections = {
        cards.SORTED if doubts else cards.ALIKE: _cards(model, data, test, errors, bool(doubts)),
        "How well it predicts": _errors(model, data, test, errors),
        "Wild values": _suspects(model, data),
        **_choice(model, selection, has_signal),
        "Compared with other methods": _comparison(model, comparison),
        "Memberships": draw(drawings.memberships(model, truth)),
        "Coefficients": draw(drawings.coefficients(model, truth, names)),
        "Selected features": _features(model, names),
        "Similarity": paragraph(f"{say_blocks(model, has_signal=has_signal)}.")
        + draw(drawings.similarity(model)),
        "Outlier tasks": draw(drawings.outliers(model)),
        "Tasks": _tasks(model, data, test),
        "Convergence": draw(drawings.convergence(model)),
        "Settings and versions": _settings(model),
        "What the words mean": f"<div class=words>{pair_list(summary.GLOSSARY)}</div>",
    }
    found = summary.say_found(model, truth, has_signal=has_signal, helps=not doubts)
    verdict = summary.verdict(model) if has_signal and not doubts else ""
    opening = _opening(model, data, found, names, name, [verdict] if verdict else [], doubts)
    return page(name, opening, {title: body for title, body in sections.items() if body})


def _truth(model: Any, data: TaskSet | None) -> Truth | None:
    """A simulation's truth, if it is about the very tasks and features of the model."""
    if data is None or data.truth is None:
        return None
    same = list(data.task_names) == list(model.task_names_)
    return data.truth if same and data.truth.W.shape == model.coef_.T.shape else None


def _opening(
    model: Any,
    data: TaskSet | None,
    found: str,
    names: Sequence[str],
    title: str,
    verdict: Sequence[str],
    more: Sequence[str],
) -> list[str]:
    doubts = [*more, *summary.doubts_of(model)]
    scale = [] if shown_scale(model) is None else [summary.scale_account(model, names)]
    return [
        f"<p class=kicker>{cell(title)}</p><h1>{cell(found)}</h1>",
        paragraph(*verdict),
        paragraph(*([] if data is None else [summary.data_account(data)])),
        paragraph(summary.method_account(model), *scale),
        *(f"<p class=doubt>{cell(doubt)}</p>" for doubt in doubts),
    ]


def _has_signal(
    model: Any, data: TaskSet | None, test: TaskSet | None, errors: Errors | None
) -> bool:
    """Whether the features help at all, as far as is known: else one pattern is no finding."""
    if data is None or test is None or errors is None:
        return True
    return not doubt_features(model, data, test, errors)


def _cards(
    model: Any, data: TaskSet | None, test: TaskSet | None, errors: Errors | None, doubted: bool
) -> str:
    """A card per cluster: its members, what drives it, how well it fits."""
    found = cards.cluster_cards(model, data, test)
    colours = figures.cluster_colours(len(found))
    compared = not doubted and (errors is None or errors.separate == errors.lasso)
    scaled, helps = shown_scale(model) is not None, not doubted
    boxes = [
        _card(card, colour, len(found), scaled, helps, compared)
        for card, colour in zip(found, colours, strict=True)
    ]
    if doubted:
        opening = paragraph(cards.say_sorted(len(found))) if boxes else ""
    else:
        opening = paragraph(_columns(model, data))
    return opening + "".join(boxes)


def _columns(model: Any, data: TaskSet | None) -> str:
    """Which columns of the tasks go with the clusters; may be empty."""
    if data is None or data.task_columns is None or len(model.cluster_coef_) < 2:
        return ""
    if list(data.task_columns.index) != list(model.task_names_):
        return ""
    return say_going(relate_columns(model, data.task_columns))


def _card(
    card: cards.ClusterCard, colour: str, n_clusters: int, scaled: bool, helps: bool, compared: bool
) -> str:
    """Of one cluster; where clusters do not help, without what drives it and what is its own."""
    own = card.own if helps else ()
    unit = "per standard deviation" if scaled else "coefficient"
    drivers = {driver.feature: driver for driver in (*card.largest, *own)}.values()
    columns = {
        "feature": [driver.feature for driver in drivers],
        unit: [driver.value for driver in drivers],
        "s.e.": [driver.se for driver in drivers],
    }
    if helps and n_clusters > 1:
        columns["its own"] = ["yes" if driver in own else "" for driver in drivers]
    table = pd.DataFrame(columns)
    members = [f"{shorten(one.name)} ({one.share:.0%})" for one in card.members if not one.pure]
    pure = [shorten(one.name) for one in card.members if one.pure]
    lines = {"Pure": pure, "Mixed, by their share": members}
    return card_box(
        card.name[:1].upper() + card.name[1:],
        colour,
        paragraph(f"{cards.say_members(card)}.".capitalize()),
        *(paragraph(f"{kind}: {', '.join(some)}.") for kind, some in lines.items() if some),
        paragraph(*(cards.say_why(card, n_clusters) if helps else [])),
        data_table(table, f"Largest coefficients of {card.name}") if len(table) else "",
        paragraph(cards.say_fit(card, compared)),
    )


def _comparison(model: Any, results: Mapping[str, Sequence[Outcome]] | None) -> str:
    """Who predicts best, what to think of it, and the errors of all."""
    if not results:
        return ""
    common = verdicts.keep_common({method: [*some] for method, some in results.items()})
    name = summary.error_name(model)
    found = compared_table(common)
    shown = pd.DataFrame(
        {
            "method": found.index,
            f"test {name}": found["error"].to_numpy(),
            "standard deviation": found["error sd"].to_numpy(),
            "seconds": found["seconds"].to_numpy(),
            "repetitions": found["repetitions"].to_numpy(),
        }
    )
    bars = figures.method_bars(
        found["error"].to_dict(), found["error sd"].to_dict(), f"test {name}"
    )
    told = [verdicts.headline(common, name), *verdicts.remarks(common, name)]
    sentences = [f"{one.rstrip('.')}." for one in told if one]
    return paragraph(*sentences) + figure(bars) + data_table(shown, "Means over repetitions")


def _errors(model: Any, data: TaskSet | None, test: TaskSet | None, errors: Errors | None) -> str:
    """Errors over all rows, beside simple ways, a guess and what a simulation knows."""
    name = summary.error_name(model)
    pairs: dict[str, Any] = {}
    told = ""
    if test is not None:
        pairs[f"{name} on test rows"] = ours = predictions.overall_error(model, test)
        if errors is not None:
            n_clusters = len(model.cluster_coef_)
            told = verdicts.say_prediction(ours, errors.separate, name, n_clusters)
    if errors is not None:
        pairs["the same, every task fitted alone"] = errors.separate
    if errors is not None and errors.pooled is not None:
        pairs["the same, one fit for all"] = errors.pooled
    if test is not None and data is not None:
        guess = "the commonest label" if name == "error rate" else "the mean"
        pairs[f"the same, guessing {guess} of each task"] = predictions.guessing_error(data, test)
    if data is not None:
        pairs[f"{name} on training rows"] = predictions.overall_error(model, data)
        pairs |= summary.against_truth(model, data)
    return paragraph(told) + pair_list(pairs) if pairs else ""


def _suspects(model: Any, data: TaskSet | None) -> str:
    """Values that are out of all proportion; which, if the rows of the fit are at hand."""
    told, table = summary.suspects_account(model), ""
    if told and data is not None and len(data.y) > model.suspect_rows_.max():
        caption = "Suspect rows, counted from 1 over all that were read"
        table = data_table(suspects_table(model, data), caption)
    return paragraph(told) + table if told else ""


def _choice(model: Any, selection: KSelection | None, has_signal: bool) -> dict[str, str]:
    """What the model chose and why, or the curve over K alone."""
    found, metric = getattr(model, "choices_", ()), summary.error_name(model)
    if len(found) > 1:
        path = getattr(model, "selection_", None)
        told = paragraph(
            f"{choices.say_outcome(model, has_signal=has_signal)}.",
            choices.say_comparisons(found, metric),
            RULE,
        )
        table = data_table(choices.told_table(found, metric), "Every candidate, the best first")
        drawn = figure(figures.choice_curve(path, found, metric))
        return {"What the data speak for": told + drawn + table}
    if selection is None:
        return {}
    ratios = figures.singular_ratios(selection.singular_ratios)
    return {"How many clusters": draw([figures.k_curve(selection), ratios])}


def draw(drawn: Sequence[go.Figure]) -> str:
    return "".join(map(figure, drawn))


def _features(model: Any, names: Sequence[str]) -> str:
    table = selected_features_table(model, names)
    caption = f"{len(table)} selected features, strongest first"
    if shown_scale(model) is not None:
        caption += " (coefficient × standard deviation)"
    if len(model.cluster_coef_):
        caption += "; beside each coefficient its standard error (s.e.)"
    if len(table) > MOST_FEATURES:
        caption += f"; the first {MOST_FEATURES} of them"
    shown = data_table(table[:MOST_FEATURES], caption)
    none = paragraph("No feature has a coefficient other than 0.")
    return none if table.empty else shown


def _tasks(model: Any, data: TaskSet | None, test: TaskSet | None) -> str:
    table = tasks_table(model, data).rename(columns={"outlier distance": "distance"})
    table["cluster"] = np.where(model.memberships_.any(axis=1), table["cluster"].astype(str), "–")
    if test is not None:
        table["test error"] = task_errors(model, test)[1]
    shares = memberships_table(model).drop(columns="task")
    shares = shares.rename(columns=lambda name: name.replace("cluster", "share"))
    both = pd.concat([table[["task", "cluster"]], shares, table.iloc[:, 2:]], axis=1)
    colours = figures.task_colours(model.memberships_.T)
    name = summary.error_name(model)
    return data_table(both, f"Every task; errors are its {name}", colours)


def _settings(model: Any) -> str:
    asked = {"estimator": type(model).__name__, **model.get_params(deep=False)}
    return pair_list(asked) + pair_list(VERSIONS)
