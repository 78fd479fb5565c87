"""Colours of pages, for light and for dark, and one for each verdict."""

from __future__ import annotations

__all__ = ["DARK", "LIGHT", "VERDICT_COLOURS", "declarations"]

#: Which colour of the palettes stands for which verdict, in every picture and table.
VERDICT_COLOURS = {
    "strongly relevant": "strong",
    "relevant together": "together",
    "relevant locally": "local",
    "over the limit": "limit",
    "redundant": "redundant",
    "irrelevant": "irrelevant",
    "unusable": "unusable",
}
# Text colours reach a contrast of 4.5 and marks of 3 on page, surface and raised, and
# colour-blind readers can tell the verdicts of kept features apart (both are tested).
LIGHT = {
    "page": "#f5f6f8",
    "surface": "#ffffff",
    "raised": "#eef1f4",
    "line": "#dce1e6",
    "ink": "#1b1f24",
    "quiet": "#535e6a",
    "accent": "#0b5cad",
    "strong": "#0b7a6b",
    "together": "#c2410c",
    "local": "#63308f",
    "limit": "#8a6a00",
    "redundant": "#2f7fcf",
    "irrelevant": "#7d8792",
    "unusable": "#4b5563",
    "warning": "#9a4a00",
    "warning-ground": "#fff4e5",
    "heat": "#0b5cad",
    "heat-negative": "#c2410c",
    "code": "#f2f4f7",
}
DARK = {
    "page": "#0f1317",
    "surface": "#171c22",
    "raised": "#202830",
    "line": "#313b45",
    "ink": "#e8ebee",
    "quiet": "#a6b0bb",
    "accent": "#7cb8f2",
    "strong": "#2cb3a0",
    "together": "#ff8d5c",
    "local": "#efbdf5",
    "limit": "#dcb23c",
    "redundant": "#5592e2",
    "irrelevant": "#7d8893",
    "unusable": "#b4bdc7",
    "warning": "#f5b067",
    "warning-ground": "#33250f",
    "heat": "#6fb3f7",
    "heat-negative": "#ff8d5c",
    "code": "#12171c",
}


def declarations(palette: dict[str, str], prefix: str = "") -> str:
    """Return the palette as custom properties of CSS."""
    return " ".join(f"--{prefix}{name}: {code};" for name, code in palette.items())
