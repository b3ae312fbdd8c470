"""What the data speak for: clusters or none, of which shape, and what is a task's own."""

from stcmtl.studio.start import require

require(__file__)

from collections.abc import Sequence

import streamlit as st

from stcmtl import figures
from stcmtl.estimators.choose_k import KSelection
from stcmtl.evaluation import choices, curve_tables, summary
from stcmtl.phrases import duration
from stcmtl.solver.records import Choice
from stcmtl.studio.limits import curve_cost, fit_cost
from stcmtl.studio.state.choices import CHOSEN, GIVEN, ROBUST
from stcmtl.studio.state.session import FIRST_PICTURE, current
from stcmtl.studio.widgets import charts, page
from stcmtl.studio.widgets.controls import pick_one, run_button
from stcmtl.studio.words import findings, help
from stcmtl.studio.work.fits import Curve, Fitted

EVERYTHING, K_ALONE = LOOKS = ("Everything", "K alone")
INVITATION = (
    "Some rows of every task are held out, and predicted in many ways: by every task on its own, "
    "by one pattern for all, by mixtures of more and more clusters, with strengths, with patterns "
    "that can be subtracted, and with a part of each task's own. Of all that predict as well as "
    "the best, the simplest is taken."
)
BEHIND = {
    "RMSE": "Of the error, a mean over tasks, with the standard error of the difference.",
    "error rate": "Of the log loss, which tells more than labels do: a mean over tasks, with the "
    "standard error of the difference.",
}


def invite(headline: str, sentence: str, label: str, seconds: float) -> None:
    """What the page will do, and its button."""
    page.open_with(headline, account)
    choose_look()
    if current().job is None:
        st.markdown(sentence)
        ask_button(label)
        st.caption(f"It takes about {duration(seconds)}.")


def choose_look() -> None:
    pick_one(
        "Choose", LOOKS, "k.look",
        help="K alone: the error by the number of clusters, of the shape that the fit is set to.",
    )  # fmt: skip


def ask_button(label: str) -> None:
    run = current().run_choice if look == EVERYTHING else current().run_curve
    run_button(label, "k.run", run, icon=":material/show_chart:")


def begin(headline: str, is_stale: bool, is_robust: bool) -> None:
    """Of a page with a result, whether or not it still holds."""
    page.open_with(headline, account)
    choose_look()
    if is_stale and current().job is None:
        page.stale("The settings have changed since this was found.")
        ask_button("Do it again")
    if is_robust:
        st.caption(findings.ROBUST_CURVE)


def pick_k(ks: list[int], first: int, key: str) -> int:
    """The number of clusters to fit with."""
    st.session_state.setdefault(key, first)
    if len(ks) > 1:
        st.select_slider("Clusters", ks, key=key, width=320, help="Or click a point of the curve.")
    return int(st.session_state[key])


# Everything


def show_choices(spoken: Fitted) -> None:
    found, metric = spoken.model.choices_, summary.error_name(spoken.model)
    taken, path = choices.find_taken(found), getattr(spoken.model, "selection_", None)
    ks = sorted({c.n_clusters for c in found})
    key = f"k.choice.{taken.n_clusters}.{ks[-1]}"
    if said := choices.say_comparisons(found, metric):
        st.markdown(said)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        k = pick_k(ks, taken.n_clusters, key)
        label = "Fit with this" if k == taken.n_clusters else f"Fit with K = {k}"
        busy = current().job is not None
        run_button(label, "k.take", fit_with, args=(k, spoken), disabled=busy)
    charts.show_choice(
        figures.choice_curve(path, found, metric), "choice-curve",
        lambda k: st.session_state.update({key: int(k)}), maths=help.CHOICE,
        table=lambda: choices.choices_table(found, metric),
    )  # fmt: skip
    show_table(found, metric)


def show_table(found: Sequence[Choice], metric: str) -> None:
    """Everything that was tried, in words and with its errors."""
    table = choices.told_table(found, metric)
    marked = ["✓ " * choice.taken + name for choice, name in zip(found, table["what"], strict=True)]
    tried = {"Everything that was tried, the best first": marked}
    st.table(tried | table.drop(columns="what").to_dict("list"), hide_index=True)
    st.caption(f"Behind the best: {BEHIND[metric][:1].lower()}{BEHIND[metric][1:]}")


def fit_with(k: int, spoken: Fitted) -> None:
    """What was taken is fitted already; any other K is fitted in the shape that was taken."""
    session, taken = current(), choices.find_taken(spoken.model.choices_)
    own = "none" if taken.own == "alone" else taken.own
    is_taken = k == taken.n_clusters
    model = CHOSEN if is_taken else GIVEN
    stays = is_taken and not session.spoken_is_stale
    session.set_fit(model=model, k=k, shape=taken.shape, own=own)
    if stays:
        session.take("fitted", spoken)
    else:
        session.run_fit()
    session.go = FIRST_PICTURE


# K alone


def show_curve(path: KSelection) -> None:
    ks = [int(k) for k in path.ks]
    key = f"k.choice.{ks[-1]}"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        k = pick_k(ks, path.one_se, key)
        busy = current().job is not None
        run_button(f"Fit with K = {k}", "k.take", fit_k, args=(k,), disabled=busy)
    with st.container(key="beside-curve"):
        left, right = st.columns([3, 2])
    with left:
        charts.show_choice(
            figures.k_curve(path), "k-curve",
            lambda k: st.session_state.update({key: int(k)}),
            maths=help.K_CURVE, table=lambda: curve_tables.points_table(path),
        )  # fmt: skip
    with right:
        charts.show(
            figures.singular_ratios(path.singular_ratios, height=420), "singular-values",
            maths=help.SINGULAR, table=lambda: curve_tables.ratios_table(path),
        )  # fmt: skip


def fit_k(k: int) -> None:
    current().set_fit(model=GIVEN, k=k)
    current().run_fit()
    current().go = FIRST_PICTURE


loaded = page.need_data("Choose K")
page.go_on()
account = summary.data_account(loaded.train, loaded.test)
look = st.session_state.get("k.look", current().views.get("k.look", EVERYTHING))
spoken: Fitted | None = current().spoken
curve: Curve | None = current().curve
if look == EVERYTHING and spoken is None:
    ahead = fit_cost(loaded.train, current().open_choice)
    invite("What do the data speak for?", INVITATION, "Ask the data", ahead.seconds)
elif look == EVERYTHING and spoken is not None:
    headline = findings.choice(spoken)
    begin(headline, current().spoken_is_stale, spoken.choice.method == ROBUST)
    show_choices(spoken)
elif curve is None:
    largest = max(loaded.ks_to_try)
    sentence = (
        f"Some rows of every task are held out, and each number of clusters from 1 to {largest} "
        "predicts them. The error falls up to the right number, then stays flat."
    )
    ahead = curve_cost(loaded.train, current().curve_choice)
    invite("How many clusters are there?", sentence, "Draw the curve", ahead.seconds)
else:
    headline = findings.number_of_clusters(curve.path, loaded.train)
    begin(headline, current().curve_is_stale, curve.choice.method == ROBUST)
    show_curve(curve.path)
page.show_next(page.CHOOSE_PAGE)
