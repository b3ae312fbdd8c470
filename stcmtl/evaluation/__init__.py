"""How good a fit is, in numbers, tables and sentences: metrics, comparisons, verdicts.

Imports `estimators`, `baselines` and what is below them; knows no figure and no page.
"""
