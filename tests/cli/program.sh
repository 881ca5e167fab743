# The static program, for people and for programs.
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige record -q -- ./collatz 6
T=collatz.vst
code vestige functions $T --counts
code vestige functions $T 'st*' --json
code vestige functions $T nothing
code vestige functions $T '#*' -q
code vestige blocks $T steps --counts
code vestige blocks $T '#1' --csv
code vestige blocks $T '#9'
code vestige blocks $T stepz
code vestige statements $T steps --counts | head -n 12
code vestige statements $T collatz.c:10
code vestige statements $T steps:B2.1 --json
code vestige statements $T steps:B2.99
code vestige statements $T
# An instance of a template, by the name that answers give it.
cat > largest.cpp <<'END'
struct Box { template <class T> T largest(T a, T b) { return a < b ? b : a; } };
int main() { return Box().largest(1, 2) - static_cast<int>(Box().largest(1.0, 2.0)); }
END
vestige-c++ -O0 largest.cpp -o largest
vestige record -q -- ./largest
for name in 'Box::largest<int>' 'int Box::largest<int>' 'double Box::largest<double>(double, double)' 'largest<int>'; do
  code vestige match largest.vst --function "$name" --path B0 --json | sed -E 's/,"scheme".*//'
done
code vestige statements largest.vst 'Box::largest<int>:B0.0' | tail -n 2
echo "== a function that has no code of its own"
cat > twice.c <<'C'
static int twice(int x) { return 2 * x; }
int main(int argc, char **argv) { return twice(argc) + !argv; }
C
vestige-cc -g -O1 twice.c -o twice
vestige record -q -o twice.vst -- ./twice
code vestige blocks twice.vst twice
