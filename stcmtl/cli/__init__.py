"""The command line: ``python -m stcmtl simulate|fit|select|predict|report|paper|studio``.

The parser is light, so that ``--help`` answers at once; a subcommand's own module, with all that
it imports, is loaded when it runs. Imports any room but `studio`.
"""

import io
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module

from stcmtl.cli.console import Console, sentence_of
from stcmtl.cli.parser import COMMANDS, build_parser

__all__ = ["main"]

FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141  # the last two as a shell has them: 128 + signal


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; wrong usage exits with 2."""
    args = build_parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name may have signs that a terminal has not
        sys.stdout.reconfigure(errors="backslashreplace")
    console = Console(args.quiet, args.json)
    try:
        with notes_on(console):
            home = import_module(f"stcmtl.cli.{COMMANDS[args.command].home}")
            getattr(home, f"run_{args.command}")(args, console)
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        discard_stdout()
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 whatever it is, a person gets a sentence
        if was_interrupted(error):
            return INTERRUPTED
        if args.debug:
            traceback.print_exc()
        print(f"stcmtl: {sentence_of(error, args.command)}", file=sys.stderr)
        return FAILED
    return 0


@contextmanager
def notes_on(console: Console) -> Iterator[None]:
    """What the package warns of as notes on the console; with ``--quiet`` not even its log."""
    logger = logging.getLogger("stcmtl")
    level = logger.level
    if console.quiet:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda found, *_, **__: console.note(sentence_of(found))
            yield
    finally:
        logger.setLevel(level)


def was_interrupted(error: BaseException | None) -> bool:
    """A compiled kernel wraps Ctrl-C into an error of its own."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def discard_stdout() -> None:
    """Python flushes standard output once more at its end, which must not fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
