"""The tables and figures of the VPC paper, on traces of the three kinds it studies: under their titles, so that the paper's own rows can be put beside ours."""

import json
import struct

from measure import KINDS, LZ77, OURS, PEERS, Trace, installed, mean, ratio_text, say, table

NAMES = {"loadval": "load values", "indirect": "indirect branches", "storeaddr": "store addresses"}
RATES = {"loadval": "Figure 5. Compression rates: load values", "indirect": "Figure 8. Compression rates: indirect branches",
         "storeaddr": "Figure 9. Compression rates: store addresses"}
COLUMNS = ["compress", "gzip -9", "bzip2 -9", "zstd -3", "xz -9e", "lz77", "sequitur", "vpc", "vpc2", "vestige -1", "vestige", "vestige -9"]
TOOLS = {tool.name: tool for tool in [*PEERS, LZ77, *OURS] if tool.name in COLUMNS}
MEANS_OVER = ("gcc", "sqlite", "lua")  # their load values are timed
SLOW = ("xz -9e", "vestige -9")  # of these programs only
THEN, NOW = 330e3, 12.5e6  # bytes a second: the paper's connection, and one of 100 Mbit/s
CONSTANT = 5_000_000  # records
ALMOST_CONSTANT = 45  # a rate of vpc


def has(name):
    return name.split(".")[1] in NAMES


def title(text):
    print(f"### {text}\n")


def seconds_text(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def programs(traces):
    return list(dict.fromkeys(trace.program for trace in traces))


def constant_trace(work):
    path = work / "constant.vpc"
    path.write_bytes(b"vpc3" + struct.pack("<IQ", 0x401000, 0x7fff0000) * CONSTANT)
    return Trace("constant.generated", path, KINDS["loadval"])


def foretold(bench, trace, place):
    """Percent of the PCs and of the data that a predictor of vpc had right."""
    say(f"{trace.name}: predictability")
    report = place.back
    bench.run([bench.vestige, "compress", "-q", "--threads", "1", "--format", trace.format, "--codec", "vpc", "--explain", "--json",
               str(trace.path), str(place.out)], "/dev/null", report, place)
    return [100 * (1 - field["predictors"][-1]["share"]) for field in json.loads(report.read_text())["explain"]]


def print_sizes(traces):
    title("Table 1. Sizes of the traces")
    size = {(trace.program, trace.kind): f"{trace.size / 1e6:.1f}" for trace in traces}
    table(["program", *(f"{name}, MB" for name in NAMES.values())],
          [[program, *(size.get((program, kind), "") for kind in NAMES)] for program in programs(traces)])


def print_predictability(bench, traces):
    title("Figure 4. Predictability")
    percent = dict(zip(traces, bench.at_once([lambda place, trace=trace: foretold(bench, trace, place) for trace in traces])))
    rows = []
    for kind, name in NAMES.items():
        of = {trace: percent[trace] for trace in traces if trace.kind == kind}
        rows += [[f"{name}, {trace.program}", *(f"{value:.1f}" for value in values)] for trace, values in of.items()]
        if of:
            rows.append([f"{name}, mean", *(f"{sum(column) / len(of):.1f}" for column in zip(*of.values()))])
            worst = [min(of, key=lambda trace: of[trace][field]) for field in (0, 1)]
            rows.append([f"{name}, worst", *(f"{of[trace][field]:.1f} ({trace.program})" for field, trace in enumerate(worst))])
    table(["trace", "PCs foretold, %", "data foretold, %"], rows)


def print_rates(bench, traces, kind):
    title(RATES[kind])
    of = [trace for trace in traces if trace.kind == kind]
    def cells(chosen, value):
        known = lambda tool: chosen and all(bench.has(trace, tool) for trace in chosen)
        return [ratio_text(value(bench.ratio(trace, TOOLS[name]) for trace in chosen)) if known(TOOLS[name]) else "" for name in COLUMNS]

    rows = [[trace.program, *cells([trace], max)] for trace in of]
    rows.append(["geometric mean", *cells(of, mean)])
    rows.append([f"of {', '.join(MEANS_OVER)}", *cells([trace for trace in of if trace.program in MEANS_OVER], mean)])
    rows.append(["least", *cells(of, min)])
    table(["program", *COLUMNS], rows)


def print_against(bench, traces, tools):
    """The paper's main result."""
    title(f"Means of the rates against each other, of {', '.join(MEANS_OVER)}")
    rows = []
    for kind, name in NAMES.items():
        of = [trace for trace in traces if trace.kind == kind and trace.program in MEANS_OVER]
        means = {tool.name: mean(bench.ratio(trace, tool) for trace in of) for tool in tools}
        pairs = (("vpc2", "compress"), ("vpc2", "gzip -9"), ("vpc2", "sequitur"), ("vestige", "vpc2"), ("vestige -9", "vpc2"), ("vestige -9", "xz -9e"))
        rows.append([name, *(f"{means[a] / means[b]:.2f}" if means.get(b) else "" for a, b in pairs)])
    table(["kind", *(f"{a} : {b}" for a, b in pairs)], rows)


def print_delivery(bench, loads, tools):
    title("Figure 6. Compress, send, decompress a trace of load values")
    raw = mean(trace.size for trace in loads)
    rows = [["none", "", f"{raw / THEN:.1f}", "", f"{raw / THEN:.1f}", f"{raw / NOW:.2f}", f"{raw / NOW:.2f}", "", ""]]
    for name in COLUMNS:
        if TOOLS[name] not in tools:
            continue
        at = [(trace.name, name) for trace in loads]
        there, again, size = ([of[a] for a in at] for of in (bench.there, bench.again, bench.size))
        all_of = lambda rate: seconds_text(mean(t.seconds + s / rate + a.seconds for t, s, a in zip(there, size, again)))
        in_, out = mean(t.seconds for t in there), mean(a.seconds for a in again)
        rows.append([name, seconds_text(in_), seconds_text(mean(size) / THEN), seconds_text(out), all_of(THEN),
                     seconds_text(mean(size) / NOW), all_of(NOW), f"{raw / in_ / 1e6:.1f}", f"{raw / out / 1e6:.1f}"])
    table(["tool", "compress, s", "send at 330 KB/s, s", "decompress, s", "all, s", "send at 12.5 MB/s, s", "all at 12.5 MB/s, s",
           "compress, MB/s", "decompress, MB/s"], rows)


def print_decompression(bench, loads, tools):
    title("Figure 7. Seconds to decompress a trace of load values")
    rows = []
    for name in COLUMNS:
        if TOOLS[name] in tools:
            seconds = [bench.again[trace.name, name].seconds for trace in loads]
            rows.append([name, *map(seconds_text, [*seconds, mean(seconds)])])
    table(["tool", *(trace.program for trace in loads), "geometric mean"], rows)


def print_memory(bench, loads, tools):
    title("Memory")
    longer = bench.repeated(loads[0], 8)
    rows = []
    for name in COLUMNS:
        if TOOLS[name] not in tools:
            continue
        peaks = [[cost[trace.name, name].mib for trace in loads] for cost in (bench.there, bench.again)]
        eight = [""]
        if name == "vpc":
            say(f"memory: {name}")
            eight = [" / ".join(f"{peak:.0f}" for peak in bench.memory(longer, TOOLS[name]))]
        rows.append([name, *(f"{min(peak):.0f} – {max(peak):.0f}" for peak in peaks), *eight])
    longer.path.unlink()
    table(["tool", "compress, MB", "decompress, MB", f"{loads[0].program} eight times over, compress / decompress"], rows)


def print_ceiling(bench, traces):
    title("The ceiling of 48")
    shown = [name for name in COLUMNS if name in ("sequitur", "vpc", "vpc2", "vestige")]
    constant = constant_trace(bench.work)
    bench.measure([(constant, TOOLS[name]) for name in shown], lambda trace, tool: False)
    constant.path.unlink()
    rows = []
    for trace in traces:
        if bench.ratio(trace, TOOLS["vpc"]) >= ALMOST_CONSTANT:
            rows.append([f"{trace.program}, {NAMES[trace.kind]}", *(ratio_text(bench.ratio(trace, TOOLS[name])) for name in shown)])
    rows.append([f"{CONSTANT // 10**6} million equal records", *(ratio_text(bench.ratio(constant, TOOLS[name])) for name in shown)])
    table(["trace", *shown], rows)


def measure(bench, traces):
    tools = installed([TOOLS[name] for name in COLUMNS])
    loads = [trace for trace in traces if trace.kind == "loadval" and trace.program in MEANS_OVER]
    pairs = [(trace, tool) for trace in traces for tool in tools if tool.name not in SLOW or trace.program in MEANS_OVER]
    bench.measure(pairs, lambda trace, tool: trace in loads)
    print_sizes(traces)
    print_predictability(bench, traces)
    print_rates(bench, traces, "loadval")
    if loads:
        print_delivery(bench, loads, tools)
        print_decompression(bench, loads, tools)
    for kind in ("indirect", "storeaddr"):
        print_rates(bench, traces, kind)
    print_against(bench, traces, tools)
    if loads:
        print_memory(bench, loads, tools)
    print_ceiling(bench, traces)
