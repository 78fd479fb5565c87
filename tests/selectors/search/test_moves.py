import numpy as np
import pytest

from featsieve.datasets import make_parity
from featsieve.exceptions import DataError
from featsieve.selectors import ForwardSelector
from featsieve.selectors.search._search import read_moves

NAMES = ("a", "b", "c", "d")
NOTHING = {"feature_groups": None, "fixed_features": None, "start": None}


def test_features_are_units_of_their_own():
    moves = read_moves(NAMES, **NOTHING)
    assert moves.units == ((0,), (1,), (2,), (3,))
    assert moves.fixed == moves.start == moves.pairs == ()


def test_names_and_numbers_both_count():
    given = NOTHING | {
        "feature_groups": [["c", 0], ("d",)],
        "fixed_features": ["b"],
        "start": [0, "b"],
    }
    moves = read_moves(NAMES, **given, pairs=[(0, 3), (0, 2), (2, 3)])
    assert moves.units == ((0, 2), (1,), (3,))
    assert moves.fixed == (1,)
    assert moves.start == (0,)
    assert moves.pairs == ((0, 2),)
    assert moves.features([2, 0]) == (3, 0, 2)
    assert moves.size([2, 0]) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fixed_features": ["z"]}, "fixed_features names the feature 'z'"),
        ({"start": [4]}, "start names the feature 4, which is not there"),
        ({"start": ["D"]}, "feature 'D', which is not there. Give a name such as 'd'"),
        ({"feature_groups": [["a"], ["a", "b"]]}, "'a' is in groups 0 and 1"),
        ({"fixed_features": "a"}, "write it in brackets"),
    ],
)
def test_bad_features_are_named(change, message):
    with pytest.raises(DataError, match=message):
        read_moves(NAMES, **NOTHING | change)


def test_pairs_of_the_scan_lead_into_the_trap():
    """One bit of an exclusive or is noise to any learner; the pair is not."""
    problem = make_parity(400, n_bits=2, n_noise=6, random_state=2)
    for criterion in ("accuracy", "boosting_z"):
        selector = ForwardSelector(scoring=criterion, start="pairs")
        selector.fit(problem.table, None)
        assert selector.get_feature_names_out().tolist() == ["x1", "x2"]
        assert selector.steps_[0]["features"] == ("x1", "x2")


def test_one_feature_has_no_pairs():
    X = np.arange(20.0)[:, None]
    y = (X[:, 0] > 9).astype(int)
    assert ForwardSelector(start="pairs").fit(X, y).support_.all()
