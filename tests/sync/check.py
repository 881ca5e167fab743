"""check.py BIN PRINT_ORDER LEVEL: records programs that synchronize and log in what order they did, and
compares the order in the trace with the logs."""

import atexit
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile

BIN, PRINT_ORDER = map(os.path.abspath, sys.argv[1:3])
LEVEL = sys.argv[3]
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")

Operation = collections.namedtuple(
    "Operation", "stamp thread handle process number time kind result object other")
MOST = 2_000_000
started = []  # processes that end only when they are made to
LOCKS = {"mutex_lock", "spin_lock", "write_lock", "read_lock"}


def fail(what):
    sys.exit("FAILED: " + what)


def require(condition, what):
    if not condition:
        fail(what)


def tool(*arguments, **options):
    return subprocess.run([os.path.join(BIN, "vestige"), *arguments], capture_output=True, text=True, **options)


def build(name, *flags):
    source = os.path.join(PROGRAMS, name)
    driver = "vestige-c++" if name.endswith(".cpp") else "vestige-cc"
    program = "./" + name.split(".")[0]
    subprocess.run([os.path.join(BIN, driver), LEVEL, "-g", "-pthread", *flags, source, "-o", program], check=True)
    return program


def operations(trace):
    printer = subprocess.Popen([PRINT_ORDER, trace], stdout=subprocess.PIPE, text=True)
    result = []
    for line in printer.stdout:
        words = line.split()
        result.append(Operation(int(words[0]), int(words[1]), int(words[2], 16), *map(int, words[3:6]), words[6],
                                int(words[7]), int(words[8], 16), int(words[9], 16)))
        if len(result) > MOST:  # a program that does not come to its end must not fill the memory
            printer.kill()
            fail(f"{trace}: more than {MOST} operations")
    require(printer.wait() == 0, f"{trace} cannot be read")
    return result


def info(trace):
    return json.loads(tool("info", "--json", trace).stdout)


def record(program, *arguments, what="full", status=0):
    recorded = tool("record", "-q", "--what", what, "-o", "t.vst", "--", program, *arguments)
    require(recorded.returncode == status, f"{program}: status {recorded.returncode}: {recorded.stderr}")
    require(recorded.stderr == "", f"{program} says {recorded.stderr}")
    return recorded.stdout


def check_sound(name, notes=False):
    answer = tool("verify", "--json", "t.vst")
    report = json.loads(answer.stdout)
    require(report["ok"], f"{name}: verify says {answer.stdout}")
    require(notes or not report.get("notes"), f"{name}: verify notes {answer.stdout}")
    require(tool("recover", "-q", "t.vst", "-o", "r.vst").returncode == 0, f"{name}: recover")
    require(operations("r.vst") == operations("t.vst"), f"{name}: recover changed the operations")


def check_order(name, ops):
    """What holds for any program."""
    last = {}
    held, arrived, participants, tokens, done = {}, {}, {}, {}, set()
    created, joined = {}, {}
    for before, op in zip([None] + ops, ops):
        at = f"{name}: {op}"
        require(before is None or before.stamp < op.stamp, f"{at}: stamps rise")
        if op.thread in last:
            require(op.number == last[op.thread].number + 1 and op.time >= last[op.thread].time, f"{at}: numbers and times")
        else:
            require(op.number == 1, f"{at}: the first is number 1")
        previous = last.get(op.thread)
        last[op.thread] = op
        key = (op.process, op.object)
        require(not op.handle or op.handle not in joined, f"{at}: after its thread was joined")
        if op.kind in ("mutex_lock", "spin_lock"):
            owner, depth = held.get(key, (None, 0))
            require(depth == 0 or owner == op.thread or op.result, f"{at}: {owner} has it")
            held[key] = (op.thread, depth + 1 if owner == op.thread else 1)
        elif op.kind in ("mutex_unlock", "spin_unlock"):
            owner, depth = held.get(key, (None, 0))
            if owner == op.thread and depth:
                held[key] = (owner, depth - 1)
        elif op.kind == "cond_wait":
            held.pop((op.process, op.other), None)
        elif op.kind == "cond_wake":
            require(held.get((op.process, op.other), (None, 0))[1] == 0, f"{at}: the mutex is taken")
            held[(op.process, op.other)] = (op.thread, 1)
        elif op.kind == "barrier_init":
            participants[key] = op.other
        elif op.kind == "barrier_arrive":
            arrived[key] = arrived.get(key, 0) + 1
            require(op.other == (arrived[key] - 1) // participants[key] + 1, f"{at}: the round")
        elif op.kind == "barrier_leave":
            require(previous.other == op.other, f"{at}: the round it arrived in")
            require(arrived[key] >= op.other * participants[key], f"{at}: the round is not full")
        elif op.kind == "sem_init":
            tokens[key] = op.other
        elif op.kind == "sem_post":
            tokens[key] = tokens.get(key, 0) + 1
        elif op.kind == "sem_wait":
            tokens[key] = tokens.get(key, 0) - 1
            require(tokens[key] >= 0, f"{at}: nobody had posted")
        elif op.kind == "once_done":
            done.add(key)
        elif op.kind == "once":
            require(key in done, f"{at}: nobody had run it")
        elif op.kind == "thread_create":
            joined.pop(op.object, None)
            created[op.object] = op
        elif op.kind == "thread_join":
            joined[op.object] = op
            require(op.object in created, f"{at}: nobody had made it")


def check_logs(name, ops, lines):
    """The order in which each object was had is the one in the program's log."""
    logged = collections.defaultdict(dict)  # object → number → thread
    reads = collections.defaultdict(collections.Counter)  # object → (writes seen, thread) → times
    for line in lines:
        words = line.split()
        if len(words) != 3:
            continue
        thread, object_, number = int(words[0], 16), int(words[1], 16), int(words[2])
        if number >= 0:
            logged[object_][number] = thread
        else:
            reads[object_][(-1 - number, thread)] += 1
    require(logged or lines[0].startswith("a "), f"{name}: the program logged nothing")
    had = collections.defaultdict(list)
    seen = collections.defaultdict(collections.Counter)
    for op in ops:
        if op.kind == "read_lock":
            seen[op.object][(len(had[op.object]), op.handle)] += 1
        elif op.kind in LOCKS or op.kind == "sem_wait":
            had[op.object].append(op.handle)
        elif op.kind == "cond_wake":
            had[op.other].append(op.handle)
    for object_, numbers in logged.items():
        require(sorted(numbers) == list(range(len(numbers))), f"{name}: the log of {object_:x} has holes")
        wanted = [numbers[i] for i in range(len(numbers))]
        require(had[object_] == wanted, f"{name}: {object_:x} was had in another order than the program says")
        require(seen[object_] == reads[object_], f"{name}: readers of {object_:x} saw other writes")


def check_atomics():
    """Done again in the order of the stamps, each operation reads what it read."""
    ops, lines = check("atomics.c")
    logs = collections.defaultdict(list)  # (thread, location) → what it did there
    for line in lines:
        _, thread, location, kind, read, written = line.split()
        logs[(int(thread, 16), int(location, 16))].append((kind, int(read), int(written)))
    locations = {location for _, location in logs}
    memory = dict.fromkeys(locations, 0)
    done = collections.Counter()
    for op in ops:
        if op.object not in locations or not op.kind.startswith("atomic"):
            continue
        key = (op.handle, op.object)
        kind, read, written = logs[key][done[key]]
        done[key] += 1
        require(op.kind == kind, f"atomics: {op} was {kind}")
        require(not op.result & 0x200, f"atomics: {op} has no order")
        if kind != "atomic_store":
            require(memory[op.object] == read, f"atomics: {op} read {read}, by the order it was {memory[op.object]}")
        if kind != "atomic_load":
            memory[op.object] = written
    require(all(done[key] == len(entries) for key, entries in logs.items()), "atomics: as many as there were")
    require(count(ops, "fence") == 4 * 188, "atomics: fences")


def check_counts(name, ops):
    facts = info("t.vst")
    require(facts["sync_ops"] == len(ops), f"{name}: info counts {facts['sync_ops']}, there are {len(ops)}")
    # The K-th operation of a thread is at its time.
    for thread in range(facts["threads"]):
        mine = [op for op in ops if op.thread == thread and op.time > 0]
        for op in mine[::max(1, len(mine) // 3)]:
            row = json.loads(tool("walk", "t.vst", "--thread", str(thread), "--from", f"sync:{op.number}", "--count", "1",
                                  "--level", "path", "--json").stdout.splitlines()[0])
            require(row["time"] == op.time, f"{name}: sync:{op.number} of thread {thread} is at {row['time']}, not {op.time}")


def check(name, *flags, what="full", notes=False):
    program = build(name, *flags)
    lines = record(program, what=what).splitlines()
    ops = operations("t.vst")
    check_order(name, ops)
    if lines:
        check_logs(name, ops, lines)
    check_counts(name, ops)
    check_sound(name, notes)
    return ops, lines


def count(ops, kind):
    return sum(op.kind == kind for op in ops)


def check_locks():
    ops, lines = check("locks.c")
    refused = int(lines[-1].split()[1])
    require(count(ops, "refused") == refused, "locks: unlocks that failed")
    require(count(ops, "mutex_lock") == 4 * 600 * 5, "locks: as many as there were")
    require(count(ops, "mutex_unlock") == count(ops, "mutex_lock") + refused, "locks: unlocks")
    require(count(ops, "rwlock_unlock") == 4 * 600, "locks: of readers and writers")
    require(count(ops, "thread_create") == count(ops, "thread_join") == 4, "locks: threads")
    turns = sum(a.thread != b.thread for a, b in zip(ops, ops[1:]))
    require(turns > 100, f"locks: the threads took only {turns} turns")


def check_waits():
    ops, _ = check("waits.c")
    require(count(ops, "barrier_arrive") == count(ops, "barrier_leave") == 3 * 200, "waits: barrier")
    serial = [op for op in ops if op.kind == "barrier_leave" and op.result == 1]
    require(len(serial) == 200, "waits: one serial thread a round")
    require(count(ops, "cond_wait") == count(ops, "cond_wake"), "waits: each wait ends")
    require(count(ops, "once") == 3 and count(ops, "once_done") == 1, "waits: once")
    require(count(ops, "sem_wait") == count(ops, "sem_post") == 600, "waits: semaphore")


def check_elsewhere():
    ops, _ = check("elsewhere.c")
    facts = info("t.vst")
    handlers = {t["thread"] for t in facts["thread_list"] if t["handler"]}
    require(sum(op.thread in handlers and op.kind == "sem_post" for op in ops) == 10, "elsewhere: posts by handlers")
    child = [op for op in ops if op.process == 1]
    require([op.kind for op in child] == ["mutex_unlock"] + ["mutex_lock", "mutex_unlock"] * 5, "elsewhere: the child's")
    require(sum(op.kind == "mutex_lock" and op.result == 130 for op in ops) == 1, "elsewhere: the owner had died")


def check_interrupted():
    """Handlers that interrupt atomic operations, and do not always return."""
    program = build("interrupted.c")
    for how in ([], ["jump"]):
        said = record(program, *how)
        final, signals, jumps = map(int, said.split())
        require(signals > 0, "interrupted: nothing was")
        ops = operations("t.vst")
        check_order("interrupted", ops)
        check_sound("interrupted")
        counted = [op for op in ops if op.kind == "atomic_rmw"]
        found = len(counted)
        # A jump may leave an operation that is done and not yet told.
        require(final - jumps <= found <= final, f"interrupted: {found} of {final} operations, {jumps} jumps")
        require(bool(jumps) == bool(how), "interrupted: jumps")
        handlers = {t["thread"] for t in info("t.vst")["thread_list"] if t["handler"]}
        require(sum(op.thread in handlers for op in counted) == signals, "interrupted: operations of handlers")


def start_busy(rounds):
    """The recorder, the program's process, and how often it had locked by now."""
    recorder = subprocess.Popen([os.path.join(BIN, "vestige"), "record", "-q", "-o", "t.vst", "--", "./busy", "3", str(rounds)],
                                stdout=subprocess.PIPE, text=True)
    pid = int(recorder.stdout.readline())
    started.append(pid)
    said = 0
    while said < 8000:
        said = int(recorder.stdout.readline())
    return recorder, pid, said


def check_recorder_killed():
    """What was written by then is recovered: all but the last second, in order."""
    build("busy.c")
    recorder, pid, _ = start_busy(30000)
    # Written at least once a second, so it comes.
    while tool("recover", "-q", "t.vst", "-o", "r.vst").returncode != 0 or not operations("r.vst"):
        require(recorder.stdout.readline() != "", "busy: it ended too early")
    recorder.kill()
    recorder.wait()
    os.kill(pid, signal.SIGKILL)
    require(tool("recover", "-q", "t.vst", "-o", "r.vst").returncode == 0, "busy: recover")
    os.rename("r.vst", "t.vst")
    ops = operations("t.vst")
    require(count(ops, "mutex_lock") > 0, "busy: operations of a killed recorder")
    for thread in {op.thread for op in ops}:
        numbers = [op.number for op in ops if op.thread == thread]
        require(numbers == list(range(1, len(numbers) + 1)), "busy: numbers of a killed recorder")
    require(tool("verify", "t.vst").returncode == 0, "busy: verify")


def check_killed():
    build("busy.c")
    recorder, pid, said = start_busy(0)
    os.kill(pid, signal.SIGKILL)
    said = max([said] + [int(line) for line in recorder.stdout])
    recorder.wait()
    require(recorder.returncode == 137, f"busy: status {recorder.returncode}")
    ops = operations("t.vst")
    require(count(ops, "mutex_lock") >= said, f"busy: {count(ops, 'mutex_lock')} locks, the program said {said}")
    check_order("busy", ops)
    check_counts("busy", ops)
    check_sound("busy")


def check_quiet():
    """Without a recorder the program runs as ever; recorded at any depth it synchronizes the same way."""
    for name in ("locks.c", "waits.c"):
        program = build(name)
        alone = subprocess.run([program], capture_output=True, text=True)
        require(alone.returncode == 0 and alone.stderr == "", f"{name} alone")
    ops, _ = check("waits.c", what="control")
    require(ops, "control: operations")
    if LEVEL != "-O0":  # what the linker redirects is the same
        check("locks.c", "-static")
        check("standard.cpp", "-static")


def end_started():
    for pid in started:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        atexit.register(end_started)
        os.environ.pop("VESTIGE_SESSION", None)
        check_locks()
        check_waits()
        check_atomics()
        check("standard.cpp")
        check_elsewhere()
        check_interrupted()
        check_killed()
        check_recorder_killed()
        check_quiet()


main()
