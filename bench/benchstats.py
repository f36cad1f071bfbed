# SPDX-License-Identifier: MIT
"""Medians, spreads, and ratios with bootstrap intervals. Pure functions over lists of numbers; no files, no processes.

One value stands for one round. Two arms are compared round by round (their processes ran next to each other), so that
drift of the machine cancels; the bootstrap draws whole rounds.
"""
import math
import random
from statistics import NormalDist, median


def quantile(values, q):
    v = sorted(values)
    at = q * (len(v) - 1)
    low = int(at)
    return v[low] if low + 1 == len(v) else v[low] + (at - low) * (v[low + 1] - v[low])


def spread(values):
    """Half the distance between the quartiles, as a part of the median."""
    m = median(values)
    return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / m if m else 0.0


def expanded(alpha, n):
    """The level at which a percentile interval of n values must be read to cover 1 - alpha: bootstrap intervals of few
    values are too narrow by sqrt(n / (n - 1)), and by Student's distribution against the normal one."""
    z, df = -NormalDist().inv_cdf(alpha / 2), n - 1
    t = z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
    return 2 * NormalDist().cdf(-t * math.sqrt(n / (n - 1)))


def interval(values, alpha=0.05, draws=1000, seed=1):
    """Expanded bootstrap percentile interval of the median. Of fewer than 6 values it is the range, and covers less."""
    n = len(values)
    if n < 6:
        return min(values), max(values)
    alpha = expanded(alpha, n)
    draws = max(draws, min(20000, int(20 / alpha)))
    pick = random.Random(seed * 1000003 + n).choices
    medians = sorted(median(pick(values, k=n)) for _ in range(draws))
    return medians[int(draws * alpha / 2)], medians[min(draws - 1, math.ceil(draws * (1 - alpha / 2)))]


def compare(values, base, alpha=0.05):
    """Ratio of an arm to the base arm over the rounds that both have: point, interval, rounds won, rounds.

    `values` and `base` map a round to a value. None when they share no round or the base is not above zero.
    """
    rounds = [r for r in values if r in base and base[r] > 0]
    if not rounds:
        return None
    ratios = [values[r] / base[r] for r in rounds]
    low, high = interval(ratios, alpha)
    return {"ratio": median(ratios), "low": low, "high": high, "won": sum(x < 1 for x in ratios), "of": len(ratios)}


def contains_one(c):
    return c["low"] <= 1.0 <= c["high"]
