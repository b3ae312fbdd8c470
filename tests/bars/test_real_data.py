"""Real data, where it is to be had: School and forty digit tasks."""

import numpy as np
import pytest

from benchmarks.realdata import data_folder, digits, school
from stcmtl import STCMTLClassifier, STCMTLRegressor, metrics
from stcmtl.solver.problem import LOGISTIC, SQUARED
from tests.bars.test_accuracy import per_task_values
from tests.unit.plain import GIVEN

pytestmark = pytest.mark.skipif(
    data_folder() is None, reason="STCMTL_DATA does not name a folder with the real data"
)


def test_school_is_better_than_school_by_school() -> None:
    train, test = school(seed=1)
    model = STCMTLRegressor(1, **GIVEN, n_jobs=2, random_state=0).fit(train.X, train.y, train.tasks)
    ours = metrics.rmse(test.y, model.predict(test.X, test.tasks))
    alone = metrics.rmse(test.y, per_task_values(train, test, SQUARED))
    assert ours <= 10.10
    assert ours <= 0.98 * alone


@pytest.mark.parametrize("name", ["usps", "mnist"])
def test_forty_digit_tasks_fall_into_ten_digits(name: str) -> None:
    train, test = digits(name, seed=11)
    model = STCMTLClassifier(10, n_jobs=2, random_state=0).fit(train.X, train.y, train.tasks)
    ours = metrics.error_rate(test.y, model.predict(test.X, test.tasks))
    alone = metrics.error_rate(test.y, per_task_values(train, test, LOGISTIC) > 0)
    assert ours <= 0.88 * alone
    by_digit = model.labels_.reshape(10, 4)  # task names sort by digit
    assert np.all(by_digit == by_digit[:, :1])
    assert model.pure_.all()
