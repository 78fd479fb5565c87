import dataclasses

import pytest

from featsieve.datasets import Truth, make_corral

TRUTH = Truth(
    relevant=("a", "b", "b2", "c"),
    redundant=(("b", "b2"),),
    interactions=(("a", "c"),),
    irrelevant=("n1", "n2"),
    harmless=("h",),
)
NOTHING = Truth(irrelevant=("n1", "n2"))


def test_groups_keep_the_order_of_the_relevant_features():
    assert TRUTH.groups == (("a",), ("b", "b2"), ("c",))
    assert TRUTH.features == ("a", "b", "b2", "c", "h", "n1", "n2")


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        (["a", "b", "c"], (1, 1, 1, 0, 0)),
        (["a", "b2", "c"], (1, 1, 1, 0, 0)),
        (["a", "b", "b2", "c"], (1, 1, 1, 0, 1)),
        (["a", "b", "b2", "c", "h"], (1, 1, 1, 0, 2)),
        (["a", "n1"], (1 / 2, 1 / 3, 2 / 5, 1 / 2, 0)),
        (["b", "b2", "n1", "n2", "h"], (1 / 3, 1 / 3, 1 / 3, 2 / 5, 2)),
        (["n1"], (0, 0, 0, 1, 0)),
        (["h"], (0, 0, 0, 0, 1)),
        ([], (0, 0, 0, 0, 0)),
    ],
)
def test_score_by_hand(selected, expected):
    precision, recall, f1, proportion, redundant = expected
    assert TRUTH.score(selected) == {
        "precision": precision,
        "recall": recall,
        "f1": pytest.approx(f1),
        "false_discovery_proportion": proportion,
        "redundant_kept": redundant,
    }


@pytest.mark.parametrize(
    ("selected", "lenient", "strict"),
    [  # precision, recall, false share, neither hit nor false
        (["a", "b"], (1, 1, 0, 0), (1, 1, 0, 0)),
        (["a", "b", "near"], (1, 1, 0, 1), (2 / 3, 1, 1 / 3, 0)),
        (["near", "b"], (1, 1, 0, 0), (1 / 2, 1 / 2, 1 / 2, 0)),
        (["far"], (0, 0, 0, 1), (0, 0, 1, 0)),
        (["a", "far", "n"], (1 / 2, 1 / 2, 1 / 3, 1), (1 / 3, 1 / 2, 2 / 3, 0)),
    ],
)
def test_a_proxy_is_false_only_by_the_strict_score(selected, lenient, strict):
    truth = Truth(
        relevant=("a", "b"),
        redundant=(("a", "near"),),
        irrelevant=("n",),
        proxies=("near", "far"),
    )
    assert truth.groups == (("a", "near"), ("b",))
    for expected, score in (
        (lenient, truth.score(selected)),
        (strict, truth.score(selected, strict=True)),
    ):
        precision, recall, proportion, neither = expected
        assert score["precision"] == pytest.approx(precision)
        assert score["recall"] == pytest.approx(recall)
        assert score["false_discovery_proportion"] == pytest.approx(proportion)
        assert score["redundant_kept"] == neither


def test_without_proxies_both_scores_are_one():
    for selected in ([], ["a", "n1"], ["b", "b2", "h"]):
        assert TRUTH.score(selected, strict=True) == TRUTH.score(selected)


def test_score_does_not_count_a_name_twice():
    assert TRUTH.score(["a", "n1", "n1", "a"]) == TRUTH.score(iter(["n1", "a"]))


@pytest.mark.parametrize(("selected", "value"), [([], 1), (["n1"], 0)])
def test_nothing_to_find_scores_one_for_nothing(selected, value):
    score = NOTHING.score(selected)
    assert (score["precision"], score["recall"], score["f1"]) == (value,) * 3
    assert score["false_discovery_proportion"] == 1 - value


def test_score_refuses_names_it_does_not_know():
    with pytest.raises(ValueError, match=r"problem only\. Got 'x', 'y' besides"):
        TRUTH.score(["a", "y", "x"])
    with pytest.raises(ValueError, match="Got 'a' instead"):
        TRUTH.score("a")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"relevant": ("a",), "irrelevant": ("a",)}, r"Got \['a'\] repeatedly"),
        (
            {"relevant": ("a", "b"), "redundant": (("a", "b"), ("b",))},
            r"in redundant once. Got \['b'\]",
        ),
        ({"relevant": ("a",), "redundant": (("a", "z"),)}, r"'redundant'.*\['z'\]"),
        ({"relevant": ("a",), "interactions": (("z",),)}, r"'interactions'.*\['z'\]"),
        ({"relevant": ("a",), "proxies": ("a",)}, r"Got \['a'\] repeatedly"),
        (
            {"proxies": ("p", "q"), "redundant": (("p", "q"),)},
            r"must include a relevant feature. Got \('p', 'q'\)",
        ),
        (
            {"relevant": ("a",), "proxies": ("p",), "interactions": (("a", "p"),)},
            r"'interactions'.*\['p'\]",
        ),
    ],
)
def test_truth_must_not_contradict_itself(parts, message):
    with pytest.raises(ValueError, match=message):
        Truth(**parts)


def test_problem_unpacks_and_is_frozen():
    problem = make_corral()
    table, truth = problem
    assert table is problem.table
    assert truth is problem.truth
    assert dict(problem.details) == dict(problem.options) == {}
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.name = "other"
