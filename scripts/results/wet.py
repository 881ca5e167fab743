"""The page of the whole-execution-traces paper."""

from measured import number
from results import chart
from results.chart import Bar, Share
from results.page import Paper, Picture, lines, named, records


MINUTE, MB = 60, 1 << 20


def tier1_mean(*cells):
    """Of a table of response times: we store no form after the first tier alone, so its mean alone is shown."""
    return ["mean", "tier 1", *cells]


# "Whole Execution Traces", Table 1: statements (millions), original and compressed MB, ratio.
SIZES = records("""
099.go 685.28 10369.32 574.65 18.04
126.gcc 364.80 5237.89 89.03 58.84
130.li 739.84 10399.06 203.01 51.22
164.gzip 650.46 9687.88 537.72 18.02
181.mcf 715.16 10541.86 416.21 25.33
197.parser 615.49 8729.88 188.39 46.34
255.vortex 609.45 8747.64 104.59 83.63
256.bzip2 751.26 11921.19 220.70 54.02
300.twolf 690.39 10666.19 646.93 16.49
mean 646.90 9588.99 331.25 41.33
""")
# Table 2: times of nodes in MB, original / tier 1, original / tier 2; values of nodes likewise.
NODES = records("""
099.go 2614.12 37.96 47.13 1847.09 2.48 6.33
126.gcc 1391.60 50.06 126.63 945.03 3.15 17.62
130.li 2822.26 32.47 105.88 1894.48 3.83 17.33
164.gzip 2481.32 30.33 152.76 1733.13 1.66 4.02
181.mcf 2728.12 22.12 127.09 1875.21 2.37 7.02
197.parser 2347.92 30.61 101.82 1615.57 2.05 12.45
255.vortex 2324.87 53.51 176.55 1641.31 3.51 23.82
256.bzip2 2865.81 55.24 1171.6 2154.85 2.46 10.61
300.twolf 2633.64 27.36 69.49 1873.52 2.13 4.36
mean 2467.74 37.74 230.99 1731.13 2.63 11.51
""")
# Table 3: labels of edges.
EDGES = records("""
099.go 5908.12 9.00 26.00
126.gcc 2901.26 15.37 118.94
130.li 5682.32 11.36 84.74
164.gzip 5473.42 10.13 60.37
181.mcf 5938.54 7.62 46.56
197.parser 4766.38 15.57 133.92
255.vortex 4781.46 21.75 212.35
256.bzip2 6900.52 32.06 455.44
300.twolf 6159.03 7.05 34.43
mean 5390.12 14.43 130.31
""")
# Table 4: branches, loads, stores, MB of bits.
MACHINE = records("""
099.go 9.68 12.17 5.87
126.gcc 5.28 6.11 4.09
130.li 11.36 11.16 8.08
164.gzip 9.64 10.95 5.87
181.mcf 12.88 11.93 3.32
197.parser 9.24 10.67 6.39
255.vortex 7.24 14.79 10.49
256.bzip2 10.08 14.51 3.26
300.twolf 9.76 13.38 4.94
mean 9.46 11.74 5.81
""")
# Table 5: statements (millions), minutes.
CONSTRUCTION = records("""
099.go 132.52 34.52
126.gcc 139.46 34.09
130.li 126.78 36.84
164.gzip 123.06 34.10
181.mcf 137.31 39.69
197.parser 122.12 39.13
255.vortex 119.50 34.43
256.bzip2 128.25 39.47
300.twolf 114.85 34.14
mean 127.09 36.27
""")
# Table 6: MB, then forwards tier 1 s, MB/s, tier 2 s, MB/s, then backwards likewise.
FLOW = records("""
099.go 530.09 146.49 3.62 147.43 3.60 136.58 3.88 136.80 3.87
126.gcc 557.85 5.45 102.36 6.12 91.15 5.59 99.79 6.03 92.51
130.li 507.12 3.16 160.48 3.68 137.80 3.20 158.47 3.70 137.06
164.gzip 492.24 1.10 447.49 1.28 384.56 1.03 477.90 1.26 390.67
181.mcf 549.25 4.07 134.95 4.14 132.67 3.71 148.05 4.20 130.77
197.parser 488.50 5.21 93.76 6.14 79.56 5.13 95.22 5.67 86.16
255.vortex 477.98 4.84 98.76 5.39 88.68 4.55 105.05 5.24 91.22
256.bzip2 512.99 1.13 453.97 1.56 328.84 1.10 466.35 1.38 371.73
300.twolf 459.40 10.36 44.34 10.70 42.93 9.86 46.59 10.31 44.56
mean 508.38 20.20 171.08 20.72 143.31 18.97 177.92 19.40 149.84
""")
# Tables 7 and 8: MB, tier 1 s, MB/s, tier 2 s, MB/s.
VALUES = records("""
099.go 77.99 185.03 0.42 301.02 0.26
126.gcc 77.45 38.99 1.99 45.89 1.69
130.li 66.98 9.56 7.01 64.00 1.05
164.gzip 70.58 35.77 1.97 587.70 0.12
181.mcf 74.58 42.38 1.76 425.20 0.18
197.parser 70.09 14.80 4.74 34.08 2.06
255.vortex 86.92 7.73 11.24 45.98 1.89
256.bzip2 75.31 6.72 11.21 13.62 5.53
300.twolf 71.13 85.70 0.83 375.03 0.19
mean 74.56 47.41 4.57 210.28 1.44
""")
ADDRESSES = records("""
099.go 115.79 377.79 0.31 556.22 0.21
126.gcc 127.64 61.28 2.08 65.56 1.95
130.li 112.92 15.29 7.39 202.16 0.56
164.gzip 96.12 41.88 2.30 256.30 0.38
181.mcf 98.85 52.81 1.87 443.45 0.22
197.parser 111.47 21.29 5.24 60.65 1.84
255.vortex 145.55 12.73 11.43 98.22 1.48
256.bzip2 126.78 12.00 10.57 21.40 5.92
300.twolf 96.80 116.86 0.83 330.53 0.29
mean 114.66 79.10 4.67 226.05 1.43
""")
# Table 9: tier 1 s, tier 2 s.
SLICES = records("""
099.go 58.31 412.44
126.gcc 10.91 17.74
130.li 10.00 121.42
164.gzip 4.20 102.33
181.mcf 17.47 76.07
197.parser 1.55 4.69
255.vortex 4.75 18.09
256.bzip2 2.76 3.90
300.twolf 19.10 62.15
mean 14.34 90.98
""")


def bits(statements, megabytes):
    return f"{8 * float(megabytes) * MB / float(statements) / 1e6:.2f}"


def shares(nodes, edges):
    """Figure 8 from Tables 2 and 3: its own numbers are not in the text."""
    rows = []
    for (name, times, t1, t2, values, v1, v2), (_, edge, e1, e2) in zip(nodes, edges):
        if name == "mean":  # of ratios: says nothing of sizes
            continue
        original = [float(times), float(values), float(edge)]
        for stage, ratios in (("original", (1, 1, 1)), ("tier 1", (t1, v1, e1)), ("tier 2", (t2, v2, e2))):
            sizes = [size / float(ratio) for size, ratio in zip(original, ratios)]
            rows.append([name, stage, *(f"{100 * size / sum(sizes):.1f}" for size in sizes)])
    return rows


ROWS = {title: named(rows) for title, rows in {
    "Table 1. Sizes": [[name, count, original, small, ratio, bits(count, small), "", "", ""] for name, count, original, small, ratio in SIZES],
    "Table 2. Labels of nodes": NODES,
    "Table 3. Labels of edges": EDGES,
    "Figure 8. Shares of the components": shares(NODES, EDGES),
    "Table 4. Machine labels, a bit each": [[*row, ""] for row in MACHINE],
    "Table 5. Construction": [[name, count, f"{MINUTE * float(minutes):.0f}", f"{float(count) / MINUTE / float(minutes):.3f} M", ""]
                              for name, count, minutes in CONSTRUCTION],
    "Table 6. The control-flow trace": [[name, "tier 2", size, forwards, rate, backwards, back] for name, size, _, _, forwards, rate, _, _, backwards, back in FLOW]
    + [tier1_mean("508.38", "20.20", "171.08", "18.97", "177.92")],
    "Table 7. Load values": [[name, "tier 2", size, seconds, rate] for name, size, _, _, seconds, rate in VALUES] + [tier1_mean("74.56", "47.41", "4.57")],
    "Table 8. Load and store addresses": [[name, "tier 2", size, seconds, rate] for name, size, _, _, seconds, rate in ADDRESSES] + [tier1_mean("114.66", "79.10", "4.67")],
    "Table 9. Backward slices, with values and addresses": [[name, "tier 2", "25", seconds, "", "", ""] for name, _, seconds in SLICES]
    + [tier1_mean("25", "14.34", "", "", "")],
}.items()}


def wet_bars(tables):
    bars = [Bar(name, number(bits), "paper") for name, *_, bits in (row[:6] for row in ROWS["Table 1. Sizes"])]
    for name, tier2, files in lines(tables, "program", "bits per statement, tier 2", "bits per statement, all"):
        bars += [Bar(name, number(tier2), "tier 2, ours"), Bar(name, number(files), "our files")]
    return bars


def wet_shares(tables):
    paper = [row for row in ROWS["Figure 8. Shares of the components"] if row[0] in ("164.gzip (paper)", "256.bzip2 (paper)")]
    parts = ("times", "values", "edges")
    return [Share(f"{name}, {stage}", dict(zip(parts, map(number, cells))))
            for name, stage, *cells in [*lines(tables, "program", "stage", *(f"{part}, %" for part in parts)), *paper]]


def wet_lengths(tables):
    series = {}
    for name, length, ratio in lines(tables, "program", "length, M statements", "ratio"):
        series.setdefault(name, []).append((number(length), number(ratio)))
    return series


TIERS = "Computed while the recording is evaluated, in the units of the paper (`info --tiers`)."
MACHINE_NOTE = "Trimaran's statements of SPEC programs."
BOTH = ("`WET` is the stored two-tier form (`represent --as wet`), read as it is; `recording` is our own trace with its indexes, from which values are derived. Runs an eighth as long as those "
        "of Table 1; processor time of all threads.")
THEIRS = "elapsed time of runs of 115 – 139 M statements on a Pentium IV of 2.4 GHz."
METHODS = {
    "Table 1. Sizes": (TIERS, "whole runs of SPEC, 365 – 751 M statements."),
    "Our files: bits per statement": ("Sizes of the files.", "has no such files."),
    "Table 2. Labels of nodes": (TIERS, MACHINE_NOTE),
    "Table 3. Labels of edges": (TIERS, MACHINE_NOTE),
    "Figure 8. Shares of the components": (TIERS, "computed here from its Tables 2 and 3."),
    "Table 4. Machine labels, a bit each": ("One bit for each execution of a branch, a load and a store (`machine`).", "the same; how it compressed them is not said."),
    "Figure 9. Compression and the length of the run": ("The same program on inputs an eighth, a quarter and half as large.", "lengths up to 750 M; a drawing only."),
    "Table 5. Construction": ("Processor time of `vestige index` on the recording: both indexes; recording is not in it.", "elapsed time of both tiers from traces in files."),
    "The stored WET": ("`represent --as wet` of a run an eighth as long; processor time and largest memory of the command, with the index of dependences there.", "has no table of it; see Tables 1 and 5."),
    "Table 6. The control-flow trace": (
        f"The #IDs of all statements are written one by one in the order executed (backwards: in the opposite one), counted and added up; 4 bytes each. {BOTH}",
        f"the same 4 bytes; {THEIRS} It may walk from any point; ours is the whole run."),
    "Table 7. Load values": (f"The values of all loads, 4 bytes each as in the paper (ours have up to 8), all statements in one pass. {BOTH}",
                             f"statement by statement; {THEIRS}"),
    "Table 8. Load and store addresses": (f"The addresses of all loads and stores, 4 bytes each as in the paper (ours have 8), all statements in one pass; they are columns of the WET. {BOTH}",
                                          f"statement by statement, each address as the value of the operand that computed it; {THEIRS}"),
    "Table 9. Backward slices, with values and addresses": (
        f"25 random executions (each equally likely); every member is visited in the order executed, with instance, time, value, address and why it is in. {BOTH}",
        f"averages of 25 slices whose criteria and sizes are not given; {THEIRS}"),
    "Slices of random executions, both ways": ("On the recording of full length: members are counted, statement by statement, and not listed.", "has no such table."),
}

PAPER = Paper("wet", "Whole execution traces",
              "How big is a whole execution trace (control flow, values, addresses, dependences), and how fast are its queries?",
              "On average 647 M statements in 331 MB (4.3 bits per statement, ratio 41), built at 0.06 M statements a second, control flow at 143 MB/s, load values and "
              "addresses at 1.4 MB/s, a slice in 91 s. Each table below has the paper's rows after ours. The drawing of Figure 9 is not in the text we have: in it, ratios stay or rise with "
              "the length for 7 of the 9 programs.",
              [("wet-8", ["bench/wet/run", "{build}", "--criteria", "8"])],
              [Picture("wet", "bits per statement, everything included (smaller is better)", chart.bars, wet_bars),
               Picture("wet-shares", "Figure 8: shares of the components", chart.shares, wet_shares),
               Picture("wet-lengths", "Figure 9, ours: original : tier 2", lambda title, found: chart.curves(title, "M statements", found), wet_lengths)],
              "Statements are LLVM's at -O2, not Trimaran's; bzip2, gzip, lua and sqlite3 of Debian instead of SPEC, runs of about 10^8 statements (the paper's Tables 1 – 4: 365 – 751 M, its "
              "others: 115 – 139 M). The two tiers are measured as the paper defines them; `our files` are what Vestige keeps: the trace, where values that follow from others are derived, and "
              "both indexes. Tables 6 – 9 are of both forms, the paper's and ours, and the answers are the same. There are no times of a form after tier 1. bench/README.md has more slices. MB are 2^20 bytes, as in the paper. "
              "Figure 8 of the paper is computed from its Tables 2 and 3. Its machine was a Pentium IV of 2.4 GHz with 2 GB; "
              "its times are elapsed, ours processor time.", ROWS, METHODS)
