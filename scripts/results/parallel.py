"""The page of the parallel-executions paper."""

from measured import column, number
from results import chart
from results.chart import Bar
from results.page import Paper, Picture


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


PAPER = Paper("parallel", "Parallel executions: COR, DOR and CDR",
              "How small are the control flow, the accesses, and both, of shared-memory parallel programs? In percent of a plain log (4 bytes per block and "
              "per access).",
              "| | FFT | LU | Mp3d | Water | SOR |\n|---|---|---|---|---|---|\n"
              "| CDR, % of the plain log | 0.44 – 0.74 | 0.25 – 0.36 | 9.7 | 3.7 – 6.2 | 1.4 – 4.2 |\n\n"
              "COR 0.4 – 9 %, DOR 35 – 79 %, gzip -9 3.3 – 13.8 % (smaller than CDR on Mp3d only: 8.3 %).",
              [("parallel", ["bench/parallel/run", "{build}"])],
              [Picture("parallel", "CDR, percent of the plain log (smaller is better)", chart.bars, parallel_bars)],
              "The programs are our own, of the paper's kind and size (FFT of 2^16 points, LU of 256 × 256, 50,000 particles, 64 molecules, SOR of 100 × 100); the "
              "paper's ran in a simulator. `particles` stands where Mp3d stood.")
