"""The paper's tables and figures beside ours, shipped or run here."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl.paper import experiments, settings, table
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import paper, progress
from stcmtl.studio.widgets.controls import pick_one, run_button
from stcmtl.studio.words import help


def run_form(setting: str) -> None:
    known = settings.methods_for(setting)
    with st.popover("Run it here", icon=":material/play_arrow:"):
        methods = st.multiselect("Methods", known, known, key=f"paper.methods.{setting}")
        repetitions = st.number_input(
            "Repetitions", 1, 10, 1, key="paper.reps", help="Each draws, or divides, rows anew."
        )
        st.caption(
            "The penalties of every method are chosen by cross-validation, each time. "
            + paper.expected(setting, methods, int(repetitions))
        )
        run_button(
            "Run", "paper.run", paper.start_run, args=(setting, methods, int(repetitions)),
            disabled=not methods or current().job is not None, icon=None,
        )  # fmt: skip
        if paper.own_runs(setting):
            st.button("Back to the shipped results", "paper.shipped", on_click=paper.forget_runs)


def show_results(setting: str, measure: str) -> None:
    runs = paper.runs_shown(setting)
    shown = table.side_by_side(setting, runs, measure)
    paper.show_table(shown, measure)
    if said := paper.beside(setting, measure):
        st.caption(said)
    for mark, reason in table.explain_marks(shown).items():
        st.markdown(f":orange-badge[{mark}] {reason}")
    with st.popover("Maths", icon=":material/function:", type="tertiary"):
        st.markdown(help.PAPER)
    if commands := [run.command for run in runs if run.method != experiments.ORACLE]:
        with st.expander("The commands that make these numbers again"):
            st.code("\n".join(commands), language="bash")


def show_figures(setting: str) -> None:
    st.header("The paper's figures", anchor=False)
    figure = pick_one(
        "Figure", experiments.list_figures(setting), label_visibility="collapsed",
        key=f"paper.figure.{settings.is_synthetic(setting)}", default=experiments.CURVE,
    )  # fmt: skip
    if paper.is_drawing():  # its progress, or what went wrong, next to the button
        progress.watch()
    drawn = paper.picture_of(figure, setting)
    if drawn is None:
        st.button(
            "Compute it for this setting", key="paper.draw", icon=":material/show_chart:",
            on_click=paper.start_picture, args=(figure, setting),
            disabled=current().job is not None,
        )  # fmt: skip
    else:
        paper.show_picture(drawn)


def show_kinds() -> None:
    kinds = table.kinds_of_tasks()
    st.header("Outside the paper's world", anchor=False)
    st.markdown(
        f"Everything automatic, beside the best of eight alternatives on {len(kinds)} kinds of "
        f"simulated tasks: {paper.say_kinds(kinds['ours / best'])}."
    )
    number = st.column_config.NumberColumn
    config = {
        "cell": st.column_config.TextColumn("Kind of tasks", pinned=True),
        "ours": number("Ours", format="%.4f", help="RMSE, or of two labels the error rate."),
        "best": number("Best other", format="%.4f", help="The same, of the best of the others."),
        "by": "by",
        "ours / best": number("Ratio", format="%.3f", help="Ours by the best other."),
        "chose": st.column_config.TextColumn("What ours chose", width="large"),
    }
    st.dataframe(kinds, hide_index=True, column_config=config)
    st.caption(f"Means of five draws; CMTL and VSTG-MTL know the true K. `{table.KINDS_COMMAND}`")


top = st.container()
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    setting = st.selectbox(
        "Setting", settings.SETTINGS, key="paper.setting", persist_state="session", width=420,
        format_func=lambda name: settings.SETTINGS[name].title,
    )  # fmt: skip
    run_form(setting)
with top:
    st.title(table.headline(setting, paper.runs_shown(setting)), anchor=False)
    st.caption(paper.source(setting))
    if not paper.is_drawing():
        progress.watch()
measure = pick_one(
    "Measure", table.measures(setting), f"paper.measure.{setting}",
    default=settings.SETTINGS[setting].measure, label_visibility="collapsed",
)  # fmt: skip
show_results(setting, measure)
if verdicts := paper.verdicts():
    st.header("Does semisoft clustering help?", anchor=False)
    st.markdown("\n".join(f"- **{title}.** {verdict}" for title, verdict in verdicts.items()))
show_figures(setting)
show_kinds()
