"""Tasks: `TaskSet`, checks of what a person hands in, simulated tasks, splits and real data.

Imports nothing of ours but errors and phrases.
"""
