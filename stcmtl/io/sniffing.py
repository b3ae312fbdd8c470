"""What a file is, from its first bytes: an extension is only a claim."""

import codecs
import re
import struct

from stcmtl.io.formats.archives import open_zip
from stcmtl.io.limits import Limits, damage_fault, fault, shorten
from stcmtl.io.sources import File

HDF5 = b"\x89HDF\r\n\x1a\n"
MARKS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"<stata_dta>": "Stata",
    b"$FL2": "SPSS",
    b"$FL3": "SPSS",
    b"RDX2\n": "R data",
    b"RDX3\n": "R data",
    b"X\n\0\0\0": "R data",
    HDF5: "MAT v7.3",
    b"MATLAB 7.3": "MAT v7.3",
}
ZIP = b"PK\x03\x04"
JSON = re.compile(rb"\{|\[\s*[\[{]")
STATA_VERSIONS = (102, 103, 104, 105, 108, 110, 111, 112, 113, 114, 115)  # before they had a mark
MAT5_HEADER = 128
# MAT v4 has no mark: its first number has four digits, 0 or 1 for the byte order, 0, the type of
# the numbers, and whether the array is full, text or sparse.
HEADER4, LONGEST_NAME = 20, 64

UTF32 = ("text in UTF-32", "save it as UTF-8")
TAR_MARK, TAR_AT = b"ustar", 257
REFUSED = {
    b"\xd0\xcf\x11\xe0": ("an old Excel (.xls) or Office file", "save it as .xlsx or CSV"),
    b"%PDF": ("a PDF", "export the table as CSV"),
    b"\x93NUMPY": (
        "one bare array",
        "put X, y and tasks together with numpy.savez('tasks.npz', X=X, y=y, tasks=tasks)",
    ),
    b"SQLite format 3": ("a database", "export the table as CSV"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "pack the files with zip"),
    b"Rar!": ("a rar archive", "pack the files with zip"),
    b"PK\x05\x06": ("an archive with nothing in it", "pack the files again"),
    codecs.BOM_UTF32_LE: UTF32,
    codecs.BOM_UTF32_BE: UTF32,
    b"FEA1": ("an old feather file", "save it with a newer version, or as Parquet"),
    b"\0" * 12 + b"\xc2\xea\x81\x60": ("a SAS file", "export the table as CSV"),
    b"MIME-Version:": ("a web page, not a spreadsheet", "open it and save it as .xlsx or CSV"),
    b"@relation": ("ARFF", "save the table as CSV"),
    b"@RELATION": ("ARFF", "save the table as CSV"),
}
# of any protocol that begins with its number
REFUSED |= {
    bytes((0x80, protocol)): ("a pickle, which is never loaded", "save CSV, Parquet or .npz")
    for protocol in range(2, 6)
}
HTML = (b"<!doctype html", b"<html", b"<table", b"<head", b"<body", b"<meta", b"<div")

EXPECTED = {".csv": "text", ".tsv": "text", ".parquet": "Parquet", ".npz": "npz", ".zip": "zip"}
EXPECTED |= dict.fromkeys((".xlsx", ".xlsm", ".xls"), "Excel")
EXPECTED |= {".mat": "MAT"}  # of any version
EXPECTED |= {".dta": "Stata", ".sav": "SPSS", ".zsav": "SPSS", ".feather": "Arrow"}
EXPECTED |= dict.fromkeys((".rds", ".rda", ".rdata"), "R data")
EXPECTED |= dict.fromkeys((".json", ".jsonl", ".ndjson"), "JSON")


def find_kind(file: File, limits: Limits) -> str:
    """A value of ``MARKS``, or one of text, JSON, Excel, npz, zip, MAT v4 and MAT."""
    head = file.head(1024)
    for magic, (what, remedy) in REFUSED.items():
        if head.startswith(magic):
            raise fault(file.name, f"is {what}", remedy)
    if head[TAR_AT:].startswith(TAR_MARK):
        raise fault(file.name, "is a tar archive", "pack the files with zip")
    # without a mark, and without the zeros of UTF-16
    text = head.lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\0", b"").lstrip().lower()
    if text.startswith(HTML) or (text.startswith(b"<?xml") and b"<html" in text):
        raise fault(
            file.name, "is a web page, not a spreadsheet", "open it and save it as .xlsx or CSV"
        )
    if text.startswith(b"<?xml"):
        raise fault(file.name, "is XML", "open it and save it as .xlsx or CSV")
    for mark, kind in MARKS.items():
        if head.startswith(mark):
            return kind
    if head.startswith(ZIP):
        return find_kind_of_zip(file, limits)
    if head[:1] and head[0] in STATA_VERSIONS and head[1:4] in (b"\1\1\0", b"\2\1\0"):
        return "Stata"
    if head[124:128] in (b"\x00\x01IM", b"\x01\x00MI"):  # version 0x0100, and the byte order
        return "MAT"
    if len(head) < MAT5_HEADER and head.startswith(b"MATLAB 5.0"):
        raise damage_fault(file.name)
    if is_mat4(head):
        return "MAT v4"
    return "JSON" if JSON.match(text) else "text"


def is_mat4(head: bytes) -> bool:
    """A first array whose type, size and name make sense, in either byte order."""
    if len(head) < HEADER4:
        return False
    for order in "<>":
        code, rows, columns, imaginary, length = struct.unpack_from(order + "5i", head)
        swapped, zero, dtype, kind = (code // 10**power % 10 for power in (3, 2, 1, 0))
        makes_sense = 0 <= code < 10_000 and swapped == (order == ">") and not zero and dtype < 6
        if makes_sense and kind < 3 and imaginary in (0, 1) and min(rows, columns) >= 0:
            name = head[HEADER4 : HEADER4 + length] if 1 < length <= LONGEST_NAME else b""
            if name.removesuffix(b"\0").decode("latin-1").isidentifier():
                return True
    return False


def find_kind_of_zip(file: File, limits: Limits) -> str:
    with open_zip(file, limits) as archive:
        members = [info.filename for info in archive.infolist() if not info.is_dir()]
    if "xl/workbook.xml" in members:
        return "Excel"
    if "xl/workbook.bin" in members or "content.xml" in members:
        raise fault(file.name, "is a spreadsheet of another kind", "save it as .xlsx or CSV")
    if "[Content_Types].xml" in members:
        raise fault(file.name, "is an Office file but no workbook", "export CSV or .xlsx")
    if members and all(member.endswith(".npy") for member in members):
        return "npz"
    return "zip"


def note_extension(file: File, kind: str) -> list[str]:
    if not kind.startswith(EXPECTED.get(file.extension, kind)):
        name = shorten(file.name)
        return [f"{name} is {kind} whatever its extension says, and was read as that"]
    return []
