// The two calls of vestige/compress.h: files at both ends, the registered codecs in between.
#include "vestige/compress.h"

#include <chrono>

#include "archive/compression.h"
#include "archive/decompression.h"
#include "archive/file_stream.h"

namespace vestige {
namespace {

// The steps both directions share. The output is opened last: until the input has proved readable,
// what stands under its name is left alone.
template <class Work, class Report, class Options>
Result<Report> convert(const std::string& in, const std::string& out, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto source = FileSource::open(in);
  if (!source) return std::unexpected(source.error());
  if (const auto apart = refuse_same_file(**source, out); !apart)
    return std::unexpected(apart.error());
  auto work = Work::open(**source, options, registered_codecs());
  if (!work) return std::unexpected(work.error());
  const auto sink = FileSink::open(out);
  if (!sink) return std::unexpected(sink.error());
  Result<Report> report = work->run(**sink);
  if (!report) return report;
  if (const auto finished = (*sink)->finish(); !finished) return std::unexpected(finished.error());
  report->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace

CodecSet registered_codecs() {
  return {record_codec_named, make_record_encoder, make_record_decoder};
}

Result<CompressReport> compress(const std::string& in, const std::string& out,
                                const CompressOptions& options) {
  return convert<Compression, CompressReport>(in, out, options);
}

Result<DecompressReport> decompress(const std::string& in, const std::string& out,
                                    const DecompressOptions& options) {
  return convert<Decompression, DecompressReport>(in, out, options);
}

}  // namespace vestige
