#!/usr/bin/env python3
"""gnu.py BIN: a program whose OpenMP is gcc's races where it does, and nowhere else."""
import json
import pathlib
import subprocess
import sys
import tempfile

binaries, sources = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(__file__).resolve().parent / "gnu"
with tempfile.TemporaryDirectory() as folder:
    def run(*words, wanted=0):
        done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True)
        if done.returncode != wanted:
            sys.exit(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    gomp = run("gcc", "-print-file-name=libgomp.so").stdout.strip()
    for level in ("-O0", "-O2"):
        run("gcc", level, "-g", "-fopenmp", "-c", sources / "regions.c", "-o", "regions.o")
        run(binaries / "vestige-cc", level, "-c", sources / "bodies.c", "-o", "bodies.o")
        run(binaries / "vestige-cc", "regions.o", "bodies.o", gomp, "-o", "program")
        said = run(binaries / "vestige", "record", "-o", "t.vst", "--", "./program").stderr
        if "gcc's OpenMP" in said:
            sys.exit(said)
        races = json.loads(run(binaries / "vestige", "races", "t.vst", "--json", wanted=1).stdout)
        variables = {pair["witness"]["variable"] for pair in races["pairs"]}
        if variables != {"racing", "between"}:
            sys.exit(f"{level}: races of {variables}")
        run(binaries / "vestige", "verify", "-q", "t.vst")
