#!/usr/bin/python3
"""compare.py BIN LEVEL SOURCE…: gdb and `vestige variable --at` must say the same of every variable of the function that calls mark(),
and of its file, at every call; of a program without optimization vestige must know all that gdb knows.

What gdb shows is that of native builds at -O0 (shown.py); with optimization variables may be unknown, but not different."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from shown import Comparison  # noqa: E402


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def gdb_says(compiler, sources, init, perturb):
    run(compiler, "-O0", "-g", "-gdwarf-4", "-w", "-ftrivial-auto-var-init=" + init, *sources, "-o", init)
    subprocess.run(["gdb", "-nx", "-batch", "-x", os.path.join(HERE, "in_gdb.py"), "./" + init], check=True, capture_output=True,
                   env={**os.environ, "STOPS": "stops", "DEBUGINFOD_URLS": "", "MALLOC_PERTURB_": str(perturb), "INPUT": "input"})
    return [json.loads(line) for line in open("stops")]


def vestige_says(bin_folder, compiler, level, sources):
    vestige = os.path.join(bin_folder, "vestige")
    run(os.path.join(bin_folder, compiler), level, "-g", "-w", *sources, "-o", "recorded")
    with open("input") as given:
        run(vestige, "record", "-q", "--what", "full", "-o", "t.vst", "--", "./recorded", stdin=given)
    statements = map(json.loads, run(vestige, "statements", "t.vst", "--all", "--json").splitlines())
    marks = {s["id"] for s in statements if (s["callee"] or "").split("(")[0] == "mark"}
    walked = map(json.loads, run(vestige, "walk", "t.vst", "--level", "statement", "--json").splitlines())
    order, counts = [], {}
    for row in walked:
        if row["kind"] == "statement" and row["id"] in marks:
            counts[row["id"]] = counts.get(row["id"], 0) + 1
            order.append("#%d@%d" % (row["id"], counts[row["id"]]))
    asked = [word for at in order for word in ("--at", at)]
    rows = {}
    for line in run(vestige, "variable", "-q", "t.vst", *asked, "--json").splitlines():
        row = json.loads(line)
        rows.setdefault(row["at"], {})[row["variable"], row["declared"]] = row
    return [rows.get(at, {}) for at in order]


def compare(bin_folder, level, sources):
    """In the current folder, which has the file "input"."""
    tagged = any(source.endswith(".cpp") for source in sources)
    native = "clang++-19" if tagged else "clang-19"
    zero, pattern = gdb_says(native, sources, "zero", 85), gdb_says(native, sources, "pattern", 170)
    rows = vestige_says(bin_folder, "vestige-c++" if tagged else "vestige-cc", level, sources)
    if not rows or not len(zero) == len(pattern) == len(rows):
        sys.exit("gdb stopped %d and %d times, the recording has %d marks" % (len(zero), len(pattern), len(rows)))
    found = Comparison()
    for number, (one, other, said) in enumerate(zip(zero, pattern, rows)):
        found.add("mark %d" % (number + 1), one["line"], one["variables"], other["variables"], said)
    return len(rows), found


def main():
    bin_folder, level, *sources = sys.argv[1:]
    bin_folder = os.path.abspath(bin_folder)
    sources = [os.path.join(os.path.dirname(HERE), "programs", source) for source in sources]
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        with open("input", "w") as out:
            out.write("first line of the input\nsecond\n17 42 rest\n")
        stops, found = compare(bin_folder, level, sources)
        os.chdir("/")
    print("%s %s: %d stops, locals %s, globals %s, %d different, %d not initialized, %d not in JSON" % (
        " ".join(map(os.path.basename, sources)), level, stops, found.share_text("local"), found.share_text("global"),
        len(found.different), found.uninitialized, found.not_in_json))
    print("\n".join(found.details(8)))
    short = level == "-O0" and not found.is_complete()
    # The optimizer's debug information gives a value now and then that a store through a pointer has replaced.
    wrong = len(found.different) > (0 if level == "-O0" else found.shown() // 1000)
    sys.exit(bool(wrong or found.without_reason() or short or found.shown() < 50))


if __name__ == "__main__":
    main()
