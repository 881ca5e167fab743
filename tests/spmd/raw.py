"""Replay of descriptors against an address trace that the recorder has no part in (raw_log.c), of the same run,
reference by reference, for each thread and rank.

raw.py BIN FOLDER-OF-THIS-FILE quick|deep
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

BIN, HERE, DEPTH = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
LOGGED = ["-fsanitize-coverage=bb,trace-loads,trace-stores", "-fno-builtin"]
MPI = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]
QUIET = {**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
failures = []
compared = turn = 0


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], check=False, capture_output=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.decode()[-2000:]}")
    return done.stdout


def build(source, flags, folder, mpi=False):
    """Without `mpi` by vestige-cc, with it by mpicc, which runs vestige-cc."""
    logger = folder / "raw_log.o"
    if not logger.exists():
        run("clang-19", "-O2", "-c", HERE / "raw_log.c", "-o", logger)
    program = folder / ("".join([source, *flags]).replace("/", "") + ("-mpi" if mpi else ""))
    compiler = ["mpicc", "-DWITH_MPI"] if mpi else [BIN / "vestige-cc"]
    run(*compiler, *LOGGED, *flags, HERE / "programs" / source, logger, "-lm", "-o", program,
        env={**os.environ, "OMPI_CC": str(BIN / "vestige-cc"), "MPICH_CC": str(BIN / "vestige-cc")})
    return program


def references(trace, thread, copies):
    """(address, size, is a store) of each, but those of copies: clang does not tell of them."""
    raw = run(BIN / "vestige", "replay", trace, "--thread", thread, "--format", "refs")
    return [(address, flags & 127, flags >> 7) for statement, address, flags in struct.iter_unpack("<QQB", raw) if statement not in copies]


def logged(file):
    if not file.exists():
        return []
    return [(word >> 8, (word & 255) >> 1, word & 1) for (word,) in struct.iter_unpack("<Q", file.read_bytes())]


def check(program, arguments, folder, ranks=0):
    """Gives how many bytes a raw trace takes, and the descriptors' file. Recordings are full or of addresses, in turns; the deep test
    makes both."""
    global turn
    turn += 1
    whats = ("full", "memory")
    for what in whats if DEPTH == "deep" else [whats[turn % 2]]:
        sizes = check_one(program, arguments, folder, ranks, what)
    return sizes


def check_one(program, arguments, folder, ranks, what):
    global compared
    name = " ".join([program.name, *arguments, what, f"on {ranks} ranks" if ranks else ""])
    trace, small, logs = folder / "t.vst", folder / "e.vst", folder / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    launcher = [*MPI, str(ranks)] if ranks else []
    run(*launcher, BIN / "vestige", "record", "-q", "--what", what, "-o", trace, "--", program, *arguments, env={**QUIET, "RAW_LOG": str(logs)})
    run(BIN / "vestige", "represent", trace, "--as", "eprsd", "--always", "-q", "-o", small)
    facts = json.loads(run(BIN / "vestige", "info", trace, "--json"))
    if ranks and facts["ranks"] != ranks:
        failures.append(f"{name}: {facts['ranks']} ranks in the file")
    statements = [json.loads(line) for line in run(BIN / "vestige", "statements", trace, "--all", "--json").splitlines()]
    copies = {s["id"] for s in statements if s["op"] == "call" and (s["callee"] or "").startswith("llvm.mem")}
    total = 0
    for thread in facts["thread_list"]:
        expected = logged(logs / str(thread["tid"]))
        # Threads of libraries that are not recorded have none.
        got = references(small, thread["name"], copies) if thread["paths"] else []
        total += len(got)
        if expected != got:
            at = next((i for i, pair in enumerate(zip(expected, got)) if pair[0] != pair[1]), min(len(expected), len(got)))
            failures.append(f"{name}: thread {thread['name']}: {len(expected)} logged, {len(got)} replayed, first difference "
                            f"at {at}: {expected[at:at + 2]} {got[at:at + 2]}")
    if total == 0:
        failures.append(f"{name}: nothing was compared")
    compared += total
    return 8 * total, small.stat().st_size


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        deep = DEPTH == "deep"
        mpi = shutil.which("mpirun") and shutil.which("mpicc")
        for level in (["-O1", "-O2"] if deep else ["-O1"]):
            dense = build("dense.c", [level], folder)
            for kernel in ("lu cholesky trmm triple stencil1 stencil2 stencil3 sor".split() if deep else ["lu"]):
                for n in (["7", "24"] if deep else ["9"]):
                    check(dense, [kernel, n], folder)
            gradients = build("cg.c", [level, "-pthread"], folder)
            for threads in (["1", "3", "8"] if deep else ["3"]):
                check(gradients, [threads, "8", "4"], folder)
            team = build("ranks.c", [level, "-fopenmp"], folder)
            for kernel in ("add matmul stencil fft cg amg particles".split() if deep else ["matmul"]):
                for threads in (["1", "3", "4", "7"] if deep else ["3"]):
                    check(team, [kernel, "16", threads], folder)
            if not mpi:
                continue
            spread = build("ranks.c", [level], folder, mpi=True)
            for kernel in ("add matmul stencil fft cg amg particles farm".split() if deep else ["farm"]):
                for ranks in ([1, 2, 3, 5, 16] if deep else [3]):
                    if kernel == "fft" and 256 % ranks != 0:
                        continue
                    raw, whole = check(spread, [kernel, "16"], folder, ranks)
                    if kernel in ("amg", "cg") and ranks == 16 and raw < 10 * whole:
                        failures.append(f"{kernel} {level}: {raw} bytes raw, {whole} compressed")
                    if deep:
                        print(f"{kernel} {level} {ranks} ranks: {raw} bytes raw, {whole} compressed, {raw / whole:.0f}")
            if deep:
                both = build("ranks.c", [level, "-fopenmp"], folder, mpi=True)
                for kernel in ("matmul", "stencil", "cg"):
                    check(both, [kernel, "12", "3"], folder, 3)
    print(f"{compared} references compared")
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
