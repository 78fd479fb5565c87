"""Fixtures that several rooms use."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Return the folder of published data; skip where it is not at hand."""
    beside = Path(__file__).resolve().parents[1].parent / "shared"
    folder = Path(os.environ.get("FEATSIEVE_SHARED", beside))
    if not folder.is_dir():
        pytest.skip("the published data (FEATSIEVE_SHARED or ../shared) are not here")
    return folder
