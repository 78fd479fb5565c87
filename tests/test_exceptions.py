"""Errors and warnings of our own: kinds that callers may catch."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from featsieve import exceptions
from featsieve.data import read_table


@pytest.mark.parametrize("name", exceptions.__all__)
def test_kinds_survive_processes_and_say_what_they_are(name):
    kind = getattr(exceptions, name)
    assert issubclass(kind, UserWarning if name.endswith("Warning") else ValueError)
    assert kind.__doc__
    again = pickle.loads(pickle.dumps(kind("what to do")))  # workers send them back
    assert type(again) is kind
    assert again.args == ("what to do",)


def test_all_of_them_are_listed():
    defined = {
        name for name, value in vars(exceptions).items() if isinstance(value, type)
    }
    assert defined == set(exceptions.__all__)
    assert exceptions.__all__ == sorted(exceptions.__all__)


def test_a_bad_table_is_a_value_error():
    with pytest.raises(ValueError, match="infinity") as caught:
        read_table({"a": [1.0, np.inf]})
    assert type(caught.value) is exceptions.DataError
