"""What scikit-learn users call: estimators, the choice of K, new tasks, resampling.

Imports `solver`, `data` and the model file of `io`.
"""
