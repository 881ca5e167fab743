"""Every mark of the project: what must be reached, what is aimed at, and where it is measured."""

import math
from dataclasses import dataclass
from typing import Callable

from measured import column, number, numbers


@dataclass
class Mark:
    step: int
    what: str
    better: str  # "less" or "more"
    must: float | None
    aim: float | None
    unit: str
    bench: str  # the measurement that answers it
    values: Callable  # of its tables: all numbers that the mark is about
    mean: bool = False  # their geometric mean counts, not the worst
    peers: Callable = lambda found: ""  # of the same tables: what others reached in the same run, in words


def geomean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def cells(name, rows=None, nth=0, having=None):
    """The nth number in the column of that name: of all rows, of those that `rows` accepts by their first cell, or of those that have a value in
    another column, `having` both. Means that a table ends with are left out."""
    def read(found):
        values = []
        for table in found:
            at, by = column(table, name), column(table, having[0]) if having else 0
            if at is None or by is None:
                continue
            for row in table[1:]:
                if row[0] == "geomean" or at >= len(row) or (rows and not rows(row[0])) or (having and row[by] != having[1]):
                    continue
                held = numbers(row[at])
                if len(held) > nth:
                    values.append(held[nth])
        return values
    return read


def row(first, name, nth=0):
    return cells(name, lambda cell: cell == first, nth)


def against(name, peer):
    """A column as part of another one, row by row."""
    def read(found):
        values = []
        for table in found:
            mine, other = column(table, name), column(table, peer)
            if mine is None or other is None:
                continue
            for line in table[1:]:
                a, b = number(line[mine]), number(line[other])
                if a and b:
                    values.append(a / b)
        return values
    return read


def growth(name, pairs):
    """What is added from one row to another, in percent."""
    def read(found):
        sizes = {line[0]: number(line[column(table, name)]) for table in found if column(table, name) is not None for line in table[1:]}
        return [100 * (sizes[b] / sizes[a] - 1) for a, b in pairs if sizes.get(a) and sizes.get(b)]
    return read


def per_rank(kernel):
    def read(found):
        sizes = {}
        for table in found:
            size, labels = column(table, "descriptors, whole file"), column(table, "of it labels")
            if size is None or labels is None:
                continue
            for line in table[1:]:
                name, _, ranks = line[0].rpartition(", ")
                if name == kernel and ranks.endswith(" ranks"):
                    sizes[int(number(ranks))] = number(line[size]) - number(line[labels])
        return [(sizes[16] - sizes[4]) / 12] if 4 in sizes and 16 in sizes else []
    return read


def percent_of_cdr(program):
    return row(program, "CDR %")


def particles_against_zstd(found):
    return [cdr / zstd for cdr, zstd in zip(row("particles", "CDR %")(found), row("particles", "zstd -19 %")(found))]


def every_peer(found):
    """-9 against the best of the general compressors, trace by trace; two traces are almost constant."""
    best = []
    for table in found:
        if column(table, "vestige -9") is None or table[0][0] != "trace" or column(table, "lz4 -1") is None:
            continue
        first, ours, mine = column(table, "lz4 -1"), column(table, "vestige -1"), column(table, "vestige -9")
        best += [number(line[mine]) / max(map(number, line[first:ours])) for line in table[1:] if line[0] not in ("fpk.indirect", "mcf.indirect")]
    return best


def fast_against_zstd(found):
    """-1 against zstd -3: ratios, the mean of each kind of trace."""
    kinds = {}
    for table in found:
        if table[0][0] != "trace" or column(table, "zstd -3") is None:
            continue
        for line in table[1:]:
            ratio = number(line[column(table, "vestige -1")]) / number(line[column(table, "zstd -3")])
            kinds.setdefault(line[0].split(".")[-1], []).append(ratio)
    return [geomean(ratios) for ratios in kinds.values()]


def speeds(tool, nth):
    """Of the table of speeds: all numbers of a tool."""
    def read(found):
        return [held[nth] for table in found if table[0][0] == "tool" and "eight times" not in table[0] for line in table[1:] if line[0] == tool
                for cell in line[1:] if len(held := numbers(cell)) > nth]
    return read


def shown(*peers, unit=""):
    """Peers by name: the geometric mean of what each reached."""
    def read(found):
        said = []
        for name, values in peers:
            held = values(found)
            if held:
                said.append(f"{name} {geomean(held):.3g}{unit}")
        return ", ".join(said)
    return read


def cell(first, name):
    """One cell as it stands."""
    def read(found):
        return next((line[column(table, name)] for table in found if column(table, name) is not None for line in table[1:] if line[0] == first), "")
    return read


def says(text):
    """What a paper reports, where nobody else can be measured."""
    return lambda found: text


def steps(name):
    """Of bidirectional codecs only."""
    return cells(name, lambda cell: cell.startswith(("fcm", "dfcm", "last")))


def against_xz(found):
    return against("vestige", "xz -6")([table for table in found if table[0][:2] == ["trace", "xz -6"]])


def named(*words):
    return lambda cell: any(word in cell for word in words)


REGULAR = ("add 1000", "matmul 16", "stencil 24", "fft 16")
DENSE = ("lu", "cholesky", "trmm", "stencil1", "stencil2", "stencil3")
RUN = {
    "record": ["bench/record/run", "{build}"],
    "compress": ["bench/compress/run", "{build}"],
    "sequitur": ["bench/sequitur/run", "{build}"],
    "streams": ["bench/streams/run", "{build}"],
    "paths": ["bench/paths/run", "{build}"],
    "wet": ["bench/wet/run", "{build}"],
    "values": ["bench/values/run", "{build}"],
    "parallel": ["bench/parallel/run", "{build}"],
    "cost": ["bench/parallel/cost", "{build}"],
    "races": ["bench/races/run", "{build}"],
    "spmd": ["bench/spmd/run", "{build}"],
    "folding": ["bench/spmd/cost", "{build}"],
}
VALGRIND = shown(("an empty Valgrind", cells("an empty Valgrind")), unit="×")
SPEEDS = lambda nth: shown(*((tool, speeds(tool, nth)) for tool in ("zstd -3", "xz -6", "bzip2 -9", "vpc2")))

STEPS = {1: "Control flow", 2: "Trace compression", 3: "Full recording", 4: "Paths in compressed traces", 5: "Whole execution traces",
         6: "Parallel executions", 7: "SPMD memory traces"}

MARKS = [
    Mark(1, "slowdown, control only, file complete, geomean", "less", 2.0, 1.3, "×", "record", cells("recorded, file complete"), True, VALGRIND),
    Mark(1, "file, bits per native instruction", "less", 0.2, 0.1, "", "record", cells("bits per native instruction")),
    Mark(1, "extra memory in the program", "less", 64, None, " MiB", "record", cells("extra memory")),
    Mark(1, "walk forwards, M blocks/s", "more", 50, 300, "", "record", cells("walk, M blocks/s")),
    Mark(1, "walk backwards / forwards", "more", 0.8, 1.0, "", "record", cells("backwards / forwards")),
    Mark(1, "jump to any time, median", "less", 10, 2, " ms", "record", cells("jump, median / worst")),
    Mark(2, "ratio of load values, default", "more", 76, 90, "", "compress", row("loadval", "vestige"), peers=cell("loadval", "best peer here")),
    Mark(2, "ratio of store addresses, default", "more", 200, 335, "", "compress", row("storeaddr", "vestige"), peers=cell("storeaddr", "best peer here")),
    Mark(2, "ratio of indirect branches, default", "more", 324, 421, "", "compress", row("indirect", "vestige"), peers=cell("indirect", "best peer here")),
    Mark(2, "ratio of load values, -9", "more", 90, 117, "", "compress", row("loadval", "vestige -9"), peers=cell("loadval", "best peer here")),
    Mark(2, "ratio of store addresses, -9", "more", 335, 435, "", "compress", row("storeaddr", "vestige -9"), peers=cell("storeaddr", "best peer here")),
    Mark(2, "ratio of indirect branches, -9", "more", 421, 547, "", "compress", row("indirect", "vestige -9"), peers=cell("indirect", "best peer here")),
    Mark(2, "-9 against the best peer, worst trace of all but the two almost constant ones", "more", 1, None, "×", "compress", every_peer),
    Mark(2, "compress, default, MB/s of one core, geomean", "more", 60, 150, "", "compress", speeds("vestige", 0), True, SPEEDS(0)),
    Mark(2, "decompress, default, MB/s of one core, geomean", "more", 100, 300, "", "compress", speeds("vestige", 1), True, SPEEDS(1)),
    Mark(2, "-1, speed against zstd -3", "more", 0.4, 1, "×", "compress", speeds("vestige -1", 2), peers=shown(("lz4 -1", speeds("lz4 -1", 2)), unit="×")),
    Mark(2, "-1, ratio against zstd -3, each kind", "more", 1.5, 2, "×", "compress", fast_against_zstd),
    Mark(2, "default against xz -6, control flow and references", "more", 2, 4, "×", "compress", against_xz),
    Mark(2, "grammar built, M symbols/s", "more", 8, 25, "", "sequitur", cells("built, M symbols/s")),
    Mark(2, "grammar, bytes of memory per symbol", "less", 32, 16, "", "sequitur", cells("memory, bytes per symbol")),
    Mark(2, "grammar, serialized against the smaller of bzip2 -9 and xz -6", "less", 1, 0.5, "×", "sequitur", cells("against the smaller")),
    Mark(2, "bidirectional steps forwards, M/s", "more", 30, 100, "", "streams", steps("forward M/s")),
    Mark(2, "bidirectional steps backwards, M/s", "more", 30, 100, "", "streams", steps("backward M/s")),
    Mark(3, "slowdown, full, file complete, geomean", "less", 5, 3, "×", "record", cells("recorded with all values, file complete"), True, VALGRIND),
    Mark(3, "slowdown, memory, file complete, geomean", "less", 5, 2.5, "×", "record", cells("with addresses (memory)"), True, VALGRIND),
    Mark(3, "file, full, bits per statement", "less", 1, 0.3, "", "record", cells("bits per statement")),
    Mark(3, "evaluator, M statements/s of a core", "more", 60, 150, "", "values", cells("evaluated, M statements/s")),
    Mark(3, "first value of a frequent load", "less", 100, None, " ms", "values", cells("first, ms")),
    Mark(3, "first 100 values", "less", None, 50, " ms", "values", cells("first 100, ms")),
    Mark(3, "load values, MB/s", "more", 40, 300, "", "values", cells("values, MB/s elapsed"), True, says("[WET paper 1.44]")),
    Mark(3, "addresses, MB/s", "more", 40, 300, "", "values", cells("addresses, MB/s elapsed"), True, says("[WET paper 1.43]")),
    Mark(3, "memory while querying", "less", 512, None, " MiB", "values", cells("memory, MiB")),
    Mark(4, "scheme 2 against unpacking and scanning, geomean", "more", 10, 50, "×", "paths", cells("2 against 1"), True, says("[paper 3.7×]")),
    Mark(4, "scheme 2 against the scan alone, geomean", "more", 1, 10, "×", "paths", cells("2 against scan"), True),
    Mark(4, "scheme 4 on rare paths, geomean", "more", 400, 2000, "×", "paths", cells("4 against 1", having=("type", "1")), True, says("[paper 387×]")),
    Mark(4, "all matches of a literal path, `auto`", "less", 200, 20, " ms", "paths", cells("auto, ms"),
         peers=shown(("gunzip of the log alone", lambda found: [1e3 * value for value in cells("gunzip of the log, s")(found)]), unit=" ms")),
    Mark(4, "its first match", "less", 200, 20, " ms", "paths", cells("auto, first, ms")),
    Mark(4, "expression of up to 16 states against the literal path", "less", 5, None, "×", "paths", cells("expression : auto")),
    Mark(4, "index without the grammar", "less", 20, None, " KB", "paths", cells("index, KB"), peers=says("[paper 0.1 – 17.4 KB]")),
    Mark(5, "trace, index and dependences, bits per statement", "less", 2, 0.5, "", "wet", cells("bits per statement, all"), peers=says("[paper 4.3]")),
    Mark(5, "construction, M statements/s", "more", 5, 30, "", "wet", cells("indexed per second"), peers=says("[paper 0.06]")),
    Mark(5, "control flow forwards, MB/s", "more", 1000, 4000, "", "wet", cells("control flow forwards, MB/s"), peers=says("[paper 143]")),
    Mark(5, "control flow backwards, MB/s", "more", 1000, 4000, "", "wet", cells("control flow backwards, MB/s"), peers=says("[paper 150]")),
    Mark(5, "backward slices, M instances/s", "more", 5, None, "", "wet", cells("M instances per s", having=("slices", "backward"))),
    Mark(5, "backward slices of up to 3 M instances, slowest", "less", 1, None, " s", "wet", cells("slowest up to 3 M", having=("slices", "backward"))),
    Mark(5, "backward slices by data of up to 10⁵ instances, 95 %", "less", None, 100, " ms", "wet",
         cells("up to 10^5: count: median / 95 % ms", nth=2, having=("slices", "backward, data"))),
    Mark(5, "why, first hop, cold files, median", "less", 100, 10, " ms", "wet", cells("time that passed, ms: median / 95 %")),
    Mark(5, "forward slices against backward ones, time per instance", "less", 2, 1, "×", "wet", cells("forward : backward, time per instance")),
    Mark(5, "memory while building", "less", 4096, 1024, " MB", "wet", cells("memory, MB")),
    Mark(6, "CDR of FFT, % of the plain log", "less", 0.44, 0.088, "", "parallel", percent_of_cdr("fft")),
    Mark(6, "CDR of LU, % of the plain log", "less", 0.25, 0.05, "", "parallel", percent_of_cdr("lu")),
    Mark(6, "CDR of SOR, % of the plain log", "less", 1.4, 0.28, "", "parallel", percent_of_cdr("sor")),
    Mark(6, "CDR of water, % of the plain log", "less", 3.7, 0.74, "", "parallel", percent_of_cdr("water")),
    Mark(6, "CDR of particles against zstd -19 of the same streams", "less", 1, 0.5, "×", "parallel", particles_against_zstd),
    Mark(6, "slowdown, four threads on two cores, processor time of the target, geomean", "less", 8, 4, "×", "cost", cells("slowdown"), True, peers=shown(("ThreadSanitizer", cells("slowdown by it")), unit="×")),
    Mark(6, "memory while recording, against plain, geomean", "less", 4, 2, "×", "cost", cells("memory"), True, peers=shown(("ThreadSanitizer", cells("memory by it")), unit="×")),
    Mark(6, "races on 10⁸ accesses, processor time", "less", 5, 0.5, " s", "races", cells("races, s", named("multiply 368")),
         peers=shown(("the run under ThreadSanitizer", cells("run under ThreadSanitizer, s", named("multiply 368"))), unit=" s")),
    Mark(7, "vector addition, 4 → 64 threads", "less", 16e3, 4e3, " bytes", "spmd", cells("descriptors, whole file", named("vector add")), peers=says("[thesis 49 KB]")),
    Mark(7, "matrix multiply, 4 → 64 threads", "less", 16e3, 4e3, " bytes", "spmd", cells("descriptors, whole file", named("matrix multiply")), peers=says("[thesis 236 – 631 KB]")),
    Mark(7, "dense kernels, growth from N = 20 to 160", "less", 5, None, " %", "spmd",
         growth("descriptors, whole file", [(f"{kernel}, 20", f"{kernel}, 160") for kernel in DENSE])),
    Mark(7, "bytes per added rank from 4 to 16, bases apart", "less", 4, 0, "", "spmd",
         lambda found: [bytes for kernel in REGULAR for bytes in per_rank(kernel)(found)]),
    Mark(7, "CSR solver, 16 ranks, raw / compressed", "more", 10, 30, "", "spmd", cells("ratio", named("cg 24, 16 ranks"))),
    Mark(7, "AMG-like, different ranks, 16 ranks, raw / compressed", "more", 500, 2000, "", "spmd", cells("ratio", named("amg 24, 16 ranks"))),
    Mark(7, "slowdown, dense kernels, recorded and folded", "less", 5, 2.5, "×", "folding", cells("folded : native"),
         peers=says("[thesis 14 – 54× over bare Pin]")),
    Mark(7, "slowdown, irregular codes, folding put off, elapsed", "less", 8, 4, "×", "folding", cells("recorded, elapsed : native")),
    Mark(7, "the same, processor time of all", "less", 8, 4, "×", "folding", cells("recorded, processor : native")),
    Mark(7, "the same, all folded at once, processor time of all", "less", 8, 4, "×", "folding", cells("all folded, processor : native")),
    Mark(7, "replay, M references/s", "more", 100, 500, "", "spmd", cells("replay, M references/s", named("matrix multiply, 4 threads, 320"))),
]
