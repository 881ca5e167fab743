"""The scenarios of handoff.c as ThreadSanitizer sees them: an opinion from outside on what is a race.

    sanitizer.py CLANG REPEAT

It has to say what the list says: a third word where it is known to see it in another way.
"""

import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).parent / "programs" / "handoff.c"
FLAGS = ["-g", "-O1", "-fno-builtin", "-pthread", "-w", "-fsanitize=thread"]


def main():
    clang, repeat = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        built = subprocess.run([clang, *FLAGS, SOURCE, "-o", program], capture_output=True, text=True)
        if built.returncode != 0:
            print("no ThreadSanitizer:", built.stderr[-300:])
            sys.exit(77)
        listed = subprocess.run([program, "list"], capture_output=True, text=True).stdout.splitlines()
        if not listed:
            print("ThreadSanitizer does not run here")
            sys.exit(77)
        wrong, agreed = [], 0
        for wanted, name, *other in map(str.split, listed):
            says = set()
            for _ in range(repeat):
                done = subprocess.run([program, name], capture_output=True, text=True, errors="replace")
                says.add("racy" if "WARNING: ThreadSanitizer:" in done.stderr else "free")
                if "racy" in says:
                    break
            answer = "racy" if "racy" in says else "free"
            agreed += answer == wanted
            if answer != (other[0] if other else wanted):
                wrong.append(f"{name}: {answer}")
        print(len(listed), "scenarios, of which ThreadSanitizer says the same:", agreed)
        sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
