"""The compiled inner loops of the baselines, and only those."""
