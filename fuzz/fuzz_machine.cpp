// Labels of a modelled machine: a table that is refused or comes back, and the labels of a piece.
#include "base/squeeze.h"
#include "kinds.h"
#include "query/machine/labels.h"

namespace vestige {
namespace {

void use_table(ByteView raw) {
  LabelTable table;
  if (!table.decode(squeeze(Bytes(raw.begin(), raw.end())))) return;
  const Bytes once = table.encode();
  LabelTable again;
  require(again.decode(once) && again.encode() == once, "what was written is not what is read");
}

void use_piece(ByteView piece) {
  LabelRow row;
  row.executions = 100'000;
  uint64_t last = 0, latest = 0;
  bool stopped = false;
  const auto take = [&](uint64_t instance, bool) {
    require(instance > latest && instance <= row.executions, "an instance that there is not");
    latest = instance;
    return true;
  };
  (void)read_labels(piece, row, last, take, stopped);
  require(last == latest, "the last instance is another one");
}

}  // namespace

void use_input(uint8_t kind, ByteView rest) {
  if (kind % 2 == 0)
    use_table(rest);
  else
    use_piece(rest);
}

}  // namespace vestige
