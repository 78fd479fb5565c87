"""Arc-x4 weighs rows by how often they were missed."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from featsieve.ensembles import ArcX4EnsembleClassifier
from featsieve.ensembles._boosting import arc_weights


def test_weights_are_one_plus_the_fourth_power():
    assert arc_weights(np.array([0, 1, 2, 3])).tolist() == [1, 2, 17, 82]


@pytest.mark.parametrize("sampling", ["resample", "reweight"])
def test_last_weights_follow_from_the_members(sampling):
    X, y = load_iris(return_X_y=True)
    ensemble = ArcX4EnsembleClassifier(
        sampling=sampling, n_estimators=7, random_state=0
    ).fit(X, y)
    misses = (ensemble.member_predict(X) != y).sum(axis=0)
    expected = 1.0 + misses**4
    np.testing.assert_allclose(ensemble.row_weights_, expected / expected.sum())
    assert (ensemble.members_votes_ == 1).all()
    assert ensemble.score(X, y) > 0.95
