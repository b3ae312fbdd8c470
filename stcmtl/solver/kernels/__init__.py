"""The compiled inner loops, and only those: no validation, no options they do not need.

After editing one of these files without ``make``, delete ``__pycache__`` here: numba looks for
changes only in the file of the function that was called, not in those it calls.
"""

from stcmtl.solver.kept_kernels import settle_folder

settle_folder()
