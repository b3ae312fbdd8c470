"""The light core reads CSV, npz and MATLAB; whoever brings another file is told what to install."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.layouts import zip_bytes
from stcmtl import ReadError, read
from stcmtl.errors import InputError
from stcmtl.io.write import write_table


@pytest.mark.parametrize(
    ("library", "home", "content", "extra"),
    [
        ("h5py", "hdf5", b"\x89HDF\r\n\x1a\n", "files"),
        ("pyarrow", "typed", b"PAR1", "files"),
        ("pyreadstat", "typed", b"$FL2", "files"),
        ("rdata", "typed", b"RDX3\n", "r"),
        ("openpyxl", "excel", zip_bytes({"xl/workbook.xml": b"<workbook/>"}), "files"),
    ],
)
def test_a_file_that_needs_a_library(
    library: str, home: str, content: bytes, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"stcmtl.io.formats.{home}", raising=False)
    said = rf"^a is .*, and {library}, which reads it, is not installed: install stcmtl\[{extra}\]"
    with pytest.raises(ReadError, match=said):
        read(("a", content))


def test_the_core_reads_csv() -> None:
    code = """
import sys
sys.modules |= dict.fromkeys(["h5py", "openpyxl", "pyarrow", "plotly", "streamlit"])
from stcmtl import read
print(read(("a.csv", b"task,x,y\\na,1,2.5\\na,2,3\\nb,1,2\\nb,4,4\\n"))[1].tasks)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("2\n", "")


@pytest.mark.parametrize(
    ("library", "name"), [("pyarrow", "a.parquet"), ("openpyxl.workbook", "a.xlsx")]
)
def test_a_file_to_write_that_needs_a_library(
    library: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    said = r"needs a library .*: install stcmtl\[files\], or use CSV"
    with pytest.raises(InputError, match=said):
        write_table(pd.DataFrame({"x": [1.5]}), tmp_path / name)
    assert not (tmp_path / name).exists()
