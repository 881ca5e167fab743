# What library functions and system calls read and write, and slices through them.
vestige-cc -O0 -g -fno-builtin $SOURCES/passing.c -o passing
vestige record -q --what full -- ./passing
T=passing.vst
hide() { sed -E 's/0x[0-9a-f]{8,}/ADDRESS/g;s/"(address|source)":[0-9]{9,}/"\1":N/g;s/[0-9]{9,}/N/g'; }
lines() { echo "$* $(vestige slice $T --at "$@" --json | sed -E 's/.*"lines":(\[[^]]*\]).*"unresolved":(\{[^}]*\}).*/\1 \2/')"; }
vestige addresses $T library | hide
vestige addresses $T library --count 2 | hide
vestige addresses $T library --json --count 3 | hide
vestige addresses $T library --csv --count 3 | hide
echo "one call"
vestige addresses $T passing.c:15:3 | hide
echo "slices: the number that was printed and read again, and a letter from outside"
lines passing.c:16:15 --data-only
lines '#33' --data-only
lines passing.c:12:7 --forward --data-only
echo "references with those of library functions, and without"
vestige replay $T | wc -l
vestige replay $T --library | wc -l
vestige replay $T --library | grep -c ',7$'
