"""What the five papers report, and which of our measurements answers it."""

import math
from dataclasses import dataclass, field
from typing import Callable

import papers_chart
import papers_rows
from measured import column, number, numbers
from papers_chart import Bar, Share


@dataclass
class Picture:
    name: str
    title: str
    draw: Callable  # of papers_chart
    of: Callable  # what it draws, of our tables


@dataclass
class Paper:
    name: str
    title: str
    about: str
    figures: str
    commands: list
    pictures: list
    differs: str
    rows: dict = field(default_factory=dict)  # of the paper's own tables, by the title of ours


def parallel_bars(tables):
    paper = {"fft": 0.44, "lu": 0.25, "particles": 9.7, "water": 3.7, "sor": 1.4}
    bars = []
    for table in tables:
        threads, cdr, gzip = column(table, "threads"), column(table, "CDR"), column(table, "gzip -9 %")
        if None in (threads, cdr, gzip):
            continue
        for row in table[1:]:
            if row[threads] == "4":
                bars += [Bar(row[0], paper.get(row[0], 0), "the paper at best"),
                         Bar(row[0], number(row[gzip]) or 0, "gzip -9"),
                         Bar(row[0], number(row[cdr + 1]) or 0, "vestige, 4 threads")]
    return bars


def vpc_bars(tables):
    bars = []
    for table in tables:
        best, xz, vpc = column(table, "vestige -9"), column(table, "xz -9e"), column(table, "vpc2")
        if None in (best, xz, vpc):
            continue
        for row in table[1:]:
            bars += [Bar(row[0], number(row[xz]) or 0, "xz -9e"),
                     Bar(row[0], number(row[vpc]) or 0, "the paper's vpc2"),
                     Bar(row[0], number(row[best]) or 0, "vestige -9")]
    return bars


def lines(tables, first, *names):
    """Rows of the tables that have these columns: the first column and those named."""
    for table in tables:
        at = [column(table, name) for name in (first, *names)]
        if None not in at:
            for row in table[1:]:
                yield [row[place] for place in at]


def geomean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


def path_bars(tables):
    paper = {row[0]: row[1:] for row in papers_rows.PATHS["Geometric means"]}
    bars = []
    for name, *cells in lines(tables, "paths of", "scheme 2 : 1", "scheme 3 : 1", "scheme 4 : 1"):
        theirs = [paper[f"{name} (paper)"][place] for place in (0, 2, 3)]
        for scheme, ours, other in zip((2, 3, 4), cells, theirs):
            bars += [Bar(f"scheme {scheme}, paths of {name}", number(other) or 0, "paper"),
                     Bar(f"scheme {scheme}, paths of {name}", number(ours) or 0, "vestige")]
    return bars


def scheme_bars(tables):
    found = {}
    columns = ("type", "1: unpack + scan, ms", "2, ms", "3, ms", "4, ms")
    for name, kind, first, *others in lines(tables, "program", *columns):
        found.setdefault((kind, name), []).append([sum(numbers(first)), *map(number, others)])
    return [Bar(f"{name}, paths of type {kind}", geomean([row[scheme - 1] for row in rows]), f"scheme {scheme}")
            for (kind, name), rows in sorted(found.items()) for scheme in (1, 2, 3, 4)]


def wet_bars(tables):
    bars = [Bar(name, number(bits), "paper") for name, *_, bits in (row[:6] for row in papers_rows.WET["Table 1. Sizes"])]
    for name, tier2, files in lines(tables, "program", "bits per statement, tier 2", "bits per statement, all"):
        bars += [Bar(name, number(tier2), "tier 2, ours"), Bar(name, number(files), "our files")]
    return bars


def wet_shares(tables):
    paper = [row for row in papers_rows.WET["Figure 8. Shares of the components"] if row[0] in ("164.gzip (paper)", "256.bzip2 (paper)")]
    parts = ("times", "values", "edges")
    return [Share(f"{name}, {stage}", dict(zip(parts, map(number, cells))))
            for name, stage, *cells in [*lines(tables, "program", "stage", *(f"{part}, %" for part in parts)), *paper]]


def wet_lengths(tables):
    series = {}
    for name, length, ratio in lines(tables, "program", "length, M statements", "ratio"):
        series.setdefault(name, []).append((number(length), number(ratio)))
    return series


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
            bars.append(Bar(row[0].removesuffix(" rows, 25 iterations"), number(row[size]) or 0, "vestige"))
    return bars


PAPERS = [
    Paper("parallel", "Parallel executions: COR, DOR and CDR",
          "How small are the control flow, the accesses, and both, of shared-memory parallel programs? In percent of a plain log (4 bytes per block and "
          "per access).",
          "| | FFT | LU | Mp3d | Water | SOR |\n|---|---|---|---|---|---|\n"
          "| CDR, % of the plain log | 0.44 – 0.74 | 0.25 – 0.36 | 9.7 | 3.7 – 6.2 | 1.4 – 4.2 |\n\n"
          "COR 0.4 – 9 %, DOR 35 – 79 %, gzip -9 3.3 – 13.8 % (smaller than CDR on Mp3d only: 8.3 %).",
          [("parallel", ["bench/parallel/run", "{build}"])],
          [Picture("parallel", "CDR, percent of the plain log (smaller is better)", papers_chart.bars, parallel_bars)],
          "The programs are our own, of the paper's kind and size (FFT of 2^16 points, LU of 256 × 256, 50,000 particles, 64 molecules, SOR of 100 × 100); the "
          "paper's ran in a simulator. `particles` stands where Mp3d stood."),
    Paper("vpc", "VPC: traces of PCs and values",
          "How much smaller do traces of (PC, value) pairs become? The ratio of original and compressed size.",
          "VPC beat the second best of its peers 2.6 times on store addresses and about 2 times on load values, and reached up to 6170 on indirect "
          "branches; 88 MB of memory; 2.2 – 2.7 MB/s in and 3.5 MB/s out on a machine of 2003.",
          [("compress-sizes", ["bench/compress/run", "{build}", "--quick", "--sizes-only"])],
          [Picture("vpc", "compression ratio (larger is better)", papers_chart.bars, vpc_bars)],
          "The traces are of today's programs (gcc, sqlite, lua, bzip2 …), 64-bit; here only the first tenth of each, so that all of it fits into an hour "
          "(bench/README.md has whole traces). `vpc` and `vpc2` are our own implementations of the paper's algorithms. The folder of traces is "
          "$VESTIGE_TRACES."),
    Paper("paths", "Path matching in compressed traces",
          "How long does it take to find an intraprocedural path in a compressed trace of control flow? Against unpacking and searching (scheme 1).",
          "Scheme 2 is 2 – 22 times faster than scheme 1 (geometric mean 3.7), all of it by not unpacking; scheme 4 on rare paths 88 – 1,758 times "
          "(387). The index took less than 20 KB. Each table below has the paper's rows after ours; ratios and means of them are ours, from its seconds.",
          [("paths", ["bench/paths/run", "{build}"])],
          [Picture("paths", "times faster than scheme 1, geometric means (larger is better)", papers_chart.bars, path_bars),
           Picture("paths-schemes", "Figure 14, ours: ms to find all matches (smaller is better)", papers_chart.bars, scheme_bars)],
          "bzip2, gzip, lua and sqlite3 of Debian instead of SPEC, on inputs that give logs of 430 – 530 MB, as most of the paper's are. A path's type is the share of "
          "chunks (of 4 MB of log) that its function runs in: 1 at most 5 %, 3 at least 80 %, 2 between; the paper's type is that of the path itself. Every scheme counts all "
          "matches; the paper's asks for the first, and reads to the end for it in schemes 1 and 2. Scheme 1 unpacks our grammar, not gzip (the table of unpacking has both); the time of "
          "scheme 3 is not taken apart. The grammar is the annotated one that queries use as it lies in the file, so it is larger than a packed one; `our trace` is the "
          "recording itself, packed. MB are 2^20 bytes. The paper's machine was a Pentium IV of 2.0 GHz with 256 MB, its times are elapsed, ours processor time.", papers_rows.PATHS),
    Paper("wet", "Whole execution traces",
          "How big is a whole execution trace (control flow, values, addresses, dependences), and how fast are its queries?",
          "On average 647 M statements in 331 MB (4.3 bits per statement, ratio 41), built at 0.06 M statements a second, control flow at 143 MB/s, load values and "
          "addresses at 1.4 MB/s, a slice in 91 s. Each table below has the paper's rows after ours. The drawing of Figure 9 is not in the text we have: in it, ratios stay or rise with "
          "the length for 7 of the 9 programs.",
          [("wet-25", ["bench/wet/run", "{build}", "--criteria", "25"])],
          [Picture("wet", "bits per statement, everything included (smaller is better)", papers_chart.bars, wet_bars),
           Picture("wet-shares", "Figure 8: shares of the components", papers_chart.shares, wet_shares),
           Picture("wet-lengths", "Figure 9, ours: original : tier 2", lambda title, found: papers_chart.curves(title, "M statements", found), wet_lengths)],
          "Statements are LLVM's at -O2, not Trimaran's; bzip2, gzip, lua and sqlite3 of Debian instead of SPEC, runs of about 10^8 statements (the paper's Tables 1 – 4: 365 – 751 M, its "
          "others: 115 – 139 M). The two tiers are measured as the paper defines them; `our files` are what Vestige keeps: the trace, where values that follow from others are derived, and "
          "both indexes. Queries run on those files, so there are no times of a form after tier 1. Slices are of 25 random executions as in the paper (bench/README.md has more). MB are 2^20 bytes, as in the paper. "
          "Addresses are those of loads; the paper's are of loads and stores. Figure 8 of the paper is computed from its Tables 2 and 3. Its machine was a Pentium IV of 2.4 GHz with 2 GB; "
          "its times are elapsed, ours processor time.", papers_rows.WET),
    Paper("eprsd", "EPRSD: memory traces of constant size",
          "Does the trace of a dense kernel grow with threads and problem size? Sizes of whole files.",
          "| | threads | raw, KB | compressed, KB |\n|---|---|---|---|\n| vector addition | 64 | 53,205 | 48.98 |\n| matrix multiply, 10 × 10 | 4 | 4,739 | 236 |\n"
          "| matrix multiply, 40 × 40 | 64 | 262,518 | 631 |\n\nAMG at 16 ranks 2,720 MB → 1,088 MB; Aztec at 64 ranks 213,824 KB → 72,221 KB; replay 90 – 91 % "
          "exact on these two.",
          [("spmd", ["bench/spmd/run", "{build}"])],
          [Picture("eprsd", "bytes of the whole file (smaller is better)", papers_chart.bars, eprsd_bars)],
          "The thesis traced with Pin, so its raw references are fatter; ours are 8 bytes each. Every replay is compared with the recording, reference by reference."),
]
