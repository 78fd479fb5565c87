"""Selectors and learners of a comparison: names, copies, seeds, what they chose."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone

from featsieve._types import Floats, Mask
from featsieve.engine import derive_seed
from featsieve.exceptions import DataError

Builder = Callable[[bool], Any]


def _load(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _selector(name: str, *, cut: bool = False, **settings: Any) -> Builder:
    """Return what builds a selector of ours; a quantity is `cut` for some of them."""

    def build(classes: bool) -> Any:
        more = {"target_bins": 5} if cut and not classes else {}
        return _load(f"featsieve.{name}")(**settings, **more)

    return build


def _filter(name: str, **settings: Any) -> Builder:
    """Return what builds a filter, which measures classes."""
    return _selector(f"selectors.{name}", cut=True, **settings)


#: Names for selectors, and what builds them with defaults; None selects nothing away.
SELECTORS: dict[str, Builder] = {
    "all": lambda _: None,
    "association": _filter("AssociationFilter"),
    "bifs": _filter("BIFSFilter"),
    "cfs": _filter("CFSFilter"),
    "decision-rules": _filter("DecisionRuleFilter"),
    "differential-prioritization": _filter("DifferentialPrioritizationFilter"),
    "fcbf": _filter("FCBFFilter"),
    "forest": _selector("selectors.ForestSelector"),
    "gain-ratio": _filter("MeasureFilter", measure="gain_ratio"),
    "information-gain": _filter("MeasureFilter"),
    "mdl-tree": _selector("selectors.MDLTreeSelector"),
    "mrmr": _filter("MRMRFilter"),
    "multisurf": _selector("selectors.MultiSURFFilter"),
    "relieff": _selector("selectors.ReliefFFilter"),
    "sieve": _selector("selection.SieveSelector"),
    "symmetrical-uncertainty": _filter(
        "MeasureFilter", measure="symmetrical_uncertainty"
    ),
}


def _learner(title: str, for_classes: str, for_numbers: str | None) -> Builder:
    """Return what builds a learner of classes or of numbers."""

    def build(classes: bool) -> Any:
        path = for_classes if classes else for_numbers
        if path is None:
            raise DataError(f"{title} predicts classes, and the target is a quantity.")
        return _load(path)()

    return build


def _scaled(build: Builder) -> Builder:
    """Return what builds a learner that sees columns of equal spread."""

    def build_pipeline(classes: bool) -> Any:
        scaler = _load("sklearn.preprocessing.StandardScaler")()
        return _load("sklearn.pipeline.make_pipeline")(scaler, build(classes))

    return build_pipeline


def _linear(classes: bool) -> Any:
    if classes:
        return _load("sklearn.linear_model.LogisticRegression")(max_iter=1000)
    return _load("sklearn.linear_model.Ridge")()


#: Names for learners, and what builds them with defaults.
ESTIMATORS: dict[str, Builder] = {
    "5-nn": _scaled(
        _learner(
            "5-NN",
            "sklearn.neighbors.KNeighborsClassifier",
            "sklearn.neighbors.KNeighborsRegressor",
        )
    ),
    "c4.5": _learner("C4.5", "featsieve.trees.C45Classifier", None),
    "forest": _learner(
        "A forest",
        "sklearn.ensemble.RandomForestClassifier",
        "sklearn.ensemble.RandomForestRegressor",
    ),
    "linear": _scaled(_linear),
    "mdl-tree": _learner(
        "A tree",
        "featsieve.trees.MDLTreeClassifier",
        "featsieve.trees.MDLTreeRegressor",
    ),
    "naive-bayes": _learner("Naive Bayes", "sklearn.naive_bayes.GaussianNB", None),
}


def available_selectors() -> list[str]:
    """Return the names of selectors that `featsieve.compare` knows.

    Returns
    -------
    list of str
        In alphabetical order; "all" keeps every feature.

    Examples
    --------
    >>> from featsieve.comparison import available_selectors
    >>> available_selectors()[:3]
    ['all', 'association', 'bifs']
    """
    return list(SELECTORS)


def available_estimators() -> list[str]:
    """Return the names of learners that `featsieve.compare` knows.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> from featsieve.comparison import available_estimators
    >>> available_estimators()
    ['5-nn', 'c4.5', 'forest', 'linear', 'mdl-tree', 'naive-bayes']
    """
    return list(ESTIMATORS)


def name_contestants(
    what: str, given: Any, known: Mapping[str, Builder], *, classes: bool
) -> dict[str, Any]:
    """Return contestants by unique names, from names, objects, pairs or a mapping."""
    pairs = given.items() if isinstance(given, Mapping) else _listed(what, given)
    named: dict[str, Any] = {}
    for item in pairs:
        if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
            name, thing = item
        else:
            name, thing = (item, item) if isinstance(item, str) else (None, item)
        if isinstance(thing, str):
            thing = _known(what, thing, known)(classes)
        elif thing is not None and (
            not hasattr(thing, "fit") or isinstance(thing, type)
        ):
            raise DataError(
                f"The {what!r} parameter of compare must hold names, objects with a "
                f"`fit` method, or (name, object) pairs. Got {thing!r}."
            )
        if name is None:
            name = "all" if thing is None else type(thing).__name__
        named[_free_name(name, named)] = thing
    if not named:
        message = f"The {what!r} parameter of compare must name at least one. Got none."
        raise DataError(message)
    if what == "estimators" and None in named.values():
        raise DataError("The 'estimators' parameter of compare must not hold None.")
    return named


def _listed(what: str, given: Any) -> Iterable[Any]:
    if isinstance(given, str) or hasattr(given, "fit"):
        return [given]
    try:
        return list(given)
    except TypeError:
        message = f"The {what!r} parameter of compare must be a list. Got {given!r}."
        raise DataError(message) from None


def _known(what: str, name: str, known: Mapping[str, Builder]) -> Builder:
    word = name.strip().lower().replace("_", "-")
    if word not in known:
        raise DataError(
            f"The {what!r} parameter of compare knows no {name!r}. Say one of "
            f"{', '.join(known)}, or give the object itself."
        )
    return known[word]


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    numbered = (f"{name} ({number})" for number in itertools.count(2))
    return next(free for free in itertools.chain([name], numbered) if free not in taken)


def fresh_copy(thing: Any, seed: int, *purpose: str | int) -> Any:
    """Return an unfitted copy, with seeds derived where `random_state` is None."""
    try:
        twin = clone(thing)
    except (TypeError, RuntimeError):  # a peer that does not follow the conventions
        twin = copy.deepcopy(thing)
    if not hasattr(twin, "get_params") or not hasattr(twin, "set_params"):
        return twin
    seeds = {
        key: derive_seed(seed, key, *purpose) % 2**31
        for key, value in sorted(twin.get_params(deep=True).items())
        if value is None and key.rpartition("__")[2] == "random_state"
    }
    return twin.set_params(**seeds) if seeds else twin


def chosen_features(
    selector: Any, matrix: Floats | None, n_features: int
) -> Mask | None:
    """Return which features a fitted selector chose; None if it makes new ones.

    Understood are scikit-learn's ``get_support``, an attribute ``support_``, mlxtend's
    ``k_feature_idx_``, and any ``transform`` that returns columns as they are.
    """
    support = getattr(selector, "support_", None)
    if hasattr(selector, "get_support"):
        support = selector.get_support()
    elif support is None:
        support = getattr(selector, "k_feature_idx_", None)
    if support is not None:
        return _as_mask(support, n_features)
    if matrix is None or not hasattr(selector, "transform"):
        return None
    return _mask_of_transform(selector, matrix)


def _as_mask(support: Any, n_features: int) -> Mask:
    given = np.asarray(support)
    if given.dtype == np.bool_ and given.shape == (n_features,):
        return given.copy()
    mask = np.zeros(n_features, dtype=bool)
    mask[given.astype(np.int64)] = True
    return mask


def _mask_of_transform(selector: Any, matrix: Floats) -> Mask | None:
    """Return which columns ``transform`` passes on, if it changes no value."""
    n_features = matrix.shape[1]
    # Rows that are the numbers of their columns come out as the numbers chosen.
    labels = np.tile(np.arange(n_features, dtype=np.float64), (2, 1))
    kept = np.asarray(selector.transform(labels))[0]
    if not np.isin(kept, labels[0]).all() or len(set(kept.tolist())) != len(kept):
        return None
    columns = kept.astype(np.int64)
    sample = matrix[:100]
    if not np.array_equal(np.asarray(selector.transform(sample)), sample[:, columns]):
        return None
    return _as_mask(columns, n_features)
