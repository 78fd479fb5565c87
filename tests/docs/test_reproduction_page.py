"""The pages of reproductions are made from what was found, and from nothing else."""

import importlib.util
from pathlib import Path

import pytest

from featsieve.reproduce import reproduce

SCRIPT = Path(__file__).parents[2] / "docs" / "make_reproduction.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_reproduction", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cell(row, column, **facts):
    usual = {"row": row, "column": column, "published": 0.25, "ours": 0.2512}
    usual |= {"standard_error": 0.0104, "z": 0.11, "digits": 4}
    return usual | facts


def test_every_cell_is_told_with_its_error(script):
    def table(name, known, *cells):
        title = f"table {name}"
        return {"name": name, "title": title, "known": known, "cells": cells}

    page = script.write_cells(
        {
            "featsieve": "1",
            "repeats": 10,
            "work": 120.0,
            "verdicts": {"within 2 s.e.": 3, "differs": 0},
            "tables": [
                table("w-1", ["all"], cell("a", "x"), cell("b", "y", z=None)),
                table("w-2", ["all", "own"], cell("a", "x", ours=None)),
                table("w-3", []),
            ],
        }
    )
    assert "reproduce w --data DIR --repeats 10" in page
    assert "took 2 minutes" in page
    assert "Cells: 3 within 2 s.e.\n" in page
    assert page.count("0.2500 → 0.2512 ± 0.0104 (+0.1)") == 1
    assert page.count("0.2500 → 0.2512 ± 0.0104\n") == 1
    assert page.count("all\n") == page.count("own\n") == 1
    assert "w-2: table w-2\n--------------\n\nown\n" in page
    assert "w-3" not in page


def test_both_pages_hold_what_reproduce_gives(script):
    document = reproduce(["bifs-5.2"]).to_dict()
    assert "bifs-5.2" in script.write(document)
    assert "[1,2,3,4] → [1,2,3,4]" in script.write_cells(document)
