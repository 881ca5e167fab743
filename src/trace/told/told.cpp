#include "trace/told/told.h"

namespace vestige {

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
  const std::string form = trace.meta("represents").value_or("");
  if (form == "wet")
    return fail(
        ErrorKind::unsupported,
        trace.file() +
            ": this is a whole execution trace: it answers walk, values, addresses, "
            "slice and why, and evaluates nothing; ask the recording that it was made from");
  if (form == "dor" || form == "cdr")
    return fail(ErrorKind::unsupported,
                trace.file() + ": this trace has " + (form == "cdr" ? "control flow and " : "") +
                    "accesses to shared memory only, without values; ask the recording that it was "
                    "made from");
  const bool selected = trace.meta("include") || trace.meta("exclude") || trace.meta("start") ||
                        trace.meta("stop") || trace.meta("last");
  return fail(ErrorKind::unsupported,
              trace.file() +
                  ": this trace has control flow only; record with --what memory or --what full" +
                  (selected ? ", without --include, --exclude, --start, --stop and --last" : ""));
}

void ToldValues::find_uncounted() {
  uncounted_.emplace();
  uint64_t before = 0;
  const auto& chunks = state_.chunks[thread_];
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    if (!chunks[chunk].has_events) continue;
    const auto view = state_.view(thread_, chunk);
    const auto events = view ? state_.events(chunks[chunk], *view)
                             : Result<std::vector<Event>>(std::unexpected(view.error()));
    if (!events) return;  // who walks the thread will say so
    for (const Event& event : *events) {
      if (event.kind != format::EventKind::unregistered || event.numbers.empty()) continue;
      const uint64_t begin = event.time + before + 1;
      uncounted_->push_back({begin, begin + event.numbers[0]});
      before += event.numbers[0];
    }
  }
}

std::optional<uint64_t> ToldValues::time_in_trace(uint64_t time) {
  for (; next_uncounted_ < uncounted_->size(); ++next_uncounted_) {
    const Uncounted& next = (*uncounted_)[next_uncounted_];
    if (time < next.begin) break;
    if (time < next.end) return std::nullopt;
    left_out_ += next.end - next.begin;
  }
  return time - left_out_;
}

bool ToldValues::next(ToldValue& next) {
  if (!uncounted_) find_uncounted();
  for (;;) {
    while (at_ == values_.size())
      if (error_ || !load()) return false;
    const ToldValue& value = values_[at_++];
    const auto time = time_in_trace(value.time);
    if (!time) continue;
    next = {*time, value.index, value.value};
    if (value.index == kPathAbandoned || value.index == kValuesLost) return true;
    if (value.index == kRoundingSet) {
      if (checked_) continue;
      return true;
    }
    if (((value.index & kChecked) != 0) != checked_) continue;
    next.index &= ~kChecked;
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
