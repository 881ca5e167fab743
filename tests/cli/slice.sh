# Slices. The lines of each example were checked by hand.
vestige-cc -O0 -g $SOURCES/textbook.c -o textbook
vestige record -q --what full -- ./textbook
T=textbook.vst
hide() { sed -E 's/0x[0-9a-f]{8,}/ADDRESS/g;s/"(address|value)":[0-9]{9,}/"\1":N/g;s/[0-9]+\.[0-9]{3} s$/TIME/;s/"seconds":[0-9.e-]+/"seconds":X/;s/"file":"[^"]*\//"file":"/g'; }
lines() { echo "$* $(vestige slice $T --at "$@" --json | sed -E 's/.*"lines":(\[[^]]*\]).*"unresolved":(\{[^}]*\}).*/\1 \2/')"; }
echo "loop, recursion, aliases, a copied struct, a byte of a word, the word, short circuit, switch, function pointer, globals"
for line in 34 36 41 46 51 52 55 56 60 63; do lines textbook.c:$line; done
echo "without control"
for line in 34 36 41 46 51 52 55 56 60 63; do lines textbook.c:$line --data-only; done
echo "forward: from seven, from the argument of a call, from a branch"
lines textbook.c:35 --forward
lines textbook.c:35 --forward --data-only
lines textbook.c:61:8 --forward
lines textbook.c:57 --forward
echo "instances"
lines textbook.c:31@1
lines textbook.c:31@2 --data-only
code vestige slice $T --at textbook.c:41 --instances | hide
code vestige slice $T --at textbook.c:41 --instances --json --depth 1 | hide
code vestige slice $T --at textbook.c:41 --instances --csv --depth 1 | wc -l
code vestige slice $T --at textbook.c:41 | hide
code vestige slice $T --at textbook.c:41 --json --depth 0 | hide
echo "wrong use"
code vestige slice $T --at textbook.c:31@9
code vestige slice $T --at textbook.c:31@0
code vestige slice $T --at textbook.c:31@x
code vestige slice $T --at textbook.c:999
code vestige slice $T
code vestige slice $T --at '#0' --thread 7
vestige record -q --what control -o paths.vst -- ./textbook
code vestige slice paths.vst --at '#0'
echo "as source, as a graph"
code vestige slice $T --at textbook.c:41 --source | grep -E '^ +[0-9]+ +[0-9]+  '
code vestige slice $T --at textbook.c:41 --dot --depth 2
code vestige slice $T --at textbook.c:41@1 --misses
