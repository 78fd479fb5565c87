import numpy as np
import pytest

from featsieve._checks import (
    check_choice,
    check_flag,
    check_function,
    check_integer,
    check_jobs,
    check_numbers,
    check_real,
    check_seed,
    check_sequence,
)


def test_choice_shows_the_choices():
    check_choice("missing", "level", ("level", None), "Filter")
    check_choice("missing", None, ("level", None), "Filter")
    with pytest.raises(ValueError, match=r"'missing' parameter of Filter must be one"):
        check_choice("missing", "lvl", ("level", None), "Filter")


@pytest.mark.parametrize("value", [1, True, 2.0, "3", None])
def test_integer_is_checked(value):
    with pytest.raises(ValueError, match=rf"an int >= 2\. Got {value!r} instead"):
        check_integer("n_bins", value, "Cutter", at_least=2)


def test_integer_upper_bound():
    assert check_integer("k", np.int64(3), "F", at_least=1, most=3) == 3
    with pytest.raises(ValueError, match=">= 1 and <= 3"):
        check_integer("k", 4, "F", at_least=1, most=3)


@pytest.mark.parametrize("value", [0, 1, float("nan"), "x", None, True])
def test_real_is_checked(value):
    with pytest.raises(ValueError, match="a number > 0 and < 1"):
        check_real("alpha", value, object(), above=0, below=1)


def test_real_bounds_may_be_closed():
    assert check_real("share", 1, "F", at_least=0, most=1) == 1.0
    with pytest.raises(ValueError, match=">= 0 and <= 1"):
        check_real("share", 1.5, "F", at_least=0, most=1)


@pytest.mark.parametrize("value", ["no", 0, None, float("nan")])
def test_flags_are_true_or_false(value):
    assert check_flag("prune", np.True_, "Tree") is True
    with pytest.raises(ValueError, match="'prune' parameter of Tree must be True or"):
        check_flag("prune", value, "Tree")


@pytest.mark.parametrize("value", ["ab", 3, None, np.array(1)])
def test_sequences_hold_items(value):
    assert check_sequence("groups", (1, 2), "F", "groups") == [1, 2]
    with pytest.raises(ValueError, match="'groups' parameter of F must be a list of"):
        check_sequence("groups", value, "F", "groups")


def test_jobs_are_those_of_joblib():
    for jobs in (None, 1, np.int64(8), -1, -2):
        check_jobs(jobs, "Filter")
    for jobs in (0, True, 1.0, "2", []):
        with pytest.raises(ValueError, match="'n_jobs' parameter of Filter must be an"):
            check_jobs(jobs, "Filter")


def test_functions_can_be_called():
    check_function("progress", None, "Filter", "two numbers")
    check_function("progress", print, "Filter", "two numbers")
    with pytest.raises(ValueError, match="a function of two numbers, or None"):
        check_function("progress", True, "Filter", "two numbers")


def test_seeds_are_those_of_scikit_learn():
    for seed in (None, 0, np.int32(7), 2**70, np.random.RandomState(1), np.random):
        check_seed(seed, "Filter")
    for seed in (-1, 1.0, "1", np.random.default_rng(0)):
        with pytest.raises(ValueError, match="'random_state' parameter of Filter must"):
            check_seed(seed, "Filter")


def test_numbers_become_an_array():
    assert check_numbers("scores", [[1, 2.5]], "test").tolist() == [[1.0, 2.5]]
    with pytest.raises(ValueError, match=r"'scores' parameter of test .* Got 'b'"):
        check_numbers("scores", [1.0, "b"], "test")
    with pytest.raises(ValueError, match="must be an array of numbers"):
        check_numbers("scores", [[1, 2], [3]], "test")


def test_complex_numbers_are_not_cut_in_half():
    with pytest.raises(ValueError, match="'scores' parameter of F must be an array of"):
        check_numbers("scores", np.array([1j, 2]), "F")


def test_a_wrong_value_is_shown_in_one_short_line():
    words = r"Got array\(\[\[0\., 0\., .* … instead"
    with pytest.raises(ValueError, match=words) as caught:
        check_integer("k", np.zeros((50, 50)), "F", at_least=1)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)
