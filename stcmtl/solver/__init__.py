"""The algorithm: one file per step, the loops that call them, and compiled kernels.

A step is a function of arrays to arrays. Imports `data` only.
"""
