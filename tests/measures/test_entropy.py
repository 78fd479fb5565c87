import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve import measures
from reference import measures as plain


@st.composite
def three_columns(draw):
    n = draw(st.integers(1, 40))
    column = st.lists(st.integers(-1, 4), min_size=n, max_size=n)
    classes = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    x, z = (np.array(draw(column), dtype=np.int32) for _ in range(2))
    return x, np.array(draw(classes), dtype=np.int32), z


@given(three_columns())
@settings(max_examples=100)
def test_entropies_equal_their_definition(columns):
    x, y, z = columns
    rows = list(zip(x.tolist(), z.tolist(), strict=True))
    assert measures.joint_entropy(x, z) == pytest.approx(
        plain.entropy_of(plain.weigh(rows)), abs=1e-9
    )
    weights = np.arange(len(y)) % 3 + 0.5
    assert measures.entropy(y, weights=weights) == pytest.approx(
        plain.entropy_of(plain.weigh(y.tolist(), weights)), abs=1e-9
    )


@given(three_columns())
@settings(max_examples=100)
def test_chain_rule(columns):
    x, y, z = columns
    h = measures.joint_entropy
    assert measures.conditional_entropy(y, x) == pytest.approx(h(x, y) - h(x), abs=1e-9)
    matrix = np.column_stack([x, z])
    together = measures.joint_information_gain(matrix, y)
    step_by_step = measures.information_gain(
        x, y
    ) + measures.conditional_mutual_information(z, y, x)
    assert together == pytest.approx(step_by_step, abs=1e-9)
    synergy = measures.interaction_information(x, z, y)
    alone = measures.information_gain(matrix, y).sum()
    assert synergy == pytest.approx(together - alone, abs=1e-9)


def test_conditional_and_interaction_ignore_rows_with_a_gap():
    x, z, y = [0, 1, 0, 1, -1], [0, 0, 1, 1, 1], [0, 1, 1, 0, 0]
    full = measures.interaction_information(x[:4], z[:4], y[:4])
    assert full == pytest.approx(1.0)
    assert measures.interaction_information(x, z, y, missing="ignore") == pytest.approx(
        1.0
    )
    assert measures.conditional_mutual_information(
        x, y, z, missing="ignore", weights=np.ones(5)
    ) == pytest.approx(1.0)


def test_half_floats_are_codes_like_other_floats():
    codes = np.array([0, 1, 2, np.nan, 1, 1], dtype=np.float16)
    expected = measures.entropy(codes.astype(np.float64))
    np.testing.assert_array_equal(measures.entropy(codes), expected)


def test_complex_weights_are_refused():
    with pytest.raises(ValueError, match="'weights' parameter of a measure"):
        measures.entropy([0, 1], weights=[1j, 1])
