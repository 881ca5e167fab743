// Gives every value that is kept and every address of one thread back, exactly as they were.
//
// From the static program, the thread's paths and events, the values that were told, and the
// addresses of symbols, it recomputes everything else (program/derive.h says what is what). On the
// way it checks the recording: every branch and switch whose condition is known must go where the
// recorded path went, and every told value must belong to a statement that ran.
//
// What is not known (frames that recording did not see begin, holes, forked processes) stays
// unknown, and so does all that is computed from it; nothing is guessed. A store to an unknown
// address makes all memory unknown, until it is told or stored again.
//
// One owner thread; several evaluators may work on one Trace. Memory: the shadow (16 MiB, three
// times that after a hole), compiled paths (CodeCache::kMaxBytes), frames (FrameStack::kMaxSlots,
// at a keyframe those it has).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/eval/code_cache.h"
#include "trace/eval/event_feed.h"
#include "trace/eval/frame_stack.h"
#include "trace/eval/keyframe.h"
#include "trace/eval/machine.h"
#include "trace/eval/nest_code.h"
#include "trace/eval/round_code.h"
#include "trace/eval/row_proof.h"
#include "trace/eval/window_notes.h"
#include "trace/told/inputs.h"
#include "vestige/trace.h"

namespace vestige {

class Evaluator {
 public:
  // Before the thread's first path. The trace and what the inputs point to must outlive it.
  static Result<Evaluator> open(const Trace& trace, uint32_t thread,
                                const EvaluationInputs& inputs);

  // Shows the observer the statements with these ids (Function::first_statement + index), from the
  // next path on. The observer must outlive the evaluation.
  void observe(EvaluationObserver& observer, std::vector<bool> statements);
  // The same, and computes nothing that those do not need: branches are not checked, and value()
  // and argument() know nothing.
  void observe_only(EvaluationObserver& observer, std::vector<bool> statements);
  void observe_all(EvaluationObserver& observer);
  // Shows the observer the activations of the functions that have bits here (by function of the
  // trace), and their bindings with a set bit. One observer for all.
  void watch(EvaluationObserver& observer, std::vector<std::vector<bool>> bindings);

  // Evaluates the next path. False: the thread has no more. After an error the next call goes on
  // where that is possible.
  Result<bool> step();
  // Up to this many paths; how many there were. Stops earlier behind the path with which
  // statements() reaches the given number.
  Result<uint64_t> run(uint64_t most = UINT64_MAX, uint64_t statements = UINT64_MAX);

  // The trace has grown (Trace::catch_up), at the thread's end: here, or still to come.
  Result<void> catch_up();

  // Rounds of a loop. Where the last path went round, and the next ones are the same path with
  // nothing told and no event between, they are evaluated at once, `most` at most, if what they
  // observe are addresses that move by steps. How many there were, 0 when that cannot be done; the
  // observer sees nothing of them: what it would see is what it saw of the last path, each address
  // moved by its step (in that order) from path to path.
  uint64_t go_round(uint64_t most, std::vector<uint64_t>& steps);
  // Rounds of a loop with loops inside (nest_code.h), each of which ends with the last path: what
  // the next ones are.
  struct Nest {
    struct Run {
      const Path* path = nullptr;
      NestCode::Counts counts;
    };
    std::vector<Run> runs;
    uint64_t rounds = 0;  // that can be gone over
    uint64_t paths = 0;   // in them
    const NestCode* code = nullptr;
    NestCode::Found found;  // by run: addresses and steps
  };
  // Finds them, `most` paths at most; false: there are none. Nothing is done until go_over, which
  // must come before anything else.
  bool find_nest(uint64_t most, Nest& nest);
  // The observer sees nothing of them. One more round of the same kind comes next.
  void go_over(const Nest& nest);
  // Rows of any paths (row_proof.h), each of which ends with the last path: how many paths a row
  // has; 0: there are none, or `most` paths are too few to tell. What follows is to be called
  // behind such a path: one row later the next row is begun to be proven, behind it that ends, and
  // any number of rows later those that follow are gone over, a multiple of this and not the last
  // one; how many that were. Of those the observer sees nothing: its addresses move as they did in
  // the two rows before.
  uint64_t find_rows(uint64_t most);
  void begin_row_proof();
  bool end_row_proof();
  uint64_t go_over_rows(uint64_t most, uint64_t multiple);
  // It is to be tried more rarely.
  uint64_t give_up_rows();
  // The last path.
  const Path& path() const { return cursor_.path(); }

  // Keyframes. A window begins behind the last path; from there on the notes are kept, until the
  // window is finished: then they and the keyframe are complete. The notes must outlive that.
  Keyframe begin_window(WindowNotes& notes);
  void finish_window(Keyframe& keyframe);
  // Goes where the keyframe was made, told from there on by `told values`, which must outlive the
  // evaluation. Counts and problems begin anew; the observer stays. Only what the keyframe's window
  // does is as it was, and in it value() and argument() know only what its paths use or compute.
  // Fails on a keyframe that cannot be of this trace; the evaluation is of no use then.
  Result<void> go_to(const Keyframe& keyframe, ToldValueSource& told_values);
  // For a thread that a fork made, before its first path: takes over what its parent had then, by
  // evaluating that from its own beginning. Does nothing for other threads.
  Result<void> inherit();
  // Evaluates up to the path of this time. The observer sees nothing of it, and counts and problems
  // begin anew behind it.
  Result<void> skip_to(uint64_t time);

  uint64_t time() const { return machine_.time; }      // of the last path
  uint64_t statements() const { return statements_; }  // executed so far, pseudo ones left out
  uint64_t told() const { return machine_.told_values.count(); }  // values read, one ahead at most
  uint64_t told_taken() const { return machine_.told_values.taken(); }  // of those: not to come
  // What was told from here on is not in the trace: nothing new is known any longer.
  bool lost() const { return lost_; }
  const EvaluationProblems& problems() const { return machine_.problems; }

  // The innermost activation: its function (kNone: no activation, or nothing known), and the values
  // it has now; nothing when a value is not simple, or not known.
  uint32_t function() const;
  std::optional<uint64_t> value(uint32_t statement) const;
  std::optional<uint64_t> argument(uint32_t number) const;

 private:
  Evaluator(const Trace& trace, uint32_t thread, const EvaluationInputs& inputs, PathCursor cursor);
  Result<void> begin_at(uint64_t time);
  Result<void> take_times();
  Result<void> apply_events(uint64_t before);
  Result<void> apply(const Event& event);
  void move_modules(uint64_t before);
  void forget();
  void lose_values();
  void forget_frames();
  void finish();
  bool push_unknown(uint32_t path, uint64_t time);
  Result<void> evaluate(const PathCode& code, const Path& path);
  uint64_t show_rounds(uint64_t most);
  bool row_stays() const;
  std::span<Machine::Passed> passed();
  // The next paths are these, while rows are looked at.
  void follow_row(std::span<const uint32_t> words);
  bool is_as_in_proof() const;
  const NestCode* nest_code(KnownNests& known, const Nest& nest);
  bool restore_frame(const Keyframe::Frame& frame);
  bool restore_words(const Keyframe& keyframe);
  bool restore_shadow(const Keyframe& keyframe);
  bool continue_in(const FunctionCode& function);
  void take_arguments(const PathCode& code);
  void take_result(uint32_t statement);
  using Measures = std::vector<Machine::Passed>;
  Measures take_measures(const FunctionCode::Library& library, bool told);
  // The ranges of the call that came back, for the observer; of the first one the row knows, too.
  void show_transfers(uint32_t statement, const FunctionCode::Library& library,
                      const Measures& measures, Machine::Passed result, Observation& row);
  void show_outside_call(uint32_t statement, Machine::Passed result);
  // Whether this caller called it.
  bool show_copied_arguments(const PathCode& code);
  void show_outside_entry(const FunctionCode& function);
  bool came_back_from(const Statement& call) const;
  const Cell* choose_entry(const PathCode& code, bool& known) const;
  void drop_untaken();
  std::optional<uint64_t> slot_value(uint32_t slot) const;

  const Trace* trace_;
  uint32_t thread_;
  PathCursor cursor_;
  EventFeed events_;
  CodeCache codes_;
  Machine machine_;
  FrameStack frames_;
  size_t next_move_ = 0;  // of the modules: EvaluationInputs::moves
  bool tells_;            // values of this thread were told
  uint64_t statements_ = 0;
  bool started_ = false;
  bool lost_ = false;
  bool abandoned_ = false;        // a path was, since the last one
  WindowNotes* notes_ = nullptr;  // while a keyframe is made
  // Of the last path, when it followed one that ended in the same block.
  const PathCode* last_code_ = nullptr;
  const PathCode* code_ = nullptr;  // of the last path
  const Path* ended_ = nullptr;     // the last path
  RoundCode::Steps round_steps_;
  bool goes_round_ = false;  // the observer does
  std::vector<uint64_t> shown_steps_;
  std::vector<uint32_t> row_;  // paths
  RowProof::State row_begin_;  // of the first one
  RowProof proof_;
  bool following_ = false, proving_ = false;
  size_t row_at_ = 0;  // the path that should come next
  uint64_t row_problems_ = 0, row_next_told_ = 0, row_next_event_ = 0;  // when the proof began
  uint64_t row_statements_ = 0, proof_time_ = 0;
};

}  // namespace vestige
