"""Uploads are parsed in a process of their own, bounded in time and memory by the system.

On Linux one server process has all libraries loaded and forks a child for every request; what
kills the child ends that request and nothing else. Elsewhere every request starts a new process.
Our own process sees no byte of the file but those that come back as cells and arrays (``wire``).

``multiprocessing`` would run ``__main__`` again in its children, which under Streamlit is a page.
"""

import atexit
import gc
import json
import logging
import mmap
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from stcmtl.errors import Worded, require
from stcmtl.io.account import Case
from stcmtl.io.limits import MIB, Limits, ReadError
from stcmtl.io.parsing import HOW, READERS, How, Parsed, parse
from stcmtl.io.sources import File

LOG = logging.getLogger(__name__)
PARSER = f"{parse.__module__}:{parse.__name__}"  # what does the work there
CHECKER = "stcmtl.io.session_file:check_session"
HOUSE = str(Path(__file__).resolve().parents[2])  # where the child finds the same package
START = "import sys; sys.path.insert(0, sys.argv[1]); from stcmtl.io import bounded; bounded.{}()"
# Threads would not survive a fork, and another allocator would not heed the limit in time.
ENVIRONMENT = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ENVIRONMENT |= {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
ENVIRONMENT |= {"ARROW_DEFAULT_MEMORY_POOL": "system", "HDF5_PLUGIN_PRELOAD": "::"}
FORKS = sys.platform == "linux"
AT_ONCE = max(2, os.cpu_count() or 1)
SOON, SMALL, PER_MIB = 10, 4 * MIB, 4  # seconds for any file, and for each further megabyte
PATIENCE = 3  # times the processor's seconds that a file may take on a busy machine
STARTING = 60  # seconds for the server, or a process, to load its libraries
FEW_FILES = 64  # that a child may have open
MAPPED = 16 * MIB  # from here on results are mapped, which keeps a descriptor while they are used
TOO_LONG = (24, 14)  # SIGXCPU and SIGALRM, which not every system has
TAKEN = b"+"  # a child's first byte: the request reached it
LONGEST_ANSWER = 64 * MIB  # beside the cells: names, and what was found

Answer = dict[str, Any]
Parser = Callable[[list[File], How, Limits], Parsed]


def parse_bounded(files: list[File], how: How, limits: Limits) -> Parsed:
    """As ``parse``, in another process; whatever happens to that ends in a ReadError."""
    return work_bounded(PARSER, files, how, limits)


def check_bounded(file: File, limits: Limits) -> None:
    """Refuse what is no session file, or one that would take very long or much memory to open."""
    work_bounded(CHECKER, [file], HOW, limits)


def work_bounded(parser: str, files: list[File], how: How, limits: Limits) -> Parsed:
    require("pyarrow", "Reading uploads", extra="files")
    from stcmtl.io import wire

    ours, limits = limits, shorten_time(files, limits)
    with make_file() as request, make_file() as result:
        wire.write_request(parser, files, how, limits, request)
        with SEATS:
            answer = (ask_server if FORKS else ask_process)(request, result, limits)
        if "error" in answer:
            raise wire.decode_error(answer["error"])
        if "died" in answer:
            LOG.error("Reading an upload ended in %s", answer["died"])
            raise explain_end(files, limits, answer["died"])
        return wire.read_parsed(answer, open_result(result), ours)


def shorten_time(files: list[File], limits: Limits) -> Limits:
    """A small file that takes long is not what it seems to be; a large one has its time."""
    beyond = max(0, sum(file.size for file in files) - SMALL)
    seconds = SOON + PER_MIB * beyond // MIB
    return replace(limits, seconds=min(limits.seconds, seconds))


def explain_end(files: list[File], limits: Limits, died: Any) -> ReadError:
    slow = died in TOO_LONG
    why = f"took more than {limits.seconds} seconds" if slow else "ended the process that did it"
    return Case.of_files(files, limits).fault(
        f"could not be read: reading it {why}",
        "export it again, in another format such as CSV, or read a smaller part",
    )


@contextmanager
def make_file() -> Iterator[Any]:
    """A file in memory that only we and the child see; elsewhere one in a folder of our own."""
    if FORKS:
        with os.fdopen(os.memfd_create("stcmtl"), "w+b") as handle:
            yield handle
    else:
        with TemporaryDirectory() as folder, (Path(folder) / "upload").open("w+b") as handle:
            yield handle


def open_result(handle: BinaryIO) -> bytes | mmap.mmap:
    size = os.fstat(handle.fileno()).st_size
    if FORKS and size >= MAPPED:
        return mmap.mmap(handle.fileno(), size, access=mmap.ACCESS_READ)
    handle.seek(0)
    return handle.read()


# Our side.


class Server:
    """The process that forks, started when first asked and again when it is gone."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def send(self, descriptors: list[int]) -> subprocess.Popen[bytes]:
        """Hand over a request; the process that has it now."""
        with self.lock:
            process, control = self.start()
            with suppress(OSError):  # it has just died: that no child answers will show
                socket.send_fds(control, [TAKEN], descriptors)
            return process

    def start(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        if self.running is not None and self.running[0].poll() is None:
            return self.running
        self.stop()
        ours, theirs = socket.socketpair()
        with theirs:
            end = theirs.fileno()
            process = start_process("serve", str(end), passed=(end,))
        self.running = process, ours
        return self.running

    def stop(self) -> None:
        if self.running is None:
            return
        process, control = self.running
        control.close()  # which it notices
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self.running = None

    def replace(self, process: subprocess.Popen[bytes]) -> None:
        """Stop a process that gave no answer, unless somebody else has done so."""
        with self.lock:
            if self.running is not None and self.running[0] is process:
                self.stop()


SERVER = Server()
SEATS = threading.BoundedSemaphore(AT_ONCE)
atexit.register(SERVER.stop)


def start_process(
    side: str, *arguments: str, stdout: int = subprocess.DEVNULL, passed: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", START.format(side), HOUSE, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        env=os.environ | ENVIRONMENT,
        pass_fds=passed,
    )


def ask_server(request: Any, result: Any, limits: Limits) -> Answer:
    """What a child answers, or what it died of. A server that died is replaced, once."""
    for _ in range(2):
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                process = SERVER.send([theirs.fileno(), request.fileno(), result.fileno()])
            ours.settimeout(PATIENCE * limits.seconds + STARTING)
            reply = receive(ours)
        if reply:
            return decode_reply(reply)
        SERVER.replace(process)
    return {"died": "silence"}


def receive(connection: socket.socket) -> bytes:
    reply = bytearray()
    with suppress(OSError):  # its patience is at an end, or the other side died
        while len(reply) <= LONGEST_ANSWER and (block := connection.recv(MIB)):
            reply += block
    return bytes(reply)


def decode_reply(reply: bytes) -> Answer:
    """The last line of it; the first says no more than that a child took the request."""
    try:
        answer: Answer = json.loads(reply.rpartition(b"\n")[2])
    except ValueError:  # or of a very long one
        return {"died": "the middle of a word"}
    return answer


def ask_process(request: Any, result: Any, limits: Limits) -> Answer:
    """As ``ask_server`` with a process for this request alone."""
    names = request.name, result.name
    process = start_process("work_once", *names, stdout=subprocess.PIPE)
    try:
        reply = process.communicate(timeout=PATIENCE * limits.seconds + STARTING)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {"died": TOO_LONG[0]}
    return {"died": -process.returncode} if process.returncode else decode_reply(reply)


# The other side.


def serve() -> None:
    """Fork for every request, until our side closes the connection."""
    control = socket.socket(fileno=int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # our side is told, and closes the connection
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    load_libraries()
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, len(TAKEN), 3)
        if not message:
            return
        if os.fork() == 0:
            try:
                watch(*descriptors)
            finally:
                os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


def find_parser(name: str) -> Parser:
    module, _, function = name.partition(":")
    parser: Parser = getattr(import_module(module), function)
    return parser


def load_libraries() -> None:
    """All that any file needs, so that no child loads it."""
    for home in READERS.values():
        with suppress(ModuleNotFoundError):
            import_module(f"stcmtl.io.formats.{home.partition('.')[0]}")
    for other in ("stcmtl.io.wire", "pyarrow.parquet", "pyreadstat", "rdata"):
        with suppress(ModuleNotFoundError):
            import_module(other)


def watch(connection: int, request: int, result: int) -> None:
    """Let a child do the work, and tell what it died of."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    close_all_but(connection, request, result)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with socket.socket(fileno=connection) as reply:
        reply.sendall(TAKEN)
        if (child := os.fork()) == 0:
            with os.fdopen(request, "rb") as source, os.fdopen(result, "wb") as handle:
                reply.sendall(b"\n" + work(source, handle))
                os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status:
            cause = os.WTERMSIG(status) if os.WIFSIGNALED(status) else "an exit"
            reply.sendall(b"\n" + json.dumps({"died": cause}).encode())


def close_all_but(*kept: int) -> None:
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 the listing itself opens one
        if int(name) not in (0, 1, 2, *kept):
            with suppress(OSError):
                os.close(int(name))


def work_once() -> None:
    source, result = Path(sys.argv[2]), Path(sys.argv[3])
    with source.open("rb") as request, result.open("r+b") as handle:
        sys.stdout.buffer.write(work(request, handle))


def work(request: BinaryIO, result: BinaryIO) -> bytes:
    from stcmtl.io import wire

    header = wire.read_header(request)
    limits = Limits(**header["limits"])
    set_limits(limits)
    try:
        files, how, limits = wire.read_request(header, request)
        parser = find_parser(header["parser"])
        answer = wire.write_parsed(parser(files, how, limits), result)
    except Worded as error:
        answer = {"error": wire.encode_error(error)}
    except MemoryError:
        names = [File(name) for name, _, _ in header["files"]]
        answer = {"error": wire.encode_error(Case.of_files(names, limits).memory_fault())}
    except Exception:  # noqa: BLE001 a fault of ours, for the log
        answer = {"died": traceback.format_exc()}
    return json.dumps(answer).encode()


def set_limits(limits: Limits) -> None:
    """What the system holds us to; a signal ends a process that would go beyond."""
    try:
        import resource
    except ModuleNotFoundError:  # there is a timeout on our side still
        return
    bounds = {
        resource.RLIMIT_CPU: limits.seconds,
        resource.RLIMIT_FSIZE: min(limits.memory, max(MIB, 2 * limits.bytes_unpacked)),
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: FEW_FILES,
    }
    if FORKS:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        bounds[resource.RLIMIT_AS] = pages * mmap.PAGESIZE + limits.memory
        with suppress(OSError):  # where memory runs out altogether, we are to go first
            Path("/proc/self/oom_score_adj").write_text("1000")
    for name, bound in bounds.items():
        hard = resource.getrlimit(name)[1]
        most = sys.maxsize if hard == resource.RLIM_INFINITY else hard
        # of time the first bound sends a signal that says why, the second one kills
        last = bound + 1 if name == resource.RLIMIT_CPU else bound
        resource.setrlimit(name, (min(bound, most), min(last, most)))
    signal.alarm(PATIENCE * limits.seconds)
