"""What the kernels of forests say against the plain versions, tree by tree."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve._kernels import LeafIndex
from featsieve.trees import RandomTreeClassifier, RandomTreeRegressor
from featsieve.trees._forest import (
    Forest,
    ForestGrower,
    GainSums,
    bag_weights,
    rows_left_out,
)
from featsieve.trees._tree_rows import row_matrix
from reference import forests as reference
from reference.tree_tables import samples, table_of
from reference.trees import from_arrays

N_TREES = 3


def settings_of(**changed):
    given_settings = {
        "max_features": 1,
        "max_depth": None,
        "min_cases": 1,
        "n_thresholds": None,
        "failed_draw": "redraw",
        "missing_branch": "largest",
        "bootstrap": True,
    }
    return SimpleNamespace(**{**given_settings, **changed})


def grow(sample, **changed):
    """A small forest on a drawn table, all weights equal."""
    table, _ = table_of(sample)
    options = settings_of(**changed)
    target = table.target.values
    grown_on = (
        {"numbers": np.ascontiguousarray(target)}
        if sample.n_classes is None
        else {"classes": np.ascontiguousarray(target), "n_classes": sample.n_classes}
    )
    grower = ForestGrower(options, table, grown_on, None)
    grown = [grower.grow(100 + t, t) for t in range(N_TREES)]
    labels = None if sample.n_classes is None else list(range(sample.n_classes))
    arrays = [each for each, _ in grown]
    forest = Forest(arrays, grower.features, labels, options.missing_branch)
    left_out = rows_left_out([grower.bag(100 + t) for t in range(N_TREES)], len(target))
    return SimpleNamespace(
        table=table,
        target=target,
        options=options,
        grower=grower,
        sums=[sums for _, sums in grown],
        forest=forest,
        matrix=row_matrix(table, grower.features),
        left_out=left_out,
    )


def observed(made, tree, kind):
    """The same tree grown alone, with everything it tried."""
    names = ("max_features", "max_depth", "min_cases", "n_thresholds", "failed_draw")
    options = {name: getattr(made.options, name) for name in names}
    alone = kind(**options, missing_branch="largest", observe=True, random_state=tree)
    return alone.fit(made.table, made.target, made.grower.bag(100 + tree))


growth = st.fixed_dictionaries(
    {
        "max_features": st.sampled_from([1, 2, None]),
        "failed_draw": st.sampled_from(["redraw", "leaf"]),
        "n_thresholds": st.sampled_from([None, 3]),
        "bootstrap": st.sampled_from([True, "distinct"]),
    }
)


@given(samples(), growth)
@settings(max_examples=40)
def test_sums_of_gains_are_those_of_what_was_tried(sample, options):
    sample.given = (sample.given[0], sample.given[1], None)
    made = grow(sample, **options)
    for t, sums in enumerate(made.sums):
        bag = made.grower.bag(100 + t)
        present = np.unique(made.target[bag > 0])
        if len(present) < sample.n_classes:
            continue  # grown alone, the tree would not know of the other classes
        alone = observed(made, t, RandomTreeClassifier)
        np.testing.assert_array_equal(alone.tree_.feature, made.forest.tree(t).feature)
        expected = reference.gain_sums(alone.tree_, alone.tried_, made.table.n_columns)
        np.testing.assert_allclose(sums, expected, rtol=1e-9, atol=1e-9)


@given(samples(regression=True), growth)
@settings(max_examples=40)
def test_sums_of_gains_of_numbers(sample, options):
    sample.given = (sample.given[0], sample.given[1], None)
    made = grow(sample, **options)
    for t, sums in enumerate(made.sums):
        bag = made.grower.bag(100 + t)
        alone = observed(made, t, RandomTreeRegressor)
        passed = alone.decision_path(made.table).toarray()

        def values(node, bag=bag, passed=passed):
            rows = np.flatnonzero(passed[:, node])
            return np.repeat(made.target[rows], bag[rows].astype(int)).tolist()

        expected = reference.gain_sums(
            alone.tree_, alone.tried_, made.table.n_columns, values
        )
        np.testing.assert_allclose(sums, expected, rtol=1e-6, atol=1e-6)


@given(samples(), st.sampled_from(["largest", "fractional"]), st.booleans())
@settings(max_examples=40)
def test_local_relevance_is_that_of_the_walk(sample, missing, learnt):
    made = grow(sample, missing_branch=missing)
    left_out = made.left_out if learnt else None
    result = made.forest.local_relevance(made.matrix, made.target, left_out)
    raw = made.forest.local_relevance(made.matrix, made.target, left_out, mean=False)
    columns, n_features = made.matrix.T, made.table.n_columns
    spread = missing == "fractional" and np.isnan(made.matrix).any()
    prior = 0.0 if learnt and not spread else 1.0
    trees = [from_arrays(made.forest.tree(t)) for t in range(N_TREES)]
    for row, label in enumerate(made.target):
        sums, shares = np.zeros(n_features), np.zeros(n_features)
        for t, root in enumerate(trees):
            if learnt and made.left_out[t, row]:
                continue
            gain = reference.class_gain(label, prior)
            own = reference.local_sums(root, columns, row, gain, missing)
            sums, shares = sums + own[0], shares + own[1]
        np.testing.assert_allclose(raw[row], sums, atol=1e-9)
        mean = np.divide(sums, shares, out=np.zeros(n_features), where=shares > 0)
        np.testing.assert_allclose(result[row], mean, atol=1e-9)


@given(samples(regression=True), st.sampled_from(["largest", "fractional"]))
@settings(max_examples=25)
def test_local_relevance_of_numbers(sample, missing):
    made = grow(sample, missing_branch=missing)
    numbers = made.target.astype(float)
    raw = made.forest.local_relevance(made.matrix, numbers, None, mean=False)
    trees = [from_arrays(made.forest.tree(t)) for t in range(N_TREES)]
    for row, number in enumerate(numbers):
        sums = sum(
            reference.local_sums(
                root,
                made.matrix.T,
                row,
                reference.number_gain(number),
                missing,
            )[0]
            for root in trees
        )
        np.testing.assert_allclose(raw[row], sums, rtol=1e-9, atol=1e-6)


@given(samples())
@settings(max_examples=40)
def test_raw_local_relevance_telescopes(sample):
    # Eq. 8.5: in sum over features, what the leaves know better than the roots.
    made = grow(sample)
    raw = made.forest.local_relevance(
        made.matrix, made.target, made.left_out, mean=False
    )
    leaves = made.forest.leaves(made.matrix)
    expected = np.zeros(len(raw))
    for t, arrays in enumerate(made.forest.arrays):
        share = arrays["value"] / arrays["weight"][:, np.newaxis]
        for row in np.flatnonzero(made.left_out[t] == 0):
            label = made.target[row]
            expected[row] += np.log2(share[leaves[row, t], label] / share[0, label])
    np.testing.assert_allclose(raw.sum(axis=1), expected, atol=1e-9)


@given(samples(), st.sampled_from(["largest", "fractional"]))
@settings(max_examples=25)
def test_trees_say_together_what_they_say_alone(sample, missing):
    made = grow(sample, missing_branch=missing)
    alone = []
    for t in range(N_TREES):
        member = RandomTreeClassifier(missing_branch=missing)
        member.tree_ = made.forest.tree(t)
        member.n_features_in_ = made.table.n_columns
        member.feature_names_in_ = np.array(made.table.names, dtype=object)
        alone.append(member.predict_proba(made.table))
    together = made.forest.member_classes(made.matrix)
    np.testing.assert_allclose(made.forest.sums(made.matrix), sum(alone), atol=1e-12)
    for own, shares in zip(together, alone, strict=True):
        # Shares that differ by rounding may be added up in another order.
        chosen = shares[np.arange(len(shares)), own]
        np.testing.assert_allclose(chosen, shares.max(axis=1), atol=1e-12)
    votes = np.stack([(together == c).sum(axis=0) for c in range(sample.n_classes)], 1)
    np.testing.assert_array_equal(made.forest.votes(made.matrix), votes)
    masked = made.forest.member_classes(made.matrix, 1 - made.left_out)
    expected = np.where(made.left_out, together, -1)
    np.testing.assert_array_equal(masked, expected)


@given(samples(regression=True))
@settings(max_examples=25)
def test_numbers_of_members_add_up(sample):
    made = grow(sample)
    numbers = made.forest.member_numbers(made.matrix)
    together = made.forest.sums(made.matrix)[:, 0]
    np.testing.assert_allclose(together, numbers.sum(axis=0), rtol=1e-12)


leaf_tables = st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(1, 5)).map(
    lambda sizes: (
        np.random.default_rng(sum(sizes)).integers(0, 4, (sizes[0], sizes[2])),
        np.random.default_rng(sizes[0]).integers(0, 3, (sizes[1], sizes[2])),
    )
)


@given(leaf_tables, st.booleans())
def test_neighbours_are_those_of_all_pairs(tables, known):
    leaves, others = (table.astype(np.int32) for table in tables)
    leaves = others[1:] if known else leaves  # known rows are rows of the index
    leaves = np.ascontiguousarray(leaves)
    index = LeafIndex(others)
    n_trees = others.shape[1]
    np.testing.assert_allclose(
        index.shared(leaves) / n_trees,
        reference.shared_leaves(leaves, others).reshape(len(leaves), len(others)),
        atol=1e-6,
    )
    outcomes = np.random.default_rng(n_trees).integers(-1, 2, others.shape)
    outcomes = outcomes.astype(np.int8)
    expected = reference.tree_weights(leaves, others, outcomes, 1 if known else None)
    ours = index.outcome_means(leaves, outcomes, 1 if known else -1)
    np.testing.assert_allclose(ours, expected, atol=1e-12)


def test_bags():
    bag = bag_weights(True, 1000, None, 7)
    assert bag.sum() == 1000
    assert 600 < np.count_nonzero(bag) < 665
    distinct = bag_weights("distinct", 1000, None, 7)
    np.testing.assert_array_equal(distinct, np.minimum(bag, 1))
    weights = np.arange(4.0)
    assert bag_weights(False, 4, weights, 7) is weights
    drawn = sum(bag_weights(True, 4, weights, seed) for seed in range(3000))
    np.testing.assert_allclose(drawn / drawn.sum(), weights / 6, atol=0.02)
    assert drawn[0] == 0


def test_arrays_that_do_not_fit_are_refused():
    X = np.random.default_rng(0).random((20, 2))
    tree = RandomTreeClassifier(random_state=0).fit(X, X[:, 0] > 0.5)
    arrays = {name: getattr(tree.tree_, name) for name in ("value", "weight", "gain")}
    names = ("feature", "threshold", "first_child", "n_children", "level", "prediction")
    arrays |= {name: getattr(tree.tree_, name) for name in names}
    forest = Forest([arrays], tree.tree_.features, [False, True], "largest")
    with pytest.raises(ValueError, match="one flag per tree and row"):
        forest.member_classes(X, np.zeros((1, 19), dtype=np.uint8))
    with pytest.raises(ValueError, match="classes must be below"):
        forest.local_relevance(X, np.full(20, 2, dtype=np.int32))
    with pytest.raises(ValueError, match="one value per feature"):
        forest.leaves(X[:, :1])
    with pytest.raises(ValueError, match="one per row and tree"):
        LeafIndex(forest.leaves(X)).shared(np.zeros((3, 2), dtype=np.int32))


def test_sums_are_named_in_the_order_of_the_grower():
    sums = GainSums.from_array(np.arange(18.0).reshape(2, 9))
    assert sums.tries.tolist() == [0, 9]
    assert sums.phi_upper.tolist() == [8, 17]
