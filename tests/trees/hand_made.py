"""Trees made by hand, and from what Weka printed."""

from __future__ import annotations

import json
from collections import deque

import numpy as np

from featsieve.data import ColumnKind, read_table
from featsieve.trees import Tree, TreeFeature

NAN = float("nan")


def nominal(name, *levels):
    return TreeFeature(name, ColumnKind.NOMINAL, levels)


def make_tree(root, features, classes, **settings):
    """Flatten nested dicts: ``value``, and for a test ``feature`` and ``children``.

    ``threshold`` belongs to a numeric test, ``level`` to a child of a nominal one;
    ``prediction`` and ``weight`` follow from the value if they are not given.
    """
    names = (
        "feature threshold first_child n_children level weight value prediction gain"
    )
    arrays = {name: [] for name in names.split()}
    waiting = deque([root])
    n_seen = 1
    while waiting:
        node = waiting.popleft()
        children = node.get("children", [])
        value = np.atleast_1d(node["value"])
        arrays["feature"].append(node.get("feature", -1))
        arrays["threshold"].append(node.get("threshold", NAN))
        arrays["first_child"].append(n_seen if children else -1)
        arrays["n_children"].append(len(children))
        arrays["level"].append(node.get("level", -1))
        arrays["weight"].append(node.get("weight", float(value.sum())))
        arrays["value"].append(value)
        best = 0 if classes is None else int(np.argmax(value))
        arrays["prediction"].append(node.get("prediction", best))
        arrays["gain"].append(node.get("gain", 0.0))
        waiting.extend(children)
        n_seen += len(children)
    return Tree(**arrays, features=features, classes=classes, **settings)


def golf_tree():
    """Quinlan's golf, as in the C4.5 book; gains from the spec, section 3.1."""
    features = (
        nominal("outlook", "sunny", "overcast", "rainy"),
        TreeFeature("humidity"),
        nominal("windy", "TRUE", "FALSE"),
    )
    humidity = {
        "feature": 1,
        "threshold": 75.0,
        "gain": 0.971,
        "level": 0,
        "value": [2, 3],
        "children": [{"value": [2, 0]}, {"value": [0, 3]}],
    }
    windy = {
        "feature": 2,
        "gain": 0.971,
        "level": 2,
        "value": [3, 2],
        "children": [{"value": [0, 2], "level": 0}, {"value": [3, 0], "level": 1}],
    }
    root = {
        "feature": 0,
        "gain": 0.2467,
        "value": [9, 5],
        "children": [humidity, {"value": [4, 0], "level": 1}, windy],
    }
    return make_tree(root, features, ("yes", "no"))


def regression_tree():
    features = (TreeFeature("age"), nominal("sex", "f", "m"))
    young = {"value": 2.5, "weight": 4.0}
    old = {
        "feature": 1,
        "gain": 1.0,
        "value": 10.0,
        "weight": 2.0,
        "children": [
            {"value": 12.0, "weight": 2.0, "level": 0},
            {"value": NAN, "weight": 0.0, "level": 1},
        ],
    }
    root = {
        "feature": 0,
        "threshold": 30.0,
        "gain": 12.5,
        "value": 5.0,
        "weight": 6.0,
        "children": [young, old],
    }
    return make_tree(root, features, None)


def chain(depth):
    """A tree that cuts off one end of a numeric feature again and again."""
    n_nodes = 2 * depth + 1
    inner = np.arange(0, n_nodes - 1, 2)
    feature = np.full(n_nodes, -1)
    feature[inner] = 0
    threshold = np.full(n_nodes, NAN)
    threshold[inner] = -np.arange(depth, dtype=float)
    first_child = np.full(n_nodes, -1)
    first_child[inner] = inner + 1
    # The second of two children goes on: 0 -> 1, 2; 2 -> 3, 4; …
    value = np.zeros((n_nodes, 2))
    value[:, 0] = 1
    value[inner, 1] = depth - np.arange(depth)
    return Tree(
        feature=feature,
        threshold=-threshold,
        first_child=first_child,
        n_children=np.where(feature < 0, 0, 2),
        level=np.full(n_nodes, -1),
        weight=value.sum(axis=1),
        value=value,
        prediction=value.argmax(axis=1),
        gain=np.where(feature < 0, 0.0, 0.5),
        features=[TreeFeature("x")],
        classes=("a", "b"),
    )


def stump(**changes):
    arrays = {
        "feature": [0, -1, -1],
        "threshold": [2.5, NAN, NAN],
        "first_child": [1, -1, -1],
        "n_children": [2, 0, 0],
        "level": [-1, -1, -1],
        "weight": [5.0, 3.0, 2.0],
        "value": [[3.0, 2.0], [3.0, 0.0], [0.0, 2.0]],
        "prediction": [0, 0, 1],
        "gain": [0.971, 0.0, 0.0],
        "features": (TreeFeature("wage"), nominal("sex", "f", "m")),
        "classes": ("bad", "good"),
    }
    return Tree(**(arrays | changes))


def weka_tree(shared_dir, name, variant):
    """Return the tree Weka grew on this table, and how Weka printed it."""
    folder = shared_dir / "oracle" / "weka"
    golden = json.loads((folder / "golden" / f"{name}.json").read_text())
    table = read_table(folder / "data" / f"{name}.arff", target=-1)
    features = [
        TreeFeature(
            column.name, column.kind, column.levels if column.is_nominal else None
        )
        for column in table
    ]
    result = golden["j48"][variant]

    def convert(node, level, bag, above):
        made = {"value": bag, "level": level}
        if "leaf" in node:
            # An empty branch is told to answer as its parent does.
            best = int(np.argmax(above)) if node["empty"] else node["leaf"]
            return made | {"prediction": best}
        is_nominal = "split" not in node
        made |= {"feature": node["att"] - 1, "gain": node["info_gain"]}
        if not is_nominal:
            made["threshold"] = node["split"]
        made["children"] = [
            convert(child, code if is_nominal else -1, branch, bag)
            for code, (child, branch) in enumerate(
                zip(node["children"], node["bags"], strict=True)
            )
        ]
        return made

    root = result["nodes"]
    made = convert(root, -1, root["dist"], root["dist"])
    tree = make_tree(made, features, golden["class_values"], empty="parent_shares")
    return tree, result
