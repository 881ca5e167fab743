# Threads: many, and all the ways in which they begin and end.
for level in 0 2; do
  build threads
  record t -- ./threads 10
  same "status" 0 "$status"
  same "messages" "" "$(cat t.err)"
  same "output" "$(./threads 10)" "$(cat t.out)"
  same "threads" 641 "$(info t .threads)"
  same "threads that ended by themselves" 640 "$(info t '[.thread_list[1:][] | select(.end == "exited")] | length')"
  same "creators" 0 "$(info t '[.thread_list[1:][].parent] | unique | join(" ")')"
  same "creations in the walk" 640 "$(vestige walk t.vst --thread 0 --all --json | jq -r '.event // empty' | grep -c thread_create)"
  counts t threads
  sound t

  build thread_ends
  for how in cancel cancel_async pthread_exit main_exits keys c11 exit_in_thread; do
    record t -- ./thread_ends $how
    wanted=0
    [[ $how == exit_in_thread ]] && wanted=9
    [[ $how == c11 ]] && wanted=4
    same "$how: status" $wanted "$status"
    same "$how: messages" "" "$(cat t.err)"
    counts t thread_ends
    sound t
  done
  # Threads that still run when the process ends may have begun a call that is not counted or not complete yet.
  record t -- ./thread_ends detached
  same "detached: status" 0 "$status"
  same "detached: threads" 5 "$(info t .threads)"
  at_least "detached: calls" "$(($(tally_of t thread_ends leaf) - 4))" "$(activations_of t leaf)"
  at_least "detached: calls counted" "$(($(activations_of t leaf) - 4))" "$(tally_of t thread_ends leaf)"
  sound t

  build threads_cpp
  record t -- ./threads_cpp
  same "std::thread: status" 0 "$status"
  same "std::thread: threads" 58 "$(info t .threads)"
  same "std::thread: thread_local destructors" "$(tally_of t threads_cpp at_thread_end)" "$(activations_of t at_thread_end)"
  at_least "std::thread: calls" "$(($(tally_of t threads_cpp leaf) - 1))" "$(activations_of t leaf)"
  sound t
done
