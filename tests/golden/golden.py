#!/usr/bin/python3
"""golden.py BIN TRACE: prints what the command line says of a trace, one JSON object per line.
golden.py BIN TRACE --check: compares that with TRACE's .answers file: every key there must still be there, with the same value.
A file of descriptors is asked for its contexts, its descriptors and its references instead, a stored whole execution trace (.wet) for values, addresses and slices
besides.

Sentences for people (`text`, `fatal`) are left out, since their wording may change, and so is the trace's own name.
"""
import hashlib
import json
import os
import subprocess
import sys


def answers(tools, trace):
    def ask(*command):
        output = subprocess.run([os.path.join(tools, "vestige"), command[0], trace, *command[1:], "--json"], check=True, stdout=subprocess.PIPE)
        for line in output.stdout.splitlines():
            row = json.loads(line)
            for key in ("text", "fatal") + (("file",) if command[0] == "info" else ()):
                row.pop(key, None)
            yield {"question": command[0], **row}

    yield from ask("verify")
    info = next(ask("info"))
    yield info
    if info["what"] == "eprsd":
        yield from ask("contexts")
        yield from ask("descriptors", "--all")
        replay = subprocess.run([os.path.join(tools, "vestige"), "replay", trace, "--format", "refs"], check=True, stdout=subprocess.PIPE)
        yield {"question": "replay", "sha256": hashlib.sha256(replay.stdout).hexdigest()}
        return
    for question in "functions", "statements":
        yield from ask(question)
    for thread in range(info["threads"]):
        yield from ask("walk", "--thread", str(thread))
    if trace.endswith(".wet"):
        for question in "values", "addresses":
            rows = [*ask(question, "all")]
            yield {"question": question, "rows": len(rows), "sha256": hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()}
        last = rows[-1]["statement"]
        for way in [], ["--forward"]:
            yield from ask("slice", "--at", f"#{last}", "--instances", *way)


def within(expected, actual):
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(key in actual and within(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(actual) and all(map(within, expected, actual))
    return expected == actual


def check(expected, actual):
    if len(expected) != len(actual):
        sys.exit(f"{len(actual)} answers, not {len(expected)}")
    for number, (a, b) in enumerate(zip(expected, actual), 1):
        if not within(a, b):
            sys.exit(f"answer {number}:\n  {json.dumps(a)}\nbecame\n  {json.dumps(b)}")


def main(tools, trace, *rest):
    actual = answers(tools, trace)
    if not rest:
        for row in actual:
            print(json.dumps(row, separators=(",", ":")))
        return
    with open(os.path.splitext(trace)[0] + ".answers", encoding="utf-8") as stream:
        check([json.loads(line) for line in stream], list(actual))


if __name__ == "__main__":
    main(*sys.argv[1:])
