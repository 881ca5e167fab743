# --include, --exclude, --start, --stop, --last, --max-size: exact counts on a program that does the same each time.
level=0
build phases
# keeps FLAGS -- FUNCTION=COUNT…
keeps() {
  local flags=()
  while [[ $1 != -- ]]; do flags+=("$1") && shift; done
  shift
  record s "${flags[@]}" -- ./phases
  same "${flags[*]}: status" 0 "$status"
  same "${flags[*]}: messages" "" "$(cat s.err)"
  same "${flags[*]}: output" "$(./phases)" "$(cat s.out)"
  for pair in "$@"; do
    same "${flags[*]}: ${pair%=*}" "${pair#*=}" "$(activations_of s "${pair%=*}")"
  done
  sound s
}
keeps -- main=1 before=100 begin=2 inside=2000 other=2000 leaf=4304 end=2 after=200
keeps --include inside -- main=0 before=0 begin=0 inside=2000 other=0 leaf=0
keeps --include 'in*' --include other -- inside=2000 other=2000 leaf=0 main=0
keeps --exclude leaf -- main=1 before=100 begin=2 inside=2000 other=2000 leaf=0 end=2 after=200
keeps --include '*phases.c' --exclude 'leaf' --exclude other -- main=1 inside=2000 other=0 leaf=0
keeps --exclude '*phases.c' -- main=0 leaf=0
keeps --start begin -- before=0 begin=2 inside=2000 end=2 after=200 leaf=4204
keeps --start begin --stop end -- before=0 begin=2 inside=2000 end=0 after=0 leaf=4002
keeps --stop begin -- before=100 begin=0 inside=0 leaf=100

record s --start nosuch -- ./phases
same "--start nosuch: the program's output" "$(./phases)" "$(cat s.out)"
holds "--start nosuch: error" "$(cat s.err)" "nosuch"

# --last: at least that many paths, and what they are follows from the whole.
build erratic
record whole -- ./erratic 2000000
record s --last 300K -- ./erratic 2000000
same "--last: status" 0 "$status"
kept=$(info s '.paths') all=$(info whole '.paths')
at_least "--last: paths kept" 300000 "$kept"
at_least "--last: paths dropped" $((all / 2)) $((all - kept))
same "--last: the last time" "$(info whole '.thread_list[0] | .first_time + .paths')" "$(info s '.thread_list[0] | .first_time + .paths')"
same "--last: the end of it" "$(vestige walk whole.vst --from end --back --count 2000 --csv | md5sum)" \
  "$(vestige walk s.vst --from end --back --count 2000 --csv | md5sum)"
sound s

# --max-size: never more than that, the beginning of the run, and the program goes on.
record s --max-size 256K -- ./erratic 2000000
same "--max-size: status" 0 "$status"
same "--max-size: output" "$(./erratic 2000000)" "$(cat s.out)"
at_least "--max-size: room left" "$(stat -c %s s.vst)" $((256 * 1024))
same "--max-size: end" stopped "$(info s '.process_list[0].end')"
paths=$(info s '.paths')
at_least "--max-size: paths" 1000 "$paths"
same "--max-size: the beginning of it" "$(vestige walk whole.vst --level path --count 2000 --csv | md5sum)" \
  "$(vestige walk s.vst --level path --count 2000 --csv | md5sum)"
sound s
