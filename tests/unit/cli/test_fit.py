"""``fit`` writes what the estimator finds in the same data, and says the same numbers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, load, metrics, read, simulate
from stcmtl.cli.files import TABLES
from stcmtl.cli.fit import MOST_CHOICES
from stcmtl.cli.parser import COMMANDS
from stcmtl.data.datasets import split_rows
from stcmtl.evaluation.choices import name_choice, say_comparisons, say_taken
from stcmtl.evaluation.summary import suspects_account
from stcmtl.io.write import write_tasks
from tests.unit.cli.small_files import error, pipe, run, run_json, school_frame, written
from tests.unit.plain import GIVEN

Capture = pytest.CaptureFixture[str]
NAMED = ["--task", "school", "--target", "score"]
TWO = ["--clusters", "2", "--shape", "simplex", "--own", "none"]  # nothing is left to choose
AUTO = {"n_clusters": "auto", "shape": "auto", "own": "auto"}
NUMBERS = [*"abcde", "score"]


@pytest.fixture
def schools(tmp_path: Path) -> str:
    return written(school_frame(), tmp_path / "schools.csv")


def test_labels_have_a_loss_of_their_own(tmp_path: Path, capsys: Capture) -> None:
    path = written(school_frame(40, labels=True), tmp_path / "schools.csv")
    said = error(capsys, "fit", path, *NAMED, "--loss", "huber", "--quiet")
    assert said == "--loss is 'huber': it must be 'auto', as labels have the logistic loss."


def school_rows(path: str) -> TaskSet:
    return read(path, task="school", target="score")[0]


def fitted(data: TaskSet, model: type = STCMTLRegressor, **options: object) -> STCMTLRegressor:
    settings = {"n_clusters": 2, "random_state": 0, **GIVEN, **options}
    return model(**settings).fit(data.features(), data.y, data.tasks)


def test_targets_in_different_units_are_told(tmp_path: Path, capsys: Capture) -> None:
    frame = school_frame()
    for size, told in ((1e4, True), (1.0, False)):
        one = np.where(frame["school"] == "east", size, 1.0)
        path = written(frame.assign(score=one * frame["score"]), tmp_path / "schools.csv")
        out = tmp_path / str(size)
        code, said, _ = run(capsys, "fit", path, *NAMED, *TWO, "--out", str(out))
        assert code == 0
        kept = "".join(file.read_text() for file in out.glob("*.txt"))
        for text in (said, kept):
            assert ("The target of task 'east' varies" in text) == told


def test_results_are_the_estimators(schools: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "new" / "results"
    document = run_json(capsys, "fit", schools, *NAMED, *TWO, "--out", str(out))
    data = school_rows(schools)
    model, saved = fitted(data), load(out / "model.stcmtl")
    assert np.array_equal(saved.coef_, model.coef_)
    assert np.array_equal(saved.intercept_, model.intercept_)
    assert saved.feature_names_in_.tolist()[-3:] == ["colour=blue", "colour=green", "colour=red"]
    assert " ".join(document) == COMMANDS["fit"].keys
    assert (document["tasks"], document["rows"], document["features"]) == (6, 120, 8)
    assert document["clusters"] == 2
    assert document["pure"] == model.pure_.sum()
    assert document["pure"] + document["mixed"] == 6
    assert document["features_used"] == (model.cluster_coef_ != 0).any(axis=0).sum()
    predicted = data.y - model.predict(data.features(), data.tasks)
    assert document["training_error"] == pytest.approx(np.sqrt(np.mean(predicted**2)))
    assert (document["metric"], document["test_error"]) == ("RMSE", None)
    assert [Path(name).name for name in document["written"]] == [
        *("model.stcmtl", "memberships.csv", "coefficients.csv", "cluster_coefficients.csv"),
        *("cluster_standard_errors.csv", "tasks.csv", "account.txt"),
    ]
    shares = pd.read_csv(out / "memberships.csv").set_index("task")
    assert shares.loc[model.task_names_].to_numpy() == pytest.approx(model.memberships_)
    table = pd.DataFrame(document["task_table"])
    assert table["task"].tolist() == model.task_names_.tolist()
    assert table["rows"].tolist() == [20] * 6
    counts = [row["tasks"] for row in document["cluster_table"]]
    assert counts == np.bincount(model.labels_, minlength=2).tolist()


def test_a_person_reads_sentences(schools: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "results"
    code, text, err = run(capsys, "fit", schools, *NAMED, *TWO, "--out", str(out))
    assert (code, err) == (0, "")
    assert "6 tasks, 120 rows (20 per task), 8 features; the target is for regression." in text
    assert "Encoded 'colour': blue, green, red." in text
    assert "2 clusters, " in text
    account = (out / "account.txt").read_text(encoding="utf-8")
    told, _, last = text.rstrip().rpartition("\n")
    assert account.strip() == told.strip()
    assert last.startswith("Wrote ")


def test_everything_is_chosen_by_cross_validation(
    schools: str, tmp_path: Path, capsys: Capture
) -> None:
    out = str(tmp_path / "results")
    document = run_json(capsys, "fit", schools, *NAMED, "--jobs", "2", "--out", out)
    data = school_rows(schools)
    model = fitted(data, **AUTO)
    assert document["clusters"] == model.n_clusters_
    assert (document["shape"], document["own"]) == (model.shape_, model.own_)
    assert document["selection"]["ks"] == model.selection_.ks.tolist()
    assert document["selection"]["error"] == pytest.approx(model.selection_.error)
    assert [choice["error"] for choice in document["choices"]] == pytest.approx(
        [choice.error for choice in model.choices_]
    )
    assert [choice["taken"] for choice in document["choices"]].count(True) == 1
    saved = load(tmp_path / "results" / "model.stcmtl")
    assert np.array_equal(saved.coef_, model.coef_)
    assert np.array_equal(saved.selection_.error, model.selection_.error)


def test_what_was_chosen_is_told_with_the_best_of_the_rest(schools: str, capsys: Capture) -> None:
    code, text, _ = run(capsys, "fit", schools, *NAMED)
    assert code == 0
    model = fitted(school_rows(schools), **AUTO)
    lines = text.splitlines()
    assert f"{say_taken(model.choices_)}. {say_comparisons(model.choices_, 'RMSE')}" in lines
    (taken,) = (choice for choice in model.choices_ if choice.taken)
    (marked,) = (line for line in lines if line.startswith("* ") and "taken:" not in line)
    assert marked.startswith(f"* {name_choice(taken)}")
    assert marked.split()[-3] == f"{taken.error:.4g}"
    for choice in model.choices_[:MOST_CHOICES]:
        assert any(line[2:].startswith(name_choice(choice)) for line in lines)
    rest = len([c for c in model.choices_[MOST_CHOICES:] if not c.taken])
    assert f"* taken: the simplest that predicts as well as the best; {rest} more tried." in lines


def test_no_clusters(schools: str, tmp_path: Path, capsys: Capture) -> None:
    arguments = ["fit", schools, *NAMED, "--clusters", "0", "--out", str(tmp_path / "out")]
    document = run_json(capsys, *arguments)
    assert (document["clusters"], document["own"]) == (0, "alone")
    assert (document["pure"], document["mixed"], document["cluster_table"]) == (0, 0, [])
    model = fitted(school_rows(schools), n_clusters=0, own="alone")
    assert document["features_used"] == (model.coef_ != 0).any(axis=0).sum()
    assert np.array_equal(load(tmp_path / "out" / "model.stcmtl").coef_, model.coef_)
    code, text, _ = run(capsys, *arguments, "--force")
    assert code == 0
    assert "No clusters: 6 tasks, each on its own; " in text


@pytest.mark.parametrize(
    ("options", "settings", "words"),
    [
        (["--shape", "cone", "--own", "none"], ("cone", "none"), "2 clusters with strengths, "),
        (["--shape", "span", "--own", "none"], ("span", "none"), "2 patterns that can be subtr"),
        (["--own", "deviation"], ("auto", "deviation"), "with a part of each task's own; "),
    ],
)
def test_shape_and_own_part_can_be_given(
    options: list[str],
    settings: tuple[str, str],
    words: str,
    schools: str,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    arguments = ["fit", schools, *NAMED, "--clusters", "2", *options, "--out", str(tmp_path)]
    code, text, _ = run(capsys, *arguments, "--force")
    assert code == 0
    model = load(tmp_path / "model.stcmtl")
    assert (model.shape, model.own) == settings
    assert words in text


def test_outlier_tasks(tmp_path: Path, capsys: Capture) -> None:
    sim = simulate(12, 30, 2, n_train=40, n_outliers=1)
    write_tasks(sim.train, tmp_path / "tasks.npz")
    document = run_json(capsys, "fit", str(tmp_path / "tasks.npz"), *TWO, "--robust")
    assert document["outliers"] == ["task13"]
    assert document["pure"] + document["mixed"] == 12
    assert sum(row["tasks"] for row in document["cluster_table"]) == 12
    code, out, _ = run(capsys, "fit", str(tmp_path / "tasks.npz"), *TWO, "--robust")
    assert code == 0
    assert "Outlier tasks, like no cluster: task13." in out.splitlines()


@pytest.mark.parametrize(
    ("options", "features"),
    [
        (["--features", "a", "--features", "colour"], ["a", "colour"]),
        (["--exclude", "colour", "--exclude", "b"], ["a", "c", "d", "e"]),
    ],
)
def test_features_can_be_chosen(
    options: list[str], features: list[str], schools: str, tmp_path: Path, capsys: Capture
) -> None:
    arguments = ["fit", schools, *NAMED, *TWO, *options, "--out", str(tmp_path)]
    assert run(capsys, *arguments)[0] == 0
    used = {name.partition("=")[0] for name in load(tmp_path / "model.stcmtl").feature_names_in_}
    assert used == set(features)
    test = written(school_frame(5, seed=1), tmp_path / "test.csv")
    assert run_json(capsys, *arguments, "--test-file", test)["test_error"] < 10


def write_thousands(frame: pd.DataFrame, path: Path) -> None:
    """1.234 for 1234, in a file that does not show what the point means."""
    texts = {c: frame[c].map("{:,}".format).str.replace(",", ".") for c in NUMBERS}
    frame.assign(**texts).to_csv(path, index=False, sep=";")


def write_sheets(frame: pd.DataFrame, path: Path) -> None:
    with pd.ExcelWriter(path) as book:
        frame.assign(a=0.0).to_excel(book, sheet_name="draft", index=False)
        frame.to_excel(book, sheet_name="final", index=False)


@pytest.mark.parametrize(
    ("write", "name", "options"),
    [
        (
            lambda frame, path: frame.to_csv(path, index=False, sep="|", encoding="utf-16-le"),
            "schools.csv",
            ["--delimiter", "|", "--encoding", "utf-16-le"],
        ),
        (write_thousands, "schools.csv", ["--thousands", "."]),
        (
            lambda frame, path: frame.to_csv(path, index=False, na_rep="77777"),
            "schools.csv",
            ["--missing-mark", "77777"],
        ),
        (write_sheets, "schools.xlsx", ["--sheet", "final"]),
    ],
)
def test_what_is_said_about_a_file_counts(
    write: Any, name: str, options: list[str], tmp_path: Path, capsys: Capture
) -> None:
    """In the fit, and for rows to predict."""
    frame = school_frame()
    frame[NUMBERS] = (1000 * frame[NUMBERS]).round().astype(int)
    if "--missing-mark" in options:
        frame["a"] = frame["a"].where(frame["a"] < 2000)
    plain, file, out = written(frame, tmp_path / "plain.csv"), tmp_path / name, tmp_path / "results"
    write(frame, file)
    options = [*options, "--impute", "median"]
    arguments = ["fit", str(file), *NAMED, *TWO, *options, "--out", str(out)]
    assert run(capsys, *arguments)[0] == 0
    model = load(out / "model.stcmtl")
    data, _ = read(plain, task="school", target="score", missing="median")
    assert model.coef_ == pytest.approx(fitted(data).coef_)
    document = run_json(capsys, "predict", str(out / "model.stcmtl"), str(file), *options)
    expected = model.predict(data.features(), data.tasks)
    assert [row["prediction"] for row in document["predictions"]] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("said", "written_as", "features"),
    [
        ("days", "%Y-%m-%d", {"when"}),
        ("leave-out", "%Y-%m-%d", set()),
        ("days,month-first", "%m/%d/%Y", {"when"}),
    ],
)
def test_dates_become_what_is_said(
    said: str, written_as: str, features: set[str], tmp_path: Path, capsys: Capture
) -> None:
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(np.arange(120) % 12, "D")
    frame = school_frame().assign(when=days.strftime(written_as))
    file = written(frame, tmp_path / "schools.csv")
    arguments = ["fit", file, *NAMED, *TWO, "--out", str(tmp_path), "--dates", said]
    assert run(capsys, *arguments)[0] == 0
    names = load(tmp_path / "model.stcmtl").feature_names_in_.tolist()
    assert {name for name in names if name.startswith("when")} == features


@pytest.mark.parametrize("command", [["fit", *TWO], ["select", "--ks", "1:2"]])
def test_standard_input_is_a_file(
    command: list[str], schools: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run_json(capsys, *command, schools, *NAMED)
    document = run_json(capsys, *command, pipe(monkeypatch, schools), *NAMED)
    assert document["account"][0].startswith("Read standard input as CSV, long")
    assert document["account"][1:] == expected["account"][1:]
    result = "task_table" if command[0] == "fit" else "error"
    assert document[result] == expected[result]
    twice = error(capsys, "fit", "-", *NAMED, "--test-file", "-")
    assert twice == "Standard input can be read once: give - once only."


def test_quiet_says_nothing(schools: str, capsys: Capture) -> None:
    assert run(capsys, "fit", schools, *NAMED, *TWO, "--quiet") == (0, "", "")


def test_every_option_reaches_the_estimator(schools: str, tmp_path: Path, capsys: Capture) -> None:
    options = [
        *("--paper", "--theta", "0.8", "--epsilon", "0.3", "--gamma", "0.05", "--folds", "3"),
        *("--max-iter", "40", "--tol", "0.01", "--no-intercept", "--standardize", "--jobs", "2"),
        *("--seed", "7", "--outlier-factor", "3"),
    ]
    arguments = ["fit", schools, *NAMED, "--clusters", "3", *options, "--out", str(tmp_path)]
    assert run(capsys, *arguments)[0] == 0
    parameters = load(tmp_path / "model.stcmtl").get_params()
    assert {
        "n_clusters": 3,
        "refine": False,
        "robust": False,
        "theta": 0.8,
        "epsilon": 0.3,
        "gamma": 0.05,
        "cv": 3,
        "max_iter": 40,
        "tol": 0.01,
        "fit_intercept": False,
        "standardize": True,
        "n_jobs": 2,
        "random_state": 7,
        "outlier_factor": 3.0,
    }.items() <= parameters.items()


def test_features_in_different_units_are_put_on_one_scale_and_it_is_said(
    schools: str, tmp_path: Path, capsys: Capture
) -> None:
    table = pd.read_csv(schools)
    feature = next(name for name in table if name not in ("school", "score"))
    table[feature] *= 1000.0
    wide = tmp_path / "wide.csv"
    table.to_csv(wide, index=False)
    arguments = "fit", str(wide), *NAMED, *TWO, "--out", str(tmp_path / "out")
    document = run_json(capsys, *arguments)
    assert document["account"][-1].startswith("Features were put on one scale: their spreads diff")
    assert f"({feature} against " in document["account"][-1]
    assert document["account"][-1] in (tmp_path / "out" / "account.txt").read_text()
    document = run_json(capsys, *arguments, "--no-standardize", "--force")
    assert document["account"][-1].startswith("Features were taken as they are, as asked, though")
    with pytest.raises(SystemExit, match="2"):
        run(capsys, *arguments, "--no-standardize", "--standardize")


def test_test_share(schools: str, capsys: Capture) -> None:
    options = [*TWO, "--test-share", "0.25", "--seed", "5"]
    document = run_json(capsys, "fit", schools, *NAMED, *options)
    train, test = split_rows(school_rows(schools), 0.75, 5)
    model = fitted(train, random_state=5)
    predicted = model.predict(test.features(), test.tasks)
    assert document["rows"] == 90
    assert document["test_error"] == pytest.approx(metrics.rmse(test.y, predicted))
    assert sum(row["rows"] for row in document["task_table"]) == 30


def test_test_file_in_another_order(schools: str, tmp_path: Path, capsys: Capture) -> None:
    test = school_frame(10, seed=1)
    test = test[test["colour"] != "red"]
    shuffled = written(test[test.columns[::-1]].assign(extra=1.0), tmp_path / "test.parquet")
    document = run_json(capsys, "fit", schools, *NAMED, *TWO, "--test-file", shuffled)
    model = fitted(school_rows(schools))
    X = test[list("abcde")].assign(
        **{f"colour={c}": (test["colour"] == c) for c in ("blue", "green", "red")}
    )
    predicted = model.predict(X.astype(float), test["school"].to_numpy())
    expected = np.sqrt(np.mean((test["score"].to_numpy() - predicted) ** 2))
    assert document["test_error"] == pytest.approx(expected)


def test_test_file_with_a_task_never_seen(schools: str, tmp_path: Path, capsys: Capture) -> None:
    test = written(school_frame(5).replace({"school": {"up": "left"}}), tmp_path / "test.csv")
    code, out, err = run(capsys, "fit", schools, *NAMED, "--test-file", test, "--quiet")
    assert (code, out) == (1, "")
    assert err == "stcmtl: test.csv: the fit has not seen 'left'; leave out such rows.\n"


def test_labels_keep_their_names(tmp_path: Path, capsys: Capture) -> None:
    schools = written(school_frame(40, labels=True), tmp_path / "schools.csv")
    options = [*TWO, "--out", str(tmp_path), "--format", "xlsx"]
    document = run_json(capsys, "fit", schools, *NAMED, *options)
    model = load(tmp_path / "model.stcmtl")
    assert isinstance(model, STCMTLClassifier)
    assert model.classes_.tolist() == ["fail", "pass"]
    data = school_rows(schools)
    same = fitted(data, STCMTLClassifier)
    assert np.array_equal(model.coef_, same.coef_)
    X = data.features()
    assert document["metric"] == "error rate"
    assert document["training_error"] == np.mean(same.predict(X, data.tasks) != data.y)
    sheets = pd.read_excel(tmp_path / "results.xlsx", sheet_name=None)
    assert set(sheets) == set(TABLES)


def test_wide_and_one_file_a_task(tmp_path: Path, capsys: Capture) -> None:
    frame = school_frame().drop(columns="colour")
    wide = pd.DataFrame({f"x{d}": frame[c] for d, c in enumerate("abcde")})
    for school in ("north", "south"):
        wide[school] = frame["score"].where(frame["school"] == school)
    file = written(wide, tmp_path / "wide.csv")
    targets = ["--target", "north", "--target", "south"]
    document = run_json(capsys, "fit", file, *targets, "--clusters", "1")
    assert [row["task"] for row in document["task_table"]] == ["north", "south"]
    folder = tmp_path / "schools"
    folder.mkdir()
    files = [
        written(part.drop(columns="school"), folder / f"{school}.csv")
        for school, part in frame.groupby("school")
    ]
    expected = fitted(read(files, target="score")[0])
    for given in (files, [str(folder)]):
        document = run_json(capsys, "fit", *given, "--target", "score", *TWO)
        assert document["tasks"] == 6
        assert [row["cluster"] for row in document["task_table"]] == (expected.labels_ + 1).tolist()


def test_missing_cells(tmp_path: Path, capsys: Capture) -> None:
    frame = school_frame()
    frame.loc[[3, 50], "a"] = np.nan
    file = written(frame, tmp_path / "holes.csv")
    arguments = ["fit", file, *NAMED, *TWO]
    sentence = "holes.csv has missing values in column 'a' (2): fill them, or pass --impute median."
    assert error(capsys, *arguments) == sentence
    document = run_json(capsys, *arguments, "--impute", "median")
    filled = "2 missing cells in 1 column were filled with the column's median"
    assert any(line.startswith(filled) for line in document["account"])


def test_unsettled_is_a_note(schools: str, capsys: Capture) -> None:
    options = [*TWO, "--max-iter", "2", "--tol", "0", "--paper", "--json"]
    code, out, err = run(capsys, "fit", schools, *NAMED, *options)
    assert code == 0
    assert json.loads(out)["iterations"] == 2
    note = "Note: The objective had not settled after 2 iterations: increase --max-iter or --tol."
    assert note in err.splitlines()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--clusters", "9"], "--clusters is 9: it must be a whole number from 0 to the number"),
        (["--clusters", "2", "--own", "alone"], "--clusters is 2: with --own alone it must be 0"),
        (["--paper", "--shape", "cone"], "--shape is 'cone': with --paper it must be 'simplex' or"),
        (
            ["--paper", "--own", "alone"],
            "--own is 'alone': with --paper it must be 'none' or 'auto",
        ),
        (
            ["--weight", "none"],
            "be the weight, as it is zero in all rows: at least one must be above",
        ),
        (["--folds", "0"], "--folds is 0: it must be a whole number of 2 or more."),
        (["--jobs", "0"], "--jobs is 0: it must be a whole number other than 0, such as 2, or -1"),
        (
            ["--test-share", "0.97"],
            "--test-share is 0.97, which leaves one of 20 rows of task 'down' to fit on: give a",
        ),
        (["--theta", "2", "--clusters", "2"], "--theta is 2.0: it must be above 0 and at most 1."),
        (["--folds", "1", "--clusters", "2"], "--folds is 1: it must be a whole number of 2"),
        (["--target", "points"], "schools.csv has no column 'points'"),
        (["--limit", "rows=10"], "read a smaller part, or pass --limit rows=120 to allow it."),
        (["--out", ""], "--out is empty: name a folder."),
        (["--out", "{file}"], "cannot be a folder: a file is in its place."),
        (["--out", "{file}/results"], "cannot be a folder: a file is in its place."),
    ],
)
def test_one_sentence(schools: str, capsys: Capture, options: list[str], sentence: str) -> None:
    written(school_frame().assign(none=0), Path(schools))
    options = [option.format(file=schools) for option in options]
    code, out, err = run(capsys, "fit", schools, "--task", "school", *options, "--quiet")
    assert (code, out) == (1, "")
    assert err.startswith("stcmtl: ")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_column_of_weights(tmp_path: Path, capsys: Capture) -> None:
    frame = school_frame().assign(people=np.arange(120) % 3 + 1)
    path, out = written(frame, tmp_path / "schools.csv"), tmp_path / "results"
    options = ["--clusters", "2", "--weight", "people", "--out", str(out)]
    document = run_json(capsys, "fit", path, *NAMED, *options)
    assert any("by the weight in column 'people'" in line for line in document["account"])
    data, _ = read(path, task="school", target="score", weight="people")
    model = STCMTLRegressor(n_clusters=2, random_state=0)
    model.fit(data.features(), data.y, data.tasks, frame["people"])
    assert np.array_equal(load(out / "model.stcmtl").coef_, model.coef_)
    assert not np.array_equal(fitted(data).coef_, model.coef_)


def weighted_schools(path: Path, idle: bool = False) -> str:
    """Schools whose rows count 0, 1 or 2 times; of one school no row counts."""
    frame = school_frame().assign(people=np.arange(120) % 3)
    frame.loc[idle & (frame["school"] == "west"), "people"] = 0
    return written(frame, path)


def weighted_rmse(path: str, model: STCMTLRegressor, **further: object) -> float:
    data = read(path, task="school", target="score", weight="people")[0]
    missed = data.y - model.predict(data.features(), data.tasks)
    assert data.weight is not None
    return float(np.sqrt(np.average(missed**2, weights=data.weight)))


def test_errors_count_rows_as_the_fit_does(tmp_path: Path, capsys: Capture) -> None:
    path, out = weighted_schools(tmp_path / "a.csv"), tmp_path / "results"
    plain = written(school_frame(), tmp_path / "plain.csv")
    options = [*NAMED, *TWO, "--weight", "people", "--out", str(out), "--test-file"]
    document = run_json(capsys, "fit", path, *options, path)
    model = load(out / "model.stcmtl")
    wanted = weighted_rmse(path, model)
    assert document["training_error"] == pytest.approx(wanted)
    assert document["test_error"] == pytest.approx(wanted)
    table = pd.read_csv(out / "tasks.csv")
    assert table["rows"].sum() == 80  # that count
    document = run_json(capsys, "fit", path, *options, plain)
    data = school_rows(plain)
    missed = data.y - model.predict(data.features(), data.tasks)
    assert document["test_error"] == pytest.approx(np.sqrt(np.mean(missed**2)))
    _, said, _ = run(capsys, "fit", path, *options, plain)
    assert "There is no column 'people' to count rows by: all count alike." in said


def test_a_task_of_which_no_row_counts(tmp_path: Path, capsys: Capture) -> None:
    """It is named before the fit, which goes on without it, as do its results."""
    path, out = weighted_schools(tmp_path / "a.csv", idle=True), tmp_path / "results"
    options = [*NAMED, *TWO, "--weight", "people", "--out", str(out), "--test-file", path]
    document = run_json(capsys, "fit", path, *options)
    sentence = "Task 'west' has no row that counts: it is left out, as all weights there are 0."
    assert sentence in document["account"]
    assert document["tasks"] == 5
    assert document["test_error"] == pytest.approx(weighted_rmse(path, load(out / "model.stcmtl")))
    share = run_json(capsys, "fit", path, *options[:-4], "--test-share", "0.3")
    assert share["tasks"] == 5
    model, page = str(out / "model.stcmtl"), str(tmp_path / "page.html")
    code, said, err = run(capsys, "report", model, "--data", path, "--out", page)
    assert (code, err) == (0, "")
    assert sentence in said
    code, said, err = run(capsys, "select", path, *NAMED, "--weight", "people", "--ks", "1,2")
    assert code == 0
    assert said.index(sentence) < said.index("one-SE rule")


@pytest.mark.parametrize(("wild", "shown"), [([17], 1), (range(3, 60, 8), 5)])
def test_wild_rows_are_named(wild: Any, shown: int, tmp_path: Path, capsys: Capture) -> None:
    """As the report does, with the first few of them."""
    frame, out = school_frame(40), tmp_path / "results"
    frame.loc[list(wild), "score"] = 500.0
    path = written(frame, tmp_path / "wild.csv")
    code, said, _ = run(capsys, "fit", path, *NAMED, *TWO, "--out", str(out))
    assert code == 0
    model = load(out / "model.stcmtl")
    assert model.suspect_rows_.tolist() == list(wild)
    told = suspects_account(model)
    table = [line.split() for line in said.splitlines() if " 500 " in line]
    assert [int(row) - 1 for _, row, _, _ in table] == list(wild)[:shown]
    assert told in said
    assert ("and 3 more; --json and the report name all." in said) == (len(wild) > 5)
    account = (out / "account.txt").read_text(encoding="utf-8")
    assert told in account
    assert " ".join(table[0]) in " ".join(account.split())
    document = run_json(capsys, "fit", path, *NAMED, *TWO)
    assert document["suspects"] == told
    assert [row["row"] - 1 for row in document["suspect_rows"]] == list(wild)
    assert document["suspect_rows"][0]["task"] == frame["school"][wild[0]]
    data = school_rows(path)
    expected = model.predict(data.features(), data.tasks)[list(wild)]
    assert [row["expected"] for row in document["suspect_rows"]] == pytest.approx(expected)


def test_nothing_is_said_where_no_row_is_wild(schools: str, capsys: Capture) -> None:
    document = run_json(capsys, "fit", schools, *NAMED, *TWO)
    assert (document["suspects"], document["suspect_rows"]) == ("", [])
    assert "out of all proportion" not in run(capsys, "fit", schools, *NAMED, *TWO)[1]
