"""What columns and the target have in common: all that count-based statistics see."""

from featsieve.tallies._tally import Tally

__all__ = ["Tally"]
