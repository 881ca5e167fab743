# Loops whose rounds are only counted: every round is there, however the loop is left.
vestige-cc -O1 $SOURCES/rounds.c -o rounds
of() { vestige statements t.vst "$1" --counts --all --json | grep "\"op\":\"$2\"" | jq -s 'map(.executions) | add'; }
for what in full memory control; do
  for n in $([[ $what == full ]] && echo 0 1 2 15 16 17 18 100) 19 40000; do
    vestige record -q --what $what -o t.vst -- ./rounds sum $n
    echo $what $n: $(of sum load) $(vestige verify t.vst | cut -d, -f1)
  done
done
for n in 1 17 18 400; do
  vestige record -q -o t.vst -- ./rounds crash $n 2> /dev/null
  echo crash $n: $? $(of rounds.c:51 load) $(vestige verify t.vst | cut -d, -f1)
done
echo "handlers in the middle, and out of the middle"
vestige record -q -o t.vst -- ./rounds ticks 3000000
vestige verify t.vst | cut -d, -f1
echo $(($(of sum load) - 40 * $(of tick store)))
vestige record -q -o t.vst -- ./rounds jumps 5
vestige verify t.vst | cut -d, -f1
echo "killed"
vestige record -q -o t.vst -- ./rounds forever & recorder=$!
until [[ -s count ]] && (($(od -An -td8 count) > 100000)); do sleep 0.01; done
kill -9 $(pgrep -P $recorder) && wait $recorder
echo $?
vestige verify t.vst | cut -d, -f1
behind=$(($(od -An -td8 count) - $(of rounds.c:76 store)))
((behind == 0 || behind == 1)) && echo "all but the last round, which may not have come to its end" || echo "$behind rounds are missing"
