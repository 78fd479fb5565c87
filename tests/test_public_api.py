"""Every public name is documented, shown by example, and named by one rule."""

import inspect
import subprocess
import sys

import pytest

from featsieve import PACKAGES
from public import public_modules, public_names

#: A filter scores features without a learner; a selector asks one, or does all.
SUFFIXES = {
    "selection": ("Selector",),
    "selectors": ("Filter", "Selector"),
    "trees": ("Classifier", "Regressor"),
    "ensembles": ("Classifier", "Regressor"),
}
#: What answers about features, and so answers alike when asked again.
REPEATABLE = {"featsieve", "comparison", "data", "selection", "selectors"}
NAMES = public_names()
IDS = [f"{module.__name__}.{name}" for module, name, _ in NAMES]


@pytest.mark.parametrize(("module", "name", "thing"), NAMES, ids=IDS)
def test_is_documented_with_an_example(module, name, thing):
    if inspect.isclass(thing) and issubclass(thing, Warning):
        assert thing.__doc__
        return
    doc = inspect.getdoc(thing) or ""
    assert doc, f"{module.__name__}.{name} has no docstring"
    assert "Examples" in doc, f"{module.__name__}.{name} shows no example"
    assert ">>>" in doc
    if inspect.isfunction(thing) and inspect.signature(thing).parameters:
        assert "Parameters" in doc
        assert "Returns" in doc or "Yields" in doc


@pytest.mark.parametrize("module", public_modules(), ids=lambda m: m.__name__)
def test_all_is_sorted_and_complete(module):
    assert list(module.__all__) == sorted(module.__all__, key=str)
    for name in module.__all__:
        assert hasattr(module, name)


@pytest.mark.parametrize(("module", "name", "thing"), NAMES, ids=IDS)
def test_estimators_end_in_what_they_are(module, name, thing):
    package = module.__name__.rpartition(".")[2]
    if inspect.isclass(thing) and package in SUFFIXES and hasattr(thing, "fit"):
        assert name.endswith(SUFFIXES[package])


@pytest.mark.parametrize(("module", "name", "thing"), NAMES, ids=IDS)
def test_every_parameter_is_documented(module, name, thing):
    if not (inspect.isfunction(thing) or hasattr(thing, "fit")):
        return
    doc = inspect.getdoc(thing) or ""
    parameters = inspect.signature(thing).parameters
    for parameter in parameters:
        assert parameter in doc, f"{module.__name__}.{name}: {parameter!r}"


def test_seeds_start_alike_in_a_package():
    seeded = 0
    for module, name, thing in NAMES:
        package = module.__name__.rpartition(".")[2]
        if package == "engine" or not (
            inspect.isfunction(thing) or hasattr(thing, "fit")
        ):
            continue
        seed = inspect.signature(thing).parameters.get("random_state")
        if seed is not None:
            expected = 0 if package in REPEATABLE else None
            assert seed.default == expected, f"{package}.{name}"
            seeded += 1
    assert seeded > 40


def test_one_import_reaches_the_packages_and_loads_nothing():
    code = (
        "import sys, featsieve; assert not {'numpy', 'sklearn'} & set(sys.modules); "
        "assert {'select', 'selectors'} <= set(dir(featsieve)); "
        "assert featsieve.data.open_stream and featsieve.exceptions.DataError"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    names = {module.__name__.rpartition(".")[2] for module in public_modules()}
    assert names == PACKAGES
