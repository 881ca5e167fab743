"""Processes of a merge over MPI are killed in the middle of it: the result is written all the same, and says what happened.

A process is in the middle as long as this test wants: the file that it is to read is a pipe that nobody writes to.

killed_merge.py BIN PROGRAMS
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from mpis import Mpi, run

BIN, PROGRAMS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
RANKS = 4
failures = []


def vestige(*words):
    return run(BIN / "vestige", *words)


def wait_for(what, happened, seconds=180):
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            sys.exit(f"waited in vain for {what}")
        time.sleep(0.05)


def processes_of(rank, marker):
    """Those of this rank of the merge: itself, and who stands in for it."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if not entry.name.isdigit() or os.readlink(entry / "exe") != str((BIN / "vestige").resolve()):
                continue
            environment = (entry / "environ").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if f"MERGE_TEST={marker}".encode() in environment and \
                (f"OMPI_COMM_WORLD_RANK={rank}".encode() in environment or f"PMI_RANK={rank}".encode() in environment):
            found.append((int(entry.name), parent))
    pids = [pid for pid, _ in found]
    return [pid for pid, parent in found if parent not in pids], [pid for pid, parent in found if parent in pids]


def check(mpi, rank, both, gone, folder):
    """Kills a rank of a merge, with the process that stands in for it (both); its file may be gone."""
    name = f"{mpi.name}, rank {rank}{' and its stand-in' if both else ''}{', its file gone' if gone else ''}"
    files = [folder / f"r{r}.vst" for r in range(RANKS)]
    out, held, real = folder / "out.vst", files[rank], folder / "real.vst"
    out.unlink(missing_ok=True)
    held.rename(real)
    os.mkfifo(held)
    marker = f"{os.getpid()}-{mpi.name}-{rank}"
    merge = subprocess.Popen([*map(str, mpi.launcher), str(RANKS), str(BIN / "vestige"), "merge", *map(str, files), "-o", str(out)],
                             env={**mpi.environment, "MERGE_TEST": marker}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # Everybody is there, each with a stand-in.
    wait_for("the processes", lambda: all(len(p) == 1 for r in range(RANKS) for p in processes_of(r, marker)))
    process, stand_in = processes_of(rank, marker)
    os.kill(process[0], signal.SIGSTOP)
    wait_for("the stop", lambda: pathlib.Path(f"/proc/{process[0]}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T")
    # It did not get behind the pipe. Whoever opens the file from here on gets what it should be, or nothing.
    if gone:
        held.unlink()
    else:
        real.rename(held)
    for pid in stand_in * both + process:
        os.kill(pid, signal.SIGKILL)
    wait_for("the result", out.exists)
    wait_for("the end of all", lambda: not any(p for r in range(RANKS) for p in processes_of(r, marker)))
    try:
        merge.wait(5)
    except subprocess.TimeoutExpired:  # mpirun of Open MPI 4.1.4 may lock itself up while it ends an aborted run
        merge.kill()
        merge.wait()
    if gone:
        real.rename(held)
    facts = json.loads(vestige("info", out, "--json"))
    # MPICH ends the others too when one is gone, and they may be seen to go first.
    who = "[0-9]+(, [0-9]+)*" if mpi.name == "mpich" else f"([0-9]+, )*{rank}(, [0-9]+)*"
    if not re.match(f"process(es)? {who} of {RANKS} ", facts.get("merged", "")):
        failures.append(f"{name}: the result does not say who was killed: {facts.get('merged')}")
    if gone != (held.name in facts.get("missing", "")):
        failures.append(f"{name}: missing: {facts.get('missing')}")
    wanted = folder / "wanted.vst"
    vestige("merge", "-q", *[f for f in files if not (gone and f == held)], "-o", wanted)
    if vestige("replay", "-q", wanted) != vestige("replay", "-q", out):
        failures.append(f"{name}: the result is another one")
    left = [p.name for p in folder.iterdir() if ".merging-" in p.name]
    if left:
        failures.append(f"{name}: {left} is left")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / "add"
        run(BIN / "vestige-cc", "-O1", "-fopenmp", PROGRAMS / "vector_add.c", "-o", program, "-lm")
        for rank in range(RANKS):
            subprocess.run([BIN / "vestige", "record", "-q", "-o", folder / "t.vst", "--", program, "1", str(20 + rank)], check=False,
                           capture_output=True)
            vestige("represent", folder / "t.vst", "--as", "eprsd", "--always", "-q", "-o", folder / f"r{rank}.vst")
        check(Mpi("openmpi", BIN), 0, False, False, folder)
        check(Mpi("openmpi", BIN), 2, True, False, folder)
        check(Mpi("openmpi", BIN), 3, False, True, folder)
        check(Mpi("mpich", BIN), 1, False, False, folder)
        check(Mpi("mpich", BIN), 0, True, True, folder)
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
