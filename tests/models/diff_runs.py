"""Where two runs of a random program first part, against an interpreter of both.

The model. The programs are those of control_loops.py, and read their input at once into an array. The two runs differ in
one byte of it. The interpreter (which keeps values and dependences of every execution) runs both; since everything before
is the same, executions pair by their number. Expected (docs/queries.md, "diff"):

- `value`: the first load of the input that gives something else (what read() wrote has no value of its own), its line,
  the values, and which execution of it that was; no difference where the byte is never loaded;
- `control`: null exactly when both runs executed the same;
- the last step of `why`: of the executions that differ, and from which the branch where they part was computed by data
  dependences between executions that differ, the earliest.
"""
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402
import control_loops  # noqa: E402

kInput = 16


class Maker(control_loops.Maker):
    def leaf(self):
        if self.rng.random() < 0.18:
            return ("item", "in", ("var", self.rng.choice(self.variables)))
        return super().leaf()


class Run(control_loops.Run):
    """Also keeps values, and the loads of the input."""

    def __init__(self, source, text):
        super().__init__(source)
        self.text = text
        self.loads = []
        self.value = {}
        self.decided, self.decision = [], {}
        self.switches = {node.line: node for f in source.functions.values() for node in f.nodes if node.kind == "switch"}

    def evaluate(self, e, frame, control, line):
        if e[0] == "item" and e[1] == "in":
            index, deps = self.evaluate(e[2], frame, control, line)
            number = self.execution(line, deps, control)
            self.value[number] = self.text[index & (kInput - 1)]
            self.loads.append((number, line, self.value[number]))
            return self.value[number], (number,)
        value, deps = super().evaluate(e, frame, control, line)
        if e[0] == "binary":  # It may give the same of what differs, and the chain ends there.
            deps = (self.execution(line, deps, control),)
            self.value[deps[0]] = value
        elif len(deps) == 1:
            self.value.setdefault(deps[0], value)
        self.last = value
        return value, deps

    def write(self, target, value, deps, frame, control, line):
        super().write(target, value, deps, frame, control, line)
        self.value[len(self.line) - 1] = value

    def function(self, frame):
        value, deps = super().function(frame)
        self.value[deps[0]] = value
        for number in self.data[deps[0]]:
            self.value.setdefault(number, value)
        return value, deps

    def call(self, e, frame, control, line):
        value, deps = super().call(e, frame, control, line)
        self.value[deps[0]] = value
        return value, deps

    def execution(self, line, data, control, key=None):
        number = super().execution(line, data, control, key)
        if key is not None and key[1] == "branch":
            switch = self.switches.get(line)
            self.decided.append((line, bool(self.last) if switch is None else switch.edges.get(self.last, switch.edges["default"])))
            self.decision[number] = self.decided[-1][1]
        # What only passes a value on (an argument) has that of what it depends on.
        if key is None and len(data) == 1 and data[0] in self.value:
            self.passed = self.value[data[0]]
            if line == 0:
                self.value[number] = self.passed
        return number


def executed(source, text):
    run = Run(source, text)
    run.run()
    return run


def check(case):
    seed = case.seed
    for attempt in range(200):
        rng = random.Random(f"diff {seed}.{attempt}")
        maker = Maker(rng, case)
        source = maker.program()
        if any("setjmp(env)" in line for line in source.lines):
            continue
        for function in source.functions.values():
            control_loops.control_dependences(function)
        first = bytes(rng.randrange(1, 100) for _ in range(kInput))
        place = rng.randrange(kInput)
        second = first[:place] + bytes([(first[place] + rng.choice([1, 2, 7, 16])) % 120]) + first[place + 1:]
        try:
            a, b = executed(source, first), executed(source, second)
        except control_loops.TooLong:
            continue
        if len(a.line) > 60 and (seed % 8 == 0 or any(x[2] != y[2] for x, y in zip(a.loads, b.loads))):
            # Half of the programs part.
            if seed % 2 == 0 or different_paths(a, b):
                break
    else:
        case.hit("nothing found")
        return
    # The input, and its mask: control_loops.py knows arrays of eight.
    text = "\n".join(source.lines)
    text = text.replace("static jmp_buf env;", f"static unsigned char in[{kInput}]; long read(int, void *, unsigned long); __attribute__((constructor)) static void input(void) {{ read(0, in, {kInput}); }}")
    case.write("a.c", mask(text) + "\n")
    case.write("a.txt", repr(first) + "\n" + repr(second) + "\n")
    case.compile(["a.c"], "a", "-O0")
    case.record("a", "a.vst", expect=range(256), stdin=first)
    case.record("a", "b.vst", expect=range(256), stdin=second)
    answer = case.object("diff", "a.vst", "b.vst", expect=(0, 1))
    thread = answer["threads"][0]
    found = next(((x, y) for x, y in zip(a.loads, b.loads) if x[2] != y[2]), None)
    if found is None:
        case.hit("no difference")
        case.same("no value", "value", None, thread["value"])
        return
    (number, line, x), (_, _, y) = found
    value = thread["value"] or {}
    times = sum(1 for n, l, _ in a.loads if l == line and n <= number)
    alone = source.lines[line - 1].count("in[") == 1
    case.same("first value", "line, values" + (", instance" if alone else ""), (line, x, y, times if alone else None),
              (value.get("line"), value.get("a"), value.get("b"), value.get("instance") if alone else None))
    # Where they part: the first execution whose line or dependences differ.
    parts = next((i for i in range(min(len(a.line), len(b.line))) if (a.line[i], a.data[i], a.key[i]) != (b.line[i], b.data[i], b.key[i])), None)
    if parts is None and len(a.line) != len(b.line):
        parts = min(len(a.line), len(b.line))
    # Or the branch before it that decided otherwise, between two ways that do the same: `x ? y : y`.
    turned = next((i + 1 for i, way in a.decision.items() if b.decision.get(i, way) != way), None)
    parts = min((i for i in (parts, turned) if i is not None), default=None)
    same_paths = not different_paths(a, b)
    case.hit("same paths" if same_paths else "different paths")
    case.same("control", "null or not", same_paths, thread["control"] is None)
    if same_paths or parts is None:
        return
    branch = max((i for i in range(parts) if a.key[i] and a.key[i][1] == "branch"), default=None)
    if branch is None:
        return
    differs = lambda i: a.value.get(i) != b.value.get(i) if i in a.value and i in b.value else any(differs(d) for d in a.data[i])
    work, reached = [branch], {branch}
    while work:
        for other in a.data[work.pop()]:
            if other not in reached and differs(other):
                reached.add(other)
                work.append(other)
    earliest = min(reached)
    if earliest == branch:
        case.hit("no chain")
        return
    case.hit("chains")
    steps = thread.get("why") or []
    case.same("why ends", f"from the branch in line {a.line[branch]}", a.line[earliest], steps[-1]["line"] if steps else None)


def different_paths(a, b):
    """Whether something else was executed, or an inner branch of a value went another way."""
    return a.decided != b.decided or list(zip(a.line, a.key)) != list(zip(b.line, b.key))


def mask(text):
    """in[x & 7] as in[x & 15]: the mask behind each index of the input."""
    out, at = [], 0
    while True:
        start = text.find("in[", at)
        if start < 0 or not text[start:].startswith("in["):
            return "".join(out) + text[at:]
        end = text.find("& 7]", start)
        declared = text[start - 14:start] == "unsigned char "
        if declared or end < 0:
            out.append(text[at:start + 3])
            at = start + 3
            continue
        out.append(text[at:end] + f"& {kInput - 1}]")
        at = end + 4


if __name__ == "__main__":
    common.main("diff_runs", check)
