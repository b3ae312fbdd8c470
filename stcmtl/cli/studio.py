"""``stcmtl studio``: the dashboard, from a checkout or an installed wheel, in any folder.

The server takes the place of this process, so that whoever started it can end it. Settings come
from ``.streamlit/config.toml`` beside the router: Streamlit prefers it to the working folder's.
"""

import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

from stcmtl.cli.console import Console
from stcmtl.errors import require
from stcmtl.solver.kept_kernels import settle_folder

PACKAGE = Path(__file__).resolve().parents[1]


def run_studio(args: Namespace, console: Console) -> None:
    for package in ("streamlit", "plotly"):
        require(package, "The dashboard", extra="studio")
    console.note(f"Compiled kernels are kept in {settle_folder()}.")
    # -P: files of the working folder are not to be imported in place of modules.
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(find_router())]
    if args.port is not None:
        command += ["--server.port", str(args.port)]
    if args.no_browser:
        command += ["--server.headless", "true"]
    if sys.platform == "win32":  # a replaced process would give the prompt back at once
        raise SystemExit(subprocess.call(command))
    os.execv(command[0], command)


def find_router() -> Path:
    """``app.py``: a wheel has it among its files, a checkout at its root."""
    packed = PACKAGE / "studio" / "site" / "app.py"
    return packed if packed.exists() else PACKAGE.parent / "app.py"
