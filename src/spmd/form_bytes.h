// A form as the bytes of a descriptor chunk, and back (docs/spmd.md has the grammar).
//
// Of a form that was put in order, the bytes depend on its threads alone, not on the order in which
// they were folded or merged: contexts, functions, streams, sets of threads and labels then have an
// order of their own.
#pragma once

#include <string>

#include "spmd/affine_over_threads.h"
#include "spmd/form.h"

namespace vestige::spmd {

// Bytes by what they tell.
struct FormSizes {
  uint64_t program = 0, contexts = 0, threads = 0, labels = 0, descriptors = 0, literals = 0;
};

void put_in_order(Form& form);
Bytes encode_form(const Form& form);
// The same for forms that encode_form makes the same bytes of, and another one for others, without
// what the coding of literals takes: their numbers as they are.
uint64_t content_checksum(const Form& form);
// Fails on anything that encode_form does not make.
Result<Form> decode_form(ByteView bytes, FormSizes* sizes = nullptr);

// The streams of a form with those of all threads that are alike as one descriptor.
struct Group {
  ThreadSet threads;
  Bytes shape;
  std::vector<AffineOverThreads> numbers;  // of the shape; with literals, their base behind them
  std::vector<std::vector<LiteralBlock>> literals;  // of each thread, when there are any
};
struct MergedStream {
  StreamId id;
  std::vector<Group> groups;  // by their first threads
};
struct MergedStreams {
  std::vector<MergedStream> streams;  // by rising id
  std::vector<Label> labels;
};
Placement placement_of(const Form& form);
MergedStreams merge_threads(const Form& form);

}  // namespace vestige::spmd
