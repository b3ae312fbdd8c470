"""Further files for a fitted model, and what is wrong with one in the words of the dashboard."""

from __future__ import annotations

import pytest

from stcmtl.io.encode_like import Reading
from stcmtl.studio.state.further import further_rows


def test_a_further_file_is_read_like_the_first() -> None:
    rows = further_rows((("new.csv", b"b,a\n3,1\n4,2\n"),), Reading(("a", "b")))
    assert rows.X.tolist() == [[1, 3], [2, 4]]


def test_the_remedy_is_a_control() -> None:
    sentence = "^new has missing values in column 'a' .1.: fill them, or choose to fill them"
    with pytest.raises(ValueError, match=sentence):
        further_rows((("new.csv", b"a,b\n1,2\n,4\n"),), Reading(("a", "b")))
