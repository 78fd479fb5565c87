import errno
import json
import os

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest

from featsieve._journal import Journal, describe
from featsieve.exceptions import DataError

SETUP = {"data": "3 rows", "selector 'a'": "CFS with max_stale 5"}


def filled(path, n=3):
    with Journal(path, SETUP) as journal:
        for number in range(n):
            journal.append({"round": number, "score": 0.1 * number})
    return path


def test_records_come_back_as_they_were(tmp_path):
    path = filled(tmp_path / "journal")
    with Journal(path, SETUP) as journal:
        assert journal.records == [{"round": k, "score": 0.1 * k} for k in range(3)]
        journal.append({"round": 3})
    with Journal(path, SETUP) as journal:
        assert len(journal.records) == 4


def test_every_possible_torn_end_is_survived(tmp_path):
    whole = filled(tmp_path / "journal").read_bytes()
    ends = [k for k, byte in enumerate(whole, 1) if byte == ord("\n")]
    for size in range(len(whole) + 1):
        path = tmp_path / "torn"
        path.write_bytes(whole[:size])
        with Journal(path, SETUP) as journal:
            kept = max(sum(end <= size for end in ends) - 1, 0)
            assert len(journal.records) == kept
            journal.append({"round": "new"})
        with Journal(path, SETUP) as journal:
            assert len(journal.records) == kept + 1
        path.unlink()


def test_zeros_after_a_crash_of_the_machine_are_cut_off(tmp_path):
    path = filled(tmp_path / "journal")
    path.write_bytes(path.read_bytes() + b"\0" * 100)
    with Journal(path, SETUP) as journal:
        assert len(journal.records) == 3
    path.write_bytes(path.read_bytes() + b'{"round": \0\0\0\n')
    with Journal(path, SETUP) as journal:
        assert len(journal.records) == 3


def test_another_setup_is_refused_and_told(tmp_path):
    path = filled(tmp_path / "journal")
    before = path.read_bytes()
    other = SETUP | {"selector 'a'": "CFS with max_stale 7"}
    with pytest.raises(DataError, match=r"with other selector 'a' .*stale 5.*stale 7"):
        Journal(path, other)
    with pytest.raises(DataError, match="with other seed"):
        Journal(path, SETUP | {"seed": "3"})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["age,class\n1,yes", "age,class", "[1]\n", '{"a": 1}\n']
)
def test_foreign_files_are_left_alone(tmp_path, text):
    path = tmp_path / "customers.csv"
    path.write_text(text)
    with pytest.raises(DataError, match="not a journal of featsieve"):
        Journal(path, SETUP)
    assert path.read_text() == text


def test_damage_in_the_middle_is_an_error(tmp_path):
    path = filled(tmp_path / "journal")
    lines = path.read_text().splitlines(keepends=True)
    lines[2] = lines[2][:5] + "\n"
    path.write_text("".join(lines))
    with pytest.raises(DataError, match=r"Line 3 of the journal .* is damaged"):
        Journal(path, SETUP)


def test_one_run_at_a_time(tmp_path):
    pytest.importorskip("fcntl")
    first = Journal(tmp_path / "journal", SETUP)
    with pytest.raises(DataError, match="in use by another run"):
        Journal(tmp_path / "journal", SETUP)
    first.close()
    Journal(tmp_path / "journal", SETUP).close()


def test_a_folder_must_be_there(tmp_path):
    with pytest.raises(DataError, match="no folder"):
        Journal(tmp_path / "nowhere" / "journal", SETUP)


def test_numbers_that_are_none_are_not_written(tmp_path):
    journal = Journal(tmp_path / "journal", SETUP)
    with pytest.raises(ValueError, match="not JSON compliant"):
        journal.append({"score": float("nan")})
    journal.close()
    lines = (tmp_path / "journal").read_text().splitlines()
    assert [list(json.loads(line)) for line in lines] == [["format", "setup"]]


def test_a_full_disk_leaves_whole_records(tmp_path):
    path = tmp_path / "run.journal"
    with Journal(path, {"about": "disks"}) as journal:
        journal.append({"round": 1})
        whole = path.read_bytes()
        room = len(whole) + 5
        write = journal._stream.write

        class Full:
            """A stream on a disk with room for five bytes more."""

            def __getattr__(self, name):
                return getattr(stream, name)

            def write(self, raw):
                left = room - path.stat().st_size
                if left <= 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return write(raw[:left])

        stream = journal._stream
        journal._stream = Full()
        with pytest.raises(OSError, match="No space left") as caught:
            journal.append({"round": 2})
        assert caught.value.filename == str(path)
        assert path.read_bytes() == whole
        journal._stream = stream
        journal.append({"round": 3})  # when there is room again
    with Journal(path, {"about": "disks"}) as journal:
        assert journal.records == [{"round": 1}, {"round": 3}]


def test_descriptions_know_what_matters():
    assert describe(SelectKBest(k=3)) == describe(SelectKBest(k=3))
    assert describe(SelectKBest(k=3)) != describe(SelectKBest(k=4))
    one, two = RandomForestClassifier(n_jobs=1), RandomForestClassifier(n_jobs=2)
    assert describe(one) == describe(two)
    assert describe(np.arange(3)) != describe(np.arange(3.0))
    assert describe({"a": (1, np.float64(0.5), None)}) == '{"a": [1, "0.5", null]}'
    assert describe(lambda x: x + 1) != describe(lambda x: x * 1)
    assert describe(lambda x: x + 1) != describe(lambda x: x + 2)
    assert describe(lambda x: x + 1) == describe(lambda x: x + 1)
    assert "sklearn.feature_selection._univariate_selection.f_classif" in describe(
        SelectKBest()
    )
    states = [np.random.RandomState(seed) for seed in (0, 0, 1)]
    texts = [describe(state) for state in states]
    assert texts[0] == texts[1] != texts[2]

    class Unpicklable:
        def __reduce__(self):
            message = "no"
            raise TypeError(message)

    assert "Unpicklable" in describe(Unpicklable())
