#include "query/races/event_control.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "query/slice/reached.h"
#include "query/slice/reached_writes.h"

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

class EventControl {
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
  struct Strand {
    Strand(const SliceGround& ground, uint32_t number) : thread(number), cursor(ground, number) {}
    const uint32_t thread;
    DependenceBlockCursor cursor;
    size_t next = 0;  // racing execution
    std::vector<ActivationReached> levels;
    Token returned;          // what the path before returned
    ActivationReached left;  // it ended in a tail call: its activation
    bool clean() const { return levels.empty() && !returned && left.clean(); }
  };

  Result<void> walk();
  Result<void> walk(const ThreadRun& run);
  Result<bool> reads_reached(const BlockPlace& place) const;
  bool quiet(size_t path) const;
  void go_on(size_t path);
  bool touched() const;
  void begin();
  void take_result();
  void take_effects(Token given, Token computed);
  void visit(uint32_t number);
  void visit_phi(const ShapeItem& item, Token token);
  void visit_call(const ShapeItem& item, Token token);
  void note_racing(uint32_t statement, Token decided);
  void note_gives(Token token);
  void begin_block(uint32_t block);
  void end_block(const ShapeItem& item, Token token);
  void settle_phis();
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
  Token of(const Operand& operand) const;
  Token of(const Use& use) const;
  uint64_t order(uint32_t thread, uint64_t time) const {
    return ground_.dependences.order().order(thread, time);
  }
  Label written(uint32_t thread, Label label) const {
    if (alone_ || label.kind() != Label::Kind::one) return label;
    return Label::written(order(thread, label.time()), label.item());
  }
  Label me(uint32_t item) const {
    return written(strand_->thread, Label::written(step_->time, item));
  }
  ActivationReached& level(size_t number) {
    if (strand_->levels.size() <= number) strand_->levels.resize(number + 1);
    return strand_->levels[number];
  }

  const SliceGround& ground_;
  const RacingAccesses& racing_;
  CauseSets& sets_;
  const bool alone_;
  uint64_t steps_ = 0;
  std::vector<CauseSets::Id> gives_;  // by site: what its writes depend on, as known so far
  std::vector<uint32_t> givers_;      // sites of which that is something, rising, before this round
  bool more_ = false;                 // this round found more of it
  Chosen chosen_;
  std::unordered_map<uint32_t, std::vector<Caused>> caused_;  // by site, of this round

  std::map<uint32_t, Strand> strands_;
  Strand* strand_ = nullptr;  // the one at hand
  std::unique_ptr<ReachedWrites> writes_;
  uint64_t wrote_ = 0;
  // Of the path that runs.
  size_t path_ = 0;
  const PathStep* step_ = nullptr;
  const PathShape* shape_ = nullptr;
  ActivationReached* now_ = nullptr;
  std::vector<std::pair<uint32_t, Token>> phis_;  // of a block take their values at once
  // Of the statement at hand: the sites it is an execution of.
  std::optional<uint32_t> reads_, writes_site_;
};

EventControl::EventControl(const SliceGround& ground, const RacingAccesses& racing, CauseSets& sets)
    : ground_(ground),
      racing_(racing),
      sets_(sets),
      alone_(ground.dependences.order().runs().size() == 1),
      gives_(racing.sites().size()) {}

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
  writes_ = std::make_unique<ReachedWrites>(0);
  wrote_ = 0;
  for (const ThreadRun& run : ground_.dependences.order().runs()) {
    if (ground_.dependences.of(run.thread).empty()) continue;
    strand_ = &strands_.try_emplace(run.thread, ground_, run.thread).first->second;
    if (auto walked = walk(run); !walked) return walked;
    if (steps_ > kMostSteps || sets_.full() || wrote_ > kMostWrites) break;
  }
  return {};
}

Result<void> EventControl::walk(const ThreadRun& run) {
  const std::vector<RacingExecution>& racing = racing_.of(strand_->thread);
  const BlockPlaces& places = strand_->cursor.places();
  for (size_t number = strand_->cursor.block_at(run.first_time);
       number < places.size() && places[number].first_time < run.end_time(); ++number) {
    const BlockPlace& place = places[number];
    if (place.end_time() <= run.first_time) continue;
    const bool races =
        strand_->next < racing.size() && racing[strand_->next].time < place.end_time();
    if (!races && strand_->clean()) {
      const auto reads = reads_reached(place);
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

// Whether the block may read anything that has a cause.
Result<bool> EventControl::reads_reached(const BlockPlace& place) const {
  if (writes_->empty()) return false;
  // What is in the block itself is not among the pages.
  if (writes_->reaches(order(strand_->thread, place.first_time))) return true;
  const auto pages = ground_.dependences.pages(strand_->thread, place);
  if (!pages) return std::unexpected(pages.error());
  return std::ranges::any_of(*pages, [&](uint64_t page) { return writes_->has_page(page); });
}

// Nothing of the path races or has a cause.
bool EventControl::quiet(size_t path) const {
  const DependenceBlock& block = strand_->cursor.block();
  const PathStep& step = block.steps[path];
  const std::vector<RacingExecution>& racing = racing_.of(strand_->thread);
  if (strand_->next < racing.size() && racing[strand_->next].time <= step.time) return false;
  if (strand_->returned || !strand_->left.clean() || step.level < strand_->levels.size())
    return false;
  // It may be called by what has a cause.
  if (step.level == strand_->levels.size() && step.path->enters && !strand_->levels.empty())
    return false;
  if (writes_->empty()) return true;
  const auto may_have = [&](Label label) {
    return label.kind() == Label::Kind::parts || writes_->may_have(written(strand_->thread, label));
  };
  const uint32_t first = block.first_label[path], labels = block.shapes[path]->labels;
  for (uint32_t i = first; i < first + labels; ++i)
    if (may_have(block.labels[i])) return false;
  return std::ranges::none_of(block.effects_of(path), [&](const CallEffect& effect) {
    return effect.reads_memory() && may_have(effect.label);
  });
}

void EventControl::go_on(size_t path) {
  const DependenceBlock& block = strand_->cursor.block();
  const std::vector<RacingExecution>& racing = racing_.of(strand_->thread);
  path_ = path;
  step_ = &block.steps[path];
  shape_ = block.shapes[path];
  std::vector<ActivationReached>& levels = strand_->levels;
  // What lies above was left.
  if (levels.size() > step_->level + 1) levels.resize(step_->level + 1);
  now_ = &level(step_->level);
  begin();
  strand_->returned = {};
  bool runs = strand_->next < racing.size() && racing[strand_->next].time <= step_->time;
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
  while (strand_->next < racing.size() && racing[strand_->next].time <= step_->time)
    ++strand_->next;
  if (step_->path->leaves) {
    if (step_->path->end == SegmentEnd::tail_call) strand_->left = *now_;
    now_->clear();
  }
  while (!levels.empty() && levels.back().clean()) levels.pop_back();
}

// Whether the path uses anything of its activation that has a cause.
bool EventControl::touched() const {
  if (!now_->blocks.empty() || !now_->branches.empty() || now_->entry || now_->edge) return true;
  return now_->results.meets(shape_->used) ||
         (!now_->arguments.empty() &&
          std::ranges::any_of(shape_->used_arguments, [&](uint32_t number) {
            return static_cast<bool>(now_->arguments.get(number));
          }));
}

// What the activation has from who called it, or from what it called.
void EventControl::begin() {
  if (step_->path->enters) {
    const ActivationReached* caller = step_->tail_called ? &strand_->left
                                      : step_->level > 0 ? &strand_->levels[step_->level - 1]
                                                         : nullptr;
    Token entry;
    std::vector<std::pair<uint32_t, Token>> passed;
    if (caller && step_->has_caller) {
      entry = caller->entering;
      if (step_->called) passed = caller->passed;
    }
    now_->clear();
    now_->function = step_->path->function;
    now_->entry = entry;
    for (const auto& [number, token] : passed)
      if (number < shape_->function->arguments.size()) now_->arguments.set(number, token);
    if (entry) now_->branches.resize(shape_->function->blocks.size());
  } else {
    if (!step_->before || now_->function != step_->path->function) now_->clear();
    now_->function = step_->path->function;
    if (step_->before && step_->before->end == SegmentEnd::call) take_result();
    now_->forget_call();
  }
  strand_->left.clear();
}

void EventControl::take_result() {
  now_->call = stopped_at(*shape_->function, *step_->before);
  if (now_->call == kNone) return;
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
  const std::vector<RacingExecution>& racing = racing_.of(strand_->thread);
  const Statement& statement = shape_->function->statements[item.statement];
  for (size_t& next = strand_->next; next < racing.size() && racing[next].time == step_->time &&
                                     racing[next].statement == item.statement;
       ++next) {
    const uint32_t site = racing[next].site;
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
      known.push_back({set(chosen), racing[next].position, racing[next].position});
    } else {
      same->earliest = std::min(same->earliest, racing[next].position);
      same->latest = std::max(same->latest, racing[next].position);
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
  const Function& function = *shape_->function;
  const Statement& statement = function.statements[item.statement];
  uint32_t from = item.from;
  if (from == kNone && step_->before)
    from = function.segments[step_->before->segments.back()].block;
  for (size_t i = 0; i + 1 < statement.operands.size(); i += 2) {
    if (statement.operands[i + 1] != Operand{Operand::Kind::block, from}) continue;
    join(all, of(statement.operands[i]));
    break;
  }
  join(all, now_->edge);
  phis_.emplace_back(item.statement, all);
  if (item.ends) end_block(item, all);
}

void EventControl::settle_phis() {
  for (const auto& [statement, token] : phis_) now_->results.set(statement, token);
  phis_.clear();
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

void EventControl::begin_block(uint32_t block) {
  if (now_->branches.empty()) {
    if (!now_->blocks.empty()) now_->blocks.set(block, {});
    return;
  }
  Token token = now_->entry;
  uint64_t latest = 0;
  for (const uint32_t parent : shape_->function->blocks[block].control_parents) {
    const ActivationReached::Branch& branch = now_->branches[parent];
    if (branch.order <= latest) continue;
    latest = branch.order;
    token = branch.token;
  }
  now_->blocks.set(block, token);
}

void EventControl::end_block(const ShapeItem& item, Token token) {
  now_->edge = item.chooses ? token : now_->blocks.get(item.block);
  if (now_->branches.empty()) {
    if (!token) return;
    now_->branches.resize(shape_->function->blocks.size());
  }
  ActivationReached::Branch& branch = now_->branches[item.block];
  now_->reached_branches -= static_cast<bool>(branch.token);
  now_->reached_branches += static_cast<bool>(token);
  branch = {++now_->order, token};
  if (now_->reached_branches == 0 && !now_->entry) {
    now_->branches.clear();
    now_->order = 0;
  }
}

// What of the bytes that a label stands for has causes.
std::vector<EventControl::Caused> EventControl::all_of(Label label) const {
  std::vector<Caused> found;
  const uint32_t thread = strand_->thread;
  if (label.kind() == Label::Kind::one) {
    if (const Token token = writes_->get(written(thread, label)))
      found.push_back({0, UINT64_MAX / 2, set(token)});
  } else if (label.kind() == Label::Kind::parts) {
    uint64_t at = 0;
    for (uint64_t i = label.first_part();; ++i) {
      const LabelPart& part = strand_->cursor.block().parts[i];
      const Label there = written(part.foreign() ? part.thread : thread, part.label);
      if (part.copied)
        writes_->get_copied(there, part.offset, part.length,
                            [&](uint64_t first, uint64_t length, Token token) {
                              found.push_back({at + (first - part.offset), length, set(token)});
                            });
      else if (const Token token = writes_->get(there))
        found.push_back({at, part.length, set(token)});
      at += part.length;
      if (part.last) break;
    }
  }
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

Token EventControl::of(const Operand& operand) const {
  if (operand.kind == Operand::Kind::statement) return now_->results.get(operand.index);
  if (operand.kind == Operand::Kind::argument) return now_->arguments.get(operand.index);
  return {};
}

Token EventControl::of(const Use& use) const {
  if (use.kind == Use::Kind::item) return now_->results.get(shape_->items[use.index].statement);
  if (use.kind == Use::Kind::result) return now_->results.get(use.index);
  return use.kind == Use::Kind::argument ? now_->arguments.get(use.index) : Token{};
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
