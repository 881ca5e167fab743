// vestige replay: the memory references of a recording or of descriptors, in formats that cache
// simulators read, or played into a cache model.
#include "vestige/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <numeric>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "rows/cache_rows.h"
#include "rows/row_tables.h"
#include "rows/rows.h"
#include "trace_query.h"
#include "vestige/spmd.h"
#include "vestige/sync.h"
#include "vestige/values.h"
#include "vestige/variables.h"

namespace vestige::cli {
namespace {

// Valgrind's lackey --trace-mem=yes, without its lines for instructions.
void lackey(const Reference& reference, Output& out) {
  const char letter = reference.kind == Reference::Kind::read    ? 'L'
                      : reference.kind == Reference::Kind::write ? 'S'
                                                                 : 'M';
  out.print(" {} {:08x},{}\n", letter, reference.address, reference.bytes);
}

// Dinero's traditional format: 0 reads, 1 writes.
void din(const Reference& reference, Output& out) {
  if (reference.kind != Reference::Kind::write) out.print("0 {:x}\n", reference.address);
  if (reference.kind != Reference::Kind::read) out.print("1 {:x}\n", reference.address);
}

// docs/codecs.md: `refs`. The statement's #ID stands in the PC's place. Sizes have seven bits, so
// long ones are cut.
void refs(const Reference& reference, Output& out) {
  constexpr uint64_t kLongest = 64;
  const auto record = [&](uint64_t address, uint64_t bytes, bool store) {
    const auto word = [&](uint64_t value) {
      for (int i = 0; i < 8; ++i) out.put(static_cast<char>(value >> 8 * i));
    };
    word(reference.statement_id);
    word(address);
    out.put(static_cast<char>(bytes | (store ? 0x80 : 0)));
    out.row_done();
  };
  for (uint64_t at = 0; at == 0 || at < reference.bytes; at += kLongest) {
    const uint64_t bytes = std::min(kLongest, reference.bytes - at);
    if (reference.kind != Reference::Kind::write) record(reference.address + at, bytes, false);
    if (reference.kind != Reference::Kind::read) record(reference.address + at, bytes, true);
  }
}

constexpr Column<Reference> kReferenceColumns[] = {
    {"thread", ColumnType::number, "number of the thread",
     [](const Reference& r) -> Cell { return r.thread; }, Forms::json},
    {"statement", ColumnType::id, "the statement that refers",
     [](const Reference& r) -> Cell { return r.statement_id; }, Forms::json},
    {"kind", ColumnType::text, "read, write or modify",
     [](const Reference& r) -> Cell {
       constexpr std::string_view kKinds[] = {"read", "write", "modify"};
       return kKinds[static_cast<size_t>(r.kind)];
     },
     Forms::json},
    {"address", ColumnType::address, "where", [](const Reference& r) -> Cell { return r.address; },
     Forms::json},
    {"bytes", ColumnType::count, "how many", [](const Reference& r) -> Cell { return r.bytes; },
     Forms::json},
};

struct MessageRow {
  std::string_view thread;
  const Communication& one;
  bool is_message() const {
    return one.kind == SyncKind::mpi_send || one.kind == SyncKind::mpi_receive;
  }
  std::string_view function() const {
    return is_message() ? std::string_view() : mpi_function_name(static_cast<MpiFunction>(one.tag));
  }
};

constexpr Column<MessageRow> kMessageColumns[] = {
    {"thread", ColumnType::text, "name of the thread",
     [](const MessageRow& r) -> Cell { return r.thread; }, Forms::json},
    {"place", ColumnType::number, "references before it",
     [](const MessageRow& r) -> Cell { return r.one.place; }, Forms::json},
    {"kind", ColumnType::text, "what was done",
     [](const MessageRow& r) -> Cell { return std::string_view(sync_kind_name(r.one.kind)); },
     Forms::json},
    {"peer", ColumnType::number, "the other rank, or the root",
     [](const MessageRow& r) -> Cell { return r.one.peer; }, Forms::json},
    {"tag", ColumnType::number, "of a message: its tag",
     [](const MessageRow& r) { return r.is_message() ? Cell(r.one.tag) : Cell(); }, Forms::json},
    {"function", ColumnType::text, "of others: MPI's function",
     [](const MessageRow& r) {
       return !r.is_message() && r.one.tag != 0 ? Cell(r.function()) : Cell();
     },
     Forms::json},
    {"bytes", ColumnType::count, "how many",
     [](const MessageRow& r) -> Cell { return r.one.bytes; }, Forms::json},
};

using Take = std::function<bool(const Reference&)>;

// A recording, or descriptors: what replay asks of both.
class ReplaySource {
 public:
  // Nothing after the reason was reported.
  static std::optional<ReplaySource> open(const std::string& file) {
    ReplaySource out;
    if (Descriptors::is_in(file)) {
      auto descriptors = Descriptors::open(file);
      if (!descriptors) {
        report_trace(descriptors.error());
        return std::nullopt;
      }
      out.descriptors_.emplace(std::move(*descriptors));
      for (const DescriptorStatement& statement : out.descriptors_->statements())
        out.statements_.emplace(statement.id, statement);
      return out;
    }
    out.trace_ = open_trace(file);
    if (!out.trace_) return std::nullopt;
    return out;
  }

  // What these references are not.
  void say_notes() const {
    if (!descriptors_) return;
    for (const auto& [name, text] : descriptors_->notes())
      report_note(fmt::format("{}: {}", name, text));
  }
  bool is_recording() const { return trace_ != nullptr; }
  Result<uint32_t> thread_named(const std::string& name) const {
    return trace_ ? find_thread(*trace_, name) : descriptors_->find_thread(name);
  }
  size_t threads() const {
    return trace_ ? trace_->threads().size() : descriptors_->threads().size();
  }
  uint32_t process(uint32_t thread) const {
    return trace_ ? trace_->threads()[thread].process : descriptors_->threads()[thread].rank;
  }
  // Rank by rank, as play does.
  std::vector<uint32_t> threads_in_order() const {
    std::vector<uint32_t> out(threads());
    std::iota(out.begin(), out.end(), 0);
    std::ranges::sort(out, {}, [&](uint32_t thread) { return std::pair(process(thread), thread); });
    return out;
  }
  std::string thread(uint32_t thread) const {
    return trace_ ? thread_name(*trace_, thread) : descriptors_->threads()[thread].name();
  }

  // One thread, or all, one after the other. Gives how many references are left out.
  Result<uint64_t> play(std::optional<uint32_t> only, bool library, const Take& take) const {
    if (trace_) return read_references(*trace_, only, take, library);
    return play_each(only, [&](uint32_t t) {
      return descriptors_->replay(t, [&](std::span<const Reference> references) {
        for (const Reference& reference : references) take(reference);
        return true;
      });
    });
  }
  Result<uint64_t> play_in_sync_order(uint64_t turn, const Take& take) const {
    if (trace_) return read_references_in_sync_order(*trace_, turn, take);
    if (auto played = descriptors_->replay_in_sync_order(turn, take); !played)
      return std::unexpected(played.error());
    uint64_t unknown = 0;
    for (const DescriptorThread& one : descriptors_->threads()) unknown += one.unknown;
    return unknown;
  }
  Result<void> communication(uint32_t thread, const CommunicationSink& sink) const {
    return trace_ ? read_communication(*trace_, thread, sink)
                  : descriptors_->communication(thread, sink);
  }
  // Descriptors only.
  Result<uint64_t> play_runs(std::optional<uint32_t> only, const Descriptors::RunSink& take) const {
    return play_each(only, [&](uint32_t t) { return descriptors_->replay_runs(t, take); });
  }

  DescriptorStatement statement(uint64_t id) const {
    if (!trace_) {
      const auto found = statements_.find(id);
      return found == statements_.end() ? DescriptorStatement{id, {}, {}, 0, {}} : found->second;
    }
    DescriptorStatement out;
    out.id = id;
    const auto ref = statement_by_id(*trace_, id);
    if (!ref) return out;
    const Function& function = trace_->functions()[ref->function];
    out.function = function.name;
    out.variable = address_variable(function, ref->statement);
    const uint32_t location = function.statements[ref->statement].location;
    if (location >= function.locations.size()) return out;
    out.line = function.locations[location].line;
    if (function.locations[location].file < function.files.size())
      out.file = function.files[function.locations[location].file];
    return out;
  }

 private:
  template <class Play>
  Result<uint64_t> play_each(std::optional<uint32_t> only, const Play& play_one) const {
    uint64_t unknown = 0;
    for (uint32_t t = 0; t < descriptors_->threads().size(); ++t) {
      if (only && *only != t) continue;
      unknown += descriptors_->threads()[t].unknown;
      if (auto played = play_one(t); !played) return std::unexpected(played.error());
    }
    return unknown;
  }
  const Trace* trace_ = nullptr;
  std::optional<Descriptors> descriptors_;
  std::map<uint64_t, DescriptorStatement> statements_;  // of descriptors
};

struct Asked {
  std::optional<uint32_t> thread;
  bool library = false, sync = false, reuse = false;
  uint64_t turn = kDefaultTurn;
  size_t top = 0;
};

Result<uint64_t> play(const ReplaySource& source, const Asked& asked, const Take& take) {
  return asked.sync ? source.play_in_sync_order(asked.turn, take)
                    : source.play(asked.thread, asked.library, take);
}

Result<uint64_t> play_into_caches(const ReplaySource& source, const std::vector<CacheLevel>& levels,
                                  const Asked& asked, const Presentation& presentation) {
  CacheModel model(levels);
  std::vector<ReuseDistances> reuse;
  std::vector<std::string> names;
  for (uint32_t t = 0; t < source.threads(); ++t) {
    // A thread that is asked for alone has its memory for itself.
    model.add_thread(asked.thread ? t : source.process(t));
    names.push_back(source.thread(t));
    if (asked.reuse) reuse.emplace_back(levels[0].geometry.line);
  }
  const auto unknown = source.is_recording() || asked.sync
                           ? play(source, asked,
                                  [&](const Reference& reference) {
                                    model.use(reference);
                                    if (asked.reuse) reuse[reference.thread].use(reference);
                                    return true;
                                  })
                           : source.play_runs(asked.thread, [&](const ReferenceRun& run) {
                               model.use(run);
                               if (asked.reuse && !run.body.empty())
                                 reuse[run.body[0].thread].use(run);
                               return true;
                             });
  if (!unknown) return unknown;
  if (model.is_full() || std::ranges::any_of(reuse, &ReuseDistances::is_full))
    return std::unexpected(
        Error{ErrorKind::unsupported,
              "more lines of memory are touched than the model holds; longer lines make fewer"});
  CacheRows{model,        reuse,    names, [&](uint64_t id) { return source.statement(id); },
            presentation, asked.top}
      .print();
  return unknown;
}

// What ranks did to each other, in the place of their references.
Result<void> print_communication(const ReplaySource& source, std::optional<uint32_t> only,
                                 bool as_json) {
  Output out;
  RowWriter<MessageRow> rows(kMessageColumns, {Format::json}, out);
  for (const uint32_t t : source.threads_in_order()) {
    if (only && *only != t) continue;
    const std::string name = source.thread(t);
    const auto told = source.communication(t, [&](const Communication& one) {
      const MessageRow row{name, one};
      if (as_json) {
        rows.row(row);
      } else if (row.is_message()) {
        out.print("{} {} {} rank {} tag {} bytes {}\n", name, one.place, sync_kind_name(one.kind),
                  one.peer, one.tag, one.bytes);
      } else {
        out.print("{} {} {} {} rank {} bytes {}\n", name, one.place, sync_kind_name(one.kind),
                  one.tag == 0 ? "-" : row.function(), one.peer, one.bytes);
      }
      return true;
    });
    if (!told) return told;
  }
  return {};
}

}  // namespace

int command_replay(Arguments arguments) {
  CommandLine line("replay",
                   "Every load and store in order, thread by thread, as cache simulators read "
                   "them, or played into "
                   "a cache model.",
                   "vestige replay bzip2.vst --cache 32K,8,64/1M,16,64,shared");
  std::string file, thread, format, order = "thread", cache;
  Asked asked;
  bool all = false, messages = false;
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  app.add_option("--thread", thread,
                 "RANK.THREAD, or its number in vestige info; all, one after the other, without it")
      ->type_name("N");
  app.add_option("--format", format, "lackey, din or refs")
      ->check(CLI::IsMember({"lackey", "din", "refs"}))
      ->type_name("FORMAT");
  app.add_option("--cache", cache,
                 "Plays into caches: SIZE[,WAYS[,LINE]][,plru][,shared] of each level, with / "
                 "between (32K,8,64/8M,16,64,shared)")
      ->type_name("SPEC");
  app.add_flag("--reuse", asked.reuse,
               "With --cache: reuse distances, in lines of the first level");
  app.add_option("--order", order,
                 "thread: one after the other; sync: as threads synchronized, in turns")
      ->check(CLI::IsMember({"thread", "sync"}))
      ->type_name("ORDER");
  app.add_option("--turn", asked.turn, "With --order sync: references of a turn (16)")
      ->check(CLI::Range(1, INT_MAX))
      ->type_name("N");
  app.add_flag(
      "--library", asked.library,
      "With what unrecorded library functions and system calls are known to read and write");
  app.add_flag("--messages", messages,
               "What ranks did to each other by MPI, instead of references");
  app.add_option("--top", asked.top,
                 "With --cache: the N rows that miss most; for people 10 without it")
      ->check(CLI::Range(1, INT_MAX))
      ->type_name("N");
  app.add_flag("--all", all, "With --cache: all rows");
  line.add_presentation(presentation, true);
  if (const auto code = line.parse(arguments)) return *code;
  asked.sync = order == "sync";
  std::vector<CacheLevel> levels;
  if (!cache.empty()) {
    auto parsed = parse_cache_levels(cache);
    if (!parsed) return report(parsed.error());
    levels = std::move(*parsed);
  }
  const char* conflict =
      asked.sync && !thread.empty() ? "--order sync is of all threads; leave --thread out"
      : asked.sync && asked.library ? "--library goes thread by thread; leave --order sync out"
      : messages && (asked.sync || asked.library || !cache.empty() || !format.empty())
          ? "--messages writes no references; leave --order, --library, --cache and --format out"
      : asked.reuse && cache.empty()      ? "--reuse wants --cache, for the size of a line"
      : !cache.empty() && !format.empty() ? "--cache writes no references; leave --format out"
      : presentation.csv && cache.empty()
          ? "--csv wants --cache; references have --format and --json"
      : presentation.json && !format.empty() ? "--json is a format of its own; leave --format out"
                                             : nullptr;
  if (conflict) {
    report_error(conflict);
    return kWrongUse;
  }
  const auto source = ReplaySource::open(file);
  if (!source) return kBadTrace;
  if (!presentation.quiet) source->say_notes();
  if (asked.library && !source->is_recording()) {
    report_error(
        file + " holds the references of recorded code only; ask the trace that it was made from");
    return kBadTrace;
  }
  if (!thread.empty()) {
    const auto found = source->thread_named(thread);
    if (!found) return report_name(found.error());
    asked.thread = *found;
  }
  if (messages) {
    const auto printed = print_communication(*source, asked.thread, presentation.json);
    return printed ? int(kDone) : report_trace(printed.error());
  }
  constexpr size_t kShortTop = 10;
  if (asked.top == 0 && !all && presentation.format() == Format::human) asked.top = kShortTop;
  Result<uint64_t> unknown = uint64_t{0};
  if (levels.empty()) {
    const auto write = format == "din" ? din : format == "refs" ? refs : lackey;
    Output out;
    RowWriter<Reference> rows(kReferenceColumns, {Format::json}, out);
    unknown = play(*source, asked, [&](const Reference& reference) {
      presentation.json ? rows.row(reference) : write(reference, out);
      return true;
    });
  } else {
    unknown = play_into_caches(*source, levels, asked, presentation);
  }
  if (!unknown) return report_trace(unknown.error());
  if (*unknown && !presentation.quiet)
    report_note(fmt::format("{} references of unknown address were left out", *unknown));
  return kDone;
}

RowTable reference_rows() { return describe("replay", kReferenceColumns); }
RowTable message_rows() { return describe("replay --messages", kMessageColumns); }

}  // namespace vestige::cli
