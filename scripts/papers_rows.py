"""Rows of two papers' own tables, to stand beside ours: by the title that the benchmark gives the table, in its columns."""

import math

MINUTE, MB = 60, 1 << 20


def records(text):
    """Lines of words: a name, then numbers as the paper prints them."""
    return [line.split() for line in text.strip().splitlines()]


def tier1_mean(*cells):
    """Of a table of response times: ours has no form after the first tier, so its mean alone is shown."""
    return ["mean after tier 1", *cells]


def named(rows):
    return [[f"{name} (paper)", *cells] for name, *cells in rows]


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


WET = {title: named(rows) for title, rows in {
    "Table 1. Sizes": [[name, count, original, small, ratio, bits(count, small), "", "", ""] for name, count, original, small, ratio in SIZES],
    "Table 2. Labels of nodes": NODES,
    "Table 3. Labels of edges": EDGES,
    "Figure 8. Shares of the components": shares(NODES, EDGES),
    "Table 4. Machine labels, a bit each": [[*row, ""] for row in MACHINE],
    "Table 5. Construction": [[name, count, f"{MINUTE * float(minutes):.0f}", f"{float(count) / MINUTE / float(minutes):.3f} M", ""]
                              for name, count, minutes in CONSTRUCTION],
    "Table 6. The control-flow trace": [[name, size, forwards, rate, backwards, back] for name, size, _, _, forwards, rate, _, _, backwards, back in FLOW]
    + [tier1_mean("508.38", "20.20", "171.08", "18.97", "177.92")],
    "Table 7. Load values": [[name, size, seconds, rate] for name, size, _, _, seconds, rate in VALUES] + [tier1_mean("74.56", "47.41", "4.57")],
    "Table 8. Load addresses": [[name, size, seconds, rate] for name, size, _, _, seconds, rate in ADDRESSES] + [tier1_mean("114.66", "79.10", "4.67")],
    "Table 9. Backward slices": [[name, "25", seconds, ""] for name, _, seconds in SLICES] + [tier1_mean("25", "14.34", "")],
}.items()}

# "The Design and Evaluation of Path Matching Schemes", Figure 11: MB, nesting, functions.
TRACES = records("""
008.espresso 170.3 32 164
026.compress 27.9 4 7
126.gcc 507.0 91 1085
130.li 80.9 424 121
164.gzip 504.4 9 49
175.vpr 463.6 9 150
197.parser 509.2 61 248
256.bzip2 492.7 7 26
""")
# Figure 12: gzip, blocks of 80, 40, 4 MB, its index in KB, Sequitur in MB. The index of Sequitur is as large.
COMPRESSED = records("""
008.espresso 3.24 3.25 3.23 3.23 2.6 3.74
026.compress 1.02 1.06 1.03 1.02 0.1 1.72
126.gcc 35.67 35.68 35.78 36.32 17.4 11.43
130.li 1.96 1.97 1.97 1.99 1.9 0.59
164.gzip 16.41 16.35 16.35 16.33 0.83 17.74
175.vpr 17.24 17.26 17.27 17.25 2.55 18.31
197.parser 19.11 19.13 19.14 19.14 4.22 7.52
256.bzip2 4.71 4.77 4.73 4.73 0.44 3.34
""")
# Figure 13: type, scheme 1 unpacking and scanning, 2, chunks, 3 unpacking and scanning, 4; seconds.
SCHEMES = records("""
008.espresso 1 0.900 0.366 0.373 1/44 0.021 0.008 0.001
008.espresso 2 0.900 0.392 0.348 20/44 0.430 0.187 0.155
008.espresso 3 0.900 0.336 0.360 41/44 0.839 0.313 0.312
026.compress 1 0.183 0.060 0.086 1/7 0.026 0.009 0.001
026.compress 2 0.183 0.055 0.083 4/7 0.105 0.039 0.056
026.compress 3 0.183 0.054 0.077 7/7 0.183 0.056 0.078
126.gcc 1 4.134 1.141 1.305 1/127 0.033 0.009 0.003
126.gcc 2 4.134 1.149 1.432 63/127 2.051 0.570 0.937
126.gcc 3 4.134 1.136 1.323 126/127 4.130 1.130 1.135
130.li 1 0.497 0.194 0.347 1/21 0.024 0.009 0.001
130.li 2 0.497 0.205 0.352 4/21 0.095 0.039 0.155
130.li 3 0.497 0.174 0.341 21/21 0.497 0.174 0.341
164.gzip 1 4.112 0.917 1.397 1/127 0.032 0.007 0.013
164.gzip 2 4.112 1.610 1.395 68/127 2.202 0.862 0.952
164.gzip 3 4.112 0.975 1.397 126/127 4.080 0.967 1.392
175.vpr 1 3.778 0.922 1.867 1/116 0.032 0.008 0.014
175.vpr 2 3.778 0.855 1.680 80/116 2.606 0.590 1.501
175.vpr 3 3.778 0.894 1.708 93/116 3.029 0.717 1.655
197.parser 1 4.152 1.295 2.363 1/128 0.032 0.010 0.062
197.parser 2 4.152 1.281 2.353 82/128 2.660 0.821 0.338
197.parser 3 4.152 1.348 2.351 116/128 3.763 1.221 1.826
256.bzip2 1 3.784 0.892 0.266 1/124 0.031 0.007 0.040
256.bzip2 2 3.784 1.162 0.269 18/124 0.549 0.169 0.112
256.bzip2 3 3.784 2.107 0.267 97/124 2.960 1.649 0.194
""")


def times(value):
    return f"{value:.1f}×" if value < 10 else f"{value:.0f}×"


def scheme_rows():
    rows = []
    for name, kind, unpack, scan, second, chunks, third, thirds_scan, fourth in SCHEMES:
        first, ms = float(unpack) + float(scan), lambda seconds: f"{1e3 * float(seconds):.0f}"
        against = lambda seconds: times(first / float(seconds))
        last = float(third) + float(thirds_scan)
        rows.append([name, kind, "", chunks, "", f"{ms(unpack)} + {ms(scan)}", ms(second), ms(last), ms(fourth), against(second),
                     times(float(scan) / float(second)), against(last), against(fourth), ""])
    return rows


def mean_rows():
    """Of the paper's ratios, by type of path."""
    means = []
    for kind in ("1", "2", "3"):
        chosen = [row for row in SCHEMES if row[1] == kind]
        first = [float(row[2]) + float(row[3]) for row in chosen]
        of = lambda seconds, against: times(math.prod(a / s for a, s in zip(against, seconds)) ** (1 / len(chosen)))
        scheme = {2: [float(row[4]) for row in chosen], 3: [float(row[6]) + float(row[7]) for row in chosen], 4: [float(row[8]) for row in chosen]}
        means.append([f"type {kind}", of(scheme[2], first), of(scheme[2], [float(row[3]) for row in chosen]), of(scheme[3], first), of(scheme[4], first)])
    return means


PATHS = {title: named(rows) for title, rows in {
    "Figure 11. The traces": TRACES,
    "Figure 12. Compressed": [[*row, ""] for row in COMPRESSED],
    "Figures 13 and 14. The four schemes": scheme_rows(),
    "Geometric means": mean_rows(),
}.items()}
