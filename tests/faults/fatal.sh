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

  strikes puts SIGSEGV show "$(line_of fatal.c puts)"
  # Innermost first, whatever it is inlined into, with the address that no memory has.
  record f -- ./fatal inlined
  same "inlined: status" 139 "$status"
  holds "inlined at -O$level" "$(info f '.fatal[0]')" "SIGSEGV at address 0x1238, pc 0x"
  holds "inlined at -O$level: frames" "$(info f '.fatal[0]')" \
    ", in follow (fatal.c:$(line_of fatal.c inlined)), inlined into walk_list (fatal.c:$(line_of fatal.c walk)), block B"
  record f -- ./fatal null
  holds "null at -O$level" "$(info f '.fatal[0]')" "SIGSEGV at address 0x0, pc 0x"
  # Said by record, too.
  same "inlined: said" 1 "$(vestige record -o f.vst -- ./fatal inlined 2>&1 | grep -c "thread 0.0: SIGSEGV at address 0x1238, pc .* in follow (fatal.c:")"

  # While it is blocked, a fault kills past every handler.
  record f -- ./fatal mask
  same "mask: status" 139 "$status"
  same "mask: end" "killed 11" "$(info f '.process_list[0] | "\(.end) \(.status)"')"
  counts f fatal
  sound f
done
