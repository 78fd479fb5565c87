"""Every module has a test file of its name, in the folder of its package."""

from __future__ import annotations

from pathlib import Path

import featsieve

PACKAGE = Path(featsieve.__file__).parent
TESTS = Path(__file__).parent

#: Lists of names, which test_public_api.py and test_borders.py check, or mypy.
WITHOUT = {"__init__.py", "__main__.py", "_types.py", "api.py"}


def test_every_module_has_a_test_file_of_its_name():
    modules = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    missing = sorted(
        module.as_posix()
        for module in modules
        if module.name not in WITHOUT
        and not (
            TESTS / module.parent / f"test_{module.name.removeprefix('_')}"
        ).exists()
    )
    assert not missing, f"No test file of the name: {', '.join(missing)}"
