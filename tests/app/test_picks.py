"""Picks: a click adds or lets go, a box adds, and every view begins afresh."""

from streamlit.testing.v1 import AppTest


def story() -> None:
    """What a visitor does, step by step, and what is picked after each."""
    from types import SimpleNamespace

    import streamlit as st

    from stcmtl.studio.state import picks
    from stcmtl.studio.state.session import current

    log = []

    def note() -> None:
        log.append((sorted(current().picked), picks.key_of("chart"), picks.key_of("table")))

    def select(view: str, **selection: list) -> None:
        st.session_state[picks.key_of(view)] = SimpleNamespace(
            selection=SimpleNamespace(**selection)
        )

    def touch(*points: dict) -> None:
        select("chart", points=list(points))
        picks.from_points("chart")
        note()

    touch({"customdata": 3})
    touch({"customdata": [5]})
    touch({"customdata": 3}, {"customdata": 3})  # two traces of one task
    touch({"customdata": 5}, {"customdata": 7}, {"x": 1.0})  # a line carries no task
    select("table", rows=[7, 8])
    picks.from_rows("table", range(20))
    note()
    picks.clear()
    note()
    touch({"customdata": [1, 2]})  # a cluster carries its tasks
    touch({"customdata": None}, {"customdata": 2})
    st.session_state["log"] = log


def test_a_visit() -> None:
    app = AppTest.from_function(story).run()
    assert not app.exception
    log = app.session_state["log"]
    assert [tasks for tasks, _, _ in log] == [[3], [3, 5], [5], [5, 7], [7, 8], [], [1, 2], [1]]
    charts = [chart for _, chart, _ in log]
    assert len(set(charts)) == len(charts)  # a new key with each pick
    tables = [table for _, _, table in log]
    assert tables[4] == tables[3]  # kept where its rows were picked
    assert len(set(tables)) == len(tables) - 1
