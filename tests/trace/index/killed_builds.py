#!/usr/bin/python3
"""killed_builds.py BIN: builds of indexes that are killed at any time leave nothing but the trace and whole indexes; what killed
builds of file systems without nameless files left goes with the next one, unless it is locked."""
import fcntl
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = """#include <stdio.h>
static unsigned a[1024];
static unsigned step(unsigned x) { return x & 1 ? 3 * x + 1 : x >> 1; }
int main(void) { unsigned x = 27; for (int i = 0; i < 400000; i++) { x = step(x) + a[i & 1023]; a[x & 1023] += i; }
  printf("%u\\n", x); return 0; }"""
WHOLE = {"t.vst", "t.vst.idx", "t.vst.dep", "t.vst.slc"}


def names(folder):
    return {entry.name for entry in folder.iterdir()}


def main():
    failures, killed = [], 0
    with tempfile.TemporaryDirectory() as name:
        work, folder = pathlib.Path(name), pathlib.Path(name) / "trace"
        folder.mkdir()
        (work / "p.c").write_text(PROGRAM)
        os.environ["XDG_CACHE_HOME"] = str(work / "cache")
        subprocess.run([BIN / "vestige-cc", "-g", "-O0", work / "p.c", "-o", work / "p"], check=True)
        trace = folder / "t.vst"
        subprocess.run([BIN / "vestige", "record", "-q", "-o", trace, "--", work / "p"], check=True, stdout=subprocess.DEVNULL)
        statements = subprocess.run([BIN / "vestige", "statements", trace, "main", "--json"], check=True, capture_output=True).stdout
        last = [s["id"] for s in map(json.loads, statements.splitlines()) if s["op"] == "load"][-1]
        build = [BIN / "vestige", "slice", trace, "--at", f"#{last}", "-q"]
        began = time.monotonic()
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        took = time.monotonic() - began
        if not WHOLE <= names(folder):
            failures.append(f"no indexes: {names(folder)}")
        chance = random.Random(7)
        for round_ in range(12):
            for file in names(folder) - {"t.vst"}:
                (folder / file).unlink()
            running = subprocess.Popen(build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(took * chance.random())
            running.send_signal([signal.SIGKILL, signal.SIGTERM, signal.SIGINT][round_ % 3])
            killed += running.wait() < 0
            if not names(folder) <= WHOLE:
                failures.append(f"a killed build left {names(folder) - WHOLE}")
        for file in names(folder) - {"t.vst"}:
            (folder / file).unlink()
        others = {"t.vst.dep.notes", "t.vst.dep.1234567", "other.dep.Ab12Cd"}
        for file in others | {"t.vst.dep.Ab12Cd", "t.vst.dep.zzzzzz"}:
            (folder / file).write_text("left")
        with open(folder / "t.vst.dep.zzzzzz", "rb") as busy:
            fcntl.flock(busy, fcntl.LOCK_EX)
            subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
            left = names(folder) - WHOLE
            if left != others | {"t.vst.dep.zzzzzz"}:
                failures.append(f"left behind: {left}")
    print("\n".join([*failures, f"{killed} of 12 builds were killed, {len(failures)} wrong"]))
    return 1 if failures or killed == 0 else 0


sys.exit(main())
