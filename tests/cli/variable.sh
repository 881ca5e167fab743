# The history of variables, without and with optimization.
vestige-cc -O0 $SOURCES/variables.c -o plain
vestige record -q --what full -o plain.vst -- ./plain
code vestige variable plain.vst
code vestige variable plain.vst @scaled --json
code vestige variable plain.vst result
code vestige variable plain.vst c
code vestige variable plain.vst mean
code vestige variable plain.vst calls
code vestige variable plain.vst here
code vestige variable plain.vst here.y
code vestige variable plain.vst letters
code vestige variable plain.vst 'letters[1]'
code vestige variable plain.vst i@main
code vestige variable plain.vst i@main:27
code vestige variable plain.vst i@variables.c:27 --from 2 --count 1
code vestige variable plain.vst value --json --count 2 | sed 's/"id":[0-9]*/"id":N/'
code vestige variable plain.vst value --csv --count 1 | sed 's/,[0-9]*,false/,N,false/'
vestige variable plain.vst i --csv | sed 1d | wc -l
code vestige variable plain.vst dx --thread 0.0 --count 1
# Wrong use.
code vestige variable plain.vst nothing
code vestige variable plain.vst i@scaled
code vestige variable plain.vst here.z
code vestige variable plain.vst 'letters[4]'
code vestige variable plain.vst i --thread 3
code vestige variable plain.vst i --from 0
code vestige variable plain.vst i --form 1
cat $SOURCES/variables.c > second.c
sed -i 's/int main/int other(int i) { return i + 1; }\nint main/;s/calls += i/calls += other(i)/' second.c
vestige-cc -O0 second.c -o second
vestige record -q --what full -o second.vst -- ./second
code vestige variable second.vst i
# Promoted to registers, inlined, in pieces.
vestige-cc -O2 $SOURCES/variables.c -o fast
vestige record -q --what full -o fast.vst -- ./fast
for v in result value i@main mean; do
  echo "$v: $(vestige variable fast.vst $v --json | sed 's/.*"value":\([^,]*\),.*/\1/' | paste -sd ' ')"
done
# Nothing to follow.
vestige-cc -O0 -g1 $SOURCES/collatz.c -o lines
vestige record -q --what full -o lines.vst -- ./lines
code vestige variable lines.vst n
code vestige variable lines.vst
code vestige variable plain.vst @nowhere
vestige record -q --what control -o paths.vst -- ./plain
code vestige variable paths.vst i
# A copy that goes elsewhere.
vestige-cc -O0 $SOURCES/elsewhere.c -o elsewhere
vestige record -q -o elsewhere.vst -- ./elsewhere
vestige variable elsewhere.vst total --json | sed 's/.*"value":\([^,]*\),.*/\1/' | paste -sd ' '
# Not a number, and infinite, are known values.
cat > endless.c <<'END'
int main(void) {
  double none = 0, most = 1e308, least = 0;
  long double far = 1e308L;
  none /= none;
  most *= 10;
  least -= most;
  far *= far;
  return none == most;
}
END
vestige-cc -O0 endless.c -o endless
vestige record -q -- ./endless
for name in none most least far; do vestige variable endless.vst $name --json | tail -n 1 | grep -o '"value":[^,]*'; done
