"""Answers as a frame of the library that the question came in."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw

#: Where a question came as no frame, the first that is installed answers.
PREFERRED = ("pandas", "polars", "pyarrow")
TYPES: dict[type, Any] = {
    bool: nw.Boolean,
    float: nw.Float64,
    int: nw.Int64,
    str: nw.String,
}


def frame_library(source: Any) -> str:
    """Return the library of a frame, or for anything else the first one installed."""
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, (nw.DataFrame, nw.LazyFrame)):
        name = str(frame.implementation)
        if name in PREFERRED:
            return name
    return next(name for name in PREFERRED if importlib.util.find_spec(name))


def make_frame(
    columns: Mapping[str, Sequence[Any]], kinds: Mapping[str, type], library: str
) -> Any:
    """Return a frame of "pandas", "polars" or "pyarrow"; None is missing in it."""
    backend: Any = library
    schema = nw.Schema({name: TYPES[kinds[name]]() for name in columns})
    return nw.from_dict(dict(columns), schema=schema, backend=backend).to_native()
