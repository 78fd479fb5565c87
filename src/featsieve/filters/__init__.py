"""Score and keep features without training a model."""

from featsieve.filters._information_gain import InformationGainFilter

__all__ = ["InformationGainFilter"]
