"""A server that is started, asked whether it is well, and ended."""

import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 90.0  # seconds


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str],
    log: Path,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Address of what ``command`` serves, with a port of our own; its words are in the log."""
    port = free_port()
    with log.open("wb") as words:
        server = subprocess.Popen(
            [*command, "--port", str(port)], stdout=words, stderr=words, cwd=folder, env=variables
        )
        try:
            yield f"http://localhost:{port}"
        finally:
            server.terminate()
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def is_well(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def wait_until_well(address: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_well(address):
        said = log.read_text(encoding="utf-8", errors="replace")
        assert time.monotonic() < deadline, f"the server does not answer: {said}"
        time.sleep(0.2)


def answer_once(command: Sequence[str]) -> None:
    log = Path("server.log")
    with running(command, log) as address:
        wait_until_well(address, log)
