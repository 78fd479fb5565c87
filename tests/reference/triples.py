"""Gains of triples of features, slow and plain."""

import itertools

from reference.pairs import gain, known_rows


def triple_gain(codes, target, missing="level", weights=None):
    """List of (members, joint gain, third order, synergy) of all triples."""
    n_rows, p = codes.shape
    target = [int(label) for label in target]
    columns = [[max(int(v), -1) for v in codes[:, j]] for j in range(p)]
    found = []
    for members in itertools.combinations(range(p), 3):
        of_triple = [columns[j] for j in members]
        rows = range(n_rows)
        if missing == "ignore":
            rows = known_rows(of_triple, n_rows)
        labels = [target[r] for r in rows]
        share = None if weights is None else [weights[r] for r in rows]

        def tells(*some, rows=rows, labels=labels, share=share):
            chosen = [[columns[j][r] for r in rows] for j in some]
            return gain(chosen, labels, share)

        i, j, k = members
        joint = tells(i, j, k)
        alone = tells(i) + tells(j) + tells(k)
        third = joint - tells(i, j) - tells(i, k) - tells(j, k) + alone
        splits = [
            alone,
            tells(i, j) + tells(k),
            tells(i, k) + tells(j),
            tells(j, k) + tells(i),
        ]
        found.append((members, joint, third, joint - max(splits)))
    return found
