# Signals that kill: the trace names the function, the block and the line where they struck.
for level in 0 2; do
  build fatal_library -shared
  build fatal -L. -lfatal_library -Wl,-rpath,.

  # strikes HOW SIGNAL FUNCTION LINE
  strikes() {
    record f -- ./fatal "$1"
    same "$1: status" $((128 + $(kill -l "${2#SIG}"))) "$status"
    same "$1: messages" "" "$(cat f.err)"
    local fatal
    fatal=$(info f '.fatal[0]')
    holds "$1 at -O$level: signal" "$fatal" "$2"
    holds "$1 at -O$level: function" "$fatal" " of $3 ("
    holds "$1 at -O$level: block" "$fatal" "block B"
    [[ -n $4 ]] && holds "$1 at -O$level: line" "$fatal" ".c:$4)"
    sound f
    [[ $1 == overflow || $1 == call ]] || counts f fatal
    local last
    last=$(vestige walk f.vst --thread "$(info f '[.thread_list[] | select(.end == "killed")][-1].thread')" --from end --back --json |
      jq -r 'select(.event == "fatal_signal").text' | head -1)
    [[ $1 == thread || $1 == handler ]] || holds "$1 at -O$level: walk" "$fatal" "$last"
  }
  strikes null SIGSEGV null_write "$(line_of fatal.c null)"
  strikes divide SIGFPE divide "$(line_of fatal.c divide)"
  strikes strlen SIGSEGV measure "$(line_of fatal.c strlen)"
  strikes overflow SIGSEGV overflow ""
  strikes abort SIGABRT give_up "$(line_of fatal.c abort)"
  strikes trap SIGILL trap "$(line_of fatal.c trap)"
  strikes library SIGSEGV store "$(line_of fatal_library.c library)"
  strikes thread SIGSEGV null_write "$(line_of fatal.c null)"
  strikes handler SIGSEGV null_write "$(line_of fatal.c null)"
  strikes twice SIGSEGV null_write "$(line_of fatal.c null)"
  strikes call SIGSEGV main ""

  # While it is blocked, a fault kills past every handler.
  record f -- ./fatal mask
  same "mask: status" 139 "$status"
  same "mask: end" "killed 11" "$(info f '.process_list[0] | "\(.end) \(.status)"')"
  counts f fatal
  sound f
done
