// spoil_order TRACE OUT HOW: a copy of a trace whose order of accesses does not hold. HOW: thread,
// itself, time, statement, circle; or none, for a copy that is as good.
#include <cstring>

#include "copy_trace.h"

using namespace vestige;

namespace {

void spoil(OrderChunk& chunk, const char* how) {
  if (chunk.rows.empty()) return;
  OrderRow& row = chunk.rows.back();
  if (!std::strcmp(how, "thread")) row.from_thread = 1000;
  if (!std::strcmp(how, "itself")) row.from_thread = chunk.thread;
  if (!std::strcmp(how, "time")) row.from_time += 1000000;
  if (!std::strcmp(how, "statement")) row.from_statement = 100000;
}

bool copy_order(StoreWriter& to, OrderChunk chunk, const char* how) {
  spoil(chunk, how);
  if (!to.append(chunk)) return false;
  if (std::strcmp(how, "circle") != 0 || chunk.rows.empty()) return true;
  // An edge the other way round as well.
  const OrderRow& row = chunk.rows.front();
  OrderChunk back;
  back.thread = row.from_thread;
  back.rows.push_back(
      {row.from_time, row.from_statement, chunk.thread, row.to_time, row.to_statement});
  return to.append(back).has_value();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return copy_trace(argv[1], argv[2], [&](StoreWriter& to, const OrderChunk* chunk) {
    return !chunk || copy_order(to, *chunk, argv[3]);
  });
}
