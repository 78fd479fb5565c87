"""What fills the templates of all pages: foreign text is escaped, gaps are errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["TEMPLATES", "new_environment"]

TEMPLATES = Path(__file__).resolve().parent / "templates"


def new_environment() -> Environment:
    """Return an environment for our templates, without filters of its own."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        message = "Reports need jinja2: pip install featsieve[report]"
        raise ImportError(message) from error
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
