"""Report: what is inside before it is made, and a file that says the same."""

import pytest

from stcmtl.progress import drain
from stcmtl.studio.words import findings
from stcmtl.studio.work import fits
from tests.app.states import CLASSIFIED, FITTED, THREE, Visit, data_of, fit_of, sentences


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_the_preview_says_what_is_inside(state: str) -> None:
    app = Visit("report", state)
    assert app.headline == "Take the diagnosis with you"
    inside = sentences(app.markdown)
    assert findings.memberships(fit_of(state)) in inside
    assert findings.prediction(fit_of(state)) in inside
    assert "How many clusters" not in inside
    assert app.get("page_link")


def test_a_curve_joins_the_report() -> None:
    app = Visit("report", FITTED)
    curve = drain(fits.curve_steps(data_of(FITTED), THREE.with_values(k=1)))
    app.session.curve = curve
    app.run()
    assert findings.number_of_clusters(curve.path) in sentences(app.markdown)
