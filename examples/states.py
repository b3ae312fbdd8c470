"""Deaths on the roads of 48 states, and laws against them: beside a mixed model, on the same rows.

    pip install "stcmtl[panels]"
    python examples/states.py

A mixed model gives every state slopes of its own, drawn around common ones. The automatic choice
may take just that (one pattern, and what is each state's own), clusters, or neither.
"""

import numpy as np

from stcmtl import STCMTLRegressor, baselines, datasets, metrics

data = datasets.load_driving()
print(f"{len(data)} states, {len(data.y)} rows, {len(data.feature_names)} features")

methods = {
    "everything automatic": lambda: STCMTLRegressor(random_state=0),
    "mixed model": lambda: baselines.RandomSlopes(standardize=True, random_state=0),
    "every state on its own": lambda: baselines.SingleTaskRidge(standardize=True, random_state=0),
    "one model for all": lambda: baselines.Pooled(standardize=True, random_state=0),
}
errors: dict[str, list[float]] = {name: [] for name in methods}
chosen = []
for seed in range(3):
    train, test = datasets.split_rows(data, random_state=seed)
    for name, make in methods.items():
        model = make().fit(train.X, train.y, train.tasks)
        errors[name].append(metrics.rmse(test.y, model.predict(test.X, test.tasks)))
        if name == "everything automatic":
            chosen.append(f"K = {model.n_clusters_}, own part: {model.own_}")

print("\nRMSE on held-out years, mean of three splits")
for name, found in errors.items():
    print(f"{name:<24}{np.mean(found):.4f}")
print("chosen:", "; ".join(sorted(set(chosen))))
