"""Orders of features, and where probes enter."""

from featsieve.reproduce._largedata_search import CHOSEN, ENTER, INPUTS, ORDERS, SIZES


def test_printed_orders_name_every_feature_once():
    assert {name: len(order) for name, order in ORDERS.items()} == {
        "kddcup99-10pct": 32,
        "covertype": 42,
    }
    assert all(len(set(order)) == len(order) for order in ORDERS.values())
    assert "Soil_Type40" in ORDERS["covertype"]


def test_a_search_without_preselection_chooses_what_is_ordered():
    assert {name: CHOSEN[name][0] for name in ORDERS} == {
        name: len(order) for name, order in ORDERS.items()
    }
    assert all(len(counts) == len(INPUTS) for counts in CHOSEN.values())
    assert CHOSEN.keys() == SIZES.keys() >= ENTER.keys()
