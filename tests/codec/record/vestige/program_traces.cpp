#include "program_traces.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>

namespace vestige {
namespace {

// What a program under observation loads, until that is enough.
class Loads {
 public:
  explicit Loads(size_t rows) : rows_(rows) { block_.columns.resize(2); }
  bool full() const { return block_.columns[0].size() >= rows_; }
  // Instruction `site` loads `value`, which is handed on.
  template <class Value>
  Value load(unsigned site, Value value) {
    uint64_t bits = 0;
    if constexpr (std::is_floating_point_v<Value>)
      bits = std::bit_cast<uint64_t>(value);
    else
      bits = static_cast<uint64_t>(value);
    if (!full()) {
      block_.columns[0].push_back(0x401000 + site * 7);
      block_.columns[1].push_back(bits);
    }
    return value;
  }
  RecordBlock take() {
    block_.rows = block_.columns[0].size();
    return std::move(block_);
  }

 private:
  const size_t rows_;
  RecordBlock block_;
};

using Random = std::mt19937_64;
constexpr uint64_t kHeap = 0x55d0c0de1000;
uint64_t address(size_t index, size_t bytes) { return kHeap + index * bytes; }
uint64_t index_of(uint64_t address, size_t bytes) { return (address - kHeap) / bytes; }

std::vector<uint32_t> shuffled(size_t count, Random& random) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}
// For each element the one that follows it in a random cycle through all.
std::vector<uint32_t> random_cycle(size_t count, Random& random) {
  const std::vector<uint32_t> order = shuffled(count, random);
  std::vector<uint32_t> next(count);
  for (size_t i = 0; i < count; ++i) next[order[i]] = order[(i + 1) % count];
  return next;
}

// p = p->next, nothing else.
void chase(Loads& loads, Random& random, size_t size) {
  const auto next = random_cycle(size, random);
  uint64_t node = address(0, 16);
  while (!loads.full()) node = loads.load(1, address(next[index_of(node, 16)], 16));
}
// The same, unrolled: four instructions walk one list.
void chase_unrolled(Loads& loads, Random& random, size_t size) {
  const auto next = random_cycle(size | 1, random);
  uint64_t node = address(0, 16);
  for (unsigned site = 0; !loads.full(); ++site)
    node = loads.load(1 + site % 4, address(next[index_of(node, 16)], 16));
}
// A list of nodes with a key, in shuffled order, walked again and again.
void list(Loads& loads, Random& random, size_t size) {
  const auto order = shuffled(size, random);
  std::vector<uint64_t> key(size);
  for (uint64_t& k : key) k = random() % 1000;
  while (!loads.full()) {
    for (size_t i = 0; i < size && !loads.full(); ++i) {
      loads.load(1, key[order[i]]);
      loads.load(2, i + 1 < size ? address(order[i + 1], 32) : 0);
    }
  }
}
// The same while nodes change places: one in a hundred at each walk.
void list_changing(Loads& loads, Random& random, size_t size) {
  auto order = shuffled(size, random);
  while (!loads.full()) {
    for (size_t i = 0; i < size && !loads.full(); ++i) {
      loads.load(1, order[i] * 3 % 1009);
      loads.load(2, i + 1 < size ? address(order[i + 1], 32) : 0);
    }
    for (size_t i = 0; i < size / 100 + 1; ++i)
      std::swap(order[random() % size], order[random() % size]);
  }
}
// One list, walked by a different loop each time: to find a key, to sum up, to count.
void list_many_loops(Loads& loads, Random& random, size_t size) {
  const auto order = shuffled(size, random);
  while (!loads.full()) {
    const auto loop = static_cast<unsigned>(random() % 6);
    const size_t stop = loop == 0 ? random() % size : size;
    for (size_t i = 0; i < stop && !loads.full(); ++i) {
      if (loop % 2 == 0) loads.load(10 * loop + 1, order[i] * 5 % 777);
      loads.load(10 * loop + 2, i + 1 < size ? address(order[i + 1], 48) : 0);
    }
  }
}
// Forwards by one instruction, backwards by another.
void list_both_ways(Loads& loads, Random& random, size_t size) {
  const auto order = shuffled(size, random);
  while (!loads.full()) {
    for (size_t i = 0; i + 1 < size && !loads.full(); ++i) loads.load(1, address(order[i + 1], 24));
    for (size_t i = size; i-- > 1 && !loads.full();) loads.load(2, address(order[i - 1], 24));
  }
}
// The latest used comes to the front of its list.
void recency_list(Loads& loads, Random& random, size_t size) {
  std::vector<uint32_t> order = shuffled(size, random);
  while (!loads.full()) {
    const size_t depth = random() % size * (random() % size) / size;
    for (size_t i = 0; i <= depth && !loads.full(); ++i) {
      loads.load(1, order[i]);
      if (i < depth) loads.load(2, address(order[i + 1], 32));
    }
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(depth),
                order.begin() + static_cast<std::ptrdiff_t>(depth) + 1);
  }
}

// A search tree whose nodes lie in the order of insertion.
class Tree {
 public:
  Tree(size_t size, Random& random) : left_(size), right_(size), key_(size) {
    for (size_t i = 0; i < size; ++i) {
      key_[i] = random() % (size * 8);
      insert(static_cast<uint32_t>(i));
    }
  }
  void in_order(Loads& loads) const {
    std::vector<uint32_t> path;
    for (uint32_t node = 0; node != 0 || !path.empty() || path_begins(path, node);) {
      if (loads.full()) return;
      if (node != kNone) {
        path.push_back(node);
        node = child(loads, 1, left_[node]);
      } else {
        if (path.empty()) return;
        node = path.back();
        path.pop_back();
        loads.load(2, key_[node]);
        node = child(loads, 3, right_[node]);
      }
    }
  }
  void find(Loads& loads, uint64_t key) const {
    for (uint32_t node = 0; node != kNone && !loads.full();) {
      const uint64_t here = loads.load(4, key_[node]);
      if (here == key) return;
      node = key < here ? child(loads, 5, left_[node]) : child(loads, 6, right_[node]);
    }
  }
  uint64_t key(size_t node) const { return key_[node]; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static bool path_begins(const std::vector<uint32_t>& path, uint32_t node) {
    return path.empty() && node == 0;
  }
  static uint32_t child(Loads& loads, unsigned site, uint32_t node) {
    loads.load(site, node == 0 ? 0 : address(node, 40));
    return node == 0 ? kNone : node;
  }
  void insert(uint32_t fresh) {
    if (fresh == 0) return;
    for (uint32_t node = 0;;) {
      uint32_t& next = key_[fresh] < key_[node] ? left_[node] : right_[node];
      if (next == 0) {
        next = fresh;
        return;
      }
      node = next;
    }
  }
  std::vector<uint32_t> left_, right_;  // 0: none
  std::vector<uint64_t> key_;
};
void tree_walk(Loads& loads, Random& random, size_t size) {
  const Tree tree(size, random);
  while (!loads.full()) tree.in_order(loads);
}
void tree_search(Loads& loads, Random& random, size_t size) {
  const Tree tree(size, random);
  while (!loads.full()) tree.find(loads, tree.key(random() % size));
}
// Most searches are for a few keys, as in a symbol table.
void tree_search_skewed(Loads& loads, Random& random, size_t size) {
  const Tree tree(size, random);
  while (!loads.full()) {
    const uint64_t r = random();
    tree.find(loads, tree.key(r % 8 == 0 ? random() % size : random() % (size / 100 + 1)));
  }
}

// Chains of a hash table, its keys looked up in a changing order that favours some.
void hash_chains(Loads& loads, Random& random, size_t size) {
  std::vector<std::vector<uint32_t>> chains(size / 4 + 1);
  for (uint32_t key = 0; key < size; ++key)
    chains[key * 2654435761u % chains.size()].push_back(key);
  while (!loads.full()) {
    const auto key =
        static_cast<uint32_t>(random() % 4 ? random() % (size / 50 + 1) : random() % size);
    const auto& chain = chains[key * 2654435761u % chains.size()];
    for (size_t i = 0; i < chain.size() && !loads.full(); ++i) {
      loads.load(i == 0 ? 1 : 3, address(chain[i], 64));
      if (loads.load(2, chain[i]) == key) break;
    }
  }
}
// The same words again and again, as a compiler meets them: their letters, then the chain.
void symbol_table(Loads& loads, Random& random, size_t size) {
  std::vector<std::vector<uint8_t>> words(size);
  for (auto& word : words) {
    word.resize(2 + random() % 9);
    for (uint8_t& letter : word) letter = static_cast<uint8_t>('a' + random() % 26);
  }
  std::vector<uint32_t> text(4096);
  while (!loads.full()) {
    for (size_t i = 0; i < text.size() / 8; ++i)
      text[random() % text.size()] = static_cast<uint32_t>(random() % (1 + random() % size));
    for (const uint32_t word : text) {
      for (const uint8_t letter : words[word]) loads.load(1, letter);
      loads.load(2, 0);
      loads.load(3, address(word, 48));
    }
  }
}

// Strides with a jump now and then.
void stride_and_jump(Loads& loads, Random& random, size_t size) {
  std::vector<uint64_t> starts(size);
  for (uint64_t& start : starts) start = random() % (uint64_t{1} << 40) * 8;
  for (size_t round = 0; !loads.full(); round = (round + 1) % size)
    for (uint64_t i = 0; i < 20 + round % 7 && !loads.full(); ++i)
      loads.load(1, starts[round] + 8 * i);
}
// The same jumps at the same places, and some that are new.
void stride_and_random_jump(Loads& loads, Random& random, size_t size) {
  while (!loads.full()) {
    const uint64_t start = kHeap + random() % size * 4096;
    for (uint64_t i = 0; i < 8 + random() % 64 && !loads.full(); ++i) loads.load(1, start + 16 * i);
  }
}

// A machine for byte code: opcodes, operands, a stack; the same program again and again.
void interpreter(Loads& loads, Random& random, size_t size) {
  std::vector<uint8_t> code(size);
  for (uint8_t& op : code) op = static_cast<uint8_t>(random() % 12);
  std::vector<uint64_t> locals(16, 1);
  while (!loads.full()) {
    for (size_t at = 0; at < size && !loads.full(); ++at) {
      const unsigned op = loads.load(1, code[at]);
      loads.load(2, 0x402000 + op * 128u);  // the jump table
      uint64_t& local = locals[op];
      loads.load(10 + op, local);
      if (op % 3 == 0) local += op + 1;
      if (op == 5 && at + 40 < size && local % 3 == 0) at += 7;
    }
  }
}
// Objects of a dynamic language: a type, a count that rises and falls, a value.
void boxed_values(Loads& loads, Random& random, size_t size) {
  std::vector<uint64_t> count(size, 1);
  const auto order = shuffled(size, random);
  while (!loads.full()) {
    for (size_t i = 0; i < size && !loads.full(); ++i) {
      const uint32_t object = order[i];
      loads.load(1, address(object, 24));
      loads.load(2, 0x7f3200001000 + object % 5 * 408u);
      loads.load(3, count[object]++);
      loads.load(4, uint64_t{object} * 17);
      if (random() % 4 == 0) --count[object];
    }
  }
}

// u' = mean of the neighbours, on a square: each number is read by five instructions.
void stencil(Loads& loads, Random& random, size_t size) {
  std::vector<double> now(size * size), next(size * size);
  for (double& u : now) u = static_cast<double>(random() % 1000000) / 7;
  while (!loads.full()) {
    for (size_t y = 1; y + 1 < size && !loads.full(); ++y) {
      for (size_t x = 1; x + 1 < size && !loads.full(); ++x) {
        const size_t at = y * size + x;
        next[at] =
            (loads.load(1, now[at - size]) + loads.load(2, now[at - 1]) + loads.load(3, now[at]) +
             loads.load(4, now[at + 1]) + loads.load(5, now[at + size])) /
            5;
      }
    }
    std::swap(now, next);
  }
}
void matrix_product(Loads& loads, Random& random, size_t size) {
  std::vector<double> a(size * size), b(size * size);
  for (double& x : a) x = static_cast<double>(random() % 100000) / 3;
  for (double& x : b) x = static_cast<double>(random() % 100000) / 11;
  while (!loads.full()) {
    for (size_t i = 0; i < size && !loads.full(); ++i)
      for (size_t j = 0; j < size && !loads.full(); ++j)
        for (size_t k = 0; k < size && !loads.full(); ++k) {
          loads.load(1, a[i * size + k]);
          loads.load(2, b[k * size + j]);
        }
    a[random() % a.size()] += 1;
  }
}
// y = A x, A's rows as lists of columns; x changes with every product.
void sparse_product(Loads& loads, Random& random, size_t size) {
  struct Cell {
    uint32_t column;
    double value;
  };
  std::vector<std::vector<Cell>> rows(size);
  for (auto& row : rows)
    for (size_t i = 0; i < 5 + random() % 5; ++i)
      row.push_back({static_cast<uint32_t>(random() % size), static_cast<double>(random() % 999)});
  std::vector<double> x(size, 1), y(size);
  while (!loads.full()) {
    for (size_t i = 0; i < size && !loads.full(); ++i) {
      double sum = 0;
      for (const Cell& cell : rows[i])
        sum += loads.load(2, cell.value) * loads.load(3, x[loads.load(1, cell.column)]);
      y[i] = sum / 3000;
    }
    std::swap(x, y);
  }
}
// Two loops over one array of numbers that nothing foretells: what one has read, the other reads.
void two_readers(Loads& loads, Random& random, size_t size) {
  std::vector<double> numbers(size);
  while (!loads.full()) {
    for (double& x : numbers) x = static_cast<double>(random() >> 11);
    for (const double x : numbers) loads.load(1, x);
    for (const double x : numbers) loads.load(2, x);
    for (size_t i = size; i-- > 0;) loads.load(3, numbers[i]);
  }
}

// Breadth first from a changing start over the same graph.
void graph_search(Loads& loads, Random& random, size_t size) {
  std::vector<std::array<uint32_t, 4>> edges(size);
  for (auto& four : edges)
    for (uint32_t& to : four) to = static_cast<uint32_t>(random() % size);
  while (!loads.full()) {
    std::vector<uint8_t> seen(size);
    std::vector<uint32_t> queue = {static_cast<uint32_t>(random() % 8)};
    for (size_t at = 0; at < queue.size() && !loads.full(); ++at) {
      const uint32_t node = loads.load(1, queue[at]);
      for (const uint32_t to : edges[node]) {
        loads.load(2, to);
        if (loads.load(3, seen[to]) != 0) continue;
        seen[to] = 1;
        queue.push_back(to);
      }
    }
  }
}
// A binary heap of numbers: the least out, a larger one in.
void heap(Loads& loads, Random& random, size_t size) {
  std::vector<uint64_t> cells(size);
  std::iota(cells.begin(), cells.end(), 0);
  while (!loads.full()) {
    const uint64_t fresh = loads.load(1, cells[0]) + 1 + random() % size;
    size_t at = 0;
    for (size_t child = 1; child < size && !loads.full(); child = 2 * at + 1) {
      const uint64_t left = loads.load(2, cells[child]);
      const uint64_t right = child + 1 < size ? loads.load(3, cells[child + 1]) : left;
      const size_t least = right < left ? child + 1 : child;
      if (cells[least] >= fresh) break;
      cells[at] = cells[least];
      at = least;
    }
    cells[at] = fresh;
  }
}
void union_find(Loads& loads, Random& random, size_t size) {
  std::vector<uint32_t> parent(size);
  const auto root = [&](uint32_t x, unsigned site) {
    while (!loads.full()) {
      const uint32_t up = loads.load(site, parent[x]);
      if (up == x) break;
      x = parent[x] = loads.load(site + 1, parent[up]);
    }
    return x;
  };
  while (!loads.full()) {
    std::iota(parent.begin(), parent.end(), 0);
    for (size_t i = 0; i < size && !loads.full(); ++i) {
      const uint32_t a = root(static_cast<uint32_t>(random() % size), 1);
      const uint32_t b = root(static_cast<uint32_t>(random() % size), 4);
      parent[a] = b;
    }
  }
}
// Marks what can be reached, depth first, as a collector of garbage does; some edges change.
void mark(Loads& loads, Random& random, size_t size) {
  std::vector<std::array<uint32_t, 3>> objects(size);
  for (auto& fields : objects)
    for (uint32_t& to : fields) to = static_cast<uint32_t>(random() % size);
  for (uint8_t epoch = 1; !loads.full(); ++epoch) {
    std::vector<uint8_t> marks(size);
    std::vector<uint32_t> stack = {0};
    while (!stack.empty() && !loads.full()) {
      const uint32_t object = stack.back();
      stack.pop_back();
      for (unsigned f = 0; f < 3; ++f) {
        const uint32_t to = objects[object][f];
        loads.load(1 + f, address(to, 56));
        if (loads.load(5, marks[to] != 0 ? epoch : epoch - 1) == epoch) continue;
        marks[to] = 1;
        stack.push_back(to);
      }
    }
    for (size_t i = 0; i < size / 200 + 1; ++i)
      objects[random() % size][random() % 3] = static_cast<uint32_t>(random() % size);
  }
}
// A ring between a producer and a consumer: indices that wrap, messages of a few kinds.
void ring(Loads& loads, Random& random, size_t size) {
  std::vector<uint64_t> cells(size);
  for (uint64_t head = 0, tail = 0; !loads.full();) {
    for (uint64_t n = 1 + random() % 16; n > 0 && head - tail < size; --n) {
      loads.load(1, tail);
      cells[loads.load(2, head) % size] = 0x100 + random() % 5;
      ++head;
    }
    while (tail != head && random() % 8 != 0) {
      loads.load(3, head);
      loads.load(4, cells[loads.load(5, tail) % size]);
      ++tail;
    }
  }
}

struct Program {
  ProgramKind kind;
  void (*run)(Loads&, Random&, size_t size);
};
constexpr Program kPrograms[] = {
    {{"chase-small", 900}, chase},
    {{"chase", 40'000}, chase},
    {{"chase-large", 300'000}, chase},
    {{"chase-unrolled", 5'000}, chase_unrolled},
    {{"chase-unrolled-large", 90'000}, chase_unrolled},
    {{"list", 3'000}, list},
    {{"list-large", 120'000}, list},
    {{"list-changing", 8'000}, list_changing},
    {{"list-many-loops", 4'000}, list_many_loops},
    {{"list-many-loops-large", 60'000}, list_many_loops},
    {{"list-both-ways", 20'000}, list_both_ways},
    {{"recency-list", 300}, recency_list},
    {{"tree-walk", 4'000}, tree_walk},
    {{"tree-walk-large", 60'000}, tree_walk},
    {{"tree-search", 2'000}, tree_search},
    {{"tree-search-skewed", 20'000}, tree_search_skewed},
    {{"hash-chains", 6'000}, hash_chains},
    {{"symbol-table", 500}, symbol_table},
    {{"stride-and-jump", 3'000}, stride_and_jump},
    {{"stride-and-random-jump", 5'000}, stride_and_random_jump},
    {{"interpreter", 700}, interpreter},
    {{"boxed-values", 5'000}, boxed_values},
    {{"stencil", 120}, stencil},
    {{"matrix-product", 90}, matrix_product},
    {{"sparse-product", 4'000}, sparse_product},
    {{"two-readers", 6'000}, two_readers},
    {{"graph-search", 6'000}, graph_search},
    {{"heap", 4'000}, heap},
    {{"union-find", 3'000}, union_find},
    {{"mark", 6'000}, mark},
    {{"ring", 64}, ring},
};
constexpr auto kKinds = [] {
  std::array<ProgramKind, std::size(kPrograms)> kinds{};
  for (size_t i = 0; i < kinds.size(); ++i) kinds[i] = kPrograms[i].kind;
  return kinds;
}();

}  // namespace

std::span<const ProgramKind> program_kinds() { return kKinds; }

RecordBlock program_trace(const ProgramKind& kind, size_t rows, size_t size) {
  const auto program = std::ranges::find(kPrograms, std::string_view(kind.name),
                                         [](const Program& p) { return p.kind.name; });
  Loads loads(rows);
  Random random(1 + static_cast<uint64_t>(program - kPrograms));
  program->run(loads, random, size == 0 ? kind.size : size);
  return loads.take();
}

}  // namespace vestige
