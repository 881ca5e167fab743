// As scenarios.c: what goes through descriptors, what library functions read and write, memory that is given
// back, and what threads do that nobody waits for. Lines of `list` may have a third word: ThreadSanitizer's
// answer where it is another one.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int x, p[2], q[2], event, loop, file;
static atomic_int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[256], source[256] = "one two three", other[256];
static int numbers[64];
static _Thread_local volatile int sink;

typedef void (*Part)(void);
static void* call(void* part) {
  ((Part)part)();
  return NULL;
}
static void both(Part a, Part b) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, call, (void*)a);
  pthread_create(&t[1], NULL, call, (void*)b);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
}
static void say(void) { atomic_store_explicit(&flag, 1, memory_order_relaxed); }
static void wait_relaxed(void) { while (atomic_load_explicit(&flag, memory_order_relaxed) == 0) usleep(50); }
static void put(int fd) { char c = 1; if (write(fd, &c, 1) != 1) abort(); }
static void get(int fd) { char c; if (read(fd, &c, 1) < 0) abort(); }

// ---- descriptors: who has written comes before who has read
static void pipe_give(void) { x = 1; put(p[1]); }
static void pipe_take(void) { get(p[0]); x++; }
static void pipe_late(void) { put(p[1]); x = 1; }
static void pipe_free(void) { if (pipe(p)) abort(); both(pipe_give, pipe_take); }
static void pipe_racy(void) { if (pipe(p)) abort(); both(pipe_late, pipe_take); }
static void pipe2_free(void) { if (pipe2(p, O_CLOEXEC)) abort(); both(pipe_give, pipe_take); }
static void pipe_end(void) { x = 1; close(p[1]); }
static void pipe_closed(void) { if (pipe(p)) abort(); both(pipe_end, pipe_take); }
static void dup_give(void) { int other = dup(p[1]); x = 1; put(other); close(other); }
static void pipe_dup(void) { if (pipe(p)) abort(); both(dup_give, pipe_take); }
// Not the pipe that was written.
static void take_other(void) { wait_relaxed(); get(q[0]); x++; }
static void give_and_say(void) { x = 1; put(p[1]); say(); }
static void pipe_other(void) { if (pipe(p) || pipe(q)) abort(); put(q[1]); both(give_and_say, take_other); }
// A pipe that is full takes nothing.
static void give_refused(void) { char c = 1; x = 1; if (write(p[1], &c, 1) != -1 || errno != EAGAIN) abort(); say(); }
static void take_old(void) { wait_relaxed(); get(p[0]); x++; }
static void pipe_refused(void) {
  if (pipe2(p, O_NONBLOCK)) abort();
  while (write(p[1], text, sizeof text) > 0) {}
  while (write(p[1], text, 1) > 0) {}
  both(give_refused, take_old);
}
// The same numbers, another pipe.
static void give_old(void) { x = 1; put(p[1]); int r = p[0], w = p[1]; close(r); close(w); if (pipe(p) || p[0] != r || p[1] != w) abort(); say(); }
static void take_new(void) { wait_relaxed(); put(p[1]); get(p[0]); x++; }
static void pipe_reused(void) { if (pipe(p)) abort(); both(give_old, take_new); }
static void vector_give(void) { char c = 1; struct iovec part = {&c, 1}; x = 1; if (writev(p[1], &part, 1) != 1) abort(); }
static void vector_take(void) { char c; struct iovec part = {&c, 1}; if (readv(p[0], &part, 1) != 1) abort(); x++; }
static void pipe_vectors(void) { if (pipe(p)) abort(); both(vector_give, vector_take); }
static void ping(void) { for (int i = 0; i < 20; i++) { x++; put(p[1]); get(q[0]); } }
static void pong(void) { for (int i = 0; i < 20; i++) { get(p[0]); x++; put(q[1]); } }
static void pipe_ping_pong(void) { if (pipe(p) || pipe(q)) abort(); both(ping, pong); }
static void poll_take(void) { struct pollfd one = {p[0], POLLIN, 0}; if (poll(&one, 1, -1) != 1) abort(); x++; }
static void pipe_poll(void) { if (pipe(p)) abort(); both(pipe_give, poll_take); }

static void pair_free(void) { if (socketpair(AF_UNIX, SOCK_STREAM, 0, p)) abort(); both(pipe_give, pipe_take); }
static void pair_racy(void) { if (socketpair(AF_UNIX, SOCK_STREAM, 0, p)) abort(); both(pipe_late, pipe_take); }
static void send_give(void) { char c = 1; x = 1; if (send(p[0], &c, 1, 0) != 1) abort(); }
static void recv_take(void) { char c; if (recv(p[1], &c, 1, 0) != 1) abort(); x++; }
static void pair_back(void) { if (socketpair(AF_UNIX, SOCK_DGRAM, 0, p)) abort(); both(send_give, recv_take); }
static void message_give(void) { char c = 1; struct iovec part = {&c, 1}; struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1}; x = 1; if (sendmsg(p[0], &h, 0) != 1) abort(); }
static void message_take(void) { char c; struct iovec part = {&c, 1}; struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1}; if (recvmsg(p[1], &h, 0) != 1) abort(); x++; }
static void pair_messages(void) { if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, p)) abort(); both(message_give, message_take); }
static void end_give(void) { x = 1; shutdown(p[1], SHUT_WR); }
static void pair_shutdown(void) { if (socketpair(AF_UNIX, SOCK_STREAM, 0, p)) abort(); both(end_give, pipe_take); }
static void pair_other(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, p) || socketpair(AF_UNIX, SOCK_STREAM, 0, q)) abort();
  put(q[1]);
  both(give_and_say, take_other);
}

static struct sockaddr_in here;
static void listen_here(int type) {
  socklen_t length = sizeof here;
  loop = socket(AF_INET, type, 0);
  here = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(loop, (struct sockaddr*)&here, sizeof here) || getsockname(loop, (struct sockaddr*)&here, &length)) abort();
  if (type == SOCK_STREAM && listen(loop, 4)) abort();
}
static int connect_here(int type) {
  int fd = socket(AF_INET, type, 0);
  if (connect(fd, (struct sockaddr*)&here, sizeof here)) abort();
  return fd;
}
static void connection_give(void) { p[1] = connect_here(SOCK_STREAM); pipe_give(); }
static void connection_take(void) { p[0] = accept(loop, NULL, NULL); pipe_take(); }
static void tcp_free(void) { listen_here(SOCK_STREAM); both(connection_give, connection_take); }
static void connect_give(void) { x = 1; q[0] = connect_here(SOCK_STREAM); }
static void accept_take(void) { q[1] = accept4(loop, NULL, NULL, SOCK_CLOEXEC); x++; }
static void tcp_connect(void) { listen_here(SOCK_STREAM); both(connect_give, accept_take); }
static void tcp_late(void) { listen_here(SOCK_STREAM); p[1] = connect_here(SOCK_STREAM); p[0] = accept(loop, NULL, NULL); both(pipe_late, pipe_take); }
static void two_connections(void) {
  listen_here(SOCK_STREAM);
  p[1] = connect_here(SOCK_STREAM); p[0] = accept(loop, NULL, NULL);
  q[1] = connect_here(SOCK_STREAM); q[0] = accept(loop, NULL, NULL);
  put(q[1]);
  both(give_and_say, take_other);
}
static void udp_give(void) { char c = 1; x = 1; if (sendto(q[0], &c, 1, 0, (struct sockaddr*)&here, sizeof here) != 1) abort(); }
static void udp_take(void) { char c; if (recvfrom(loop, &c, 1, 0, NULL, NULL) != 1) abort(); x++; }
static void udp_free(void) { listen_here(SOCK_DGRAM); q[0] = socket(AF_INET, SOCK_DGRAM, 0); both(udp_give, udp_take); }
static void local_free(void) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)sprintf(name.sun_path + 1, "vestige-%d", getpid()));
  loop = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(loop, (struct sockaddr*)&name, length) || listen(loop, 1)) abort();
  p[1] = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(p[1], (struct sockaddr*)&name, length)) abort();
  p[0] = accept(loop, NULL, NULL);
  both(pipe_give, pipe_take);
}

static void event_give(void) { uint64_t one = 1; x = 1; if (write(event, &one, 8) != 8) abort(); }
static void event_take(void) { uint64_t all; if (read(event, &all, 8) != 8) abort(); x++; }
static void event_free(void) { event = eventfd(0, 0); both(event_give, event_take); }
static void event_write_give(void) { x = 1; if (eventfd_write(event, 1)) abort(); }
static void event_read_take(void) { eventfd_t all; if (eventfd_read(event, &all)) abort(); x++; }
static void event_functions(void) { event = eventfd(0, EFD_CLOEXEC); both(event_write_give, event_read_take); }
static void event_late(void) { uint64_t one = 1; if (write(event, &one, 8) != 8) abort(); x = 1; }
static void event_racy(void) { event = eventfd(0, 0); both(event_late, event_take); }
static void event_copy_take(void) { uint64_t all; int copy = fcntl(event, F_DUPFD_CLOEXEC, 200); if (read(copy, &all, 8) != 8) abort(); x++; }
static void event_copy(void) { event = eventfd(0, 0); both(event_give, event_copy_take); }
static int event2;
static void two_give(void) { event_give(); say(); }
static void two_take(void) { uint64_t all; wait_relaxed(); if (read(event2, &all, 8) != 8) abort(); x++; }
static void two_events(void) { event = eventfd(0, 0); event2 = eventfd(1, 0); both(two_give, two_take); }
static void event_again_give(void) { event_give(); int old = event; close(event); event = eventfd(1, 0); if (event != old) abort(); say(); }
static void event_again_take(void) { wait_relaxed(); event_take(); }
static void event_reused(void) { event = eventfd(0, 0); both(event_again_give, event_again_take); }

// What epoll_ctl registers, epoll_wait gives; what arrived, read gives.
static void epoll_give(void) { struct epoll_event e = {.events = EPOLLIN, .data.fd = p[0]}; x = 1; epoll_ctl(loop, EPOLL_CTL_ADD, p[0], &e); }
static void epoll_take(void) { struct epoll_event e; if (epoll_wait(loop, &e, 1, -1) != 1) abort(); x++; }
static void epoll_registered(void) { if (pipe(p)) abort(); put(p[1]); loop = epoll_create1(0); both(epoll_give, epoll_take); }
static int jobs[16], results[16];
static void loop_worker(void) {
  for (int i = 0; i < 16; i++) { get(p[0]); results[i] = jobs[i] * 2; put(q[1]); }
}
static void loop_main(void) {
  struct epoll_event e = {.events = EPOLLIN, .data.fd = q[0]};
  loop = epoll_create1(EPOLL_CLOEXEC);
  epoll_ctl(loop, EPOLL_CTL_ADD, q[0], &e);
  int sum = 0;
  for (int i = 0; i < 16; i++) {
    jobs[i] = i; put(p[1]);
    if (epoll_wait(loop, &e, 1, -1) != 1) abort();
    get(e.data.fd); sum += results[i];
  }
  x = sum;
}
static void epoll_loop(void) { if (pipe(p) || pipe(q)) abort(); both(loop_main, loop_worker); }

static void file_give(void) { x = 1; if (pwrite(file, "1", 1, 0) != 1) abort(); }
static void file_take(void) { char c = 0; while (pread(file, &c, 1, 0) != 1) usleep(50); x++; }
static void file_free(void) { char name[] = "/tmp/vestige-XXXXXX"; file = mkstemp(name); unlink(name); both(file_give, file_take); }
static void file_vector_give(void) { struct iovec part = {"1", 1}; x = 1; if (pwritev64(file, &part, 1, 0) != 1) abort(); }
static void file_vector_take(void) { char c; struct iovec part = {&c, 1}; while (preadv64(file, &part, 1, 0) != 1) usleep(50); x++; }
static void file_vectors(void) { char name[] = "/tmp/vestige-XXXXXX"; file = mkstemp(name); unlink(name); both(file_vector_give, file_vector_take); }

// ---- library functions
static void copy_in(void) { strcpy(text, source); }
static void look(void) { sink = text[3]; }
static void look_behind(void) { sink = text[14]; }
static void change(void) { text[3] = 'x'; }
static void change_source(void) { source[5] = 'x'; }
static void measure(void) { sink = (int)strlen(text); }
static void strcpy_read(void) { both(copy_in, look); }
static void strcpy_zero(void) { both(copy_in, look_behind); }
static void look_end(void) { sink = text[13]; }
static void strcpy_end(void) { both(copy_in, look_end); }
static void strcpy_source(void) { both(copy_in, change_source); }
static void strlen_free(void) { strcpy(text, "abcdef"); both(measure, look); }
static void strlen_racy(void) { strcpy(text, "abcdef"); both(measure, change); }
static void print_in(void) { snprintf(text, 8, "%d and %s", x, source); }
static void look_ninth(void) { sink = text[8]; }
static void snprintf_racy(void) { both(print_in, look); }
static void snprintf_cut(void) { both(print_in, look_ninth); }
static void snprintf_source(void) { both(print_in, change_source); }
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static void sort(void) { qsort(numbers, 32, sizeof(int), compare); }
static void set_one(void) { numbers[7] = 5; }
static void set_behind(void) { numbers[32] = 5; }
static void sort_behind(void) { qsort(numbers + 32, 32, sizeof(int), compare); }
static void fill(void) { for (int i = 0; i < 64; i++) numbers[i] = 64 - i; }
static void qsort_racy(void) { fill(); both(sort, set_one); }
static void qsort_free(void) { fill(); both(sort, set_behind); }
static void qsort_halves(void) { fill(); both(sort, sort_behind); }
static void scan(void) { if (sscanf("12 13", "%d %d", &numbers[0], &numbers[1]) != 2) abort(); }
static void look_number(void) { sink = numbers[1]; }
static void look_third(void) { sink = numbers[2]; }
static void sscanf_racy(void) { both(scan, look_number); }
static void sscanf_free(void) { both(scan, look_third); }
static void find_e(void) { if (memchr(source, 'e', sizeof source) != source + 2) abort(); }
static void memchr_free(void) { both(find_e, change_source); }
static void change_first(void) { source[1] = 'm'; }
static void memchr_racy(void) { both(find_e, change_first); }
static void fill_from_pipe(void) { if (read(p[0], text, 4) != 4) abort(); }
static void read_racy(void) { if (pipe(p) || write(p[1], "abcd", 4) != 4) abort(); both(fill_from_pipe, look); }
static void look_fifth(void) { sink = text[4]; }
static void read_free(void) { if (pipe(p) || write(p[1], "abcd", 4) != 4) abort(); both(fill_from_pipe, look_fifth); }
// The kernel fills the buffer when it has what was written, not when read is called.
static void change_and_give(void) { usleep(20000); change(); if (write(p[1], "abcd", 4) != 4) abort(); }
static void read_fills(void) { if (pipe(p)) abort(); both(fill_from_pipe, change_and_give); }
static void give_text(void) { if (write(p[1], text, 4) != 4) abort(); }
static void take_and_change(void) { if (read(p[0], other, 4) != 4) abort(); change(); }
static void write_reads(void) { if (pipe(p)) abort(); both(give_text, take_and_change); }
static void write_racy(void) { if (pipe(p)) abort(); both(give_text, change); }
static struct tm broken;
static void break_time(void) { time_t t = 5; gmtime_r(&t, &broken); }
static void break_own(void) { time_t t = 5; struct tm mine; localtime_r(&t, &mine); sink = mine.tm_year; }
static void gmtime_racy(void) { both(break_time, break_time); }
static void localtime_free(void) { both(break_own, break_own); }
static void locked_copy(void) { pthread_mutex_lock(&m); strcpy(text, source); pthread_mutex_unlock(&m); }
static void strcpy_locked(void) { both(locked_copy, locked_copy); }
static void say_something(void) { for (int i = 0; i < 5; i++) printf("%d ", i); }
static void printf_free(void) { both(say_something, say_something); }
static void duplicate(void) { for (int i = 0; i < 20; i++) { char* copy = strdup(source); copy[0] = 'c'; free(copy); } }
static void strdup_free(void) { both(duplicate, duplicate); }
static void clock_own(void) { struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); sink = (int)now.tv_sec; }
static void clock_free(void) { both(clock_own, clock_own); }
static void number_text(void) { char* end; sink = (int)strtol(source, &end, 10); }
static void strtol_free(void) { strcpy(source, "42 5"); both(number_text, number_text); }
static void strtol_racy(void) { strcpy(source, "42 5"); both(number_text, change_first); }
static void cat(void) { strcat(text, "def"); }
static void strcat_racy(void) { strcpy(text, "abc"); both(cat, change); }
static void prefix(void) { sink = strncmp(text, "abc", 2); }
static void strncmp_free(void) { strcpy(text, "abcd"); both(prefix, change); }
static void line_in(void) { FILE* f = fmemopen(source, 4, "r"); if (!fgets(text, 8, f)) abort(); fclose(f); }
static void fgets_racy(void) { both(line_in, look); }

// ---- memory that is given back
static int* block;
static void use(void) { block[1] = 1; }
static void use_and_say(void) { block[1] = 1; say(); }
static void give_back(void) { wait_relaxed(); free(block); }
static void free_racy(void) { block = malloc(40); both(use_and_say, give_back); }
static void read_and_say(void) { sink = block[1]; say(); }
static void free_read(void) { block = calloc(4, 8); both(read_and_say, give_back); }
static void use_lock(void) { pthread_mutex_lock(&m); if (x == 0) block[0] = 1; x |= 1; pthread_mutex_unlock(&m); }
static void free_lock(void) { pthread_mutex_lock(&m); while ((x & 1) == 0) { pthread_mutex_unlock(&m); usleep(50); pthread_mutex_lock(&m); } pthread_mutex_unlock(&m); free(block); }
static void free_locked(void) { block = malloc(16); both(use_lock, free_lock); }
static void free_joined(void) { block = malloc(400); both(use, look); free(block); }
static void move_block(void) { wait_relaxed(); block = realloc(block, 100000); }
static int* first_block;
static void use_first(void) { first_block[1] = 1; say(); }
static void realloc_racy(void) { first_block = block = malloc(40); both(use_first, move_block); }
static void stay(void) { wait_relaxed(); sink = realloc(first_block, 38) == NULL; }
static void realloc_stays(void) { first_block = malloc(40); both(use_first, stay); }
static void both_free(void) { int* mine = malloc(64); mine[3] = 1; free(mine); int* next = malloc(48); next[2] = 1; free(next); }
static void free_own(void) { both(both_free, both_free); }
static void pass_on(void) { block = malloc(80); block[2] = 2; put(p[1]); }
static void free_passed(void) { get(p[0]); block[2]++; free(block); }
static void free_handed(void) { if (pipe(p)) abort(); both(pass_on, free_passed); }

// ---- threads that nobody waits for
static void later(void) { usleep(100000); x++; }
static void forget(Part part) { pthread_t t; pthread_create(&t, NULL, call, (void*)part); pthread_detach(t); }
static void left_alone(void) { forget(later); x++; }
static void left_by_exit(void) { forget(later); x++; exit(0); }
static void left_status(void) { forget(later); x++; exit(7); }
static void left_at_once(void) { forget(later); x++; _exit(0); }
static void block_for_ever(void) { pthread_mutex_lock(&m); x++; }
static void left_blocked(void) { pthread_mutex_lock(&m); forget(block_for_ever); x++; }
static void exits(void) { x++; exit(0); }
static void left_main(void) { forget(exits); x++; for (;;) pause(); }

enum { kFree, kRacy };
static const struct {
  const char* name;
  Part run;
  int racy, sanitizer;
} all[] = {
#define FREE(name) {#name, name, kFree, kFree}
#define RACY(name) {#name, name, kRacy, kRacy}
// ThreadSanitizer sees none, or one that is none.
#define RACY_FOR_US(name) {#name, name, kRacy, kFree}
#define FREE_FOR_US(name) {#name, name, kFree, kRacy}
    FREE(pipe_free), RACY(pipe_racy), FREE(pipe2_free), FREE_FOR_US(pipe_closed), FREE(pipe_dup), RACY(pipe_other),
    RACY_FOR_US(pipe_refused), RACY(pipe_reused), FREE(pipe_vectors), FREE(pipe_ping_pong), FREE_FOR_US(pipe_poll),
    FREE(pair_free), RACY(pair_racy), FREE(pair_back), FREE(pair_messages), FREE_FOR_US(pair_shutdown), RACY(pair_other),
    FREE(tcp_free), FREE(tcp_connect), RACY(tcp_late), RACY_FOR_US(two_connections), FREE_FOR_US(udp_free), FREE(local_free),
    FREE(event_free), FREE(event_functions), RACY(event_racy), FREE_FOR_US(event_copy), RACY(two_events), RACY(event_reused),
    FREE(epoll_registered), FREE(epoll_loop), FREE_FOR_US(file_free), FREE_FOR_US(file_vectors),
    RACY(strcpy_read), FREE(strcpy_zero), RACY(strcpy_end), RACY(strcpy_source), FREE(strlen_free), RACY(strlen_racy),
    RACY(snprintf_racy), FREE(snprintf_cut), RACY(snprintf_source), RACY(qsort_racy), FREE(qsort_free), FREE(qsort_halves),
    RACY(sscanf_racy), FREE(sscanf_free), FREE(memchr_free), RACY(memchr_racy), RACY(read_racy), FREE(read_free),
    FREE_FOR_US(read_fills), FREE_FOR_US(write_reads), RACY(write_racy), RACY(gmtime_racy), FREE(localtime_free), FREE(strcpy_locked),
    FREE(printf_free), FREE(strdup_free), FREE(clock_free), FREE(strtol_free), RACY_FOR_US(strtol_racy), RACY_FOR_US(strcat_racy),
    FREE(strncmp_free), RACY(fgets_racy),
    RACY(free_racy), RACY(free_read), FREE(free_locked), FREE(free_joined), RACY(realloc_racy), RACY(realloc_stays),
    FREE(free_own), FREE(free_handed),
    RACY(left_alone), RACY(left_by_exit), FREE_FOR_US(left_at_once), FREE(left_blocked), RACY(left_main),
};

int main(int argc, char** argv) {
  static const char* const words[] = {"free", "racy"};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
    if (argc < 2 || strcmp(argv[1], "list") == 0)
      printf("%s %s%s%s\n", words[all[i].racy], all[i].name, all[i].sanitizer != all[i].racy ? " " : "",
             all[i].sanitizer != all[i].racy ? words[all[i].sanitizer] : "");
    else if (strcmp(argv[1], "left_status") == 0)
      left_status();
    else if (strcmp(argv[1], all[i].name) == 0)
      return all[i].run(), 0;
  }
  return argc < 2 || strcmp(argv[1], "list") == 0 ? 0 : 2;
}
