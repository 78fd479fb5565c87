"""FEATSIEVE_INSTRUCTIONS: every compiled loop gives the same bits on every path.

Each test starts a program of its own, because the variable is read once. Run as a
program, this file prints a hash of every result.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

NAMES = ("portable", "avx2", "avx512")


def run(instructions: str | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "FEATSIEVE_INSTRUCTIONS"}
    if instructions is not None:
        environment["FEATSIEVE_INSTRUCTIONS"] = instructions
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def results(instructions: str | None) -> dict[str, str]:
    done = run(instructions, __file__)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_all_paths_give_the_same_bits():
    from featsieve._kernels import Instructions, has_instructions

    ours = results(None)
    assert len(ours) > 15
    seen = {ours.pop("path")}
    for name in NAMES:
        if not has_instructions(Instructions[name.upper()]):
            continue
        found = results(name)
        assert found.pop("path") == name
        assert found == ours
        seen.add(name)
    assert "portable" in seen


@pytest.mark.parametrize("wrong", ["sse", "AVX2", "avx2,avx512", " "])
def test_a_wrong_name_lists_the_choices(wrong):
    code = "import featsieve.measures as m; m.information_gain([0, 1], [0, 1])"
    done = run(wrong, "-c", code)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ValueError: The environment variable FEATSIEVE_INSTRUC")
    assert "'portable'" in last
    assert f"Got '{wrong}' instead." in last


def test_the_program_says_it_in_one_line(tmp_path):
    (tmp_path / "x.csv").write_text("a,y\n" + "0,0\n1,1\n" * 20)
    table = str(tmp_path / "x.csv")
    done = run("sse", "-m", "featsieve", "rank", table, "--target", "y")
    assert done.returncode == 1
    assert done.stderr.startswith("featsieve: The environment variable FEATSIEVE_")
    assert len(done.stderr.strip().splitlines()) == 1


def test_an_empty_value_is_none():
    code = "from featsieve._kernels import best_instructions as b; print(b().name)"
    empty = run("", "-c", code)
    assert empty.returncode == 0, empty.stderr
    assert empty.stdout == run(None, "-c", code).stdout


def compute() -> dict[str, str]:
    """Hashes of results that need every loop with several paths."""
    import polars as pl
    from sklearn.neighbors import KNeighborsClassifier

    from featsieve import measures
    from featsieve._kernels import best_instructions
    from featsieve.data import open_stream
    from featsieve.diversity import pairwise_diversity
    from featsieve.selectors import (
        ForwardSelector,
        MultiSURFFilter,
        ReliefFFilter,
        stream_interactions,
    )

    rng = np.random.default_rng(1)
    n = 1237
    y = rng.integers(0, 3, n)
    few = rng.integers(0, [2, 3, 4, 5, 9, 16] * 3, (n, 18)).astype(np.uint8)
    gaps = np.where(rng.random((n, 18)) < 0.1, -1, few.astype(np.int32))
    many = rng.integers(-1, [3, 15, 40, 300, 70_000], (n, 5)).astype(np.int32)
    weights = rng.random(n)
    mixed = rng.normal(size=(n, 7))
    mixed[:, 4:] = rng.integers(0, 3, (n, 3))
    mixed[rng.random((n, 7)) < 0.1] = np.nan
    nominal = [4, 5, 6]
    numbers = np.round(rng.normal(size=(n // 3, 9)), 2)
    third = y[: n // 3]
    votes = rng.integers(0, 3, (70, n))
    frame = pl.DataFrame({f"x{j}": few[:, j].astype(str) for j in range(9)} | {"y": y})

    found: dict[str, object] = {}
    layouts = {"by row": few, "by column": np.asfortranarray(few), "gaps": gaps}
    for name, codes in (layouts | {"many": many}).items():
        for missing in ("level", "ignore"):
            label = f"{name}, {missing}"
            gain = measures.information_gain(codes, y, missing=missing)
            found[f"gain, {label}"] = gain
            pairs = measures.pairwise_gain(codes, y, missing=missing)
            found[f"pairs, {label}"] = pairs
            triples = measures.triple_gain(codes[:, :9], y, missing=missing)
            found[f"triples, {label}"] = triples
            matrix = measures.pairwise_uncertainty(codes, missing=missing)
            found[f"uncertainty, {label}"] = matrix
        found[f"two classes, {name}"] = measures.information_gain(codes, y == 1)
        tuples = measures.gains_of_tuples(codes, y, [(0, 1, 2, 3), (3, 4)])
        found[f"tuples, {name}"] = tuples
    found["weights"] = measures.information_gain(few, y, weights=weights)
    levels, ranks = few.astype(float), few[:, :6].astype(float)
    found["association"] = measures.pairwise_association(levels, nominal="all")
    found["kendall"] = measures.pairwise_association(ranks, association="kendall")
    found["diversity"] = pairwise_diversity(votes, y)
    found["relief"] = ReliefFFilter(nominal=nominal).fit(mixed, y).scores_
    found["regression"] = ReliefFFilter(nominal=nominal).fit(mixed, weights).scores_
    found["multisurf"] = MultiSURFFilter(nominal=nominal).fit(mixed, y).scores_
    found["boosting"] = measures.boosting_z(numbers, third, n_rounds=10)
    nearest = ForwardSelector(KNeighborsClassifier(), max_selected=2)
    found["wrapper"] = nearest.fit(numbers, third).scores_
    stream = stream_interactions(open_stream([frame[:700], frame[700:]], "y"))
    found["stream"] = stream
    hashes = {name: digest(value) for name, value in found.items()}
    return hashes | {"path": best_instructions().name.lower()}


def digest(value: object) -> str:
    """Return a hash of the bits of all arrays and numbers."""
    text = hashlib.sha256()
    if dataclasses.is_dataclass(value):
        value = [getattr(value, field.name) for field in dataclasses.fields(value)]
    if isinstance(value, list | tuple):
        for item in value:
            text.update(digest(item).encode())
    elif isinstance(value, np.ndarray):
        assert value.dtype != object
        text.update(value.tobytes())
    else:
        assert value is None or isinstance(value, int | float | str), type(value)
        text.update(repr(value).encode())
    return text.hexdigest()


if __name__ == "__main__":
    print(json.dumps(compute()))  # noqa: T201
