"""Kinds of facts: each has one effect, and a row in the guide."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from featsieve.data import Effect, Note
from featsieve.data._note import KINDS

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "data.rst"


def test_a_note_knows_its_effect_and_reason():
    note = Note("identical", "b", "Column 'b' is identical to column 'a'.", "a")
    assert note.effect is Effect.DROP
    assert note.reason == "is identical to column 'a'"
    assert pickle.loads(pickle.dumps(note)) == note
    other = Note("separator", None, "Another separator?")
    assert (other.effect, other.reason) == (Effect.WARN, "Another separator?")


def test_what_is_not_in_the_table_has_no_effect():
    with pytest.raises(KeyError):
        _ = Note("unheard_of", "a", "Column 'a' is odd.").effect


def test_the_guide_gives_the_effect_of_every_fact_about_a_column():
    rows = re.findall(r"\* - ``(\w+)``\n.*?\n     - (\w+)\n", GUIDE.read_text(), re.S)
    told = dict(rows)
    about_columns = {
        code
        for code, kind in KINDS.items()
        if "target" not in code and "class" not in code and kind.of_columns
    }
    assert about_columns <= set(told)
    assert told == {code: KINDS[code].effect.value for code in told}
