# Replay into a cache model. What is counted: tests/query/machine/cache_model_test.cpp.
vestige-cc -O1 $SOURCES/strides.c -o strides
vestige record -q --what full -o strides.vst -- ./strides > /dev/null
vestige represent -q strides.vst --as eprsd -o strides.small.vst > /dev/null

echo "== the same model as vestige machine, from recordings and from descriptors"
vestige replay strides.vst --cache 32K,8,64/1M,16,64 --reuse --json > a.json
vestige replay strides.small.vst --cache 32K,8,64/1M,16,64 --reuse --json > b.json
cmp a.json b.json && echo "the same from descriptors"
jq -c 'keys_unsorted, .levels[0], (.lines[0] | keys_unsorted), (.memory_lines[0] | keys_unsorted)' a.json
jq -c '.misses' a.json > misses
vestige machine strides.vst --l1 32K,8,64 --l2 1M,16,64 --json \
  | jq -c '[.load_misses + .store_misses, .load_l2_misses + .store_l2_misses]' | cmp - misses && echo "the same as machine"
jq '[.reuse_distances[].count] | add' a.json > reused
jq '.reuse_cold' a.json | cat - reused | awk '{ sum += $1 } END { print sum }' > touches
jq '.reads + .writes' a.json | cmp - touches && echo "every touch has a distance"
vestige replay strides.vst --cache 1K,2,64,plru --csv | head -n 1
vestige replay strides.small.vst --cache 1K,2,64,plru/64K,16,64,plru,shared --all --reuse | grep -cE "^(references|L1 misses|L2 misses|of L1) "

echo "== threads that take turns: a line that both write, and one with a counter of each"
vestige-cc -O1 -pthread $SOURCES/token.c -o token
vestige record -q --what full -o token.vst -- ./token > /dev/null
vestige represent -q token.vst --as eprsd --order -o token.small.vst > /dev/null
vestige represent -q token.vst --as eprsd -o token.plain.vst > /dev/null
for trace in token.vst token.small.vst; do
  vestige replay $trace --cache 32K,8,64/1M,16,64,shared --order sync --json > c.json
  jq -c '.variables[] | select((.variable // "") | startswith("counters") or startswith("sum")) | [.variable, .cold, .true_sharing, .false_sharing]' c.json | sort
done
vestige replay token.vst --order sync --turn 3 > a.txt
vestige replay token.small.vst --order sync --turn 3 | cmp - a.txt && echo "the same order"
vestige replay token.vst | sort > b.txt; sort a.txt | cmp - b.txt && echo "the same references"
vestige replay token.small.vst | sort | cmp - b.txt && echo "the same references again"
code vestige verify token.small.vst | cut -d, -f1,2
vestige replay token.small.vst --thread 0.1 --json | head -n 1 | jq -c keys_unsorted

echo "== atomic operations have their own places in the order"
vestige-cc -O1 -pthread $SOURCES/flag.c -o flag
vestige record -q --what full -o flag.vst -- ./flag
vestige represent -q flag.vst --as eprsd --order -o flag.small.vst > /dev/null
vestige replay flag.vst --order sync > a.txt
vestige replay flag.small.vst --order sync | cmp - a.txt && echo "the same order"

echo "== what is refused"
code vestige replay token.plain.vst --order sync
code vestige replay token.vst --order sync --thread 1
code vestige replay token.vst --cache 32K,8,9
code vestige replay token.vst --cache 32K,8,64,shared/32K,8,64
code vestige replay token.vst --cache 48K,12,64,plru
code vestige replay token.vst --reuse
code vestige replay token.vst --cache 32K,8,64 --format din
code vestige represent token.vst --as cor --order -o no.vst
