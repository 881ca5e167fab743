"""Fails when code uses a word that the glossary of docs/architecture.md gave up, or when too many type names have
more than one meaning.

A type name has several meanings when types of that name are defined at the outermost level of more than one file.
"""

import collections
import pathlib
import re
import sys

MOST_NAMES_WITH_SEVERAL_MEANINGS = 12

TYPE = re.compile(
    r"^(?:template\s*<[^;{]*>\s*)?(?:struct|class|union|enum(?:\s+class)?)\s+(?:alignas\(\w+\)\s+)?([A-Z]\w+)"
    r"\s*(?:final\s*)?(?:<[^>]*>)?\s*(?::[^:;{][^;{]*)?\{", re.M)


def given_up(page):
    """The words in the left column of the table that begins with `| not | but |`."""
    table = page.split("| not | but |", 1)
    if len(table) < 2:
        return []
    rows = table[1].split("\n\n", 1)[0].splitlines()[2:]
    return [word for row in rows for word in re.findall(r"`(\w+)`", row.split("|")[1])]


def code_of(line):
    return line.split("//", 1)[0]


def check(files, words):
    """files: name → text. Returns the problems."""
    problems = []
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, words)) + r")\b") if words else None
    meanings = collections.defaultdict(set)
    for name, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            if pattern and (found := pattern.search(code_of(line))):
                problems.append(f"{name}:{number}: '{found[1]}' was given up (docs/architecture.md)")
        for found in TYPE.finditer(text):
            meanings[found[1]].add(name)
    several = {name: where for name, where in meanings.items() if len(where) > 1}
    if len(several) > MOST_NAMES_WITH_SEVERAL_MEANINGS:
        problems += [f"{name} is defined in {', '.join(sorted(where))}" for name, where in sorted(several.items())]
    return problems


def self_test():
    words = given_up("text\n\n| not | but |\n|---|---|\n| `Old`, `Older` | `New` |\n\nmore `Kept`\n")
    files = {"a.h": "struct Old {\n};\n// Old is fine here\n", "b.h": "int older = Older;\n"}
    found = check(files, words)
    expected = ["a.h:1: 'Old' was given up (docs/architecture.md)", "b.h:1: 'Older' was given up (docs/architecture.md)"]
    many = {f"{i}.{k}": f"struct Name{i} {{\n}};\n" for i in range(MOST_NAMES_WITH_SEVERAL_MEANINGS + 1) for k in "ab"}
    if words != ["Old", "Older"] or found != expected or len(check(many, [])) != MOST_NAMES_WITH_SEVERAL_MEANINGS + 1:
        print(words, found, check(many, []))
        return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1])
    words = given_up((root / "docs/architecture.md").read_text())
    files = {}
    for top in ("include", "src", "tools"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".h", ".cpp", ".c") and file.is_file():
                files[file.relative_to(root).as_posix()] = file.read_text(errors="replace")
    problems = check(files, words)
    print("\n".join(problems))
    if not words or not files:
        print("nothing was checked")
    return 1 if problems or not words or not files else 0


sys.exit(main())
