"""A realistic table with everything real tables have, and the truth about it."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve._checks import check_flag
from featsieve._docs import described_like
from featsieve._types import Array
from featsieve.data import Column
from featsieve.datasets._problem import (
    COMMON,
    Draft,
    Problem,
    gaussian_noise,
    noise_in_turn,
    nominal_column,
    nominal_noise,
    numeric_column,
)

_CLASSES = ("stays", "downgrades", "leaves")
_SHARES = (0.72, 0.18, 0.10)
_STAYS, _DOWNGRADES, _LEAVES = range(3)

_CITIES = (
    *("Aldhaven", "Ashford", "Birkdale", "Blackmoor", "Bramley", "Brightwater"),
    *("Caldermouth", "Clifton", "Coldbrook", "Crowhurst", "Dunmere", "Eastwick"),
    *("Elmsworth", "Fairholm", "Farnleigh", "Glenrock", "Greyport", "Hartfield"),
    *("Hollowell", "Ironbridge", "Kingsley", "Lakeside", "Langton", "Lower Marsh"),
    *("Maplewood", "Millbrook", "Northam", "Oakhurst", "Old Quay", "Pinehill"),
    *("Queensferry", "Ravensby", "Redcliff", "Saltmarsh", "Stonegate", "Thornbury"),
    *("Underhill", "Westbourne", "Whitby Cross", "Yarrow"),
)
_SATISFACTION = ("very low", "low", "medium", "high", "very high")
_SATISFACTION_SHARES = (  # one row for each class
    (0.05, 0.10, 0.25, 0.35, 0.25),
    (0.15, 0.30, 0.30, 0.17, 0.08),
    (0.35, 0.30, 0.20, 0.10, 0.05),
)
_BROWSERS = ("Chrome", "Edge", "Firefox", "Opera", "Safari", "other")
_NO_YES = ("no", "yes")


@described_like(COMMON)
def make_mixed(
    n_rows: int = 2000,
    *,
    leak: bool = False,
    n_noise: int = 10,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Who stays with a telephone company, who downgrades, who leaves.

    The table has what real tables have. Given the class, all features are independent
    of each other, except where a copy or a pair is meant:

    - numeric and informative: ``tenure_months``, ``monthly_bill`` (with a noisy copy,
      ``bill_before_tax``), ``data_usage_gb``;
    - nominal with 40 levels: ``city`` (with a recoded copy, ``dialling_code``);
    - ordinal text: ``satisfaction``, levels in rising order;
    - a pair: ``router`` and ``line``. Neither tells anything alone; customers whose
      router does not fit their line tend to downgrade or leave;
    - for one class only: ``support_calls``, raised for those who leave;
    - of no use: ``customer_id`` (differs in every row), ``country`` (one value),
      ``age``, ``income``, ``household_size``, ``browser``, ``newsletter`` and the noise
      columns;
    - a leak, when asked for: ``closing_fee``, known only after the customer has left.

    Missing values: ``data_usage_gb`` is missing at random, more often for the old;
    ``satisfaction`` and ``income`` not at random, as the least satisfied do not answer
    and the rich do not tell; ``bill_before_tax`` and ``browser`` by mere chance.

    Parameters
    ----------
    n_rows : int, default=2000
        Number of rows; about 72 % stay, 18 % downgrade, 10 % leave.
    leak : bool, default=False
        Whether ``closing_fee`` is in the table. It is ``harmless`` in the truth: it
        does tell the class, and no one should use it.
    n_noise : int, default=10
        Extra columns: Gaussian, two levels, twelve levels and skewed, in turn.

    Returns
    -------
    Problem
        The table and the truth. Details: ``"own_feature"`` maps class to feature,
        ``"leak"``, ``"identifier"`` and ``"constant"`` name a column (or None).

    Examples
    --------
    >>> table, truth = make_mixed(random_state=0)
    >>> truth.redundant
    (('monthly_bill', 'bill_before_tax'), ('city', 'dialling_code'))
    >>> table["city"].n_levels, table["satisfaction"].n_missing > 0
    (40, True)
    """
    draft = Draft("make_mixed", n_noise, label_noise, random_state)
    n_rows = draft.rows(n_rows)
    leak = check_flag("leak", leak, "make_mixed")
    rng = draft.rng
    labels = rng.choice(len(_CLASSES), size=n_rows, p=_SHARES)
    age = np.round(np.clip(rng.normal(48, 15, size=n_rows), 18, 95))
    columns = [
        *_identity(n_rows, rng),
        numeric_column("age", age),
        *_contract(labels, rng),
        *_usage(labels, age, rng),
        *_place(labels, rng),
        *_equipment(labels, rng),
        _answer(labels, rng),
        *_idle(n_rows, rng),
    ]
    # Drawn always, so that the rest of the table is the same with and without it.
    fee = np.where(labels == _LEAVES, rng.uniform(20, 90, size=n_rows).round(2), 0.0)
    if leak:
        columns.append(numeric_column("closing_fee", fee))
    redundant = (("monthly_bill", "bill_before_tax"), ("city", "dialling_code"))
    return draft.problem(
        columns + draft.noise(n_rows, _NOISE),
        draft.classes(labels, _CLASSES),
        relevant=(
            "tenure_months",
            *redundant[0],
            "data_usage_gb",
            "support_calls",
            *redundant[1],
            "router",
            "line",
            "satisfaction",
        ),
        redundant=redundant,
        interactions=(("router", "line"),),
        harmless=("closing_fee",) if leak else (),
        details={
            "own_feature": {"leaves": "support_calls"},
            "leak": "closing_fee" if leak else None,
            "identifier": "customer_id",
            "constant": "country",
        },
    )


def _identity(n_rows: int, rng: np.random.Generator) -> list[Column]:
    width = len(str(n_rows))
    levels = [f"C{i:0{width}d}" for i in range(1, n_rows + 1)]
    return [
        nominal_column("customer_id", rng.permutation(n_rows), levels),
        nominal_column("country", np.zeros(n_rows), ("Freedonia",)),
    ]


def _contract(labels: Array, rng: np.random.Generator) -> list[Column]:
    n_rows = len(labels)
    tenure = np.ceil(rng.gamma(2.0, np.take((24.0, 18.0, 8.0), labels)))
    bill = rng.lognormal(np.take((3.5, 3.95, 3.7), labels), 0.35).round(2)
    before_tax = (bill / 1.2 + rng.normal(0, 1.5, size=n_rows)).round(2)
    before_tax[rng.random(n_rows) < 0.05] = np.nan
    return [
        numeric_column("tenure_months", tenure),
        numeric_column("monthly_bill", bill),
        numeric_column("bill_before_tax", before_tax),
    ]


def _usage(labels: Array, age: Array, rng: np.random.Generator) -> list[Column]:
    usage = rng.gamma(3.0, np.take((4.0, 2.0, 3.0), labels)).round(1)
    # At random given age, which is always known.
    usage[rng.random(len(labels)) < np.where(age > 65, 0.4, 0.05)] = np.nan
    calls = rng.poisson(np.where(labels == _LEAVES, 4.0, 1.5))
    return [
        numeric_column("data_usage_gb", usage),
        numeric_column("support_calls", calls),
    ]


def _place(labels: Array, rng: np.random.Generator) -> list[Column]:
    n_cities = len(_CITIES)
    size = rng.uniform(0.5, 1.5, size=n_cities)
    # A competitor is strong in 8 cities, a better tariff is advertised in 8 others.
    pull = np.ones((len(_CLASSES), n_cities))
    special = rng.permutation(n_cities)
    pull[_LEAVES, special[:8]] = 8.0
    pull[_DOWNGRADES, special[8:16]] = 5.0
    chances = size * pull
    chances /= chances.sum(axis=1, keepdims=True)
    cities = np.empty(len(labels), dtype=np.int32)
    for label, chance in enumerate(chances):
        rows = labels == label
        cities[rows] = rng.choice(n_cities, size=rows.sum(), p=chance)
    dialling = rng.permutation(n_cities)
    return [
        nominal_column("city", cities, _CITIES),
        nominal_column(
            "dialling_code", dialling[cities], [f"0{200 + 7 * i}" for i in range(40)]
        ),
    ]


def _equipment(labels: Array, rng: np.random.Generator) -> list[Column]:
    # The margins are fair coins in every class; only the mismatch depends on it.
    mismatch = rng.random(len(labels)) < np.take((0.30, 0.80, 0.70), labels)
    router = rng.integers(2, size=len(labels))
    return [
        nominal_column("router", router, ("R1", "R2")),
        nominal_column("line", router ^ mismatch, ("copper", "fibre")),
    ]


def _answer(labels: Array, rng: np.random.Generator) -> Column:
    steps = np.cumsum(_SATISFACTION_SHARES, axis=1)[:, :-1]
    answer = (rng.random(len(labels))[:, np.newaxis] > steps[labels]).sum(axis=1)
    silent = rng.random(len(labels)) < np.take((0.3, 0.15, 0.1, 0.08, 0.05), answer)
    answer[silent] = -1
    return nominal_column("satisfaction", answer, _SATISFACTION)


def _idle(n_rows: int, rng: np.random.Generator) -> list[Column]:
    income = rng.lognormal(10.3, 0.5, size=n_rows).round(-2)
    rich = income > np.quantile(income, 0.8)
    income[rng.random(n_rows) < np.where(rich, 0.5, 0.05)] = np.nan
    browser = rng.choice(
        len(_BROWSERS), size=n_rows, p=(0.5, 0.12, 0.1, 0.03, 0.2, 0.05)
    )
    browser[rng.random(n_rows) < 0.03] = -1
    return [
        numeric_column("income", income),
        numeric_column("household_size", 1 + rng.poisson(1.4, size=n_rows)),
        nominal_column("browser", browser, _BROWSERS),
        nominal_column("newsletter", rng.integers(2, size=n_rows), _NO_YES),
    ]


def _skewed(name: str, _: int, n_rows: int, rng: np.random.Generator) -> Column:
    return numeric_column(name, rng.lognormal(0, 1, size=n_rows))


_NOISE = noise_in_turn(
    gaussian_noise,
    nominal_noise(_NO_YES),
    nominal_noise([f"group {j:02d}" for j in range(1, 13)]),
    _skewed,
)
