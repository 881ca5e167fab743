# What the fault tests are written in. A failed check says so and the script goes on.
#
#     build NAME [flags]               NAME.c or NAME.cpp of tests/programs, at -O$level and with $flags, as ./NAME
#     record NAME [flags] -- PROG …    leaves NAME.vst, NAME.out, NAME.err and NAME.tally; sets $status
#     same WHAT WANTED GOT             a check
#     counts NAME PROG                 the trace has as many activations of each function as the program counted
#     sound NAME                       verify, recover and verify again find nothing wrong
checks=0 failures=0 level=0 flags=

fail() {
  failures=$((failures + 1))
  echo "FAILED (${BASH_SOURCE[-2]##*/}:${BASH_LINENO[-3]}): $*"
}

same() {
  checks=$((checks + 1))
  [[ $2 == "$3" ]] || fail "$1: expected \"$2\", got \"$3\""
}

at_least() {
  checks=$((checks + 1))
  [[ $3 =~ ^[0-9]+$ ]] && (($3 >= $2)) || fail "$1: expected at least $2, got \"$3\""
}

holds() {  # WHAT TEXT PATTERN
  checks=$((checks + 1))
  [[ $2 == *"$3"* ]] || fail "$1: \"$3\" is not in \"$2\""
}

build() {
  local name=$1 source=$SOURCES/$1.c driver=vestige-cc
  shift
  [[ -e $source ]] || source=$SOURCES/$name.cpp driver=vestige-c++
  [[ " $* " == *" -shared "* ]] && set -- "$@" -fPIC -o "lib$name.so" || set -- "$@" -o "$name"
  "$driver" -O"$level" -g -pthread $flags "-I$SOURCES" "$source" "$@" || fail "$name does not compile"
}

record() {
  local name=$1
  shift
  rm -f "$name".{vst,tally}
  TALLY=$PWD/$name.tally vestige record -q -o "$name.vst" "$@" > "$name.out" 2> "$name.err"
  status=$?
}

# FUNCTION COUNT lines, sorted: functions of one name are added up.
tally() { TALLY=$PWD/$1.tally TALLY_REPORT=1 "./$2" | add_up; }
activations() {
  vestige functions "$1.vst" --counts --json | jq -r '"\(.name | split("(")[0] | gsub(" ";"_")) \(.activations)"' | add_up
}
add_up() { awk '{n[$1] += $2} END {for (f in n) print f, n[f]}' | sort; }
activations_of() { activations "$1" | awk -v f="$2" '$1 == f {n = $2} END {print n + 0}'; }
tally_of() { tally "$1" "$2" | awk -v f="$3" '$1 == f {n = $2} END {print n + 0}'; }

counts() {
  local wanted got
  wanted=$(tally "$1" "$2")
  checks=$((checks + 1))
  [[ -n $wanted ]] || fail "$1: the program counted nothing"
  got=$(activations "$1" | join - <(cut -d' ' -f1 <<< "$wanted") 2>&1)
  [[ $wanted == "$got" ]] || fail "$1: counts differ (program < > trace)
$(diff <(echo "$wanted") <(echo "$got"))"
}

sound() {
  local answer
  checks=$((checks + 1))
  answer=$(vestige verify --json "$1.vst" 2>&1) && [[ $answer == '{"ok":true'* ]] || fail "$1: verify says $answer"
  recovered "$1"
}

recovered() {
  local answer
  checks=$((checks + 1))
  rm -f "$1.recovered.vst"
  answer=$(vestige recover -q "$1.vst" -o "$1.recovered.vst" 2>&1) || fail "$1: recover says $answer"
  answer=$(vestige verify --json "$1.recovered.vst" 2>&1) && [[ $answer == '{"ok":true'* ]] || fail "$1: verify of the recovered trace says $answer"
}

info() { vestige info --json "$1.vst" | jq -r "$2"; }

# The line of a program that says HERE and the word.
line_of() { grep -n "HERE $2\b" "$SOURCES/$1" | cut -d: -f1; }

# Waits until the command succeeds, 20 seconds at most.
wait_until() {
  for ((i = 0; i < 400; ++i)); do
    "$@" && return
    sleep 0.05
  done
  fail "waited in vain: $*"
}
