"""What one moves on the page that teaches, and the picture of each of its scenes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.evaluation.blocks import cosines
from stcmtl.figures.pieces import placing
from stcmtl.studio.state import picks
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import charts
from stcmtl.studio.widgets.controls import note_view, pick_one, recall_view
from stcmtl.studio.words import learning
from stcmtl.studio.words.learning import SCENES, SLIDERS, Lesson, Scene
from stcmtl.studio.words.parts import part_of_lesson
from stcmtl.studio.words.recipes import spell
from stcmtl.studio.words.scripts import Sources, write_script
from stcmtl.studio.work.fits import Fitted

SCENE, FIRST, SECOND = "learn.scene", "learn.first", "learn.second"
WHOLE = 100  # percent
USUAL_PLACE = {FIRST: 60, SECOND: 40}
PLAIN, ROBUST = FITS = ("Plain fit", "Robust fit")
HEIGHT = 520
OUTLIER = "outlier"
# A page to be read from the last row; words and picture side by side where there is room for both,
# else the words first.
STYLE = """<style>
.st-key-learn-words p { font-size: 1.3rem; line-height: 1.4; }
@media (min-width: 641px) and (max-height: 800px) {
  [data-testid=stMainBlockContainer] h1 { padding: 0.25rem 0; }
}
@media (max-width: 1200px) {
  .st-key-learn-words p { font-size: 1.05rem; }
  .st-key-learn-picture [data-testid=stColumn] { min-width: 100%; }
}
@media (max-width: 1000px) {
  [data-testid=stColumn]:has(> div .st-key-learn-words, > div .st-key-learn-picture) {
    min-width: 100%;
  }
  .st-key-learn-words p { font-size: 1.15rem; }
}
</style>"""


def choose_scene() -> Scene:
    """The way through the scenes; the link says which one is in sight."""
    names = list(SCENES)
    asked = st.query_params.get("scene", "")
    if SCENE not in st.session_state:
        known = asked in {str(i + 1) for i in range(len(names))}
        st.session_state[SCENE] = names[int(asked) - 1 if known else 0]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = st.segmented_control(
            "Scene", names, key=SCENE, required=True, format_func=number_scene,
            label_visibility="collapsed", persist_state="session",
        )  # fmt: skip
        name = str(chosen)
        place = names.index(name)
        for label, step in (("Back", -1), ("Next", 1)):
            there = place + step in range(len(names))
            st.button(
                label, key=f"learn.{label.lower()}", disabled=not there, on_click=turn_to,
                args=(names[place + step] if there else name,),
                type="primary" if step > 0 else "secondary",
            )  # fmt: skip
    current().here = {"scene": str(place + 1)}
    return SCENES[name]


def number_scene(name: str) -> str:
    return f"{list(SCENES).index(name) + 1} {name}"


def turn_to(name: str) -> None:
    st.session_state[SCENE] = name


def choose(scene: Scene) -> dict[str, Any]:
    """The one thing to move in a scene, by the field of the lesson."""
    if scene.moves == "place":
        return {"place": choose_place()}
    moved = {scene.moves: slide(scene.moves)}
    if scene.name == "Outliers":
        moved["robust"] = pick_one("How it is fitted", FITS, "learn.fit") == ROBUST
    return moved


def choose_others(scene: Scene) -> dict[str, Any]:
    """All else that can be moved, behind a button."""
    names = ["noise", "rows", "mixed", "overlap", *(["k"] if scene.name == "Places" else [])]
    with st.popover("More to move", icon=":material/tune:"):
        return {name: slide(name) for name in names if name != scene.moves}


def slide(name: str) -> Any:
    label, values, why = SLIDERS[name]
    usual = getattr(Lesson(outliers=1), name)
    key = f"learn.{name}"
    recall_view(key, usual, lambda said: next((v for v in values if str(v) == said), None))
    chosen = st.select_slider(label, values, key=key, help=why, persist_state="session")
    return note_view(key, chosen, usual)


def choose_place() -> tuple[float, ...]:
    """Shares of three patterns from two sliders, which a click in the triangle moves too."""
    for key, usual in USUAL_PLACE.items():
        recall_view(key, usual, lambda said: min(int(said), WHOLE) if said.isdecimal() else None)
    make_room(FIRST, SECOND)
    for key, other, label in ((FIRST, SECOND, "Pattern 1"), (SECOND, FIRST, "Pattern 2")):
        st.slider(
            f"Share of {label.lower()} in yours", 0, WHOLE, step=5, format="%d%%", key=key,
            on_change=make_room, args=(key, other), persist_state="session",
        )  # fmt: skip
    first, second = (note_view(key, st.session_state[key], USUAL_PLACE[key]) for key in USUAL_PLACE)
    return first / WHOLE, second / WHOLE, (WHOLE - first - second) / WHOLE


def make_room(moved: str, other: str) -> None:
    """Shares do not sum to more than one: the other gives way."""
    st.session_state[other] = min(st.session_state[other], WHOLE - st.session_state[moved])


def take_place(key: str) -> None:
    """To where the triangle was clicked."""
    shares = picks.customdata(st.session_state[key].selection.points)[:3]
    if len(shares) == 3:
        st.session_state[FIRST], st.session_state[SECOND] = (round(WHOLE * v) for v in shares[:2])


def show_truth(scene: Scene) -> bool:
    """Hidden until asked for, and again in the next scene."""
    return scene.hides and st.toggle("Show the truth", key=f"learn.truth.{scene.name}")


def draw(scene: Scene, lesson: Lesson, result: Fitted, shown: bool, words: list[str]) -> None:
    """The picture of a scene, in large type; its description is what the scene says."""
    pictures = PICTURES[scene.name](lesson, result, shown)
    widths = [3, 2] if len(pictures) == 2 else [1]
    for column, (key, title, figure) in zip(st.columns(widths), pictures, strict=True):
        made = [Sources(result.data, result, parts=[part_of_lesson(result, lesson.place)])]
        after = [f"figures.enlarge(figure, {spell(title)})"]
        script, file = write_script(figure, made, after=after), f"learn-{key}"
        figures.enlarge(figure, title)
        options: dict[str, Any] = {}
        if key == "triangle":
            key = f"learn.triangle.{lesson.place}"  # a click begins afresh
            options = {"on_select": lambda key=key: take_place(key), "selection_mode": "points"}
        alt = " ".join([f"{title}.", *words]).replace("**", "")
        with column:
            st.plotly_chart(figure, key=key, alt=alt, config={"displayModeBar": False}, **options)
            with st.container(horizontal=True, horizontal_alignment="right"):
                charts.offer_script(script, file)


def draw_alone(lesson: Lesson, result: Fitted, shown: bool) -> list[tuple[str, str, go.Figure]]:
    truth, names = learning.truth_of(result.data), list(result.model.task_names_)
    figure = figures.coefficients(
        result.model.single_task_coef_.T,
        truth.W if shown else None,
        task_names=names,
        height=HEIGHT - 40,
    )
    figure.update_layout(coloraxis_showscale=False, margin_b=80)
    return [("alone", "Weights of tasks fitted alone", figure)]


def draw_mixture(lesson: Lesson, result: Fitted, shown: bool) -> list[tuple[str, str, go.Figure]]:
    V, truth = learning.in_true_order(result), learning.truth_of(result.data)
    triangle = figures.memberships(
        V[:, :-1],
        pure=result.model.pure_[:-1],
        new=V[:, -1:],
        new_true=truth.V[:, -1:],
        new_names=["found"],
        height=HEIGHT,
    )
    name_corners(triangle)
    placing.click_places(triangle)
    parts = zip(lesson.place, learning.PATTERNS, strict=True)
    blend = figures.pattern_bars(
        np.column_stack([truth.U * lesson.place, truth.W[:, -1]]),
        names=[*(f"{v:.0%} of {name}" for v, name in parts), "Together: yours"],
        colours=[*figures.cluster_colours(3), *figures.task_colours(truth.V[:, -1:])],
    )
    return [
        ("triangle", "Click to place yours (☆)", triangle),
        ("blend", "What yours is made of", blend),
    ]


def draw_similarity(
    lesson: Lesson, result: Fitted, shown: bool
) -> list[tuple[str, str, go.Figure]]:
    model, first = result.model, result.model.history_[0]
    figure = figures.blocks(
        cosines(model.single_task_coef_ @ model.single_task_coef_.T),
        first.purity,
        first.V[learning.true_order(result)],
        pure=first.pure,
        colours=figures.task_colours(learning.truth_of(result.data).V) if shown else None,
        task_names=list(model.task_names_),
        height=HEIGHT,
    )
    title = "Colours: the truth" if shown else "Purity, and who is like whom"
    return [("similarity", title, figure)]


def draw_places(lesson: Lesson, result: Fitted, shown: bool) -> list[tuple[str, str, go.Figure]]:
    model, truth = result.model, learning.truth_of(result.data)
    V = (
        learning.in_true_order(result)[: max(lesson.k, 3)]
        if lesson.k >= 3
        else model.memberships_.T
    )
    figure = figures.memberships(
        V, truth.V if shown else None, pure=model.pure_, task_names=list(model.task_names_),
        flat=True, height=HEIGHT,
    )  # fmt: skip
    drawn = shown and lesson.k >= 3
    title = "Hollow: true places" if drawn else "Where each task was found"
    return [("places", title, figure)]


def draw_sparse(lesson: Lesson, result: Fitted, shown: bool) -> list[tuple[str, str, go.Figure]]:
    figure = figures.pattern_bars(
        learning.patterns_of(result),
        learning.truth_of(result.data).U if shown else None,
        names=[name.capitalize() for name in learning.PATTERNS],
        colours=figures.cluster_colours(3),
    )
    return [("sparse", "Bars: found. Dashes: true" if shown else "The patterns found", figure)]


def draw_outliers(lesson: Lesson, result: Fitted, shown: bool) -> list[tuple[str, str, go.Figure]]:
    model, truth = result.model, learning.truth_of(result.data)
    V, odd = learning.in_true_order(result), truth.outliers
    figure = figures.memberships(
        V[:, ~odd],
        truth.V[:, ~odd] if shown else None,
        pure=model.pure_[~odd],
        task_names=list(model.task_names_[~odd]),
        new=V[:, odd] if odd.any() else None,
        new_names=[OUTLIER] * int(odd.sum()),
        height=HEIGHT,
    )
    if model.outliers_.any():
        placing.put_aside(figure, list(model.task_names_[model.outliers_]))
    title = ROBUST if lesson.robust else PLAIN
    if shown:  # lines to true places would cross the names of outliers
        figure.layout.annotations = [
            note for note in figure.layout.annotations if not note.text.startswith(OUTLIER)
        ]
        stars = "Stars: outliers. " if V[:, odd].any() else f"{title}. "
        title = f"{stars}Hollow: true places"
    return [("outliers", title, figure)]


def name_corners(figure: go.Figure) -> None:
    """Patterns, not clusters, where nothing has been found yet."""
    figure.for_each_annotation(
        lambda a: a.update(text=a.text.split("<")[0].replace("Cluster", "Pattern"))
    )


Draw = Callable[[Lesson, Fitted, bool], list[tuple[str, str, go.Figure]]]
PICTURES: dict[str, Draw] = {
    "Alone": draw_alone,
    "Mixtures": draw_mixture,
    "Similarity": draw_similarity,
    "Places": draw_places,
    "Sparse": draw_sparse,
    "Outliers": draw_outliers,
}
