"""JSON: the same tree bit for bit, and a clear word on what is damaged."""

import datetime
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.exceptions import DataError
from featsieve.trees import TreeFeature, tree_from_json, tree_to_json
from trees.hand_made import (
    NAN,
    chain,
    golf_tree,
    make_tree,
    nominal,
    regression_tree,
    stump,
)

ARRAYS = "feature threshold first_child n_children level weight value prediction gain"


def same_bits(tree, other):
    return tree == other and all(
        getattr(tree, name).tobytes() == getattr(other, name).tobytes()
        for name in ARRAYS.split()
    )


@pytest.mark.parametrize(
    "tree",
    [
        golf_tree(),
        regression_tree(),
        stump(threshold=[np.inf, NAN, NAN]),
        stump(threshold=[-np.inf, NAN, NAN]),
        stump(threshold=[-0.0, NAN, NAN]),
        stump(threshold=[5e-324, NAN, NAN], missing="largest", empty="parent_shares"),
        stump(classes=(0, 1)),
        stump(classes=(0.5, 1.0)),
        stump(classes=np.array([False, True])),
        stump(features=[TreeFeature('</script>"\n\ud800😀'), nominal("", "", " ")]),
        make_tree({"value": [1.0]}, [], ["only"]),
    ],
    ids=str,
)
@pytest.mark.parametrize("indent", [None, 2])
def test_round_trip(tree, indent):
    text = tree_to_json(tree, indent=indent)
    json.loads(text, parse_constant=pytest.fail)  # standard JSON
    assert same_bits(tree_from_json(text), tree)
    assert same_bits(tree_from_json(text.encode()), tree)


@st.composite
def nested(draw):
    features = [TreeFeature("x"), nominal("colour", *"rgb"), TreeFeature("y")]
    numbers = st.floats(0, 1e300)
    values = st.lists(numbers, min_size=3, max_size=3)
    weights = {"weight": numbers, "value": values}
    leaf = st.fixed_dictionaries(weights | {"prediction": st.integers(0, 2)})

    def test_of(children):
        any_threshold = st.floats(allow_nan=False)
        gain = st.floats(allow_nan=False, allow_infinity=False)
        numeric = st.fixed_dictionaries(
            weights
            | {
                "feature": st.sampled_from([0, 2]),
                "threshold": any_threshold,
                "gain": gain,
                "children": st.lists(children, min_size=2, max_size=2),
            }
        )
        split = st.fixed_dictionaries(
            weights
            | {
                "feature": st.just(1),
                "gain": gain,
                "codes": st.sets(st.integers(0, 2), min_size=1),
                "children": st.lists(children, min_size=3, max_size=3),
            }
        ).map(with_levels)
        return numeric | split

    def with_levels(node):
        codes = sorted(node.pop("codes"))
        pairs = zip(codes, node["children"], strict=False)
        node["children"] = [{**child, "level": code} for code, child in pairs]
        return node

    root = draw(st.recursive(leaf, test_of, max_leaves=12))
    missing = draw(st.sampled_from(["fractional", "largest"]))
    return make_tree(root, features, ("a", "b", "c"), missing=missing)


@given(nested())
def test_any_tree_survives(tree):
    assert same_bits(tree_from_json(tree_to_json(tree)), tree)


def test_deep_chain():
    tree = chain(100_000)
    assert same_bits(tree_from_json(tree_to_json(tree)), tree)


def damaged(change, tree=None):
    content = json.loads(tree_to_json(tree or stump()))
    change(content)
    return json.dumps(content)


def put(path, value):
    def change(content):
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(["format"], "sklearn"), "'format' .*'featsieve.tree'. Got 'sklearn'"),
        (put(["version"], 2), "'version' .*must be 1. Got 2. Read it with"),
        (put(["version"], True), "'version' .*Got True"),
        (put(["version"], None), "'version' .*Got None"),
        (put(["more"], 1), "'text' .*fields format.*Got 'more'"),
        (lambda c: c.pop("nodes"), "'nodes' .*Got none"),
        (put(["nodes"], []), "'nodes' .*an object"),
        (lambda c: c["nodes"].pop("gain"), "'gain' .*a field of 'nodes'"),
        (put(["nodes", "gain"], "abc"), "'gain' .*a list"),
        (put(["nodes", "gain"], ["abc", 0, 0]), "'gain' .*numbers.*Got 'abc'"),
        (put(["nodes", "gain"], [True, 0, 0]), "'gain' .*Got True"),
        (put(["nodes", "gain"], [10**400, 0, 0]), r"'gain' .*Got 10+\.\.\."),
        (put(["nodes", "gain"], [None, 0, 0]), "'gain' .*nan at node 0"),
        (put(["nodes", "gain"], [0]), "'gain' .*length"),
        (put(["nodes", "feature"], [0.0, -1, -1]), "'feature' .*integers.*Got 0.0"),
        (put(["nodes", "feature"], [False, -1, -1]), "'feature' .*Got False"),
        (put(["nodes", "feature"], [2**31, -1, -1]), "'feature' .*Got 2147483648"),
        (put(["nodes", "feature"], [7, -1, -1]), "'feature' .*Got 7 at node 0"),
        (put(["nodes", "first_child"], [0, -1, -1]), "'first_child' .*at node 0"),
        (put(["nodes", "value"], [1, 2, 3]), "'value' .*a list. Got 1"),
        (put(["nodes", "value"], [[1], [1, 2], [1]]), "'value' .*equal length"),
        (put(["nodes", "value"], []), "'value' .*length"),
        (put(["classes"], "ab"), "'classes' .*a list"),
        (put(["classes"], [None, "a"]), "'classes' .*Got None"),
        (put(["classes"], [["a"], "b"]), "'classes' .*Got"),
        (put(["classes"], ["a"]), "'value' .*1 wide"),
        (put(["features"], {}), "'features' .*a list"),
        (put(["features", 0], "wage"), "'features' .*an object"),
        (put(["features", 0], {"name": "wage"}), "'kind' .*Got none"),
        (put(["features", 0, "kind"], "date"), "'kind' .*'numeric' or 'nominal'"),
        (put(["features", 0, "kind"], []), "'kind' "),
        (put(["features", 0, "name"], 3), "name of a feature .*Got 3"),
        (put(["features", 1, "levels"], "fm"), "'levels' .*a list"),
        (put(["features", 1, "levels"], [1, 2]), "Feature 'sex'"),
        (put(["features", 0, "levels"], ["a"]), "Feature 'wage'"),
        (put(["missing"], "most"), "'missing' .*'fractional', 'largest'"),
        (put(["missing"], None), "'missing' .*a string"),
        (put(["empty"], []), "'empty' .*a string"),
    ],
)
def test_damage_is_named(change, message):
    with pytest.raises(DataError, match=message):
        tree_from_json(damaged(change))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        b"\xff\xfe\x00",
        '{"format": NaN}',
        '{"format": ' + "9" * 5000 + "}",
        '{"format": "featsieve.tree", "format": "featsieve.tree"}',
        "[1]",
        "null",
    ],
)
def test_what_is_no_tree_at_all(text):
    with pytest.raises(DataError):
        tree_from_json(text)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-3, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@given(st.data(), st.sampled_from(ARRAYS.split()), st.integers(0, 7), anything)
def test_a_changed_entry_is_refused_or_makes_another_tree(data, name, place, entry):
    content = json.loads(tree_to_json(golf_tree()))
    values = content["nodes"][name]
    if data.draw(st.booleans()):
        values[place] = entry
    else:
        del values[place]
    try:
        tree = tree_from_json(json.dumps(content))
    except DataError:
        return
    parents = tree.parents()
    assert (parents[1:] < np.arange(1, tree.n_nodes)).all()
    assert (parents[1:] >= 0).all()


def test_labels_that_json_does_not_know():
    for label in (datetime.date(2026, 1, 1), None, float("inf"), b"x"):
        with pytest.raises(DataError, match="'classes' of a tree must be str"):
            tree_to_json(stump(classes=("a", label)))


def test_only_text_is_read():
    with pytest.raises(TypeError, match="'text' parameter of tree_from_json"):
        tree_from_json({"format": "featsieve.tree"})
