"""kinds.py BIN NAIVE: every kind of synchronization through every consumer of operations.

programs/kinds.c has each kind once, as the only thing between a write and a read. Clocks (`races`, and the plain twin),
prediction, the export (by a third detector), sharing, charts and dependences all see that nothing races and who wrote
what was read. Each kind that include/vestige/sync_kind.h has must come up in the recording, but those named below.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from check import run, std_races

HERE = pathlib.Path(__file__).parent
HEADER = HERE.parent.parent / "include/vestige/sync_kind.h"
# OpenMP's and MPI's have programs of their own (openmp.c, tests/spmd); these are no rows of `vestige sync`.
ELSEWHERE = {"omp_give", "omp_take", "refused", "allocated", "freed", "thread_exit", "object_begins", "object_ends"}


def kinds_of_header():
    body = re.search(r"enum class SyncKind[^{]*\{(.*?)\n\};", HEADER.read_text(), re.S)[1]
    return set(re.findall(r"^\s*(\w+) = \d+", body, re.M))


def lines_of(source, text):
    return [number for number, line in enumerate(source.splitlines(), 1) if text in line]


def main():
    binaries, naive = pathlib.Path(sys.argv[1]), sys.argv[2]
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = HERE / "programs/kinds.c"
        trace = folder / "kinds.vst"
        run(binaries / "vestige-cc", "-O0", "-g", "-pthread", source, "-o", folder / "kinds")
        run(binaries / "vestige", "record", "-q", "-o", trace, "--", folder / "kinds")

        rows = [json.loads(row) for row in run(binaries / "vestige", "sync", trace, "--json", "--all").stdout.splitlines()]
        seen = {row["kind"] for row in rows}
        wanted = {kind for kind in kinds_of_header() if not kind.startswith("mpi_")} - ELSEWHERE
        if len(wanted) < 20:
            problems.append(f"{HEADER} was not understood")
        problems += [f"{kind} does not come up" for kind in sorted(wanted - seen)]

        for command in (["races"], ["races", "--predict"], ["races", "--memory", "64K"]):
            told = run(binaries / "vestige", *command, trace, "--json", codes=(0, 1)).stdout
            pairs = json.loads(told)["pairs"]
            problems += [f"{' '.join(command)}: {pair['a']['line']} and {pair['b']['line']} race" for pair in pairs]
        if run(naive, trace, codes=(0, 1)).stdout.strip():
            problems.append("the twin sees a race")
        text = run(binaries / "vestige", "export", "--to", "std", trace, "-o", "-").stdout
        if not text or std_races(text):
            problems.append(f"the exported events race: {std_races(text)}")
        chart = json.loads(run(binaries / "vestige", "sync", trace, "--chart", "text", "--json", "--all").stdout)
        drawn = sum(cell["operations"] for row in chart["rows"] for cell in row["cells"])
        if drawn != len(rows) or not any(cell["gives"] for row in chart["rows"] for cell in row["cells"]):
            problems.append(f"the chart has {drawn} operations, not {len(rows)}")

        # Dependences: the writer of what was read is the one write there is, whoever did it.
        source_text = source.read_text()
        for number in (0, 3, 5, 7, 8, 10, 11, 13, 14):
            read = [line for line in lines_of(source_text, f"written[{number}]") if "= 1" not in source_text.splitlines()[line - 1]]
            write = lines_of(source_text, f"written[{number}] = 1;")
            told = run(binaries / "vestige", "slice", trace, "--at", f"kinds.c:{read[0]}", "--data-only", "--json", codes=(0, 1, 2))
            if told.returncode == 2:  # several statements: take the load
                ids = re.findall(r"(#\d+)[^\n]*load", told.stderr)
                told = run(binaries / "vestige", "slice", trace, "--at", ids[-1], "--data-only", "--json")
            if write[0] not in json.loads(told.stdout)["lines"]:
                problems.append(f"line {read[0]} is not known to depend on line {write[0]}")
    print("\n".join(problems) or f"{len(seen)} kinds")
    return 1 if problems else 0


sys.exit(main())
