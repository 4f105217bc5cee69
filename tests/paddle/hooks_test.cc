// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "paddle/paddle_models.h"

namespace coracle::internal::test {
namespace {

using Floats = std::vector<float>;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(PaddleHooks, SeeEveryArgumentOfEveryOperator) {
  const ModelOnDisk model(product_model());
  paddle_infer::Config config = model.config();
  config.SwitchIrOptim(false);
  const auto predictor = paddle_infer::CreatePredictor(config);
  std::map<std::string, Floats> results;
  std::set<std::pair<std::string, std::string>> operands;
  predictor->RegisterOutputHook([&](const std::string&, const std::string& name, const paddle::Tensor& t) {
    results[name].assign(t.data<float>(), t.data<float>() + t.numel());
  });
  predictor->RegisterInputHook([&](const std::string& op, const std::string& name, const paddle::Tensor& t) {
    EXPECT_EQ(t.name(), name);
    operands.emplace(op, name);
  });
  fill<float>(*predictor, "x", {1, 2}, {1, 2});
  predictor->Run();
  EXPECT_EQ(results, (std::map<std::string, Floats>{{"twice", {2, 4}}, {"product", {7, 10}}}));
  EXPECT_EQ(operands, (std::set<std::pair<std::string, std::string>>{{"add", "x"}, {"matmul", "w"}, {"matmul", "x"}}));
}

TEST(PaddleHooks, SeeImagesInRowMajorOrderWhateverKernelsUse) {
  const ModelBytes bytes = small_model("convolution");
  const ModelOnDisk model(bytes);
  const Floats x(3 * 8 * 8, 0.5F);
  std::map<std::string, Floats> seen[2];
  for (int optimised : {0, 1}) {
    paddle_infer::Config config = model.config();
    config.SwitchIrOptim(optimised);
    const auto predictor = paddle_infer::CreatePredictor(config);
    predictor->RegisterOutputHook([&](const std::string&, const std::string& name, const paddle::Tensor& t) {
      seen[optimised][name].assign(t.data<float>(), t.data<float>() + t.numel());
    });
    fill<float>(*predictor, "x", {1, 3, 8, 8}, x);
    predictor->Run();
    EXPECT_EQ(seen[optimised].at("y"), result<float>(*predictor, "y"));
  }
  // All but "f", a reshape, which nothing has to run for.
  for (const char* name : {"c", "n", "r", "p", "t", "u", "y"}) EXPECT_EQ(seen[0].count(name), 1U) << name;
  EXPECT_LT(seen[1].size(), seen[0].size());
  for (const auto& [name, values] : seen[1]) {
    if (name.find(".tmp") != std::string::npos) continue;
    const Floats& plain = seen[0].at(name);
    ASSERT_EQ(values.size(), plain.size()) << name;
    for (size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], plain[i], 1e-5) << name << " " << i;
  }
}

TEST(PaddleHooks, WhatTheyThrowComesOutOfRunAndTheNextRunWorks) {
  const ModelOnDisk model(product_model());
  const auto predictor = model.predictor();
  bool angry = true;
  predictor->RegisterOutputHook([&](const std::string&, const std::string&, const paddle::Tensor&) {
    if (angry) throw std::out_of_range("of the hook");
  });
  fill<float>(*predictor, "x", {1, 2}, {1, 2});
  EXPECT_THROW(predictor->Run(), std::out_of_range);
  angry = false;
  EXPECT_TRUE(predictor->Run());
  expect_refused([&] { predictor->RegisterInputHook(nullptr); }, "without a function");
}

TEST(PaddleHooks, MayNotUseTheirPredictor) {
  const ModelOnDisk model(product_model());
  const auto predictor = model.predictor();
  predictor->RegisterOutputHook(
      [&](const std::string&, const std::string&, const paddle::Tensor&) { predictor->Run(); });
  fill<float>(*predictor, "x", {1, 2}, {1, 2});
  expect_refused([&] { predictor->Run(); }, "in use");
}

TEST(PaddleShapeRanges, AreWrittenInPaddlesFormatWhenTheLastPredictorIsGone) {
  const ModelOnDisk model(reader_model());
  const std::string file = model.path("shapes.txt");
  {
    paddle_infer::Config config = model.config();
    config.CollectShapeRangeInfo(file);
    const auto predictor = paddle_infer::CreatePredictor(config);
    const auto clone = predictor->Clone();
    for (int columns : {5, 2, 5, 2}) {
      paddle_infer::Predictor& one = columns == 2 ? *clone : *predictor;
      for (const char* name : {"words", "positions"}) {
        fill<int64_t>(one, name, {2, columns}, std::vector<int64_t>(static_cast<size_t>(columns) * 2, columns));
      }
      one.Run();
    }
  }
  const std::string text = read(file);
  EXPECT_NE(text.find("shape_range_info {\n  name: \"words\"\n  min_shape: 2\n  min_shape: 2\n"
                      "  max_shape: 2\n  max_shape: 5\n"
                      "  opt_shape: 2\n  opt_shape: 2\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  min_value: 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("a_words"), std::string::npos) << "parameters are read: " << text;
  EXPECT_EQ(text.find("\"scores\""), std::string::npos) << "results that nothing reads are not listed: " << text;
}

TEST(PaddleShapeRanges, AFileThatCannotBeWrittenIsAnErrorBeforeTheFirstRun) {
  const ModelOnDisk model(reader_model());
  paddle_infer::Config config = model.config();
  config.CollectShapeRangeInfo(model.path("no/such/folder/shapes.txt"));
  expect_refused([&] { paddle_infer::CreatePredictor(config); }, "cannot write file");
}

/// Names of files that IR debugging wrote.
std::set<std::string> dumps(const ModelOnDisk& model, const std::string& deleted) {
  const std::string folder = model.path("dump" + deleted);
  paddle_infer::Config config = model.config();
  config.SwitchIrDebug();
  config.SetOptimCacheDir(folder);
  if (!deleted.empty()) config.pass_builder()->DeletePass(deleted);
  paddle_infer::CreatePredictor(config);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    names.insert(name.substr(name.find("_ir_")));
  }
  EXPECT_NE(read(folder + "/0_ir_loaded.txt").find("conv2d"), std::string::npos);
  EXPECT_EQ(read(folder + "/0_ir_loaded.dot").find("digraph"), 0U);
  return names;
}

TEST(PaddleIrDebug, WritesTheGraphAfterEachRewriteThatWasNotDeleted) {
  const ModelOnDisk model(small_model("convolution"));
  const std::set<std::string> all = dumps(model, "");
  EXPECT_EQ(all.count("_ir_fold_epilogue.dot"), 1U);
  EXPECT_EQ(all.count("_ir_fold_epilogue.txt"), 1U);
  const std::set<std::string> without = dumps(model, "conv_bn_fuse_pass");
  EXPECT_EQ(without.count("_ir_fold_epilogue.dot"), 0U);
  EXPECT_EQ(without.size() + 2, all.size());
  EXPECT_EQ(dumps(model, "conv_transpose_eltwiseadd_bn_fuse_pass"), all);
}

TEST(PaddleIrDebug, AFolderThatIsNotThereIsAnError) {
  const ModelOnDisk model(small_model("convolution"));
  paddle_infer::Config config = model.config();
  config.pass_builder()->TurnOnDebug();
  config.SetOptimCacheDir(model.path("no/where"));
  expect_refused([&] { paddle_infer::CreatePredictor(config); }, "cannot write file");
}

}  // namespace
}  // namespace coracle::internal::test
