"""A failing property is reported by its name, whatever else is installed."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FAILING = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_that_fails(number):
    assert number < 10
"""


def test_a_warning_while_hypothesis_reports_does_not_hide_the_test(tmp_path):
    fake = tmp_path / "fake" / "libcst"
    fake.mkdir(parents=True)
    warns = "import warnings; warnings.warn('old', DeprecationWarning)"
    for name in ("__init__", "codemod", "matchers", "metadata"):
        (fake / f"{name}.py").write_text(warns, encoding="utf-8")
    (tmp_path / "test_property.py").write_text(FAILING, encoding="utf-8")
    conftest = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(conftest, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider", "."],
        env={**os.environ, "PYTHONPATH": str(fake.parent)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "INTERNALERROR" not in found.stdout
    assert "test_property.py::test_that_fails" in found.stdout
    assert found.returncode == 1
