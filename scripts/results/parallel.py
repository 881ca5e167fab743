"""The page of the parallel-executions paper."""

from measured import number
from results import chart
from results.chart import Bar
from results.page import Paper, Picture, lines, named, records


# The paper's Table 1.
BENCHMARKS = [
    ["FFT", "SPLASH-2", "1-D fast Fourier transform", "2^16 complex points"],
    ["LU", "SPLASH-2", "parallel dense blocked LU factorization", "256 × 256 matrix"],
    ["Mp3d", "SPLASH", "particle flow in a simulated wind tunnel", "50 K particles"],
    ["Water", "SPLASH", "molecular dynamics", "64 molecules"],
    ["SOR", "TreadMarks", "red-black successive over-relaxation on a grid", "100 × 100 grid"],
]
# Table 2: processors, bytes of shared memory, barriers, locks.
CHARACTERISTICS = records("""
FFT 2 3,220,200 14 0
FFT 4 3,228,904 14 0
FFT 8 3,295,528 14 0
LU 2 526,220 4 0
LU 4 526,660 4 0
LU 8 526,660 4 0
Mp3d 2 2,378,040 13 1,103
Mp3d 4 2,379,064 13 1,104
Mp3d 8 2,381,240 13 1,113
Water 2 50,032 6 2,090
Water 4 50,032 6 2,100
Water 8 50,032 6 2,120
SOR 2 53,256 5 0
SOR 4 53,384 5 0
SOR 8 53,640 5 0
""")
# Table 3: processors, plain log, grammars, order of synchronization, percent, counts, percent with them.
COR = records("""
FFT 2 66.06M 406.32K 28 0.62 84.89K 0.74
FFT 4 66.16M 424.58K 28 0.64 88.15K 0.78
FFT 8 66.37M 453.70K 28 0.68 93.44K 0.82
LU 2 54.73M 229.35K 8 0.42 47.75K 0.51
LU 4 55.32M 244.81K 8 0.44 50.54K 0.53
LU 8 56.50M 281.65K 8 0.50 57.24K 0.60
Mp3d 2 67.42M 231.77K 15.49K 0.37 92.86K 0.50
Mp3d 4 67.42M 259.79K 15.51K 0.41 103.16K 0.56
Mp3d 8 67.43M 295.36K 15.64K 0.46 116.25K 0.63
Water 2 5M 81.01K 29.77K 2.22 30.15K 2.82
Water 4 5.01M 97.03K 29.91K 2.53 35.87K 3.25
Water 8 5.02M 118.98K 30.19K 2.97 43.77K 3.85
SOR 2 90.09K 2.69K 10 3.00 474 3.50
SOR 4 91.01K 4.79K 10 5.30 837 6.20
SOR 8 92.80K 7.86K 10 8.56 1385 10.04
""")
# Table 4, likewise.
DOR = records("""
FFT 2 77.68M 27.34M 28 35.20 5.19M 41.88
FFT 4 77.69M 27.74M 28 35.70 5.19M 42.39
FFT 8 77.72M 27.97M 28 35.99 5.20M 42.68
LU 2 89.42M 56.10M 8 62.74 12.24M 76.43
LU 4 89.42M 56.20M 8 62.85 12.24M 76.54
LU 8 89.42M 56.24M 8 62.89 12.24M 76.58
Mp3d 2 19.84M 8.71M 15.49K 43.98 2.88M 58.50
Mp3d 4 19.83M 9.45M 15.51K 47.74 2.87M 62.20
Mp3d 8 19.84M 10.05M 15.64K 50.73 2.87M 65.20
Water 2 1.15M 833.52K 29.77K 75.07 324.81K 103.31
Water 4 1.15M 849.75K 29.91K 76.50 324.84K 104.74
Water 8 1.16M 883.82K 30.19K 78.80 324.90K 106.81
SOR 2 907.34K 392.71K 10 43.28 76.97K 51.77
SOR 4 908.58K 393.83K 10 43.35 77.02K 51.83
SOR 8 908.06K 394.94K 10 43.50 77.12K 52.00
""")
# Table 5: processors, plain log, COR with counts, data, total, percent, gzip: control, data, total, percent.
CDR = records("""
FFT 2 143.74M 491.24K 144.28K 635.52K 0.44 827.47K 13.78M 14.61M 10.16
FFT 4 143.85M 512.76K 276.21K 788.97K 0.55 3.32M 12.58M 15.90M 11.05
FFT 8 144.09M 547.17K 521.46K 1.07M 0.74 3.46M 12.34M 15.80M 10.97
LU 2 144.15M 277.10K 83.42K 360.52K 0.25 1.88M 2.93M 4.81M 3.34
LU 4 144.74M 295.36K 123.36K 418.72K 0.29 3.76M 3.06M 6.81M 4.71
LU 8 145.92M 338.89K 189.78K 528.67K 0.36 5.17M 2.78M 7.95M 5.45
Mp3d 2 87.26M 340.12K 8.09M 8.43M 9.66 1.03M 6.20M 7.23M 8.29
Mp3d 4 87.25M 378.46K 8.10M 8.48M 9.72 1.16M 6.11M 7.27M 8.33
Mp3d 8 87.27M 427.25K 8.13M 8.56M 9.81 1.31M 4.47M 5.78M 6.62
Water 2 6.15M 140.93K 85.55K 226.48K 3.68 292.87K 108.75K 401.62K 6.50
Water 4 6.16M 162.81K 132.58K 295.39K 4.79 563.49K 130.98K 694.47K 11.20
Water 8 6.18M 192.94K 190.18K 383.12K 6.20 676.05K 171.05K 847.10K 13.75
SOR 2 997.46K 3.17K 10.91K 14.09K 1.41 1.10K 71.73K 72.83K 7.30
SOR 4 999.59K 5.64K 20.15K 25.79K 2.58 1.57K 77.61K 79.18K 7.92
SOR 8 1M 9.25K 32.52K 41.77K 4.18 2.69K 87.24K 89.93K 9.00
""")
OURS = {"fft": "FFT", "lu": "LU", "particles": "Mp3d", "water": "Water", "sor": "SOR"}


def spaced(rows):
    """Sizes as the benchmark writes them: 66.06 M."""
    return [[name, *(f"{cell[:-1]} {cell[-1]}" if cell[-1] in "KM" else cell for cell in cells)] for name, *cells in rows]


def in_bytes(cell):
    """A size as the paper writes it."""
    value, unit = cell.split() if " " in cell else (cell, "")
    return float(value.replace(",", "")) * {"": 1, "K": 1e3, "M": 1e6}[unit]


def without_counts():
    """The paper's rows with two processors; its CDR less the counts on edges, as COR and data add up."""
    rows = []
    for control, order, both in zip(spaced(COR), spaced(DOR), spaced(CDR)):
        if control[1] == "2":
            kept = sum(map(in_bytes, (control[3], control[4], both[4])))
            rows.append([*control[:6], *order[2:4], order[5], both[4], f"{100 * kept / in_bytes(both[2]):.2f}"])
    return rows


ROWS = {title: named(rows) for title, rows in {
    "Table 1. The programs": BENCHMARKS,
    "Table 2. Characteristics": CHARACTERISTICS,
    "Table 3. COR": spaced(COR),
    "Table 4. DOR": spaced(DOR),
    "Table 5. CDR": [[*row[:7], "", "", *row[7:], "", "", ""] for row in spaced(CDR)],
    "Figure 4. Addresses of each load and store as a grammar": [["FFT, at most", "", "", "", "211", *5 * [""]], ["Mp3d", "", "", "", "2", *5 * [""]], ["Water", "", "", "", "3 – 5", *5 * [""]]],
    "The paper's own grammars, of our programs": without_counts(),
    "Figure 5. Compression time": [["all, from 1 s to 16 min", "", "", "", "1 – 960", "", "", ""]],
    "Section 4.1. Races": [["LU", "2", "", "63,832", "5", "", "6"]],
}.items()}


def of_four(rows, place):
    """The paper's percent with four processors, by the name of our program."""
    found = {row[0]: number(row[place]) for row in rows if row[1] == "4"}
    return {ours: found[theirs] for ours, theirs in OURS.items()}


def parallel_bars(tables):
    paper, bars = of_four(CDR, 6), []
    for name, threads, cdr, gzip, zstd in lines(tables, "program", "threads", "CDR %", "gzip -9 %", "zstd -19 %"):
        if threads == "4":
            bars += [Bar(name, paper[name], "paper"), Bar(name, number(gzip), "gzip -9"), Bar(name, number(zstd), "zstd -19"), Bar(name, number(cdr), "vestige")]
    return bars


def form_bars(tables):
    bars = []
    for form, rows in (("COR", COR), ("DOR", DOR)):
        paper = of_four(rows, 5)
        for name, threads, percent in lines(tables, "program", "threads", f"{form} %"):
            if threads == "4":
                bars += [Bar(f"{form} of {name}", paper[name], "paper"), Bar(f"{form} of {name}", number(percent), "vestige")]
    return bars


BLOCKS = "Blocks are LLVM's of a program compiled with -O1 -fno-unroll-loops, so that a round of a loop is a block; libraries are not recorded."
PAPERS_BLOCKS = "blocks of SPARC V9 code in a simulator, those of the mathematical library too; a log of 1 to 3 times our length but for SOR's."
METHODS = {
    "Table 1. The programs": (
        "Written for this project in C and POSIX threads in the structure that the paper's tables and the descriptions of the suites show, compiled with -O1 -fno-unroll-loops.",
        "SPLASH, SPLASH-2 and TreadMarks as ported to the RSIM simulator."),
    "Table 2. Characteristics": (
        "Shared memory: bytes of all pages of 4 KiB that more than one thread touches; programs allocate it from one region, of which each thread reads a byte a page first. Barriers: all threads' coming to "
        "one is one. Locks: pairs of lock and unlock. fft locks once a thread when it compares its result.",
        "bytes allocated as shared; locks likewise, from its Table 2."),
    "Table 3. COR": (
        f"{BLOCKS} Plain log: 4 bytes a block. WPP and order of synchronization: bytes in the file of `represent --as cor`, entropy coded, with runs as symbols. Of a barrier the order has each thread's coming and leaving. "
        "Synchronization counts follow from the grammar, which has a mark where a thread synchronized; they are computed when it is read, none are stored.",
        f"{PAPERS_BLOCKS} Its grammars have no runs as symbols, a barrier takes 2 bytes, and counts are stored on edges."),
    "Table 4. DOR": (
        "Accesses to shared memory (Table 2's) of each thread in order, 4 bytes each in the plain log; `represent --as dor`. Counts as in Table 3.",
        "accesses above the base address of shared memory; classic SEQUITUR; counts stored."),
    "Table 5. CDR": (
        "Plain log: that of Table 3 and that of Table 4, so accesses to shared memory alone count in it. The CDR keeps private addresses of a load or store that ever goes to shared memory, too; what it takes of a log that counts "
        "them is given beside it, and of a log with 8 bytes a shared address. gzip -9 and zstd -19 get the streams that the CDR holds: blocks thread by thread, addresses load by load and store by store, 4 bytes each.",
        "likewise, shared accesses alone; its COR is with counts; its machine's addresses have 4 bytes."),
    "Figure 4. Addresses of each load and store as a grammar": (
        "Classic: SEQUITUR as published, 4 bytes a symbol, 4 a rule, 4 for each different address or 8 for each different run of differences (bench/parallel/paper_grammars.cpp), with two threads. The others: our grammars, with "
        "runs as symbols and entropy coded. Data of the CDR: addresses at a fixed distance from another load's are kept once, and another codec is taken where Diff∘RLE∘SEQ takes more than a bit an address.",
        "classic SEQUITUR on both sides of the ratio; how it writes a grammar it does not say. Of the figure the text we have gives only these numbers."),
    "The paper's own grammars, of our programs": (
        "The three forms as the paper describes them: classic SEQUITUR, 4 bytes a symbol and a rule and for each address, 8 for each run of differences; 7 bytes an operation on a lock and 2 a barrier. No counts.",
        "its Tables 3, 4 and 5 with two processors, the counts left out."),
    "The same programs at -O2": (
        "The programs of the other tables compiled with -O2, where clang unrolls small loops; plain log of shared accesses as in Table 5.",
        "does not say how its programs were optimized."),
    "Figure 5. Compression time": (
        "Processor seconds of making the grammars of Figure 4 from addresses in memory; of `represent`, of the whole command, which derives all addresses from the recording first.",
        "all data of a program, Pentium III of 1 GHz. Of the figure the text we have gives only the range."),
    "Section 4.1. Races": (
        "`races` on the recording, processor time; the index of values is made before, and timed apart. An instance is a pair of executions, a distinct pair one of statements. lu hands blocks on by flags in plain memory, as the "
        "paper's must have (it has 4 barriers and no locks); with barriers in each step it has no races. Those of particles are meant.",
        "two threads, Pentium III of 1 GHz; which pairs of executions it counts it does not say: 63,832 are fewer than elements of the matrix."),
}


PAPER = Paper("parallel", "Parallel executions: COR, DOR and CDR",
              "How small are the control flow (COR), the accesses to shared memory (DOR), and both (CDR), of shared-memory parallel programs? In percent of a plain log with 4 bytes a block and 4 bytes an "
              "access to shared memory. K and M are 10^3 and 10^6 bytes.",
              "CDR 0.25 – 9.8 % of the plain log, COR 0.4 – 8.6 %, DOR 35 – 79 %, gzip 3.3 – 13.8 % (smaller than CDR on Mp3d only). Each table below has the paper's rows after ours.",
              [("parallel", ["bench/parallel/run", "{build}"])],
              [Picture("parallel", "CDR with 4 threads, percent of the plain log (smaller is better)", chart.bars, parallel_bars),
               Picture("parallel-forms", "COR and DOR with 4 threads, percent of the plain log (smaller is better)", chart.bars, form_bars)],
              "The programs are our own: sizes, barriers and structure are the paper's, plain logs and locks come within a factor of four of its own, which Tables 2 to 5 show row by row. They run on the machine itself, the paper's in a simulator. "
              "By the paper's own grammars they come out near its figures, so their control flow and accesses are about as hard; most of the distance between our percents and the paper's is that of the grammars: runs as symbols, entropy "
              "coding, and what loads at a fixed distance share.", ROWS, METHODS)
