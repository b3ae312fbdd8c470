"""Numbers, counts and names as they stand in a sentence."""

import re
from collections.abc import Sequence
from math import floor, log10

LONGEST_NAME = 40  # letters
LONGEST_QUOTE = 80  # characters of a file in a sentence
TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")  # they turn the rest of a sentence round
SMALLEST = 1e-9  # number that is written out
# What tasks are made of, and what is a task's own, by the names that the estimators have for it.
SHAPES = {
    "simplex": "Mixtures",
    "cone": "Mixtures with strengths",
    "span": "Patterns that can be subtracted",
}
OWNS = {"none": "Nothing", "deviation": "A deviation", "alone": "All of it"}
WITH_OWN = "and a deviation of each task's own"
IN_ONE = {
    "simplex": "One pattern for all tasks",
    "cone": "One pattern, with a strength for each task",
    "span": "One pattern, with a strength and a sign for each task",
}


def name_model(n_clusters: int, shape: str, own: str) -> str:
    """What tasks share and what is their own, in words."""
    if n_clusters == 0:
        return "Every task on its own"
    if n_clusters == 1:
        name = IN_ONE[shape]
    elif shape == "span":
        name = f"{n_clusters} patterns that can be subtracted"
    else:
        strengths = " with strengths" if shape == "cone" else ""
        name = f"{n_clusters} clusters, mixtures{strengths}"
    return f"{name}, {WITH_OWN}" if own == "deviation" else name


def digits(value: float, significant: int = 3) -> str:
    """Significant digits, without an exponent where one can do without, and with a true minus."""
    rounded = float(f"{value:.{significant}g}")
    if 1e4 <= abs(rounded) < 1e15:
        text = f"{rounded:,.0f}"
    elif SMALLEST <= abs(rounded) < 1e-4:
        text = f"{rounded:.{significant - 1 - floor(log10(abs(rounded)))}f}".rstrip("0")
    else:
        text = f"{rounded:,.{max(6, significant)}g}"
    return text if "e" in text else text.replace("-", "−")


def hundredths(value: float) -> str:
    """Two decimals, and no minus before a zero."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def say_error(error: float, measure: str) -> str:
    """An error rate in per cents, all else to three digits."""
    return f"{error:.1%}" if measure == "error rate" else digits(error)


def percents(shares: Sequence[float]) -> list[str]:
    """Shares of one whole in whole per cents that sum to what the shares do (largest remainder).

    Of three equal shares the first has 34%, so that nobody misses a per cent.
    """
    exact = [100.0 * float(share) for share in shares]
    whole = [floor(value + 1e-9) for value in exact]
    missing = round(sum(exact)) - sum(whole)
    by_rest = sorted(range(len(exact)), key=lambda i: whole[i] - exact[i])
    for i in by_rest[:missing]:
        whole[i] += 1
    return [f"{value}%" for value in whole]


def say_shares(
    shares: Sequence[float], names: Sequence[str], loadings: Sequence[float]
) -> dict[int, str]:
    """ "60% cluster 2" by place, the largest first, "minus" where a loading is; none of 0%."""
    said, order = percents(shares), sorted(range(len(shares)), key=lambda k: -shares[k])
    return {
        k: f"{'minus ' if loadings[k] < 0 else ''}{said[k]} {cut(names[k])}"
        for k in order
        if said[k] != "0%"
    }


def counted(count: int, noun: str) -> str:
    """ "1 task", "2 tasks"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def be(count: int) -> str:
    return "is" if count == 1 else "are"


def in_order(text: object) -> str:
    """A text whose letters stand in their order, and leave those after it in theirs."""
    return TURNS.sub("?", str(text))


def cut(name: object) -> str:
    """A name as long as one reads in a sentence."""
    text = str(name)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def shorten(text: object, longest: int = LONGEST_QUOTE) -> str:
    """What is quoted of a file, which may hold anything, at a length that one reads."""
    text = str(text)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def quote(text: object) -> str:
    """The same in quotes, with signs that cannot be seen written out."""
    return repr(shorten(text))


def listed(names: Sequence[object], most: int = 10) -> str:
    """Names in a sentence; long ones are cut, and the rest counted."""
    return joined([cut(name) for name in names[:most]], most, len(names))


def joined(parts: Sequence[str], most: int = 10, count: int | None = None) -> str:
    """Parts of a sentence as they are, so that no number is cut; the rest are counted.

    There may be more of them (``count``) than are passed.
    """
    shown, left = list(parts[:most]), (len(parts) if count is None else count) - most
    if left > 0:
        shown.append(f"{left:,} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def duration(seconds: float) -> str:
    """About how long, as one would say it."""
    for unit, length in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2.0 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds" if seconds >= 1.5 else "a second"
