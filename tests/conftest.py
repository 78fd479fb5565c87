"""What tests of several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests are never timed: a busy machine must not fail them.
settings.register_profile(
    "featsieve", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("featsieve")


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Datasets and oracle outputs kept beside the repository; skips without them."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    shared = Path(os.environ.get("FEATSIEVE_SHARED", beside))
    if not shared.is_dir():
        pytest.skip("needs ../shared or FEATSIEVE_SHARED")
    return shared
