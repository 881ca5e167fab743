"""The page of the VPC paper."""

from measured import column, number
from results import chart
from results.chart import Bar
from results.page import Paper, Picture


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


PAPER = Paper("vpc", "VPC: traces of PCs and values",
              "How much smaller do traces of (PC, value) pairs become? The ratio of original and compressed size.",
              "VPC beat the second best of its peers 2.6 times on store addresses and about 2 times on load values, and reached up to 6170 on indirect "
              "branches; 88 MB of memory; 2.2 – 2.7 MB/s in and 3.5 MB/s out on a machine of 2003.",
              [("compress-sizes", ["bench/compress/run", "{build}", "--quick", "--sizes-only"])],
              [Picture("vpc", "compression ratio (larger is better)", chart.bars, vpc_bars)],
              "The traces are of today's programs (gcc, sqlite, lua, bzip2 …), 64-bit; here only the first tenth of each, so that all of it fits into an hour "
              "(bench/README.md has whole traces). `vpc` and `vpc2` are our own implementations of the paper's algorithms. The folder of traces is "
              "$VESTIGE_TRACES.")
