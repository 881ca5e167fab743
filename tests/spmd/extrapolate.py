"""Extrapolated descriptors against recordings of the same configuration, reference by reference, bases apart.

extrapolate.py BIN PROGRAMS quick|deep
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

from mpis import Mpi

BIN, PROGRAMS, DEPTH = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
failures = []


def vestige(*words):
    return subprocess.run([str(BIN / "vestige"), *map(str, words)], check=True, capture_output=True).stdout


def record(program, arguments, trace):
    subprocess.run([BIN / "vestige", "record", "-q", "--what", "full", "-o", trace, "--", program, *map(str, arguments)],
                   capture_output=True, check=False)


def threads_of(trace, count):
    """Of each thread: (statement, kind and size) in order, and addresses."""
    out = []
    for thread in range(count):
        raw = vestige("replay", trace, "-q", "--thread", thread, "--format", "refs")
        records = list(struct.iter_unpack("<QQB", raw))
        out.append(([(r[0], r[2]) for r in records], [r[1] for r in records]))
    return out


def same(recorded, made):
    """Whether two threads make the same references, the base of each statement apart; and the bases."""
    if recorded[0] != made[0]:
        return None
    difference = {}
    for (statement, kind), a, b in zip(recorded[0], recorded[1], made[1]):
        # A copy reads from one block and writes to another.
        if difference.setdefault((statement, kind & 0x80), a - b) != a - b:
            return None
    return difference


def compare(name, recorded, made):
    # Threads of a recording are numbered as they came up, those of an extrapolation in the order of their shares.
    left = list(range(len(recorded)))
    regions = {}
    for thread in made:
        places = {}
        for (statement, kind), address in zip(*thread):
            places.setdefault((statement, kind & 0x80), set()).add(address)
        several = {s for s, found in places.items() if len(found) > 1}
        for candidate in left:
            difference = same(recorded[candidate], thread)
            if difference is None:
                continue
            # One base for each statement, whatever the thread: shares lie where they should. What a statement does on its
            # thread's own stack is at one place.
            if any(regions.get(s, d) != d for s, d in difference.items() if s in several):
                continue
            regions.update(difference)
            left.remove(candidate)
            break
        else:
            failures.append(f"{name}: a thread is not one of those recorded")
            return


def check(program, configurations, wanted, folder):
    name = f"{program.name} {configurations} -> {wanted}"
    recordings, files, sizes = [], [], []
    for i, (arguments, size) in enumerate(configurations):
        trace, small = folder / f"t{i}.vst", folder / f"e{i}.vst"
        record(program, arguments, trace)
        vestige("represent", trace, "--as", "eprsd", "--always", "-q", "-o", small)
        recordings.append(trace)
        files.append(small)
        sizes.append(str(size))
    arguments, size, threads = wanted
    made, real = folder / "made.vst", folder / "real.vst"
    record(program, arguments, real)
    command = [BIN / "vestige", "extrapolate", *files, "--sizes", ",".join(sizes), "--size", size, "--threads", threads,
               "-o", made]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if result.returncode:
        failures.append(f"{name}: {result.stderr}")
        return
    compare(name, threads_of(real, threads), threads_of(made, threads))
    # Recordings tell their sizes by their command lines.
    vestige("extrapolate", *recordings, "--size", size, "--threads", threads, "-o", folder / "again.vst")
    if (folder / "again.vst").read_bytes() != made.read_bytes():
        failures.append(f"{name}: of recordings without --sizes it is another")


def check_ranks(mpi, program, configurations, wanted, folder):
    """Of ranks and threads of each: (ranks, threads, size). References, bases apart, and messages."""
    name = f"{program.name} {configurations} -> {wanted}"

    def made_of(configuration, small):
        ranks, threads, size = configuration
        mpi.record(ranks, folder / "t.vst", program, size, threads)
        vestige("represent", folder / "t.vst", "--as", "eprsd", "--always", "-q", "-o", small)
        return small

    files = [made_of(one, folder / f"m{i}.vst") for i, one in enumerate(configurations)]
    made, real = folder / "made.vst", made_of(wanted, folder / "real.vst")
    ranks, threads, size = wanted
    command = [BIN / "vestige", "extrapolate", *files, "--sizes", ",".join(str(c[2]) for c in configurations), "--size", size,
               "--ranks", ranks, "--threads", threads, "-o", made]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if result.returncode:
        failures.append(f"{name}: {result.stderr}")
        return
    for rank in range(ranks):
        one = [f"{rank}.0", "-q", "--messages"]
        told = vestige("replay", real, "--thread", *one)
        if not told or told != vestige("replay", made, "--thread", *one):
            failures.append(f"{name}: messages of rank {rank}")
    compare(name, threads_of(real, ranks * threads), threads_of(made, ranks * threads))


def compile_kernel(source, flags, folder):
    program = folder / (pathlib.Path(source).stem + "".join(flags))
    subprocess.run([BIN / "vestige-cc", *flags, PROGRAMS / source, "-o", program, "-lm"], check=True, capture_output=True)
    return program


def main():
    deep = DEPTH == "deep"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        dense = compile_kernel("dense.c", ["-O1"], folder)
        for kernel in ("lu", "stencil2"):
            check(dense, [([kernel, n], n) for n in (9, 12, 16, 17)], ([kernel, 23], 23, 1), folder)
        for source in ("vector_add.c", "matmul.c"):
            program = compile_kernel(source, ["-O1", "-fopenmp"], folder)
            runs = [((2, 14), 14), ((3, 20), 20), ((4, 20), 20), ((4, 30), 30), ((5, 33), 33)]
            check(program, runs, ((7, 47), 47, 7), folder)
        # Ranks: from a few to more, with what they tell each other; both together.
        mpi = Mpi("openmpi", BIN)
        few = [([], [(2, 1, 24), (3, 1, 36), (4, 1, 24), (4, 1, 48)], (6, 1, 96))]
        many = [([], [(2, 1, 24), (4, 1, 24), (4, 1, 48), (8, 1, 64)], (16, 1, 96)),
                (["-fopenmp"], [(2, 2, 24), (3, 2, 36), (3, 3, 36), (4, 2, 24), (4, 3, 96)], (5, 4, 120))]
        for flags, runs, wanted in many if deep else few:
            program = folder / f"shares{len(flags)}"
            mpi.compile("-O1", *flags, PROGRAMS / "shares.c", "-o", program)
            check_ranks(mpi, program, runs, wanted, folder)
        # Unrolled loops, and red and black points, have other shapes where the size leaves another rest.
        for level in ["-O1", "-O2"] if deep else []:
            dense = compile_kernel("dense.c", [level], folder)
            for kernel in "lu cholesky trmm triple stencil1 stencil2 sor".split():
                check(dense, [([kernel, n], n) for n in (17, 25, 33, 41)], ([kernel, 57], 57, 1), folder)
            for source, runs, wanted in (
                ("vector_add.c", [(2, 64), (3, 192), (4, 128), (4, 256), (5, 240)], (7, 560)),
                ("matmul.c", [(2, 16), (3, 48), (4, 32), (4, 64), (5, 80)], (6, 96)),
            ):
                program = compile_kernel(source, [level, "-fopenmp"], folder)
                check(program, [(run, run[1]) for run in runs], (wanted, wanted[1], wanted[0]), folder)
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
