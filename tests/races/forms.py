"""Races, sharing and navigation on compressed forms: the same as on the recording that they were made from.

    forms.py BIN scenarios|random|lives|shapes|tasks|handoff|rounds LEVEL SAMPLE [FIRST | SOURCE…]

SAMPLE: every SAMPLE-th scenario only, or that many random programs, from number FIRST on. Each is recorded once, of shapes and
tasks every third with the order of its accesses, and written as cor, dor and cdr.
"""

import collections
import json
import pathlib
import random
import sys
import tempfile

from check import HERE, SOURCES, run

FORMS = ("cor", "dor", "cdr")
PLACE = ("function", "file", "line")  # what needs paths


class Forms:
    def __init__(self, binaries, folder):
        self.vestige = pathlib.Path(binaries) / "vestige"
        self.folder = pathlib.Path(folder)
        self.trace = self.folder / "t.vst"
        self.wrong = []
        self.seen = collections.Counter()
        self.chance = random.Random(1)

    def build(self, source, level, *flags):
        target = self.folder / source.replace(".", "_")
        driver = "vestige-c++" if source.endswith("cpp") else "vestige-cc"
        more = ["-std=c++20"] if source.endswith("cpp") else []
        more += ["-fopenmp"] if source.startswith("openmp") else flags
        run(self.vestige.parent / driver, *more, "-g", level, "-w", "-pthread", HERE / source, "-o", target)
        return target

    def ask(self, command, trace, *more):
        """What a command prints as JSON, a row a line; or why it does not."""
        done = run(self.vestige, command, "-q", trace, "--json", *more, codes=(0, 1, 2, 3, 4, 5))
        try:
            rows = [json.loads(line) for line in done.stdout.splitlines()]
        except json.JSONDecodeError:
            rows = [done.stdout]
        return done.returncode, rows, done.stderr

    def same(self, what, mine, theirs):
        self.seen[what.split()[0]] += 1
        if mine != theirs:
            kept = self.folder.parent / "forms-disagreement.vst"
            kept.write_bytes(self.trace.read_bytes())
            self.wrong.append(f"{self.name}: {what}: {mine}\n  recording: {theirs}"[:1500])

    def check(self, name, program, *arguments, record=()):
        self.name = name
        run(self.vestige, "record", "-q", "--what", "full", *record, "-o", self.trace, "--", program, *arguments, codes=tuple(range(256)))
        for form in FORMS:
            run(self.vestige, "represent", "-q", self.trace, "--as", form, "--always", "-o", self.folder / f"{form}.vst")
            run(self.vestige, "verify", "-q", self.folder / f"{form}.vst")
        self.races()
        for form in FORMS:
            self.sync(form)
        self.navigation()

    def races(self):
        def report(trace, *more):
            code, rows, said = self.ask("races", trace, *more)
            if code > 1:
                return code, said
            pairs = [{key: value for key, value in pair.items() if not key.startswith("artifact")} for pair in rows[0]["pairs"]]
            return code, pairs, rows[0]["misuses"], rows[0]["first_misuses"], rows[0]["unknown"]
        cdr = self.folder / "cdr.vst"
        found = report(self.trace)
        self.seen["racy pairs"] += len(found[1])
        self.seen["misuses"] += found[2]
        self.same("races", report(cdr), found)
        self.same("races by shares", report(cdr, "--memory", "16K"), found)
        self.same("races predicted", report(cdr, "--predict"), report(self.trace, "--predict"))
        for form, word in (("cor", "no accesses"), ("dor", "which statement")):
            code, _, said = self.ask("races", self.folder / f"{form}.vst")
            if code < 2 or word not in said or "cdr" not in said:
                self.wrong.append(f"{self.name}: races of a {form}: {code} {said}")

    def sync(self, form):
        trace = self.folder / f"{form}.vst"
        def rows(of):
            found = self.ask("sync", of, "--all")
            return [{key: value for key, value in row.items() if form != "dor" or key not in PLACE} for row in found[1]]
        self.same(f"sync of {form}", rows(trace), rows(self.trace))
        self.same(f"chart of {form}", self.ask("sync", trace, "--chart"), self.ask("sync", self.trace, "--chart"))
        mine, theirs = (self.ask("sync", of, "--sharing") for of in (trace, self.trace))
        if form == "cdr":
            self.seen["rows shared"] += len(theirs[1])
            self.same("sharing", mine[:2], theirs[:2])
        elif mine[0] < 2 or "cdr" not in mine[2]:
            self.wrong.append(f"{self.name}: sharing of a {form}: {mine}")

    def navigation(self):
        """Some operations of each thread."""
        operations = collections.defaultdict(list)
        for row in self.ask("sync", self.trace, "--all")[1]:
            operations[row["thread"]].append(row)
        for thread, rows in operations.items():
            numbers = {1, len(rows), *(self.chance.randint(1, len(rows)) for _ in range(3))}
            for number in sorted(numbers):
                at = f"{thread}:{number}"
                for form in FORMS:
                    trace = self.folder / f"{form}.vst"
                    nth = self.ask("sync", trace, "--nth", at)[1][0]
                    plain = rows[number - 1]
                    if form == "dor":
                        nth, plain = ({key: value for key, value in row.items() if key not in PLACE} for row in (nth, plain))
                    self.same(f"nth of {form}", nth, plain)
                    for option in ("--segment", "--held"):
                        mine, theirs = (self.ask("sync", of, option, at)[:2] for of in (trace, self.trace))
                        # A dor has no paths: where its last segment ends is not in it.
                        if form != "dor" or not mine[1] or mine[1][0]["to"]:
                            self.same(f"{option[2:]} of {form}", mine, theirs)
                self.walks(thread, number)
            for form in FORMS:
                code, rows_, _ = self.ask("sync", self.folder / f"{form}.vst", "--nth", f"{thread}:{len(rows) + 1}")
                if code != 1 or rows_:
                    self.wrong.append(f"{self.name}: {form} has operation {thread}:{len(rows) + 1}")

    def walks(self, thread, number):
        how = ("--thread", thread, "--from", f"sync:{number}", "--count", 6)
        theirs = self.ask("walk", self.trace, *how)[:2]
        for form in ("cor", "cdr"):
            self.same(f"walk of {form}", self.ask("walk", self.folder / f"{form}.vst", *how)[:2], theirs)

    def scenarios(self, source, level, sample):
        program = self.build(source, level)
        for line in run(program, "list").stdout.split("\n")[:-1][::sample]:
            name = line.split()[1]
            self.check(f"{source} {name}", program, name)

    def rounds(self, level, count):
        program = self.build("rounds.c", level)
        for i in range(count):
            self.check(f"rounds {i}", program, 8 + 37 * i)


def main():
    binaries, what, level, sample, *sources = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        forms = Forms(binaries, folder)
        if what in ("scenarios", "handoff"):
            for source in sources or (SOURCES if what == "scenarios" else ["handoff.c"]):
                forms.scenarios(source, level, int(sample))
        elif what == "rounds":
            forms.rounds(level, int(sample))
        elif what in ("shapes", "tasks"):
            program = forms.build("random_shapes.c", level, *(["-fopenmp"] if what == "tasks" else []))
            first = int(sources[0]) if sources else 0
            for seed in range(first, first + int(sample)):
                forms.check(f"{what} {seed}", program, seed, 2 + seed % 4 * 2, 8 + seed % 5 * 8, record=["--order"] if seed % 3 == 1 else [])
        else:
            program = forms.build("random.c" if what == "random" else "random_lives.c", level)
            for seed in range(int(sample)):
                sizes = (2 + seed % 3, 24 + seed % 5 * 12) if what == "random" else (2 + seed % 4, 20 + seed % 5 * 8)
                forms.check(f"{what} {seed}", program, seed, *sizes)
        print("compared:", ", ".join(f"{count} {what}" for what, count in forms.seen.items()))
        if not forms.seen["racy pairs"] or not forms.seen["rows shared"]:
            forms.wrong.append("nothing raced, or nothing was shared")
        sys.exit("\n".join(forms.wrong[:10]) if forms.wrong else 0)


if __name__ == "__main__":
    main()
