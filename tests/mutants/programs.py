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


def listed(*names):
    return lambda folder: [os.path.join(folder, name) for name in names]


def text(folder, source, size):
    """The beginning of one of its own files, as input."""
    path = os.path.join(folder, "text")
    with open(os.path.join(folder, source), "rb") as file, open(path, "wb") as out:
        out.write(file.read(size))
    return path


PROGRAMS = {
    "bzip2": Program(
        "bzip2",
        listed("blocksort.c", "huffman.c", "crctable.c", "randtable.c", "compress.c", "decompress.c", "bzlib.c", "bzip2.c"),
        lambda folder: ["-1", "-k", "-c", text(folder, "bzip2.c", 1200)], ["-D_FILE_OFFSET_BITS=64"]),
    "zopfli": Program(
        "zopfli", lambda folder: sorted(glob.glob(os.path.join(folder, "src/zopfli/*.c"))),
        lambda folder: ["-c", "--i1", text(folder, "src/zopfli/squeeze.c", 400)], libraries=["-lm"]),
    "lua": Program(
        "lua5.4",
        lambda folder: sorted(f for f in glob.glob(os.path.join(folder, "src/*.c")) if not f.endswith("/luac.c")),
        lambda folder: [os.path.join(HERE, "script.lua")], ["-DLUA_USE_POSIX"], ["-lm"]),
}
