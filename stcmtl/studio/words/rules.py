"""Every rule that makes a sentence: where it lives, what it claims, and when it must not.

Headlines, banners, cards and chart titles come from these functions and from no others: a test
looks for one that is missing. Each is tested on data where it must claim, and where it must not
(``tests/unit/studio/test_rules.py``); what speaks of a fit is held against simulated truth
(``benchmarks/sentences.py``). Of a figure it is the title that claims.
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
    # Data
    Rule(
        "evaluation.target_sizes:say_target_sizes",
        "may be lost beside large ones",
        "the middle half of one task's targets is a hundred times as wide as another's, or more",
    ),
    # On every page of a fit
    Rule("evaluation.summary:verdict", "do not cluster", "no clusters were best of those tried"),
    Rule("evaluation.summary:say_nothing", "no feature is used", "there is none, whatever K is"),
    Rule("evaluation.summary:say_found", "No clusters:", "every task was fitted on its own"),
    Rule("evaluation.summary:say_placed", "placed as simulated", "true K and K are above 1"),
    Rule("evaluation.summary:doubts", "take its coefficients with care", "few pure tasks"),
    Rule(
        "evaluation.summary:say_undoubted",
        "no two clusters look like one",
        "of mixtures: it was looked at",
    ),
    Rule("evaluation.summary:suspects_account", "out of all proportion", "values are wild"),
    Rule(
        "evaluation.summary:say_wild_features",
        "out of all proportion",
        "a value stands alone, twenty times as far out as any other of its column",
    ),
    Rule(
        "evaluation.verdicts:say_no_help",
        "do not help",
        "the better simple way errs no more than a fiftieth above clusters, on test rows",
    ),
    Rule(
        "evaluation.verdicts:say_no_signal",
        "next to nothing",
        "no known fit errs a fiftieth less than each task's level or commonest label",
    ),
    Rule(
        "evaluation.verdicts:say_poor_fit",
        "better than guessing",
        "this fit errs no less than a fiftieth below guessing, and a simple way does",
    ),
    Rule("evaluation.simple_ways:say_doubt", "do not help", "as above, where features help"),
    Rule("studio.words.findings:no_help", "do not help", "as above, by the errors of the fit"),
    Rule("studio.words.findings:say_told", "do not help", "the banner speaks"),
    Rule("studio.words.findings:no_signal", "next to nothing", "as above"),
    Rule("evaluation.verdicts:say_beside", "less than with", "the first error is lower, as shown"),
    Rule(
        "evaluation.verdicts:name_chance",
        "too few rows to tell",
        "chance reaches beyond what is gained, and beyond what would matter",
    ),
    Rule("evaluation.verdicts:say_prediction", "less than with", "the first error is lower"),
    Rule("studio.words.findings:prediction", "less than with", "the error on test rows is lower"),
    # Overview: cards of clusters and tasks
    Rule("studio.words.findings:who_is_alike", "Who is alike", "clusters are not told not to help"),
    Rule("evaluation.cards:say_sorted", "one pattern does not help", "there is one cluster"),
    Rule("evaluation.cards:say_members", "all pure", "every member follows the cluster alone"),
    Rule(
        "evaluation.cards:say_alike",
        "are alike",
        "several members are pure, do not subtract, and share a feature beyond chance",
    ),
    Rule(
        "evaluation.cards:say_why",
        "Its own:",
        "several tasks speak for it, no other cluster has the feature half as strongly (in its "
        "direction; in any, where patterns can be subtracted), beyond two standard errors, and "
        "before the fit its tasks are more alike than with the next cluster, beyond chance; all "
        "tasks count that lean to a cluster with fewer than two pure ones",
    ),
    Rule(
        "evaluation.cards:say_fit",
        "less than with",
        "the error on test rows is lower, by what chance makes for any cluster once in 100 fits",
    ),
    Rule(
        "evaluation.common:say_common",
        "most agree on",
        "there are no clusters, and more tasks have one sign of a coefficient than chance makes",
    ),
    Rule("evaluation.task_cards:say_kind", "Mixed, a blend", "it has a share in several clusters"),
    Rule("evaluation.task_cards:say_own_part", "is its own", "there are such parts, in a cluster"),
    Rule(
        "evaluation.task_cards:say_errors",
        "less than with",
        "the error on test rows is lower, by what chance makes once in 100 tasks",
    ),
    Rule(
        "evaluation.task_cards:say_alike_tasks",
        "Most like it",
        "a cosine is above zero; without clusters, above chance",
    ),
    # Choose K
    Rule("evaluation.choices:say_outcome", "The data speak for", "the fit uses features"),
    Rule("studio.words.findings:choice", "The data speak for", "features help on test rows"),
    Rule("studio.words.findings:what_resamples_keep", "as asked", "K was given"),
    Rule(
        "studio.words.findings:asked_for",
        "was asked for. The data speak",
        "K was given, and the data chose another",
    ),
    Rule(
        "evaluation.choices:say_taken",
        "The data speak for",
        "several clusters predict held-out rows better than none, beyond two standard errors",
    ),
    Rule("evaluation.choices:say_comparisons", "worse", "a candidate has the larger error"),
    Rule(
        "studio.words.findings:cross_validated",
        "need not be as much",
        "candidates were compared, and test rows are told of beside",
    ),
    Rule(
        "studio.words.findings:number_of_clusters",
        "no other number predicts better",
        "the smallest K within one standard error has the lowest error",
    ),
    Rule("studio.words.findings:what_settings_do", "nothing to mix", "K = 0 was asked for"),
    # Similarity, Memberships, Coefficients, Convergence, Outliers
    Rule("studio.words.findings:memberships", "No clusters:", "as on every page"),
    Rule("studio.words.findings:no_places", "there is nothing to place", "there is one cluster"),
    Rule("studio.words.findings:coefficients", "No feature matters", "all coefficients are zero"),
    Rule(
        "evaluation.blocks:say_one_with",
        "may be one with",
        "tasks of neither are more alike than with the other's before the fit, but for chance",
    ),
    Rule(
        "evaluation.blocks:say_no_group",
        "may be no group of its own",
        "its tasks are no more alike than with those of a cluster that is clear, but for chance",
    ),
    Rule(
        "evaluation.blocks:say_blocks",
        "blocks before the fit: where they stand out least",
        "every block is more alike than in 99 draws of one pattern with the cluster next to it",
    ),
    Rule(
        "studio.words.findings:similarity", "before the fit: where they stand out least", "as above"
    ),
    Rule("studio.words.findings:convergence", "nothing to iterate", "there are no clusters"),
    Rule(
        "studio.words.findings:say_ending",
        "Settled after",
        "the loop neither went back to its lowest objective nor met its limit",
    ),
    Rule("studio.words.findings:outliers", "tasks lie far", "tasks lie beyond the fence"),
    Rule(
        "studio.words.findings:by_chance",
        "maybe by chance",
        "no robust fit has checked, and new rows do not tell",
    ),
    Rule(
        "evaluation.far_tasks:say_new_rows",
        "no worse",
        "on new rows of these tasks their own fits have no lower error",
    ),
    Rule("studio.words.findings:say_far", "kept in the fit", "the fit set not all aside"),
    Rule(
        "evaluation.lone_tasks:say_lone",
        "stands alone in its cluster",
        "it is pure, no other has a share in its cluster, others share one, such tasks are few",
    ),
    Rule("studio.words.findings:what_happens_to_outliers", "kept all tasks in", "not robust"),
    # New tasks
    Rule("studio.words.findings:nothing_to_place_by", "Nothing to place", "features do not help"),
    Rule(
        "studio.words.placing:say_place",
        "too few rows to tell",
        "clusters are apart, the interval of the largest share is wider than half of the task",
    ),
    Rule("studio.words.placing:new_tasks", "no mixture fits", "a task is unlike all clusters"),
    Rule("studio.words.placing:new_task", "less than the", "a mixture gains, and rows are enough"),
    # Trust, columns of tasks, two fits
    Rule(
        "evaluation.trust:say_trust",
        "Resamples agree: no task",
        "no task leaves its cluster in more than a tenth of the resamples",
    ),
    Rule("evaluation.trust:say_loose", "may belong elsewhere", "a task leaves it in more"),
    Rule("evaluation.trust:say_doubts", "Keep their", "a task leaves it in more than a tenth"),
    Rule(
        "evaluation.task_columns:say_columns",
        "goes with the clusters",
        "permutations explain as much in one of twenty, after Holm's correction",
    ),
    Rule("evaluation.task_columns:say_going", "goes with the clusters", "as above"),
    Rule(
        "evaluation.two_fits:say_moves", "stay in their cluster", "no task has another main cluster"
    ),
    # Compare and Paper
    Rule(
        "evaluation.verdicts:headline",
        "predicts best: its",
        "the lead over every other method is beyond two standard errors",
    ),
    Rule("evaluation.verdicts:remarks", "only further repetitions", "there is but one repetition"),
    Rule("evaluation.verdicts:name_idle", "not help here", "a simple method is not beaten by 2%"),
    Rule("paper.table:headline", "run again", "the paper's algorithm was run"),
    Rule("paper.table:is_apart", "", "an error is a quarter off the printed one, or more"),
    Rule(
        "studio.widgets.paper:say_kinds", "on all of them", "ours has the lower error on every kind"
    ),
    Rule("paper.table:verdict", "helps here", "the lead over the simple ways is clear, and worth"),
    # Learn
    Rule("studio.words.learning:say_alone", "which is less", "together the error is lower"),
    Rule("studio.words.learning:say_mixture", "a **pure** task", "one share is all of it"),
    Rule("studio.words.learning:say_similarity", "all of them truly", "those taken are pure"),
    Rule("studio.words.learning:say_places", "are right**", "the truth is shown"),
    Rule(
        "studio.words.learning:say_sparse", "it missed 0", "every true weight is found, and shown"
    ),
    Rule("studio.words.learning:say_outliers", "by mistake", "an ordinary task was set aside"),
    # Titles of charts
    Rule("figures:blocks", "0 of", "no task is taken for pure"),
    Rule("figures:changes", "nothing to compare", "there is one iteration"),
    Rule("figures:cluster_coefficients", "No clusters", "there are none"),
    Rule("figures:cluster_patterns", "No feature matters", "all coefficients are zero"),
    Rule("figures:co_clustering", "within clusters", "two clusters have tasks, one of them two"),
    Rule("figures:coefficient_errors", "No error at all", "estimates are the truth"),
    Rule("figures:coefficients", "True and estimated", "the truth is known"),
    Rule("figures:convergence", "Back to iteration", "the loop went back"),
    Rule("figures:feature_choices", "0 of", "none is chosen in nine of ten resamples"),
    Rule("figures:fit_errors", "Lowest RMSE: clusters", "none has a lower one"),
    Rule("figures:loading_bars", "a pattern", "a loading is negative"),
    Rule("figures:membership_bars", "in one cluster", "all tasks are"),
    Rule("figures:membership_intervals", "0 of", "no interval lies above one half"),
    Rule("figures:memberships", "where they should", "the truth is known"),
    Rule("figures:method_bars", "Lowest RMSE: STCMTL", "no other mean is lower"),
    Rule("figures:pattern_bars", "0 of", "every weight is zero"),
    Rule("figures:purity", "No purity", "no task is in a cluster"),
    Rule("figures:replay", "nothing moved", "there are no clusters"),
    Rule("figures:selection_pattern", "missed", "the truth is known"),
    Rule("figures:share_intervals", "Between 90% and", "the interval begins there"),
    Rule("figures:similarity", "within", "two tasks of one cluster are pure"),
    Rule("figures:singular_ratios", "Too few tasks", "there is no ratio"),
    Rule("figures:step_seconds", "No time measured", "no step has a time"),
    Rule("figures:task_moves", "No task moves", "none by more than a tenth of its membership"),
    Rule("figures:task_rows_fit", "on the right side", "the target is a label"),
)
# Figures whose titles name what is drawn, whatever was found.
PLAIN_TITLES = {
    "choice_curve", "growing_k_curve", "held_out_errors", "k_curve", "kept_clusters",
    "method_patterns", "outliers", "own_shares", "task_rows", "task_targets",
}  # fmt: skip
