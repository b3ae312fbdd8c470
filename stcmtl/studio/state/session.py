"""What a browser session holds: choices, data, results, the running job, picked tasks."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from stcmtl.errors import MissingPackageError
from stcmtl.studio.limits import LIMITS, MEGABYTE, Asked, curve_cost, fit_cost
from stcmtl.studio.start import load_everything
from stcmtl.studio.state import naming
from stcmtl.studio.state.choices import CHOSEN, GIVEN, UPLOAD, DataChoice, FitChoice
from stcmtl.studio.state.loading import Loaded, load
from stcmtl.studio.state.naming import Naming
from stcmtl.studio.state.store import Store
from stcmtl.studio.words.sentences import word_error
from stcmtl.studio.work.jobs import PATIENT, WORKERS, Job, Lane, Work, watch_visitor

if TYPE_CHECKING:  # scikit-learn is behind them, which Home need not wait for
    from stcmtl.evaluation.comparison import Outcome
    from stcmtl.io.read_like import FurtherRows
    from stcmtl.paper.results import Run
    from stcmtl.studio.state.uploads import Upload, UploadedTasks
    from stcmtl.studio.widgets.new_tasks import Placed
    from stcmtl.studio.widgets.paper import Picture
    from stcmtl.studio.work.comparing import Request, Settings
    from stcmtl.studio.work.fits import Curve, Fitted
    from stcmtl.studio.work.trust import Trusted

KEY = "studio.session"
CURVE_BYTES = 10_000  # a curve is a few numbers
FIRST_PICTURE = "pages/overview.py"
FIT_ELSEWHERE = "take fewer tasks, rows, features or clusters, or fit them by the command line"
CURVE_ELSEWHERE = "take fewer tasks, rows or features, or draw it by the command line"

Result = Literal[
    "fitted", "spoken", "curve", "trust", "paper_runs", "paper_picture"
]  # fields that a job fills


@st.cache_resource(show_spinner=False)
def shared_store() -> Store:
    """Results on simulated and bundled data, for everybody."""
    return Store(LIMITS.shared * MEGABYTE)


@dataclass
class Session:
    """One visitor's. Pages read and set the fields; what changes several at once is a method."""

    data_choice: DataChoice = field(default_factory=DataChoice)
    draft: tuple[DataChoice, DataChoice] | None = None  # as in hand, and as set in the form since
    data: Loaded | None = None  # the tasks in hand
    data_error: tuple[str, Exception] | None = None  # of the last try, and its source
    uploads: dict[str, tuple[tuple[str, ...], Upload]] = field(default_factory=dict)  # by uploader
    upload_tried: tuple[Hashable, ...] | None = None
    uploaded: UploadedTasks | None = None  # of the upload in hand
    private_store: Store = field(default_factory=lambda: Store(LIMITS.private * MEGABYTE))

    fit_choice: FitChoice = field(default_factory=FitChoice)
    fitted: Fitted | None = None  # the last good result on the tasks in hand
    naming: Naming | None = None  # names of clusters, on whatever fit of these tasks
    spoken: Fitted | None = None  # the last for which everything was chosen
    curve: Curve | None = None  # and the last curve over K alone
    trust: Trusted | None = None  # what resamples said of the last fit that was examined
    kept_fit: Fitted | None = None  # to compare with, perhaps on other rows of the same tasks
    compared: dict[str, tuple[Settings, list[Outcome]]] = field(default_factory=dict)
    compare_faults: dict[str, str] = field(default_factory=dict)
    placed: tuple[FurtherRows, Placed] | None = None  # new tasks of an upload
    paper_runs: tuple[Run, ...] = ()  # of one setting
    paper_picture: Picture | None = None

    job: Job | None = None  # that runs for this session
    job_makes: Result | None = None  # what the last one makes, running or done
    error: str | None = None
    trials: dict[str, tuple[Request, Job]] = field(default_factory=dict)  # of methods, beside it
    lane: Lane = field(default_factory=lambda: Lane(PATIENT))  # in which all that is long runs

    picked: frozenset[int] = frozenset()  # tasks, by their place among the fitted ones
    picks: int = 0
    kept_view: dict[str, str] = field(default_factory=dict)
    views: dict[str, str] = field(default_factory=dict)  # what is shown, by the key of its control
    token: str = ""  # under which an upload outlives a refresh
    go: str = ""  # the page that a button leads to
    has_followed_link: bool = False
    here: dict[str, str] = field(default_factory=dict)  # what the page in sight adds to the link

    def set_fit(self, **values: Any) -> None:
        """Change settings; K begins at what the data chose, if they have."""
        takes_over = values.get("model") == GIVEN and self.fit_choice.model == CHOSEN
        if takes_over and self.spoken is not None:
            values = {"k": len(self.spoken.model.cluster_coef_)} | values
        self.fit_choice = self.fit_choice.with_values(**values)

    def open_data(self, choice: DataChoice, loaded: Loaded | None = None) -> None:
        """Take other tasks in hand; what was found in the last ones is left behind."""
        self.data = loaded = load(choice) if loaded is None else loaded
        self.data_choice = choice
        self.cancel()
        for _, job in self.trials.values():
            job.cancel()
        self.fitted = self.spoken = self.curve = self.trust = self.error = self.naming = None
        self.trials, self.compared, self.compare_faults = {}, {}, {}
        self.picked = frozenset()
        self.set_fit(k=min(self.fit_choice.k, len(loaded.train)))

    def try_data(self, choice: DataChoice) -> None:
        """Simulated or example tasks; what goes wrong is a sentence, and the last ones stay."""
        self.data_error = None
        try:
            self.open_data(choice)
        except (OSError, ValueError, MissingPackageError) as error:
            self.data_error = choice.source, error

    def data_error_of(self, source: str) -> Exception | None:
        """What went wrong with the last try, if it was of this kind."""
        kind, error = self.data_error or (None, None)
        return error if kind == source else None

    @property
    def store(self) -> Store:
        """Where results on the tasks in hand are kept."""
        return self.private_store if self.data is not None and self.data.private else shared_store()

    @property
    def is_stale(self) -> bool:
        """Whether the choices have changed since the result was made."""
        made = self.fitted
        return made is not None and made.choice.in_effect != self.fit_choice.in_effect

    @property
    def open_choice(self) -> FitChoice:
        """The settings of a fit that chooses clusters, shape and own part itself."""
        return self.fit_choice.with_values(model=CHOSEN).in_effect

    @property
    def spoken_is_stale(self) -> bool:
        """Whether the choices have changed, but for those that the data made."""
        return self.spoken is not None and self.spoken.choice.in_effect != self.open_choice

    @property
    def curve_choice(self) -> FitChoice:
        """The settings of the curve: those of the fit, whose K it does not depend on."""
        return self.fit_choice.with_values(model=GIVEN, k=1, own="none")

    @property
    def curve_is_stale(self) -> bool:
        """Whether the choices, but for K, have changed since the curve was drawn."""
        return self.curve is not None and self.curve.choice != self.curve_choice

    def run_fit(self) -> None:
        """Fit as chosen: from the store if it was done before, else as a job."""
        self.start_fit("fitted", self.fit_choice)

    def run_choice(self) -> None:
        """Let the data choose, by a fit that is there when it is asked for."""
        self.start_fit("spoken", self.open_choice)

    def start_fit(self, result: Result, choice: FitChoice) -> None:
        loaded = self.data
        if loaded is None:
            return
        from stcmtl.studio.work.fits import fit_steps

        choice, cost = choice.in_effect, fit_cost(loaded.train, choice)
        asked = Asked(f"A fit of {loaded.account_of_size}", cost, FIT_ELSEWHERE)
        self.start(result, (loaded.key, choice), lambda: fit_steps(loaded, choice), asked)

    def run_curve(self) -> None:
        loaded, choice = self.data, self.curve_choice
        if loaded is None:
            return
        from stcmtl.studio.work.fits import curve_steps

        cost = curve_cost(loaded.train, choice)
        asked = Asked(f"The curve of {loaded.account_of_size}", cost, CURVE_ELSEWHERE)
        key = loaded.key, choice, "curve"
        self.start("curve", key, lambda: curve_steps(loaded, choice), asked)

    def start(self, result: Result, key: Hashable, work: Callable[[], Work], asked: Asked) -> None:
        """A result that the store has under the key is there at once, else when its job ends.

        What would take too much is not begun.
        """
        kept = self.store
        self.cancel()
        self.error, known = None, kept.get(key)
        if known is not None:
            self.take(result, known)
            return

        def keep(made: Any) -> None:
            kept.put(key, made, getattr(made, "n_bytes", CURVE_BYTES))

        if excess := asked.excess:
            self.error, self.job_makes = word_error(excess), result
            return
        workers = WORKERS if asked.cost.is_small else self.lane
        self.job, self.job_makes = Job(work, keep, workers, watch_visitor()), result

    def take(self, result: Result, made: Any) -> None:
        if result == "fitted" and self.naming is not None:
            made = self.naming.put_on(made)
        setattr(self, result, made)
        if result == "fitted" and made.choice.model == CHOSEN:
            self.spoken = made

    def name_clusters(self, names: list[str]) -> None:
        """Of the result in hand, and of later fits to the same tasks; InputError if one is bad."""
        if self.fitted is not None:
            self.fitted = naming.with_names(self.fitted, names)
            self.naming = naming.Naming(tuple(naming.names_of(self.fitted)), self.fitted.model)

    def collect(self) -> bool:
        """Take what a finished job has left; whether a job has just ended."""
        job = self.job
        if job is None or not job.done:
            return False
        if job.result is not None and self.job_makes is not None:
            self.take(self.job_makes, job.result)
        self.error, self.job = job.error, None
        return True

    def cancel(self) -> None:
        if self.job is not None:
            self.job.cancel()
            self.job = None

    @property
    def shown(self) -> FitChoice:
        """The settings of the result on the pages, whatever was changed since."""
        return self.fit_choice if self.fitted is None else self.fitted.choice

    def query(self) -> dict[str, str]:
        """The link that leads to what is shown; an upload's leads its own browser there alone."""
        choice = self.data_choice
        if self.data is None:
            return self.views | self.here
        if choice.source == UPLOAD:
            return ({"session": self.token} if self.token else {}) | self.here
        said = choice.query() | self.shown.query()
        said.pop("source", None)  # which ``data`` names
        if self.fitted is not None:
            said["run"] = "1"
        if self.picked:
            said["picked"] = ",".join(map(str, sorted(self.picked)))
        said |= naming.to_query(self.fitted) | self.views | self.here
        return {"data": choice.source} | said

    def follow_link(self, query: dict[str, str]) -> None:
        """On a session's first run: data, choices, the fit that the link asks for, and picks.

        Streamlit may end that run at any of its calls, and begins it anew: so does this.
        """
        if not self.has_followed_link:
            self.open_link(query)
            self.has_followed_link = True

    def open_link(self, query: dict[str, str]) -> None:
        self.views = {key: text for key, text in query.items() if "." in key}
        if "data" not in query:
            return
        choice = DataChoice.from_query(query | {"source": query["data"]})
        fit = FitChoice.from_query(query)
        if choice.source == UPLOAD or not self.open_with(choice, fit):
            return
        assert self.data is not None
        self.picked = parse_places(query.get("picked", ""), len(self.data.train))
        if query.get("run") == "1":
            self.naming = naming.from_query(query)
            self.run_fit()

    def fit_at_once(self, choice: DataChoice, fit: FitChoice) -> None:
        """Open the data, fit it, and go where its picture is."""
        if self.open_with(choice, fit):
            self.run_fit()
            self.go = FIRST_PICTURE

    def open_with(self, choice: DataChoice, fit: FitChoice) -> bool:
        """Tasks and settings in one; whether there are tasks, else every page says why not."""
        load_everything()
        self.fit_choice, self.data_error = fit, None
        try:
            self.open_data(choice)
        except (OSError, ValueError, MissingPackageError) as error:
            self.error = word_error(error)
            return False
        return True


def parse_places(text: str, n_places: int) -> frozenset[int]:
    """The places of tasks or clusters that a link names, as far as there are such."""
    places = {int(part) for part in text.split(",") if part.isdecimal() and len(part) < 9}
    return frozenset(place for place in places if place < n_places)


def current() -> Session:
    """The session of the visitor whose page is being run."""
    if KEY not in st.session_state:
        st.session_state[KEY] = Session()
    session: Session = st.session_state[KEY]
    return session
