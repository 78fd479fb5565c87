"""Runs: what is run, kept, taken up again, and told."""

import json

import numpy as np
import pytest

from featsieve.exceptions import DataError
from featsieve.reproduce import (
    Cell,
    PublishedTable,
    Trial,
    _reproduce,
    published_tables,
    reproduce,
)
from featsieve.reproduce._data import DataFolder


@pytest.fixture
def counted(monkeypatch):
    """Two tables that share a trial; a list of the runs that took place."""
    runs = []

    def heads(_data, run):
        runs.append(run)
        return {"share": float(np.random.default_rng(run).random()), "nan": np.nan}

    trial = Trial("coin/heads", heads, per_repeat=2, most=10)
    needy = Trial("coin/tails", heads, "coins", per_repeat=1, most=10)
    cells = (
        Cell("coin", "heads", 0.5, trial, "share", n_published=100),
        Cell("coin", "odd", 0.5, trial, "nan", n_published=100),
        Cell("coin", "tails", 0.5, needy, "share", n_published=100),
    )
    tables = {
        "coin-1": PublishedTable("coin-1", "Coins", "A work", cells),
        "coin-2": PublishedTable("coin-2", "Coins again", "A work", cells[:1]),
        "die-1": PublishedTable("die-1", "Dice", "A work", known=("Lost dice.",)),
    }
    monkeypatch.setattr(_reproduce, "published_tables", lambda _: tables)
    return runs


def test_shared_trials_run_once(counted):
    found = reproduce(n_repeats=2)
    assert counted == [0, 1, 2, 3]
    first, second, third = found.tables
    assert first["cells"][0] == second["cells"][0]
    assert first["cells"][0]["n_runs"] == 4
    assert first["cells"][1]["verdict"] == "not run", "not a number is no answer"
    assert first["missing"] == ["coins"]
    assert third["known"] == ["Lost dice."]
    assert found.verdicts["not run"] == 2
    json.dumps(found.to_dict(), allow_nan=False)


def test_full_runs_as_many_as_published(counted):
    reproduce(["coin-2"], full=True)
    assert len(counted) == 10


def test_same_answer_with_any_number_of_jobs():
    one = reproduce(["fs2boost-1"], n_repeats=1, n_jobs=1)
    two = reproduce(["fs2boost-1"], n_repeats=1, n_jobs=2)
    assert one.rows() == two.rows()


def test_goes_on_after_an_interruption(counted, tmp_path):
    journal = tmp_path / "journal"

    def stop_after_three(progress):
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(n_repeats=4, journal=journal, progress=stop_after_three, n_jobs=1)
    assert counted[:3] == [0, 1, 2]
    counted.clear()
    seen = []
    found = reproduce(n_repeats=4, journal=journal, progress=seen.append, n_jobs=1)
    assert counted == [3, 4, 5, 6, 7]
    assert (seen[0].done, seen[0].total, seen[-1].done) == (4, 8, 8)
    counted.clear()
    whole = reproduce(n_repeats=4)
    assert found.rows() == whole.rows()
    # More repeats or other tables take up what is there; fewer use a part of it.
    counted.clear()
    reproduce(n_repeats=5, journal=journal)
    assert sorted(counted) == [8, 9]
    counted.clear()
    fewer = reproduce(["coin-2"], n_repeats=2, journal=journal)
    assert counted == []
    assert fewer.tables[0]["cells"][0]["n_runs"] == 4


def test_a_torn_last_line_is_run_again(counted, tmp_path):
    journal = tmp_path / "journal"
    reproduce(["coin-2"], n_repeats=2, journal=journal)
    journal.write_bytes(journal.read_bytes()[:-9])
    counted.clear()
    reproduce(["coin-2"], n_repeats=2, journal=journal)
    assert counted == [3]


@pytest.mark.usefixtures("counted")
def test_a_journal_of_other_data_is_refused(tmp_path):
    reproduce(["coin-2"], n_repeats=1, journal=tmp_path / "journal")
    with pytest.raises(DataError, match="other data"):
        reproduce(
            ["coin-2"],
            n_repeats=1,
            journal=tmp_path / "journal",
            data_folder=str(tmp_path),
        )


@pytest.mark.usefixtures("counted")
def test_data_are_found_by_folder(tmp_path):
    (tmp_path / "coins").mkdir()
    (tmp_path / "coins" / "train.parquet").touch()
    found = reproduce(["coin-1"], n_repeats=1, data_folder=tmp_path)
    assert found.tables[0]["missing"] == []
    assert found.tables[0]["cells"][2]["n_runs"] == 1


def test_wrong_questions_are_told():
    with pytest.raises(DataError, match=r"no published table 'bifs-9'.*largedata"):
        reproduce(["bifs-9"])
    with pytest.raises(ValueError, match="repeats"):
        reproduce(["bifs"], n_repeats=0)
    with pytest.raises(DataError, match="no folder 'nowhere'"):
        reproduce(["bifs"], data_folder="nowhere")
    with pytest.raises(DataError, match=r"no train.csv or train.parquet of 'x'"):
        DataFolder(None).file("x")


def test_names_of_works_stand_for_their_tables():
    names = list(published_tables(["BIFS", "subsets-6"]))
    assert names[0] == "bifs-5.2"
    assert names[-1] == "subsets-6"
    assert all(name.startswith("bifs-") for name in names[:-1])
    assert len(published_tables([])) == len(published_tables())


def test_generated_bifs_cells_are_as_printed():
    cells = reproduce(["bifs"]).rows()
    ran = [cell for cell in cells if cell["n_runs"]]
    differ = {(c["row"], c["column"]) for c in ran if c["verdict"] != "same"}
    assert len(ran) == 21
    assert differ == {("corral", "ranking by gain")}, "four features tie there"
