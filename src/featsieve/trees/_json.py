"""A tree as JSON that loads back, bit for bit."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

import numpy as np

from featsieve._types import Array, Floats
from featsieve.data import ColumnKind
from featsieve.exceptions import DataError
from featsieve.trees._tree import ARRAYS, INTEGERS, Tree, TreeFeature
from featsieve.trees._words import as_tree

FORMAT = "featsieve.tree"
VERSION = 1
KEYS = ("format", "version", "missing", "empty", "classes", "features", "nodes")
# JSON has no infinities; strings and null stand for them and for NaN.
INFINITIES = {"inf": math.inf, "-inf": -math.inf}


def tree_to_json(tree: Any, *, indent: int | None = None) -> str:
    """Return a tree as JSON, from which `tree_from_json` makes the same tree again.

    Parameters
    ----------
    tree : Tree or estimator
        A tree, or a fitted tree estimator. Its class labels must be str, int, float or
        bool.
    indent : int or None, default=None
        Spaces to indent by, None for a single line.

    Returns
    -------
    str
        Standard JSON: ``format`` and ``version``, the settings ``missing`` and
        ``empty``, ``classes`` (null in regression), ``features`` and, under ``nodes``,
        the arrays of the tree. NaN is null, infinities are ``"inf"`` and ``"-inf"``.

    Examples
    --------
    >>> from featsieve.trees import C45Classifier, tree_from_json, tree_to_json
    >>> wages = {"wage": [1.0, 1.5, 2.5, 3.0, 4.0]}
    >>> tree = C45Classifier().fit(wages, ["bad"] * 3 + ["good"] * 2)
    >>> tree_from_json(tree_to_json(tree)) == tree.tree_
    True
    """
    tree = as_tree(tree, "tree_to_json")
    classes = None if tree.classes is None else list(tree.classes)
    for label in classes or ():
        if not _is_label(label):
            raise DataError(
                f"The 'classes' of a tree must be str, int, bool or finite float to be "
                f"written as JSON. Got {label!r}."
            )
    features = [
        {
            "name": feature.name,
            "kind": feature.kind.value,
            "levels": None if feature.levels is None else list(feature.levels),
        }
        for feature in tree.features
    ]
    content = {
        "format": FORMAT,
        "version": VERSION,
        "missing": tree.missing,
        "empty": tree.empty,
        "classes": classes,
        "features": features,
        "nodes": {name: _plain(getattr(tree, name)) for name in ARRAYS},
    }
    return json.dumps(content, allow_nan=False, indent=indent)


def tree_from_json(text: str | bytes) -> Tree:
    """Return the tree that `tree_to_json` wrote.

    Parameters
    ----------
    text : str or bytes
        The JSON; nothing but what `tree_to_json` writes is taken.

    Returns
    -------
    Tree
        The same tree, bit for bit.

    Raises
    ------
    DataError
        If the text is no JSON, of another version or damaged; the message names the
        field.

    Examples
    --------
    >>> from featsieve.trees import tree_from_json
    >>> tree_from_json('{"format": "featsieve.tree", "version": 99}')
    Traceback (most recent call last):
        ...
    featsieve.exceptions.DataError: The 'version' of a tree in JSON must be 1. Got 99. \
    Read it with the version of featsieve that wrote it.
    """
    content = _object("text", _parse(text))
    if content.get("format") != FORMAT:
        _refuse("format", repr(FORMAT), content.get("format"))
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        way_out = " Read it with the version of featsieve that wrote it."
        _refuse("version", str(VERSION), version, way_out)
    _check_keys("text", content, KEYS)
    nodes = _object("nodes", content["nodes"])
    _check_keys("nodes", nodes, ARRAYS)
    for name in ("missing", "empty"):
        if not isinstance(content[name], str):
            _refuse(name, "a string", content[name])
    arrays = {name: _array(name, nodes[name]) for name in ARRAYS}
    classes = content["classes"]
    if classes is not None:
        for label in _list("classes", classes):
            if not _is_label(label):
                _refuse("classes", "null, or strings and finite numbers", label)
    features = [_feature(entry) for entry in _list("features", content["features"])]
    try:
        return Tree(
            **arrays,
            features=features,
            classes=classes,
            missing=content["missing"],
            empty=content["empty"],
        )
    except DataError:
        raise
    except ValueError as error:  # a setting that does not exist
        raise DataError(str(error)) from error


def _plain(array: Array) -> list[Any]:
    values: list[Any] = array.tolist()
    if array.dtype.kind == "i" or np.isfinite(array).all():
        return values
    if array.ndim == 2:
        return [[_finite_or_text(x) for x in row] for row in values]
    return [_finite_or_text(x) for x in values]


def _finite_or_text(value: float) -> float | str | None:
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)


def _is_label(label: Any) -> bool:
    if isinstance(label, float):
        return type(label) is float and math.isfinite(label)
    return type(label) in (str, int, bool)


def _parse(text: str | bytes) -> Any:
    if not isinstance(text, (str, bytes)):
        raise TypeError(
            f"The 'text' parameter of tree_from_json must be a str or bytes. "
            f"Got {type(text).__name__} instead."
        )
    try:
        return json.loads(
            text, parse_constant=_no_constant, object_pairs_hook=_no_double
        )
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        raise DataError(f"The text is not the JSON of a tree: {error}.") from error


def _no_constant(name: str) -> NoReturn:
    _refuse("text", "standard JSON", name)


def _no_double(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        _refuse(twice, "given once", "it twice")
    return content


def _object(name: str, content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        _refuse(name, "an object", content)
    return content


def _list(name: str, content: Any) -> list[Any]:
    if not isinstance(content, list):
        _refuse(name, "a list", content)
    return content


def _check_keys(name: str, content: dict[str, Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        if key not in content:
            _refuse(key, f"a field of {name!r}", "none")
    for key in content:
        if key not in keys:
            _refuse(name, f"an object of the fields {', '.join(keys)}", key)


def _array(name: str, content: Any) -> Array:
    entries = _list(name, content)
    if name == "value":
        rows = [_list(name, row) for row in entries]
        width = len(rows[0]) if rows else 0
        if any(len(row) != width for row in rows):
            _refuse(name, "rows of equal length", "rows of different lengths")
        flat = [entry for row in rows for entry in row]
        return _numbers(name, flat).reshape(len(rows), width)
    if name not in INTEGERS:
        return _numbers(name, entries)
    for entry in entries:
        if type(entry) is not int or not -(2**31) <= entry < 2**31:
            _refuse(name, "a list of 32-bit integers", entry)
    return np.array(entries, dtype=np.int32)


def _numbers(name: str, entries: list[Any]) -> Floats:
    values = np.empty(len(entries))
    for place, entry in enumerate(entries):
        if type(entry) is float:
            values[place] = entry
        elif entry is None:
            values[place] = math.nan
        elif isinstance(entry, str) and entry in INFINITIES:
            values[place] = INFINITIES[entry]
        # Greater integers are not among the floats that are written.
        elif type(entry) is int and abs(entry) <= 2**53:
            values[place] = entry
        else:
            _refuse(name, 'numbers, null (for NaN), "inf" or "-inf"', entry)
    return values


def _feature(entry: Any) -> TreeFeature:
    content = _object("features", entry)
    _check_keys("features", content, ("name", "kind", "levels"))
    kinds = {kind.value: kind for kind in ColumnKind}
    kind = content["kind"]
    if not isinstance(kind, str) or kind not in kinds:
        _refuse("kind", " or ".join(map(repr, kinds)), kind)
    levels = content["levels"]
    if levels is not None:
        levels = tuple(_list("levels", levels))
    return TreeFeature(content["name"], kinds[kind], levels)


def _refuse(name: str, must: str, came: Any, way_out: str = "") -> NoReturn:
    shown = came if isinstance(came, str) and came in ("none", "it twice") else None
    shown = shown or repr(came)
    if len(shown) > 60:
        shown = f"{shown[:57]}..."
    raise DataError(
        f"The {name!r} of a tree in JSON must be {must}. Got {shown}.{way_out}"
    )
