"""An analyst's file: thirty stores, two groups and mixtures of them, in raw units.

Nothing in it is made ready for a fit: dates, words, a column that does nothing, amounts in
dollars beside degrees and shares.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

TASK, TARGET = "store", "sales"
# What moves the sales of each group, in units of the target per standard deviation.
DRIVERS = {
    "seaside": {"temperature": 9.0, "footfall": 6.0},
    "town": {"advertising": 8.0, "discount": 7.0},
}
COMMON = {"weekend": 4.0}  # for everybody
N_PURE, N_MIXED = 12, 6  # stores of each group, and between them
UNITS = {  # mean and standard deviation of what is measured
    "temperature": (16.0, 8.0),  # degrees
    "footfall": (4_200.0, 900.0),  # people
    "advertising": (12_500.0, 4_000.0),  # dollars
    "discount": (0.12, 0.05),  # a share
    "staff": (14.0, 3.0),  # which does nothing
    "humidity": (62.0, 11.0),  # nor does this
}
NOISE = 5.0


@dataclass(frozen=True)
class Stores:
    """The table, and the share of every store in the first group."""

    frame: pd.DataFrame
    shares: dict[str, float]

    def csv(self) -> bytes:
        return self.frame.to_csv(index=False).encode()

    @property
    def groups(self) -> list[set[str]]:
        """The pure stores of each group."""
        return [{name for name, v in self.shares.items() if v == pure} for pure in (1.0, 0.0)]


def make_stores(seed: int = 0, n_rows: tuple[int, int] = (45, 90)) -> Stores:
    """Stores in any order, with rows of their own number each."""
    rng = np.random.default_rng(seed)
    mixed = rng.uniform(0.35, 0.65, N_MIXED)
    shares = rng.permutation(np.concatenate([np.ones(N_PURE), np.zeros(N_PURE), mixed]))
    names = [f"S{number}" for number in rng.choice(np.arange(100, 1000), len(shares), False)]
    rows = [one_store(rng, name, v, n_rows) for name, v in zip(names, shares, strict=True)]
    frame = pd.concat(rows, ignore_index=True)
    return Stores(frame, dict(zip(names, shares.tolist(), strict=True)))


def one_store(
    rng: np.random.Generator, name: str, share: float, n_rows: tuple[int, int]
) -> pd.DataFrame:
    n = int(rng.integers(*n_rows))
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(rng.choice(500, n, False)), "D")
    z = {column: rng.normal(size=n) for column in UNITS}
    weekend = (days.day_of_week >= 5).astype(float)
    signal = COMMON["weekend"] * weekend
    for group, weight in zip(DRIVERS, (share, 1.0 - share), strict=True):
        signal = signal + weight * sum(size * z[column] for column, size in DRIVERS[group].items())
    sales = 120.0 + 40.0 * rng.uniform() + signal + NOISE * rng.normal(size=n)
    return pd.DataFrame(
        {
            TASK: name,
            "date": days.strftime("%Y-%m-%d"),
            "weekday": np.where(weekend == 1.0, "weekend", "working day"),
            "weather": rng.choice(["sunny", "rain", "overcast"], n),
            **{c: (mean + sd * z[c]).round(4) for c, (mean, sd) in UNITS.items()},
            TARGET: sales.round(2),
        }
    )
