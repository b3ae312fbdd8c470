"""The objective by iteration, what moved, where the time went, and a replay."""

import numpy as np
import pandas as pd
import streamlit as st

from stcmtl import figures
from stcmtl.studio import charts, help, page

result = page.need_fit("Convergence")
model = result.model
history = model.history_
n_paper = model.n_iter_
page.begin(
    f"Settled after {n_paper} iterations and {len(history) - n_paper} rounds of refinement, "
    f"in {result.seconds:.2g} s"
)


def changes() -> pd.DataFrame:
    rows = []
    for before, after in zip([None, *history[:-1]], history, strict=True):
        rows.append(
            {
                "iteration": after.iteration,
                "stage": after.stage,
                "objective": after.objective,
                "change in U": np.nan if before is None else np.abs(after.U - before.U).max(),
                "change in V": np.nan if before is None else np.abs(after.V - before.V).max(),
                **{f"seconds {step}": value for step, value in after.seconds.items()},
            }
        )
    return pd.DataFrame(rows)


charts.show(figures.convergence(history), "convergence", maths=help.CONVERGENCE, table=changes)
st.subheader("Replay", anchor=False)
which = (
    st.slider("Iteration", 1, len(history), len(history), key="replay") if len(history) > 1 else 1
)
state = history[which - 1]
names = list(model.task_names_)
left, right = st.columns(2)
with left:
    charts.show(
        figures.memberships(state.V, pure=state.pure, task_names=names, height=480),
        "replay-simplex", maths=help.SIMPLEX, pickable=True,
    )  # fmt: skip
with right:
    charts.show(
        figures.coefficients(
            state.W, task_names=names, feature_names=list(result.data.train.feature_names),
            only_selected=True, task_order=figures.tasks_by_cluster(model.memberships_.T),
            height=480,
        ),
        "replay-coefficients", maths=help.COEFFICIENTS,
    )  # fmt: skip
st.dataframe(changes(), hide_index=True, key="convergence.table")
