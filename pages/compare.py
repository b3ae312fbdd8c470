"""Methods side by side on the tasks in hand: errors with their spread, zeros, abilities."""

from stcmtl.studio.start import require

require(__file__)

import streamlit as st

from stcmtl.evaluation import summary, verdicts
from stcmtl.evaluation.summary import ERROR_NAMES
from stcmtl.phrases import counted, listed
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets import compare, page, two_fits
from stcmtl.studio.widgets.controls import pick_one
from stcmtl.studio.work import comparing

METHODS, TWO_FITS = LOOKS = ("Methods", "Two fits")

loaded = page.need_data("Compare")
if pick_one("Compare", LOOKS, "compare.look", label_visibility="collapsed") == TWO_FITS:
    two_fits.show()
    st.stop()
comparing.collect()
error_name = ERROR_NAMES[loaded.train.task_type]
repeats = comparing.repeats(loaded)
top = st.container()
picked = compare.choose(loaded)
compare.watch()
results = verdicts.keep_common(comparing.results(picked))
is_done = len(results) > 1 and not current().trials
with top:
    account = summary.data_account(loaded.train, loaded.test)
    page.open_with(verdicts.headline(results, error_name) if is_done else "Compare", account)
    if outdated := comparing.find_stale(picked):
        page.stale(f"K, the seed or the scale has changed since {listed(outdated)} ran.")
if results:
    for remark in verdicts.remarks(results, error_name) if is_done else ():
        st.markdown(remark)
    n = len(next(iter(results.values())))
    chance = " A lead may be chance up to two standard errors of its mean over them."
    st.caption(f"{counted(n, 'repetition')}: {repeats.words}.{chance if n > 1 else ''}")
    compare.show_outcomes(results, loaded)
    compare.show_bars(results, loaded)
    compare.show_patterns(results, loaded)
elif not current().trials:
    st.markdown(
        "Every method chooses its own penalties by cross-validation, and predicts rows that it "
        f"has not seen. A repetition takes {repeats.words}. Methods that are told K have "
        "the one given above or, if the model is automatic, the one that the data speak for. The "
        "seed and the scale of the features are those chosen for the fit; all else is at its "
        "default."
    )
compare.show_capabilities(picked)
