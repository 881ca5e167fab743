"""Traces of other programs' events, for the benchmarks of codecs: a folder that is given, $VESTIGE_TRACES, or ../shared/traces beside the repository."""

import contextlib
import lzma
import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def traces(given, *names):
    """The files with these names (patterns), packed by xz or not. The program ends, and says so, where there are none."""
    folder = pathlib.Path(given or os.environ.get("VESTIGE_TRACES") or ROOT.parent / "shared/traces")
    found = sorted(file for name in names for file in [*folder.glob(name), *folder.glob(f"{name}.xz")])
    if not found:
        print(f"no traces in {folder}: give a folder, or set VESTIGE_TRACES; nothing measured")
        sys.exit()
    return found


@contextlib.contextmanager
def unpacked(trace, work):
    """A plain copy in the folder, removed afterwards."""
    work.mkdir(parents=True, exist_ok=True)
    plain = work / trace.name.removesuffix(".xz")
    with lzma.open(trace) if trace.suffix == ".xz" else open(trace, "rb") as source, open(plain, "wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)
    yield plain
    plain.unlink()
