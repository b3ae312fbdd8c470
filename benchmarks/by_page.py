"""Files taken as a visitor's are: by the Data page, or by its tab for sessions."""

from functools import cache

from benchmarks.layouts import school_like
from benchmarks.mutations import judge
from stcmtl import STCMTLRegressor
from stcmtl.studio.state import saved, uploads
from stcmtl.studio.state.choices import UPLOAD, DataChoice, FitChoice
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import Session
from stcmtl.studio.work.fits import Fitted

SESSION = "session.zip"


def outcome_on_page(name: str, data: bytes) -> str:
    """As the Data page takes an upload, or its session tab a session file."""
    if name == SESSION:
        return judge(lambda: saved.unpack_session(name, data))
    return judge(lambda: take_on_page(name, data))


def take_on_page(name: str, data: bytes) -> None:
    upload = uploads.make_upload(((name, data),))
    upload.open()
    if upload.fault is not None:
        raise upload.fault
    uploads.divide(uploads.read_upload(upload, uploads.Reading()), DataChoice(source=UPLOAD))


@cache
def a_session() -> bytes:
    """A session file with tasks and a fit of them."""
    data = school_like()
    model = STCMTLRegressor(2, refine=False, max_iter=2, random_state=0)
    model.fit(data.X, data.y, data.tasks)
    choice = DataChoice(source=UPLOAD)
    loaded = Loaded(choice, "school.csv", data, None, private=True)
    fitted = Fitted(FitChoice(), loaded, model, 1.0, None, None)
    return saved.pack_session(Session(data_choice=choice, data=loaded, fitted=fitted))
