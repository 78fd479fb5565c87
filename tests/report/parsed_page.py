"""A strict reading of our own HTML: every tag that opens must close where it should."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree

VOID = {"meta", "link", "input", "br", "img", "hr"}


class _Builder(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.builder = ElementTree.TreeBuilder()
        self.open = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> repeats an attribute: {names}"
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.builder.end(tag)
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()
        self.builder.end(tag)

    def handle_data(self, data):
        if self.open:
            self.builder.data(data)


def parse_page(html):
    """Return the tree of a page."""
    reader = _Builder()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader.builder.close()


def by_id(tree, name):
    """Return the one element with an id."""
    found = [element for element in tree.iter() if element.get("id") == name]
    assert len(found) == 1, f"{len(found)} elements have the id {name!r}"
    return found[0]


def by_class(tree, name):
    """Return all elements of a class."""
    return [e for e in tree.iter() if name in (e.get("class") or "").split()]


def text_of(element):
    """Return all text within, with single blanks."""
    return " ".join("".join(element.itertext()).split())
