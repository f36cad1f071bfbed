# SPDX-License-Identifier: MIT
"""Starts processes and reads what they say: scenario programs, whole applications, foreign load, CPU sets and quotas.

Invariant: a measured process inherits no OpenMP setting from the user's environment; it has its arm's and no other.
"""
import contextlib
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
OURS = ("OMP_", "GOMP_", "KMP_", "LIBOMP_", "TENURE", "BENCH_", "OPENBLAS_", "GOTO_")
CFLAGS = "-D_GNU_SOURCE -std=gnu11 -O2 -g -fopenmp -fPIE -pie".split()


class Failed(Exception):
    """A process that did not end well; carries what it had said until then."""

    def __init__(self, why, rows=(), info=None):
        super().__init__(why)
        self.rows, self.info = list(rows), info or {}


def processors(text):
    found = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        found.update(range(int(low), int(high or low) + 1))
    return found


def find_openblas():
    given = os.environ.get("OPENBLAS")
    places = [Path("/usr/lib") / f"{platform.machine()}-linux-gnu" / "openblas-openmp", Path("/usr/lib64"),
              Path("/usr/lib")]
    names = ["libopenblas.so.0", "libopenblaso.so.0"]
    for path in [Path(given)] if given else [p / n for p in places for n in names]:
        if path.exists() and b"GOMP_parallel" in path.read_bytes():
            return str(path)
    return None


# Starting libomp raises the size from which glibc's malloc takes fresh pages, as a side effect: a quarter of numpy's time
# here (NOTES.md). Applications get it fixed, in every arm, so that runtimes are compared and not page faults.
MALLOC = "glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=134217728"


class Quota:
    """A cgroup (version 2, or version 1's cpu controller) that grants so many processors' worth of time."""

    def __init__(self, share):
        old = Path("/sys/fs/cgroup/cpu")
        self.group = (old if old.is_dir() else Path("/sys/fs/cgroup")) / f"tenure-bench-{os.getpid()}"
        self.group.mkdir()
        period = 100000
        if old.is_dir():
            (self.group / "cpu.cfs_period_us").write_text(str(period))
            (self.group / "cpu.cfs_quota_us").write_text(str(int(share * period)))
        else:
            (self.group / "cpu.max").write_text(f"{int(share * period)} {period}")

    def enter(self):
        (self.group / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        for _ in range(50):
            with contextlib.suppress(OSError):
                self.group.rmdir()
                return
            time.sleep(0.1)


class Runner:
    def __init__(self, o):
        self.o = o
        self.cpus = processors(o.cpus) if o.cpus else None
        self.openblas = find_openblas()
        self.step = None
        self.quota = Quota(o.quota) if o.quota else None
        self.bin = build(o.bin)
        self.proved = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.quota:
            self.quota.remove()

    def environment(self, arm):
        env = {k: v for k, v in os.environ.items() if not k.startswith(OURS) and k != "LD_PRELOAD"}
        if self.openblas:
            env["OPENBLAS"] = self.openblas
        if self.step:
            env["BENCH_STEP_NS"] = self.step
        env.update(arm)
        return env

    def prepare(self):
        if self.cpus:
            os.sched_setaffinity(0, self.cpus)
        if self.quota:
            self.quota.enter()

    @contextlib.contextmanager
    def load(self):
        if not self.o.load:
            yield
            return
        threads, _, seconds = self.o.load.partition(":")
        with subprocess.Popen([self.bin / "load", threads, seconds or "60"],
                              preexec_fn=(lambda: os.sched_setaffinity(0, self.cpus)) if self.cpus else None) as p:
            try:
                yield
            finally:
                p.kill()

    def process(self, argv, env, **more):
        """Output, wall ns, rusage, and how it ended (0 is well)."""
        with self.load(), tempfile.TemporaryFile("w+") as errors:
            start = time.perf_counter_ns()
            p = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace",
                                 preexec_fn=self.prepare, **more)
            killed = []
            timer = threading.Timer(self.o.timeout, lambda: (killed.append(True), p.kill()))
            timer.start()
            out = p.stdout.read()
            _, status, usage = os.wait4(p.pid, 0)
            wall = time.perf_counter_ns() - start
            timer.cancel()
            p.stdout.close()
            p.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            last = errors.read().strip().split("\n")[-1]
        ended = f"no end within {self.o.timeout:g} s" if killed else f"status {p.returncode}: {last}"
        return out, wall, usage, ended if killed or p.returncode else ""

    def scenario(self, name, arm, only=None):
        argv = [str(self.bin / name)] + ["--quick"] * self.o.quick
        only = only or (self.o.phases if name != "floor" else None)
        if only:
            argv += ["--only", only]
        if self.o.width and name != "floor":
            argv += ["--width", str(self.o.width)]
        out, _, _, ended = self.process(argv, self.environment(arm))
        rows, info = parse(out)
        if ended:
            raise Failed(ended, rows, info)
        return rows, info

    def learn_step(self, rows):
        """The first floor run says how long a step of work takes; every program of the run then does the same steps."""
        for row in rows:
            if row["row"] == "step" and not self.step:
                self.step = repr(row["value"])

    def apps(self, arm, given):
        rows, info = [], {}
        env = {"GLIBC_TUNABLES": MALLOC, **self.environment(arm)}
        if self.openblas:
            env["LD_LIBRARY_PATH"] = str(Path(self.openblas).parent)
        for name, argv in applications(given, env):
            self.prove(name, argv, env, info)
            before = control()
            _, wall, usage, ended = self.process(argv, env, stdin=subprocess.DEVNULL)
            if ended:
                raise Failed(f"{name}: {ended}", rows, info)
            cpu = (usage.ru_utime + usage.ru_stime) * 1e9
            rows.append({"row": name, "unit": "ns", "value": wall, "n": 1, "cpu": cpu, "vol": usage.ru_nvcsw,
                         "inv": usage.ru_nivcsw, "ctl": median(before + control())})
        return rows, info

    def prove(self, name, argv, env, info):
        """Asks the loader, once per arm and application, what GOMP_parallel was bound to when it was first called."""
        key = (name, env.get("LD_PRELOAD"))
        if key not in self.proved:
            with tempfile.TemporaryDirectory() as d:
                self.process(argv, {**env, "LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": f"{d}/ld"},
                             stdin=subprocess.DEVNULL)
                found = set()
                for f in Path(d).iterdir():
                    for line in f.read_text(errors="replace").splitlines():
                        if "symbol `GOMP_parallel'" in line:
                            found.add(line.split(" to ")[1].split(" [")[0])
                self.proved[key] = ",".join(sorted(found)) or "nothing: no region ran"
        info[f"runtime of {name}"] = self.proved[key]


def control():
    """Serial work of this process, for applications, which have no control inside."""
    found = []
    for _ in range(9):
        start = time.perf_counter_ns()
        sum(range(20000))
        found.append(time.perf_counter_ns() - start)
    return found


def applications(given, env):
    convert = next(filter(shutil.which, ("convert-im6.q16", "magick", "convert")), None)
    python = sys.executable if has_numpy(sys.executable, env) else "/usr/bin/python3"
    known = [
        ("numpy", [python, str(HERE / "app_numpy.py")], lambda argv: has_numpy(argv[0], env)),
        ("imagemagick", [convert, *"-seed 1 -size 1200x1200 plasma: -blur 0x6 -resize 60% null:".split()],
         lambda _: convert),
        ("graphicsmagick", ["gm", *"convert -size 1200x1200 gradient:navy-orange -swirl 90 -blur 0x6 -resize 60% null:".split()],
         lambda argv: shutil.which(argv[0])),
        ("R", ["Rscript", "-e", "set.seed(1); a <- matrix(runif(360000), 600); for (i in 1:15) b <- crossprod(a)"],
         lambda argv: shutil.which(argv[0])),
        ("tesseract", ["sh", "-c", f"{convert} -size 900x300 -pointsize 40 caption:'The quick brown fox jumps over the "
                       "lazy dog, again and again.' png:- | tesseract stdin stdout"],
         lambda _: convert and shutil.which("tesseract")),
    ]
    yield from ((name, argv) for name, argv, there in known if there(argv))
    for command in given:
        yield command[:40].replace(" ", "_"), shlex.split(command)


def has_numpy(python, env):
    clean = {k: v for k, v in env.items() if k != "LD_PRELOAD"}
    return subprocess.run([python, "-c", "import numpy"], env=clean, capture_output=True, check=False).returncode == 0


def parse(out):
    """`row NAME key=value …` and `info key=value …` lines; anything else a program prints is its own affair."""
    rows, info = [], {}
    for line in out.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "info":
            first, _, value = rest.partition("=")
            if first == "mixed":
                info.setdefault("mixed", []).append(value)
            else:
                info[first] = value
        elif kind == "row":
            name, *pairs = rest.split()
            row = {"row": name}
            for pair in pairs:
                key, _, value = pair.partition("=")
                row[key] = value if key == "unit" else [float(v) for v in value.split(",")] if key == "raw" \
                    else float(value)
            rows.append(row)
    return rows, info


def build(folder):
    """Compiles what is stale into `folder`, or into a cache for use without a build tree. Always by GCC: the programs
    stand for what users have, whichever compiler builds Tenure."""
    target = Path(folder or Path(os.environ.get("XDG_CACHE_HOME", "/var/tmp")) / f"tenure-bench-{os.getuid()}")
    target.mkdir(parents=True, exist_ok=True)
    common = [HERE / n for n in ("bench.c", "host.c", "session.c")]
    includes = [HERE.parent / "omp_bridge", HERE.parent / "kernels"]  # tenure.h
    headers = [HERE / "bench.h", *(h for i in includes for h in i.glob("tenure*.h"))]
    age = max(f.stat().st_mtime for f in [*common, *headers])
    jobs = {f.stem: [f, *common] for f in sorted((HERE / "scenarios").glob("*.c"))}
    jobs["load"] = [HERE / "load.c"]
    for name, sources in jobs.items():
        made = target / name
        if not made.exists() or made.stat().st_mtime < max(age, sources[0].stat().st_mtime):
            subprocess.run([os.environ.get("OMPCC") or "gcc", *CFLAGS, *(f"-I{i}" for i in includes), "-o", f"{made}.new",
                            *map(str, sources), "-lm", "-ldl", "-lpthread"], check=True)
            os.replace(f"{made}.new", made)
    return target


def first_line(argv):
    try:
        return subprocess.run(argv, capture_output=True, text=True, check=False, cwd=HERE).stdout.split("\n")[0]
    except OSError:
        return ""


def machine():
    cpu, caches = "", {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "cpu family", "model", "CPU implementer", "CPU part"):
            caches.setdefault(key.strip(), value.strip())
    cpu = caches.get("model name", platform.processor() or platform.machine())
    if "cpu family" in caches:
        cpu += f" (family {caches['cpu family']}, model {caches['model']})"
    clock = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    return {
        "processor": cpu, "processors": len(os.sched_getaffinity(0)), "kernel": platform.release(),
        "architecture": platform.machine(), "libc": " ".join(platform.libc_ver()),
        "compiler": first_line([os.environ.get("OMPCC") or "gcc", "--version"]),
        "clock": clock.read_text().strip() if clock.exists() else "", "load": " ".join(map(str, os.getloadavg())),
        "commit": first_line(["git", "describe", "--always", "--dirty"]),
    }


def library(path):
    """What file a runtime is: real path, digest, and its package's version where dpkg knows it."""
    if not path or not Path(path).exists():
        return {}
    real = Path(path).resolve()
    said = {"file": str(real), "sha256": hashlib.sha256(real.read_bytes()).hexdigest()[:16]}
    package = first_line(["dpkg-query", "-S", str(real)]).split(": ")[0]
    if not package and "libomp" in str(path):
        package = next((f"{d.name}" for d in real.parents for d in d.glob("libomp5-*.deb")), "")
        return {**said, "version": package} if package else said
    if package:
        said["version"] = package + " " + first_line(["dpkg-query", "-W", "-f", "${Version}", package])
    return said
