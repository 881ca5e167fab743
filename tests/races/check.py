"""Races of real recordings: known answers, the plain twin, and one verdict for one trace.

    check.py BIN NAIVE scenarios|random LEVEL SAMPLE REPEAT

SAMPLE: every SAMPLE-th scenario only (or that many random programs); REPEAT: recordings of each.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SOURCES = ("scenarios.c", "scenarios.cpp", "openmp.c")
HERE = pathlib.Path(__file__).parent / "programs"


def run(*command, codes=(0,), **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode not in codes:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return done


class Check:
    def __init__(self, binaries, naive, folder):
        self.vestige = pathlib.Path(binaries) / "vestige"
        self.naive = naive
        self.folder = pathlib.Path(folder)
        self.wrong = []
        self.compared = 0

    def build(self, source, level):
        target = self.folder / source.replace(".", "_")
        driver = "vestige-c++" if source.endswith("cpp") else "vestige-cc"
        standard = ["-std=c++20"] if source.endswith("cpp") else []
        standard += ["-fopenmp"] if source.startswith("openmp") else []
        run(self.vestige.parent / driver, *standard, "-g", level, "-w", "-pthread", HERE / source, "-o", target)
        return target

    def races(self, program, *arguments):
        """Records once; gives the pairs, after comparing them with the twin's."""
        trace = self.folder / "t.vst"
        run(self.vestige, "record", "-q", "--what", "full", "-o", trace, "--", program, *arguments)
        done = run(self.vestige, "races", "-q", trace, "--json", codes=(0, 1))
        pairs = json.loads(done.stdout)["pairs"]
        mine = [f"{p['a']['id']} {p['a']['kind']} {p['b']['id']} {p['b']['kind']} {p['count']}" for p in pairs]
        theirs = run(self.naive, trace).stdout.split("\n")[:-1]
        self.compared += 1
        if mine != theirs or done.returncode != (1 if pairs else 0):
            kept = self.folder.parent / "races-disagreement.vst"
            kept.write_bytes(trace.read_bytes())
            self.wrong.append(f"{arguments}: {mine} but the twin says {theirs}; see {kept}")
        return pairs

    def scenarios(self, source, level, sample, repeat):
        program = self.build(source, level)
        listed = run(program, "list").stdout.split("\n")[:-1]
        for line in listed[::sample]:
            wanted, name = line.split()
            for _ in range(repeat):
                got = "racy" if self.races(program, name) else "free"
                if got != wanted:
                    self.wrong.append(f"{source} {name}: {got}, should be {wanted}")
        return len(listed[::sample])

    def random(self, level, count):
        program = self.build("random.c", level)
        racy = 0
        for seed in range(count):
            racy += bool(self.races(program, seed, 2 + seed % 3, 24 + seed % 5 * 12))
        return racy


def main():
    binaries, naive, what, level, sample, repeat = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(binaries, naive, folder)
        if what == "scenarios":
            for source in SOURCES:
                print(source, check.scenarios(source, level, int(sample), int(repeat)), "scenarios")
        else:
            print("random programs:", sample, "of which racy:", check.random(level, int(sample)))
        print("traces compared with the twin:", check.compared)
        sys.exit("\n".join(text[:1000] for text in check.wrong[:10]) if check.wrong else 0)


main()
