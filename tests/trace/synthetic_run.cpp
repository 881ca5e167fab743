#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "program/record.h"
#include "store/sync_rows.h"
#include "store/value_rows.h"
#include "store/writer.h"
#include "trace/synthetic.h"

namespace vestige::synthetic {

namespace {

// An activation as the made-up machine sees it.
struct Machine {
  const Program& program;
  std::mt19937& random;
  struct Activation {
    uint32_t function;
    uint32_t next_start;  // segment
  };
  std::vector<Activation> stack;

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random() % n); }
  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random) < p; }

  uint32_t entry(uint32_t function) const {
    for (uint32_t s = 0;; ++s)
      if (program.functions[function].segments[s].start == SegmentStart::entry) return s;
  }
  void call(uint32_t function) { stack.push_back({function, entry(function)}); }

  uint32_t choose_path() {
    const Activation& top = stack.back();
    const auto& paths = program.paths[top.function];
    std::vector<uint32_t> possible;
    for (uint32_t i = 0; i < paths.size(); ++i)
      if (paths[i].segments.front() == top.next_start) possible.push_back(i);
    return program.first_path[top.function] +
           possible[below(static_cast<uint32_t>(possible.size()))];
  }
};

class PlainStack {
 public:
  explicit PlainStack(const Program& program) : program_(program) {}
  void path(uint32_t id, uint64_t time) {
    if (program_.enters(id) || frames_.empty()) frames_.push_back({});
    frames_.back() = {id, time};
    if (program_.leaves(id)) frames_.pop_back();
  }
  void event(const Event& event) {
    if (event.kind != format::EventKind::resync) return;
    while (frames_.size() > event.stack.keep) frames_.pop_back();
    for (const Frame& frame : event.stack.frames) frames_.push_back(frame);
  }
  const std::vector<Frame>& frames() const { return frames_; }

 private:
  const Program& program_;
  std::vector<Frame> frames_;
};

void check(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

}  // namespace

Run make_run(const Program& program, const RunOptions& options, std::mt19937& random) {
  Run run;
  Machine machine{program, random, {}};
  PlainStack recorded(program);
  const auto functions = static_cast<uint32_t>(program.functions.size());
  if (options.outer_frames) {
    // Three activations of main and recurse nobody saw begin; each is in its call.
    machine.stack = {{0, 4}, {2, 3}, {0, 4}};
  }
  while (run.paths.size() < options.paths) {
    if (machine.stack.empty()) machine.call(0);
    const uint32_t id = machine.choose_path();
    run.paths.push_back(id);
    const uint64_t time = run.paths.size();
    recorded.path(id, time);
    const PlainPath& path = program.path(id);
    const Segment& last = program.last_segment(id);
    auto& top = machine.stack.back();
    switch (last.end) {
      case SegmentEnd::branch:
        top.next_start = path.cut_target;
        break;
      case SegmentEnd::sync:
        top.next_start = last.edges.front().target;
        break;
      case SegmentEnd::call: {
        top.next_start = last.edges.front().target;
        if (machine.stack.size() < options.max_depth && machine.chance(0.8))
          machine.call(machine.below(functions));
        break;
      }
      case SegmentEnd::tail_call:
        machine.stack.pop_back();
        machine.call(1);
        break;
      default:
        machine.stack.pop_back();
        break;
    }
    // An exception: some activation of main that is in its call goes on at its landing pad. Frames
    // the recorder never saw cannot be cut back to.
    if (machine.chance(options.unwind)) {
      const std::vector<Frame>& frames = recorded.frames();
      // A callee that was called but completed nothing yet is on the machine's stack alone.
      const size_t called =
          !machine.stack.empty() &&
          machine.stack.back().next_start == machine.entry(machine.stack.back().function);
      const size_t unseen =
          machine.stack.size() - std::min(machine.stack.size(), frames.size() + called);
      for (size_t keep = frames.size() + 1; keep-- > 1;) {
        auto& target = machine.stack[unseen + keep - 1];
        if (target.function != 0 || target.next_start != 4) continue;
        machine.stack.resize(unseen + keep);
        machine.stack.back().next_start = 8;
        Event event;
        event.kind = format::EventKind::resync;
        event.time = time;
        event.stack.keep = keep;
        recorded.event(event);
        run.events.push_back(event);
        break;
      }
    }
    if (machine.chance(0.005)) {
      Event event;
      event.kind = format::EventKind::thread_create;
      event.time = time;
      event.numbers = {random()};
      run.events.push_back(event);
    }
  }
  return run;
}

namespace {

// Calls before_events(time, frames) and at_time(time, frames): after a path, and after the events
// that follow it.
template <class AtTime, class BeforeEvents>
void replay(const Program& program, const Run& run, uint64_t until, const AtTime& at_time,
            const BeforeEvents& before_events) {
  PlainStack stack(program);
  size_t event = 0;
  for (uint64_t time = 0; time <= until; ++time) {
    if (time > 0) stack.path(run.paths[time - 1], time);
    before_events(time, stack.frames());
    for (; event < run.events.size() && run.events[event].time == time; ++event)
      stack.event(run.events[event]);
    at_time(time, stack.frames());
  }
}
template <class AtTime>
void replay(const Program& program, const Run& run, uint64_t until, const AtTime& at_time) {
  replay(program, run, until, at_time, [](uint64_t, const std::vector<Frame>&) {});
}

}  // namespace

std::vector<Frame> plain_stack(const Program& program, const Run& run, uint64_t time) {
  std::vector<Frame> result;
  replay(program, run, time, [&](uint64_t at, const std::vector<Frame>& frames) {
    if (at == time) result = frames;
  });
  return result;
}

std::vector<std::vector<Frame>> plain_stacks(const Program& program, const Run& run) {
  std::vector<std::vector<Frame>> stacks;
  replay(program, run, run.paths.size(),
         [&](uint64_t, const std::vector<Frame>& frames) { stacks.push_back(frames); });
  return stacks;
}

std::vector<ControlChunk> make_chunks(const Program& program, uint32_t thread, const Run& run,
                                      const std::vector<uint64_t>& first_times) {
  std::vector<ControlChunk> chunks;
  std::vector<Frame> before;
  std::vector<std::vector<Frame>> at_start(first_times.size());
  std::vector<uint64_t> depth;  // after each time's path
  replay(
      program, run, run.paths.size(),
      [&](uint64_t time, const std::vector<Frame>& frames) {
        for (size_t i = 0; i < first_times.size(); ++i)
          if (first_times[i] == time + 1 && time > 0) at_start[i] = frames;
      },
      [&](uint64_t, const std::vector<Frame>& frames) { depth.push_back(frames.size()); });
  for (size_t i = 0; i < first_times.size(); ++i) {
    const uint64_t end = i + 1 < first_times.size() ? first_times[i + 1] : run.paths.size() + 1;
    ControlChunk chunk;
    chunk.thread = thread;
    chunk.first_time = first_times[i];
    chunk.path_count = end - first_times[i];
    const auto [mine, theirs] = std::ranges::mismatch(at_start[i], before);
    chunk.stack.keep = static_cast<uint64_t>(mine - at_start[i].begin());
    chunk.stack.frames.assign(mine, at_start[i].end());
    before = at_start[i];
    for (uint64_t done = kWordBlock; done < chunk.path_count; done += kWordBlock)
      chunk.depths.push_back(depth[first_times[i] + done - 1]);
    for (const Event& event : run.events) {
      const bool at_beginning = event.time == 0 && i == 0;
      if ((event.time >= first_times[i] && event.time < end) || at_beginning)
        chunk.events.push_back(event);
    }
    auto encoder = make_word_encoder(WordCodec::packed);
    encoder->append({run.paths.data() + first_times[i] - 1, chunk.path_count});
    chunk.words = encoder->finish();
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

std::vector<uint64_t> random_cuts(size_t paths, size_t chunks, std::mt19937& random) {
  std::vector<uint64_t> cuts{1};
  while (cuts.size() < chunks) {
    const uint64_t cut = 2 + random() % (paths - 1);
    if (std::ranges::find(cuts, cut) == cuts.end()) cuts.push_back(cut);
  }
  std::ranges::sort(cuts);
  return cuts;
}

std::string temporary_name() {
  struct Folder {
    std::string name;
    Folder() {
      const char* base = std::getenv("TMPDIR");
      name = std::string(base ? base : "/tmp") + "/vestige-test-XXXXXX";
      if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    }
    ~Folder() {
      [[maybe_unused]] const int ignored = std::system(("rm -rf '" + name + "'").c_str());
    }
  };
  static Folder folder;
  static int number = 0;
  return folder.name + "/" + std::to_string(++number) + ".vst";
}

void write_trace(const TraceFile& trace, bool finish) {
  auto writer = StoreWriter::create(trace.path);
  if (!writer) throw std::runtime_error(writer.error().message);
  MetaChunk meta;
  meta.entries = {{"what", "control"}, {"command", "synthetic"}};
  check(writer->append(meta));
  ProcessChunk process;
  process.pid = 100;
  process.executable = "/bin/synthetic";
  process.arguments = {"synthetic", "1"};
  check(writer->append(process));
  ModuleChunk module;
  module.name = "/bin/synthetic";
  module.first_path = trace.program.first_path.front();
  for (size_t f = 0; f < trace.program.functions.size(); ++f)
    module.functions.push_back(
        {trace.program.first_path[f], encode_function(trace.program.functions[f])});
  module.path_count = trace.program.first_path.back() +
                      static_cast<uint32_t>(trace.program.paths.back().size()) - module.first_path;
  check(writer->append(module));
  if (!trace.addresses.empty()) {
    AddressChunk addresses;
    addresses.functions = trace.addresses;
    check(writer->append(addresses));
  }
  size_t most = 0;
  for (uint32_t t = 0; t < trace.chunks.size(); ++t) {
    ThreadChunk thread;
    thread.index = t;
    thread.tid = 100 + t;
    if (t > 0) thread.parent = 0;
    if (std::ranges::count(trace.handlers, t)) thread.kind = format::ThreadKind::handler;
    check(writer->append(thread));
    most = std::max(most, trace.chunks[t].size());
  }
  for (size_t i = 0; i < most; ++i)  // interleaved, as a recorder would
    for (const auto& chunks : trace.chunks)
      if (i < chunks.size()) check(writer->append(chunks[i]));
  constexpr size_t kSyncsPerChunk = 40;
  for (uint32_t t = 0; t < trace.syncs.size(); ++t) {
    const auto& all = trace.syncs[t];
    for (size_t i = 0; i < all.size(); i += kSyncsPerChunk) {
      SyncRowsEncoder rows;
      const size_t end = std::min(i + kSyncsPerChunk, all.size());
      for (size_t k = i; k < end; ++k) rows.append(all[k]);
      SyncChunk chunk;
      chunk.thread = t;
      chunk.first = i;
      chunk.count = rows.count();
      chunk.atomics = rows.atomics();
      chunk.last_time = all[end - 1].time;
      chunk.rows = rows.finish();
      check(writer->append(chunk));
    }
  }
  constexpr size_t kToldPerChunk = 50;
  for (uint32_t t = 0; t < trace.told.size(); ++t) {
    if (std::ranges::count(trace.untold, t)) continue;
    for (size_t i = 0; i == 0 || i < trace.told[t].size(); i += kToldPerChunk) {
      ValueRowsEncoder rows;
      ValuesChunk chunk;
      chunk.thread = t;
      for (size_t k = i; k < std::min(i + kToldPerChunk, trace.told[t].size()); ++k)
        rows.append(trace.told[t][k]);
      chunk.count = rows.count();
      chunk.rows = rows.finish();
      check(writer->append(chunk));
    }
  }
  for (uint32_t t = 0; t < trace.chunks.size(); ++t) {
    EndChunk end;
    end.index = t;
    end.reason = format::EndReason::exited;
    end.paths = trace.chunks[t].empty()
                    ? 0
                    : trace.chunks[t].back().first_time + trace.chunks[t].back().path_count - 1;
    check(writer->append(end));
  }
  EndChunk end;
  end.is_process = true;
  end.reason = format::EndReason::exited;
  check(writer->append(end));
  if (finish) check(writer->finish());
}

TraceFile make_trace(uint32_t seed, RunOptions options, size_t chunks) {
  std::mt19937 random(seed);
  TraceFile trace;
  trace.program = make_program();
  trace.path = temporary_name();
  for (uint32_t thread = 0; thread < 2; ++thread) {
    trace.runs.push_back(make_run(trace.program, options, random));
    trace.chunks.push_back(make_chunks(trace.program, thread, trace.runs.back(),
                                       random_cuts(options.paths, chunks, random)));
  }
  write_trace(trace);
  return trace;
}

Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const std::string& path, ByteView bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

}  // namespace vestige::synthetic
