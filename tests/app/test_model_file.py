"""A model file on Data: opened without rows, a sample drawn that says so, tasks found by name."""

from functools import cache

import numpy as np
import pandas as pd

from stcmtl import fit_partitions
from stcmtl.io.model_file import to_bytes
from stcmtl.studio.widgets import model_form
from tests.app.states import Visit

MANY = 100_000


@cache
def many_tasks() -> bytes:
    """A fit by partition of twelve tasks, repeated for as many as a person may have."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(240, 3)), columns=["a", "b", "c"])
    frame["task"], sign = np.repeat(np.arange(12), 20), np.repeat(np.arange(12) % 2, 20)
    frame["y"] = frame["a"] * (2 * sign - 1) + 0.1 * rng.normal(size=240)
    model = fit_partitions([frame], task="task", target="y", n_clusters=2, random_state=0)
    place = np.arange(MANY) % 12
    for name, value in vars(model).items():
        if isinstance(value, np.ndarray) and len(value) == 12:
            setattr(model, name, value[place])
    model.task_names_ = np.array([f"shop {i}" for i in range(MANY)], dtype=object)
    del model.single_task_coef_, model.single_task_intercept_
    model.history_ = []
    return to_bytes(model)


def open_model(content: bytes, name: str = "shops.stcmtl") -> Visit:
    app = Visit("data")
    app.session_state["data.tab"] = "Model"
    app.run()
    app.file_uploader(key="model.file").upload(name, content, "application/zip").run()
    return app


def test_a_hundred_thousand_tasks() -> None:
    app = open_model(many_tasks())
    assert not app.exception
    assert "2 clusters, 100,000 pure tasks, 0 mixed" in [head.value for head in app.subheader]
    captions = [caption.value for caption in app.caption]
    assert "A sample: 1,000 of 100,000 tasks, drawn at random, always the same." in captions
    assert any("The first 1,000 of 100,000 rows are shown" in caption for caption in captions)
    assert len(app.dataframe[-1].value) == 1_000
    app.text_input(key="model.search").input("shop 9999").run()
    found = app.dataframe[-1].value
    assert list(found["task"]) == ["shop 9999", *(f"shop 9999{i}" for i in range(10))]
    assert set(found["kind"]) == {"pure"}


def test_what_is_no_model_is_said() -> None:
    app = open_model(b"no zip at all")
    assert not app.exception
    assert any("shops.stcmtl is damaged or is not a model" in error.value for error in app.error)


def test_a_sample_is_always_the_same() -> None:
    assert model_form.sample(5).tolist() == [0, 1, 2, 3, 4]
    first, again = model_form.sample(MANY), model_form.sample(MANY)
    np.testing.assert_array_equal(first, again)
    assert np.unique(first).size == model_form.MOST_DRAWN
