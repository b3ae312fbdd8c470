"""Bytes to text: the encoding of a file, and its first lines."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from stcmtl.io.limits import MIB, fault
from stcmtl.io.sources import File

SAMPLE = 256 * 1024
LONGEST_LINE = 32 * MIB
NEARLY_ALL = 0.9
NOT_IN_1252 = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
SPACED = (b", ", b"; ", b"| ", b"\t ", b"\n ", b"\r ")


@dataclass(frozen=True)
class Scan:
    """One pass over a file's bytes."""

    encoding: str
    lines: int
    spaced: bool  # blanks after delimiters, which cost time to skip


def scan(file: File) -> Scan:
    """UTF-8 if all of it is, UTF-16 by its mark or its zeros, else Windows-1252 or Latin-1."""
    head = file.head(1024)
    if utf16 := utf16_of(head):
        return Scan(utf16, count_lines(file), spaced=True)
    utf8 = codecs.getincrementaldecoder("utf-8")()
    encoding, lines, last, accents, spaced = "utf-8", 0, b"", False, False
    with file.open() as handle:
        while chunk := handle.read(MIB):
            if b"\0" in chunk:
                raise fault(
                    file.name,
                    "is no table of text",
                    f"it holds zero bytes near line {lines + 1}; export it again as CSV",
                )
            plain = chunk.isascii() and not utf8.getstate()[0]
            if encoding == "utf-8" and not plain:
                try:
                    utf8.decode(chunk)
                except UnicodeDecodeError:
                    check_not_mixed(file.name, chunk, lines, accents)
                    encoding = "cp1252"
                accents = True
            elif not chunk.isascii():
                check_not_mixed(file.name, chunk, lines, False)
            if encoding == "cp1252" and len(chunk.translate(None, NOT_IN_1252)) < len(chunk):
                encoding = "latin-1"
            spaced = spaced or (b" " in chunk and any(sign in chunk for sign in SPACED))
            lines += chunk.count(b"\n") or chunk.count(b"\r")
            last = chunk
    if encoding == "utf-8" and head.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    return Scan(encoding, lines + (not last.endswith((b"\n", b"\r"))), spaced)


def utf16_of(head: bytes) -> str:
    """The kind of UTF-16 that begins so, or nothing: every other byte of its Latin text is zero."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for zeros, letters, kind in ((1, 0, "utf-16-le"), (0, 1, "utf-16-be")):
        half = head[zeros::2]
        if len(half) > 3 and half.count(0) > NEARLY_ALL * len(half) and 0 not in head[letters::2]:
            return kind
    return ""


def count_lines(file: File) -> int:
    with file.open() as handle:
        lines = 1
        while chunk := handle.read(MIB):
            lines += chunk.count(b"\n")
    return lines


def check_not_mixed(name: str, chunk: bytes, lines: int, accents: bool) -> None:
    """Letters that are good UTF-8 beside bytes that are not: two encodings in one file."""
    text = chunk[4:-4].decode("utf-8", errors="replace")  # a cut at the ends is no fault
    if accents or any(char not in "\ufffd" and ord(char) > 127 for char in text):
        bad = lines + 1 + text.partition("\ufffd")[0].count("\n")
        raise fault(
            name,
            f"mixes encodings (UTF-8 and another, near line {bad:,})",
            "save all of it as UTF-8",
        )


def sample_of(file: File, encoding: str) -> str:
    """Some whole lines from the start, the first two of them however long they are."""
    with file.open() as handle:
        raw = handle.read(SAMPLE)
        if len(raw) == SAMPLE:
            for _ in range(2 - min(2, raw.count(b"\n") or raw.count(b"\r"))):
                raw += handle.readline(LONGEST_LINE)
        if len(raw) > LONGEST_LINE:
            raise fault(
                file.name,
                f"has a line of more than {LONGEST_LINE:,} bytes",
                "export it as CSV with one row a line",
            )
        whole = len(raw) < SAMPLE
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(raw, final=whole)
    except UnicodeDecodeError:
        raise fault(file.name, "is damaged", f"its text is not {encoding}") from None
    if not whole and text.count("\n") > 1:
        text = text[: text.rindex("\n")]
    return text
