"""The only importer of the compiled core, all of which it passes on."""

from featsieve._core import *  # noqa: F403, TID251 - nobody else may
