"""Races of real recordings: known answers, the plain twins, and one verdict for one trace.

    check.py BIN NAIVE scenarios|handoff|exit|random|lives|rounds|times LEVEL SAMPLE REPEAT [SOURCE]

SAMPLE: every SAMPLE-th scenario only (or that many random programs, or lengths of loops); REPEAT: recordings of each.
Of each recording, the races are those of naive_races, also by small shares of memory and on one core, the sharing is that of naive_sharing,
the exported text has the same races by a third detector (std_races).
"""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCES = ("scenarios.c", "scenarios.cpp", "handoff.c", "openmp.c", "lives.c")
HERE = pathlib.Path(__file__).parent / "programs"
ONE_CORE = ("taskset", "-c", str(min(os.sched_getaffinity(0)))) if shutil.which("taskset") else ()


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
        self.hits = collections.Counter()
        self.misuses = self.elsewhere = 0
        self.said = ""

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
        done = run(self.vestige, "record", "-q", "--what", "full", "-o", trace, "--", program, *arguments, codes=(0, 3))
        self.said, self.elsewhere = done.stdout, self.elsewhere + (done.returncode == 3)
        done = run(self.vestige, "races", "-q", trace, "--json", codes=(0, 1))
        report = json.loads(done.stdout)
        pairs, self.misuses = report["pairs"], report["misuses"]
        self.misused(trace, report, arguments)
        mine = [f"{p['a']['id']} {p['a']['kind']} {p['b']['id']} {p['b']['kind']} {p['count']}" for p in pairs]
        theirs = run(self.naive, trace).stdout.split("\n")[:-1]
        self.compared += 1
        callees = {p[side]["callee"] for p in pairs for side in "ab"} - {None}
        self.hits.update({"races of library calls": any(c != "free" for c in callees), "of free": "free" in callees})
        by_shares = run(self.vestige, "races", "-q", trace, "--json", "--memory", "16K", codes=(0, 1))
        if json.loads(by_shares.stdout)["pairs"] != pairs:
            self.wrong.append(f"{arguments}: with little memory the races are others")
        alone = run(*ONE_CORE, self.vestige, "races", "-q", trace, "--json", codes=(0, 1))
        if json.loads(alone.stdout)["pairs"] != pairs:
            self.wrong.append(f"{arguments}: on one core, where one worker reads all threads, the races are others")
        self.sharing(trace, arguments)
        self.exported(trace, pairs, arguments)
        if mine != theirs or done.returncode != (1 if pairs else 0):
            kept = self.folder.parent / "races-disagreement.vst"
            kept.write_bytes(trace.read_bytes())
            self.wrong.append(f"{arguments}: {mine} but the twin says {theirs}; see {kept}")
        return pairs

    def misused(self, trace, report, arguments):
        """`sync` and `races` say the same of locks in the wrong hands."""
        rows = map(json.loads, run(self.vestige, "sync", "-q", trace, "--json", codes=(0, 1)).stdout.splitlines())
        told = [(row["thread"], row["number"], row["misuse"]["holder"]) for row in rows if row["misuse"]]
        first = [(row["thread"], row["number"], row["holder"]) for row in report["first_misuses"]]
        if len(told) != report["misuses"] or told[:len(first)] != first:
            self.wrong.append(f"{arguments}: misuses {first}, but sync says {told[:6]}")

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
            # A third word: how many misuses, or ThreadSanitizer's verdict.
            wanted, name, *more = line.split()
            misuses = int(more[0]) if more and more[0].isdigit() else 0
            for _ in range(repeat):
                pairs = self.races(program, name)
                # What is written anew without order races by itself.
                asked = [p for p in pairs if source != "lives.c" or wanted == "free" or p["witness"]["variable"] == "x"]
                got = "racy" if asked else "free"
                if got != wanted:
                    self.wrong.append(f"{source} {name}: {got}, should be {wanted}")
                if self.misuses != misuses:
                    self.wrong.append(f"{source} {name}: {self.misuses} misuses, should be {misuses}")
        return len(listed[::sample])

    def exit(self, level):
        """The exit code is the program's, and without a wait nothing is seen of who was left."""
        program = self.build("handoff.c", level)
        trace = self.folder / "t.vst"
        for name, flags, races in (("left_alone", ["--exit-wait", "0"], 0), ("left_alone", [], 1), ("left_status", [], 1)):
            code = 7 if name == "left_status" else 0
            run(self.vestige, "record", "-q", *flags, "-o", trace, "--", program, name, codes=(code,))
            found = json.loads(run(self.vestige, "races", "-q", trace, "--json", codes=(0, 1)).stdout)["pairs"]
            if bool(found) != bool(races):
                self.wrong.append(f"{name} {flags}: {len(found)} races")

    def random(self, level, count):
        program = self.build("random.c", level)
        racy = 0
        for seed in range(count):
            racy += bool(self.races(program, seed, 2 + seed % 3, 24 + seed % 5 * 12))
            self.hits["orders through descriptors"] += self.handed_on()
        return racy

    def handed_on(self):
        """Whether one thread took through a descriptor what another had given."""
        givers = collections.defaultdict(set)
        for row in run(self.vestige, "sync", "-q", self.folder / "t.vst", "--all", "--json").stdout.splitlines():
            op = json.loads(row)
            if op["kind"] == "descriptor_give":
                givers[op["object"]].add(op["thread"])
            elif op["kind"] == "descriptor_take" and givers[op["object"]] - {op["thread"]}:
                return True
        return False

    def lives(self, level, count):
        """Objects whose memory is used again, and what that hit."""
        program = self.build("random_lives.c", level)
        racy, hits = 0, collections.Counter()
        for seed in range(count):
            racy += bool(self.races(program, seed, 2 + seed % 4, 20 + seed % 5 * 8))
            for part in self.said.strip().split(", "):
                hits[part.partition(" ")[2].partition(" of ")[0]] += int(part.partition(" ")[0])
            hits["misuses told"] += self.misuses
            participants, users = self.said.split(" of ")[1].split(" among ")
            hits["programs with more users of a barrier than participants"] += int(participants) < int(users)
        print(", ".join(f"{times} {what}" for what, times in hits.items()))
        if not all(hits.values()):
            self.wrong.append(f"a class was never hit: {hits}")
        return racy

    def rounds(self, level, count):
        program = self.build("rounds.c", level)
        return sum(len(self.races(program, 8 + 37 * i)) for i in range(count))

    def times(self, level, count):
        program = self.build("same_times.c", level)
        for _ in range(count):
            rows = [(p["a"]["line"], p["b"]["line"]) for p in self.races(program)]
            if len(set(rows)) != 1:
                self.wrong.append(f"{rows}: the loops race, and nothing else")


def main():
    binaries, naive, what, level, sample, repeat, *sources = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(binaries, naive, folder)
        if what == "scenarios":
            for source in sources or SOURCES:
                print(source, check.scenarios(source, level, int(sample), int(repeat)), "scenarios")
        elif what == "handoff":
            print(check.scenarios("handoff.c", level, int(sample), int(repeat)), "scenarios")
        elif what == "exit":
            check.exit(level)
        elif what == "rounds":
            print("races between loops:", check.rounds(level, int(sample)))
        elif what == "times":
            check.times(level, int(sample))
        elif what == "lives":
            print("random programs:", sample, "of which racy:", check.lives(level, int(sample)))
        else:
            print("random programs:", sample, "of which racy:", check.random(level, int(sample)))
        print("traces compared with the twin:", check.compared, "of which memory was not used again in", check.elsewhere)
        for hit, count in check.hits.items():
            print(f"  with {hit}: {count}")
        if 4 * check.elsewhere > check.compared:
            check.wrong.append("memory was hardly ever used again")
        sys.exit("\n".join(text[:1000] for text in check.wrong[:10]) if check.wrong else 0)


if __name__ == "__main__":
    main()
