// Ranks of an MPI run as a transport. A message is its size, then its bytes in parts that fit an
// int.
#include <mpi.h>

#include <algorithm>

#include "vestige/spmd.h"

namespace vestige {

namespace {

constexpr int kTag = 0x7665;
constexpr uint64_t kPart = 1 << 30;

Error failed(int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {ErrorKind::io, std::string("MPI cannot ") + what + ": " + text};
}

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiTransport() override { MPI_Finalize(); }

  uint32_t rank() const override { return static_cast<uint32_t>(rank_); }
  uint32_t size() const override { return static_cast<uint32_t>(size_); }

  Result<void> send(uint32_t to, std::span<const uint8_t> bytes) override {
    const auto rank = static_cast<int>(to);
    uint64_t size = bytes.size();
    int code = MPI_Send(&size, 1, MPI_UINT64_T, rank, kTag, MPI_COMM_WORLD);
    while (code == MPI_SUCCESS && !bytes.empty()) {
      const auto part = bytes.first(std::min<size_t>(bytes.size(), kPart));
      code = MPI_Send(part.data(), static_cast<int>(part.size()), MPI_BYTE, rank, kTag,
                      MPI_COMM_WORLD);
      bytes = bytes.subspan(part.size());
    }
    if (code != MPI_SUCCESS) return std::unexpected(failed(code, "send"));
    return {};
  }

  Result<std::vector<uint8_t>> receive(uint32_t from) override {
    const auto rank = static_cast<int>(from);
    uint64_t size = 0;
    int code = MPI_Recv(&size, 1, MPI_UINT64_T, rank, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::vector<uint8_t> bytes;
    while (code == MPI_SUCCESS && bytes.size() < size) {
      const size_t at = bytes.size(), part = std::min<uint64_t>(size - at, kPart);
      bytes.resize(at + part);
      code = MPI_Recv(bytes.data() + at, static_cast<int>(part), MPI_BYTE, rank, kTag,
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (code != MPI_SUCCESS) return std::unexpected(failed(code, "receive"));
    return bytes;
  }

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace
}  // namespace vestige

extern "C" __attribute__((visibility("default"))) vestige::Transport* vestige_join_mpi() {
  if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) return nullptr;
  return new vestige::MpiTransport;
}
