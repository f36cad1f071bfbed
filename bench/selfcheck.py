#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the harness tell the truth? Its statistics on made-up data, an arm against itself, and a planted slowdown.

    bench/selfcheck.py [--thorough]     statistics, A/A, plant; thorough: width 2 as well, for a machine at rest

No time is asserted, only ratios between neighbours; a busy machine makes intervals wider and the plant take more
rounds, never a wrong answer.
"""
import math
import random
import sys
from types import SimpleNamespace

import bench
import benchstats as st
import report
import runner

PLANT = 3.0  # percent
PHASES = {"region": ["w1"], "sections": ["20us"]}
THOROUGH = {"region": ["w1", "w2"], "sections": ["5us", "20us", "50us"]}


def expect(true, what):
    print(("ok    " if true else "FAIL  ") + what)
    return true


def made_up(effect, rounds, rng):
    """Two arms on a machine that drifts by a third and preempts one process in ten."""
    arms = ({}, {})
    speed = 1.0
    for r in range(rounds):
        speed = min(1.3, max(0.8, speed * math.exp(rng.gauss(0, 0.08))))
        for arm, factor in zip(arms, (1.0, effect)):
            arm[r] = speed * factor * math.exp(rng.gauss(0, 0.01)) * (3 if rng.random() < 0.1 else 1)
    return st.compare(arms[1], arms[0])


def statistics():
    rng = random.Random(20260101)
    covered = sum(st.contains_one(made_up(1.0, 15, rng)) for _ in range(300)) / 300
    found = sum(made_up(1.0 + PLANT / 100, 25, rng)["low"] > 1 for _ in range(100)) / 100
    names, seats, follows = ["a", "b", "c"], {}, {}
    for r in range(18):
        turn = bench.order(names, r)
        for k, arm in enumerate(turn):
            seats[arm, k] = seats.get((arm, k), 0) + 1
            if k:
                follows[turn[k - 1], arm] = follows.get((turn[k - 1], arm), 0) + 1
    rows, info = runner.parse("noise\ninfo runtime=/x=y\nrow a/b unit=ns value=2.5 raw=1,4\nrow c unit=kB value=1e3\n")
    return all([
        expect(0.90 <= covered <= 0.99, f"95% intervals of equal arms contain 1.00 in {100 * covered:.0f}% of cases"),
        expect(found >= 0.9, f"a slowdown of 3% is found in {100 * found:.0f}% of cases on a drifting machine"),
        expect(set(seats.values()) == {6}, "every arm has every place in a round equally often"),
        expect(len(set(follows.values())) == 1 and len(follows) == 6, "every arm follows every other equally often"),
        expect(rows[0] == {"row": "a/b", "unit": "ns", "value": 2.5, "raw": [1.0, 4.0]} and info["runtime"] == "/x=y"
               and rows[1]["value"] == 1000, "program output is read as written"),
        expect(round(st.quantile([1, 2, 3, 4], 0.5), 3) == 2.5 and st.spread([1, 1, 1]) == 0, "quantiles"),
    ])


def settings(rounds, width):
    return SimpleNamespace(quick=True, phases=None, width=width, rounds=rounds, load=None, cpus=None, quota=None,
                           bin=BIN, timeout=60, app=[])


def measure(phases, width, other, rounds, done=0):
    """Rounds of the first arm and of one that differs by `other`; returns {scenario/row: (first, second)} by round."""
    found = {}
    with runner.Runner(settings(rounds, width)) as r:
        r.step = "0.93"
        for scenario, rows in phases.items():
            r.o.phases = ",".join(rows)
            for n in range(done, done + rounds):
                for k in bench.order([0, 1], n):
                    for x in r.scenario(scenario, other if k else {})[0]:
                        if x["row"] in rows:
                            found.setdefault(f"{scenario}/{x['row']}", ({}, {}))[k][n] = x["value"]
    return found


def same_arm(phases, width, other, quiet=False):
    """An arm against itself. The level is shared out over the rows, so that the whole check errs once in a hundred."""
    found = measure(phases, width, other, 16)
    good, bias = True, 0.0
    for name, (a, b) in found.items():
        c = st.compare(b, a, alpha=0.01 / len(found))
        bias += math.log(c["ratio"]) / len(found)
        if not quiet:
            good &= expect(st.contains_one(c), f"A/A {name} width {width}: {c['ratio']:.3f}, {c['low']:.3f} to "
                           f"{c['high']:.3f} contains 1.00")
        else:
            good &= st.contains_one(c)
    within = abs(bias) < 0.05
    return good & (within if quiet else expect(within, f"A/A bias over all rows {100 * bias:+.1f}%, bound 5%"))


def planted(phases, width):
    """Adds rounds until every row has decided, at most 120; each must find the plant, and about its size."""
    seen, good, done = {}, {}, 0
    while done < 120 and not (good and all(good.values())):
        for name, arms in measure(phases, width, {"BENCH_PLANT": str(PLANT)}, 20, done).items():
            for whole, part in zip(seen.setdefault(name, ({}, {})), arms):
                whole.update(part)
        done += 20
        for name, (a, b) in seen.items():
            c = st.compare(b, a)
            good[name] = c["low"] > 1 and c["low"] < 1 + PLANT / 50 and c["high"] > 1 + PLANT / 300
            seen[name] = (a, b)
    for name, (a, b) in seen.items():
        c = st.compare(b, a)
        if not good[name] and c["high"] - c["low"] > 2 * PLANT / 100:
            print(f"skip  {name} width {width}: the machine is too busy to see 3%: {c['low']:.3f} to {c['high']:.3f}")
            SKIPPED.append(name)
            good[name] = True
            continue
        expect(good[name], f"a plant of 3% in {name} width {width} is found: {c['ratio']:.3f}, {c['low']:.3f} to "
               f"{c['high']:.3f}, {c['of']} rounds")
    return all(good.values())


def main():
    widths = [(PHASES, 1)] + ([(THOROUGH, 2)] if "--thorough" in sys.argv else [])
    good = statistics()
    for phases, width in widths:
        # A busy stretch of the machine can do what chance does once in a hundred; a biased harness fails again.
        good &= same_arm(phases, width, {}) or same_arm(phases, width, {})
        good &= planted(phases, width)
    good &= expect(not same_arm(PHASES, 1, {"BENCH_PLANT": "30"}, quiet=True), "A/A refuses an arm that is 30% slower")
    good &= expect(report.human(1234.5, "ns") == "1.234 µs", "figures are printed in their size")
    return 1 if not good else 77 if SKIPPED else 0


SKIPPED = [] # rows that no number of rounds could decide here
BIN = sys.argv[sys.argv.index("--bin") + 1] if "--bin" in sys.argv else None
if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv):
        sys.exit(print(__doc__))
    sys.exit(main())
