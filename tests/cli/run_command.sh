# vestige run: compile and record in one go.
code vestige run -q $SOURCES/collatz.c -- 27
ls *.vst
code vestige run -q $SOURCES/collatz.c -O2 -DUNUSED=1 -o deep.vst -- exit
ls *.vst
echo 'int main( { return 0; }' > bad.c
code vestige run bad.c 2>&1 | grep -v '^bad.c\|^ \|generated'
code vestige run --excluse x bad.c
code vestige run bad.c -o ./bad.c
cat bad.c
code vestige run
code vestige run -- x
echo '#include <iostream>
int main() { try { throw 7; } catch (int n) { std::cout << n << "\n"; } }' > throws.cpp
code vestige run -q throws.cpp --std=c++20
vestige functions throws.vst main --json | grep -o '"name":"main"'
mkdir temporary
TMPDIR=$PWD/temporary vestige run -q throws.cpp
ls temporary | wc -l
