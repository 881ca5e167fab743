# Signal handlers: as threads of their own, counted exactly, also when they are left by a jump.
for level in 0 2; do
  build handlers
  for how in "timer 1000" "jump 300" "nested 200" "alternate 200"; do
    record h -- ./handlers $how
    same "$how: status" 0 "$status"
    same "$how: messages" "" "$(cat h.err)"
    if [[ $how == jump* ]]; then
      # A jump may come between the path that calls and the count of it.
      more=$(($(activations_of h compute) - $(tally_of h handlers compute)))
      ((more >= 0 && more < 300)) || fail "jump: compute is off by $more"
      same "jump: handlers" "$(tally_of h handlers on_timer_jump)" "$(activations_of h on_timer_jump)"
      same "jump: their calls" "$(tally_of h handlers in_handler)" "$(activations_of h in_handler)"
    else
      counts h handlers
    fi
    sound h
  done
  record h -- ./handlers timer 300
  # Another signal may come before the timer is off.
  fired=$(tally_of h handlers on_timer)
  handler=$(info h '[.thread_list[] | select(.handler)][0].thread')
  for event in handler_begin handler_end; do
    same "$event events" "$fired" "$(vestige walk h.vst --thread "$handler" --all --json | jq -r '.event // empty' | grep -c $event)"
  done
  same "interrupted thread" 0 "$(info h "[.thread_list[] | select(.handler)][0].parent")"
done
