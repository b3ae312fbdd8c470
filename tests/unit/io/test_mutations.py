"""Damaged files of every layout: tasks or one sentence, nothing else.

They are read in the child, as uploads are: native libraries do crash on some.
``benchmarks/mutations.py`` does the same to thousands of files.
"""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.mutations import FINE, KINDS, Edit, damaged, damaged_inside, outcome, single_files

FILES = single_files()

edits = st.lists(
    st.builds(
        Edit,
        kind=st.sampled_from(KINDS),
        at=st.floats(0, 1),
        size=st.sampled_from([1, 2, 4, 8, 64, 512]),
        seed=st.integers(0, 2**31),
    ),
    min_size=1,
    max_size=8,
)
layouts = st.sampled_from(sorted(FILES))


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(layout=layouts, donor=layouts, edits=edits, inside=st.booleans())
def test_damaged_file_is_read_or_refused(
    layout: str, donor: str, edits: list[Edit], inside: bool
) -> None:
    name, data = FILES[layout]
    damage = damaged_inside if inside and data.startswith(b"PK") else damaged
    assert outcome(name, damage(data, edits, FILES[donor][1]), bounded=True) in FINE
