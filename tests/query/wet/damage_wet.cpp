// damage_wet FILE COUNT: a stored whole execution trace with its bytes changed behind good
// checksums, cut and spliced, so many times: each is asked for paths, values and slices, and must
// answer something or say what is wrong.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "answers.h"
#include "mutate.h"
#include "vestige/slice.h"
#include "vestige/values.h"
#include "vestige/wet.h"

using namespace vestige;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  const Bytes whole{std::istreambuf_iterator<char>(in), {}};
  const std::string file = std::string(argv[1]) + ".damaged";
  const auto write = [&](const Bytes& bytes) {
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  const auto original = Trace::open(argv[1]);
  if (!original) return 1;
  const hostile::Answers answers = hostile::ask_everything(*original);
  uint64_t refused = 0, wrong = 0, sliced = 0;
  for (int variant = 0; variant < std::atoi(argv[2]); ++variant) {
    alarm(60);
    std::mt19937_64 random(static_cast<uint64_t>(variant));
    // What disks do shows in the checksums: what is answered is right. What malice does must only
    // be survived.
    const bool forged = variant % 2 == 0;
    write(forged ? hostile::forge(whole, whole, random) : hostile::damage(whole, whole, random));
    if (!forged)
      if (const std::string problem = hostile::check_answers(file, answers, false);
          !problem.empty()) {
        std::printf("variant %d: %s\n", variant, problem.c_str());
        ++wrong;
      }
    hostile::survive(file, 200);
    hostile::survive_values(file, 200);
    const auto trace = Trace::open(file);
    if (!trace) {
      ++refused;
      continue;
    }
    const auto check = check_wet(*trace);
    refused += !check || !check->problems.empty();
    const std::vector<StatementRef> all = all_values(*trace);
    for (int i = 0; i < 4 && !all.empty(); ++i) {
      SliceOptions options;
      options.statement = all[random() % all.size()];
      options.forward = i % 2 == 1;
      options.instances = true;
      options.most_instances = 1 << 16;
      sliced += vestige::slice(*trace, options).has_value();
    }
  }
  std::remove(file.c_str());
  std::printf("%llu variants refused, %llu slices answered, %llu wrong\n",
              static_cast<unsigned long long>(refused), static_cast<unsigned long long>(sliced),
              static_cast<unsigned long long>(wrong));
  return wrong != 0 || refused == 0;
}
