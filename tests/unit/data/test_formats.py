"""The public collections in every layout: the same tasks, or a sentence that says what to do."""

import gzip
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from scipy.io import savemat

from stcmtl import TaskSet, datasets
from stcmtl.data import formats

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here may ask the network, or look at the data of the person who runs it."""

    def refuse(**_: Any) -> None:
        raise URLError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", refuse)
    monkeypatch.delenv("STCMTL_DATA", raising=False)


def assert_same(left: TaskSet, right: TaskSet) -> None:
    for name in ("X", "y", "tasks"):
        one, other = getattr(left, name), getattr(right, name)
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    assert left.feature_names == right.feature_names
    assert left.task_type == right.task_type


def folders(tmp_path: Path) -> tuple[Path, Path]:
    pair = tmp_path / "npz", tmp_path / "original"
    for folder in pair:
        folder.mkdir()
    return pair


@pytest.mark.parametrize("down", [True, False], ids=["Tx1", "1xT"])
def test_school(tmp_path: Path, down: bool) -> None:
    npz, original = folders(tmp_path)
    X = [RNG.integers(0, 200, (n, 28)).astype(np.uint8) for n in (3, 5, 2)]
    y = [RNG.integers(1, 71, (len(x), 1)).astype(np.uint8) for x in X]
    cells = {"X": np.empty(3, dtype=object), "Y": np.empty(3, dtype=object)}
    for i in range(3):
        cells["X"][i], cells["Y"][i] = X[i], y[i]
    shape = (3, 1) if down else (1, 3)
    savemat(original / "school.mat", {name: cell.reshape(shape) for name, cell in cells.items()})
    task = np.repeat([1, 2, 3], [3, 5, 2]).astype(np.int16)
    stacked = np.vstack(X).astype(np.float32)
    np.savez(npz / "school.npz", X=stacked, y=np.vstack(y)[:, 0].astype(np.float32), task=task)
    data = datasets.load_school(original)
    assert_same(datasets.load_school(npz), data)
    assert data.X.dtype == np.float64  # bytes would overflow in X'X
    assert data.n_rows.tolist() == [3, 5, 2]
    assert data.feature_names[3] == "free meals in school, %"


def isolet(n: int = 52) -> tuple[Any, Any]:
    whole = RNG.integers(-10000, 10001, (5 * n, 617)).astype(np.int16)
    return whole, np.tile(np.repeat(np.arange(1, 27), 2), 5).astype(np.uint8)


def test_isolet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "ISOLET_ROWS", (52,) * 5)
    npz, original = folders(tmp_path)
    X, letter = isolet()
    group = np.repeat(np.arange(1, 6), 52).astype(np.uint8)
    np.savez(npz / "isolet.npz", X=X, X_scale=np.float64(1e-4), y=letter, group=group)
    lines = [
        ", ".join(f"{v / 10000:.4f}" for v in row) + f", {c}."
        for row, c in zip(X, letter, strict=True)
    ]
    (original / "isolet1+2+3+4.data").write_text("\n".join(lines[:208]) + "\n")
    (original / "isolet5.data").write_text("\n".join(lines[208:]) + "\n")
    data = datasets.load_isolet(original)
    assert_same(datasets.load_isolet(npz), data)
    assert data.task_names.tolist() == [1, 2, 3, 4, 5]
    assert sorted(set(data.y * 26)) == pytest.approx(range(1, 27))


def test_isolet_in_another_order_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "ISOLET_ROWS", (52,) * 5)
    X, letter = isolet()
    with pytest.raises(ValueError, match="not in the order of the speakers"):
        formats.arrange_isolet(X / 1e4, np.sort(letter).astype(np.int64))


@pytest.mark.parametrize("packed", [True, False])
def test_usps(tmp_path: Path, packed: bool) -> None:
    npz, original = folders(tmp_path)
    whole = RNG.integers(-1000, 1001, (60, 256)).astype(np.int16)
    digit = np.tile(np.arange(10), 6).astype(np.uint8)
    split = np.repeat(["train", "test"], [40, 20])
    np.savez(npz / "usps.npz", X=whole, X_scale=np.float64(1e-3), y=digit, split=split)
    for name, rows, form in (
        ("zip.train", slice(40), "{}.0000"),
        ("zip.test", slice(40, 60), "{}"),
    ):
        lines = [
            " ".join([form.format(c), *(f"{v / 1000:.3f}" for v in row)])
            for row, c in zip(whole[rows], digit[rows], strict=True)
        ]
        write(original / name, "\n".join(lines).encode() + b" \n", packed)
    options = {"n_components": 6, "n_rows": 2, "n_draws": 2}
    for left, right in zip(
        datasets.load_usps(npz, **options), datasets.load_usps(original, **options), strict=True
    ):
        assert_same(left, right)
    pixels = datasets.load_usps(original, n_components=None, n_rows=1).train
    assert {tuple(row.round(3)) for row in pixels.X} <= {tuple(row / 1000) for row in whole[:40]}


@pytest.mark.parametrize(("packed", "dash"), [(True, "-"), (False, "-"), (False, ".")])
def test_mnist(tmp_path: Path, packed: bool, dash: str) -> None:
    npz, original = folders(tmp_path)
    images = RNG.integers(0, 256, (60, 28, 28)).astype(np.uint8)
    digit = np.tile(np.arange(10), 6).astype(np.uint8)
    split = np.repeat(["train", "test"], [40, 20])
    np.savez(npz / "mnist.npz", X=images.reshape(60, 784), y=digit, split=split)
    for prefix, rows in (("train", slice(40)), ("t10k", slice(40, 60))):
        n = len(digit[rows])
        content = struct.pack(">4B3I", 0, 0, 8, 3, n, 28, 28) + images[rows].tobytes()
        write(original / f"{prefix}-images{dash}idx3-ubyte", content, packed)
        content = struct.pack(">4BI", 0, 0, 8, 1, n) + digit[rows].tobytes()
        write(original / f"{prefix}-labels{dash}idx1-ubyte", content, packed)
    options = {"n_components": None, "n_rows": 2, "n_draws": 1}
    train, test = datasets.load_mnist(original, **options)
    for left, right in zip(datasets.load_mnist(npz, **options), (train, test), strict=True):
        assert_same(left, right)
    assert train.X.max() <= 1
    assert train.feature_names[29] == "pixel 1,1"


def write(path: Path, content: bytes, packed: bool) -> None:
    if packed:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(content))
    else:
        path.write_bytes(content)


# The environment, and what is said where nothing is found

LOADERS = {
    "school": "put school.mat",
    "isolet": r"put isolet1\+2\+3\+4.data and isolet5.data",
    "usps": "put zip.train.gz and zip.test.gz",
    "mnist": r"put train-images-idx3-ubyte\.gz, .*, t10k-labels-idx1-ubyte\.gz",
}


@pytest.mark.parametrize("name", LOADERS)
def test_without_files_or_network_a_sentence_says_what_to_put_where(
    name: str, tmp_path: Path
) -> None:
    load = getattr(datasets, f"load_{name}")
    with pytest.raises(FileNotFoundError, match=LOADERS[name] + " in a folder and name it"):
        load()
    with pytest.raises(FileNotFoundError, match=rf"{LOADERS[name]} in .*{tmp_path.name}\.$"):
        load(tmp_path)


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez(tmp_path / "school.npz", X=np.ones((4, 3)), y=np.arange(4), task=[1, 1, 2, 2])
    monkeypatch.setenv("STCMTL_DATA", str(tmp_path))
    assert datasets.load_school().y.tolist() == [0, 1, 2, 3]
    monkeypatch.setenv("STCMTL_DATA", str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match=r"STCMTL_DATA is .*none', which is not a folder"):
        datasets.load_school()


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [
        ("school", "school.npz", b"PK\x03\x04 half"),
        ("school", "school.mat", b"MATLAB 5.0 MAT-file" + bytes(200)),
        ("isolet", "isolet.npz", b""),
        ("usps", "usps.npz", b"<html>not found</html>"),
        ("mnist", "mnist.npz", b"\x93NUMPY"),
    ],
)
def test_a_broken_file_is_named(name: str, file: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / file).write_bytes(content)
    with pytest.raises(ValueError, match=rf"^{file} in .* cannot be read \(.*\): get the file"):
        getattr(datasets, f"load_{name}")(tmp_path)


def test_a_broken_original_is_named(tmp_path: Path) -> None:
    for name in ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"):
        (tmp_path / f"{name}-ubyte.gz").write_bytes(gzip.compress(b"\0\0\x08\x03" + bytes(12))[:-3])
    with pytest.raises(ValueError, match=r"the idx files in .* cannot be read"):
        datasets.load_mnist(tmp_path)
    (tmp_path / "zip.train").write_text("6 0.1 0.2\n5 x 0.3\n")
    (tmp_path / "zip.test").write_text("6 0.1 0.2\n")
    with pytest.raises(ValueError, match=r"zip\.train and zip\.test in .* cannot be read"):
        datasets.load_usps(tmp_path)


# OpenML


def answer(monkeypatch: pytest.MonkeyPatch, X: Any, labels: list[str]) -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = []

    def fetch(**options: Any) -> SimpleNamespace:
        asked.append(options)
        return SimpleNamespace(data=X, target=np.array(labels, dtype=object))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    return asked


def test_openml_numbers_the_postal_digits_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "USPS_TRAIN", 40)
    X = np.repeat(np.arange(10.0), 6)[:, None] + np.zeros((1, 4))
    order = np.argsort(np.tile(np.arange(6), 10), kind="stable")
    asked = answer(monkeypatch, X[order], [str(d + 1) for d in np.repeat(range(10), 6)[order]])
    train, _ = datasets.load_usps(n_components=None, n_rows=2, n_draws=1)
    assert asked == [{"data_id": 41082, "as_frame": False, "parser": "auto"}]
    own = train.y == 1
    assert [int(t.split()[1].rstrip(",")) for t in train.tasks[own]] == train.X[own, 0].tolist()


def test_openml_isolet_and_mnist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "ISOLET_ROWS", (52,) * 5)
    X, letter = isolet()
    asked = answer(monkeypatch, X / 1e4, [f"'{c}'" for c in letter])
    assert datasets.load_isolet().n_rows.tolist() == [52] * 5
    assert asked[0]["data_id"] == 300
    monkeypatch.setattr(datasets, "MNIST_TRAIN", 40)
    asked = answer(monkeypatch, RNG.integers(0, 256, (60, 16)), [str(i % 10) for i in range(60)])
    assert len(datasets.load_mnist(n_components=3, n_rows=2, n_draws=3).test) == 30
    assert asked[0]["data_id"] == 554
    monkeypatch.setattr(datasets, "MNIST_TRAIN", 60)
    with pytest.raises(ValueError, match="OpenML sent 60 rows"):
        datasets.load_mnist()
