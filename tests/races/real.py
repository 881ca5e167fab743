"""Real programs with threads, from Debian's sources: `vestige races` and the sharing against their plain twins.

    real.py BIN NAIVE SOURCES        SOURCES: where fetched sources are kept

Exit status 77 (skipped) when a source cannot be had."""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from check import Check, run

ROOT = pathlib.Path(__file__).parents[2]
FLAGS = ["-g", "-O1", "-w", "-pthread"]


def unpack(name, folder, cache):
    got = subprocess.run([ROOT / "scripts" / "debian-source", name, folder], capture_output=True, text=True,
                         env={**os.environ, "VESTIGE_SOURCE_CACHE": str(cache)})
    if got.returncode != 0:
        print(got.stderr[-2000:])
        sys.exit(77)


def build_pigz(cc, source, target):
    run(cc / "vestige-cc", *FLAGS, "-DNOZOPFLI", *(source / file for file in ("pigz.c", "yarn.c", "try.c")),
        "-lz", "-lm", "-o", target)


def build_pbzip2(cc, source, target):
    files = ("pbzip2.cpp", "BZ2StreamScanner.cpp", "ErrorContext.cpp")
    run(cc / "vestige-c++", *FLAGS, *(source / file for file in files), "-lbz2", "-o", target)


def build_lbzip2(cc, source, target):
    run("./configure", f"CC={cc / 'vestige-cc'}", f"CFLAGS={' '.join(FLAGS)}", cwd=source)
    run("make", "-j2", cwd=source)
    (source / "src" / "lbzip2").rename(target)


# How it is built, and what it is asked to do with a file.
PROGRAMS = {
    "pigz": (build_pigz, ["-p3", "-b128", "-c"]),
    "pbzip2": (build_pbzip2, ["-p2", "-1", "-c"]),
    "lbzip2": (build_lbzip2, ["-n2", "-1", "-c"]),
}


def main():
    binaries, naive, cache = map(pathlib.Path, sys.argv[1:4])
    wanted = sys.argv[4:] or PROGRAMS
    with tempfile.TemporaryDirectory() as folder:
        check = Check(binaries, naive, folder)
        text = pathlib.Path(folder) / "input"
        text.write_bytes(b"".join(b"line %d of %d\n" % (i, i * i % 97) for i in range(1500)))
        for name in wanted:
            build, words = PROGRAMS[name]
            source, target = pathlib.Path(folder) / (name + "-source"), pathlib.Path(folder) / name
            unpack(name, source, cache)
            build(binaries, source, target)
            pairs = check.races(target, *words, text)
            print(f"{name}: {len(pairs)} pairs of statements race:",
                  *(f"{p['a']['function']}:{p['a']['line']}-{p['b']['function']}:{p['b']['line']}" for p in pairs))
        print("traces compared with the twins:", check.compared)
        sys.exit("\n".join(text[:1000] for text in check.wrong[:10]) if check.wrong else 0)


main()
