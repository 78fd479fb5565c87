"""The checker of built pages finds what leads nowhere."""

import importlib.util
from pathlib import Path

FILE = Path(__file__).parents[2] / "docs" / "check_links.py"
SPEC = importlib.util.spec_from_file_location("check_links", FILE)
check_links = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_links)


def test_links_that_lead_nowhere(tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "theme.html").write_text('<a href="{{ x }}">a</a>')
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here"><a href="b.html#there"><a href="#no">'
        '<a href="https://elsewhere.org/x"><img src="gone.png"><a href="b.html#where">'
    )
    (tmp_path / "b.html").write_text('<a name="there" href="a.html?x=1">')
    assert check_links.broken_links(tmp_path) == [
        "a.html: #no",
        "a.html: gone.png",
        "a.html: b.html#where",
    ]


def test_pages_without_a_source(tmp_path):
    pages, sources = tmp_path / "html", tmp_path / "docs"
    for folder in (pages, sources):
        folder.mkdir()
    for name in ("a", "b", "genindex"):
        (pages / f"{name}.html").touch()
    (sources / "a.rst").touch()
    assert check_links.orphans(pages, sources) == ["b.html"]
