// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "files.h"
#include "program.h"
#include "support/npy.h"
#include "support/program_writer.h"

// coracle shapes: Paddle's file of the shapes that variables have in runs.
namespace coracle::internal {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void expect_shape_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in " << text;
}

/// x of the model "product", with some rows.
void write_rows(const std::string& path, int64_t rows) {
  test::write_npy(path, Tensor::of<float>({rows, 2}, std::vector<float>(static_cast<size_t>(rows) * 2, 1.F)));
}

TEST(Shapes, OfSeveralFilesAndFolders) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_model(folder, test::product_model());
  write_rows(folder.path("five.npy"), 5);
  std::filesystem::create_directory(folder.path("set"));
  write_rows(folder.path("set/x.npy"), 3);
  const std::string out = folder.path("shapes.pbtxt");
  const test::Outcome outcome = test::coracle_program({"shapes", model, "--data", folder.path("five.npy"), "--data",
                                                       folder.path("set"), "--data", folder.path("set"), "-o", out});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_shape_parts(outcome.out, {"shapes.pbtxt: shapes of ", " variables in 3 runs\n"});
  expect_shape_parts(content_of(out),
                     {"shape_range_info {\n  name: \"x\"\n  min_shape: 3\n  min_shape: 2\n  max_shape: 5\n  "
                      "max_shape: 2\n  opt_shape: 3\n  opt_shape: 2\n}\n",
                      "name: \"w\"\n  min_shape: 2\n  min_shape: 2\n"});
}

TEST(Shapes, OfAFolderOfInputsAndOfMadeUpOnes) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_model(folder, test::product_model());
  std::filesystem::create_directory(folder.path("inputs"));
  write_rows(folder.path("inputs/a.npy"), 7);
  write_rows(folder.path("inputs/b.npy"), 2);
  const std::string out = folder.path("shapes.pbtxt");
  test::Outcome outcome = test::coracle_program({"shapes", model, "--input", "x=" + folder.path("inputs"), "-o", out});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_shape_parts(content_of(out), {"name: \"x\"\n  min_shape: 2\n  min_shape: 2\n  max_shape: 7\n"});
  outcome = test::coracle_program({"shapes", model, "--shape", "x=4,2", "-o", out});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_shape_parts(outcome.out, {" variables in 1 run\n"});
  expect_shape_parts(content_of(out), {"name: \"x\"\n  min_shape: 4\n"});
}

/// Names are written as a protobuf text has them, so that the file is read again.
TEST(Shapes, OfVariablesWithAnyNames) {
  test::BlockWriter main;
  test::add_feed(main, "a\"b\\", test::kFloat32, {-1}, 0);
  main.operators.push_back(test::OpWriter("tanh").in("X", {"a\"b\\"}).out("Out", {"y"}));
  test::add_fetch(main, "y", 0);
  const test::TemporaryFolder folder;
  const std::string model = test::write_model(folder, {"names", test::program_file({main}), "", {}});
  const std::string out = folder.path("shapes.pbtxt");
  test::Outcome outcome = test::coracle_program({"shapes", model, "--shape", "a\"b\\=4", "-o", out});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_shape_parts(content_of(out), {"name: \"a\\\"b\\\\\"\n  min_shape: 4\n"});
  outcome = test::coracle_program({"run", model, "--shape", "a\"b\\=4", "--shapes", "@" + out});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  test::expect_failure({"run", model, "--shapes", "@" + folder.path("none")}, 5, {"there is no file of shape ranges"});
}

/// A saved model has the variables that rewriting left.
TEST(Shapes, OfASavedModel) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_model(folder, test::product_model());
  const std::string saved = folder.path("saved.coracle");
  ASSERT_EQ(test::coracle_program({"optimize", model, "-o", saved}).code, 0);
  const std::string out = folder.path("shapes.pbtxt");
  const test::Outcome outcome = test::coracle_program({"shapes", saved, "--shape", "x=4,2", "-o", out});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_shape_parts(content_of(out), {"name: \"x\"\n  min_shape: 4\n"});
}

/// Nothing is written where a run fails, and what was there stays.
TEST(Shapes, FailuresLeaveTheFileAlone) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_model(folder, test::product_model());
  write_rows(folder.path("five.npy"), 5);
  const std::string out = folder.write("shapes.pbtxt", "before");
  test::expect_failure(
      {"shapes", model, "--data", folder.path("five.npy"), "--data", folder.path("none.npy"), "-o", out}, 5,
      {"--data", "none.npy: no such folder"});
  EXPECT_EQ(content_of(out), "before");
}

}  // namespace
}  // namespace coracle::internal
