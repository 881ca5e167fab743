"""What variables hold at marks of random programs with structs, against what the program itself prints there.

The model is the program: built once more by plain clang with -DPRINT, it prints every member of every variable at each
mark. `vestige variable --at` must give the same at the same lines: never another value, and a value that is not known only
with a reason (docs/queries.md, "What variables were at one time"). At -O0 everything here follows from what the program
did, so there what is not known is counted by reason.

Programs have structs in structs, arrays of them, large ones (some 200 members), unions, bit-fields and texts; copies,
memcpy, memset, strcpy and its kin, structs passed and returned by value, and globals that another file defines. All bytes
are set before they are read. Texts compare up to their first zero.
"""
import json
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

NUMBERS = {"int": "%d", "unsigned": "%u", "long": "%ld", "unsigned long": "%lu", "short": "%d", "signed char": "%d", "_Bool": "%d", "double": "%.17g"}


class Maker:
    def __init__(self, rng, case):
        self.rng, self.case = rng, case
        self.types = []  # (word, members): struct or union.
        self.lines = {"a.c": [], "b.c": []}
        self.marks = []

    # Types.
    def simple(self):
        rng = self.rng
        chance = rng.random()
        if chance < 0.2:
            return ("chars", rng.choice([4, 8, 16, 24]))
        if chance < 0.3:
            return ("bits", rng.choice(["int", "unsigned"]), rng.randint(1, 20))
        return ("number", rng.choice(list(NUMBERS)))

    def type(self):
        rng = self.rng
        chance = rng.random()
        if self.types and chance < 0.25:
            return ("record", rng.randrange(len(self.types)))
        if self.types and chance < 0.32:
            return ("array", ("record", rng.randrange(len(self.types))), rng.randint(2, 3))
        if chance < 0.42:
            return ("array", ("number", rng.choice(list(NUMBERS))), rng.randint(2, 6))
        return self.simple()

    def make_types(self):
        rng = self.rng
        for number in range(rng.randint(2, 4)):
            if number > 0 and rng.random() < 0.15:
                members = [("i", ("number", rng.choice(["int", "unsigned"]))), ("s", ("array", ("number", "short"), 2)), ("c", ("array", ("number", "signed char"), 4))]
                self.types.append(("union", members))
                self.case.hit("union")
                continue
            count = rng.randint(2, 7)
            if rng.random() < 0.12 and self.size_of_all() < 400:
                count = rng.randint(130, 220)
                self.case.hit("large struct")
            self.types.append(("struct", [(f"m{i}", self.type() if count < 20 else self.simple()) for i in range(count)]))

    def size_of_all(self):
        return sum(len(list(self.leaves("", ("record", i)))) for i in range(len(self.types)))

    def name_of(self, kind):
        return f"{self.types[kind[1]][0]} T{kind[1]}"

    def declare(self, kind, name):
        if kind[0] == "record":
            return f"{self.name_of(kind)} {name}"
        if kind[0] == "array":
            return self.declare(kind[1], f"{name}[{kind[2]}]")
        if kind[0] == "chars":
            return f"char {name}[{kind[1]}]"
        if kind[0] == "bits":
            return f"{kind[1]} {name} : {kind[2]}"
        return f"{kind[1]} {name}"

    def leaves(self, path, kind):
        if kind[0] == "record":
            for name, inner in self.types[kind[1]][1]:
                yield from self.leaves(f"{path}.{name}", inner)
        elif kind[0] == "array":
            for index in range(kind[2]):
                yield from self.leaves(f"{path}[{index}]", kind[1])
        else:
            yield path, kind

    def parts(self, path, kind):
        """Every part that is a record, with its type."""
        if kind[0] == "record":
            yield path, kind
            for name, inner in self.types[kind[1]][1]:
                yield from self.parts(f"{path}.{name}", inner)
        elif kind[0] == "array":
            for index in range(kind[2]):
                yield from self.parts(f"{path}[{index}]", kind[1])

    # Printing: functions under -DPRINT.
    def dump(self, kind, path):
        """C statements that print the value of an lvalue as JSON."""
        if kind[0] == "record":
            out = ['printf("{");']
            for index, (name, inner) in enumerate(self.types[kind[1]][1]):
                out.append(f'printf("{"," if index else ""}\\"{name}\\":");')
                out += self.dump(inner, f"{path}.{name}")
            return out + ['printf("}");']
        if kind[0] == "array":
            out = ['printf("[");']
            for index in range(kind[2]):
                if index:
                    out.append('printf(",");')
                out += self.dump(kind[1], f"{path}[{index}]")
            return out + ['printf("]");']
        if kind[0] == "chars":
            return [f'printf("\\"%.{kind[1]}s\\"", {path});']
        if kind[0] == "bits":
            return [f'printf("{NUMBERS[kind[1]]}", {path});']
        return [f'printf("{NUMBERS[kind[1]]}", {path});']

    # Values and statements.
    def number(self, kind):
        rng = self.rng
        if kind[0] == "bits":
            top = kind[2] - 1 if kind[1] == "int" else kind[2]
            return str(rng.randrange(-(1 << top), 1 << top) if kind[1] == "int" else rng.randrange(1 << top))
        name = kind[1]
        if name == "_Bool":
            return rng.choice(["0", "1"])
        if name == "double":
            return repr(rng.choice([0.5, -1.25, 1e10, 3.0, 0.1]))
        if name == "signed char":
            return str(rng.choice([-5, 0, 65, 127]))
        if name == "short":
            return str(rng.randrange(-32768, 32768))
        if name.startswith("unsigned"):
            return str(rng.choice([0, 1, 77, 4294967295])) + "u"
        return str(rng.choice([0, -1, 12345, -70000, rng.randrange(1000)]))

    def set_leaf(self, path, kind, numbers=()):
        """A statement that sets a leaf, from a constant or from one of the expressions in numbers."""
        rng = self.rng
        if kind[0] == "chars":
            size = kind[1]
            word = "".join(rng.choice("abcdxyz ") for _ in range(rng.randrange(size // 2)))
            how = rng.choice(["strcpy", "strncpy", "snprintf", "memset", "strcat", "memcpy"])
            self.case.hit(how)
            text, short = f'"{word}"', f'"{word[: size // 2]}"'
            if rng.random() < 0.4:  # Where the function is called nothing says which text it is.
                text, short = f"given({text})", f"given({short})"
                self.case.hit("a text through a pointer")
            if how == "strcpy":
                return f"strcpy({path}, {text});"
            if how == "strncpy":
                return f"strncpy({path}, {text}, sizeof {path});"
            if how == "snprintf":
                return f'snprintf({path}, sizeof {path}, "%d-%s", {rng.choice(["k", "7", "-31"])}, {text});'
            if how == "memset":
                return f"memset({path}, '{rng.choice('pq')}', {rng.randint(1, size)});"
            if how == "strcat":
                return f'{{ {path}[{size // 2}] = 0; {path}[1] = 0; strcat({path}, {short}); }}'
            return f"memcpy({path}, {text}, {len(word)} + 1);"
        chance = rng.random()
        if chance < 0.6 or not numbers:
            return f"{path} = {self.number(kind)};"
        if kind[1] == "double" or kind[1] == "_Bool":
            return f"{path} = {rng.choice(numbers)} > 3;"
        source = rng.choice(numbers)
        if chance < 0.75:
            return f"{path} = plus({source}, {rng.randrange(9)});"
        return f"{path} = (unsigned)({source}) % 97u & {127 if kind[0] != 'bits' else (1 << (kind[2] - 1)) - 1};"

    def statement(self, variables):
        """A random statement over variables: (expression, type)."""
        rng, case = self.rng, self.case
        name, kind = rng.choice(variables)
        chance = rng.random()
        parts = [part for variable in variables for part in self.parts(*variable)]
        numbers = ["k"]
        for path, leaf in rng.sample(list(self.leaves(name, kind)), min(3, len(list(self.leaves(name, kind))))):
            if leaf[0] == "number" and leaf[1] in ("int", "unsigned", "short", "signed char"):
                numbers.append(path)
        if chance < 0.35 or not parts:
            path, leaf = rng.choice(list(self.leaves(name, kind)))
            return self.set_leaf(path, leaf, numbers)
        path, part = rng.choice(parts)
        same = [p for p, t in parts if t == part and p != path]
        # No two parts of one variable, so nothing overlaps.
        same = [p for p in same if p.split(".")[0].split("[")[0] != path.split(".")[0].split("[")[0]]
        index = part[1]
        if chance < 0.55 and same:
            case.hit("struct copy")
            return f"{path} = {rng.choice(same)};"
        if chance < 0.62 and same:
            case.hit("memcpy of a struct")
            return f"memcpy(&{path}, &{rng.choice(same)}, sizeof {path});"
        if chance < 0.68:
            case.hit("memset of a struct")
            return f"memset(&{path}, {rng.choice([0, 0, 1])}, sizeof {path});" if not self.has_double(part) else f"memset(&{path}, 0, sizeof {path});"
        if chance < 0.82:
            case.hit("returned struct")
            return f"{path} = make{index}({rng.randrange(100)});"
        if chance < 0.92:
            case.hit("through a pointer")
            return f"through{index}(&{path}, {rng.choice(numbers)});"
        case.hit("passed struct")
        return f"take{index}({path}, {rng.randrange(100)});"

    def has_double(self, kind):
        # A _Bool of other bits than 0 and 1 has no value either.
        return any(leaf[1] in ("double",) or leaf[1] == "_Bool" for _, leaf in self.leaves("", kind) if leaf[0] == "number")

    def text(self, file, line):
        self.lines[file].append(line)
        return len(self.lines[file])

    def program(self):
        rng = self.rng
        self.make_types()
        header = ["#include <stdio.h>", "#include <string.h>"]
        for index, (word, members) in enumerate(self.types):
            header.append(f"{word} T{index} {{ " + " ".join(self.declare(kind, name) + ";" for name, kind in members) + " };")
        globals = []
        for number in range(rng.randint(2, 4)):
            kind = ("record", rng.randrange(len(self.types)))
            if rng.random() < 0.25:
                kind = ("array", kind, 2)
            elif rng.random() < 0.25:
                kind = ("number", rng.choice(list(NUMBERS)))
            globals.append((f"g{number}", kind, rng.choice(["a.c", "b.c"])))
        for name, kind, _ in globals:
            header.append(f"extern {self.declare(kind, name)};")
        header += ["int plus(int a, int b);", "const char *given(const char *text);"]
        header.append("void mark(int k);")
        for index in range(len(self.types)):
            record = self.name_of(("record", index))
            header.append(f"{record} make{index}(int k); void take{index}({record} v, int k); void through{index}({record} *p, int k);")
        self.case.write("types.h", "\n".join(header) + "\n")
        for file in self.lines:
            self.text(file, '#include "types.h"')
            for name, kind, where in globals:
                if where == file:
                    initial = ""
                    if kind[0] == "number" and rng.random() < 0.6:
                        initial = f" = {self.number(kind)}"
                    self.text(file, f"{self.declare(kind, name)}{initial};")
        shared = [(name, kind) for name, kind, _ in globals]
        # Functions, half in each file.
        for index in range(len(self.types)):
            record, kind = self.name_of(("record", index)), ("record", index)
            file = rng.choice(["a.c", "b.c"])
            self.text(file, f"{record} make{index}(int k)")
            self.text(file, "{")
            self.text(file, f"{record} r;")
            self.text(file, "memset(&r, 0, sizeof r);")
            for _ in range(rng.randint(1, 4)):
                self.text(file, self.set_leaf(*rng.choice(list(self.leaves("r", kind))), ["k"]))
            self.text(file, "return r;")
            self.text(file, "}")
            file = rng.choice(["a.c", "b.c"])
            self.text(file, f"void take{index}({record} v, int k)")
            self.text(file, "{")
            self.text(file, self.set_leaf(*rng.choice(list(self.leaves("v", kind))), ["k"]))
            same = [path for name, t in shared for path, part in self.parts(name, t) if part == kind]
            if same:
                self.text(file, f"{rng.choice(same)} = v;")
            self.text(file, "}")
            file = rng.choice(["a.c", "b.c"])
            self.text(file, f"void through{index}({record} *p, int k)")
            self.text(file, "{")
            for _ in range(rng.randint(1, 2)):
                self.text(file, self.set_leaf(*rng.choice(list(self.leaves("(*p)", kind))), ["k"]))
            self.text(file, "}")
        self.text("b.c", "int plus(int a, int b) { return (int)((unsigned)a + (unsigned)b) % 100; }")
        self.text("b.c", "const char *given(const char *text) { return text; }")
        locals = [(f"l{i}", ("record", rng.randrange(len(self.types)))) for i in range(rng.randint(1, 3))]
        if self.case.seed % 2:
            locals.append(("l9", ("array", ("number", "int"), 4)))
        here = [(name, kind) for name, kind, where in globals if where == "a.c"]
        there = [(name, kind) for name, kind, where in globals if where == "b.c"]
        self.expected_names = {"a": [n for n, _ in here + locals], "b": [n for n, _ in there]}
        for file, variables in (("b.c", there),):
            self.text(file, "volatile int last;")
            self.text(file, "#ifdef PRINT")
            self.text(file, 'static void dump_b(int k) { printf("b %d {", k);' + self.dump_all(variables) + ' printf("}\\n"); }')
            self.text(file, "#else")
            self.text(file, "#define dump_b(k)")
            self.text(file, "#endif")
            self.text(file, "void mark(int k)")
            self.text(file, "{")
            self.text(file, "dump_b(k);")
            self.inner_mark = self.text(file, "last = k;")
            self.text(file, "}")
        self.text("a.c", "#ifdef PRINT")
        self.text("a.c", '#define SHOW(k) { printf("a %d {", k);' + self.dump_all(here + locals) + ' printf("}\\n"); }')
        self.text("a.c", "#else")
        self.text("a.c", "#define SHOW(k)")
        self.text("a.c", "#endif")
        self.text("a.c", "int main(void)")
        self.text("a.c", "{")
        self.text("a.c", "int k = 5;")
        for name, kind in locals:
            initial = " = {0}" if rng.random() < 0.5 else ""
            self.text("a.c", f"{self.declare(kind, name)}{initial};")
            if not initial:
                self.text("a.c", f"memset(&{name}, 0, sizeof {name});")
        self.mark()
        for _ in range(rng.randint(3, 5)):
            loop = rng.random() < 0.2
            if loop:
                self.text("a.c", f"for (k = 0; k < {rng.randint(2, 4)}; k++)")
                self.text("a.c", "{")
            for _ in range(rng.randint(1, 4)):
                self.text("a.c", self.statement(shared + locals))
            if loop:
                self.text("a.c", "}")
            self.mark()
        self.text("a.c", "return 0;")
        self.text("a.c", "}")
        for file, lines in self.lines.items():
            self.case.write(file, "\n".join(lines) + "\n")

    def dump_all(self, variables):
        out = []
        for index, (name, kind) in enumerate(variables):
            out.append(f'printf("{"," if index else ""}\\"{name}\\":");')
            out += self.dump(kind, name)
        return " ".join(out)

    def mark(self):
        number = len(self.marks) + 1
        self.text("a.c", f"SHOW({number})")
        self.marks.append(self.text("a.c", f"mark({number});"))


class Compare:
    def __init__(self, case):
        self.case, self.wrong, self.unknown, self.known, self.silent, self.cut = case, [], [], 0, [], 0

    # Very large values end before their end, and then there is a reason whose name ends with "…".
    def all_or_cut(self, model, program, reason):
        if len(program) < len(model) and any(part.endswith("…") for part in reason or {}):
            self.cut += 1
            return list(model)[: len(program)] == list(program) if isinstance(model, dict) else True
        return set(model) == set(program) if isinstance(model, dict) else len(model) == len(program)

    def value(self, path, model, program, reason):
        if isinstance(model, dict) and isinstance(program, dict) and self.all_or_cut(model, program, reason):
            for name in program:
                self.value(f"{path}.{name}", model[name], program[name], reason)
        elif isinstance(model, list) and isinstance(program, list) and self.all_or_cut(model, program, reason):
            for index, (a, b) in enumerate(zip(model, program)):
                self.value(f"{path}[{index}]", a, b, reason)
        elif program is None or (isinstance(program, list) and None in program and not isinstance(model, list)):
            (self.unknown if reason else self.silent).append((path, model, reason))
        elif model == program:
            self.known += 1
        elif isinstance(model, list) and isinstance(program, str):
            # Arrays of signed char are texts to a debugger, too; which text stands for bytes above 127 is not said.
            plain = model[: model.index(0) if 0 in model else None]
            if all(0 < b for b in plain) and program != "".join(map(chr, plain)):
                self.wrong.append((path, model, program))
            else:
                self.known += 1
        else:
            self.wrong.append((path, model, program))


# The debug information of optimized code may be wrong itself (docs/queries.md, "Optimized code may be wrong here"):
# then gdb shows the same number in the program that plain clang built. Of a union it may show only the member that the
# compiler knows; the other members beside it are the same bytes.
def not_of_the_compiler(case, wrong):
    shown = [(one, in_gdb(case, one)) for one in wrong]
    unions = [one[0].rpartition(".")[0] + "." for one, text in shown if text == number_text(one[2])]
    left = []
    for one, text in shown:
        hidden = text == "<optimized out>" and any(one[0].startswith(union) for union in unions)
        if hidden or text == number_text(one[2]):
            case.hit("wrong at -O1: in gdb, too")
        else:
            left.append(one)
    return left


def number_text(value):
    return "%.17g" % value if isinstance(value, float) else str(int(value)) if isinstance(value, int) else None


def in_gdb(case, wrong):
    place, part = wrong[0].split(" ", 1)
    line, _, number = place.partition("@")
    if not os.path.exists(case.path("plain")):
        case.run(["clang-19", "-w", "-g", "-O1", "a.c", "b.c", "-o", "plain"])
    shown = case.run(["gdb", "-batch", "-nx", "-ex", f"break {line}", "-ex", f"ignore 1 {int(number or 1) - 1}", "-ex", "run",
                      "-ex", f"output/{'f' if isinstance(wrong[2], float) else 'd'} {part}", "./plain"], expect=(0, 1))
    return shown.strip().splitlines()[-1] if shown.strip() else ""


def check(case):
    rng = random.Random(case.seed)
    maker = Maker(rng, case)
    maker.program()
    level = "-O1" if case.seed % 6 == 0 else "-O0"
    # At -O1 nobody may take mark() apart.
    case.hit(level)
    case.run(["clang-19", "-w", "-O0", "-DPRINT", "a.c", "b.c", "-o", "native"])
    printed = {}
    for line in case.run(["./native"]).split("\n")[:-1]:
        file, number, rest = line.split(" ", 2)
        # Texts are printed as they are.
        printed[file, int(number)] = json.loads(rest, strict=False)
    case.compile(["a.c", "b.c"], "a", level)
    case.record("a", "a.vst")
    at = [f"a.c:{line}" for line in maker.marks] + [f"b.c:{maker.inner_mark}@{number}" for number in range(1, len(maker.marks) + 1)]
    arguments = [word for place in at for word in ("--at", place)]
    rows = case.rows("variable", "a.vst", *arguments, "--all", expect=(0, 1))
    compare = Compare(case)
    found = {}
    for row in rows:
        found[row["at"], row["variable"]] = row
    for number, line in enumerate(maker.marks, 1):
        for file, place in (("a", f"a.c:{line}"), ("b", f"b.c:{maker.inner_mark}@{number}")):
            for name, value in printed[file, number].items():
                row = found.get((place, name))
                what = f"{place} {name}"
                if row is None:
                    compare.silent.append((what, "a row", "none"))
                    continue
                compare.value(what, value, row["value"], row["unknown_because"])
    case.comparisons += compare.known + len(compare.wrong) + len(compare.unknown) + len(compare.silent)
    case.hit("known", compare.known)
    if compare.cut:
        case.hit("more than is shown", compare.cut)
    if compare.wrong and level == "-O1":
        compare.wrong = not_of_the_compiler(case, compare.wrong)
    for _, _, reason in compare.unknown:
        text = next(iter(reason.values())) if isinstance(reason, dict) and reason else str(reason)
        case.hit(f"unknown at {level}: {text}")
    if compare.wrong:
        case.differences.append(("wrong value", f"at {level}: " + "\n".join(f"{p}: model {m!r}, program {g!r}" for p, m, g in compare.wrong[:20])))
    if compare.silent:
        kind = "no row" if all(r == "none" for _, _, r in compare.silent) else "unknown without a reason"
        case.differences.append((f"{kind} at {level}", "\n".join(f"{p}: model {m!r} {r!r}" for p, m, r in compare.silent[:20])))
    if compare.unknown and level == "-O0":
        case.differences.append(("unknown at -O0", "\n".join(f"{p}: model {m!r}; {r}" for p, m, r in compare.unknown[:20])))


if __name__ == "__main__":
    common.main("struct_values", check)
