"""S = W'W with its blocks, and the purity of every task."""

import numpy as np
import pandas as pd
import streamlit as st

from stcmtl import figures
from stcmtl.soup import purity_scores
from stcmtl.studio import charts, help, page

result = page.need_fit("Similarity")
model = result.model
names = list(model.task_names_)
sizes = np.bincount(model.labels_[model.pure_], minlength=model.n_clusters_)
page.begin(
    f"{int((sizes > 0).sum())} blocks of pure tasks, {sizes.min()} to {sizes.max()} tasks each"
)
when = st.segmented_control(
    "Coefficients", ["after the fit", "before the fit"], default="after the fit", required=True,
    key="similarity.when", help="Before: every task fitted on its own.",
)  # fmt: skip
S, purity = model.similarity_, model.purity_
if when == "before the fit":
    own = model.single_task_coef_
    S = own @ own.T
    purity = purity_scores(S, model.epsilon)
V = model.memberships_.T
charts.show(
    figures.similarity(S, V, pure=model.pure_, purity=purity, task_names=names),
    "similarity",
    maths=help.SIMILARITY,
    table=lambda: pd.DataFrame(S, index=names, columns=names).reset_index(names="task"),
)
charts.show(
    figures.purity(purity, V, theta=model.theta, task_names=names),
    "purity",
    maths=help.PURITY,
    table=lambda: pd.DataFrame({"task": names, "purity": purity, "pure": model.pure_}),
    pickable=True,
)
