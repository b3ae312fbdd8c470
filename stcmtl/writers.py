"""Results and tasks to files: ``from stcmtl import writers``.

The tables are data frames first, so a notebook and a file show the same. In CSV and Excel no
text can act as a formula.
"""

from pathlib import Path
from typing import Any

from stcmtl.data.taskset import TaskSet
from stcmtl.evaluation.tables import (
    cluster_coefficients_table,
    cluster_standard_errors_table,
    coefficients_table,
    memberships_table,
    own_coefficients_table,
    result_tables,
    tasks_table,
)
from stcmtl.io.write import Target, write_table, write_tables, write_tasks

__all__ = [
    "cluster_coefficients_table",
    "cluster_standard_errors_table",
    "coefficients_table",
    "memberships_table",
    "own_coefficients_table",
    "tasks_table",
    "write_results",
    "write_table",
    "write_tasks",
]


def write_results(
    model: Any, folder: Target, format: str = "csv", data: TaskSet | None = None
) -> list[Path]:
    """Write all tables of a fitted model into a folder, and return the files.

    ``format`` is "csv" or "parquet" for a file per table (memberships, coefficients,
    cluster_coefficients, cluster_standard_errors, tasks), or "xlsx" for one workbook with a
    sheet per table. ``data`` adds rows and errors to the table of tasks. Where tasks have a part
    of their own, it is what their coefficients are beyond loadings (or memberships) times cluster
    coefficients, and ``own_coefficients_table`` has it.

    >>> files = writers.write_results(model, "results", data=test)
    >>> sorted(path.name for path in files)[:2]
    ['cluster_coefficients.csv', 'cluster_standard_errors.csv']
    """
    return write_tables(result_tables(model, data), folder, format)
