"""The Compare page: its controls, the methods that run, and the views of what came out."""

from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from stcmtl import figures
from stcmtl.baselines.registry import OURS, REGISTRY
from stcmtl.evaluation.comparison import Outcome, table
from stcmtl.evaluation.summary import ERROR_NAMES
from stcmtl.figures.plots.comparison import with_spread
from stcmtl.phrases import duration
from stcmtl.studio.state.choices import GIVEN
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts, progress
from stcmtl.studio.widgets.controls import control, pick_one, run_button
from stcmtl.studio.widgets.tables import show_table
from stcmtl.studio.words import help
from stcmtl.studio.words.scripts import Sources
from stcmtl.studio.work import comparing
from stcmtl.studio.work.jobs import Job

EVERY = 1.0  # seconds
USUAL, MOST = 3, 20  # repetitions
LONG = 30.0  # seconds: what takes longer is not picked at first, and told by name

Results = dict[str, list[Outcome]]
BEST = "★ "
MARK = {"background-color": "rgba(217, 97, 12, 0.18)", "font-weight": "600"}
ABILITIES = {
    "features": "Feature selection",
    "clusters": "Clusters",
    "overlapping": "Overlapping clusters",
    "pure": "Pure tasks",
    "outliers": "Outliers",
}


def choose(loaded: Loaded) -> list[str]:
    """Methods and repetitions, and the button that runs them; returns the methods."""
    if "compare.methods" not in st.session_state:
        st.session_state["compare.methods"] = usual(loaded)
    picked = st.pills(
        "Methods", list(REGISTRY), selection_mode="multi", key="compare.methods",
        persist_state="session",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        repetitions = st.number_input(
            "Repetitions", 1, MOST, USUAL, 1, key="compare.repetitions", width=130,
            persist_state="session", help="On other rows each, for the spread.",
        )  # fmt: skip
        choice, keep = current().fit_choice, current().set_fit
        control(choice, "model", keep=keep)
        if choice.model == GIVEN:
            control(choice, "k", width=130, low=1, high=len(loaded.train), keep=keep)
        run_button(
            "Compare", "compare.run", comparing.run, args=(picked, repetitions), disabled=not picked
        )
    if picked:
        st.caption(time_needed(loaded, picked, int(repetitions)))
    return [method for method in REGISTRY if method in picked]


def usual(loaded: Loaded) -> list[str]:
    """The first of our own methods, and all others that are quick on these tasks."""
    ours = next(iter(OURS))
    others = [method for method in REGISTRY if method not in OURS]
    seconds = {method: comparing.seconds_ahead(loaded, method, USUAL) for method in others}
    return [ours, *(m for m, s in seconds.items() if s <= LONG)]


def time_needed(loaded: Loaded, picked: list[str], repetitions: int) -> str:
    """How long the methods will take, the long ones by name; or that they are there already."""
    ahead = {m: comparing.seconds_ahead(loaded, m, repetitions) for m in picked}
    total = sum(ahead.values())
    if total == 0.0:
        return "Known already: no need to wait."
    long = [f"**{m} alone takes about {duration(s)}.**" for m, s in ahead.items() if s >= LONG]
    return " ".join(
        [f":material/schedule: About {duration(total)} in all, longer on a busy machine.", *long]
    )


def watch() -> None:
    """Running methods, and why others have ended without a result."""
    if running := current().trials:
        show_running()
        _, last = [*running.values()][-1]
        if progress.ends_soon(last):
            st.rerun()
    for method, fault in current().compare_faults.items():
        progress.tell_error(f"{method}: {fault}")


@st.fragment(run_every=EVERY)
def show_running() -> None:
    if comparing.collect() or not current().trials:
        st.rerun()
    with st.container(border=True):
        for method, (_, job) in current().trials.items():
            share = job.steps[-1].share if job.steps else 0.0
            with st.container(horizontal=True, vertical_alignment="center"):
                st.progress(share, f"**{method}**: {condition(job)}")
                st.button(
                    f"Cancel {method}", key=f"compare.cancel.{method}",
                    icon=":material/stop_circle:", on_click=comparing.cancel, args=(method,),
                )  # fmt: skip


def condition(job: Job) -> str:
    """How far a method has got, or whom it waits for."""
    if job.steps:
        last = job.steps[-1]
        return f"repetition {last.repetition} of {last.repetitions}, {last.what}"
    if job.started:
        return "begins"
    is_mine = any(other.started for _, other in current().trials.values())
    return f"waits for {'its turn' if is_mine else 'other visitors'}"


def measures(loaded: Loaded) -> dict[str, str]:
    """What is measured, by what it is called on the page."""
    error = ERROR_NAMES[loaded.train.task_type]
    known = {} if loaded.truth is None else {"REE": "ree", "MCC": "mcc"}
    return {f"test {error}": "error", **known, "seconds": "seconds"}


def show_outcomes(results: Results, loaded: Loaded) -> None:
    found, named = table(results), measures(loaded)
    show_table(
        found.reset_index(), "compare", noun="method",
        look=lambda part: marked(part.set_index("method"), named),
        config={"method": st.column_config.TextColumn(pinned=True)},
        numbers=lambda part: numbers(part.set_index("method"), named).reset_index(),
    )  # fmt: skip
    spread = "; mean ± standard deviation" if found["repetitions"].max() > 1 else ""
    st.caption(f"{BEST.strip()} best of its column{spread}.")


def numbers(found: pd.DataFrame, named: dict[str, str]) -> pd.DataFrame:
    """Means and standard deviations under the names of the page."""
    told = found[["repetitions"]].copy()
    for name, own in named.items():
        told[name], told[f"{name}, sd"] = found[own], found[f"{own} sd"]
    return told


def marked(found: pd.DataFrame, named: dict[str, str]) -> Styler:
    """Means that sort as numbers and read with their spread, the best of each column marked."""
    means = pd.DataFrame({name: found[own] for name, own in named.items()})
    styler = means.assign(method=means.index)[["method", *named]].style
    for name, own in named.items():
        best = means[name].max() if own == "mcc" else means[name].min()
        for method, mean in means[name].items():
            star = BEST if mean == best else ""
            words = star + with_spread(mean, found.loc[method, f"{own} sd"])
            cell = pd.IndexSlice[[method], [name]]
            styler = styler.format(lambda value, words=words: words, subset=cell)
            styler = styler.set_properties(subset=cell, **(MARK if star else {}))
    return styler


def show_bars(results: Results, loaded: Loaded) -> None:
    found, named = table(results), measures(loaded)
    key = f"compare.measure.{len(named)}.{loaded.classification}"
    chosen = pick_one("Measure", named, key)
    own = named[chosen]
    figure = figures.method_bars(
        found[own].to_dict(), found[f"{own} sd"].to_dict(), chosen,
        larger_is_better=own == "mcc",
    )  # fmt: skip
    charts.show(
        figure, "comparison", maths=help.COMPARISON, table=lambda: every_repetition(results),
        sources=sources_of(results, loaded),
    )  # fmt: skip


def sources_of(results: Results, loaded: Loaded) -> list[Sources]:
    """What the figures of a comparison are made of; the fit may give them their order."""
    known = current().compared
    asked = {method: (known[method][0], outcomes) for method, outcomes in results.items()}
    return [Sources(loaded, current().fitted, compared=asked)]


def every_repetition(results: Results) -> pd.DataFrame:
    """One row per fit."""
    return pd.DataFrame(
        [
            {"method": o.method, "repetition": r, "k": o.n_clusters, "error": o.error,
             "ree": o.ree, "mcc": o.mcc, "seconds": o.seconds}
            for outcomes in results.values() for r, o in enumerate(outcomes, start=1)
        ]
    )  # fmt: skip


def show_patterns(results: Results, loaded: Loaded) -> None:
    """Of the first repetition, which is on the rows in hand."""
    first: dict[str, Outcome] = {method: outcomes[0] for method, outcomes in results.items()}
    truth, fitted = loaded.truth, current().fitted
    order: dict[str, Any] = {}
    if truth is not None:
        order["task_order"] = figures.tasks_by_cluster(truth.V, truth.pure)
    elif fitted is not None:
        V, pure = fitted.model.memberships_.T, fitted.model.pure_
        order["task_order"] = figures.tasks_by_cluster(V, pure)
    figure = figures.method_patterns(
        {method: outcome.coef for method, outcome in first.items()},
        None if truth is None else truth.W,
        captions={method: caption(outcome) for method, outcome in first.items()},
        task_names=list(loaded.train.task_names),
        feature_names=list(loaded.train.feature_names),
        **order,
    )
    charts.show(figure, "patterns", maths=help.PATTERN, sources=sources_of(results, loaded))
    if max(map(len, results.values())) > 1:
        st.caption("These are the fits of the first repetition; the table has the mean of all.")


def caption(outcome: Outcome) -> str:
    if outcome.mcc is not None:
        return f"MCC {outcome.mcc:.2f}"
    return f"{(outcome.coef != 0).mean():.0%} used"


def show_capabilities(shown: list[str]) -> None:
    if not shown:
        return
    st.header("What each method can do", anchor=False)
    can = pd.DataFrame(
        {
            name: ["✓ yes" if ability in REGISTRY[m].finds else "–" for m in shown]
            for ability, name in ABILITIES.items()
        },
        index=pd.Index(shown, name="method"),
    )
    notes = [REGISTRY[m].note for m in shown]
    with st.container(key="abilities"):
        st.table(can.assign(Remark=notes))  # which breaks lines
