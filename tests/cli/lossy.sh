# Descriptors that give something up, and say so; rules of one's own; other sizes.
hide() { sed -E "s/[0-9.]+ (KiB|MiB|bytes)$/SIZE/"; }
vestige-cc -O1 -pthread $SOURCES/scatter.c -o scatter
vestige record -q --what full -o t.vst -- ./scatter > /dev/null
vestige represent -q t.vst --as eprsd -o exact.vst | hide
vestige info exact.vst --json | jq -c '.lossy'
echo "== each mode"
for mode in noise:50 order:64 address:64; do
  code vestige represent -q t.vst --as eprsd --lossy $mode -o ${mode%:*}.vst | hide
  code vestige verify ${mode%:*}.vst | grep -c "^lossy: $mode"
  vestige replay ${mode%:*}.vst 2>&1 > /dev/null | cut -c 1-40
done
[ $(stat -c %s order.vst) -lt $(stat -c %s exact.vst) ] && [ $(stat -c %s address.vst) -lt $(stat -c %s exact.vst) ] && echo "smaller"
vestige replay -q exact.vst --json | jq -c '[.thread, .kind, .address]' > exact.refs
vestige replay -q order.vst --json | jq -c '[.thread, .kind, .address]' > order.refs
cmp -s exact.refs order.refs || echo "another order"
sort exact.refs > a; sort order.refs | cmp - a && echo "the same references"
vestige replay -q address.vst --json | wc -l | cmp - <(wc -l < exact.refs) && echo "as many"
echo "== of descriptors, and all at once"
vestige represent -q exact.vst --as eprsd --lossy noise:50 -o again.vst > /dev/null
cmp noise.vst again.vst && echo "the same file"
vestige represent -q exact.vst --as eprsd --lossy noise:50 --lossy address:64 -o both.vst > /dev/null
vestige info both.vst | grep -o "noise:50\|address:64"
vestige represent -q t.vst --as eprsd --window 64 -o window.vst > /dev/null
vestige replay window.vst --format refs | cmp - <(vestige replay t.vst --format refs) && echo "exact with a window of 64"
echo "== a plug-in"
cc -shared -fPIC -I $SOURCES/../../../include $SOURCES/../../../examples/nearby.c -o nearby.so
vestige-cc -O1 $SOURCES/jitter.c -o jitter
vestige record -q --what full -o jitter.vst -- ./jitter > /dev/null
vestige represent -q jitter.vst --as eprsd -o jitter.exact.vst | hide
vestige represent -q jitter.vst --as eprsd --plugin ./nearby.so -o near.vst | hide
code vestige verify near.vst
[ $(stat -c %s near.vst) -lt $(stat -c %s jitter.exact.vst) ] && echo "smaller"
# As many are elsewhere as it says, none by a line or more.
vestige replay -q jitter.exact.vst --json | jq .address > a
vestige replay -q near.vst --json | jq .address | paste a - | awk '$1 != $2 { n++ } ($1 - $2) ^ 2 >= 64 ^ 2 { far++ } END { print n, far + 0 }'
echo "== what is refused"
code vestige represent t.vst --as eprsd --lossy noise:0 -o no.vst
code vestige represent t.vst --as eprsd --lossy loud:3 -o no.vst
code vestige represent t.vst --as cor --lossy noise:3 -o no.vst
code vestige represent t.vst --as eprsd --plugin ./scatter.c -o no.vst 2>&1 | sed 's/cannot be loaded.*/cannot be loaded/'
code vestige represent t.vst --as eprsd --window 1 -o no.vst
code vestige extrapolate exact.vst -o no.vst
code vestige extrapolate exact.vst again.vst --sizes 1 --size 2 -o no.vst
code vestige extrapolate exact.vst exact.vst -o no.vst
code vestige extrapolate exact.vst again.vst --size 2 -o no.vst
