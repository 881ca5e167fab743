// Calls every kind of function of program/library.cpp that can be called here, and finds out itself which
// bytes each wrote: all destinations lie in one arena, which is filled and compared around the call, with
// two fillings, so that a byte that was written differs from one of them.
//
// Prints "arena ADDRESS BYTES", then for each call "LINE NAME OFFSET+BYTES …": what changed in the arena; a '~' before
// the name says that the known range may be larger. "heap LINE NAME ADDRESS+BYTES …" is of memory
// outside of the arena, by what the function promises.
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kWords = 72, kBytes = 8 * kWords };
static unsigned long arena_words[kWords] __attribute__((aligned(64)));
static unsigned long before[kWords];
static unsigned long changed[kWords];  // bits
static unsigned char* const arena = (unsigned char*)arena_words;
static volatile long sink;
static char* text = "a source of bytes";  // not constant: the compiler must not know it
static size_t some = 7;
static int numbers[2];  // of a pipe
static FILE* stream;

static __attribute__((noinline)) void fill(int filling) {
  for (int i = 0; i < kWords; ++i) arena_words[i] = filling ? 0xa5a5a5a5a5a5a5a5 : 0x5a5a5a5a5a5a5a5a;
}
static __attribute__((noinline)) void keep(void) {
  for (int i = 0; i < kWords; ++i) before[i] = arena_words[i];
}
static __attribute__((noinline)) void note(void) {
  for (int i = 0; i < kWords; ++i) changed[i] |= arena_words[i] ^ before[i];
}
static __attribute__((noinline)) void say(int line, const char* name) {
  printf("%d %s", line, name);
  for (int i = 0; i < kWords; ++i) {
    for (int byte = 0; changed[i] != 0; ++byte, changed[i] >>= 8)
      if (changed[i] & 0xff) printf(" %d+1", 8 * i + byte);
  }
  printf("\n");
}
#define P(at) ((void*)(arena + (at)))
// One line: what is set up first, then the call.
#define TRY(name, setup, call) TRY_AT(__LINE__, name, setup, call)
#define TRY_AT(line, name, setup, call)        \
  do {                                         \
    for (int filling = 0; filling < 2; ++filling) { \
      fill(filling);                           \
      setup;                                   \
      keep();                                  \
      call;                                    \
      note();                                  \
    }                                          \
    say(line, name);                           \
  } while (0)
#define HEAP(name, address, bytes) printf("heap %d %s %lu+%lu\n", __LINE__, name, (unsigned long)(address), (unsigned long)(bytes))

// What fortified builds call: with the room there is.
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void*, size_t, off_t, size_t);
ssize_t __recv_chk(int, void*, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void*, size_t, size_t, int, struct sockaddr*, socklen_t*);
int __poll_chk(struct pollfd*, nfds_t, int, size_t);
ssize_t __readlink_chk(const char*, char*, size_t, size_t);
ssize_t __readlinkat_chk(int, const char*, char*, size_t, size_t);
char* __realpath_chk(const char*, char*, size_t);
char* __getcwd_chk(char*, size_t, size_t);
int __gethostname_chk(char*, size_t, size_t);
char* __fgets_chk(char*, size_t, int, FILE*);
char* __fgets_unlocked_chk(char*, size_t, int, FILE*);
size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
size_t __fread_unlocked_chk(void*, size_t, size_t, size_t, FILE*);
void __explicit_bzero_chk(void*, size_t, size_t);
int __snprintf_chk(char*, size_t, int, size_t, const char*, ...);

static int by_value(const void* a, const void* b) { return *(const unsigned char*)a - *(const unsigned char*)b; }
static __attribute__((noinline)) void put(int at, const char* what) {
  for (int i = 0; what[i] != 0 || (arena[at + i] = 0); ++i) arena[at + i] = (unsigned char)what[i];
}
static __attribute__((noinline)) void refill(void) {
  if (write(numbers[1], "from the pipe", 13) != 13) abort();
}
// In tail position: the lines that are said are theirs.
enum { kLastCopy = __LINE__ + 2, kLastClear };
// clang-format off
static __attribute__((noinline)) char* last_copy(char* to) { return strcpy(to, text); }
static __attribute__((noinline)) void last_clear(char* to, size_t bytes) { bzero(to, bytes + 30); }
// clang-format on

static void blocks(void) {
  TRY("memcpy", , memcpy(P(16), text, some));
  TRY("memmove", , memmove(P(20), text, some + 1));
  TRY("mempcpy", , sink = (long)mempcpy(P(24), text, some + 2));
  TRY("bcopy", , bcopy(text, P(28), some));
  TRY("memccpy", , sink = (long)memccpy(P(32), text, 'r', 15));
  TRY("memccpy", , sink = (long)memccpy(P(32), text, 'z', some));
  TRY("memset", , memset(P(40), (int)some, some * 20));
  TRY("bzero", , bzero(P(50), some * 30));
  TRY("explicit_bzero", , explicit_bzero(P(50), some));
  TRY("qsort", for (int i = 0; i < 20; ++i) arena[64 + i] = (unsigned char)(filling ? i : 40 - i), qsort(P(64), 20, 1, by_value));
  TRY("~qsort", for (int i = 0; i < 20; ++i) arena[64 + i] = (unsigned char)(100 - i), qsort(P(64), 20, 1, by_value));
  TRY_AT(kLastCopy, "strcpy", , last_copy(P(70)));
  TRY_AT(kLastClear, "bzero", , last_clear(P(70), some));
  void* block = 0;
  TRY("posix_memalign", , if (posix_memalign(P(80), 64, 100) != 0) abort());
  block = calloc(some, 3);
  HEAP("calloc", block, some * 3);
  char* old = malloc(100);
  memset(old, 1, 100);
  char* bar = malloc(100);
  char* grown = realloc(old, 5000);
  HEAP("~realloc", grown, 100);
  sink = (long)block + (long)bar + grown[0];
}

static void texts(void) {
  TRY("strcpy", , strcpy(P(16), text));
  TRY("stpcpy", , sink = (long)stpcpy(P(17), text));
  TRY("strncpy", , strncpy(P(18), text, some));
  TRY("strncpy", , strncpy(P(18), text, some * 8));
  TRY("stpncpy", , sink = (long)stpncpy(P(19), text, some * 8));
  TRY("strcat", put(100, "begin"), strcat(P(100), text));
  TRY("strncat", put(100, "begin"), strncat(P(100), text, some));
  TRY("strncat", put(100, "begin"), strncat(P(100), text, some * 9));
  TRY("strtok", put(100, "one,two"), sink = (long)strtok(P(100), ","));
  char* place = 0;
  TRY("strtok_r", put(100, "one,two"), sink = (long)strtok_r(P(100), ",", P(200)));
  TRY("~strsep", put(100, "one,two"); *(char**)P(200) = P(100), sink = (long)strsep(P(200), ","));
  TRY("strtol", , sink = strtol("1234 5", P(208), 10));
  TRY("strtoul", , sink = (long)strtoul("1234 5", 0, 10));
  TRY("strtod", , sink = (long)strtod("12.5e1x", P(216)));
  TRY("sprintf", , sprintf(P(220), "%s:%zu", text, some));
  TRY("snprintf", , snprintf(P(220), some, "%s:%d", text, 12));
  TRY("snprintf", , snprintf(P(220), some * 10, "%.*s", 4, text));
  TRY("~sprintf", , sprintf(P(220), "%zu%n", some, (int*)P(300)));
  TRY("sscanf", , sink = sscanf("12 0x1f word 2.5 c", "%d %hx %s %lf %c", (int*)P(16), (short*)P(32), (char*)P(48), (double*)P(64), (char*)P(80)));
  TRY("sscanf", , sink = sscanf("12 word", "%ld %d %s", (long*)P(16), (int*)P(32), (char*)P(48)));
  TRY("sscanf", , sink = sscanf("ab 7", "%*s %hhd %[a-z]", (signed char*)P(16), (char*)P(48)));
  char* copy = strdup(text);
  HEAP("strdup", copy, 18);
  char* part = strndup(text, some);
  HEAP("strndup", part, some + 1);
  char* made = 0;
  sink = asprintf(&made, "%s!", text);
  HEAP("asprintf", made, 19);
  sink = (long)copy + (long)part + (long)place;
}

static void files(void) {
  if (pipe(numbers) != 0) abort();
  TRY("pipe", , if (pipe(P(16)) != 0) abort());
  TRY("socketpair", , if (socketpair(AF_UNIX, SOCK_STREAM, 0, P(16)) != 0) abort());
  TRY("read", refill(), sink = read(numbers[0], P(16), 100));
  TRY("read", refill(), sink = syscall(SYS_read, numbers[0], P(24), 100));
  TRY("read", , sink = read(-1, P(16), 100));
  TRY("fgets", rewind(stream), sink = (long)fgets(P(16), 100, stream));
  TRY("fread", rewind(stream), sink = (long)fread(P(16), 3, 4, stream));
  TRY("pread", , sink = pread(fileno(stream), P(16), 11, 2));
  TRY("fscanf", rewind(stream), sink = fscanf(stream, "%15s", (char*)P(32)));
  TRY("getcwd", , sink = (long)getcwd(P(16), 500));
  TRY("readlink", , sink = readlink("/proc/self/exe", P(16), 500));
  TRY("stat", , if (stat("/", P(16)) != 0) abort());
  TRY("fstat", , if (fstat(fileno(stream), P(16)) != 0) abort());
  TRY("stat", , sink = stat("/nothing/here", P(16)));
  TRY("~poll", *(struct pollfd*)P(16) = ((struct pollfd){numbers[1], POLLOUT, 0}), sink = poll(P(16), 1, 0));
  TRY("getrandom", , sink = getrandom(P(16), 0, 0));
  TRY("~getrandom", , sink = getrandom(P(16), 40, 0));
  char* line = 0;
  size_t size = 0;
  rewind(stream);
  sink = getdelim(&line, &size, '\n', stream);
  HEAP("getdelim", line, 21);
}

static int ends[2];  // of sockets that keep messages apart; the kernel names the first one
static __attribute__((noinline)) void send_again(void) {
  if (send(ends[0], "a message", 9, 0) != 9) abort();
}

static void fortified(void) {
  const struct sockaddr any = {.sa_family = AF_UNIX};
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0 || bind(ends[0], &any, sizeof any.sa_family) != 0) abort();
  TRY("__read_chk", refill(), sink = __read_chk(numbers[0], P(16), 100, 200));
  TRY("__pread_chk", , sink = __pread_chk(fileno(stream), P(16), 11, 2, 200));
  TRY("__pread64_chk", , sink = __pread64_chk(fileno(stream), P(17), 12, 1, 200));
  TRY("__recv_chk", send_again(), sink = __recv_chk(ends[1], P(16), 100, 200, 0));
  TRY("~recvfrom", send_again(); *(socklen_t*)P(300) = 40, sink = recvfrom(ends[1], P(16), 100, 0, P(200), P(300)));
  TRY("~__recvfrom_chk", send_again(); *(socklen_t*)P(300) = 40, sink = __recvfrom_chk(ends[1], P(16), 100, 200, 0, P(200), P(300)));
  TRY("__recvfrom_chk", , sink = __recvfrom_chk(ends[1], P(16), 100, 200, MSG_DONTWAIT, P(200), P(300)));
  TRY("~__poll_chk", *(struct pollfd*)P(16) = ((struct pollfd){numbers[1], POLLOUT, 0}), sink = __poll_chk(P(16), 1, 0, 8));
  TRY("__readlink_chk", , sink = __readlink_chk("/proc/self/exe", P(16), 500, 500));
  TRY("__readlinkat_chk", , sink = __readlinkat_chk(AT_FDCWD, "/proc/self/exe", P(17), 500, 500));
  TRY("~__realpath_chk", , sink = (long)__realpath_chk("/", P(16), 4096));
  TRY("__getcwd_chk", , sink = (long)__getcwd_chk(P(16), 500, 500));
  TRY("__gethostname_chk", , sink = __gethostname_chk(P(16), 200, 200));
  TRY("__fgets_chk", rewind(stream), sink = (long)__fgets_chk(P(16), 100, 90, stream));
  TRY("__fgets_unlocked_chk", rewind(stream), sink = (long)__fgets_unlocked_chk(P(17), 100, 90, stream));
  TRY("__fread_chk", rewind(stream), sink = (long)__fread_chk(P(16), 100, 3, 4, stream));
  TRY("__fread_unlocked_chk", rewind(stream), sink = (long)__fread_unlocked_chk(P(17), 100, 3, 4, stream));
  TRY("__explicit_bzero_chk", , __explicit_bzero_chk(P(50), some, 100));
  TRY("__snprintf_chk", , __snprintf_chk(P(220), some * 10, 1, 200, "%.*s", 4, text));
}

static void system_calls(void) {
  TRY("~time", , sink = time(P(16)));
  TRY("~gettimeofday", , gettimeofday(P(16), 0));
  TRY("~clock_gettime", , clock_gettime(CLOCK_MONOTONIC, P(16)));
  TRY("~times", , sink = times(P(16)));
  TRY("~localtime_r", sink = 86400 * 400L, sink = (long)localtime_r((time_t[]){86400 * 400L}, P(16)));
  TRY("~gmtime_r", , sink = (long)gmtime_r((time_t[]){86400 * 400L}, P(16)));
  TRY("~mktime", memset(P(16), 0, 56); ((struct tm*)P(16))->tm_mday = 77, sink = mktime(P(16)));
  TRY("strftime", , sink = (long)strftime(P(16), 100, "%Y-%m", &(struct tm){.tm_year = 99, .tm_mon = 3}));
  TRY("~getrusage", , getrusage(RUSAGE_SELF, P(16)));
  TRY("~getrlimit", , getrlimit(RLIMIT_NOFILE, P(16)));
  TRY("~uname", , uname(P(16)));
  TRY("~sysinfo", , sysinfo(P(16)));
  TRY("gethostname", , gethostname(P(16), 200));
  TRY("sigfillset", , sigfillset(P(16)));
  TRY("~wait", if (fork() == 0) _exit(3), sink = wait(P(16)));
  TRY("frexp", , sink = (long)frexp((double)some, P(16)));
  TRY("modf", , sink = (long)modf((double)some + 0.5, P(16)));
  TRY("modff", , sink = (long)modff((float)some + 0.5f, P(16)));
  TRY("remquo", , sink = (long)remquo((double)some, 2, P(16)));
  TRY("sincos", , sincos((double)some, P(16), P(40)));
}

int main(void) {
  stream = tmpfile();
  fputs("words of the line 12\nand of another\n", stream);
  printf("arena %lu %d\n", (unsigned long)arena, kBytes);
  blocks();
  texts();
  files();
  fortified();
  system_calls();
  sink = strlen(text) + strcmp(text, (char*)arena) + memcmp(text, arena, some) + atoi(" 12") + (strchr(text, 's') != 0);
  return 0;
}
