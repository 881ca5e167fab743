// What lies behind a descriptor, as one number for the whole session: both ends of a pipe, of a
// socket pair and of a connection within the machine have the same, and so has every copy of a
// descriptor (dup, fork). A descriptor that is closed and used again is another object.
//
// Bits 60 to 63 say what it is (no address looks like that), the others are its number:
//
//   1 pipe     device and inode
//   2 socket   the inode of one end of a socket pair; the two addresses of a stream between internet
//              addresses; 0: any other socket, for nobody says who is at its other end
//   3 made     eventfd, epoll: these have no inode of their own, so they are numbered when they are made
//   4 file     device and inode
//   5          0: connections that are asked for and accepted
//
// Frozen: they are in the file (docs/format.md).
#pragma once

#include <cstdint>

namespace vestige::runtime {

inline constexpr uint64_t kConnections = uint64_t{5} << 60;

// 0: nothing is handed on through it (terminals, devices, folders), or it is none.
uint64_t descriptor_object(int descriptor);

void descriptor_made(int descriptor);           // an eventfd or epoll
void descriptor_copied(int from, int to);       // to is the same as from
void descriptor_closed(int descriptor);         // is about to be
void descriptors_paired(const int (&ends)[2]);  // of a socket pair

}  // namespace vestige::runtime
