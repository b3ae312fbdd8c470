"""Errors as one sentence, in the words of the command line."""

from __future__ import annotations

import dis
import re

# What the package says to those who call it, and what it is called here.
OPTIONS = [
    (r"limits=Limits\((\w+)=(\d+)\)", r"--limit \1=\2"),
    (r"missing='median'", "--impute median"),
    (r"task_type='(classification|regression)'", r"--\1"),
    (r"target=\['\.\.\.', '\.\.\.'\]", "--target NAME --target NAME"),
    (r"\btask='\.\.\.'", "--task NAME"),
    (r"\btarget='\.\.\.'", "--target NAME"),
    (r"\bincrease max_iter or tol\b", "increase --max-iter or --tol"),
    (r"\braise outlier_factor or lower n_clusters\b", "raise --outlier-factor or lower --clusters"),
    (r"^n_clusters is ", "--clusters is "),
    (r"^cv is ", "--folds is "),
    (r"^n_jobs is ", "--jobs is "),
    (r"^repetitions is ", "--reps is "),
    (r"^n_outliers is ", "--outliers is "),
    (r"^max_iter is ", "--max-iter is "),
    (r"^outlier_factor is ", "--outlier-factor is "),
    (r"^ks holds ", "--ks holds "),
    (r"^(theta|epsilon|gamma|tol|mixing|noise) is ", r"--\1 is "),
]


def in_options(sentence: str) -> str:
    """Arguments of functions in a sentence as options of the command line."""
    for pattern, option in OPTIONS:
        sentence = re.sub(pattern, option, sentence)
    return sentence


def sentence_of(error: Exception, command: str) -> str:
    """What to tell a person about an error: one line, whatever it is."""
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.filename}: " if error.filename else ""
        return f"{what}{error.strerror}; check the path."
    if isinstance(error, MemoryError):
        return "There is not enough memory for this: use a smaller file, or fewer features."
    text = " ".join(str(error).split())
    if is_ours(error):
        return in_options(text)
    reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return (
        f"Something unexpected happened in {command} ({reason[:200]}): "
        "run it again with --debug to see where, and report it."
    )


def is_ours(error: Exception) -> bool:
    """Whether a ``raise`` of this package made it, to be read by a person.

    What a library, or a built-in function that has no frame of its own, complains of is not.
    """
    trace = error.__traceback__
    if not isinstance(error, (ValueError, OSError)) or trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code, package = trace.tb_frame.f_code.co_code, trace.tb_frame.f_globals.get("__name__", "")
    return package.startswith("stcmtl.") and dis.opname[code[trace.tb_lasti]] == "RAISE_VARARGS"
