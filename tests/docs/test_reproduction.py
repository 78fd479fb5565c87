"""The page of reproduced tables shows every cell, ours beside print."""

import csv
import importlib.util
from pathlib import Path

from featsieve.reproduce import published_tables, reproduce

DOCS = Path(__file__).parents[2] / "docs"
SPEC = importlib.util.spec_from_file_location(
    "make_reproduction", DOCS / "make_reproduction.py"
)
make_reproduction = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_reproduction)


def rows_of(page):
    lines = [line.strip() for line in page.splitlines() if line.startswith('   "')]
    return list(csv.reader(lines))


def test_every_cell_is_on_the_page():
    found = reproduce(["bifs-5.2", "bifs-5.5"])
    page = make_reproduction.write(found.to_dict(), "At length")
    assert page.startswith("At length\n=========\n")
    assert "``featsieve reproduce bifs --data DIR --repeats 5``" in page
    assert "bifs-5.2: Relevant groups and features of four" in page
    rows = rows_of(page)
    assert ["corral", "relevant groups", "[1,2,3,4]", "[1,2,3,4]", "–", "same"] in rows
    assert len(rows) == 2 + 1 + 1 + 8, "the overview with its sum, and the cells"
    assert "bifs-5.5" not in page, "it has no cells"


def test_the_page_is_of_our_tables():
    page = (DOCS / "guide" / "reproduced.rst").read_text(encoding="utf-8")
    tables = {name: table for name, table in published_tables().items() if table.cells}
    works = {name.split("-")[0] for name in tables}
    assert works == set(make_reproduction.WORKS)
    shown = [name for name in tables if f"{name}: {tables[name].title}\n" in page]
    assert {name.split("-")[0] for name in shown} == works
    n_cells = sum(len(tables[name].cells) for name in shown)
    assert len(rows_of(page)) == n_cells + 2 * len(shown) + 2
