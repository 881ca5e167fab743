"""Descriptors are the same whether rounds of loops are folded at once or path by path.

rounds.py BIN FOLD_TWICE PROGRAMS quick|deep [SEED]

FOLD_TWICE (fold_twice.cpp) folds a recording in both ways and compares the bytes. Kernels, and random loops: indices of all widths that
wrap around or do not, strides of all kinds, addresses that follow from what was loaded, integers stored and loaded, sums; in half of the functions
floating point alone, so that nests are folded at once; inner loops whose number of rounds moves with the outer one; calls of a function that goes another way each
time, so that rows of paths are folded at once.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

BIN, FOLD_TWICE, PROGRAMS, DEPTH = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
DEEP = DEPTH == "deep"
failures = []


def compile_program(source, flags, program):
    driver = "vestige-c++" if str(source).endswith(".cpp") else "vestige-cc"
    subprocess.run([BIN / driver, *flags, source, "-o", program, "-lm"], check=True, capture_output=True)


def check(folder, what, *command):
    trace = folder / "t.vst"
    subprocess.run([BIN / "vestige", "record", "-q", "--what", what, "-o", trace, "--", *command], capture_output=True, check=False,
                   env=os.environ | {"KMP_BLOCKTIME": "0"})
    compared = subprocess.run([FOLD_TWICE, trace], capture_output=True, text=True, check=False)
    if compared.returncode != 0:
        failures.append(f"{' '.join(map(str, command))} ({what}): {compared.stdout}{compared.stderr}")


WIDTHS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long"]


class RandomLoops:
    """A C program of loops over a few arrays. Every index is taken modulo their size, unless it cannot be too large."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def program(self):
        loops = "\n".join(f"__attribute__((noinline)) static void f{n}(long a, long b) {{\n{self.function()}}}" for n in range(6))
        calls = "\n".join(f"  for (int r = 0; r < {self.random.choice([1, 2, 5])}; ++r) f{n}(r + {n}, {self.random.randint(0, 300)});" for n in range(6))
        return ("enum { N = 4096, W = 1 << 21 };\nstatic double w[W]; static float x[W]; static double d[N]; static int i4[N]; static long i8[N]; static unsigned char c[N]; static short s[N]; static float f[N];\n"
                "__attribute__((noinline)) static void swaps(double* p, int n) { for (int k = 1, j = 0; k < n; ++k) { int bit = n >> 1; for (; j & bit; bit >>= 1) j ^= bit; "
                "j ^= bit; if (k < j) p[k] += p[j]; } }\n"
                f"volatile long out;\n{loops}\nint main(void) {{\n  for (int k = 0; k < N; ++k) i4[k] = k * 7 % N, i8[k] = N - 1 - k, c[k] = k, s[k] = k / 2;\n"
                f"{calls}\n  return 0;\n}}\n")

    def function(self):
        self.plain = self.random.random() < 0.5
        return self.nest(2)

    def index(self, names):
        r = self.random
        name = r.choice(names)
        if self.plain:
            name = r.choice([name, f"{name} + {r.choice(names)}", f"{name} * {r.randint(1, 9)} + {r.choice(names)}", f"{name} * a", f"b - {name}"])
            return f"W / 2 + {r.choice(['(int)', '(int)', '(short)'])}({name})"
        term = r.choice([name, f"{name} * {r.randint(1, 9)}", f"{name} * a", f"({name} | {r.choice([1, 3, 8])})", f"({name} << {r.randint(0, 4)})",
                         f"b - {name}", f"{name} + {r.randint(0, 99)}", f"({r.choice(WIDTHS)})({name} * {r.choice([1, 3, 50])})", f"{name} / 2", f"i4[{name} & (N - 1)]",
                         f"i8[{name} & (N - 1)]", f"c[({name} + 3) & (N - 1)]", f"{name} + (unsigned){r.choice(names)}"])
        return f"({term}) & (N - 1)" if r.random() < 0.7 else f"((unsigned long)({term})) % N"

    def body(self, names):
        r = self.random
        lines = []
        for _ in range(r.randint(1, 4)):
            to, by = self.index(names), self.index(names)
            if self.plain:
                lines.append(r.choice([f"w[{to}] += w[{by}];", f"x[{to}] = x[{by}] * 2;", f"swaps(w + {to}, {r.choice([4, 8, 16])});"]))
                continue
            lines.append(r.choice([f"d[{to}] += d[{by}];", f"f[{to}] = f[{by}] * 2;", f"i4[{to}] = {r.choice(names)};", f"i8[{to}] = i8[{by}] + 1;", f"c[{to}] = 5;",
                                   f"total += s[{by}];", f"d[{to}] = i4[{by}];", f"i4[{to}] = i4[{by}] & (N - 1);", f"at = i4[at & (N - 1)] + 1; d[at & (N - 1)] = 0;"]))
        return lines

    def nest(self, depth, names=(), rounds=1, around=1):
        """`rounds` is how often the loop around goes round at most, `around` all loops around together: programs stay small."""
        r = self.random
        most = 20000 // around
        names = list(names)
        text = ""
        for _ in range(r.randint(1, 2)):
            name = f"v{len(names)}"
            width = r.choice(WIDTHS)
            step = r.choice([1, 1, 1, 2, 3, -1, 7])
            count = bound = r.choice([count for count in [0, 1, 2, 3, 5, 17, 60, 300] if count <= most])
            first = r.choice(["0", "0", "1", "b", "a", "120", "250", "65500"])
            counter = f"k{len(names)}"
            if names and rounds + 17 <= most and r.random() < 0.4:
                bound = max(rounds + 17, 34)
                count = r.choice(["(long){outer} + {c}", "{c} - (long){outer}", "17 - (long){outer} * 2 + {c}"]).format(outer=names[-1], c=r.choice([2, 3, 5, 17]))
            here = [*names, name, counter]
            lines = self.body(here)
            if depth > 0 and r.random() < 0.6:
                lines.append(self.nest(depth - 1, here, bound, around * max(bound, 1)))
            if r.random() < 0.15:
                lines.append(f"if (d[{name} & (N - 1)] > 1e9) break;")
            r.shuffle(lines)
            inner = "\n".join(lines)
            text += (f"{{ long total = 0, at = a; {width} {name} = {first}; for ({r.choice(['int', 'long', 'unsigned'])} {counter} = 0; {counter} < {count}; ++{counter}) "
                     f"{{ {inner}\n {name} += {step}; }} out = total + at; }}\n")
        return text


def main():
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for level in ["-O1", "-O2"]:
            compile_program(PROGRAMS / "rows.c", [level], folder / "rows")
            for rounds in ("5", "40", "1000") if DEEP else ("40", "200"):
                for what in ("memory", "full"):
                    check(folder, what, folder / "rows", rounds)
            compile_program(PROGRAMS / "stepping.c", [level], folder / "stepping")
            for rounds in ("1", "5", "300", "700") if DEEP else ("300",):
                for what in ("memory", "full"):
                    check(folder, what, folder / "stepping", rounds)
        levels = ["-O1", "-O2"] if DEEP else ["-O2"]
        for level in levels:
            for source in ["dense.c", "vector_add.c", "matmul.c", "cg.c", "ranks.c", "odd.cpp", "counting.c"] if DEEP else ["dense.c", "ranks.c"]:
                parallel = [] if source in ("dense.c", "odd.cpp", "counting.c") else ["-fopenmp"]
                compile_program(PROGRAMS / source, [level, *parallel], folder / (source + level))
            dense, ranks = folder / f"dense.c{level}", folder / f"ranks.c{level}"
            for kernel in ["lu", "cholesky", "trmm", "triple", "stencil1", "stencil2", "stencil3", "sor"]:
                check(folder, "memory", dense, kernel, "31" if DEEP else "17")
                if DEEP:
                    check(folder, "full", dense, kernel, "20")
                    check(folder, "memory", dense, kernel, "120")
            for kernel in ["add", "matmul", "stencil", "fft", "cg", "amg", "particles"] if DEEP else ["fft"]:
                for what in ["memory", "full"] if DEEP else ["memory"]:
                    check(folder, what, ranks, kernel, "16", "3")
            if DEEP:
                check(folder, "memory", folder / f"matmul.c{level}", "3", "23")
                for threads in ("1", "4", "5"):
                    for what in ("memory", "full"):
                        check(folder, what, folder / f"vector_add.c{level}", threads, "3000")
                        check(folder, what, folder / f"cg.c{level}", threads, "12", "4")
                check(folder, "memory", folder / f"odd.cpp{level}")
                check(folder, "memory", folder / f"counting.c{level}")
        for number in range(seed, seed + (60 if DEEP else 2)):
            source = folder / "random.c"
            source.write_text(RandomLoops(number).program())
            for level in ["-O1", "-O2", "-O0"] if DEEP else ["-O2"]:
                compile_program(source, [level], folder / "random")
                before = len(failures)
                for what in ["memory", "full"] if DEEP else ["memory"]:
                    check(folder, what, folder / "random")
                if len(failures) > before:
                    failures.append(f"random loops {number} {level}")
    for failure in failures:
        print(failure)
    return len(failures) != 0


sys.exit(main())
