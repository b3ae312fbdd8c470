"""The replay of a fit on its page, and as a file for slides: the same small film."""

import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.evaluation.tables import cluster_names, shown_scale
from stcmtl.phrases import counted
from stcmtl.report import replay_html
from stcmtl.studio.widgets import charts
from stcmtl.studio.widgets.controls import download
from stcmtl.studio.words import help
from stcmtl.studio.words.scripts import Sources, write_script
from stcmtl.studio.work.fits import Fitted

FILE = "replay.html"
HEIGHT = 760  # pixels, which the film divides between its pictures


def show(result: Fitted) -> None:
    """The film, what it shows, and the button that saves it."""
    figure = draw(result)
    film = replay_html(figure, theme=st.context.theme.type or "light")
    st.header("Replay, step by step", anchor=False)
    with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        with st.popover("Maths", icon=":material/function:", type="tertiary"):
            st.markdown(help.REPLAY)
        charts.offer_script(write_script(figure, [Sources(result.data, result)]), "replay")
        download(
            f"For slides: {len(film) / 1000:,.0f} kB", lambda: save(figure, result), FILE,
            "replay.file", help="One HTML file that needs no network and no library.",
            type="tertiary",
        )  # fmt: skip
    st.iframe(film, height=HEIGHT, alt=f"Replay: {counted(len(figure.frames), 'step')}")


def draw(result: Fitted) -> go.Figure:
    model = result.model
    return figures.replay(
        model.history_,
        model.single_task_coef_.T,
        task_names=list(model.task_names_),
        feature_names=list(result.data.train.feature_names),
        feature_scale=shown_scale(model),
        cluster_names=cluster_names(model),
    )


def save(figure: go.Figure, result: Fitted) -> bytes:
    return replay_html(figure, f"How {result.data.name} were fitted").encode()
