#include "codec/sequitur/grammar_builder.h"

#include "base/check.h"

namespace vestige::sequitur {

GrammarBuilder::GrammarBuilder(const GrammarBuilder& other)
    : grammar_(other.grammar_),
      state_(other.state_),
      frames_(other.frames_),
      followed_(other.followed_),
      taken_(other.taken_),
      open_rule_(other.open_rule_),
      open_count_(other.open_count_),
      run_value_(other.run_value_),
      run_count_(other.run_count_),
      size_(other.size_) {
  if (state_ == State::idle) return;
  // What is followed points into the other's bodies; only the first body can be the start rule's.
  const bool first_in_start = state_ == State::follow && followed_ & GrowingGrammar::kInStart;
  const auto moved = [&](const Symbol* s, bool in_start) {
    return grammar_.at(in_start ? other.grammar_.start_place(s) : other.grammar_.arena_place(s));
  };
  begin_ = moved(other.begin_, first_in_start);
  for (size_t i = 0; i < frames_.size(); ++i) {
    frames_[i].begin = moved(frames_[i].begin, false);
    frames_[i].from = moved(frames_[i].from, i == 0 && first_in_start);
  }
  at_ = moved(other.at_, frames_.empty() && first_in_start);
}

void GrammarBuilder::append(std::span<const uint64_t> values) {
  size_ += values.size();
  for (const uint64_t value : values) {
    if (value == run_value_ && run_count_ > 0) {
      ++run_count_;
      continue;
    }
    if (run_count_ > 0) take_run();
    run_value_ = value;
    run_count_ = 1;
  }
}

void GrammarBuilder::take_run() {
  if (run_count_ == 1) {
    if (state_ != State::idle && is_terminal(*at_) && grammar_.terminals[*at_] == run_value_)
      ++at_;
    else
      take(grammar_.terminals.add(run_value_));
  } else {
    take(grammar_.power(grammar_.terminals.add(run_value_), run_count_));
  }
}

void GrammarBuilder::take(Symbol s) {
  do drain();
  while (!step(s, true));
}

void GrammarBuilder::drain() {
  while (!queue_.empty()) {
    const Symbol s = queue_.back();
    grammar_.drop(s);
    if (step(s, false)) queue_.pop_back();
  }
}

bool GrammarBuilder::step(Symbol s, bool fresh) {
  return state_ == State::idle ? step_idle(s, fresh) : step_following(s);
}

bool GrammarBuilder::step_idle(Symbol s, bool fresh) {
  if (grammar_.start_empty()) {
    grammar_.push(s);
    return true;
  }
  VESTIGE_CHECK(grammar_.base(grammar_.last()) != grammar_.base(s));
  Place place = fresh ? grammar_.seen_last() : kNone;
  const Symbol* begin = nullptr;
  const Symbol* second = nullptr;
  if (place != kNone) {
    begin = grammar_.at(place);
    second = GrowingGrammar::skip(begin + 1);
    if (*second != s) {
      if (is_symbol(*second) && is_rule(grammar_.base(*second)) &&
          grammar_.first_terminal(*second) == s) {  // a guess
        taken_ = grammar_.take();
        state_ = State::follow;
        followed_ = place;
        begin_ = begin;
        at_ = second;
        return step_following(s);
      }
      place = kNone;
    }
  }
  if (place == kNone) {
    place = grammar_.find_after_last(s);
    if (place == kNone) {
      if (grammar_.wants_sweep()) grammar_.sweep();
      grammar_.push(s);
      return true;
    }
    grammar_.note_last(place);
    begin = grammar_.at(place);
    second = GrowingGrammar::skip(begin + 1);
  }
  taken_ = grammar_.take();
  if (const Symbol rule = grammar_.whole_rule(begin, second); rule != kHeadBase) {
    grammar_.forget_taken(taken_);
    recognise(rule);
    return true;
  }
  state_ = State::follow;
  followed_ = place;
  begin_ = begin;
  at_ = second + 1;
  return true;
}

bool GrammarBuilder::step_following(Symbol s) {
  const Symbol first = grammar_.first_terminal(s);
  for (;;) {
    const Symbol expected = *at_;
    if (expected == s) {
      ++at_;
      return true;
    }
    if (!is_symbol(expected)) {
      leave();
      continue;
    }
    const Symbol rule = grammar_.base(expected);
    if (!is_rule(rule) || grammar_.first_terminal(rule) != first) {
      if (state_ == State::repeat && open_count_ == 1) grammar_.expect(open_rule_, s);
      grammar_.hold(s);
      depart();
      return false;
    }
    // Written field by field: a copy of a frame just built would wait for its parts.
    Frame& frame = frames_.extend();
    frame.from = at_;
    frame.begin = at_ = grammar_.body(rule_of(rule));
    frame.done = 0;
    frame.count = grammar_.count(expected);
  }
}

// Nothing to compare with here: over the hole, or out of a body that has come to its end.
void GrammarBuilder::leave() {
  if (is_hole(*at_)) {
    at_ = GrowingGrammar::skip(at_);
  } else if (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (++frame.done < frame.count) {
      at_ = frame.begin;
    } else {
      at_ = frame.from + 1;
      frames_.pop_back();
    }
  } else if (state_ == State::repeat) {
    if (++open_count_ == 2) grammar_.hold(open_rule_);
    at_ = begin_;
  } else {
    complete();
  }
}

// The input departs from what is followed: what was followed becomes symbols again.
void GrammarBuilder::depart() {
  if (state_ == State::repeat && at_ == begin_) {
    close_run();
    return;
  }
  // Places survive what pointers do not. The innermost beginning is the last in the input.
  const bool in_start = state_ == State::follow && followed_ & GrowingGrammar::kInStart;
  followed_parts_.clear();
  const Symbol* end = at_;
  for (size_t i = frames_.size(); i-- > 0;) {
    const Frame& frame = frames_[i];
    followed_parts_.push_back({grammar_.base(*frame.from), frame.done,
                               grammar_.arena_place(frame.begin), grammar_.arena_place(end)});
    end = frame.from;
  }
  frames_.clear();
  const Place begin_place = in_start ? followed_ : grammar_.arena_place(begin_);
  const Place end_place = in_start ? grammar_.start_place(end) : grammar_.arena_place(end);
  for (const Followed& part : followed_parts_) {
    if (const Symbol s = beginning(part.begin, part.end); s != kHeadBase) put_back(s);
    if (part.done > 0) put_back(grammar_.power(part.whole, part.done));
  }
  if (state_ == State::repeat) {
    if (const Symbol s = beginning(begin_place, end_place); s != kHeadBase) put_back(s);
    close_run();
  } else {
    const Place last = grammar_.prev(end_place);
    if (last == begin_place) {
      grammar_.untake(taken_);
      state_ = State::idle;
      return;
    }
    grammar_.forget_taken(taken_);
    recognise(grammar_.make_rule(begin_place, last));
  }
}

// The symbols in [begin, end) of a body as one symbol; kHeadBase when there are none.
Symbol GrammarBuilder::beginning(Place begin, Place end) {
  if (begin == end) return kHeadBase;
  const Place last = grammar_.prev(end);
  return last == begin ? *grammar_.at(begin) : grammar_.make_rule(begin, last);
}

void GrammarBuilder::put_back(Symbol s) {
  grammar_.hold(s);
  queue_.push_back(s);
}

// What is followed has come to the end of its body.
void GrammarBuilder::complete() {
  const bool in_start = followed_ & GrowingGrammar::kInStart;
  const Place end = in_start ? grammar_.start_place(at_) : grammar_.arena_place(at_);
  const Place last = grammar_.prev(end);
  const Symbol whole = grammar_.whole_rule(begin_, grammar_.at(last));
  grammar_.forget_taken(taken_);
  recognise(whole != kHeadBase ? whole : grammar_.make_rule(followed_, last));
}

// The start rule now ends with this rule, in place of what was followed.
void GrammarBuilder::recognise(Symbol rule) {
  uint64_t count = 1;
  if (!grammar_.start_empty() && grammar_.base(grammar_.last()) == rule) {
    count += grammar_.count(grammar_.last());
    grammar_.pop();
  } else if (!grammar_.start_empty()) {
    grammar_.expect(grammar_.last(), rule);
  }
  open_rule_ = rule;
  open_count_ = count;
  grammar_.hold(rule);
  if (count > 1) grammar_.hold(rule);
  grammar_.restore(rule_of(rule));
  state_ = State::repeat;
  at_ = begin_ = grammar_.body(rule_of(rule));
}

void GrammarBuilder::close_run() {
  const Symbol run = grammar_.power(open_rule_, open_count_);
  grammar_.drop(run);
  state_ = State::idle;
  step_idle(run, false);
}

PlainGrammar GrammarBuilder::finish() {
  if (run_count_ > 0) take_run();
  while (state_ != State::idle) {
    while (!is_symbol(*at_)) leave();
    depart();
    drain();
  }
  PlainGrammar out = grammar_.plain();
  *this = GrammarBuilder();
  return out;
}

size_t GrammarBuilder::bytes() const {
  return sizeof *this - sizeof grammar_ + grammar_.bytes() + frames_.bytes() + queue_.bytes() +
         followed_parts_.bytes();
}

}  // namespace vestige::sequitur
