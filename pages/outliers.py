"""How far each task lies from the clusters, and which are too far."""

import numpy as np
import pandas as pd
import streamlit as st

from stcmtl import figures
from stcmtl.outliers import fence
from stcmtl.phrases import counted
from stcmtl.studio import charts, help, page
from stcmtl.studio.choices import ROBUST

result = page.need_fit("Outliers")
model = result.model
names = list(model.task_names_)
top = st.container()
factor = st.slider(
    "Fence factor", 0.5, 20.0, float(result.choice.fence), 0.5, key="outliers.factor",
    help="Interquartile ranges above the upper quartile. Moving it does not fit again.",
)  # fmt: skip
limit = fence(model.distances_, factor)
beyond = model.distances_ > limit
with top:
    found = counted(int(beyond.sum()), "task")
    page.begin(
        f"{found} of {len(names)} beyond the fence"
        if beyond.any()
        else "No task lies beyond the fence"
    )
charts.show(
    figures.outliers(model.distances_, model.memberships_.T, factor=factor, task_names=names),
    "distances",
    maths=help.OUTLIERS,
    table=lambda: pd.DataFrame(
        {"task": names, "distance": model.distances_, "beyond": beyond, "flagged": model.outliers_}
    ),
    pickable=True,
)
if result.choice.method == ROBUST:
    aside = np.flatnonzero(model.outliers_)
    st.markdown(
        f"The robust fit set {counted(aside.size, 'task')} aside"
        + (": " + ", ".join(f"**{names[i]}**" for i in aside) if aside.size else "")
        + ". A task that is set aside belongs to no cluster and keeps the coefficients of its "
        "own single-task fit, so predictions for it still work."
    )
else:
    st.markdown(
        "This fit looked for no outliers: choose the robust method to set such tasks aside. They "
        "would then belong to no cluster and keep their own single-task coefficients."
    )
