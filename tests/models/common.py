"""What the models share: the command line, the runs, and what is kept of a difference.

A model is a second opinion. It is written from the pages (docs/*.md) and the standards alone, by somebody who has not
read how Vestige does it. Each makes random programs, knows their right answer by itself, and compares.

    tests/models/NAME.py BIN [--seeds FROM:TO] [--jobs N] [--keep DIR]

BIN is the folder of vestige and vestige-cc. The last line says `N programs, M comparisons, D differences; classes hit: …`.
The exit code is 1 on a difference. A seed gives the same program every time.
"""
import argparse
import collections
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import traceback


class Case:
    """One program of one seed: its folder, what was compared, and what differed."""

    def __init__(self, binaries, seed, folder):
        self.binaries = binaries
        self.seed = seed
        self.folder = folder
        self.comparisons = 0
        self.differences = []
        self.hits = collections.Counter()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def hit(self, name, count=1):
        self.hits[name] += count

    def same(self, kind, what, model, program):
        """Compares two answers; a difference is kept with what was asked."""
        self.comparisons += 1
        if model == program:
            return True
        self.differences.append((kind, f"{what}\n  model:   {model}\n  program: {program}"))
        return False

    def differs(self, kind, text):
        self.comparisons += 1
        self.differences.append((kind, text))

    def run(self, command, expect=(0,), timeout=120, stdin=None):
        """Runs a command in the case's folder; any other exit status is an error of the harness."""
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=timeout, input=stdin)
        if done.returncode not in expect:
            raise RuntimeError(f"{' '.join(command)}: status {done.returncode}\n{done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")

    def compile(self, sources, output, *flags, compiler="vestige-cc"):
        self.run([os.path.join(self.binaries, compiler), "-w", "-g", *flags, *sources, "-o", output])

    def record(self, program, trace, *arguments, expect=(0,), flags=(), stdin=None):
        return self.run([os.path.join(self.binaries, "vestige"), "record", "-q", *flags, "-o", trace, "--", "./" + program,
                         *arguments], expect, stdin=stdin)

    def vestige(self, *arguments, expect=(0,)):
        return self.run([os.path.join(self.binaries, "vestige"), *arguments], expect)

    def object(self, *arguments, expect=(0,)):
        return json.loads(self.vestige(*arguments, "--json", expect=expect))

    def rows(self, *arguments, expect=(0,)):
        return [json.loads(line) for line in self.vestige(*arguments, "--json", expect=expect).splitlines() if line]


def run_one(work):
    check, binaries, seed, keep = work
    folder = tempfile.mkdtemp(prefix=f"model-{seed}-")
    case = Case(binaries, seed, folder)
    try:
        check(case)
    except Exception as error:  # An error of the harness, or a crash of the program, is a difference too.
        case.differences.append(("error", "".join(traceback.format_exception(error))))
    if case.differences and keep:
        place = os.path.join(keep, str(seed))
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        for name in os.listdir(folder):
            if name.endswith((".c", ".h", ".cpp", ".txt", ".json")):
                shutil.copy(os.path.join(folder, name), place)
        with open(os.path.join(place, "differences.txt"), "w") as file:
            file.write("\n".join(f"[{kind}] {text}" for kind, text in case.differences) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    return seed, case.comparisons, case.differences, case.hits


def main(name, check, quick="1:20"):
    parser = argparse.ArgumentParser(description=name)
    parser.add_argument("binaries", metavar="BIN")
    parser.add_argument("--seeds", default=quick, metavar="FROM:TO")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), f"models-{name}"), metavar="DIR")
    options = parser.parse_args()
    first, last = (int(part) for part in options.seeds.split(":"))
    work = [(check, os.path.abspath(options.binaries), seed, options.keep) for seed in range(first, last + 1)]
    comparisons, hits, kinds, wrong = 0, collections.Counter(), collections.Counter(), 0
    examples = {}
    with multiprocessing.Pool(options.jobs) as pool:
        for seed, count, differences, hit in pool.imap_unordered(run_one, work):
            comparisons += count
            hits.update(hit)
            wrong += len(differences)
            for kind in {kind for kind, _ in differences}:
                kinds[kind] += 1
                examples.setdefault(kind, []).append(seed)
    for kind, count in sorted(kinds.items()):
        print(f"differences of kind {kind!r} in {count} programs, seeds {sorted(examples[kind])[:12]}")
    if wrong:
        print(f"kept in {options.keep}")
    classes = ", ".join(f"{key} {value}" for key, value in sorted(hits.items()))
    print(f"{len(work)} programs, {comparisons} comparisons, {wrong} differences; classes hit: {classes}")
    sys.exit(1 if wrong else 0)
