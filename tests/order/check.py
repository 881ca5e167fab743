#!/usr/bin/env python3
"""check.py BIN TWIN SPOIL ROUNDS SHUFFLES: records racy programs with their order, and has the twin prove it.

Whatever the schedule was: the order is whole (verify), any row of accesses that keeps it gives every load what it
gave, and no edge follows from the rest. Without the edges that fails for the counter in one of two rows, whatever
happened: its threads cannot have run one after the other both ways. A copy with a spoilt edge is refused.
"""
import os
import re
import subprocess
import sys
import tempfile


# What machines without membarrier or AVX do, in every second round.
BY_LOCKS = {**os.environ, "VESTIGE_ORDER_BY_LOCKS": "1"}


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def fail(message):
    print(message)
    sys.exit(1)


def check_spoilt(vestige, spoil, trace, folder):
    copy = os.path.join(folder, "spoilt.vst")
    for how in ("none", "thread", "itself", "time", "statement", "circle"):
        if run(spoil, trace, copy, how).returncode != 0:
            fail(f"no copy with a spoilt {how}")
        verified = run(vestige, "verify", copy)
        if (verified.returncode == 0) != (how == "none") or verified.returncode not in (0, 1, 3):
            fail(f"verify of a spoilt {how}: {verified.returncode} {verified.stdout}{verified.stderr}")
        # Whatever it says of it, it comes to an end.
        replayed = run(vestige, "replay", "--order", "sync", "--json", copy)
        if replayed.returncode not in (0, 3):
            fail(f"replay of a spoilt {how}: {replayed.returncode} {replayed.stderr}")


def check_shuffled(vestige, twin, program, folder, rounds):
    """The names that dependences have, in orders that no machine may ever make: paths of several threads entangled."""
    trace, copy = os.path.join(folder, "zeros.vst"), os.path.join(folder, "shuffled.vst")
    recorded = run(vestige, "record", "-q", "--order", "-o", trace, "--", program)
    if recorded.returncode != 0:
        fail(f"zeros: record: {recorded.returncode} {recorded.stderr}")
    named = unordered = 0
    for round_ in range(rounds):
        if run(twin, "--shuffle", trace, copy, str(round_)).returncode != 0:
            fail("zeros: no shuffled copy")
        verified, proved = run(vestige, "verify", copy), run(twin, copy, str(round_))
        numbers = {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", proved.stdout)}
        if verified.returncode != 0 or proved.returncode != 0 or numbers["misnamed"]:
            fail(f"zeros, shuffle {round_}: {verified.stdout}{verified.stderr}{proved.stdout}{proved.stderr}")
        named += numbers["named"]
        unordered += numbers["unordered"]
    print(f"shuffled: named={named} unordered={unordered}")


def main():
    binaries, twin, spoil, rounds, shuffles = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
    sources = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
    vestige = os.path.join(binaries, "vestige")
    totals = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in (("counter", "-O1"), ("dekker", "-O0"), ("mixed", "-O2"), ("mixed", "-O0"), ("takeover", "-O2"), ("left", "-O1")):
            program = os.path.join(folder, name + flags)
            compiled = run(os.path.join(binaries, "vestige-cc"), flags, "-pthread", "-o", program,
                           os.path.join(sources, name + ".c"))
            if compiled.returncode != 0:
                fail(compiled.stderr)
            for round_ in range(rounds):
                trace = os.path.join(folder, "t.vst")
                where = f"{name} {flags}, round {round_}"
                recorded = run(vestige, "record", "-q", "--order", "-o", trace, "--", program, str(round_),
                               env=BY_LOCKS if round_ % 2 else os.environ)
                if recorded.returncode != 0 or recorded.stderr:
                    fail(f"{where}: record: {recorded.returncode} {recorded.stderr}")
                verified = run(vestige, "verify", trace)
                if verified.returncode != 0:
                    fail(f"{where}: verify: {verified.stdout}{verified.stderr}")
                proved = run(twin, trace, str(round_))
                if proved.returncode != 0:
                    fail(f"{where}: {proved.stderr}")
                numbers = {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", proved.stdout)}
                if numbers["wrong"] or numbers["implied"] or numbers["misnamed"] or not numbers["checked"]:
                    fail(f"{where}: {proved.stdout}")
                if numbers["by_locks"] != round_ % 2:
                    fail(f"{where}: not recorded as it should be")
                if name == "counter" and not (numbers["edges"] and numbers["free_wrong"]):
                    fail(f"{where}: nothing needs the order: {proved.stdout}")
                if name == "counter" and round_ == 0:
                    check_spoilt(vestige, spoil, trace, folder)
                for key, value in numbers.items():
                    totals[key] = totals.get(key, 0) + value
        program = os.path.join(folder, "zeros")
        compiled = run(os.path.join(binaries, "vestige-cc"), "-O1", "-pthread", "-o", program,
                       os.path.join(sources, "zeros.c"))
        if compiled.returncode != 0:
            fail(compiled.stderr)
        check_shuffled(vestige, twin, program, folder, shuffles)
    print(" ".join(f"{k}={v}" for k, v in totals.items()))


if __name__ == "__main__":
    main()
