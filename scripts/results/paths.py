"""The page of the path-matching paper."""

import math

from measured import number, numbers
from results import chart
from results.chart import Bar
from results.page import Paper, Picture, geomean, lines, named, records


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
        rows.append([name, kind, "", chunks, "", f"{ms(unpack)} + {ms(scan)}", ms(second), f"{ms(third)} + {ms(thirds_scan)}", ms(fourth), against(second),
                     times(float(scan) / float(second)), against(last), against(fourth), "", "", ""])
    return rows


def mean_rows():
    """Of the paper's ratios, by type of path."""
    means = []
    for kind in ("1", "2", "3"):
        chosen = [row for row in SCHEMES if row[1] == kind]
        first = [float(row[2]) + float(row[3]) for row in chosen]
        of = lambda seconds, against: times(math.prod(a / s for a, s in zip(against, seconds)) ** (1 / len(chosen)))
        scheme = {2: [float(row[4]) for row in chosen], 3: [float(row[6]) + float(row[7]) for row in chosen], 4: [float(row[8]) for row in chosen]}
        means.append([f"type {kind}", of(scheme[2], first), of(scheme[2], [float(row[3]) for row in chosen]), of(scheme[3], first), of(scheme[4], first), ""])
    return means


ROWS = {title: named(rows) for title, rows in {
    "Figure 11. The traces": TRACES,
    "Figure 12. Compressed": [[*row, ""] for row in COMPRESSED],
    "Figures 13 and 14. The four schemes": scheme_rows(),
    "Geometric means": mean_rows(),
}.items()}


def path_bars(tables):
    paper = {row[0]: row[1:] for row in ROWS["Geometric means"]}
    bars = []
    for name, *cells in lines(tables, "paths of", "scheme 2 : 1", "scheme 3 : 1", "scheme 4 : 1"):
        theirs = [paper[f"{name} (paper)"][place] for place in (0, 2, 3)]
        for scheme, ours, other in zip((2, 3, 4), cells, theirs):
            bars += [Bar(f"scheme {scheme}, paths of {name}", number(other) or 0, "paper"),
                     Bar(f"scheme {scheme}, paths of {name}", number(ours) or 0, "vestige")]
    return bars


def scheme_bars(tables):
    found = {}
    columns = ("type", "1: unpack + scan, ms", "2, ms", "3: index + unpack + scan, ms", "4, ms")
    for name, kind, first, second, third, fourth in lines(tables, "program", *columns):
        found.setdefault((kind, name), []).append([sum(numbers(first)), number(second), sum(numbers(third)), number(fourth)])
    return [Bar(f"{name}, paths of type {kind}", geomean([row[scheme - 1] for row in rows]), f"scheme {scheme}")
            for (kind, name), rows in sorted(found.items()) for scheme in (1, 2, 3, 4)]


ALONE = "Processor time of one thread, in one process, the index mapped and checked before; the least of three runs for 2, 4 and `auto`, one run of 1 and 3."
METHODS = {
    "Figure 11. The traces": ("4 bytes for each block, entry and exit; the deepest call, as far as it was recorded; functions that ran.", "the same, of Trimaran's blocks."),
    "Figure 12. Compressed": ("gzip -6 by zlib, whole and of blocks that begin anew; the index has both cuts into chunks.", "gzip, level not given; SEQUITUR's grammar packed, ours as queries use it."),
    "Figures 13 and 14. The four schemes": (
        f"All matches are counted. {ALONE} Scheme 3: the index (which chunks hold the function, and passing over the others), unpacking those, and what is left.",
        "the first match; schemes 3 are decompression + matching; elapsed time. Its block coverage is that of the path's function, as ours."),
    "The whole command": (
        "`vestige match --count` from its start to its end, files in memory: the process, opening the trace and the index (checksums, and rules against their bodies), the search, the answer. "
        "Processor time, the least of three runs.", "times searches; loading is not said to be in them."),
    "Geometric means": ("Of the paths of the table above.", "of Figure 13, computed here."),
    "Unpacking": ("The least over the paths; gunzip by zlib.", "see scheme 1 above."),
    "Sizes of chunks": ("The same paths, the index made with other sizes; geometric means.", "80, 40 and 4 MB for sizes only."),
}

PAPER = Paper("paths", "Path matching in compressed traces",
              "How long does it take to find an intraprocedural path in a compressed trace of control flow? Against unpacking and searching (scheme 1).",
              "Scheme 2 is 2 – 22 times faster than scheme 1 (geometric mean 3.7), all of it by not unpacking; scheme 4 on rare paths 88 – 1,758 times "
              "(387). The index took less than 20 KB. Each table below has the paper's rows after ours; ratios and means of them are ours, from its seconds.",
              [("paths", ["bench/paths/run", "{build}"])],
              [Picture("paths", "times faster than scheme 1, geometric means (larger is better)", chart.bars, path_bars),
               Picture("paths-schemes", "Figure 14, ours: ms to find all matches (smaller is better)", chart.bars, scheme_bars)],
              "bzip2, gzip, lua, sqlite3, tcc (a compiler), newlisp (a Lisp), minisat2 and mawk of Debian instead of SPEC; the logs of the first four are as long as most of the paper's, the "
              "others shorter. A path's type is the share of chunks (of 4 MB of log) that its function runs in: 1 at most 5 %, those in the fewest chunks; 3 at least 80 %; 2 between, those nearest "
              "to half. Every scheme counts all matches; the paper's asks for the first, and reads to the end for it in schemes 1 and 2. Scheme 1 unpacks our grammar, not gzip (the table of "
              "unpacking has both). Searches are timed with the index open, as the paper does; what a user waits for is the table of the whole command. "
              "The grammar is the annotated one that queries use as it lies in the file, so it is larger than a packed one; `our trace` is the "
              "recording itself, packed. MB are 2^20 bytes. The paper's machine was a Pentium IV of 2.0 GHz with 256 MB, its times are elapsed, ours processor time.", ROWS, METHODS)
