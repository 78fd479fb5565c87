import numpy as np
import pytest
from sklearn.base import BaseEstimator

from featsieve.data import read_table
from featsieve.data._matrix import MatrixEncoder, aligned_table, reads_typed_tables
from featsieve.exceptions import DataError
from featsieve.selectors import CFSFilter

TRAIN = read_table(
    {
        "x": [1.0, None, 3.0, 8.0],
        "colour": ["red", "blue", None, "red"],
        "void": [None, None, None, None],
    },
    numeric=["void"],
)


def test_codes_keep_one_column_per_feature():
    matrix = MatrixEncoder(one_hot=False).fit(TRAIN).transform(TRAIN)
    assert matrix.tolist() == [[1, 1, 0], [3, 0, 0], [3, -1, 0], [8, 1, 0]]


def test_levels_get_a_column_each_and_missing_is_one_of_them():
    encoder = MatrixEncoder(one_hot=True).fit(TRAIN)
    matrix = encoder.transform(TRAIN)
    # x, void, then missing, blue, red
    assert matrix[:, 0].tolist() == [1, 3, 3, 8]
    assert matrix[:, 2:].tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_medians_and_levels_are_those_of_training_rows():
    encoder = MatrixEncoder(one_hot=True).fit(TRAIN.take(np.array([0, 3])))
    later = encoder.transform(TRAIN.take(np.array([1, 2])))
    assert later[:, 0].tolist() == [4.5, 3.0]
    assert later[:, 2:].tolist() == [[0], [0]]  # neither blue nor missing were seen


def test_codes_are_aligned_by_level():
    later = read_table({"x": [1.0, 2.0, 3.0], "colour": ["violet", "red", "blue"]})
    aligned = aligned_table(later, TRAIN.select(["x", "colour"]))
    assert aligned["colour"].values.tolist() == [-1, 1, 0]
    assert aligned["colour"].levels == ("blue", "red")


def test_kinds_must_be_the_same_unless_nothing_is_known():
    reference = TRAIN.select(["x"])
    with pytest.raises(DataError, match="'x' was numeric in fit and is nominal now"):
        aligned_table(read_table({"x": ["a", "b"]}), reference)
    empty = aligned_table(read_table({"x": [None, None]}, nominal=["x"]), reference)
    assert np.isnan(empty["x"].values).all()


def test_ours_read_tables_and_so_do_their_heirs():
    class Heir(CFSFilter):
        pass

    assert reads_typed_tables(Heir())
    assert not reads_typed_tables(BaseEstimator())
