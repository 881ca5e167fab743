#include "archive/file_stream.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace vestige {
namespace {

namespace fs = std::filesystem;

class FileStream : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "vestige-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }
  std::string text(const char* name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  static ByteView bytes(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  }
  fs::path folder_;
};

TEST_F(FileStream, AppearsOnlyWhenFinished) {
  {
    auto sink = FileSink::open(path("out"));
    ASSERT_TRUE(sink) << sink.error().message;
    ASSERT_TRUE((*sink)->write(bytes("half")));
    EXPECT_FALSE(fs::exists(path("out")));
  }
  EXPECT_EQ(files(), 0u);
  auto sink = FileSink::open(path("out"));
  ASSERT_TRUE((*sink)->write(bytes("whole")));
  ASSERT_TRUE((*sink)->finish());
  EXPECT_EQ(text("out"), "whole");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileStream, ReplacesWhatALinkPointsToAndKeepsItsMode) {
  std::ofstream(path("real")) << "old";
  ::chmod(path("real").c_str(), 0640);
  fs::create_symlink("real", path("link"));
  {
    auto abandoned = FileSink::open(path("link"));
    ASSERT_TRUE((*abandoned)->write(bytes("half")));
  }
  EXPECT_EQ(text("real"), "old");
  auto sink = FileSink::open(path("link"));
  ASSERT_TRUE((*sink)->write(bytes("new")));
  ASSERT_TRUE((*sink)->finish());
  EXPECT_EQ(text("real"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(fs::status(path("real")).permissions(), fs::perms(0640));
}

TEST_F(FileStream, Refusals) {
  EXPECT_EQ(FileSource::open(path("nosuch")).error().kind, ErrorKind::io);
  EXPECT_EQ(FileSource::open(folder_).error().kind, ErrorKind::io);
  EXPECT_FALSE(FileSink::open(path("nosuch/out")));
  EXPECT_FALSE(FileSink::open(folder_));
  auto full = FileSink::open("/dev/full");
  ASSERT_TRUE(full);
  EXPECT_EQ((*full)->write(bytes("x")).error().kind, ErrorKind::io);
}

TEST_F(FileStream, SameFileUnderTwoNames) {
  std::ofstream(path("a")) << "x";
  fs::create_hard_link(path("a"), path("b"));
  const auto in = FileSource::open(path("a"));
  ASSERT_TRUE(in);
  EXPECT_EQ((*in)->size(), 1u);
  EXPECT_EQ(refuse_same_file(**in, path("b")).error().kind, ErrorKind::usage);
  EXPECT_TRUE(refuse_same_file(**in, path("c")));
}

}  // namespace
}  // namespace vestige
