"""What recorded ranks tell each other, with every MPI: each receive has its own send, from the right rank and before it;
whoever leaves a collective operation leaves behind those that gave to it; a lock has one owner. And the same from descriptors.

messages.py BIN PROGRAMS RANKS
"""

import collections
import json
import pathlib
import sys
import tempfile

from mpis import Mpi, run

BIN, PROGRAMS, RANKS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), int(sys.argv[3])
FUNCTIONS = ("? barrier bcast reduce allreduce gather scatter allgather alltoall reduce_scatter scan exscan fence post complete "
             "put get accumulate get_accumulate fetch_and_op compare_and_swap shared exclusive").split()
failures = []


def expect(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: {got}, not {wanted}")


def expected_collectives():
    """(function, how many gave, how many took) of each operation."""
    out = collections.Counter()
    halves = [(RANKS + 1) // 2, RANKS // 2]
    for n in [RANKS, *halves]:
        out.update([("barrier", n, n), ("bcast", 1, n - 1), ("reduce", n - 1, 1), ("allreduce", n, n), ("allgather", n, n)])
    n = RANKS
    out.update([("barrier", n, n), ("bcast", 1, n - 1), ("allreduce", n, n), ("gather", n - 1, 1), ("alltoall", n, n),
                ("reduce_scatter", n, n), ("barrier", n, n), ("barrier", n, n), ("fence", n, 0), ("fence", n, n), ("fence", n, n)])
    for rank in range(n):
        out.update([("scan", 1, n - 1 - rank), ("exscan", 1, n - 1 - rank), ("post", 1, 1), ("complete", 1, 1)])
    return out


def check(mpi, folder):
    program, trace, small = folder / f"messages-{mpi.name}", folder / "t.vst", folder / "e.vst"
    mpi.compile("-O1", "-g", PROGRAMS / "messages.c", "-o", program)
    mpi.record(RANKS, trace, program)
    info = json.loads(run(BIN / "vestige", "info", trace, "--json"))
    names = {t["thread"]: int(t["name"].split(".")[0]) for t in info["thread_list"]}
    sends, order = {}, collections.defaultdict(list)
    arrived, left, functions = collections.Counter(), collections.Counter(), {}
    counts, holders = collections.Counter(), collections.defaultdict(list)
    for line in run(BIN / "vestige", "sync", trace, "--all", "--json").splitlines():
        op = json.loads(line)
        kind, rank, which = op["kind"], names[op["thread"]], op["object"]
        if not kind.startswith("mpi_"):
            continue
        tag, size = op["other"] >> 32, op["other"] & 0xFFFFFFFF
        counts[kind, rank] += 1
        if kind == "mpi_send":
            if which in sends:
                failures.append("two messages have one number")
            sends[which] = (rank, op["result"], tag, size)
            order["sent", rank, tag].append(which)
        elif kind == "mpi_receive":  # in one order: its send came before
            expect("who sent what was received", sends.pop(which, None), (op["result"], rank, tag, size))
            order["received", rank, tag].append(which)
        elif kind == "mpi_arrive":
            if left[which]:
                failures.append("somebody left before all had given")
            functions[which] = FUNCTIONS[tag]
            arrived[which] += 1
        elif kind == "mpi_leave":
            functions.setdefault(which, FUNCTIONS[tag])
            left[which] += 1
        elif kind == "mpi_lock":
            if holders[which] and "exclusive" in [FUNCTIONS[tag], *(how for _, how in holders[which])]:
                failures.append("a lock has two owners")
            holders[which].append((rank, FUNCTIONS[tag]))
            counts[FUNCTIONS[tag], rank] += 1
        elif kind == "mpi_unlock":
            holders[which] = [one for one in holders[which] if one[0] != rank]
        else:
            counts[FUNCTIONS[tag], rank] += 1
    expect("messages that nobody received", len(sends), 0)
    expect("locks that are held at the end", [h for h in holders.values() if h], [])
    for rank in range(RANKS):
        name = f"{mpi.name}: rank {rank}"
        rings = 2 + 4 + (rank % 2 == 0)
        expect(f"{name}: sends", counts["mpi_send", rank], 2 * rings + (rank != 0) + 14 + 6 + 5)
        expect(f"{name}: receives", counts["mpi_receive", rank], 2 * rings + (RANKS - 1) * (rank == 0) + 14 + 6 + 5)
        # Receives that are completed last first still have the messages that they were begun for.
        before = (rank + RANKS - 1) % RANKS
        expect(f"{name}: which message is which", order["received", rank, 2], order["sent", before, 2][::-1])
        expect(f"{name}: accesses and locks",
               [counts[what, rank] for what in ("put", "get", "accumulate", "fetch_and_op", "exclusive", "shared")],
               [3, 2, 1, 1, 1, 1 + RANKS])
    got = collections.Counter((functions[which], arrived[which], left[which]) for which in functions)
    expect(f"{mpi.name}: collective operations", sorted((got - expected_collectives()).items()), [])
    expect(f"{mpi.name}: collective operations", sorted((expected_collectives() - got).items()), [])
    chart = run(BIN / "vestige", "sync", trace, "--chart", "text").decode()
    if f"{RANKS - 1}.0" not in chart or " in" not in chart:
        failures.append("the chart shows no messages")
    # The same from descriptors.
    run(BIN / "vestige", "represent", trace, "--as", "eprsd", "--always", "-q", "-o", small)
    told = []
    for rank in range(RANKS):
        of_rank = run(BIN / "vestige", "replay", trace, "-q", "--messages", "--thread", f"{rank}.0").splitlines()
        if of_rank != run(BIN / "vestige", "replay", small, "-q", "--messages", "--thread", f"{rank}.0").splitlines():
            failures.append(f"{mpi.name}: descriptors tell other messages of rank {rank}")
        told += of_rank
    expect("operations that replay tells", len(told), sum(n for (kind, _), n in counts.items() if kind.startswith("mpi_")))
    everybody = run(BIN / "vestige", "replay", trace, "-q", "--messages").splitlines()
    expect(f"{mpi.name}: operations of all threads", sorted(everybody), sorted(told))
    run(BIN / "vestige", "verify", small)


def main():
    with tempfile.TemporaryDirectory() as name:
        for mpi in ("openmpi", "mpich"):
            check(Mpi(mpi, BIN), pathlib.Path(name))
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
