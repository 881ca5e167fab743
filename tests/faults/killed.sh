# SIGKILL: what the program had done by then is in the trace.
for level in 0 2; do
  build killed
  for threads in 1 4; do
    rm -f k.out
    TALLY=$PWD/k.tally vestige record -q -o k.vst -- ./killed $threads > k.out 2> k.err &
    recorder=$!
    wait_until test -s k.out
    sleep 0.4
    kill -KILL "$(cat k.out)"
    wait $recorder
    same "status" 137 $?
    same "messages" "" "$(cat k.err)"
    counted=$(tally_of k killed work) found=$(activations_of k work)
    at_least "calls in the trace" "$counted" "$found"
    at_least "calls that the program had not counted yet" "$((found - counted))" "$threads"
    same "end" "killed 9" "$(info k '.process_list[0] | "\(.end) \(.status)"')"
    same "threads" "$threads" "$(info k '.threads')"
    sound k
    rm k.vst k.tally
  done
done
