"""The page of the EPRSD thesis."""

from measured import column, number
from results import chart
from results.chart import Bar
from results.page import Paper, Picture


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


PAPER = Paper("eprsd", "EPRSD: memory traces of constant size",
              "Does the trace of a dense kernel grow with threads and problem size? Sizes of whole files.",
              "| | threads | raw, KB | compressed, KB |\n|---|---|---|---|\n| vector addition | 64 | 53,205 | 48.98 |\n| matrix multiply, 10 × 10 | 4 | 4,739 | 236 |\n"
              "| matrix multiply, 40 × 40 | 64 | 262,518 | 631 |\n\nAMG at 16 ranks 2,720 MB → 1,088 MB; Aztec at 64 ranks 213,824 KB → 72,221 KB; replay 90 – 91 % "
              "exact on these two.",
              [("spmd", ["bench/spmd/run", "{build}"])],
              [Picture("eprsd", "bytes of the whole file (smaller is better)", chart.bars, eprsd_bars)],
              "The thesis traced with Pin, so its raw references are fatter; ours are 8 bytes each. Every replay is compared with the recording, reference by reference.")
