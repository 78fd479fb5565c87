"""Answers of members, for Hypothesis."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


def answers(n_classes=3):
    shape = st.tuples(st.integers(2, 6), st.integers(1, 25))
    return shape.flatmap(
        lambda shape: st.tuples(
            hnp.arrays(np.int32, shape, elements=st.integers(0, n_classes - 1)),
            hnp.arrays(np.int32, shape[1], elements=st.integers(0, n_classes - 1)),
        )
    )
