"""Problems with known answers, generated on the spot."""

__all__: list[str] = []
