# The collector dies, or is stopped for a while: the program does not notice.
level=2
build steady

# Killed: the program, started by a shell that keeps its status, goes on unrecorded.
TALLY=$PWD/c.tally vestige record -q -o c.vst -- sh -c './steady 3500 7; echo $? > c.status' 2> c.err &
recorder=$!
sleep 1
early=$(tally_of c steady work)
sleep 1.6
kill -KILL $recorder
wait $recorder 2> /dev/null
wait_until test -s c.status
same "the program's status" 7 "$(cat c.status)"
recovered c
mv c.recovered.vst r.vst
at_least "calls up to a second or so before the end" "$early" "$(activations_of r work)"
at_least "calls that were counted in all" "$(activations_of r work)" "$(tally_of c steady work)"
holds "values of what was recovered" "$(vestige values r.vst loads --count 5 --json 2>&1)" '"value":'
vestige info c.vst > c.info 2>&1
same "info of a trace that was not closed" 3 $?
holds "info of a trace that was not closed" "$(cat c.info)" "vestige recover c.vst"

# Killed in a loop that tells no values: those that follow from its beginning are known all the same.
build silent
vestige record -q -o s.vst -- sh -c 'echo $$ > s.pid; exec ./silent 20000 > s.out' 2> s.err &
recorder=$!
wait_until test -s s.pid
sleep 2.6
kill -KILL $recorder
wait $recorder 2> /dev/null
kill -KILL "$(cat s.pid)"
known=$(vestige recover s.vst -o s.recovered.vst 2>&1 | sed -n 's/.*values are known up to time //p')
sound s.recovered
at_least "paths with values" 1000 "$known"
value=$(/usr/bin/python3 -c "
x = 27
for _ in range(($known - 2) // 2 - 1): x = (1664525 * x + 1013904223) % 2**32
print(x)")
same "a late value" "$value" "$(vestige variable s.recovered.vst x@work --from $(((known - 2) / 2)) --count 1 --json | jq .value)"

# Stopped: the program waits for it, and nothing is lost.
rm -f c.tally
TALLY=$PWD/c.tally vestige record -q -o c.vst -- ./steady 2000 7 2> c.err &
recorder=$!
sleep 0.5
kill -STOP $recorder
sleep 1
kill -CONT $recorder
wait $recorder
same "status" 7 $?
counts c steady
sound c

# Stopped while its program is killed.
rm -f c.tally
build killed
rm -f c.out
TALLY=$PWD/c.tally vestige record -q -o c.vst -- ./killed 2 > c.out 2> c.err &
recorder=$!
wait_until test -s c.out
sleep 0.2
kill -STOP $recorder
sleep 0.3
kill -KILL "$(cat c.out)"
kill -CONT $recorder
wait $recorder
same "status" 137 $?
at_least "calls" "$(tally_of c killed work)" "$(activations_of c work)"
sound c

# Interrupted: the signal is the program's.
rm c.out
TALLY=$PWD/c.tally vestige record -q -o c.vst -- ./killed 2 > c.out 2> c.err &
recorder=$!
wait_until test -s c.out
kill -TERM $recorder
wait $recorder
same "status" 143 $?
sound c
