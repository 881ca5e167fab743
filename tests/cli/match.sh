# Paths of functions: literal, by lines, by expressions; every scheme; against a plain count over the walk.
export XDG_CACHE_HOME=$PWD/cache
vestige-cc -O0 $SOURCES/nested.c -o nested
vestige record -q --what control -o t.vst -- ./nested 4
T=t.vst
vestige blocks $T tree
ms() { sed -E 's/[0-9.]+ ms/N ms/; s/"seconds":[0-9.e-]+/"seconds":N/; s/,[0-9.]+$/,N/'; }
code vestige match $T --function tree --path "B1 B2 B3" | ms
ls $T.wpp
for scheme in 1 2 3 4 auto; do vestige match $T --function tree --path "B2 B3 B4" --scheme $scheme --json | ms; done
code vestige match $T --function leaf --path "B0 B1" --count --json | ms
code vestige match $T --function leaf --path "B0 B1" --first --json | ms
code vestige match $T --function leaf --path "B0 B1" --nth 5 | ms
code vestige match $T --function leaf --path "B0 B1" --nth 5000 | ms
code vestige match $T --function main --path "B2 B3 B2" | ms
code vestige match $T --function main --path "B2 B3 B2" --json | ms
code vestige match $T --function leaf --path "B0 B1" --caller main --csv | ms
code vestige match $T --function leaf --lines "6 7" | ms
code vestige match $T --function tree --regex "B1 (B2|B3)* @leaf .{2,3} B6" | ms
code vestige match $T --function main --regex "B3 . . B2" --all
printf '# some paths\ntree: B1 B2\n\nleaf: 0 1 3\nmain: B2 B3 B2\n' > paths
code vestige match $T --paths paths
code vestige match $T --paths paths --json | ms
# Every scheme against the walk: sequences of blocks of each activation, found by a stack.
cat > plain.py <<'P'
import json, subprocess, sys
rows = [json.loads(l) for l in subprocess.run(["vestige", "walk", "t.vst", "--json"], capture_output=True, text=True).stdout.splitlines()]
def plain(function, path):
    open_, found = {}, []
    for row in rows:
        if "block" not in row: continue
        depth = row["depth"]
        for d in [d for d in open_ if d > depth]: del open_[d]
        if row["block"] == "B0": open_[depth] = []
        seen = open_.setdefault(depth, [])
        if row["function"] != function: continue
        seen.append(row["block"])
        if seen[-len(path):] == path: found.append(row["time"])
    return found
def match(function, path, scheme):
    out = subprocess.run(["vestige", "match", "t.vst", "--function", function, "--path", " ".join(path), "--scheme", scheme, "--all", "--json"], capture_output=True, text=True)
    assert out.returncode == (0 if out.stdout else 1), out
    return [json.loads(l)["time"] for l in out.stdout.splitlines()]
compared = 0
for function, paths in {"tree": ["1 2", "2 3 4", "1 2 4 5 1", "4 5 1 6"], "leaf": ["0 1 3", "0 2"], "main": ["1 2 3 5 6", "2 4 5 6 1"]}.items():
    for path in paths:
        blocks = ["B" + b for b in path.split()]
        for scheme in "1234":
            assert plain(function, blocks) == match(function, blocks, scheme), (function, path, scheme)
            compared += len(plain(function, blocks))
print("all schemes as the plain search;", compared)
P
/usr/bin/python3 plain.py
# Wrong use.
code vestige match $T --path "B1"
code vestige match $T --function tree
code vestige match $T --function nobody --path B1
code vestige match $T --function tree --path "B99"
code vestige match $T --function tree --path "B1" --lines "12"
code vestige match $T --function tree --regex "(B1"
code vestige match $T --function tree --lines "1"
code vestige match $T --function tree --path "B1" --scheme 7
code vestige match nosuch.vst --function tree --path "B1"
code vestige match $T --paths nosuch
