"""Words on figures."""

from __future__ import annotations

from stcmtl.figures.pieces import style


def test_a_long_name_is_not_cut_inside_an_escaped_sign() -> None:
    label = style.make_labels("names", ["<" * 30], 1)[0]
    assert style.shorten([label]) == {label: "&lt;" * (style.LONGEST_TICK - 1) + "…"}


def test_no_line_is_longer_than_a_phone_is_wide() -> None:
    broken = style.break_lines(["word " * 40, "x" * 120])
    assert max(map(len, broken)) <= style.LINE
    assert "".join(broken).replace(" ", "") == "word" * 40 + "x" * 120
