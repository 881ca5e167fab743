#include "record/collect/collector.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "record/collect/futex.h"
#include "record/collect/pc_map.h"

namespace vestige {

using namespace protocol;
using format::EndReason;

namespace {

using namespace std::chrono_literals;
constexpr auto kTick = 50ms;
constexpr auto kPeek = 500ms;
constexpr auto kLongestWait = 500ms;  // of something in a log; with kPeek a second in all
constexpr auto kGrace = 100ms;
constexpr unsigned kLongestSleep = 20;  // ms
constexpr uint32_t kPiecesPerTurn = 4;  // from one ring before the next has its turn
constexpr unsigned kMostWorkers = 4;
constexpr WordCodec kCodec = WordCodec::context;

// As many as there are cores: when the program waits for them, or is at its end, they are all it
// has.
std::unique_ptr<WorkerPool> make_workers() {
  const unsigned cores = std::max(2u, std::thread::hardware_concurrency());
  return std::make_unique<WorkerPool>(std::min(cores, kMostWorkers));
}

// What filters, the order of accesses and caps on the file need of all threads, they need in one
// order.
std::unique_ptr<Crew> make_readers(const RecordOptions& options, const PathKinds& kinds) {
  const unsigned cores = std::thread::hardware_concurrency();
  if (cores < 2 || options.order || options.last != 0 || options.max_size != 0 ||
      kinds.filter().active())
    return nullptr;
  return std::make_unique<Crew>(std::min(cores, kMostWorkers) - 1);
}

// Blocks that wait for a worker are not counted against --max-size yet. That is nothing beside a
// large cap and too much beside a small one.
bool precise_cap(const RecordOptions& options) {
  return options.max_size != 0 && options.max_size < 64 * 1024 * 1024;
}

ThreadLogOptions log_options(const RecordOptions& options) {
  ThreadLogOptions log;
  log.last = options.last;
  if (options.last) log.chunk_paths = std::max<uint64_t>(kWordBlock, options.last / 4);
  if (precise_cap(options)) log.chunk_bytes = options.max_size / 8;
  return log;
}

}  // namespace

Collector::Collector(const Session& session, StoreWriter& writer, PathKinds& kinds,
                     const RecordOptions& options, pid_t main, RankTable* ranks)
    : session_(session),
      writer_(writer),
      kinds_(kinds),
      options_(options),
      modules_(session, writer, kinds, options.full),
      processes_(session, writer, main, ranks),
      workers_(make_workers()),
      encoders_(kCodec, precise_cap(options) ? nullptr : workers_.get()),
      readers_(make_readers(options, kinds)) {
  last_tick_ = last_peek_ = Clock::now();
  if (options.order)
    order_.emplace(writer, [this](uint64_t ring, uint64_t target_time) {
      const Moment found = moment(kNone, ring, target_time);
      return OrderLog::Moment{found.thread, found.time};
    });
}

void Collector::check(const Result<void>& result) {
  if (!result && !stopped_) stop(result.error().message);
}

bool Collector::work() {
  doorbell_ = session_.header().doorbell.load();
  if (stopped_) return false;
  discover();
  uint32_t taken = stopped_ ? 0 : take_words();
  for (auto it = active_.begin(); it != active_.end() && !stopped_;) {
    Thread& thread = threads_[it->second];
    ++it;  // closing a thread removes it from active_
    if (thread.values) {
      if (auto values = thread.values->take_pieces())
        taken += *values;
      else
        stop(values.error().message);
    }
    if (const auto& error = thread.drain->parser().error())
      stop(error->message);
    else if (thread.drain->closed())
      taken += close_when_drained(thread);
  }
  if (!stopped_ && order_) check(order_->write_some());
  if (!stopped_ && taken != 0 && over_size()) {
    size_cap_reached_ = true;
    stop("");
  }
  return taken != 0;
}

// Of each ring that has something, a turn's worth; several rings at a time where threads do not
// decide what is recorded of others.
uint32_t Collector::take_words() {
  waiting_.clear();
  for (const auto& [ring, thread] : active_)
    if (threads_[thread].drain->has_pieces()) waiting_.push_back(threads_[thread].drain.get());
  std::atomic<uint32_t> taken = 0;
  if (readers_ && waiting_.size() > 1)
    readers_->share(waiting_.size(), [&](size_t i) {
      taken += waiting_[i]->take_pieces(kPiecesPerTurn, RingDrain::Concurrency::shared);
    });
  for (RingDrain* drain : waiting_)
    if (!readers_ || waiting_.size() == 1 || drain->parser().needs_exclusive())
      taken += drain->take_pieces(kPiecesPerTurn);
  return taken;
}

void Collector::tick(bool child_ended) {
  const auto now = Clock::now();
  if (now - last_tick_ < kTick && !child_ended) return;
  last_tick_ = now;
  // In this order: what a dead process had registered is discovered after it is known to be dead.
  const std::vector<uint32_t> departed = processes_.departed();
  if (stopped_) return;
  for (const uint32_t process : departed) thread_order_[process].end();
  discover();
  for (const uint32_t process : departed)
    if (!stopped_) close_process(process, processes_.end(process));
  flush_waiting(now);
}

void Collector::sleep() {
  SessionHeader& header = session_.header();
  header.collector_asleep.store(1);
  futex_wait(header.doorbell, doorbell_, kLongestSleep);
  header.collector_asleep.store(0);
}

bool Collector::finished() {
  if (!processes_.programs_ended()) return false;
  if (stopped_) return true;
  if (!processes_.open().empty()) {
    alone_since_.reset();
    return false;
  }
  // A child that was forked just before its parent exited has had no time to register.
  if (!processes_.has_children()) return true;
  if (!alone_since_) alone_since_ = Clock::now();
  return Clock::now() - *alone_since_ >= kGrace;
}

void Collector::discover() {
  check(processes_.discover());
  if (!stopped_) check(modules_.discover());
  if (!stopped_) discover_rings();
}

void Collector::discover_rings() {
  std::vector<std::pair<uint64_t, uint32_t>> fresh;  // serial, ring
  // A creator's ring is active before its creature's, so the count read last covers both.
  for (uint32_t ring = 0; ring < std::min(session_.header().ring_count.load(), kMaxRings); ++ring) {
    const RingEntry& entry = session_.ring(ring);
    const uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state != static_cast<uint32_t>(RingState::free) && !active_.contains(ring) &&
        !values_rings_.contains(ring))
      fresh.emplace_back(entry.serial, ring);
  }
  if (fresh.empty()) return;
  std::sort(fresh.begin(), fresh.end());
  check(processes_.discover());  // the processes of these rings are ready by now
  // Threads open in the order in which they were made; what a thread made or runs, behind the
  // thread. In rounds: one that opens may let others.
  for (bool again = true; again && !stopped_;) {
    again = false;
    std::set<uint64_t> waiting;                  // serials
    std::map<uint32_t, uint32_t> first_waiting;  // by process
    for (auto& [serial, ring] : fresh) {
      if (ring == kNone || stopped_) continue;
      const RingEntry& entry = session_.ring(ring);
      const bool behind =
          waiting.contains(entry.parent_serial) || processes_.index(entry.process) == kNone;
      if (behind || !thread_order_[entry.process].opens(entry.made)) {
        waiting.insert(serial);
        if (behind) continue;
        uint32_t& first = first_waiting.try_emplace(entry.process, entry.made).first->second;
        first = std::min(first, entry.made);
        continue;
      }
      entry.kind == RingKind::values ? open_values(ring) : open_thread(ring);
      ring = kNone;
      again = true;
    }
    for (const auto& [process, made] : first_waiting)
      again |= !again && thread_order_[process].skips_to(made, Clock::now());
    again &= !waiting.empty();
  }
}

void Collector::open_values(uint32_t ring) {
  const auto owner = thread_of_ring_.find(session_.ring(ring).parent_serial);
  if (owner == thread_of_ring_.end()) return;
  Thread& thread = threads_[owner->second];
  if (!thread.log || thread.values) return;
  thread.values = std::make_unique<ValuesDrain>(
      session_, ring, owner->second, writer_,
      precise_cap(options_)
          ? std::clamp(options_.max_size / 32, uint64_t{256}, ValuesDrain::kSmallChunkValues)
          : ValuesDrain::kChunkValues,
      order_ ? &*order_ : nullptr, value_encoders_,
      order_ || precise_cap(options_) ? nullptr : workers_.get());
  values_rings_[ring] = owner->second;
}

void Collector::close_values(Thread& thread) {
  if (!thread.values) discover_rings();
  if (!thread.values || stopped_) return;
  check(thread.values->finish());
  gave_checked_ |= thread.values->gave_checked();
  values_rings_.erase(thread.values->ring());
  thread.values->release();
  thread.values.reset();
}

void Collector::open_thread(uint32_t ring) {
  const RingEntry& entry = session_.ring(ring);
  ThreadChunk chunk;
  chunk.index = static_cast<uint32_t>(threads_.size());
  chunk.process = processes_.index(entry.process);
  chunk.tid = entry.tid;
  chunk.kind =
      entry.kind == RingKind::handler ? format::ThreadKind::handler : format::ThreadKind::thread;
  if (chunk.process == kNone)
    return;  // it names a process that never registered: not yet, or never

  if (entry.kind == RingKind::thread) chunk.handle = entry.pthread_id;

  bool recording = !kinds_.filter().waits_for_start();
  const auto parent = thread_of_ring_.find(entry.parent_serial);
  bool forked = false;
  std::vector<Frame> stack;
  if (entry.parent_serial != 0 && parent != thread_of_ring_.end()) {
    Thread& creator = threads_[parent->second];
    // Whether the creator was being recorded is decided by its words up to now.
    if (kinds_.filter().triggered() && creator.drain) {
      while (creator.drain->take_pieces(kPieces) != 0) {
      }
      creator.drain->peek();
    }
    const Moment moment = this->moment(entry.parent_ring, entry.parent_serial, entry.parent_time);
    chunk.parent = moment.thread;
    chunk.parent_time = moment.time;
    if (kinds_.filter().triggered()) recording = moment.recording;
    forked = creator.process != entry.process;
    if (forked) stack = stack_at_fork(creator, entry.parent_serial, entry.parent_time);
    if (order_ && !forked && entry.kind == RingKind::thread)
      order_->begin(chunk.index, chunk.parent, chunk.parent_time);
  }
  check(writer_.append(chunk));
  if (stopped_) return;
  if (forked) load_map_.inherit(entry.process, processes_.forked_from(entry.process));

  Thread& thread = threads_.emplace_back();
  thread.process = entry.process;
  thread.log = std::make_unique<ThreadLog>(chunk.index, kinds_.table(), writer_, encoders_,
                                           log_options(options_));
  if (forked) thread.log->start_at(entry.parent_time, stack);
  if (!recording) thread.log->begin_gap();
  thread.drain = std::make_unique<RingDrain>(session_, ring, *thread.log, kinds_, *this);
  thread_of_ring_[entry.serial] = chunk.index;
  active_[ring] = chunk.index;
}

// Of the words that the creator wrote before it forked; those may still be in its ring.
std::vector<Frame> Collector::stack_at_fork(Thread& creator, uint64_t serial, uint64_t time) {
  if (!forks_.contains({serial, time}) && creator.drain) {
    while (creator.drain->take_pieces(kPieces) != 0) {
    }
    creator.drain->peek();
  }
  const auto found = forks_.extract({serial, time});
  return found ? std::move(found.mapped()) : std::vector<Frame>{};
}

// Its values are seen to their end first; meanwhile other threads have their turn. Says whether it
// is closed.
bool Collector::close_when_drained(Thread& thread) {
  if (options_.full && !thread.values) discover_rings();
  if (stopped_) return false;
  if (thread.values) thread.values->begin_to_finish();
  if (thread.values && thread.values->busy()) return false;
  close_thread(thread, {});
  return true;
}

void Collector::close_thread(Thread& thread, ProcessEnd end) {
  RingDrain& drain = *thread.drain;
  const bool by_itself = drain.closed();
  drain.take_rest();
  if (const auto& error = drain.parser().error()) return stop(error->message);
  if (options_.full) close_values(thread);
  if (stopped_) return;
  check(thread.log->flush());
  if (stopped_) return;
  EndChunk chunk;
  chunk.index = thread.log->thread();
  chunk.paths = thread.log->time();
  const bool ended = by_itself || drain.parser().ended();
  chunk.reason = ended ? EndReason::exited : end.reason;
  chunk.status = ended ? static_cast<int32_t>(drain.parser().exit_code()) : end.status;
  check(writer_.append(chunk));
  if (stopped_) return;
  paths_ += thread.log->time();
  thread.clock = thread.log->clock();
  active_.erase(drain.ring());
  drain.release();
  thread.drain.reset();
  thread.log.reset();
}

void Collector::close_process(uint32_t process, ProcessEnd end) {
  std::vector<uint32_t> threads;
  for (const auto& [ring, thread] : active_)
    if (threads_[thread].process == process) threads.push_back(thread);
  std::sort(threads.begin(), threads.end());
  // First what is there of all of them: one may have died in a module that another loaded.
  for (const uint32_t thread : threads) {
    while (threads_[thread].drain->take_pieces(kPieces) != 0) {
    }
    threads_[thread].drain->peek();
    if (threads_[thread].values) threads_[thread].values->begin_to_finish();
  }
  for (const uint32_t thread : threads)
    if (!stopped_) close_thread(threads_[thread], end);
  if (!stopped_) check(processes_.close(process, end));
}

void Collector::flush_waiting(Clock::time_point now) {
  const bool peek = now - last_peek_ >= kPeek;
  if (peek) last_peek_ = now;
  for (const auto& [ring, index] : active_) {
    Thread& thread = threads_[index];
    if (peek) thread.drain->peek();
    if (const auto& error = thread.drain->parser().error()) return stop(error->message);
    if (now - thread.values_since >= kLongestWait && !thread.told_up_to) {
      thread.values_since = now;
      // Whatever was told before the paths that are in the file will be there, too.
      thread.told_up_to = thread.log->written();
      if (thread.values) thread.values->begin_to_flush();
    }
    if (thread.told_up_to) {
      if (!thread.values || thread.values->flushed()) {
        if (thread.values && *thread.told_up_to > thread.known_up_to) {
          thread.known_up_to = *thread.told_up_to;
          check(writer_.append(ValuesChunk{.thread = index, .complete = thread.known_up_to}));
          if (stopped_) return;
        }
        if (options_.written) options_.written(index, *thread.told_up_to, writer_.bytes_written());
        thread.told_up_to.reset();
      } else {
        thread.values->begin_to_flush();  // should its ring be a new one
      }
    }
    if (!thread.log->pending()) continue;
    if (thread.waiting_chunk != thread.log->chunks()) {
      thread.waiting_chunk = thread.log->chunks();
      thread.waiting_since = now;
    } else if (now - thread.waiting_since >= kLongestWait) {
      check(thread.log->flush());
      if (stopped_) return;
    }
  }
}

bool Collector::over_size() const {
  if (options_.max_size == 0) return false;
  uint64_t bytes = writer_.bytes_written();
  for (const auto& [ring, thread] : active_) bytes += threads_[thread].log->pending_bytes();
  return bytes >= options_.max_size;
}

void Collector::stop(const std::string& problem) {
  if (stopped_) return;
  problem_ = problem;
  session_.stop();
  const ProcessEnd end{EndReason::stopped, 0};
  // With the size cap everything gathered so far is written; after a failed write the writer
  // refuses, and what is in the file stays.
  for (auto& [ring, index] : active_) {
    Thread& thread = threads_[index];
    // The thread may be within its first piece still, for instance in one long loop.
    if (problem.empty()) thread.drain->peek(RingDrain::Until::for_good);
    thread.drain->parser().finish();
    if (!thread.log->flush()) break;
    if (thread.values) {
      const auto written = thread.values->finish();
      gave_checked_ |= thread.values->gave_checked();
      if (!written) break;
    }
    EndChunk chunk{.index = index, .reason = end.reason, .paths = thread.log->time()};
    if (!writer_.append(chunk)) break;
    paths_ += thread.log->time();
  }
  for (const uint32_t process : std::vector(processes_.open()))
    (void)processes_.close(process, end);
  stopped_ = true;
}

void Collector::finish_order() {
  if (!order_) return;
  // An error stays with the writer and comes back when it finishes.
  (void)order_->finish();
  const uint32_t unable = session_.header().disorderly.load();
  MetaChunk meta;
  if (unable != 0) meta.entries.emplace_back("order-unable", std::to_string(unable));
  if (order_->lost_accesses() != 0)
    meta.entries.emplace_back("order-lost", std::to_string(order_->lost_accesses()));
  if (!meta.entries.empty()) (void)writer_.append(meta);
}

void Collector::fill(RecordSummary& summary) const {
  if (order_) {
    summary.order_edges = order_->edges();
    summary.order_lost = order_->lost_accesses();
    summary.orderly = session_.header().orderly.load();
    summary.disorderly = session_.header().disorderly.load();
  }
  summary.paths = paths_;
  summary.threads = static_cast<uint32_t>(threads_.size());
  summary.processes = processes_.count();
  summary.recorded = modules_.size() != 0 || !threads_.empty();
  summary.size_cap_reached = size_cap_reached_;
  summary.problem = problem_;
}

uint8_t Collector::resolve(uint32_t path) {
  if (const uint8_t kind = kinds_.resolve(path)) return kind;
  // Its module may have become ready since the last look.
  if (path < kFirstPath || path > kLastPath || path >= session_.header().next_path.load()) return 0;
  check(modules_.discover());
  return kinds_.resolve(path);
}

uint32_t Collector::module(uint32_t session_index) {
  if (modules_.index(session_index) == kNone) check(modules_.discover());
  return modules_.index(session_index);
}

uint32_t Collector::address_table(uint32_t session_index) {
  if (modules_.table(session_index) == kNone) check(modules_.discover());
  return modules_.table(session_index);
}

void Collector::loaded(uint32_t process, uint32_t module, uint64_t address) {
  load_map_.loaded(process, module, address);
}

void Collector::unloaded(uint32_t process, uint32_t module) { load_map_.unloaded(process, module); }

SessionDirectory::Moment Collector::moment(uint32_t, uint64_t serial, uint64_t target_time) {
  const auto found = thread_of_ring_.find(serial);
  if (serial == 0 || found == thread_of_ring_.end()) return {kNone, 0, false};
  const Thread& thread = threads_[found->second];
  const ThreadClock& clock = thread.log ? thread.log->clock() : thread.clock;
  return {found->second, clock.time_at(target_time), thread.log && thread.log->recording()};
}

void Collector::forking(uint64_t serial, uint64_t target_time, std::vector<Frame> stack) {
  forks_[{serial, target_time}] = std::move(stack);
}

SessionDirectory::Place Collector::place(uint32_t process, uint64_t pc) {
  Place place{kNone, kNone};
  const auto hit = load_map_.find(process, pc);
  if (!hit) return place;
  const std::string& file = modules_.loaded()[hit->module].name;
  const auto probe = find_probe(file, hit->address);
  if (!probe) return place;
  const auto function = kinds_.find_guid(hit->module, probe->guid);
  if (!function) return place;
  const SourcePosition position = find_line(file, hit->address);
  return {*function, probe->block, position.line, position.column};
}

}  // namespace vestige
