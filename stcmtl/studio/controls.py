"""Widgets for the fields of a choice: label, help, limits and options come from the field."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any, TypeVar

import streamlit as st

from stcmtl.studio.choices import Linked

Choice = TypeVar("Choice", bound=Linked)


def field_of(choice: Linked, name: str) -> Field[Any]:
    return next(f for f in fields(choice) if f.name == name)  # type: ignore[arg-type]


def control(choice: Linked, name: str, **options: Any) -> Any:
    """The widget of one field, at the choice's value; it keeps that value across pages."""
    f = field_of(choice, name)
    key = f"{type(choice).__name__}.{name}"
    value = getattr(choice, name)
    label, help_ = f.metadata["label"], f.metadata["help"]
    if "options" in f.metadata:
        return st.segmented_control(
            label, f.metadata["options"], default=value, required=True, key=key, help=help_,
            **options,
        )  # fmt: skip
    kind: Any = type(f.default)
    low, high, step = (kind(f.metadata[end]) for end in ("low", "high", "step"))
    high = kind(options.pop("high", high))
    return st.number_input(
        label, low, max(low, high), min(max(value, low), max(low, high)), step,
        key=f"{key}.{high}", help=help_, **options,
    )  # fmt: skip


def controls(choice: Choice, *names: str, **options: Any) -> Choice:
    """The widgets of several fields, and the choice they amount to."""
    return choice.with_values(**{name: control(choice, name, **options) for name in names})
