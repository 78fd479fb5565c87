"""The best features of a limited number, without tearing interactions apart."""

from __future__ import annotations

__all__ = ["limit_features"]


def limit_features(
    kept: list[int], partners: dict[int, tuple[int, ...]], most: int
) -> set[int]:
    """Return which of the kept columns exceed the limit.

    Columns come in order of strength. A column that needs partners comes with them or,
    if there is no room for all, not at all: half an interaction is worth nothing.
    """
    chosen: list[int] = []
    stays = set(kept)
    for j in kept:
        if j in chosen:
            continue
        unit = [j, *(p for p in partners.get(j, ()) if p in stays and p not in chosen)]
        if len(chosen) + len(unit) <= most:
            chosen.extend(unit)
    return stays - set(chosen)
