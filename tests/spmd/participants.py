"""Who takes part: contexts of a team's threads fold to one, also that of the thread that made the others;
what is given up for size leaves every thread in.

participants.py BIN PROGRAMS quick|deep

Programs with known participants, then random ones of threads that share work: OpenMP regions, pthreads,
or both, in loops and functions. Each replay is compared with the recording's, and with `noise` with what
is left of the recording by the rule as it is written, statement by statement.
"""

import collections
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

BIN, PROGRAMS, DEPTH = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
failures = []
hits = collections.Counter()


def run(*words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True).stdout


def vestige(*words):
    return run(BIN / "vestige", *words)


def objects(*words):
    return [json.loads(line) for line in vestige(*words, "--json").splitlines()]


def compile_source(source, flags, program):
    run(BIN / ("vestige-c++" if source.suffix == ".cpp" else "vestige-cc"), *flags, source, "-o", program)


def marks_of(source):
    """Line numbers by the names that are marked in it."""
    found = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        for name in re.findall(r"@(\w+)\s*$", line):
            found[name] = number
    return found


def fold(program, arguments, folder):
    """Records; gives both files after their replays were compared."""
    trace, small = folder / "t.vst", folder / "e.vst"
    subprocess.run([BIN / "vestige", "record", "-q", "--what", "full", "-o", trace, "--", program, *arguments], capture_output=True, check=False)
    vestige("represent", trace, "--as", "eprsd", "--always", "-q", "-o", small)
    for thread in range(len(threads_of(small))):
        if references(trace, thread) != references(small, thread):
            failures.append(f"{program.name} {arguments}: thread {thread} replays otherwise")
    if not objects("verify", small)[0]["ok"]:
        failures.append(f"{program.name} {arguments}: verify")
    return trace, small


def threads_of(small):
    return range(objects("info", small)[0]["threads"])


def references(trace, thread):
    return list(struct.iter_unpack("<QQB", vestige("replay", trace, "--thread", thread, "--format", "refs")))


def count_references(trace, thread):
    """One that reads and writes is one."""
    return len(vestige("replay", trace, "--thread", thread, "--format", "lackey").splitlines())


def rows_of(small, line):
    return [row for row in objects("descriptors", small) if row.get("line") == line and row["kind"] == "address"]



def expect(small, name, line, participants, what):
    """All of them, in one context."""
    rows, contexts = rows_of(small, line), objects("contexts", small)
    made = sorted({thread for row in rows for thread in row["threads"]})
    if made != participants:
        failures.append(f"{what}, {name}: {made} take part, not {participants}")
    roots = {outermost(contexts, row["context"]) for row in rows}
    if len(roots) != 1:
        failures.append(f"{what}, {name}: in {len(roots)} contexts")
    came = sorted(thread for entrance in contexts[min(roots)]["entrances"] for thread in entrance["threads"]) if roots else []
    if came != participants:
        failures.append(f"{what}, {name}: contexts says that {came} came there")


def outermost(contexts, context):
    while contexts[context]["depth"] > 1:
        context -= 1
    return context


def left_by_noise(recorded, percent):
    """By the rule: of each thread what is left; none where it would be all."""
    makers = collections.Counter(statement for one in recorded for statement in {r[0] for r in one})
    out = []
    for one in recorded:
        kept = [r for r in one if makers[r[0]] * 100 >= percent * len(recorded)]
        out.append(kept or one)
    return out


def check_noise(trace, small, percent, folder, what, rule):
    lossy = folder / "l.vst"
    said = json.loads(vestige("represent", small, "--as", "eprsd", "--always", "--lossy", f"noise:{percent}", "-q", "--json", "-o", lossy))
    recorded = [references(trace, thread) for thread in threads_of(small)]
    left = [references(lossy, thread) for thread in threads_of(small)]
    for thread, (before, after) in enumerate(zip(recorded, left)):
        if before and not after:
            failures.append(f"{what}: noise:{percent} leaves nothing of thread {thread}")
    dropped = {thread: group["dropped"] for group in said["lossy_threads"] for thread in group["threads"]}
    gone = {t: count_references(trace, t) - count_references(lossy, t) for t in threads_of(small)}
    if gone != dropped:
        failures.append(f"{what}: noise:{percent} dropped {gone}, not {dropped}")
    if rule and left != left_by_noise(recorded, percent):
        failures.append(f"{what}: noise:{percent} leaves other references")
    hits["threads that noise would have taken"] += sum(
        all(collections.Counter(s for one in recorded for s in {r[0] for r in one})[r[0]] * 100 < percent * len(recorded) for r in before)
        for before in recorded if before)
    hits["references dropped as noise"] += sum(dropped.values())


def check_known(folder):
    """Programs whose participants are known."""
    source = PROGRAMS / "team.c"
    marks = marks_of(source)
    for level in ["-O0", "-O1", "-O2"] if DEPTH == "deep" else ["-O0", "-O2"]:
        program = folder / f"team{level}"
        compile_source(source, [level, "-fopenmp", "-pthread"], program)
        for kind, threads, lines in [
            ("figure", 8, {"figure": 8}), ("figure", 3, {"figure": 3}), ("static", 4, {"static": 4}), ("dynamic", 4, {"dynamic": 4}),
            ("nested", 3, {"outer": 2, "inner": 6}), ("sections", 2, {"all": 2}), ("pthreads", 8, {"work": 8}),
        ]:
            what = f"team {level} {kind} {threads}"
            trace, small = fold(program, [kind, str(threads)], folder)
            for name, participants in lines.items():
                # One inner team may be made of threads that another one is done with.
                made = {thread for row in rows_of(small, marks[name]) for thread in row["threads"]}
                fewer = name == "inner" and 4 <= len(made) < participants
                expect(small, name, marks[name], sorted(made) if fewer else list(range(participants)), what)
                hits["known programs"] += 1
            if kind == "sections":
                taken = [thread for name in ("first", "second") for row in rows_of(small, marks[name])[:1] for thread in row["threads"]]
                if sorted(taken) != [0, 1]:
                    failures.append(f"{what}: sections by {taken}")
            if kind == "figure":
                stores = [row for row in rows_of(small, marks["figure"]) if "1600·t" in row["pattern"]]
                if len(stores) != 1 or stores[0]["threads"] != list(range(threads)):
                    failures.append(f"{what}: {stores} instead of (0,{threads},1)")
            for percent in (50, 100):
                check_noise(trace, small, percent, folder, what, False)
        cpp = folder / f"teamcpp{level}"
        compile_source(PROGRAMS / "team.cpp", [level, "-pthread"], cpp)
        trace, small = fold(cpp, ["6"], folder)
        if level == "-O0":  # later it is part of what starts a thread
            expect(small, "work", marks_of(PROGRAMS / "team.cpp")["work"], list(range(6)), "team.cpp")
        check_noise(trace, small, 50, folder, f"team.cpp {level}", False)


def random_program(seed):
    """A program, its threads, and for each marked line who takes part."""
    rng = random.Random(seed)
    threads = rng.choice([2, 3, 4, 5])
    expected, functions, calls = {}, [], []
    total = threads

    def loop(index, name, share, extra=""):
        """A loop nest over an array; `share` is the thread's number."""
        step, trips = rng.choice([1, 2, 3]), rng.choice(["9", "17", f"5 + {share}"])
        other = f" += a{index}[({share} * 7 + j * {rng.choice([1, 5])}) & 1023] + 1" if rng.random() < 0.4 else " += j"
        bound = f"for (int j = 0; j < {trips}; j++)"
        if rng.random() < 0.3:
            bound = f"for (int i = 0; i < 3; i++) for (int j = 0; j <= i + {rng.randrange(1, 6)}; j++)"
        return f"    {bound} a{index}[1024 + 512 * {share} + {step} * j{extra}]{other};  // @{name}\n"

    for index in range(rng.randrange(1, 5)):
        name = f"f{index}"
        repeat = rng.choice([1, 1, 2, 6])
        head = f"static int a{index}[1 << 13];\n"
        kind = rng.choice(["region", "region", "helper", "for", "pthreads"])
        if kind == "region":
            extra = rng.choice(["", " + times"])
            body = f"#pragma omp parallel num_threads({threads})\n  {{\n    int me = omp_get_thread_num();\n{loop(index, name, 'me', extra)}  }}\n"
            functions.append(head + f"__attribute__((noinline)) static void {name}(int times) {{\n  (void)times;\n{body}}}\n")
        elif kind == "helper":
            functions.append(head + f"__attribute__((noinline)) static void h{index}(int me) {{\n{loop(index, name, 'me')}}}\n"
                             f"__attribute__((noinline)) static void {name}(int times) {{\n  (void)times;\n#pragma omp parallel num_threads({threads})\n"
                             f"  h{index}(omp_get_thread_num());\n}}\n")
        elif kind == "for":
            size = threads * rng.choice([4, 10, 11])
            functions.append(head + f"__attribute__((noinline)) static void {name}(int times) {{\n#pragma omp parallel for schedule(static) num_threads({threads})\n"
                             f"  for (int j = 0; j < {size}; j++) a{index}[j + times] += j;  // @{name}\n}}\n")
        else:
            repeat = 1  # each makes threads of its own
            functions.append(head + f"__attribute__((noinline)) static void w{index}(long me) {{\n{loop(index, name, 'me')}}}\n"
                             f"static void* s{index}(void* p) {{\n  w{index}((long)p);\n  return 0;\n}}\n"
                             f"__attribute__((noinline)) static void {name}(int times) {{\n  pthread_t made[8];\n  (void)times;\n"
                             f"  for (long i = 1; i < {threads}; i++) pthread_create(&made[i], 0, s{index}, (void*)i);\n  w{index}(0);\n"
                             f"  for (long i = 1; i < {threads}; i++) pthread_join(made[i], 0);\n}}\n")
        expected[name] = (kind, threads)
        hits[f"random {kind}"] += 1
        calls.append(f"  for (int t = 0; t < {repeat}; t++) {name}(t);\n" if repeat > 1 else f"  {name}(0);\n")
        if repeat > 1:
            hits["random in a loop"] += 1
    before = "  for (int i = 0; i < 20; i++) serial += i;\n" if rng.random() < 0.5 else ""
    text = ("#include <omp.h>\n#include <pthread.h>\nstatic volatile int serial;\n" + "".join(functions) +
            "int main(void) {\n" + before + "".join(calls) + "  return 0;\n}\n")
    return text, threads, expected


def check_random(seed, folder):
    text, threads, expected = random_program(seed)
    source, program = folder / "random.c", folder / "random"
    source.write_text(text)
    level = random.Random(seed).choice(["-O0", "-O1", "-O2"])
    compile_source(source, [level, "-fopenmp", "-pthread"], program)
    trace, small = fold(program, [], folder)
    marks, what = marks_of(source), f"random {seed} {level}"
    contexts = objects("contexts", small)
    rows = objects("descriptors", small)
    before = len(failures)
    for name, (kind, count) in expected.items():
        here = [row for row in rows if row.get("line") == marks[name] and row["kind"] == "address"]
        roots = {outermost(contexts, row["context"]) for row in here}
        made = {thread for row in here for thread in row["threads"]}
        if len(made) != count:
            failures.append(f"{what}, {name} ({kind}): {sorted(made)} take part, not {count} threads")
        if len(roots) == 1:
            hits["random folded to one context"] += 1
        elif kind != "pthreads":
            failures.append(f"{what}, {name} ({kind}): in {len(roots)} contexts")
        if any(0 in row["threads"] and len(row["threads"]) > 1 for row in here):
            hits["random descriptors of the first thread and others"] += 1
    check_noise(trace, small, random.Random(seed).choice([30, 50, 80, 100]), folder, what, True)
    if len(failures) > before:
        print(text)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_known(folder)
        for seed in range(300 if DEPTH == "deep" else 8):
            check_random(seed, folder)
    for what, count in sorted(hits.items()):
        print(f"{count:8} {what}")
    if min(hits["random region"], hits["random pthreads"], hits["threads that noise would have taken"], hits["references dropped as noise"],
           hits["random in a loop"]) == 0:
        failures.append("a class was not hit")
    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


main()
