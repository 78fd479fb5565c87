"""The stages of `select`, in order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from selection.staged import bits, kept_names, sift_staged

#: Of 256 rows later stages have a quarter of their weight.
WEIGHT = {
    stage: weight / (0.65 + 0.25 * 0.35)
    for stage, weight in {"alone": 0.65, "together": 0.05, "context": 0.0375}.items()
}


def told(columns, *names):
    return np.sum([columns[name] for name in names], axis=0) % 2


def test_stages_in_order(monkeypatch):
    columns = bits(3)
    findings, asked = sift_staged(
        monkeypatch, columns, told(columns, "b0"), {"alone": {"b0": 1e-9}}, fdr=0.1
    )
    assert asked.told == ["screen", "alone", "together", "context", "redundancy"]
    assert list(findings.seconds) == asked.told
    assert all(0 <= seconds < 60 for seconds in findings.seconds.values())
    assert asked.alone is None
    assert asked.together[0] == pytest.approx(0.01)  # whatever the rate
    assert asked.together[1] == {"most_triples": 100_000, "known_pairs": None}
    assert asked.context == (256, None)
    assert kept_names(findings) == ["b0"]
    assert findings.race is None


def test_nothing_usable(monkeypatch):
    columns = {"same": ["a"] * 20, "id": [f"k{i}" for i in range(20)]}
    findings, asked = sift_staged(monkeypatch, columns, np.tile([0, 1], 10), {})
    assert asked.told == ["screen"]
    assert findings.kept == findings.names == []
    assert findings.judgement.threshold == 0.05
    assert findings.alone.codes.shape == (20, 0)
    assert set(findings.screening.dropped) == {"same", "id"}


def test_noise_of_all_kinds_has_probes(monkeypatch):
    columns = bits(2) | {"x": np.arange(256) % 7 + 0.5}
    findings, _ = sift_staged(monkeypatch, columns, np.tile([0, 1], 128), {})
    levels = {probe.n_levels for probe in findings.probes}
    assert levels == {None, 2}
    assert list(itertools.chain(findings.kept, findings.over_limit)) == []
