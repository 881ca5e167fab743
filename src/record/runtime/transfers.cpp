// Calls that hand something on through a descriptor: what a thread did before it wrote came before
// what another does once it has read. Told from the first thread on that the program makes.
//
// What writes gives, before the call; what read (or found the end, or that there is something to
// read) takes, behind it. Closing gives: who reads may find the end. Streams of stdio go their own
// way into the kernel and tell nothing.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/runtime/descriptors.h"
#include "record/runtime/heap.h"
#include "record/runtime/interpose.h"

namespace vestige::runtime {

namespace {

using protocol::SyncKind;

RingWriter* transfer_writer() {
  return several_threads.load(std::memory_order_relaxed) ? sync_writer() : nullptr;
}

const void* as_object(uint64_t object) { return reinterpret_cast<const void*>(object); }

template <class Call>
auto giving_object(RingWriter& writer, uint64_t object, const Call& call) {
  tell_sync(writer, SyncKind::descriptor_give, as_object(object), take_stamp());
  const auto result = call();
  if (result < 0) tell_refused(as_object(object), errno);
  return result;
}

template <class Call>
auto giving(int descriptor, const Call& call) {
  RingWriter* writer = transfer_writer();
  const uint64_t object = writer == nullptr ? 0 : descriptor_object(descriptor);
  return object == 0 ? call() : giving_object(*writer, object, call);
}

void take_object(uint64_t object) {
  if (object == 0) return;
  if (RingWriter* writer = transfer_writer())
    tell_sync(*writer, SyncKind::descriptor_take, as_object(object), take_stamp());
}

template <class Call>
auto taking(int descriptor, const Call& call) {
  const auto result = call();
  if (result >= 0 && transfer_writer() != nullptr) take_object(descriptor_object(descriptor));
  return result;
}

// Of those with something to read, or at their end.
void take_ready(const pollfd* all, nfds_t count, int ready) {
  if (ready <= 0 || transfer_writer() == nullptr) return;
  for (nfds_t i = 0; i < count; ++i)
    if ((all[i].revents & (POLLIN | POLLPRI | POLLRDNORM | POLLHUP | POLLRDHUP)) != 0)
      take_object(descriptor_object(all[i].fd));
}

}  // namespace

}  // namespace vestige::runtime

using namespace vestige::runtime;

// clang-format off
#define GIVES(result, name, parameters, ...) \
  VESTIGE_INTERPOSE(result, name, parameters) { return giving(fd, [&] { return VESTIGE_REAL(name)(__VA_ARGS__); }); }
#define TAKES(result, name, parameters, ...) \
  VESTIGE_INTERPOSE(result, name, parameters) { return taking(fd, [&] { return VESTIGE_REAL(name)(__VA_ARGS__); }); }

GIVES(ssize_t, write, (int fd, const void* bytes, size_t size), fd, bytes, size)
GIVES(ssize_t, pwrite, (int fd, const void* bytes, size_t size, off_t at), fd, bytes, size, at)
GIVES(ssize_t, pwrite64, (int fd, const void* bytes, size_t size, off_t at), fd, bytes, size, at)
GIVES(ssize_t, writev, (int fd, const iovec* parts, int count), fd, parts, count)
GIVES(ssize_t, pwritev, (int fd, const iovec* parts, int count, off_t at), fd, parts, count, at)
GIVES(ssize_t, pwritev64, (int fd, const iovec* parts, int count, off_t at), fd, parts, count, at)
GIVES(ssize_t, pwritev2, (int fd, const iovec* parts, int count, off_t at, int flags), fd, parts, count, at, flags)
GIVES(ssize_t, pwritev64v2, (int fd, const iovec* parts, int count, off_t at, int flags), fd, parts, count, at, flags)
GIVES(ssize_t, vmsplice, (int fd, const iovec* parts, size_t count, unsigned flags), fd, parts, count, flags)
GIVES(ssize_t, send, (int fd, const void* bytes, size_t size, int flags), fd, bytes, size, flags)
GIVES(ssize_t, sendto, (int fd, const void* bytes, size_t size, int flags, const sockaddr* to, socklen_t length), fd, bytes, size, flags, to, length)
GIVES(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), fd, message, flags)
GIVES(int, sendmmsg, (int fd, mmsghdr* messages, unsigned count, int flags), fd, messages, count, flags)
GIVES(int, shutdown, (int fd, int how), fd, how)
GIVES(int, eventfd_write, (int fd, eventfd_t value), fd, value)
GIVES(int, epoll_ctl, (int fd, int what, int about, epoll_event* event), fd, what, about, event)

TAKES(ssize_t, read, (int fd, void* into, size_t size), fd, into, size)
TAKES(ssize_t, __read_chk, (int fd, void* into, size_t size, size_t room), fd, into, size, room)
TAKES(ssize_t, pread, (int fd, void* into, size_t size, off_t at), fd, into, size, at)
TAKES(ssize_t, pread64, (int fd, void* into, size_t size, off_t at), fd, into, size, at)
TAKES(ssize_t, readv, (int fd, const iovec* parts, int count), fd, parts, count)
TAKES(ssize_t, preadv, (int fd, const iovec* parts, int count, off_t at), fd, parts, count, at)
TAKES(ssize_t, preadv64, (int fd, const iovec* parts, int count, off_t at), fd, parts, count, at)
TAKES(ssize_t, preadv2, (int fd, const iovec* parts, int count, off_t at, int flags), fd, parts, count, at, flags)
TAKES(ssize_t, preadv64v2, (int fd, const iovec* parts, int count, off_t at, int flags), fd, parts, count, at, flags)
TAKES(ssize_t, __pread_chk, (int fd, void* into, size_t size, off_t at, size_t room), fd, into, size, at, room)
TAKES(ssize_t, __pread64_chk, (int fd, void* into, size_t size, off_t at, size_t room), fd, into, size, at, room)
TAKES(ssize_t, recv, (int fd, void* into, size_t size, int flags), fd, into, size, flags)
TAKES(ssize_t, __recv_chk, (int fd, void* into, size_t size, size_t room, int flags), fd, into, size, room, flags)
TAKES(ssize_t, recvfrom, (int fd, void* into, size_t size, int flags, sockaddr* from, socklen_t* length), fd, into, size, flags, from, length)
TAKES(ssize_t, __recvfrom_chk, (int fd, void* into, size_t size, size_t room, int flags, sockaddr* from, socklen_t* length), fd, into, size, room, flags, from, length)
TAKES(ssize_t, recvmsg, (int fd, msghdr* message, int flags), fd, message, flags)
TAKES(int, recvmmsg, (int fd, mmsghdr* messages, unsigned count, int flags, timespec* until), fd, messages, count, flags, until)
TAKES(int, eventfd_read, (int fd, eventfd_t* value), fd, value)
// clang-format on

// Without an event nothing was taken: the time was over.
VESTIGE_INTERPOSE(int, epoll_wait, (int fd, epoll_event* events, int most, int timeout)) {
  const int ready = VESTIGE_REAL(epoll_wait)(fd, events, most, timeout);
  if (ready > 0 && transfer_writer() != nullptr) take_object(descriptor_object(fd));
  return ready;
}

VESTIGE_INTERPOSE(int, epoll_pwait,
                  (int fd, epoll_event* events, int most, int timeout, const sigset_t* mask)) {
  const int ready = VESTIGE_REAL(epoll_pwait)(fd, events, most, timeout, mask);
  if (ready > 0 && transfer_writer() != nullptr) take_object(descriptor_object(fd));
  return ready;
}

VESTIGE_INTERPOSE(int, epoll_pwait2,
                  (int fd, epoll_event* events, int most, const timespec* until,
                   const sigset_t* mask)) {
  const int ready = VESTIGE_REAL(epoll_pwait2)(fd, events, most, until, mask);
  if (ready > 0 && transfer_writer() != nullptr) take_object(descriptor_object(fd));
  return ready;
}

VESTIGE_INTERPOSE(int, poll, (pollfd * all, nfds_t count, int timeout)) {
  const int ready = VESTIGE_REAL(poll)(all, count, timeout);
  take_ready(all, count, ready);
  return ready;
}

VESTIGE_INTERPOSE(int, ppoll,
                  (pollfd * all, nfds_t count, const timespec* until, const sigset_t* mask)) {
  const int ready = VESTIGE_REAL(ppoll)(all, count, until, mask);
  take_ready(all, count, ready);
  return ready;
}

VESTIGE_INTERPOSE(int, __poll_chk, (pollfd * all, nfds_t count, int timeout, size_t room)) {
  const int ready = VESTIGE_REAL(__poll_chk)(all, count, timeout, room);
  take_ready(all, count, ready);
  return ready;
}

VESTIGE_INTERPOSE(int, __ppoll_chk,
                  (pollfd * all, nfds_t count, const timespec* until, const sigset_t* mask,
                   size_t room)) {
  const int ready = VESTIGE_REAL(__ppoll_chk)(all, count, until, mask, room);
  take_ready(all, count, ready);
  return ready;
}

// A connection that is still being made counts as one.
VESTIGE_INTERPOSE(int, connect, (int fd, const sockaddr* to, socklen_t length)) {
  if (RingWriter* writer = transfer_writer())
    tell_sync(*writer, SyncKind::descriptor_give, as_object(kConnections), take_stamp());
  return VESTIGE_REAL(connect)(fd, to, length);
}

VESTIGE_INTERPOSE(int, accept, (int fd, sockaddr* from, socklen_t* length)) {
  const int made = VESTIGE_REAL(accept)(fd, from, length);
  if (made >= 0) take_object(kConnections);
  return made;
}

VESTIGE_INTERPOSE(int, accept4, (int fd, sockaddr* from, socklen_t* length, int flags)) {
  const int made = VESTIGE_REAL(accept4)(fd, from, length, flags);
  if (made >= 0) take_object(kConnections);
  return made;
}

// ---- descriptors come and go
// -----------------------------------------------------------------------

VESTIGE_INTERPOSE(int, close, (int fd)) {
  return giving(fd, [&] {
    descriptor_closed(fd);
    return VESTIGE_REAL(close)(fd);
  });
}

VESTIGE_INTERPOSE(int, socketpair, (int domain, int type, int protocol, int ends[2])) {
  const int result = VESTIGE_REAL(socketpair)(domain, type, protocol, ends);
  if (result == 0) descriptors_paired({ends[0], ends[1]});
  return result;
}

VESTIGE_INTERPOSE(int, eventfd, (unsigned value, int flags)) {
  const int made = VESTIGE_REAL(eventfd)(value, flags);
  descriptor_made(made);
  return made;
}

VESTIGE_INTERPOSE(int, epoll_create, (int size)) {
  const int made = VESTIGE_REAL(epoll_create)(size);
  descriptor_made(made);
  return made;
}

VESTIGE_INTERPOSE(int, epoll_create1, (int flags)) {
  const int made = VESTIGE_REAL(epoll_create1)(flags);
  descriptor_made(made);
  return made;
}

VESTIGE_INTERPOSE(int, dup, (int fd)) {
  const int copy = VESTIGE_REAL(dup)(fd);
  if (copy >= 0) descriptor_copied(fd, copy);
  return copy;
}

VESTIGE_INTERPOSE(int, dup2, (int fd, int copy)) {
  return giving(copy, [&] {
    const int result = VESTIGE_REAL(dup2)(fd, copy);
    if (result >= 0) descriptor_copied(fd, copy);
    return result;
  });
}

VESTIGE_INTERPOSE(int, dup3, (int fd, int copy, int flags)) {
  return giving(copy, [&] {
    const int result = VESTIGE_REAL(dup3)(fd, copy, flags);
    if (result >= 0) descriptor_copied(fd, copy);
    return result;
  });
}

#define COPIES_BY_COMMAND(name)                                            \
  VESTIGE_INTERPOSE(int, name, (int fd, int command, ...)) {               \
    va_list more;                                                          \
    va_start(more, command);                                               \
    void* const argument = va_arg(more, void*);                            \
    va_end(more);                                                          \
    const int result = VESTIGE_REAL(name)(fd, command, argument);          \
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0) \
      descriptor_copied(fd, result);                                       \
    return result;                                                         \
  }
COPIES_BY_COMMAND(fcntl)
COPIES_BY_COMMAND(fcntl64)
