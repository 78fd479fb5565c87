"""C4.5 the plain way: Quinlan's release 8 in double precision, and Weka's J48.

R8 follows the published semantics of release 8 with real weights; J48 follows the
behaviour of Weka 3.9.7. They differ in slack, in the bound on errors, in the order of
collapsing, in what counts as all rows and in what an empty branch answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from reference.trees import (
    Node,
    Sample,
    branch_of,
    class_weights,
    entropy,
    known_weights,
    majority,
    send_down,
)

EPSILON = 1e-3  # Quinlan's slack for gains and for collapsing
# Quinlan's table of one-sided normal deviates, interpolated linearly.
DEVIATE_LEVELS = (0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


@dataclass(frozen=True)
class Options:
    compatibility: str | None = None
    min_cases: float = 2
    pruning_confidence: float = 0.25
    prune: bool = True
    subtree_raising: bool = True
    collapse: bool = True
    gain_ratio: bool = True
    release8_penalty: bool = True
    actual_thresholds: bool = True

    @property
    def j48(self):
        return self.compatibility == "j48"

    @property
    def slack(self):
        """By how much a number must exceed another to count as greater."""
        return 1e-6 if self.j48 else 1e-9


RELEASE_8 = Options()


@dataclass
class Test:
    """A test that may be made at a node, and what it is worth."""

    feature: int
    threshold: float
    levels: list | None
    gain: float
    split_info: float


def extra_errors(n, e, confidence, compatibility=None):
    """Errors to add to e among n cases for the upper limit at this confidence."""
    j48 = compatibility == "j48"
    if j48:
        confidence = float(np.float32(confidence))
        z = NormalDist().inv_cdf(1 - confidence)
    else:
        z = float(np.interp(confidence, DEVIATE_LEVELS, DEVIATES))
    if e < 1:
        base = n * (1 - confidence ** (1 / n))
        if e == 0:
            return base
        return base + e * (extra_errors(n, 1.0, confidence, compatibility) - base)
    if e + 0.5 >= n:
        return max(n - e, 0.0) if j48 else 0.67 * (n - e)
    c = z * z
    spread = math.sqrt(c * ((e + 0.5) * (1 - (e + 0.5) / n) + c / 4))
    return n * (e + 0.5 + c / 2 + spread) / (n + c) - e


def grow(sample: Sample, options: Options = RELEASE_8) -> Node:
    """Grow, collapse and prune."""
    rows, weights = sample.cases()
    root = _grow(sample, options, rows, weights, 0)
    if options.j48:
        if options.collapse:
            _collapse_j48(root)
        if options.prune:
            _prune_j48(sample, options, root, rows, weights)
        _inherit_predictions(root, 0)
    elif options.prune and root.weight > 0:
        _prune_r8(sample, options, root, rows, weights, update=True)
    return root


def _grow(sample, options, rows, weights, parent_class):
    counts = class_weights(sample, rows, weights)
    # An empty branch answers its parent's class.
    prediction = majority(counts) if len(rows) else parent_class
    node = Node(counts, float(counts.sum()), prediction)
    test = _choose_test(sample, options, rows, weights, node)
    if test is None:
        return node
    node.feature, node.threshold = test.feature, test.threshold
    node.levels, node.gain = test.levels, test.gain
    least = 1e-6 if options.j48 else 0.0
    node.children = [
        _grow(sample, options, part, part_weights, prediction)
        for part, part_weights in send_down(
            sample, node, rows, weights, least_share=least
        )
    ]
    if options.collapse and not options.j48:
        _collapse_r8(node)
    return node


def _choose_test(sample, options, rows, weights, node):
    slack = options.slack
    if node.weight < 2 * options.min_cases - slack:
        return None
    if node.errors <= slack:
        return None
    tests = [
        test
        for feature in range(len(sample.columns))
        if (test := evaluate(sample, options, rows, weights, feature)) is not None
    ]
    average = _average_gain(sample, options, tests)
    floor = 1e-6 if options.j48 else EPSILON
    best, best_worth = None, 0.0 if options.j48 else -math.inf
    for test in tests:
        worth = test.gain
        if options.gain_ratio:
            if test.gain < average - EPSILON or test.split_info <= floor:
                continue
            worth = test.gain / test.split_info
        if worth > best_worth + slack:
            best, best_worth = test, worth
    if best is not None and best.levels is None and options.actual_thresholds:
        # Thresholds occur in the whole training table, not only in this node.
        all_rows = slice(None) if options.j48 else sample.cases()[0]
        values = sample.columns[best.feature][all_rows]
        best.threshold = float(values[values <= best.threshold].max())
    return best


def _average_gain(sample, options, tests):
    """Mean gain, nominal features of very many levels left out if not all are such."""
    all_rows = len(sample.target) if options.j48 else sample.cases()[1].sum()
    most = 0.3 * all_rows - options.slack
    many = [n is not None and n >= most for n in sample.levels]
    if all(many):
        many = [False] * len(many)
    gains = [test.gain for test in tests if not many[test.feature]]
    return sum(gains) / len(gains) if gains else math.inf


def evaluate(sample, options, rows, weights, feature):
    """The best test of one feature on these cases, or None if it has none."""
    if sample.levels[feature] is None:
        return _evaluate_numeric(sample, options, rows, weights, feature)
    return _evaluate_nominal(sample, options, rows, weights, feature)


def _evaluate_nominal(sample, options, rows, weights, feature):
    n_levels = sample.levels[feature]
    codes, classes = sample.columns[feature][rows], sample.target[rows]
    counts = np.zeros((n_levels, sample.n_classes))
    known = codes >= 0
    np.add.at(counts, (codes[known], classes[known]), weights[known])
    sizes = counts.sum(axis=1)
    if (sizes >= options.min_cases - options.slack).sum() < 2:
        return None
    total = weights.sum()
    gain = _gain(options, counts, total)
    split_info = _split_info(sizes, total)
    return Test(feature, math.nan, list(range(n_levels)), gain, split_info)


def _evaluate_numeric(sample, options, rows, weights, feature):
    known = sample.known(feature, rows)
    values, classes = sample.columns[feature][rows[known]], sample.target[rows[known]]
    order = np.argsort(values, kind="stable")
    values = values[order]
    counts = np.zeros((len(values), sample.n_classes))
    counts[np.arange(len(values)), classes[order]] = weights[known][order]
    below = counts.cumsum(axis=0)
    all_known = counts.sum(axis=0)
    total, known_weight = weights.sum(), all_known.sum()
    slack = options.slack
    least = max(min(0.1 * known_weight / sample.n_classes, 25), options.min_cases)
    if options.j48 and len(values) < 2 * least - slack:
        return None
    best, best_gain, n_cuts = None, 0.0, 0
    for i in range(len(values) - 1):
        if not values[i] + 1e-5 < values[i + 1]:
            continue
        left = below[i]
        right = all_known - left
        if left.sum() < least - slack or right.sum() < least - slack:
            continue
        n_cuts += 1
        gain = _gain(options, [left, right], total)
        if gain > best_gain + slack:
            best, best_gain = i, gain
    if best is None:
        return None
    if options.release8_penalty:
        best_gain -= math.log2(n_cuts) / total
        if best_gain <= slack:
            return None
    sizes = [below[best].sum(), known_weight - below[best].sum()]
    threshold = midpoint(values[best], values[best + 1])
    return Test(feature, threshold, None, best_gain, _split_info(sizes, total))


def midpoint(low, high):
    """Number halfway; the lower one if rounding or an infinity would miss."""
    with np.errstate(invalid="ignore", over="ignore"):
        middle = (low + high) / 2
    return float(middle if low <= middle < high else low)


def _gain(options, counts, total):
    """Gain in bits; `total` includes the cases without a value."""
    counts = np.asarray(counts)
    sizes = counts.sum(axis=1)
    after = sum(size * entropy(part) for size, part in zip(sizes, counts, strict=True))
    numerator = sizes.sum() * entropy(counts.sum(axis=0)) - after
    if options.j48 and abs(numerator) <= 1e-6:
        return 0.0
    return numerator / total


def _split_info(sizes, total):
    """Entropy of the branches, cases without a value being one more."""
    missing = total - sum(sizes)
    if missing < 1e-9 * total:
        missing = 0.0
    return entropy([*sizes, missing])


def _collapse_r8(node):
    """Make a leaf if the branches, grown already, err no less."""
    if sum(training_errors(child) for child in node.children) >= node.errors - EPSILON:
        node.make_leaf()


def training_errors(node):
    if node.feature < 0:
        return node.errors
    return sum(training_errors(child) for child in node.children)


def _collapse_j48(node):
    if node.feature < 0:
        return
    if training_errors(node) >= node.errors - EPSILON:
        node.make_leaf()
    for child in node.children:
        _collapse_j48(child)


def _prune_r8(sample, options, node, rows, weights, *, update):
    """Estimated errors of the subtree on these cases; prune it if `update`."""
    counts = class_weights(sample, rows, weights)
    best = node.prediction
    for c in range(sample.n_classes):
        if counts[c] > counts[best] + options.slack:
            best = c
    total = float(counts.sum())
    errors = total - counts[best]
    as_leaf = errors + extra_errors(total, errors, options.pruning_confidence)
    if update:
        node.value, node.weight, node.prediction = counts, total, best
    if node.feature < 0:
        return as_leaf
    known = known_weights(sample, node, rows, weights)
    if known.sum() <= 0:
        if update:
            node.make_leaf()
        return as_leaf
    parts = send_down(sample, node, rows, weights)
    as_tree = sum(
        _prune_r8(sample, options, child, *part, update=update)
        for child, part, size in zip(node.children, parts, known, strict=True)
        if size > 0
    )
    if not update:
        return as_tree
    largest = last_greatest(known, options.slack)
    as_branch = math.inf
    if options.subtree_raising:
        as_branch = _prune_r8(
            sample, options, node.children[largest], rows, weights, update=False
        )
    if as_leaf <= as_branch + 0.1 and as_leaf <= as_tree + 0.1:
        node.make_leaf()
        return as_leaf
    if as_branch <= as_tree + 0.1:
        node.become(node.children[largest])
        return _prune_r8(sample, options, node, rows, weights, update=True)
    return as_tree


def last_greatest(values, slack):
    best = 0
    for i, value in enumerate(values):
        if value >= values[best] - slack:
            best = i
    return best


def _prune_j48(sample, options, node, rows, weights):
    if node.feature < 0:
        return
    parts = _send_down_j48(sample, node, rows, weights)
    for child, part in zip(node.children, parts, strict=True):
        _prune_j48(sample, options, child, *part)
    as_leaf = _leaf_estimate(options, node.value)
    as_tree = _tree_estimate(options, node)
    as_branch = math.inf
    if options.subtree_raising:
        sizes = [child.weight for child in node.children]
        branch = node.children[last_greatest(sizes, options.slack)]
        as_branch = _branch_estimate(sample, options, branch, rows, weights)
    slack = 0.1 + options.slack
    if as_leaf <= as_tree + slack and as_leaf <= as_branch + slack:
        node.make_leaf()
    elif as_branch <= as_tree + slack:
        node.become(branch)
        _recount(sample, node, rows, weights)
        _prune_j48(sample, options, node, rows, weights)


def _leaf_estimate(options, counts):
    total = counts.sum()
    if total <= options.slack:
        return 0.0
    errors = total - counts.max()
    return errors + extra_errors(total, errors, options.pruning_confidence, "j48")


def _tree_estimate(options, node):
    if node.feature < 0:
        return _leaf_estimate(options, node.value)
    return sum(_tree_estimate(options, child) for child in node.children)


def _branch_estimate(sample, options, node, rows, weights):
    """Estimated errors if these cases came to this node."""
    if node.feature < 0:
        return _leaf_estimate(options, class_weights(sample, rows, weights))
    parts = _send_down_j48(sample, node, rows, weights)
    return sum(
        _branch_estimate(sample, options, child, *part)
        for child, part in zip(node.children, parts, strict=True)
    )


def _recount(sample, node, rows, weights):
    node.value = class_weights(sample, rows, weights)
    node.weight = float(node.value.sum())
    if node.feature < 0:
        return
    parts = _send_down_j48(sample, node, rows, weights)
    for child, part in zip(node.children, parts, strict=True):
        _recount(sample, child, *part)


def _send_down_j48(sample, node, rows, weights):
    """Like `send_down`; without any known value all branches get equal shares."""
    if len(rows) and (branch_of(sample, node, rows) < 0).all():
        share = weights / len(node.children)
        return [(rows, share) for _ in node.children]
    return send_down(sample, node, rows, weights, least_share=1e-6)


def _inherit_predictions(node, parent_class):
    node.prediction = majority(node.value) if node.weight > 0 else parent_class
    for child in node.children:
        _inherit_predictions(child, node.prediction)
