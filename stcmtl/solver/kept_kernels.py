"""Where compiled kernels are kept: asked before the first of them is defined.

numba keeps them beside their source, or in the user's folder for caches, and where neither can be
written (a checkout that belongs to somebody else, a service without a home) it refuses to define
them at all. Then they go to a folder of this user's own among the temporary ones. It also refuses
to call them where a file there is damaged, or the disk is full: then they are compiled again. What
is damaged within the code it would run, which ends the process: so files end with their digest.
"""

import os
import stat
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from stcmtl.errors import InputError

VARIABLE = "NUMBA_CACHE_DIR"
BESIDE = Path(__file__).parent / "kernels" / "__pycache__"
DIGEST = 32  # bytes
CACHES = {"darwin": "~/Library/Caches", "win32": "~/AppData/Local"}  # elsewhere ~/.cache


def settle_folder() -> Path:
    """The folder that numba will use; it is told where its own choice would fail."""
    given = os.environ.get(VARIABLE)
    for folder in (*([Path(given)] if given else []), BESIDE, user_cache()):
        if can_write(folder):
            return folder
    folder = temporary_folder()
    os.environ[VARIABLE] = str(folder)  # for processes that are started from here, too
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    return folder


def user_cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or CACHES.get(sys.platform, "~/.cache")
    return Path(os.path.expanduser(home)) / "numba"  # noqa: PTH111 without a home it stays as it is


def can_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def temporary_folder() -> Path:
    """The same one every time, unless it could be somebody else's: what lies there is executed."""
    try:
        folder = Path(tempfile.gettempdir()) / f"stcmtl-{getattr(os, 'getuid', int)()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder if is_ours(folder) else Path(tempfile.mkdtemp(prefix="stcmtl-"))
    except OSError:
        raise InputError(
            "There is no folder that compiled kernels could be written to",
            remedy=f"name one in the environment variable {VARIABLE}",
        ) from None


def is_ours(folder: Path) -> bool:
    if not hasattr(os, "getuid"):  # on Windows temporary folders are a user's own
        return True
    found = folder.lstat()
    alone = not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and alone


class Kept:
    """numba's cache of one kernel, where a file that cannot be read or written is as good as none.

    Nothing half written is there: numba writes to a file of another name first.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache
        seal(cache._cache_file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *what: Any) -> Any:
        try:
            return self._cache.load_overload(*what)
        except Exception:  # noqa: BLE001 a damaged pickle raises anything
            with suppress(OSError):
                self._cache.flush()  # else it could not be written again either
            return None

    def save_overload(self, *what: Any) -> None:
        with suppress(OSError):
            self._cache.save_overload(*what)


def seal(file: Any) -> None:
    """Have its data end with their digest, which must be right.

    numba reads them as before: its format ends where it ends, whatever follows.
    """
    dump, load = file._dump, file._load_data

    def dump_sealed(what: Any) -> bytes:
        data: bytes = dump(what)
        return data + sha256(data).digest()

    def load_sealed(name: str) -> Any:
        data = Path(file._data_path(name)).read_bytes()
        if sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
            raise ValueError(f"{name} is damaged")
        return load(name)

    file._dump, file._load_data = dump_sealed, load_sealed


def keep(kernel: Any) -> Any:
    """A function of numba's that is cached, and can be called whatever its files have come to."""
    if hasattr(kernel, "_cache"):  # not so where numba is told to compile nothing
        kernel._cache = Kept(kernel._cache)
    return kernel
