"""The small views of the Overview: each leads to its page, and picks are the same in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from stcmtl import figures
from stcmtl.evaluation import choices, summary, tables, trust, verdicts
from stcmtl.evaluation.blocks import cosines, say_no_group, say_one_with
from stcmtl.evaluation.cards import any_beyond_chance
from stcmtl.evaluation.common import say_common
from stcmtl.evaluation.simple_ways import is_one_for_all
from stcmtl.phrases import listed
from stcmtl.studio.state import picks
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts
from stcmtl.studio.words import findings
from stcmtl.studio.words.parts import part_of_errors
from stcmtl.studio.words.recipes import Part
from stcmtl.studio.words.scripts import Sources, write_script
from stcmtl.studio.words.sentences import literal
from stcmtl.studio.work.fits import Fitted
from stcmtl.studio.work.trust import examined_last

TALL, LOW = 330, 170  # pixels of the upper and the lower row: together one screen of 900
ONE_LINE = 30  # of them, for a caption
LIKENESS = "How alike tasks are on their own", "similarity"
MOST_PATTERNS, MOST_DOUBTS = 12, 3
EXPLORE: dict[str, Any] = {"displayModeBar": False}


@contextmanager
def frame(title: str, target: str) -> Iterator[DeltaGenerator]:
    """A box with the way to the page that tells the whole of it, and room beside that."""
    with st.container(border=True, height="stretch", gap="xsmall"):
        beside = st.container(
            horizontal=True, vertical_alignment="center", gap="small", key=f"head-{title}"
        )
        link = beside.container(width="stretch")
        link.page_link(f"pages/{target}.py", label=f"**{title}**", icon=":material/open_in_full:")
        yield beside


def draw(
    figure: go.Figure,
    key: str,
    height: int,
    beside: DeltaGenerator,
    *,
    pickable: bool = True,
    parts: Sequence[Part] = (),
) -> None:
    """A figure without its words, and its script; points or columns of tasks can be picked."""
    result = current().fitted
    assert result is not None
    sources = [Sources(result.data, result, parts=parts)]
    with beside:
        script = write_script(figure, sources, after=[f"figures.shrink(figure, {height})"])
        charts.offer_script(script, key)
    figures.highlight(figure, current().picked)
    options: dict[str, Any] = {"config": EXPLORE, "alt": figures.describe(figure)}
    figures.shrink(figure, height)
    if not pickable:
        st.plotly_chart(figure, key=key, **options)
        return
    st.plotly_chart(
        figure, key=picks.key_of(key), on_select=lambda: picks.from_points(key),
        selection_mode="points", **options,
    )  # fmt: skip


def show_places(result: Fitted) -> None:
    """Tasks on the simplex; their loadings, where these have signs; or what tells them apart."""
    model = result.model
    V, names = model.memberships_.T, tables.cluster_names(model)
    one_place = len(V) == 1 and tables.is_mixture(model)
    if len(V) == 0 or one_place or choices.uses_nothing(model):
        show_differences(result)
        return
    with frame("Who is where", "memberships") as beside:
        if len(V) == 1 or model.shape_ == "span":
            figure = figures.loading_bars(
                model.loadings_.T, task_names=list(model.task_names_), cluster_names=names
            )
            draw(figure, "glance-loadings", TALL, beside)
        else:
            figure = figures.memberships(
                V, pure=model.pure_, task_names=list(model.task_names_), flat=True,
                strength=None if tables.is_mixture(model) else model.strength_, cluster_names=names,
            )  # fmt: skip
            figure.update_xaxes(showgrid=False, showticklabels=False)  # of a segment
            draw(figure, "glance-simplex", TALL, beside)


def show_differences(result: Fitted) -> None:
    """Where there is nothing to place: how much of a task is its own, or how alike tasks are that
    were fitted alone.
    """
    model = result.model
    V, names = model.memberships_.T, list(model.task_names_)
    is_partly_own = len(V) > 0 and tables.has_own_part(model)
    title, target = ("What is their own", "memberships") if is_partly_own else LIKENESS
    with frame(title, target) as beside:
        if len(V):
            st.caption(findings.no_places(result))
        if is_partly_own:
            figure = figures.own_shares(model.own_share_, V, task_names=names)
            draw(figure, "glance-own-shares", TALL - ONE_LINE, beside)
            return
        S = cosines(tables.single_task_similarity(model)[0])
        figure = figures.similarity(S, V, pure=model.pure_, top=1.0, task_names=names)
        draw(figure, "glance-similarity", TALL - ONE_LINE, beside)


def show_patterns(result: Fitted) -> None:
    """What drives each cluster; without clusters, what tasks make of the strongest features."""
    model, data = result.model, result.data.train
    is_clear = any_beyond_chance(model) and not findings.no_signal(result)
    title = "What drives them" if is_clear else "What they use, by chance or not"
    with frame(title, "coefficients") as beside:
        if not len(model.cluster_coef_):
            draw_own_coefficients(result, beside)
            return
        figure = figures.cluster_patterns(
            model.cluster_coef_.T, feature_names=list(data.feature_names),
            cluster_names=tables.cluster_names(model), feature_scale=tables.shown_scale(model),
            se=tables.standard_errors(model).T,
            most=MOST_PATTERNS,
        )  # fmt: skip
        if not figure.data:
            st.markdown("No feature is used: each task is predicted by its level alone.")
            return
        members = [
            np.flatnonzero(model.labels_ == k).tolist() for k in range(len(model.cluster_coef_))
        ]
        figures.click_columns(figure, members)
        draw(figure, "glance-patterns", TALL, beside)
        st.caption("Orange raises the prediction, blue lowers it; blank: exactly zero.")


def draw_own_coefficients(result: Fitted, beside: DeltaGenerator) -> None:
    """Without clusters: tasks across in their order, the strongest features down."""
    model, data = result.model, result.data.train
    if not model.coef_.any():
        st.markdown("No feature is used: each task is predicted by its level alone.")
        return
    T = len(model.task_names_)
    figure = figures.coefficients(
        model.coef_.T, feature_scale=tables.shown_scale(model), only_selected=True,
        feature_names=list(data.feature_names), task_names=list(model.task_names_),
        max_cells=MOST_PATTERNS * T,
    )  # fmt: skip
    figures.click_columns(figure, [[i] for i in range(T)])
    draw(figure, "glance-coefficients", TALL, beside)


def show_errors(result: Fitted) -> None:
    """The fit beside separate fits and one for all, on rows that none has seen."""
    with frame("Errors", "compare") as beside:
        found = result.errors
        if found is None:
            st.markdown("No rows were kept for testing, so there is nothing to compare on.")
            return
        ours, separate = verdicts.name_fits(result.model)
        errors = {ours: found.fit, separate: found.separate}
        if found.pooled is not None and not is_one_for_all(result.model):
            errors["one fit for all"] = found.pooled
        unit = summary.error_name(result.model)
        draw(
            figures.fit_errors(errors, unit=unit), "glance-errors", LOW, beside, pickable=False,
            parts=[part_of_errors(found, errors)],
        )  # fmt: skip


def show_outliers(result: Fitted) -> None:
    """How far tasks lie from the clusters."""
    model = result.model
    if not len(model.cluster_coef_):
        show_common(result)
        return
    with frame("Outliers", "outliers") as beside:
        st.caption(literal(f"{findings.outliers(result, result.choice.fence)}."))
        figure = figures.outliers(
            model.distances_, model.memberships_.T, factor=result.choice.fence,
            flagged=model.outliers_ if model.robust else None, task_names=list(model.task_names_),
            cluster_names=tables.cluster_names(model),
        )  # fmt: skip
        figure.update_yaxes(title_text="")
        draw(figure, "glance-outliers", LOW - 20, beside)


def show_common(result: Fitted) -> None:
    """Without clusters no task has to fit in: instead of outliers, what all have in common."""
    with frame("What they have in common", "similarity"):
        for sentence in say_common(result.model, result.data.train.feature_names):
            st.markdown(literal(sentence))


def show_doubts(result: Fitted) -> None:
    """What should make one look twice."""
    model = result.model
    with frame("Doubts", "fit"):
        said = [told] if (told := findings.say_told(result)) else []
        examined = examined_last(result)
        if examined is not None and examined.is_of(result):
            loose = trust.say_loose(model, examined.found)
            said += [f"By resamples {loose}."] if loose else []
        said += summary.doubts_of(model)
        given = result.blocks, tables.cluster_names(model)
        said += [*say_one_with(*given), *say_no_group(*given)]
        if model.outliers_.any():
            names = listed(list(model.task_names_[model.outliers_]), 5)
            said.append(f"Set aside as unlike all clusters: {names}.")
        if told := findings.say_far(result):
            said.append(told)
        if told := summary.suspects_account(model):
            said.append(told)
        if told := result.data.wild_features:
            said.append(told)
        said += [f"As good, with other predictions: {a.what}." for a in model.alternatives_[:2]]
        if not said:
            st.markdown(summary.say_undoubted(len(model.cluster_coef_), model.shape_))
        if len(said) > MOST_DOUBTS:
            said = [*said[:MOST_DOUBTS], f"And {len(said) - MOST_DOUBTS} more, on the page Fit."]
        st.markdown("\n".join(f"- {literal(sentence)}" for sentence in said))
