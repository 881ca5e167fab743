// Built by vestige-cc. Only `racing` and `between` race.
long under_critical, under_name, under_lock, ordered, once, masters, of_task[8], racing, total;

void before(void) { under_critical = under_name = under_lock = ordered = once = masters = total = 0; }
void guarded(void) { ++under_critical; }
void named(void) { ++under_name; }
void locked(void) { ++under_lock; }
void in_order(void) { ++ordered; }
void by_one(void) { ++once; }
void by_master(void) { ++masters; }
void in_task(int i) { of_task[i] += i; }
void behind_tasks(void) {
  for (int i = 0; i < 8; ++i) total += of_task[i];
}
void reduced(long sum) { total += sum; }
void racy(void) { ++racing; }
void behind(void) { total += under_critical + under_name + under_lock + ordered + once + masters; }
int between;
void in_two_tasks(void) { ++between; }
void through(int* copy) { copy[1] = ++copy[0]; }
static int turns;
void in_turn(void) { ++turns; }
