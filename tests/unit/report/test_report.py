"""The report: whole, true to the model, and deaf to what names may say."""

import base64
import hashlib
import json
import re
from copy import deepcopy
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, figures, load, metrics
from stcmtl.evaluation import choices, predictions, summary
from stcmtl.evaluation.cards import cluster_cards
from stcmtl.evaluation.simple_ways import Errors
from stcmtl.report import report_html, write_report
from tests.unit.kinds import KINDS, LOSSES, model_of, tasks_of
from tests.unit.small import MODELS, K, T, fit, small

HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(2)>&amp;\u2028'


class Reader(HTMLParser):
    """The words, tags and scripts of a page as a browser would find them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.labels: list[str] = []
        self.scripts: list[str] = []
        self.blocks: list[Any] = []
        self.words: list[str] = []
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self._inside = given.get("type") or tag if tag in ("script", "style") else ""
        self.labels += [given["aria-label"]] if given.get("aria-label") else []

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts.append(data)
        elif self._inside == "application/json":
            self.blocks.append(json.loads(data))
        elif not self._inside:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def titles(self) -> list[str]:
        return [block["layout"]["title"]["text"] for block in self.blocks]


@cache
def bare() -> str:
    """Of the small regression, by its model alone."""
    return report_html(fit(STCMTLRegressor, small(STCMTLRegressor)))


@cache
def read_bare() -> Reader:
    return Reader(bare())


@cache
def read_whole(model: Any) -> Reader:
    """With all that there is to tell of a small fit."""
    data = small(model)
    return Reader(report_html(fit(model, data), data, test=data))


def hostile(model: Any) -> TaskSet:
    data = small(model)
    tasks = np.array([f"{HOSTILE}{name}" for name in data.tasks], dtype=object)
    features = [f"{HOSTILE}{name}" for name in data.feature_names]
    return TaskSet(pd.DataFrame(data.X, columns=features), data.y, tasks, task_type=data.task_type)


@pytest.mark.parametrize("model", MODELS)
def test_headline_data_errors_and_truth(model: Any) -> None:
    data = small(model)
    fitted = fit(model, data)
    page = read_whole(model)
    assert summary.say_found(fitted, data.truth) in page.text
    assert summary.data_account(data) in page.text
    name = "RMSE" if model is STCMTLRegressor else "error rate"
    shown = page.words[page.words.index(f"{name} on test rows") + 1]
    assert float(shown) == pytest.approx(predictions.overall_error(fitted, data), rel=0.006)
    mcc = page.words[page.words.index("Feature selection (MCC), 1 is perfect") + 1]
    assert float(mcc) == pytest.approx(metrics.mcc(data.truth.W, fitted.coef_.T), rel=0.006)


def test_errors_stand_beside_those_of_simple_ways() -> None:
    data = small(STCMTLRegressor)
    fitted = fit(STCMTLRegressor, data)
    errors = Errors(fit=0.5, lasso=0.75, pooled=1.25, alone=0.625)
    page = Reader(report_html(fitted, data, test=data, errors=errors))
    words = page.words
    assert "On rows the fit has not seen: error" in page.text
    assert "than with every task fitted alone (0.625)" in page.text
    told = {"the same, every task fitted alone": "0.625", "the same, one fit for all": "1.25"}
    assert {name: words[words.index(name) + 1] for name in told} == told
    assert not {*told} & {*read_whole(STCMTLRegressor).words}


def test_cards_are_held_against_the_best_separate_fits_or_none() -> None:
    data = small(STCMTLRegressor)
    fitted = fit(STCMTLRegressor, data)
    for alone, is_said in ((None, True), (0.8, True), (0.625, False)):
        errors = Errors(fit=0.5, lasso=0.75, alone=alone)
        said = (
            "separate LASSO fits"
            in Reader(report_html(fitted, data, test=data, errors=errors)).text
        )
        assert is_said is said


def test_where_clusters_do_not_help_nobody_is_alike_and_nothing_drives_them() -> None:
    model, rows = model_of("simplex"), tasks_of("simplex")
    helped, doubted = (
        Reader(report_html(model, rows, doubts=doubts)).text
        for doubts in ([], ["3 clusters do not help here."])
    )
    for claim in ("Who is alike, and why", "Driven by", "its own"):
        assert claim in helped
        assert claim not in doubted.replace("each with its own", "").partition("words mean")[0]
    assert "How this fit sorts the tasks" in doubted
    assert "tasks of one cluster need not be alike" in doubted


def test_one_pattern_is_no_finding_where_features_say_nothing() -> None:
    model, rows = model_of("one"), tasks_of("one")
    for error, is_said in ((0.1, True), (100.0, False)):
        report = report_html(model, rows, test=rows, errors=Errors(error, error))
        assert (summary.verdict(model) in Reader(report).text) is is_said


def test_every_task_and_selected_feature_has_a_row() -> None:
    fitted = fit(STCMTLRegressor, small(STCMTLRegressor))
    page = read_whole(STCMTLRegressor)
    n_selected = int(fitted.cluster_coef_.any(axis=0).sum())
    drivers = sum(
        1 + len({*card.largest, *card.own})
        for card in cluster_cards(fitted, small(STCMTLRegressor))
    )
    assert page.tags.count("tr") == T + n_selected + 2 + drivers
    assert set(map(str, fitted.task_names_)) <= set(page.words)


def test_nothing_but_the_model_is_enough() -> None:
    page = read_bare()
    assert "How well it predicts" not in page.words
    assert not any("True" in title for title in page.titles)


def test_figures_carry_the_models_values_and_a_text_alternative() -> None:
    fitted = fit(STCMTLRegressor, small(STCMTLRegressor))
    page = read_bare()
    bars = next(b for b in page.blocks if b["data"][0]["type"] == "bar")
    order = bars["data"][0]["customdata"]
    places = np.frombuffer(base64.b64decode(order["bdata"]), order["dtype"])
    shares = np.frombuffer(base64.b64decode(bars["data"][0]["y"]["bdata"]))
    np.testing.assert_array_equal(shares, fitted.memberships_[places, 0])
    figures = page.tags.count("figure")
    assert (
        figures == len(page.blocks) == sum(": " in label or ". " in label for label in page.labels)
    )


@pytest.mark.parametrize("model", MODELS)
def test_hostile_names_stay_text(model: Any) -> None:
    data = hostile(model)
    fitted = fit(model, data)
    page = Reader(report_html(fitted, data, test=data, title=HOSTILE))
    assert page.text.count(HOSTILE) > T
    assert "img" not in page.tags
    assert len(page.scripts) == 2
    for block in page.blocks:
        del block["layout"]["meta"]  # the description is plain text, which nothing draws
    drawn = json.dumps(page.blocks)
    assert "&lt;script&gt;" in drawn
    assert "<script" not in drawn


def sentences_with(before: str) -> list[str]:
    """What a report says outside of its tables, of tasks and features whose names begin so."""
    data = small(STCMTLRegressor)
    tasks = np.array([f"{before}{name}" for name in data.tasks], dtype=object)
    X = pd.DataFrame(data.X, columns=[f"{before}{name}" for name in data.feature_names])
    named = TaskSet(X, data.y, tasks)
    html = report_html(fit(STCMTLRegressor, named), named, test=named)
    said = re.findall(r"<(p|h\d|li|caption)\b[^>]*>(.*?)</\1>", html, re.DOTALL)
    return [text for _, text in said]


def test_no_sentence_quotes_a_name_at_length() -> None:
    said = sentences_with("L" * 200)
    quoted = [max(map(len, re.findall("L+", text)), default=0) for text in said]
    assert 70 < max(quoted) <= 80


def test_names_do_not_turn_a_sentence_round() -> None:
    said = " ".join(sentences_with("\u202e"))
    assert "\u202e" not in said
    assert "Driven by ?" in said


def test_only_our_scripts_may_run_and_nothing_is_fetched() -> None:
    html = bare()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    allowed = re.findall(r"'sha256-([^']*)'", policy)
    ran = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in read_bare().scripts
    ]
    assert sorted(allowed) == sorted(ran)
    assert "default-src 'none'" in policy
    assert not re.search(r"<(link|iframe|script)[^>]* (src|href)=", html)


def test_one_cluster() -> None:
    data = small(STCMTLClassifier)
    page = Reader(report_html(fit(STCMTLClassifier, data, n_clusters=1), data))
    assert f"One cluster of {T} tasks" in page.text
    assert f"All {T} tasks in one cluster" in page.titles


@pytest.mark.parametrize("model", LOSSES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_has_a_report(kind: str, model: Any) -> None:
    fitted, data = model_of(kind, model), tasks_of(kind, model)
    page = Reader(report_html(fitted, data, test=data))
    assert summary.say_found(fitted) in page.words
    assert summary.verdict(fitted) in page.text
    clustered = kind != "alone"
    for title in ("Memberships", "Outlier tasks", "Convergence"):
        assert (title in page.words) == clustered
    names = [trace["name"] for block in page.blocks for trace in block["data"] if "name" in trace]
    assert (
        figures.own_shares(fitted.own_share_, fitted.memberships_.T).layout.title.text
        in page.titles
    ) == (fitted.own_ == "deviation")
    assert ("strength 2" in names) == (fitted.shape_ == "cone")


def test_a_model_that_chose_for_itself_says_what_and_shows_from_what() -> None:
    data = small(STCMTLRegressor)
    model = fit(STCMTLRegressor, data, n_clusters="auto", shape="auto", own="auto")
    page = Reader(report_html(model, data))
    assert "What the data speak for" in page.words
    assert f"{choices.say_taken(model.choices_)}. " in page.text
    assert choices.say_comparisons(model.choices_, "RMSE") in page.text
    drawn = figures.choice_curve(model.selection_, model.choices_, "RMSE")
    assert page.titles[0] == drawn.layout.title.text
    for choice in model.choices_:
        row = page.words.index(choices.name_choice(choice))
        error, se = map(float, page.words[row + 1].split(" ± "))
        assert error == pytest.approx(choice.error, rel=0.006)
        assert se == pytest.approx(choice.se, rel=0.06)
        assert choice.why in page.words


def test_outlier_tasks_belong_to_no_cluster() -> None:
    model = deepcopy(fit(STCMTLRegressor, small(STCMTLRegressor)))
    model.robust = True
    model.outliers_ = np.arange(T) == 2
    model.memberships_[2] = 0
    page = Reader(report_html(model))
    assert "1 outlier" in page.text
    row = page.words.index(str(model.task_names_[2]))
    assert page.words[row + 1] == "–"


def test_a_loaded_model_gives_the_same_report(tmp_path: Path) -> None:
    data = small(STCMTLRegressor)
    model = fit(STCMTLRegressor, data)
    model.save(tmp_path / "model.stcmtl")
    write_report(tmp_path / "one.html", model, data)
    write_report(tmp_path / "two.html", load(tmp_path / "model.stcmtl"), data)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_truth_about_other_tasks_is_left_alone() -> None:
    data = small(STCMTLRegressor)
    kept = data.tasks != data.task_names[0]
    fewer = replace(data, X=data.X[kept], y=data.y[kept], tasks=data.tasks[kept])
    page = Reader(report_html(fit(STCMTLRegressor, data), fewer))
    assert "as simulated" not in page.text


SELECTION = SimpleNamespace(
    ks=[1, 2, K],
    error=[1.0, 0.8, 0.5],
    se=[0.01] * 3,
    seconds=[0.1] * 3,
    one_se=K,
    best=K,
    metric="RMSE",
    singular_ratios=[1.0, 3.0, 1.0],
)


def test_the_curve_over_k_comes_with_a_selection() -> None:
    page = Reader(report_html(fit(STCMTLRegressor, small(STCMTLRegressor)), selection=SELECTION))
    gap = "The largest ratio is that for K = 3"
    assert page.titles[:2] == ["Held-out error by number of clusters", gap]


def test_features_in_different_units_are_shown_times_their_spread() -> None:
    data = small(STCMTLRegressor)
    X = data.X * np.where(np.arange(data.X.shape[1]) == 3, 1000.0, 1.0)
    wide = TaskSet(X, data.y, data.tasks)
    model = fit(STCMTLRegressor, wide)
    found = Reader(report_html(model, wide))
    assert summary.scale_account(model, wide.feature_names) in found.text
    assert "strongest first (coefficient × standard deviation)" in found.text
    assert "Colour: coefficient × standard deviation" in " ".join(found.labels)
    assert "per standard deviation" in found.text
    assert "standard deviation" not in read_bare().text


def test_standard_errors_stand_beside_the_coefficients() -> None:
    page = read_bare()
    assert any("its standard error (s.e.)" in label for label in page.labels)
    assert "s.e. 1" in page.words
