#!/usr/bin/python3
"""random_structs.py BIN COUNT SEED: random programs of structs, compared with gdb at random marks (compare.py).

Structs nest, have arrays, unions, bit-fields and texts, and some have hundreds of members; they are assigned, copied with memcpy
and memmove, cleared, passed and returned by value, kept in arrays and on the heap; texts are made by strcpy and its like. What is
counted says how often each of that happened."""

import collections
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from compare import compare  # noqa: E402

SCALARS = ["int", "short", "signed char", "long", "unsigned", "unsigned short", "double", "float", "_Bool", "long long"]


class Program:
    def __init__(self, seed):
        self.hides = seed % 2 == 1  # calls whose structs cannot be followed
        self.chance = random.Random(seed)
        self.types = []  # name, members: (name, kind, what)
        self.text, self.hits = [], collections.Counter()

    def declare(self):
        for t in range(self.chance.randint(3, 6)):
            members, large = [], self.chance.random() < 0.2
            if large:
                self.hits["large struct"] += 1
            for m in range(self.chance.randint(150, 400) if large else self.chance.randint(1, 7)):
                kinds = ["scalar"] * 5 + ["bits", "text", "array"] + (["struct", "structs", "union"] if self.types and not large else [])
                kind = "scalar" if large and m > 6 else self.chance.choice(kinds)
                what = self.chance.choice(SCALARS)
                if kind in ("struct", "structs"):
                    what = self.chance.choice([t for t in self.types if len(t[1]) < 20] or [None])
                    kind = kind if what else "scalar"
                    what = what or "int"
                if kind == "bits":
                    what = self.chance.randint(2, 20)  # one bit of the pattern may be that of zero
                if kind in ("text", "array"):
                    what = (what, self.chance.randint(4, 14) if kind == "text" else self.chance.randint(2, 5))
                members.append(("m%d" % m, kind, what))
            self.types.append(("struct s%d" % t, members))
        out = []
        for name, members in self.types:
            out.append(name + " {")
            for m, kind, what in members:
                out.append("  " + {"scalar": lambda: "%s %s;" % (what, m), "bits": lambda: "int %s : %d;" % (m, what),
                                   "text": lambda: "char %s[%d];" % (m, what[1]), "array": lambda: "%s %s[%d];" % (*[what[0], m], what[1]),
                                   "struct": lambda: "%s %s;" % (what[0], m), "structs": lambda: "%s %s[2];" % (what[0], m),
                                   "union": lambda: "union { int i; float f; unsigned char b[4]; } %s;" % m}[kind]())
            out.append("};")
        return out

    def leaf(self, at, type_):
        """Statements that set one member of it."""
        m, kind, what = self.chance.choice(type_[1])
        at = at + "." + m
        number = str(self.chance.randint(0, 100))
        if kind in ("struct", "structs"):
            return self.leaf(at if kind == "struct" else at + "[%d]" % self.chance.randint(0, 1), what)
        self.hits[kind] += 1
        if kind == "array":
            return "%s[%d] = %s;" % (at, self.chance.randrange(what[1]), number)
        if kind == "union":
            return self.chance.choice([at + ".i = %s;" % number, at + ".f = %s.5f;" % number])
        if kind == "text":
            word = "abcdefghijkl"[: self.chance.randint(0, what[1] // 2 - 1)]
            made = self.chance.choice(["strcpy", "strncpy", "snprintf", "strcat", "sprintf", "memset"])
            self.hits[made] += 1
            return {"strcpy": 'strcpy(%s, "%s");' % (at, word), "strncpy": 'strncpy(%s, "%s", %d);' % (at, word, what[1]),
                    "snprintf": 'snprintf(%s, %d, "%%d-%%s", n, "%s");' % (at, what[1], word),
                    "strcat": 'strcpy(%s, "%s"); strcat(%s, "z");' % (at, word, at),
                    "sprintf": 'sprintf(%s, "%%x", n & 255);' % at,
                    "memset": "memset(%s, 'a' + n %% 5, %d); %s[%d] = 0;" % (at, what[1], at, what[1] - 1)}[made]
        if kind == "bits":
            return "%s = %s & %d;" % (at, number, (1 << (what - 1)) - 1)
        return "%s = %s;" % (at, number if what == "_Bool" else number + " + n")

    def variables(self, scope):
        found = []
        for v in range(self.chance.randint(3, 6)):
            type_ = self.chance.choice(self.types)
            found.append(("%s%d" % (scope, v), type_, self.chance.random() < 0.3))
        return found

    def operations(self, known, count):
        out = []

        def some(like=None):
            fitting = [v for v in known if not like or v[1] is like]
            name, type_, several = self.chance.choice(fitting)
            return (name + "[%d]" % self.chance.randint(0, 2) if several else name), type_

        for _ in range(count):
            (to, type_), kind = some(), self.chance.choice(["leaf"] * 5 + [
                "copy", "copy", "memcpy", "memmove", "clear", "call", "quiet call", "heap", "mark"]
                + (["call by address", "listed"] if self.hides else []))
            from_, _ = some(type_)
            number = self.types.index(type_)
            if kind != "leaf":
                self.hits[kind] += 1
            out.append({"leaf": lambda: self.leaf(to, type_), "copy": lambda: "%s = %s;" % (to, from_),
                        "memcpy": lambda: "memcpy(&%s, &%s, sizeof %s);" % (to, from_, to) if to != from_ else ";",
                        "memmove": lambda: "memmove(&%s, &%s, sizeof %s);" % (to, from_, to),
                        "clear": lambda: "memset(&%s, 0, sizeof %s);" % (to, to),
                        "call": lambda: "%s = f%d(%s, n);" % (to, number, from_),
                        "quiet call": lambda: "quiet%d(%s, n); %s = kept%d;" % (number, from_, to, number),
                        "call by address": lambda: "by_address%d[%d](%s, n); %s = kept%d;"
                                                   % (number, self.chance.randint(0, 1), from_, to, number),
                        "listed": lambda: "listed%d(n, %s, %s); %s = kept%d;" % (number, from_, to, to, number),
                        "heap": lambda: "{ %s *h = malloc(2 * sizeof *h); h[1] = %s; h = realloc(h, 500 * sizeof *h); %s = h[1]; free(h); }"
                                % (type_[0], from_, to),
                        "mark": lambda: "MARK;"}[kind]())
        return out + ["MARK;"]

    def write(self, folder):
        out = ["#include <stdarg.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>", '#include "mark.h"'] + self.declare()
        globals_ = self.variables("g")
        out += ["%s %s%s;" % (type_[0], name, "[3]" if several else "") for name, type_, several in globals_]
        for number, type_ in enumerate(self.types):
            out.append("__attribute__((noinline)) static %s f%d(%s a, int n) {" % (type_[0], number, type_[0]))
            out += ["  " + self.leaf("a", type_), "  %s r = a;" % type_[0], "  " + self.leaf("r", type_), "  MARK;", "  return r;", "}"]
            # Functions without a mark: what comes to them must be followed as well.
            name = type_[0]
            out.append("static %s kept%d;" % (name, number))
            for which in ("quiet", "other"):
                out += ["__attribute__((noinline)) static void %s%d(%s a, int n) {" % (which, number, name),
                        "  " + self.leaf("a", type_), "  kept%d = a;" % number, "  " + self.leaf("a", type_), "  n += sizeof a;", "}"]
            out.append("void (*volatile by_address%d[])(%s, int) = {quiet%d, other%d};" % (number, name, number, number))
            out += ["__attribute__((noinline)) static void listed%d(int n, ...) {" % number, "  va_list list;", "  va_start(list, n);",
                    "  kept%d = va_arg(list, %s);" % (number, name)]
            if self.chance.random() < 0.5:
                out += ["  MARK;", "  va_list more;", "  va_copy(more, list);", "  kept%d = va_arg(more, %s);" % (number, name), "  va_end(more);"]
            out += ["  va_end(list);"]
            if self.chance.random() < 0.3:
                out += ["  va_start(list, n);", "  %s again = va_arg(list, %s);" % (name, name), "  " + self.leaf("again", type_), "  MARK;", "  va_end(list);"]
            out += ["}"]
        out.append("__attribute__((noinline)) static void work(int n) {")
        locals_ = self.variables("l")
        out += ["  %s %s%s%s;" % (type_[0], name, "[3]" if several else "", " = {0}" if self.chance.random() < 0.7 else "")
                for name, type_, several in locals_]
        out += ["  " + one for one in self.operations(globals_ + locals_, self.chance.randint(10, 25))]
        out += ["}", "int main(void) {", "  for (int i = 0; i < 3; ++i) work(i);", "  MARK;", "  return 0;", "}"]
        with open(os.path.join(folder, "program.c"), "w") as file:
            file.write("\n".join(out) + "\n")


def main():
    bin_folder, count, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    programs = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs")
    hits, stops, shown, uninitialized, untold, bad, reasons = collections.Counter(), 0, 0, 0, 0, 0, collections.Counter()
    for number in range(seed, seed + count):
        level = ["-O0", "-O0", "-O1", "-O2"][number % 4]
        with tempfile.TemporaryDirectory() as work:
            os.chdir(work)
            open("input", "w").close()
            os.symlink(os.path.join(programs, "mark.h"), "mark.h")
            program = Program(number)
            program.write(work)
            there, found = compare(bin_folder, level, ["program.c"])
            hits += program.hits
            stops += there
            shown += found.shown()
            uninitialized += found.uninitialized
            untold += found.not_in_json
            reasons.update({why: len(where) for why, where in found.reasons.items()} if level == "-O0" else {})
            # What a struct holds that comes by such a call is known when it is read.
            hidden = program.hits["call by address"] + program.hits["listed"]
            wrong = found.different or found.without_reason() or (level == "-O0" and not hidden and not found.is_complete())
            if wrong:
                bad += 1
                print("program %d %s:\n%s" % (number, level, "\n".join(found.details(4))), flush=True)
                os.system("cp program.c '%s/program%d.c'" % (os.environ.get("TMPDIR", "/tmp"), number))
            os.chdir("/")
    print("%d programs, %d marks, %d values shown by gdb, %d not initialized, %d not in JSON; %d programs bad" % (
        count, stops, shown, uninitialized, untold, bad))
    print("unknown at -O0: %s" % dict(reasons))
    print("hits: %s" % dict(hits))
    sys.exit(bool(bad))


main()
