#include "spmd/player.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace vestige::spmd {

namespace {

typedef uint64_t Half __attribute__((vector_size(16)));  // of a reference
static_assert(sizeof(Reference) == 2 * sizeof(Half) &&
              offsetof(Reference, address) == sizeof(Half) &&
              offsetof(Reference, bytes) == sizeof(Half) + 8);

}  // namespace

Player::Player(const Form& form, uint32_t thread)
    : form_(form),
      thread_(form.threads[thread]),
      thread_number_(thread),
      contexts_(form.contexts),
      position_(contexts_),
      batch_(kBatch) {
  lossy_ = thread_.streams.contains({Contexts::kRoot, StreamKind::facts, 0, kFactDropped});
}

bool Player::fail_with(const char* what) {
  if (error_.empty()) error_ = what;
  return false;
}

StreamReader* Player::reader(uint32_t node, StreamKind kind, uint64_t place, uint8_t part) {
  const StreamId id{node, kind, place, part};
  auto& found = readers_[id];
  if (!found) {
    const auto stream = thread_.streams.find(id);
    if (stream == thread_.streams.end()) {
      readers_.erase(id);
      return nullptr;
    }
    const auto place = feed_ ? feed_->place_of(id) : std::nullopt;
    found =
        std::make_unique<StreamReader>(stream->second, place ? feed_ : nullptr, place.value_or(0));
  }
  return found.get();
}

uint64_t Player::fact(uint8_t part) {
  StreamReader* facts = reader(Contexts::kRoot, StreamKind::facts, 0, part);
  return facts ? facts->next(position_, Contexts::kRoot) : 0;
}

void Player::begin(uint64_t most) {
  begun_ = true;
  references_told_ = fact(0);
  pieces_told_ = fact(1);
  for (uint8_t part = 2; part < kFactMessages; ++part) fact(part);
  messages_told_ = fact(kFactMessages);
  if (pieces_told_ > most) fail_with("it runs more pieces than are wanted");
  limit_ = pieces_told_;
}

Result<void> Player::run(const Sink& sink, uint64_t most) {
  sink_ = &sink;
  begin(most);
  if (error_.empty()) {
    while (!over_ && step()) {
    }
    if (error_.empty() && !stopped_) flush();
  }
  return finish();
}

Result<void> Player::run(const RunSink& sink) {
  run_sink_ = &sink;
  no_steps_.assign(kBatch, 0);
  return run([&](std::span<const Reference> batch) {
    return sink({batch, std::span(no_steps_).first(batch.size()), 1});
  });
}

Result<void> Player::run_messages(const CommunicationSink& sink, uint64_t most) {
  const RunSink ignore = [](const ReferenceRun&) { return true; };
  const Sink ignore_batch = [](std::span<const Reference>) { return true; };
  run_sink_ = &ignore;
  sink_ = &ignore_batch;
  message_sink_ = &sink;
  begin(most);
  if (messages_told_ > most) fail_with("it tells other ranks more than is wanted");
  begin_messages();
  while (error_.empty() && !over_ && step()) {
  }
  if (error_.empty() && !stopped_) flush();
  if (error_.empty() && !stopped_ && messages_ != messages_told_)
    fail_with("it tells other ranks not what it says");
  return finish();
}

Result<Player::Count> Player::count() {
  const RunSink ignore = [](const ReferenceRun&) { return true; };
  const Sink ignore_batch = [](std::span<const Reference>) { return true; };
  const CommunicationSink ignore_message = [](const Communication&) { return true; };
  run_sink_ = &ignore;
  sink_ = &ignore_batch;
  message_sink_ = &ignore_message;
  messages_told_ = kMostCounted;
  begin_messages();
  for (uint8_t part = 0; part <= kLastFact; ++part) fact(part);
  limit_ = kMostCounted;
  for (uint64_t steps = 0; !over_ && step(); ++steps)
    if (steps == kMostSteps) fail_with("it does not end");
  if (error_.empty()) flush();
  pieces_told_ = pieces_;
  references_told_ = references_;
  if (auto done = finish(); !done) return std::unexpected(done.error());
  return Count{references_, pieces_, messages_};
}

Result<void> Player::read(std::vector<Reference>& out) {
  out.clear();
  const Sink append = [&](std::span<const Reference> batch) {
    out.insert(out.end(), batch.begin(), batch.end());
    return true;
  };
  sink_ = &append;
  reading_ = true;
  if (!begun_) begin(UINT64_MAX);
  while (out.empty() && error_.empty()) {
    if (over_) {
      flush();
      if (out.empty()) return finish();
    } else {
      step();
    }
  }
  return error_.empty() ? Result<void>() : finish();
}

void Player::feed(LiteralFeed& feed) {
  feed_ = &feed;
  begin(UINT64_MAX);
  while (error_.empty() && !over_ && feed.goes_on() && step()) {
  }
}

Result<void> Player::finish() {
  if (error_.empty() && !stopped_) {
    if (!over_) fail_with("it does not end");
    if (pieces_ != pieces_told_) fail_with("it runs fewer pieces than it says");
    if (references_ != references_told_) fail_with("it makes other references than it says");
    for (const auto& [id, reader] : readers_)
      if (reader->failed() || !reader->at_end()) fail_with("a stream has another length");
    const auto unread = std::ranges::count_if(thread_.streams, [&](const auto& stream) {
      return stream.first.kind == StreamKind::sync ||
             (stream.first.kind == StreamKind::message && !message_sink_);
    });
    if (readers_.size() + static_cast<size_t>(unread) != thread_.streams.size())
      fail_with("a stream is of no use");
  }
  if (!error_.empty())
    return fail(ErrorKind::corrupt, "descriptors of thread " + std::to_string(thread_.rank) + "." +
                                        std::to_string(thread_.number) + ": " + error_);
  return {};
}

bool Player::flush() {
  if (batched_ == 0) return true;
  const bool on = (*sink_)(std::span(batch_).first(batched_));
  batched_ = 0;
  if (!on) stopped_ = true;
  return on;
}

bool Player::put(const Reference& reference) {
  if (feed_) {
    feed_->see(reference.address);
    ++references_;
    return true;
  }
  if (batched_ == kBatch && !flush()) return false;
  batch_[batched_++] = reference;
  laid_out_ = nullptr;
  ++references_;
  return true;
}

Player::Start* Player::start_of(uint32_t node, uint32_t segment) {
  Context& here = nodes_[node];
  if (here.recent_start == segment) return here.recent;
  Start& start = here.starts[segment];
  here.recent_start = segment;
  here.recent = &start;
  return &start;
}

Player::Local* Player::local_of(Start& start, uint32_t node, uint32_t segment, uint64_t number) {
  if (start.recent_number == number) return start.recent;
  Local& local = start.locals[number];
  if (!local.piece) {
    const auto& pieces = frames_.back().function->pieces;
    const auto found = pieces.find({segment, number});
    if (found == pieces.end()) {
      start.locals.erase(number);
      fail_with("there is no such piece");
      return nullptr;
    }
    local.piece = &found->second;
    bool measured = false;
    for (const Access& access : local.piece->accesses) {
      Feed feed;
      feed.address = reader(node, StreamKind::address, access.statement);
      if (access.moves) feed.source = reader(node, StreamKind::address, access.statement, 1);
      if (access.measured) feed.length = reader(node, StreamKind::length, access.statement);
      if (lossy_ && !feed.address) continue;
      measured |= access.measured || access.moves;
      local.accesses.push_back(access);
      local.feeds.push_back(feed);
    }
    const Piece& piece = *local.piece;
    local.loops = !measured && local.accesses.size() <= kBatch && piece.end == Piece::End::go &&
                  piece.ways[0].up == 0 && piece.ways[0].again && piece.ways[0].into.empty() &&
                  piece.ways[0].segment == segment;
    for (const Feed& feed : local.feeds) local.loops &= feed.address != nullptr;
  }
  start.recent_number = number;
  start.recent = &local;
  return &local;
}

bool Player::play(const Local& local, uint32_t node) {
  const auto& accesses = local.accesses;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = accesses[i];
    const Feed& feed = local.feeds[i];
    if (!feed.address || (access.measured && !feed.length) || (access.moves && !feed.source))
      return fail_with("a stream is missing");
    uint64_t bytes = access.bytes;
    const uint64_t source = feed.source ? feed.source->next(position_, node) : 0;
    const uint64_t address = feed.address->next(position_, node);
    if (feed.length) bytes = feed.length->next(position_, node);
    if (feed.address->failed()) return fail_with("a stream ends early");
    if (access.moves &&
        !put({Reference::Kind::read, thread_number_, access.statement, source, bytes}))
      return false;
    if (!put({access.kind, thread_number_, access.statement, address, bytes})) return false;
  }
  return true;
}

bool Player::play_odd(uint32_t node, uint32_t segment) {
  const auto get = [&](StreamKind kind, uint64_t& value) {
    StreamReader* from = reader(node, kind, segment);
    if (!from) return fail_with("a stream is missing");
    value = from->next(position_, node);
    return !from->failed() || fail_with("a stream ends early");
  };
  uint64_t count = 0;
  if (!get(StreamKind::odd_count, count)) return false;
  for (uint64_t i = 0; i < count; ++i) {
    if (feed_ && !feed_->goes_on()) return fail_with("that is enough");
    Reference reference;
    uint64_t kind = 0;
    reference.thread = thread_number_;
    if (!get(StreamKind::odd_statement, reference.statement_id) ||
        !get(StreamKind::odd_kind, kind) || !get(StreamKind::odd_address, reference.address) ||
        !get(StreamKind::odd_bytes, reference.bytes))
      return false;
    if (kind > static_cast<uint64_t>(Reference::Kind::modify))
      return fail_with("a reference of no kind");
    reference.kind = static_cast<Reference::Kind>(kind);
    if (!put(reference)) return false;
  }
  return true;
}

// Plays up to this many iterations whose streams go on regularly; how many there were.
uint64_t Player::play_loop(Start& start, const Local& local, uint32_t node, uint64_t iterations) {
  const uint64_t index = position_[node].index;
  iterations = std::min(iterations, start.choice[0]->ahead(position_, node));
  if (iterations < 2 || start.choice[0]->slope() != 0 ||
      start.choice[0]->value(index) != 2 * local.piece->number)
    return 0;
  const auto& accesses = local.accesses;
  const size_t n = accesses.size();
  addresses_.resize(n);
  steps_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    iterations = std::min(iterations, local.feeds[i].address->ahead(position_, node));
    addresses_[i] = local.feeds[i].address->value(index);
    steps_[i] = local.feeds[i].address->slope();
  }
  iterations = std::min(iterations, limit_ - pieces_);
  if (reading_) iterations = std::min<uint64_t>(iterations, kBatch);
  if (iterations < 2) return 0;
  start.choice[0]->skip(iterations);
  for (size_t i = 0; i < n; ++i) local.feeds[i].address->skip(iterations);
  if (n == 0) return iterations;
  if (feed_) {
    for (size_t i = 0; i < n; ++i) feed_->see(addresses_[i] + steps_[i] * (iterations - 1));
    references_ += iterations * n;
    return iterations;
  }
  if (run_sink_ && iterations >= kShortestRun) {
    give_run(local, iterations);
    return iterations;
  }
  for (uint64_t left = iterations; left != 0;) {
    if (kBatch - batched_ < n && !flush()) return iterations;
    const uint64_t now = std::min<uint64_t>(left, (kBatch - batched_) / n);
    fill(local, now);
    left -= now;
  }
  return iterations;
}

// Writes so many iterations into the batch. References by reference a loop differs in addresses
// alone: where the batch held the same loop before, nothing else is written. Each statement goes by
// itself, so that all it needs is in registers.
void Player::fill(const Local& local, uint64_t iterations) {
  const size_t n = local.accesses.size();
  const uint64_t known =
      batched_ == 0 && laid_out_ == &local ? std::min(laid_out_count_, iterations) : 0;
  for (size_t i = 0; i < n; ++i) {
    const Access& access = local.accesses[i];
    const Reference reference{access.kind, thread_number_, access.statement, addresses_[i],
                              access.bytes};
    const uint64_t step = steps_[i];
    Reference* out = batch_.data() + batched_ + i;
    uint64_t address = reference.address;
    for (uint64_t k = 0; k < known; ++k, out += n, address += step) out->address = address;
    // Two stores instead of five: what stays, and what moves.
    Half stays, moves;
    std::memcpy(&stays, &reference, sizeof stays);
    moves = Half{address, reference.bytes};
    const Half by{step, 0};
    for (uint64_t k = known; k < iterations; ++k, out += n, moves += by) {
      std::memcpy(static_cast<void*>(out), &stays, sizeof stays);
      std::memcpy(&out->address, &moves, sizeof moves);
    }
    address += step * (iterations - known);
    addresses_[i] = address;
  }
  if (batched_ != 0) {
    laid_out_ = nullptr;
  } else {
    laid_out_count_ = laid_out_ == &local ? std::max(laid_out_count_, iterations) : iterations;
    laid_out_ = &local;
  }
  batched_ += iterations * n;
  references_ += iterations * n;
}

bool Player::give_run(const Local& local, uint64_t iterations) {
  if (!flush()) return false;
  body_.clear();
  for (size_t i = 0; i < local.accesses.size(); ++i) {
    const Access& access = local.accesses[i];
    body_.push_back({access.kind, thread_number_, access.statement, addresses_[i], access.bytes});
  }
  references_ += iterations * body_.size();
  if (!(*run_sink_)({body_, steps_, iterations})) stopped_ = true;
  return !stopped_;
}

bool Player::enter(const ContextKey& key, uint64_t index) {
  const size_t known = contexts_.size();
  position_.enter(key, index);
  return push_frame(key.function, false, known);
}

bool Player::enter_at_root(const ContextKey& key) {
  const size_t known = contexts_.size();
  position_.enter_at_root(key, activations_++ - at_root_);
  ++at_root_;
  return push_frame(key.function, true, known);
}

bool Player::enter_moved(const ContextKey& key) {
  const size_t known = contexts_.size();
  position_.enter_at_root(key, 0);
  return push_frame(key.function, false, known);
}

bool Player::push_frame(uint64_t digest, bool at_root, size_t known_contexts) {
  const auto function = form_.functions.find(digest);
  if (function == form_.functions.end()) return fail_with("there is no such function");
  if (frames_.size() >= kDeepest) return fail_with("activations are too deep");
  if (contexts_.size() != known_contexts) return fail_with("there is no such context");
  frames_.push_back({digest, &function->second, position_.depth(), nullptr, 0, at_root});
  return true;
}

bool Player::leave_loop() {
  const uint32_t node = position_.node();
  if (!position_[node].shared && position_[node].index + 1 != nodes_[node].trips)
    return fail_with("a loop ends early");
  if (feed_) feed_->leave_loop();
  position_.leave();
  return true;
}

bool Player::take_way(const Way& way) {
  if (position_.depth() < frames_.back().depth + way.up) return fail_with("a loop is missing");
  for (uint32_t i = 0; i < way.up; ++i)
    if (!leave_loop()) return false;
  if (way.again) {
    const uint32_t node = position_.node();
    if (position_.depth() == frames_.back().depth) return fail_with("a loop is missing");
    if (!position_[node].shared && position_[node].index + 1 >= nodes_[node].trips)
      return fail_with("a loop does not end");
    position_.iterate();
  }
  for (const uint32_t loop : way.into) {
    const uint32_t around = position_.node();
    const size_t known = contexts_.size();
    position_.enter_loop({ContextKey::Kind::loop, loop, frames_.back().digest});
    if (contexts_.size() != known) return fail_with("there is no such context");
    if (feed_) feed_->enter_loop();
    const uint32_t node = position_.node();
    if (position_[node].shared) continue;
    Context& here = nodes_[node];
    if (!here.trips_reader) here.trips_reader = reader(node, StreamKind::trips, 0);
    if (!here.trips_reader) return fail_with("a stream is missing");
    here.trips = here.trips_reader->next(position_, around);
  }
  segment_ = way.segment;
  return true;
}

bool Player::leave_frame() {
  while (position_.depth() > frames_.back().depth)
    if (!leave_loop()) return false;
  position_.leave();
  if (frames_.back().at_root) --at_root_;
  frames_.pop_back();
  return true;
}

bool Player::drop_all() {
  while (!frames_.empty())
    if (!leave_frame()) return false;
  return true;
}

bool Player::at_root() {
  StreamReader* decisions = reader(Contexts::kRoot, StreamKind::after_call, kNone);
  if (!decisions) return fail_with("a stream is missing");
  const uint64_t decision = decisions->next(position_, Contexts::kRoot);
  if (decisions->failed()) return fail_with("a stream ends early");
  switch (Decision::kind(decision)) {
    case Decision::enter:
      if (!enter_at_root({ContextKey::Kind::activation, kNone, Decision::number(decision)}))
        return false;
      segment_ = 0;
      return true;
    case Decision::cut: {
      StreamReader* fragments = reader(Contexts::kRoot, StreamKind::fragment, 0);
      if (!fragments) return fail_with("a stream is missing");
      const uint64_t start = fragments->next(position_, Contexts::kRoot);
      if (start >= kNone) return fail_with("there is no such segment");
      if (!enter_at_root({ContextKey::Kind::fragment, static_cast<uint32_t>(start),
                          Decision::number(decision)}))
        return false;
      const auto around = frames_.back().function->fragments.find(static_cast<uint32_t>(start));
      if (around == frames_.back().function->fragments.end())
        return fail_with("there is no such segment");
      return take_way({0, false, around->second, static_cast<uint32_t>(start)});
    }
    case Decision::drop:
      over_ = true;
      return true;
    case Decision::resume:
      break;
  }
  return fail_with("nothing can come back at the root");
}

// What follows the call that the innermost activation waits for.
bool Player::after_call() {
  if (frames_.empty()) return true;
  Frame& frame = frames_.back();
  const uint32_t node = position_.node();
  StreamReader* decisions = reader(
      node, frame.activations ? StreamKind::after_call : StreamKind::call, frame.call->segment);
  if (!decisions) return fail_with("a stream is missing");
  const uint64_t decision = decisions->next(position_, node);
  if (decisions->failed()) return fail_with("a stream ends early");
  const uint64_t number = Decision::number(decision);
  switch (Decision::kind(decision)) {
    case Decision::enter: {
      const uint32_t place = frame.call->segment;
      const uint64_t index = frame.activations++, digest = number & Decision::kDigest;
      const ContextKey at_root{ContextKey::Kind::activation, kNone, digest};
      segment_ = 0;
      if (number & Decision::kAtRoot) return enter_at_root(at_root);
      if (number & Decision::kMovedToRoot) return enter_moved(at_root);
      return enter({ContextKey::Kind::activation, place, number}, index);
    }
    case Decision::resume:
      if (number >= frame.call->ways.size()) return fail_with("there is no such way");
      return take_way(frame.call->ways[number]);
    case Decision::cut: {
      const uint64_t up = number / 256, way = number % 256;
      if (up >= frames_.size()) return fail_with("there are not so many activations");
      for (uint64_t i = 0; i < up; ++i)
        if (!leave_frame()) return false;
      if (way >= frames_.back().call->ways.size()) return fail_with("there is no such way");
      return take_way(frames_.back().call->ways[way]);
    }
    case Decision::drop:
      return drop_all();
  }
  return false;
}

bool Player::tell_message(uint32_t node, uint64_t place) {
  uint64_t values[4];
  for (uint8_t part = 0; part < 4; ++part) {
    StreamReader* values_of =
        reader(node, StreamKind::message, place, static_cast<uint8_t>(part + 1));
    if (!values_of) return fail_with("a stream is missing");
    values[part] = values_of->next(position_, node);
    if (values_of->failed()) return fail_with("a stream ends early");
  }
  if (values[0] > UINT8_MAX || values[1] > UINT32_MAX || values[2] > UINT32_MAX)
    return fail_with("a message makes no sense");
  if (++messages_ > messages_told_) return fail_with("it tells other ranks more than it says");
  stopped_ = !(*message_sink_)({references_, static_cast<SyncKind>(values[0]),
                                static_cast<uint32_t>(values[1]), static_cast<uint32_t>(values[2]),
                                values[3]});
  return !stopped_;
}

void Player::begin_messages() {
  if (StreamReader* count = reader(Contexts::kRoot, StreamKind::message, 0, 5))
    strays_ = count->next(position_, Contexts::kRoot);
  find_stray();
}

bool Player::find_stray() {
  if (strays_ == 0) return true;
  StreamReader* gaps = reader(Contexts::kRoot, StreamKind::message, 0);
  if (!gaps) return fail_with("a stream is missing");
  next_stray_ += gaps->next(position_, Contexts::kRoot);
  return !gaps->failed() || fail_with("a stream ends early");
}

// Behind a piece that ends at this segment.
bool Player::tell_messages(uint32_t node, uint32_t segment) {
  if (StreamReader* counts = reader(node, StreamKind::message, segment)) {
    const uint64_t count = counts->next(position_, node);
    if (counts->failed()) return fail_with("a stream ends early");
    for (uint64_t n = 0; n < count; ++n)
      if (!tell_message(node, message_place(segment, n))) return false;
  }
  while (strays_ != 0 && pieces_ == next_stray_) {
    --strays_;
    if (!tell_message(Contexts::kRoot, 0) || !find_stray()) return false;
  }
  return true;
}

bool Player::step() {
  if (frames_.empty()) return at_root();
  if (pieces_ >= limit_) return fail_with("it runs more pieces than it says");
  const uint32_t node = position_.node();
  const bool counted = position_.is_loop(node) && !position_[node].shared;
  const uint64_t trips = counted ? nodes_[node].trips : 0;
  const bool last = counted && position_[node].index + 1 == trips;
  Start* start = start_of(node, segment_);
  if (!start->choice[last]) start->choice[last] = reader(node, StreamKind::choice, segment_, last);
  if (!start->choice[last]) return fail_with("a stream is missing");
  if (counted && !last && start->recent && start->recent->loops) {
    const uint64_t done =
        play_loop(*start, *start->recent, node, trips - 1 - position_[node].index);
    if (done) {
      position_.iterate(done);
      pieces_ += done;
      return !stopped_;
    }
  }
  const uint64_t choice = start->choice[last]->next(position_, node);
  if (start->choice[last]->failed()) return fail_with("a stream ends early");
  const Local* local = local_of(*start, node, segment_, choice >> 1);
  if (!local) return false;
  ++pieces_;
  if (choice & 1 ? !play_odd(node, segment_) : !play(*local, node)) return false;
  if (message_sink_ && !tell_messages(node, local->piece->segment)) return false;
  switch (local->piece->end) {
    case Piece::End::stop:
      return drop_all();
    case Piece::End::go:
      return take_way(local->piece->ways[0]);
    case Piece::End::call:
      frames_.back().call = local->piece;
      frames_.back().activations = 0;
      return after_call();
    case Piece::End::leave:
      return leave_frame() && after_call();
  }
  return false;
}

}  // namespace vestige::spmd
