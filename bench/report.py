#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns a run (run.json) into a table, CSV, plots by gnuplot, one HTML page, and RESULTS.md.

    bench/report.py bench-results/run.json --html bench-results --markdown bench/RESULTS.md

Invariant: every figure shown is computed here from the raw rows, the same way for every arm; no row is dropped.
"""
import argparse
import csv
import html
import json
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median

import benchstats as st

# Which floor a row is read against, as (scenario, beginning of row, floor's row). The first that fits counts.
FLOORS = [
    ("region", "w1", None), ("region", "w", "line"),
    ("gaps", "sleep-1ms/first", "wake/sleep-1ms"), ("gaps", "sleep-10ms/first", "wake/sleep-10ms"),
    ("gaps", "sleep-50ms/first", "wake/sleep-50ms"), ("gaps", "compute-1ms/first", "wake/compute-1ms"),
    ("gaps", "compute-10ms/first", "wake/compute-10ms"), ("gaps", "compute-50ms/first", "wake/compute-50ms"),
    ("gaps", "compute-0/first", "line"), ("gaps", "compute-10us/first", "line"),
    ("gaps", "compute-100us/first", "line"),
    ("acquire", "held/call", "line"), ("acquire", "session-per-call/call", "line"),
    ("acquire", "fresh-thread/whole", "create"), ("masters", "fresh-in-turn", "create"),
    ("widths", "const-1", None), ("widths", "", "line"), ("nested", "2x2", "yield"),
    ("constructs", "barrier", "line"), ("constructs", "single", "line"),
    ("constructs", "static-with-barrier", "line"), ("constructs", "reduction", "line"),
    ("sweep", "marginal", "line"), ("sweep", "fixed", "line"),
]


def floor_of(scenario, row):
    return next((f for s, begin, f in FLOORS if s == scenario and row.startswith(begin)), None)


def floors_of(scenario):
    """What the floor program must measure beside this scenario, as its --only."""
    return ",".join(sorted({f for s, _, f in FLOORS if s == scenario and f}))


def collect(run):
    """{(scenario, row): {arm: {round: raw row}}}, in the order of the run."""
    found = {}
    for x in run["rows"]:
        found.setdefault((x["scenario"], x["row"]), {}).setdefault(x["arm"], {})[x["round"]] = x
    return found


def per_round(rows, key="value"):
    return {r: x[key] for r, x in rows.items() if key in x}


def high_percentile(rows):
    """99th percentile: of all samples of all rounds where the rows kept them, else the median of the rounds' own."""
    raw = [v for x in rows.values() for v in x.get("raw", [])]
    if raw and all("raw" in x for x in rows.values()):
        return st.quantile(raw, 0.99)
    own = [x["p99"] for x in rows.values() if "p99" in x]
    return median(own) if own else None


def marks(own, base, against, p99):
    """c: control moved more than the effect. s: a slow mode (rounds twice apart). t: a heavy tail. f: few rounds."""
    out = ""
    values = list(per_round(own).values())
    control = st.compare(per_round(own, "ctl"), per_round(base, "ctl"))
    if against and control:
        moved = abs(control["ratio"] - 1)
        out += "c" if moved > 0.01 and moved > abs(against["ratio"] - 1) else ""
    if min(values) > 0:
        out += "s" if max(values) > 2 * min(values) else ""
        out += "t" if p99 and p99 > 3 * median(values) else ""
    return out + ("f" if len(values) < 6 else "")


def entries(run, alpha=0.05):
    """One dict for each row and arm: value, spread, p99, ratio to the first arm, to the floor, to the best peer."""
    data, arms = collect(run), list(run["arms"])
    floors = {key: per_round(by["floor"]) for key, by in data.items() if "floor" in by}
    for (scenario, row), by in data.items():
        if "floor" in by and scenario != "floor":
            continue
        names = [a for a in (["floor"] if scenario == "floor" else arms) if a in by]
        first = by.get(arms[0], {})
        peers = [p for p in run["peers"] if p in by]
        best = min(peers, key=lambda p: median(per_round(by[p]).values())) if peers else None
        floor = floors.get((scenario, floor_of(scenario, row)), {})
        for arm in names:
            own = by[arm]
            values = per_round(own)
            m, p99 = median(values.values()), high_percentile(own)
            against = st.compare(values, per_round(first), alpha) if arm != arms[0] and scenario != "floor" else None
            low, high = st.interval(list(values.values()))
            above = st.compare(values, floor)
            common = {k: median(x[k] for x in own.values()) for k in ("cpu", "vol", "inv", "ctl")
                      if all(k in x for x in own.values())}
            yield {"scenario": scenario, "row": row, "arm": arm, "unit": next(iter(own.values()))["unit"], "value": m,
                   "low": low, "high": high, "spread": st.spread(list(values.values())), "p99": p99,
                   "rounds": len(values), "against": against, "floor": above["ratio"] if above else None,
                   "floor_ns": median(floor.values()) if floor else None,
                   "peer": st.compare(values, per_round(by[best])) if best and arm not in peers else None,
                   "best": best, "marks": marks(own, first, against, p99) if scenario != "floor" else "", **common}


def human(value, unit):
    if value is None:
        return ""
    if unit not in ("ns", "cpu-ns"):
        return f"{value:.4g} {unit}"
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if abs(value) >= size:
            return f"{value / size:.4g} {name}"
    return f"{value:.4g} ns"


COLUMNS = ["row", "arm", "median", "±", "p99", "ratio", "95% interval", "won", "× floor", "× best peer", "CPU/op",
           "vol", "inv", ""]


def cells(e):
    c, p = e["against"], e["peer"]
    return [e["row"], e["arm"], human(e["value"], e["unit"]), f"{100 * e['spread']:.1f}%", human(e["p99"], e["unit"]),
            f"{c['ratio']:.3f}" if c else "", f"{c['low']:.3f} to {c['high']:.3f}" if c else "",
            f"{c['won']}/{c['of']}" if c else "", f"{e['floor']:.2f}" if e["floor"] else "",
            f"{p['ratio']:.3f} {e['best']}" if p else "", human(e.get("cpu"), "ns"),
            f"{e['vol']:.3g}" if "vol" in e else "", f"{e['inv']:.3g}" if "inv" in e else "", e["marks"]]


def grouped(run):
    groups = {}
    for e in entries(run):
        groups.setdefault(e["scenario"], []).append(e)
    return groups


def heading(run):
    m = run["machine"]
    made, asked = len({x["round"] for x in run["rows"]}), run["settings"]["rounds"]
    rounds = f"{asked} rounds" if made == asked else f"{made} of {asked} rounds (stopped)"
    lines = [f"{m['processor']}, {m['processors']} processors, Linux {m['kernel']}, {m['libc']}, {m['compiler']}",
             f"commit {m['commit']}, {run['began']}, {rounds}, {run['seconds']:g} s, "
             f"load at the end {m['load']}"]
    for key in ("quick", "load", "cpus", "quota", "width"):
        if run["settings"].get(key):
            lines[1] += f", {key}={run['settings'][key]}"
    for name, a in run["arms"].items():
        env = " ".join(f"{k}={v}" for k, v in a["env"].items() if k != "LD_PRELOAD")
        lines.append(f"arm {name}: {a.get('runtime', 'not run')} {a.get('version', '')} {env}".rstrip())
        if a.get("mixed"):
            names = [m.partition("@")[0] for m in a["mixed"]]
            lines.append(f"  {name} leaves {len(names)} entry points to another runtime: {', '.join(names[:6])} …")
    failed = {}
    for f in run["failures"]:
        failed.setdefault((f["scenario"], f["arm"], f["why"]), []).append(str(f["round"] + 1))
    lines += [f"FAILED {scenario} under {arm}, round {', '.join(rounds)}: {why}"
              for (scenario, arm, why), rounds in failed.items()]
    return lines


def print_table(run, out=sys.stdout):
    print("\n".join(heading(run)), file=out)
    for scenario, rows in grouped(run).items():
        table = [COLUMNS] + [cells(e) for e in rows]
        wide = [max(len(line[i]) for line in table) for i in range(len(COLUMNS))]
        print(f"\n{scenario}", file=out)
        last = None
        for line in table:
            shown = ["" if line[0] == last else line[0]] + line[1:]
            last = line[0]
            print("  " + "  ".join(t.ljust(w) if i < 2 else t.rjust(w) for i, (t, w) in enumerate(zip(shown, wide)))
                  .rstrip(), file=out)
    print("\nmarks: c control moved more than the effect, s rounds twice apart (slow mode), t 99th percentile above 3 "
          "medians, f fewer than 6 rounds (the interval is their range)", file=out)


def print_brief(run, out=sys.stdout):
    """One line a row: medians by arm, each with its ratio to the first and interval; then floor and best peer."""
    print("\n".join(heading(run)), file=out)
    arms = list(run["arms"])
    table = [["scenario", "row", *arms, *(f"{a} × floor, × best peer" for a in arms if a not in run["peers"])]]
    rows = {}
    for e in entries(run):
        rows.setdefault((e["scenario"], e["row"]), {})[e["arm"]] = e
    for (scenario, row), by in rows.items():
        if scenario == "floor":
            table.append([scenario, row, human(by["floor"]["value"], by["floor"]["unit"])] + [""] * (len(table[0]) - 3))
            continue
        line = [scenario, row]
        for a in arms:
            e, c = by.get(a), by[a]["against"] if a in by else None
            line.append((human(e["value"], e["unit"]) + (f" {c['ratio']:.2f} [{c['low']:.2f}, {c['high']:.2f}]" if c
                         else "") + f" {e['marks'].replace('f', '')}".rstrip()) if e else "-")
        for a in arms:
            if a not in run["peers"]:
                e = by.get(a, {})
                line.append(f"{e['floor'] or float('nan'):.2f}  {e['peer']['ratio'] if e['peer'] else float('nan'):.2f}"
                            .replace("nan", "-") if e else "-")
        table.append(line)
    wide = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    for line in table:
        print("  ".join(t.ljust(w) for t, w in zip(line, wide)).rstrip(), file=out)


def write_csv(run, path):
    keys = ["scenario", "row", "arm", "unit", "value", "low", "high", "spread", "p99", "rounds", "ratio", "ratio_low",
            "ratio_high", "won", "floor", "peer", "cpu", "vol", "inv", "ctl", "marks"]
    with open(path, "w", newline="") as f:
        for line in heading(run):
            f.write(f"# {line}\n")
        w = csv.DictWriter(f, keys, extrasaction="ignore")
        w.writeheader()
        for e in entries(run):
            c, p = e.pop("against"), e.pop("peer")
            if c:
                e.update(ratio=c["ratio"], ratio_low=c["low"], ratio_high=c["high"], won=f"{c['won']}/{c['of']}")
            w.writerow({**e, "peer": p["ratio"] if p else ""})


COLOURS = {"libgomp": ["#4c72b0", "#8fb0dd", "#bccfe8"], "libomp": ["#dd8452", "#c44e52", "#eebb99", "#e39a9d"],
           "tenure": ["#2a9d3a", "#7ccf86", "#17643b", "#b5e2bb"], "": ["#777777", "#8172b3", "#937860", "#ccb974"]}


def colours(arms):
    """One family of hues for each runtime, so that an arm keeps its colour from plot to plot."""
    taken, chosen = {}, {}
    for arm in arms:
        family = next(f for f in COLOURS if arm.startswith(f))
        k = taken[family] = taken.get(family, -1) + 1
        chosen[arm] = COLOURS[family][k % len(COLOURS[family])]
    return chosen


def plot(name, unit, rows, arms, floors, folder):
    """Bars with intervals by gnuplot, on a logarithmic scale, the floor of each row as a short line over it."""
    labels = list(dict.fromkeys(e["row"] for e in rows))
    shown = [a for a in arms if any(e["arm"] == a for e in rows)]
    at = {(e["row"], e["arm"]): e for e in rows}
    lowest = min(max(e["low"], 1e-3) for e in rows) / 3
    step = 0.8 / len(shown)
    text = [f"set title '{name}, {unit}' noenhanced", "set logscale y", "set grid y", "set key outside top noenhanced",
            "set style fill solid 0.85 noborder", f"set yrange [{lowest:g}:*]", "set format y '%.1s%c'",
            f"set xrange [-0.6:{len(labels) - 0.4}]", "set xtics rotate by -35 noenhanced font ',9'",
            "set xtics (" + ", ".join(f"'{label}' {i}" for i, label in enumerate(labels)) + ")"]
    series, hue = [], colours(arms)
    for k, arm in enumerate(shown):
        text.append(f"$d{k} << E")
        for i, label in enumerate(labels):
            e = at.get((label, arm))
            if e and e["value"] > 0:
                text.append(f"{i + (k - (len(shown) - 1) / 2) * step} {e['value']} {max(e['low'], lowest)} "
                            f"{e['high']} {step}")
        text.append("E")
        series += [f"$d{k} using 1:2:5 with boxes lc rgb '{hue[arm]}' title '{arm}'",
                   f"$d{k} using 1:2:3:4 with yerrorbars pt 7 ps 0 lc rgb '#222222' notitle"]
    lines = [(i, floors[label]) for i, label in enumerate(labels) if floors.get(label)]
    if lines:
        text += ["$f << E", *(f"{i - 0.45} {v} 0.9 0" for i, v in lines), "E"]
        series.append("$f using 1:2:3:4 with vectors nohead lw 2 lc rgb 'black' title 'floor'")
    size = f"{max(700, 40 * len(labels) * max(1, len(shown)) // 2 + 300)},460"
    for terminal, end in (("svg", "svg"), ("pngcairo", "png")):
        script = [f"set terminal {terminal} size {size} font 'sans,11'", f"set output '{folder}/{name}.{end}'", *text,
                  "plot " + ", ".join(series)]
        subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def draw(run, folder):
    """Returns {scenario: [svg text]}; nothing without gnuplot."""
    if not shutil.which("gnuplot"):
        print("report: no gnuplot here, so no plots", file=sys.stderr)
        return {}
    pictures = {}
    for scenario, rows in grouped(run).items():
        for unit, suffix in (("ns", ""), ("cpu-ns", "-cpu")):
            some = [e for e in rows if e["unit"] == unit and e["value"] > 0]
            if some:
                floors = {e["row"]: e["floor_ns"] for e in some if e["floor_ns"]}
                arms = ["floor"] if scenario == "floor" else list(run["arms"])
                plot(scenario + suffix, unit, some, arms, floors, folder)
                svg = (Path(folder) / f"{scenario}{suffix}.svg").read_text()
                pictures.setdefault(scenario, []).append(svg[svg.index("<svg"):])
    return pictures


STYLE = ("body{font:15px/1.5 sans-serif;max-width:1200px;margin:2em auto;padding:0 1em}table{border-collapse:collapse;"
         "font-size:12px}td,th{padding:2px 7px;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}"
         "td:nth-child(-n+2){text-align:left}svg{max-width:100%;height:auto}pre{overflow:auto;background:#f5f5f5;"
         "padding:1em}")


def write_html(run, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = draw(run, folder)
    parts = [f"<!doctype html><meta charset=utf-8><title>Tenure bench</title><style>{STYLE}</style>",
             "<h1>Tenure bench</h1><p>Shorter is better. Bars are medians of round medians with 95% intervals; the "
             "black line is what the machine itself charges. Ratios are to the first arm, round by round.</p>",
             "<pre>" + html.escape("\n".join(heading(run))) + "</pre>"]
    for scenario, rows in grouped(run).items():
        parts.append(f"<h2>{scenario}</h2>" + "".join(pictures.get(scenario, [])))
        parts.append("<table><tr>" + "".join(f"<th>{c}</th>" for c in COLUMNS) + "</tr>")
        parts += ["<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells(e)) + "</tr>" for e in rows]
        parts.append("</table>")
    (folder / "index.html").write_text("\n".join(parts))
    return folder / "index.html"


def write_markdown(run, path):
    kind = "quick" if run["settings"]["quick"] else "full"
    lines = ["# Results", "", f"The latest {kind} run, at commit {run['machine']['commit']}. Made by `bench/report.py`: "
             "not edited. How to read it: [README.md](README.md).", "", "```", *heading(run), "```", ""]
    for scenario, rows in grouped(run).items():
        lines += [f"## {scenario}", "", "| " + " | ".join(COLUMNS) + " |", "|" + " --- |" * len(COLUMNS)]
        lines += ["| " + " | ".join(cells(e)) + " |" for e in rows] + [""]
    Path(path).write_text("\n".join(lines))


def main(argv=None):
    p = argparse.ArgumentParser(description="tables, plots and a page from a run")
    p.add_argument("run")
    p.add_argument("--html", metavar="FOLDER", help="write FOLDER/index.html and its plots")
    p.add_argument("--markdown", metavar="FILE", help="write RESULTS.md")
    o = p.parse_args(argv)
    if not Path(o.run).exists():
        sys.exit(f"report: no {o.run} yet: run bench.py, or `make bench`, first")
    run = json.loads(Path(o.run).read_text())
    if o.html:
        print(write_html(run, o.html))
    if o.markdown:
        write_markdown(run, o.markdown)
    if not (o.html or o.markdown):
        print_table(run)


if __name__ == "__main__":
    main()
