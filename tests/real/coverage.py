"""-O0: the trace against clang's own coverage of the same run. README.md states the rules."""
import bisect
import glob
import itertools
import json
import os
import re
import subprocess
from collections import defaultdict

LEFT_INSIDE = "in functions left by an exception, longjmp or exit"
CLOSING_BRACE = re.compile(r"\s*}[\s})]*;?\s*(/[/*].*)?$")
LOOP_KEYWORD = re.compile(r"(for|while|do)\b")
NAME = re.compile(r"[A-Za-z_]\w*")
MACRO_CONDITION = re.compile(r"\b(?:for\s*\([^;]*;|while\s*\()\s*([A-Za-z_]\w*)\s*\(")
RANGE_FOR = re.compile(r"\bfor\s*\([^;]*[^:;]:[^:;]")


def output(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


# ---- counter by counter


def read_counters(text):
    """llvm-profdata's text form: counter symbol -> values, added up where several functions have that name."""
    counters = {}
    lines = iter(line for line in text.splitlines() if line and not line.startswith(("#", ":")))
    for name in lines:
        next(lines)  # hash
        values = [int(next(lines)) for _ in range(int(next(lines)))]
        # A local function's name is "file:name"; its counters' symbol has such characters replaced.
        symbol = "__profc_" + re.sub("[-:;<>/\"']", "_", name)
        counters[symbol] = [a + b for a, b in itertools.zip_longest(counters.get(symbol, []), values, fillvalue=0)]
    return counters


def compare_counters(functions, counters):
    """Each increment of a counter ran as often as the counter says. Returns the problems."""
    stores, steps = defaultdict(int), set()
    for function in functions:
        for statement in function.statements:
            if statement.symbol.startswith("__profc_"):
                key = statement.symbol, statement.offset // 8
                stores[key] += statement.count
                # `c ? 1 : 0` without a branch: the counter grows by c, which the control flow does not tell.
                if not statement.adds_one:
                    steps.add(key)
    value = {(symbol, i): v for symbol, values in counters.items() for i, v in enumerate(values)}
    problems = [f"{key[0]}[{key[1]}]: {stores.get(key, 0)} increments in the trace, {value.get(key, 0)} in the profile"
                for key in sorted({*stores, *value} - steps) if stores.get(key, 0) != value.get(key, 0)]
    ran = [count for key, count in stores.items() if count and key not in steps]
    print(f"  counters: {len(stores) - len(steps)} compared ({len(steps)} grow by a condition), {len(ran)} ran, "
          f"{sum(ran)} executions")
    return problems if ran else ["no counter ran"]


# ---- line by line


def counts_inside(expansion):
    """The counts of a macro's regions and of those of the macros in it. A region is line, column, line, column, count,
    the file or macro it is in, the macro it stands for, kind (1: a macro)."""
    wanted = {expansion["source_region"][6]}
    found = []
    regions = expansion["target_regions"]  # of the whole function, a macro behind the one it is in
    for region in regions:
        if region[5] in wanted:
            found.append(region[4])
            if region[7] == 1:
                wanted.add(region[6])
    return found


class File:
    """What llvm-cov says of one source file."""

    def __init__(self, export):
        self.segments = export["segments"]
        self.starts = [(s[0], s[1]) for s in self.segments]
        with open(export["filename"], errors="replace") as text:
            self.text = text.read().splitlines()
        # Lines with a macro that has other counts inside than outside: it branches, or a region begins with it.
        self.branching_macros = set()
        for expansion in export.get("expansions", []):
            line, _, last, _, count = expansion["source_region"][:5]
            if any(inside != count for inside in counts_inside(expansion)):
                self.branching_macros.update(range(line, last + 1))
        # System macros are not listed: the region goes on right behind a name.
        for one, two in zip(self.segments, self.segments[1:]):
            if one[0] == two[0] and one[4] and two[4] and one[2] != two[2] and \
                    NAME.fullmatch(self.text[one[0] - 1][one[1] - 1:two[1] - 1]):
                self.branching_macros.add(one[0])
        # A loop's condition that is a macro may have no region at all.
        for number, text in enumerate(self.text, 1):
            for loop in MACRO_CONDITION.finditer(text):
                at = number, loop.start(1) + 1
                place = bisect.bisect_left(self.starts, at)
                if self.starts[place:place + 1] != [at]:
                    self.branching_macros.add(number)
        self.lines = {}  # filled from llvm-cov's lcov form

    def at_loop_keyword(self, line, column):
        return LOOP_KEYWORD.match(self.text[line - 1], column - 1) is not None

    def has_one_count(self, line):
        """Whether all of a line, what goes on from the line before included, has the same count."""
        first, behind = bisect.bisect_left(self.starts, (line, 0)), bisect.bisect_left(self.starts, (line + 1, 0))
        return len({s[2] for s in self.segments[max(first - 1, 0):behind] if s[3]}) <= 1

    def region_count(self, line, column):
        """The count of the region at a place, or None."""
        at = bisect.bisect_right(self.starts, (line, column)) - 1
        return self.segments[at][2] if at >= 0 and self.segments[at][3] else None


def call_rule(function):
    """A rule for functions in which a call came back not at all, or twice. Coverage takes each to return once."""
    first = {}
    rule = None
    for statement in function.statements:
        if statement.op == "landingpad" and statement.count:
            rule = LEFT_INSIDE
        if not statement.pseudo and statement.op != "unreachable":
            count = first.setdefault(statement.block, statement.count)
            if statement.count > count:
                return "in functions that call setjmp"
            if statement.count < count:
                rule = LEFT_INSIDE
    return rule


def read_export(folder, binaries, data, llvm):
    def export(*more):
        return output(f"{llvm}/llvm-cov", "export", *more, "-instr-profile=" + data, *binaries, cwd=folder)
    files = {os.path.realpath(f["filename"]): File(f) for f in json.loads(export())["data"][0]["files"]}
    current = None
    for record in export("-format=lcov").splitlines():
        if record.startswith("SF:"):
            current = files[os.path.realpath(record[3:])]
        elif record.startswith("DA:"):
            line, count = record[3:].split(",")
            current.lines[int(line)] = int(count)
    return files


def place_statements(functions, folder, files):
    """(file, line) -> column -> count: of the statements there the one that ran most, added up over functions
    made of the same source (templates); a second such table for branches, without lines where one function's
    branches differ. Third, (file, line) -> rule."""
    ours = defaultdict(lambda: defaultdict(int))
    branches = defaultdict(lambda: defaultdict(int))
    unequal = set()
    left_out = {}
    places = {}
    for function in functions:
        columns, seen = defaultdict(int), {}
        rule = "in OpenMP regions" if ".omp_" in function.name else call_rule(function)
        for statement in function.statements:
            if not statement.line or statement.pseudo:
                continue
            if statement.file not in places:
                places[statement.file] = os.path.realpath(os.path.join(folder, statement.file))
            file = files.get(places[statement.file])
            if not file:
                continue
            key = places[statement.file], statement.line
            if rule:
                left_out.setdefault(key, rule)
            if statement.op not in ("br", "switch") and not file.at_loop_keyword(statement.line, statement.column):
                columns[key, statement.column] = max(columns[key, statement.column], statement.count)
            elif seen.setdefault(key, (statement.column, statement.count))[1] != statement.count:
                unequal.add(key)
        for (key, column), count in columns.items():
            ours[key][column] += count
        for key, (column, count) in seen.items():
            branches[key][column] += count
    for key in branches.keys() - ours.keys():
        if key in unequal or not files[key[0]].has_one_count(key[1]):
            left_out[key] = "with only branches, of several counts"
    return ours, branches, left_out


def compare_lines(functions, folder, files, least):
    """Returns the problems; fewer lines compared than the share `least` is one."""
    ours, branches, left_out = place_statements(functions, folder, files)
    mapped = with_statements = by_line = by_region = 0
    excluded = defaultdict(int)
    problems = []
    for name, file in files.items():
        for line, theirs in file.lines.items():
            mapped += 1
            columns = ours.get((name, line)) or branches.get((name, line))
            if not columns:
                continue
            with_statements += 1
            regions = [count for column in columns if (count := file.region_count(line, column)) is not None]
            rule = left_out.get((name, line))
            if line in file.branching_macros:
                rule = "with macros that branch"
            elif CLOSING_BRACE.match(file.text[line - 1]):
                rule = "with only a closing brace"
            elif not name.endswith(".c") and RANGE_FOR.search(file.text[line - 1]):
                rule = "with range-based for loops"
            elif not regions:
                rule = "whose statements are in no region"
            if rule and rule != LEFT_INSIDE:
                excluded[rule] += 1
                continue
            ran, expected = max(columns.values()), max(regions)
            if rule:
                excluded[rule] += 1
                wrong = ran > expected
            else:
                by_line += expected == theirs
                by_region += expected != theirs
                wrong = ran != expected
            if wrong:
                problems.append(f"{os.path.basename(name)}:{line}: {ran} in the trace, {expected} in llvm-cov: "
                                f"{file.text[line - 1].strip()}")
    print(f"  lines: {mapped} mapped, {with_statements} with statements; equal: {by_line} to llvm-cov's count of the "
          f"line, {by_region} to that of the statements' regions")
    for rule, count in sorted(excluded.items()):
        print(f"    {count} {rule}: {'at most' if rule == LEFT_INSIDE else 'left out'}")
    if by_line + by_region < least * with_statements:
        problems.append(f"only {by_line + by_region} of {with_statements} lines were compared")
    return problems


def compare(functions, folder, objects, least, out, name, llvm):
    data = os.path.join(out, name + ".profdata")
    output(f"{llvm}/llvm-profdata", "merge", "-o", data, *glob.glob(os.path.join(out, name + "-*.profraw")))
    counters = read_counters(output(f"{llvm}/llvm-profdata", "merge", "--text", "-o", "-", data))
    problems = compare_counters(functions, counters)
    binaries = [objects[0]] + [word for more in objects[1:] for word in ("-object", more)]
    problems += compare_lines(functions, folder, read_export(folder, binaries, data, llvm), least)
    if problems:
        raise SystemExit("\n".join(problems[:40]) + f"\n{len(problems)} differences")
