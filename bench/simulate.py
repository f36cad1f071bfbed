#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predicted fork-join times on machines we do not have: a discrete simulation of release and gather.

The model is omp_bridge/shape.h's: to hand a line over takes one transfer and occupies the giver for a part of it (stores
overlap); to take an arrival occupies the taker likewise. Events are processed in order of time; a transfer varies by 15%.
Where the places are bound close, neighbours in the team are neighbours in the machine; else members are anywhere.

  simulate.py            the tables of bench/README.md
  simulate.py --plot F   and a plot (gnuplot) into F.svg
"""
import heapq
import random
import statistics
import subprocess
import sys

# One way, ns: SMT siblings, within a cache domain, within a socket, across sockets; and cores a domain, domains a socket.
# Published medians of github.com/nviennot/core-to-core-latency (README, compare-exchange between two pinned threads):
#   EPYC 7R13 (Zen 3): 9.8, 23, 107, 197 ns, six domains of 8 cores; its 64-core sibling EPYC 7773X: 10 and 115 ns.
#   Xeon 8375C (Ice Lake): 8.1 ns, 51 ns anywhere in the socket, 108 ns across, 32 cores.
#   Graviton3: 46 ns anywhere, 64 cores, no SMT.
# The machine of NOTES.md, measured by scenario `floor` (half a line there and back): 16 to 40 ns, or 175 to 225 ns as the
# host places its two processors; that brackets Zen 3's 23 and 197.
MACHINES = {
    "2 x 64-core Zen 3": dict(ns=(10, 23, 107, 197), cores=8, domains=8, sockets=2, smt=2),
    "2 x 32-core Ice Lake": dict(ns=(8.1, 51, 51, 108), cores=32, domains=1, sockets=2, smt=2),
    "64-core Graviton3": dict(ns=(46, 46, 46, 46), cores=64, domains=1, sockets=1, smt=1),
}
GAP = 0.25  # of a transfer; no overlap at all would be 1
FLAT_MAX = 8


def position(m, cpu):
    """core, domain, socket of a CPU: cores in order first, then their siblings."""
    core = cpu % (m["cores"] * m["domains"] * m["sockets"])
    return core, core // m["cores"], core // (m["cores"] * m["domains"])


def transfer(m, a, b):
    (ca, da, sa), (cb, db, sb) = position(m, a), position(m, b)
    return m["ns"][0 if ca == cb else 1 if da == db else 2 if sa == sb else 3]


def kids_of(width, group, arity):
    """tn_shape_parent, turned round: firsts of other groups, then the own group."""
    kids = [[] for _ in range(width)]
    for i in range(1, width):
        first = i - i % group
        kids[first if i != first else (i // group - 1) // arity * group].append(i)
    for i, k in enumerate(kids):
        k.sort(key=lambda x: (x // group == i // group, x))
    return kids


def fork_join(m, place, kids, gap, rng):
    """One region with empty bodies: a member released at t releases its own, then gathers them, then arrives."""
    width = len(kids)
    parent = {k: i for i, ks in enumerate(kids) for k in ks}
    turn, seen_until, arrived = [0] * width, [0.0] * width, {}
    events = [(0.0, 0, 0)]  # time, what (0: released, 1: a line has arrived at its gatherer), member

    def line(a, b):
        return transfer(m, place[a], place[b]) * rng.uniform(0.85, 1.15)

    def gather(i):
        """Takes children in order as far as they have arrived; then arrives."""
        while turn[i] < len(kids[i]) and kids[i][turn[i]] in arrived:
            k = kids[i][turn[i]]
            seen_until[i] = max(seen_until[i], arrived[k]) + gap * line(i, k)
            turn[i] += 1
        if turn[i] == len(kids[i]) and i != 0:
            turn[i] += 1
            heapq.heappush(events, (seen_until[i] + line(i, parent[i]), 1, i))

    while events:
        now, what, i = heapq.heappop(events)
        if what == 0:
            for k in kids[i]:
                now += gap * line(i, k)
                heapq.heappush(events, (now + line(i, k), 0, k))
            seen_until[i] = now
            gather(i)
        else:
            arrived[i] = now
            gather(parent[i])
    return seen_until[0]


def predict(m, width, group, arity, close, gap=GAP, draws=15):
    rng = random.Random(width * 1000 + group * 50 + arity)
    cpus = m["cores"] * m["domains"] * m["sockets"] * m["smt"]
    kids, times = kids_of(width, group, arity), []
    for _ in range(draws):
        place = list(range(cpus)) if close else rng.sample(range(cpus), cpus)
        times.append(fork_join(m, place[:width], kids, gap, rng))
    return statistics.median(times)


def model_cost(width, group, arity, domain):
    """tn_shape_cost: all transfers near (4) or far (16), the gap a quarter."""
    m = dict(ns=(4, 4, 16, 16), cores=domain, domains=-(-width // domain), sockets=1, smt=1)
    still = type("", (), {"uniform": staticmethod(lambda a, b: 1.0)})
    return fork_join(m, range(width), kids_of(width, group, arity), GAP, still)


def chosen(width, domain):
    """tn_shape_choose."""
    best = (1, width)
    if width > FLAT_MAX:
        for group in sorted({1, domain}):
            for arity in (2, 3, 4, 6, 8, 12, 16):
                if model_cost(width, group, arity, domain) < model_cost(width, *best, domain):
                    best = (group, arity)
    return best


def row(m, width, close, gap):
    domain = m["cores"] if close else 1
    pick = chosen(width, domain)
    shapes = [(1, width), (1, 4), (1, 8), (m["cores"], 8), pick]
    return [predict(m, width, g, a, close, gap) / 1000 for g, a in shapes], pick


def tables(out):
    for name, m in MACHINES.items():
        for close in (True, False):
            print(f"\n{name}, {'bound close' if close else 'not bound'}:\n", file=out)
            print("| threads | flat | tree of 4 | tree of 8 | one group a cache domain | chosen | which |", file=out)
            print("| --- | --- | --- | --- | --- | --- | --- |", file=out)
            for width in (8, 64, 128, 256):
                if width > m["cores"] * m["domains"] * m["sockets"] * m["smt"]:
                    continue
                us, (group, arity) = row(m, width, close, GAP)
                which = "flat" if arity == width else f"groups of {group}, {arity}" if group > 1 else f"tree of {arity}"
                print(f"| {width} | " + " | ".join(f"{t:.2f}" for t in us) + f" | {which} |", file=out)
    print("\nThe gap (how much of a transfer a store or a look occupies), 128 threads, Zen 3, bound close:\n", file=out)
    print("| gap | flat | tree of 4 | tree of 8 | one group a cache domain | chosen |", file=out)
    print("| --- | --- | --- | --- | --- | --- |", file=out)
    for gap in (0.1, 0.25, 0.5, 1.0):
        us, _ = row(MACHINES["2 x 64-core Zen 3"], 128, True, gap)
        print(f"| {gap} | " + " | ".join(f"{t:.2f}" for t in us) + " |", file=out)


def plot(path):
    m = MACHINES["2 x 64-core Zen 3"]
    widths = (2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
    lines = [" ".join([str(w)] + [f"{t:.3f}" for t in row(m, w, True, GAP)[0]]) for w in widths]
    names = ("flat", "tree of 4", "tree of 8", "one group a cache domain", "chosen")
    curves = ", ".join(f"$d using 1:{i + 2} with linespoints title '{n}'" for i, n in enumerate(names))
    script = (f"set terminal svg size 720,440\nset output '{path}.svg'\nset logscale xy\nset key top left\n"
              "set xlabel 'threads'\nset ylabel 'predicted fork-join, us'\nset title '2 x 64-core Zen 3, bound close'\n"
              "$d << E\n" + "\n".join(lines) + f"\nE\nplot {curves}\n")
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


if __name__ == "__main__":
    tables(sys.stdout)
    if len(sys.argv) == 3 and sys.argv[1] == "--plot":
        plot(sys.argv[2])
