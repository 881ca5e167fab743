#include "archive/compression.h"

#include <algorithm>

#include "archive/archive_writer.h"
#include "archive/columns.h"
#include "archive/error_bounds.h"
#include "archive/guess_format.h"

namespace vestige {
namespace {

constexpr size_t kReadStep = 1 << 20;

SectionPlan plan_of(const RecordLayout& layout, const CompressOptions& options) {
  return options.section > 0 ? SectionPlan{.rows = options.section} : SectionPlan::usual(layout);
}

std::string codec_name(const CompressOptions& options) {
  if (!options.codec.empty()) return options.codec;
  return options.predictors.empty() ? "vestige" : "vpc2";
}

bool takes_predictors(RecordCodec codec) {
  return codec == RecordCodec::vpc || codec == RecordCodec::vpc2 || codec == RecordCodec::hybrid;
}

}  // namespace

Result<Compression> Compression::open(ByteSource& source, const CompressOptions& options,
                                      const CodecSet& codecs, std::optional<SectionPlan> plan) {
  Compression self(source, codecs);
  ArchiveHeader& header = self.header_;
  RecordCodecOptions& codec = self.codec_options_;
  header.codec_name = codec_name(options);
  const auto kind = codecs.named(header.codec_name, codec);
  if (!kind) return std::unexpected(kind.error());
  header.codec = *kind;
  if (options.level < 1 || options.level > 9)
    return fail(ErrorKind::usage, "a level is 1 to 9, not " + std::to_string(options.level));
  if (!options.predictors.empty() && !takes_predictors(*kind))
    return fail(ErrorKind::usage,
                "predictors can be chosen for the codecs vpc, vpc2 and hybrid, not for " +
                    header.codec_name);

  TraceFormat format;
  if (options.format.empty()) {
    const auto head = self.source_.peek(kGuessBytes);
    if (!head) return std::unexpected(head.error());
    format = guess_format(source.name(), source.size(), *head);
  } else {
    auto parsed = parse_trace_format(options.format);
    if (!parsed) return std::unexpected(parsed.error());
    format = std::move(*parsed);
  }
  header.format_name = format.name;
  header.layout = format.layout;
  auto bounds = error_bounds(header.layout, options.errors);
  if (!bounds) return std::unexpected(bounds.error());
  header.errors = std::move(*bounds);
  header.preamble.resize(format.preamble);
  const auto got = self.source_.read(header.preamble);
  if (!got) return std::unexpected(got.error());
  header.preamble.resize(*got);

  codec.level = options.level;
  codec.predictors = options.predictors;
  codec.preamble = header.preamble;
  codec.explain = options.explain;
  codec.threads = codec_threads(options.threads);
  auto encoder = codecs.encoder(*kind, header.layout, codec);
  if (!encoder) return std::unexpected(encoder.error());
  self.encoder_ = std::move(*encoder);
  header.parameters = self.encoder_->parameters();
  header.block_rows = static_cast<uint32_t>(
      std::clamp<uint64_t>(self.encoder_->block_rows(), 1, max_block_rows(header.layout)));
  self.plan_ = plan.value_or(plan_of(header.layout, options));
  // Its blocks know nothing of each other: beginning anew costs nothing.
  if (header.codec == RecordCodec::streams)
    self.plan_ = {.rows = std::min<uint64_t>(self.plan_.rows, header.block_rows)};
  self.progress_ = options.progress;
  return self;
}

Result<uint64_t> Compression::before_last(uint64_t done) {
  if (!plan_.looks_ahead(done, header_.block_rows)) return SectionPlan::kNever;
  const size_t width = header_.layout.width();
  const uint64_t most = header_.block_rows + plan_.most_last;
  const auto ahead = source_.peek((most + 1) * width);
  if (!ahead) return std::unexpected(ahead.error());
  const uint64_t rows = ahead->size() / width;
  return rows > most ? SectionPlan::kNever : plan_.before_last(done, rows);
}

Result<size_t> Compression::read_block(uint64_t rows) {
  const size_t block = rows * header_.layout.width();
  size_t used = 0;
  while (used < block) {
    const size_t step = std::min(kReadStep, block - used);
    if (raw_.size() < used + step) raw_.resize(used + step);
    const auto got = source_.read(std::span(raw_).subspan(used, step));
    if (!got) return got;
    used += *got;
    if (*got < step) break;
  }
  return used;
}

Result<CompressReport> Compression::run(ByteSink& sink) {
  ArchiveWriter writer(sink);
  if (const auto begun = writer.begin(header_); !begun) return std::unexpected(begun.error());
  const size_t width = header_.layout.width();
  RecordBlock block;
  uint64_t left = plan_.rows;  // of the section
  for (bool more = true; more;) {
    const auto to_last = before_last(writer.records());
    if (!to_last) return std::unexpected(to_last.error());
    if (*to_last == 0) left = plan_.rows;
    const uint64_t wanted = std::min<uint64_t>(
        {header_.block_rows, left, *to_last == 0 ? SectionPlan::kNever : *to_last});
    const auto got = read_block(wanted);
    if (!got) return std::unexpected(got.error());
    more = *got == wanted * width;
    ByteView rows = ByteView(raw_).first(*got / width * width);
    const size_t whole = rows.size();
    if (!rows.empty()) {
      const bool restarts = left == plan_.rows;
      if (restarts && writer.records() > 0)
        if (const auto restarted = restart(); !restarted) return std::unexpected(restarted.error());
      split_rows(header_.layout, rows, block);
      if (header_.lossy()) {
        // The checks are of what a reader will get.
        round_values(header_.layout, header_.errors, block);
        merge_rows(header_.layout, block, rounded_);
        rows = rounded_;
      }
      const auto written =
          writer.block(static_cast<uint32_t>(block.rows), rows, encoder_->encode(block), restarts);
      if (!written) return std::unexpected(written.error());
      left -= block.rows;
      if (left == 0) left = plan_.rows;
    }
    if (!more) {
      const ByteView tail = ByteView(raw_).subspan(whole, *got - whole);
      if (const auto ended = writer.end(tail); !ended) return std::unexpected(ended.error());
    }
    if (progress_) progress_(source_.bytes_read(), writer.written(), source_.size());
  }
  CompressReport report;
  report.in = source_.bytes_read();
  report.out = writer.written();
  report.records = writer.records();
  report.codec = header_.codec_name;
  report.format = header_.format_name;
  report.errors = bounds_by_name(header_.layout, header_.errors);
  explain();
  report.predictors = std::move(predictors_);
  return report;
}

Result<void> Compression::restart() {
  explain();
  if (encoder_->restart()) return {};
  encoder_.reset();  // its memory first
  auto encoder = codecs_.encoder(header_.codec, header_.layout, codec_options_);
  if (!encoder) return std::unexpected(encoder.error());
  encoder_ = std::move(*encoder);
  return {};
}

void Compression::explain() {
  const Explanation* explanation = encoder_->explanation();
  if (!explanation) return;
  if (predictors_.empty())
    for (const FieldExplanation& field : *explanation)
      predictors_.push_back(
          {field.field, field.predictors, std::vector<uint64_t>(field.counts.size()), {}, 0});
  const auto add = [](std::vector<uint64_t>& sums, const std::vector<uint64_t>& counts) {
    for (size_t i = 0; i < sums.size() && i < counts.size(); ++i) sums[i] += counts[i];
  };
  for (size_t f = 0; f < predictors_.size(); ++f) {
    const FieldExplanation& field = (*explanation)[f];
    add(predictors_[f].counts, field.counts);
    predictors_[f].bytes += field.bytes;
    for (const auto& [pc, counts] : field.by_pc) {
      auto& sums = predictors_[f].by_pc;
      if (!sums.contains(pc) && sums.size() >= kExplainedPcs) continue;
      add(sums.try_emplace(pc, counts.size()).first->second, counts);
    }
  }
}

}  // namespace vestige
