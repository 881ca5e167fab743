"""Races of real recordings: known answers, the plain twins, and one verdict for one trace.

    check.py BIN NAIVE scenarios|random|rounds LEVEL SAMPLE REPEAT

SAMPLE: every SAMPLE-th scenario only (or that many random programs, or lengths of loops); REPEAT: recordings of each.
Of each recording, the races are those of naive_races, also by small shares of memory, the sharing is that of naive_sharing,
the exported text has the same races by a third detector (std_races).
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCES = ("scenarios.c", "scenarios.cpp", "openmp.c")
HERE = pathlib.Path(__file__).parent / "programs"


def run(*command, codes=(0,), **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **more)
    if done.returncode not in codes:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return done


def std_races(text):
    """Happens-before over the events of the std format: pairs of places whose accesses race."""
    clocks = collections.defaultdict(collections.Counter)
    locks = collections.defaultdict(collections.Counter)
    places = collections.defaultdict(list)
    races = set()
    for line in text.splitlines():
        thread, what, place = line.split("|")
        kind, target = what[:-1].split("(")
        clock = clocks[thread]
        clock[thread] = clock[thread] or 1
        if kind == "acq":
            clock |= locks[target]
        elif kind == "rel":
            locks[target] = clock.copy()
            clock[thread] += 1
        elif kind == "fork":
            clocks[target] |= clock
            clock[thread] += 1
        elif kind == "join":
            clock |= clocks[target]
        else:
            for other, when, write, where in places[target]:
                if other != thread and (write or kind == "w") and clock[other] < when:
                    races.add((min(where, int(place)), max(where, int(place))))
            entry = (thread, clock[thread], kind == "w", int(place))
            if entry not in places[target]:
                places[target].append(entry)
    return races


class Check:
    def __init__(self, binaries, naive, folder):
        self.vestige = pathlib.Path(binaries) / "vestige"
        self.naive = pathlib.Path(naive)
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
        by_shares = run(self.vestige, "races", "-q", trace, "--json", "--memory", "16K", codes=(0, 1))
        if json.loads(by_shares.stdout)["pairs"] != pairs:
            self.wrong.append(f"{arguments}: with little memory the races are others")
        self.sharing(trace, arguments)
        self.exported(trace, pairs, arguments)
        if mine != theirs or done.returncode != (1 if pairs else 0):
            kept = self.folder.parent / "races-disagreement.vst"
            kept.write_bytes(trace.read_bytes())
            self.wrong.append(f"{arguments}: {mine} but the twin says {theirs}; see {kept}")
        return pairs

    def sharing(self, trace, arguments):
        """By byte, what the rows say of it."""
        done = run(self.vestige, "sync", "-q", trace, "--sharing", "--json", codes=(0, 1))
        mine = []
        for row in map(json.loads, done.stdout.splitlines()):
            threads = [",".join(map(str, row[of])) or "-" for of in ("readers", "writers")]
            said = f"{row['use']} {row['advice'] or 'none'} {threads[0]} {threads[1]} {row['false_line'] or 0}"
            mine += [f"{row['address'] + i} {said}" for i in range(row["bytes"])]
        theirs = run(self.naive.parent / "naive_sharing", trace).stdout.split("\n")[:-1]
        if sorted(mine) != sorted(theirs):
            wrong = sorted(set(mine) ^ set(theirs))[:6]
            self.wrong.append(f"{arguments}: sharing differs: {wrong}")

    def exported(self, trace, pairs, arguments):
        """The exported text has the races of plain accesses, and no others."""
        text = run(self.vestige, "export", "-q", "--to", "std", trace, "-o", "-").stdout
        wanted = {(p["a"]["id"], p["b"]["id"]) for p in pairs if not (p["a"]["atomic"] or p["b"]["atomic"])}
        found = std_races(text)
        if found != wanted:
            self.wrong.append(f"{arguments}: the exported text has the races {found}, not {wanted}")

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

    def rounds(self, level, count):
        program = self.build("rounds.c", level)
        return sum(len(self.races(program, 8 + 37 * i)) for i in range(count))


def main():
    binaries, naive, what, level, sample, repeat = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(binaries, naive, folder)
        if what == "scenarios":
            for source in SOURCES:
                print(source, check.scenarios(source, level, int(sample), int(repeat)), "scenarios")
        elif what == "rounds":
            print("races between loops:", check.rounds(level, int(sample)))
        else:
            print("random programs:", sample, "of which racy:", check.random(level, int(sample)))
        print("traces compared with the twin:", check.compared)
        sys.exit("\n".join(text[:1000] for text in check.wrong[:10]) if check.wrong else 0)


if __name__ == "__main__":
    main()
