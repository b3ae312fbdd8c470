"""Another user, a read-only checkout, no home: the dashboard starts, fits, and names its cache."""

import os
import shutil

import pytest

from benchmarks.container import check_all


@pytest.mark.skipif(
    os.getuid() == 0 and shutil.which("setpriv") is None,
    reason="no setpriv to change the user with",
)
def test_the_steps_of_the_container(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("service")
    for above in (folder, *folder.parents[:2]):
        above.chmod(0o755)
    assert [check for check in check_all(folder, present=True) if not check[2]] == []
