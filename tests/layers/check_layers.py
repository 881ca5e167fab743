"""Fails when an include points against the layer order of src/README.md, or when include/vestige/README.md leaves a header out.

A folder may include itself, what its row names, and the headers of the system and of the libraries it
may use. The deepest folder that has a row counts. Where a folder has shelves (SHELVES), each of them may
also include those before it in the list, and none behind it: so there are no cycles.
"""

import pathlib
import re
import sys
import tempfile

PUBLIC = "include/vestige"

# folder → the folders it may include
MAY = {
    "include/vestige": [],
    "src/base": [PUBLIC],
    "src/program": ["src/base", PUBLIC],
    "src/codec": ["src/base", PUBLIC],
    "src/archive": ["src/codec", "src/base", PUBLIC],
    "src/store": ["src/program", "src/codec", "src/base", PUBLIC],
    "src/exchange/import": ["src/store", "src/archive", "src/program", "src/codec", "src/base", PUBLIC],
    "src/exchange/export": ["src/query", "src/trace", "src/store", "src/program", "src/codec", "src/base", PUBLIC],
    "src/trace": ["src/store", "src/program", "src/codec", "src/base", PUBLIC],
    "src/query": ["src/trace", "src/store", "src/program", "src/codec", "src/base", PUBLIC],
    "src/spmd": ["src/query", "src/trace", "src/store", "src/program", "src/codec", "src/base", PUBLIC],
    "src/spmd/mpi": [PUBLIC],
    "src/record/mpi": ["include/vestige/sync_kind.h"],
    "src/record/collect": ["src/store", "src/program", "src/codec", "src/base", "src/record/protocol.h", PUBLIC],
    "src/record/driver": ["src/base", "include/vestige/compile.h", "include/vestige/result.h"],
    "src/record/runtime": ["src/record/protocol.h", "src/program/told_value.h"],
    "src/record/pass": ["src/program", "src/base", "src/record/protocol.h", PUBLIC],
    "src/record/protocol.h": ["include/vestige/sync_kind.h", "src/program/told_value.h"],
    "src/program/told_value.h": [],
    "tools/vestige": [PUBLIC],
}

# folder → its shelves, in the order data flows; "" is the folder itself
SHELVES = {
    "src/codec": ["", "entropy", "pack", "sequitur", "groups", "stream/bidirectional", "stream/checkpoint", "stream/packed",
                  "stream/runs", "stream/sequitur", "stream", "word/context", "word/nodes", "word/packed", "word/sequitur",
                  "record", "record/vpc", "record/streams", "record/hybrid", "record/vestige/repeat", "record/vestige/fast",
                  "record/vestige/mix", "record/vestige/strong", "record/vestige", "registry"],
    "src/trace": ["", "told", "eval", "index", "windows", "paths", "verify"],
    "src/query": ["names", "rows", "order", "threads", "variables", "dependences", "slice", "represent", "wet", "values", "walk",
                  "paths", "hot", "diff", "machine", "sharing", "races", "schedules", "race_report", "replay", "sync", "tiers"],
}

# libraries (by the first folder of the include, or a whole name) → who may use them
LIBRARIES = {
    "mpi.h": ["src/spmd/mpi", "src/record/mpi"],
    "llvm": ["src/record/pass"],
    "clang": ["src/record/pass"],
    "CLI": ["tools/vestige"],
    "nlohmann": ["tools/vestige"],
    "fmt": ["tools/vestige", "src/record/collect"],
    "zstd.h": ["src/base", "src/codec", "src/store"],
    "xxhash.h": ["src/base", "src/record/collect"],
    "libelf.h": ["src/record/collect"],
    "gelf.h": ["src/record/collect"],
    "elfutils": ["src/record/collect"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def layer_of(path, rows=MAY):
    """The row a file belongs to, or None."""
    candidates = [row for row in rows if path == row or path.startswith(row + "/")]
    return max(candidates, key=len, default=None)


def resolve(root, file, name):
    """The file an include means, relative to the root, or None for the system's."""
    for folder in (file.parent, root / "src", root / "include", root / "tools/vestige"):
        if (folder / name).is_file():
            return (folder / name).resolve().relative_to(root.resolve()).as_posix()
    return None


def shelf_of(path):
    """The folder with shelves that a file is in, and where its shelf stands; None where there are none."""
    for folder, shelves in SHELVES.items():
        if path.startswith(folder + "/"):
            name = path[len(folder) + 1:].rpartition("/")[0]
            return folder, shelves.index(name) if name in shelves else -1
    return None


def shelf_problem(here, target):
    """What is wrong with an include within one folder, or None."""
    mine, theirs = shelf_of(here), shelf_of(target)
    if mine is None or theirs is None or mine[0] != theirs[0]:
        return None
    if mine[1] < 0:
        return f"{here}: its folder is not in SHELVES of tests/layers/check_layers.py"
    return f"{here}: may not include {target}, which is on a later shelf" if theirs[1] > mine[1] else None


def check(root):
    problems = []
    seen = 0
    for top in ("include", "src", "tools"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp", ".c") or not file.is_file():
                continue
            here = file.relative_to(root).as_posix()
            layer = layer_of(here)
            if layer is None:
                problems.append(f"{here}: its folder has no row in tests/layers/check_layers.py")
                continue
            seen += 1
            for quote, name in INCLUDE.findall(file.read_text(errors="replace")):
                target = resolve(root, file, name)
                if target is None:
                    library = name if name in LIBRARIES else name.split("/")[0]
                    users = LIBRARIES.get(library)
                    if users is not None and layer not in users:
                        problems.append(f"{here}: {layer} may not use {library} ({name})")
                    elif quote == '"' and users is None:
                        problems.append(f'{here}: #include "{name}" is none of our files')
                    continue
                if problem := shelf_problem(here, target):
                    problems.append(problem)
                if target.startswith(layer + "/") or target == layer:
                    continue
                if not any(target == may or target.startswith(may + "/") for may in MAY[layer]):
                    problems.append(f"{here}: {layer} may not include {target}")
    return problems, seen


def check_readme(root):
    """Headers that the page on the library does not name."""
    text = (root / PUBLIC / "README.md").read_text()
    return [f"{PUBLIC}/README.md does not name {file.name}" for file in sorted((root / PUBLIC).glob("*.h")) if f"`{file.name}`" not in text]


def self_test():
    """The checker must see what it is there to see."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        files = {
            "include/vestige/a.h": '#include "base/x.h"\n',
            "src/base/x.h": '#include "store/y.h"\n#include <vector>\n',
            "src/store/y.h": '#include "base/x.h"\n#include "vestige/a.h"\n',
            "src/record/runtime/r.cpp": '#include "base/x.h"\n#include "record/protocol.h"\n',
            "src/record/protocol.h": "#include <cstdint>\n",
            "tools/vestige/t.cpp": '#include "store/y.h"\n#include <CLI/CLI.hpp>\n#include "vestige/a.h"\n',
            "src/query/names/q.cpp": "#include <fmt/format.h>\n#include \"query/rows/r.h\"\n",
            "src/query/rows/r.h": "#include \"query/names/n.h\"\n",
            "src/query/names/n.h": "",
            "src/stray/s.cpp": "\n",
        }
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        problems, _ = check(root)
        expected = {
            "include/vestige/a.h: include/vestige may not include src/base/x.h",
            "src/base/x.h: src/base may not include src/store/y.h",
            "src/record/runtime/r.cpp: src/record/runtime may not include src/base/x.h",
            "tools/vestige/t.cpp: tools/vestige may not include src/store/y.h",
            "src/query/names/q.cpp: src/query may not use fmt (fmt/format.h)",
            "src/query/names/q.cpp: may not include src/query/rows/r.h, which is on a later shelf",
            "src/stray/s.cpp: its folder has no row in tests/layers/check_layers.py",
        }
        if set(problems) != expected:
            print("\n".join(sorted(set(problems) ^ expected)))
            return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1])
    problems, seen = check(root)
    problems += check_readme(root)
    print("\n".join(problems))
    if not seen:
        print("no file was checked")
    return 1 if problems or not seen else 0


sys.exit(main())
