# Values that are not simple: 128-bit integers, long double, vectors, structures in registers.
vestige-cc -O0 $SOURCES/wide.c -o plain
./plain
vestige record -q --what full -o plain.vst -- ./plain
# at TRACE LINE OP TYPE: the first such statement of the line.
at() {
  vestige statements $1 wide.c:$2 --json | grep "\"op\":\"$3\"" | grep -m 1 "$4" | sed -E 's/^\{"id":([0-9]+),.*/#\1/'
}
echo "i128, long double, vector, structure"
code vestige values plain.vst $(at plain.vst 25 mul i128)
vestige values plain.vst $(at plain.vst 25 mul i128) --json
vestige values plain.vst $(at plain.vst 26 fadd x86_fp80) --json
vestige values plain.vst $(at plain.vst 15 add '<4 x i32>') --csv
vestige values plain.vst $(at plain.vst 27 call '<4 x i32>') --json
vestige values plain.vst $(at plain.vst 28 call '{ i64') --json
vestige values plain.vst $(at plain.vst 28 call '{ i64') --count 1
echo "walk"
vestige walk plain.vst --level statement --json > forwards
grep -c '"value":\[' forwards
vestige walk plain.vst --level statement --json --back | tac | cmp - forwards && echo "backwards is the reverse"
vestige values plain.vst all --json | grep -c null
echo "variables"
for v in product sum v@main p@main r@twice; do code vestige variable plain.vst $v; done
vestige variable plain.vst product --json | sed -E 's/"id":[0-9]+/"id":N/'
echo "optimized"
vestige-cc -O2 $SOURCES/wide.c -o fast
vestige record -q --what full -o fast.vst -- ./fast
for v in v@main v@twice p.first@main p@swapped; do
  echo "$v: $(vestige variable fast.vst $v --json | sed -E 's/.*"text":"([^"]*)".*/\1/' | paste -sd ' ')"
done
