"""Paper: the same in every state, shipped or run here, with values from the files."""

import re

import numpy as np
import pandas as pd
import pytest

from stcmtl import metrics
from stcmtl.paper import settings, table
from stcmtl.paper.experiments import CURVE, OBJECTIVE, PATTERNS
from stcmtl.paper.results import read_shipped
from stcmtl.phrases import digits, duration
from stcmtl.progress import drain
from stcmtl.studio.widgets import paper
from tests.app.states import EMPTY, Visit, sentences, trace
from tests.app.states import numbers as numbers_of
from tests.unit.paper.tiny import run_of, shrink


def table_of(app: Visit) -> pd.DataFrame:
    return app.dataframe[0].value.set_index("method")


def waited_for(app: Visit) -> None:
    """Until the job that was started has ended and the page shows it."""
    while (job := app.session.job) is not None:
        assert job.wait(60)
        app.run()


def mean_of(setting: str, method: str) -> float:
    (run,) = (run for run in read_shipped(setting) if run.method == method)
    return float(np.mean([score.error for score in run.scores]))


def test_shipped_results_stand_beside_the_papers() -> None:
    app = Visit("paper", EMPTY)
    refined = mean_of("sparse-200", "STCMTL refined")
    again = mean_of("sparse-200", "STCMTL paper")
    assert app.headline.startswith(
        f"RMSE {digits(refined)} by STCMTL refined, which is ours, {digits(again)} by the paper's "
        "algorithm run again, 0.510 printed in the paper"
    )
    shown = table_of(app)
    cell = table.cells()["sparse-200", "LASSO", "RMSE"]
    assert shown.loc["LASSO", "paper"] == cell.mean
    assert shown.loc["LASSO", "ours"] == pytest.approx(mean_of("sparse-200", "LASSO"))
    assert shown.loc["STCMTL refined", "ratio"] == pytest.approx(refined / 0.510)
    assert shown.loc["LASSO", "oracle"] == pytest.approx(mean_of("sparse-200", "oracle"))
    assert f":orange-badge[noise] {table.reasons()['noise']}" in sentences(app.markdown)
    command = "python -m stcmtl paper --setting sparse-200 --method lasso"
    assert app.code[0].value.count(command) == 1


def test_the_contradictions_are_marked() -> None:
    app = Visit("paper", EMPTY)
    app.session_state["paper.measure.sparse-200"] = "REE"
    app.run()
    shown = table_of(app)
    assert shown.loc["VSTG-MTL", "marks"] == "definition, contradiction"
    assert table.reasons()["contradiction"] in sentences(app.markdown)


def test_a_setting_without_results_has_the_papers_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "read_shipped", lambda setting: ())
    app = Visit("paper", EMPTY)
    app.selectbox(key="paper.setting").set_value("isolet").run()
    assert app.headline.endswith("STCMTL refined was not run")
    assert "paper's numbers alone" in sentences(app.caption)
    assert table_of(app).loc["STCMTL", "paper"] == 0.191


def test_where_clusters_help_and_where_not_is_computed() -> None:
    app = Visit("paper", EMPTY)
    said = sentences(app.markdown)
    for name, verdict in (("digits-10", "does not help here"), ("digits-40", "helps here")):
        assert str(table.verdict(name, read_shipped(name))) in said
        title = settings.SETTINGS[name].title
        assert f"**{title}.** Semisoft clustering {verdict}: error rate" in said
    runs = [run_of("digits-40", m, e) for m, e in (("STCMTL refined", 0.9), ("LASSO", 0.5))]
    app.session.paper_runs = tuple(runs)
    app.run()
    assert "Semisoft clustering does not help here: error rate 0.9 against 0.5" in sentences(
        app.markdown
    )


def test_a_run_here_takes_the_place_of_what_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)
    app = Visit("paper", EMPTY)
    app.multiselect(key="paper.methods.sparse-200").set_value(["LASSO"]).run()
    (timed,) = (run for run in read_shipped("sparse-200") if run.method == "LASSO")
    about = duration(np.mean([score.seconds for score in timed.scores]))
    assert f"About {about} on a machine" in sentences(app.caption)
    app.button(key="paper.run").click().run()
    waited_for(app)
    ran = app.session.paper_runs
    assert [run.method for run in ran] == ["LASSO", "oracle"]
    assert table_of(app).loc["LASSO", "ours"] == ran[0].scores[0].error
    assert "Run here: 1 repetition, seed 0." in sentences(app.caption)
    app.button(key="paper.shipped").click().run()
    assert table_of(app).loc["LASSO", "ours"] == pytest.approx(mean_of("sparse-200", "LASSO"))


def test_missing_files_are_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("STCMTL_DATA", str(tmp_path_factory.mktemp("nothing")))
    sentence = "School was not found: put school.mat in"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        drain(paper.run_steps("school", ["LASSO"], 1))
    app = Visit("paper", EMPTY)
    app.selectbox(key="paper.setting").set_value("school").run()
    app.button(key="paper.draw").click().run()
    waited_for(app)
    assert sentences(app.error).startswith(sentence)


@pytest.mark.parametrize("figure", [CURVE, PATTERNS, OBJECTIVE])
def test_the_figures(figure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)
    picture = drain(paper.drawing_steps(figure, "sparse-200"))
    app = Visit("paper", EMPTY)
    assert not app.figures
    assert app.button(key="paper.draw").label == "Compute it for this setting"
    app.session.paper_picture = picture
    app.session_state["paper.figure.True"] = figure
    app.run()
    (drawn,) = app.figures
    if figure == PATTERNS:
        data = picture.data
        D, T = data.true.shape
        said = drawn["layout"]["meta"]["description"]
        assert f"{D} features down and {T} tasks" in said
        for method, W in data.estimated.items():
            assert f"{method} MCC {metrics.mcc(data.true, W):.3f}" in said
            states = numbers_of(trace(drawn, method)["z"])
            assert (states == 1).sum() == ((W != 0) & (data.true != 0)).sum()
            assert (states == 3).sum() == ((W != 0) & (data.true == 0)).sum()
        return
    line = next(t for t in drawn["data"] if t.get("mode") == "lines+markers")
    expected = {
        CURVE: lambda: picture.data.error,
        OBJECTIVE: lambda: [state.objective for state in picture.data],
    }[figure]()
    assert numbers_of(line["y"]) == pytest.approx(expected)


def test_choosing_k_takes_its_time_too() -> None:
    (run,) = (run for run in read_shipped("school") if run.method == "STCMTL refined")
    each = float(np.mean([score.seconds for score in run.scores]))
    assert duration(2 * 5 * each) in paper.expected("school", ["STCMTL refined"], 2)
    lasso = paper.expected("school", ["LASSO"], 1)  # is not told any
    assert lasso.startswith("About a second")


def test_the_table_of_the_paper_is_named_and_what_it_has_besides() -> None:
    assert paper.beside("school", "RMSE").startswith("Table 4 of the paper.")
    said = paper.beside("sparse-200", "seconds")
    assert said.startswith("Table 3 of the paper. Synthetic tasks: seconds.")
    assert "5.1 s for updating U and 0.9 s for V" in said
    assert "updating" not in paper.beside("sparse-200", "RMSE")
    assert paper.beside("digits-10", "error rate") == ""
