"""Recordings of bzip2, gzip, lua5.4 and sqlite3, built as bench/record does, of runs as long as a benchmark wants them."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
loader = importlib.machinery.SourceFileLoader("bench_record", str(ROOT / "bench/record/run"))
bench_record = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_record", loader))
loader.exec_module(bench_record)

PROGRAMS = list(bench_record.BUILDERS)

LUA = """
local t = {{}}
for i = 1, {numbers} do t[i] = (i * 7919) % 10007 end
table.sort(t)
local words = {{}}
for w in (("the quick brown fox jumps over the lazy dog "):rep({lines})):gmatch("%a+") do words[w] = (words[w] or 0) + 1 end
local s = 0
for i = 1, {rounds} do s = s + i % 7 * 2 if s > 100000 then s = s - 999 end end
print(t[1], words.the, s)
"""
SQL = """
create table t(a integer primary key, b text, c integer);
create index i on t(c);
with recursive n(x) as (select 1 union all select x+1 from n where x<{rows})
  insert into t select x, 'row number '||x, (x*7919)%1007 from n;
select c%10, count(*), sum(a) from t group by 1 order by 1;
select count(*) from t x join t y on x.c=y.c where x.a<100;
"""


def given(kept, work, name, scale):
    """Arguments and input of a run: 10^8 statements at scale 1, and about as many times more as the scale says."""
    if name in ("bzip2", "gzip"):
        bench_record.inputs(kept)
        text = work / f"text-{scale:g}"
        with open(kept / "text", "rb") as whole:
            text.write_bytes(whole.read(int(300_000 * scale)))
        return ["-9", "-k", "-c", str(text)] if name == "bzip2" else ["-9", "-c", str(text)], None
    script = work / f"{name}-{scale:g}"
    if name == "lua5.4":
        script.write_text(LUA.format(numbers=int(8500 * scale), lines=int(640 * scale), rounds=int(320_000 * scale)))
        return [str(script)], None
    script.write_text(SQL.format(rows=int(11_000 * scale)))
    return [":memory:"], script


def recording(build, work, name, what="full", scale=1, given=given, statuses=(0,)):
    """The recording, made when it is not there. `given` makes arguments and input of the run; `statuses`: how it may end."""
    trace = work / (f"{name}.vst" if scale == 1 else f"{name}-{scale:g}.vst")
    if trace.exists():
        return trace
    work.mkdir(exist_ok=True)
    kept = build / "bench-record"
    (kept / "sources").mkdir(parents=True, exist_ok=True)
    binary = bench_record.build(kept, name, "recorded", build / "bin/vestige-cc")
    arguments, standard_input = given(kept, work, name, scale)
    part = f"{trace}.part"
    command = [str(build / "bin/vestige"), "record", "-q", "--what", what, "-o", part, "--", str(binary), *arguments]
    with open(standard_input or os.devnull) as text:
        status = subprocess.run(command, stdin=text, stdout=subprocess.DEVNULL).returncode
    if status not in statuses:
        raise SystemExit(f"{' '.join(command)}: exit status {status}")
    os.rename(part, trace)
    return trace


def fresh(build, file):
    """Whether the file is of this build."""
    return file.exists() and file.stat().st_mtime >= (build / "bin/vestige").stat().st_mtime


def kept(build, file, make):
    """What `make` gives: kept from before in the file, as JSON, or made now. What is older than the build is made again."""
    if not fresh(build, file):
        part = file.with_suffix(".part")
        part.write_text(json.dumps(make()))
        part.rename(file)
    return json.loads(file.read_text())


def title(text):
    """Of the table that comes next; scripts/papers knows the papers' own rows by it."""
    print(f"### {text}\n")


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)
