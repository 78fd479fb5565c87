import numpy as np
import pytest
from scipy.stats import chi2_contingency, kruskal

from featsieve.datasets import make_mixed

SEEDS = [0, 1, 2]


def counts(codes, labels):
    """Return the contingency table of the known values, empty rows left out."""
    table = np.zeros((codes.max() + 1, labels.max() + 1))
    known = codes >= 0
    np.add.at(table, (codes[known], labels[known]), 1)
    return table[table.sum(axis=1) > 0]


def p_value(column, labels):
    if column.is_nominal:
        return chi2_contingency(counts(column.values, labels)).pvalue
    known = ~np.isnan(column.values)
    return kruskal(
        *(column.values[known & (labels == k)] for k in np.unique(labels))
    ).pvalue


@pytest.mark.parametrize("seed", SEEDS)
def test_every_effect_is_discoverable(seed):
    table, truth = make_mixed(random_state=seed)
    labels = table["class"].values
    for name in set(truth.relevant) - {"router", "line"}:
        assert p_value(table[name], labels) < 1e-20, name
    mismatch = table["router"].values ^ table["line"].values
    assert chi2_contingency(counts(mismatch, labels)).pvalue < 1e-20


@pytest.mark.parametrize("seed", SEEDS)
def test_what_should_tell_nothing_tells_nothing(seed):
    table, truth = make_mixed(random_state=seed)
    labels = table["class"].values
    idle = set(truth.irrelevant) - {"customer_id", "country"}
    for name in idle | {"router", "line"}:
        assert p_value(table[name], labels) > 1e-4, name


def test_copies():
    table, _ = make_mixed(random_state=0)
    bill, copy = table["monthly_bill"].values, table["bill_before_tax"].values
    known = ~np.isnan(copy)
    assert 0.97 < np.corrcoef(bill[known], copy[known])[0, 1] < 1
    pairs = set(zip(table["city"].values, table["dialling_code"].values, strict=True))
    assert len(pairs) == 40
    assert len({city for city, _ in pairs}) == len({code for _, code in pairs}) == 40


def test_support_calls_matter_for_one_class_only():
    problem = make_mixed(4000, random_state=0)
    calls = problem.table["support_calls"].values
    labels = problem.table["class"].values
    assert problem.details["own_feature"] == {"leaves": "support_calls"}
    staying = labels != problem.table["class"].levels.index("leaves")
    assert kruskal(*(calls[labels == k] for k in (0, 1))).pvalue > 1e-4
    assert calls[~staying].mean() > calls[staying].mean() + 2


def test_identifier_and_constant():
    problem = make_mixed(300, random_state=0)
    identifier = problem.table[problem.details["identifier"]]
    assert sorted(identifier.values) == list(range(300))
    assert identifier.levels[:2] == ("C001", "C002")
    constant = problem.table[problem.details["constant"]]
    assert set(constant.values) == {0}


def test_leak_is_added_and_nothing_else_changes():
    plain, leaky = (make_mixed(leak=leak, random_state=0) for leak in (False, True))
    assert plain.details["leak"] is None
    assert leaky.details["leak"] == "closing_fee"
    assert leaky.truth.harmless == ("closing_fee",)
    assert set(leaky.table.names) - set(plain.table.names) == {"closing_fee"}
    for column in plain.table:
        other = leaky.table[column.name].values
        assert np.array_equal(column.values, other, equal_nan=not column.is_nominal)
    charged = leaky.table["closing_fee"].values > 0
    assert np.array_equal(charged, leaky.table["class"].values == 2)


def test_values_are_missing_as_described():
    table = make_mixed(8000, random_state=0).table
    missing = {c.name for c in table if c.n_missing}
    assert missing == {
        "bill_before_tax",
        "browser",
        "data_usage_gb",
        "income",
        "satisfaction",
    }
    old = table["age"].values > 65
    unknown = table["data_usage_gb"].missing
    assert abs(unknown[old].mean() - 0.4) < 0.06
    assert abs(unknown[~old].mean() - 0.05) < 0.015
    # Those who leave are the least satisfied, so more of them are silent.
    silent, labels = table["satisfaction"].missing, table["class"].values
    assert silent[labels == 2].mean() > silent[labels == 0].mean() + 0.05
    # The upper fifth tells half as often as it should.
    known = table["income"].values[~table["income"].missing]
    assert abs((known > np.exp(10.3 + 0.8416 * 0.5)).mean() - 0.1 / 0.86) < 0.02


def test_target_is_imbalanced():
    table = make_mixed(8000, random_state=0).table
    shares = np.bincount(table["class"].values) / 8000
    assert table["class"].levels == ("stays", "downgrades", "leaves")
    assert np.allclose(shares, [0.72, 0.18, 0.10], atol=0.025)


def test_satisfaction_levels_rise():
    levels = make_mixed(50, random_state=0).table["satisfaction"].levels
    assert levels == ("very low", "low", "medium", "high", "very high")


def test_leak_is_checked():
    with pytest.raises(
        ValueError, match="'leak' parameter of make_mixed must be True or False"
    ):
        make_mixed(leak="yes")
