# Readers that go away, and disks that are full.
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige record -q -- ./collatz 97
vestige walk collatz.vst --json --level statement | head -n 1 | cut -c 1-15
vestige walk collatz.vst --json > /dev/full; echo "[exit $?]"
(trap '' PIPE; vestige walk collatz.vst --json --level statement | head -n 1 | wc -l)
vestige walk collatz.vst --color always --count 1 | grep -c '\[33m'
vestige walk collatz.vst --count 1 | grep -c '\[33m'
