"""What else pages say of a fit: doubts, kinds of tasks, the curve over K, new tasks and resamples;
and what no page may say where there is nothing to find. For ``sentences.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from stcmtl import figures, stability
from stcmtl.data.simulation import draw_task
from stcmtl.evaluation import summary, tables, trust
from stcmtl.evaluation.blocks import cosines, say_no_group, say_one_with
from stcmtl.evaluation.common import say_common
from stcmtl.evaluation.task_cards import say_errors, say_kind, task_card
from stcmtl.progress import drain
from stcmtl.solver.alignment import match_clusters, pad_clusters
from stcmtl.studio.words import findings, placing
from stcmtl.studio.work.fits import curve_steps

if TYPE_CHECKING:
    from benchmarks.sentences import Case

RESAMPLES = 20
APART = 0.4  # of cosines: clusters by so much apart in truth are not one
MISSED = 0.2  # of a task: an interval of 95% that misses its share by as much is more than bad luck
NEW_ROWS = (4, 12, 40)  # of new tasks
# What reads as if a structure had been found.
FOUND = re.compile(
    r"^\d+( of \d+)? (clusters?|patterns)(?!( in use)? that do)|^One cluster(?! that does)"
    r"|are used by|speaks? for|lean to|One pattern serves|^Take |^\d+ (faint )?blocks|^One block,"
    r"|are alike\b|^Resamples agree(?!.*, but )|the one cluster|all clusters|Its own:|Driven by"
)
SEVERAL = re.compile(
    r"^\d+( of \d+)? clusters(?!( in use)? that do)|^Resamples agree(?!.*, but )|speaks? for \d+"
)
HEADLINES = (
    "memberships", "similarity", "coefficients", "outliers", "choice", "verdict", "curve", "trust",
    "new task",
)  # fmt: skip


def say_all(case: Case) -> dict[str, str]:
    """By what it is; a number tells those of a kind apart."""
    result, model = case.result, case.model
    train, test, names = result.data.train, result.data.test, tables.cluster_names(model)
    doubts = [
        *summary.doubts_of(model), *say_one_with(result.blocks, names),
        *say_no_group(result.blocks, names),
    ]  # fmt: skip
    doubts += [told] if (told := findings.say_told(result)) else []
    said = {f"doubt {i}": doubt for i, doubt in enumerate(doubts)}
    if not doubts:
        said["no doubt"] = summary.say_undoubted(len(model.cluster_coef_), model.shape_)
    for i in range(0, len(model.task_names_), 5):
        card = task_card(model, train, test, i)
        said |= {f"kind of task {i}": say_kind(card), f"errors of task {i}": say_errors(card)}
    if not len(names):
        said["in common"] = " ".join(say_common(model, train.feature_names))
    else:
        said |= say_resamples(case)
    curve = drain(curve_steps(result.data, result.choice.with_values(k=1)))
    said["curve"] = findings.number_of_clusters(curve.path, train)
    return said


def say_resamples(case: Case) -> dict[str, str]:
    """The headline of Trust, what it doubts, and its charts' titles."""
    result, model = case.result, case.model
    train, V = result.data.train, model.memberships_.T
    found = stability(model, train.features(), train.y, train.tasks, RESAMPLES, random_state=0)
    said = {"trust": trust.say_trust(model, found, findings.doubt(result))}
    if len(V) > 1:
        shares = figures.membership_intervals(V, found.lower.T, found.upper.T, pure=model.pure_)
        said["title of intervals"] = shares.layout.title.text
        said["resampling"] = findings.what_resamples_keep(result)
    return said


def say_new(case: Case) -> Iterator[tuple[str, str, Any, np.ndarray]]:
    """Of new tasks with a few and with many rows, pure and mixed: the headline, the assignment, and
    the true shares in the fit's order.
    """
    model, truth, names = case.model, case.truth, tables.cluster_names(case.model)
    rng, K = np.random.default_rng(int(np.abs(truth.W).sum() * 1e6)), max(case.n_true, 1)
    for n in NEW_ROWS:
        for shares in (np.eye(len(truth.V))[rng.integers(K)], rng.dirichlet(np.ones(len(truth.V)))):
            data = draw_task(truth, shares, n, 0.5, random_state=int(rng.integers(10_000)))
            found = model.assign(data.features(), data.y, data.tasks)
            nothing = findings.nothing_to_place_by(case.result)
            size = max(len(names), len(truth.V))
            order = match_clusters(
                pad_clusters(truth.V, size), pad_clusters(model.memberships_.T, size)
            )
            true = pad_clusters(shares[:, None], size)[order][: len(names), 0]
            alike = findings.are_too_alike(case.result)
            said = nothing or placing.new_tasks(found, names, alike=alike)
            yield f"new task of {n} rows", said, found, true


def check_nothing(case: Case, name: str, said: str) -> Iterator[str]:
    """Where there is no signal at all, nothing reads as if a structure had been found; where tasks
    do not cluster, no headline does.
    """
    if case.kind == "noise" and FOUND.search(said):
        yield "there is nothing in truth"
    several = SEVERAL.search(said) and len(case.model.cluster_coef_) > 1
    if several and case.n_true < 2 and name in ("memberships", "trust", "choice"):
        yield f"there are {case.n_true} clusters"


def check_trust(case: Case, name: str, said: str) -> Iterator[str]:
    found = findings.memberships(case.result)
    if said.startswith("Resamples disagree") and re.search(r": all \d+ placed as", found):
        yield "every task is where it should be"


def check_curve(case: Case, name: str, said: str) -> Iterator[str]:
    taken = re.match(r"Take (\d+|one) clusters?:", said)
    least = re.match(r"Take (\d+) clusters, if not more", said)
    if least and case.has_clusters and int(least[1]) > case.n_true:
        yield f"there are {case.n_true}"
    if taken and case.n_true and taken[1] != ("one" if case.n_true == 1 else str(case.n_true)):
        yield f"there are {case.n_true}"
    if case.kind == "independent" and said.startswith("Take") and "or none" not in said:
        yield "every task has its own pattern"


def check_doubt(case: Case, name: str, said: str) -> Iterator[str]:
    """Clusters that pass for one are not far apart in truth."""
    found = re.match(r"Cluster (\d+) may be (?:one with|no group of its own).*cluster (\d+)", said)
    if not found or "too few" in said or ("as alike" not in said and "hardly more" not in said):
        return
    model, W = case.model, case.truth.W.T
    one, other = (
        np.flatnonzero((model.labels_ == int(k) - 1) & model.pure_) for k in found.groups()
    )
    C = cosines(W @ W.T)
    if len(one) > 1 and len(other):
        within = C[np.ix_(one, one)][~np.eye(len(one), dtype=bool)].mean()
        if within - C[np.ix_(one, other)].mean() > APART:
            yield f"true cosines are {within:.2f} and {C[np.ix_(one, other)].mean():.2f}"


def check_no_doubt(case: Case, name: str, said: str) -> Iterator[str]:
    claims = "no two clusters look like one" in said
    if claims and not case.has_clusters and not findings.no_help(case.result):
        yield "there are no clusters"


def check_kind(case: Case, name: str, said: str) -> Iterator[str]:
    """Pure tasks of clear clusters are told to follow what they follow."""
    i, model, truth = int(name.split()[-1]), case.model, case.truth
    if case.kind != "clear" or len(model.cluster_coef_) != case.n_true:
        return
    alone = re.match(r"It follows cluster (\d+) alone", said)
    order = match_clusters(truth.V, model.memberships_.T)
    true = truth.V[order, i]
    if alone and true[int(alone[1]) - 1] < 0.5:
        yield f"its true share is {true[int(alone[1]) - 1]:.2f}"


def check_errors(case: Case, name: str, said: str) -> Iterator[str]:
    found = re.search(r"(\d+)% (less|more) than with", said)
    if not found or int(found[1]) < 8:
        return
    i, W = int(name.split()[-1]), case.truth.W.T
    ours, alone = (
        ((coef[i] - W[i]) ** 2).sum() for coef in (case.model.coef_, case.model.single_task_coef_)
    )
    if (ours < alone) != (found[2] == "less"):
        yield f"in truth squared errors are {ours:.3f} and {alone:.3f}"


def check_common(case: Case, name: str, said: str) -> Iterator[str]:
    """Features on whose sign most tasks agree have one in more true tasks than the other."""
    features = list(case.result.data.train.feature_names)
    for feature, sign in re.findall(r"(\S+) \(([+−]) in", said):
        true = np.sign(case.truth.W[features.index(feature)])
        of, against = (int((true == s).sum()) for s in ((1, -1) if sign == "+" else (-1, 1)))
        if of <= against + 2:
            yield f"{feature} truly has this sign in {of}, the other in {against}"


def check_intervals(case: Case, name: str, said: str) -> Iterator[str]:
    if "put" in said and not said.startswith("Given K"):
        yield "they stay put given K alone"


CHECKS = {
    "doubt": check_doubt,
    "no doubt": check_no_doubt,
    "kind of task": check_kind,
    "errors of task": check_errors,
    "in common": check_common,
    "curve": check_curve,
    "title of intervals": check_intervals,
    "trust": check_trust,
}


def faults_of_new(case: Case) -> Iterator[tuple[str, str, str]]:
    """New tasks of the same patterns: where they are told to be they are, but for bad luck."""
    for name, said, found, true in say_new(case):
        for fault in check_nothing(case, "new task", said):
            yield name, said, fault
        low, high = found.places.low[0], found.places.high[0]
        if len(low) > 1:
            if (high + low.sum() - low > 1.0 + 1e-6).any():
                yield name, said, f"{low.round(2)} to {high.round(2)} cannot be true at once"
            is_known = case.has_clusters and len(low) == case.n_true and not found.outliers[0]
            beyond = np.maximum(low - true, true - high).max() if is_known else 0.0
            if beyond > MISSED and not re.search("too (few|alike)", said):
                yield name, said, f"true shares are {true.round(2)}"
        elif re.search(r"cluster \d|mixture", said):
            yield name, said, "there are no two clusters"


def faults_of_pages(case: Case, headlines: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """What was said, and what the truth has against it; ``headlines`` are those that are checked
    elsewhere too.
    """
    said = say_all(case)
    for name, sentence in said.items():
        if check := CHECKS.get(re.sub(r" \d+$", "", name)):
            yield from ((name, sentence, fault) for fault in check(case, name, sentence))
    for name, sentence in (headlines | said).items():
        if name in HEADLINES:
            yield from ((name, sentence, fault) for fault in check_nothing(case, name, sentence))
    yield from faults_of_new(case)
