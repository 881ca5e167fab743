"""What ThreadSanitizer with Archer finds in the same programs: no test, the figures of docs/threads.md.

    peers.py THREADS [RUNS]

Each program runs RUNS times with OMP_NUM_THREADS=THREADS; it is found when one of them reports a race.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ARCHER = "/usr/lib/llvm-19/lib/libarcher.so"


def main():
    threads, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    env = {**os.environ, "OMP_NUM_THREADS": threads, "OMP_TOOL_LIBRARIES": ARCHER,
           "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=66"}
    count = {"racy": [0, 0], "free": [0, 0]}
    with tempfile.TemporaryDirectory(prefix="vestige-peers-") as folder:
        for source in ("loops.c", "regions.c"):
            target = pathlib.Path(folder) / source[:-2]
            subprocess.run(["clang-19", "-fopenmp", "-fsanitize=thread", "-g", "-O1", "-w", HERE / source, "-o", target], check=True)
            for line in subprocess.run([target, "list"], capture_output=True, text=True, env=env).stdout.splitlines():
                wanted, name = line.split()
                codes = [subprocess.run([target, name], capture_output=True, env=env).returncode for _ in range(runs)]
                count[wanted][1] += 1
                count[wanted][0] += 66 in codes
                if wanted == "free" and 66 in codes:
                    print("reported, and free:", name)
    for verdict, (reported, of) in count.items():
        print(f"{verdict}: {reported} of {of} reported with {threads} threads, {runs} runs")


if __name__ == "__main__":
    main()
