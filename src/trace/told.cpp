#include "trace/told.h"

namespace vestige {

static_assert(kPathAbandoned == kPathAbandonedIndex && kValuesLost == kValuesLostIndex &&
              kRoundingSet == kRoundingSetIndex);

Result<bool> tells_values(const Trace::State& state, uint32_t thread) {
  for (const size_t row : state.value_rows) {
    const auto payload = state.store.payload(row);
    if (!payload) return std::unexpected(payload.error());
    ByteReader in(*payload);
    if (in.varint32() == thread) return true;
  }
  return false;
}

std::optional<uint32_t> forked_from(const Trace& trace, uint32_t thread) {
  const ThreadInfo& child = trace.threads()[thread];
  // Parents come before their children.
  if (child.handler || child.parent >= thread) return std::nullopt;
  if (trace.threads()[child.parent].process == child.process) return std::nullopt;
  return child.parent;
}

Result<std::vector<uint32_t>> threads_told(const Trace& trace) {
  std::vector<uint32_t> told;
  for (uint32_t thread = 0; thread < trace.threads().size(); ++thread) {
    const auto tells = tells_values(trace.state(), thread);
    if (!tells) return std::unexpected(tells.error());
    if (*tells && trace.threads()[thread].paths > 0) told.push_back(thread);
  }
  if (!told.empty()) return told;
  if (trace.meta("imported"))
    return fail(ErrorKind::unsupported,
                trace.file() + ": this trace was imported and has control flow only");
  const bool selected = trace.meta("include") || trace.meta("exclude") || trace.meta("start") ||
                        trace.meta("stop") || trace.meta("last");
  return fail(ErrorKind::unsupported,
              trace.file() +
                  ": this trace has control flow only; record with --what memory or --what full" +
                  (selected ? ", without --include, --exclude, --start, --stop and --last" : ""));
}

bool ToldValues::next(Surprise& surprise) {
  for (;;) {
    while (at_ == values_.size())
      if (error_ || !load()) return false;
    const ToldValue& value = values_[at_++];
    surprise = {value.time, value.index, value.value};
    if (value.index == kPathAbandoned || value.index == kValuesLost) return true;
    if (value.index == kRoundingSet) {
      if (checked_) continue;
      return true;
    }
    if (((value.index & kChecked) != 0) != checked_) continue;
    surprise.index &= ~kChecked;
    return true;
  }
}

bool ToldValues::load() {
  values_.clear();
  at_ = 0;
  if (decoder_) {
    auto more = decoder_->next();
    if (!more) {
      error_ = std::move(more.error());
      return false;
    }
    values_ = std::move(*more);
    if (!values_.empty()) return true;
    decoder_.reset();
  }
  for (; next_row_ < state_.value_rows.size(); ++next_row_) {
    const auto payload = state_.store.payload(state_.value_rows[next_row_]);
    auto chunk = payload ? ValuesChunk::decode(*payload) : std::unexpected(payload.error());
    if (!chunk) {
      error_ = std::move(chunk.error());
      return false;
    }
    if (chunk->thread != thread_) continue;
    chunk_ = std::move(*chunk);
    decoder_ = std::make_unique<ValueRowsDecoder>(chunk_.rows, chunk_.count);
    ++next_row_;
    return true;
  }
  return false;
}

}  // namespace vestige
