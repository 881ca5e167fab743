#!/usr/bin/python3
"""compare.py BIN TRACE…: reads traces with both readers, and fails where the two differ or `vestige verify` complains.

compare.py BIN --record PROGRAM FLAG…: builds and records a program first, in a temporary folder.
"""
import json
import os
import subprocess
import sys
import tempfile

import vst_reader


def rows(*command):
    output = subprocess.run(command, check=False, stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in output.splitlines()]


def record(tools, source, flags, folder):
    program, trace = os.path.join(folder, "program"), os.path.join(folder, "program.vst")
    driver = "vestige-c++" if source.endswith(".cpp") else "vestige-cc"
    subprocess.run([os.path.join(tools, driver), *flags, "-pthread", source, "-o", program], check=True)
    subprocess.run([os.path.join(tools, "vestige"), "record", "-q", "-o", trace, "--", program], check=False)
    return trace


def compare_info(vestige, file, trace):
    """Every number both give must be the same."""
    theirs, ours = rows(vestige, "info", "--json", file)[0], trace.info()
    failures = []

    def look(where, a, b):
        if isinstance(b, dict):
            for key, value in b.items():
                if key not in a:
                    failures.append(f"{where}{key}: missing")
                else:
                    look(f"{where}{key}.", a[key], value)
        elif isinstance(b, list) and b and isinstance(b[0], dict):
            if len(a) != len(b):
                failures.append(f"{where} {len(a)} and {len(b)} items")
            for i, (x, y) in enumerate(zip(a, b)):
                look(f"{where}{i}.", x, y)
        elif a != b:
            failures.append(f"{where} {a!r} and {b!r}")

    look("", theirs, ours)
    return failures


def compare_walks(vestige, file, trace):
    names = {row["linkage_name"]: row["name"] for row in rows(vestige, "functions", "--json", file)}
    for thread in range(len(trace.threads)):
        theirs = rows(vestige, "walk", "--json", "--all", "--thread", str(thread), file)
        ours = list(trace.walk(thread))
        for number, (a, b) in enumerate(zip(theirs, ours)):
            a.pop("text", None)
            if "function" in b:
                b["function"] = names[b["function"]]
            if a != b:
                return [f"thread {thread}, row {number}:\n  {a}\n  {b}"]
        if len(theirs) != len(ours):
            return [f"thread {thread}: {len(theirs)} and {len(ours)} rows"]
    return []


def compare_variables(vestige, file, trace):
    """Names, types and places of declaration."""
    theirs = {(v["name"], v["type"], v["file"] or "", v["line"]) for v in rows(vestige, "variable", "--json", file)}
    ours = set()
    for _, function in trace.functions:
        for name, type_, location, _, _ in function.variables:
            place = function.locations[location]
            ours.add((name, function.source_types[type_][1], "" if place[0] is None else function.files[place[0]], place[1]))
    return [f"variables: {theirs ^ ours}"] if theirs != ours else []


def compare(tools, file):
    vestige = os.path.join(tools, "vestige")
    with open(file, "rb") as stream:
        trace = vst_reader.Trace(stream.read())
    failures = rows(vestige, "verify", "--json", file)[0]["problems"]
    failures += compare_info(vestige, file, trace) + compare_walks(vestige, file, trace)
    failures += compare_variables(vestige, file, trace)
    chunks = sum(len(list_) for list_ in trace.controls)
    print(f"{os.path.basename(file)}: {len(trace.threads)} threads, {chunks} control chunks: "
          f"{'the same' if not failures else 'DIFFERENT'}")
    for failure in failures:
        print(failure)
    return not failures


def main(tools, first, *rest):
    if first != "--record":
        return all([compare(tools, file) for file in (first, *rest)])
    with tempfile.TemporaryDirectory() as folder:
        return compare(tools, record(tools, rest[0], rest[1:], folder))


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
