// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "base/error.h"
#include "model/load.h"
#include "support/memory_file.h"
#include "support/pir_writer.h"
#include "support/program_writer.h"

// Damaged files end in a model or an Error, never in a crash, a hang or unbounded memory.
namespace coracle {
namespace {

constexpr size_t kPrefixes = 97;

void try_to_load(const std::string& program, const std::string& params) {
  try {
    load_model(ModelSource::in_memory(test::memory_file(program), test::memory_file(params)));
  } catch (const Error& e) {
    EXPECT_FALSE(e.text().empty());
  }
}

struct Files {
  std::string program;
  std::string params;
};

/// All prefixes in steps and `flips` damaged copies of each file, one or a few bits at a time.
void damage(const Files& files, int flips) {
  std::mt19937 random(1);
  for (size_t i = 0; i < kPrefixes; ++i) {
    try_to_load(files.program.substr(0, files.program.size() * i / kPrefixes), files.params);
    try_to_load(files.program, files.params.substr(0, files.params.size() * i / kPrefixes));
  }
  const auto flip = [&](std::string bytes) {
    for (uint32_t n = 1 + random() % 3; n > 0 && !bytes.empty(); --n) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1U << (random() % 8));
    }
    return bytes;
  };
  for (int i = 0; i < flips; ++i) {
    try_to_load(flip(files.program), files.params);
    // The heads of the records are what can be damaged; they stand near the front of small files.
    if (!files.params.empty())
      try_to_load(files.program, flip(files.params.substr(0, 4096)) +
                                     files.params.substr(std::min<size_t>(4096, files.params.size())));
  }
}

TEST(Damage, SmallProgramDesc) {
  using test::OpWriter;
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 2}, 0);
  main.variables.push_back(test::variable("w", test::kFloat32, {2, 2}, true));
  main.variables.push_back(test::variable("go", test::kBool, {1}));
  main.variables.push_back(test::variable("y", test::kFloat32, {-1, 2}));
  main.operators.push_back(OpWriter("matmul_v2").in("X", {"x"}).in("Y", {"w"}).out("Out", {"y"}));
  main.operators.push_back(
      OpWriter("fill_constant").out("Out", {"n"}).integers("shape", {1}).integer("dtype", 5).real("value", 3));
  main.operators.push_back(OpWriter("less_than").in("X", {"n"}).in("Y", {"n"}).out("Out", {"go"}));
  main.operators.push_back(
      OpWriter("while").in("X", {"y"}).in("Condition", {"go"}).out("Out", {"y"}).block("sub_block", 1));
  main.operators.push_back(OpWriter("reshape2").in("X", {"y"}).out("Out", {"z"}).integers("shape", {-1, 1, 2}));
  test::add_fetch(main, "z", 0);
  test::BlockWriter body{.index = 1, .parent = 0, .variables = {}, .operators = {}};
  body.operators.push_back(OpWriter("relu").in("X", {"y"}).out("Out", {"y"}));
  body.operators.push_back(OpWriter("less_than").in("X", {"n"}).in("Y", {"n"}).out("Out", {"go"}));
  const Files files{test::program_file({main, body}), test::record<float>(test::kFloat32, {2, 2}, {1, 2, 3, 4})};
  EXPECT_NO_THROW(
      load_model(ModelSource::in_memory(test::memory_file(files.program), test::memory_file(files.params))));
  damage(files, 5000);
}

TEST(Damage, SmallPir) {
  using namespace test::pir;  // NOLINT(google-build-using-namespace): the writer's vocabulary
  const std::string pair = tensor("t_f32", {2});
  const std::string yes = region({operation("1.add", {1, 1}, {{4, pair}}), operation("2.yield", {4}, {})});
  const std::string no = region({operation("1.relu", {3}, {{5, pair}}), operation("2.yield", {5}, {})});
  const Files files{
      program_file({parameter(3, "w", pair), data(1, "x", pair), data(2, "c", tensor("t_bool", {1})),
                    operation("1.if", {2}, {{6, pair}}, {}, {yes, no}),
                    operation("0.combine", {6, 1}, {{7, vec({pair, pair})}}), full(8, 0, "int32", "t_i32", {1}),
                    operation("1.concat", {7, 8}, {{9, tensor("t_f32", {4})}}), fetch(9, 10, 0, tensor("t_f32", {4}))}),
      test::record<float>(test::kFloat32, {2}, {1, 2})};
  EXPECT_NO_THROW(
      load_model(ModelSource::in_memory(test::memory_file(files.program), test::memory_file(files.params))));
  damage(files, 5000);
}

class ReferenceModels : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceModels, Damaged) {
  const std::string folder = std::string(CORACLE_SHARED) + "/models/" + GetParam();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the reference folder ../shared is absent";
  const ModelFiles found = find_model_files(ModelSource::on_disk(folder));
  const auto content = [](const FileBytes& f) {
    return std::string(reinterpret_cast<const char*>(f.bytes.data()), f.bytes.size());
  };
  damage({content(found.program), content(*found.open_combined())}, 100);
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceModels,
                         testing::Values("pdlite-simple_model", "ppocr-v2.0-cls", "pir-PP-LCNet_x0_25_textline_ori",
                                         "mobilenetv3_small_x0_35-multilabel"));

}  // namespace
}  // namespace coracle
