"""What views print, as text."""

from __future__ import annotations

import io

from rich.console import Console


def shown(print_view, *args, width=200, **options):
    """Return what a view prints on a console of this width, without colours."""
    stream = io.StringIO()
    print_view(Console(file=stream, width=width, color_system=None), *args, **options)
    return stream.getvalue()
