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
