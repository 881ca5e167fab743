"""Random pools of threads: what `races --schedules any` says against all schedules of a model.

    random_pools.py BIN LEVEL PROGRAMS [SEED]

Jobs read and write variables, take locks, post and wait for semaphores, and submit other jobs. The model goes through
all orders that so many workers and one queue allow, step by step, and notes which two lines stand side by side. Each
pair that is reported has to be one of those. Says how many of them were found.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

VARIABLES, LOCKS = 3, 2
HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static void (*volatile jobs[64])(void);
static int head, tail, over;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER;
static sem_t ready, s[64];
static atomic_int arrived;
volatile int v0, v1, v2;
static void submit(void (*job)(void)) {
  pthread_mutex_lock(&queue);
  jobs[tail++] = job;
  SIGNAL;
  pthread_mutex_unlock(&queue);
}
static void* worker(void* unused) {
  usleep(50000 * atomic_fetch_add(&arrived, 1));
  for (;;) {
    WAIT;
    void (*job)(void) = jobs[head++];
    pthread_mutex_unlock(&queue);
    if (job == NULL) return unused;
    job();
  }
}
"""
POOLS = {
    "condition": ("pthread_cond_signal(&there)",
                  "pthread_mutex_lock(&queue); while (head == tail) pthread_cond_wait(&there, &queue)"),
    "semaphore": ("sem_post(&ready)", "sem_wait(&ready); pthread_mutex_lock(&queue)"),
}


class Program:
    """ops: (what, which, line); what: read, write, lock, unlock, post, wait, submit."""

    def __init__(self, chance):
        self.pool = chance.choice(sorted(POOLS))
        self.workers = chance.choice((1, 2, 2, 2, 3))
        count = chance.randint(2, 5)
        self.jobs = [[] for _ in range(count)]
        self.main, self.semaphores, self.lines = [], 0, None
        for job in range(count):
            self.fill(chance, self.jobs[job])
        # By rising numbers: so the queue has them in an order in which one worker can do them all.
        by = [None] + [chance.choice([None, None, job - 1]) for job in range(1, count)]
        for job in range(count):
            if by[job] is None:
                self.main.append(("submit", job))
            else:
                ops = self.jobs[by[job]]
                ops.insert(self.outside(chance, ops), ("submit", job))
        for _ in range(chance.randint(0, 2)):
            self.order(chance, count)

    def fill(self, chance, ops):
        for _ in range(chance.randint(1, 3)):
            access = [(chance.choice(("read", "write")), chance.randrange(VARIABLES)) for _ in range(chance.randint(1, 2))]
            if chance.random() < 0.4:
                lock = chance.randrange(LOCKS)
                access = [("lock", lock), *access, ("unlock", lock)]
            ops += access

    def outside(self, chance, ops):
        free, held = [], 0
        for at in range(len(ops) + 1):
            if held == 0:
                free.append(at)
            if at < len(ops):
                held += {"lock": 1, "unlock": -1}.get(ops[at][0], 0)
        return chance.choice(free)

    # Something waits for an earlier job: main, or a later one.
    def order(self, chance, count):
        first = chance.randrange(count)
        which, self.semaphores = self.semaphores, self.semaphores + 1
        ops = self.jobs[first]
        post = self.outside(chance, ops)
        later = [job for job in range(first + 1, count)]
        submitted = [at for at, op in enumerate(self.main) if op == ("submit", first)]
        ops.insert(post, ("post", which))
        if later and (not submitted or chance.random() < 0.5):
            into = self.jobs[chance.choice(later)]
            into.insert(self.outside(chance, into), ("wait", which))
        elif submitted:
            self.main.insert(chance.randint(submitted[0] + 1, len(self.main)), ("wait", which))

    def text(self, number, line):
        """The lines of its functions, from this line on; gives the ops their lines."""
        lines, self.lines = [], {}
        for job, ops in enumerate(self.jobs):
            lines.append(f"static void p{number}_job{job}(void);")
        for job, ops in enumerate(self.jobs):
            lines.append(f"__attribute__((noinline)) static void p{number}_job{job}(void) {{")
            for at, op in enumerate(ops):
                lines.append("  " + self.statement(number, op))
                self.lines[job, at] = line + len(lines) - 1
            lines.append("}")
        lines.append(f"static void p{number}(void) {{")
        lines.append("  pthread_t workers[3];")
        lines.append(f"  for (int i = 0; i < {self.workers}; i++) pthread_create(&workers[i], NULL, worker, NULL);")
        lines += ["  " + self.statement(number, op) for op in self.main]
        lines.append("  usleep(20000);")
        lines.append(f"  for (int i = 0; i < {self.workers}; i++) submit(NULL);")
        lines.append(f"  for (int i = 0; i < {self.workers}; i++) pthread_join(workers[i], NULL);")
        lines.append("}")
        return lines

    def statement(self, number, op):
        what, which = op
        return {"read": f"(void)v{which};", "write": f"v{which} = {which + 1};", "lock": f"pthread_mutex_lock(&m{which});",
                "unlock": f"pthread_mutex_unlock(&m{which});", "post": f"sem_post(&s[{which}]);",
                "wait": f"sem_wait(&s[{which}]);", "submit": f"submit(p{number}_job{which});"}[what]

    def races(self):
        """All pairs of lines of jobs that some schedule has side by side; None: it may come to no end."""
        # (main's place, queue, workers' (job, place) or None, semaphores, owners of locks)
        start = (0, (), (None,) * self.workers, (0,) * self.semaphores, (None,) * LOCKS)
        seen, open_, pairs = {start}, [start], set()
        while open_:
            state = open_.pop()
            self.note(state[2], pairs)
            after = set(self.steps(state))
            if not after and not self.is_over(state):
                return None
            open_ += after - seen
            seen |= after
        return pairs

    def is_over(self, state):
        return state[0] == len(self.main) and not state[1] and not any(state[2])

    def note(self, workers, pairs):
        nexts = [(job, self.jobs[job][at], at) for job, at in filter(None, workers) if at < len(self.jobs[job])]
        for i, (job_a, a, at_a) in enumerate(nexts):
            for job_b, b, at_b in nexts[:i]:
                kinds = {a[0], b[0]}
                if kinds <= {"read", "write"} and "write" in kinds and a[1] == b[1]:
                    pairs.add(frozenset(((job_a, at_a), (job_b, at_b))))

    def steps(self, state):
        at, queue, workers, posts, owners = state
        if at < len(self.main):
            done = self.do(self.main[at], queue, posts, owners, None)
            if done:
                yield (at + 1, done[0], workers, *done[1:])
        for w, doing in enumerate(workers):
            def with_worker(now):
                return workers[:w] + (now,) + workers[w + 1:]
            if doing is None:
                if queue:
                    yield (at, queue[1:], with_worker((queue[0], 0)), posts, owners)
            elif doing[1] == len(self.jobs[doing[0]]):
                yield (at, queue, with_worker(None), posts, owners)
            else:
                done = self.do(self.jobs[doing[0]][doing[1]], queue, posts, owners, w)
                if done:
                    yield (at, done[0], with_worker((doing[0], doing[1] + 1)), *done[1:])

    def do(self, op, queue, posts, owners, who):
        what, which = op
        if what == "submit":
            return queue + (which,), posts, owners
        if what in ("post", "wait"):
            now = posts[which] + (1 if what == "post" else -1)
            return None if now < 0 else (queue, posts[:which] + (now,) + posts[which + 1:], owners)
        if what == "lock" and owners[which] is not None:
            return None
        if what in ("lock", "unlock"):
            return queue, posts, owners[:which] + ((who if what == "lock" else None),) + owners[which + 1:]
        return queue, posts, owners


def compile_all(binaries, level, folder, pool, programs):
    signal, wait = POOLS[pool]
    lines = HEAD.replace("SIGNAL", signal).replace("WAIT", wait).splitlines()
    for number, program in programs:
        lines += program.text(number, len(lines) + 1)
    lines.append("int main(int argc, char** argv) {")
    lines.append("  sem_init(&ready, 0, 0);")
    lines.append("  for (int i = 0; i < 64; i++) sem_init(&s[i], 0, 0);")
    lines += [f"  if (atoi(argv[1]) == {number}) p{number}();" for number, _ in programs]
    lines.append("  return argc > 2;\n}")
    source, target = folder / f"{pool}.c", folder / pool
    source.write_text("\n".join(lines) + "\n")
    subprocess.run([binaries / "vestige-cc", "-g", "-w", "-pthread", level, source, "-o", target], check=True)
    return target


def reported(binaries, folder, target, number):
    trace = folder / "t.vst"
    subprocess.run([binaries / "vestige", "record", "-q", "-o", trace, "--", target, str(number)], check=True)
    done = subprocess.run([binaries / "vestige", "races", "-q", trace, "--schedules", "any", "--json"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    # What threads of the recording did side by side is the model's, too.
    return {tuple(sorted((pair["a"]["line"], pair["b"]["line"]))) for pair in json.loads(done.stdout)["pairs"]}


def main():
    binaries, level, count = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    chance = random.Random(seed)
    programs = []
    while len(programs) < count:
        program = Program(chance)
        if program.races() is not None:
            programs.append((len(programs), program))
    wrong, of, found = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="vestige-pools-") as name:
        folder = pathlib.Path(name)
        for pool in POOLS:
            some = [(number, program) for number, program in programs if program.pool == pool]
            if not some:
                continue
            target = compile_all(binaries, level, folder, pool, some)
            for number, program in some:
                real = {tuple(sorted(program.lines[op] for op in pair)) for pair in program.races()}
                said = reported(binaries, folder, target, number)
                of, found = of + len(real), found + len(real & said)
                if os.environ.get("VERBOSE") and real - said:
                    print(number, program.workers, program.main, program.jobs, "missed", real - said)
                if said - real:
                    wrong.append(f"program {number}: {sorted(said - real)} never stand side by side")
                    kept = os.environ.get("KEEP")
                    if kept:
                        (pathlib.Path(kept) / f"{pool}.c").write_text((folder / f"{pool}.c").read_text())
    print(f"seed {seed}: {found} of {of} pairs of lines found at {level}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
