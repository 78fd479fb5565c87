import dataclasses
import inspect

import numpy as np
import pytest

from featsieve import datasets
from featsieve.datasets import Truth, make_corral, make_parity, make_xd6

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


MAKERS = {
    name: getattr(datasets, name)
    for name in datasets.__all__
    if name.startswith("make_")
}
# make_noise has nothing but noise, so its labels cannot be wrong.
LABELLED = {name: make for name, make in MAKERS.items() if name != "make_noise"}


def values(column):
    return column.values.tobytes()


def same(left, right):
    return (left.kind, left.levels, values(left)) == (
        right.kind,
        right.levels,
        values(right),
    )


def more_noise(name, count):
    """Return arguments that ask for `count` noise columns."""
    key = "n_features" if name == "make_madelon_like" else "n_noise"
    return {key: count + (20 if name == "make_madelon_like" else 0)}


@pytest.mark.parametrize("name", MAKERS)
def test_each_feature_stands_in_the_truth_once(name):
    table, truth = MAKERS[name](random_state=1)
    assert sorted(truth.features) == sorted(table.names)
    assert len(set(table.names)) == table.n_columns
    assert {column.values.shape for column in table} == {(table.n_rows,)}


@pytest.mark.parametrize("name", MAKERS)
def test_columns_are_typed_as_the_table_promises(name):
    table, _ = MAKERS[name](random_state=1)
    for column in (*table.columns, table.target):
        if column.is_nominal:
            assert column.values.dtype == np.int32
            assert column.values.min() >= -1
            assert column.values.max() < column.n_levels
            assert len(set(column.levels)) == column.n_levels
        else:
            assert column.values.dtype == np.float64
            assert column.levels == ()
    assert table.target.name == "class"
    assert table.target.n_missing == 0


@pytest.mark.parametrize("name", MAKERS)
def test_same_seed_same_table(name):
    first, again = (MAKERS[name](random_state=7) for _ in range(2))
    assert first.truth == again.truth
    assert first.table.names == again.table.names
    for left, right in zip(first.table, again.table, strict=True):
        assert same(left, right)
    assert same(first.table.target, again.table.target)


@pytest.mark.parametrize("name", MAKERS)
def test_other_seed_other_noise(name):
    one, two = (MAKERS[name](random_state=s, **more_noise(name, 2)) for s in (1, 2))
    assert not same(one.table["noise_1"], two.table["noise_1"])


@pytest.mark.parametrize("name", MAKERS)
def test_more_noise_changes_nothing_else(name):
    few = MAKERS[name](random_state=3, **more_noise(name, 2)).table
    many = MAKERS[name](random_state=3, **more_noise(name, 5)).table
    assert set(many.names) - set(few.names) == {"noise_3", "noise_4", "noise_5"}
    for column in (*few.columns, few.target):
        assert same(column, many[column.name])


@pytest.mark.parametrize("name", MAKERS)
def test_noise_columns_differ_from_each_other(name):
    table, truth = MAKERS[name](random_state=3, **more_noise(name, 12))
    noise = [n for n in truth.irrelevant if n.startswith("noise_")]
    assert len({values(table[n]) for n in noise}) == 12


@pytest.mark.parametrize("name", LABELLED)
def test_label_noise_is_exact_and_touches_the_class_only(name):
    clean = MAKERS[name](random_state=5, label_noise=0.0).table
    noisy = MAKERS[name](random_state=5, label_noise=0.25).table
    for left, right in zip(clean, noisy, strict=True):
        assert same(left, right)
    wrong = clean.target.values != noisy.target.values
    assert wrong.sum() == round(0.25 * clean.n_rows)


@pytest.mark.parametrize("name", MAKERS)
def test_common_parameters_are_keyword_only_and_checked(name):
    make = MAKERS[name]
    kinds = {n: p.kind for n, p in inspect.signature(make).parameters.items()}
    positional = {n for n, kind in kinds.items() if kind is not kind.KEYWORD_ONLY}
    assert positional <= {"n_rows", "problem"}
    if "n_noise" in kinds:
        with pytest.raises(ValueError, match=f"'n_noise' parameter of {name} must be"):
            make(n_noise=-1)
    if "n_rows" in kinds:
        with pytest.raises(ValueError, match=f"'n_rows' parameter of {name} must be"):
            make(1)
    if "label_noise" in kinds:
        with pytest.raises(ValueError, match=f"'label_noise' parameter of {name} must"):
            make(label_noise=1.0)


@pytest.mark.parametrize("bad", [-1, "seed", 0.5, True])
def test_random_state_is_checked(bad):
    with pytest.raises(
        ValueError, match="'random_state' parameter of make_parity must"
    ):
        make_parity(random_state=bad)


def test_random_state_may_be_a_generator():
    one, two = (
        make_parity(50, random_state=np.random.default_rng(4)).table for _ in range(2)
    )
    assert same(one["x1"], two["x1"])
    rng = np.random.default_rng(4)
    three, four = (make_parity(50, random_state=rng).table for _ in range(2))
    assert same(one["x1"], three["x1"])
    assert not same(three["x1"], four["x1"])


def test_random_state_may_be_a_random_state():
    one, two = (
        make_parity(50, random_state=np.random.RandomState(4)).table for _ in range(2)
    )
    assert same(one["x1"], two["x1"])


def test_no_random_state_differs_from_call_to_call():
    assert not same(make_xd6(200).table["x1"], make_xd6(200).table["x1"])


def test_wrong_classes_are_spread_over_all_others():
    args = {"n_rows": 4000, "random_state": 0}
    clean = datasets.make_led(**args).table["class"].values
    noisy = datasets.make_led(**args, label_noise=0.9).table["class"].values
    shift = (noisy - clean) % 10
    counts = np.bincount(shift, minlength=10)
    assert counts[0] == 400
    assert counts[1:].min() > 300
