"""Selectors and learners of a comparison: names, copies, seeds, what they chose."""

from __future__ import annotations

import copy
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from featsieve.engine import derive_seed
from featsieve.exceptions import DataError

__all__ = [
    "ESTIMATORS",
    "SELECTORS",
    "chosen_features",
    "describe",
    "fresh_copy",
    "name_contestants",
]

#: Parameters that change how long an answer takes, and not the answer.
IDLE_PARAMETERS = ("n_jobs", "verbose")


def _filter(name: str, **settings: Any) -> Callable[[bool], Any]:
    def build(classes: bool) -> Any:
        import featsieve.filters as room

        kind = getattr(room, name)
        # Filters measure classes; a quantity is cut for them unless they say it cannot.
        cut = {} if classes or name in UNCUT else {"target_bins": 5}
        return kind(**settings, **cut)

    return build


def _embedded(name: str) -> Callable[[bool], Any]:
    def build(classes: bool) -> Any:  # noqa: ARG001  (both take it)
        import featsieve.embedded as room

        return getattr(room, name)()

    return build


#: Filters without a parameter for cutting a target.
UNCUT = ("ReliefFFilter", "MultiSURFFilter")


#: Names for selectors, and what builds them with defaults; None selects nothing away.
def _sieve(_: bool) -> Any:
    from featsieve.sieve._selector import SieveSelector

    return SieveSelector()


SELECTORS: dict[str, Callable[[bool], Any]] = {
    "all": lambda _: None,
    "association": _filter("AssociationFilter"),
    "bifs": _filter("BIFSFilter"),
    "cfs": _filter("CFSFilter"),
    "decision-rules": _filter("DecisionRuleFilter"),
    "differential-prioritization": _filter("DifferentialPrioritizationFilter"),
    "fcbf": _filter("FCBFFilter"),
    "forest": _embedded("ForestSelector"),
    "gain-ratio": _filter("InformationGainFilter", measure="gain_ratio"),
    "information-gain": _filter("InformationGainFilter"),
    "mdl-tree": _embedded("MDLTreeSelector"),
    "mrmr": _filter("MRMRFilter"),
    "multisurf": _filter("MultiSURFFilter"),
    "relieff": _filter("ReliefFFilter"),
    "sieve": _sieve,
    "symmetrical-uncertainty": _filter(
        "InformationGainFilter", measure="symmetrical_uncertainty"
    ),
}


def _tree(for_classes: str, for_numbers: str | None) -> Callable[[bool], Any]:
    def build(classes: bool) -> Any:
        import featsieve.trees as room

        name = for_classes if classes else for_numbers
        if name is None:
            message = "C4.5 predicts classes, and the target is a quantity."
            raise DataError(message)
        return getattr(room, name)()

    return build


def _neighbours(classes: bool) -> Any:
    from sklearn.neighbors import (
        KNeighborsClassifier,
        KNeighborsRegressor,
    )
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    kind = KNeighborsClassifier if classes else KNeighborsRegressor
    return make_pipeline(StandardScaler(), kind(5))


def _forest(classes: bool) -> Any:
    from sklearn.ensemble import (
        RandomForestClassifier,
        RandomForestRegressor,
    )

    return RandomForestClassifier() if classes else RandomForestRegressor()


def _linear(classes: bool) -> Any:
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = LogisticRegression(max_iter=1000) if classes else Ridge()
    return make_pipeline(StandardScaler(), model)


def _naive_bayes(classes: bool) -> Any:
    from sklearn.naive_bayes import GaussianNB

    if not classes:
        message = "Naive Bayes predicts classes, and the target is a quantity."
        raise DataError(message)
    return GaussianNB()


#: Names for learners, and what builds them with defaults.
ESTIMATORS: dict[str, Callable[[bool], Any]] = {
    "5-nn": _neighbours,
    "c4.5": _tree("C45Tree", None),
    "forest": _forest,
    "linear": _linear,
    "mdl-tree": _tree("MDLTree", "MDLRegressionTree"),
    "naive-bayes": _naive_bayes,
}


def name_contestants(
    what: str, given: Any, known: Mapping[str, Callable[[bool], Any]], *, classes: bool
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
        elif thing is not None and not _can_fit(thing):
            message = (
                f"The {what!r} parameter of compare must hold names, objects with a "
                f"`fit` method, or (name, object) pairs. Got {thing!r}."
            )
            raise DataError(message)
        if name is None:
            name = "all" if thing is None else type(thing).__name__
        named[_free_name(name, named)] = thing
    if not named:
        message = f"The {what!r} parameter of compare must name at least one. Got none."
        raise DataError(message)
    if what == "estimators" and None in named.values():
        message = "The 'estimators' parameter of compare must not hold None."
        raise DataError(message)
    return named


def _can_fit(thing: Any) -> bool:
    return hasattr(thing, "fit") and not isinstance(thing, type)


def _listed(what: str, given: Any) -> Iterable[Any]:
    if isinstance(given, str) or hasattr(given, "fit"):
        return [given]
    try:
        return list(given)
    except TypeError:
        message = f"The {what!r} parameter of compare must be a list. Got {given!r}."
        raise DataError(message) from None


def _known(
    what: str, name: str, known: Mapping[str, Callable[[bool], Any]]
) -> Callable[[bool], Any]:
    word = name.strip().lower().replace("_", "-")
    if word not in known:
        message = (
            f"The {what!r} parameter of compare knows no {name!r}. Say one of "
            f"{', '.join(known)}, or give the object itself."
        )
        raise DataError(message)
    return known[word]


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"


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
    selector: Any, matrix: NDArray[np.float64] | None, n_features: int
) -> NDArray[np.bool_] | None:
    """Return which features a fitted selector chose; None if it makes new ones.

    Understood are scikit-learn's ``get_support``, an attribute ``support_``, mlxtend's
    ``k_feature_idx_``, and any ``transform`` that returns columns as they are.
    """
    support = None
    if hasattr(selector, "get_support"):
        support = selector.get_support()
    else:
        for attribute in ("support_", "k_feature_idx_"):
            support = getattr(selector, attribute, None)
            if support is not None:
                break
    if support is not None:
        return _as_mask(support, n_features)
    if matrix is None or not hasattr(selector, "transform"):
        return None
    return _mask_of_transform(selector, matrix)


def _as_mask(support: Any, n_features: int) -> NDArray[np.bool_]:
    given = np.asarray(support)
    if given.dtype == np.bool_ and given.shape == (n_features,):
        return given.copy()
    mask = np.zeros(n_features, dtype=bool)
    mask[given.astype(np.int64)] = True
    return mask


def _mask_of_transform(
    selector: Any, matrix: NDArray[np.float64]
) -> NDArray[np.bool_] | None:
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


def describe(thing: Any) -> str:
    """Return a text that is the same for the same object in any process."""
    return json.dumps(_description(thing), sort_keys=True, ensure_ascii=False)


def _description(thing: Any) -> Any:  # noqa: PLR0911  (one per kind of value)
    if isinstance(thing, np.generic):
        return _description(thing.item())
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return repr(thing) if isinstance(thing, float) else thing
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        digest = hashlib.blake2b(np.ascontiguousarray(thing).tobytes(), digest_size=8)
        return f"array {thing.dtype}{thing.shape} {digest.hexdigest()}"
    if isinstance(thing, (list, tuple)):
        return [_description(item) for item in thing]
    if isinstance(thing, Mapping):
        return {str(key): _description(value) for key, value in thing.items()}
    if hasattr(thing, "get_params") and not isinstance(thing, type):
        parameters = {
            key: _description(value)
            for key, value in thing.get_params(deep=False).items()
            if key not in IDLE_PARAMETERS
        }
        return {_full_name(type(thing)): parameters}
    if isinstance(thing, type) or hasattr(thing, "__code__"):
        return _full_name(thing) + _body(thing)
    try:
        return f"{_full_name(type(thing))} {joblib.hash(thing)}"
    except Exception:  # what cannot be pickled is known by its class only
        return _full_name(type(thing))


def _body(thing: Any) -> str:
    """Return what tells a function from another of the same name."""
    code = getattr(thing, "__code__", None)
    if code is None:
        return ""
    plain = (bool, int, float, str, bytes)
    constants = [repr(each) for each in code.co_consts if isinstance(each, plain)]
    return f" {joblib.hash((code.co_code, code.co_names, constants))}"


def _full_name(thing: Any) -> str:
    """Return where a class comes from, with the version of its package."""
    package = thing.__module__.partition(".")[0]
    version = getattr(sys.modules.get(package), "__version__", "")
    return f"{thing.__module__}.{thing.__qualname__} {version}".rstrip()
