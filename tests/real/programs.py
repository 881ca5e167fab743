"""The real programs: where they come from, how their own build systems build them, what is run.

`cc`, `cxx`: compilers; `flags`: the level, and what coverage needs. Everything happens in the program's folder."""
import os
import subprocess
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
INPUTS = os.path.join(HERE, "inputs")


@dataclass
class Run:
    name: str
    command: list
    stdin: str = None  # a file


@dataclass
class Program:
    build: object  # build(folder, cc, cxx, flags)
    runs: list
    debian: str = None  # source package; none: tests/programs/NAME
    objects: list = field(default_factory=list)  # what coverage must read, the program first
    threads: bool = False
    varies: bool = False  # prints times
    least: float = 0.75  # share of the lines with statements that must be compared at -O0
    environment: dict = field(default_factory=dict)


def sh(folder, command, **extra):
    """Runs a shell command; its output is shown only when it fails."""
    done = subprocess.run(command, cwd=folder, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", env={**os.environ, **extra})
    if done.returncode:
        raise SystemExit(f"{command}: exit status {done.returncode}\n" + "\n".join(done.stdout.splitlines()[-40:]))


def build_bzip2(folder, cc, cxx, flags):
    sh(folder, f"make -j2 bzip2 CC='{cc}' CFLAGS='{flags} -D_FILE_OFFSET_BITS=64' LDFLAGS='{flags}' && head -c 20000 bzip2.c > text")


def build_gzip(folder, cc, cxx, flags):
    # Debian's patches make some of configure's inputs newer than what was made of them.
    sh(folder, "touch aclocal.m4 && touch configure lib/config.hin Makefile.in */Makefile.in && "
               f"./configure --disable-dependency-tracking CC='{cc}' CFLAGS='{flags}' && make -j2 -C lib && "
               "make version.h version.c && make -j2 gzip && head -c 20000 gzip.c > text")


def build_lua(folder, cc, cxx, flags):
    # Debian's build runs libtool, which it generates; Lua's own, without Debian's patches, needs make only.
    sh(folder, "for patch in $(tac debian/patches/series); do patch -s -R -p1 < debian/patches/$patch; done && "
               f"make -j2 -C src linux-noreadline CC='{cc}' MYCFLAGS='{flags}' MYLDFLAGS='{flags}'")


def build_sqlite3(folder, cc, cxx, flags):
    sh(folder, f"./configure --disable-tcl --disable-readline --disable-shared CC='{cc}' CFLAGS='{flags}' "
               f"BUILD_CC=clang-19 && make sqlite3")


def build_own(folder, cc, cxx, flags):
    sh(folder, f"make CC='{cc}' CXX='{cxx}' CFLAGS='{flags}' CXXFLAGS='{flags}'")


def build_zopfli(folder, cc, cxx, flags):
    sh(folder, f"{cc} {flags} -w src/zopfli/*.c -o zopfli -lm && head -c 3000 src/zopfli/squeeze.c > text")


def build_mawk(folder, cc, cxx, flags):
    sh(folder, f"./configure CC='{cc}' CFLAGS='{flags} -w' && make mawk && cp main.c text")


def build_tinyxml2(folder, cc, cxx, flags):
    sh(folder, f"{cxx} {flags} -w tinyxml2.cpp xmltest.cpp -o xmltest && mkdir -p resources/out")


def build_minisat2(folder, cc, cxx, flags):
    sh(folder, f"cd minisat && {cxx} {flags} -w -std=gnu++98 -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I.. -I. core/Main.cc "
               "core/Solver.cc utils/Options.cc utils/System.cc -o ../minisat-core -lz")
    # Six pigeons, five holes.
    clauses = [[5 * p + h + 1 for h in range(5)] for p in range(6)]
    clauses += [[-(5 * p + h + 1), -(5 * q + h + 1)] for h in range(5) for p in range(6) for q in range(p)]
    with open(os.path.join(folder, "holes.cnf"), "w") as out:
        out.write(f"p cnf 30 {len(clauses)}\n" + "".join(" ".join(map(str, c)) + " 0\n" for c in clauses))


PROGRAMS = {
    "bzip2": Program(
        build_bzip2,
        [Run("compress", ["./bzip2", "-k", "-f", "text"]), Run("decompress", ["./bzip2", "-d", "-c", "text.bz2"]),
         Run("refuse", ["./bzip2", "-t", "text"])],
        debian="bzip2", objects=["bzip2", "libbz2.so"], environment={"LD_LIBRARY_PATH": "."}),
    "gzip": Program(
        build_gzip,
        [Run("compress", ["./gzip", "-9", "-n", "-k", "-f", "text"]), Run("decompress", ["./gzip", "-d", "-c", "text.gz"]),
         Run("refuse", ["./gzip", "-t", "text"])],
        debian="gzip", objects=["gzip"]),
    "lua": Program(build_lua, [Run("script", ["./src/lua", os.path.join(INPUTS, "script.lua")])],
                   debian="lua5.4", objects=["src/lua"]),
    "sqlite3": Program(build_sqlite3, [Run("script", ["./sqlite3", ":memory:"], os.path.join(INPUTS, "script.sql"))],
                       debian="sqlite3", objects=["sqlite3"]),
    "orders": Program(build_own, [Run("exchange", ["./orders", "1500", "3"])], objects=["orders"], threads=True, least=0.35),
    "heat": Program(build_own, [Run("plate", ["./heat", "48", "12"])], objects=["heat"], threads=True, least=0.45,
                    environment={"OMP_NUM_THREADS": "3"}),
    "filters": Program(
        build_own,
        [Run("chain", ["./host", "host.c", "./rotate.so", "./nothing.so", "./squeeze.so"]), Run("usage", ["./host"])],
        objects=["host", "rotate.so", "squeeze.so"]),
}

# Recorded with --check only (checked).
CHECKED = {
    "zopfli": Program(build_zopfli, [Run("compress", ["./zopfli", "-c", "--i1", "text"])], debian="zopfli"),
    "mawk": Program(build_mawk, [Run("words", ["./mawk", "{ for (i = 1; i <= NF; ++i) n[$i]++; s += NF * 1.5 } "
                                               "END { for (w in n) if (n[w] > 9) print w, n[w]; print s }", "text"])],
                    debian="mawk"),
    "tinyxml2": Program(build_tinyxml2, [Run("tests", ["./xmltest"])], debian="tinyxml2", varies=True),
    "minisat2": Program(build_minisat2, [Run("holes", ["./minisat-core", "-verb=0", "holes.cnf"])], debian="minisat2"),
}
