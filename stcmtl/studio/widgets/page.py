"""What every page begins with: its look, what is in hand, its headline, or what to do first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st
from numpy.typing import NDArray

from stcmtl.phrases import counted, listed
from stcmtl.studio.state import picks
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import FIRST_PICTURE, current
from stcmtl.studio.widgets import progress
from stcmtl.studio.widgets.controls import run_button
from stcmtl.studio.words.sentences import literal

if TYPE_CHECKING:
    from stcmtl.studio.work.fits import Fitted

# Streamlit fades captions below what the accessibility guidelines ask for, and writes white on
# the dark theme's light primary colour.
QUIET = {"light": "#55606c", "dark": "#aab4be"}
ON_PRIMARY = {"light": "#ffffff", "dark": "#12161b"}
# In Streamlit's own files of a table texts may act as formulas; in those that we offer they cannot.
OUR_FILES = """
        [data-testid="stElementToolbarButton"]:has([aria-label="Download as CSV"]) {
          display: none;
        }
"""
# Pages closer together, and what is in hand below them without scrolling, however many they are:
# in a low window all moves closer, in a lower one the pages scroll above the card.
IN_SIGHT = """
        [data-testid="stSidebarHeader"] { height: 2.5rem; min-height: 0; margin-bottom: 0; }
        [data-testid="stSidebarNavLinkContainer"], [data-testid="stSidebarNavLink"] { margin: 0; }
        [data-testid="stSidebarNavLink"] { padding-top: 0; padding-bottom: 0; line-height: 1.5; }
        [data-testid="stNavSectionHeader"] { padding-top: 0.1rem; margin-top: 0.2rem; }
        [data-testid="stSidebarUserContent"] { padding: 0.5rem 1rem; }
        @media (max-height: 880px) {
          [data-testid="stSidebarHeader"] { height: 1.75rem; }
          [data-testid="stSidebarNavItems"] > div + div { margin-top: 0.25rem; }
          [data-testid="stSidebarNavItems"] li { margin: 0; }
          [data-testid="stSidebarNavSeparator"] { padding-top: 0.25rem; }
          [data-testid="stSidebarUserContent"] { padding: 0.25rem 0; }
          .st-key-status { gap: 0.25rem; padding: 0.5rem 0.75rem; }
        }
        @media (min-height: 600px) {
          [data-testid="stSidebarContent"] { display: flex; flex-direction: column; }
          [data-testid="stSidebarNav"] { flex: 0 1 auto; min-height: 0; overflow-y: auto; }
          [data-testid="stSidebarHeader"], [data-testid="stSidebarUserContent"] { flex: none; }
        }
"""
# On white, Streamlit writes what stands in charts in a grey of 3.7 to 1.
PALE_LETTERS = '.js-plotly-plot text[style*="rgb(128, 132, 149)"]'
# Charts side by side need room for two; small views in a row for three. Their titles stand on one
# line, whether a button is beside them or not.
STACKED = """
        [class*="st-key-head-"] { min-height: 2.5rem; }
        @media (max-width: 1200px) {
          [class*="st-key-beside"] [data-testid="stColumn"] { min-width: calc(100% - 1.5rem); }
          .st-key-row-overview [data-testid="stColumn"] { min-width: calc(50% - 1.5rem); }
        }
        @media (max-width: 640px) {
          .st-key-row-overview [data-testid="stColumn"] { min-width: calc(100% - 1.5rem); }
        }
"""
# Streamlit cuts what does not fit on one line.
WHOLE_LINES = """
        [data-testid="stPageLink"] span, [data-testid="stPageLink"] p,
        [data-testid="stFileUploaderDropzoneInstructions"] span { white-space: normal; }
        [data-testid="stMarkdownBadge"] { white-space: normal !important; }
"""
# Beside an open sidebar a small screen has no room to spare, and tables on cards have none at all.
NARROW = """
        [class*="st-key-card-"] [data-testid="stMarkdownContainer"] { overflow-x: auto; }
        [class*="st-key-card-"] :is(th, td) { padding: 0.3rem 0.5rem; }
        .st-key-abilities td:last-child { min-width: 13rem; }
        @media (max-width: 640px) {
          [data-testid="stButtonGroup"] [role="radiogroup"] { flex-wrap: wrap; }
          [class*="st-key-card-"] table { font-size: 0.85rem; }
          .modebar-group:not(:last-child) { display: none !important; }
          [data-testid="stElementContainer"]:has(> iframe[title^="Replay"]) { flex: none; }
          [data-testid="stElementContainer"]:has(> iframe[title^="Replay"]),
          iframe[title^="Replay"] { height: 1000px; }
          [class*="st-key-card-"] :is(th, td) { padding: 0.2rem 0.3rem; }
        }
        @media (min-width: 641px) and (max-width: 1200px) {
          [data-testid="stMainBlockContainer"] { padding-left: 2rem; padding-right: 2rem; }
        }
"""
# Streamlit makes an entry in the browser's history of every change of the address.
HISTORY = """<script>
if (!window.stcmtlHistory) {
  window.stcmtlHistory = true;
  const push = history.pushState.bind(history);
  history.pushState = (state, title, address) =>
    new URL(address, location).pathname === location.pathname
      ? history.replaceState(state, title, address)
      : push(state, title, address);
}
</script>"""
DATA_PAGE, FIT_PAGE, HOME_PAGE = "pages/data.py", "pages/fit.py", "pages/home.py"
CHOOSE_PAGE, REPORT_PAGE = "pages/choose_k.py", "pages/report.py"
COMPARE_PAGE = "pages/compare.py"
WITHOUT_RESULT = ("", "learn", "data", "choose_k")  # in the address; each calls `go_on`
MOST_CARDS = 5  # of picked tasks, with a button each
# From data to a report, and what one does there.
PATH = {
    DATA_PAGE: "data",
    CHOOSE_PAGE: "how many clusters",
    FIT_PAGE: "fit",
    FIRST_PICTURE: "read the result",
    REPORT_PAGE: "take the report with you",
}


def style() -> None:
    """What the theme cannot say: captions and primary buttons that everybody can read."""
    theme = st.context.theme.type or "light"
    st.html(
        f"""<style>
        [data-testid="stCaptionContainer"] {{ opacity: 1; }}
        [data-testid="stCaptionContainer"] p {{ color: {QUIET[theme]}; opacity: 1; }}
        {PALE_LETTERS} {{ fill: {QUIET[theme]} !important; }}
        [data-testid="stBaseButton-primary"] {{ color: {ON_PRIMARY[theme]}; }}
        {OUR_FILES}{IN_SIGHT}{STACKED}{WHOLE_LINES}{NARROW}
        </style>"""
    )


def one_entry_per_page() -> None:
    """An address that changes on a page replaces the last one: Back leads to the page before."""
    st.html(HISTORY, unsafe_allow_javascript=True)


def show_status(here: str) -> None:
    """In the sidebar: what is loaded, what was fitted, and whether that still holds.

    Run leads to the result from a page ``here`` that shows none, and stays on any other.
    """
    session = current()
    with st.container(border=True, key="status"):
        loaded, choice = session.data, session.fit_choice
        if loaded is None:
            st.caption("No tasks yet. Simulate some, open an example or upload a file.")
            return
        T, D = counted(len(loaded.train), "task"), len(loaded.train.feature_names)
        st.markdown(f"**{literal(loaded.name)}**  \n{T} × {counted(D, 'feature')}")
        st.caption(choice.account)
        st.markdown(condition())
        run = run_and_read if here in WITHOUT_RESULT else session.run_fit
        run_button("Run", "status.run", run, disabled=session.job is not None, width="stretch")


def condition() -> str:
    if current().job is not None:
        return ":blue-badge[:material/progress_activity: running]"
    if current().fitted is None:
        return ":gray-badge[not fitted]"
    if current().is_stale:
        return ":orange-badge[:material/history: settings changed]"
    return ":green-badge[:material/check: fitted]"


def go_on() -> None:
    """To the page that a button on this one leads to, if it was clicked."""
    session = current()
    if target := session.go:
        session.go = ""
        st.switch_page(target)


def show_next(here: str) -> None:
    """At the end of a page on the path from data to report: the step after it."""
    pages = list(PATH)
    after = pages[pages.index(here) + 1]
    with st.container(horizontal=True, horizontal_alignment="right", key="next"):
        if here == FIT_PAGE and current().fitted is None:
            label = "Next: run the fit and read its result"
            run_button(label, "next.run", run_and_read, disabled=current().job is not None)
        else:
            st.page_link(after, label=f"**Next: {PATH[after]}**", icon=":material/arrow_forward:")


def run_and_read() -> None:
    current().run_fit()
    current().go = FIRST_PICTURE


def need_data(title: str) -> Loaded:
    """The tasks in hand; without any the page ends in an invitation."""
    loaded = current().data
    if loaded is None:
        open_with(title)
        st.info("There are no tasks yet.", icon=":material/table_rows:")
        with st.container(horizontal=True):
            st.page_link(HOME_PAGE, label="Pick a preset", icon=":material/home:")
            st.page_link(DATA_PAGE, label="Simulate or upload", icon=":material/upload:")
        st.stop()
    return loaded


def need_fit(title: str) -> Fitted:
    """The last good result; without one the page ends in an invitation to run."""
    need_data(title)
    result = current().fitted
    if result is None:
        open_with(title)
        if current().job is None:
            st.info("These tasks have not been fitted yet.", icon=":material/play_circle:")
            run_button("Run the fit", "page.run", current().run_fit)
            st.page_link(FIT_PAGE, label="Change its settings first", icon=":material/tune:")
        st.stop()
    return result


def show_result(title: str, headline: Callable[[Fitted], str]) -> Fitted:
    """The beginning of a page on the result, from its headline to the picked tasks."""
    result = need_fit(title)
    begin_explore(result, headline(result))
    return result


def begin_explore(result: Fitted, headline: str) -> None:
    """The headline with the verdict, and picked tasks."""
    begin_with_verdict(result, headline)
    show_picked(result.model.task_names_)


def begin_with_verdict(result: Fitted, headline: str) -> None:
    """The headline, and below it whether tasks cluster at all, where that is in question.

    Where clusters do not help, every such page says so instead, with the figures.
    """
    from stcmtl.evaluation.summary import verdict  # which pages without a result need not wait for
    from stcmtl.studio.words.findings import asked_for, no_help

    begin(headline)
    session = current()
    path = None if session.curve is None else session.curve.path
    told = "" if no_help(result) else verdict(result.model)
    for said in filter(None, (told, asked_for(result, session.spoken, path))):
        st.info(said, icon=":material/info:")
    if said := no_help(result):
        st.warning(said, icon=":material/trending_down:")


def open_with(headline: str, caption: str = "") -> None:
    """The page's one sentence, what it is about, and the job that runs."""
    st.title(literal(headline), anchor=False)
    if caption:
        st.caption(caption)
    progress.watch()


def begin(headline: str, caption: str = "") -> None:
    """The same on a page that shows the result, and what has changed since it was made."""
    open_with(headline, caption)
    if current().is_stale and current().job is None:
        stale("The settings have changed since this run: what you see is its result.")


def stale(sentence: str) -> None:
    """What is on the page was made with other settings than those chosen now."""
    st.warning(sentence, icon=":material/history:")


def show_picked(task_names: Sequence[object] | NDArray[Any]) -> None:
    """Which of the tasks are picked, and the way to be rid of them."""
    picked = sorted(current().picked)
    if not picked:
        return
    names = [task_names[i] for i in picked]
    with st.container(horizontal=True, vertical_alignment="center", key="picked"):
        st.markdown(f":material/ads_click: Picked: **{literal(listed(names))}**", width="content")
        if len(picked) <= MOST_CARDS and (result := current().fitted) is not None:
            from stcmtl.studio.widgets.task_card import show_card  # and figures, at need

            for i, name in zip(picked, names, strict=True):
                label = "Task card" if len(picked) == 1 else f"Card of {literal(str(name))}"
                key = "page.card" if len(picked) == 1 else f"page.card.{i}"
                if st.button(label, key=key, icon=":material/badge:", type="tertiary"):
                    show_card(result, i)
        st.button(
            f"Clear {len(picked)} picked", key="page.clear", icon=":material/close:",
            on_click=picks.clear, type="tertiary",
        )  # fmt: skip
