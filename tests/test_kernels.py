"""Every name of the compiled core that is passed on is there, and says what it is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import featsieve
from featsieve import _core, _kernels  # noqa: TID251  (whether it is passed on)

PACKAGE = Path(featsieve.__file__).parent


def documented():
    """Return the names of the stub, and whether one of their definitions has words."""
    found: dict[str, bool] = {}
    for node in ast.parse((PACKAGE / "_core.pyi").read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            has_words = bool(ast.get_docstring(node))
            found[node.name] = found.get(node.name, False) or has_words
    return found


DOCUMENTED = documented()
NAMES = sorted(name for name in vars(_kernels) if not name.startswith("_"))


def test_there_are_names():
    assert len(NAMES) > 50
    assert {"PairScanner", "mdl_cuts"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_the_one_of_the_core_and_documented(name):
    assert getattr(_kernels, name) is getattr(_core, name)
    assert DOCUMENTED[name], f"{name} has no docstring in _core.pyi"
