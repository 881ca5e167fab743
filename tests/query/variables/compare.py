#!/usr/bin/python3
"""compare.py BIN SOURCE LEVEL: gdb and `vestige variable` must agree on every variable at every mark().

The program runs once under gdb and once recorded. At the k-th mark() of both, each variable that gdb shows is looked up
in its history: the changes of this activation before the call, applied in order. Where both know a value (of each
member and element alone) it must be the same; and vestige must know enough of what gdb knows. Optimized programs tell
gdb wrong values now and then (of variables whose register is reused); then the program without optimization decides.
"""

import bisect
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Of the scalars that gdb knows, the share that vestige must know too, from the variable's first change on. Before
# that gdb shows what happens to lie there. With optimization gdb goes on showing values of variables whose
# next value is computed only further on; vestige does not.
ENOUGH = {"-O0": 1, "-O1": 0.9, "-O2": 0.9}


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def rows(*command):
    return [json.loads(line) for line in run(*command).splitlines()]


def leaves(value, at=""):
    """Paths of members and elements with their values."""
    if isinstance(value, dict):
        return {p: v for k, part in value.items()
                for p, v in leaves(part, at if k == "" or k[0] == "<" else at + "." + k).items()}
    if isinstance(value, list):
        return {p: v for i, part in enumerate(value) for p, v in leaves(part, "%s[%d]" % (at, i)).items()}
    return {at: value}


def unstring(value, like):
    """gdb gives arrays of characters as lists: the text of vestige is made one."""
    if isinstance(value, str) and isinstance(like, list):
        text = value.encode("latin-1", "replace")[: len(like)]
        return [c - 256 if c > 127 else c for c in text] + ([0] if len(text) < len(like) else [])
    return value


def same(told, shown):
    if shown == "null" or shown == "pointer":
        return (told == 0) == (shown == "null")
    if isinstance(shown, float) and isinstance(told, (int, float)):
        return math.isclose(told, shown, rel_tol=1e-6) or told == shown
    return told == shown


class Recording:
    def __init__(self, vestige, trace):
        self.vestige, self.trace, self.histories = vestige, trace, {}
        marks = {s["id"] for s in rows(vestige, "statements", trace, "--json")
                 if (s["callee"] or "").split("(")[0] == "mark" or s["callee"] == "_ZL4marki"}
        self.order, self.marks, self.entries = {}, [], {}
        for n, row in enumerate(rows(vestige, "walk", trace, "--level", "statement", "--json")):
            if row["kind"] != "statement":
                continue
            self.order[row["time"], row["id"]] = n
            if row["id"] in marks:
                self.marks.append((n, row["time"]))
        for row in rows(vestige, "walk", trace, "--level", "path", "--json"):
            if row["kind"] == "path" and row["enters"]:
                self.entries.setdefault(row["depth"], []).append(row["time"])

    def when(self, row):
        """The place of a change in the walk; phis and markers are not in it: the next that is."""
        key = row["id"]
        while (row["time"], key) not in self.order and key < row["id"] + 50:
            key += 1
        return self.order[row["time"], key] - (0.5 if row["before"] else -0.5)

    def history(self, variable, function, source, part=""):
        name = variable["name"].split("::")[-1] + part
        for where in (function, os.path.basename(source)):
            key = "%s@%s:%d" % (name, where, variable["line"])
            if key not in self.histories:
                done = subprocess.run([self.vestige, "variable", "-q", self.trace, key, "--json"], capture_output=True,
                                      text=True)
                if done.returncode not in (0, 1, 2):
                    sys.exit("vestige variable %s: %s" % (key, done.stderr))
                found = [json.loads(line) for line in done.stdout.splitlines()]
                self.histories[key] = None if done.returncode == 2 else [(self.when(r), r) for r in found]
            if self.histories[key] is not None:
                return self.histories[key]
        return None

    def at_mark(self, number, depth, variable, function, source):
        """What is known at the mark, by part; and what is seen right behind it, that nobody wrote here.

        A change of a union's member changes the others: each has a history of its own."""
        if not variable["union"]:
            return self.of_part(number, depth, variable, function, source, "")
        known, later = {}, {}
        for part in leaves(variable["value"]):
            own, seen = self.of_part(number, depth, variable, function, source, part)
            known.update(own or {})
            later.update(seen or {})
        return known, later

    def of_part(self, number, depth, variable, function, source, part):
        history = self.history(variable, function, source, part)
        if history is None:
            return None, None
        place, time = self.marks[number]
        times = self.entries.get(depth, [])
        entered = times[bisect.bisect_right(times, time) - 1] if times else None
        known, later = {}, {}
        for when, row in history:
            if row["depth"] is not None and (row["depth"] != depth or row["entered"] != entered):
                continue
            changed = row["part"] or part
            value = leaves(unstring(row["value"], element(variable["value"], changed)), changed)
            if when < place:
                known = {p: v for p, v in known.items() if not inside(p, changed)}
                known.update(value)
            else:
                for leaf, v in value.items():
                    later.setdefault(leaf, v if row["how"] == "seen" else None)
        return known, later


def inside(path, part):
    return path == part or path.startswith((part + ".", part + "[")) or part == ""


def element(value, part):
    """The part of gdb's value."""
    for word in part.replace("[", ".[").split("."):
        if word.startswith("[") and isinstance(value, list):
            value = value[int(word[1:-1])] if int(word[1:-1]) < len(value) else None
        elif word and isinstance(value, dict):
            inner = [v for k, v in value.items() if k[:1] == "<" and isinstance(v, dict) and word in v]
            value = value.get(word, inner[0][word] if inner else None)
    return value


def stops_of(bin_folder, source, level):
    """Builds the program as ./program and gives what gdb says at its marks."""
    compiler = os.path.join(bin_folder, "vestige-c++" if source.endswith(".cpp") else "vestige-cc")
    run(compiler, level, "-g", "-gdwarf-4", "-w", os.path.join(HERE, "programs", source), "-o", "program")
    subprocess.run(["gdb", "-nx", "-batch", "-x", os.path.join(HERE, "in_gdb.py"), "./program"], check=True,
                   capture_output=True, env=dict(os.environ, STOPS="stops", DEBUGINFOD_URLS=""))
    return [json.loads(line) for line in open("stops")]


def main():
    bin_folder, source, level = sys.argv[1:]
    work = tempfile.TemporaryDirectory()
    os.chdir(work.name)
    vestige = os.path.join(bin_folder, "vestige")
    plain = [{(v["name"], v["line"]): leaves(v["value"]) for v in stop["variables"]}
             for stop in stops_of(bin_folder, source, "-O0")]
    stops = stops_of(bin_folder, source, level)
    subprocess.run([vestige, "record", "-q", "--what", "full", "-o", "t.vst", "--", "./program"], check=False)
    recording = Recording(vestige, "t.vst")
    if not stops or not len(plain) == len(stops) == len(recording.marks):
        sys.exit("gdb stopped %d times (%d without optimization), the recording has %d marks" %
                 (len(stops), len(plain), len(recording.marks)))
    equal = unknown = differ = waiting = wrong = 0
    missed = {}
    for number, stop in enumerate(stops):
        for variable in stop["variables"]:
            known, later = recording.at_mark(number, stop["depth"], variable, stop["function"], source)
            shown = leaves(variable["value"])
            for part, value in shown.items():
                told = (known or {}).get(part)
                if told is None and same((later or {}).get(part), value):
                    equal += 1  # what was there before; a load shows it later
                elif told is None and (not known or part):
                    waiting += 1
                elif told is None:
                    unknown += 1
                    missed[variable["name"]] = missed.get(variable["name"], 0) + 1
                elif same(told, value) or same((later or {}).get(part), value):
                    equal += 1
                elif same(told, plain[number].get((variable["name"], variable["line"]), {}).get(part)):
                    wrong += 1
                else:
                    differ += 1
                    print("mark %d, line %d: %s%s is %s in gdb, %s in vestige" %
                          (number + 1, stop["line"], variable["name"], part, value, told))
    print("%s %s: %d stops, %d values equal, %d wrong in gdb, %d differ, %d not known yet, %d known to gdb only %s" %
          (source, level, len(stops), equal, wrong, differ, waiting, unknown, missed or ""))
    if differ or wrong > 0.1 * equal or equal < ENOUGH[level] * (equal + unknown):
        sys.exit(1)


main()
