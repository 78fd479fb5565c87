"""Fragments become a section of the changelog, and are gone."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "release" / "changelog.py"


@pytest.fixture
def changelog(tmp_path, monkeypatch):
    """The script, on a repository of its own."""
    spec = importlib.util.spec_from_file_location("changelog", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "changelog.d" / "data").mkdir(parents=True)
    (tmp_path / "changelog.d" / "README.md").write_text("How to.\n")
    (tmp_path / "changelog.d" / "data" / "files.added.md").write_text("Files.\n")
    (tmp_path / "changelog.d" / "trees.added.md").write_text("Trees.\n")
    (tmp_path / "changelog.d" / "gap.fixed.md").write_text("A gap.\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n" + module.NOTHING)
    (tmp_path / "CITATION.cff").write_text("version: 0.1.0\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.1.0"\n')
    return module


def test_fragments_move_into_a_section(changelog, tmp_path):
    with pytest.raises(SystemExit, match=r"no section 0\.1\.0"):
        changelog.check()
    changelog.write("0.1.0", "2026-12-01")
    assert (tmp_path / "CHANGELOG.md").read_text() == (
        "# Changelog\n\n## 0.1.0 (2026-12-01)\n\n### Added\n\n**Data**\n\n- Files.\n\n"
        "**More**\n\n- Trees.\n\n### Fixed\n\n- A gap.\n"
    )
    left = [path.name for path in (tmp_path / "changelog.d").rglob("*.md")]
    assert left == ["README.md"]
    changelog.check()
    (tmp_path / "changelog.d" / "more.added.md").write_text("More.\n")
    changelog.write("0.2.0", "2027-01-01")
    text = (tmp_path / "CHANGELOG.md").read_text()
    assert text.index("## 0.2.0 (2027-01-01)") < text.index("## 0.1.0 (2026-12-01)")
    assert "**More**" in text, "only in the older one, which has several topics"


def test_what_does_not_fit_is_told(changelog, tmp_path):
    (tmp_path / "CITATION.cff").write_text("version: 0.2.0\n")
    with pytest.raises(SystemExit, match=r"CITATION\.cff must say version 0\.1\.0"):
        changelog.check()
    (tmp_path / "changelog.d" / "odd.new.md").write_text("Odd.\n")
    with pytest.raises(SystemExit, match=r"odd\.new\.md must end in"):
        changelog.section("x")


def test_our_own_fragments_fit(changelog, monkeypatch):
    monkeypatch.setattr(changelog, "ROOT", FILE.parents[1])
    assert changelog.section("Unreleased").startswith("## Unreleased\n")
