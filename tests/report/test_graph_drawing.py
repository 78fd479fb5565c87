"""Layout of small graphs: nothing overlaps, nothing sticks out, nothing is random."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.report._graph_drawing import lay_out


def overlaps(layout, boxes):
    apart = np.abs(layout.places[:, None] - layout.places)
    reach = (boxes[:, None] + boxes) / 2
    hit = (apart < reach - 1e-3).all(axis=2)
    return int(np.triu(hit, 1).sum())


def random_graph(n, n_edges, seed):
    random = np.random.default_rng(seed)
    boxes = np.column_stack([random.uniform(0.2, 1.7, n), random.uniform(0.2, 0.7, n)])
    pairs = {tuple(sorted(random.choice(n, 2, replace=False))) for _ in range(n_edges)}
    return boxes, [(int(i), int(j)) for i, j in sorted(pairs)]


@pytest.mark.parametrize(("n", "n_edges"), [(2, 1), (5, 4), (20, 30), (40, 20)])
@pytest.mark.parametrize("seed", range(3))
def test_boxes_do_not_overlap_and_stay_inside(n, n_edges, seed):
    boxes, edges = random_graph(n, n_edges, seed)
    layout = lay_out(boxes, edges)
    assert overlaps(layout, boxes) == 0
    assert (layout.places - boxes / 2 > -1e-6).all()
    size = np.array([layout.width, layout.height])
    assert (layout.places + boxes / 2 < size + 1e-6).all()


def test_complete_graph_of_forty():
    boxes = np.full((40, 2), (1.6, 0.5))
    edges = [(i, j) for i in range(40) for j in range(i)]
    assert overlaps(lay_out(boxes, edges), boxes) == 0


def test_is_the_same_every_time():
    boxes, edges = random_graph(25, 30, 1)
    one, two = lay_out(boxes, edges), lay_out(boxes, edges)
    np.testing.assert_array_equal(one.places, two.places)


def test_nodes_without_edges_stand_below():
    boxes = np.full((6, 2), 0.4)
    layout = lay_out(boxes, [(0, 1), (1, 2)])
    assert layout.places[3:, 1].max() < layout.places[:3, 1].min()
    assert len(set(layout.places[3:, 1])) == 1


def test_nothing_to_lay_out():
    layout = lay_out(np.zeros((0, 2)), [])
    assert layout.places.shape == (0, 2)
    assert layout.height > 0
