"""A visit with a model of any kind in hand, as if it had just been fitted."""

from typing import Any

from stcmtl import STCMTLRegressor
from stcmtl.studio.state.choices import FitChoice
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.work.fits import Fitted
from tests.app.states import Visit
from tests.unit.kinds import model_of, tasks_of


def result_of(kind: str, loss: Any = STCMTLRegressor) -> Fitted:
    """Beside its data; the test rows are some of the training rows."""
    model, train = model_of(kind, loss), tasks_of(kind, loss)
    data = Loaded(key=kind, name=kind, train=train, test=train)
    return Fitted(FitChoice(k=max(1, model.n_clusters_)), data, model, 1.0, None, None)


def visit(page: str, kind: str, loss: Any = STCMTLRegressor) -> Visit:
    return Visit(page).show(result_of(kind, loss)).go(page)
