"""Published tables for people: what is listed, what was run, what was not."""

from __future__ import annotations

import csv

import pytest

from cli.showing import shown
from featsieve.cli._errors import UsageProblem
from featsieve.cli.views import reproduce as views
from featsieve.cli.views.reproduce import (
    list_tables,
    print_list,
    print_reproduction,
    write_reproduction,
)


class Found:
    """A reproduction of one table that ran, one that waits, one that cannot run."""

    def __init__(self):
        self.verdicts = {"same": 1, "differs": 1, "not run": 0}
        cell = {
            "row": "r",
            "column": "c",
            "published": 1.5,
            "ours": 1.52,
            "standard_error": 0.01,
            "z": 2.0,
            "digits": 1,
            "n_runs": 4,
            "verdict": "differs",
            "note": "why",
        }
        common = {"title": "T", "source": "S", "about_data": {}, "missing": []}
        self.tables = [
            {"name": "ran", "cells": [cell], "known": ["k"], **common},
            {"name": "waits", "cells": [cell | {"n_runs": 0}], "known": [], **common},
            {"name": "never", "cells": [], "known": ["No data."], **common},
        ]

    def rows(self):
        return [{"table": "ran", "published": 1.5, "ours": None}]

    def to_dict(self):
        return {"tables": self.tables}


def test_tables_are_listed_with_what_they_need():
    answer = list_tables([])
    assert all(row["n_cells"] >= 0 and row["title"] for row in answer)
    text = shown(print_list, answer, quiet=False, width=120)
    assert "cannot be run" in text
    assert "data set" in text
    some = {"n_cells": 3, "datasets": ["iris"], "generated": True}
    assert views._needs(some) == "some of 1 data set"
    assert views._needs(some | {"datasets": []}) == "nothing"
    with pytest.raises(UsageProblem, match="--list` shows all"):
        list_tables(["no such table"])


@pytest.mark.parametrize(
    ("has_data", "way"), [(True, "are not in --data"), (False, "say --data DIR")]
)
def test_what_was_run_and_what_was_not(has_data, way):
    text = " ".join(
        shown(print_reproduction, Found(), has_data=has_data, quiet=False).split()
    )
    assert "ran: T" in text
    assert "1.5 1.52 0.01 +2.0 differs: why" in text
    assert f"Without data, so not run: waits; {way}" in text or way in text
    assert "never cannot be matched: No data." in text
    assert "Cells: 1 same, 1 differs." in text


def test_cells_are_written(tmp_path):
    write_reproduction(Found(), tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row == {"table": "ran", "published": "1.5", "ours": ""}
    write_reproduction(Found(), tmp_path / "out.parquet")
    assert (tmp_path / "out.parquet").stat().st_size


def test_long_texts_are_shortened():
    assert views._shown("x" * 50, 2) == "x" * 23 + "…"
    assert (views._shown(None, 2), views._shown(0.125, 1)) == ("–", "0.1")
