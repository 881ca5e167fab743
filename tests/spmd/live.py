"""Descriptors are the same whether a recording is folded while it is made or afterwards.

live.py BIN FOLD_LIVE PROGRAMS quick|deep

FOLD_LIVE (fold_live.cpp) records a program, folds it both ways and compares the bytes. Programs that last as long as they are told to, with threads
that come late, more threads than are folded meanwhile, a fork and a library that is loaded when folding has long begun; the slow one kernels too.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BIN, FOLD_LIVE, PROGRAMS, DEPTH = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
DEEP = DEPTH == "deep"
failures, meanwhile = [], 0

# Works, then loads a library that works as well, or forks a child that does, and goes on.
CHANGES = """#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double cells[4096];
static void work(double seconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    usleep(2000);
    for (int round = 0; round < 10; ++round)
      for (int i = 1; i < 4096; ++i) cells[i] += cells[i - 1] + 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) * 1e-9 < seconds);
}
int main(int argc, char** argv) {
  work(1.2);
  if (strcmp(argv[1], "fork") == 0) {
    if (fork() == 0) return work(0.3), 0;
    wait(NULL);
  } else {
    void* library = dlopen(argv[1], RTLD_NOW);
    if (!library) return 1;
    ((void (*)(double*, int))dlsym(library, "twice"))(cells, 4096);
  }
  work(0.7);
  return 0;
}
"""
LIBRARY = "void twice(double* cells, int count) { for (int i = 0; i < count; ++i) cells[i] *= 2; }\n"


def compile_program(source, program, *flags):
    subprocess.run([BIN / "vestige-cc", "-O2", *flags, source, "-o", program, "-lm", "-lpthread"], check=True, capture_output=True)


def check(folder, what, *command):
    global meanwhile
    done = subprocess.run([FOLD_LIVE, what, folder / "t.vst", *command], capture_output=True, text=True, check=False, env=os.environ | {"KMP_BLOCKTIME": "0"})
    numbers = re.search(r"^(\d+) of (\d+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not numbers:
        failures.append(f"{' '.join(map(str, command))} ({what}): {done.returncode} {done.stdout[-400:]}{done.stderr[-400:]}")
        return
    print(f"{' '.join(str(word).rpartition('/')[2] for word in command)} ({what}): {numbers[0]}")
    meanwhile += int(numbers[1])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compile_program(PROGRAMS / "lasting.c", folder / "lasting")
        check(folder, "memory", folder / "lasting", "1.3", "2")
        (folder / "changes.c").write_text(CHANGES)
        (folder / "twice.c").write_text(LIBRARY)
        compile_program(folder / "changes.c", folder / "changes")
        compile_program(folder / "twice.c", folder / "libtwice.so", "-shared", "-fPIC")
        check(folder, "memory", folder / "changes", folder / "libtwice.so")
        if DEEP:
            check(folder, "memory", folder / "changes", "fork")
            for what in ("memory", "full"):
                for threads in ("0", "1", "3", "7", "20"):
                    check(folder, what, folder / "lasting", "1.5", threads)
            for source, *flags in (("dense",), ("matmul", "-fopenmp"), ("ranks", "-fopenmp"), ("cg", "-fopenmp")):
                compile_program(PROGRAMS / f"{source}.c", folder / source, *flags)
            for kernel, size in (("lu", "1700"), ("cholesky", "2200"), ("trmm", "1000"), ("stencil2", "6000"), ("sor", "6000")):
                check(folder, "memory", folder / "dense", kernel, size)
            check(folder, "memory", folder / "matmul", "4", "1200")
            check(folder, "memory", folder / "ranks", "fft", "2048", "4")
            check(folder, "memory", folder / "ranks", "amg", "120", "6")
            check(folder, "memory", folder / "cg", "4", "300", "60")
    if meanwhile == 0:
        failures.append("nothing was folded while it was recorded")
    for failure in failures:
        print(failure)
    return len(failures) != 0


sys.exit(main())
