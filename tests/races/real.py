"""Real programs with threads, from Debian's sources: `vestige races` and the sharing against their plain twins.

    real.py BIN NAIVE SOURCES [PROGRAM…]

SOURCES: where fetched sources are kept; an unpacked one there, PROGRAM.tree, is taken as it is. A program whose source cannot be
had is left out; exit status 77 (skipped) when none can."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from check import Check, run

ROOT = pathlib.Path(__file__).parents[2]
FLAGS = ["-g", "-O1", "-w", "-pthread"]


def unpack(name, folder, cache):
    """Whether there is one."""
    if (cache / f"{name}.tree").is_dir():
        shutil.copytree(cache / f"{name}.tree", folder)
        return True
    got = subprocess.run([ROOT / "scripts" / "debian-source", name, folder], capture_output=True, text=True,
                         env={**os.environ, "VESTIGE_SOURCE_CACHE": str(cache)})
    if got.returncode != 0:
        print(f"{name}: no source: {got.stderr[-300:]}")
    return got.returncode == 0


def build_pigz(cc, source, target):
    run(cc / "vestige-cc", *FLAGS, "-DNOZOPFLI", *(source / file for file in ("pigz.c", "yarn.c", "try.c")),
        "-lz", "-lm", "-o", target)


def build_pbzip2(cc, source, target):
    files = ("pbzip2.cpp", "BZ2StreamScanner.cpp", "ErrorContext.cpp")
    run(cc / "vestige-c++", "-std=c++98", *FLAGS, *(source / file for file in files), "-lbz2", "-o", target)


# How it is built, what it is asked to do with a file, and lines of that file. Both leave the compressing to libraries, which are
# not recorded.
PROGRAMS = {
    "pigz": (build_pigz, ["-p3", "-b128", "-c"], 15000),
    "pbzip2": (build_pbzip2, ["-p2", "-b1", "-c"], 15000),
}


def main():
    binaries, naive, cache = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    wanted = sys.argv[4:] or PROGRAMS
    with tempfile.TemporaryDirectory() as folder:
        check = Check(binaries, naive, folder)
        text = pathlib.Path(folder) / "input"
        for name in wanted:
            build, words, lines = PROGRAMS[name]
            text.write_bytes(b"".join(b"line %d of %d\n" % (i, i * i % 97) for i in range(lines)))
            source, target = pathlib.Path(folder) / (name + "-source"), pathlib.Path(folder) / name
            if not unpack(name, source, cache):
                continue
            build(binaries, source, target)
            pairs = check.races(target, *words, text)
            print(f"{name}: {len(pairs)} pairs of statements race:",
                  *(f"{p['a']['function']}:{p['a']['line']}-{p['b']['function']}:{p['b']['line']}" for p in pairs))
        print("traces compared with the twins:", check.compared)
        if check.compared == 0:
            sys.exit(77)
        sys.exit("\n".join(text[:1000] for text in check.wrong[:10]) if check.wrong else 0)


main()
