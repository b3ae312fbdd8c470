"""Thirty stores from a CSV: which of them are alike, what moves their sales, and a report.

    python examples/stores.py

The file is simulated, so that we know what is in it: twelve seaside stores that live on
temperature and footfall, twelve in town that live on advertising and discounts, and six in between.
"""

import sys
from pathlib import Path

import numpy as np

from stcmtl import STCMTLRegressor, datasets, metrics, read
from stcmtl.report import write_report

HERE = Path(__file__).parent

data, account = read(HERE / "stores.csv", task="store", target="sales")
print(account)

train, test = datasets.split_rows(data, random_state=0)
model = STCMTLRegressor(random_state=0).fit(train.features(), train.y, train.tasks)
model.name_clusters(["town", "seaside"])

pure, mixed = int(model.pure_.sum()), int((~model.pure_).sum())
print(f"\n{model.n_clusters_} clusters, {pure} stores in one of them, {mixed} in between")
for name, coef in zip(model.cluster_names_, model.cluster_coef_, strict=True):
    effect = coef * model.feature_scale_  # per standard deviation, so that they compare
    strongest = np.argsort(-np.abs(effect))[:3]
    print(f"{name}:", *(f"{data.feature_names[j]} {effect[j]:+.1f}" for j in strongest), sep="  ")

error = metrics.rmse(test.y, model.predict(test.features(), test.tasks))
spread = metrics.rmse(test.y, np.full(len(test.y), train.y.mean()))
print(f"error on rows it has not seen: {error:.2f} (the sales vary by {spread:.1f})")

report = Path(sys.argv[1] if len(sys.argv) > 1 else "stores.html")
write_report(report, model, train, test=test)
print(f"report: {report.name}")
