// What the commands share that read descriptors (vestige represent --as eprsd).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "output.h"
#include "vestige/spmd.h"

namespace vestige::cli {

// The descriptors of a file; of a full recording, those it would have.
Result<Descriptors> read_descriptors(const std::string& file);
// The same; nothing after the reason was reported.
std::optional<Descriptors> open_descriptors(const std::string& file);

// Of all threads.
uint64_t count_references(const Descriptors& descriptors);
// What a command that wrote descriptors to a file says of them with --json.
nlohmann::ordered_json written_json(const Descriptors& descriptors, uint64_t file_bytes);

// What was given up, thread by thread, where anything was.
void add_lost_json(const Descriptors& descriptors, nlohmann::ordered_json& object);
void print_lost(const Descriptors& descriptors, Output& out);

// vestige info and vestige verify of a file that holds descriptors.
int info_of_descriptors(const std::string& file, bool json);
int verify_descriptors(const std::string& file, bool json);

// "0-3, 8, 10-14/2"
std::string set_text(const std::vector<uint32_t>& threads);

}  // namespace vestige::cli
