"""Columns found by a forest: those that go with others must add something to them."""

from __future__ import annotations

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.selection import _stand_ins, _verdicts
from featsieve.selection._material import prepare
from featsieve.selection._stand_ins import find_stand_ins


def table(seed, *, local, n_rows=400):
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
        find_stand_ins(table(s, local=False), [0, 1, 2], [1], []) for s in range(30)
    ]
    assert gone.count([1]) >= 30 - 5
    assert gone.count([]) == 30 - gone.count([1])


@pytest.mark.parametrize("seed", range(3))
def test_what_matters_for_some_rows_stays(seed):
    assert find_stand_ins(table(seed, local=True), [0, 1, 2], [1, 2], []) == []


def test_what_goes_with_nothing_is_not_asked(monkeypatch):
    monkeypatch.setattr(_stand_ins, "drawn_p_value", lambda *_: 1.0)
    material = table(0, local=False)
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

    monkeypatch.setattr(_stand_ins, "drawn_p_value", drawn)
    found = find_stand_ins(table(0, local=False), [0, 1, 3], [1], [(0, 1), (0, 3)])
    assert found == [1] * goes
    assert asked == [(["near"], 19, True)]


def test_too_few_rows_for_the_others(monkeypatch):
    monkeypatch.setattr(_stand_ins, "drawn_p_value", lambda *_: 1.0)
    monkeypatch.setattr(_stand_ins, "describe", lambda *_: [])
    assert find_stand_ins(table(0, local=False), [0, 1, 3], [1], []) == []


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
