"""A tree as Weka prints it."""

from __future__ import annotations


def as_weka_text(root, features, classes):
    """Text of a tree; `features` are (name, levels), levels None if numeric."""
    if root.feature < 0:
        return ": " + _leaf(root, classes)
    return "\n".join(_lines(root, features, classes, ""))


def _lines(node, features, classes, indent):
    name, levels = features[node.feature]
    for i, child in enumerate(node.children):
        if node.levels is None:
            test = f"{name} {('<=', '>')[i]} {_short(node.threshold, 6)}"
        else:
            test = f"{name} = {levels[node.levels[i]]}"
        if child.feature < 0:
            yield f"{indent}{test}: {_leaf(child, classes)}"
        else:
            yield indent + test
            yield from _lines(child, features, classes, indent + "|   ")


def _leaf(node, classes):
    errors = node.errors if node.weight > 0 else 0.0
    counts = _number(node.weight)
    if errors > 1e-6:
        counts += "/" + _number(errors)
    return f"{classes[node.prediction]} ({counts})"


def _number(value):
    text = _short(value, 2)
    return text if "." in text else text + ".0"


def _short(value, places):
    """Rounded half up to some places, without the zeros at the end."""
    text = f"{value:.{places}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
