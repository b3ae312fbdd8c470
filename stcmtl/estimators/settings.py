"""What an estimator was asked for: its settings, checked, and what it is to choose itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stcmtl.data import checks as check
from stcmtl.errors import Setting, bad_value
from stcmtl.solver.model_choice import Wanted
from stcmtl.solver.problem import SQUARED
from stcmtl.solver.records import RULES, Settings
from stcmtl.solver.trials import ALONE, DEVIATION, NONE, OWNS, SHAPES

if TYPE_CHECKING:
    from stcmtl.estimators.clustering import SemisoftTaskClustering

AUTO, _, HUBER = LOSSES = ("auto", "squared", "huber")


def read_settings(model: SemisoftTaskClustering, n_tasks: int) -> Settings:
    """What the constructor was given, checked."""
    for name in ("refine", "robust", "fit_intercept"):
        check.check_flag(getattr(model, name), name)
    check.check_standardize(model.standardize)
    n_clusters = 1 if check.is_auto(model.n_clusters) else model.n_clusters
    check.check_choice(model.shape, "shape", ("auto", *SHAPES))
    check.check_choice(model.own, "own", ("auto", *OWNS))
    if model._loss == SQUARED:
        check.check_choice(model.loss, "loss", LOSSES)
    elif not check.is_auto(model.loss):
        raise bad_value("loss", model.loss, "it must be 'auto', as labels have the logistic loss")
    n_clusters = check.check_n_clusters(n_clusters, n_tasks, fewest=0)
    check_agreement(model)
    return Settings(
        n_clusters=n_clusters,
        shape=SHAPES[0] if check.is_auto(model.shape) else model.shape,
        refine=model.refine,
        theta=check.check_share(model.theta, "theta"),
        epsilon=check.check_share(model.epsilon, "epsilon"),
        gamma=check.check_gamma(model.gamma),
        max_iter=check.check_integer(model.max_iter, "max_iter", 1),
        tol=check.check_not_negative(model.tol, "tol"),
        outlier_factor=check.check_not_negative(model.outlier_factor, "outlier_factor"),
        outlier_rule=check.check_choice(model.outlier_rule, "outlier_rule", RULES),
        seed=model._seed(),
        n_jobs=check.check_jobs(model.n_jobs),
    )


def check_agreement(model: SemisoftTaskClustering) -> None:
    """No two settings contradict each other."""
    if model.n_clusters == 0 and model.own in (NONE, DEVIATION):
        raise bad_value("own", model.own, "without clusters it must be 'alone' or 'auto'")
    if model.own == ALONE and not check.is_auto(model.n_clusters) and model.n_clusters != 0:
        wanted = "with ", Setting("own", ALONE), " it must be 0 or 'auto'"
        raise bad_value("n_clusters", model.n_clusters, wanted)
    for name, plain in {"shape": SHAPES[0], "own": NONE}.items():
        value = getattr(model, name)
        if not model.refine and not check.is_auto(value) and value != plain:
            wanted = "with ", Setting("refine", False), f" it must be {plain!r} or 'auto'"
            raise bad_value(name, value, wanted)


def list_wanted(model: SemisoftTaskClustering, n_tasks: int) -> Wanted | None:
    """What is to be chosen; nothing if all is given."""
    shapes, owns = given(model.shape, SHAPES), given(model.own, OWNS)
    if not model.refine:
        shapes, owns = shapes[:1], owns[:1]
    if model.n_clusters == 0 or model.own == ALONE:
        ks, owns = range(1), (ALONE,)
    elif check.is_auto(model.n_clusters):
        # a cluster of one task is none: two tasks each, about
        ks = range(0 if ALONE in owns else 1, (n_tasks + 1) // 2 + 1)
    else:
        ks = range(int(model.n_clusters), int(model.n_clusters) + 1)
    if len(ks) == len(shapes) == 1 and owns == (NONE,):
        return None
    return Wanted(ks, shapes, len(shapes) > 1, owns)


def given(value: str, all_of_them: tuple[str, ...]) -> tuple[str, ...]:
    return all_of_them if check.is_auto(value) else (value,)
