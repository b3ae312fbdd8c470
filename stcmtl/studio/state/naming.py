"""Names that a visitor gives clusters: on a copy of the result, in the link, over a refit.

Results in the store are everybody's, so names are put on a shallow copy of the model.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:  # scikit-learn is behind it, which Home need not wait for
    from stcmtl.studio.work.fits import Fitted

MOST_LETTERS = 1_000  # of a link's names, as it has them


@dataclass(frozen=True, eq=False)
class Naming:
    """Names by cluster, "" where there is none, and the model they were given to.

    Those of a link are for the fit that the link asks for, whose model is not there yet.
    """

    names: tuple[str, ...]
    model: Any = None

    def put_on(self, result: Fitted) -> Fitted:
        """The result with its clusters named: those that are the named ones, found again."""
        if not any(self.names):
            return result
        model, K = result.model, len(result.model.cluster_coef_)
        if self.model is None or self.model.cluster_coef_ is model.cluster_coef_:
            places = {k: k for k in range(min(K, len(self.names)))}
        else:
            places = find_again(model, self.model)
        names = {k: self.names[j] for k, j in places.items() if self.names[j]}
        return with_names(result, [names.get(k, "") for k in range(K)])


def find_again(model: Any, named: Any) -> dict[int, int]:
    """Which of the named clusters each cluster of another fit to the same tasks is."""
    from stcmtl.solver.alignment import match_patterns

    if not len(model.cluster_coef_) or model.cluster_coef_.shape[1] != named.n_features_in_:
        return {}
    scale = model.feature_scale_
    return match_patterns(
        model.cluster_coef_ * scale, model.memberships_.T,
        named.cluster_coef_ * scale, named.memberships_.T,
    )  # fmt: skip


def with_names(result: Fitted, names: list[str]) -> Fitted:
    """A copy whose clusters are called so, by number where a name is empty; InputError if bad."""
    from stcmtl.data.checks import number_clusters

    model = copy(result.model)
    numbered = number_clusters(len(names))
    model.name_clusters([name.strip() or numbered[k] for k, name in enumerate(names)])
    return replace(result, model=model)


def names_of(result: Fitted) -> list[str]:
    """As they were typed: "" where a cluster has its number only."""
    called = result.model.cluster_names_
    return ["" if name == f"cluster {k + 1}" else str(name) for k, name in enumerate(called)]


def to_query(result: Fitted | None) -> dict[str, str]:
    """Names as a link has them, if there are any: apart by commas, commas in them escaped."""
    names = [] if result is None else names_of(result)
    escaped = [name.replace("%", "%25").replace(",", "%2C") for name in names]
    return {"names": ",".join(escaped)} if any(names) else {}


def from_query(query: dict[str, str]) -> Naming | None:
    """What a link calls clusters; nothing where its names are none that one could have typed."""
    from stcmtl.data.checks import LONGEST_NAME

    said = query.get("names", "")
    names = tuple(unquote(name).strip() for name in said.split(","))
    is_fit = len(said) <= MOST_LETTERS and all(
        len(name) <= LONGEST_NAME and name.isprintable() for name in names
    )
    return Naming(names) if is_fit and any(names) else None
