"""Words that the report, the pages and the command line share, and what they mean."""

from __future__ import annotations

# Names of an error by the type of the task.
ERROR_NAMES = {"regression": "RMSE", "classification": "error rate"}

GLOSSARY = {
    "Task": "One prediction problem of many that share their features: a school, a country, a "
    "digit. Each has rows of its own.",
    "Cluster": "A pattern of weights that several tasks share. Every task's coefficients are an "
    "average of the clusters', weighted by its memberships.",
    "K": "How many clusters there are. You choose it, with help from a curve.",
    "Membership": "A task's share in each cluster. Shares are not negative and sum to one; an "
    "outlier task has none.",
    "Pure": "A task that follows one cluster alone.",
    "Mixed": "A task that blends several clusters, such as 70% of one and 30% of another.",
    "Outlier task": "One whose own coefficients lie far from what the clusters can explain. It "
    "keeps its own and belongs to no cluster.",
    "Selected feature": "One whose coefficient is not exactly zero in at least one cluster. All "
    "others play no part in any prediction.",
    "Similarity and purity": "S = W'W, the inner products of the tasks' coefficients. A task is "
    "the purer the more its neighbours are as like it as they are like any task.",
    "SOUP": "The step that finds the purest tasks first and places all others between them.",
    "theta": "The share of tasks that SOUP takes for pure to begin with.",
    "RMSE": "The usual size of an error of prediction, in the units of the target.",
    "Error rate": "The share of wrong labels.",
    "REE": "The usual size of an error of a coefficient; 0 is perfect.",
    "MCC": "How well the used features match the true ones; 1 is perfect, 0 is guessing.",
}
