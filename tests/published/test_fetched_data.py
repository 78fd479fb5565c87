"""What is fetched becomes the files that our numbers were checked with."""

import numpy as np
import pytest
from sklearn import datasets

from featsieve.reproduce._data import (
    SOURCES,
    DataFolder,
    fetch_datasets,
    mark_of,
    typed_table,
)
from reproduce.openml import answer

pytestmark = pytest.mark.published

AT_OPENML = [name for name, source in SOURCES.items() if source.data_id]
#: Columns that OpenML declares numeric though they are names.
NUMBERS = {"heart-statlog", "eye_movements", "australian"}


def plain(column, *, as_numbers):
    if not column.is_nominal:
        return column.values.tolist()
    levels = [float(level) if as_numbers else str(level) for level in column.levels]
    return [levels[code] if code >= 0 else None for code in column.values]


def as_openml_has_it(data, name, order):
    """Return the rows of our files, joined."""
    parts = [typed_table(data, name, part) for part in order]
    columns, classes = {}, []
    for part in parts:
        for column in part:
            values = plain(column, as_numbers=name in NUMBERS)
            columns.setdefault(column.name, []).extend(values)
        classes += plain(part.target, as_numbers=False)
    if name in NUMBERS:
        columns = {
            k: [np.nan if v is None else v for v in c] for k, c in columns.items()
        }
    return answer(SOURCES[name].name, columns, classes)


@pytest.mark.parametrize("name", AT_OPENML)
def test_same_rows_after_a_way_through_openml(shared_dir, name, tmp_path, monkeypatch):
    data = DataFolder(shared_dir / "data")
    test_first = name in ("monks-2", "spect")
    order = ("test", "train") if test_first else ("train", "test")
    order = order if SOURCES[name].n_test else ("train",)
    reply = as_openml_has_it(data, name, order)
    monkeypatch.setattr(datasets, "fetch_openml", lambda **_: reply)
    assert fetch_datasets([name], tmp_path) == {}
    fetched = DataFolder(tmp_path)
    assert fetched.note(name) == "", "the mark is that of our files"
    assert fetched.kinds(name) == data.kinds(name)
    for part in order:
        ours, theirs = (typed_table(d, name, part) for d in (data, fetched))
        assert mark_of(ours) == mark_of(theirs)
        assert set(map(str, ours.target.levels)) == set(map(str, theirs.target.levels))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["covertype", "kddcup99-10pct"])
def test_marks_of_large_data_sets(shared_dir, name):
    source = SOURCES[name]
    table = typed_table(DataFolder(shared_dir / "data"), name)
    assert (table.n_rows, mark_of(table)) == (source.n_rows, source.mark)
    assert tuple(column.is_nominal for column in table) == source.nominal
    assert not source.names or source.names == table.names
