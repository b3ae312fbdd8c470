"""Names of the settings, for those who cannot wait for what runs them."""

from __future__ import annotations

SYNTHETIC = (
    *("sparse-200", "dense-200", "sparse-600", "dense-600"),
    *("outliers-100", "outliers-200"),
)
IN_FILES = ("school", "isolet", "mnist", "usps")  # files that a person has to have
BUNDLED = ("digits-10", "digits-40")
SETTINGS = (*SYNTHETIC, *IN_FILES, *BUNDLED)
EXACT_MCC = "MCC, exact zeros"  # the row beside the paper's MCC, which takes small ones for zero
