# Readers that go away, and disks that are full.
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige record -q -- ./collatz 97
vestige walk collatz.vst --json --level statement | head -n 1 | cut -c 1-15
vestige walk collatz.vst --json > /dev/full; echo "[exit $?]"
(trap '' PIPE; vestige walk collatz.vst --json --level statement | head -n 1 | wc -l)
vestige walk collatz.vst --color always --count 1 | grep -c '\[33m'
vestige walk collatz.vst --count 1 | grep -c '\[33m'
# What was left out is said on standard error, unless people read standard output itself.
vestige walk collatz.vst 2> more.err | wc -l
cat more.err
vestige walk collatz.vst 2> /dev/null | grep -c "use --all"
vestige values collatz.vst all 2>&1 > rows.txt
/usr/bin/python3 - <<'P'
import os, pty
told = b""
child, terminal = pty.fork()
if child == 0:
    os.execvp("sh", ["sh", "-c", "vestige walk collatz.vst 2> terminal.err"])
try:
    while piece := os.read(terminal, 4096):
        told += piece
except OSError:  # the other end is closed
    pass
os.waitpid(child, 0)
print(told.count(b"use --all"), os.path.getsize("terminal.err"))
P
