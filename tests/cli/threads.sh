# What threads share, the events for other detectors, and races of other orders.
vestige-cc -g -O0 -pthread $SOURCES/sharing.c -o sharing
vestige record -q --what full -o sharing.vst -- ./sharing
vestige record -q --what control -o control.vst -- ./sharing
code vestige sync sharing.vst --sharing
vestige sync sharing.vst --sharing --json | sed -E 's/"address":[0-9]+/"address":N/' | head -n 2
vestige sync sharing.vst --sharing --csv | cut -d, -f1,5- | sort
code vestige sync control.vst --sharing
vestige-cc -g -O0 -pthread $SOURCES/chance.c -o chance
for waits in 0 1 2; do
  vestige record -q --what full -o chance.vst -- ./chance $waits
  vestige sync chance.vst --sharing --csv | grep -E '^(near|apart)' | cut -d, -f1,5-7,13- | sort | paste -sd' '
done
vestige-cc -g -O0 -pthread $SOURCES/predict.c -o predict
vestige record -q --what full -o predict.vst -- ./predict
code vestige races predict.vst
code vestige races predict.vst --predict | sed -E 's/time [0-9]+/time T/g'
vestige races predict.vst --predict --json | jq -c '.limit, (.pairs[] | .predicted, .count, .artifact, .witness.variable, (.witness.reordering | map(.sync_ops)))'
code vestige races predict.vst --predict --csv | cut -d, -f1,4,5,8,9,10,12,13
code vestige races predict.vst --predict --suppress x
vestige-cc -g -O0 -pthread $SOURCES/reverse.c -o reverse
vestige record -q --what full -o reverse.vst -- ./reverse
code vestige races reverse.vst
code vestige races reverse.vst --predict | sed -E 's/time [0-9]+/time T/g; s/(in this order: ).*/\1…/'
vestige races reverse.vst --predict --json | jq -c '.limit, (.pairs[] | .predicted, .witness.variable, (.witness.turns | map(select(.thread > 0 and .sync_ops > 0) | [.thread, .sync_ops])))'
code vestige export --to std predict.vst -o predict.std
sed -E 's/\|[0-9]+$//' predict.std | grep -E 'acq|rel|fork|join' | sort | uniq -c
vestige export --to std predict.vst -o - --shared --json --color never > shared.std
wc -l < shared.std | xargs test $(wc -l < predict.std) -gt && echo "fewer of shared memory"
test $(grep -c '^T1|w(V' predict.std) -gt 2 && echo "writes"
code vestige export --to std control.vst -o none.std
code vestige export --to xml predict.vst -o none.std
code vestige export --to std predict.vst -o predict.vst
code vestige export --to std predict.vst -o nowhere/predict.std
code vestige export --to std nowhere.vst -o none.std
