import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from featsieve.data import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
)
from featsieve.datasets import make_corral, make_mixed, make_noise
from featsieve.exceptions import DataError, DroppedRowsWarning, NoFeatureSelectedWarning
from featsieve.selectors import MeasureFilter

COLOURS = ["red", "blue", "red", None, "blue", "red", "blue", "red"] * 10
SIZES = [1.0, 9.0, 2.0, 3.0, 8.0, np.nan, 9.5, 1.5] * 10
LABELS = ["a", "b", "a", "a", "b", "a", "b", "a"] * 10


def frame():
    flags = [True, False] * 40
    return {"colour": COLOURS, "size": SIZES, "flag": flags}


def as_arrow():
    return pa.table(frame())


FRAMES = {
    "pandas": lambda: pd.DataFrame(frame()),
    "polars": lambda: pl.DataFrame(frame()),
    "arrow": as_arrow,
}


@pytest.mark.parametrize("library", list(FRAMES))
def test_same_scores_from_every_library(library):
    selector = MeasureFilter(n_features_to_select=2)
    selector.fit(FRAMES[library](), LABELS)
    expected = MeasureFilter().fit(FRAMES["pandas"](), LABELS)
    assert_array_equal(selector.scores_, expected.scores_)
    assert selector.get_feature_names_out().tolist() == ["colour", "size"]


def test_nominal_columns_stay_nominal_in_pandas():
    table = FRAMES["pandas"]().astype({"colour": "category"})
    selector = MeasureFilter(n_features_to_select=2).set_output(transform="pandas")
    kept = selector.fit(table, LABELS).transform(table)
    assert isinstance(kept, pd.DataFrame)
    assert kept.dtypes["colour"] == "category"
    assert kept.dtypes["size"] == np.float64
    pd.testing.assert_frame_equal(kept, table[["colour", "size"]])


def test_nominal_columns_stay_nominal_in_polars():
    table = FRAMES["polars"]().with_columns(pl.col("colour").cast(pl.Categorical))
    selector = MeasureFilter(n_features_to_select=2).set_output(transform="polars")
    kept = selector.fit(table, LABELS).transform(table)
    assert kept.schema["colour"] == pl.Categorical
    assert kept.schema["size"] == pl.Float64


def test_arrow_tables_stay_arrow_tables():
    table = as_arrow()
    kept = MeasureFilter(n_features_to_select=2).fit_transform(table, LABELS)
    assert isinstance(kept, pa.Table)
    assert kept.column_names == ["colour", "size"]
    assert kept.schema.field("colour").type == pa.string()


def test_arrays_of_text_are_kept_whole():
    X = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 5, dtype=object)
    y = [0, 0, 1, 1] * 5
    kept = MeasureFilter(n_features_to_select=1).fit_transform(X, y)
    assert kept.tolist() == [["a"], ["a"], ["b"], ["b"]] * 5


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"n_features_to_select": 1}, [0]),
        ({"n_features_to_select": 0.5}, [0]),
        ({"n_features_to_select": 99}, [0, 1, 2]),
        ({"threshold": 0.5}, [0]),
        ({"n_features_to_select": 3, "threshold": 0.01}, [0, 1]),
        ({}, [0, 1]),
    ],
)
def test_criteria(settings, expected):
    y = np.repeat([0, 1], 50)
    weak = np.where(np.arange(100) % 5 == 0, 1 - y, y)
    X = np.column_stack([y, weak, np.tile([0, 1], 50)])
    selector = MeasureFilter(nominal="all", **settings).fit(X, y)
    assert selector.get_support(indices=True).tolist() == expected


def test_ties_go_to_the_first():
    y = np.repeat([0, 1], 20)
    X = np.column_stack([y] * 4)
    selector = MeasureFilter(nominal="all", n_features_to_select=2).fit(X, y)
    assert selector.support_.tolist() == [True, True, False, False]
    assert selector.ranking_.tolist() == [1, 2, 3, 4]


def test_steps_tell_the_ranking():
    table, _ = make_corral()
    selector = MeasureFilter(n_features_to_select=2).fit(table, None)
    assert [step["feature"] for step in selector.steps_][:2] == ["Correlated", "A0"]
    assert [step["kept"] for step in selector.steps_] == [True] * 2 + [False] * 4
    assert [step["rank"] for step in selector.steps_] == [1, 2, 3, 4, 5, 6]


class TestInvariance:
    """What must not change the answer does not."""

    @pytest.fixture
    def table(self):
        problem = make_mixed(600, random_state=1)
        return problem.table.to_pandas()

    def scores(self, X, y, **settings):
        return MeasureFilter(fdr=0.05, **settings).fit(X, y)

    def test_order_of_rows(self, table):
        X, y = table
        order = np.random.default_rng(0).permutation(len(X))
        first, second = self.scores(X, y), self.scores(X.iloc[order], y.iloc[order])
        assert_array_equal(first.scores_, second.scores_)
        assert_array_equal(first.p_values_, second.p_values_)

    def test_order_of_columns(self, table):
        X, y = table
        turned = X[X.columns[::-1]]
        first, second = self.scores(X, y), self.scores(turned, y)
        assert_array_equal(first.scores_, second.scores_[::-1])
        assert_array_equal(first.p_values_, second.p_values_[::-1])

    def test_names_of_classes(self, table):
        X, y = table
        renamed = y.astype(str).map(lambda label: f"class {label[::-1]}")
        first, second = self.scores(X, y), self.scores(X, renamed)
        assert_allclose(first.scores_, second.scores_, atol=1e-12)

    def test_number_of_jobs(self, table):
        X, y = table
        first, second = self.scores(X, y), self.scores(X, y, n_jobs=3)
        assert_array_equal(first.p_values_, second.p_values_)
        assert_array_equal(first.n_permutations_, second.n_permutations_)

    def test_duplicated_and_constant_columns(self, table):
        X, y = table
        more = X.assign(copy=X[X.columns[0]], constant=1.0)
        plain, wider = MeasureFilter().fit(X, y), MeasureFilter()
        wider.fit(more, y)
        assert_array_equal(wider.scores_[:-2], plain.scores_)
        assert wider.scores_[-2] == plain.scores_[0]
        assert wider.scores_[-1] == 0
        assert not wider.support_[-1]

    def test_unit_weights(self, table):
        X, y = table
        first = MeasureFilter().fit(X, y)
        second = MeasureFilter().fit(X, y, sample_weight=np.full(len(X), 2.0))
        assert np.corrcoef(first.scores_, second.scores_)[0, 1] > 0.95


def test_weights_are_repeated_rows():
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (60, 4))
    y = random.integers(0, 2, 60)
    times = random.integers(0, 4, 60)
    weighted = MeasureFilter(nominal="all").fit(X, y, sample_weight=times)
    repeated = MeasureFilter(nominal="all")
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(weighted.scores_, repeated.scores_, atol=1e-12)


def test_discretizers():
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 2))
    y = (np.abs(X[:, 0]) > 0.7).astype(int)
    for discretizer in (
        None,
        MDLDiscretizer(cut_cost="better"),
        EqualFrequencyDiscretizer(n_bins=8),
        EqualWidthDiscretizer(n_bins=8),
    ):
        selector = MeasureFilter(discretizer=discretizer, fdr=0.05)
        assert selector.fit(X, y).support_.tolist() == [True, False]
    assert discretizer.__sklearn_tags__() is not None
    assert not hasattr(discretizer, "cut_points_"), "a parameter must not be fitted"


def test_numeric_target_is_refused_unless_cut():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 2))
    y = X[:, 0] + 0.1 * random.normal(size=200)
    with pytest.raises(DataError, match="target_bins=5"):
        MeasureFilter().fit(X, y)
    selector = MeasureFilter(target_bins=4, fdr=0.05).fit(X, y)
    assert selector.support_.tolist() == [True, False]
    assert len(selector.classes_) == 4


def test_rows_without_target_are_left_out_and_counted():
    X = pd.DataFrame({"a": [0, 0, 1, 1, 5]})
    y = pd.Series(["n", "n", "y", "y", None])
    with pytest.warns(DroppedRowsWarning, match="1 of 5 rows"):
        selector = MeasureFilter(nominal=["a"]).fit(X, y, sample_weight=[1, 1, 1, 1, 9])
    assert selector.scores_.tolist() == [1.0]


def test_keeping_nothing_is_said():
    X, y = np.zeros((20, 2)), np.tile([0, 1], 10)
    with pytest.warns(NoFeatureSelectedWarning, match="kept no feature"):
        MeasureFilter().fit(X, y)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"measure": "gini"}, "'measure' parameter of MeasureFilter"),
        ({"missing": "drop"}, "'missing' parameter"),
        ({"fdr": 1}, "'fdr' parameter"),
        ({"threshold": "high"}, "'threshold' parameter"),
        ({"n_features_to_select": 0}, "'n_features_to_select' parameter"),
        ({"n_features_to_select": 1.5}, "'n_features_to_select' parameter"),
        ({"target_bins": 1}, "'target_bins' parameter"),
        ({"max_permutations": 0}, "'max_permutations' parameter"),
        ({"discretizer": "mdl"}, "'discretizer' parameter"),
        ({"nominal": ["nope"]}, "nope"),
    ],
)
def test_wrong_parameters_are_named(settings, words):
    X, y = pd.DataFrame({"a": [0, 1, 0, 1]}), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=words):
        MeasureFilter(**settings).fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0], [np.inf]], [0, 1], "infinity"),
        ([[1.0], [2.0]], None, "requires y"),
        ([[1.0], [2.0]], [0, 1, 1], "one value per row"),
        ([[1.0], [2.0]], [None, None], "missing in every row"),
        (pd.DataFrame(index=range(2)), [0, 1], "at least one column"),
        (pd.DataFrame({"a": []}), [], "needs rows to learn from"),
    ],
)
def test_wrong_data_are_named(X, y, words):
    with pytest.raises(ValueError, match=words):
        MeasureFilter().fit(X, y)


@pytest.mark.parametrize("weights", [[1, -1], [1, np.nan], [0, 0], [1]])
def test_wrong_weights_are_named(weights):
    with pytest.raises(DataError, match="sample_weight"):
        MeasureFilter().fit([[0], [1]], [0, 1], sample_weight=weights)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([["a"], ["b"], ["a"]], ["x", "y", "x"]),
        ([[1.0], [2.0], [3.0]], ["only", "only", "only"]),
        ([[np.nan], [np.nan], [np.nan]], ["x", "y", "x"]),
        ([[1.0]], ["x"]),
    ],
)
@pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
def test_tiny_tables(X, y):
    X = np.array(X, dtype=object if isinstance(X[0][0], str) else float)
    selector = MeasureFilter(fdr=0.05).fit(X, y)
    assert np.isfinite(selector.scores_).all()
    assert ((selector.p_values_ > 0) & (selector.p_values_ <= 1)).all()


def test_unseen_levels_and_other_columns_at_transform():
    X = pd.DataFrame({"a": ["x", "y"] * 10, "b": ["u"] * 20})
    selector = MeasureFilter().fit(X, [0, 1] * 10)
    new = pd.DataFrame({"a": ["z"], "b": ["w"]})
    assert selector.transform(new).tolist() == [["z"]]
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(new[["b", "a"]])


def test_in_a_pipeline_under_grid_search():
    X, y = make_mixed(400, random_state=0).table.to_pandas()
    nominal = X.select_dtypes("category")
    model = make_pipeline(
        MeasureFilter().set_output(transform="pandas"),
        OneHotEncoder(handle_unknown="ignore"),
        LogisticRegression(max_iter=500),
    )
    search = GridSearchCV(
        model,
        {"measurefilter__n_features_to_select": [1, 3]},
        cv=3,
    ).fit(nominal, y)
    assert search.best_score_ > 0.3
    assert search.best_estimator_[0].support_.sum() in (1, 3)


def test_sample_weight_is_routed():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (100, 2))
    y = X[:, 0]
    weights = np.where(X[:, 0] == X[:, 1], 1.0, 0.0)
    with config_context(enable_metadata_routing=True):
        selector = MeasureFilter(nominal="all").set_fit_request(sample_weight=True)
        model = make_pipeline(
            selector,
            LogisticRegression().set_fit_request(sample_weight=False),
        )
        model.fit(X, y, sample_weight=weights)
    assert_allclose(model[0].scores_[0], model[0].scores_[1], atol=1e-12)


@pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
def test_noise_is_kept_out():
    kept = 0
    for seed in range(20):
        table, _ = make_noise(150, feature_kind="mixed", n_noise=40, random_state=seed)
        selector = MeasureFilter(fdr=0.05)
        kept += bool(selector.fit(table, None).support_.any())
    assert kept <= 4, "false discoveries in more than a fifth of the runs"


@pytest.mark.parametrize("names", [[0, 1], [("a", 1), ("b", 2)], [True, False]])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_whose_names_are_no_text(names, library):
    X = pd.DataFrame({"a": LABELS, "b": [1.0, 2.0] * 40})
    X.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    selector = MeasureFilter(n_features_to_select=1)
    chosen = selector.set_output(transform=library).fit_transform(X, LABELS)
    assert chosen[chosen.columns[0]].to_list() == LABELS


def test_no_feature_is_still_a_frame_with_its_rows():
    X = pd.DataFrame(frame(), index=range(100, 180))
    selector = MeasureFilter(threshold=9).set_output(transform="pandas")
    with pytest.warns(NoFeatureSelectedWarning):
        selector.fit(X, LABELS)
    assert selector.transform(X).shape == (80, 0)


def test_types_survive_from_one_library_to_another():
    levels = pl.Enum(["red", "blue"])
    X = pl.DataFrame({"colour": pl.Series(COLOURS, dtype=levels), "size": SIZES})
    selector = MeasureFilter(threshold=-1).set_output(transform="pandas")
    unsigned = pa.dictionary(pa.uint8(), pa.string())
    coded = pa.chunked_array([pa.array(COLOURS).dictionary_encode()]).cast(unsigned)
    other = pa.table({"colour": coded, "size": SIZES})
    for source in (X, X.to_arrow(), other, other.slice(0, 0)):
        chosen = selector.fit(X, LABELS).transform(source)
        assert isinstance(chosen["colour"].dtype, pd.CategoricalDtype)
        colours = [None if pd.isna(value) else value for value in chosen["colour"]]
        assert colours == COLOURS[: len(chosen)]
        assert chosen["size"].dtype == np.float64


def test_a_fit_without_a_test_forgets_the_p_values():
    selector = MeasureFilter(fdr=0.1).fit(frame(), LABELS)
    assert hasattr(selector, "p_values_")
    selector.set_params(fdr=None).fit(frame(), LABELS)
    for name in ("p_values_", "q_values_", "n_permutations_"):
        assert not hasattr(selector, name)


def test_kinds_can_be_asked_for_when_a_table_is_given():
    table, _ = make_corral()
    numbers = MeasureFilter(numeric="all", threshold=-1).fit(table, None)
    assert all(cuts is not None for cuts in numbers.discretizer_.cut_points_)


SMALL = {
    "numbers": {},
    "levels": {"nominal": "all"},
    "tested": {"fdr": 0.1},
    "even": {"discretizer": EqualFrequencyDiscretizer(3)},
    "wide": {"discretizer": EqualWidthDiscretizer(3), "measure": "gain_ratio"},
}


@pytest.mark.parametrize("settings", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize("container", ["frame", "array"])
def test_small_whole_numbers_are_counted_without_typed_columns(settings, container):
    random = np.random.default_rng(5)
    X = pd.DataFrame(random.integers(0, 7, (300, 6)), columns=list("abcdef"))
    X["c"] = X["c"].clip(2, 5)  # some numbers do not occur
    y = np.where(X["a"] + X["c"] + random.integers(0, 4, 300) > 7, "p", "n")
    quick = MeasureFilter(**settings)
    slow = MeasureFilter(**settings)
    slow._fit_small = lambda *_: False
    given = X if container == "frame" else X.to_numpy()
    quick.fit(given, y)
    slow.fit(given, y)
    assert quick.scores_.tolist() == slow.scores_.tolist()
    assert quick.steps_ == slow.steps_
    assert quick.ranking_.tolist() == slow.ranking_.tolist()
    assert quick.n_features_in_ == slow.n_features_in_
    assert quick.classes_.tolist() == slow.classes_.tolist()
    assert quick.discretizer_.levels_ == slow.discretizer_.levels_
    codes = [s.discretizer_.transform(X.to_numpy()).tolist() for s in (quick, slow)]
    assert codes[0] == codes[1]
    assert hasattr(quick, "feature_names_in_") == (container == "frame")


def test_small_numbers_of_rows_without_a_target_are_left_out():
    X = pd.DataFrame({"a": [0, 1, 0, 1, 2], "b": [1, 1, 0, 0, 0]})
    y = pd.Series(["n", "p", "n", "p", None])
    with pytest.warns(DroppedRowsWarning, match="1 of 5 rows"):
        selector = MeasureFilter(nominal="all").fit(X, y)
    assert selector.scores_.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("value", [-1, 256])
def test_other_whole_numbers_are_read_as_before(value):
    X = pd.DataFrame({"a": [0, 0, value, value] * 20})
    y = ["n", "n", "p", "p"] * 20
    assert MeasureFilter().fit(X, y).scores_.tolist() == [1.0]


def purity(tally):
    """A measure of one's own: how much likelier rows of a level are of one class."""
    counts = tally.counts[tally.level_totals > 0] / tally.total
    within = (counts**2 / counts.sum(axis=1, keepdims=True)).sum()
    return within - (counts.sum(axis=0) ** 2).sum()


def test_a_function_of_ones_own_is_cloned_pickled_and_searched():
    table, _ = make_corral()
    selector = clone(MeasureFilter(purity, fdr=0.1, max_permutations=50))
    again = pickle.loads(pickle.dumps(selector.fit(table, None)))
    assert again.measure is purity
    assert again.scores_.tolist() == selector.scores_.tolist()
    X, y = table.to_pandas()
    search = GridSearchCV(
        make_pipeline(
            MeasureFilter(purity),
            OneHotEncoder(handle_unknown="ignore"),
            LogisticRegression(),
        ),
        {"measurefilter__measure": [purity, "information_gain"]},
        cv=2,
    )
    assert search.fit(X, y).best_score_ > 0.5


@pytest.mark.parametrize("discretizer", [None, EqualFrequencyDiscretizer(3)])
def test_a_function_of_ones_own_finds_what_is_there(discretizer):
    random = np.random.default_rng(2)
    X = pd.DataFrame(random.normal(size=(300, 5)), columns=list("abcde"))
    y = np.where(X["b"] + random.normal(size=300) > 0, "p", "n")
    settings = {"fdr": 0.05, "discretizer": discretizer, "max_permutations": 200}
    selector = MeasureFilter(purity, **settings).fit(X, y)
    assert selector.get_feature_names_out().tolist() == ["b"]
    assert selector.p_values_[1] == 1 / 201
    weighted = MeasureFilter(purity, **settings)
    weighted.fit(X, y, sample_weight=np.full(300, 2.0))
    assert weighted.get_feature_names_out().tolist() == ["b"]
    if discretizer is not None:  # with more weight MDL dares more cuts
        assert_allclose(weighted.scores_, selector.scores_, rtol=1e-12)


def test_p_values_of_a_function_of_ones_own_are_fair():
    """Of noise, one in ten has a p-value of at most one in ten."""
    table, _ = make_noise(
        200, feature_kind="levels", n_noise=150, n_levels=4, random_state=4
    )
    settings = {"fdr": 0.05, "max_permutations": 99, "n_features_to_select": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        found = MeasureFilter(purity, nominal="all", **settings).fit(table, None)
    share = np.mean(found.p_values_ <= 0.1)
    assert 0.02 <= share <= 0.2


def test_errors_of_a_function_of_ones_own_name_it_and_the_column():
    def fails(tally):
        return 1 / 0 if tally.n_levels == 2 else 1.0

    X = pd.DataFrame({"good": list("abc") * 10, "bad": list("ab") * 15})
    with pytest.raises(DataError, match=r"fails failed on column 'bad': ZeroDiv"):
        MeasureFilter(fails).fit(X, list("pn") * 15)
    with pytest.raises(ValueError, match=r"'measure' parameter of MeasureFilter"):
        MeasureFilter(3).fit(X, list("pn") * 15)


def test_gini_gain_has_a_name():
    X = pd.DataFrame({"all": [0, 0, 1, 1] * 20, "none": [0, 1] * 40})
    selector = MeasureFilter("gini_gain", fdr=0.05).fit(X, [0, 0, 1, 1] * 20)
    assert selector.scores_.tolist() == [0.5, 0.0]
    assert selector.support_.tolist() == [True, False]
