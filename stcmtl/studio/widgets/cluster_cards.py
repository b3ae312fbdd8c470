"""Cards of clusters: who is in each, what drives it, how well it fits, and its name to be typed."""

from __future__ import annotations

import numpy as np
import streamlit as st

from stcmtl import figures
from stcmtl.data.checks import LONGEST_NAME
from stcmtl.errors import InputError
from stcmtl.evaluation import cards
from stcmtl.evaluation.cards import ClusterCard, Driver, Member
from stcmtl.evaluation.tables import is_mixture, shown_scale
from stcmtl.io.account import shorten
from stcmtl.phrases import digits
from stcmtl.studio.state import naming, picks
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets.task_columns import say_beside_cards
from stcmtl.studio.words import findings
from stcmtl.studio.words.sentences import literal, word_error
from stcmtl.studio.work.fits import Fitted

PER_ROW = 2
MOST_MEMBERS = 24
FAULT = "overview.names.fault"


def show_cards(result: Fitted) -> None:
    """Who is alike and why, in sentences; then a card for each cluster, two side by side."""
    found = cards.cluster_cards(result.model, result.data.train, result.data.test)
    scaled = shown_scale(result.model) is not None
    unit = "effects of one standard deviation of a feature" if scaled else "coefficients"
    st.caption(f"Numbers are {unit}, ± their standard errors.")
    if doubted := bool(findings.no_help(result)):
        st.markdown(cards.say_sorted(len(found)))
    else:
        said = [cards.say_alike(card, len(found)) for card in found]
        said += [one] if (one := say_beside_cards(result)) else []
        st.markdown("\n".join(f"- {literal(sentence)}" for sentence in said))
    if fault := st.session_state.pop(FAULT, ""):
        st.error(literal(fault), icon=":material/error:")
    for start in range(0, len(found), PER_ROW):
        with st.container(key=f"beside-cards-{start}"):
            columns = st.columns(PER_ROW)
        for column, card in zip(columns, found[start : start + PER_ROW], strict=False):
            with column:
                show_one(result, card, len(found), doubted)


def show_one(result: Fitted, card: ClusterCard, n_clusters: int, doubted: bool) -> None:
    """Where clusters do not help (``doubted``) no feature is called a cluster's own."""
    with st.container(border=True, key=f"card-{card.cluster}"):
        colour = figures.cluster_colours(n_clusters)[card.cluster]
        st.html(f'<div style="height: 6px; border-radius: 3px; background: {colour}"></div>')
        name_field(result, card)
        fits = cards.say_fit(card, compared=result.separate_error == result.lasso_error)
        st.markdown(f"**{literal(cards.say_members(card).capitalize())}.** {literal(fits)}")
        st.markdown(say_names(card.members, not is_mixture(result.model)))
        beside = 1 if doubted else n_clusters
        st.markdown(drivers_table(card, beside, shown_scale(result.model) is not None))
        tasks = [member.task for member in card.members]
        if tasks:
            st.button(
                "Pick its tasks", key=f"overview.pick.{card.cluster}", type="tertiary",
                icon=":material/ads_click:", on_click=picks.pick, args=(tasks,),
            )  # fmt: skip


def name_field(result: Fitted, card: ClusterCard) -> None:
    """What the cluster is called; the same everywhere as soon as it is typed."""
    names = naming.names_of(result)
    key = f"overview.name.{card.cluster}.{n_typed()}"

    def take() -> None:
        names[card.cluster] = st.session_state[key]
        st.session_state["overview.typed"] = n_typed() + 1  # fields begin afresh, as they count
        try:
            current().name_clusters(names)
        except InputError as error:
            st.session_state[FAULT] = word_error(error)

    st.text_input(
        f"Name of cluster {card.cluster + 1}", names[card.cluster], max_chars=LONGEST_NAME, key=key,
        placeholder=f"Cluster {card.cluster + 1}: give it a name", on_change=take,
        help="The name is used on every page, in tables, in the link and in the report, and stays "
        "with the cluster when you fit again.",
    )  # fmt: skip


def n_typed() -> int:
    return int(st.session_state.get("overview.typed", 0))


def say_names(members: tuple[Member, ...], with_strength: bool) -> str:
    """Members by name; of mixed ones the share, and the strength where tasks have one."""
    said = []
    for member in members[:MOST_MEMBERS]:
        more = [] if member.pure else [f"{member.share:.0%}"]
        more += [f"× {digits(member.strength)}"] if with_strength else []
        more += ["subtracts it"] if member.loading < 0 else []
        said.append(literal(shorten(member.name)) + (f" ({', '.join(more)})" if more else ""))
    rest = len(members) - len(said)
    return ", ".join(said) + (f" and {rest} more" if rest else "")


def drivers_table(card: ClusterCard, n_clusters: int, scaled: bool) -> str:
    """Its features as a table: the largest, and after these what else is most its own."""
    if not card.largest:
        return "No feature matters to it: every coefficient is zero."
    others = card.own if n_clusters > 1 else ()
    rest = [driver for driver in others if driver not in card.largest]
    rows = [driver_row(driver, driver in card.own, n_clusters) for driver in (*card.largest, *rest)]
    unit = "Per standard deviation" if scaled else "Coefficient"
    head = f"| Feature | {unit} |"
    rule = "| :-- | --: |"
    if n_clusters > 1:
        head, rule = f"{head} Largest elsewhere | Its own |", f"{rule} --: | :-: |"
    left = card.n_features - len(rows)
    more = f"\n\n{left} more with smaller coefficients." if left > 0 else ""
    return "\n".join([head, rule, *rows]) + more


def driver_row(driver: Driver, is_own: bool, n_clusters: int) -> str:
    value = digits(driver.value).replace("-", "−")
    error = f" ± {digits(driver.se, 2)}" if np.isfinite(driver.se) else ""
    row = f"| {literal(shorten(driver.feature))} | **{value}**{error} |"
    if n_clusters < 2:
        return row
    along = driver.along * np.sign(driver.value)
    against = -driver.against * np.sign(driver.value)
    elsewhere = along if driver.along >= driver.against else against
    shown = digits(elsewhere).replace("-", "−") if elsewhere else "0"
    return f"{row} {shown} | {'yes' if is_own else ''} |"
