"""A few cells of the thesis' tables 5.2 to 5.8; `featsieve reproduce` runs them all."""

import pytest

from featsieve.reproduce import published_tables
from featsieve.reproduce._data import DataFolder
from featsieve.reproduce._ensemble_tables import eye_words

pytestmark = pytest.mark.published
N_SPLITS = 8


@pytest.mark.parametrize(
    ("name", "method"),
    [("votes", "DivBoost W1"), ("votes", "Bagging"), ("wbc", "Rotation")],
)
def test_cells_are_within_four_standard_errors(shared_dir, name, method):
    data = DataFolder(shared_dir / "data")
    known = published_tables()
    # Q of so few splits is too skewed for a normal z.
    tables = [known[f"ensembles-5.{number}"] for number in (2, 4, 5, 7)]
    cells = [
        cell
        for table in tables
        for cell in table.cells
        if (cell.row, cell.column) == (name, method)
    ]
    assert {cell.measure for cell in cells} == {"error", "base error"}
    trial = cells[0].trial
    if not data.has(trial.dataset):
        pytest.skip(f"needs data/{trial.dataset}")
    runs = [trial.run(data, split) for split in range(N_SPLITS)]
    for cell in cells:
        assert cell.trial.name == trial.name
        found = cell.compare([run[cell.measure] for run in runs])
        assert abs(found.z) < 4, (cell.measure, found.ours, cell.published)


def test_eye_words_are_as_many_as_printed(shared_dir):
    data = DataFolder(shared_dir / "data")
    if not data.has("eye_movements"):
        pytest.skip("needs data/eye_movements")
    X, y = eye_words(data)
    assert X.shape == (3744, 22)
    assert y.sum() == 1594
