"""Score and keep features without training a model."""

__all__: list[str] = []
