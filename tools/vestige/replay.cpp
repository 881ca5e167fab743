// vestige replay: the memory references of a recording, in formats that cache simulators read.
#include <fmt/format.h>

#include "commands.h"
#include "output.h"
#include "report.h"
#include "trace_query.h"
#include "vestige/spmd.h"
#include "vestige/values.h"

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

// docs/codecs.md: `refs`. The statement's #ID stands in the PC's place. Sizes have seven bits, so long
// ones are cut.
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

using Write = void (*)(const Reference&, Output&);

int replay_descriptors(const std::string& file, const std::string& thread, Write write,
                       bool quiet) {
  const auto descriptors = Descriptors::open(file);
  if (!descriptors) return report_trace(descriptors.error());
  std::optional<uint32_t> only;
  if (!thread.empty()) {
    const auto found = descriptors->find_thread(thread);
    if (!found) return report_name(found.error());
    only = *found;
  }
  uint64_t unknown = 0;
  Output out;
  for (uint32_t t = 0; t < descriptors->threads().size(); ++t) {
    if (only && *only != t) continue;
    unknown += descriptors->threads()[t].unknown;
    const auto played = descriptors->replay(t, [&](std::span<const Reference> references) {
      for (const Reference& reference : references) write(reference, out);
      return true;
    });
    out.flush();
    if (!played) return report_trace(played.error());
  }
  if (unknown && !quiet)
    report_note(fmt::format("{} references of unknown address were left out", unknown));
  return kDone;
}

}  // namespace

int command_replay(Arguments arguments) {
  CommandLine line("replay",
                   "Every load and store in order, thread by thread, as cache simulators read them.",
                   "vestige replay bzip2.vst --format din | dineroIV -informat d -l1-dsize 32k");
  std::string file, thread, format = "lackey";
  Presentation presentation;
  line.add_trace(file);
  CLI::App& app = line.app();
  app.add_option("--thread", thread,
                 "RANK.THREAD, or its number in vestige info; all, one after the other, without it")
      ->type_name("N");
  app.add_option("--format", format, "lackey, din or refs")
      ->check(CLI::IsMember({"lackey", "din", "refs"}))
      ->type_name("FORMAT");
  bool library = false;
  app.add_flag("--library", library,
               "With what unrecorded library functions and system calls are known to read and write");
  app.add_flag("-q,--quiet", presentation.quiet, "No notes, no progress");
  line.add_unavailable("--cache");
  if (const auto code = line.parse(arguments)) return *code;
  const auto write = format == "lackey" ? lackey : format == "din" ? din : refs;
  if (library && Descriptors::is_in(file)) {
    report_error(file + " holds the references of recorded code only; ask the trace that it was made from");
    return kBadTrace;
  }
  if (Descriptors::is_in(file)) return replay_descriptors(file, thread, write, presentation.quiet);
  const auto trace = open_trace(file);
  if (!trace) return kBadTrace;
  std::optional<uint32_t> number;
  if (!thread.empty()) {
    const auto found = find_thread(*trace, thread);
    if (!found) return report_name(found.error());
    number = *found;
  }
  Output out;
  const auto give = [&](const Reference& reference) {
    write(reference, out);
    return true;
  };
  const auto unknown = read_references(*trace, number, give, library);
  out.flush();
  if (!unknown) return report_trace(unknown.error());
  if (*unknown && !presentation.quiet)
    report_note(fmt::format("{} references of unknown address were left out", *unknown));
  return kDone;
}

}  // namespace vestige::cli
