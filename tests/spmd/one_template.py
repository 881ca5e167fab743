"""A nest over ranks, threads and rows is one template: what `descriptors` shows of a store is one pattern with the set of all threads
of all ranks, and expanded by hand it is what the recording has, thread by thread.

one_template.py BIN PROGRAMS
"""

import collections
import itertools
import json
import pathlib
import re
import sys
import tempfile

from mpis import Mpi, run

BIN, PROGRAMS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
ROWS, COLUMNS = 12, 20


def expanded(pattern, rank, number, place, threads):
    """The addresses of a thread: an outer loop over its rows, an inner one over columns. t is its number in the rank, p its place among all."""
    base, *terms = pattern.split(" + ")
    slopes = {}
    for term in terms:
        found = re.fullmatch(r"(\d+)·(\w+)", term)
        if not found:
            sys.exit(f"{pattern}: {term} is no number times a coordinate")
        slopes[found[2]] = int(found[1])
    loops = sorted(name for name in slopes if re.fullmatch(r"i\d+", name))
    if len(loops) != 2 or not set(slopes) - set(loops) <= {"t", "r", "p"}:
        sys.exit(f"{pattern}: not a nest of two loops over threads and ranks")
    begin = int(base, 16) + slopes.get("t", 0) * number + slopes.get("r", 0) * rank + slopes.get("p", 0) * (rank * threads + place)
    return [begin + slopes[loops[0]] * row + slopes[loops[1]] * column for row, column in itertools.product(range(ROWS // threads), range(COLUMNS))]


def team(listed):
    """Rank, number and place in it of each thread: those that MPI made for itself have a number, but ran nothing."""
    by_rank = collections.defaultdict(list)
    for thread in listed:
        if thread["paths"]:
            rank, number = map(int, thread["name"].split("."))
            by_rank[rank].append((number, thread["thread"]))
    return {thread: (rank, number, place) for rank, found in by_rank.items() for place, (number, thread) in enumerate(sorted(found))}


def check(mpi, folder, ranks, threads):
    trace, small = folder / "t.vst", folder / "e.vst"
    mpi.record(ranks, trace, folder / "nest", threads)
    run(BIN / "vestige", "represent", "-q", trace, "--as", "eprsd", "--always", "-o", small)
    stores = collections.defaultdict(list)  # of the recording, by statement and thread
    names = team(json.loads(run(BIN / "vestige", "info", trace, "--json"))["thread_list"])
    for line in run(BIN / "vestige", "replay", trace, "--json").splitlines():
        reference = json.loads(line)
        if reference["kind"] == "write":
            stores[reference["statement"], names[reference["thread"]]].append(reference["address"])
    rows = [json.loads(line) for line in run(BIN / "vestige", "descriptors", small, "--json").splitlines()]
    nests = [row for row in rows if row["kind"] == "address" and row["pattern"].count("·i") == 2
             and any(statement == row["statement"] for statement, _ in stores)]
    if len(nests) != 1:
        sys.exit(f"{ranks} ranks, {threads} threads: {len(nests)} templates: {[row['pattern'] for row in nests]}")
    nest = nests[0]
    if len(nest["threads"]) != ranks * threads or nest["stretches"] != 1:
        sys.exit(f"{ranks} ranks, {threads} threads: {nest}")
    for rank, number, place in names.values():
        if expanded(nest["pattern"], rank, number, place, threads) != stores[nest["statement"], (rank, number, place)]:
            sys.exit(f"{nest['pattern']}: other addresses in thread {rank}.{number}")
    print(f"{ranks} ranks, {threads} threads: {nest['pattern']}")


def main():
    mpi = Mpi("openmpi", BIN)
    mpi.environment["KMP_BLOCKTIME"] = "0"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        mpi.compile("-O1", "-fopenmp", PROGRAMS / "nest.c", "-o", folder / "nest")
        for ranks, threads in ((4, 3), (2, 2), (3, 4)):
            check(mpi, folder, ranks, threads)


main()
