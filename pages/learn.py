"""The idea in six scenes to project: one picture each, three sentences and one thing to move."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl.evaluation.summary import GLOSSARY
from stcmtl.studio.widgets import lesson as widgets
from stcmtl.studio.widgets import page
from stcmtl.studio.words import learning
from stcmtl.studio.words.learning import Lesson

page.go_on()
st.html(widgets.STYLE)
scene = widgets.choose_scene()
page.open_with(scene.title)
beside, picture = st.columns([3, 7], gap="large")
with beside:
    words, more = st.container(key="learn-words"), st.container(horizontal=True)
picture = picture.container(key="learn-picture")
with picture, st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    moved = widgets.choose(scene)
    shown = widgets.show_truth(scene)
with more:
    lesson = Lesson(**moved, **widgets.choose_others(scene))
result = lesson.result()
if result is None:
    st.info("The server is busy just now: move a slider to try again.", icon=":material/info:")
else:
    said = scene.say(lesson, result, shown)
    words.markdown("\n\n".join(said))
    with picture:
        widgets.draw(scene, lesson, result, shown, said)
    more.button(
        "Explore the others" if lesson.place else "Explore these tasks", key="learn.explore",
        icon=":material/play_arrow:", on_click=lesson.explore,
    )  # fmt: skip
with st.expander("Ten words, and four pictures to look at next"):
    st.markdown("\n".join(f"- **{word}**: {GLOSSARY[word]}" for word in learning.WORDS))
    for name, (title, sentence) in learning.PAGES.items():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.page_link(f"pages/{name}.py", label=f"**{title}**", width=140)
            st.markdown(sentence, width="stretch")
