"""Every block and command of README and docs runs, and prints what the page says."""

import doctest
import re
from pathlib import Path

import pytest

from stcmtl.paper.experiments import ORACLE
from stcmtl.paper.results import read_shipped
from stcmtl.paper.settings import pick_ours
from tests.docs.blocks import PAGES, ROOT, SHOWN, blocks_of, inline_commands, run_page
from tests.docs.commands import check_options
from tests.stores import make_stores

AS_PRINTED = doctest.OutputChecker().check_output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_print_what_the_page_says(page: Path) -> None:
    printed = ""
    for block, output in run_page(page):
        if block.language == "text":
            assert printed, f"{page.name}, line {block.line}: nothing before it prints this"
            same = AS_PRINTED(block.text, printed, doctest.ELLIPSIS)
            assert same, f"{page.name}, line {block.line}: it prints\n{printed}"
        printed = output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_within_sentences_would_be_understood(page: Path) -> None:
    for command in inline_commands(page):
        check_options(command)


def test_nothing_is_shown_without_a_reason() -> None:
    languages = {block.language for page in PAGES for block in blocks_of(page)}
    assert languages - {"python", "sh", "text"} == set(SHOWN)


def test_the_part_of_a_file_that_is_shown_is_its_beginning() -> None:
    (shown,) = (b for b in blocks_of(ROOT / "docs" / "data.md") if b.language == "csv")
    assert (ROOT / "examples" / "stores.csv").read_text().startswith(shown.text)


def test_the_stores_are_those_whose_truth_we_know() -> None:
    assert (ROOT / "examples" / "stores.csv").read_bytes() == make_stores(1, (24, 49)).csv()


def test_the_readme_has_the_numbers_that_ship() -> None:
    """Columns in the order of settings; the second row is the best of the others, and named."""
    text = (ROOT / "README.md").read_text()
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    shown = [row for row in (re.findall(r"0\.\d{3}", line) for line in lines) if len(row) == 3]
    columns = []
    for setting in ("sparse-200", "sparse-600", "outliers-200"):
        runs = read_shipped(setting)
        errors = {run.method: sum(s.error for s in run.scores) / len(run.scores) for run in runs}
        own = pick_ours(setting)
        others = {m: e for m, e in errors.items() if m != ORACLE and not m.startswith("STCMTL")}
        best = min(others, key=others.__getitem__)
        assert best in text
        column = (errors["LASSO"], errors[best], errors[own], errors[ORACLE])
        columns.append([f"{error:.3f}" for error in column])
    assert shown == [list(row) for row in zip(*columns, strict=True)]


def test_the_readme_is_a_screen_and_a_half() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 75


def test_links_lead_to_files_where_they_lie() -> None:
    """As one reads them in the repository; those of the site are checked when it is built."""
    lost = [
        f"{page.name}: {link}"
        for page in PAGES
        for link in re.findall(r'(?:\]\(|src="|srcset=")([^)"#\s]+)', page.read_text())
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert lost == []
