"""links.py ROOT: what the pages point at is there: links to other pages, and files and folders of this tree that they name.

Exit status 1, and a line for each, where it is not."""

import pathlib
import re
import sys

FOLDERS = ("src", "include", "tools", "tests", "bench", "docs", "scripts", "examples", "fuzz", "packaging", "cmake")
NAMED = re.compile(r"`((?:%s)/[A-Za-z0-9_./+-]+)" % "|".join(FOLDERS))
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


def ends_nowhere(page, root):
    text = page.read_text()
    for link in LINK.findall(text):
        if "://" not in link and not (page.parent / link).exists():
            yield f"links to {link}"
    for name in NAMED.findall(text):
        # A name without its ending stands for a header and its source.
        if not (root / name).exists() and not any((root / name).parent.glob(f"{pathlib.Path(name).name}.*")):
            yield f"names {name}"


def main():
    root = pathlib.Path(sys.argv[1])
    pages = [*root.glob("*.md"), *(page for folder in FOLDERS for page in (root / folder).rglob("*.md"))]
    found = [f"{page.relative_to(root)} {what}, which is not there" for page in sorted(pages) for what in ends_nowhere(page, root)]
    print("\n".join(found) or f"{len(pages)} pages: all they point at is there")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
