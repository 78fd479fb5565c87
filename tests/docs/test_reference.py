"""The reference lists every public name once, and pages refer to names that exist."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from public import public_names

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*DOCS.glob("*.rst"), *DOCS.glob("guide/*.rst")])
LISTED = re.findall(r"^   ([\w.]+)$", (DOCS / "api.rst").read_text("utf-8"), re.M)
#: Users import these from `featsieve` itself.
AT_THE_TOP = {"selection.select": "select", "comparison.compare": "compare"}


def test_every_public_name_is_listed_once():
    names = [
        f"{module.__name__.removeprefix('featsieve.')}.{name}"
        for module, name, _ in public_names()
    ]
    names = [AT_THE_TOP.get(name, name) for name in names]
    assert sorted(LISTED) == sorted(names)


def find(name):
    """Import a dotted name, as deep as modules go, and then by attribute."""
    parts = name.split(".")
    thing = import_module(parts[0])
    for depth, part in enumerate(parts[1:], start=2):
        if not hasattr(thing, part):
            import_module(".".join(parts[:depth]))
        thing = getattr(thing, part)
    return thing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_on_pages_exist(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r":(?:class|func|meth|mod):`~?(featsieve[\w.]*)`", text):
        assert find(name) is not None


def entries(page):
    """Return what a page's tables of contents list, as they list it."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(r"^   (?:[^:<\n]+ <)?([\w/]+)>?$", text, re.M)


def test_every_page_is_in_one_table_of_contents():
    listed = entries("index.rst") + [f"guide/{e}" for e in entries("guide/index.rst")]
    assert len(listed) == len(set(listed))
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES}
    assert pages - {"index"} <= set(listed)
