"""Cells: what is compared, and when a difference counts as one."""

import numpy as np
import pytest

from featsieve.reproduce import Cell, Trial, published_tables
from featsieve.reproduce._tables import CellResult, mean_values

TABLES = published_tables()
CELLS = [(table.name, cell) for table in TABLES.values() for cell in table.cells]


def cell(published, **options):
    trial = Trial("t", lambda _data, _run: {}, per_repeat=1, most=10)
    return Cell("row", "column", published, trial, "value", **options)


def test_difference_in_standard_errors():
    ours = [1.0, 2.0, 3.0, 4.0]
    own = np.std(ours, ddof=1)
    found = cell(3.0, n_published=100, digits=4).compare(ours)
    rounding = 1e-4 / np.sqrt(12)
    error = np.sqrt(own**2 / 4 + own**2 / 100 + rounding**2)
    assert found.ours == 2.5
    assert found.standard_error == pytest.approx(own / 2)
    assert found.z == pytest.approx(-0.5 / error)
    assert found.verdict == "within 2 s.e."


def test_printed_deviation_counts_for_both():
    # By hand: ours 10 once, so its deviation is the printed one; 4 / sqrt(1 + 1/16).
    found = cell(6.0, n_published=16, deviation=1.0, digits=6).compare([10.0])
    assert found.z == pytest.approx(4 / np.sqrt(1 + 1 / 16), rel=1e-6)
    assert found.verdict == "differs"
    # Runs that happen to agree have half of the printed deviation at least.
    found = cell(6.0, n_published=16, deviation=1.0, digits=6).compare([6.5, 6.5])
    assert found.z == pytest.approx(0.5 / np.sqrt(0.25 / 2 + 1 / 16), rel=1e-6)


@pytest.mark.parametrize(
    ("off", "verdict"),
    [
        (0.0, "within 2 s.e."),
        (2.5, "within 3 s.e."),
        (-2.5, "within 3 s.e."),
        (3.5, "differs"),
    ],
)
def test_verdicts(off, verdict):
    found = cell(0.0, n_published=10**9, deviation=1.0).compare([off])
    assert found.verdict == verdict


def test_few_runs_without_printed_deviation_tell_no_difference():
    one_draw = cell(0.2, n_published=1)
    assert one_draw.compare([0.9, 0.8, 0.9]).z is None
    assert one_draw.compare([0.9, 0.8, 0.9]).verdict == "too few runs"
    assert one_draw.compare([0.9, 0.8, 0.9, 0.8]).verdict == "differs"


def test_exact_cells_are_the_same_to_the_last_digit():
    exact = cell(0.287031, digits=6)
    assert exact.compare([0.2870314]).verdict == "same"
    assert exact.compare([0.2870316]).verdict == "differs"
    assert exact.compare([0.2870314]).z is None
    text = cell("[1,2]")
    assert text.compare(["[1,2]"]).verdict == "same"
    assert text.compare(["[1]"]).verdict == "differs"


def test_whole_numbers_vary_as_much_as_their_mean_tells():
    # Whole numbers with the mean 3.1 have a deviation of sqrt(0.1 * 0.9) or more.
    counts = cell(3.1, n_published=100, digits=6, whole=True)
    found = counts.compare([3.0] * 10)
    assert found.z == pytest.approx(-0.1 / (0.3 * np.sqrt(0.1 + 0.01)), rel=1e-6)
    assert cell(3.1, n_published=100).compare([3.0] * 10).verdict == "differs"


def test_other_rows_are_no_failure():
    found = cell(0.4, comparable=False).compare([0.1, 0.2])
    assert (found.z, found.verdict) == (None, "other rows")


def test_nothing_known_is_not_run():
    assert cell(1.0).compare([]).verdict == "not run"
    assert cell(1.0).compare([None]) == CellResult(cell(1.0))


def test_plain_data():
    found = cell(1.0, n_published=2, deviation=1.0).compare([3.0]).to_dict()
    assert found["difference"] == 2.0
    assert cell("a").compare(["b"]).to_dict()["difference"] is None


def test_means_leave_out_what_is_unknown():
    found = mean_values([{"a": 1.0, "b": None}, {"a": 2.0, "b": None}])
    assert found == {"a": 1.5, "b": None}
    assert mean_values([{"a": 1.0}, {"a": None}]) == {"a": 1.0}


def test_runs_grow_with_repeats_up_to_those_published():
    trial = Trial("t", lambda _data, _run: {}, per_repeat=0.4, most=3)
    assert [trial.n_runs(n) for n in (1, 2, 3, 5, 50)] == [1, 1, 2, 2, 3]
    assert trial.n_runs(1, full=True) == 3
    assert Trial("t", lambda _data, _run: {}).n_runs(9) == 1


def test_trials_of_one_name_are_one():
    by_name = {}
    for name, each in CELLS:
        known = by_name.setdefault(each.trial.name, each.trial)
        assert known == each.trial, name


def test_cells_of_a_table_stand_in_different_places():
    for table in TABLES.values():
        places = [(each.row, each.column) for each in table.cells]
        assert len(set(places)) == len(places), table.name


def test_tables_have_cells_or_a_reason():
    for table in TABLES.values():
        assert table.cells or table.known, table.name
        for each in table.cells:
            assert isinstance(each.published, float | str), (table.name, each.row)


@pytest.mark.parametrize(
    ("name", "row", "column", "published"),
    [
        ("ensembles-5.2", "votes", "DivBoost W2", 0.0395),
        ("ensembles-5.6", "pima", "Rotation", 0.7471),
        ("ensembles-5.8", "sonar", "PCA rotation, base error", 0.2910),
        ("forests-8.2", "wbc", "RF, 30 noise features, nodes", 148.7),
        ("forests-8.3", "simple", "DT1, error", 0.0147),
        ("forests-8.5", "sonar", "RF HT, error", 0.1910),
        ("forests-8.6", "votes", "RF Thr, kept", 12.95),
        ("forests-8.7", "1e-09", "features", 30.0),
        ("forests-8.7", "0.0001", "OOB error", 0.3050),
        ("forests-8.11", "friedman", "RF HT + LOCAL, error", 0.1425),
        ("forests-8.10", "simple", "DivBoost W2, base error", 0.1123),
        ("subsets-5", "sick", "single tree", 2.93),
        ("subsets-6", "glass", "feature boosting", 29.13),
        ("subsets-7", "kr-vs-kp", "cumulative gain", 4.38),
        ("fs2boost-1", "horse-colic", "FS2Boost", 86.3),
        ("largedata-5.2", "covertype, Soil_Type1", "Kendall", 0.69),
        ("largedata-5.4", "samples of 500", "probe, most", 47.0),
        ("largedata-5.12", "Slope", "association with the class", 0.124),
    ],
)
def test_printed_numbers_stand_where_they_are_printed(name, row, column, published):
    found = [c for c in TABLES[name].cells if (c.row, c.column) == (row, column)]
    assert [c.published for c in found] == [published]
