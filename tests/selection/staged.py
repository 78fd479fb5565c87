"""The stages of a selection with p-values that a test gives, so that it knows all."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from featsieve.data import read_table
from featsieve.selection import _select, _verdicts
from featsieve.selection._context import Context
from featsieve.selection._forest_draws import Returned
from featsieve.selection._opening import Rows
from featsieve.selection._settings import Settings
from featsieve.selection._together import Together


def bits(n_columns, n=256):
    """Return columns of 0 and 1 that are independent exactly, if n is 2 to a power."""
    return {f"b{k}": np.arange(n) >> k & 1 for k in range(n_columns)}


def words(values):
    """Return codes as words, whose order is that of the codes; the rest as it is."""
    if np.asarray(values).dtype.kind not in "iu":
        return values
    return [f"v{code:02d}" for code in values]


def sift_staged(monkeypatch, columns, y, p_values, **given):
    """Run all stages with `p_values` by stage and name (1 where nothing is given).

    Columns of whole numbers are nominal. `tuples`, `best`, `notes`, `group`, `place`,
    `returned` and `redundancy` are what stages find, the last from what was found; the
    rest are settings. Returns the findings and what the stages were asked.
    """
    tuples, notes = given.pop("tuples", []), given.pop("notes", [])
    best, group, place = (
        given.pop("best", {}),
        given.pop("group", None),
        given.pop("place", None),
    )
    redundancy = given.pop("redundancy", lambda found: found)
    returned = given.pop("returned", Returned())
    asked = SimpleNamespace(told=[], judged=[])
    judge_alone, find_redundant = _select.judge_alone, _verdicts.find_redundant

    def of_stage(stage, material):
        own = p_values.get(stage, {})
        return np.array([own.get(name, 1.0) for name in material.table.names])

    def alone(material, most_draws):
        asked.alone = most_draws
        found = judge_alone(material, most_draws)
        return replace(found, p_values=of_stage("alone", material))

    def together(material, _alone, level, **options):
        asked.together = (level, options)
        return Together(of_stage("together", material), best, list(tuples), list(notes))

    def in_context(material, n_rows, n_trees=None):
        asked.context = (n_rows, n_trees)
        return Context(of_stage("context", material), np.zeros(material.n_features), 9)

    def beside(material, kept, products):
        asked.beside = (list(kept), tuple(products))
        if "beside" not in p_values:
            return np.full(material.n_features, np.nan)
        return of_stage("beside", material)

    def find_group(*arguments, sets):
        asked.group = (*arguments[1:], sets)
        return group

    def redundant(material, own_gain, sets, preference):
        asked.sets, asked.preference = sets, preference
        return redundancy(find_redundant(material, own_gain, sets, preference))

    def find_returning(_material, found, products):
        asked.returning = (list(found.kept), tuple(products))
        return returned

    def find_place(_material, _alone, feature, guides):
        asked.place = (feature, list(guides))
        return place

    def as_it_came(table, design, _seed, _most_rows):
        return table, design

    for name, function in {
        "in_own_order": as_it_came,
        "judge_alone": alone,
        "judge_together": together,
        "judge_in_context": in_context,
        "judge_beside": beside,
        "find_group": find_group,
        "find_place": find_place,
        "find_redundant": redundant,
        "find_returning": find_returning,
    }.items():
        owner = _select if hasattr(_select, name) else _verdicts
        monkeypatch.setattr(owner, name, function)
    table = read_table({name: words(values) for name, values in columns.items()}, y)
    findings = _select.sift(
        SimpleNamespace(take=lambda: table, rows=Rows()),
        Settings(n_jobs=1, **given),
        lambda *stage: asked.told.append(stage[0]),
    )
    return findings, asked


def kept_names(findings):
    return [findings.names[j] for j in findings.kept]
