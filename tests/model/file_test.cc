// SPDX-License-Identifier: Apache-2.0
// Files of a model: in memory, mapped, or read, and what becomes of them when the file on disk changes.
#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/error.h"
#include "base/memory_ledger.h"
#include "model/params.h"
#include "support/memory_file.h"
#include "support/program_writer.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

std::string text_of_pages(size_t pages) {
  std::string text(pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)), 'x');
  for (size_t i = 0; i < text.size(); i += 7) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

std::string_view content(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

template <class F>
std::string io_error_of(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kIo);
    return e.text();
  }
  return "no error";
}

TEST(FileBytes, OnDiskCanBePutAwayAndReadAgain) {
  const test::TemporaryFolder folder;
  const std::string text = text_of_pages(8);
  std::optional<File> file = File::open(folder.write("file", text));
  ASSERT_TRUE(file.has_value());
  file->map();
  ASSERT_NE(file->in_place(), nullptr);
  const FileBytes& bytes = *file->in_place();
  EXPECT_TRUE(bytes.mapped);
  for (size_t begin : {size_t{0}, size_t{1}, size_t{5000}, text.size() - 1}) {
    bytes.put_away(bytes.bytes.subspan(begin));
    EXPECT_EQ(content(bytes), text) << begin;
  }
  bytes.put_away({});
}

TEST(FileBytes, OfACallerStayWhatTheyAre) {
  const FileBytes file = test::memory_file(text_of_pages(8));
  EXPECT_FALSE(file.mapped);
  file.put_away(file.bytes);
  EXPECT_EQ(content(file), text_of_pages(8));
}

TEST(File, ReadsPartsWhereverItsBytesAre) {
  const test::TemporaryFolder folder;
  const std::string text = text_of_pages(3);
  const std::string path = folder.write("file", text);
  std::optional<File> mapped = File::open(path);
  mapped->map();
  for (const File& file : {*File::open(path), *mapped, File(test::memory_file(text))}) {
    EXPECT_EQ(file.size(), text.size());
    std::array<uint8_t, 100> part{};
    const auto read = [&](size_t offset) {
      return std::string(reinterpret_cast<const char*>(part.data()), file.read(offset, part));
    };
    EXPECT_EQ(read(4090), text.substr(4090, 100));
    EXPECT_EQ(read(text.size() - 10), text.substr(text.size() - 10));
    EXPECT_EQ(read(text.size()), "");
    EXPECT_EQ(read(text.size() + 7), "");
    EXPECT_EQ(content(file.read_all()), text);
  }
}

TEST(File, CopiesAreCountedInTheProcess) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("file", text_of_pages(3));
  const size_t before = MemoryLedger::process_bytes();
  {
    const FileBytes bytes = File::open(path)->read_all();
    EXPECT_EQ(MemoryLedger::process_bytes(), before + bytes.bytes.size());
  }
  EXPECT_EQ(MemoryLedger::process_bytes(), before);
}

TEST(File, EmptyOnesAndMissingOnes) {
  const test::TemporaryFolder folder;
  std::optional<File> empty = File::open(folder.write("empty", ""));
  ASSERT_TRUE(empty.has_value());
  empty->map();
  EXPECT_EQ(empty->size(), 0U);
  EXPECT_TRUE(empty->read_all().bytes.empty());
  EXPECT_FALSE(File::open(folder.path("missing")).has_value());
  EXPECT_FALSE(File::open(folder.path("empty/below")).has_value());
  EXPECT_NE(io_error_of([&] { File::open(folder.path()); }).find("not a regular file"), std::string::npos);
}

TEST(File, OnlyWhatNobodyMayWriteIsProtected) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("file", "x");
  for (const mode_t mode : {0644, 0600, 0664, 0646, 0464}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_FALSE(File::open(path)->is_protected()) << std::oct << mode;
  }
  EXPECT_FALSE(File(test::memory_file("x")).is_protected());
  // What /proc says of permissions is not that of a disk.
  const std::optional<File> system = File::open("/proc/version");
  EXPECT_TRUE(!system || !system->is_protected());
}

TEST(File, CutShortWhileItIsRead) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("file", text_of_pages(2));
  const std::optional<File> file = File::open(path);
  ASSERT_EQ(::truncate(path.c_str(), 100), 0);
  const std::string text = io_error_of([&] { file->read_all(); });
  const std::string bytes = std::to_string(text_of_pages(2).size());
  EXPECT_NE(text.find("'" + path + "' was cut short while it was read: expected " + bytes + " bytes, found 100"),
            std::string::npos)
      << text;
}

TEST(File, WrittenToWhileItIsRead) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("file", "12345678");
  const std::optional<File> file = File::open(path);
  file->require_unchanged();
  folder.write("file", "123456789");
  EXPECT_NE(io_error_of([&] { file->read_all(); }).find("has grown: expected 8 bytes"), std::string::npos);
}

// Weights of a file that is cut between opening and reading it: named, with what was expected and what is there.
TEST(Weights, CutShortWhileTheyAreRead) {
  const std::vector<float> many(size_t{5} << 20U, 1.5F);  // more than is mapped, buffered or allocated at a time
  const std::string small = test::record<float>(test::kFloat32, {2}, {1, 2});
  const std::string large = test::record<float>(test::kFloat32, {int64_t{5} << 20}, many);
  const std::vector<TensorInfo> declared{
      {.name = "b", .dtype = DType::kFloat32, .shape = {2}, .lod_levels = 0},
      {.name = "w", .dtype = DType::kFloat32, .shape = {Shape::kUnknown}, .lod_levels = 0}};
  const test::TemporaryFolder folder;
  const std::string all = small + large;
  struct Case {
    size_t left;
    const char* tensor;
  };
  for (const Case& c : {Case{0, "'b'"}, Case{10, "'b'"}, Case{small.size() - 1, "'b'"}, Case{small.size() + 3, "'w'"},
                        Case{all.size() - 1, "'w'"}, Case{all.size() / 2, "'w'"}}) {
    const std::string path = folder.write("params", all);
    const std::optional<File> file = File::open(path);
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(c.left)), 0);
    const size_t before = MemoryLedger::process_bytes();
    const std::string text = io_error_of([&] { read_combined_parameters(*file, declared); });
    for (const std::string& part : {std::string(c.tensor), path, std::string("cut short while it was read"),
                                    std::to_string(all.size()) + " bytes when it was opened"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
    EXPECT_EQ(MemoryLedger::process_bytes(), before);
  }
  const std::string path = folder.write("params", all);
  const std::optional<File> file = File::open(path);
  const std::vector<Tensor> tensors = read_combined_parameters(*file, declared);
  EXPECT_EQ(tensors[0].number(1), 2);
  EXPECT_EQ(tensors[1].count(), int64_t{5} << 20);
  EXPECT_EQ(tensors[1].number(tensors[1].count() - 1), 1.5);
}

}  // namespace
}  // namespace coracle::internal
