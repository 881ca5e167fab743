"""check_symbols.py LIBRARY LIST [--write]: libvestige.so exports exactly the names in LIST, each of namespace vestige.

--write makes LIST anew: look at what changed, and name it in CHANGELOG.md.
"""

import difflib
import pathlib
import re
import subprocess
import sys

OURS = re.compile(r"^(vestige::|(vtable|typeinfo|typeinfo name) for vestige::)")


def exported(library):
    said = subprocess.run(["nm", "-DC", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = {line.split(" ", 2)[2] for line in said.splitlines() if line.strip()}
    return sorted(name for name in names if not re.fullmatch(r"libvestige.*|VESTIGE_[0-9.]+", name))


def main():
    library, listed = sys.argv[1], pathlib.Path(sys.argv[2])
    names = exported(library)
    strangers = [name for name in names if not OURS.match(name)]
    if not names or strangers:
        print("\n".join(strangers[:20]) or "no symbols at all")
        return 1
    if sys.argv[3:] == ["--write"]:
        listed.write_text("\n".join(names) + "\n")
        return 0
    wanted = listed.read_text().splitlines()
    difference = list(difflib.unified_diff(wanted, names, "wanted", "exported", lineterm="", n=0))
    print("\n".join(difference[:60]))
    return 1 if difference else 0


sys.exit(main())
