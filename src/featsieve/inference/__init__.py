"""All that decides whether something is more than chance: nulls, tests, error rates."""

from featsieve.inference._interaction_test import interaction_test

__all__ = ["interaction_test"]
