"""C4.5 on numbers a reader can follow; Weka's trees are in tests/published."""

import numpy as np
import pandas as pd
import pytest

from featsieve.trees import C45Classifier


def golf():
    """Quinlan's fourteen Saturday mornings."""
    outlook = ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5
    humidity = [70, 90, 85, 95, 70, 90, 78, 65, 75, 80, 70, 80, 80, 96]
    windy = [True, True, False, False, False, True, False, True, False, True, True]
    windy += [False, False, False]
    temperature = [75, 80, 85, 72, 69, 72, 83, 64, 81, 71, 65, 75, 68, 70]
    play = ["yes", "no", "no", "no", "yes", *["yes"] * 4, "no", "no", *["yes"] * 3]
    frame = pd.DataFrame(
        {
            "outlook": outlook,
            "temperature": temperature,
            "humidity": humidity,
            "windy": np.where(windy, "true", "false"),
        }
    )
    return frame, play


def test_golf():
    X, y = golf()
    assert C45Classifier().fit(X, y).export_text().splitlines() == [
        "outlook = overcast: yes (4.0)",
        "outlook = rain",
        "|   windy = false: yes (3.0)",
        "|   windy = true: no (2.0)",
        "outlook = sunny",
        "|   humidity <= 75: yes (2.0)",
        "|   humidity > 75: no (3.0)",
    ]


def test_an_unknown_value_is_divided():
    # Overcast, 72, 90, windy, yes: its outlook is lost (spec c45.md 3.2).
    X, y = golf()
    X.loc[5, "outlook"] = None
    tree = C45Classifier().fit(X, y)
    weights = dict(zip(tree.export_text().splitlines(), range(20), strict=False))
    assert "|   humidity > 75: no (3.38/0.38)" in weights
    assert "outlook = overcast: yes (3.23)" in weights
    assert "|   windy = true: no (2.38/0.38)" in weights
    case = pd.DataFrame(
        {"outlook": [None], "temperature": [70], "humidity": [75], "windy": ["true"]}
    )
    no, yes = tree.predict_proba(case)[0]
    assert yes == pytest.approx(0.6774, abs=5e-5)
    assert no + yes == pytest.approx(1)
    # A level nobody has seen is as good as none.
    assert tree.predict_proba(case.assign(outlook="hail"))[0, 1] == yes


def test_a_branch_without_cases_answers_as_its_parent():
    colours = pd.Categorical(
        ["red"] * 4 + ["blue"] * 2, categories=["red", "blue", "x"]
    )
    X = pd.DataFrame({"colour": colours})
    y = [0, 0, 0, 0, 1, 1]
    new = pd.DataFrame({"colour": pd.Categorical(["x"], categories=["x"])})
    ours = C45Classifier().fit(X, y)
    assert ours.predict_proba(new).tolist() == [[1.0, 0.0]]
    weka = C45Classifier(compatibility="j48").fit(X, y)
    assert weka.predict_proba(new)[0] == pytest.approx([4 / 6, 2 / 6])


@pytest.mark.parametrize("compatibility", [None, "j48"])
def test_long_chains_are_pruned_in_reasonable_time(compatibility):
    # Pushing all rows down the whole chain at every node took minutes.
    X = np.arange(52_000.0)[:, np.newaxis]
    y = (np.arange(52_000) // 26) % 2
    options = {"min_cases": 1, "release8_penalty": False}
    tree = C45Classifier(compatibility=compatibility, **options).fit(X, y)
    # 26 (1 - 0.25^(1/26)) = 1.35 errors a leaf: much less than half of the cases.
    assert tree.get_n_leaves() == 2000
    assert tree.score(X, y) == 1


def test_alternating_classes_are_pruned_to_the_root():
    X = np.arange(3000.0)[:, np.newaxis]
    y = np.arange(3000) % 2
    options = {"min_cases": 1, "release8_penalty": False}
    assert C45Classifier(prune=False, **options).fit(X, y).get_n_leaves() == 3000
    assert C45Classifier(**options).fit(X, y).node_count_ == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"min_cases": 0},
            "'min_cases' parameter of C45Classifier must be a number > 0",
        ),
        (
            {"pruning_confidence": 1},
            "'pruning_confidence' parameter of C45Classifier must be a number",
        ),
        (
            {"pruning_confidence": float("nan")},
            "'pruning_confidence' parameter of C45Classifier",
        ),
        ({"compatibility": "J48"}, "must be one of None, 'j48'. Got 'J48'"),
    ],
    ids=str,
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        C45Classifier(**options).fit([[1.0], [2.0]], [0, 1])


def test_j48_takes_the_first_class_where_only_rounding_differs():
    # Shares of 0.1 and 0.2 add up to a little more than 0.3 on one side.
    X = pd.DataFrame({"a": ["x", "x", "y", "y"] * 2, "b": list("pqpqpqpq")})
    tree = C45Classifier(compatibility="j48", min_cases=1).fit(
        X, [0, 1, 0, 1, 1, 0, 1, 0]
    )
    tree._answers = lambda _: np.array([[0.3, 0.1 + 0.2, 0.4], [0.5, 0.5 + 1e-12, 0]])
    tree.classes_ = np.array(["first", "second", "third"])
    assert tree.predict(X).tolist() == ["third", "first"]


def test_flags_must_be_true_or_false():
    with pytest.raises(
        ValueError, match="'prune' parameter of C45Classifier must be True"
    ):
        C45Classifier(prune="no").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(
        ValueError, match="'observe' parameter of C45Classifier must be True"
    ):
        C45Classifier(observe="no").fit([[0.0], [1.0]], [0, 1])
