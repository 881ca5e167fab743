#!/usr/bin/env python3
"""ranges.py SAID STATEMENTS LIBRARY: what every.c said it saw written, against the ranges of the recording."""
import collections
import json
import sys

said, statements, library = (open(name).read().splitlines() for name in sys.argv[1:])
line_of = {}
for row in map(json.loads, statements):
    line_of[row["id"]] = row.get("line")
arena = size = None
written = collections.defaultdict(set)  # by line and callee: bytes
callees = collections.defaultdict(set)  # by line
for row in map(json.loads, library):
    line = line_of[row["statement"]]
    callees[line].add(row["callee"])
    if row["kind"] == "read":
        continue
    if row["address"] is None or row["bytes"] is None:
        sys.exit(f"line {line}: {row['callee']}: a range is not known")
    written[line].add((row["address"], row["bytes"]))

failed = checked = 0
for text in said:
    words = text.split()
    if words[0] == "arena":
        arena, size = int(words[1]), int(words[2])
        continue
    heap = words[0] == "heap"
    line, name = int(words[heap]), words[heap + 1]
    may = name.startswith("~")
    runs = [tuple(map(int, word.split("+"))) for word in words[heap + 2 :]]
    base = 0 if heap else arena
    changed = {base + first + i for first, count in runs for i in range(count)}
    # The macro's line is the call's; heap blocks are made on the line before.
    where = line - 1 if heap else line
    # What is compared does not count: the memory around the arena.
    known = {a + i for a, n in written[where] for i in range(n)}
    known = known & changed if heap and may else known
    if not heap:
        known = {a for a in known if arena <= a < arena + size}
    else:
        known = {a for a in known if not arena <= a < arena + size and a < 1 << 63}
    checked += 1
    extra = heap and name in ("asprintf", "getdelim")  # the variables that hold pointer and size
    if extra:
        known &= changed
    if changed - known or (known - changed and not may):
        failed += 1
        print(f"line {line}: {name}: {len(changed - known)} bytes were written and are not known, "
              f"{len(known - changed)} are known and were not written; calls: {callees[where]}")
print(f"{checked} calls")
sys.exit(failed != 0 or checked < 70)
