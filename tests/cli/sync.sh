# Synchronization operations of all threads, in one order.
vestige-cc -O0 -pthread $SOURCES/locks.c -o locks
vestige record -q -o t.vst -- ./locks
plain() { sed -E 's/0x[0-9a-f]+ */ADDRESS /; s/"object":[0-9]+/"object":N/'; }
code vestige sync t.vst | plain
code vestige sync t.vst --thread 0.1 --count 2 | plain
code vestige sync t.vst --nth 0:3 --json | plain
code vestige sync t.vst --nth 0:300
code vestige sync t.vst --nth 0
code vestige sync t.vst --thread 9
code vestige sync t.vst --chart text
vestige sync t.vst --csv | sed 1d | cut -d, -f5 | sort | uniq -c
test $(vestige info t.vst --json | grep -oE '"sync_ops":[0-9]+' | cut -d: -f2) = $(vestige sync t.vst --json | wc -l) && echo "as many as info says"
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige record -q -o none.vst -- ./collatz 6
code vestige sync none.vst --json
code vestige sync t.vst --segment 0.1:2 | plain
code vestige sync t.vst --held 0.1:1 --json | sed -E 's/"object":[0-9]+/"object":N/g'
code vestige sync t.vst --held 0.1:2
code vestige sync t.vst --segment 0.1:99
vestige sync t.vst --chart text > chart
vestige sync t.vst --chart | cmp - chart && vestige sync --chart t.vst | cmp - chart && vestige sync t.vst --chart --all | head -1 | cmp - <(head -1 chart) && echo "text without a word"
code vestige sync t.vst --chart --rows 2
code vestige sync t.vst --chart text --zoom 2:4
code vestige sync t.vst --chart text --zoom 4
code vestige sync t.vst --chart text --zoom 4:2
code vestige sync t.vst --chart svg --zoom 2:4 --json
code vestige sync t.vst --chart text --csv
vestige sync t.vst --chart svg | grep -c '<line'
code vestige sync t.vst --zoom 2:4
code vestige sync t.vst --sharing --chart text
