import csv
import itertools
import math
from collections import Counter

import numpy as np
import pytest

from featsieve.datasets import (
    make_corral,
    make_hard,
    make_led,
    make_monks,
    make_multiplexer,
    make_parity,
    make_xd6,
)

SEGMENTS = {  # lit segments, written down again from the picture of each digit
    0: {1, 2, 3, 5, 6, 7},
    1: {3, 6},
    2: {1, 3, 4, 5, 7},
    3: {1, 3, 4, 6, 7},
    4: {2, 3, 4, 6},
    5: {1, 2, 4, 6, 7},
    6: {1, 2, 4, 5, 6, 7},
    7: {1, 3, 6},
    8: {1, 2, 3, 4, 5, 6, 7},
    9: {1, 2, 3, 4, 6, 7},
}


def rows(table):
    """Yield each row as a dict of plain values, the class included."""
    columns = (*table.columns, table.target)
    for i in range(table.n_rows):
        yield {c.name: c.levels[c.values[i]] for c in columns}


def published(path):
    with path.open(newline="") as file:
        return Counter(tuple(sorted(row.items())) for row in csv.DictReader(file))


def generated(table):
    return Counter(
        tuple(sorted((name, str(value)) for name, value in row.items()))
        for row in rows(table)
    )


def check_against_chance(hits, n_rows, probability):
    """Fail when a binomial count is more than five standard deviations off."""
    deviation = math.sqrt(n_rows * probability * (1 - probability))
    assert abs(hits - n_rows * probability) < 5 * deviation


@pytest.mark.parametrize("n_rows", [None, 500])
def test_corral_class(n_rows):
    for row in rows(make_corral(n_rows, random_state=0).table):
        assert row["class"] == int(
            (row["A0"] == row["A1"] == 1) or (row["B0"] == row["B1"] == 1)
        )


def test_corral_published_form():
    table, truth = make_corral()
    seen = Counter(tuple(row.values())[:5] for row in rows(table))
    assert seen == Counter(itertools.product((0, 1), repeat=5))
    assert sum(row["Correlated"] == row["class"] for row in rows(table)) == 24
    assert truth.interactions == (("A0", "A1"), ("B0", "B1"))
    assert (truth.irrelevant, truth.harmless) == (("Irrelevant",), ("Correlated",))


@pytest.mark.published
def test_corral_equals_the_published_rows(shared_dir):
    path = shared_dir / "data" / "corral" / "train.csv"
    assert generated(make_corral().table) == published(path)


def test_corral_sampled_form():
    table = make_corral(4000, random_state=1).table
    right = sum(row["Correlated"] == row["class"] for row in rows(table))
    check_against_chance(right, 4000, 0.75)
    check_against_chance(sum(row["class"] for row in rows(table)), 4000, 7 / 16)


def monk(problem, row):
    ones = [name for name in ("a1", "a2", "a3", "a4", "a5", "a6") if row[name] == 1]
    return int(
        {
            1: row["a1"] == row["a2"] or row["a5"] == 1,
            2: len(ones) == 2,
            3: (row["a5"] == 3 and row["a4"] == 1)
            or (row["a5"] != 4 and row["a2"] != 3),
        }[problem]
    )


@pytest.mark.parametrize(("problem", "positive"), [(1, 216), (2, 142), (3, 228)])
def test_monks_full(problem, positive):
    made = make_monks(problem)
    all_rows = list(rows(made.table))
    assert made.name == f"monks-{problem}"
    assert len({tuple(row.values()) for row in all_rows}) == 432
    assert all(row["class"] == monk(problem, row) for row in all_rows)
    assert sum(row["class"] for row in all_rows) == positive


@pytest.mark.published
@pytest.mark.parametrize("problem", [1, 2, 3])
def test_monks_full_equals_the_published_test_part(problem, shared_dir):
    path = shared_dir / "data" / f"monks-{problem}" / "test.csv"
    assert generated(make_monks(problem).table) == published(path)


@pytest.mark.parametrize(
    ("problem", "n_rows", "n_wrong"), [(1, 124, 0), (2, 169, 0), (3, 122, 6)]
)
def test_monks_training_part(problem, n_rows, n_wrong):
    sample = list(rows(make_monks(problem, sample="train", random_state=0).table))
    robots = {tuple(row[f"a{i}"] for i in range(1, 7)) for row in sample}
    assert len(sample) == len(robots) == n_rows
    assert sum(row["class"] != monk(problem, row) for row in sample) == n_wrong


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_monks_truth_is_what_changes_the_class(problem):
    table, truth = make_monks(problem)
    label = {tuple(row.values())[:6]: row["class"] for row in rows(table)}
    changing = {
        f"a{i + 1}"
        for robot, i in itertools.product(label, range(6))
        for other in label
        if label[other] != label[robot]
        and other[:i] == robot[:i]
        and other[i] != robot[i]
        and other[i + 1 :] == robot[i + 1 :]
    }
    assert changing == set(truth.relevant)


def test_monks_noise_has_the_domains_of_the_attributes():
    table, _ = make_monks(n_noise=7, random_state=0)
    levels = [len(table[f"noise_{i}"].levels) for i in range(1, 8)]
    assert levels == [3, 3, 2, 3, 4, 2, 3]


def test_monks_checks():
    with pytest.raises(ValueError, match="'problem' parameter of make_monks must be"):
        make_monks(4)
    with pytest.raises(ValueError, match="'sample' parameter of make_monks must be"):
        make_monks(1, sample="test")


@pytest.mark.parametrize("n_bits", [2, 3, 5])
def test_parity_of_the_full_cube_is_hidden_from_every_proper_subset(n_bits):
    table, truth = make_parity(None, n_bits=n_bits)
    all_rows = list(rows(table))
    assert truth.interactions == (truth.relevant,)
    assert len(all_rows) == 2**n_bits
    for row in all_rows:
        assert row["class"] == sum(row[name] for name in truth.relevant) % 2
    for subset in itertools.combinations(truth.relevant, n_bits - 1):
        counts = Counter(
            (*(row[name] for name in subset), row["class"]) for row in all_rows
        )
        assert set(counts.values()) == {1}
        assert len(counts) == 2**n_bits


def test_parity_sampled():
    for row in rows(make_parity(300, n_bits=4, n_noise=2, random_state=2).table):
        assert row["class"] == row["x1"] ^ row["x2"] ^ row["x3"] ^ row["x4"]


def test_parity_checks():
    with pytest.raises(ValueError, match="'n_bits' parameter of make_parity must be"):
        make_parity(n_bits=1)
    with pytest.raises(ValueError, match=r"more than 20 bits.*2097152 rows"):
        make_parity(None, n_bits=21)


@pytest.mark.parametrize(
    ("n_address", "n_features", "n_rows"), [(2, 6, None), (3, 11, None), (4, 20, 500)]
)
def test_multiplexer(n_address, n_features, n_rows):
    problem = make_multiplexer(n_rows, n_address=n_address, random_state=0)
    assert problem.name == f"multiplexer-{n_features}"
    assert problem.table.n_rows == (n_rows or 2**n_features)
    assert len(problem.truth.relevant) == n_features
    assert len(problem.truth.interactions) == 2**n_address
    for row in rows(problem.table):
        address = "".join(str(row[f"a{i}"]) for i in range(n_address))
        assert row["class"] == row[f"d{int(address, 2)}"]


def test_led_without_faults_shows_the_digit():
    table = make_led(300, attribute_noise=0, random_state=0).table
    for row in rows(table):
        lit = {i for i in range(1, 8) if row[f"led{i}"]}
        assert lit == SEGMENTS[row["class"]]
    assert {row["class"] for row in rows(table)} == set(range(10))


def test_led_faults_come_at_the_published_rate():
    table = make_led(2000, random_state=0).table
    faults = sum(
        row[f"led{i}"] != (i in SEGMENTS[row["class"]])
        for row in rows(table)
        for i in range(1, 8)
    )
    check_against_chance(faults, 2000 * 7, 0.1)


def test_led24_adds_seventeen_coins_to_the_same_display():
    seven = make_led(200, random_state=0)
    all_of_them = make_led(200, n_features=24, random_state=0)
    assert (seven.name, all_of_them.name) == ("led7", "led24")
    assert len(all_of_them.truth.irrelevant) == 17
    for name in seven.table.names:
        assert np.array_equal(seven.table[name].values, all_of_them.table[name].values)
    with pytest.raises(ValueError, match=r"'n_features' parameter .* one of 7, 24"):
        make_led(n_features=8)


@pytest.mark.published
@pytest.mark.parametrize("n_features", [7, 24])
def test_led_names_are_the_published_ones(n_features, shared_dir):
    path = shared_dir / "data" / f"led{n_features}" / "train.csv"
    with path.open(newline="") as file:
        header = next(csv.reader(file))
    assert (*make_led(n_features=n_features).table.names, "class") == tuple(header)


def test_xd6():
    table, truth = make_xd6(1000, label_noise=0, random_state=0)
    for row in rows(table):
        triples = (("x1", "x2", "x3"), ("x4", "x5", "x6"), ("x7", "x8", "x9"))
        rule = any(all(row[name] for name in triple) for triple in triples)
        assert row["class"] == int(rule)
    positive = sum(row["class"] for row in rows(table))
    check_against_chance(positive, 1000, 1 - (7 / 8) ** 3)
    assert truth.irrelevant == ("x10",)
    noisy = make_xd6(1000, random_state=0).table["class"].values
    assert (noisy != table["class"].values).sum() == 100


def test_hard_without_faults_is_parity():
    for row in rows(make_hard(300, attribute_noise=0, random_state=0).table):
        assert row["class"] == sum(row[f"x{i}"] for i in range(1, 6)) % 2


def test_hard_with_faults_agrees_as_often_as_computed():
    all_rows = rows(make_hard(4000, random_state=0).table)
    right = sum(
        r["class"] == sum(r[f"x{i}"] for i in range(1, 6)) % 2 for r in all_rows
    )
    check_against_chance(right, 4000, (1 + 0.8**5) / 2)
