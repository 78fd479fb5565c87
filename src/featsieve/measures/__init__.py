"""Arrays in, numbers out: how much columns tell about a class."""

__all__: list[str] = []
