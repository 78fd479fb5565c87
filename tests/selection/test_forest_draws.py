"""Columns that add something together return; those that only stand in do not."""

from __future__ import annotations

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.selection import _forest_draws, _verdicts
from featsieve.selection._forest_draws import Returned, find_returning, find_stand_ins
from featsieve.selection._material import prepare
from featsieve.selection._redundancy import Displaced, Redundancy


def table(seed, n_rows=400, *, helps):
    """Return a material of one column that is kept, and eight that go with it.

    Whether the class depends on the product of two of those, beside it.
    """
    random = np.random.default_rng([seed, 6])
    z = random.normal(size=n_rows)
    own = random.normal(size=(n_rows, 8))
    eta = 1.5 * z + (2.0 * own[:, 0] * own[:, 1] if helps else 0.0)
    y = (random.random(n_rows) < 1 / (1 + np.exp(-eta))).astype(int).astype(str)
    columns = {"z": z} | {f"x{j}": 0.5 * z + own[:, j] for j in range(8)}
    return prepare(read_table(columns, y), 0, 1)


def set_aside(p_values):
    """Return the first column kept, and the others set aside with these p-values."""
    displaced = {
        j: Displaced((0,), 0.5, p, None if p is None else 0.5)
        for j, p in enumerate(p_values, 1)
    }
    return Redundancy([0], displaced)


EQUAL = [0.1 * j for j in range(1, 9)]


def test_what_a_forest_sees_returns_best_first():
    found = find_returning(table(0, helps=True), set_aside(EQUAL), [])
    assert found.p_value == 0.025
    assert found.members[:2] == (1, 2)
    backwards = find_returning(table(1, helps=True), set_aside(EQUAL[::-1]), [])
    assert backwards.members[0] == 8


def test_what_only_stands_in_stays_out():
    """Of 40 tables one passes by chance, five would be four deviations more."""
    returned = [
        find_returning(table(seed, 150, helps=False), set_aside(EQUAL), [])
        for seed in range(40)
    ]
    assert sum(bool(found.members) for found in returned) <= 5


@pytest.mark.parametrize("seed", range(3))
def test_where_nothing_is_left_to_tell_nothing_returns(seed):
    """One column parts the classes by nine deviations: no forest errs with it alone.

    Draws by a straight line have rows on the wrong side, the columns themselves none.
    """
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, 60)
    columns = {f"x{j}": y + random.normal(size=60) / 9 for j in range(3)}
    material = prepare(read_table(columns, y.astype(str)), 0, 1)
    assert find_returning(material, set_aside([0.5, 0.6]), []) == Returned()


def test_copies_take_no_part(monkeypatch):
    asked = []

    def p_value(_loss, columns, given, _seed):
        asked.append(([column.name for column in columns], given.shape[1] > 0))
        return 1.0

    monkeypatch.setattr(_forest_draws, "drawn_p_value", p_value)
    material = table(0, helps=True)
    find_returning(material, set_aside([0.5, None, 0.2]), [])
    assert asked == [(["x2", "x0"], True)]
    assert find_returning(material, set_aside([None]), []) == Returned()
    assert find_returning(material, Redundancy([0]), []) == Returned()
    nothing_kept = Redundancy([], set_aside([0.5]).displaced)
    assert find_returning(material, nothing_kept, []) == Returned()
    assert len(asked) == 1


def test_what_is_shown_to_be_redundant_stays_out(monkeypatch):
    asked = []

    def p_value(_loss, columns, _given, _seed):
        asked.extend(column.name for column in columns)
        return 1.0

    monkeypatch.setattr(_forest_draws, "drawn_p_value", p_value)
    displaced = {
        1: Displaced((0,), 0.5, 0.3, 0.1),  # adds at most a tenth: shown
        2: Displaced((0,), 0.5, 0.2, 0.1001),
        3: Displaced((0,), 0.5, 0.1, 0.02),
    }
    find_returning(table(0, helps=True), Redundancy([0], displaced), [])
    assert asked == ["x1"]


@pytest.mark.parametrize(("p_value", "n_returned"), [(0.025, 1), (0.0251, 0)])
def test_the_level_and_that_at_least_one_returns(monkeypatch, p_value, n_returned):
    monkeypatch.setattr(_forest_draws, "drawn_p_value", lambda *_: p_value)
    monkeypatch.setattr(_forest_draws, "best_size", lambda *_, least: least)
    found = find_returning(table(0, helps=True), set_aside(EQUAL), [])
    assert found.members == (1,)[:n_returned]
    assert found.p_value == (p_value if n_returned else 1.0)


def test_too_few_rows_for_what_is_kept(monkeypatch):
    monkeypatch.setattr(_forest_draws, "describe", lambda *_: [])
    assert find_returning(table(0, helps=True), set_aside(EQUAL), []) == Returned()


def test_select_keeps_what_returns_and_says_why(monkeypatch):
    random = np.random.default_rng(8)
    z = random.normal(size=300)
    columns = {"cause": z, "weak": 0.6 * z + 0.8 * random.normal(size=300)}
    columns |= {"noise": random.normal(size=300)}
    y = np.where(2 * z + random.logistic(size=300) > 0, "b", "a")
    without = featsieve.select(columns, y, verbose=False)
    assert without.features == ["cause"]

    def returning(_material, found, _products):
        return Returned(tuple(found.displaced), 0.025)

    monkeypatch.setattr(_verdicts, "find_returning", returning)
    selection = featsieve.select(columns, y, verbose=False)
    assert selection.features == ["cause", "weak"]
    row = selection.to_dict()["ledger"][1]
    assert (row["verdict"], row["stage"]) == ("strongly relevant", "returned")
    assert row["displaced_by"] == []
    assert (
        "It is not shown to add anything by itself, but with others that were set "
        "aside it adds to what is kept (p = 0.025)."
    ) in selection.explain("weak")
    assert "not shown" not in selection.explain("cause")


def with_stand_in(seed, *, local, n_rows=400):
    """Return a material: a cause, what goes with it, where that matters, and noise.

    Of `local` tables the second column matters where the third one is high, in either
    direction, so that a straight line does not see it.
    """
    random = np.random.default_rng([seed, 2])
    cause, own, where, noise = random.normal(size=(4, n_rows))
    near = 0.7 * cause + 0.7 * own
    y = cause + 0.3 * random.normal(size=n_rows)
    if local:
        y = y + np.where(where > 0, 2.0, -2.0) * near
    columns = {"cause": cause, "near": near, "where": where, "noise": noise}
    return prepare(read_table(columns, y), 0, 1)


def test_stand_ins_go():
    """Each stays once in twenty times; of 30, six or more have a chance of 0.3 %."""
    gone = [
        find_stand_ins(with_stand_in(s, local=False), [0, 1, 2], [1], [])
        for s in range(30)
    ]
    assert gone.count([1]) >= 30 - 5
    assert gone.count([]) == 30 - gone.count([1])


@pytest.mark.parametrize("seed", range(3))
def test_what_matters_for_some_rows_stays(seed):
    assert find_stand_ins(with_stand_in(seed, local=True), [0, 1, 2], [1, 2], []) == []


def test_what_goes_with_nothing_is_not_asked(monkeypatch):
    monkeypatch.setattr(_forest_draws, "drawn_p_value", lambda *_: 1.0)
    material = with_stand_in(0, local=False)
    assert find_stand_ins(material, [0, 1, 3], [3], []) == []
    assert find_stand_ins(material, [1], [1], []) == []
    # The first one goes, and then the second has nothing left that it goes with.
    assert find_stand_ins(material, [0, 1, 3], [0, 1], []) == [0]
    assert find_stand_ins(material, [0, 1, 3], [3, 1], []) == [1]


@pytest.mark.parametrize(("p_value", "goes"), [(0.05, False), (0.0501, True)])
def test_the_level(monkeypatch, p_value, goes):
    asked = []

    def drawn(_loss, columns, given, _seed, n_draws):
        asked.append(([column.name for column in columns], n_draws, given.shape[1] > 0))
        return p_value

    monkeypatch.setattr(_forest_draws, "drawn_p_value", drawn)
    found = find_stand_ins(
        with_stand_in(0, local=False), [0, 1, 3], [1], [(0, 1), (0, 3)]
    )
    assert found == [1] * goes
    assert asked == [(["near"], 19, True)]


def test_too_few_rows_for_the_others(monkeypatch):
    monkeypatch.setattr(_forest_draws, "drawn_p_value", lambda *_: 1.0)
    monkeypatch.setattr(_forest_draws, "describe", lambda *_: [])
    assert find_stand_ins(with_stand_in(0, local=False), [0, 1, 3], [1], []) == []


def test_select_says_what_stands_in(monkeypatch):
    random = np.random.default_rng(1)
    a, b, c = random.normal(size=(3, 300))
    columns = {"a": a, "b": b, "copy of b": b, "c": 0.8 * a + 0.6 * c}
    y = a + b + 0.5 * random.normal(size=300)
    assert set(featsieve.select(columns, y, verbose=False).features) == {"a", "b"}
    usual = _verdicts.judge_at

    def as_if_by_forest(whole, evidence, fdr):
        judgement = usual(whole, evidence, fdr)
        stages = judgement.stages
        stages[:] = [stage and "context" for stage in stages]
        return judgement

    monkeypatch.setattr(_verdicts, "judge_at", as_if_by_forest)
    asked = []

    def none(_material, kept, doubted, _products):
        asked.append((list(kept), list(doubted)))
        return []

    monkeypatch.setattr(_verdicts, "find_stand_ins", none)
    kept = featsieve.select(columns, y, verbose=False)
    assert set(kept.features) == {"a", "b", "c"}
    ((stay, doubted),) = asked
    assert sorted(doubted) == sorted(stay)
    last = doubted[0]  # the least certain one comes first
    monkeypatch.setattr(_verdicts, "find_stand_ins", lambda *_: [last])
    selection = featsieve.select(columns, y, verbose=False)
    assert set(selection.features) == {"a", "b"}
    row = selection.ledger.set_index("feature").loc["c"]
    assert row["displaced_by"][0] == "a"
    assert not row["kept"]


def test_a_partner_is_not_doubted(monkeypatch):
    random = np.random.default_rng(2)
    first, second, third, fourth = random.integers(0, 2, (4, 400))
    y = (first ^ second) ^ (random.random(400) < 0.05)
    columns = {"first": first, "second": second, "third": third, "fourth": fourth}
    usual = _verdicts.judge_at

    def one_by_forest(whole, evidence, fdr):
        judgement = usual(whole, evidence, fdr)
        for name, stage in (("first", "together"), ("second", "context")):
            judgement.stages[list(whole.table.names).index(name)] = stage
        return judgement

    monkeypatch.setattr(_verdicts, "judge_at", one_by_forest)
    asked = []
    monkeypatch.setattr(
        _verdicts, "find_stand_ins", lambda *args: asked.append(args[2]) or []
    )
    kept = featsieve.select(columns, y, verbose=False)
    assert set(kept.features) == {"first", "second"}
    assert asked == [[]]
