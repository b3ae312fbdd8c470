"""Widgets for the fields of a choice: label, help, limits and options come from the field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any, TypeVar

import streamlit as st

from stcmtl.studio.state.choices import Linked

Choice = TypeVar("Choice", bound=Linked)


def field_of(choice: Linked, name: str) -> Field[Any]:
    return next(f for f in fields(choice) if f.name == name)  # type: ignore[arg-type]


def control(
    choice: Linked,
    name: str,
    *,
    high: float | None = None,
    keep: Callable[..., None] | None = None,
    **options: Any,
) -> Any:
    """The widget of one field, at the choice's value; it keeps that value across pages.

    ``high`` lowers the field's upper limit. ``keep`` is called with the new value by the name
    of the field as soon as it changes, before anything else on the page is run.
    """
    f = field_of(choice, name)
    key = f"{type(choice).__name__}.{name}"
    if high is not None:
        key += f".{high}"
    if keep is not None:
        options["on_change"] = lambda: keep(**{name: st.session_state[key]})
    value = getattr(choice, name)
    label, help_ = f.metadata["label"], f.metadata["help"]
    if "options" in f.metadata:
        return st.segmented_control(
            label, f.metadata["options"], default=value, required=True, key=key, help=help_,
            **options,
        )  # fmt: skip
    kind: Any = type(f.default)
    least, most, step = (kind(f.metadata[end]) for end in ("low", "high", "step"))
    if high is not None:
        most = max(least, min(most, kind(high)))
    return st.number_input(
        label, least, most, min(max(value, least), most), step, key=key, help=help_, **options
    )


def controls(choice: Choice, *names: str, **options: Any) -> Choice:
    """The widgets of several fields, and the choice they amount to."""
    return choice.with_values(**{name: control(choice, name, **options) for name in names})
