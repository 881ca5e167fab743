"""Where two recordings first differ, found without `vestige diff`: both walks are printed statement by statement, values are put in
the order in which they come into being, and the two rows are compared from the front."""
import json
import subprocess


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], check=False, capture_output=True, **options)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr.decode()[-2000:]}")
    return done.stdout.decode(errors="replace")


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


class Recording:
    def __init__(self, vestige, file, thread=0):
        self.statements = {}
        for function in {f["name"] for f in rows_of(run(vestige, "functions", file, "--json"))}:
            for s in rows_of(run(vestige, "statements", file, function, "--json", "--all")):
                self.statements[s["id"]] = s
        self.numbered = {(s["function_id"], s["text"].split(" ")[0]): s for s in self.statements.values() if s["text"].startswith("%")}
        walk = run(vestige, "walk", file, "--level", "statement", "--thread", thread, "--json", "--all")
        self.made = list(self.in_order(r for r in rows_of(walk) if r["kind"] == "statement"))

    def is_place(self, row):
        """Whether the value is a pointer, or may be one."""
        statement = self.statements[row["id"]]
        if statement["op"] != "store":
            return statement["type"] == "ptr"
        stored = statement["text"].removeprefix("store ").split(", ")[0]
        known = self.numbered.get((statement["function_id"], stored))
        return known is None or known["type"] == "ptr"

    def in_order(self, rows):
        """A call's value exists when its activation goes on: before the next row of its depth."""
        called = {}
        for row in rows:
            depth = row["depth"]
            for gone in [d for d in called if d > depth]:
                del called[gone]
            if depth in called:
                yield called.pop(depth)
            if row["op"] in ("call", "invoke"):
                called[depth] = row
            else:
                yield row


def first_difference(a, b):
    """(id, time, value in A, value in B), or None."""
    for x, y in zip(a.made, b.made):
        if (x["id"], x["time"], x["depth"]) != (y["id"], y["time"], y["depth"]):
            return None
        one, other = x.get("value"), y.get("value")
        if one is None or other is None or repr(one) == repr(other) or a.is_place(x):  # -0.0 is not 0.0, NaN is NaN
            continue
        return x["id"], x["time"], one, other
    return None
