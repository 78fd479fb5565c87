"""From the evidence of the stages to what is kept."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.inference.api import measure, measure_shares
from featsieve.selection import _select
from featsieve.selection._alone import gain_of
from featsieve.selection._context import Place
from featsieve.selection._forest_draws import Returned
from featsieve.selection._opening import Handover
from featsieve.selection._possible import Group
from featsieve.selection._redundancy import Displaced, Redundancy, Sets
from featsieve.selection._settings import Settings
from featsieve.selection._together import CountedSet, Tuple
from reference.redundancy import stratified_information
from selection.staged import bits, kept_names, sift_staged

#: Of 256 rows later stages have a quarter of their weight.
WEIGHT = {
    stage: weight / (0.65 + 0.25 * 0.35)
    for stage, weight in {"alone": 0.65, "together": 0.05, "context": 0.0375}.items()
}


def needed(stage, p_value):
    """Return what a stage must show for a combined p-value if the others show none.

    Their p-values of 1 count as 0.9 in tan((1/2 - p) pi), weighted.
    """
    own, others = WEIGHT[stage], 1 - WEIGHT[stage]
    wanted = np.tan((0.5 - p_value) * np.pi) - others * np.tan(-0.4 * np.pi)
    return 0.5 - np.arctan(wanted / own) / np.pi


def told(columns, *names):
    return np.sum([columns[name] for name in names], axis=0) % 2


@pytest.mark.parametrize("stage", WEIGHT)
def test_a_stage_that_is_alone_needs_more_by_its_weight(monkeypatch, stage):
    # One of four columns needs 0.05 / 4.
    columns, bound = bits(4), needed(stage, 0.05 / 4)
    assert bound == pytest.approx(WEIGHT[stage] * 0.05 / 4, rel=0.15)
    for p_value, stages in ((bound * 0.9999, stage), (bound * 1.0001, None)):
        findings, _ = sift_staged(
            monkeypatch,
            columns,
            told(columns, "b1"),
            {stage: {"b1": p_value}},
            best={1: Tuple((0, 1), p_value, (p_value, p_value), steady=True)},
        )
        assert findings.judgement.stages[1] == stages
        assert kept_names(findings) == ([] if stages is None else ["b1"])


def test_order_is_that_of_strength(monkeypatch):
    columns = bits(3)
    one, two, three = (columns[f"b{k}"] == 1 for k in range(3))
    y = (three | (one & (two | (np.arange(256) % 16 < 4)))).astype(int)
    findings, _ = sift_staged(
        monkeypatch, columns, y, {"alone": dict.fromkeys(columns, 1e-9)}
    )
    gains = {j: findings.own_gain[j].gain for j in range(3)}
    assert findings.kept == sorted(gains, key=lambda j: -gains[j]) == [2, 0, 1]


@pytest.mark.parametrize(
    ("weak", "relevant"),
    [
        # Three of four share 0.05 * 3 / 4, but two of them are copies: 0.025 is left.
        (0.026, [0, 2]),
        (0.024, [0, 1, 2]),
    ],
)
def test_copies_do_not_dilute_the_noise(monkeypatch, weak, relevant):
    columns = bits(2) | {"copy": flipped(bits(1)["b0"]), "other": bits(3)["b2"]}
    p_values = {"b0": 1e-9, "b1": needed("alone", weak), "copy": 1e-9}
    findings, _ = sift_staged(
        monkeypatch, columns, told(columns, "b0"), {"alone": p_values}
    )
    judgement = findings.judgement
    assert np.flatnonzero(judgement.relevant).tolist() == relevant
    assert judgement.threshold == pytest.approx(0.0125 * (len(relevant) - 1))
    assert 2 not in findings.kept


def flipped(bit):
    """Return a bit with one of sixteen values changed."""
    return bit ^ (np.arange(len(bit)) % 16 == 3)


@pytest.mark.parametrize("seed", range(5))
def test_a_greater_rate_never_makes_fewer_columns_relevant(monkeypatch, seed):
    random = np.random.default_rng(seed)
    latent = random.normal(size=(200, 4))
    x = latent[:, np.arange(12) % 4] + 0.5 * random.normal(size=(200, 12))
    columns = {f"x{j}": x[:, j] for j in range(12)}
    y = (latent[:, :2].sum(axis=1) + random.normal(size=200) > 0).astype(int)
    p_values = {"alone": dict(zip(columns, random.random(12) ** 4, strict=True))}
    before: set[int] = set()
    for fdr in np.geomspace(0.001, 0.9, 25):
        findings, _ = sift_staged(monkeypatch, columns, y, p_values, fdr=fdr)
        now = set(np.flatnonzero(findings.judgement.relevant).tolist())
        assert before <= now
        before = now
    assert len(before) > 3


def test_sets_that_columns_owe_it_to_are_not_torn(monkeypatch):
    columns = bits(6)
    y = columns["b0"] ^ columns["b1"]
    pair = Tuple((0, 1), 1e-7, (1e-7, 1e-7), steady=True)
    counted = Tuple(
        (2, 3, 4), 1e-7, (1e-7,) * 3, False, CountedSet((2, 3, 4), (1, 1, 1), 9.0, 1e-7)
    )
    found = {"b0", "b1", "b2", "b3", "b4"}
    _, asked = sift_staged(
        monkeypatch,
        columns,
        y,
        {"together": dict.fromkeys(found, 1e-9), "context": {"b5": 1e-9}},
        best={0: pair, 1: pair, 2: counted, 3: counted, 4: counted},
        tuples=[pair, counted],
    )
    assert asked.sets == Sets(((0, 1),), frozenset({2, 3, 4, 5}))


@pytest.mark.parametrize("include", [False, True])
def test_undecided_columns_may_be_possible_as_a_group(monkeypatch, include):
    columns = bits(4)
    group, combined = Group((3, 1), 0.004), 0.3
    findings, asked = sift_staged(
        monkeypatch,
        columns,
        told(columns, "b0"),
        {"alone": {"b0": 1e-9, "b1": needed("alone", combined)}},
        group=group,
        fdr=0.04,
        include_possible=include,
    )
    kept, undecided, p_values, fdr, sets = asked.group
    assert (kept, undecided, fdr, sets) == ([0], [1, 2, 3], 0.04, [])
    assert p_values[1] == pytest.approx(combined)
    assert findings.group is group
    assert findings.possible == [3, 1]
    assert kept_names(findings) == (["b0", "b3", "b1"] if include else ["b0"])


def test_a_minimum_is_reached_by_the_limited_then_the_possible(monkeypatch):
    columns = bits(6)
    some = {"b0": 1e-9, "b1": 1e-9, "b5": needed("alone", 0.2)}
    findings, _ = sift_staged(
        monkeypatch,
        columns,
        told(columns, "b0") + 2 * told(columns, "b1"),
        {"alone": some},
        group=Group((3,), 0.004),
        min_features=4,
    )
    assert findings.possible == [3]
    assert findings.filled == [3, 5]
    assert kept_names(findings)[2:] == ["b3", "b5"]


def pair(members, p_value=1e-9, *, steady=True, counted=None, p_values=None):
    each = p_values or (p_value,) * len(members)
    return Tuple(members, p_value, each, steady, counted)


def test_limit_keeps_partners_of_an_interaction_only(monkeypatch):
    columns = bits(5)
    some = {"alone": {"b0": 1e-9}, "together": {"b1": 1e-9, "b2": 1e-9}}
    found = pair((1, 2))
    findings, _ = sift_staged(
        monkeypatch,
        columns,
        told(columns, "b1", "b2"),
        some,
        best={1: found, 2: found},
        tuples=[found],
        max_selected=2,
    )
    # Both tell one bit beside each other, `b0` nothing.
    assert kept_names(findings) == ["b1", "b2"]
    assert findings.over_limit == {0}
    findings, _ = sift_staged(
        monkeypatch,
        columns,
        told(columns, "b1", "b2"),
        some,
        best={1: found, 2: found},
        max_selected=1,
    )
    assert kept_names(findings) == ["b0"]


def test_members_of_a_set_are_weighed_beside_their_partners(monkeypatch):
    columns = bits(4)
    y = told(columns, "b0", "b1", "b2")
    found = pair((0, 1, 2))
    findings, _ = sift_staged(
        monkeypatch,
        columns,
        y,
        {"together": dict.fromkeys(("b0", "b1", "b2"), 1e-9)},
        best=dict.fromkeys(range(3), found),
    )
    assert findings.partners == {0: (1, 2), 1: (0, 2), 2: (0, 1)}
    # One bit, less the bias of four strata with one degree of freedom each.
    expected = 1 - 4 / (2 * 256 * np.log(2))
    assert findings.own_gain[1].gain == pytest.approx(expected)
    assert findings.alone.scores[1].gain == pytest.approx(-1 / (512 * np.log(2)))


def test_members_of_a_counted_set_are_weighed_beside_the_number(monkeypatch):
    columns = bits(5)
    names = list(columns)
    number = np.sum([columns[name] for name in names], axis=0)
    counted = CountedSet(tuple(range(5)), (1, 1, 1, 1, 1), 1.0, 1e-9)
    found = pair(tuple(range(5)), counted=counted)
    findings, _ = sift_staged(
        monkeypatch,
        columns,
        (number == 2).astype(int),
        {"together": dict.fromkeys(names, 1e-9)},
        best=dict.fromkeys(range(5), found),
        tuples=[found],
    )
    own = columns["b0"]
    gain, freedom = stratified_information(
        own.tolist(), (number == 2).tolist(), (number - own).tolist()
    )
    expected = gain - freedom / (2 * 256 * np.log(2))
    assert findings.own_gain[0].gain == pytest.approx(expected)
    assert findings.partners[0] == (1, 2, 3, 4)
    assert findings.interactions == []  # tables of joint levels do not see it


def test_what_only_the_forest_has_seen_is_weighed_in_its_place(monkeypatch):
    columns = bits(3)
    y = told(columns, "b0")
    place = Place(0, "b0 = 1", measure(np.tile([0, 1], 9), np.tile([0, 1], 9)))
    some = {"alone": {"b0": 1e-9, "b2": 1e-9}, "context": {"b1": 1e-9}}
    findings, asked = sift_staged(monkeypatch, columns, y, some, place=place)
    assert asked.place == (1, [0, 1, 2])  # the strongest first
    assert findings.own_gain[1] is place.found
    assert findings.places == {1: place}
    findings, asked = sift_staged(monkeypatch, columns, y, {"context": {"b1": 1e-9}})
    assert asked.place == (1, [1])
    assert findings.places == {}
    assert findings.own_gain[1] is findings.alone.scores[1]


def plain_synergy(columns, y, members):
    """Return joint gain, and what it has beyond the best split of one and the rest."""
    n = len(y)

    def gain(names):
        words = list(zip(*(columns[f"b{k}"] for k in names), strict=True))
        plain, freedom = stratified_information(words, y.tolist(), [0] * n)
        return plain - freedom / (2 * n * np.log(2))

    splits = [((k,), tuple(m for m in members if m != k)) for k in members]
    best = max(sum(max(0.0, gain(part)) for part in split) for split in splits)
    return gain(members), gain(members) - max(best, 0.0)


@pytest.mark.parametrize("members", [(0, 1), (0, 1, 2)])
def test_synergy_is_what_no_split_tells(monkeypatch, members):
    columns = bits(4)
    names = [f"b{k}" for k in members]
    y = told(columns, *names) ^ ((columns["b0"] == 1) & (columns["b3"] == 1))
    findings, _ = sift_staged(
        monkeypatch,
        columns,
        y,
        {"together": dict.fromkeys(names, 1e-9)},
        best=dict.fromkeys(members, pair(members)),
        tuples=[pair(members[::-1]), pair(members)],
    )
    (found,) = findings.interactions  # once, its members in order
    assert found.members == members
    joint, synergy = plain_synergy(columns, y, members)
    assert found.joint_gain == pytest.approx(joint)
    assert found.synergy == pytest.approx(synergy)
    assert found.p_value == 1e-9


def interplay(monkeypatch, tuples, p_values, y=None):
    columns = bits(4)
    y = told(columns, "b0", "b1") if y is None else y
    best = {j: found for found in tuples for j in found.members}
    findings, _ = sift_staged(
        monkeypatch, columns, y, p_values, tuples=tuples, best=best
    )
    return [found.members for found in findings.interactions]


def test_sets_need_every_member_to_show_itself(monkeypatch):
    both = {"together": {"b0": 1e-9, "b1": 1e-9}}
    bound = 0.05 * 0.2
    for p_values, expected in (
        ((bound, bound), [(0, 1)]),
        ((bound, bound * 1.0001), []),
    ):
        found = pair((0, 1), p_values=p_values)
        assert interplay(monkeypatch, [found], both) == expected
    one = {"together": {"b0": 1e-9}}
    assert interplay(monkeypatch, [pair((0, 1))], one) == []


def test_pairs_of_columns_that_matter_anyway_must_be_steady(monkeypatch):
    alone = {"alone": {"b0": 1e-9, "b1": 1e-9}}
    assert interplay(monkeypatch, [pair((0, 1))], alone) == [(0, 1)]
    assert interplay(monkeypatch, [pair((0, 1), steady=False)], alone) == []
    needed = {"alone": {"b0": 1e-9}, "together": {"b1": 1e-9}}
    assert interplay(monkeypatch, [pair((0, 1), steady=False)], needed) == [(0, 1)]
    every = {"alone": dict.fromkeys(("b0", "b1", "b2"), 1e-9)}
    columns = bits(4)
    y = told(columns, "b0", "b1", "b2")
    assert interplay(monkeypatch, [pair((0, 1, 2), steady=False)], every, y) == [
        (0, 1, 2)
    ]


def noisy_xor(n_errors, n_bits):
    """Return parity of bits, some of the rows (at equal distances) being wrong."""
    columns = bits(4)
    y = told(columns, *[f"b{k}" for k in range(n_bits)])
    wrong = np.random.default_rng(0).permutation(256)[:n_errors]
    y[wrong] = 1 - y[wrong]
    return y


@pytest.mark.parametrize(
    ("stage", "steady", "deviations"),
    [("together", False, 2), ("alone", True, 2), ("alone", False, 4)],
)
def test_synergy_must_be_several_deviations(monkeypatch, stage, steady, deviations):
    columns, members = bits(4), (0, 1, 2)
    names = [f"b{k}" for k in members]
    found = pair(members, steady=steady)
    # Of 7 degrees of freedom one bit has one and the other two have three.
    bound = deviations * np.sqrt(2 * (7 - 1 - 3)) / (2 * 256 * np.log(2))
    synergies = {
        n: plain_synergy(columns, noisy_xor(n, 3), members)[1] for n in range(60, 126)
    }
    just_above = min((n for n in synergies if synergies[n] > bound), key=synergies.get)
    just_below = max((n for n in synergies if synergies[n] < bound), key=synergies.get)
    assert synergies[just_above] < 1.2 * bound
    assert synergies[just_below] > 0.8 * bound
    some = {stage: dict.fromkeys(names, 1e-9)}
    for n_errors, expected in ((just_above, [members]), (just_below, [])):
        y = noisy_xor(n_errors, 3)
        assert interplay(monkeypatch, [found], some, y) == expected


def test_stronger_sets_come_first(monkeypatch):
    columns = bits(4)
    rare = (told(columns, "b2", "b3") == 1) & (columns["b0"] == 1)
    y = told(columns, "b0", "b1") ^ rare
    found = interplay(
        monkeypatch,
        [pair((2, 3)), pair((0, 1))],
        {"together": dict.fromkeys(columns, 1e-9)},
        y,
    )
    strength = {m: plain_synergy(columns, y, m)[1] for m in found}
    assert found == sorted(found, key=lambda m: -strength[m])
    assert found[0] == (0, 1)


def test_partners_of_interactions_do_not_replace_those_of_a_column(monkeypatch):
    columns = bits(4)
    y = told(columns, "b0", "b1")
    first, second = pair((0, 1)), pair((0, 2))
    findings, _ = sift_staged(
        monkeypatch,
        columns,
        y,
        {"together": {"b0": 1e-9, "b1": 1e-9}},
        best={0: second, 1: first},
        tuples=[first],
    )
    assert findings.partners == {0: (2,), 1: (0,)}


@pytest.mark.parametrize("quantity", [False, True])
def test_gains_have_the_unit_of_the_target(monkeypatch, quantity):
    random = np.random.default_rng(0)
    x = random.integers(0, 3, 90)
    y = x + random.normal(size=90)
    findings, _ = sift_staged(
        monkeypatch,
        {"x": x.astype(str), "z": random.choice(list("ab"), 90)},
        y if quantity else (y > 1).astype(int),
        {},
    )
    material = findings.material
    codes = material.codes(5).astype(np.int32)
    for strata in (None, codes[:, 1]):
        found = gain_of(material, codes[:, 0], strata)
        expected = (
            measure_shares(codes[:, 0], material.quantity, strata)
            if quantity
            else measure(codes[:, 0], material.classes, strata)
        )
        assert found == expected


@pytest.mark.parametrize("seed", range(3))
def test_a_larger_rate_never_makes_fewer_relevant(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(120, 8))
    X[:, 1] = X[:, 0] + 0.2 * random.normal(size=120)
    y = (X[:, 0] + 0.6 * X[:, 2] + 0.3 * X[:, 3] + random.normal(size=120) > 0) * 1
    table = read_table({f"x{j}": X[:, j] for j in range(8)}, y)
    relevant, p_values = [], []
    for fdr in (0.01, 0.05, 0.1, 0.3):
        found = _select.sift(
            Handover(table), Settings(fdr=fdr, n_jobs=1), lambda *_: None
        )
        relevant.append(set(np.flatnonzero(found.judgement.relevant).tolist()))
        p_values.append(found.judgement.p_values.tolist())
    assert all(p == p_values[0] for p in p_values)
    assert all(less <= more for less, more in itertools.pairwise(relevant))
    assert relevant[-1]


def test_what_was_found_first_owes_nothing_to_what_it_was_found_beside(monkeypatch):
    columns = bits(4)
    p_values = {
        "alone": {"b0": 1e-9},
        "context": {"b1": 1e-6},
        "beside": {"b0": 1e-9, "b1": 1e-30, "b2": 1e-6},
    }
    findings, asked = sift_staged(
        monkeypatch, columns, told(columns, "b0", "b1", "b2"), p_values
    )
    assert sorted(asked.beside[0]) == [0, 1]
    assert findings.judgement.stages == ["alone", "context", "beside", None]
    assert set(findings.partners[2]) <= {0, 1}


def three_of_four_aside(_found):
    """Return a redundancy in which the second column carries the others."""
    why = Displaced((1,), 0.5, 0.2, 0.5)
    return Redundancy([1], {0: why, 2: why, 3: why})


def test_what_returns_is_kept_last_and_carried_by_nothing(monkeypatch):
    columns = bits(5)
    findings, asked = sift_staged(
        monkeypatch,
        columns,
        told(columns, "b0", "b1"),
        {"alone": dict.fromkeys(("b0", "b1", "b2", "b3"), 1e-9)},
        redundancy=three_of_four_aside,
        returned=Returned((3, 0), 0.025),
    )
    assert asked.returning == ([1], ())
    assert findings.redundancy.kept == [1, 3, 0]
    assert list(findings.redundancy.displaced) == [2]
    assert kept_names(findings) == ["b1", "b3", "b0"]
    assert findings.returned.p_value == 0.025


def test_stages_given_what_is_kept_know_the_sets_that_are_kept_whole(monkeypatch):
    columns = bits(4)
    some = {"together": {"b0": 1e-9, "b1": 1e-9}, "alone": {"b2": 1e-9}}
    found = pair((0, 1))
    options = {"best": {0: found, 1: found}, "tuples": [found]}
    y = told(columns, "b0", "b1")
    for aside, products in (({}, [(0, 1)]), ({1: Displaced((0,), 0.5, 0.2)}, [])):
        redundancy = Redundancy([j for j in range(3) if j not in aside], aside)
        _, asked = sift_staged(
            monkeypatch,
            columns,
            y,
            some,
            redundancy=lambda _, given=redundancy: given,
            **options,
        )
        assert asked.beside == (redundancy.kept, tuple(products))
        assert asked.returning == (redundancy.kept, tuple(products))
        assert asked.group[-1] == products


def test_what_a_smaller_rate_no_longer_keeps_is_possible_unless_replaced(monkeypatch):
    """Of two columns that are not relevant any more, one has a stand-in that is."""
    columns = bits(5)
    strong, weak = 1e-9, needed("alone", 0.005)
    p_values = {"alone": {"b0": strong, "b1": weak, "b2": weak, "b3": strong}}

    def redundancy(_found):
        return Redundancy([0, 1, 2], {3: Displaced((1,), 0.5, 0.2)})

    options = {"redundancy": redundancy, "group": Group((4,), 0.004)}
    y = told(columns, "b0", "b1")
    usual, _ = sift_staged(monkeypatch, columns, y, p_values, **options)
    assert usual.redundancy.kept == [0, 1, 2]
    assert usual.possible == [4]
    fewer, _ = sift_staged(monkeypatch, columns, y, p_values, fdr=0.001, **options)
    assert fewer.judgement.threshold < 0.005
    assert fewer.redundancy.kept == [0, 3]
    assert fewer.possible == [2, 4]


def test_a_greater_rate_adds_columns_by_their_p_values(monkeypatch):
    """Sets and columns seen in context join in any case, others if they are apart.

    A twin of what is kept tells nothing of its own; a twin seen in context stays.
    """
    columns = bits(4)
    for name, k in (("twin", 3), ("other", 9)):  # of 16 rows one is changed
        columns[name] = columns["b0"] ^ (np.arange(256) // 16 == k)
    some = {
        "alone": {
            "b0": 1e-9,
            "b1": needed("alone", 0.06),
            "b2": needed("alone", 0.04),
            "twin": needed("alone", 0.07),
        },
        "context": {"other": needed("context", 0.05)},
    }
    y = told(columns, "b0")
    usual, _ = sift_staged(monkeypatch, columns, y, some)
    assert kept_names(usual) == ["b0"]
    more, _ = sift_staged(monkeypatch, columns, y, some, fdr=0.2)
    assert np.flatnonzero(more.judgement.relevant).tolist() == [0, 1, 2, 4, 5]
    assert kept_names(more) == ["b0", "b2", "other", "b1"]
    assert list(more.redundancy.displaced) == [4]
