"""What runs in the background: jobs, fits and comparisons, step by step."""
