"""Races that need another schedule: small programs whose verdicts are known, each run by one thread.

    schedules.py BIN teams|pools LEVEL

teams: of OpenMP. They run with OMP_NUM_THREADS=1, so nothing races as recorded, and whatever is found needs
another schedule. pools: of threads that take jobs. One worker does them while the other one sleeps (on a busy
machine not always). Racy ones have to be found, nothing may be said of free ones. Says how many were found.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SOURCES = {"teams": ("loops.c", "regions.c"), "pools": ("pools.c", "pools.cpp")}
# What is not found, and has to leave this list when it is (docs/threads.md says why).
MISSED = {"-O0": {"stealing_racy"},
          "-O2": {"simd_racy", "stealing_racy"}}


def run(*command, codes=(0,), **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **more)
    if done.returncode not in codes:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return done


class Suite:
    def __init__(self, binaries, kind, level, folder):
        self.kind = kind
        self.vestige = pathlib.Path(binaries) / "vestige"
        self.level, self.folder = level, pathlib.Path(folder)
        self.wrong, self.racy, self.found = [], 0, 0

    def record(self, program, *arguments, threads="1"):
        trace = self.folder / "t.vst"
        run(self.vestige, "record", "-q", "-o", trace, "--", program, *arguments,
            env={**os.environ, "OMP_NUM_THREADS": threads})
        return trace

    def others(self, trace):
        done = run(self.vestige, "races", "-q", trace, "--schedules", "any", "--json", codes=(0, 1))
        report = json.loads(done.stdout)
        if done.returncode != (1 if report["pairs"] else 0):
            self.wrong.append(f"exit code {done.returncode}")
        return report["pairs"]

    def check(self, name, wanted, pairs):
        others = [pair for pair in pairs if pair["schedule"] == "other"]
        if self.kind == "teams" and len(others) < len(pairs):
            self.wrong.append(f"{name}: races as recorded")
        for pair in others:
            sides = [(pair["witness"][side]["thread"], pair["witness"][side]["work"]) for side in "ab"]
            kinds = {work["kind"] for _, work in sides}
            if sides[0] == sides[1] and kinds <= {"iteration", "section", "round"}:
                self.wrong.append(f"{name}: both sides are {sides[0]}")
            if name.startswith("sections") and "iteration" in kinds:
                self.wrong.append(f"{name}: sections are called {kinds}")
            if (kinds == {"round"}) != (self.kind == "pools"):
                self.wrong.append(f"{name}: sides are {kinds}")
        self.racy += wanted == "racy"
        self.found += wanted == "racy" and bool(pairs)
        missed = name in MISSED.get(self.level, ()) and len(others) == len(pairs)
        if wanted == "racy" and missed == bool(pairs):
            self.wrong.append(f"{self.level} {name}: {'found, but listed as missed' if missed else 'not found'}")
        if wanted == "free" and pairs:
            lines = [(pair["a"]["line"], pair["b"]["line"]) for pair in pairs]
            self.wrong.append(f"{self.level} {name}: false, lines {lines}")

    def programs(self, source):
        target = self.folder / source.replace(".", "_")
        compiler = self.vestige.parent / ("vestige-c++" if source.endswith("cpp") else "vestige-cc")
        threads = {"teams": "-fopenmp", "pools": "-pthread"}[self.kind]
        run(compiler, threads, "-g", self.level, "-w", HERE / source, "-o", target)
        for line in run(target, "list").stdout.splitlines():
            wanted, name = line.split()
            self.check(name, wanted, self.others(self.record(target, name)))


def main():
    binaries, kind, level = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="vestige-schedules-") as folder:
        suite = Suite(binaries, kind, level, folder)
        for source in SOURCES[kind]:
            suite.programs(source)
    print(f"{suite.found} of {suite.racy} races of {kind} found at {level}")
    if suite.wrong:
        sys.exit("\n".join(suite.wrong))


if __name__ == "__main__":
    main()
