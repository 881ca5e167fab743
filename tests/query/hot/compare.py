# compare.py BIN FOLDER: records programs and imports control flow, and compares every answer of vestige hot with plain counts:
# n-grams of the paths that vestige walk lists, and of the references that walk and replay list. The definition counted here is that
# of include/vestige/hot.h, written down anew.
import collections, json, math, os, re, struct, subprocess, sys, tempfile
import xml.etree.ElementTree as tree

tools, folder = sys.argv[1:3]
work = tempfile.TemporaryDirectory()
os.chdir(work.name)


def run(*words, code=0):
    done = subprocess.run([f"{tools}/{words[0]}", *words[1:]], capture_output=True)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout


def rows(*words, code=0):
    return [json.loads(line) for line in run("vestige", *words, "--json", code=code).splitlines()]


BREAKS = {"unwound", "gap", "switched", "damaged"}


def minimal_hot(streams, weight, least, most, percent):
    """streams: per thread, lists of members without a break. {members: (occurrences, cost, (thread, place))}"""
    total = sum(weight(m) for pieces in streams.values() for piece in pieces for m in piece)
    threshold = max(1, math.ceil(percent / 100 * total))
    hot = {}
    for n in range(least, most + 1):
        count, first = collections.Counter(), {}
        for thread, pieces in streams.items():
            for at, piece in enumerate(pieces):
                for i in range(len(piece) - n + 1):
                    gram = tuple(piece[i:i + n])
                    count[gram] += 1
                    first.setdefault(gram, (thread, at, i))
        for gram, k in count.items():
            cost = k * sum(map(weight, gram))
            parts = (gram[i:j] for i in range(n) for j in range(i + least, n + 1) if j - i < n)
            if cost >= threshold and not any(part in hot for part in parts):
                hot[gram] = (k, cost, first[gram])
            elif cost >= threshold:
                hot.setdefault(gram, None)  # hot, not minimal
    return {gram: facts for gram, facts in hot.items() if facts}, total


def check_paths(trace, flags=(), thread=None, least=1, most=8, percent=1.0):
    path, streams, times = {}, {}, {}
    for t in range(len(rows("info", trace)[0]["thread_list"])):
        if thread not in (None, t):
            continue
        pieces, when = [[]], [[]]
        for row in rows("walk", trace, "--level", "path", "--thread", str(t)):
            if row["kind"] == "event":
                if row["event"] in BREAKS:
                    pieces.append([])
                    when.append([])
            else:
                path[row["path"]] = row
                pieces[-1].append(row["path"])
                when[-1].append(row["time"])
        streams[t], times[t] = pieces, when
    imported = all(p["statements"] == 0 for p in path.values())
    weight = lambda p: len(path[p]["blocks"]) if imported else path[p]["statements"]
    expected, total = minimal_hot(streams, weight, least, most, percent)
    answers = rows("hot", trace, "--min-length", str(least), "--length", str(most), "--share", str(percent), *flags,
                   code=0 if expected else 1)
    seen = {}
    for a in answers:
        members = tuple(p["path"] for p in a["paths"])
        k, cost, (t, at, i) = expected[members]
        assert (a["occurrences"], a["cost"], a["thread"], a["time"]) == (k, cost, t, times[t][at][i]), (a, expected[members])
        assert abs(a["share"] - cost / total) < 1e-9 and a["length"] == len(members)
        assert a["weighed_by"] == ("blocks" if imported else "statements")
        assert a["calls"] == sum(path[p]["leaves"] + path[q]["enters"] for p, q in zip(members, members[1:]))
        for p in a["paths"]:
            row = path[p["path"]]
            assert (p["function"], p["blocks"]) == (row["function"], row["blocks"])
            assert not p["blocks"] or not row["line"] or p["lines"]
        seen[members] = a
    assert len(seen) == len(answers) and seen.keys() == expected.keys(), expected.keys() ^ seen.keys()
    costs = [a["cost"] for a in answers]
    assert costs == sorted(costs, reverse=True)
    return len(answers), max((len(m) for m in seen), default=0), sum(a["calls"] for a in answers)


def check_data(trace, least, most, percent, line=1, thread=None):
    streams, made, replayed = {}, {}, {}
    threads = [t for t in range(len(rows("info", trace)[0]["thread_list"])) if thread in (None, t)]
    for t in threads:
        text = run("vestige", "replay", trace, "--thread", str(t), "--format", "refs", "-q")
        records = list(struct.iter_unpack("<QQB", text))
        walked = [r for r in rows("walk", trace, "--level", "statement", "--thread", str(t)) if "address" in r]
        # The program moves no blocks of memory: one record a statement.
        assert [(r["id"], r["address"]) for r in walked] == [(i, a) for i, a, _ in records], trace
        streams[t] = [[a - a % line for _, a, _ in records]]
        made[t] = walked
    expected, total = minimal_hot(streams, lambda a: 1, least, most, percent)
    flags = ["--line", str(line)] if line > 1 else []
    flags += ["--thread", str(thread)] if thread is not None else []
    answers = rows("hot", trace, "--data", "--min-length", str(least), "--length", str(most), "--share", str(percent), *flags)
    for a in answers:
        k, cost, (t, _, i) = expected[tuple(a["addresses"])]
        first = made[t][i:i + a["length"]]
        assert (a["occurrences"], a["cost"], a["thread"]) == (k, cost, t), (a, expected[tuple(a["addresses"])])
        assert a["time"] == first[0]["time"] and a["statements"] == [r["id"] for r in first], (a, first)
        assert abs(a["share"] - cost / total) < 1e-9
        folded = [r["start"] + j * r["stride"] for r in a["runs"] for j in range(r["count"])]
        assert folded == a["addresses"]
    assert {tuple(a["addresses"]) for a in answers} == expected.keys() and len(answers) == len(expected)
    return len(answers)


# ---- a recorded program: threads, exceptions
run("vestige-c++", "-O1", "-o", "mixed", f"{folder}/mixed.cpp", "-pthread")
subprocess.run([f"{tools}/vestige", "record", "-q", "--what", "full", "-o", "full.vst", "--", "./mixed"], check=True, stdout=subprocess.DEVNULL)
subprocess.run([f"{tools}/vestige", "record", "-q", "--what", "control", "-o", "control.vst", "--", "./mixed"], check=True,
               stdout=subprocess.DEVNULL)
total = longest = calls = 0
for trace in "full.vst", "control.vst":
    for least, most, percent in (1, 8, 1.0), (2, 8, 1.0), (1, 4, 0.2), (3, 12, 5.0), (4, 4, 0.5):
        found = check_paths(trace, least=least, most=most, percent=percent)
        total, longest, calls = total + found[0], max(longest, found[1]), calls + found[2]
for t in range(3):
    total += check_paths("full.vst", ["--thread", str(t)], thread=t, least=2)[0]
subprocess.run([f"{tools}/vestige", "record", "-q", "--what", "control", "--last", "200", "-o", "last.vst", "--", "./mixed"], check=True,
               stdout=subprocess.DEVNULL)
total += check_paths("last.vst", least=2)[0]
assert total > 100 and longest >= 4 and calls > 20, (total, longest, calls)
events = {r["event"] for r in rows("walk", "full.vst", "--level", "path") if r["kind"] == "event"}
assert "unwound" in events, events

data = sum(check_data("full.vst", *options) for options in ((2, 20, 1.0), (6, 12, 0.5), (2, 8, 3.0, 64), (1, 3, 1.0)))
data += check_data("full.vst", 2, 10, 1.0, 1, 1)
assert data > 50, data
run("vestige", "hot", "control.vst", "--data", code=3)

# ---- control flow of another tool
ENTRY, EXIT = 1 << 30, 1 << 31
words = [3, EXIT, 5]  # two activations that were there before
for i in range(90):
    words += [ENTRY | 12, 0]
    for j in range(i % 4):
        words += [1, 2 + j % 2, ENTRY | 7, 0] + [6] * (i % 3) + [EXIT]
    words += [4, EXIT]
words += [6, ENTRY | 12, 0, 1]  # it ends inside
open("t.u32", "wb").write(struct.pack("<%dI" % len(words), *words))
run("vestige", "import", "-q", "--from", "cf", "t.u32", "-o", "t.vst")
for least, most, percent in (1, 8, 1.0), (2, 6, 2.0), (3, 8, 10.0):
    assert check_paths("t.vst", least=least, most=most, percent=percent)[0] > 0
run("vestige", "hot", "t.vst", "--data", code=3)

# ---- rows for others, and pictures
top = rows("hot", "full.vst", "--top", "3", "--min-length", "2")
assert top == rows("hot", "full.vst", "--min-length", "2")[:3]
table = run("vestige", "hot", "full.vst", "--csv", "--min-length", "2").decode().splitlines()
assert len(table) == 1 + len(rows("hot", "full.vst", "--min-length", "2"))
for flags in [], ["--data"], ["--data", "--min-length", "8"]:
    picture = tree.fromstring(run("vestige", "hot", "full.vst", "--svg", "--top", "1000", *flags))
    boxes = [e for e in picture.iter("{http://www.w3.org/2000/svg}g")]
    answers = rows("hot", "full.vst", *flags)
    assert len(boxes) == sum(len(a["runs" if flags else "paths"]) for a in answers)
    graph = run("vestige", "hot", "full.vst", "--dot", "--top", "1000", *flags).decode()
    nodes, edges = set(re.findall(r"^  (n\d+) \[label=", graph, re.M)), re.findall(r"^  (n\d+) -> (n\d+) \[label=\"(\d+)\"\];$", graph, re.M)
    assert graph.startswith("digraph hot {") and graph.endswith("}\n") and nodes
    assert all(a in nodes and b in nodes for a, b, _ in edges)
    assert sum(int(n) for _, _, n in edges) == sum((len(a["runs" if flags else "paths"]) - 1) * a["occurrences"] for a in answers)
print(total, "hot subpaths and", data, "hot data streams, as counted plainly")
