"""Ranks and threads recorded straight into descriptors, with every MPI: whole files, with as many references as a recording has.

Two runs with threads need not have the same bytes; tests/cli/record_folded.sh compares those of a program with one thread.

recorded.py BIN PROGRAMS
"""

import json
import os
import pathlib
import sys
import tempfile

from mpis import Mpi, run

BIN, PROGRAMS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
failures = []


def replay(folder, file):
    return run(BIN / "vestige", "replay", folder / file, "--format", "refs")


def check_ranks(mpi, ranks, folder):
    program = folder / f"ranks-{mpi.name}"
    mpi.compile("-O2", "-DWITH_MPI", PROGRAMS / "ranks.c", "-o", program, "-lm")
    record = [*mpi.launcher, ranks, BIN / "vestige", "record", "-q"]
    run(*record, "--as", "eprsd", "-o", folder / "direct.vst", "--", program, "stencil", 12, env=mpi.environment)
    info = json.loads(run(BIN / "vestige", "info", folder / "direct.vst", "--json"))
    if info["ranks"] != ranks:
        failures.append(f"{mpi.name}: {info['ranks']} ranks, not {ranks}")
    run(BIN / "vestige", "verify", folder / "direct.vst")
    run(*record, "--what", "memory", "-o", folder / "t.vst", "--", program, "stencil", 12, env=mpi.environment)
    if b"mpi_" not in run(BIN / "vestige", "sync", folder / "t.vst"):
        failures.append(f"{mpi.name}: MPI is not told apart in {ranks} ranks")
    run(BIN / "vestige", "represent", "-q", folder / "t.vst", "--as", "eprsd", "--always", "-o", folder / "small.vst")
    if len(replay(folder, "direct.vst")) != len(replay(folder, "small.vst")):
        failures.append(f"{mpi.name}: not as many references as in a recording")


def check_irregular(mpi, ranks, folder):
    """What does not fold is the recording, of all ranks; unless it shall be folded."""
    program = folder / f"ranks-{mpi.name}"
    record = [*mpi.launcher, ranks, BIN / "vestige", "record", "-q", "--as", "eprsd"]
    for flags, name, what in ([], "direct.vst", "memory"), (["--fold-irregular"], "folded.vst", "eprsd"):
        run(*record, *flags, "-o", folder / name, "--", program, "particles", 128, env=mpi.environment)
        info = json.loads(run(BIN / "vestige", "info", folder / name, "--json"))
        if info["what"] != what:
            failures.append(f"{mpi.name}: {info['what']}, not {what}, of {ranks} ranks with {flags}")
        run(BIN / "vestige", "verify", folder / name)
    run(BIN / "vestige", "represent", "-q", folder / "direct.vst", "--as", "eprsd", "-o", folder / "small.vst")
    if replay(folder, "direct.vst") != replay(folder, "small.vst"):
        failures.append(f"{mpi.name}: other references when they are folded later")
    if len(replay(folder, "direct.vst")) != len(replay(folder, "folded.vst")):
        failures.append(f"{mpi.name}: not as many references when they are folded at once")


def check_threads(folder):
    program = folder / "matmul"
    run(BIN / "vestige-cc", "-O2", "-fopenmp", PROGRAMS / "matmul.c", "-o", program)
    run(BIN / "vestige", "record", "-q", "--as", "eprsd", "-o", folder / "direct.vst", "--", program, 4, 20, env={**os.environ, "KMP_BLOCKTIME": "0"})
    run(BIN / "vestige", "record", "-q", "--what", "memory", "-o", folder / "t.vst", "--", program, 4, 20, env={**os.environ, "KMP_BLOCKTIME": "0"})
    run(BIN / "vestige", "represent", "-q", folder / "t.vst", "--as", "eprsd", "--always", "-o", folder / "small.vst")
    if len(replay(folder, "direct.vst")) != len(replay(folder, "small.vst")):
        failures.append("threads: not as many references as in a recording")


with tempfile.TemporaryDirectory() as name:
    check_threads(pathlib.Path(name))
    for mpi in (Mpi("openmpi", BIN), Mpi("mpich", BIN)):
        for ranks in 1, 3:
            check_ranks(mpi, ranks, pathlib.Path(name))
            check_irregular(mpi, ranks, pathlib.Path(name))
    left = [file for file in os.listdir(name) if "recording" in file or "meeting" in file]
    if left:
        failures.append(f"left behind: {left}")
for failure in failures:
    print(failure)
sys.exit(len(failures) != 0)
