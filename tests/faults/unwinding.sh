# longjmp and C++ exceptions: the right activation goes on.
for level in 0 2; do
  build jumps
  record u -- ./jumps
  same "jumps: status" 0 "$status"
  same "jumps: output" "$(./jumps)" "$(cat u.out)"
  counts u jumps
  sound u
  # After each jump leaf() runs in the activation that called setjmp, one below main.
  depths() {
    vestige walk u.vst --all --level path --json | jq -r "select(.function == \"$1\" and .leaves).depth" | sort -u | xargs
  }
  same "jumps: catches" 1 "$(depths catches)"
  same "jumps: sorts_and_jumps" 1 "$(depths sorts_and_jumps)"
  same "jumps: loops" 1 "$(depths loops)"
  same "jumps: nested" "1 2 3 4 5" "$(depths nested)"

  build exceptions
  record u -- ./exceptions
  same "exceptions: status" 0 "$status"
  same "exceptions: output" "$(./exceptions)" "$(cat u.out)"
  same "exceptions: messages" "" "$(cat u.err)"
  counts u exceptions
  sound u
  # recurse(depth) that catches stands 19 − …; what it returns to is main's depth 1 in the end.
  same "exceptions: depth of main" 0 "$(vestige walk u.vst --all --level path --json | jq -r 'select(.function == "main").depth' | sort -u | xargs)"
  same "exceptions: depth of passed_on" 1 "$(depths passed_on)"
  for how in escape noexcept; do
    record u -- ./exceptions $how
    same "exceptions $how: status" 33 "$status"
    counts u exceptions
    sound u
  done
done
