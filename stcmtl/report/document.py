"""What a report says, from top to bottom."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sklearn.utils.validation import check_is_fitted

from stcmtl import figures
from stcmtl.data.taskset import TaskSet, Truth
from stcmtl.evaluation import choices, summary
from stcmtl.evaluation.blocks import cosines, say_blocks
from stcmtl.evaluation.tables import (
    cluster_names,
    feature_names,
    has_own_part,
    is_mixture,
    memberships_table,
    selected_features_table,
    shown_scale,
    single_task_similarity,
    suspects_table,
    task_errors,
    tasks_table,
)
from stcmtl.io.write import write_text
from stcmtl.report.page import cell, data_table, figure, page, pair_list, paragraph, section
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
    title: str | None = None,
) -> None:
    """Write a fitted model as one HTML file that opens anywhere and fetches nothing.

    Parameters
    ----------
    path : path of the file
    model : a fitted STCMTLRegressor or STCMTLClassifier, or one that `stcmtl.load` read
    data : TaskSet, optional
        What it was fitted on: adds rows and training errors, names of features and, if it was
        simulated, the truth.
    test : TaskSet, optional
        Rows of the same tasks that the fit has not seen: adds their errors.
    selection : result of `select_n_clusters`, optional
        Adds the error by number of clusters, where the model has not chosen for itself.
    title : str, optional
        What the report is about.
    """
    html = report_html(model, data, test=test, selection=selection, title=title)
    write_text(html, path, errors="xmlcharrefreplace")


def report_html(
    model: Any,
    data: TaskSet | None = None,
    *,
    test: TaskSet | None = None,
    selection: KSelection | None = None,
    title: str | None = None,
) -> str:
    """The text of that file; parameters as for `write_report`."""
    check_is_fitted(model)
    truth = _truth(model, data)
    names = _feature_names(model, data)
    name = title or "Semisoft task clustering"
    parts = [
        *_opening(model, data, truth, names, name),
        *_errors(model, data, test),
        *_suspects(model, data),
        *_choice(model, selection),
        *_sections("Memberships", membership_figures(model, truth)),
        section("Coefficients", *map(figure, coefficient_figures(model, truth, names))),
        _features(model, names),
        section("Similarity", _alike(model), *map(figure, similarity_figures(model))),
        *_sections("Outlier tasks", outlier_figures(model)),
        _tasks(model, data, test),
        *_sections("Convergence", convergence_figures(model)),
        _settings(model),
        section("What the words mean", f"<div class=words>{pair_list(summary.GLOSSARY)}</div>"),
    ]
    return page(name, parts)


def _truth(model: Any, data: TaskSet | None) -> Truth | None:
    """A simulation's truth, if it is about the very tasks and features of the model."""
    if data is None or data.truth is None:
        return None
    same = list(data.task_names) == list(model.task_names_)
    return data.truth if same and data.truth.W.shape == model.coef_.T.shape else None


def _feature_names(model: Any, data: TaskSet | None) -> Sequence[str]:
    if data is not None and len(data.feature_names) == model.n_features_in_:
        return data.feature_names
    return feature_names(model)


def _opening(
    model: Any, data: TaskSet | None, truth: Truth | None, names: Sequence[str], title: str
) -> list[str]:
    found, verdict = summary.say_found(model, truth), summary.verdict(model)
    called = cluster_names(model)
    doubts = summary.doubts(model.memberships_, model.pure_, model.shape_, called)
    scale = [] if shown_scale(model) is None else [summary.scale_account(model, names)]
    return [
        f"<p class=kicker>{cell(title)}</p><h1>{cell(found)}</h1>",
        paragraph(*([verdict] if verdict else [])),
        paragraph(*([] if data is None else [summary.data_account(data)])),
        paragraph(summary.method_account(model), *scale),
        *(f"<p class=doubt>{cell(doubt)}</p>" for doubt in doubts),
    ]


def _errors(model: Any, data: TaskSet | None, test: TaskSet | None) -> list[str]:
    """Errors over all rows, beside what a guess would give and what a simulation knows."""
    name = summary.error_name(model)
    pairs: dict[str, Any] = {}
    if test is not None:
        pairs[f"{name} on test rows"] = summary.overall_error(model, test)
    if test is not None and data is not None:
        guess = "the commonest label" if name == "error rate" else "the mean"
        pairs[f"the same, guessing {guess} of each task"] = summary.guessing_error(data, test)
    if data is not None:
        pairs[f"{name} on training rows"] = summary.overall_error(model, data)
        pairs |= summary.against_truth(model, data)
    return [section("How well it predicts", pair_list(pairs))] if pairs else []


def _suspects(model: Any, data: TaskSet | None) -> list[str]:
    """Values that are out of all proportion; which, if the rows of the fit are at hand."""
    told, table = summary.suspects_account(model), ""
    if told and data is not None and len(data.y) > model.suspect_rows_.max():
        caption = "Suspect rows, counted from 1 over all that were read"
        table = data_table(suspects_table(model, data), caption)
    return [section("Wild values", paragraph(told), table)] if told else []


def _choice(model: Any, selection: KSelection | None) -> list[str]:
    """What the model chose and why, or the curve over K alone."""
    found, metric = getattr(model, "choices_", ()), summary.error_name(model)
    if len(found) > 1:
        path = getattr(model, "selection_", None)
        told = paragraph(
            f"{choices.say_taken(found)}.", choices.say_comparisons(found, metric), RULE
        )
        table = data_table(choices.choices_table(found, metric), "Every candidate, the best first")
        drawn = figure(figures.choice_curve(path, found, metric))
        return [section("What the data speak for", told, drawn, table)]
    if selection is None:
        return []
    curve = figures.k_curve(selection), figures.singular_ratios(selection.singular_ratios)
    return [section("How many clusters", *map(figure, curve))]


def _alike(model: Any) -> str:
    return paragraph(f"{say_blocks(model)}.")


def _sections(title: str, drawn: Sequence[go.Figure]) -> list[str]:
    """A section of figures, if there are any."""
    return [section(title, *map(figure, drawn))] if drawn else []


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
    return section("Selected features", none if table.empty else shown)


def _tasks(model: Any, data: TaskSet | None, test: TaskSet | None) -> str:
    table = tasks_table(model, data)
    table["cluster"] = np.where(model.memberships_.any(axis=1), table["cluster"].astype(str), "–")
    if test is not None:
        table["test error"] = task_errors(model, test)[1]
    shares = memberships_table(model).drop(columns="task")
    both = pd.concat(
        [table, shares.rename(columns=lambda name: name.replace("cluster", "share"))], axis=1
    )
    colours = figures.task_colours(model.memberships_.T)
    name = summary.error_name(model)
    return section("Tasks", data_table(both, f"Every task; errors are its {name}", colours))


def _settings(model: Any) -> str:
    return section(
        "Settings and versions",
        pair_list({"estimator": type(model).__name__, **model.get_params(deep=False)}),
        pair_list(VERSIONS),
    )


# Figures, in the order in which a reader asks for them


def membership_figures(model: Any, truth: Truth | None) -> list[go.Figure]:
    """Places and bars of shares; with strengths, signs and own parts where there are any."""
    V, drawn = model.memberships_.T, []
    names: dict[str, Any] = {
        "task_names": model.task_names_,
        "cluster_names": cluster_names(model),
    }
    true = None if truth is None else truth.V
    strength = None if is_mixture(model) else model.strength_
    if len(V) and model.shape_ != "span":
        places = figures.memberships(V, true, pure=model.pure_, strength=strength, **names)
        drawn.append(places)
    if len(V) and is_mixture(model):
        drawn.append(figures.membership_bars(V, pure=model.pure_, **names))
    elif len(V):
        drawn.append(figures.loading_bars(model.loadings_.T, **names))
    if has_own_part(model):
        drawn.append(figures.own_shares(model.own_share_, V, **names))
    return drawn


def coefficient_figures(
    model: Any, truth: Truth | None, feature_names: Sequence[str]
) -> list[go.Figure]:
    W, U = model.coef_.T, model.cluster_coef_.T
    common: dict[str, Any] = {
        "feature_names": feature_names,
        "feature_scale": shown_scale(model),
        "only_selected": True,
    }
    order: dict[str, Any] = {
        "task_names": model.task_names_,
        "task_order": figures.tasks_by_cluster(model.memberships_.T, model.pure_),
    }
    true = None if truth is None else truth.W
    drawn = [figures.coefficients(W, true, **common, **order)]
    if true is not None:
        drawn.append(figures.selection_pattern(W, true, **common, **order))
    if not U.size:
        return drawn
    return [*drawn, figures.cluster_coefficients(U, cluster_names=cluster_names(model), **common)]


def similarity_figures(model: Any) -> list[go.Figure]:
    V = model.memberships_.T
    names: dict[str, Any] = {
        "task_names": model.task_names_,
        "cluster_names": cluster_names(model),
    }
    before, purity = single_task_similarity(model)
    pairs = {"Before the fit": before, "After the fit": model.similarity_}
    alike = [
        figures.similarity(
            cosines(S),
            V,
            pure=model.pure_,
            purity=model.purity_,
            signed=model.shape_ == "span",
            top=1.0,
            heading=heading if len(V) else "Similarity",
            **names,
        )
        for heading, S in pairs.items()
    ]
    if len(V) == 0:
        return alike[1:]
    return [*alike, figures.purity(purity, V, theta=model.theta, **names)]


def outlier_figures(model: Any) -> list[go.Figure]:
    """None without clusters to lie far from."""
    if not len(model.cluster_coef_):
        return []
    drawn = figures.outliers(
        model.distances_,
        model.memberships_.T,
        factor=model.outlier_factor,
        flagged=model.outliers_ if model.robust else None,
        task_names=model.task_names_,
        cluster_names=cluster_names(model),
    )
    return [drawn]


def convergence_figures(model: Any) -> list[go.Figure]:
    """None where nothing was iterated."""
    return [figures.convergence(model.history_)] if len(model.cluster_coef_) else []
