"""Docstrings of estimators: what several of them share is written once, in a base."""

from __future__ import annotations

import inspect
import re
from typing import Any

HEADING = re.compile(r"^(\w[\w ]*)\n-+\n", re.MULTILINE)
ANSWER = re.compile(r"^(Returns|Yields)\n-+\n", re.MULTILINE)
ROWS = """\
Parameters
----------
X : table of shape (n_rows, n_features)
    Columns as in `fit`.

"""
#: In this order, before all other sections.
SHARED = ("Parameters", "Attributes")


class SharedDocs:
    """Base of classes that need not say again what their bases say.

    A base describes parameters and attributes that several subclasses have. Those that
    a subclass has and does not describe itself are added to its own docstring, so that
    `help`, notebooks and the documentation show all of them. Likewise `X` of methods
    that take nothing else: rows with the columns of `fit`.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if vars(cls).get("__doc__"):
            cls.__doc__ = complete_docstring(cls)
        for method in vars(cls).values():
            if inspect.isfunction(method) and method.__doc__:
                names = method.__code__.co_varnames[: method.__code__.co_argcount]
                text = inspect.cleandoc(method.__doc__)
                if names == ("self", "X") and "\nParameters\n" not in text:
                    method.__doc__ = ANSWER.sub(ROWS + r"\g<0>", text, count=1)


def complete_docstring(cls: type) -> str:
    """Return the docstring of a class, with entries of its bases it does not have."""
    text, sections = _sections(cls)
    told = {title: sections.pop(title, "") for title in SHARED}
    fields = {name for base in cls.__mro__ for name in inspect.get_annotations(base)}
    for base in cls.__mro__[1:]:
        if not issubclass(base, SharedDocs):
            continue
        _, others = _sections(base)
        for title in SHARED:
            known = {name for names, _ in _entries(told[title]) for name in names}
            for names, entry in _entries(others.get(title, "")):
                own = title == "Attributes" or fields.issuperset(names)
                if own and known.isdisjoint(names):
                    told[title] = f"{told[title].rstrip()}\n{entry}"
    for title, body in {**told, **sections}.items():
        if body:
            text += f"\n\n{title}\n{'-' * len(title)}\n{body.strip()}"
    return f"{text}\n"


def _sections(cls: type) -> tuple[str, dict[str, str]]:
    """Return what stands above the first heading, and the text below each."""
    first, *rest = HEADING.split(inspect.cleandoc(cls.__doc__ or ""))
    return first.rstrip(), dict(zip(rest[::2], rest[1::2], strict=True))


def _entries(section: str) -> list[tuple[list[str], str]]:
    """Return the names that each entry of a section describes, and its text."""
    entries = re.split(r"\n(?=\S)", section.strip()) if section else []
    return [(entry.partition(" : ")[0].split(", "), entry) for entry in entries]
