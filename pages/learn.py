"""The idea in a minute: one picture to play with, and the words that the other pages use."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl import figures
from stcmtl.evaluation.summary import GLOSSARY
from stcmtl.studio.widgets import page
from stcmtl.studio.words import learning
from stcmtl.studio.words.learning import Lesson
from stcmtl.studio.work.fits import Fitted


def choose() -> Lesson:
    columns = st.columns(len(learning.SLIDERS), gap="large")
    return Lesson(
        **{
            name: column.select_slider(
                label, values, usual, key=f"learn.{name}", help=why, persist_state="session"
            )
            for column, (name, (label, values, usual, why)) in zip(
                columns, learning.SLIDERS.items(), strict=True
            )
        }
    )


def draw(result: Fitted) -> None:
    """True and found memberships side by side."""
    for column, (key, heading, V, pure) in zip(st.columns(2), learning.sides(result), strict=True):
        figure = figures.memberships(
            V, pure=pure, task_names=list(result.model.task_names_), flat=True, height=460
        )
        figure.update_layout(title_text=f"{heading}: {figure.layout.title.text}")
        with column:
            st.plotly_chart(figure, key=f"learn.{key}", alt=figures.describe(figure))


page.go_on()
page.open_with("The idea in a minute")
st.markdown(learning.IDEA)
lesson = choose()
result = lesson.result()
if result is None:
    st.info("The server is busy just now: move a slider to try again.", icon=":material/info:")
else:
    st.markdown(learning.verdict(lesson, result))
    draw(result)
    st.button(
        "Explore these tasks on all pages", key="learn.explore", icon=":material/play_arrow:",
        on_click=lesson.explore,
    )  # fmt: skip
st.header("Four pictures, a sentence each", anchor=False)
for name, (title, sentence) in learning.PICTURES.items():
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(f"pages/{name}.py", label=f"**{title}**", width=140)
        st.markdown(sentence, width="stretch")
st.header("Ten words", anchor=False)
st.markdown("\n".join(f"- **{word}**: {GLOSSARY[word]}" for word in learning.WORDS))
