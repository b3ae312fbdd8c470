"""The paper's tables and figures beside ours: its numbers, its settings, and runs of them.

    python -m stcmtl paper --setting sparse-200 --reps 3

``settings`` has how its data are drawn, ``experiments`` runs methods on them, ``results`` reads and
writes what came out, ``table`` sets it beside what the paper prints.

Imports `evaluation` and what is below it.
"""

# Here, for those who cannot wait for what runs them.
SYNTHETIC = (
    *("sparse-200", "dense-200", "sparse-600", "dense-600"),
    *("outliers-100", "outliers-200"),
)
IN_FILES = ("school", "isolet", "mnist", "usps")  # files that a person has to have
BUNDLED = ("digits-10", "digits-40")
SETTING_NAMES = (*SYNTHETIC, *IN_FILES, *BUNDLED)
