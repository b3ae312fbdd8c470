"""Names as wild as files have them stand letter by letter, and at no great length in a sentence."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stcmtl import simulate
from stcmtl.progress import drain
from stcmtl.studio.state.choices import UPLOAD, FitChoice
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.work import fits
from stcmtl.studio.work.fits import Fitted
from tests.app.states import APP, Visit

MARKED = ("<b>bold</b>", "**strong**", "$x^2$", "[a](http://b)", "`code`", ":smile:", "# head")
ODD = (*MARKED, "=1+1", "\"q'uote", "\u202eright to left", "😀", "L" * 10_000)
FEATURES = (*ODD, "plain", "a_b", "~~x~~")
PAGES = sorted(path.stem for path in (Path(APP).parent / "pages").glob("*.py"))


@cache
def wild_fit() -> Fitted:
    sim = simulate(n_tasks=12, n_features=15, n_clusters=2, n_train=40, n_test=10, random_state=0)
    labels = np.array(ODD, dtype=object)
    train, test = (
        replace(
            part,
            tasks=labels[np.searchsorted(part.task_names, part.tasks)],
            feature_names=tuple(f"{name} f" for name in FEATURES),
            truth=None,
        )
        for part in (sim.train, sim.test)
    )
    about = pd.DataFrame({name: list(ODD) for name in ODD[:3]}, index=list(ODD))
    train = replace(train, task_columns=about)
    data = Loaded("wild", "<i>wild</i> **file**.csv", train, test, ("Read it.",), private=True)
    return drain(fits.fit_steps(data, FitChoice(k=2)))


def said_on(visit: Visit) -> list[str]:
    kinds = ("title", "markdown", "caption", "warning", "info", "success", "error")
    return [str(element.value) for kind in kinds for element in getattr(visit, kind)]


@pytest.mark.parametrize("page", PAGES)
def test_names_stand_literally(page: str) -> None:
    visit = Visit("home")
    visit.session.data_choice = visit.session.data_choice.with_values(source=UPLOAD)
    visit.show(wild_fit())
    visit.session.name_clusters(["<u>k</u>", "**k**"])
    visit.go(page)
    for text in said_on(visit):
        assert "L" * 81 not in text, text[:200]
        assert not [mark for mark in (*MARKED[:4], "**file**", "**k**") if mark in text], text[:300]
    for figure in visit.figures:
        drawn = str(figure["data"]) + str(figure["layout"])
        assert not [tag for tag in ("<b>bold", "<u>k") if tag in drawn], drawn[:300]
