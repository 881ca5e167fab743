"""Random worksharing loops, and which pairs of their lines race in some schedule, found by going through all accesses.

    random_loops.py BIN LEVEL COUNT [SEED]

Each program is a region with one to three loops; each statement of a loop, on a line of its own, reads and writes arrays by
linear or looked-up subscripts, under a lock or not. Here the program is executed in Python, access by access. Two accesses race
when they touch one element, one writes, no lock is held at both, they are in one phase (loops with `nowait` share one), and they may
be done by two threads: of one loop in iterations of different chunks; of two, unless both are `static` with equal chunks, in which
case the iterations must go to different threads again. And nothing orders them: with locks, an iteration knows what those before it
did that released one. Compared are the pairs of lines, and both directions count: what is missing, and what is too much.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ARRAYS, SIZE = ("p", "q"), 40
SCHEDULES = (("static", 0), ("static", 2), ("static", 3), ("dynamic", 1), ("dynamic", 3), ("guided", 1), ("guided", 2))


def subscript(rng, table):
    kind = rng.randrange(4)
    if kind == 0:
        return "i", lambda i: i
    if kind == 1:
        by = rng.randrange(-3, 4)
        return f"i + {by + 3}", lambda i: i + by + 3
    if kind == 2:
        at = rng.randrange(SIZE)
        return str(at), lambda i: at
    return "table[i]", lambda i: table[i]


class Program:
    def __init__(self, rng):
        self.table = [rng.randrange(SIZE) for _ in range(SIZE)]
        self.lines = ["static volatile int p[60], q[60];", "static const int table[] = {" + ", ".join(map(str, self.table)) + "};",
                      "int main(void) {", "#pragma omp parallel", "  {"]
        self.accesses = []  # phase, loop, iteration, sequence, (array, element), writes, line, locked
        self.events = []    # in the order executed: ("access", …) or ("lock" | "unlock", loop, iteration)
        self.loops, phase = [], 0
        for loop in range(rng.randrange(1, 4)):
            kind, chunk = rng.choice(SCHEDULES)
            count, nowait = rng.randrange(2, 30), rng.random() < 0.5
            self.loops.append((kind, chunk, count))
            self.loop(rng, loop, phase, nowait)
            phase += not nowait
        self.lines += ["  }", "  return p[0];", "}"]

    def loop(self, rng, loop, phase, nowait):
        kind, chunk, count = self.loops[loop]
        clause = kind + (f", {chunk}" if chunk else "")
        self.lines.append(f"#pragma omp for schedule({clause})" + (" nowait" if nowait else ""))
        self.lines.append(f"    for (int i = 0; i < {count}; i++) {{")
        body = []
        for _ in range(rng.randrange(1, 4)):
            locked, every = rng.random() < 0.3, rng.choice((1, 1, 1, 2, 5))
            target, source = (subscript(rng, self.table) for _ in range(2))
            into, of = rng.choice(ARRAYS), rng.choice(ARRAYS)
            if locked:
                self.lines.append("#pragma omp critical")
            test = f"if (i % {every} == 0) " if every > 1 else ""
            self.lines.append(f"      {{ {test}{into}[{target[0]}] = {of}[{source[0]}] + i; }}")
            body.append((locked, every, into, target[1], of, source[1], len(self.lines)))
        self.lines.append("    }")
        for i in range(count):
            for locked, every, into, target, of, source, line in body:
                who = (phase, loop, i)
                if locked:
                    self.events.append(("lock", who))
                if i % every == 0:
                    self.events.append(("access", who, (of, source(i)), False, line, locked))
                    self.events.append(("access", who, (into, target(i)), True, line, locked))
                if locked:
                    self.events.append(("unlock", who))

    def worker(self, loop, i):
        """Where this many threads would have it: the program does not say how many."""
        kind, chunk, _ = self.loops[loop]
        if kind == "static":
            return ("thread", i // chunk if chunk else i)
        return (loop, i // chunk)

    def races(self):
        """A vector clock for each worker, every access against every other of its phase."""
        clocks, released, seen, pairs, phase = {}, {}, [], set(), None
        for event in self.events:
            what, (now, loop, i) = event[:2]
            if now != phase:
                clocks, released, seen, phase = {}, {}, [], now
            worker = self.worker(loop, i)
            clock = clocks.setdefault(worker, {worker: 1})
            if what == "lock":
                for other, when in released.items():
                    clock[other] = max(clock.get(other, 0), when)
            elif what == "unlock":
                for other, when in clock.items():
                    released[other] = max(released.get(other, 0), when)
                clock[worker] += 1
            else:
                element, writes, line, locked = event[2:]
                for other, when, its, wrote, where, held in seen:
                    if its == element and other != worker and (writes or wrote) and not (locked and held):
                        if clock.get(other, 0) < when:
                            pairs.add((min(where, line), max(where, line)))
                seen.append((worker, clock[worker], element, writes, line, locked))
        return pairs


def run(*command, codes=(0,), **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **more)
    if done.returncode not in codes:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return done


def main():
    binaries, level, count = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    wrong, expected, found = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="vestige-schedules-") as folder:
        source, target, trace = (pathlib.Path(folder) / name for name in ("r.c", "r", "r.vst"))
        for seed in range(first, first + count):
            program = Program(random.Random(seed))
            source.write_text("\n".join(program.lines) + "\n")
            run(binaries / "vestige-cc", "-fopenmp", "-g", level, "-w", source, "-o", target)
            run(binaries / "vestige", "record", "-q", "-o", trace, "--", target, codes=range(256), env={**os.environ, "OMP_NUM_THREADS": "1"})
            report = json.loads(run(binaries / "vestige", "races", "-q", trace, "--schedules", "any", "--json", codes=(0, 1)).stdout)
            mine = {tuple(sorted((pair["a"]["line"], pair["b"]["line"]))) for pair in report["pairs"]}
            theirs = program.races()
            expected, found = expected + len(theirs), found + len(theirs & mine)
            # Optimized code keeps values in registers: there may be fewer accesses than in the source.
            if mine - theirs or (level == "-O0" and theirs - mine):
                wrong.append(f"seed {seed}: missing {sorted(theirs - mine)}, too much {sorted(mine - theirs)}")
    print(f"{found} of {expected} pairs of lines found at {level} in {count} programs")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
