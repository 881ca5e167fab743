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
    "paths": ["bench/paths/run", "{build}"],
    "wet": ["bench/wet/run", "{build}"],
    "values": ["bench/values/run", "{build}"],
    "parallel": ["bench/parallel/run", "{build}"],
    "cost": ["bench/parallel/cost", "{build}"],
    "races": ["bench/races/run", "{build}"],
    "spmd": ["bench/spmd/run", "{build}"],
}
STEPS = {1: "Control flow", 2: "Trace compression", 3: "Full recording", 4: "Paths in compressed traces", 5: "Whole execution traces",
         6: "Parallel executions", 7: "SPMD memory traces"}

MARKS = [
    Mark(1, "slowdown, control only, file complete, geomean", "less", 2.0, 1.3, "×", "record", cells("recorded, file complete"), True),
    Mark(1, "file, bits per native instruction", "less", 0.2, 0.1, "", "record", cells("bits per native instruction")),
    Mark(1, "extra memory in the program", "less", 64, None, " MiB", "record", cells("extra memory")),
    Mark(1, "walk forwards, M blocks/s", "more", 50, 300, "", "record", cells("walk, M blocks/s")),
    Mark(1, "walk backwards / forwards", "more", 0.8, 1.0, "", "record", cells("backwards / forwards")),
    Mark(1, "jump to any time, median", "less", 10, 2, " ms", "record", cells("jump, median / worst")),
    Mark(2, "ratio of load values, default", "more", 76, 90, "", "compress", row("loadval", "vestige")),
    Mark(2, "ratio of store addresses, default", "more", 200, 335, "", "compress", row("storeaddr", "vestige")),
    Mark(2, "ratio of indirect branches, default", "more", 324, 421, "", "compress", row("indirect", "vestige")),
    Mark(2, "ratio of load values, -9", "more", 90, 117, "", "compress", row("loadval", "vestige -9")),
    Mark(2, "ratio of store addresses, -9", "more", 335, 435, "", "compress", row("storeaddr", "vestige -9")),
    Mark(2, "ratio of indirect branches, -9", "more", 421, 547, "", "compress", row("indirect", "vestige -9")),
    Mark(2, "default against xz -6, control flow and references", "more", 2, 4, "×", "compress", against_xz),
    Mark(2, "grammar built, M symbols/s", "more", 8, 25, "", "sequitur", cells("built, M symbols/s")),
    Mark(2, "grammar, bytes of memory per symbol", "less", 32, 16, "", "sequitur", cells("memory, bytes per symbol")),
    Mark(2, "grammar, serialized against the smaller of bzip2 -9 and xz -6", "less", 1, 0.5, "×", "sequitur", cells("against the smaller")),
    Mark(3, "slowdown, full, file complete, geomean", "less", 5, 3, "×", "record", cells("recorded with all values, file complete"), True),
    Mark(3, "file, full, bits per statement", "less", 1, 0.3, "", "record", cells("bits per statement")),
    Mark(3, "evaluator, M statements/s of a core", "more", 60, 150, "", "values", cells("evaluated, M statements/s")),
    Mark(3, "first value of a frequent load", "less", 100, None, " ms", "values", cells("first, ms")),
    Mark(3, "first 100 values", "less", None, 50, " ms", "values", cells("first 100, ms")),
    Mark(3, "load values, MB/s", "more", 40, 300, "", "values", cells("values, MB/s elapsed"), True),
    Mark(3, "addresses, MB/s", "more", 40, 300, "", "values", cells("addresses, MB/s elapsed"), True),
    Mark(3, "memory while querying", "less", 512, None, " MiB", "values", cells("memory, MiB")),
    Mark(4, "scheme 2 against unpacking and scanning, geomean", "more", 10, 50, "×", "paths", cells("2 against 1"), True),
    Mark(4, "scheme 2 against the scan alone, geomean", "more", 1, 10, "×", "paths", cells("2 against scan"), True),
    Mark(4, "scheme 4 on rare paths, geomean", "more", 400, 2000, "×", "paths", cells("4 against 1", having=("type", "1")), True),
    Mark(4, "first match of a literal path", "less", 200, 20, " ms", "paths", cells("auto, first, ms")),
    Mark(5, "trace, index and dependences, bits per statement", "less", 2, 0.5, "", "wet", cells("bits per statement, all")),
    Mark(5, "construction, M statements/s", "more", 5, 30, "", "wet", cells("indexed per second")),
    Mark(5, "control flow forwards, MB/s", "more", 1000, 4000, "", "wet", cells("control flow forwards, MB/s")),
    Mark(5, "control flow backwards, MB/s", "more", 1000, 4000, "", "wet", cells("control flow backwards, MB/s")),
    Mark(5, "backward slices, M instances/s", "more", 5, None, "", "wet", cells("M instances per s", having=("slices", "backward"))),
    Mark(5, "backward slices of up to 3 M instances, slowest", "less", 1, None, " s", "wet", cells("slowest up to 3 M", having=("slices", "backward"))),
    Mark(5, "forward slices against backward ones, time per instance", "less", 2, 1, "×", "wet", cells("forward : backward, time per instance")),
    Mark(5, "memory while building", "less", 4096, 1024, " MB", "wet", cells("memory, MB")),
    Mark(6, "CDR of FFT, % of the plain log", "less", 0.44, 0.088, "", "parallel", percent_of_cdr("fft")),
    Mark(6, "CDR of LU, % of the plain log", "less", 0.25, 0.05, "", "parallel", percent_of_cdr("lu")),
    Mark(6, "CDR of SOR, % of the plain log", "less", 1.4, 0.28, "", "parallel", percent_of_cdr("sor")),
    Mark(6, "CDR of water, % of the plain log", "less", 3.7, 0.74, "", "parallel", percent_of_cdr("water")),
    Mark(6, "CDR of particles against zstd -19 of the same streams", "less", 1, 0.5, "×", "parallel", particles_against_zstd),
    Mark(6, "slowdown, four threads on two cores, target", "less", 8, 4, "×", "cost", cells("slowdown")),
    Mark(6, "memory while recording, against plain", "less", 4, 2, "×", "cost", cells("memory")),
    Mark(6, "races on 10⁸ accesses, processor time", "less", 5, 0.5, " s", "races", cells("races, s", named("multiply 368"))),
    Mark(7, "vector addition, 4 → 64 threads", "less", 16e3, 4e3, " bytes", "spmd", cells("descriptors, whole file", named("vector add"))),
    Mark(7, "matrix multiply, 4 → 64 threads", "less", 16e3, 4e3, " bytes", "spmd", cells("descriptors, whole file", named("matrix multiply"))),
    Mark(7, "dense kernels, growth from N = 20 to 160", "less", 5, None, " %", "spmd",
         growth("descriptors, whole file", [(f"{kernel}, 20", f"{kernel}, 160") for kernel in DENSE])),
    Mark(7, "bytes per added rank from 4 to 16, bases apart", "less", 4, 0, "", "spmd",
         lambda found: [bytes for kernel in REGULAR for bytes in per_rank(kernel)(found)]),
    Mark(7, "CSR solver, 16 ranks, raw / compressed", "more", 10, 30, "", "spmd", cells("ratio", named("cg 24, 16 ranks"))),
    Mark(7, "AMG-like, 16 ranks, raw / compressed", "more", 10, 30, "", "spmd", cells("ratio", named("amg 24, 16 ranks"))),
    Mark(7, "replay, M references/s", "more", 100, 500, "", "spmd", cells("replay, M references/s", named("matrix multiply, 4 threads, 320"))),
]
