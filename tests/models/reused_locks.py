"""Races of programs whose locks and atomic variables die and begin anew at the same address, against vector clocks.

The model. A random log of steps, each by one thread, is made first; the C program keeps to it by a turn variable that is
only read and written by relaxed atomic operations, which order nothing in C11 and in docs/threads.md. So the order in
which things happen is known, and happens-before is computed here from the log: a vector clock for each thread, and for
each *life* of a mutex, atomic variable, semaphore or once flag what it was given. A life begins where the memory is
allocated, where `_init` is called, and where recorded code writes the object in another way than atomically; it is not
the address that remembers. An unlock by a thread that does not have the mutex gives nothing ("Locks in the wrong hands").
Release sequences are C11's.

Each plain access has a line of its own. What is compared: the set of pairs of lines that race, with their kinds.
Addresses of objects are printed by the program itself, for the plain writes that initialize atomic variables: those race
with atomic operations of the same address that nothing orders, unless the memory was allocated anew between them.
"""
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

TYPES = {"mutex": "pthread_mutex_t", "atomic": "atomic_int", "sem": "sem_t", "once": "pthread_once_t"}
kVariables = 4


class Slot:
    """A place of the program that has one object after the other."""

    def __init__(self, number, kind, place, owner):
        self.number, self.kind, self.place, self.owner = number, kind, place, owner
        self.alive = False
        self.life = None
        self.holder = None
        self.value = 0


class Step:
    def __init__(self, thread, kind, slot=None, **more):
        self.thread, self.kind, self.slot = thread, kind, slot
        self.more = more
        self.line = 0


class Maker:
    def __init__(self, rng, case):
        self.rng, self.case = rng, case
        self.threads = rng.choice([2, 2, 3])
        self.slots = []
        for number in range(rng.randint(2, 4)):
            place = rng.choice(["heap", "heap", "static", "frame"])
            kind = rng.choice(["mutex", "mutex", "atomic", "atomic", "sem", "once"])
            self.slots.append(Slot(number, kind, place, rng.randrange(self.threads)))
        self.steps = []
        self.lives = 0
        self.frame = {t: None for t in range(self.threads)}  # The slot whose frame the thread is in.

    def begin(self, slot, thread, how):
        self.lives += 1
        slot.alive, slot.life, slot.holder, slot.value = True, self.lives, None, self.rng.choice([0, 0, 1]) if slot.kind == "sem" else 0
        slot.done = False
        self.steps.append(Step(thread, "begin", slot, life=self.lives, how=how, value=slot.value))
        self.case.hit(f"{how} {slot.kind}")

    def renew(self, slot):
        """Ends a life and begins the next one, at the same address if all goes well."""
        rng = self.rng
        thread = slot.owner
        if slot.holder is not None and slot.place != "static":
            return
        if slot.place == "frame":
            if self.frame[thread] is None:
                self.frame[thread] = slot
                self.begin(slot, thread, "frame")
            elif self.frame[thread] is slot:
                self.steps.append(Step(thread, "leave", slot))
                self.frame[thread] = None
                slot.alive = False
                if rng.random() < 0.7:
                    self.frame[thread] = slot
                    self.begin(slot, thread, "frame")
            return
        if slot.place == "heap":
            thread = rng.randrange(self.threads) if not slot.alive else slot.owner
            slot.owner = thread
            self.begin(slot, thread, "heap anew" if slot.alive else "heap")
            return
        thread = rng.randrange(self.threads)
        if slot.holder is not None:
            return
        how = "init" if slot.kind in ("mutex", "sem") and rng.random() < 0.6 else "write"
        if slot.kind == "sem":
            how = "init"
        self.begin(slot, thread, how)

    def use(self, slot):
        rng = self.rng
        if slot.kind == "mutex":
            if slot.holder is None:
                thread = rng.randrange(self.threads)
                slot.holder = thread
                slot.locked = True
                self.steps.append(Step(thread, "lock", slot))
            else:
                thread = slot.holder
                if rng.random() < 0.07:
                    thread = rng.randrange(self.threads)
                if thread != slot.holder:
                    self.case.hit("unlock by another")
                self.steps.append(Step(thread, "unlock", slot))
                slot.holder = None
        elif slot.kind == "atomic":
            thread = rng.randrange(self.threads)
            operation = rng.choice(["store", "load", "add", "store", "load"])
            order = rng.choice({"store": ["release", "release", "relaxed", "seq_cst"], "load": ["acquire", "acquire", "relaxed", "seq_cst"],
                                "add": ["acq_rel", "release", "acquire", "relaxed"]}[operation])
            self.steps.append(Step(thread, operation, slot, order=order))
        elif slot.kind == "sem":
            thread = rng.randrange(self.threads)
            if slot.value > 0 and rng.random() < 0.6:
                slot.value -= 1
                self.steps.append(Step(thread, "wait", slot))
            else:
                slot.value += 1
                self.steps.append(Step(thread, "post", slot))
        else:
            thread = rng.randrange(self.threads)
            self.steps.append(Step(thread, "once", slot))

    def log(self):
        rng = self.rng
        for slot in self.slots:
            if slot.place != "frame":
                self.renew(slot)
        for _ in range(rng.randint(20, 50)):
            slot = rng.choice(self.slots)
            chance = rng.random()
            if chance < 0.4:
                self.steps.append(Step(rng.randrange(self.threads), rng.choice(["read", "write"]), variable=rng.randrange(kVariables)))
            elif chance < 0.52 or not slot.alive:
                self.renew(slot)
            else:
                self.use(slot)
        for thread, slot in self.frame.items():
            if slot is not None:
                self.steps.append(Step(thread, "leave", slot))
        return self.steps


class Writer:
    """The program of a log."""

    def __init__(self, maker):
        self.maker = maker
        self.lines = []

    def text(self, line):
        self.lines.append(line)
        return len(self.lines)

    def object(self, slot):
        return f"atomic_load_explicit(&s{slot.number}, memory_order_relaxed)"

    def begin(self, step):
        slot, how = step.slot, step.more["how"]
        kind, number = slot.kind, slot.number
        type = TYPES[kind]
        pointer = f"p{step.more['life']}"
        if how == "heap anew":
            self.text(f"{type} *old{step.more['life']} = {self.object(slot)};")
            step.free_line = self.text(f"free(old{step.more['life']});")
        if how.startswith("heap"):
            self.text(f"{type} *{pointer} = malloc(sizeof *{pointer});")
        elif how == "frame":
            step.line = self.text({"mutex": "pthread_mutex_t o = PTHREAD_MUTEX_INITIALIZER;", "atomic": "atomic_int o = 0;", "sem": "sem_t o;",
                                   "once": "pthread_once_t o = PTHREAD_ONCE_INIT;"}[kind])
            self.text(f"{type} *{pointer} = &o;")
        else:
            self.text(f"{type} *{pointer} = &g{number};")
        if how != "frame" or kind == "sem":
            if kind == "mutex" and how == "write":
                step.line = self.text(f"*{pointer} = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;")
            elif kind == "mutex":
                if how == "init":
                    self.text(f"pthread_mutex_destroy({pointer});")
                self.text(f"pthread_mutex_init({pointer}, 0);")
            elif kind == "atomic":
                step.line = self.text(f"atomic_init({pointer}, 0);")
            elif kind == "sem":
                self.text(f"sem_init({pointer}, 0, {step.more['value']});")
            else:
                step.line = self.text(f"*{pointer} = (pthread_once_t)PTHREAD_ONCE_INIT;")
        self.text(f"printf(\"life {step.more['life']} %p\\n\", (void *){pointer});")
        self.text(f"atomic_store_explicit(&s{number}, {pointer}, memory_order_relaxed);")

    def step(self, number, step):
        self.text(f"before({number});")
        slot, kind = step.slot, step.kind
        if kind == "read":
            step.line = self.text(f"keep = v{step.more['variable']};")
        elif kind == "write":
            step.line = self.text(f"v{step.more['variable']} = {number};")
        elif kind == "begin":
            self.begin(step)
        elif kind in ("lock", "unlock"):
            step.line = self.text(f"pthread_mutex_{kind}({self.object(slot)});")
        elif kind in ("wait", "post"):
            self.text(f"sem_{kind}({self.object(slot)});")
        elif kind == "once":
            self.text(f"pthread_once({self.object(slot)}, nothing);")
        elif kind == "store":
            step.line = self.text(f"atomic_store_explicit({self.object(slot)}, {number}, memory_order_{step.more['order']});")
        elif kind == "load":
            step.line = self.text(f"keep = atomic_load_explicit({self.object(slot)}, memory_order_{step.more['order']});")
        elif kind == "add":
            step.line = self.text(f"atomic_fetch_add_explicit({self.object(slot)}, 1, memory_order_{step.more['order']});")
        self.text(f"behind({number});")

    def program(self, steps):
        for line in ("#include <pthread.h>", "#include <semaphore.h>", "#include <stdatomic.h>", "#include <stdio.h>", "#include <stdlib.h>",
                     "#include <unistd.h>", "static atomic_int turn;", "static _Thread_local int keep;"):
            self.text(line)
        self.text("static int " + ", ".join(f"v{i}" for i in range(kVariables)) + ";")
        for slot in self.maker.slots:
            self.text(f"static _Atomic({TYPES[slot.kind]} *) s{slot.number};")
            self.text(f"static {TYPES[slot.kind]} g{slot.number};")
        self.text("static void nothing(void) {}")
        self.text("static void before(int k) { while (atomic_load_explicit(&turn, memory_order_relaxed) != k) usleep(100); }")
        self.text("static void behind(int k) { atomic_store_explicit(&turn, k + 1, memory_order_relaxed); }")
        for thread in range(self.maker.threads):
            self.thread(thread, steps)
        self.text("int main(void)")
        self.text("{")
        self.text(f"pthread_t t[{self.maker.threads}];")
        for thread in range(self.maker.threads):
            self.text(f"pthread_create(&t[{thread}], 0, thread{thread}, 0);")
        for thread in range(self.maker.threads):
            self.text(f"pthread_join(t[{thread}], 0);")
        self.text("return 0;")
        self.text("}")
        return "\n".join(self.lines) + "\n"

    def thread(self, thread, steps):
        mine = [(number, step) for number, step in enumerate(steps) if step.thread == thread]
        # What a thread does in a frame is a function of its own.
        stretches, inside = [], None
        for number, step in mine:
            if step.kind == "begin" and step.more["how"] == "frame":
                inside = []
                stretches.append(("frame", inside))
            if inside is not None:
                inside.append((number, step))
            else:
                stretches.append(("step", (number, step)))
            if step.kind == "leave":
                inside = None
        frames = 0
        for what, content in stretches:
            if what == "frame":
                self.text(f"static void frame{thread}_{frames}(void)")
                frames += 1
                self.text("{")
                for number, step in content:
                    self.step(number, step)
                self.text("}")
        self.text(f"static void *thread{thread}(void *nobody)")
        self.text("{")
        frames = 0
        for what, content in stretches:
            if what == "frame":
                self.text(f"frame{thread}_{frames}();")
                frames += 1
            else:
                self.step(*content)
        self.text("return 0;")
        self.text("}")


def join(a, b):
    return [max(x, y) for x, y in zip(a, b)]


def racing(maker, steps, address):
    """The pairs of lines that race, with kinds, by vector clocks over the log."""
    count = maker.threads
    clocks = [[1 if t == other else 0 for other in range(count)] for t in range(count)]
    given = {}  # By life: a clock; of an atomic variable a list of (thread, clock), one for each release sequence.
    posts, waits, initial, holder = {}, {}, {}, {}
    accesses = []  # (place, thread, own clock, line, kind, atomic, life of the memory)
    memory = {}  # By address, how often it was allocated.

    def access(place, step, line, kind, atomic=False):
        accesses.append((place, step.thread, clocks[step.thread][step.thread], line, kind, atomic, memory.get(place, 0), list(clocks[step.thread])))

    life_of = {}
    for step in steps:
        slot, thread, kind = step.slot, step.thread, step.kind
        clock = clocks[thread]
        nothing = [0] * count
        life = life_of.get(slot.number) if slot else None
        if kind == "begin":
            if step.more["how"] == "heap anew":
                # free() writes the block.
                access(address[life], step, step.free_line, "W")
            life = step.more["life"]
            place = address[life]
            if step.more["how"].startswith("heap"):
                memory[place] = memory.get(place, 0) + 1
            if step.line:
                access(place, step, step.line, "W")
            life_of[slot.number] = life
            given[life] = [] if slot.kind == "atomic" else nothing
            posts[life], waits[life], initial[life], holder[life] = [], 0, step.more["value"], None
        elif kind in ("read", "write"):
            access(f"v{step.more['variable']}", step, step.line, "R" if kind == "read" else "W")
        elif kind == "lock":
            holder[life] = thread
            clocks[thread] = join(clock, given[life])
        elif kind == "unlock":
            if holder[life] == thread:
                given[life] = join(given[life], clock)
                holder[life] = None
        elif kind == "post":
            posts[life].append(list(clock))
        elif kind == "wait":
            waits[life] += 1
            for number, post in enumerate(posts[life], 1):
                if waits[life] >= number + initial[life]:
                    clocks[thread] = join(clocks[thread], post)
        elif kind == "once":
            if not any(given[life]):
                given[life] = list(clock)
            else:
                clocks[thread] = join(clock, given[life])
        elif kind in ("store", "load", "add"):
            order = step.more["order"]
            if kind in ("load", "add") and order in ("acquire", "acq_rel", "seq_cst"):
                for _, other in given[life]:
                    clocks[thread] = join(clocks[thread], other)
            place = address[life]
            if kind != "store":
                access(place, step, step.line, "R", True)
            if kind != "load":
                access(place, step, step.line, "W", True)
                if kind == "store":
                    given[life] = [(head, other) for head, other in given[life] if head == thread]
                if order in ("release", "acq_rel", "seq_cst"):
                    given[life] = given[life] + [(thread, list(clocks[thread]))]
        clocks[thread][thread] += 1
    pairs = set()
    for j, (place, thread, own, line, kind, atomic, allocated, clock) in enumerate(accesses):
        for other in accesses[:j]:
            if other[0] != place or other[1] == thread or other[6] != allocated or (kind == "R" and other[4] == "R") or (atomic and other[5]):
                continue
            if other[2] <= clock[other[1]]:
                continue
            pairs.add(tuple(sorted([(other[3], other[4]), (line, kind)])))
    return pairs


def check(case):
    rng = random.Random(case.seed)
    maker = Maker(rng, case)
    steps = maker.log()
    writer = Writer(maker)
    case.write("a.c", writer.program(steps))
    case.compile(["a.c"], "a", "-O0", "-pthread")
    output = case.record("a", "a.vst")
    address = {int(line.split()[1]): line.split()[2] for line in output.splitlines() if line.startswith("life")}
    if len(set(address.values())) < len(address):
        case.hit("an address with several lives")
    expected = racing(maker, steps, address)
    answer = case.object("races", "a.vst", expect=(0, 1))
    got = set()
    # A fetch_add that races with a plain write does so once, as a write; reads of it are the same row.
    both = {step.line for step in steps if step.kind == "add"}
    for pair in answer["pairs"]:
        got.add(tuple(sorted((pair[side]["line"], pair[side]["kind"]) for side in "ab")))
    # What is left of a frame is used again by before() and behind(): those accesses are no part of the log.
    known = {step.line for step in steps} | {getattr(step, "free_line", 0) for step in steps}
    got = {pair for pair in got if all(line in known for line, _ in pair)}
    strip = lambda pairs: {tuple((line, "W" if line in both else kind) for line, kind in pair) for pair in pairs}
    expected, got = strip(expected), strip(got)
    case.hit("pairs that race", len(expected))
    missed, false = sorted(expected - got), sorted(got - expected)
    case.comparisons += max(1, len(expected | got))
    frees = {getattr(step, "free_line", 0) for step in steps}
    text = lambda pairs: "".join(f"\n    {p}: {' | '.join(writer.lines[line - 1] for line, _ in p)}" for p in pairs)
    for kind, pairs in (("missed race", [p for p in missed if not any(line in frees for line, _ in p)]),
                        ("missed race with free", [p for p in missed if any(line in frees for line, _ in p)])):
        if pairs:
            case.differences.append((kind, "only the model:" + text(pairs)))
    if false:
        case.differences.append(("false race", "only the program:" + text(false)))


if __name__ == "__main__":
    common.main("reused_locks", check)
