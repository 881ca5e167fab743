"""Which races are artifacts of others, against the definition of docs/threads.md ("Artifacts", after Netzer and Miller).

The model. Threads of straight-line steps over shared scalars, a shared array and locals, some of them behind a branch or in
a function that both threads call, kept to a known order by relaxed atomic operations, which order nothing. The steps are
interpreted here, with every execution's dependences. Then the page's words are followed one by one: what each racing write
may reach, which accesses it chooses, which pairs follow from which, which rows are first, and which are artifacts of them.
Compared are the rows, which are artifacts, and of which row.
"""
import collections
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

kScalars, kItems, kLocals = 3, 4, 3


class Program:
    """A random log of steps (thread, form, numbers) and its text; lines[step] are known when it is written."""

    def __init__(self, rng):
        self.rng = rng
        self.threads = rng.choice([2, 2, 3])
        self.steps = []
        locked = None
        for _ in range(rng.randint(6, 18)):
            thread = rng.randrange(self.threads) if locked is None or rng.random() < 0.4 else locked
            form = rng.choice(["set", "set", "give", "take", "take", "take", "index", "index", "fetch", "fetch", "move", "get", "put"])
            if rng.random() < 0.12 and locked is None:
                locked = thread
                self.steps.append((thread, "lock", False, 0, 0, 0))
            elif rng.random() < 0.3 and locked == thread:
                locked = None
                self.steps.append((thread, "unlock", False, 0, 0, 0))
            guarded = rng.random() < 0.2 and form != "move"
            self.steps.append((thread, form, guarded, rng.randrange(kScalars), rng.randrange(kLocals), rng.randrange(kLocals)))
        if locked is not None:
            self.steps.append((locked, "unlock", False, 0, 0, 0))

    def write(self):
        lines = ["#include <pthread.h>", "#include <stdatomic.h>", "#include <unistd.h>", "static atomic_int turn;",
                 f"static int A[{kItems}];", "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
                 f"static int {', '.join(f's{i}' for i in range(kScalars))};",
                 "static void before(int k) { while (atomic_load_explicit(&turn, memory_order_relaxed) != k) usleep(100); }",
                 "static void behind(int k) { atomic_store_explicit(&turn, k + 1, memory_order_relaxed); }",
                 "static int get(int i)", "{", f"return A[i & {kItems - 1}];", "}",
                 "static void put(int i)", "{", f"A[i & {kItems - 1}] = 9;", "}"]
        self.get_line, self.put_line = 12, 16
        self.line = {}
        for thread in range(self.threads):
            lines += [f"static void *thread{thread}(void *nobody)", "{", "int " + ", ".join(f"x{i} = {i + thread}" for i in range(kLocals)) + ";"]
            for number, (owner, form, guarded, scalar, one, two) in enumerate(self.steps):
                if owner != thread:
                    continue
                lines.append(f"before({number});")
                if guarded:
                    lines.append(f"if (x{two} & 1)")
                mask = kItems - 1
                lines.append({"set": f"s{scalar} = {number % 5};", "give": f"s{scalar} = x{one};", "take": f"x{one} = s{scalar};",
                              "index": f"A[x{one} & {mask}] = {number % 3};", "fetch": f"x{two} = A[x{one} & {mask}];",
                              "move": f"x{one} = x{two} + 1;", "get": f"x{two} = get(x{one});", "put": f"put(x{one});",
                              "lock": "pthread_mutex_lock(&m);", "unlock": "pthread_mutex_unlock(&m);"}[form])
                self.line[number] = len(lines)
                lines.append(f"behind({number});")
            lines += ["return 0;", "}"]
        lines += ["int main(void)", "{", f"pthread_t t[{self.threads}];"]
        lines += [f"pthread_create(&t[{t}], 0, thread{t}, 0);" for t in range(self.threads)]
        lines += [f"pthread_join(t[{t}], 0);" for t in range(self.threads)]
        return "\n".join(lines + ["return 0;", "}"]) + "\n"


class Run:
    """Executes the log. An execution is a number; `on` are its dependences, `choice` those that say where or whether it accesses."""

    def __init__(self, program):
        self.program = program
        self.on = []
        self.accesses = []  # (execution, thread, line, kind, place, clock's own, clock)
        self.choice = {}
        self.values = collections.defaultdict(int)
        self.writer = {}  # By place: (execution, thread, own clock).
        count = program.threads
        self.clocks = [[int(t == u) for u in range(count)] for t in range(count)]
        self.given = [0] * count
        for thread in range(count):
            for local in range(kLocals):
                self.values[thread, local] = local + thread
                self.writer[thread, local] = (self.execution([]), thread, 0)

    def execution(self, on):
        self.on.append(list(on))
        return len(self.on) - 1

    def read(self, thread, place, line, where, control):
        """A load: where are the executions its address is computed from."""
        on = [*where, *control]
        if place in self.writer:
            number, other, own = self.writer[place]
            if other == thread or own <= self.clocks[thread][other]:
                on.append(number)
        number = self.execution(on)
        self.access(number, thread, line, "R", place, where, control)
        return self.values[place], number

    def store(self, thread, place, line, value, data, where, control):
        number = self.execution([*data, *where, *control])
        self.values[place] = value
        self.writer[place] = (number, thread, self.clocks[thread][thread])
        self.access(number, thread, line, "W", place, where, control)

    def access(self, number, thread, line, kind, place, where, control):
        if isinstance(place, str):
            self.choice[number] = [*where, *control]
            self.accesses.append((number, thread, line, kind, place, self.clocks[thread][thread], list(self.clocks[thread])))

    def run(self):
        program = self.program
        mask = kItems - 1
        for number, (thread, form, guarded, scalar, one, two) in enumerate(program.steps):
            line = program.line[number]
            control = []
            local = lambda i: self.read(thread, (thread, i), line, [], control)
            keep = lambda i, value, data: self.store(thread, (thread, i), line, value, data, [], control)
            if form == "lock":
                self.clocks[thread] = [max(a, b) for a, b in zip(self.clocks[thread], self.given)]
                continue
            if form == "unlock":
                self.given = [max(a, b) for a, b in zip(self.clocks[thread], self.given)]
                self.clocks[thread][thread] += 1
                continue
            if guarded:
                value, load = local(two)
                branch = self.execution([load])
                control.append(branch)
                if not value & 1:
                    continue
            if form == "set":
                self.store(thread, f"s{scalar}", line, number % 5, [], [], control)
            elif form == "give":
                value, load = local(one)
                self.store(thread, f"s{scalar}", line, value, [load], [], control)
            elif form == "take":
                value, load = self.read(thread, f"s{scalar}", line, [], control)
                keep(one, value, [load])
            elif form == "index":
                value, load = local(one)
                self.store(thread, f"A{value & mask}", line, number % 3, [], [load], control)
            elif form == "fetch":
                value, load = local(one)
                value, load = self.read(thread, f"A{value & mask}", line, [load], control)
                keep(two, value, [load])
            elif form == "move":
                value, load = local(two)
                keep(one, value + 1, [load])
            else:
                value, load = local(one)
                called = self.execution(control)
                passed = self.execution([load, called])
                parameter = self.execution([passed, called])
                load = self.execution([parameter, called])
                if form == "get":
                    value, load = self.read(thread, f"A{value & mask}", program.get_line, [load], [called])
                    result = self.execution([load, called])
                    back = self.execution([result, called])
                    keep(two, value, [back])
                else:
                    self.store(thread, f"A{value & mask}", program.put_line, 9, [], [load], [called])


def rows_of(run):
    """The rows: by their two statements the pairs of accesses that race, and which rows are artifacts of which first ones."""
    pairs = []
    for j, b in enumerate(run.accesses):
        for a in run.accesses[:j]:
            if a[1] != b[1] and a[4] == b[4] and "W" in (a[3], b[3]) and a[5] > b[6][a[1]]:
                pairs.append((a, b))
    rows = collections.defaultdict(list)
    for a, b in pairs:
        rows[tuple(sorted([(a[2], a[3]), (b[2], b[3])]))].append((a, b))
    readers = collections.defaultdict(set)  # Racing writes: the executions that read and race with them.
    for a, b in pairs:
        for w, other in ((a, b), (b, a)):
            if w[3] == "W":
                readers[w[0]].update([other[0]] if other[3] == "R" else [])
    dependents = collections.defaultdict(list)
    for number, on in enumerate(run.on):
        for other in on:
            dependents[other].append(number)
    reach = {}
    for write in readers:
        seen, work = set(), list(readers[write])
        while work:
            number = work.pop()
            if number in seen:
                continue
            seen.add(number)
            work += dependents[number]
            work += readers.get(number, ())
        reach[write] = seen

    def controls(w, c):
        return (w[1] == c[1] and w[0] < c[0]) or any(number in reach[w[0]] for number in run.choice[c[0]])

    def follows(later, cause):
        c, d = later
        return any(w[3] == "W" and controls(w, c) and controls(w, d) for w in cause)

    names = list(rows)
    first = {name for name in names if any(not any(follows(pair, cause) for cause in pairs) for pair in rows[name])}
    after = {name: {other for other in names if other != name and any(follows(p, q) for p in rows[other] for q in rows[name])} for name in names}
    origins = collections.defaultdict(set)
    for start in first:
        seen, work = {start}, [start]
        while work:
            for other in after[work.pop()]:
                if other not in seen and other not in first:
                    seen.add(other)
                    work.append(other)
                    origins[other].add(start)
    return {name: (set() if name in first else origins[name]) for name in names}


def check(case):
    for attempt in range(60):
        rng = random.Random(f"{case.seed}.{attempt}")
        program = Program(rng)
        text = program.write()
        run = Run(program)
        run.run()
        rows = rows_of(run)
        if rows and (case.seed % 4 == 0 or any(rows.values())):
            break
    case.write("a.c", text)
    case.compile(["a.c"], "a", "-O0", "-pthread")
    case.record("a", "a.vst")
    answer = case.object("races", "a.vst", expect=(0, 1))
    name_of, numbers = {}, {}
    for pair in answer["pairs"]:
        name = tuple(sorted((pair[side]["line"], pair[side]["kind"]) for side in "ab"))
        name_of[pair["race"]] = name
        numbers[name] = pair["race"]
    case.hit("rows", len(rows))
    case.hit("artifacts", sum(1 for origins in rows.values() if origins))
    if not case.same("rows", "races", sorted(rows), sorted(numbers)):
        return
    for pair in answer["pairs"]:
        name = name_of[pair["race"]]
        origins = rows[name]
        wanted = name_of[min(numbers[o] for o in origins)] if origins else None
        got = name_of[pair["artifact_of"]] if pair["artifact"] else None
        kind = "hidden true race" if wanted is None else "artifact not marked" if got is None else "artifact of another row"
        case.same(kind, f"artifact_of of {name}", wanted, got)


if __name__ == "__main__":
    common.main("artifacts", check)
