#!/usr/bin/python3
# compare.py BIN SOURCE -O…: the loads and stores of the program's arrays (globals named test_…), in order, as Valgrind's
# lackey saw them in the unrecorded run of a binary, and as `vestige replay` derives them from a recording of the same binary.
# lackey's M is a load and a store. Accesses by the C library (qsort) are lackey's alone: inside the array that qsort works on, ours must
# be among lackey's in order; everything else must be equal.
import re, subprocess, sys, tempfile, os

tools, source, level = sys.argv[1:4]
work = tempfile.TemporaryDirectory()
program = os.path.join(work.name, "program")
# Static and without line numbers: Valgrind cannot read clang's, not even those of the runtime library.
subprocess.run([f"{tools}/vestige-cc", level, "-static", source, "-o", program], check=True)
subprocess.run(["strip", "-g", program], check=True)

ranges = []
for line in subprocess.run(["nm", "-S", program], check=True, capture_output=True, text=True).stdout.splitlines():
    words = line.split()
    if len(words) == 4 and words[3].startswith("test_"):
        start = int(words[0], 16)
        ranges.append((start, start + int(words[1], 16), words[3]))
assert len(ranges) >= 5, ranges


def accesses(lines):
    out = {name: [] for _, _, name in ranges}
    for line in lines:
        match = re.match(r"\s*([LSM])\s+([0-9a-fA-F]+),(\d+)", line)
        if not match:
            continue
        address = int(match[2], 16)
        for start, end, name in ranges:
            if start <= address < end:
                for kind in "LS" if match[1] == "M" else match[1]:
                    out[name].append((kind, address, int(match[3])))
    return out


lackey = subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", "--basic-counts=no", program],
                        check=True, capture_output=True, text=True)
theirs = accesses(lackey.stderr.splitlines() + lackey.stdout.splitlines())
trace = program + ".vst"
subprocess.run([f"{tools}/vestige", "record", "-q", "-o", trace, "--", program], check=True, capture_output=True)
replay = subprocess.run([f"{tools}/vestige", "replay", trace, "--format", "lackey"], check=True, capture_output=True,
                        text=True)
ours = accesses(replay.stdout.splitlines())

total = 0
for name in ours:
    mine, other = ours[name], theirs[name]
    total += len(mine)
    assert mine, f"{name}: nothing derived"
    if name == "test_order":  # qsort moves it, too
        rest = iter(other)
        for index, access in enumerate(mine):
            assert access in rest, f"{name}: access {index}, {access}, is not lackey's"
        continue
    for index, pair in enumerate(zip(mine, other)):
        assert pair[0] == pair[1], f"{name}: access {index} is {pair[0]}, lackey has {pair[1]}"
    assert len(mine) == len(other), f"{name}: {len(mine)} accesses, lackey has {len(other)}"
print(f"{total} accesses equal")
