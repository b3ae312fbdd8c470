"""Every rule that makes a sentence: where it lives, what it claims, and when it must not.

Headlines, banners and chart titles come from these functions and from no others. Each is tested on
data where it must claim, and where it must not (``tests/unit/studio/test_rules.py``), and all of
them against simulated truth (``benchmarks/sentences.py``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Rule:
    """``home`` is the module and the function; ``claims`` are words it says only ``where``."""

    home: str
    claims: str
    where: str

    def function(self) -> Callable[..., Any]:
        module, name = self.home.split(":")
        found: Callable[..., Any] = getattr(import_module(f"stcmtl.{module}"), name)
        return found


RULES = (
    # On every page of a fit
    Rule("evaluation.summary:verdict", "do not cluster", "no clusters were best of those tried"),
    Rule("evaluation.summary:say_placed", "placed as simulated", "the truth is known, K > 1"),
    Rule("evaluation.summary:doubts", "take its coefficients with care", "few pure tasks"),
    Rule("evaluation.summary:suspects_account", "out of all proportion", "values are wild"),
    Rule(
        "evaluation.verdicts:say_no_help",
        "do not help",
        "the better simple way errs no more than a fiftieth above clusters, on test rows",
    ),
    Rule(
        "evaluation.verdicts:say_no_signal",
        "next to nothing",
        "each task's mean or commonest label errs no more than a fiftieth above the fit",
    ),
    Rule(
        "evaluation.cards:say_why",
        "Driven by",
        "coefficients are beyond what chance does to one of as many features",
    ),
    Rule("studio.words.findings:prediction", "less than with", "the error on test rows is lower"),
    # Choose K
    Rule(
        "evaluation.choices:say_taken",
        "The data speak for",
        "several clusters predict held-out rows better than none, beyond two standard errors",
    ),
    Rule(
        "studio.words.findings:number_of_clusters",
        "no other number predicts better",
        "the smallest K within one standard error has the lowest error",
    ),
    # Similarity, Memberships, Coefficients, Convergence, Outliers
    Rule(
        "evaluation.blocks:say_blocks",
        "blocks before the fit: at the weakest",
        "every block is more alike than in 99 draws of one pattern with the cluster next to it",
    ),
    Rule(
        "studio.words.findings:say_ending",
        "Settled after",
        "the loop neither went back to its lowest objective nor met its limit",
    ),
    Rule(
        "studio.words.findings:coefficients", "matter to", "one is beyond chance, if that is known"
    ),
    Rule("studio.words.findings:outliers", "tasks lie far", "tasks lie beyond the fence"),
    Rule("studio.words.findings:by_chance", "maybe by chance", "no robust fit has checked"),
    # New tasks
    Rule(
        "studio.words.findings:say_place",
        "too few rows to tell",
        "the interval of the largest share is wider than half of the task",
    ),
    Rule(
        "studio.words.findings:new_task",
        "less than the",
        "the interval of the share leaves the best single cluster alone out",
    ),
    # Compare and Paper
    Rule(
        "evaluation.verdicts:headline",
        "predicts best: its",
        "the lead over every other method is beyond two standard errors",
    ),
    Rule("evaluation.verdicts:name_idle", "not help here", "a simple method is not beaten by 2%"),
    Rule("paper.table:headline", "run again", "the paper's algorithm was run"),
    Rule("paper.table:is_apart", "", "an error is a quarter off the printed one, or more"),
    Rule("paper.table:verdict", "helps here", "the lead over the simple ways is clear, and worth"),
    # Chart titles: facts of what is drawn
    Rule("figures.plots.similarity:compare_blocks", "within", "two tasks of one are pure"),
    Rule("figures.plots.convergence:say_last_change", "Back to iteration", "the loop went back"),
    Rule("figures.plots.selection:say_choice", "enough", "the error does not still fall"),
    Rule("figures.plots.memberships:say_what_to_see", "where they should", "the truth is known"),
    Rule("figures.plots.ranks:say_outliers", "Beyond (×)", "tasks are, and were kept in"),
)
