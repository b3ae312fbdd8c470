"""Report: what is inside before it is made, and a file that says the same."""

import pytest

from stcmtl.evaluation.choices import say_taken
from stcmtl.progress import drain
from stcmtl.studio.state.choices import CHOSEN
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
    assert findings.number_of_clusters(curve.path, app.session.data.train) in sentences(
        app.markdown
    )


def test_a_fit_that_chose_for_itself_says_what_the_data_speak_for() -> None:
    result = fit_of(FITTED, model=CHOSEN)
    app = Visit("report", FITTED).show(result)
    assert f"What the data speak for**: {say_taken(result.model.choices_)}." in sentences(
        app.markdown
    )
    (link,) = app.get("page_link")
    assert "Compare with other methods" in link.proto.label


def test_without_clusters_the_report_has_less_inside() -> None:
    app = Visit("report", FITTED).show(fit_of(FITTED, k=0))
    inside = sentences(app.markdown)
    assert "No clusters: 18 tasks, each on its own" in inside
    assert "Memberships" not in inside
    assert "Convergence" not in inside
