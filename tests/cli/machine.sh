# Modelled branch and cache misses. What is counted: tests/query/machine.
vestige-cc -O1 $SOURCES/strides.c -o strides
vestige record -q --what full -o full.vst -- ./strides > /dev/null
vestige record -q --what control -o control.vst -- ./strides > /dev/null

echo "== by statement, by line"
code vestige machine control.vst --top 3
vestige machine full.vst --top 3 --json | jq -c 'keys_unsorted, .model, .branches, .loads, .stores, .caches, (.statements[0] | keys_unsorted), (.lines[0] | keys_unsorted), (.statements | length)'
vestige machine full.vst --lines --csv | head -n 1
vestige machine full.vst --csv | head -n 1
# Every execution is counted: those of all loads are the loads of info.
vestige machine full.vst --json | jq '[.statements[] | select(.kind == "load") | .executions] | add' > loads
vestige info full.vst --json | jq .loads | cmp - loads && echo "all loads"

echo "== kept beside the trace, for one model"
ls *.mch
cp full.vst.mch first; vestige machine full.vst > /dev/null; cmp first full.vst.mch && echo "kept"
vestige machine full.vst --l1 64,1,32 --l2 128,1,32 --predictor gshare | head -n 1
cmp -s first full.vst.mch || echo "made anew"
vestige machine full.vst --l1 64,1,32 --l2 128,1,32 --predictor gshare --json > small.json
vestige machine full.vst --json > large.json
jq -s '(.[0].load_misses > .[1].load_misses)' small.json large.json
printf 'damage' | dd of=full.vst.mch bs=1 seek=200 conv=notrunc status=none
truncate -s -3 full.vst.mch; vestige machine full.vst --json | cmp - large.json && echo "made anew"

echo "== slices of what missed"
small="--l1 64,1,32 --l2 128,1,32 -q"
load=$(vestige machine full.vst $small --json | jq '[.statements[] | select(.kind == "load" and .misses > 1)] | .[0].id')
vestige slice full.vst --at "#$load" --misses $small --json | jq -c '[.misses > 1, (.statements | length > 3)]'
vestige slice full.vst --at "#$load" --misses $small --instances --json | jq 'select(.reason.kind == "criterion") | .id' | sort -n | uniq -c | wc -l
code vestige slice full.vst --at "#$load@1" --misses $small
code vestige slice full.vst --at '#1' --misses $small

echo "== asked wrongly"
code vestige machine full.vst --l1 32K,8,48
code vestige machine full.vst --l1 32K,8,64 --l2 32K,8,32
code vestige machine full.vst --predictor oracle
code vestige machine full.vst --thread 9
code vestige machine nosuch.vst
