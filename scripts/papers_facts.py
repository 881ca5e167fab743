"""What the five papers report, and which of our measurements answers it."""

import math
from dataclasses import dataclass
from typing import Callable

from measured import column, number
from papers_chart import Bar


@dataclass
class Paper:
    name: str
    title: str
    about: str
    figures: str
    commands: list
    axis: str
    bars: Callable
    differs: str


def parallel_bars(tables):
    paper = {"fft": 0.44, "lu": 0.25, "particles": 9.7, "water": 3.7, "sor": 1.4}
    bars = []
    for table in tables:
        threads, cdr, gzip = column(table, "threads"), column(table, "CDR"), column(table, "gzip -9 %")
        if None in (threads, cdr, gzip):
            continue
        for row in table[1:]:
            if row[threads] == "4":
                bars += [Bar(f"{row[0]}: the paper at best", paper.get(row[0], 0), "paper"),
                         Bar(f"{row[0]}: gzip -9", number(row[gzip]) or 0, "peer"),
                         Bar(f"{row[0]}: vestige, 4 threads", number(row[cdr + 1]) or 0, "vestige")]
    return bars


def vpc_bars(tables):
    bars = []
    for table in tables:
        best, xz, vpc = column(table, "vestige -9"), column(table, "xz -9e"), column(table, "vpc2")
        if None in (best, xz, vpc):
            continue
        for row in table[1:]:
            bars += [Bar(f"{row[0]}: xz -9e", number(row[xz]) or 0, "peer"),
                     Bar(f"{row[0]}: the paper's vpc2", number(row[vpc]) or 0, "paper"),
                     Bar(f"{row[0]}: vestige -9", number(row[best]) or 0, "vestige")]
    return bars


def path_bars(tables):
    times = {}
    for table in tables:
        kind, two, four = column(table, "type"), column(table, "2 against 1"), column(table, "4 against 1")
        if None in (kind, two, four):
            continue
        for row in table[1:]:
            times.setdefault(row[kind], []).append((number(row[two]), number(row[four])))
    mean = lambda values: math.exp(sum(map(math.log, values)) / len(values)) if values else 0
    bars = [Bar("scheme 2: the paper", 3.7, "paper")]
    bars += [Bar(f"scheme 2: vestige, paths of type {kind}", mean([t for t, _ in rows if t]), "vestige") for kind, rows in sorted(times.items())]
    bars += [Bar("scheme 4, rare paths: the paper", 387, "paper")]
    bars += [Bar(f"scheme 4: vestige, paths of type {kind}", mean([f for _, f in rows if f]), "vestige") for kind, rows in sorted(times.items())]
    return bars


def wet_bars(tables):
    bars = [Bar("the paper's mean", 4.3, "paper")]
    for table in tables:
        bits = column(table, "bits per statement, all")
        if bits is not None:
            bars += [Bar(row[0], number(row[bits]) or 0, "vestige") for row in table[1:]]
    return bars if len(bars) > 1 else []


def eprsd_bars(tables):
    paper = {"vector add, 4": 48.98e3, "vector add, 64": 48.98e3, "matrix multiply, 4": 236e3, "matrix multiply, 64": 631e3}
    bars = []
    for table in tables:
        size = column(table, "descriptors, whole file")
        if size is None:
            continue
        for row in table[1:]:
            name = row[0].split(" threads")[0]
            if name in paper:
                bars.append(Bar(f"{name} threads: the thesis", paper.pop(name), "paper"))
            bars.append(Bar(row[0][:40], number(row[size]) or 0, "vestige"))
    return bars


PAPERS = [
    Paper("parallel", "Parallel executions: COR, DOR and CDR",
          "How small are the control flow, the accesses, and both, of shared-memory parallel programs? In percent of a plain log (4 bytes per block and "
          "per access).",
          "| | FFT | LU | Mp3d | Water | SOR |\n|---|---|---|---|---|---|\n"
          "| CDR, % of the plain log | 0.44 – 0.74 | 0.25 – 0.36 | 9.7 | 3.7 – 6.2 | 1.4 – 4.2 |\n\n"
          "COR 0.4 – 9 %, DOR 35 – 79 %, gzip -9 3.3 – 13.8 % (smaller than CDR on Mp3d only: 8.3 %).",
          [("parallel", ["bench/parallel/run", "{build}"])],
          "CDR, percent of the plain log (smaller is better)", parallel_bars,
          "The programs are our own, of the paper's kind and size (FFT of 2^16 points, LU of 256 × 256, 50,000 particles, 64 molecules, SOR of 100 × 100); the "
          "paper's ran in a simulator. `particles` stands where Mp3d stood."),
    Paper("vpc", "VPC: traces of PCs and values",
          "How much smaller do traces of (PC, value) pairs become? The ratio of original and compressed size.",
          "VPC beat the second best of its peers 2.6 times on store addresses and about 2 times on load values, and reached up to 6170 on indirect "
          "branches; 88 MB of memory; 2.2 – 2.7 MB/s in and 3.5 MB/s out on a machine of 2003.",
          [("compress-sizes", ["bench/compress/run", "{build}", "--quick", "--sizes-only"])],
          "compression ratio (larger is better)", vpc_bars,
          "The traces are of today's programs (gcc, sqlite, lua, bzip2 …), 64-bit; here only the first tenth of each, so that all of it fits into an hour "
          "(bench/README.md has whole traces). `vpc` and `vpc2` are our own implementations of the paper's algorithms. The folder of traces is "
          "$VESTIGE_TRACES."),
    Paper("paths", "Path matching in compressed traces",
          "How long does it take to find an intraprocedural path in a compressed trace of control flow? Against unpacking and searching (scheme 1).",
          "Scheme 2 is 2 – 22 times faster than scheme 1 (geometric mean 3.7), all of it by not unpacking; scheme 4 on rare paths 88 – 1,758 times "
          "(387). The index took less than 20 KB. Traces of 500 MB. bzip2, rare path: unpack 3.784 s and scan 0.892 s (scheme 1), 0.266 s (2), "
          "0.038 s (3), 0.040 s (4).",
          [("record-once", ["env", "ROUNDS=1", "bench/record/run", "{build}"]), ("paths-few", ["bench/paths/run", "{build}", "2"])],
          "times faster than scheme 1 (larger is better)", path_bars,
          "bzip2, gzip, lua and sqlite3 of Debian instead of SPEC; a path's type is its share of chunks, as in the paper (1 rare, 2 some, 3 nearly all)."),
    Paper("wet", "Whole execution traces",
          "How big is a whole execution trace (control flow, values, addresses, dependences), and how fast are its queries?",
          "| | the paper's mean over nine programs |\n|---|---|\n| statements | 647 M |\n| compressed | 331 MB, 4.3 bits per statement, ratio 41 |\n"
          "| node times / values / edges, original : tier 2 | 231 / 11.5 / 130 |\n| construction | 36 min for 127 M statements |\n"
          "| control-flow trace, forwards / backwards | 143 / 150 MB/s |\n| load values, addresses | 1.44, 1.43 MB/s |\n| a slice | 91 s |",
          [("wet", ["bench/wet/run", "{build}"])],
          "bits per statement, everything included (smaller is better)", wet_bars,
          "Statements are LLVM's at -O2, not Trimaran's; bzip2, gzip, lua and sqlite3 of Debian instead of SPEC, 10^8 statements and more. Values that follow "
          "from others are derived, not stored, so the two tiers are reported beside what the files take."),
    Paper("eprsd", "EPRSD: memory traces of constant size",
          "Does the trace of a dense kernel grow with threads and problem size? Sizes of whole files.",
          "| | threads | raw, KB | compressed, KB |\n|---|---|---|---|\n| vector addition | 64 | 53,205 | 48.98 |\n| matrix multiply, 10 × 10 | 4 | 4,739 | 236 |\n"
          "| matrix multiply, 40 × 40 | 64 | 262,518 | 631 |\n\nAMG at 16 ranks 2,720 MB → 1,088 MB; Aztec at 64 ranks 213,824 KB → 72,221 KB; replay 90 – 91 % "
          "exact on these two.",
          [("spmd", ["bench/spmd/run", "{build}"])],
          "bytes of the whole file (smaller is better)", eprsd_bars,
          "The thesis traced with Pin, so its raw references are fatter; ours are 8 bytes each. Every replay is compared with the recording, reference by reference."),
]
