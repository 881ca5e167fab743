#!/usr/bin/python3
"""random_pairs.py BIN FIRST COUNT [PAIRS]: random programs that read bytes in a tree of calls and compute with them, each run on pairs of
inputs that differ in one byte. The first value that `vestige diff` names is that of a plain comparison of both walks (plain.py)."""
import json
import os
import pathlib
import random
import sys
import tempfile

from plain import Recording, first_difference, run

BIN, FIRST, COUNT = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3])
VESTIGE = BIN / "vestige"
PAIRS, BYTES = int(sys.argv[4]) if len(sys.argv) > 4 else 3, 24


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = self.random.randint(3, 7)

    def value(self, f, depth=0):
        pick = self.random.randint(0, 9 if depth < 2 else 3)
        if pick <= 1:
            return self.random.choice(["x", "y", "n"])
        if pick == 2:
            return str(self.random.randint(-9, 99))
        if pick == 3:
            return f"a[({self.random.choice('xyn')}) & 15]"
        if pick == 4:
            return "next()"
        if pick == 5 and f > 0:
            return f"f{self.random.randrange(f)}({self.value(f, depth + 1)}, {self.value(f, depth + 1)})"
        if pick == 6:
            return f"(int)(d * {self.random.randint(1, 5)})"
        operator = self.random.choice(["+", "-", "*", "^", "&", "|", "<", "==", ">>"])
        right = self.value(f, depth + 1)
        return f"({self.value(f, depth + 1)} {operator} {f'({right} & 7)' if operator == '>>' else right})"

    def statement(self, f, depth=0):
        pick = self.random.randint(0, 9 if depth < 2 else 4)
        if pick <= 2:
            return f"{self.random.choice('xy')} = {self.value(f)};"
        if pick == 3:
            return f"a[({self.value(f)}) & 15] = {self.value(f)};"
        if pick == 4:
            return f"d = d * 0.5 + {self.value(f)};"
        body = " ".join(self.statement(f, depth + 1) for _ in range(self.random.randint(1, 3)))
        if pick <= 6:
            return f"if ({self.value(f)} > {self.random.randint(0, 99)}) {{ {body} }} else {{ {self.statement(f, depth + 1)} }}"
        if pick == 7:
            return f"for (int i{depth} = 0, e = ({self.value(f)}) & 3; i{depth} <= e; ++i{depth}) {{ {body} }}"
        if pick == 8:
            return f"switch (({self.value(f)}) & 3) {{ case 0: {body} break; case 2: {self.statement(f, depth + 1)} break; default: x ^= 5; }}"
        return f"{{ struct pair p = make({self.value(f)}, {self.value(f)}); x += p.first; y ^= p.second; }}"

    def text(self):
        lines = ["#include <stdio.h>", "static int a[16]; static double d = 1; static long spent;",
                 "struct pair { int first; long second; };",
                 "static __attribute__((noinline)) struct pair make(int x, long y) { struct pair p = {x * 2, y + 1}; return p; }",
                 "static int next(void) { int c = getchar(); return c < 0 ? 0 : c; }"]
        for f in range(self.functions):
            recursion = f"if (n > 0 && (x & 3) == 1) return f{f}(y, x >> 2, n - 1) + 1;" if self.random.random() < 0.4 else ""
            parameters = "int x, int y, int n"
            body = "\n  ".join(self.statement(f) for _ in range(self.random.randint(2, 5)))
            lines += [f"static {self.random.choice(['', '__attribute__((noinline)) '])}int f{f}_({parameters});",
                      f"#define f{f}(x, y, ...) f{f}_(x, y, 3)",
                      f"static int f{f}_({parameters}) {{ if (++spent > 300) return x; {recursion.replace(f'f{f}(', f'f{f}_(')}\n  {body}\n  return x - y; }}"]
        lines += [f"int main(void) {{ int s = 0; for (int i = 0; i < 3; ++i) s = s * 31 + f{self.functions - 1}(next(), i);",
                  '  printf("%d %g\\n", s, d); return s & 1; }']
        return "\n".join(lines) + "\n"


def check(seed, folder):
    program = Program(seed)
    source, binary = folder / "p.c", folder / "p"
    source.write_text(program.text())
    level = ["-O0", "-O1", "-O2"][seed % 3]
    run(BIN / "vestige-cc", "-g", "-w", "-fwrapv", level, source, "-o", binary)
    counts = {"pairs": 0, "differ": 0, "of a call": 0, "part": 0, "chains": 0}
    for _ in range(PAIRS):
        data = bytearray(program.random.randrange(256) for _ in range(BYTES))
        other = bytearray(data)
        other[program.random.randrange(min(BYTES, 12))] ^= 1 << program.random.randrange(8)
        traces = []
        for name, text in ("a", data), ("b", other):
            traces.append(folder / f"{name}.vst")
            run(VESTIGE, "record", "-q", "-o", traces[-1], "--", binary, input=bytes(text))
        a, b = (Recording(VESTIGE, trace) for trace in traces)
        wanted = first_difference(a, b)
        thread = json.loads(run(VESTIGE, "diff", *traces, "--json"))["threads"][0]
        value = thread["value"]
        got = value and (value["id"], value["time"], value["a"], value["b"])
        if got != wanted:
            print(f"seed {seed} {level}: {got}, not {wanted}")
            return None
        counts["pairs"] += 1
        counts["part"] += thread["control"] is not None
        counts["differ"] += value is not None
        counts["of a call"] += value is not None and a.statements[value["id"]]["op"] == "call"
        counts["chains"] += thread["why_ends_at_value"]
        if thread["why_ends_at_value"]:
            last = thread["why"][-1]
            if (last["id"], last["a"], last["b"]) != (value["id"], value["a"], value["b"]):
                print(f"seed {seed} {level}: the chain does not end at the value")
                return None
    return counts


def main():
    total, failed = {}, 0
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = name
        for seed in range(FIRST, FIRST + COUNT):
            counts = check(seed, pathlib.Path(name))
            failed += counts is None
            for key, count in (counts or {}).items():
                total[key] = total.get(key, 0) + count
    print(f"{COUNT} programs, {failed} wrong:", ", ".join(f"{count} {key}" for key, count in total.items()))
    return 1 if failed or not total.get("of a call") or not total.get("chains") else 0


sys.exit(main())
