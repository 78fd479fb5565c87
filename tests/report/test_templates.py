import sys

import pytest
from jinja2 import UndefinedError

from featsieve.report._templates import TEMPLATES, new_environment


def test_foreign_text_is_escaped_and_gaps_are_errors():
    template = new_environment().from_string("<b>{{ name }}</b>")
    assert template.render(name="<i>&") == "<b>&lt;i&gt;&amp;</b>"
    with pytest.raises(UndefinedError, match="name"):
        template.render()


def test_every_template_is_found_and_can_be_read():
    environment = new_environment()
    environment.globals["source"] = str
    names = [path.name for path in TEMPLATES.glob("*.html")]
    assert len(names) >= 3
    for name in names:
        environment.parse((TEMPLATES / name).read_text(encoding="utf-8"), name)


def test_without_jinja_the_way_out_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install featsieve\[report\]"):
        new_environment()
