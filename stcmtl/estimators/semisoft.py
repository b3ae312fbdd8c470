"""STCMTLRegressor and STCMTLClassifier: what is a number's, and what is a label's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import Tags

from stcmtl.data import checks as check
from stcmtl.data.taskset import Array
from stcmtl.estimators.base import Table, counting_rows
from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.estimators.fitted import plain_attributes, simplex_attributes
from stcmtl.estimators.new_tasks import Assignment
from stcmtl.io import model_file
from stcmtl.solver.problem import LOGISTIC, SQUARED
from stcmtl.solver.trials import NONE, SHAPES

MAX_BYTES = model_file.MAX_BYTES


class STCMTLRegressor(RegressorMixin, SemisoftTaskClustering):
    """Semisoft task clustering for regression (squared loss).

    Parameters and attributes are those of ``SemisoftTaskClustering``.

    >>> from stcmtl import STCMTLRegressor
    >>> model = STCMTLRegressor(random_state=0).fit(train.X, train.y, train.tasks)
    >>> model.n_clusters_, model.shape_, model.own_
    (3, 'simplex', 'none')
    >>> round(model.score(test.X, test.y, test.tasks), 2)
    0.76
    >>> named = model.name_clusters(["north", "south", "west"])
    >>> new = model.assign(test.X[:20], test.y[:20], ["new"] * 20)
    >>> new.memberships.round(1).tolist()
    [[0.9, 0.1, 0.0]]
    >>> model.predict(test.X[:2], ["new", "new"], memberships=new).shape
    (2,)
    """

    _loss = SQUARED

    def _encode(self, table: Table) -> Array:
        return check.numeric_target(table.y, table.tasks)

    def predict(self, X: Any, tasks: ArrayLike, memberships: Assignment | None = None) -> Array:
        """Predicted targets for rows of tasks seen in ``fit`` or given to ``assign``."""
        return self.decision_values(X, tasks, memberships)

    def score(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """R^2 over all rows."""
        X, y, tasks, weight = counting_rows(X, y, tasks, sample_weight)
        return self._explained(X, y, tasks, weight, self.predict(X, tasks))


class STCMTLClassifier(ClassifierMixin, SemisoftTaskClustering):
    """Semisoft task clustering for two labels (logistic loss).

    Parameters and attributes are those of ``SemisoftTaskClustering``, and ``classes_``.

    >>> from stcmtl import STCMTLClassifier
    >>> labels = ["high" if value > 0 else "low" for value in train.y]
    >>> model = STCMTLClassifier(3, shape="simplex", own="none", random_state=0)
    >>> model.fit(train.X, labels, train.tasks).classes_.tolist()
    ['high', 'low']
    >>> model.predict(test.X[:3], test.tasks[:3]).tolist()
    ['high', 'high', 'low']
    >>> model.predict_proba(test.X[:3], test.tasks[:3])[:, 1].round(1).tolist()
    [0.5, 0.0, 0.8]
    """

    _loss = LOGISTIC
    classes_: NDArray[Any]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _encode(self, table: Table) -> Array:
        check.check_target_present(table.y, table.tasks)
        labels = check.check_classes(table.y, table.names, table.codes)
        if hasattr(self, "classes_"):
            check.check_known_labels(labels, self.classes_)
        else:
            self.classes_ = labels
        return np.where(table.y == self.classes_[1], 1.0, -1.0)

    def decision_function(
        self, X: Any, tasks: ArrayLike, memberships: Assignment | None = None
    ) -> Array:
        """Log-odds of the second class."""
        return self.decision_values(X, tasks, memberships)

    def predict_proba(
        self, X: Any, tasks: ArrayLike, memberships: Assignment | None = None
    ) -> Array:
        """Probabilities of the two classes, in the order of ``classes_``."""
        probability = expit(self.decision_values(X, tasks, memberships))
        return np.column_stack([1.0 - probability, probability])

    def predict(
        self, X: Any, tasks: ArrayLike, memberships: Assignment | None = None
    ) -> NDArray[Any]:
        """The likelier class of every row."""
        positive = self.decision_values(X, tasks, memberships) > 0
        return self.classes_[positive.astype(int)]

    def score(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Accuracy over all rows."""
        X, y, tasks, weight = counting_rows(X, y, tasks, sample_weight)
        return self._accuracy(X, y, tasks, weight, self.predict(X, tasks), self.classes_)


def pick_estimator(task_type: str) -> type[SemisoftTaskClustering]:
    """The class for "regression" or "classification"."""
    return STCMTLClassifier if task_type == "classification" else STCMTLRegressor


def load(path: model_file.Target, max_bytes: int = MAX_BYTES, others: Sequence[type] = ()) -> Any:
    """One of these two, or of ``others``, written by ``save`` (see ``stcmtl.load``)."""
    model: Any = model_file.load(path, (STCMTLRegressor, STCMTLClassifier, *others), max_bytes)
    if isinstance(model, tuple(others)):
        return model
    if not hasattr(model, "loadings_"):  # of an earlier release
        vars(model).update(simplex_attributes(model))
        model.set_params(shape=SHAPES[0], own=NONE)
    for name, value in plain_attributes(model._loss).items():
        vars(model).setdefault(name, value)
    vars(model).setdefault("cluster_names_", check.number_clusters(len(model.cluster_coef_)))
    return model
