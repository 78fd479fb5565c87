"""Sphinx configuration."""

import inspect
import os
import sys
from importlib.metadata import version as _version
from pathlib import Path

# The gallery calls a scraper by its name and a folder that can be imported.
sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("MPLBACKEND", "agg")

project = "featsieve"
author = "the featsieve developers"
copyright = "2026, the featsieve developers"
release = _version("featsieve")
extensions = [
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc tells types in words
numpydoc_show_class_members = False
# What is copied can be pasted: without prompts, and without what was answered.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
templates_path = ["_templates"]
# A name in single backticks is a link where it is one of ours.
default_role = "py:obj"
# Full names of ours must lead somewhere; names of parameters and of others need not.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!featsieve\.).*"),
    ("py:.*", r"featsieve\..*\._.*"),
]
# Inherited docstrings refer to labels in scikit-learn's own guide.
suppress_warnings = ["ref.ref", "config.cache"]
exclude_patterns = ["_build", "examples"]
html_theme = "pydata_sphinx_theme"
html_title = f"featsieve {release}"
html_theme_options = {"show_prev_next": False, "header_links_before_dropdown": 7}
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
# Pages without neighbours need no list of them.
html_sidebars = {
    name: []
    for name in ("tutorial", "which_method", "coming_from", "benchmarks", "api")
}
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "image_scrapers": ("gallery_pictures.scrape",),
    "download_all_examples": False,
    "within_subsection_order": "FileNameSortKey",
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 60,
}


def _skip_foreign(_app, _what, _name, thing, skip, _options):
    """Leave methods that scikit-learn gives to every estimator to its own pages."""
    if isinstance(thing, property):
        thing = thing.fget
    if inspect.isroutine(thing):
        module = getattr(thing, "__module__", None) or ""
        return skip or not module.startswith("featsieve")
    return True


def setup(app):
    """Connect what is defined here."""
    app.connect("autodoc-skip-member", _skip_foreign)
