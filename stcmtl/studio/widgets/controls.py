"""Widgets that pages share: a control per field of a choice, one of several, downloads, cards.

A control's label, help, limits and options come from its field.
"""

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from stcmtl.studio.state.choices import Linked
from stcmtl.studio.state.session import current

if TYPE_CHECKING:
    import pandas as pd

Choice = TypeVar("Choice", bound=Linked)


def field_of(choice: Linked, name: str) -> Field[Any]:
    return next(f for f in fields(choice) if f.name == name)  # type: ignore[arg-type]


def control(
    choice: Linked,
    name: str,
    *,
    low: float | None = None,
    high: float | None = None,
    keep: Callable[..., None] | None = None,
    **options: Any,
) -> Any:
    """The widget of one field, at the choice's value; it keeps that value across pages.

    ``low`` and ``high`` narrow the field's limits. ``keep`` is called with the new value by the
    name of the field as soon as it changes, before anything else on the page is run.
    """
    f = field_of(choice, name)
    key = f"{type(choice).__name__}.{name}"
    for limit in (low, high):
        if limit is not None:
            key += f".{limit}"
    if keep is not None:
        options["on_change"] = lambda: keep(**{name: st.session_state[key]})
    value = getattr(choice, name)
    label, help_ = f.metadata["label"], f.metadata["help"]
    if words := f.metadata.get("words"):
        names = list(words)
        return st.selectbox(
            label, names, names.index(value), format_func=words.__getitem__, key=key, help=help_,
            **options,
        )  # fmt: skip
    if "options" in f.metadata:
        return st.segmented_control(
            label, f.metadata["options"], default=value, required=True, key=key, help=help_,
            wrap=True,
            **options,
        )  # fmt: skip
    kind: Any = type(f.default)
    least, most, step = (kind(f.metadata[end]) for end in ("low", "high", "step"))
    if low is not None:
        least = max(least, kind(low))
    if high is not None:
        most = max(least, min(most, kind(high)))
    return st.number_input(
        label, least, most, min(max(value, least), most), step, key=key, help=help_, **options
    )


def controls(choice: Choice, *names: str, **options: Any) -> Choice:
    """The widgets of several fields, and the choice they amount to."""
    return choice.with_values(**{name: control(choice, name, **options) for name in names})


Value = TypeVar("Value")


def recall_view(key: str, first: Value, read: Callable[[str], Value | None]) -> None:
    """Before a control is drawn: at what a link or a session file says, if it makes sense.

    Streamlit's own binding to the address forgets what was chosen when one comes back to a page.
    """
    kept = st.session_state.get(key)
    if kept is None:
        said = current().views.get(key)
        found = None if said is None else read(said)
        kept = first if found is None else found
    st.session_state[key] = kept  # again: to Streamlit a control is another one on another page


def note_view(key: str, value: Value, first: Value) -> Value:
    """After it is drawn: what it says belongs to the link, but for what it says at first."""
    if value == first:
        current().views.pop(key, None)
    else:
        current().views[key] = str(value)
    return value


def pick_one(label: str, choices: Iterable[str], key: str, **options: Any) -> str:
    """One of a few, the first at first; it stays chosen across pages, and the link tells it."""
    names = list(choices)
    first = options.pop("default", names[0])
    recall_view(key, first, lambda said: said if said in names else None)
    more: dict[str, Any] = {"persist_state": "session", "wrap": True} | options
    chosen = st.segmented_control(label, names, required=True, key=key, **more)
    return note_view(key, str(chosen), first)


def switch(label: str, first: bool, key: str, **options: Any) -> bool:
    """On or off; it stays so across pages, and the link tells it."""
    recall_view(key, first, lambda said: said == "True")
    return note_view(key, st.toggle(label, key=key, persist_state="session", **options), first)


def pick_number(
    label: str, low: float, high: float, first: float, key: str, **options: Any
) -> float:
    """On a slider; it stays there across pages, and the link tells it."""

    def read(said: str) -> float | None:
        try:
            return value if low <= (value := float(said)) <= high else None
        except ValueError:
            return None

    recall_view(key, first, read)
    drawn = st.slider(label, low, high, key=key, persist_state="session", **options)
    return note_view(key, float(drawn), first)


def run_button(label: str, key: str, run: Callable[..., None], **options: Any) -> None:
    """The button that a page is about."""
    options = {"icon": ":material/play_arrow:", "type": "primary"} | options
    st.button(label, key=key, on_click=run, **options)


def download(label: str, make: Callable[[], bytes], file: str, key: str, **options: Any) -> None:
    """A file that is made when it is asked for, and does not run the page again."""
    options = {"icon": ":material/download:"} | options
    st.download_button(label, make, file, on_click="ignore", key=key, **options)


def make_csv(frame: "pd.DataFrame") -> bytes:
    """A table as the bytes of a file, in which no text is taken for a formula.

    It begins with a byte order mark, without which spreadsheets take its letters for others.
    """
    from stcmtl.io.write import write_csv  # which Home need not wait for

    written = io.StringIO()
    write_csv(frame, written)
    return written.getvalue().encode("utf-8-sig")


@dataclass(frozen=True)
class Card:
    """What one finds behind a button."""

    title: str
    sentence: str
    note: str = ""
    absence: str = ""  # why it cannot be opened as things are

    def lacking(self, absence: str) -> "Card":
        return replace(self, absence=absence)

    def show(self) -> None:
        with st.container(height="stretch", gap="xsmall"):
            st.markdown(f"**{self.title}**")
            st.markdown(self.sentence)
            if self.note:
                st.caption(self.note)
            if self.absence:
                st.markdown(f":orange-badge[:material/folder_off: {self.absence}]")


def gallery(
    cards: Mapping[str, Card], per_row: int, take: Callable[[str], None], key: str, **button: Any
) -> None:
    """Rows of cards of one height, with their buttons at the bottom.

    The button of a card opens it by its name and has the key ``key.name``.
    """
    names = list(cards)
    for start in range(0, len(names), per_row):
        row = names[start : start + per_row]
        for column, name in zip(st.columns(per_row), row, strict=False):
            with column, st.container(border=True, height="stretch"):
                cards[name].show()
                st.button(
                    "Open", key=f"{key}.{name}", on_click=take, args=(name,),
                    width="stretch", **button,
                )  # fmt: skip
