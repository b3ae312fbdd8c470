"""What a server does beside answering: memory that is free goes back to the system."""

import sys
from pathlib import Path

import pytest

from stcmtl.studio.start import give_back

MIB = 2**20


def resident() -> int:
    """Bytes of this process in memory."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is nothing to be done")
def test_memory_that_is_free_goes_back_to_the_system() -> None:
    held = [bytes(4000) for _ in range(25_000)]  # 100 MB in small parts
    last = bytes(4000)  # above which alone the C library would give back
    full = resident()
    del held
    give_back()
    assert full - resident() > 80 * MIB
    assert not any(last)
