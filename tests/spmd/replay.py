"""Records kernels, represents them as descriptors and compares both replays byte by byte.

replay.py BIN PROGRAMS quick|deep
"""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

BIN, PROGRAMS, DEPTH = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
failures = []


def run(*words, **options):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, **options)


def vestige(*words):
    return run(BIN / "vestige", *words)


def compile_kernel(source, flags, folder):
    driver = "vestige-c++" if source.endswith(".cpp") else "vestige-cc"
    program = folder / (pathlib.Path(source).stem + "".join(flags).replace("/", ""))
    run(BIN / driver, *flags, PROGRAMS / source, "-o", program, "-lm")
    return program


def check(program, arguments, folder):
    """Gives the size of the descriptors' file."""
    name = " ".join([program.name, *arguments])
    trace, small = folder / "t.vst", folder / "e.vst"
    subprocess.run([BIN / "vestige", "record", "-q", "--what", "full", "-o", trace, "--", program, *arguments],
                   capture_output=True, check=False)
    vestige("represent", trace, "--as", "eprsd", "--always", "-q", "-o", small)
    expected, got = vestige("replay", trace, "--format", "refs").stdout, vestige("replay", small, "--format", "refs").stdout
    if not expected or expected != got:
        failures.append(f"{name}: the replays differ")
    if b'"ok":true' not in vestige("verify", small, "--json").stdout:
        failures.append(f"{name}: verify")
    return small.stat().st_size


def check_memory(program, arguments, folder):
    """A recording of addresses has the same references as a full one; the stack may lie elsewhere."""
    whats = {}
    for what in ("full", "memory"):
        trace, small = folder / "t.vst", folder / "e.vst"
        run(BIN / "vestige", "record", "-q", "--what", what, "-o", trace, "--", program, *arguments)
        vestige("represent", trace, "--as", "eprsd", "--always", "-q", "-o", small)
        raw = vestige("replay", small, "--format", "refs").stdout
        whats[what] = [(statement, min(address, 0x7ff000000000), flags) for statement, address, flags in struct.iter_unpack("<QQB", raw)]
        if b'"ok":true' not in vestige("verify", trace, "--json").stdout:
            failures.append(f"{program.name} {arguments}: verify of {what}")
    if not whats["full"] or whats["full"] != whats["memory"]:
        failures.append(f"{program.name} {arguments}: --what memory has other references")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        deep = DEPTH == "deep"
        for level in (["-O1", "-O2"] if deep else ["-O1"]):
            add = compile_kernel("vector_add.c", [level, "-fopenmp"], folder)
            multiply = compile_kernel("matmul.c", [level, "-fopenmp"], folder)
            dense = compile_kernel("dense.c", [level], folder)
            gradients = compile_kernel("cg.c", [level, "-pthread"], folder)
            odd = compile_kernel("odd.cpp", [level], folder)
            sizes = []
            for threads in ([1, 2, 3, 4, 7, 8, 16, 32, 64] if deep else [3, 8]):
                sizes.append(check(add, [str(threads), str(256 * threads)], folder))
                sizes.append(check(multiply, [str(threads), str(2 * threads + 3)], folder))
            if max(sizes) > 4096:
                failures.append(f"dense kernels take {max(sizes)} bytes")
            for kernel in "lu cholesky trmm triple stencil1 stencil2 stencil3 sor".split():
                grown = [check(dense, [kernel, str(n)], folder) for n in ([6, 17, 40, 90] if deep else [6, 40])]
                # Numbers get longer, descriptors do not get more (at the smallest size some loops never run).
                if grown[-1] > grown[-2] + 64:
                    failures.append(f"{kernel} grows with the problem: {grown}")
            for kernel in "lu cholesky trmm triple stencil1 stencil2 stencil3 sor".split() if deep else ["lu", "stencil2"]:
                check_memory(dense, [kernel, "40"], folder)
            check_memory(compile_kernel("counting.c", [level], folder), [], folder)
            check_memory(compile_kernel("mixed.c", [level], folder), [], folder)
            for arguments in ([["1", "4", "2"], ["3", "10", "5"], ["4", "30", "20"]] if deep else [["3", "10", "5"]]):
                check(gradients, arguments, folder)
            for n in (["0", "1", "30", "31", "400"] if deep else ["31"]):
                check(odd, [n], folder)
        # Ranks: the same file whatever the order, and each rank's references in it.
        parts = []
        for rank in range(3):
            part = folder / f"r{rank}.vst"
            subprocess.run([BIN / "vestige", "record", "-q", "--what", "full", "-o", part, "--", add, "2", str(100 + rank)],
                           capture_output=True, check=False)
            parts.append(part)
        vestige("represent", parts[1], "--as", "eprsd", "--always", "-q", "-o", folder / "r1.e.vst")
        vestige("merge", "-q", *parts, "-o", folder / "a.vst")
        vestige("merge", "-q", parts[2], folder / "r1.e.vst", parts[0], "-o", folder / "b.vst")
        if (folder / "a.vst").read_bytes() != (folder / "b.vst").read_bytes():
            failures.append("merge depends on the order of its files")
        if shutil.which("mpirun"):
            # Four processes for three files: one has nothing to bring.
            run("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", BIN / "vestige", "merge", "-q", *parts, "-o",
                folder / "c.vst", env={**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": "none"})
            if (folder / "a.vst").read_bytes() != (folder / "c.vst").read_bytes():
                failures.append("merge over MPI differs")
        whole = vestige("replay", folder / "a.vst").stdout
        for part in parts:
            if vestige("replay", part).stdout not in whole:
                failures.append(f"merge lost references of {part.name}")
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
