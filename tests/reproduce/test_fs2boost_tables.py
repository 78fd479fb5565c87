"""Rows and tables of boosting in wrappers."""

import numpy as np

from featsieve.reproduce._data import DataFolder
from featsieve.reproduce._fs2boost_tables import ROWS, TABLE_1, load
from reproduce.made_up import ran, write


def test_rows_of_the_boosting_work(tmp_path, random):
    kinds = ["build wind float", "vehic wind float", "build wind non-float", "lamp"]
    glass = random.choice(kinds, 60)
    write(tmp_path, "glass", {"RI": random.normal(size=60)}, glass)
    table = load(DataFolder(tmp_path), "glass2")
    windows = glass[glass != "lamp"]
    assert table.n_rows == len(windows)
    codes = (windows == "build wind non-float").astype(int)
    assert table.target.values.tolist() == codes.tolist()
    for part, n in (("train", 30), ("test", 7)):
        pulse = random.normal(60, 9, n)
        lesion = np.where(pulse > 60, "yes", "no")
        write(tmp_path, "horse-colic", {"pulse": pulse}, lesion, part)
    assert load(DataFolder(tmp_path), "horse-colic").n_rows == 37
    cells = ran(tmp_path, "fs2boost-1")
    assert {"glass2", "horse-colic"} < {c["row"] for c in cells}


def test_every_file_has_a_number_of_rows():
    assert ROWS.keys() == {name for name, (*_, chosen) in TABLE_1.items() if chosen}
