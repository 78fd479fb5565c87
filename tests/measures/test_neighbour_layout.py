import numpy as np
import pytest

from featsieve.measures._boosting import (
    NOMINAL,
    NUMERIC,
    NUMERIC_WITH_GAPS,
    as_subsets,
    lay_out_columns,
    spread_of,
)
from featsieve.measures._codes import read_columns


def test_columns_are_scaled_and_coded():
    columns = [
        np.array([0.0, 2.0, 4.0]),
        np.array([1.0, np.nan, 1.0]),
        np.array([2, -1, 0], dtype=np.int32),
    ]
    nominal = np.array([False, False, True])
    rows = lay_out_columns(read_columns(columns, nominal))
    assert rows.kinds.tolist() == [NUMERIC, NUMERIC_WITH_GAPS, NOMINAL]
    deviation = np.sqrt(8 / 3)
    np.testing.assert_allclose(rows.values[0], columns[0] / deviation)
    np.testing.assert_array_equal(rows.values[1], [0, np.nan, 0])
    np.testing.assert_array_equal(rows.values[2], [2, np.nan, 0])
    assert rows.codes.tolist() == [[0, 1, 2], [0, 1, 0], [1, 2, 0]]
    assert rows.n_levels.tolist() == [3, 2, 3]
    plain = lay_out_columns(read_columns(columns, nominal), scale=False)
    np.testing.assert_array_equal(plain.values[0], columns[0])


@pytest.mark.parametrize("factor", [1.0, 1e-320, 1e305])
def test_deviations_neither_overflow_nor_vanish(factor):
    values = np.array([-1.0, 1.0, 1.0, -1.0]) * factor
    assert spread_of(values) == pytest.approx(factor, rel=1e-3)
    assert spread_of(np.array([np.nan, factor])) == 0
    assert spread_of(np.array([np.nan])) == 0


def test_subsets_lie_one_after_the_other():
    columns, begins = as_subsets([(3, 1), (2,)])
    assert columns.tolist() == [3, 1, 2]
    assert begins.tolist() == [0, 2, 3]
