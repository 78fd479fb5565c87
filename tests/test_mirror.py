"""Every module has a test file of its name, in the folder of its package."""

from __future__ import annotations

from pathlib import Path

import featsieve

PACKAGE = Path(featsieve.__file__).parent
TESTS = Path(__file__).parent

#: Lists of names, which test_public_api.py and test_borders.py check, or mypy.
WITHOUT = {"__init__.py", "__main__.py", "_types.py", "api.py"}

#: Modules that tests of their package cover but no file of their own does. This set may
#: only shrink: give a module its file, then take it from here.
MISSING = {
    "cli/_options.py",
    "cli/views/answers.py",
    "cli/views/compare.py",
    "cli/views/demo.py",
    "cli/views/inspect.py",
    "cli/views/interaction_answers.py",
    "cli/views/interactions.py",
    "cli/views/rank.py",
    "cli/views/reproduce.py",
    "cli/views/select.py",
    "data/stream/_batches.py",
    "data/stream/_counted_table.py",
    "data/stream/_counting.py",
    "data/stream/_dask_files.py",
    "data/stream/_parquet_parts.py",
    "data/stream/_parts.py",
    "data/stream/_viewed_parts.py",
}


def home_of(module: Path) -> Path:
    """Return where the tests of a module are."""
    return TESTS / module.parent / f"test_{module.name.removeprefix('_')}"


def modules() -> list[Path]:
    found = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    return sorted(path for path in found if path.name not in WITHOUT)


def test_every_module_has_a_test_file_of_its_name():
    without = {m.as_posix() for m in modules() if not home_of(m).exists()}
    new = sorted(without - MISSING)
    assert not new, f"No test file of the name: {', '.join(new)}"


def test_what_has_a_test_file_is_no_longer_missing():
    known = {module.as_posix(): home_of(module).exists() for module in modules()}
    stale = sorted(name for name in MISSING if known.get(name, True))
    assert not stale, f"Take from MISSING: {', '.join(stale)}"
