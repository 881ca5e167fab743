"""The page of the VPC paper."""

from measured import number
from results import chart
from results.chart import Bar, Stack
from results.page import Paper, Picture, geomean, lines, named, records


# "Compressing Extended Program Traces Using Value Predictors", Table 1: MB of load values, indirect branches, store addresses.
SIZES = records("""
gzip 7,881.4 small 3,102.5
vpr 6,384.6 small 1,857.6
gcc 4,361.7 80.0 2,151.6
mcf 456.6 small 405.5
crafty large 105.4 3,119.0
parser 9,002.0 small 4,023.4
perlbmk 1,026.0 32.9 527.6
gap 2,988.6 135.7 1,238.9
vortex large 26.8 large
bzip2 large small large
twolf 684.8 small 190.0
mesa 5,972.7 259.6 3,655.4
art 4,466.0 small 1,730.4
equake 3,701.0 32.2 1,264.4
ammp large 21.1 3,813.0
""")
# Section 6.1.3: minutes to compress and to decompress a trace of load values, geometric means.
MINUTES = records("""
compress 6.8 3.6
gzip 51 1.3
lz77 259 162.8
sequitur 158 3.7
vpc 18.8 13.3
vpc2 21.7 13.5
""")
COLUMNS = ("compress", "gzip -9", "bzip2 -9", "zstd -3", "xz -9e", "lz77", "sequitur", "vpc", "vpc2", "vestige -1", "vestige", "vestige -9")
GENERAL, SCHEMES = COLUMNS[:5], COLUMNS[5:9]

# What a trace of load values takes to send as it is: 330 KB/s.
MEAN_MB = geomean([number(row[1]) for row in SIZES])
SEND = MEAN_MB / 0.33 / 60
ALL = {"vpc2": SEND / 3.8, "compress": 1.41 * SEND / 3.8}  # "3.8 times as fast as no compression", "41% faster than compress"


def rates(name, **of):
    """A row of a table of rates; what the text does not tell is left open."""
    return [name, *(of.get(tool.split()[0], "") if tool.split()[0] != "vestige" else "" for tool in COLUMNS)]


def delivery_rows():
    rows = [["none", "", f"≈ {SEND:.0f} min", "", f"≈ {SEND:.0f} min", "", "", "", ""]]
    for tool, there, again in MINUTES:
        whole = f"≈ {ALL[tool]:.0f} min" if tool in ALL else ""
        speed = [f"≈ {MEAN_MB / 60 / float(minutes):.1f}" for minutes in (there, again)]
        rows.append([tool, f"{there} min", "", f"{again} min", whole, "", "", *speed])
    return rows


ROWS = {title: named(rows) for title, rows in {
    "Table 1. Sizes of the traces": [[name, *(f"too {cell}" if cell in ("small", "large") else cell for cell in cells)] for name, *cells in SIZES],
    "Figure 4. Predictability": [["load values, mean", "99.3", "91.2"], ["load values, worst", "98.2 (gcc)", "77.6 (gzip)"],
                                 ["indirect branches, worst", "98.4 (gcc)", "99.6 (vortex)"]],
    "Figure 5. Compression rates: load values": [
        rates("gcc", sequitur="13.4", vpc2="23.0 (this or vpc)"),
        rates("mesa", sequitur="≈ 168", vpc="46.5", vpc2="1980.6"),
        rates("geometric mean", vpc2="≤ 35, almost twice sequitur's")],
    "Figure 6. Compress, send, decompress a trace of load values": delivery_rows(),
    "Figure 7. Seconds to decompress a trace of load values": [
        [tool, "25 min (this or vpc)" if tool == "vpc2" else "7 min" if tool == "sequitur" else "", "", "", f"{again} min"]
        for tool, _, again in MINUTES],
    "Figure 8. Compression rates: indirect branches": [
        rates("equake", vpc="47.3"), rates("mesa", vpc2="6170"), rates("geometric mean", sequitur="> 150", vpc="38", vpc2="> 150")],
    "Figure 9. Compression rates: store addresses": [
        rates("ammp", vpc2="22.8 times gzip's"), rates("geometric mean", vpc2="< 50, 2.6 times sequitur's"),
        rates("least", compress="2.9", gzip="6.5", vpc2="19.1")],
    "Means of the rates against each other, of gcc, sqlite, lua": [["load values", "> 2", "> 2", "almost 2", "", "", ""], ["store addresses", "", "", "2.6", "", "", ""]],
    "Memory": [["compress", "insignificant", "", ""], ["gzip", "2", "", ""], ["lz77", "12", "", ""], ["sequitur", "20 – 1,000", "", ""], ["vpc", "88", "", ""]],
    "The ceiling of 48": [["mesa, load values", "≈ 168", "46.5", "1980.6", ""], ["equake, indirect branches", "", "47.3", "", ""],
                          ["mesa, indirect branches", "", "", "6170", ""]],
}.items()}


RATE = ("Bytes of the trace by bytes of the file, which is decompressed and compared; `lz77`, `vpc`, `vpc2` and `sequitur` are our own of the paper's algorithms, vpc2 with zstd behind it; the geometric mean is over all six traces, `least` its worst.",
        "whole runs of SPEC programs; gzip behind vpc2; 11, 8 and 13 traces in its three figures, none of less than 10 MB (ours of mcf's indirect branches has 2.4 and is in the mean of six, and it and fpk's, nearly "
        "constant, lift that: compare `of gcc, sqlite, lua`); bzip2, zstd and xz are not in it.")
TIMED = ("processor time (user and system) of the whole program with one thread, best of two (once above two seconds), geometric mean of the load values of gcc, sqlite and lua, 60 MB each")
METHODS = {
    "Table 1. Sizes of the traces": ("A header of 4 bytes and 12 for each record, of the first 5 million records at most.", "the same format; whole runs; traces below 10 MB or above 10 GB left out."),
    "Figure 4. Predictability": ("Percent of the fields that at least one predictor of `vpc` foretold, by its own report (`--explain`); the means are of percents, the worst trace is in the last row.",
                                 "the same predictors and tables; whole runs, in which they have more time to learn."),
    "Figure 5. Compression rates: load values": RATE,
    "Figure 8. Compression rates: indirect branches": RATE,
    "Figure 9. Compression rates: store addresses": RATE,
    "Figure 6. Compress, send, decompress a trace of load values": (
        f"Compressing and decompressing: {TIMED}; sending is computed from the size; `all` is the mean of the sums.",
        "elapsed minutes of traces 50 times as long on an Alpha of 750 MHz, geometric mean of eleven programs; 330 KB/s as measured; compare MB/s."),
    "Figure 7. Seconds to decompress a trace of load values": (f"{TIMED[0].upper()}{TIMED[1:]}.", "elapsed minutes of eleven whole traces on an Alpha of 750 MHz."),
    "Means of the rates against each other, of gcc, sqlite, lua": (
        "Ratios of the geometric means of three of the six programs, those whose load values are timed; over all six vpc2 : sequitur is better for vpc2 (last section), and the worst trace of each tool is `least` above.",
        "geometric means of all its programs; of the second best scheme, which is sequitur."),
    "Memory": ("Largest resident set of the process, MiB: least and most over the load values of gcc, sqlite and lua.", "what ps says, MB, on all its traces."),
    "The ceiling of 48": ("Rates of traces on which vpc has at least 45, and of records that are all equal.", "a PC and a value take a bit each at least: 96 : 2."),
}


def kind_of(tool):
    return "general compressors" if tool in GENERAL else "the paper's best, ours" if tool in SCHEMES else "vestige"


def rate_bars(tables):
    """The means of each kind, in the order of the figures."""
    means = [row for row in lines(tables, "program", *COLUMNS) if row[0] == "of gcc, sqlite, lua"]
    bars = []
    for kind, (_, *cells) in zip(("load values", "indirect branches", "store addresses"), means):
        bars += [Bar(f"{kind}: {tool}", number(cell), kind_of(tool)) for tool, cell in zip(COLUMNS, cells) if number(cell)]
        if kind == "indirect branches":
            bars.append(Bar(f"{kind}: vpc (paper)", 38, "paper"))
    return bars


def delivery(send):
    def stacks(tables):
        found = []
        for tool, *cells in lines(tables, "tool", "compress, s", send, "decompress, s"):
            found.append(Stack(tool, dict(zip(("compress", "send", "decompress"), (number(cell) or 0 for cell in cells)))))
        return found
    return stacks


PAPER = Paper("vpc", "VPC: traces of PCs and values",
              "How much smaller do traces of (PC, value) pairs become, how predictable are they, and how long does it take? Rates are original by compressed size.",
              "On load values VPC2 compressed almost twice as well as the best of its peers and brought a trace to another place 41 % faster than `compress`, the second best at that; on store addresses its rate was 2.6 times that of "
              "the second best; on indirect branches it reached up to 6170. 88 MB of memory. Each table below has the paper's rows after ours, as far as its text tells them: the figures are drawings, which are not in the text we have, so "
              "rates and times of single programs are mostly missing. `≈` is computed from its text: what a trace takes to send from Table 1, the whole from "
              "\"3.8 times as fast as no compression\" and \"41% faster than compress\", MB/s from the geometric mean of the sizes, 3,015 MB (the text says 3.5 MB/s for decompression), sequitur on mesa from \"11.8 times as much as sequitur\". Of gcc's load values "
              "its introduction gives the rate and times of \"our algorithm\", without saying which of the two.",
              [("compress-paper", ["bench/compress/run", "{build}", "--paper"])],
              [Picture("vpc", "compression rates, geometric means of gcc, sqlite, lua (larger is better)", chart.bars, rate_bars),
               Picture("vpc-delivery", "Figure 6, ours: seconds for 60 MB of load values at 330 KB/s (smaller is better)", chart.stacks, delivery("send at 330 KB/s, s")),
               Picture("vpc-delivery-now", "the same at 12.5 MB/s (smaller is better)", chart.stacks, delivery("send at 12.5 MB/s, s"))],
              "The programs are today's, for x86-64: gcc, sqlite, lua and bzip2 from Debian, mcf and fpk (stencil, LU, FFT) written for this corpus; the paper's are SPEC CPU2000 for Alpha. Our traces are pieces of at most 5 million records, 60 MB, the "
              "paper's whole runs of up to 9 GB, so its times are of 50 times as much on the average: compare MB/s. Predictors and grammars have more time to learn there. `vpc`, `vpc2` and `sequitur` are our own implementations of the paper's and its strongest peer's algorithms "
              "(docs/codecs.md says what the paper leaves open); vpc2 has zstd behind it where the paper's has gzip, and our sequitur range-codes its grammar (what the paper wrote of its "
              "grammars is not told) and begins a new one at 64 MiB instead of 800 MB: on gcc, sqlite and lua it is the better of the two but for store addresses, where they are level; over all six programs vpc2's mean is 1.1 times its on load values and 2.1 times on store addresses. `lz77` is gzip's algorithm on entries with split streams, as the paper has it (bench/compress/split_lz77.cpp says what it leaves open): chains are cut at 1,024, and its codes are dynamic; bzip2, zstd and xz are not in the paper. Our levels were tuned on these same traces. "
              "PCs are the low 32 bits of addresses, not virtual numbers from 0 on. Times are processor time (user and system) of the whole program with one thread, alone on one core; to keep the measurement within a quarter of an hour they are of the load values of gcc, lua and sqlite, and xz -9e and `vestige -9` see these three programs only (docs/codecs.md has `-9` on all); means are geometric, and `all` is the mean of the sums, not the sum of the means. "
              "Times to send are computed, as in the paper. Memory is the largest resident set in MiB; the paper's is what ps says. The paper's machine was an Alpha 21264A of 750 MHz. The folder of traces is $VESTIGE_TRACES.", ROWS, METHODS)
