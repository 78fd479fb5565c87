import csv
from collections import Counter

import pytest

from featsieve.datasets import make_lenses, make_tic_tac_toe


def rows(table):
    columns = (*table.columns, table.target)
    return [tuple(c.levels[c.values[i]] for c in columns) for i in range(table.n_rows)]


def published(path):
    with path.open(newline="") as file:
        header, *lines = csv.reader(file)
    return tuple(header), [tuple(line) for line in lines]


def wins(board, player):
    grid = [board[i : i + 3] for i in (0, 3, 6)]
    lines = [*grid, *zip(*grid, strict=True)]
    lines += [[grid[i][i] for i in range(3)], [grid[i][2 - i] for i in range(3)]]
    return any(set(line) == {player} for line in lines)


def test_tic_tac_toe_boards_are_final_and_reachable():
    boards = rows(make_tic_tac_toe().table)
    assert len(set(boards)) == 958
    for *board, label in boards:
        x_wins, o_wins = wins(board, "x"), wins(board, "o")
        assert (label == "positive") == x_wins
        assert not (x_wins and o_wins)
        assert board.count("x") - board.count("o") == (0 if o_wins else 1)
        assert x_wins or o_wins or "b" not in board
    assert Counter(label for *_, label in boards) == {"positive": 626, "negative": 332}


def test_tic_tac_toe_draws():
    boards = rows(make_tic_tac_toe().table)
    draws = [b for *b, _ in boards if not wins(b, "x") and not wins(b, "o")]
    assert len(draws) == 16


def test_tic_tac_toe_interactions_are_the_lines():
    table, truth = make_tic_tac_toe()
    assert truth.relevant == table.names
    assert len(set(truth.interactions)) == 8
    for line in truth.interactions:
        board = ["x" if name in line else "b" for name in table.names]
        assert wins(board, "x")


@pytest.mark.published
def test_tic_tac_toe_equals_the_published_rows(shared_dir):
    header, lines = published(shared_dir / "data" / "tic-tac-toe" / "train.csv")
    table = make_tic_tac_toe().table
    assert (*table.names, "class") == header
    assert Counter(rows(table)) == Counter(lines)


def test_lenses_counts():
    lenses = [row[-1] for row in rows(make_lenses().table)]
    assert Counter(lenses) == {"none": 15, "soft": 5, "hard": 4}


@pytest.mark.published
def test_lenses_equal_the_published_rows(shared_dir):
    header, lines = published(shared_dir / "data" / "lenses" / "train.csv")
    table = make_lenses().table
    assert (*table.names, "class") == header
    assert rows(table) == lines
