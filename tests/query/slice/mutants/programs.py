"""The programs whose statements are mutated: Debian's sources, compiled file by file, and one run of each."""
import glob
import os
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Program:
    debian: str
    sources: object  # sources(folder): the C files
    command: object  # command(folder): behind the program's name
    flags: list = field(default_factory=list)
    libraries: list = field(default_factory=list)
    prepare: str = None  # a command in the folder, before anything is compiled


def listed(*names):
    return lambda folder: [os.path.join(folder, name) for name in names]


def text(folder, source, size):
    """The beginning of one of its own files, as input."""
    path = os.path.join(folder, "text")
    with open(os.path.join(folder, source), "rb") as file, open(path, "wb") as out:
        out.write(file.read(size))
    return path


# Numbers are printed by the C library, so this prints words.
AWK = """{ for (i = 1; i <= NF; ++i) if (length($i) > 3) { w = substr($i, 2) toupper(substr($i, 1, 1)); n[w]++; s = w "-" s } }
END { print s; m = split(s, a, "-"); for (i = m; i > 0; --i) if (n[a[i]] == 1 && a[i] ~ /[a-m]$/) { sub(/e+/, "<&>", a[i]); print a[i] } }"""

PROGRAMS = {
    "bzip2": Program(
        "bzip2",
        listed("blocksort.c", "huffman.c", "crctable.c", "randtable.c", "compress.c", "decompress.c", "bzlib.c", "bzip2.c"),
        lambda folder: ["-1", "-k", "-c", text(folder, "bzip2.c", 1200)], ["-D_FILE_OFFSET_BITS=64"]),
    "mawk": Program(
        "mawk",
        listed(*(name + ".c" for name in "parse scan memory main hash execute code da error init bi_vars cast print bi_funct kw jmp "
                 "array field split re_cmpl regexp zmalloc fin files scancode matherr fcall version".split())),
        lambda folder: [AWK, text(folder, "zmalloc.c", 900)],
        ["-DHAVE_CONFIG_H", "-DLOCAL_REGEXP", "-include", os.path.join(HERE, "emit_characters.h")], ["-lm"],
        prepare="./configure CC=clang-19 CFLAGS=-w && make scancode.c"),
    "lua": Program(
        "lua5.4",
        lambda folder: sorted(f for f in glob.glob(os.path.join(folder, "src/*.c")) if not f.endswith("/luac.c")),
        lambda folder: [os.path.join(HERE, "script.lua")], ["-DLUA_USE_POSIX"], ["-lm"],
        prepare="for patch in $(tac debian/patches/series); do patch -s -R -p1 < debian/patches/$patch; done"),
}
