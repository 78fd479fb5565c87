"""Score and keep features without training a model."""

from featsieve.filters._bifs import BIFSFilter
from featsieve.filters._information_gain import InformationGainFilter
from featsieve.filters._interaction import Interaction

__all__ = ["BIFSFilter", "InformationGainFilter", "Interaction"]
