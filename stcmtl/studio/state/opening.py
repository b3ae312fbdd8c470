"""Ways to take tasks in hand; what goes wrong is a sentence, and the last good data stays."""

from __future__ import annotations

from stcmtl.studio.state import session, uploads
from stcmtl.studio.state.choices import UPLOAD, DataChoice
from stcmtl.studio.state.uploads import Reading, Upload

SIMULATE_TAB, EXAMPLES_TAB, UPLOAD_TAB = TABS = ("Simulate", "Examples", "Upload")


def open_choice(choice: DataChoice) -> None:
    """Simulated or example tasks."""
    session.put("data_error", None)
    try:
        session.open_data(choice)
    except ValueError as error:
        session.put("data_error", (choice.source, str(error)))


def open_upload(upload: Upload, reading: Reading) -> bool:
    """Tasks of an upload, read unless that was tried before; whether they are now in hand."""
    if session.get("upload_tried") == (upload.digest, reading):
        return False
    session.put("upload_tried", (upload.digest, reading))
    session.put("data_error", None)
    try:
        found = uploads.understood(upload, reading)
    except ValueError as error:
        session.put("data_error", (UPLOAD, str(error)))
        return False
    session.put("understood", found)
    divide(session.data_choice().with_values(source=UPLOAD))
    return True


def forget_try() -> None:
    """Read the upload again, as it is set."""
    session.put("upload_tried", None)


def divide(choice: DataChoice) -> None:
    """Keep other rows aside for testing."""
    if choice.source == UPLOAD:
        session.open_data(choice, uploads.divided(session.get("understood"), choice))
    else:
        open_choice(choice)


def error_of(source: str) -> str | None:
    """What went wrong with the last try, if it was of this kind."""
    kind, sentence = session.get("data_error") or (None, None)
    return sentence if kind == source else None
