"""Compressors on traces of records: sizes, processor time and peak memory."""

import concurrent.futures
import hashlib
import json
import lzma
import math
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from traces import traces

ROUNDS = int(os.environ.get("ROUNDS", "2"))
LONG = 2  # seconds: what takes longer is not repeated
KINDS = {"loadval": ("vpc", 4, 12), "storeaddr": ("vpc", 4, 12), "indirect": ("vpc", 4, 12),
         "cflow": ("cf", 0, 4), "memref": ("refs", 0, 17)}


@dataclass(frozen=True)
class Tool:
    """Two filters, of standard input to standard output."""
    name: str
    pack: str  # {format} is the trace's
    unpack: str
    ours: bool = False
    timed: bool = True  # when no page asks for more


def peer(name, pack, unpack, timed=True):
    return Tool(name, pack, unpack, timed=timed)


def own(name, flags):
    return Tool(name, f"vestige compress -q --threads 1 --format {{format}} {flags} - -", "vestige decompress -q --threads 1 - -", ours=True)


PEERS = [
    peer("lz4 -1", "lz4 -1 -c", "lz4 -d -c"),
    peer("compress", "compress -c", "compress -d -c"),
    peer("gzip -9", "gzip -9 -c", "gzip -d -c", timed=False),
    peer("bzip2 -9", "bzip2 -9 -c", "bzip2 -d -c"),
    peer("zstd -3", "zstd -3 --single-thread -q -c", "zstd -d -q -c"),
    peer("zstd -19 --long=27", "zstd -19 --long=27 --single-thread -q -c", "zstd -d --long=27 -q -c", timed=False),
    peer("xz -6", "xz -6 -T1 -c", "xz -d -c"),
    peer("xz -9e", "xz -9e -T1 -c", "xz -d -c", timed=False),
    peer("brotli -9", "brotli -9 -c", "brotli -d -c"),
]
OURS = [own("vestige -1", "-1"), own("vestige", ""), own("vestige -9", "-9"), own("vpc", "--codec vpc"), own("vpc2", "--codec vpc2"),
        own("sequitur", "--codec sequitur")]
# The VPC paper's peer, for traces of PC and data only.
LZ77 = Tool("lz77", "split_lz77 c", "split_lz77 d", ours=True)


def say(text):
    print(text, file=sys.stderr, flush=True)


def sha(path):
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


class Trace:
    """`name` is PROGRAM.KIND."""

    def __init__(self, name, path, layout):
        self.name, self.path = name, path
        self.program, self.kind = name.split(".")[:2]
        self.format, self.preamble, self.width = layout
        self.size = path.stat().st_size
        self.sha = sha(path)


def unpacked(packed, work, quick):
    """The trace of a file that may be packed by xz, or of the first tenth of it."""
    raw = packed.name.removesuffix(".xz")
    name = raw.rsplit(".", 1)[0]
    layout = KINDS[name.split(".")[1]]
    path = work / (raw + (".tenth" if quick else ""))
    if not path.exists():
        say(f"unpacking {packed.name}")
        part = f"{path}.{os.getpid()}"
        opened = lzma.open(packed) if packed.suffix == ".xz" else open(packed, "rb")
        with opened as source, open(part, "wb") as out:
            shutil.copyfileobj(source, out, 1 << 20)
            if quick:
                _, preamble, width = layout
                rows = (out.tell() - preamble) // width // 10
                out.truncate(preamble + rows * width)
        os.rename(part, path)
    return Trace(name, path, layout)


def unpacked_traces(given, work, quick, only):
    names = [f"*.{kind}.{ending}" for kind in KINDS for ending in ("vpc", "u32", "bin")]
    return [unpacked(packed, work, quick) for packed in traces(given, *names) if only(packed.name)]


@dataclass
class Cost:
    seconds: float
    mib: float


@dataclass
class Place:
    """A core, and files that only one job at a time uses."""
    core: int
    out: pathlib.Path
    back: pathlib.Path
    note: pathlib.Path


class Sizes:
    """Sizes by general compressors, kept between runs by tool version and trace."""

    def __init__(self, work):
        self.file = work / "sizes.json"
        self.known = self.load()
        self.versions = {}
        self.lock = threading.Lock()

    def load(self):
        return json.loads(self.file.read_text()) if self.file.exists() else {}

    def key(self, tool, trace):
        program = tool.pack.split()[0]
        with self.lock:
            if program not in self.versions:
                text = subprocess.run([program, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
                found = re.search(r"\d+(\.\d+)+", text.stdout + text.stderr)
                self.versions[program] = found.group() if found else "?"
        return f"{tool.name} | {self.versions[program]} | {trace.sha}"

    def put(self, key, size):
        with self.lock:
            self.known = {**self.load(), key: size}
            part = self.file.with_suffix(f".{os.getpid()}")
            part.write_text(json.dumps(self.known, indent=1))
            part.rename(self.file)


class Bench:
    """What was measured, by (trace's name, tool's name): `size` in bytes; where it was timed, `there` and `again`, a Cost each."""

    def __init__(self, build):
        self.work = build / "bench-compress"
        self.work.mkdir(parents=True, exist_ok=True)
        self.vestige = str(build / "bin/vestige")
        self.split_lz77 = str(build / "bench/split_lz77")
        self.sizes = Sizes(self.work)
        self.places = [Place(core, *(self.work / f"{what}.{os.getpid()}.{core}" for what in ("out", "back", "note")))
                       for core in sorted(os.sched_getaffinity(0))]
        self.size, self.there, self.again = {}, {}, {}

    def command(self, text, trace):
        words = text.format(format=trace.format).split()
        own_programs = {"vestige": self.vestige, "split_lz77": self.split_lz77}
        return [own_programs.get(words[0], words[0]), *words[1:]]

    def run(self, command, source, target, place):
        # A child of this interpreter inherits its peak of memory; time(1) is small.
        with open(source, "rb") as given, open(target, "wb") as written:
            child = subprocess.Popen(["taskset", "-c", str(place.core), "/usr/bin/time", "-f", "%M", "-o", place.note, *command], stdin=given, stdout=written)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(command)} < {source} failed with {child.returncode}")
        return Cost(usage.ru_utime + usage.ru_stime, int(place.note.read_text().split()[-1]) / 1024)

    def best(self, command, source, target, place, first=None):
        """Of the rounds, of which the first may have been run already."""
        runs = [first or self.run(command, source, target, place)]
        while len(runs) < ROUNDS and runs[0].seconds < LONG:
            runs.append(self.run(command, source, target, place))
        return min(runs, key=lambda cost: cost.seconds)

    def unpack(self, trace, tool, place):
        """What of ours is in `place.out`, decompressed and compared."""
        cost = self.run(self.command(tool.unpack, trace), place.out, place.back, place)
        if tool.ours and sha(place.back) != trace.sha:
            raise SystemExit(f"{tool.name} does not give {trace.name} back")
        return cost

    def measure_size(self, trace, tool, place):
        key = None if tool.ours else self.sizes.key(tool, trace)
        if key not in self.sizes.known:
            say(f"{trace.name}: {tool.name}")
            self.run(self.command(tool.pack, trace), trace.path, place.out, place)
            if tool.ours:
                self.unpack(trace, tool, place)
            else:
                self.sizes.put(key, place.out.stat().st_size)
        self.size[trace.name, tool.name] = place.out.stat().st_size if tool.ours else self.sizes.known[key]

    def measure_time(self, trace, tool, place):
        say(f"{trace.name}: {tool.name}, timed")
        at = trace.name, tool.name
        self.there[at] = self.best(self.command(tool.pack, trace), trace.path, place.out, place)
        self.size[at] = place.out.stat().st_size
        if not tool.ours:
            self.sizes.put(self.sizes.key(tool, trace), self.size[at])
        again = self.unpack(trace, tool, place)
        # Of what is fast, writing the file would be a part; it costs the same by any tool.
        self.again[at] = again if again.seconds >= LONG else self.best(self.command(tool.unpack, trace), place.out, os.devnull, place)

    def measure(self, pairs, is_timed):
        """Of traces and tools: sizes on all cores at once, then what is timed, alone on one."""
        self.at_once([lambda place, pair=pair: self.measure_size(*pair, place) for pair in pairs if not is_timed(*pair)])
        for trace, tool in pairs:
            if is_timed(trace, tool):
                self.measure_time(trace, tool, self.places[-1])

    def at_once(self, jobs):
        """Each job gets a place; what they return, in their order."""
        free = queue.Queue()
        for place in self.places:
            free.put(place)

        def in_a_place(job):
            place = free.get()
            try:
                return job(place)
            finally:
                free.put(place)

        with concurrent.futures.ThreadPoolExecutor(len(self.places)) as pool:
            return list(pool.map(in_a_place, jobs))

    def repeated(self, trace, times):
        """Its records so many times over."""
        path = self.work / f"{trace.name}.{times}.{os.getpid()}"
        raw = trace.path.read_bytes()
        with open(path, "wb") as written:
            written.write(raw[:trace.preamble])
            for _ in range(times):
                written.write(memoryview(raw)[trace.preamble:])
        return Trace(trace.name, path, (trace.format, trace.preamble, trace.width))

    def memory(self, trace, tool):
        """Peaks of both directions, MiB."""
        place = self.places[-1]
        there = self.run(self.command(tool.pack, trace), trace.path, place.out, place)
        return there.mib, self.unpack(trace, tool, place).mib

    def has(self, trace, tool):
        return (trace.name, tool.name) in self.size

    def ratio(self, trace, tool):
        return trace.size / self.size[trace.name, tool.name]

    def speed(self, trace, tool):
        """MB/s of both directions, or nothing."""
        at = trace.name, tool.name
        return (trace.size / self.there[at].seconds / 1e6, trace.size / self.again[at].seconds / 1e6) if at in self.there else None

    def close(self):
        for place in self.places:
            for path in (place.out, place.back, place.note):
                path.unlink(missing_ok=True)


def installed(tools):
    there = [tool for tool in tools if tool.ours or shutil.which(tool.pack.split()[0])]
    for tool in tools:
        if tool not in there:
            say(f"{tool.name} is not installed; left out")
    return there


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


def ratio_text(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def table(headers, rows):
    print("| " + " | ".join(headers) + " |")
    print("|" + "---|" * len(headers))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()
