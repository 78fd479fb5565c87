"""C4.5: gains, error limits and trees that were printed or worked by hand."""

import numpy as np
import pytest

from featsieve import _kernels
from featsieve.data import read_table
from featsieve.trees import C45Classifier
from reference import trees_c45
from reference.tree_tables import sample_of, table_of
from reference.trees import Sample, count_nodes, from_arrays, predict
from reference.trees_c45 import Options, evaluate
from reference.trees_text import as_weka_text

pytestmark = pytest.mark.published

# The 14 days of golf in Quinlan's book (C4.5, table 2.1): outlook, temperature,
# humidity, windy (0 true, 1 false), play (0 yes, 1 no).
GOLF = [
    (0, 85, 85, 1, 1),
    (0, 80, 90, 0, 1),
    (1, 83, 78, 1, 0),
    (2, 70, 96, 1, 0),
    (2, 68, 80, 1, 0),
    (2, 65, 70, 0, 1),
    (1, 64, 65, 0, 0),
    (0, 72, 95, 1, 1),
    (0, 69, 70, 1, 0),
    (2, 75, 80, 1, 0),
    (0, 75, 70, 0, 0),
    (1, 72, 90, 0, 0),
    (1, 81, 75, 1, 0),
    (2, 71, 80, 0, 1),
]
# Table 1 of the thesis of seed 000: age, prescription, astigmatic, tears; 0 hard,
# 1 soft, 2 none.
LENSES_17 = [
    (0, 0, 0, 0, 1),
    (0, 0, 0, 1, 1),
    (0, 0, 1, 0, 2),
    (0, 1, 0, 1, 1),
    (0, 1, 1, 0, 0),
    (1, 0, 1, 0, 2),
    (1, 0, 1, 1, 0),
    (1, 1, 0, 0, 2),
    (1, 1, 0, 1, 1),
    (1, 1, 1, 0, 2),
    (2, 0, 0, 0, 2),
    (2, 0, 0, 1, 2),
    (2, 0, 1, 0, 2),
    (2, 0, 1, 1, 0),
    (2, 1, 0, 0, 2),
    (2, 1, 1, 0, 2),
    (2, 1, 1, 1, 2),
]


def golf(unknown_outlook=None):
    columns = [np.array(column, dtype=np.int32) for column in zip(*GOLF, strict=True)]
    if unknown_outlook is not None:
        columns[0][unknown_outlook] = -1
    for numeric in (1, 2):
        columns[numeric] = columns[numeric].astype(float)
    return Sample(columns[:4], [3, None, None, 2], columns[4], 2)


def lenses():
    *columns, target = (np.array(column) for column in zip(*LENSES_17, strict=True))
    return Sample(columns, [3, 2, 2, 2], target, 3)


def plain_grow(sample, **options):
    return trees_c45.grow(sample, Options(**options))


def fast_grow(sample, **options):
    return from_arrays(C45Classifier(**options).fit(table_of(sample)[0], None).tree_)


@pytest.fixture(params=[fast_grow, plain_grow], ids=["fast", "plain"])
def grow(request):
    return request.param


def fast_extra_errors(n, e, confidence, compatibility=None):
    tree = C45Classifier(pruning_confidence=confidence, compatibility=compatibility)
    return _kernels.extra_errors(n, e, tree._growth_options(None)["prune"])


@pytest.fixture(
    params=[fast_extra_errors, trees_c45.extra_errors], ids=["fast", "plain"]
)
def extra_errors(request):
    return request.param


def at_root(sample, feature, **options):
    return evaluate(sample, Options(**options), *sample.cases(), feature)


def test_gain_and_split_information_of_the_lenses():
    tests = [at_root(lenses(), feature, min_cases=1) for feature in range(4)]
    gains, infos = [t.gain for t in tests], [t.split_info for t in tests]
    assert gains == pytest.approx([0.3330, 0.0119, 0.4264, 0.1998], abs=5e-5)
    assert infos == pytest.approx([1.5657, 0.9975, 0.9975, 0.9774], abs=5e-5)


def test_gain_and_split_information_of_golf():
    outlook, windy = at_root(golf(), 0), at_root(golf(), 3)
    assert (outlook.gain, outlook.split_info) == pytest.approx(
        (0.2467, 1.5774), abs=5e-5
    )
    assert (windy.gain, windy.split_info) == pytest.approx((0.0481, 0.9852), abs=5e-5)


@pytest.mark.parametrize(
    ("feature", "cut", "gain"), [(1, 70.5, 0.0453), (2, 82.5, 0.1022)]
)
def test_the_payment_of_release_8_leaves_golf_no_numeric_test(feature, cut, gain):
    assert at_root(golf(), feature) is None
    free = at_root(golf(), feature, release8_penalty=False)
    assert free.threshold == cut
    assert (free.gain, free.split_info) == pytest.approx((gain, 0.9403), abs=5e-5)


def test_an_unknown_value_is_a_branch_of_split_information():
    outlook = at_root(golf(unknown_outlook=11), 0)
    assert (outlook.gain, outlook.split_info) == pytest.approx((0.199, 1.809), abs=5e-4)


def test_a_node_of_golf_takes_its_threshold_from_the_table(grow):
    sunny = grow(golf()).children[0]
    assert (sunny.feature, sunny.threshold) == (2, 75.0)
    # 0.971 less log2(2 cuts) / 5 cases
    assert sunny.gain == pytest.approx(0.771, abs=5e-4)


@pytest.mark.parametrize(
    ("n", "e", "release8", "j48"),
    [
        (6, 0, 1.237797, 1.237797),
        (9, 0, 1.284804, 1.284804),
        (1, 0, 0.75, 0.75),
        (16, 1, 1.506894, 1.475715),
        (5, 2, 1.239583, 1.221972),
        (14, 5, 1.794993, 1.761120),
        (2, 1, 0.796241, 0.791493),
        (3, 2, 0.799524, 0.794862),
        (2.3, 0.6, 0.955643, 0.951129),
        (100, 10, 2.814705, 2.749611),
    ],
)
def test_extra_errors(extra_errors, n, e, release8, j48):
    assert extra_errors(n, e, 0.25) == pytest.approx(release8, abs=5e-7)
    assert extra_errors(n, e, 0.25, "j48") == pytest.approx(j48, abs=5e-7)


@pytest.mark.parametrize(
    ("n", "e", "limit"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)]
)
def test_upper_limits_printed_in_the_book(extra_errors, n, e, limit):
    assert (e + extra_errors(n, e, 0.25)) / n == pytest.approx(limit, abs=5e-4)


def outline(root):
    """Leaves as (weight, class, errors), from the first child on."""
    if root.feature < 0:
        return [(root.weight, root.prediction, root.errors)]
    return [leaf for child in root.children for leaf in outline(child)]


def estimated_errors(node):
    return sum(w + trees_c45.extra_errors(n, w, 0.25) for n, _, w in outline(node))


def test_golf_as_the_book_prints_it(grow):
    root = grow(golf())
    assert outline(root) == [(2, 0, 0), (3, 1, 0), (4, 0, 0), (2, 1, 0), (3, 0, 0)]
    assert [node.feature for node in (root, *root.children)] == [0, 2, -1, 3]
    assert estimated_errors(root) == pytest.approx(5.39, abs=5e-3)
    parts = [estimated_errors(child) for child in root.children]
    assert parts == pytest.approx([2.11, 1.17, 2.11], abs=5e-3)


def test_golf_with_an_unknown_outlook(grow):
    root = grow(golf(unknown_outlook=11))
    leaves = [number for leaf in outline(root) for number in leaf]
    expected = [(2, 0, 0), (3.385, 1, 0.385), (3.231, 0, 0), (2.385, 1, 0.385)]
    expected = [number for leaf in [*expected, (3, 0, 0)] for number in leaf]
    assert leaves == pytest.approx(expected, abs=5e-4)
    assert estimated_errors(root) == pytest.approx(6.14, abs=5e-3)
    shares = predict(root, [[-1], [70.0], [75.0], [0]])
    assert shares[0, 0] == pytest.approx(0.6774, abs=5e-5)


def test_a_day_of_unknown_outlook():
    table, _ = table_of(golf(unknown_outlook=11))
    asked = {"x0": [None], "x1": [70.0], "x2": [75.0], "x3": ["level 0"]}
    shares = C45Classifier().fit(table, None).predict_proba(asked)
    assert shares[0, 0] == pytest.approx(0.6774, abs=5e-5)


def test_lenses(grow, shared_dir):
    source = shared_dir / "oracle" / "weka" / "data" / "contact-lenses.arff"
    root = grow(sample_of(read_table(source, target=-1)), min_cases=1)
    # Classes are soft, hard, none.
    weights = [(weight, label) for weight, label, _ in outline(root)]
    assert weights == [(12, 2), (6, 0), (3, 1), (3, 2)]


def test_labor(grow, shared_dir):
    source = shared_dir / "oracle" / "weka" / "data" / "labor.arff"
    table = read_table(source, target=-1)
    assert count_nodes(grow(sample_of(table), prune=False)) == 22
    pruned = grow(sample_of(table))
    assert count_nodes(pruned) == 5
    features = [(c.name, c.levels if c.is_nominal else None) for c in table]
    assert as_weka_text(pruned, features, table.target.levels).splitlines() == [
        "wage-increase-first-year <= 2.5: bad (15.27/2.27)",
        "wage-increase-first-year > 2.5",
        "|   statutory-holidays <= 10: bad (10.77/4.77)",
        "|   statutory-holidays > 10: good (30.96/1.0)",
    ]
