"""Work stops where its own byte says so, and nowhere else."""

import pytest

from stcmtl.stopping import NEVER, Stopped, halt, new_halt, stop_if_asked, stopped_by


def test_work_stops_where_its_own_byte_says_so() -> None:
    mine, yours = new_halt(), new_halt()
    yours[0] = 1
    with stopped_by(mine):
        stop_if_asked()
        with stopped_by(yours), pytest.raises(Stopped):
            stop_if_asked()
        stop_if_asked()
        mine[0] = 1
        with pytest.raises(Stopped):
            stop_if_asked()
    assert halt() is NEVER
    stop_if_asked()
