"""Cauchy's combination of p-values in exact arithmetic, from the definition."""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache

#: p-values down to 1e-300 and their tangents, with digits to spare.
DIGITS = 660


@cache
def _pi():
    """Return π by Machin's formula."""

    def arctan_inverse(k):
        power, total, n, sign = Decimal(1) / k, Decimal(0), 1, 1
        while power > Decimal(10) ** -(DIGITS + 5):
            total += sign * power / n
            power /= k * k
            n, sign = n + 2, -sign
        return total

    return 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


def _sine(x):
    term, total, n = x, x, 1
    while abs(term) > Decimal(10) ** -(DIGITS + 5):
        term = -term * x * x / ((n + 1) * (n + 2))
        total += term
        n += 2
    return total


def _arctan(x):
    """Return the arctangent, the argument being made small by half angles."""
    halvings = 0
    while abs(x) > Decimal("0.05"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    term, total, n = x, x, 1
    while abs(term) > Decimal(10) ** -(DIGITS + 5):
        term = -term * x * x
        n += 2
        total += term / n
    return total * 2**halvings


def combined(p_values, weights):
    """Return ½ − arctan(Σ w tan((½ − p) π) / Σ w) / π, p at most 0.9, None left out.

    The least where all are 0.9 or more; 1 if there is none.
    """
    made = [(p, w) for p, w in zip(p_values, weights, strict=True) if p is not None]
    if not made or min(p for p, _ in made) >= 0.9:
        return min((p for p, _ in made), default=1.0)
    with localcontext() as context:
        context.prec = DIGITS
        pi, total = _pi(), Decimal(0)
        for p, weight in made:
            settled = Decimal(min(p, 0.9))
            angle = (Decimal("0.5") - settled) * pi
            total += Decimal(weight) * _sine(angle) / _sine(pi / 2 - angle)
        mean = total / sum(Decimal(weight) for _, weight in made)
        return float(Decimal("0.5") - _arctan(mean) / pi)
