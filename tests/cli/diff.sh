# Two runs of a program: the same, other values, another way; against the walks laid side by side.
export XDG_CACHE_HOME=$PWD/cache
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige-cc -O0 $SOURCES/nested.c -o nested
for n in 27 26 54; do vestige record -q -o $n.vst -- ./collatz $n; done
vestige record -q -o again.vst -- ./collatz 27
vestige record -q --what control -o control.vst -- ./collatz 26
vestige record -q -o nested.vst -- ./nested 2
code vestige diff 27.vst again.vst
code vestige diff 27.vst 26.vst
code vestige diff 26.vst 54.vst --json
code vestige diff 27.vst control.vst
code vestige diff 27.vst 26.vst --control-only
# A loop that goes round once more: the path ends there in one run, and the next block is that of the next path.
vestige-cc -O1 $SOURCES/nests.c -o nests
for n in 4 5; do vestige record -q -o n$n.vst -- ./nests $n; done
code vestige diff n4.vst n5.vst --control-only --json
cat > plain.py <<'P'
import json, subprocess
def walk(t):
    rows = subprocess.run(["vestige", "walk", t, "--level", "path", "--json"], capture_output=True, text=True).stdout.splitlines()
    return [r["path"] for r in map(json.loads, rows) if "path" in r]
for a, b in [("27.vst", "26.vst"), ("26.vst", "54.vst"), ("27.vst", "again.vst")]:
    x, y = walk(a), walk(b)
    same = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
    answer = json.loads(subprocess.run(["vestige", "diff", a, b, "--json"], capture_output=True, text=True).stdout)["threads"][0]
    print(a, b, same == answer["common_paths"], (answer["control"] is None) == (x == y))
P
/usr/bin/python3 plain.py
code vestige diff 27.vst nested.vst
code vestige diff 27.vst
code vestige diff 27.vst nosuch.vst
