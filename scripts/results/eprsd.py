"""The page of the EPRSD thesis."""

from measured import number, numbers
from results import chart
from results.page import Paper, Picture, lines, named, records


# Chapter 6 of the thesis. Table 6.1: threads, raw KB, compressed KB, elements. Table 6.2 likewise.
VECTOR = records("""
4 3337 48.39 1024
8 6662 48.42 2048
16 13309 48.52 4096
32 26607 48.96 8192
64 53205 48.98 16384
""")
MATRIX = records("""
4 4739 236 10
8 12307 475 14
16 34421 375 20
32 91918 613 28
64 262518 631 40
""")
# Table 6.3: ranks, raw MB, compressed MB. Table 6.4: ranks, raw KB, compressed KB.
AMG = records("""
1 170 68
2 340 136
4 680 272
8 1360 352
16 2720 1088
""")
AZTEC = records("""
1 625 282
2 1327 438
4 2845 596
8 14944 6652
64 213824 72221
""")
# Tables 6.5 and 6.7: in Pin, instrumented with a stack walk per function, per reference; compression within threads, between them, between ranks; seconds.
TIMES = {
    "matrix multiply, 4 threads, 24": records("0.897195 14.016049 17.181311 14.071198 0.001632 0")[0],
    "matrix multiply, 8 threads, 48": records("0.936515 25.797583 50.751666 25.854444 0.008064 0")[0],
    "AMG, 1 rank": records("3.849418 106.020933 137.740902 112.623903 4.660802 0")[0],
    "AMG, 2 ranks": records("5.082595 69.658261 146.941715 70.046435 109.836724 1163.648747")[0],
}


def ranks_of(count):
    return "1 rank" if count == "1" else f"{count} ranks"


def size_row(name, raw, small):
    raw, small = float(raw), float(small)
    return [name, f"{raw:,.0f}", f"{small:,.2f}" if small < 100 else f"{small:,.0f}", f"{raw / small:,.0f}" if raw >= 10 * small else f"{raw / small:.1f}", "", ""]


ROWS = {title: named(rows) for title, rows in {
    "Table 6.1. Vector addition": [size_row(f"vector add, {threads} threads, {n}", raw, small) for threads, raw, small, n in VECTOR],
    "Table 6.2. Matrix multiplication": [size_row(f"matrix multiply, {threads} threads, {n}", raw, small) for threads, raw, small, n in MATRIX],
    "Table 6.3. AMG": [size_row(f"AMG, {ranks_of(ranks)}", 1e3 * float(raw), 1e3 * float(small)) for ranks, raw, small in AMG],
    "Table 6.4. Aztec": [size_row(f"Aztec, {ranks_of(ranks)}", raw, small) for ranks, raw, small in AZTEC],
    "Replay": [["vector add", "", "100"], ["matrix multiply", "", "100"], ["AMG", "", "91"], ["Aztec", "", "90"]],
    "Table 6.5. Run time": [[name, f"{float(plain):.3f}", f"{float(function):.3f}", f"{float(function) / float(plain):.1f}", f"{float(reference):.3f}",
                             f"{float(reference) / float(plain):.1f}"] for name, (plain, function, reference, *_) in TIMES.items()],
    "Table 6.7. Compression time": [[name, *(f"{float(seconds):.3f}" for seconds in row[3:5]), f"{float(row[5]):.3f}" if row[5] != "0" else "", ""]
                                    for name, row in TIMES.items()],
}.items()}


SIZE = ("Raw is 8 bytes for each load and store of the compiled program, only its address; descriptors is the whole file, the program's table and calling contexts in it; one run each, replays compared with the recording.",
        "raw is its trace file with type, address, instruction pointer and stack signature of each load and store of the application, libraries and all before main left out, of code that Pin rewrites; how wide a record is, "
        "it does not say, so compare bytes of descriptors and how they grow, not raw : descriptors.")
COST = ("User and system seconds of everything that runs, program, collector and folding, until the file is complete, the least of three; native is clang -O2 without vectorisation; no MPI.",
        "elapsed seconds over the program inside Pin with instrumentation off, for other programs; which processor time that is, it does not say.")
METHODS = {
    "Ranks, each with a part of the same size": SIZE,
    "Growth of irregular codes": ("What 16 ranks take more than 8, divided by 8; the recording is `--what full`, of which the descriptors were made; cells, elements and grids are `tests/spmd/programs/irregular.c`, the others `ranks.c`, "
                                  "and each rank has numbers, sizes and matrices of its own.",
                                  "its AMG grows by 68 MB a rank, its Aztec by 1.2 MB, of traces of the real programs."),
    "Dense kernels": COST,
    "Irregular codes": (COST[0].replace("; no MPI", ", and elapsed seconds beside; one process, no MPI, whose start would hide the rest") +
                        " Recorded is `record --as eprsd`, which keeps the recording of what does not fold; all folded is with `--fold-irregular`.", COST[1]),
    "Table 6.1. Vector addition": SIZE,
    "Table 6.2. Matrix multiplication": SIZE,
    "Table 6.3. AMG": (SIZE[0], SIZE[1].replace("so compare", "and its AMG is the real one with four threads a rank, where ours is a small multigrid; so compare")),
    "Table 6.4. Aztec": (SIZE[0], SIZE[1].replace("so compare", "and its Aztec is the real one, where ours is conjugate gradients on a CSR matrix; so compare")),
    "Replay": ("Share of references whose address and place in their thread's order are those of the recording: every thread of every kernel and size above, reference by reference; a run with one wrong fails.",
               "of the programs of its tables, how it counts is not told."),
    "Table 6.5. Run time": ("Elapsed seconds, of clang -O2 alone the least of fifteen, and of `record --as eprsd --fold-irregular`, which records, folds and writes the file, the least of three; start and end of the collector are in it, and of mpirun in both.",
                            "plain is the program inside Pin with instrumentation off, so its ratios leave out what Pin itself takes; with a stack walk at each function, or at each reference."),
    "Table 6.7. Compression time": ("Within threads is all of `record --as eprsd --fold-irregular`, elapsed, the least of three: running, recording, folding, merging threads and ranks; between ranks is `vestige merge` of ranks folded each for itself; "
                                    "`represent` is folding a full recording, elapsed.", "compression alone within threads, which ends soon after the run; merging of threads and of ranks apart, over MPI."),
}


def growth(names):
    """KB against threads or ranks: of kernels by the beginning of their names in our tables, the thesis' beside ours."""
    def curves(tables):
        series = {}
        for kernel, (short, thesis) in names.items():
            found = {int(numbers(name)[0]): number(size) for name, size, _ in lines(tables, "kernel", "descriptors, KB", "raw, KB") if name.startswith(kernel)}
            series[f"{short}, thesis"] = thesis
            series[f"{short}, ours"] = sorted(found.items())
        return series
    return curves


SIZES = growth({"vector add": ("add", [(int(row[0]), float(row[2])) for row in VECTOR]),
                "matrix multiply": ("matmul", [(int(row[0]), float(row[2])) for row in MATRIX])})
RANKS = growth({"AMG-like": ("AMG", [(int(ranks), 1e3 * float(small)) for ranks, _, small in AMG]),
                "CSR solver": ("Aztec", [(int(ranks), float(small)) for ranks, _, small in AZTEC])})


def over(across):
    return lambda title, found: chart.curves(title, across, found)


PAPER = Paper("eprsd", "EPRSD: memory traces of constant size",
              "Does a trace of memory references grow with threads, ranks and the size of the problem? How long does it take to make, and is its replay exact?",
              "Constant in size for vector addition, three times as large with 16 times the threads for matrix multiplication, linear for AMG and Aztec, whose replays are exact to 91 and 90 %. Each table below has "
              "the thesis' rows after ours.",
              [("spmd", ["bench/spmd/run", "{build}"]), ("folding", ["bench/spmd/cost", "{build}"])],
              [Picture("eprsd", "KB of the compressed trace by threads (smaller is better)", over("threads"), SIZES),
               Picture("eprsd-ranks", "KB of the compressed trace by ranks (smaller is better)", over("ranks"), RANKS)],
              "Vector addition and matrix multiplication are the same kernels at the same sizes. AMG and Aztec are not: ours are an AMG-like multigrid (`ranks amg 24`, four threads in each rank, blocks of some 576 rows, of another width, height and material in each rank, so that all ranks have matrices of their own) and conjugate gradients on a sparse "
              "matrix in CSR form (`ranks cg 24`, 576 rows a rank, the same pattern in all), which are smaller programs: compare how sizes grow. The thesis traced with Pin what lies in the application's own code, from main on, in records of type, address, instruction pointer and stack signature, of unknown width: of the same two dense kernels its raw traces have 58 and "
              "250 times the bytes of ours, which are 8 for each load and store of the compiled program; wider records explain a part of that, what else (unoptimized code, rounds) is not told. A KB is 1000 bytes; its AMG is given in MB. Its Table 6.3 calls the problem fixed while its raw trace doubles with the ranks: ours has a block of the same size in each rank, too. "
              "Plain is clang -O2 without anything here, under Pin without instrumentation there; recorded is `record --as eprsd`, start and end of the collector included, which is most of it at the thesis' sizes: so larger ones are added. Under mpirun the 0.4 s and more that it takes to start are in plain, too, so irregular codes stand there without it as well. Ours go up to 16 ranks. Times are elapsed, on a machine of two cores that a dozen other processes used as well. "
              "Every replay is compared with the recording, reference by reference, and the benchmark fails where one differs.", ROWS, METHODS)
