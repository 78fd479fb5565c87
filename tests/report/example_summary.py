"""Made-up selections in the plain form that the report shows; no selector is run."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

STRONG, TOGETHER, LOCAL = "strongly relevant", "relevant together", "relevant locally"
REDUNDANT, IRRELEVANT, UNUSABLE = "redundant", "irrelevant", "unusable"
OVER = "over the limit"
KEPT = (STRONG, TOGETHER, LOCAL)

HOSTILE_NAMES = [
    "<img src=x onerror=window.hacked=1>",
    '"><script>window.hacked=1</script>',
    "</script><script>window.hacked=1</script>",
    "<!--<script>",
    "]]> & ' \" ` ${window.hacked=1} {{ 7*7 }} {% raw %}",
    "javascript:window.hacked=1",
    "שם העמודה",
    "درآمد سالانه",
    "a\u202eb\x00c",
    "👩‍👩‍👧‍👦 family",
    "naïve Ünïcödé 日本語",
    "line\nbreak\ttab",
    "",
    "   ",
    "x" * 300,
    "two words " * 30,
    "__proto__",
    "constructor",
    "\u2028\u2029",
    "\ud800 lone",
]

CODE = """import featsieve

selection = featsieve.select(
    "customers.csv",
    "churned",
    fdr=0.05,
    random_state=0,
)
selection.report("customers.html")"""

_COLUMNS = [
    ("tenure_months", "numeric", STRONG, 0.214),
    ("contract", "nominal", STRONG, 0.187),
    ("support_calls", "numeric", STRONG, 0.142),
    ("monthly_fee", "numeric", STRONG, 0.096),
    ("payment_method", "nominal", STRONG, 0.071),
    ("region", "nominal", STRONG, 0.043),
    ("router_model", "nominal", TOGETHER, 0.138),
    ("line_type", "nominal", TOGETHER, 0.138),
    ("age", "numeric", LOCAL, 0.052),
    ("total_paid", "numeric", REDUNDANT, 0.201),
    ("dialling_code", "nominal", REDUNDANT, 0.041),
    ("fee_with_tax", "numeric", REDUNDANT, 0.096),
    ("customer_id", "nominal", UNUSABLE, None),
    ("country", "nominal", UNUSABLE, None),
]


def customers(n_noise: int = 16) -> dict[str, Any]:
    """Return a selection of thirty columns with every verdict but one."""
    draw = random.Random(0)
    ledger = [_row(draw, *column) for column in _COLUMNS]
    ledger += [
        _row(draw, f"survey_{k + 1:02d}", draw.choice(["numeric", "nominal"]))
        for k in range(n_noise)
    ]
    draw.shuffle(ledger)
    by_name = {row["feature"]: row for row in ledger}
    for a, b in (("router_model", "line_type"), ("line_type", "router_model")):
        by_name[a]["partners"] = [b]
        by_name[a]["note"] = f"Tells nothing alone, 0.138 bits together with {b}."
    displaced = [
        ("total_paid", "tenure_months"),
        ("dialling_code", "region"),
        ("fee_with_tax", "monthly_fee"),
    ]
    for name, by in displaced:
        by_name[name]["displaced_by"] = by_name[name]["interchangeable_with"] = [by]
        by_name[name]["note"] = f"Adds nothing to what {by} tells."
    by_name["age"]["where"] = "tenure_months between 2 and 14"
    by_name["age"]["note"] = "Tells where tenure_months is between 2 and 14."
    by_name["customer_id"]["note"] = "Has as many levels as rows: a row number."
    by_name["country"]["note"] = "Constant."
    return _summary(
        ledger,
        title="customers.csv → churned",
        probes=_probes(draw),
        probe_line=0.0061,
        interactions=[
            _interaction(["router_model", "line_type"], 0.138, 0.151),
            _interaction(["contract", "support_calls"], 0.021, 0.36, p=0.004),
            _interaction(["tenure_months", "monthly_fee", "age"], 0.034, 0.41, p=0.01),
            _interaction(["tenure_months", "total_paid"], -0.192, 0.23),
            _interaction(["region", "dialling_code"], -0.04, 0.045),
        ],
        redundancy=[
            _group("tenure_months", "total_paid", 0.94),
            _group("region", "dialling_code", 0.99),
            _group("monthly_fee", "fee_with_tax", 1.0),
        ],
        local_relevance=_local(["age", "support_calls", "contract", "monthly_fee"]),
        notes=[
            {
                "feature": "customer_id",
                "code": "identifier",
                "text": "Every row has a value of its own, so it was set aside.",
                "severity": "warning",
            },
            {
                "feature": "total_paid",
                "code": "mostly_missing",
                "text": "Is missing in 61 % of the rows.",
                "severity": "warning",
            },
            {
                "feature": None,
                "code": "missing_target",
                "text": "12 rows without a target were left out.",
                "severity": "note",
            },
        ],
    )


def many(n: int) -> dict[str, Any]:
    """Return a selection of n columns, about one in fifty relevant."""
    draw = random.Random(n)
    ledger = []
    for k in range(n):
        verdict = draw.choices(
            [STRONG, TOGETHER, LOCAL, REDUNDANT, IRRELEVANT, UNUSABLE, OVER],
            [10, 4, 2, 12, 955, 12, 5],
        )[0]
        score = None if verdict == UNUSABLE else draw.gammavariate(2.0, 0.05)
        if verdict == IRRELEVANT:
            score = draw.gammavariate(1.0, 0.002)
        kind = draw.choice(["numeric", "nominal"])
        ledger.append(_row(draw, f"expression_{k:05d}", kind, verdict, score))
    strong = [row["feature"] for row in ledger if row["verdict"] == STRONG]
    together = [row for row in ledger if row["verdict"] == TOGETHER]
    interactions = []
    for a, b in zip(together[::2], together[1::2], strict=False):
        a["partners"], b["partners"] = [b["feature"]], [a["feature"]]
        members = [a["feature"], b["feature"]]
        interactions.append(_interaction(members, draw.uniform(0.01, 0.2), 0.2))
    redundancy = {}
    for row in ledger:
        if row["verdict"] == REDUNDANT and strong:
            by = draw.choice(strong)
            row["displaced_by"] = [by]
            row["note"] = f"Adds nothing to what {by} tells."
            group = redundancy.setdefault(by, _group(by, row["feature"], 0.9))
            if group["set_aside"][0]["feature"] != row["feature"]:
                group["set_aside"] += _group(by, row["feature"], 0.8)["set_aside"]
    return _summary(
        ledger,
        title=f"expression.parquet → tissue ({n:,} columns)",
        probes=_probes(draw),
        probe_line=0.011,
        interactions=interactions,
        redundancy=list(redundancy.values()),
        local_relevance=_local([row["feature"] for row in ledger[:60]], n_bins=60),
        notes=[],
    )


def hostile() -> dict[str, Any]:
    """Return a selection whose every text tries to break out of the page."""
    draw = random.Random(1)
    verdicts = [STRONG, TOGETHER, TOGETHER, LOCAL, REDUNDANT, IRRELEVANT, UNUSABLE]
    names = HOSTILE_NAMES
    ledger = [
        _row(draw, name, "nominal", verdicts[k % 7], 0.02 * (k + 1))
        for k, name in enumerate(names)
    ]
    for k, row in enumerate(ledger):
        row["note"] = f"Because of {names[-1 - k]}"
        row["partners"] = [names[(k + 1) % len(names)]]
        row["displaced_by"] = [names[(k + 2) % len(names)]]
        row["interchangeable_with"] = [names[(k + 3) % len(names)]]
        row["where"] = names[0]
    pairs = itertools.pairwise(names)
    summary = _summary(
        ledger,
        title=names[2],
        probes=_probes(draw),
        probe_line=0.03,
        interactions=[
            *(
                _interaction([a, b], 0.1 - 0.01 * k, 0.2)
                for k, (a, b) in enumerate(pairs)
            ),
            _interaction(names[:3], 0.05, 0.1),
        ],
        redundancy=[_group(names[0], names[1], 0.5), _group(names[3], names[2], None)],
        local_relevance=_local(names) | {"ordered_by": names[1]},
        notes=[
            {"feature": name, "code": None, "text": name, "severity": "warning"}
            for name in names
        ],
    )
    summary["local_relevance"]["positions"] = [names[k % 20] for k in range(24)]
    summary["target"] = {
        "name": names[1],
        "kind": "nominal",
        "classes": [{"name": name, "count": 7} for name in names],
        "n_missing": 0,
    }
    summary["table"]["source"] = names[0]
    computation = summary["computation"]
    computation["parameters"] = {name: name for name in names} | {"nested": [names[0]]}
    computation["versions"] = {names[0]: names[1]}
    computation["code"] = "\n".join(names)
    computation["seconds"] = {names[0]: 1.0}
    computation["sampling"] = computation["method"] = names[2]
    summary["measure"] = {"name": names[0], "unit": names[1][:40]}
    return summary


def houses() -> dict[str, Any]:
    """Return a selection for a numeric target, scores as shares of its variance."""
    draw = random.Random(2)
    rows = [
        _row(draw, "rooms", "numeric", STRONG, 0.48),
        _row(draw, "district", "nominal", STRONG, 0.31),
        _row(draw, "distance_to_centre", "numeric", STRONG, 0.22),
        _row(draw, "floor", "numeric", LOCAL, 0.04),
        _row(draw, "area_in_feet", "numeric", REDUNDANT, 0.47),
        *(_row(draw, f"noise_{k}", "numeric") for k in range(5)),
    ]
    rows[4]["displaced_by"] = rows[4]["interchangeable_with"] = ["rooms"]
    summary = _summary(
        rows,
        title="houses.parquet → price",
        probes=_probes(draw),
        probe_line=0.004,
        interactions=[
            _interaction(["rooms", "district"], 0.06, 0.7),
            _interaction(["rooms", "area_in_feet"], -0.4, 0.5),
        ],
        redundancy=[_group("rooms", "area_in_feet", 0.93)],
        local_relevance=_local(["floor", "rooms"], negative=True),
        notes=[],
    )
    summary["target"] = {
        "name": "price",
        "kind": "numeric",
        "classes": [],
        "n_missing": 3,
    }
    summary["measure"] = {"name": "share of variance", "unit": "share of variance"}
    return summary


def nothing_selected() -> dict[str, Any]:
    """Return a selection that kept nothing, with every optional part empty."""
    draw = random.Random(3)
    summary = _summary(
        [_row(draw, f"noise_{k}", "numeric") for k in range(12)],
        title="noise.csv → class",
        probes=[],
        probe_line=None,
        interactions=[],
        redundancy=[],
        local_relevance=None,
        notes=[],
    )
    summary["computation"]["sampling"] = None
    return summary


def smallest() -> dict[str, Any]:
    """Return the least that is a selection."""
    return {
        "format": "featsieve-selection",
        "version": 1,
        "title": "t",
        "target": {"name": "y", "kind": "nominal"},
        "table": {"n_rows": 2, "n_columns": 1},
        "features": ["a"],
        "ledger": [{"feature": "a", "verdict": STRONG, "kept": True}],
        "measure": {"name": "information gain", "unit": "bits"},
    }


def _summary(ledger: list[dict[str, Any]], **parts: Any) -> dict[str, Any]:
    kept = sorted((row for row in ledger if row["kept"]), key=lambda r: -r["score"])
    return {
        "format": "featsieve-selection",
        "version": 1,
        "target": {
            "name": "churned",
            "kind": "nominal",
            "classes": [
                {"name": "no", "count": 7308},
                {"name": "yes", "count": 2680},
            ],
            "n_missing": 12,
        },
        "table": {
            "n_rows": 10_000,
            "n_columns": len(ledger),
            "source": "customers.csv",
        },
        "features": [row["feature"] for row in kept],
        "ledger": ledger,
        "measure": {"name": "information gain", "unit": "bits"},
        "computation": {
            "method": "auto",
            "parameters": {
                "fdr": 0.05,
                "max_selected": None,
                "time_budget": 60,
                "n_jobs": None,
            },
            "random_state": 0,
            "versions": {"featsieve": "0.1.0", "numpy": "2.4.6", "python": "3.11.9"},
            "n_rows_used": 6_000,
            "sampling": "6,000 of 10,000 rows, drawn by class, to keep to 60 seconds.",
            "seconds": {
                "screen": 0.021,
                "alone": 1.42,
                "together": 2.9,
                "context": 4.87,
                "redundancy": 0.31,
            },
            "code": CODE,
        },
        **parts,
    }


_STAGES = {
    STRONG: "alone",
    TOGETHER: "together",
    LOCAL: "context",
    REDUNDANT: "redundancy",
    IRRELEVANT: "context",
    UNUSABLE: "screen",
    OVER: "limit",
}
_NOTES = {
    STRONG: "Tells more than any shuffled target.",
    TOGETHER: "Tells more together with its partner.",
    LOCAL: "Tells in a part of the rows.",
    REDUNDANT: "Adds nothing to what is kept.",
    IRRELEVANT: "Tells no more than chance, alone or with others.",
    UNUSABLE: "Constant.",
    OVER: "Relevant, but beyond the number of features asked for.",
}


def _row(
    draw: random.Random,
    name: str,
    kind: str,
    verdict: str = IRRELEVANT,
    score: float | None = -1.0,
) -> dict[str, Any]:
    if score == -1.0:
        score = draw.gammavariate(1.0, 0.0015)
    relevant = verdict in (*KEPT, REDUNDANT, OVER)
    spread = None if score is None else 0.004 + 0.09 * score
    p_value = 10 ** -draw.uniform(3.5, 9) if relevant else draw.uniform(0.06, 1)
    alone = score if verdict not in (TOGETHER, LOCAL) else draw.uniform(0, 0.003)
    missing = 0.61 if name == "total_paid" else draw.choice([0, 0, 0, 0.004, 0.08])
    return {
        "feature": name,
        "kind": kind,
        "verdict": verdict,
        "kept": verdict in KEPT,
        "stage": _STAGES[verdict],
        "score": score,
        "low": None if score is None else score - spread,
        "high": None if score is None else score + spread,
        "p_value": None if score is None else p_value,
        "threshold": None if score is None else 0.0074,
        "probe": None if score is None else 0.0052 if kind == "numeric" else 0.0061,
        "displaced_by": [],
        "interchangeable_with": [],
        "partners": [],
        "where": None,
        "note": _NOTES[verdict],
        "missing_share": missing,
        "n_levels": draw.randint(2, 14) if kind == "nominal" else None,
        "alone": {
            "score": alone,
            "p_value": None if score is None else draw.uniform(0, 1),
            "rank_association": draw.uniform(-1, 1) if kind == "numeric" else None,
            "rank_p_value": draw.uniform(0, 1) if kind == "numeric" else None,
        },
        "context": {
            "score": draw.gammavariate(1, 0.01) if score is not None else None,
            "p_value": draw.uniform(0, 1) if score is not None else None,
        },
    }


def _probes(draw: random.Random) -> list[dict[str, Any]]:
    kinds = ["gaussian", "uniform", "binary", "nominal"] * 3
    return [
        {
            "kind": kind,
            "n_levels": 5 if kind == "nominal" else None,
            "score": draw.uniform(0, 0.006),
        }
        for kind in kinds
    ]


def _interaction(
    members: list[str], synergy: float, joint: float, p: float = 0.0002
) -> dict[str, Any]:
    return {
        "members": members,
        "joint_gain": joint,
        "synergy": synergy,
        "p_value": p,
        "kept": synergy > 0,
        "kind": "synergy" if synergy > 0 else "redundancy",
    }


def _group(kept: str, name: str, association: float | None) -> dict[str, Any]:
    reason = f"Given {kept}, it tells no more than chance."
    told = {"feature": name, "association": association, "p_value": 0.41}
    return {"kept": kept, "set_aside": [told | {"reason": reason}]}


def _local(
    names: list[str], n_bins: int = 24, *, negative: bool = False
) -> dict[str, Any]:
    values = [
        [
            round(0.08 * math.exp(-(((b - 4 - 3 * k) / 5) ** 2)) - 0.02 * negative, 5)
            for b in range(n_bins)
        ]
        for k in range(len(names))
    ]
    positions = [round(72 * (b + 0.5) / n_bins, 2) for b in range(n_bins)]
    return {
        "features": names,
        "ordered_by": "tenure_months",
        "positions": positions,
        "values": values,
    }
