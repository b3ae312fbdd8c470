"""What a library might do to the process that reads uploads; named by tests of ``bounded``."""

import ctypes
import os
import time
from pathlib import Path

import numpy as np

from stcmtl.io.limits import Limits
from stcmtl.io.parsing import How, Parsed, parse
from stcmtl.io.sources import File


def misbehave(files: list[File], how: How, limits: Limits) -> Parsed:
    """The name of the file says how; any other is parsed."""
    name = files[0].name
    if name == "crash":
        ctypes.string_at(0)
    if name == "sleep":
        time.sleep(600)
    if name == "spin":
        while True:
            pass
    if name == "eat":
        np.ones(2**40)
    if name == "eat slowly":
        held = []
        while True:
            held.append(b"x" * 2**24)
    if name == "abort":
        os.abort()
    if name == "stumble":
        raise KeyError("a fault of ours")
    if name == "write":
        with Path(files[0].data.decode()).open("wb") as handle:
            handle.truncate(2**50)
            handle.write(b"x")
    if name == "kill the server":
        os.kill(os.getppid(), 9)
        os._exit(1)
    if name == "open files":
        held = [open(os.devnull) for _ in range(1000)]  # noqa: PTH123, SIM115
    return parse(files, how, limits)
