"""docs/glossary.rst and the signatures of all that is public say the same."""

import ast
import inspect
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import featsieve
from public import public_names

PAGE = Path(__file__).parents[2] / "docs" / "glossary.rst"
ENTRY = re.compile(r"^``(\w+)`` : (.+)\n((?:    .+\n)+)", re.MULTILINE)
#: Plain types of annotations; others, such as Any, say too little to compare.
PLAIN = {"int", "float", "str", "bool", "None"}
#: Methods for the library itself, without parameters in their docstrings.
INTERNAL = ("fit_table", "code", "encode")


def entries():
    """Return type and text of every entry, by name."""
    found = ENTRY.findall(PAGE.read_text("utf-8"))
    assert len(found) == len({name for name, _, _ in found}), "a name is defined twice"
    return {name: (kind, " ".join(text.split())) for name, kind, text in found}


def public_callables():
    """Return every public function, and every method of every estimator."""
    things = {"select": featsieve.select, "compare": featsieve.compare}
    things |= {name: thing for _, name, thing in public_names()}
    for name, thing in things.items():
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and issubclass(thing, BaseEstimator):
            yield name, thing.__init__
            for method, function in inspect.getmembers(thing, inspect.isfunction):
                ours = function.__module__.startswith("featsieve")
                if ours and not method.startswith("_") and method not in INTERNAL:
                    yield f"{name}.{method}", function


def uses():
    """Return where each parameter occurs, with its annotation and default."""
    found = {}
    for where, function in public_callables():
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name == "self" or parameter.kind.name.startswith("VAR"):
                continue
            found.setdefault(parameter.name, []).append((where, parameter))
    return found


ENTRIES, USES = entries(), uses()


def test_every_parameter_is_defined_and_every_entry_used():
    assert len(USES) > 200
    assert {name: USES[name] for name in USES.keys() - ENTRIES.keys()} == {}
    assert ENTRIES.keys() - USES.keys() == set()


def test_entries_are_in_order():
    assert list(ENTRIES) == sorted(ENTRIES, key=lambda name: (name.lower(), name))


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_defaults_agree(name):
    defaults = {
        repr(parameter.default)
        for _, parameter in USES[name]
        if parameter.default is not parameter.empty
    }
    said = ENTRIES[name][1].partition(" Default ")[2]
    literals = {text for text in re.findall("``(.+?)``", said) if is_literal(text)}
    if said:
        assert literals == defaults
        for where in set(re.findall("``(.+?)``", said)) - literals:
            assert any(used.split(".")[0] == where for used, _ in USES[name]), where
    else:
        assert not defaults or name == "title"


def is_literal(text):
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_types_agree(name):
    kind = ENTRIES[name][0]
    words = set(re.findall(r"\b[A-Za-z]\w*\b", re.sub('"[^"]*"', " str ", kind)))
    taken, complete = set(), True
    for where, parameter in USES[name]:
        parts = {part.strip() for part in str(parameter.annotation).split("|")}
        taken |= parts & PLAIN
        complete &= parts <= PLAIN
        assert parts & PLAIN <= words, f"{where}: {parameter.annotation}, not {kind}"
    if complete:
        assert words & PLAIN <= taken, f"{kind}, and only {taken} is ever taken"
