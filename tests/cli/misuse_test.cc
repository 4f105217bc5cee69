// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "files.h"
#include "program.h"
#include "support/archive_writer.h"
#include "support/npy.h"

// Every line of tests/misuse/program.txt.
namespace coracle::internal {
namespace {

struct Row {
  int code = 0;
  std::string arguments;
  std::vector<std::string> parts;
};

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(' ');
  return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(' ') + 1 - first);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  std::istringstream in(text);
  for (std::string piece; std::getline(in, piece, separator);) pieces.push_back(trimmed(piece));
  return pieces;
}

std::vector<Row> table() {
  std::ifstream file(CORACLE_MISUSE_PROGRAM);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = split(line, '|');
    rows.push_back({std::stoi(fields.at(0)), fields.at(1), {fields.begin() + 2, fields.end()}});
  }
  return rows;
}

/// What the lines of the table name.
void write_files(const test::TemporaryFolder& folder) {
  const auto model = [&](const char* name, const test::ModelBytes& bytes) {
    folder.write(std::string(name) + "/inference.pdmodel", bytes.program);
    folder.write(std::string(name) + "/inference.pdiparams", bytes.params);
  };
  model("product", test::product_model());
  model("picture", test::picture_model());
  test::write_png(folder.path("a.png"), 4, 6, {1, 2, 3});
  std::filesystem::create_directory(folder.path("pictures"));
  test::write_png(folder.path("pictures/a.png"), 4, 6, {1, 2, 3});
  std::filesystem::create_directory(folder.path("empty"));
  folder.write("file.txt", "text");
  folder.write("text.npy", "hello");
  test::write_npy(folder.path("int.npy"), Tensor::of<int64_t>({1, 2}, std::vector<int64_t>{1, 2}));
  folder.write("text.bmp", "not a picture");
  folder.write("text.npz", "not an archive, but long enough for one");
  folder.write("short.bmp", "BM");
  test::write_bmp(folder.path("rle.bmp"), 4, 6, {1, 2, 3}, 8);
  std::fstream(folder.path("rle.bmp"), std::ios::in | std::ios::out | std::ios::binary).seekp(30).put('\1');
  folder.write("broken.webp", std::string("RIFF\x04\0\0\0WEBP", 12));
  const std::vector<float> x{1, 2};
  test::write_npy(folder.path("x.npy"), Tensor::of<float>({1, 2}, x));
  std::stringstream npy;
  npy << std::ifstream(folder.path("x.npy"), std::ios::binary).rdbuf();
  folder.write("two.npz", test::zip_archive({{"a.npy", npy.str()}, {"b.npy", npy.str()}}, /*deflated=*/true));
  folder.write("list.json", "[[1, 2]]");
  folder.write("other.json", R"({"y": [[1, 2]]})");
  folder.write("broken.json", "[[1, 2");
  folder.write("ragged.json", "[[1, 2], [3]]");
  folder.write("words.json", R"(["one"])");
  folder.write("deep.json", "[[[1, 2]]]");
  folder.write("odd.bin", "12345");
}

TEST(Misuse, EveryLineOfTheTable) {
  const test::TemporaryFolder folder;
  write_files(folder);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const std::vector<Row> rows = table();
  for (const Row& row : rows) {
    std::vector<std::string> arguments;
    std::istringstream words(row.arguments);
    for (std::string w; words >> w;) arguments.push_back(w);
    EXPECT_FALSE(row.parts.empty()) << row.arguments;
    test::expect_failure(arguments, row.code, row.parts);
  }
  std::filesystem::current_path(before);
  EXPECT_GE(rows.size(), 160U);
}

}  // namespace
}  // namespace coracle::internal
