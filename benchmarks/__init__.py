"""Scripts that measure what README and docs claim: accuracy, real data, speed."""
