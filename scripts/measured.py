"""What the benchmarks print: run once for a build, kept, and read as tables."""

import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def measured(build, name, command):
    """What the command printed: kept from before, or run now. What is older than the build is not kept. None: it failed."""
    kept = build / "measured" / f"{name}.md"
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not kept.exists() or kept.stat().st_mtime < (build / "bin" / "vestige").stat().st_mtime:
        print(f"{name}: {' '.join(command)}", file=sys.stderr, flush=True)
        part, begun = kept.with_suffix(".part"), time.monotonic()
        with open(part, "w") as out:
            status = subprocess.run([word.format(build=build) for word in command], stdout=out, cwd=ROOT).returncode
        print(f"{name}: {(time.monotonic() - begun) / 60:.1f} minutes", file=sys.stderr, flush=True)
        if status != 0:
            print(f"{name}: exit status {status}; what it printed is in {part}", file=sys.stderr)
            return None
        part.rename(kept)
    return kept.read_text()


def tables(text):
    """The Markdown tables in it: each a list of rows, the head first."""
    found, rows = [], []
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            cells = [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]
            if not all(set(cell) <= set("-: ") for cell in cells):
                rows.append(cells)
        elif rows:
            found.append(rows)
            rows = []
    return found


def column(table, name):
    return table[0].index(name) if name in table[0] else None


def numbers(cell):
    """All numbers in a cell, units left out."""
    found, word = [], ""
    for character in cell.replace(",", "") + " ":
        if character.isdigit() or (character in ".-" and not word.endswith(character)):
            word += character
            continue
        if any(digit.isdigit() for digit in word):
            found.append(float(word.rstrip(".-")))
        word = ""
    return found


def number(cell):
    """The first one, or nothing."""
    return (numbers(cell) or [None])[0]
