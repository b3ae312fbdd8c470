"""Ways to take tasks in hand; what goes wrong is a sentence, and the last good data stays."""

from __future__ import annotations

from stcmtl.studio.state import uploads
from stcmtl.studio.state.choices import UPLOAD, DataChoice
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import Reading, Upload

SIMULATE_TAB, EXAMPLES_TAB, UPLOAD_TAB = TABS = ("Simulate", "Examples", "Upload")


def open_choice(choice: DataChoice) -> None:
    """Simulated or example tasks."""
    current().data_error = None
    try:
        current().open_data(choice)
    except ValueError as error:
        current().data_error = choice.source, str(error)


def open_upload(upload: Upload, reading: Reading) -> bool:
    """Tasks of an upload, read unless that was tried before; whether they are now in hand."""
    if current().upload_tried == (upload.digest, reading):
        return False
    current().upload_tried = upload.digest, reading
    current().data_error = None
    try:
        found = uploads.understood(upload, reading)
    except ValueError as error:
        current().data_error = UPLOAD, str(error)
        return False
    current().understood = found
    divide(current().data_choice.with_values(source=UPLOAD))
    return True


def forget_try() -> None:
    """Read the upload again, as it is set."""
    current().upload_tried = None


def divide(choice: DataChoice) -> None:
    """Keep other rows aside for testing."""
    found = current().understood
    if choice.source == UPLOAD and found is not None:
        current().open_data(choice, uploads.divided(found, choice))
    else:
        open_choice(choice)


def error_of(source: str) -> str | None:
    """What went wrong with the last try, if it was of this kind."""
    kind, sentence = current().data_error or (None, None)
    return sentence if kind == source else None
