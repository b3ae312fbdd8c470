"""The command line: ``python -m stcmtl simulate|fit|select|predict|report|paper|studio``.

The parser is light, so that ``--help`` answers at once; a subcommand's own module, with all that
it imports, is loaded when it runs. Imports any room but `studio`.
"""

from stcmtl.cli.command import main

__all__ = ["main"]
