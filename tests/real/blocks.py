"""-O1 to -O3: block counts of the trace against those of count_pass.cpp, from the same run."""
from collections import defaultdict


def compare(functions, counted):
    theirs = defaultdict(list)  # (unit, function) -> counts of each copy that was loaded
    with open(counted) as file:
        for line in file:
            unit, name, counts = line.rstrip("\n").split("\t")
            theirs[unit, name].append([int(count) for count in counts.split()])
    compared = ran = executions = 0
    problems, missing = [], []
    seen = set()
    ours = defaultdict(list)
    for function in functions:
        if not function.name.startswith(("__count_", "vestige.")):
            ours[function.unit, function.name].append(function)
    for key, copies in ours.items():
        seen.add(key)
        rows = theirs.get(key, [])
        # A unit compiled into several modules, or a library loaded several times: the sums must agree.
        expected = [sum(column) for column in zip(*rows)]
        got = [sum(column) for column in zip(*(copy.blocks for copy in copies))]
        if len(expected) != len(got):
            problems.append(f"{key}: {len(got)} blocks in the trace, {len(expected)} counted")
            continue
        for number, (a, b) in enumerate(zip(got, expected)):
            if a != b:
                problems.append(f"{key[0]}: {key[1]}: B{number}: {a} in the trace, {b} counted")
        compared += len(got)
        ran += sum(1 for count in got if count)
        executions += sum(got)
    for key, rows in theirs.items():
        if key not in seen and any(any(row) for row in rows):
            missing.append(f"{key[0]}: {key[1]} ran and is not in the trace")
    problems += missing
    print(f"  blocks: {compared} of {len(ours)} functions compared, {ran} ran, {executions} executions")
    if problems:
        raise SystemExit("\n".join(problems[:20]) + f"\n{len(problems)} differences")
    if not ran:
        raise SystemExit("no block ran")
