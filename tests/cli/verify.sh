# Whole, cut and damaged traces.
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige record -q -- ./collatz 27
code vestige verify collatz.vst --json | sed 's/"\(chunks\|paths\|statements\)":[1-9][0-9]*/"\1":N/g'
size=$(stat -c %s collatz.vst)
head -c $((size - 10)) collatz.vst > cut.vst
vestige verify cut.vst > /dev/null 2>&1; echo "cut: $?"
vestige info cut.vst > /dev/null 2>&1; echo "info of cut: $?"
vestige recover cut.vst -o whole.vst > /dev/null 2>&1; echo "recover: $?"
vestige verify -q whole.vst > /dev/null; echo "recovered: $?"
cmp <(vestige walk collatz.vst --json --level path) <(vestige walk whole.vst --json --level path) && echo "nothing lost"
cp collatz.vst flipped.vst
printf '\377\377\377\377' | dd of=flipped.vst bs=1 seek=$((size / 2)) conv=notrunc status=none
vestige verify flipped.vst > /dev/null 2>&1; echo "flipped: $?"
vestige verify flipped.vst --json 2> /dev/null | grep -o '"ok":[a-z]*'
code vestige recover collatz.vst
code vestige recover collatz.vst -o collatz.vst
code vestige recover nosuch.vst -o new.vst
code vestige recover . -o new.vst
code vestige verify nosuch.vst
: > empty.vst
vestige verify empty.vst > /dev/null 2>&1; echo "empty: $?"
mkfifo pipe.vst
code timeout 20 vestige info pipe.vst
