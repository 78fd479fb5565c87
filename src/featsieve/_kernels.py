"""The only door to the compiled core: plain re-exports."""

from featsieve._core import (  # noqa: TID251 - this is the door
    CutPrice,
    Measure,
    Missing,
    apply_cuts,
    class_entropies,
    class_tables,
    encode_bytes,
    expected_information,
    mdl_cuts,
    mdl_null,
    table_null,
    tie_runs,
)

__all__ = [
    "CutPrice",
    "Measure",
    "Missing",
    "apply_cuts",
    "class_entropies",
    "class_tables",
    "encode_bytes",
    "expected_information",
    "mdl_cuts",
    "mdl_null",
    "table_null",
    "tie_runs",
]
