# fork, exec, vfork, posix_spawn, daemons: processes of one trace.
for level in 0 2; do
  build processes
  # family HOW STATUS PROCESSES
  family() {
    record p -- ./processes $1
    same "$1: status" "$2" "$status"
    same "$1: messages" "" "$(cat p.err)"
    same "$1: processes" "$3" "$(info p .processes)"
    counts p processes
    sound p
  }
  family fork 3 2
  same "fork: the child's parent" 0 "$(info p '.process_list[1].forked_from')"
  # The child's first path ends the innermost fork_below, four activations below main.
  same "fork: the child's stack" "4 3 2 1" "$(vestige walk p.vst --thread 1 --all --level path --json |
    jq -r 'select(.function == "fork_below" and .leaves).depth' | xargs)"
  family threaded 0 11
  same "threaded: threads" 15 "$(info p .threads)"
  family tree 0 16
  family "chain 5" 5 6
  same "chain: ends" "execed execed execed execed execed exited" "$(info p '[.process_list[].end] | join(" ")')"
  family spawn 0 6
  family vfork 0 6
  family system 6 2
  family daemon 0 2
  family killed_child 137 2
  family faulting_child 139 2
  holds "faulting child" "$(info p '.fatal[0]')" "of main ("
done
