"""Docstrings: what several estimators or functions share is written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

HEADING = re.compile(r"^(\w[\w ]*)\n-+\n", re.MULTILINE)
#: What methods that take rows say of them, and return, if neither they nor those of a
#: base say it.
METHODS = {
    "fit": """
Parameters
----------
X : table of shape (n_rows, n_features)
    A frame (pandas, polars, pyarrow), an array, or anything else that
    `featsieve.data.read_table` reads from memory. Values may be missing.
y : array-like of shape (n_rows,)
    What to predict. Rows without it are left out, with a warning.
sample_weight : array-like of shape (n_rows,)
    Weight of each row.

Returns
-------
self
""",
    "predict": """
Returns
-------
ndarray of shape (n_rows,)
    Class labels.
""",
    "predict_proba": """
Returns
-------
ndarray of float64 of shape (n_rows, n_classes)
    Shares in the order of ``classes_``.
""",
}
ROWS = """
Parameters
----------
X : table of shape (n_rows, n_features)
    Columns as in `fit`.
"""


class SharedDocs:
    """Base of classes that need not say again what their bases say.

    A base describes parameters and attributes that several subclasses have. Those that
    a subclass has and does not describe itself are added to its own docstring, so that
    `help`, notebooks and the documentation show all of them. Likewise the parameters of
    methods that take rows `X`, and what they return: as in the base, or `METHODS`.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if vars(cls).get("__doc__"):
            cls.__doc__ = complete_docstring(cls)
        for name, method in vars(cls).items():
            if not inspect.isfunction(method) or name.startswith("_"):
                continue
            if method.__doc__ and method.__code__.co_varnames[1:2] == ("X",):
                bases = (c for c in cls.__mro__[1:] if issubclass(c, SharedDocs))
                told = [vars(base)[name] for base in bases if name in vars(base)]
                described_like(*told, METHODS.get(name, ""), ROWS)(method)


def complete_docstring(cls: type) -> str:
    """Return the docstring of a class, with entries of its bases it does not have."""
    text, sections = _sections(cls.__doc__)
    fields = {name for base in cls.__mro__ for name in inspect.get_annotations(base)}
    bases = [base for base in cls.__mro__[1:] if issubclass(base, SharedDocs)]
    others = [_sections(base.__doc__)[1] for base in bases]
    shared = {
        "Parameters": _with_entries(sections, others, "Parameters", fields),
        "Attributes": _with_entries(sections, others, "Attributes", None),
    }
    return _written(text, shared, sections)


def described_like(*sources: object) -> Callable[[Function], Function]:
    """Complete the docstring of a function by what others say.

    A parameter that the function has and does not describe is described as in the first
    function, or text, that does so; a text leaves defaults to the signature. Likewise
    what is returned, if the function does not say.
    """
    texts = [each if isinstance(each, str) else each.__doc__ for each in sources]
    others = [_sections(each)[1] for each in texts]

    def complete(function: Function) -> Function:
        text, sections = _sections(function.__doc__)
        known = inspect.signature(function).parameters
        told = _with_entries(sections, others, "Parameters", set(known))
        for name, parameter in known.items():
            if parameter.default is not parameter.empty:
                default = rf"\g<0>, default={parameter.default!r}"
                told = re.sub(
                    rf"^{name} : (?!.*\bdefault).*", default, told, flags=re.M
                )
        order = {name: place for place, name in enumerate(known)}
        entries = sorted(_entries(told), key=lambda entry: order[entry[0][0]])
        shared = {"Parameters": "\n".join(entry for _, entry in entries)}
        if not {"Returns", "Yields"} & set(sections):
            given = (other["Returns"] for other in others if "Returns" in other)
            shared["Returns"] = next(given, "")
        function.__doc__ = _written(text, shared, sections)
        return function

    return complete


def _with_entries(
    sections: dict[str, str],
    others: Iterable[dict[str, str]],
    title: str,
    wanted: set[str] | None,
) -> str:
    """Return a section with the entries of others, of wanted names, that it lacks."""
    told = sections.get(title, "")
    for other in others:
        known = {name for names, _ in _entries(told) for name in names}
        for names, entry in _entries(other.get(title, "")):
            if (wanted is None or wanted.issuperset(names)) and known.isdisjoint(names):
                told = f"{told.rstrip()}\n{entry}"
    return told


def _written(text: str, first: dict[str, str], sections: dict[str, str]) -> str:
    """Return a docstring, some sections before the others."""
    for title, body in (
        first | {k: sections[k] for k in sections if k not in first}
    ).items():
        if body:
            text += f"\n\n{title}\n{'-' * len(title)}\n{body.strip()}"
    return f"{text}\n"


def _sections(doc: str | None) -> tuple[str, dict[str, str]]:
    """Return what stands above the first heading, and the text below each."""
    first, *rest = HEADING.split(inspect.cleandoc(doc or ""))
    return first.rstrip(), dict(zip(rest[::2], rest[1::2], strict=True))


def _entries(section: str) -> list[tuple[list[str], str]]:
    """Return the names that each entry of a section describes, and its text."""
    entries = re.split(r"\n(?=\S)", section.strip()) if section else []
    heads = [re.split(r" : |\n", entry, maxsplit=1)[0].lstrip("*") for entry in entries]
    return [
        (head.split(", "), entry) for head, entry in zip(heads, entries, strict=True)
    ]
