"""Numbers everybody can derive: weather, lenses, corral, iris (Weka 3.9.7, papers)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from featsieve import measures
from featsieve.data import MDLDiscretizer, read_table
from featsieve.datasets import make_corral, make_lenses
from featsieve.selectors import MeasureFilter

# outlook, temperature, humidity, windy, play: the 14 days of Quinlan's example.
WEATHER = """
sunny hot high FALSE no
sunny hot high TRUE no
overcast hot high FALSE yes
rainy mild high FALSE yes
rainy cool normal FALSE yes
rainy cool normal TRUE no
overcast cool normal TRUE yes
sunny mild high FALSE no
sunny cool normal FALSE yes
rainy mild normal FALSE yes
sunny mild normal TRUE yes
overcast mild high TRUE yes
overcast hot normal FALSE yes
rainy mild high TRUE no
"""


def weather():
    names = ["outlook", "temperature", "humidity", "windy", "play"]
    rows = [dict(zip(names, line.split(), strict=True)) for line in WEATHER.split("\n")
            if line]  # fmt: skip
    return read_table(rows, target="play")


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("information_gain", [0.2467498198, 0.0292225657, 0.1518355014, 0.0481270304]),
        ("gain_ratio", [0.1564275624, 0.0187726462, 0.1518355014, 0.0488486155]),
        (
            "symmetrical_uncertainty",
            [0.1960126942, 0.0234066773, 0.1565083752, 0.0499887594],
        ),
    ],
)
def test_weather(measure, expected):
    selector = MeasureFilter(measure).fit(weather(), None)
    assert_allclose(selector.scores_, expected, rtol=0, atol=5e-11)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("information_gain", [0.0393965036, 0.0395108354, 0.3770052300, 0.5487949407]),
        (
            "symmetrical_uncertainty",
            [0.0270668682, 0.0339719250, 0.3241539503, 0.4718609551],
        ),
    ],
)
def test_lenses(measure, expected):
    table, _ = make_lenses()
    selector = MeasureFilter(measure).fit(table, None)
    assert_allclose(selector.scores_, expected, rtol=0, atol=5e-11)


def test_corral():
    table, _ = make_corral()
    codes = np.column_stack([column.values for column in table])
    classes = table.target.values
    gains = measures.information_gain(codes, classes)
    assert_allclose(gains, [0.105843] * 4 + [0, 0.181219], atol=5e-7)
    joint = measures.joint_information_gain(codes[:, :4], classes)
    assert joint == pytest.approx(0.988699, abs=5e-7)
    synergies = {(0, 1): 0.168554, (2, 3): 0.168554, (0, 2): 0.074193, (4, 5): 0.172311}
    for (i, j), expected in synergies.items():
        synergy = measures.interaction_information(codes[:, i], codes[:, j], classes)
        assert synergy == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("fayyad_irani", [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]),
        (
            "better",
            [[5.55, 6.15, 7.05], [2.95, 3.35], [2.45, 4.75, 5.15], [0.8, 1.75]],
        ),
    ],
)
def test_iris_cuts(encoding, expected):
    X, y = load_iris(return_X_y=True)
    # scikit-learn's copy differs from UCI's and Weka's in two rows.
    X[34, 3], X[37, 1:3] = 0.1, (3.1, 1.5)
    cutter = MDLDiscretizer(cut_cost=encoding).fit(X, y)
    for cuts, wanted in zip(cutter.cut_points_, expected, strict=True):
        assert_allclose(cuts, wanted, atol=1e-6)
    gains = MeasureFilter(discretizer=MDLDiscretizer("better")).fit(X, y)
    assert_allclose(
        gains.scores_,
        [0.6982615368, 0.3760498883, 1.4180029670, 1.3784027479],
        rtol=0,
        atol=5e-11,
    )


@pytest.mark.published
def test_monks_1(shared_dir):
    table = read_table(
        shared_dir / "data" / "monks-1" / "train.csv", target="class", nominal="all"
    )
    selector = MeasureFilter().fit(table, None)
    expected = [0.075273, 0.005838, 0.004708, 0.026312, 0.287031, 0.000758]
    assert_allclose(selector.scores_, expected, atol=5e-7)
