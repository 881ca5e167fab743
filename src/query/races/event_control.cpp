#include "query/races/event_control.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "query/slice/reached_walk.h"

namespace vestige::races {

namespace {

constexpr unsigned kMostRounds = 64;
constexpr uint64_t kMostSteps = uint64_t{1} << 28, kMostWrites = uint64_t{1} << 24;

// The operands that say where a site's executions access, and how much.
std::vector<uint32_t> place_operands(const ShapeItem& item, const Statement& statement,
                                     bool writes) {
  switch (item.kind) {
    case StepKind::store:
      return {1};
    case StepKind::copy:
      return {writes ? 0u : 1u, 2};
    case StepKind::fill:
      return {0, 2};
    default:
      return statement.operands.empty() ? std::vector<uint32_t>() : std::vector<uint32_t>{0};
  }
}

class EventControl : ReachedWalk {
 public:
  EventControl(const SliceGround& ground, const RacingAccesses& racing, CauseSets& sets);

  // False: there is too much of something.
  Result<bool> run();
  Chosen take() { return std::move(chosen_); }

 private:
  // Bytes of what is read, and what they have for a cause.
  struct Caused {
    uint64_t first = 0, length = 0;
    CauseSets::Id causes = 0;
  };
  Result<void> walk();
  Result<void> walk(const ThreadRun& run);
  // Whether what races comes next, at this time or before.
  bool races_until(uint64_t time) const { return !ahead_->empty() && ahead_->front().time <= time; }
  bool quiet(size_t path) const;
  void go_on(size_t path);
  void begin();
  void take_result();
  void take_effects(Token given, Token computed);
  void visit(uint32_t number);
  void visit_phi(const ShapeItem& item, Token token);
  void visit_call(const ShapeItem& item, Token token);
  void note_racing(uint32_t statement, Token decided);
  void note_gives(Token token);
  const std::vector<Caused>& caused(uint32_t site);
  std::vector<Caused> all_of(Label label) const;
  void copy(Label written, Label read, Token whole, std::vector<Caused> more);

  // A token's set is Token::of.
  static Token token(CauseSets::Id set) { return set == 0 ? Token{} : Token{set, 0}; }
  static CauseSets::Id set(Token token) { return token ? token.of : 0; }
  void join(Token& into, Token other) {
    if (other) into = token(sets_.join(set(into), set(other)));
  }
  void note_write(Label label, Token token) {
    writes_->add(label, token);
    ++wrote_;
  }

  const RacingAccesses& racing_;
  CauseSets& sets_;
  uint64_t steps_ = 0;
  std::vector<CauseSets::Id> gives_;  // by site: what its writes depend on, as known so far
  std::vector<uint32_t> givers_;      // sites of which that is something, rising, before this round
  bool more_ = false;                 // this round found more of it
  Chosen chosen_;
  std::unordered_map<uint32_t, std::vector<Caused>> caused_;  // by site, of this round

  std::unique_ptr<ReachedWrites> writes_;
  uint64_t wrote_ = 0;
  using Executions = std::span<const RacingExecution>;
  std::map<uint32_t, Executions> racing_ahead_;  // by thread
  Executions* ahead_ = nullptr;                  // of the strand at hand
  // Of the statement at hand: the sites it is an execution of.
  std::optional<uint32_t> reads_, writes_site_;
};

EventControl::EventControl(const SliceGround& ground, const RacingAccesses& racing, CauseSets& sets)
    : ReachedWalk(ground), racing_(racing), sets_(sets), gives_(racing.sites().size()) {}

Result<bool> EventControl::run() {
  for (unsigned round = 0; round < kMostRounds; ++round) {
    more_ = false;
    givers_.clear();
    for (uint32_t site = 0; site < gives_.size(); ++site)
      if (gives_[site] != 0) givers_.push_back(site);
    if (auto walked = walk(); !walked) return std::unexpected(std::move(walked.error()));
    if (steps_ > kMostSteps || sets_.full() || wrote_ > kMostWrites) return false;
    if (!more_) return true;
  }
  return false;
}

Result<void> EventControl::walk() {
  chosen_.assign(racing_.sites().size(), {});
  caused_.clear();
  strands_.clear();
  racing_ahead_.clear();
  writes_ = std::make_unique<ReachedWrites>(0);
  wrote_ = 0;
  for (const ThreadRun& run : ground_.dependences.order().runs()) {
    if (ground_.dependences.of(run.thread).empty()) continue;
    turn_to(run.thread);
    ahead_ = &racing_ahead_.try_emplace(run.thread, racing_.of(run.thread)).first->second;
    if (auto walked = walk(run); !walked) return walked;
    if (steps_ > kMostSteps || sets_.full() || wrote_ > kMostWrites) break;
  }
  return {};
}

Result<void> EventControl::walk(const ThreadRun& run) {
  const BlockPlaces& places = strand_->cursor.places();
  for (size_t number = strand_->cursor.block_at(run.first_time);
       number < places.size() && places[number].first_time < run.end_time(); ++number) {
    const BlockPlace& place = places[number];
    if (place.end_time() <= run.first_time) continue;
    if (!races_until(place.end_time() - 1) && strand_->clean()) {
      const auto reads = block_may_read(number, *writes_);
      if (!reads) return std::unexpected(reads.error());
      if (!*reads) continue;
    }
    if (auto gone = strand_->cursor.go_to(number); !gone) return gone;
    const DependenceBlock& block = strand_->cursor.block();
    const uint64_t end = std::min(block.end_time(), run.end_time());
    for (uint64_t time = std::max(run.first_time, block.first_time); time < end; ++time) {
      const size_t path = time - block.first_time;
      if (!quiet(path)) go_on(path);
    }
  }
  return {};
}

// Nothing of the path races or has a cause.
bool EventControl::quiet(size_t path) const {
  const PathStep& step = strand_->cursor.block().steps[path];
  return !races_until(step.time) && !strand_->may_touch(step) && !may_read(path, *writes_);
}

void EventControl::go_on(size_t path) {
  const DependenceBlock& block = strand_->cursor.block();
  turn_to_path(path);
  begin();
  strand_->returned = {};
  bool runs = races_until(step_->time);
  for (uint32_t i = 0; i < shape_->labels && !runs && !writes_->empty(); ++i)
    runs = !all_of(block.labels[block.first_label[path] + i]).empty();
  if (!runs && !touched()) {
    now_->results.forget(shape_->words);
  } else {
    steps_ += shape_->items.size();
    for (uint32_t i = 0; i < shape_->items.size(); ++i) {
      const ShapeItem& item = shape_->items[i];
      if (item.begins) begin_block(item.block);
      if (item.kind != StepKind::phi) settle_phis();
      visit(i);
    }
    settle_phis();
  }
  // What the path did not come to, because it was cut off.
  while (races_until(step_->time)) *ahead_ = ahead_->subspan(1);
  leave_path();
}

// What the activation has from who called it, or from what it called.
void EventControl::begin() {
  if (step_->path->enters) {
    const ActivationReached* const from = caller();
    enter(from ? from->entering : Token(),
          from && step_->called ? std::span(from->passed) : Passed());
  } else {
    if (go_on_in_activation()) take_result();
    now_->forget_call();
  }
  strand_->left.clear();
}

void EventControl::take_result() {
  Token result = now_->entering;
  join(result, step_->returned ? strand_->returned : now_->unresolved);
  const Token given = result;
  for (const CallEffect& effect : strand_->cursor.block().effects_of(path_))
    if (effect.kind == CallEffect::Kind::reads)
      for (const Caused& bytes : all_of(effect.label)) join(result, token(bytes.causes));
  take_effects(given, result);
  now_->results.set(now_->call, result);
}

// What the unrecorded code that was called wrote.
void EventControl::take_effects(Token given, Token computed) {
  const std::span<const CallEffect> effects = strand_->cursor.block().effects_of(path_);
  for (size_t i = 0; i < effects.size(); ++i) {
    const Label label = me(static_cast<uint32_t>(shape_->items.size() + i));
    if (effects[i].kind == CallEffect::Kind::copies)
      copy(label, effects[i].label, given, {});
    else if (effects[i].kind != CallEffect::Kind::reads && computed)
      note_write(label, computed);
  }
}

void EventControl::visit(uint32_t number) {
  const ShapeItem& item = shape_->items[number];
  const Statement& statement = shape_->function->statements[item.statement];
  Token all = now_->blocks.get(item.block);
  if (item.kind == StepKind::call) return visit_call(item, all);
  if (item.kind == StepKind::phi) return visit_phi(item, all);
  note_racing(number, all);
  for (const Use& use : shape_->uses_of(item)) join(all, of(use));
  const std::vector<Caused> none;
  const std::vector<Caused>& raced = reads_ ? caused(*reads_) : none;
  if (item.kind == StepKind::copy) {
    const Label label = strand_->cursor.block().label(path_, item);
    const Token whole = all;
    for (const Caused& bytes : all_of(label)) join(all, token(bytes.causes));
    for (const Caused& bytes : raced) join(all, token(bytes.causes));
    copy(me(number), label, whole, raced);
  } else {
    if (item.label != kNone && !writes_->empty())
      for (const Caused& bytes : all_of(strand_->cursor.block().label(path_, item)))
        join(all, token(bytes.causes));
    for (const Caused& bytes : raced) join(all, token(bytes.causes));
    if (all && writes_memory(item.kind)) note_write(me(number), all);
  }
  note_gives(all);
  if (item.kind == StepKind::ret) strand_->returned = all;
  now_->results.set(item.statement, statement.op == Op::store ? Token{} : all);
  if (item.ends) end_block(item, all);
}

// Which sites the statement is an execution of, and what chose it.
void EventControl::note_racing(uint32_t number, Token decided) {
  reads_ = writes_site_ = std::nullopt;
  const ShapeItem& item = shape_->items[number];
  const Statement& statement = shape_->function->statements[item.statement];
  for (; !ahead_->empty() && ahead_->front().time == step_->time &&
         ahead_->front().statement == item.statement;
       *ahead_ = ahead_->subspan(1)) {
    const RacingExecution& racing = ahead_->front();
    const uint32_t site = racing.site;
    const bool writes = racing_.sites()[site].access.writes;
    (writes ? writes_site_ : reads_) = site;
    if (item.kind == StepKind::exchange) reads_ = site;
    Token chosen = decided;
    for (const uint32_t k : place_operands(item, statement, writes))
      if (k < statement.operands.size()) join(chosen, of(statement.operands[k]));
    std::vector<ChosenBy>& known = chosen_[site];
    const auto same = std::ranges::find(known, set(chosen), &ChosenBy::causes);
    steps_ += known.size();
    if (same == known.end()) {
      known.push_back({set(chosen), racing.position, racing.position});
    } else {
      same->earliest = std::min(same->earliest, racing.position);
      same->latest = std::max(same->latest, racing.position);
    }
  }
}

// What the statement writes depends on these.
void EventControl::note_gives(Token token) {
  if (!writes_site_ || !token) return;
  CauseSets::Id& gives = gives_[*writes_site_];
  const CauseSets::Id more = sets_.join(gives, set(token));
  more_ |= more != gives;
  gives = more;
}

// What a read has for causes because it races: the writes, and what these depend on. Of this round.
const std::vector<EventControl::Caused>& EventControl::caused(uint32_t number) {
  const auto [at, fresh] = caused_.try_emplace(number);
  if (!fresh) return at->second;
  const Site& site = racing_.sites()[number];
  std::map<std::pair<uint64_t, uint64_t>, CauseSets::Id> by_bytes;
  for (const SiteRange& range : racing_.partners(number)) {
    const Site& other = racing_.sites()[range.first];  // all of them have its place
    ++steps_;
    if (!other.access.writes) continue;
    // Those of one place are in the order of their strand.
    CauseSets::Id causes =
        sets_.make({sets_.keeps_first() ? SiteRange{range.first, range.first + 1} : range});
    for (auto giver = std::ranges::lower_bound(givers_, range.first);
         giver != givers_.end() && *giver < range.end; ++giver, ++steps_)
      causes = sets_.join(causes, gives_[*giver]);
    const uint64_t first = std::max(site.first, other.first) - site.first;
    const uint64_t last = std::min(site.last, other.last) - site.first;
    CauseSets::Id& of = by_bytes[{first, last - first + 1}];
    of = sets_.join(of, causes);
  }
  for (const auto& [bytes, causes] : by_bytes)
    at->second.push_back({bytes.first, bytes.second, causes});
  return at->second;
}

void EventControl::visit_phi(const ShapeItem& item, Token all) {
  if (const Operand* const taken = taken_by(item)) join(all, of(*taken));
  join(all, now_->edge);
  phis_.emplace_back(item.statement, all);
  if (item.ends) end_block(item, all);
}

void EventControl::visit_call(const ShapeItem& item, Token all) {
  const Statement& call = shape_->function->statements[item.statement];
  now_->forget_call();
  now_->call = item.statement;
  if (call.callee == kNone && !call.operands.empty()) join(all, of(call.operands.back()));
  now_->member = now_->entering = all;
  for (uint32_t k = 0; k < call.operands.size(); ++k) {
    const Token passed = of(call.operands[k]);
    join(now_->unresolved, passed);
    Token part = all;
    join(part, passed);
    if (part && k + 1 < call.operands.size()) now_->passed.emplace_back(k, part);
  }
  now_->results.set(item.statement, {});
  if (item.ends) end_block(item, all);
}

// What of the bytes that a label stands for has causes.
std::vector<EventControl::Caused> EventControl::all_of(Label label) const {
  std::vector<Caused> found;
  for_reached(label, *writes_, [&](uint64_t first, uint64_t length, Token token) {
    found.push_back({first, length, set(token)});
  });
  return found;
}

// Each byte that is copied has the causes of the copy, and of the byte it is copied from.
void EventControl::copy(Label to, Label from, Token whole, std::vector<Caused> more) {
  const std::vector<Caused> known = all_of(from);
  more.insert(more.end(), known.begin(), known.end());
  if (more.empty()) {
    if (whole) note_write(to, whole);
    return;
  }
  std::set<uint64_t> borders;
  for (const Caused& bytes : more) {
    borders.insert(bytes.first);
    borders.insert(bytes.first + bytes.length);
  }
  std::vector<TokenBytes> given;
  for (auto border = borders.begin(); std::next(border) != borders.end(); ++border) {
    Token token;
    for (const Caused& bytes : more)
      if (bytes.first <= *border && *border < bytes.first + bytes.length)
        join(token, this->token(bytes.causes));
    if (!token) continue;
    join(token, whole);
    given.push_back({*border, *std::next(border) - *border, token, 0});
  }
  steps_ += more.size() * borders.size();
  if (whole) note_write(to, whole);
  wrote_ += given.size();
  writes_->add_copied(to, std::move(given));
}

}  // namespace

Result<std::optional<Chosen>> event_control(const SliceGround& ground, const RacingAccesses& racing,
                                            CauseSets& sets) {
  EventControl control(ground, racing, sets);
  const auto ran = control.run();
  if (!ran) return std::unexpected(ran.error());
  if (!*ran) return std::optional<Chosen>();
  return control.take();
}

}  // namespace vestige::races
