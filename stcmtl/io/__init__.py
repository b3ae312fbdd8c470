"""Files to tasks, and results to files: readers, an account of what they understood, writers.

Imports `data` only, and the solver's records for the model file.
"""
