"""The command line; the only room that prints."""

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
