"""Whether anything the dashboard says of a fit is contradicted by the truth it was simulated from.

    python benchmarks/sentences.py --draws 20          # six minutes on one core

Six kinds of small tasks, each fitted with K given and with everything automatic: headlines, banners
and chart titles, cards (``card_sentences.py``), doubts, resamples, the curve over K and new tasks
(``page_sentences.py``) are made as on the pages, and every claim is derived again from the truth.
Errors are held against what they are over all rows there could be: |X (w - w_true)|^2 + noise^2.
"""

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from benchmarks.card_sentences import faults_of_cards
from benchmarks.page_sentences import faults_of_pages
from stcmtl import figures, metrics, simulate
from stcmtl.baselines.pooled import Pooled
from stcmtl.data.simulation import Simulation, draw_rows
from stcmtl.data.taskset import Truth
from stcmtl.evaluation import predictions, summary, tables
from stcmtl.evaluation.blocks import blocks_before, cosines
from stcmtl.progress import drain
from stcmtl.solver.alignment import match_clusters, pad_clusters
from stcmtl.solver.thresholds import beyond_fence
from stcmtl.studio.state.choices import CHOSEN, ROBUST, FitChoice
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.words import findings
from stcmtl.studio.work.fits import Fitted, fit_steps

T, D, K, N, NOISE = 18, 30, 3, 60, 0.5
SLACK = 0.04  # of an error: what 1,080 test rows leave open


# Kinds of tasks: training and test rows, and the K that the fit is given


def mixtures(seed: int, **options: Any) -> Simulation:
    return simulate(T, D, K, N, N, n_mixed=4, structure_seed=seed, random_state=seed, **options)


def of_patterns(seed: int, kind: str) -> Simulation:
    """Tasks of W (D, T) that no mixture of three patterns makes: V is all zero, but for one."""
    rng = np.random.default_rng(seed)
    W, V = np.zeros((D, T)), np.zeros((1, T))
    for i in range(T if kind == "independent" else 1):
        used = rng.choice(D, 10, replace=False)
        W[used, i] = rng.uniform(0.1, 0.5, 10) * rng.choice([-1.0, 1.0], 10)
    if kind == "one":
        W, V = np.repeat(W[:, :1], T, axis=1), np.ones((1, T))
    elif kind == "noise":
        W[:] = 0.0
    none = np.zeros(T, dtype=bool)
    truth = Truth(W[:, :1], V, W, V[0] == 1.0, none)
    train, test = (draw_rows(truth, N, NOISE, 0.0, "regression", rng) for _ in range(2))
    return Simulation(train, test, truth)


KINDS: dict[str, tuple[Callable[[int], Simulation], FitChoice]] = {
    "clear": (mixtures, FitChoice(k=K)),
    "noise": (lambda seed: of_patterns(seed, "noise"), FitChoice(k=K)),
    "independent": (lambda seed: of_patterns(seed, "independent"), FitChoice(k=K)),
    "one pattern": (lambda seed: of_patterns(seed, "one"), FitChoice(k=K)),
    "outliers": (lambda seed: mixtures(seed, n_outliers=3), FitChoice(k=K, method=ROBUST)),
    "wrong K": (mixtures, FitChoice(k=5)),
}


def fit(sim: Simulation, choice: FitChoice, seed: int) -> Fitted:
    loaded = Loaded(("sentences", seed), "Simulated tasks", sim.train, sim.test)
    return drain(fit_steps(loaded, choice))


# What is said, and what would contradict it


@dataclass(frozen=True, eq=False)
class Case:
    """A fit beside the truth, and all that is needed to check a sentence."""

    kind: str
    result: Fitted
    truth: Truth

    @property
    def model(self) -> Any:
        return self.result.model

    @property
    def n_true(self) -> int:
        """Clusters in truth: none where every task has its own pattern, or none at all."""
        return {"noise": 0, "independent": 0, "one pattern": 1}.get(self.kind, len(self.truth.V))

    @property
    def has_clusters(self) -> bool:
        return self.n_true > 1


def sentences_of(result: Fitted) -> dict[str, str]:
    """All that pages say of a fit, by what it is."""
    model, truth = result.model, result.data.truth
    V, names = model.memberships_.T, list(model.task_names_)
    said = {
        "verdict": "" if findings.no_help(result) else summary.verdict(model),
        "banner": findings.no_help(result),
        "memberships": findings.memberships(result),
        "similarity": findings.similarity(result),
        "coefficients": findings.coefficients(result),
        "convergence": findings.convergence(result),
        "outliers": findings.outliers(result, result.choice.fence),
        "prediction": findings.prediction(result),
    }
    if len(getattr(model, "choices_", ())) > 1:
        said["choice"] = findings.choice(result)
    drawn = {
        "title of coefficients": figures.coefficients(model.coef_.T, truth.W),
        "title before the fit": figures.similarity(
            cosines(tables.single_task_similarity(model)[0]), V, pure=model.pure_
        ),
        "title of singular values": figures.singular_ratios(singular_ratios(model)),
    }
    if len(V):
        errors = predictions.errors_by_iteration(model, result.data.test)
        drawn |= {
            "title of the simplex": figures.memberships(V, truth.V, task_names=names),
            "title of bars": figures.membership_bars(V, pure=model.pure_, task_names=names),
            "title of iterations": figures.convergence(model.history_),
            "title of test errors": figures.held_out_errors(model.history_, errors, "RMSE"),
            "title of outliers": figures.outliers(
                model.distances_, V, factor=result.choice.fence,
                flagged=model.outliers_ if model.robust else None, task_names=names,
            ),
        }  # fmt: skip
    return said | {name: figure.layout.title.text for name, figure in drawn.items()}


def singular_ratios(model: Any) -> np.ndarray:
    W = model.single_task_coef_
    values = np.linalg.svd(W - W.mean(axis=0), compute_uv=False)[:12]
    return values[:-1] / np.maximum(values[1:], 1e-12 * max(values[0], 1e-12))


def contradictions(case: Case, said: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """What was said, and what the truth has against it; a title must not repeat a headline."""
    headlines = [sentence for name, sentence in said.items() if not name.startswith("title")]
    for name, sentence in said.items():
        faults = [rule(case, sentence) for rule in RULES.get(name, ())]
        if name.startswith("title") and sentence in headlines:
            faults.append("it repeats the headline")
        yield from ((name, sentence, fault) for fault in faults if fault)


def check_numbers_of_tasks(case: Case, said: str) -> str:
    """How many tasks are placed as simulated: counted here by all ways to match clusters."""
    found = re.search(r": (all )?(\d+)(?: of (\d+))? placed as simulated", said)
    if not found:
        return ""
    claimed = int(found[2])
    V, true = case.model.memberships_.T, case.truth.V
    size = max(len(V), len(true))
    V, true = pad_clusters(V, size), pad_clusters(true, size)
    V = V[match_clusters(V, true)]
    kinds = case.truth.pure == case.model.pure_
    kinds &= case.truth.outliers == case.model.outliers_
    share = true[V.argmax(axis=0), np.arange(V.shape[1])]
    near = (share > 0) & (share >= true.max(axis=0) - metrics.NEARLY)
    right = int((kinds & (near | case.truth.outliers)).sum())
    return "" if claimed == right else f"{right} tasks are"


def check_blocks(case: Case, said: str) -> str:
    """Blocks that are told to be there have true coefficients of their own."""
    model, W = case.model, case.truth.W.T
    blocks = blocks_before(model) if len(model.cluster_coef_) else []
    C = cosines(W @ W.T)
    gaps = []
    for block in blocks:
        own = model.pure_ & (model.labels_ == block.cluster)
        other = model.pure_ & (model.labels_ == block.beside)
        pairs = C[np.ix_(own, own)][~np.eye(int(own.sum()), dtype=bool)]
        gaps.append(float(pairs.mean() - C[np.ix_(own, other)].mean()))
    if re.match(r"\d+ (faint )?blocks before the fit", said):
        if not case.has_clusters:
            return "there are no clusters in truth"
        return "" if min(gaps) > 0.02 else f"a true gap is {min(gaps):.2f}"
    if said.startswith("The blocks are there after the fit only"):
        return f"true gaps are {min(gaps):.2f} and more" if min(gaps) > 0.4 else ""
    if said.startswith("Not every block"):
        return f"true gaps are {min(gaps):.2f} and more" if min(gaps) > 0.4 else ""
    return ""


def true_errors(case: Case) -> tuple[float, float]:
    """RMSE over all rows there could be: of the fit, and of the better simple way.

    Features are uncorrelated, with unit variance.
    """
    model, W, train = case.model, case.truth.W.T, case.result.data.train
    pooled = Pooled(random_state=0, standardize="auto").fit(train.X, train.y, train.tasks)

    def error(coef: np.ndarray, intercept: np.ndarray) -> float:
        wrong = ((coef - W) ** 2).sum(axis=1) + intercept**2
        return float(np.sqrt(NOISE**2 + wrong.mean()))

    own = error(model.single_task_coef_, model.single_task_intercept_)
    if case.result.alone_error is not None:
        alone = type(model)(n_clusters=0, random_state=0).fit(train.X, train.y, train.tasks)
        own = min(own, error(alone.coef_, alone.intercept_))
    if len(model.cluster_coef_) > 1:  # one pattern is one model for all, and need not beat it
        own = min(own, error(pooled.coef_, pooled.intercept_))
    return error(model.coef_, model.intercept_), own


def check_banner(case: Case, said: str) -> str:
    """Features or clusters are told not to help only, and always, where that is so."""
    if "next to nothing" in said:
        signal = float((case.truth.W**2).sum(axis=0).mean())
        return f"features explain {signal:.3f}" if signal > 0.1 * NOISE**2 else ""
    if not len(case.model.cluster_coef_):
        return "there are no clusters" if said and not said.startswith("This fit") else ""
    ours, simple = true_errors(case)
    if said and ours < (1.0 - 0.02 - SLACK) * simple:
        return f"in truth {ours:.3f} against {simple:.3f}"
    if not said and ours > (1.0 - 0.02 + SLACK) * simple:
        return f"in truth {ours:.3f} against {simple:.3f}, and nothing is said"
    if said and (figure := re.search(r": ([\d.]+) with \d+ cluster", said)):
        return "" if abs(float(figure[1]) / ours - 1.0) < 2 * SLACK else f"in truth {ours:.3f}"
    return ""


def check_verdict(case: Case, said: str) -> str:
    """What the data were asked for, and answered."""
    chosen = case.result.choice.model == CHOSEN
    if "do not cluster" in said and case.has_clusters:
        return f"there are {case.n_true} clusters"
    if chosen and (speaks := re.match(r"The data speak for (\d+) clusters", said)):
        wrong = int(speaks[1]) != case.n_true
        return f"there are {case.n_true}" if wrong else ""
    if chosen and "One pattern serves" in said and case.kind == "independent":
        return "every task has its own"
    return ""


def check_selected(case: Case, said: str) -> str:
    """Rightly zero or not, counted again."""
    if not (share := re.search(r"([\d.]+)% of (?:coefficients are rightly|zeros and)", said)):
        return ""
    right = 100.0 * float(np.mean((case.model.coef_.T != 0.0) == (case.truth.W != 0.0)))
    return "" if abs(float(share[1]) - right) < 0.06 else f"{right:.1f}% are"


def check_outliers(case: Case, said: str) -> str:
    """A headline that says far from all clusters must not be about tasks of the clusters."""
    if case.kind not in ("clear", "outliers"):
        return ""
    wrong = case.model.outliers_ & ~case.truth.outliers
    if wrong.any():
        return f"{int(wrong.sum())} set aside that follow the clusters"
    if said.startswith("None of") and "as far as" not in said and case.truth.outliers.any():
        return f"there are {int(case.truth.outliers.sum())}"
    return ""


def check_far(case: Case, said: str) -> str:
    """What new rows are told to say of tasks that lie far is so in truth, but for noise."""
    model, W = case.model, case.truth.W.T
    flags = beyond_fence(model.distances_, case.result.choice.fence)
    fits = (model.coef_, model.single_task_coef_)
    ours, alone = (((coef - W) ** 2).sum(axis=1)[flags] + NOISE**2 for coef in fits)
    if "on new rows too" in said and (ours < alone).all():
        return "clusters predict each of them better"
    if "no worse" in said and ours.mean() > (1.0 + 4 * SLACK) * alone.mean():
        return f"in truth {ours.mean():.3f} against {alone.mean():.3f}"
    return ""


def check_settled(case: Case, said: str) -> str:
    """Settled only where the last two objectives agree and no earlier one was lower."""
    if not said.startswith("Settled"):
        return ""
    heights = [s.objective for s in case.model.history_ if s.stage == "paper"]
    if len(heights) < 2:
        return ""
    change = abs(heights[-1] / heights[-2] - 1.0)
    return "" if change <= case.model.tol * 1.01 else f"the last change is {change:.2%}"


def check_singular(case: Case, said: str) -> str:
    """A title that speaks for a number of clusters, and not of bars, must be right."""
    claim = re.search(r"speaks for K = (\d+)", said)
    return f"there are {case.n_true}" if claim and int(claim[1]) != case.n_true else ""


def check_test_errors(case: Case, said: str) -> str:
    """Both errors are those of the truth, as far as test rows can tell."""
    claim = re.match(r"RMSE ([\d.]+) after iterating, ([\d.]+) before", said)
    if not claim:
        return "it names no errors"
    model, W = case.model, case.truth.W.T
    last = model.history_[-1]
    fits = (
        (np.where(last.outliers, last.W, last.U @ last.V).T, last.b),
        (model.single_task_coef_, model.single_task_intercept_),
    )
    wrong = [((coef - W) ** 2).sum(axis=1) + level**2 for coef, level in fits]
    true = [np.sqrt(one.mean() + NOISE**2) for one in wrong]
    told = [float(figure) for figure in claim.groups()]
    right = all(abs(a / b - 1.0) < 2 * SLACK for a, b in zip(told, true, strict=True))
    return "" if right else f"in truth {true[0]:.3f} and {true[1]:.3f}"


RULES: dict[str, tuple[Callable[[Case, str], str], ...]] = {
    "verdict": (check_verdict,),
    "choice": (check_verdict,),
    "banner": (check_banner,),
    "memberships": (check_numbers_of_tasks,),
    "similarity": (check_blocks,),
    "coefficients": (check_selected,),
    "title of coefficients": (check_selected,),
    "convergence": (check_settled,),
    "outliers": (check_outliers, check_far),
    "title of singular values": (check_singular,),
    "title of test errors": (check_test_errors,),
}


def run(kind: str, seed: int, automatic: bool = False) -> list[tuple[str, str, str]]:
    """What was said of a draw, and what the truth has against it."""
    make, choice = KINDS[kind]
    sim = make(seed)
    choice = choice.with_values(model=CHOSEN) if automatic else choice
    case = Case(kind, fit(sim, choice, seed), sim.truth)
    said = sentences_of(case.result)
    return [*contradictions(case, said), *faults_of_cards(case), *faults_of_pages(case, said)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="seed of the first draw")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    total = 0
    for kind in options.kinds:
        for automatic in (False, True):
            found = []
            for seed in range(options.first, options.first + options.draws):
                for name, said, fault in run(kind, seed, automatic):
                    found.append(f"  draw {seed}, {name}: {said!r}: but {fault}")
            way = "everything automatic" if automatic else f"K = {KINDS[kind][1].k}"
            print(f"{kind}, {way}: {options.draws} draws, {len(found)} contradicted", flush=True)
            print("\n".join(found), end="\n" if found else "", flush=True)
            total += len(found)
    print(f"In all {total} sentences that the truth contradicts")
    sys.exit(1 if total else 0)


if __name__ == "__main__":
    main()
