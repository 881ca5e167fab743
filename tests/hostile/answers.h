// Everything a trace can be asked, asked: answers to compare, or only survived.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/trace.h"

namespace vestige::hostile {

// What an undamaged trace answers.
struct Answers {
  struct Thread {
    std::vector<uint64_t> times;  // of its paths; where some were lost, there is a gap
    std::vector<uint32_t> paths;  // their ids
    std::vector<uint64_t> rows;   // the walk by blocks, events included: a hash of each
  };
  TraceCounts counts;
  std::vector<Thread> threads;
  std::vector<uint64_t> syncs;  // synchronization operations in order: a hash of each
};
Answers ask_everything(const Trace& trace);

// Asks a damaged file everything; what it answers must be what the original answered. A file that
// was recovered may hold less, and still be without fault. Gives an empty text, or what was wrong.
std::string check_answers(const std::string& file, const Answers& original, bool recovered);

// Asks a hostile file everything, up to `steps` steps at a time: there must be some answer.
void survive(const std::string& file, uint64_t steps);

// Asks a hostile file for values in every way.
void survive_values(const std::string& file, uint64_t steps);

// Asks every question of each thread and of all of them, whatever the thread lacks.
void survive_each_thread(const std::string& file, uint64_t steps);

// Asks a hostile file what its threads did to each other's memory.
void survive_threads(const std::string& file);

}  // namespace vestige::hostile
