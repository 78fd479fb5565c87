"""Groups and rankings of the BIFS thesis."""

import pytest

from featsieve.datasets import make_corral
from featsieve.reproduce._bifs_tables import (
    SPECT,
    TABLE_5_3,
    all_groups,
    fit,
    kept_groups,
    listed,
    parse,
    selected,
    told,
)


@pytest.mark.parametrize("text", ["[1,2,3,4][5,6]", "[5]", ""])
def test_groups_read_and_write_alike(text):
    assert told(parse(text)) == text


def test_printed_groups_are_whole():
    assert len(parse(SPECT)) == 55
    assert listed(parse("[2,9]")[0]) == "2,9"


def test_corral_is_as_printed():
    selector = fit(make_corral().table, 0.05, 0.2)
    everything, relevant = TABLE_5_3[0.05, 0.2]["corral"]
    assert told(all_groups(selector)) == everything
    assert told(kept_groups(selector)) == relevant
    assert selected(selector) == [1, 2, 3, 4]
