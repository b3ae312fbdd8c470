"""A draw of every kind of tasks: nothing that pages say of its fit is contradicted by the truth."""

import pytest

from benchmarks.sentences import KINDS, run


@pytest.mark.parametrize("kind", KINDS)
def test_the_truth_contradicts_no_sentence(kind: str) -> None:
    assert run(kind, seed=100) == []
