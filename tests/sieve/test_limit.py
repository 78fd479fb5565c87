"""A limited number of features, interactions whole."""

from featsieve.sieve._limit import limit_features


def test_strongest_first():
    assert limit_features([4, 1, 7], {}, 2) == {7}
    assert limit_features([4, 1, 7], {}, 5) == set()


def test_partners_come_along_or_not_at_all():
    partners = {1: (2,), 2: (1,)}
    assert limit_features([0, 1, 2, 3], partners, 3) == {3}
    assert limit_features([0, 1, 2, 3], partners, 2) == {1, 2}
    assert limit_features([1, 2], partners, 1) == {1, 2}


def test_partners_that_are_gone_are_not_waited_for():
    assert limit_features([1, 3], {1: (2,)}, 1) == {3}
