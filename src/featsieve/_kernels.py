"""The only door to the compiled core: plain re-exports."""

from featsieve._core import count_levels  # noqa: TID251 - this is the door

__all__ = ["count_levels"]
