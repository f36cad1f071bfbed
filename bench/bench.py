#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the same scenario programs under several OpenMP runtimes ("arms"), interleaved, and compares them.

    bench/bench.py --quick --brief --only region,gaps --tenure PATH/libtenure.so
    bench/bench.py --list

A round runs every scenario once per arm, arms next to each other, their order rotating and turning round. Everything
a run knows goes into one JSON file; report.py turns that into tables, plots, a page. Only the standard library.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import report
import runner
from runner import Failed

HERE = Path(__file__).resolve().parent

# Name: what `make bench-quick` and `--only` know. A new scenario is a program in scenarios/ and a line here.
SCENARIOS = ["region", "gaps", "acquire", "sections", "widths", "nested", "masters", "processes", "constructs", "tasks",
             "sweep", "blas", "sequence", "int8", "apps"]

PEERS = ["libgomp", "libomp19"]  # "best peer" in a table is the better of these
DEFAULT_ARMS = ["libgomp", "libgomp-active", "libgomp-passive", "libomp14", "libomp19", "tenure", "tenure-active",
                "tenure-session", "tenure-int8"]
QUICK_ARMS = ["libgomp", "libomp19", "tenure"]
# Not every scenario under every default arm: int8 has its peers inside each process, and takes minutes for it; Tenure's
# own kernels (tenure-int8) have a place in sequence alone.
UNDER = {"int8": ["tenure"]}
ONLY = {"tenure-int8": ["sequence"]}


def known_arms(tenure):
    """Arm: environment it adds, and the file name its GOMP_parallel must come from. Missing libraries are left out."""
    arms = {
        "libgomp": ({}, "libgomp"),
        "libgomp-active": ({"OMP_WAIT_POLICY": "active"}, "libgomp"),
        "libgomp-passive": ({"OMP_WAIT_POLICY": "passive"}, "libgomp"),
        "serial": ({"OMP_NUM_THREADS": "1"}, "libgomp"),
    }
    listed = subprocess.run([HERE / "get-peers", "--list"], capture_output=True, text=True, check=False).stdout
    for line in listed.split():
        name, _, path = line.partition("=")
        arms[name] = ({"LD_PRELOAD": path}, "libomp")
        arms[name + "-active"] = ({"LD_PRELOAD": path, "OMP_WAIT_POLICY": "active"}, "libomp")
        arms[name + "-passive"] = ({"LD_PRELOAD": path, "OMP_WAIT_POLICY": "passive"}, "libomp")
    if tenure and Path(tenure).exists():
        path = str(Path(tenure).resolve())
        for name, more in (("tenure", {}), ("tenure-active", {"OMP_WAIT_POLICY": "active"}),
                           ("tenure-passive", {"OMP_WAIT_POLICY": "passive"}),
                           ("tenure-session", {"BENCH_SESSION": "1"}),
                           ("tenure-int8", {"BENCH_SESSION": "1", "BENCH_INT8": "1"})):
            if "BENCH_SESSION" not in more or b"tenure_session_open" in Path(tenure).read_bytes():
                arms[name] = ({"LD_PRELOAD": path, **more}, Path(tenure).name)
    return arms


def parse_arm(text):
    """NAME[:VAR=VALUE[,VAR=VALUE…]]; the runtime it expects follows from LD_PRELOAD."""
    name, _, rest = text.partition(":")
    env = dict(pair.split("=", 1) for pair in rest.split(",") if pair)
    return name, (env, Path(env["LD_PRELOAD"]).name if "LD_PRELOAD" in env else "libgomp")


def options(argv):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--quick", action="store_true", help="short phases, 4 rounds, fewer arms")
    p.add_argument("--only", metavar="S[,S]", help="these scenarios: " + ", ".join(SCENARIOS))
    p.add_argument("--phases", metavar="P[,P]", help="only rows that begin so (given to the programs as --only)")
    p.add_argument("--rounds", type=int, help="default 6, the least for an interval; quick 4")
    p.add_argument("--tenure", default=os.environ.get("TENURE"), help="path of libtenure.so (or $TENURE)")
    p.add_argument("--arms", metavar="A[,A]", help="the first is what the others are compared with")
    p.add_argument("--arm", action="append", default=[], metavar="NAME:VAR=V,…", help="one more arm, by environment")
    p.add_argument("--app", action="append", default=[], metavar="COMMAND", help="one more command for `apps`")
    p.add_argument("--width", type=int, help="width of the scenarios that have one (default: the processors)")
    p.add_argument("--load", metavar="R:W", help="R busy foreign threads for W seconds beside each process")
    p.add_argument("--cpus", metavar="LIST", help="restrict everything to these processors, such as 0,2-3")
    p.add_argument("--quota", type=float, metavar="Q", help="a cgroup with this many processors' worth of time (root)")
    p.add_argument("--bin", help="folder for the scenario programs, which are built when stale (default: a cache)")
    p.add_argument("--out", default="bench-results", help="folder for run.json and run.csv (default bench-results)")
    p.add_argument("--timeout", type=float, default=180, help="seconds for one process")
    p.add_argument("--brief", action="store_true", help="print one line a row instead of the whole table")
    p.add_argument("--build", action="store_true", help="only build the scenario programs")
    p.add_argument("--list", action="store_true", help="print arms and scenarios of this machine, and end")
    return p.parse_args(argv)


def choose_arms(o):
    if o.tenure and not Path(o.tenure).exists():
        sys.exit(f"bench: --tenure {o.tenure}: no such file")
    arms = known_arms(o.tenure)
    added = [parse_arm(a) for a in o.arm]
    arms.update(added)
    if o.arms:
        names = o.arms.split(",") + [n for n, _ in added if n not in o.arms.split(",")]
        missing = [n for n in names if n not in arms]
        if missing:
            sys.exit(f"bench: no such arm here: {', '.join(missing)} (known: {', '.join(arms)}; "
                     "bench/get-peers fetches libomp)")
    else:
        names = [n for n in (QUICK_ARMS if o.quick else DEFAULT_ARMS) if n in arms] + [n for n, _ in added]
    return {n: arms[n] for n in names}


def order(names, r):
    """Round r's order: rotated by one each round, and turned round each time it comes full circle."""
    k = r % len(names)
    turned = names[k:] + names[:k]
    return turned[::-1] if (r // len(names)) % 2 else turned


class Progress:
    """One line, rewritten, on a terminal only."""

    def __init__(self, total):
        self.total, self.done, self.since, self.on = total, 0, time.monotonic(), sys.stderr.isatty()

    def step(self, what):
        self.done += 1
        if self.on:
            spent = time.monotonic() - self.since
            left = spent / self.done * (self.total - self.done)
            sys.stderr.write(f"\r\033[K{self.done}/{self.total}  {what}  {spent:.0f} s, about {left:.0f} s left")
            if self.done == self.total:
                sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def run_rounds(o, arms, scenarios, machine_runner, rows, said, failures, keep):
    """Adds raw rows, what each arm said about itself, and failures; keep() after each round: an hour's work is not lost."""
    under = {s: [a for a in arms if o.arms or (a in UNDER.get(s, arms) and s in ONLY.get(a, [s]))] for s in scenarios}
    progress = Progress(o.rounds * (1 + sum(map(len, under.values()))))
    for r in range(o.rounds):
        progress.step(f"round {r + 1}  floor")
        found, _ = machine_runner.scenario("floor", {})
        rows += [{"round": r, "arm": "floor", "scenario": "floor", **x} for x in found]
        machine_runner.learn_step(found)
        for scenario in scenarios:
            beside = report.floors_of(scenario)
            if beside:  # next to the arms: a virtual machine's processors move, and their distance with them
                found, _ = machine_runner.scenario("floor", {}, beside)
                rows += [{"round": r, "arm": "floor", "scenario": scenario, **x} for x in found]
            for arm in order(under[scenario], r):
                progress.step(f"round {r + 1}  {scenario}  {arm}")
                env, expected = arms[arm]
                try:
                    if scenario == "apps":
                        found, info = machine_runner.apps(env, o.app)
                    else:
                        found, info = machine_runner.scenario(scenario, env)
                        check_runtime(arm, expected, info)
                except Failed as e:
                    failures.append({"round": r, "arm": arm, "scenario": scenario, "why": str(e)})
                    found, info = e.rows, e.info
                said.setdefault(arm, {}).update(info)
                rows += [{"round": r, "arm": arm, "scenario": scenario, **x} for x in found]
        keep()


def check_runtime(arm, expected, info):
    served = Path(info.get("runtime", "")).name
    if not served.startswith(expected):
        sys.exit(f"bench: arm {arm} should be served by {expected}, but GOMP_parallel comes from {info.get('runtime')}")


def main(argv=None):
    o = options(argv)
    if o.build:
        print(runner.build(o.bin))
        return 0
    arms = choose_arms(o)
    if o.list:
        for name, (env, _) in known_arms(o.tenure).items():
            print(f"arm {name}", *(f"{k}={v}" for k, v in env.items()))
        print("scenarios", *SCENARIOS)
        return 0
    o.rounds = o.rounds or (4 if o.quick else 6)
    scenarios = o.only.split(",") if o.only else [s for s in SCENARIOS if not (o.quick and s in ("int8", "apps"))]
    unknown = [s for s in scenarios if s not in SCENARIOS and not (HERE / "scenarios" / f"{s}.c").exists()]
    if unknown:
        sys.exit(f"bench: no such scenario: {', '.join(unknown)} (known: {', '.join(SCENARIOS)})")
    with runner.Runner(o) as r:
        for name in ("blas", "sequence"):
            if name in scenarios and not r.openblas:
                print(f"bench: {name} left out: no OpenMP build of OpenBLAS (set OPENBLAS=path)", file=sys.stderr)
                scenarios.remove(name)
        began, rows, said, failures = time.time(), [], {}, []
        run = {
            "version": 1, "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
            "settings": {k: v for k, v in vars(o).items() if k != "list"}, "scenarios": scenarios,
            "peers": [p for p in PEERS if p in arms], "failures": failures, "rows": rows,
        }
        out = Path(o.out)
        out.mkdir(parents=True, exist_ok=True)

        def keep():
            run["seconds"] = round(time.time() - began, 1)
            run["machine"] = runner.machine()
            run["arms"] = {n: {"env": e, **said.get(n, {}), **runner.library(said.get(n, {}).get("runtime"))}
                           for n, (e, _) in arms.items()}
            (out / "run.json.new").write_text(json.dumps(run, indent=0))
            os.replace(out / "run.json.new", out / "run.json")

        try:
            run_rounds(o, arms, scenarios, r, rows, said, failures, keep)
        except KeyboardInterrupt:
            kept = "nothing was kept" if "arms" not in run else f"the whole rounds are in {out}/run.json"
            print(f"\nbench: stopped; {kept}", file=sys.stderr)
            return 130
    report.write_csv(run, out / "run.csv")
    (report.print_brief if o.brief else report.print_table)(run)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
