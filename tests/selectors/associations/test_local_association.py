import numpy as np
import pytest
from scipy import stats

from featsieve.data import Column, ColumnKind, Table
from featsieve.selectors.associations._local_association import (
    cluster_rows,
    compare,
    local_record,
    strongest,
    tell_place,
)


def find_local(table, target, clusters, *, n_jobs):
    return strongest(compare(table, target, clusters, n_jobs))


def numeric(name, values):
    return Column(name, ColumnKind.NUMERIC, np.asarray(values, dtype=float))


def nominal(name, values, n_levels):
    codes = np.asarray(values, dtype=np.int32)
    return Column(name, ColumnKind.NOMINAL, codes, tuple(range(n_levels)))


@pytest.fixture
def split():
    """A feature whose effect turns around between two clusters."""
    rng = np.random.default_rng(0)
    side = np.repeat([0, 1], 400)
    x = rng.normal(size=800)
    y = ((x > 0) ^ (side == 1)).astype(np.int32)
    where = 8.0 * side + rng.normal(size=800)
    table = Table(
        (
            numeric("where", where),
            numeric("x", x),
            numeric("noise", rng.normal(size=800)),
        )
    )
    return table, y, side


def test_clusters_are_found_and_repeatable(split):
    table, _, side = split
    labels = cluster_rows(table, 2, 7)
    assert len(set(zip(labels, side, strict=True))) == 2
    np.testing.assert_array_equal(labels, cluster_rows(table, 2, 7))


def test_effects_that_cancel_are_found_in_clusters(split):
    table, y, side = split
    findings = find_local(table, y, side.astype(np.int32), n_jobs=None)
    assert findings[1].p_value < 1e-10
    assert findings[1].effect > 0.9
    assert findings[1].cluster in (0, 1)
    assert findings[2].p_value > 0.01
    classes = np.array(["no", "yes"], dtype=object)
    record = local_record(findings[1], table.names, classes, side)
    assert record["n_rows"] == 400
    assert tell_place(record).startswith("effect 1.000 for class 'no' in cluster")


def test_p_value_is_mann_and_whitneys():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200).round(1)
    y = (rng.random(200) < 0.3).astype(np.int32)
    one = np.zeros(200, dtype=np.int32)
    finding = find_local(Table((numeric("x", x),)), y, one, n_jobs=None)[0]
    test = stats.mannwhitneyu(
        x[y == 0], x[y == 1], use_continuity=False, method="asymptotic"
    )
    # Twice: all rows, and the one cluster that holds them.
    assert finding.p_value == pytest.approx(min(1, 2 * test.pvalue))
    biserial = 2 * test.statistic / ((y == 0).sum() * (y == 1).sum()) - 1
    assert finding.effect == pytest.approx(abs(biserial))


def test_nominal_features_explain_entropy():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, 300)
    y = np.where(codes == 1, 2, rng.integers(0, 2, 300)).astype(np.int32)
    codes[:4] = 3  # a level too rare to be compared alone
    table = Table((nominal("c", codes, 4), nominal("one", np.zeros(300), 1)))
    found = find_local(table, y, np.zeros(300, dtype=np.int32), n_jobs=2)
    assert found[0].position == 2
    assert found[0].effect > 0.8
    assert found[1].p_value == 1


def test_quantities_are_compared_directly(split):
    table, _, side = split
    y = table.columns[1].values * np.where(side == 0, 1, -1)
    found = find_local(table, y, side.astype(np.int32), n_jobs=None)
    assert found[1].effect == 1
    assert found[1].position is None
    record = local_record(found[1], table.names, np.array([]), side)
    assert record["class"] is None
    coded = Table((nominal("c", table.columns[1].values > 0, 2),))
    assert find_local(coded, y, side.astype(np.int32), n_jobs=None)[0].effect > 0.9
    same = find_local(table, np.zeros(800), side.astype(np.int32), n_jobs=None)
    assert all(f.p_value == 1 for f in same)


def test_small_parts_are_not_compared():
    table = Table((numeric("x", np.arange(30.0)),))
    y = np.repeat([0, 1], 15).astype(np.int32)
    assert find_local(table, y, np.zeros(30, dtype=np.int32), n_jobs=None) == [None]


def test_odd_columns_make_no_trouble():
    many = nominal("many", np.arange(60), 60)
    gaps = numeric("gaps", np.full(60, np.nan))
    endless = numeric("endless", np.where(np.arange(60) < 2, np.inf, 0.0))
    assert set(cluster_rows(Table((many, gaps, endless)), 3, 0)) == {0}
    few = numeric("few", np.repeat([0, 1], 30))
    assert set(cluster_rows(Table((few,)), 5, 0)) == {0, 1}
