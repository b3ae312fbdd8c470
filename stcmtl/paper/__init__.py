"""The paper's tables and figures beside ours: its numbers, its settings, and runs of them.

    python -m stcmtl paper --setting sparse-200 --reps 3

``numbers`` has what the paper prints, ``settings`` how its data are drawn, ``experiments`` runs
methods on them, ``results`` reads and writes what came out, ``table`` sets both side by side.

Imports `evaluation` and what is below it.
"""
