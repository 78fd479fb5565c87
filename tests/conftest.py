"""What tests of several packages share."""

from __future__ import annotations

import contextlib
import os
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests are never timed: a busy machine must not fail them.
settings.register_profile(
    "featsieve", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("featsieve")

# When a property fails, Hypothesis imports libcst, if that is installed, inside a hook
# of pytest. A warning of that import is an error here and would end the whole run with
# INTERNALERROR, the name of the test unsaid. So it is imported now, unheard.
with warnings.catch_warnings(), contextlib.suppress(ImportError):
    warnings.simplefilter("ignore")
    import libcst.codemod
    import libcst.matchers
    import libcst.metadata  # noqa: F401  (for what it does on import)


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Datasets and oracle outputs kept beside the repository; skips without them."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    shared = Path(os.environ.get("FEATSIEVE_SHARED", beside))
    if not shared.is_dir():
        pytest.skip("needs ../shared or FEATSIEVE_SHARED")
    return shared
