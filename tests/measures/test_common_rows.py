"""Rows in common, counted by bits, are those counted by products."""

import numpy as np
import pytest

from featsieve._kernels import CommonRows, Instructions, has_instructions
from featsieve.measures._common_rows import common_row_blocks, common_rows


@pytest.mark.parametrize(("n_sets", "n_rows"), [(1, 1), (3, 7), (64, 100), (131, 257)])
def test_equals_products(n_sets, n_rows):
    members = np.random.default_rng(n_sets).random((n_sets, n_rows)) < 0.6
    whole = members.astype(np.int64)
    np.testing.assert_array_equal(common_rows(members), whole @ whole.T)


def test_jobs_and_memory_order_do_not_matter():
    members = np.asfortranarray(np.random.default_rng(0).random((200, 99)) < 0.5)
    expected = common_rows(np.ascontiguousarray(members))
    np.testing.assert_array_equal(common_rows(members, n_jobs=2), expected)


def test_blocks_hold_every_pair_once():
    members = np.random.default_rng(1).random((150, 40)) < 0.5
    whole = members.astype(np.int64) @ members.T.astype(np.int64)
    seen = np.zeros_like(whole)
    for begin, counts in common_row_blocks(members):
        block = slice(begin, begin + len(counts))
        np.testing.assert_array_equal(counts, whole[block, begin:])
        seen[block, begin:] += 1
    assert (np.triu(seen) == np.triu(np.ones_like(seen))).all()


@pytest.mark.parametrize("kind", list(Instructions))
def test_all_instructions_count_the_same(kind):
    if not has_instructions(kind):
        pytest.skip("this machine does not have them")
    flags = (np.random.default_rng(2).random((70, 500)) < 0.3).view(np.uint8)
    counts = CommonRows(flags, kind).count(1)
    whole = flags.astype(np.int64)
    np.testing.assert_array_equal(counts, whole[64:] @ whole[64:].T)
