#!/usr/bin/python3
"""scenarios.py BIN: pairs of runs of small programs, and where each pair must be said to differ first: on the line marked /*first*/
in some thread, or nowhere."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(sys.argv[1]).resolve()
PLACE = {"LONGER": "x" * 3000}  # moves the stack
HEAD = """#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define OWN __attribute__((noinline))
static volatile int sink;
"""


def pair(a, b, key="stdin"):
    return [{key: a}, {key: b}]


SCENARIOS = {
    "a byte, under three calls": (pair("a", "b"), """int x, out[4];
OWN int leaf(void) { x = fgetc(stdin); /*first*/ out[1] = x * 2; return out[1] + 1; }
OWN int mid(void) { return leaf() + 5; }
OWN int run(void) { return mid() * 3; }
int main(void) { printf("%d\\n", run()); return 0; }"""),
    "an argument": (pair(["12"], ["13"], "argv"), """
OWN int twice(int x) { return 2 * x; }
int main(int argc, char** argv) {
  int x = strtol(argv[1], 0, 10); /*first*/
  sink = twice(x); return 0; }"""),
    "a character of an argument": (pair(["ab"], ["ac"], "argv"), """
OWN int sum(const char* s) { int n = 0; while (*s) /*first*/
    n += *s++; return n; }
int main(int argc, char** argv) { sink = sum(argv[1]); return 0; }"""),
    "the time": ([{}, {}], """
OWN long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_nsec; /*first*/ }
int main(void) { sink = now() % 1000; return 0; }"""),
    "the process": ([{}, {}], """
OWN int who(void) { int p = getpid(); /*first*/ sink = p; return p; }
int main(void) { sink = who() + 1; return 0; }"""),
    "randomness": ([{}, {}], """
OWN uint64_t any(void) { uint64_t x; FILE* f = fopen("/dev/urandom", "r"); if (fread(&x, 8, 1, f) != 1) abort(); fclose(f);
  return x; /*first*/ }
int main(void) { sink = any() >> 7; return 0; }"""),
    "memory that was never written": (pair("ab", "ac"), """
OWN int old(void) { volatile unsigned char* p = malloc(64); int x = 0;
  x = p[33]; /*first*/
  free((void*)p); return x; }
int main(void) { char* p = malloc(64); memset(p, 0, 64); if (read(0, p + 32, 2) != 2) abort(); free(p); sink = old(); return 0; }"""),
    "who came first": ([{"stdin": "x"}, {"stdin": "x", "delay": 0.8}], """
static atomic_int turns;
static void* one(void* p) { char c; if (read(0, &c, 1) != 1) abort();
  sink = atomic_fetch_add(&turns, 1); /*first*/
  return 0; }
static void* two(void* p) { usleep(400000); atomic_fetch_add(&turns, 1); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); pthread_join(a, 0); pthread_join(b, 0);
  return 0; }"""),
    "how often a loop goes round": (pair("3", "5"), """
OWN int rounds(void) { return fgetc(stdin) - '0'; /*first*/ }
int main(void) { int n = rounds(), s = 0; for (int i = 0; i < n; ++i) { s += i; sink = s; } return 0; }"""),
    "recursion": (pair("4", "6"), """
OWN int read_depth(int level) { if (level > 0) return read_depth(level - 1) + 1;
  return fgetc(stdin); /*first*/ }
OWN int down(int n) { return n <= 0 ? 1 : n * down(n - 1); }
int main(void) { sink = down((read_depth(5) & 7)); return 0; }"""),
    "an exception": (pair("a", "b"), """extern "C++" {
OWN int parse() { int c = fgetc(stdin); /*first*/
  if (c == 'b') throw c;
  return c; }
OWN int outer() { try { return parse() + 1; } catch (int c) { return c; } }
}
int main() { sink = outer(); return 0; }"""),
    "callbacks of qsort": (pair("abcdefgh", "abcdxfgh"), """
static char text[8];
static int order(const void* a, const void* b) {
  int x = *(const char*)a, y = *(const char*)b; /*first*/
  return y - x; }
int main(void) { if (read(0, text, 8) != 8) abort(); qsort(text, 8, 1, order); sink = text[0]; return 0; }"""),
    "longjmp": (pair("a", "b"), """
static jmp_buf back;
OWN void deep(void) { int c = fgetc(stdin); /*first*/
  if (c == 'b') longjmp(back, 7); sink = 1; }
int main(void) { if (setjmp(back) == 0) deep(); else sink = 2; return 0; }"""),
    "a signal handler": (pair("a", "b"), """
static volatile int seen;
static void handle(int s) { char c; if (read(0, &c, 1) != 1) abort();
  seen = c; /*first*/ }
int main(void) { signal(SIGUSR1, handle); raise(SIGUSR1); sink = seen + 1; return 0; }"""),
    "a member of a structure": (pair("ab", "ac"), """
struct two { char a, b; long c; };
static struct two given;
OWN struct two copy(void) { struct two t = given; t.c = t.b; /*first*/ return t; }
int main(void) { if (read(0, &given, 2) != 2) abort(); struct two t = copy(); sink = t.c; return 0; }"""),
    "a returned structure": (pair("a", "b"), """
struct two { int a; long b; };
OWN struct two make(void) { struct two t; t.a = 1; t.b = fgetc(stdin); /*first*/ return t; }
OWN struct two pass(void) { struct two t = make(); t.a++; return t; }
int main(void) { struct two t = pass(); sink = t.a + t.b; return 0; }"""),
    "a NaN": (pair("3.5", "nan"), """
OWN double number(void) { double d = 0; if (scanf("%lf", &d) != 1) abort();
  return d; /*first*/ }
int main(void) { sink = number() > 1; return 0; }"""),
    "the same NaN": (pair("nan", "nan"), """
OWN double number(void) { double d = 0; if (scanf("%lf", &d) != 1) abort(); return d; }
int main(void) { sink = number() > 1; return 0; }"""),
    "a long double": (pair(["1.25"], ["1.5"], "argv"), """
int main(int argc, char** argv) {
  long double x = strtold(argv[1], 0); /*first*/
  sink = x * 8; return 0; }"""),
    "a long integer": (pair("a", "b"), """
OWN unsigned __int128 wide(void) { unsigned __int128 x = fgetc(stdin); /*first*/
  return x << 70; }
int main(void) { sink = (int)(wide() >> 71); return 0; }"""),
    "the environment alone": ([{}, {"environment": PLACE}], """
OWN int local(int n) { int a[8]; for (int i = 0; i < 8; ++i) a[i] = i * n; return a[n & 7]; }
OWN uintptr_t place(void) { int x = 3; volatile uintptr_t at = (uintptr_t)&x; return at - (uintptr_t)&x; }
int main(void) { int* p = malloc(40); int* q = p; p[3] = 5; sink = q[3] + local(5) + (int)place(); free(p); return 0; }"""),
    "where the heap is": ([{"environment": {"LONGER": "x"}}, {"environment": PLACE}], """
struct node { struct node* next; long n; };
struct pair { struct node* a; long b; };
OWN struct pair both(struct node* a) { struct pair p = {a, 7}; return p; }
int main(void) { char* s = getenv("LONGER"); free(malloc(16)); sink = 0; char* t = strdup(s); struct node* last = 0;
  for (int i = 0; i < 5; ++i) { struct node* n = malloc(sizeof *n); n->next = last; n->n = i; last = n; }
  struct pair p = both(last); for (struct node* n = p.a; n; n = n->next) sink = n->n; return t == 0; }"""),
    "a null pointer": ([{}, {"environment": {"GIVEN": "1"}}], """
OWN int given(void) { return getenv("GIVEN") != 0; /*first*/ }
int main(void) { sink = given(); return 0; }"""),
    "where a character stands": (pair("abxd", "axbd"), """
static char text[8];
OWN int where(void) { char* at = strchr(text, 'x');
  return at - text; /*first*/ }
int main(void) { if (read(0, text, 4) != 4) abort(); sink = where(); return 0; }"""),
    "what scanf read": (pair("12", "13"), """
OWN int number(void) { int n = 0; if (scanf("%d", &n) != 1) abort();
  return n; /*first*/ }
int main(void) { sink = number() * 2; return 0; }"""),
    "a function pointer": (pair("0", "1"), """
OWN int f0(int x) { return x + 1; }
OWN int f1(int x) { return x * 2; }
int (*table[2])(int) = {f0, f1};
int main(void) { int c = fgetc(stdin); /*first*/
  sink = table[c & 1](9); return 0; }"""),
    "the second thread": (pair("a", "b"), """
static void* work(void* p) { int c = fgetc(stdin); /*first*/
  *(int*)p = c + 1; return 0; }
int main(void) { int x = 0; pthread_t t; pthread_create(&t, 0, work, &x); pthread_join(t, 0); sink = x; return 0; }"""),
    "two inputs, the later one shown": (pair("ab", "cd"), """
OWN int get(void) { int c = fgetc(stdin); /*first*/ sink = c; return c; }
int main(void) { int x = get(); int y = get(); sink = x; if (y == 'd') sink = 2; return 0; }"""),
}


def record(trace, binary, how):
    environment = {**os.environ, **how.get("environment", {})}
    words = [BIN / "vestige", "record", "-q", "-o", trace, "--", binary, *how.get("argv", [])]
    running = subprocess.Popen([str(w) for w in words], env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    if "delay" in how:
        time.sleep(1.5 + how["delay"])
    _, told = running.communicate(how.get("stdin", "").encode())
    if running.returncode:
        sys.exit(f"{binary}: exit {running.returncode}: {told.decode()[-1000:]}")


def answer(name, level, source, runs, folder):
    cpp = 'extern "C++"' in source
    file, binary = folder / ("p.cpp" if cpp else "p.c"), folder / "p"
    file.write_text(HEAD.replace("<stdatomic.h>", "<cstdlib>") + source if cpp else HEAD + source)
    compiler = "vestige-c++" if cpp else "vestige-cc"
    subprocess.run([BIN / compiler, "-g", "-w", "-pthread", level, file, "-o", binary], check=True)
    traces = [folder / "a.vst", folder / "b.vst"]
    for trace, how in zip(traces, runs):
        record(trace, binary, how)
    told = subprocess.run([BIN / "vestige", "diff", *traces, "--json"], check=False, capture_output=True)
    threads = json.loads(told.stdout)["threads"]
    lines = [i for i, line in enumerate(file.read_text().splitlines(), 1) if "/*first*/" in line]
    got = [t["value"]["line"] for t in threads if t["value"]]
    if not lines:
        return [] if not got else [f"{name} {level}: line {got} differs, and nothing should"]
    return [] if lines[0] in got else [f"{name} {level}: lines {got}, not {lines[0]}"]


def main():
    failures, done = [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        os.environ.pop("GIVEN", None)
        for name, (runs, source) in SCENARIOS.items():
            for level in ("-O0", "-O2"):
                done += 1
                failures += answer(name, level, source, runs, pathlib.Path(folder))
    print("\n".join([*failures, f"{done} pairs of runs of {len(SCENARIOS)} programs, {len(failures)} wrong"]))
    return 1 if failures else 0


sys.exit(main())
