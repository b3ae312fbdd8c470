"""Tasks that are not like the others, and tasks that come later.

    python examples/odd_ones_out.py

Four of the 32 tasks follow no cluster, and would spoil the clusters if they were not set aside.
Later four more tasks arrive, and fifteen rows tell where each of them belongs.
"""

import numpy as np

from stcmtl import STCMTLRegressor, metrics, simulate
from stcmtl.data.splits import take_rows

# 28 tasks of four clusters, and four more with coefficients of their own.
sim = simulate(n_tasks=28, n_features=60, n_clusters=4, n_train=60, n_outliers=4)
train, test = sim.train, sim.test

for robust in (False, True):
    model = STCMTLRegressor(4, robust=robust, shape="simplex", own="none", random_state=0)
    model.fit(train.X, train.y, train.tasks)
    error = metrics.rmse(test.y, model.predict(test.X, test.tasks))
    names = ", ".join(model.task_names_[model.outliers_]) or "not looked for"
    print(f"robust={robust}: error {error:.3f}, outliers: {names}")
print("true outliers:", ", ".join(train.task_names[sim.truth.outliers]))

# Later four tasks come that were not in the fit (two pure, two mixed), with fifteen rows each.
later = simulate(n_tasks=28, n_features=60, n_clusters=4, n_train=15, random_state=1)
which = ["task03", "task17", "task26", "task28"]
few, many = (take_rows(part, np.isin(part.tasks, which)) for part in (later.train, later.test))
found = model.assign(few.X, few.y, few.tasks)
print("\nshares of the new tasks, from", found.rows[0], "rows each")
for name, shares in zip(found.task_names, found.memberships, strict=True):
    print(f"{name:<7}", *(f"{share:.2f}" for share in shares))
predicted = model.predict(many.X, many.tasks, memberships=found)
print(f"error on their later rows: {metrics.rmse(many.y, predicted):.3f}")
