#include "codec/sequitur/grammar_bytes.h"

#include <string>

#include "codec/entropy/range_coder.h"
#include "codec/sequitur/grammar_model.h"

namespace vestige::sequitur {

namespace {

// What is to be written at a place of the walk through a grammar, in the numbers of the walk.
struct WrittenSymbol {
  bool ends = false;
  SymbolKind kind = SymbolKind::known;
  uint32_t first = 0;
  uint64_t value = 0;
  Symbol symbol = 0;
  uint64_t count = 0;
  bool new_rule = false;
};

// Walks a grammar in the order it is written in, for the writer.
class Walker {
 public:
  explicit Walker(const PlainGrammar& grammar)
      : grammar_(grammar),
        terminals_(grammar.terminals.size(), kUnseen),
        rules_(grammar.rules(), kUnseen),
        runs_(grammar.runs.size(), kUnseen) {
    firsts_.reserve(grammar.rules());
    for (uint32_t rule = 0; rule < grammar.rules(); ++rule) {
      const auto body = grammar.body(rule);
      firsts_.push_back(body.empty() ? 0 : first_of(body[0]));
    }
    open_.push_back({grammar.start(), grammar.body(grammar.start()), kUnseen});
  }

  // At the end of a body, `ends`; then end() is called. Else the item there; its walk goes on in
  // the new rule, if it is one.
  WrittenSymbol next() {
    Open& open = open_.back();
    WrittenSymbol item;
    if (open.rest.empty()) {
      item.ends = true;
      return item;
    }
    const Symbol s = open.rest[0];
    open.rest = open.rest.subspan(1);
    uint32_t& first = terminals_[first_of(s)];
    item.value = grammar_.terminals[first_of(s)];
    if (first == kUnseen) first = seen_terminals_++;
    item.first = first;

    const bool new_run = is_run(s) && runs_[s - kRunBase] == kUnseen;
    const Symbol of = is_run(s) ? grammar_.runs[s - kRunBase].symbol : s;
    item.new_rule = is_rule(of) && rules_[rule_of(of)] == kUnseen;
    item.kind = new_run ? SymbolKind::run : item.new_rule ? SymbolKind::rule : SymbolKind::known;
    if (new_run) item.count = grammar_.runs[s - kRunBase].count;
    if (item.new_rule)
      open_.push_back({rule_of(of), grammar_.body(rule_of(of)), new_run ? s - kRunBase : kUnseen});
    else
      item.symbol = is_run(s) && !new_run ? kRunBase | runs_[s - kRunBase] : renumbered(of);
    if (new_run && !item.new_rule) runs_[s - kRunBase] = seen_runs_++;
    return item;
  }
  void end() {
    rules_[open_.back().rule] = seen_rules_++;
    if (open_.back().run != kUnseen) runs_[open_.back().run] = seen_runs_++;
    open_.pop_back();
  }

 private:
  static constexpr uint32_t kUnseen = ~uint32_t{0};
  struct Open {
    uint32_t rule;
    std::span<const Symbol> rest;
    uint32_t run;  // the run whose first use this is
  };
  uint32_t first_of(Symbol s) const {
    if (is_run(s)) s = grammar_.runs[s - kRunBase].symbol;
    return is_rule(s) ? firsts_[rule_of(s)] : s;
  }
  Symbol renumbered(Symbol s) const {
    return is_rule(s) ? rule_symbol(rules_[rule_of(s)]) : terminals_[s];
  }
  const PlainGrammar& grammar_;
  std::vector<uint32_t> terminals_, rules_, runs_;  // numbers by first use
  std::vector<uint32_t> firsts_;
  std::vector<Open> open_;
  uint32_t seen_terminals_ = 0, seen_rules_ = 0, seen_runs_ = 0;
};

struct NoWalker {
  WrittenSymbol next() { return {}; }
  void end() {}
};

// Writes or reads a grammar of `symbols` symbols; gives it in the numbers of the walk. False when
// the bits make no grammar.
template <class Coder, class Source>
bool code_grammar(Coder& coder, uint64_t symbols, Source source, PlainGrammar& out) {
  GrammarModel<Coder> model(coder, symbols);
  struct Open {
    size_t begin;    // of its symbols so far, in `pending`
    uint64_t count;  // of the run whose first use it is, or 1
    uint32_t first;
  };
  std::vector<Open> open = {{0, 1, 0}};
  std::vector<Symbol> pending;
  out.ends.clear();
  uint64_t left = symbols;
  const auto end_body = [&] {
    const std::span<const Symbol> body = std::span(pending).subspan(open.back().begin);
    out.symbols.insert(out.symbols.end(), body.begin(), body.end());
    out.ends.push_back(static_cast<uint32_t>(out.symbols.size()));
    return body;
  };
  const auto make_run = [&](Symbol symbol, uint64_t count) {
    out.runs.push_back({symbol, count});
    model.add_run(out.runs.back());
    return kRunBase | static_cast<Symbol>(out.runs.size() - 1);
  };

  while (left > 0 || open.size() > 1) {
    const bool inside = open.size() > 1;
    const size_t place = pending.size() - open.back().begin;
    const WrittenSymbol item = source.next();
    if (inside && place >= 2 && model.end(place, item.ends)) {
      model.add_rule(end_body(), out.runs);
      source.end();
      Symbol symbol = rule_symbol(model.rules() - 1);
      pending.resize(open.back().begin);
      if (const uint64_t count = open.back().count; count > 1) {
        symbol = make_run(symbol, count);
        model.pass(symbol, out.runs);
      }
      pending.push_back(symbol);
      open.pop_back();
      continue;
    }
    if (left == 0) return false;
    --left;

    const bool given = inside && place == 0;
    const uint32_t first = given ? open.back().first : model.first(item.first);
    if (first == model.terminals()) {
      out.terminals.push_back(model.value(item.value));
      model.add_terminal();
    }
    SymbolKind kind = model.kind(first, given, open.size() - 1, place, item.kind);
    uint64_t count = 1;
    if (kind == SymbolKind::run) {
      count = model.run_count(item.count);
      if (count < 2) return false;
      kind = model.new_rule_in_run(item.new_rule) ? SymbolKind::rule : SymbolKind::known;
    }
    if (kind == SymbolKind::rule) {
      open.push_back({pending.size(), count, first});
      continue;
    }
    Symbol symbol = model.known(first, item.symbol);
    if (count > 1) {
      if (is_run(symbol)) return false;
      symbol = make_run(symbol, count);
    }
    pending.push_back(symbol);
    model.pass(symbol, out.runs);
  }
  end_body();
  return true;
}

}  // namespace

Bytes encode_grammar(const PlainGrammar& grammar) {
  mix::RangeEncoder coder;
  PlainGrammar walked;
  code_grammar(coder, grammar.symbols.size(), Walker(grammar), walked);
  ByteWriter out;
  out.varint(grammar.symbols.size());
  if (!grammar.symbols.empty()) out.bytes(coder.finish());
  while (out.size() * kSymbolsPerByte < grammar.symbols.size()) out.u8(0);
  return out.take();
}

Result<PlainGrammar> decode_grammar(ByteView bytes) {
  ByteReader in(bytes);
  const uint64_t symbols = in.varint();
  if (in.failed() || symbols > bytes.size() * kSymbolsPerByte || symbols >= kMostRules)
    return fail(ErrorKind::corrupt, "a grammar says it has " + std::to_string(symbols) +
                                        " symbols in " + std::to_string(bytes.size()) + " bytes");
  mix::RangeDecoder coder(in.bytes(in.remaining()));
  PlainGrammar out;
  if (!code_grammar(coder, symbols, NoWalker{}, out) || coder.overran())
    return fail(ErrorKind::corrupt, "a grammar's bits do not make a grammar");
  return out;
}

}  // namespace vestige::sequitur
