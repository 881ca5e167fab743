# Hot subpaths and hot data streams, for people and for others. Counts: tests/query/hot.
vestige-cc -O1 $SOURCES/strides.c -o strides
vestige record -q --what full -o full.vst -- ./strides > /dev/null
vestige record -q --what control -o control.vst -- ./strides > /dev/null
# Where the program was loaded changes from run to run.
addresses() { sed 's/0x[0-9a-f]*/0xN/g'; }

echo "== subpaths"
code vestige hot control.vst --top 4
code vestige hot control.vst --share 1.2 --min-length 2 --length 3 --top 2
vestige hot control.vst --top 1 --min-length 3 --json | jq -c 'keys_unsorted, .occurrences, .length, .calls, .thread, .time, .weighed_by, (.paths[0] | keys_unsorted), .paths[0].function, .paths[0].blocks, .paths[0].lines'
vestige hot control.vst --top 2 --csv | sed 's/,[0-9]*,main/,ID,main/'
diff <(vestige hot control.vst --all) <(vestige hot control.vst --top 1000) && echo "all of them"
code vestige hot control.vst --all --top 3
cmp <(vestige hot control.vst --json) <(vestige hot full.vst --json) && echo "the same in a full recording"

echo "== data"
code vestige hot full.vst --data --min-length 6 --length 6 --share 7 --top 1 | addresses
vestige hot full.vst --data --json --line 64 --top 1 | jq -c 'keys_unsorted, .occurrences, .length, .runs[0].stride'
vestige hot full.vst --data --csv --top 1 | cut -d, -f 1-6
code vestige hot control.vst --data

echo "== pictures"
code vestige hot full.vst --svg --top 2 > hot.svg; tail -n 1 hot.svg; grep -c '<rect' hot.svg
sed '/^\[exit/d' hot.svg | xmllint --noout - && echo "well-formed"
vestige hot full.vst --data --svg | xmllint --noout - && echo "well-formed"
code vestige hot control.vst --dot --min-length 2 --top 2

echo "== nothing is hot, or asked wrongly"
code vestige hot control.vst --min-length 8 --length 8 --share 99
code vestige hot control.vst --min-length 8 --length 8 --share 99 --json
code vestige hot control.vst --min-length 3 --length 2
code vestige hot control.vst --length 0
code vestige hot control.vst --length 5000
code vestige hot control.vst --share 0
code vestige hot control.vst --share 101
code vestige hot control.vst --thread 7
code vestige hot control.vst --line 64
code vestige hot control.vst --svg --json
code vestige hot control.vst --svg --dot
code vestige hot control.vst --tops 3
code vestige hot nosuch.vst
