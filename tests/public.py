"""Find every public name of the package, for tests that hold for all of them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from sklearn.base import BaseEstimator

import featsieve


def public_modules():
    """Packages that users import from."""
    names = [
        info.name
        for info in pkgutil.iter_modules(featsieve.__path__)
        if not info.name.startswith("_") and info.name != "cli"
    ]
    return [importlib.import_module(f"featsieve.{name}") for name in names]


def public_names():
    """(module, name, object) of everything that is listed in an __all__."""
    return [
        (module, name, getattr(module, name))
        for module in public_modules()
        for name in module.__all__
    ]


def public_estimators():
    """Every public scikit-learn estimator class."""
    return [
        thing
        for _, _, thing in public_names()
        if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
    ]
