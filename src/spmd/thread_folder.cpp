#include "spmd/thread_folder.h"

#include <algorithm>

#include "vestige/variables.h"

namespace vestige::spmd {

namespace {
// The first segment is the only one where activations begin.
bool enters(const Path& path) { return path.enters && path.segments[0] == 0; }
}  // namespace

Result<const FunctionPieces*> ProgramPieces::of(uint32_t function) {
  auto& pieces = functions_[function];
  if (!pieces) {
    pieces = std::make_unique<FunctionPieces>(trace_.functions()[function]);
    const auto [other, fresh] = digests_.try_emplace(pieces->digest(), function);
    if (!fresh)
      return fail(ErrorKind::unsupported,
                  trace_.file() + ": functions " + trace_.functions()[other->second].name +
                      " and " + trace_.functions()[function].name + " cannot be told apart");
  }
  return pieces.get();
}

Result<ThreadFolder::Plan*> ThreadFolder::plan_of(const Path& path) {
  Recent& recent = recent_[path.id % recent_.size()];
  if (recent.path == path.id) return recent.plan;
  std::unique_ptr<Plan>& plan = plans_[path.id];
  if (!plan) {
    const auto function = program_.of(path.function);
    if (!function) return std::unexpected(function.error());
    plan = std::make_unique<Plan>();
    plan->function = *function;
    plan->path = &path;
    Part part;
    part.start = path.segments.empty() ? 0 : path.segments[0];
    for (size_t i = 0; i < path.segments.size(); ++i) {
      const uint32_t s = path.segments[i];
      part.last = s;
      const auto& accesses = (*function)->accesses(s);
      part.accesses.insert(part.accesses.end(), accesses.begin(), accesses.end());
      if (i + 1 == path.segments.size()) break;
      const uint32_t edge = (*function)->edge_to(s, path.segments[i + 1]);
      if (edge == kNone)
        return fail(ErrorKind::corrupt, "path " + std::to_string(path.id) + " follows no edge");
      part.number += (*function)->number_of_edge(s, edge);
      if (!(*function)->is_border(s, edge)) continue;
      part.way = (*function)->way(s, edge);
      plan->parts.push_back(std::move(part));
      part = Part();
      part.start = path.segments[i + 1];
    }
    part.ends_by_call = (*function)->ends_by_call(part.last);
    part.ends_activation = (*function)->ends_activation(part.last);
    part.calls_mpi = (*function)->calls_mpi(part.last);
    plan->parts.push_back(std::move(part));
  }
  recent = {path.id, plan.get()};
  return plan.get();
}

StreamFolder& ThreadFolder::stream(uint32_t node, StreamKind kind, uint64_t place, uint8_t part) {
  auto& folder = streams_[{node, kind, place, part}];
  if (!folder) {
    const vestige_stream stream = kind == StreamKind::address  ? VESTIGE_ADDRESS
                                  : kind == StreamKind::length ? VESTIGE_LENGTH
                                                               : VESTIGE_CONTROL;
    folder = std::make_unique<StreamFolder>(
        window_, StreamPlugin{plugin_, stream, stream == VESTIGE_CONTROL ? 0 : place, &lossy_});
    // Who aligns threads and lists contexts looks into these.
    if (kind == StreamKind::call || kind == StreamKind::after_call ||
        kind == StreamKind::fragment || kind == StreamKind::facts)
      folder->prefer_stretches();
  }
  return *folder;
}

ThreadFolder::Context& ThreadFolder::context(uint32_t node) {
  if (node >= nodes_.size()) nodes_.resize(size_t{node} + 1);
  return nodes_[node];
}

ThreadFolder::Local& ThreadFolder::local_of(const Part& part) {
  const uint32_t node = position_.node();
  if (part.node == node) return *part.local;
  Context& here = context(node);
  Local& local = here.locals[&part];
  local.context = &here;
  if (local.accesses.size() != part.accesses.size()) {
    for (const Access& access : part.accesses) {
      Local::Folders folders;
      folders.address = &stream(node, StreamKind::address, access.statement);
      if (access.moves) folders.source = &stream(node, StreamKind::address, access.statement, 1);
      if (access.measured) folders.length = &stream(node, StreamKind::length, access.statement);
      local.accesses.push_back(folders);
    }
  }
  part.node = node;
  part.local = &local;
  return local;
}

// Whether the next references (all of them, behind the path's last part) are those that the part's
// statements let expect.
bool ThreadFolder::is_regular(const Part& part, bool last, std::span<const Reference> references) {
  size_t at = 0;
  for (const Access& access : part.accesses) {
    const size_t wanted = access.moves ? 2 : 1;
    if (references.size() - at < wanted) return false;
    const Reference& main = references[at + wanted - 1];
    if (main.statement_id != access.statement || main.kind != access.kind) return false;
    if (access.measured ? main.bytes == 0 : main.bytes != access.bytes) return false;
    if (access.moves) {
      const Reference& source = references[at];
      if (source.statement_id != access.statement || source.kind != Reference::Kind::read ||
          source.bytes != main.bytes)
        return false;
    }
    at += wanted;
  }
  return !last || at == references.size();
}

void ThreadFolder::take_regular(const Local& local, std::span<const Reference>& references) {
  const uint32_t node = position_.node();
  size_t at = 0;
  for (const Local::Folders& folders : local.accesses) {
    if (folders.source) put(*folders.source, references[at++].address, node);
    put(*folders.address, references[at].address, node);
    if (folders.length) put(*folders.length, references[at].bytes, node);
    ++at;
  }
  references = references.subspan(at);
}

void ThreadFolder::take_odd(const Part& part, std::span<const Reference>& references) {
  if (noting_) noting_->complete = false;
  const uint32_t node = position_.node();
  const auto put = [&](StreamKind kind, uint64_t value) {
    stream(node, kind, part.start).append(value, position_, node);
  };
  put(StreamKind::odd_count, references.size());
  for (const Reference& reference : references) {
    put(StreamKind::odd_statement, reference.statement_id);
    put(StreamKind::odd_kind, static_cast<uint64_t>(reference.kind));
    put(StreamKind::odd_address, reference.address);
    put(StreamKind::odd_bytes, reference.bytes);
  }
  references = {};
}

void ThreadFolder::add_number(const FunctionPieces& function, const Part& part, Local& local,
                              uint64_t number) {
  if (std::ranges::find(local.numbers, number) != local.numbers.end()) return;
  local.numbers.push_back(number);
  auto& numbers = used_[&function][part.start];
  if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
}

void ThreadFolder::choose(const Part& part, Local& local, uint64_t number, bool odd) {
  add_number(*frames_.back().function, part, local, number);
  const uint32_t node = position_.node();
  const uint64_t value = 2 * number + odd;
  if (position_.is_loop(node) && !position_[node].shared) {
    local.context->pending.push_back({&part, &local, value});
    return;
  }
  put(first_choice(part, local), value, node);
}

// Of all iterations of this context but the last.
StreamFolder& ThreadFolder::first_choice(const Part& part, Local& local) {
  if (!local.choice[0]) local.choice[0] = &stream(position_.node(), StreamKind::choice, part.start);
  return *local.choice[0];
}

void ThreadFolder::flush(uint32_t node, uint8_t last) {
  Context& here = context(node);
  for (const Context::Pending& pending : here.pending) {
    StreamFolder*& folder = pending.local->choice[last];
    if (!folder) folder = &stream(node, StreamKind::choice, pending.part->start, last);
    put(*folder, pending.value, node);
  }
  here.pending.clear();
}

void ThreadFolder::enter_loop(uint32_t loop) {
  position_.enter_loop({ContextKey::Kind::loop, loop, frames_.back().function->digest()});
}

void ThreadFolder::leave_loop() {
  const uint32_t node = position_.node();
  if (!position_[node].shared) {
    flush(node, 1);
    StreamFolder*& trips = context(node).trips;
    if (!trips) trips = &stream(node, StreamKind::trips, 0);
    put(*trips, position_[node].index + 1, contexts_.parent(node));
  }
  position_.leave();
}

void ThreadFolder::take_way(const Way& way) {
  for (uint32_t i = 0; i < way.up; ++i) leave_loop();
  if (way.again) {
    if (!position_[position_.node()].shared) flush(position_.node(), 0);
    position_.iterate();
  }
  for (const uint32_t loop : way.into) enter_loop(loop);
}

void ThreadFolder::leave_frame() {
  while (position_.depth() > frames_.back().depth) leave_loop();
  position_.leave();
  if (frames_.back().at_root) at_root_.pop_back();
  frames_.pop_back();
}

void ThreadFolder::drop_all() {
  while (!frames_.empty()) leave_frame();
}

void ThreadFolder::enter(const FunctionPieces& function, uint32_t call, uint64_t index) {
  position_.enter({ContextKey::Kind::activation, call, function.digest()}, index);
  frames_.push_back({&function, position_.depth()});
}

// The index of an activation counts those that came before it at the root and are over: workers,
// which come back to the root each time, and the thread that calls the same from elsewhere count
// alike.
void ThreadFolder::enter_at_root(const FunctionPieces& function, const ContextKey& key) {
  position_.enter_at_root(key, activations_++ - at_root_.size());
  frames_.push_back({&function, position_.depth()});
  frames_.back().at_root = true;
  at_root_.push_back(&function);
}

// Whether what the caller leads to has the context that it has in threads which begin with it:
// OpenMP calls a parallel region from where it stands in one thread of the team, and from nowhere
// in others.
bool ThreadFolder::goes_to_root(const Frame& caller, const FunctionPieces& function) const {
  return caller.openmp && std::ranges::find(at_root_, &function) == at_root_.end();
}

Result<void> ThreadFolder::begin_at_root(const Path* next) {
  if (noting_) noting_->complete = false;
  StreamFolder& decisions = stream(Contexts::kRoot, StreamKind::after_call, kNone);
  if (!next) {
    decisions.append(Decision::make(Decision::drop, 0), position_, Contexts::kRoot);
    return {};
  }
  const auto function = program_.of(next->function);
  if (!function) return std::unexpected(function.error());
  if (enters(*next)) {
    decisions.append(Decision::make(Decision::enter, (*function)->digest()), position_,
                     Contexts::kRoot);
    enter_at_root(**function, {ContextKey::Kind::activation, kNone, (*function)->digest()});
    return {};
  }
  const uint32_t start = next->segments[0];
  decisions.append(Decision::make(Decision::cut, (*function)->digest()), position_,
                   Contexts::kRoot);
  stream(Contexts::kRoot, StreamKind::fragment, 0).append(start, position_, Contexts::kRoot);
  enter_at_root(**function, {ContextKey::Kind::fragment, start, (*function)->digest()});
  const std::vector<uint32_t> around =
      (*function)->loops_around((*function)->function().segments[start].block);
  fragments_[*function][start] = around;
  for (const uint32_t loop : around) enter_loop(loop);
  return {};
}

// What follows the call that the innermost activation waits for.
Result<void> ThreadFolder::decide(const Path* next) {
  if (noting_) noting_->complete = false;
  if (frames_.empty()) return begin_at_root(next);
  Frame& frame = frames_.back();
  const uint32_t node = position_.node();
  StreamFolder& decisions =
      stream(node, frame.activations ? StreamKind::after_call : StreamKind::call, frame.call);
  const auto decided = [&](Decision::Kind kind, uint64_t number) {
    decisions.append(Decision::make(kind, number), position_, node);
  };
  if (next && enters(*next)) {
    const auto function = program_.of(next->function);
    if (!function) return std::unexpected(function.error());
    const uint64_t index = frame.activations++;
    const uint32_t call = frame.call;
    const uint64_t digest = (*function)->digest();
    if (goes_to_root(frame, **function)) {
      decided(Decision::enter, digest | Decision::kAtRoot);
      enter_at_root(**function, {ContextKey::Kind::activation, kNone, digest});
    } else {
      decided(Decision::enter, digest);
      enter(**function, call, index);
    }
    return {};
  }
  if (next) {
    constexpr size_t kDeepest = 1 << 16;
    for (size_t up = 0; up < std::min(frames_.size(), kDeepest); ++up) {
      const Frame& there = frames_[frames_.size() - 1 - up];
      if (&there.function->function() != &program_.trace().functions()[next->function]) continue;
      const uint32_t edge = there.function->edge_to(there.call, next->segments[0]);
      if (edge >= 256) continue;
      if (up == 0)
        decided(Decision::resume, edge);
      else
        decided(Decision::cut, 256 * up + edge);
      for (size_t i = 0; i < up; ++i) leave_frame();
      take_way(frames_.back().function->way(frames_.back().call, edge));
      return {};
    }
  }
  decided(Decision::drop, 0);
  drop_all();
  return begin_at_root(next);
}

// What the piece that is open did to other ranks.
void ThreadFolder::tell_messages() {
  if (noting_) noting_->complete = false;
  const auto add = [&](uint32_t node, uint64_t place, const SyncOperation& operation) {
    const uint64_t parts[] = {static_cast<uint64_t>(operation.kind), operation.result,
                              message_tag(operation.other), message_bytes(operation.other)};
    for (uint8_t part = 0; part < 4; ++part)
      stream(node, StreamKind::message, place, static_cast<uint8_t>(part + 1))
          .append(parts[part], position_, node);
  };
  const bool of_call = open_.part && open_.part->calls_mpi;
  if (of_call) {
    const uint32_t node = position_.node(), segment = open_.part->last;
    stream(node, StreamKind::message, segment).append(messages_.size(), position_, node);
    for (size_t n = 0; n < messages_.size(); ++n)
      add(node, message_place(segment, n), messages_[n]);
  } else {
    for (const SyncOperation& operation : messages_) {
      stream(Contexts::kRoot, StreamKind::message, 0)
          .append(pieces_ - last_stray_, position_, Contexts::kRoot);
      last_stray_ = pieces_;
      ++strays_;
      add(Contexts::kRoot, 0, operation);
    }
  }
  messages_told_ += messages_.size();
  messages_.clear();
}

// Ends the piece that the last path left open, and goes where the next one begins.
Result<void> ThreadFolder::close(const Path* next) {
  if (!messages_.empty() || open_.part->calls_mpi) tell_messages();
  const Open open = open_;
  open_ = {};
  Frame& frame = frames_.back();
  const FunctionPieces& function = *frame.function;
  const uint32_t segment = open.part->last;
  if (open.part->ends_by_call) {
    choose(*open.part, *open.local, open.part->number + 1, open.odd);
    frame.call = segment;
    frame.activations = 0;
    frame.openmp = function.calls_openmp(segment);
    return decide(next);
  }
  if (open.part->ends_activation) {
    choose(*open.part, *open.local, open.part->number + 1, open.odd);
    leave_frame();
    if (!frames_.empty() && function.calls_openmp(segment)) frames_.back().openmp = true;
    return decide(next);
  }
  const Onwards* go = nullptr;
  if (next && !enters(*next) &&
      &program_.trace().functions()[next->function] == &function.function())
    go = &onwards(function, *open.part, next->segments[0]);
  if (!go || !go->known) {
    choose(*open.part, *open.local, open.part->number, open.odd);
    drop_all();
    return begin_at_root(next);
  }
  const uint64_t number = open.part->number + go->number;
  const uint32_t node = position_.node();
  if (go->again && position_.is_loop(node) && !position_[node].shared &&
      open.local->context->pending.empty()) {
    // What choose() puts off and flush() does, for the one choice of this iteration.
    add_number(function, *open.part, *open.local, number);
    put(first_choice(*open.part, *open.local), 2 * number + open.odd, node);
    position_.iterate();
    return {};
  }
  choose(*open.part, *open.local, number, open.odd);
  take_way(go->way);
  return {};
}

const ThreadFolder::Onwards& ThreadFolder::onwards(const FunctionPieces& function, const Part& part,
                                                   uint32_t to) const {
  const auto found = std::ranges::find(part.onwards, to, &Onwards::to);
  if (found != part.onwards.end()) return *found;
  Onwards& made = part.onwards.emplace_back();
  made.to = to;
  const uint32_t edge = function.edge_to(part.last, to);
  made.known = edge != kNone && function.is_border(part.last, edge);
  if (!made.known) return made;
  made.number = function.number_of_edge(part.last, edge);
  made.way = function.way(part.last, edge);
  made.again = made.way.up == 0 && made.way.again && made.way.into.empty();
  return made;
}

Result<void> ThreadFolder::take(const Path& path, std::span<const Reference> references,
                                bool alike) {
  const auto plan = plan_of(path);
  if (!plan) return std::unexpected(plan.error());
  auto placed = open_.part ? close(&path) : begin_at_root(&path);
  if (!placed) return placed;
  references_ += references.size();
  ++(*plan)->times;
  const bool surely_regular = alike && (*plan)->regular;
  (*plan)->regular = true;
  const auto& parts = (*plan)->parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    Local& local = local_of(part);
    const bool last = i + 1 == parts.size();
    const bool odd = !surely_regular && !is_regular(part, last, references);
    if (odd) {
      (*plan)->regular = false;
      take_odd(part, references);
    } else {
      take_regular(local, references);
    }
    ++pieces_;
    if (last) {
      open_ = {&part, &local, odd};
    } else {
      choose(part, local, part.number, odd);
      take_way(part.way);
    }
  }
  return {};
}

// Numbers of this iteration and the ones behind it.
void ThreadFolder::append_all(StreamFolder& folder, uint64_t value, uint64_t step,
                              uint64_t rounds) {
  const uint32_t node = position_.node();
  const uint64_t first = value;
  uint64_t done = 0;
  for (; done < rounds && !folder.extend(value, step, rounds - done, position_, node); ++done) {
    folder.append(value, position_, node);
    position_.iterate();
    value += step;
  }
  position_.iterate(-done);
  if (noting_) note(folder, first, step, rounds, node);
}

bool ThreadFolder::take_rounds(const Path& path, std::span<const Reference> references,
                               std::span<const uint64_t> steps, uint64_t rounds) {
  const auto plan = plan_of(path);
  if (!plan || (*plan)->parts.size() != 1 || plugin_ || !messages_.empty()) return false;
  const Part& part = (*plan)->parts[0];
  const auto is_plain = [](const Access& access) { return !access.moves && !access.measured; };
  if (open_.part != &part || open_.odd || enters(path) || steps.size() != references.size() ||
      steps.size() != part.accesses.size() || !std::ranges::all_of(part.accesses, is_plain))
    return false;
  const FunctionPieces& function = *frames_.back().function;
  if (part.ends_by_call || part.ends_activation) return false;
  const Onwards& go = onwards(function, part, path.segments[0]);
  const uint32_t node = position_.node();
  if (!go.again || !position_.is_loop(node) || position_[node].shared ||
      !open_.local->context->pending.empty())
    return false;
  Local& local = *open_.local;
  const uint64_t number = part.number + go.number;
  add_number(function, part, local, number);
  append_all(first_choice(part, local), 2 * number, 0, rounds);
  position_.iterate();
  for (size_t i = 0; i < steps.size(); ++i)
    append_all(*local.accesses[i].address, references[i].address + steps[i], steps[i], rounds);
  position_.iterate(rounds - 1);
  references_ += rounds * references.size();
  (*plan)->times += rounds;
  pieces_ += rounds;
  return true;
}

void ThreadFolder::count(TraceCounts& counts) const {
  for (const auto& [id, plan] : plans_) {
    counts.paths += plan->times;
    counts.blocks += plan->path->blocks.size() * plan->times;
    counts.statements += plan->path->statements * plan->times;
    counts.loads += plan->path->loads * plan->times;
    counts.stores += plan->path->stores * plan->times;
    counts.sync_ops += plan->path->syncs * plan->times;
  }
}

void ThreadFolder::finish(ThreadForm thread, Form& form) {
  if (open_.part)
    (void)close(nullptr);
  else
    (void)begin_at_root(nullptr);
  const auto fact = [&](uint8_t part, uint64_t number) {
    stream(Contexts::kRoot, StreamKind::facts, 0, part).append(number, position_, Contexts::kRoot);
  };
  fact(0, references_);
  fact(1, pieces_);
  fact(2, thread.unknown);
  if (messages_told_ != 0) fact(kFactMessages, messages_told_);
  if (strays_ != 0)
    stream(Contexts::kRoot, StreamKind::message, 0, 5).append(strays_, position_, Contexts::kRoot);
  const std::vector<uint32_t> map = form.contexts.merge(contexts_);
  for (auto& [id, folder] : streams_) {
    StreamId there = id;
    there.node = map[id.node];
    Stream stream = folder->finish();
    if (stream.sections.empty() && stream.literals.empty()) continue;
    thread.streams.emplace(there, std::move(stream));
  }
  for (const auto& [function, starts] : used_) {
    FunctionForm& kept = form.functions[function->digest()];
    kept.name = function->function().name;
    for (const auto& [start, numbers] : starts)
      for (const uint64_t number : numbers) {
        Piece piece = function->piece(start, number);
        for (const Access& access : piece.accesses) {
          const Function& f = function->function();
          const Statement& statement = f.statements[access.statement - f.first_statement];
          StatementFacts facts{access.statement, "", 0, {}};
          if (statement.location < f.locations.size()) {
            const Location& location = f.locations[statement.location];
            facts.line = location.line;
            if (location.file < f.files.size()) facts.file = f.files[location.file];
          }
          if (kept.statements.contains(access.statement)) continue;
          facts.variable =
              address_variable(f, static_cast<uint32_t>(access.statement - f.first_statement));
          kept.statements.emplace(access.statement, std::move(facts));
        }
        kept.pieces.try_emplace({start, number}, std::move(piece));
      }
  }
  for (const auto& [function, starts] : fragments_)
    form.functions[function->digest()].fragments.insert(starts.begin(), starts.end());
  form.threads.push_back(std::move(thread));
}

}  // namespace vestige::spmd
