"""barriers.py BIN PRINT_ORDER COUNT: the rounds of barriers that more threads use than they are for, with delays between a
thread's stamp and its arrival, are those in which the threads went through. The barrier itself tells (programs/late_barrier.c)."""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

binaries, print_order = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
programs = pathlib.Path(__file__).resolve().parent / "programs"
runtime = next(binaries.parent.glob("lib/vestige/*/libvestige-rt.so"))


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, **more)
    if done.returncode != 0:
        sys.exit(f"{words}: {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1000:]}")
    return done.stdout


crowded = overtaken = rounds = 0
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    run(binaries / "vestige-cc", "-g", "-O1", "-pthread", programs / "rounds.c", "-o", folder / "rounds")
    run("cc", "-shared", "-fPIC", "-O1", "-pthread", programs / "late_barrier.c", "-o", folder / "late.so")
    for seed in range(int(sys.argv[3])):
        users = 2 + seed % 4
        participants = 2 + seed // 4 % (users - 1)
        lines = run(binaries / "vestige", "record", "-q", "--what", "full", "-o", folder / "t.vst", "--",
                    "env", f"LD_PRELOAD={runtime}:{folder / 'late.so'}", f"LATE={(300, 3000)[seed % 2]}",
                    folder / "rounds", users, participants, 12, seed).splitlines()
        went = collections.defaultdict(list)  # by thread and barrier
        for line in lines:
            thread, barrier, number = line.split()
            went[(int(thread, 16), int(barrier, 16))].append(int(number))
        told, left = collections.defaultdict(list), collections.defaultdict(list)
        stamped = collections.defaultdict(list)
        for line in run(print_order, folder / "t.vst").splitlines():
            words = line.split()
            key = (int(words[2], 16), int(words[7 + 1], 16))
            number = int(words[9], 16)
            if words[6] == "barrier_arrive":
                told[key].append(number)
                stamped[key[1]].append(key[0])
            if words[6] == "barrier_leave":
                left[key].append(number)
        if not went or told != went or left != went:
            wrong = [(key, told[key], went[key]) for key in went if told[key] != went[key]][:2]
            sys.exit(f"seed {seed}, {users} threads at a barrier for {participants}: told and true rounds {wrong}")
        verified = json.loads(run(binaries / "vestige", "verify", "--json", folder / "t.vst"))
        if not verified["ok"] or verified.get("notes"):
            sys.exit(f"seed {seed}: {verified}")
        crowded += users > participants
        rounds += len(lines) // participants
        arrived = collections.defaultdict(list)
        for line in lines:
            thread, barrier, _ = line.split()
            arrived[int(barrier, 16)].append(int(thread, 16))
        overtaken += any(arrived[barrier] != stamped[barrier] for barrier in arrived)
print(f"{rounds} rounds, {crowded} recordings with more users than participants, {overtaken} where one was overtaken on its way")
if crowded == 0 or overtaken == 0:
    sys.exit("nothing was tried")
