"""Messages between recorded ranks: each receive has its send, from the right rank and before it; whoever leaves a
collective operation leaves behind those that gave to it.

messages.py BIN PROGRAMS RANKS
"""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BIN, PROGRAMS, RANKS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
ENVIRONMENT = {**os.environ, "OMPI_CC": str(BIN / "vestige-cc"), "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
failures = []


def run(*words):
    done = subprocess.run([str(w) for w in words], check=False, capture_output=True, env=ENVIRONMENT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.decode()[-2000:]}")
    return done.stdout


def expect(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: {got}, not {wanted}")


def main():
    if not (shutil.which("mpirun") and shutil.which("mpicc")):
        print("there is no MPI")
        return 77
    with tempfile.TemporaryDirectory() as name:
        program, trace = f"{name}/messages", f"{name}/t.vst"
        run("mpicc", "-O1", PROGRAMS / "messages.c", "-o", program)
        run("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", RANKS, BIN / "vestige", "record", "-q", "-o", trace, "--", program)
        names = {t["thread"]: int(t["name"].split(".")[0]) for t in json.loads(run(BIN / "vestige", "info", trace, "--json"))["thread_list"]}
        sends, arrived, left, counts = {}, collections.defaultdict(list), collections.defaultdict(list), collections.Counter()
        for line in run(BIN / "vestige", "sync", trace, "--all", "--json").splitlines():
            op = json.loads(line)
            if not op["kind"].startswith("mpi_"):
                continue
            rank = names[op["thread"]]
            counts[op["kind"], rank] += 1
            if op["kind"] == "mpi_send":
                if op["object"] in sends:
                    failures.append("two messages have one number")
                sends[op["object"]] = (rank, op["result"])
            elif op["kind"] == "mpi_receive":  # in one order: its send came before
                expect("who sent what was received", sends.pop(op["object"], None), (op["result"], rank))
            elif op["kind"] == "mpi_arrive":
                if left[op["object"]]:
                    failures.append("somebody left before all had given")
                arrived[op["object"]].append(rank)
            else:
                left[op["object"]].append(rank)
        expect("messages that nobody received", len(sends), 0)
        for rank in range(RANKS):
            others = RANKS - 1 if rank == 0 else 0
            expect(f"sends of rank {rank}", counts["mpi_send", rank], 6 + (rank != 0))
            expect(f"receives of rank {rank}", counts["mpi_receive", rank], 6 + others)
        # Of each communicator: everybody gives to three of them, the root alone to one, all but the root to one.
        sizes = [RANKS, (RANKS + 1) // 2, RANKS // 2]
        expect("who gave", sorted(len(ranks) for ranks in arrived.values()), sorted(n for s in sizes for n in (s, s, s, 1, s - 1) if n))
        expect("who got", sorted(len(left[o]) for o in left if left[o]), sorted(n for s in sizes for n in (s, s, s, s - 1, 1) if n))
        run(BIN / "vestige", "sync", trace, "--chart", "text")
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
