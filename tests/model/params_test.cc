// SPDX-License-Identifier: Apache-2.0
#include "model/params.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "support/program_writer.h"
#include "support/resident.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

using test::record;

FileBytes file_of(const std::string& bytes) {
  return {
      .name = "m.pdiparams", .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
}

TensorInfo declared(std::string name, DType dtype, const Shape& shape) {
  return {.name = std::move(name), .dtype = dtype, .shape = shape, .lod_levels = 0};
}

std::string params_error(const File& file, const std::vector<TensorInfo>& infos) {
  try {
    read_combined_parameters(file, infos);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
    return e.text();
  }
  return "no error";
}

/// What is said of bytes in memory, which is said of the same bytes on disk too.
std::string params_error(const std::string& bytes, const std::vector<TensorInfo>& infos) {
  static const test::TemporaryFolder kFolder;
  const std::string path = kFolder.write("m.pdiparams", bytes);
  const std::string in_memory = params_error(file_of(bytes), infos);
  std::string on_disk = params_error(*File::open(path), infos);
  for (size_t at = on_disk.find(path); at != std::string::npos; at = on_disk.find(path)) {
    on_disk.replace(at, path.size(), "m.pdiparams");
  }
  EXPECT_EQ(on_disk, in_memory);
  return in_memory;
}

const std::vector<TensorInfo> kTwo{declared("a", DType::kFloat32, {2, Shape::kUnknown}),
                                   declared("b", DType::kInt64, Shape{})};

std::string two_records() {
  return record<float>(test::kFloat32, {2, 2}, {1, 2, 3, 4}) + record<int64_t>(test::kInt64, {}, {7});
}

TEST(Params, ReadsRecordsInOrder) {
  const std::string bytes = two_records();
  const std::vector<Tensor> tensors = read_combined_parameters(file_of(bytes), kTwo);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].shape(), (Shape{2, 2}));
  EXPECT_EQ(tensors[0].number(3), 4);
  EXPECT_EQ(tensors[1].shape(), Shape{});
  EXPECT_EQ(tensors[1].integer(0), 7);
}

TEST(Params, ElementsAreSharedWhereAlignedAndCopiedElsewhere) {
  const std::string bytes = record<int8_t>(21, {3}, {1, 2, 3}) + record<float>(test::kFloat32, {1}, {5});
  const auto inside = [&](const Tensor& t) {
    const auto* p = static_cast<const char*>(t.raw());
    return p >= bytes.data() && p < bytes.data() + bytes.size();
  };
  const std::vector<Tensor> tensors =
      read_combined_parameters(file_of(bytes), {declared("a", DType::kInt8, {3}), declared("b", DType::kFloat32, {1})});
  EXPECT_TRUE(inside(tensors[0]));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensors[1].raw()) % alignof(float), 0U);
  EXPECT_EQ(tensors[1].number(0), 5);
}

TEST(Params, CodesOfFloat8AreReadAsTheyAre) {
  const std::string bytes = record<uint8_t>(32, {3}, {0x38, 0x7F, 0xFE}) + record<uint8_t>(33, {2}, {0x7C, 1});
  const std::vector<TensorInfo> infos{declared("a", DType::kFloat8E4m3, {3}), declared("b", DType::kFloat8E5m2, {2})};
  const std::vector<Tensor> tensors = read_combined_parameters(file_of(bytes), infos);
  EXPECT_EQ(tensors[0].data<Float8E4m3>()[2].bits, 0xFE);
  EXPECT_EQ(tensors[1].data<Float8E5m2>()[0].bits, 0x7C);
  const std::string other = params_error(record<uint8_t>(34, {1}, {0}), infos);
  EXPECT_NE(other.find("element type number 34 is not known"), std::string::npos) << other;
}

TEST(Params, EmptyTensorsAndSequenceOffsetsAreRead) {
  std::string bytes = record<float>(test::kFloat32, {0, 4}, {});
  // A level of two offsets, 16 bytes, after the stream version.
  bytes.replace(4, 8, test::Message::raw<uint64_t>(1) + test::Message::raw<uint64_t>(16) + std::string(16, '\0'));
  const auto tensors = read_combined_parameters(file_of(bytes), {declared("a", DType::kFloat32, {0, 4})});
  EXPECT_EQ(tensors[0].count(), 0);
}

TEST(Params, WrongShapesAndTypesNameTheParameter) {
  const std::string text = params_error(record<float>(test::kFloat32, {3, 2}, {1, 2, 3, 4, 5, 6}), kTwo);
  EXPECT_NE(text.find("'a'"), std::string::npos) << text;
  EXPECT_NE(text.find("float32[3, 2]"), std::string::npos) << text;
  EXPECT_NE(text.find("float32[2, ?]"), std::string::npos) << text;
  EXPECT_NE(params_error(record<int64_t>(test::kInt64, {2, 2}, {1, 2, 3, 4}), kTwo).find("int64[2, 2]"),
            std::string::npos);
}

TEST(Params, TheFileMustEndExactly) {
  EXPECT_NE(params_error(two_records() + "x", kTwo).find("1 byte more"), std::string::npos);
  EXPECT_NE(params_error(record<float>(test::kFloat32, {2, 1}, {1, 2}), kTwo).find("'b' is missing"),
            std::string::npos);
}

TEST(Params, EveryPrefixIsAnError) {
  const std::string bytes = two_records();
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_NE(params_error(bytes.substr(0, n), kTwo), "no error") << n;
}

TEST(Params, HugeClaimsAreErrorsWithoutAllocation) {
  const TensorInfo any = declared("a", DType::kFloat32, Shape::unknown_rank());
  for (const test::Dims& dims : {test::Dims{int64_t{1} << 60}, test::Dims{int64_t{1} << 40, int64_t{1} << 40},
                                 test::Dims{int64_t{1} << 62, 4, 1}, test::Dims{-1}, test::Dims(10, 1)}) {
    EXPECT_NE(params_error(record<float>(test::kFloat32, dims, {1}), {any}), "no error");
  }
  std::string bytes = two_records();
  bytes.replace(4, 8, test::Message::raw<uint64_t>(~uint64_t{0}));
  EXPECT_NE(params_error(bytes, kTwo), "no error");
}

class PathTricks : public testing::TestWithParam<const char*> {};

TEST_P(PathTricks, AreRefused) {
  const test::TemporaryFolder folder;
  const std::string bytes = record<float>(test::kFloat32, {1}, {1});
  folder.write("secret", bytes);
  folder.write("model/__model__", "x");
  ModelFiles files;
  files.files = disk_source();
  files.folder = folder.path("model");
  try {
    read_parameters(files, {declared(GetParam(), DType::kFloat32, {1})});
    FAIL() << "expected an error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
    EXPECT_NE(e.text().find("leaves the model's folder"), std::string::npos) << e.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Names, PathTricks,
                         testing::Values("../secret", "/etc/passwd", "a/../../secret", "..", ".", "a//b", "", "./x"));

TEST(PathTricks, LinksThatLeaveTheFolderAreRefused) {
  const test::TemporaryFolder folder;
  const std::string bytes = record<float>(test::kFloat32, {1}, {1});
  folder.write("outside", bytes);
  folder.write("model/inside", bytes);
  std::filesystem::create_symlink(folder.path("outside"), folder.path("model/link"));
  std::filesystem::create_symlink(folder.path("model/inside"), folder.path("model/alias"));
  ModelFiles files;
  files.files = disk_source();
  files.folder = folder.path("model");
  try {
    read_parameters(files, {declared("link", DType::kFloat32, {1})});
    FAIL() << "expected an error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
    EXPECT_NE(e.text().find(folder.path("outside")), std::string::npos) << e.text();
    EXPECT_NE(e.text().find("allow_outside_links"), std::string::npos) << e.text();
  }
  EXPECT_EQ(read_parameters(files, {declared("alias", DType::kFloat32, {1})}).tensors.size(), 1U);
  files.outside_links = true;
  EXPECT_EQ(read_parameters(files, {declared("link", DType::kFloat32, {1})}).tensors.size(), 1U);
  EXPECT_THROW(read_parameters(files, {declared("../outside", DType::kFloat32, {1})}), Error)
      << "names are the model's, links are not";
}

TEST(Params, MissingSingleFilesSayWhatWasLookedFor) {
  const test::TemporaryFolder folder;
  ModelFiles files;
  files.files = disk_source();
  files.folder = folder.path();
  files.looked_for = "'m.pdiparams'";
  try {
    read_parameters(files, {declared("w", DType::kFloat32, {1})});
    FAIL() << "expected an error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kIo);
    EXPECT_NE(e.text().find("'w'"), std::string::npos) << e.text();
    EXPECT_NE(e.text().find("m.pdiparams"), std::string::npos) << e.text();
  }
}

// A mapped file whose elements are not aligned is copied: the file itself need not be in memory with the copy.
TEST(Params, MappedAndUnalignedTheyAreInMemoryOnce) {
  constexpr int64_t kElements = int64_t{32} << 20U;
  constexpr size_t kBytes = sizeof(float) * static_cast<size_t>(kElements);
  constexpr size_t kBeside = size_t{48} << 20U;
  const test::TemporaryFolder folder;
  const std::string head = record<float>(test::kFloat32, {kElements}, {});
  ASSERT_NE(head.size() % sizeof(float), 0U);
  const std::string path = folder.write("m.pdiparams", head);
  std::filesystem::resize_file(path, head.size() + kBytes);
  std::optional<File> file = File::open(path);
  file->map();
  const size_t before = test::peak_resident_bytes();
  const std::vector<Tensor> tensors =
      read_combined_parameters(*file, {declared("w", DType::kFloat32, Shape{kElements})});
  EXPECT_EQ(tensors[0].bytes(), kBytes);
  EXPECT_LE(test::peak_resident_bytes() - before, kBytes + kBeside);
}

}  // namespace
}  // namespace coracle::internal
