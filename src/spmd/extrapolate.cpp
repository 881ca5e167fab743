#include "spmd/extrapolate.h"

#include <algorithm>
#include <set>

#include "spmd/form_bytes.h"
#include "spmd/formula.h"
#include "spmd/player.h"
#include "spmd/shape.h"

namespace vestige::spmd {

namespace {

// Made-up places: of regions, and of the threads' own ones within a region.
constexpr uint64_t kFirstBase = uint64_t{1} << 44, kBaseDistance = uint64_t{1} << 40,
                   kOwnDistance = uint64_t{1} << 24;
// Regions of threads, such as stacks, are at least so far apart.
constexpr uint64_t kFarApart = 1 << 14;
constexpr uint64_t kPage = 4096;

// A thread of a configuration.
struct Member {
  size_t configuration = 0;
  uint32_t rank = 0, thread = 0;  // places, in order
  std::map<StreamId, Stream> streams;
  std::vector<Wide> terms;
};

// Members whose stream has one shape.
struct Class {
  Bytes shape;
  std::vector<size_t> members;
  std::vector<std::vector<uint64_t>> numbers;  // by member
  std::vector<LiteralBlock> literals;
  // Numbers that stand for pieces and functions: no arithmetic makes one of another.
  std::vector<uint64_t> names;
};

// The numbers of a stream that only tell what from what.
std::vector<uint64_t> names_in(const StreamId& id, const Shape& shape) {
  std::vector<uint64_t> out;
  if (id.kind != StreamKind::choice && id.kind != StreamKind::call &&
      id.kind != StreamKind::after_call && id.kind != StreamKind::fragment)
    return out;
  const auto roles = roles_of(shape.bytes);
  for (size_t n = 0; roles && n < shape.numbers.size(); ++n) {
    // Two names in a row may have been folded as if one followed from the other: then it is a
    // matter of arithmetic again.
    const bool moves = n + 1 < roles->size() && (*roles)[n + 1] == Role::slope;
    if ((*roles)[n] == Role::constant && !moves) out.push_back(shape.numbers[n]);
  }
  return out;
}

struct Base {
  std::string variable;
  std::vector<uint64_t> values;  // by member; UINT64_MAX: that one has none
  uint64_t wanted = 0;
  bool own = false;  // of each thread, at kOwnDistance
};

// The places of a set among `many`, as distances from the first or the last one.
struct End {
  bool from_last = false;
  int64_t distance = 0;
};

// One end of ranges, in all configurations the same way; nothing when there is none.
std::optional<End> find_end(const std::vector<std::pair<int64_t, int64_t>>& places,
                            bool prefer_last) {
  for (const bool from_last : {prefer_last, !prefer_last}) {
    std::set<int64_t> distances;
    for (const auto& [place, many] : places) distances.insert(from_last ? many - 1 - place : place);
    if (distances.size() == 1) return End{from_last, *distances.begin()};
  }
  return std::nullopt;
}

class Extrapolation {
 public:
  Extrapolation(const std::vector<Known>& known, const Configuration& wanted)
      : known_(known), wanted_(wanted) {}

  Result<Extrapolated> run();

 private:
  Result<void> collect();
  void put_threads_in_order(size_t configuration);
  void find_terms();
  void find_fixed_bases(const StreamId& id);
  Result<std::vector<Class>> classes_of(const StreamId& id) const;
  Result<std::vector<size_t>> targets(const Class& one, const StreamId& id) const;
  Result<void> add_stream(const StreamId& id);
  Result<std::vector<std::vector<uint64_t>>> predict_all(const StreamId& id, const Class& one,
                                                         const std::vector<size_t>& at);
  std::optional<Formula> formula_of(const Class& one, const std::vector<uint64_t>& numbers);
  bool fit_base(const StreamId& id, const Class& one, const std::vector<uint64_t>& numbers,
                Formula& formula, size_t& base);
  bool fit_from_first(const Class& one, const std::vector<uint64_t>& numbers, Formula& formula,
                      Base& fresh);
  bool are_far_apart(const Class& one, const std::vector<uint64_t>& numbers) const;
  std::string name_of(const StreamId& id) const;
  std::string variable_of(const StreamId& id, const Class& one) const;
  Error refusal(const StreamId& id, const std::string& why) const {
    return {ErrorKind::unsupported, "extrapolation: " + name_of(id) + ": " + why};
  }

  const std::vector<Known>& known_;
  const Configuration wanted_;
  Extrapolated out_;
  std::vector<Member> members_;
  std::vector<Member> new_;  // the threads wanted
  std::optional<Terms> terms_;
  std::vector<Base> bases_;
};

std::string Extrapolation::name_of(const StreamId& id) const {
  std::string where = "the beginnings of threads";
  if (id.node != Contexts::kRoot) {
    const ContextKey& key = out_.form.contexts.key(id.node);
    const auto function = out_.form.functions.find(key.function);
    where = (key.kind == ContextKey::Kind::loop ? "a loop of " : "") +
            (function == out_.form.functions.end() ? "?" : function->second.name);
    if (id.kind == StreamKind::address && function != out_.form.functions.end()) {
      const auto facts = function->second.statements.find(id.place);
      if (facts != function->second.statements.end())
        where += ", " + facts->second.file + ":" + std::to_string(facts->second.line);
    }
  }
  constexpr const char* kKinds[] = {
      "trips",          "paths",          "calls",          "calls",          "addresses",
      "lengths",        "odd references", "odd references", "odd references", "odd references",
      "odd references", "fragments",      "facts",          "messages"};
  const auto kind = static_cast<size_t>(id.kind);
  return std::string(kind < std::size(kKinds) ? kKinds[kind] : "a stream") + " of " + where;
}

// What its addresses are found from: a variable, what is in it and what it points to told apart.
std::string Extrapolation::variable_of(const StreamId& id, const Class& one) const {
  const auto roles = roles_of(one.shape);
  const bool moves = roles && std::ranges::find(*roles, Role::slope) != roles->end();
  for (const auto& [digest, function] : out_.form.functions)
    if (const auto facts = function.statements.find(id.place);
        facts != function.statements.end() && !facts->second.variable.empty())
      return facts->second.variable + (moves ? "[]" : "");
  return {};
}

// Threads of all configurations, with contexts of one tree.
Result<void> Extrapolation::collect() {
  Form& form = out_.form;
  for (size_t c = 0; c < known_.size(); ++c) {
    const Form& from = *known_[c].form;
    for (const auto& [digest, function] : from.functions) {
      FunctionForm& kept = form.functions[digest];
      if (kept.name.empty()) kept.name = function.name;
      kept.statements.insert(function.statements.begin(), function.statements.end());
      kept.pieces.insert(function.pieces.begin(), function.pieces.end());
      kept.fragments.insert(function.fragments.begin(), function.fragments.end());
    }
    const std::vector<uint32_t> map = form.contexts.merge(from.contexts);
    std::set<uint32_t> ranks;
    for (const ThreadForm& thread : from.threads) ranks.insert(thread.rank);
    std::map<uint32_t, uint32_t> threads;  // so far, by rank
    for (const ThreadForm& thread : from.threads) {
      Member member;
      member.configuration = c;
      member.rank = static_cast<uint32_t>(std::distance(ranks.begin(), ranks.find(thread.rank)));
      member.thread = threads[thread.rank]++;
      for (const auto& [id, stream] : thread.streams) {
        if (id.kind == StreamKind::sync || id.kind == StreamKind::facts) continue;
        StreamId there = id;
        there.node = map[id.node];
        member.streams.emplace(there, stream);
      }
      members_.push_back(std::move(member));
    }
    if (from.threads.size() != known_[c].configuration.ranks * known_[c].configuration.threads)
      return fail(ErrorKind::unsupported,
                  "extrapolation: ranks of one run have different numbers of threads");
    put_threads_in_order(c);
  }
  for (uint32_t r = 0; r < wanted_.ranks; ++r)
    for (uint32_t t = 0; t < wanted_.threads; ++t) {
      Member member;
      member.rank = r;
      member.thread = t;
      new_.push_back(std::move(member));
    }
  return {};
}

// Whether addresses move with a loop: shares do, what is on a stack does not.
bool moves(const Stretch& stretch) {
  return std::ranges::any_of(stretch.slopes, [](uint64_t slope) { return slope != 0; });
}

// By the order in which most addresses of loops rise, the first thread left where it is.
void Extrapolation::put_threads_in_order(size_t configuration) {
  std::map<uint32_t, std::vector<Member*>> ranks;
  for (Member& member : members_)
    if (member.configuration == configuration && member.thread > 0)
      ranks[member.rank].push_back(&member);
  for (auto& [rank, threads] : ranks) {
    std::ranges::sort(threads, {}, &Member::thread);
    std::map<std::vector<size_t>, size_t> orders;
    if (threads.empty()) continue;
    for (const auto& [id, stream] : threads[0]->streams) {
      if (id.kind != StreamKind::address) continue;
      std::vector<std::pair<uint64_t, size_t>> firsts;
      for (size_t t = 0; t < threads.size(); ++t) {
        const auto found = threads[t]->streams.find(id);
        if (found == threads[t]->streams.end() || found->second.sections.empty() ||
            !found->second.sections[0].is_event() || !moves(found->second.sections[0].event))
          break;
        firsts.emplace_back(found->second.sections[0].event.constant, t);
      }
      std::ranges::sort(firsts);
      const auto same = std::ranges::adjacent_find(firsts, {}, &std::pair<uint64_t, size_t>::first);
      if (firsts.size() != threads.size() || same != firsts.end()) continue;
      std::vector<size_t> order;
      for (const auto& [first, t] : firsts) order.push_back(t);
      ++orders[order];
    }
    if (orders.empty()) continue;
    const auto best =
        std::ranges::max_element(orders, {}, [](const auto& order) { return order.second; });
    for (size_t i = 0; i < best->first.size(); ++i)
      threads[best->first[i]]->thread = static_cast<uint32_t>(i + 1);
  }
}

void Extrapolation::find_terms() {
  std::vector<Point> points;
  const auto point = [](const Member& member, const Configuration& c) {
    return Point{member.rank, member.thread, c.ranks, c.threads, static_cast<int64_t>(c.size)};
  };
  for (const Member& member : members_)
    points.push_back(point(member, known_[member.configuration].configuration));
  for (const Member& member : new_) points.push_back(point(member, wanted_));
  terms_.emplace(points);
  for (size_t i = 0; i < members_.size(); ++i) members_[i].terms = terms_->values(points[i]);
  for (size_t i = 0; i < new_.size(); ++i)
    new_[i].terms = terms_->values(points[members_.size() + i]);
}

Result<std::vector<Class>> Extrapolation::classes_of(const StreamId& id) const {
  std::vector<Class> out;
  for (size_t m = 0; m < members_.size(); ++m) {
    const auto found = members_[m].streams.find(id);
    if (found == members_[m].streams.end()) continue;
    Shape shape = take_apart(found->second.sections);
    std::vector<uint64_t> names = names_in(id, shape);
    auto same = std::ranges::find_if(out, [&](const Class& one) {
      return one.shape == shape.bytes && one.literals == found->second.literals &&
             one.names == names;
    });
    if (same == out.end()) {
      out.push_back({shape.bytes, {}, {}, found->second.literals, std::move(names)});
      same = out.end() - 1;
    }
    same->members.push_back(m);
    same->numbers.push_back(std::move(shape.numbers));
  }
  return out;
}

// Which of the wanted threads have this.
Result<std::vector<size_t>> Extrapolation::targets(const Class& one, const StreamId& id) const {
  using Places = std::vector<std::pair<int64_t, int64_t>>;
  Places first_rank, last_rank, first_thread, last_thread;
  std::vector<const Configuration*> absent;  // configurations without it
  for (size_t c = 0; c < known_.size(); ++c) {
    const Configuration& of = known_[c].configuration;
    std::set<uint32_t> ranks, threads;
    size_t count = 0;
    for (const size_t m : one.members) {
      if (members_[m].configuration != c) continue;
      ranks.insert(members_[m].rank);
      threads.insert(members_[m].thread);
      ++count;
    }
    const auto is_range = [](const std::set<uint32_t>& set) {
      return *set.rbegin() - *set.begin() + 1 == set.size();
    };
    if (count == 0) {
      absent.push_back(&of);
      continue;
    }
    if (count != ranks.size() * threads.size() || !is_range(ranks) || !is_range(threads))
      return std::unexpected(refusal(id, "the threads that share it have no pattern"));
    first_rank.emplace_back(*ranks.begin(), of.ranks);
    last_rank.emplace_back(*ranks.rbegin(), of.ranks);
    first_thread.emplace_back(*threads.begin(), of.threads);
    last_thread.emplace_back(*threads.rbegin(), of.threads);
  }
  using Range = std::pair<End, End>;
  const auto ends = [](const Places& first, const Places& last,
                       int64_t many) -> std::optional<Range> {
    const bool to_last =
        std::ranges::all_of(last, [](const auto& p) { return p.first + 1 == p.second; });
    const auto low = find_end(first, false);
    // What is one thread everywhere stays one.
    const auto high = first == last && many > 1 ? low : find_end(last, to_last);
    if (!low || !high) return std::nullopt;
    return Range(*low, *high);
  };
  const auto places = [](const Range& range, int64_t many) {
    const auto place = [&](const End& end) {
      return end.from_last ? many - 1 - end.distance : end.distance;
    };
    return std::pair(place(range.first), place(range.second));
  };
  const auto ranks = ends(first_rank, last_rank, wanted_.ranks);
  const auto threads = ends(first_thread, last_thread, wanted_.threads);
  if (!ranks || !threads)
    return std::unexpected(refusal(id, "the threads that share it have no pattern"));
  // Between two ranks there is none: that is a pattern, when others show it.
  for (const Configuration* of : absent) {
    const auto [low_rank, high_rank] = places(*ranks, of->ranks);
    const auto [low_thread, high_thread] = places(*threads, of->threads);
    if (known_.size() - absent.size() < 2 || (low_rank <= high_rank && low_thread <= high_thread))
      return std::unexpected(refusal(id, "a configuration of " + std::to_string(of->ranks) +
                                             " ranks, " + std::to_string(of->threads) +
                                             " threads and size " + std::to_string(of->size) +
                                             " has none of this shape; record larger ones"));
  }
  const auto [low_rank, high_rank] = places(*ranks, wanted_.ranks);
  const auto [low_thread, high_thread] = places(*threads, wanted_.threads);
  std::vector<size_t> out;
  for (size_t i = 0; i < new_.size(); ++i)
    if (new_[i].rank >= low_rank && new_[i].rank <= high_rank && new_[i].thread >= low_thread &&
        new_[i].thread <= high_thread)
      out.push_back(i);
  return out;
}

std::optional<Formula> Extrapolation::formula_of(const Class& one,
                                                 const std::vector<uint64_t>& numbers) {
  std::vector<Sample> samples;
  for (const size_t m : one.members)
    samples.push_back({&members_[m].terms, members_[m].configuration});
  return find_formula(*terms_, samples, numbers);
}

// A variable that is at the same place in all configurations stays there, and its other addresses
// are found from it.
void Extrapolation::find_fixed_bases(const StreamId& id) {
  if (id.kind != StreamKind::address) return;
  const auto classes = classes_of(id);
  if (!classes) return;
  for (const Class& one : *classes) {
    const std::string variable = variable_of(id, one);
    if (variable.empty()) continue;
    const auto roles = roles_of(one.shape);
    for (size_t n = 0; roles && n < roles->size(); ++n) {
      const uint64_t place = one.numbers[0][n];
      const auto here = [&](const std::vector<uint64_t>& numbers) { return numbers[n] == place; };
      const auto known = [&](const Base& base) {
        return base.variable == variable && base.wanted == place;
      };
      if ((*roles)[n] != Role::constant || !std::ranges::all_of(one.numbers, here) ||
          std::ranges::any_of(bases_, known))
        continue;
      bases_.push_back({variable, std::vector<uint64_t>(members_.size(), place), place});
      return;
    }
  }
}

// An address as a base and a formula. A base that is known already is tried first: that of the same
// variable, or one from which the formula can be checked.
bool Extrapolation::fit_base(const StreamId& id, const Class& one,
                             const std::vector<uint64_t>& numbers, Formula& formula, size_t& base) {
  const std::string variable = variable_of(id, one);
  std::vector<uint64_t> rest(numbers.size());
  for (const bool same_variable : {true, false})
    for (base = 0; base < bases_.size(); ++base) {
      if ((bases_[base].variable == variable && !variable.empty()) != same_variable) continue;
      bool all = true;
      for (size_t i = 0; i < numbers.size(); ++i) {
        const uint64_t from = bases_[base].values[one.members[i]];
        all &= from != UINT64_MAX;
        rest[i] = numbers[i] - from;
      }
      if (!all) continue;
      const bool constant = std::ranges::all_of(rest, [&](uint64_t v) { return v == rest[0]; });
      auto found = formula_of(one, rest);
      // As simple as can be, or else checked.
      if (!found || !(constant || found->checked || (same_variable && found->terms.size() <= 1)))
        continue;
      formula = std::move(*found);
      return true;
    }
  Base fresh;
  fresh.variable = variable;
  fresh.values.assign(members_.size(), UINT64_MAX);
  if (!fit_from_first(one, numbers, formula, fresh)) {
    // Where each of the threads is, far from the others.
    if (!are_far_apart(one, numbers)) return false;
    fresh.own = true;
    for (size_t i = 0; i < numbers.size(); ++i) fresh.values[one.members[i]] = numbers[i];
    formula = {};
    formula.checked = true;
  }
  if (!fresh.own &&
      std::ranges::all_of(fresh.values, [&](uint64_t v) { return v == fresh.values[0]; })) {
    fresh.wanted = fresh.values[0];
  } else {
    fresh.wanted = kFirstBase + out_.bases * kBaseDistance + numbers.back() % kPage;
    ++out_.bases;
  }
  base = bases_.size();
  bases_.push_back(std::move(fresh));
  return true;
}

// A base of each configuration, known by how its threads differ from the first of them.
bool Extrapolation::fit_from_first(const Class& one, const std::vector<uint64_t>& numbers,
                                   Formula& formula, Base& fresh) {
  std::vector<size_t> first(known_.size(), SIZE_MAX);  // every configuration has one (targets)
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Member& member = members_[one.members[i]];
    size_t& of = first[member.configuration];
    if (of != SIZE_MAX) {
      const Member& other = members_[one.members[of]];
      if (std::pair(other.rank, other.thread) <= std::pair(member.rank, member.thread)) continue;
    }
    of = i;
  }
  std::vector<std::vector<Wide>> from_first(numbers.size());
  std::vector<Sample> samples;
  std::vector<uint64_t> rest;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Member& member = members_[one.members[i]];
    const size_t of = first[member.configuration];
    const std::vector<Wide>& begin = members_[one.members[of]].terms;
    for (size_t k = 0; k < begin.size(); ++k) from_first[i].push_back(member.terms[k] - begin[k]);
    samples.push_back({&from_first[i], member.configuration});
    rest.push_back(numbers[i] - numbers[of]);
  }
  auto found = find_formula(*terms_, samples, rest);
  if (!found || found->constant != 0) return false;
  for (size_t m = 0; m < members_.size(); ++m) {
    const size_t of = first[members_[m].configuration];
    const auto begin = found->at(members_[one.members[of]].terms);
    if (!begin) return false;
    fresh.values[m] = numbers[of] - *begin;
  }
  formula = std::move(*found);
  return true;
}

bool Extrapolation::are_far_apart(const Class& one, const std::vector<uint64_t>& numbers) const {
  std::map<std::pair<size_t, uint32_t>, std::vector<uint64_t>> by;  // memory
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Member& member = members_[one.members[i]];
    by[{member.configuration, member.rank}].push_back(numbers[i]);
  }
  for (auto& [memory, places] : by) {
    std::ranges::sort(places);
    for (size_t i = 1; i < places.size(); ++i)
      if (places[i] - places[i - 1] < kFarApart) return false;
  }
  return true;
}

Result<std::vector<std::vector<uint64_t>>> Extrapolation::predict_all(
    const StreamId& id, const Class& one, const std::vector<size_t>& at) {
  const bool address = id.kind == StreamKind::address || id.kind == StreamKind::odd_address;
  const auto roles = roles_of(one.shape);
  std::vector<std::vector<uint64_t>> out(at.size());
  std::vector<uint64_t> column(one.members.size());
  for (size_t n = 0; n < one.numbers[0].size(); ++n) {
    for (size_t m = 0; m < column.size(); ++m) column[m] = one.numbers[m][n];
    Formula formula;
    uint64_t base = 0, own = 0;
    if (address && roles && (*roles)[n] == Role::constant &&
        !std::ranges::all_of(column, [&](uint64_t v) { return v == column[0]; })) {
      size_t number = 0;
      if (!fit_base(id, one, column, formula, number))
        return std::unexpected(
            refusal(id, "where threads work does not follow from their numbers"));
      base = bases_[number].wanted;
      if (bases_[number].own) own = kOwnDistance;
    } else if (auto found = formula_of(one, column)) {
      formula = std::move(*found);
    } else {
      return std::unexpected(refusal(id, "a number does not follow from size, threads and ranks"));
    }
    ++out_.numbers;
    out_.unchecked += !formula.checked;
    for (size_t i = 0; i < at.size(); ++i) {
      const auto number = formula.at(new_[at[i]].terms);
      if (!number) return std::unexpected(refusal(id, "a number comes out broken"));
      out[i].push_back(base + own * at[i] + *number);
    }
  }
  return out;
}

Result<void> Extrapolation::add_stream(const StreamId& id) {
  auto classes = classes_of(id);
  if (!classes) return std::unexpected(classes.error());
  for (const Class& one : *classes) {
    if (!one.literals.empty() && classes->size() > 1)
      return std::unexpected(refusal(id, "it is irregular"));
    const auto at = targets(one, id);
    if (!at) return std::unexpected(at.error());
    const auto numbers = predict_all(id, one, *at);
    if (!numbers) return std::unexpected(numbers.error());
    for (size_t i = 0; i < at->size(); ++i) {
      const bool fresh =
          new_[(*at)[i]]
              .streams.try_emplace(id, Stream{put_together(one.shape, (*numbers)[i]), one.literals})
              .second;
      if (!fresh)
        return std::unexpected(
            refusal(id, "threads of different shapes come to lie on each other"));
    }
  }
  return {};
}

Result<Extrapolated> Extrapolation::run() {
  if (auto done = collect(); !done) return std::unexpected(done.error());
  find_terms();
  std::map<StreamId, size_t> ids;
  for (const Member& member : members_)
    for (const auto& [id, stream] : member.streams) ++ids[id];
  // What most threads have comes first: it has the bases that others begin from.
  std::vector<std::pair<size_t, StreamId>> order;
  for (const auto& [id, count] : ids) order.emplace_back(members_.size() - count, id);
  std::ranges::sort(order);
  for (const auto& [count, id] : order) find_fixed_bases(id);
  for (const auto& [count, id] : order)
    if (auto added = add_stream(id); !added) return std::unexpected(added.error());
  Form& form = out_.form;
  form.ranks = wanted_.ranks;
  for (Member& member : new_) {
    ThreadForm thread;
    thread.rank = member.rank;
    thread.number = member.thread;
    thread.streams = std::move(member.streams);
    form.threads.push_back(std::move(thread));
  }
  for (uint32_t t = 0; t < form.threads.size(); ++t) {
    const auto counted = Player(form, t).count();
    if (!counted)
      return fail(ErrorKind::unsupported, "extrapolation: what comes out does not fit together (" +
                                              counted.error().message + ")");
    const auto fact = [&](uint8_t part, uint64_t number) {
      Stream stream;
      stream.sections.push_back({1, {}, Stretch{0, number}});
      form.threads[t].streams.insert_or_assign({Contexts::kRoot, StreamKind::facts, 0, part},
                                               std::move(stream));
    };
    fact(0, counted->references);
    fact(1, counted->pieces);
    fact(2, 0);
    if (counted->messages != 0) fact(kFactMessages, counted->messages);
  }
  put_in_order(form);
  return std::move(out_);
}

}  // namespace

Result<Extrapolated> extrapolate(const std::vector<Known>& known, const Configuration& wanted) {
  return Extrapolation(known, wanted).run();
}

}  // namespace vestige::spmd
