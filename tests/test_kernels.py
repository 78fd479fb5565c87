"""Every name of the compiled core that is passed on is there, and says what it is."""

from __future__ import annotations

import pytest

from featsieve import _core, _kernels  # noqa: TID251  (whether it is passed on)

NAMES = sorted(name for name in vars(_kernels) if not name.startswith("_"))


def test_there_are_names():
    assert len(NAMES) > 50
    assert {"PairScanner", "mdl_cuts"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_the_one_of_the_core_and_documented(name):
    thing = getattr(_core, name)
    assert getattr(_kernels, name) is thing
    # A function's docstring begins with its signatures.
    words = [line for line in thing.__doc__.splitlines() if f"{name}(" not in line]
    assert "".join(words).strip(), f"{name} has no docstring"
