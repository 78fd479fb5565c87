"""What holds for every source file: one meaning per name, and a size one can read."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import featsieve

ROOT = Path(featsieve.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
MOST_LINES = 500
MOST_LINES_OF_A_FUNCTION = 60
#: Options of a command are its parameters, each with its help.
DEFINITIONS = ROOT / "cli" / "commands"


def shown(file):
    return str(file.relative_to(ROOT))


def names_of(node):
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        overloads = [d for d in node.decorator_list if "overload" in ast.unparse(d)]
        return [] if overloads else [node.name]
    return []


def lines_of_code(function):
    """Return the lines of a function below its signature and docstring."""
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    above = first.end_lineno if documented else first.lineno - 1
    return function.end_lineno - above


@pytest.mark.parametrize("file", FILES, ids=shown)
def test_no_name_is_given_twice_in_a_module(file):
    # A constant that a second one replaces changes an answer without a word.
    tree = ast.parse(file.read_text(encoding="utf-8"))
    counts = Counter(name for node in tree.body for name in names_of(node))
    assert [name for name, times in counts.items() if times > 1] == []


@pytest.mark.parametrize("file", FILES, ids=shown)
def test_files_and_functions_can_be_read_at_once(file):
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    if DEFINITIONS in file.parents:
        return
    long = [
        f"{node.name}: {lines_of_code(node)} lines"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        and lines_of_code(node) > MOST_LINES_OF_A_FUNCTION
    ]
    assert long == []
