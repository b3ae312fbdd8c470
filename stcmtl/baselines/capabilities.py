"""What every method can find, apart from predictions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Capability:
    """Of one method; the note says what a word cannot."""

    features: bool = False
    clusters: bool = False
    overlapping: bool = False
    pure: bool = False
    outliers: bool = False
    note: str = ""


CAPABILITIES: dict[str, Capability] = {
    "STCMTL refined": Capability(True, True, True, True, note="Pure tasks and zeros are exact."),
    "STCMTL robust": Capability(True, True, True, True, True, "Refined, without outlier tasks."),
    "STCMTL paper": Capability(True, True, True, True, note="Algorithm 1 as published."),
    "LASSO": Capability(features=True, note="Every task on its own."),
    "CMTL": Capability(clusters=True, note="Every task in one cluster."),
    "Trace": Capability(note="Coefficients of low rank."),
    "FLARCC": Capability(True, clusters=True, note="Clusters of one feature's coefficients each."),
    "VSTG-MTL": Capability(
        True, clusters=True, overlapping=True, note="A task is made of a few latent models."
    ),
    "Pooled": Capability(features=True, note="One model for all tasks."),
}
