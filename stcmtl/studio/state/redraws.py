"""Other rows of the same kind as those in hand, to see how much a result depends on them."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature

import numpy as np

from stcmtl.data import datasets
from stcmtl.data.taskset import TaskSet
from stcmtl.evaluation.comparison import Redraw, TrainTest, split_each
from stcmtl.studio.state.choices import EXAMPLE, SIMULATED, DataChoice
from stcmtl.studio.state.loading import Loaded, draw

TEST_SHARE = 0.25  # where the tasks in hand have no test rows


@dataclass(frozen=True, eq=False)
class Repeats:
    """What a repetition is, in words and in rows; the first is on the rows in hand."""

    words: str
    loaded: Loaded
    again: Redraw

    def __call__(self, r: int) -> TrainTest:
        if r == 0 and self.loaded.test is not None:
            return datasets.Split(self.loaded.train, self.loaded.test)
        return self.again(r)


def repeats(loaded: Loaded) -> Repeats:
    """Simulated rows and drawn examples are drawn anew, all others divided anew."""
    choice = loaded.key if isinstance(loaded.key, DataChoice) else None
    if choice is not None and choice.source == SIMULATED:
        return Repeats(
            "new rows and noise for the same clusters",
            loaded,
            lambda r: draw(choice.with_values(draw=choice.draw + r)),
        )
    if choice is not None and choice.source == EXAMPLE:
        load = getattr(datasets, f"load_{choice.example}")
        if "random_state" in signature(load).parameters:
            return Repeats("tasks drawn anew", loaded, lambda r: load(random_state=r))
    share = test_share(loaded)
    return Repeats(
        f"another {share:.0%} of every task's rows for testing",
        loaded,
        split_each(all_rows(loaded), 1.0 - share, 0 if choice is None else choice.split),
    )


def test_share(loaded: Loaded) -> float:
    if loaded.test is None:
        return TEST_SHARE
    held_out, kept = len(loaded.test.y), len(loaded.train.y)
    return held_out / (held_out + kept)


def all_rows(loaded: Loaded) -> TaskSet:
    train, test = loaded.train, loaded.test
    if test is None:
        return train
    return TaskSet(
        np.concatenate([train.X, test.X]),
        np.concatenate([train.y, test.y]),
        np.concatenate([train.tasks, test.tasks]),
        feature_names=train.feature_names,
        task_type=train.task_type,
        truth=train.truth,
    )
