import numpy as np
import pytest

from featsieve.inference import _triple_scan
from featsieve.inference._pair_scan import ScanInput, find_pairs
from featsieve.inference._triple_scan import find_triples
from reference import triples as reference


def make_input(levels, n_rows=300, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, n, n_rows) for n in levels])
    codes = np.asfortranarray(codes, dtype=np.int32)
    classes = (codes[:, 0] + codes[:, 1] + codes[:, 2]) % 2
    flipped = rng.random(n_rows) < 0.1
    classes = np.where(flipped, 1 - classes, classes).astype(np.int32)
    return ScanInput(codes, classes, weights, "level", None)


def scan(data, most=10**6):
    pairs = find_pairs(data, fdr=0.05, seed=1)
    return find_triples(data, pairs, fdr=0.05, seed=1, most=most)


@pytest.mark.parametrize(
    "levels", [[2] * 12, [2, 2, 2, 3, 4] * 3], ids=["alike", "mixed"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_parity_of_three_is_found_and_alone(levels, weighted):
    weights = np.random.default_rng(2).random(300) + 0.5 if weighted else None
    found = scan(make_input(levels, weights=weights))
    assert found.exhaustive
    assert found.members[found.significant].tolist() == [[0, 1, 2]]
    assert (np.diff(found.p_value) >= 0).all()


def test_numbers_are_those_of_the_plain_version():
    data = make_input([2, 2, 2, 3, 4, 2])
    found = scan(data)
    expected = {
        members: (joint, synergy)
        for members, joint, _, synergy in reference.triple_gain(
            data.codes, data.classes
        )
    }
    assert len(found.members) == len(expected)
    for members, joint, synergy in zip(
        found.members.tolist(), found.joint_gain, found.synergy, strict=True
    ):
        assert (joint, synergy) == pytest.approx(expected[tuple(members)], abs=1e-12)


def test_blocks_do_not_change_what_is_kept(monkeypatch):
    data = make_input([2, 2, 2, 3, 4] * 4)
    monkeypatch.setattr(_triple_scan, "MOST_TRIPLES", 20)
    whole = scan(data)
    blocks = _triple_scan.triple_gain_blocks
    monkeypatch.setattr(
        _triple_scan,
        "triple_gain_blocks",
        lambda *args, **settings: blocks(*args, block_size=50, **settings),
    )
    in_blocks = scan(data)
    np.testing.assert_array_equal(in_blocks.members, whole.members)
    np.testing.assert_array_equal(in_blocks.q_value, whole.q_value)


def test_too_many_triples_are_grown_from_pairs():
    data = make_input([2] * 20)
    found = scan(data, most=200)
    assert not found.exhaustive
    assert 0 < found.null.n_candidates <= 200
    assert len(np.unique(found.members, axis=0)) == len(found.members)


@pytest.mark.parametrize("n_features", [0, 1, 2])
def test_no_triples_without_three_features(n_features):
    rng = np.random.default_rng(3)
    codes = np.asfortranarray(rng.integers(0, 2, (50, n_features)), dtype=np.int32)
    classes = rng.integers(0, 2, 50).astype(np.int32)
    found = scan(ScanInput(codes, classes, None, "level", None))
    assert found.members.shape == (0, 3)
    assert found.null.n_candidates == 0


def test_most_of_zero_scans_nothing():
    found = scan(make_input([2] * 5), most=0)
    assert found.members.shape == (0, 3)
