"""Pages of results, before there are any: what to do first."""

import pytest

from tests.app.states import DATA, EMPTY, opened

RESULTS = ["coefficients", "similarity", "memberships", "convergence", "outliers", "report"]


@pytest.mark.parametrize("page", RESULTS)
def test_before_a_fit_it_invites(page: str) -> None:
    assert opened(page, EMPTY).info[0].value == "There are no tasks yet."
    assert opened(page, DATA).button(key="page.run").label == "Run the fit"
