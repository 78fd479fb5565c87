from __future__ import annotations

import pytest

from cli.running import CHURN


@pytest.fixture
def churn(tmp_path):
    """A small, messy table of customers."""
    path = tmp_path / "churn.csv"
    path.write_text(CHURN, encoding="utf-8")
    return path


@pytest.fixture
def write(tmp_path):
    """Write some text to a file with this name, and return its path."""

    def write_file(text, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_text(text, encoding=encoding)
        return path

    return write_file
