#include "trace/eval/window_notes.h"

#include <algorithm>

namespace vestige {

void WindowNotes::begin(const FrameStack& stack) {
  touches.clear();
  frames_.clear();
  counts_.clear();
  ++window_;
  ++serial_;
  old_ = stack.depth();
  if (!stack.empty()) copy(stack, stack.top());
}

void WindowNotes::lower(const FrameStack& stack) {
  old_ = stack.depth();
  ++serial_;
  if (!stack.empty()) copy(stack, stack.top());
}

void WindowNotes::copy(const FrameStack& stack, const Activation& activation) {
  Copy made;
  made.activation = activation;
  if (const FunctionCode* function = activation.function) {
    const uint64_t* values = stack.slots(activation);
    made.values.assign(values, values + function->first_constant);
    if (!activation.exact) {
      const uint8_t* known = stack.known(activation);
      made.known.assign(known, known + function->first_constant);
    }
    made.uses.resize(function->first_constant);
    if (activation.invoke < function->function.statements.size()) {
      for (const uint32_t slot : call_slots(*function, activation.invoke))
        if (slot < made.uses.size()) made.uses[slot] = Copy::wanted;
    }
  }
  frames_.push_back(std::move(made));
}

void WindowNotes::note_uses(const PathCode& code, const Path& path, CodeCache& codes) {
  code.noted_frame = serial_;
  Copy& frame = frames_.back();
  if (frame.activation.function != code.function) return;
  if (uses_.size() >= kMostUses) uses_.clear();
  const auto [at, fresh] = uses_.try_emplace(path.id);
  if (fresh) at->second = uses_of(codes.compile_observed(path));
  for (const uint32_t slot : at->second.reads)
    if (frame.uses[slot] == Copy::none) frame.uses[slot] = Copy::wanted;
  for (const uint32_t slot : at->second.writes)
    if (frame.uses[slot] == Copy::none) frame.uses[slot] = Copy::overwritten;
}

void WindowNotes::forgets(const FrameStack& stack) {
  const auto& all = stack.activations();
  for (size_t i = all.size(); i-- > 0;) {
    if (all[i].place + 1 >= old_) continue;
    Copy unknown;
    unknown.activation = all[i];
    unknown.activation.function = nullptr;
    unknown.activation.exact = false;
    unknown.activation.block = unknown.activation.invoke = kNone;
    frames_.push_back(std::move(unknown));
  }
  old_ = 0;
}

void WindowNotes::finish(Keyframe& keyframe) {
  keyframe.frames.clear();
  for (size_t i = frames_.size(); i-- > 0;) {
    const Copy& from = frames_[i];
    const Activation& was = from.activation;
    Keyframe::Frame& to = keyframe.frames.emplace_back();
    to.place = was.place;
    to.function = was.function ? was.function->index : kNone;
    to.block = was.block;
    to.invoke = was.invoke;
    to.time = was.time;
    to.exact = was.exact;
    for (uint32_t slot = 0; slot < from.uses.size(); ++slot) {
      if (from.uses[slot] != Copy::wanted) continue;
      to.slots.push_back({slot, was.exact || from.known[slot] != 0, from.values[slot]});
    }
  }
  touches.collect(keyframe.runs, keyframe.bytes);
}

std::vector<PathCount> WindowNotes::counts() {
  std::ranges::sort(counts_, {}, &PathCount::path);
  std::vector<PathCount> all;
  for (const PathCount& count : counts_) {
    if (!all.empty() && all.back().path == count.path)
      all.back().count += count.count;
    else
      all.push_back(count);
  }
  return all;
}

}  // namespace vestige
