"""Files to tasks, and results to files: readers, an account of what they understood, writers.

``reading`` is the door. A file passes ``sources`` (what was given), ``sniffing`` (what it is), the
reader of its format in ``formats/`` (called by ``parsing``, for uploads in the process of
``bounded``), ``cells/`` (what each column is), ``tables``, ``layouts`` or ``many`` (which rows are
tasks, with ``guess`` where nobody said), ``features`` and ``targets`` (a matrix and what to
predict), and leaves with its ``account``. ``read_like`` reads a file like an earlier one.

Imports `data` only, and the solver's records for the model file.
"""
