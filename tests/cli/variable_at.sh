# What variables hold at an execution: arguments by value, copies of them, and globals of other files by their names.
cat > a.c <<'C'
struct S { long d[6]; };
struct S g;
int last;
void bump(void);
void mark(int k) {
  last = k;
}
void take0(struct S v, int k) { v.d[2] = k; }
void take1(struct S v, int k) { v.d[1] = k; g = v; }
int main(void) {
  struct S l = {0};
  take0(l, 3);
  take1(l, 36);
  bump();
  mark(1);
  return 0;
}
C
cat > b.c <<'C'
int rounds;
void bump(void) { rounds += 5; }
C
vestige-cc -g -O0 a.c b.c -o two
vestige record -q -o t.vst -- ./two
code vestige variable t.vst g --at a.c:6
code vestige variable t.vst rounds --at a.c:6
code vestige variable t.vst rounds
code vestige variable t.vst --at a.c:6

# A name may say a part, and where; what lies elsewhere is not there, and what is nowhere is an error.
cat > p.c <<'C'
struct P { int a, b; };
struct P gp = {7, 8};
static int use(int v) {
  int x = v;
  return x + 1;
}
static int other(int v) {
  struct P x = {v, 2};
  { int x = 5; v += x;
    v++; }
  int left[2];
  left[1] = v;
  return x.a + left[1];
}
int main(void) { return use(3) + other(4) > 100; }
C
vestige-cc -g -O0 p.c -o parts
vestige record -q -o p.vst -- ./parts
code vestige variable p.vst x --at p.c:10
code vestige variable p.vst x.b --at p.c:10 --json
code vestige variable p.vst gp.b@p.c --at p.c:10 --csv
code vestige variable p.vst x.b@other --at p.c:13 --at p.c:5
code vestige variable p.vst left --at p.c:13
code vestige variable p.vst x.b --at p.c:5 --json
code vestige variable p.vst x.c --at p.c:13
code vestige variable p.vst left[2] --at p.c:13
code vestige variable p.vst nothing --at p.c:13
code vestige variable p.vst x@nowhere --at p.c:13
code vestige variable p.vst .b --at p.c:13
code vestige variable p.vst @ --at p.c:13
code vestige variable p.vst @use --at p.c:5

# A thread's own variable is nowhere before the thread reaches it. Of inlined functions only those around the statement count.
cat > i.c <<'C'
static _Thread_local int own = 3;
static inline __attribute__((always_inline)) int half(int x) {
  int inside = x / 2;
  return inside + 1;
}
int main(void) {
  int first = half(10);
  int second = half(20);
  own += first;
  return own + second == 0;
}
C
vestige-cc -g -O0 i.c -o inlined
vestige record -q -o i.vst -- ./inlined
code vestige variable i.vst own --at i.c:7
code vestige variable i.vst own --at i.c:10
code vestige variable i.vst --at $(vestige statements i.vst --all --json | grep '"line":4' | sed 's/.*"id":\([0-9]*\).*/#\1/' | tail -1)
code vestige variable i.vst --at i.c:10

# What ends before its end says so: more than 200 elements, texts of more than 200 bytes, more than 4,096 parts.
cat > l.c <<'C'
#include <string.h>
struct Row { int n[150]; };
struct Long { int few[200], many[201]; char fits[200], text[201]; struct Row rows[30]; int last; } all;
int main(void) {
  memset(all.fits, 'a', sizeof all.fits);
  memset(all.text, 'b', sizeof all.text);
  return all.last;
}
C
vestige-cc -g -O0 l.c -o long
vestige record -q -o l.vst -- ./long
vestige variable l.vst all --at l.c:7 --json | sed 's/.*"unknown_because"/unknown_because/'
vestige variable l.vst all.rows --at l.c:7 --json | sed 's/.*"unknown_because"/unknown_because/'
vestige variable l.vst all.last --at l.c:7 --json | sed 's/.*"unknown_because"/unknown_because/'
