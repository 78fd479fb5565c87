import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from featsieve.data import read_table
from featsieve.engine import derive_seed, root_seed
from featsieve.evaluation import (
    bootstrap_632,
    equal_class_samples,
    forward_folds,
    repeated_cross_validation,
    repeated_folds,
)
from featsieve.exceptions import DataError
from featsieve.trees import C45Classifier

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(90, 4))
Y = (X[:, 0] + 0.5 * RANDOM.normal(size=90) > 0).astype(int)


def test_folds_are_disjoint_stratified_and_repeat_differently():
    splits = repeated_folds(Y, 5, 2, random_state=0)
    assert len(splits) == 10
    for repeat in (splits[:5], splits[5:]):
        tested = np.concatenate([test for _, test in repeat])
        assert sorted(tested.tolist()) == list(range(90))
        for train, test in repeat:
            assert not set(train.tolist()) & set(test.tolist())
            assert abs(Y[test].mean() - Y.mean()) < 0.06
    assert any(
        (a[1].tolist() != b[1].tolist())
        for a, b in zip(*[splits[:5], splits[5:]], strict=True)
    )


def test_scores_are_scikit_learns_on_the_same_splits():
    splits = repeated_folds(Y, 4, 2, random_state=1)
    model = KNeighborsClassifier(3)
    ours = repeated_cross_validation(model, X, Y, cv=splits, n_jobs=2)
    np.testing.assert_allclose(ours, cross_val_score(model, X, Y, cv=splits))


def test_typed_tables_are_cut_too():
    table = read_table({"x": X[:, 0], "kind": ["u", "v", "w"] * 30})
    splits = list(LeaveOneOut().split(X))[:5]
    assert len(repeated_cross_validation(C45Classifier(), table, Y, cv=splits)) == 5


def test_a_class_may_be_rarer_than_folds_but_not_all():
    y = np.array([0] * 10 + [1] * 2)
    assert len(repeated_folds(y, 5, 1, random_state=0)) == 5
    with pytest.raises(DataError, match="No class has 11 rows, the largest has 10"):
        repeated_folds(y, 11)
    with pytest.raises(DataError, match="at least as many rows"):
        repeated_folds([0, 1], 3)
    assert len(repeated_folds(np.arange(12.0), 4, 1, stratified=False)) == 4


def test_bootstrap_mixes_the_two_errors():
    error = bootstrap_632(DecisionTreeClassifier(random_state=0), X, Y, random_state=2)
    assert error.training_error == 0
    assert error.error_632 == pytest.approx(0.632 * error.out_of_sample_error)
    by_chance = 2 * Y.mean() * (1 - Y.mean())
    overfit = error.out_of_sample_error / by_chance
    weight = 0.632 / (1 - 0.368 * overfit)
    assert error.error_632_plus == pytest.approx(weight * error.out_of_sample_error)
    again = bootstrap_632(
        DecisionTreeClassifier(random_state=0), X, Y, random_state=2, n_jobs=2
    )
    assert again == error


def test_bootstrap_by_its_definition():
    """Efron and Tibshirani (1997), formulas 17, 24 and 28 to 32, row by row."""
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    got = bootstrap_632(model, X, Y, n_resamples=30, random_state=4)
    missed = [[] for _ in Y]
    for number in range(30):
        seed = derive_seed(root_seed(4), "bootstrap_632", number)
        bag = np.random.default_rng(seed).integers(0, 90, 90)
        fitted = clone(model).fit(X[bag], Y[bag])
        for i in set(range(90)) - set(bag.tolist()):
            missed[i].append(fitted.predict(X[i : i + 1])[0] != Y[i])
    out = np.mean([np.mean(m) for m in missed if m])
    said = clone(model).fit(X, Y).predict(X)
    training = np.mean(said != Y)
    assert training > 0
    chance = Y.mean() * (1 - said.mean()) + (1 - Y.mean()) * said.mean()
    overfit = (min(out, chance) - training) / (chance - training)
    weight = 0.632 / (1 - 0.368 * overfit)
    plus = (1 - weight) * training + weight * min(out, chance)
    wanted = (training, out, 0.368 * training + 0.632 * out, plus)
    assert (
        got.training_error,
        got.out_of_sample_error,
        got.error_632,
        got.error_632_plus,
    ) == pytest.approx(wanted, abs=1e-10)


def test_bootstrap_plus_knows_noise():
    """On pure noise one neighbour has no training error, and is right half the time."""
    y = np.repeat([0, 1], 45)
    error = bootstrap_632(KNeighborsClassifier(1), X[:, 1:], y, random_state=0)
    assert error.error_632 < 0.4
    assert error.error_632_plus == pytest.approx(0.5, abs=0.05)


def test_bootstrap_needs_rows_outside():
    with pytest.raises(DataError, match="No row was ever left out"):
        bootstrap_632(KNeighborsClassifier(1), [[1.0]], [0], n_resamples=2)


@pytest.mark.parametrize("validate", [bootstrap_632, repeated_cross_validation])
@pytest.mark.parametrize("estimator", [[], None, "tree", C45Classifier])
def test_what_is_no_estimator_is_refused(validate, estimator):
    with pytest.raises(
        ValueError, match=r"must be an estimator such as C45Classifier\(\)"
    ):
        validate(estimator, [[1], [2], [3], [4]], [0, 1, 0, 1])


def test_folds_of_whole_groups():
    groups = np.repeat(np.arange(12), 4)
    y = np.repeat(np.arange(12) % 2, 4)
    for stratified in (True, False):
        splits = repeated_folds(
            y, 3, 2, stratified=stratified, groups=groups, random_state=0
        )
        assert len(splits) == 6
        for train, test in splits:
            assert not set(groups[train]) & set(groups[test])
            assert sorted([*train, *test]) == list(range(48))
            if stratified:
                assert y[test].mean() == 0.5
    with pytest.raises(DataError, match="13 folds of whole groups"):
        repeated_folds(y, 13, groups=groups)
    with pytest.raises(DataError, match="one value per row: 48"):
        repeated_folds(y, 3, groups=groups[1:])


def test_folds_of_time():
    time = np.random.default_rng(0).permutation(40)
    splits = forward_folds(time, 4)
    for number, (train, test) in enumerate(splits, start=1):
        assert sorted(time[train]) == list(range(8 * number))
        assert sorted(time[test]) == list(range(8 * number, 8 * number + 8))
    days = np.array(["2020-01-02", "2020-01-01", "2020-01-02"], "M8[D]")
    assert [part.tolist() for part in forward_folds(days, 1)[0]] == [[1], [0, 2]]


@pytest.mark.parametrize(
    ("time", "n_splits", "words"),
    [
        ([1, 1, 1, 2], 2, "only 2 moments"),
        ([[1], [2]], 1, "one value per row"),
        ([], 1, "only 0 moments"),
        ([1, 2], 0, "'n_splits' parameter of forward_folds"),
    ],
)
def test_folds_of_time_that_cannot_be(time, n_splits, words):
    with pytest.raises(ValueError, match=words):
        forward_folds(time, n_splits)


CLASSES = np.array(["a"] * 50 + ["b"] * 20 + ["c"] * 6)


def test_every_class_has_the_same_number_and_no_row_comes_twice():
    samples = equal_class_samples(CLASSES, 5, n_subsamples=4, random_state=1)
    assert len(samples) == 4
    for sample in samples:
        assert len(set(sample.tolist())) == 15
        assert np.unique(CLASSES[sample], return_counts=True)[1].tolist() == [5, 5, 5]
    assert any((samples[0] != other).any() for other in samples[1:])


def test_the_same_seed_draws_the_same_and_more_samples_change_nothing():
    few = equal_class_samples(CLASSES, 3, n_subsamples=2, random_state=1)
    more = equal_class_samples(CLASSES, 3, n_subsamples=5, random_state=1)
    for one, other in zip(few, more, strict=False):
        np.testing.assert_array_equal(one, other)


def test_small_classes_are_repeated_only_if_allowed():
    with pytest.raises(DataError, match=r"Class 'c' has 6 rows.*at most 6 per class"):
        equal_class_samples(CLASSES, 10)
    (sample,) = equal_class_samples(
        CLASSES, 10, n_subsamples=1, most_repeats=2, random_state=0
    )
    assert len(sample) == 30
    assert len(set(sample[CLASSES[sample] == "a"].tolist())) == 10
    with pytest.raises(DataError, match="at most 12"):
        equal_class_samples(CLASSES, 13, most_repeats=2)


def test_default_is_half_of_the_rarest():
    assert len(equal_class_samples(CLASSES, random_state=0)[0]) == 9
    with pytest.raises(DataError, match="at least one class"):
        equal_class_samples([])
