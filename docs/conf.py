"""Sphinx configuration."""

from importlib.metadata import version as _version

project = "featsieve"
author = "the featsieve developers"
copyright = "2026, the featsieve developers"
release = _version("featsieve")
extensions = [
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
autosummary_generate = True
numpydoc_show_class_members = False
templates_path = []
# Inherited docstrings refer to labels in scikit-learn's own guide.
suppress_warnings = ["ref.ref"]
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False}
