"""Random threaded programs whose races follow from each other: through values, the heap, copies, calls, branches, loops, pointers to
functions, and further races. make(seed) gives the text in C and what is in it. Nothing blocks, and all places stay in bounds."""

import random

HEADER = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noinline))
static V int S0 = 3, S1 = 2, S2 = 3, S3 = 5, S4 = 6, S5 = 7, S6 = 1;
static V int A0[4] = {1, 2, 3, 0}, A1[4] = {3, 2, 1, 1}, A2[4] = {2, 2, 5, 6};
static V int* V P0 = A0; static V int* V P1 = A1;
static int W0[24], W1[24];
static struct both { int a, more[30], b; } R0, R1;
static atomic_int N0, N1;
static pthread_mutex_t L0 = PTHREAD_MUTEX_INITIALIZER, L1 = PTHREAD_MUTEX_INITIALIZER;
struct cell { struct cell* next; int value; };
static APART int get0(int i) { return A0[i & 3]; }
static APART int get1(int i) { return i & 1 ? A1[i & 3] : 2; }
static APART void put0(int i, int v) { A1[i & 3] = v; }
static APART void put1(int i, int v) { if (v & 2) A2[i & 3] = v; }
static APART int both0(int i) { return get0(i) + S4; }
static APART int deep(int n, int i) { return n <= 0 ? A2[i & 3] : deep(n - 1, i + 1); }
static APART int twice(int i) { return 2 * i + 1; }
static APART void call0(void) { A0[1] = 5; }
static APART void call1(void) { S5 = 2; }
static void (*const table[])(void) = {call0, call1};
static V int sink;
"""
GROWN = """static APART struct cell* grown(struct cell* list, int value) {
  struct cell* more = malloc(sizeof *more); more->next = list; more->value = value; return more;
}
"""


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.classes = set()
        self.room = 0
        self.scalars = 2 + self.random.randrange(5)
        self.arrays = 1 + self.random.randrange(3)
        self.constant = self.random.choice((0.0, 0.1, 0.5))
        self.nested = self.random.choice((0.2, 0.5, 0.7))
        self.loops = 0

    def pick(self, *words):
        return self.random.choice(words)

    def scalar(self):
        return f"S{self.random.randrange(self.scalars)}"

    def local(self):
        return f"x{self.random.randrange(4)}"

    def value(self):
        return self.pick(self.local(), self.local(), f"{self.random.randrange(8)}", f"({self.local()} + {self.local()})")

    def place(self):
        if self.random.random() < self.constant:
            return f"A{self.random.randrange(self.arrays)}[{self.random.randrange(4)}]"
        self.classes.add("subscript")
        return f"A{self.random.randrange(self.arrays)}[{self.local()} & 3]"

    def statement(self, depth):
        self.room -= 1
        x, y, s = self.local(), self.local(), self.scalar()
        n = self.random.randrange(8)
        simple = [
            lambda: f"{x} = {s};", lambda: f"{x} = {s};",
            lambda: f"{x} = {self.place()};", lambda: f"{x} = {self.place()};",
            lambda: f"{s} = {n};",
            lambda: self.note("transitive", f"{s} = {y};"), lambda: self.note("transitive", f"{s} = {y};"),
            lambda: f"{self.place()} = {self.value()};", lambda: f"{self.place()} = {self.value()};",
            lambda: f"{x} = {self.value()};",
            lambda: self.note("heap", f"*cell = {y}; {x} = *cell & 7;"),
            lambda: self.note("heap", f"list = grown(list, {y}); {x} = list->next ? list->next->value : 1;"),
            lambda: self.note("call", f"{x} = {self.pick('get0', 'get1', 'both0', 'twice')}({self.value()});"),
            lambda: self.note("call", f"{self.pick('put0', 'put1')}({self.value()}, {self.value()});"),
            lambda: self.note("call", f"{x} = deep({n} & 3, {self.value()});"),
            lambda: self.note("function pointer", f"table[{y} & 1]();"),
            lambda: self.note("copy", f"memcpy(local, W{n & 1}, sizeof local); {x} = local[{n}];"),
            lambda: self.note("copy", f"memcpy(W{n & 1}, local, {self.pick(16, 96, '(' + y + ' & 7) * 4')});"),
            lambda: f"W{n & 1}[{n}] = {self.value()};",
            lambda: f"local[{n}] = {y};",
            lambda: self.note("struct", f"mine = R{n & 1}; {x} = {self.pick('mine.a', 'mine.b', 'mine.more[9]')};"),
            lambda: self.note("struct", f"R{n & 1}.{self.pick('a', 'b', 'more[9]')} = {y};"),
            lambda: self.note("pointer", f"P{n & 1} = A{n % 3} + ({y} & 3);"),
            lambda: self.note("pointer", f"{x} = *P{n & 1};"),
            lambda: self.note("pointer", f"*P{n & 1} = {n};"),
            lambda: self.note("atomic", f"{x} = atomic_fetch_add_explicit(&N{n & 1}, {self.value()}, memory_order_relaxed);"),
            lambda: self.note("atomic", f"{x} = *(V int*)&N{n & 1};"),
            lambda: self.note("select", f"{x} = {y} > {n} ? {s} : {self.place()};"),
        ]
        if depth >= 3 or self.random.random() >= self.nested:
            return self.random.choice(simple)()
        kind = self.random.randrange(6)
        inner = lambda: self.block(depth + 1, 1 + self.random.randrange(2))
        if kind == 0:
            return self.note("branch", f"if ({y} & {self.pick(1, 2, 4, 3)}) {{ {inner()} }}")
        if kind == 1:
            return self.note("branch", f"if ({self.pick(s, y)} > {n}) {{ {inner()} }} else {{ {inner()} }}")
        if kind == 2:
            self.loops += 1
            i = f"i{self.loops}"
            return self.note("loop", f"for (int {i} = 0; {i} < {self.pick('3', f'({y} & 3)', f'({y} & 3)')}; {i}++) {{ {inner()} }}")
        if kind == 3:
            return self.note("switch", f"switch ({y} & 3) {{ case 0: {inner()} break; case 1: {inner()} break; default: {inner()} }}")
        if kind == 4:
            return self.note("lock", f"pthread_mutex_lock(&L{n & 1}); {self.simple_only(simple)} {self.simple_only(simple)} pthread_mutex_unlock(&L{n & 1});")
        return self.note("return", f"if ({y} == {n}) {{ free((void*)cell); return 0; }}")

    def simple_only(self, simple):
        return self.random.choice(simple)()

    def note(self, name, text):
        self.classes.add(name)
        return text

    def block(self, depth, count):
        return " ".join(self.statement(depth) for _ in range(count) if self.room > 0)

    def thread(self, number):
        self.room = 6 + self.random.randrange(12)
        lines = []
        # Something that is written first, and something that is read.
        for _ in range(self.random.randrange(3)):
            lines.append(f"  {self.scalar()} = {self.random.randrange(8)};")
        for i in range(self.random.randrange(4)):
            lines.append(f"  x{i} = {self.scalar()};")
        if self.random.random() < 0.5:
            self.classes.add("fill")
            lines.append(f"  for (int i = 0; i < 4; i++) A{self.random.randrange(self.arrays)}[i] = i + 1;")
        while self.room > 0:
            lines.append("  " + self.statement(0))
        body = "\n".join(lines)
        return (f"static void* thread{number}(void* unused) {{\n"
                f"  int x0 = {number}, x1 = 3, x2 = {self.random.randrange(4)}, x3 = 2, local[24] = {{1, 2, 3}};\n"
                "  V int* cell = malloc(sizeof *cell); struct cell* list = grown(grown(0, 1), 2); struct both mine = {1};\n"
                f"{body}\n  sink = x0 + x1 + x2 + x3 + local[2] + mine.a + list->value;\n  free((void*)cell);\n  return unused;\n}}\n")


# What leads from a racing read, x0, to what is chosen, and what is chosen by x0.
FLOWS = {
    "value": "x0 = (x0 + 1) & 3;",
    "heap": "*cell = x0; x0 = *cell;",
    "list": "list = grown(grown(grown(0, x0), 0), 1); x0 = list->next->next->value;",
    "call argument": "x0 = twice(x0);",
    "returned value": "S6 = x0; x0 = get1(x0 | 1) & 3;",
    "memcpy": "local[5] = x0; memcpy(W0, local, 80); memcpy(local + 2, W0 + 2, 60); x0 = local[5];",
    "struct": "mine.more[9] = x0; R0 = mine; mine = R0; x0 = mine.more[9];",
    "branch decides a value": "if (x0 & 1) x0 = 2; else x0 = 1;",
    "another thread": None,
    "another thread's branch": None,
    "another thread's place": None,
    "handed on under a lock": None,
}
EFFECTS = {
    "subscript read": "sink = A0[x0 & 3];",
    "subscript written": "A0[x0 & 3] = 1;",
    "branch": "if (x0) A0[1] = 3;",
    "else": "if (x0 > 7) sink = 1; else A0[2] = 3;",
    "switch": "switch (x0 & 3) { case 0: A0[0] = 1; break; case 1: A0[1] = 2; break; default: A0[2] = 3; }",
    "loop bound": "for (int i = 0; i < (x0 & 3) + 1; i++) A0[i] = i;",
    "function pointer": "table[x0 & 1](); call0();",
    "only a function pointer": "table[x0 & 1]();",
    "pointer": "{ V int* p = A0 + (x0 & 3); sink = *p; }",
    "helper": "sink = get0(x0);",
    "helper, with a constant too": "sink = get0(x0); sink = get0(1);",
    "memcpy length": "memcpy(local, (void*)A0, 4 * (x0 & 3) + 4);",
    "recursion": "sink = both0(x0);",
    "none": "A0[1] = x0;",
}


def make_chain(seed):
    """One cause, ways from it, an effect; and statements around."""
    maker = Maker(seed)
    pick = maker.random.choice
    noise = lambda: pick(["", "", f"x1 = {maker.scalar()};", f"S{maker.random.randrange(4)} = 1;", f"{maker.local()} = 2;", "A1[x1 & 3] = 2;"])
    classes = set()
    bodies = [[f"S4 = {maker.random.randrange(4)};"]]
    for i in range(4):
        if maker.random.random() < 0.9:
            bodies[0].append(f"A0[{i}] = 7;" if maker.random.random() < 0.5 else f"put_at({i});")
    if maker.random.random() < 0.15:
        maker.random.shuffle(bodies[0])
    bodies[0].insert(maker.random.randrange(len(bodies[0]) + 1), noise())
    lines = ["x0 = S4;"]
    hops = 0
    for _ in range(maker.random.randrange(4)):
        flow = pick(list(FLOWS))
        if FLOWS[flow] is None and hops == 2:
            continue
        classes.add("flow: " + flow)
        if FLOWS[flow] is not None:
            lines.append(FLOWS[flow])
        else:
            between = f"S{5 + hops}"
            hops += 1
            if flow == "another thread":
                lines.append(f"{between} = x0;")
                bodies.append(lines)
                lines = [f"x0 = {between};"]
            elif flow == "another thread's branch":
                lines.append(f"if (x0) {between} = 2;")
                bodies.append(lines)
                lines = [f"x0 = {between};"]
            elif flow == "another thread's place":
                lines.append("A2[(x0 & 4) / 4] = 1;")
                bodies.append(lines)
                lines = ["x0 = A2[0];"]
            else:
                lines.append(f"pthread_mutex_lock(&L0); H{hops} = x0; pthread_mutex_unlock(&L0);")
                bodies.append(lines)
                lines = [f"pthread_mutex_lock(&L0); x0 = H{hops}; pthread_mutex_unlock(&L0);"]
        lines.append(noise())
    for _ in range(1 + maker.random.randrange(2)):
        effect = pick(list(EFFECTS))
        classes.add("effect: " + effect)
        lines += [EFFECTS[effect], noise()]
    bodies.append(lines)
    text = ["#define V volatile\n", HEADER, GROWN, "static int H1, H2, H3;\nstatic APART void put_at(int i) { A0[i] = 6; }\n"]
    for number, body in enumerate(bodies):
        text.append(f"static void* thread{number}(void* unused) {{\n"
                    "  int x0 = 1, x1 = 3, x2 = 0, x3 = 2, local[24] = {1, 2, 3};\n"
                    "  V int* cell = malloc(sizeof *cell); struct cell* list = 0; struct both mine = {1};\n  "
                    + "\n  ".join(line for line in body if line) +
                    "\n  sink = x1 + x2 + x3 + local[2] + mine.a; free((void*)cell); (void)list;\n  return unused;\n}\n")
    text.append("int main(void) {\n  pthread_t t[8];\n" +
                "".join(f"  pthread_create(&t[{i}], 0, thread{i}, 0);\n" for i in range(len(bodies))) +
                "".join(f"  pthread_join(t[{i}], 0);\n" for i in range(len(bodies))) + "  return 0;\n}\n")
    return "".join(text), sorted(classes)


def make(seed):
    return make_chain(seed) if seed % 2 else make_any(seed)


def make_any(seed):
    maker = Maker(seed)
    volatile = maker.random.random() < 0.6
    count = 2 + maker.random.randrange(3)
    parts = [f"#define V {'volatile' if volatile else ''}\n", HEADER, GROWN]
    parts += [maker.thread(i) for i in range(count)]
    parts.append("int main(void) {\n  pthread_t t[4];\n  for (int i = 0; i < 24; i++) W0[i] = W1[i] = i;\n"
                 "  R0.a = R1.b = 2; R0.more[9] = 1;\n")
    # Some are joined before others begin: what they read is handed on.
    early = maker.random.randrange(count) if count > 2 and maker.random.random() < 0.4 else None
    if early is not None:
        maker.classes.add("joined early")
    for i in range(count):
        parts.append(f"  pthread_create(&t[{i}], 0, thread{i}, 0);\n")
        if early is not None and i == count - 2:
            parts.append(f"  pthread_join(t[{min(early, i)}], 0);\n")
    for i in range(count):
        if early is None or i != min(early, count - 2):
            parts.append(f"  pthread_join(t[{i}], 0);\n")
    parts.append("  return 0;\n}\n")
    return "".join(parts), sorted(maker.classes)


if __name__ == "__main__":
    import sys
    print(make(int(sys.argv[1]))[0])
