"""Scripts that measure what the README claims: accuracy, real data, speed."""
