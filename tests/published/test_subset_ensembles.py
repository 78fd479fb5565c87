"""Numbers of the thesis on subset ensembles: figure 8, equations 7 and 8, lenses."""

import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from featsieve.data import read_table
from featsieve.data.api import Target, Training
from featsieve.ensembles import SubsetEnsembleClassifier
from featsieve.ensembles._feature_boosting import (
    Distribution,
    change_weights,
    sigmoid,
    weight_change,
)
from featsieve.trees import C45Classifier
from featsieve.trees._level_gains import cumulative_gain, level_gains
from published.test_c45 import LENSES_17
from reference import subset_ensembles as plain

pytestmark = pytest.mark.published


def test_cumulative_gain_of_figure_8():
    gains = np.array([[0.24, 0.76], [0.46, 0.14]])
    found = cumulative_gain(gains, np.array([8.0, 9.0]))
    np.testing.assert_allclose(found, [0.3565, 0.4318], atol=5e-5)


def test_gains_of_the_lenses():
    *columns, target = (np.array(column) for column in zip(*LENSES_17, strict=True))
    names = ["age", "prescription", "astigmatic", "tears"]
    table = read_table(dict(zip(names, columns, strict=True)), nominal=names)
    codes = Target(target.astype(np.int32), ("none", "soft", "hard"), None)
    found = level_gains(Training(table, codes, None), max_levels=2, min_cases=1)
    np.testing.assert_allclose(
        found.at_root, [0.3330, 0.0119, 0.4264, 0.1998], atol=5e-5
    )


@pytest.mark.parametrize(
    ("x", "value"),
    [
        (0, 0),
        (0.1, 0.197375),
        (0.25, 0.462117),
        (0.5, 0.761594),
        (1, 0.964028),
        (2, 0.999329),
    ],
)
def test_sigmoid(x, value):
    assert sigmoid(x) == pytest.approx(value, abs=5e-7)
    assert sigmoid(-x) == -sigmoid(x)


def test_weights_of_equation_8():
    change = weight_change(0.90, 0.80, 0.05, size=2, n_features=4)
    assert change == pytest.approx(0.666220, abs=5e-7)
    start = Distribution(np.full(4, 0.25))
    after = change_weights(start, np.array([0, 2]), change).weights
    np.testing.assert_allclose(
        after, [0.312469, 0.187531, 0.312469, 0.187531], atol=5e-7
    )


def test_guards_of_equation_8():
    assert weight_change(0.9, 0.8, 0.0, size=2, n_features=4) == 0
    assert weight_change(0.9, 0.8, 0.05, size=4, n_features=4) == 0
    assert weight_change(0.9, 0.8, 0.05, size=1, n_features=1) == 0


@pytest.mark.parametrize(("said", "vote"), [([0, 1, 1], 0), ([1, 1, 0], 1)])
def test_votes_of_equation_7(said, vote):
    X, y = [[0.0], [1.0]] * 5, [0, 1] * 5
    ensemble = SubsetEnsembleClassifier(
        estimator=DummyClassifier(), n_estimators=3
    ).fit(X, y)
    ensemble.members_ = [
        DummyClassifier(strategy="constant", constant=code).fit(X, y) for code in said
    ]
    ensemble.members_votes_ = np.array([0.9, 0.5, 0.3])
    assert set(ensemble.predict(X)) == {vote}
    assert plain.vote([0.9, 0.5, 0.3], said, 2) == vote


@pytest.mark.parametrize(
    ("name", "strategy", "error"),
    [
        ("house-votes-84", "information_gain", 4.37),
        ("house-votes-84", "cumulative_gain", 4.37),
        ("kr-vs-kp", "information_gain", 24.53),
        ("kr-vs-kp", "cumulative_gain", 24.53),
        ("credit-a", "information_gain", 14.49),
        ("sick", "information_gain", 2.47),
    ],
)
def test_two_features_that_decide_alone(shared_dir, name, strategy, error):
    """Cells of table 5 that every cross-validation of a plain prototype repeated."""
    folder = shared_dir / "data" / name
    kinds = json.loads((folder / "meta.json").read_text())["kinds"]
    nominal = [column for column, kind in kinds.items() if kind == "nominal"]
    table = read_table(folder / "train.csv", target="class", nominal=nominal)
    classes = np.array(table.target.levels)[table.target.values]
    tree = C45Classifier(release8_penalty=False)
    ensemble = SubsetEnsembleClassifier(
        strategy, subset_size=2, estimator=tree, random_state=0
    )
    folds = np.random.default_rng(0).permutation(table.n_rows) % 10
    wrong = 0
    for fold in range(10):
        said = ensemble.fit(table.take(folds != fold), None).predict(
            table.take(folds == fold)
        )
        wrong += np.sum(said != classes[folds == fold])
    assert 100 * wrong / table.n_rows == pytest.approx(error, abs=0.005)
