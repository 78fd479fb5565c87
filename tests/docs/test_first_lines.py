"""The lines that a newcomer sees first do what they say: the front pages run."""

import doctest
import re
import textwrap
from pathlib import Path

import matplotlib as mpl
import pytest

from featsieve.cli.views.demo import write_csv
from featsieve.datasets import make_mixed

ROOT = Path(__file__).parents[2]
FRONT = (ROOT / "docs" / "index.rst").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "tutorial.rst").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")


def test_the_front_page_runs_on_the_file_of_the_tutorial(capsys):
    made = TUTORIAL.partition("Look first")[0]
    names = {}
    for example in doctest.DocTestParser().get_examples(made):
        exec(example.source, names)
    (block,) = re.findall(r"code-block:: python\n\n((?:   .*\n|\n)+)", FRONT)
    exec(textwrap.dedent(block), {})
    told = capsys.readouterr().out
    assert "'router'" in told
    assert "'line'" in told
    assert Path("report.html").stat().st_size > 10_000


def test_the_readme_runs_on_the_table_of_the_demo(capsys):
    Path("demo-output").mkdir()
    where = Path("demo-output/customers.csv")
    write_csv(make_mixed(2000, random_state=2).table, where)
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names = {}
    exec(block, names)
    told = capsys.readouterr().out
    assert "together" in told
    assert "line" in names["selection"].features
    assert hasattr(names["selector"], "fit")
    assert Path("report.html").exists()
