// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>
#include <set>

#include "paddle/paddle_models.h"

namespace coracle::internal::test {
namespace {

using paddle_infer::Config;
using paddle_infer::CreatePredictor;
using Floats = std::vector<float>;

Floats product_of(const Config& config) {
  const auto predictor = CreatePredictor(config);
  fill<float>(*predictor, "x", {1, 2}, {1, 2});
  predictor->Run();
  return result<float>(*predictor, "product");
}

TEST(PaddleConfig, FindsAModelWhereverItIsSaidToBe) {
  const ModelBytes bytes = product_model();
  const ModelOnDisk model(bytes);
  const Floats expected = {7, 10};
  EXPECT_EQ(product_of(Config(model.program, model.params)), expected);
  EXPECT_EQ(product_of(Config(model.path(), "inference")), expected) << "a folder and a prefix";
  EXPECT_EQ(product_of(Config(model.path())), expected) << "a folder";
  Config set;
  set.SetModel(model.path(), "inference");
  EXPECT_EQ(set.prog_file(), model.path() + "/inference.pdmodel");
  EXPECT_EQ(product_of(set), expected);
  Config files;
  files.SetProgFile(model.program);
  files.SetParamsFile(model.params);
  EXPECT_EQ(product_of(files), expected);

  const TemporaryFolder separate;  // __model__ and a file per variable
  separate.write("__model__", bytes.program);
  separate.write("w", bytes.params);
  EXPECT_EQ(product_of(Config(separate.path())), expected);

  Config memory;
  {
    const std::string program = bytes.program;
    const std::string params = bytes.params;
    memory.SetModelBuffer(program.data(), program.size(), params.data(), params.size());
  }
  EXPECT_TRUE(memory.model_from_memory());
  EXPECT_EQ(product_of(memory), expected) << "the bytes are copied";
  Config again = memory;
  const auto predictor = CreatePredictor(again);
  again.PartiallyRelease();
  fill<float>(*predictor, "x", {1, 2}, {1, 2});
  EXPECT_TRUE(predictor->Run()) << "and the predictor has its own";
}

TEST(PaddleConfig, ReadsModelsInJson) {
  for (const ModelBytes& bytes : small_pir_models()) {
    const TemporaryFolder folder;
    folder.write("inference.json", bytes.program);
    folder.write("inference.pdiparams", bytes.params);
    const auto predictor = CreatePredictor(Config(folder.path(), "inference"));
    EXPECT_EQ(predictor->GetInputNames().size(), bytes.inputs.size()) << bytes.name;
  }
}

TEST(PaddleConfig, OnlyTheConstructorWithTwoArgumentsLooksForTheProgram) {
  expect_refused([] { Config config("no/program", "no/params"); }, "no program file 'no/program'");
  Config config;
  config.SetModel("no/program", "no/params");
  expect_refused([&] { CreatePredictor(config); }, "no/program");
  expect_refused([] { CreatePredictor(Config()); }, "names no model");
  EXPECT_TRUE(config.is_valid());
}

TEST(PaddleConfig, MakesOnePredictorAndItsCopiesOneEach) {
  const ModelOnDisk model(product_model());
  const Config config = model.config();
  EXPECT_EQ(product_of(config), (Floats{7, 10}));
  EXPECT_FALSE(config.is_valid());
  expect_refused([&] { CreatePredictor(config); }, "made a predictor already");
  expect_refused([&] { paddle::CreatePaddlePredictor(config); }, "made a predictor already");
  const Config copy = config;
  EXPECT_EQ(product_of(copy), (Floats{7, 10}));
  Config assigned;
  assigned = config;
  EXPECT_TRUE(assigned.is_valid());
}

TEST(PaddleConfig, CopiesKeepWhatWasDeleted) {
  Config config;
  config.pass_builder()->DeletePass("conv_bn_fuse_pass");
  Config copy = config;
  EXPECT_EQ(copy.pass_builder()->GetAllDeletedPasses().count("conv_bn_fuse_pass"), 1U);
  EXPECT_EQ(copy.pass_builder()->GetPassIndex("conv_bn_fuse_pass"), static_cast<size_t>(-1));
  copy.pass_builder()->ClearPasses();
  EXPECT_FALSE(config.pass_builder()->AllPasses().empty()) << "lists are not shared";
}

TEST(PaddleConfig, EveryRewriteOfTheTableExists) {
  std::set<std::string> rewrites;
  for (size_t i = 0; coracle_pass_name(i) != nullptr; ++i) rewrites.insert(coracle_pass_name(i));
  for (const paddle::detail::PassRow& row : paddle::detail::pass_table()) {
    EXPECT_EQ(rewrites.count(row.rewrite), 1U) << row.paddle << " -> " << row.rewrite;
  }
}

TEST(PaddleConfig, DeletedPassesTakeTheirRewritesAway) {
  Config config;
  config.pass_builder()->DeletePass("fc_fuse_pass");
  config.DeletePass("constant_folding_pass");
  config.pass_builder()->DeletePass("no_such_pass");
  EXPECT_NE(config.Summary().find("| constant_folding,fuse_linear "), std::string::npos) << config.Summary();
  config.pass_builder()->AppendPass("fc_fuse_pass");
  EXPECT_NE(config.Summary().find("| constant_folding "), std::string::npos) << config.Summary();
  config.SwitchIrOptim(false);
  EXPECT_NE(config.Summary().find("| all "), std::string::npos) << config.Summary();
}

TEST(PaddleConfig, PassesOfOnesOwnAreRefused) {
  const ModelOnDisk model(product_model());
  Config appended = model.config();
  appended.pass_builder()->AppendPass("my_pass");
  expect_refused([&] { CreatePredictor(appended); }, "'my_pass', which is not a pass of Paddle");
  Config custom = model.config();
  custom.EnableCustomPasses({"my_pass"});
  expect_refused([&] { CreatePredictor(custom); }, "EnableCustomPasses names 'my_pass'");
  Config known = model.config();
  known.EnableCustomPasses({"conv2d_bn_fuse_pass"}, true);
  known.EnableMKLDNN();
  known.EnableMkldnnBfloat16();
  known.pass_builder()->InsertPass(0, "graph_viz_pass");
  known.pass_builder()->DeletePass(0);
  EXPECT_EQ(product_of(known), (Floats{7, 10}));
}

TEST(PaddleConfig, OptimisedModelsAreSavedAndUsed) {
  const ModelOnDisk model(product_model());
  const Floats expected = {7, 10};
  const std::string folder = model.path() + "/cache";
  Config saving = model.config();
  saving.SetOptimCacheDir(folder);
  saving.EnableSaveOptimModel(true);
  EXPECT_EQ(product_of(saving), expected);
  // What is saved by name, as programs for Paddle do it, or where the Config finds it.
  Config named(folder + "/_optimized.pdmodel", folder + "/_optimized.pdiparams");
  named.SwitchIrOptim(false);
  EXPECT_EQ(product_of(named), expected);
  Config used = model.config();
  used.SetOptimCacheDir(folder);
  used.UseOptimizedModel();
  std::ofstream(model.program) << "no longer a program";
  EXPECT_EQ(product_of(used), expected);
  Config missing = model.config();
  missing.SetOptimCacheDir(folder + "2");
  missing.UseOptimizedModel();
  expect_refused([&] { CreatePredictor(missing); }, "is damaged");
}

TEST(PaddleConfig, OptimisedModelsAreSavedWhereThereAreNone) {
  const ModelOnDisk model(product_model());
  Config missing = model.config();
  missing.UseOptimizedModel();
  EXPECT_EQ(product_of(missing), (Floats{7, 10}));
  EXPECT_EQ(product_of(Config(model.path() + "/_optimized.pdmodel", model.path() + "/_optimized.pdiparams")),
            (Floats{7, 10}));
}

TEST(PaddleConfig, WhatPaddleHasOptimisedIsNotWrittenOver) {
  const ModelOnDisk model(product_model());
  const std::string parameters = model.path() + "/_optimized.pdiparams";
  std::ofstream(parameters) << "of Paddle 3, which has _optimized.json";
  Config used = model.config();
  used.UseOptimizedModel();
  EXPECT_EQ(product_of(used), (Floats{7, 10}));
  Config saved = model.config();
  saved.EnableSaveOptimModel(true);
  expect_refused([&] { CreatePredictor(saved); }, "did not write");
  std::string content;
  std::getline(std::ifstream(parameters), content);
  EXPECT_EQ(content, "of Paddle 3, which has _optimized.json");
  EXPECT_FALSE(std::ifstream(model.path() + "/_optimized.pdmodel").good());
}

TEST(PaddleConfig, SettingsThatChangeNothingAreListedBehindPaddlesRows) {
  Config config;
  config.SetModel("a.pdmodel", "a.pdiparams");
  config.EnableUseGpu(100, 0);
  config.EnableTensorRtEngine();
  const std::string summary = config.Summary();
  size_t at = 0;
  for (const char* row : {"Option", "model_file", "params_file", "cpu_math_thread", "enable_mkldnn",
                          "mkldnn_cache_capacity", "use_gpu", "use_xpu", "use_cinn_compiler", "save_optimized_model",
                          "ir_optim", "ir_debug", "use_optimized_model", "memory_optim", "enable_profile", "enable_log",
                          "collect_shape_range_info", "EnableUseGpu", "EnableTensorRtEngine"}) {
    const size_t found = summary.find("| " + std::string(row) + " ", at);
    ASSERT_NE(found, std::string::npos) << row << " behind " << at << " in\n" << summary;
    at = found;
  }
}

TEST(PaddleConfig, RunsWithOptimisationOffAndWithAnyThreads) {
  const ModelBytes bytes = small_model("convolution");
  const ModelOnDisk model(bytes);
  Floats first;
  for (int threads : {1, 3}) {
    Config config = model.config();
    config.SetCpuMathLibraryNumThreads(threads);
    const auto predictor = CreatePredictor(config);
    fill<float>(*predictor, "x", {1, 3, 8, 7}, Floats(168, 0.25F));
    predictor->Run();
    if (first.empty()) first = result<float>(*predictor, "y");
    EXPECT_EQ(result<float>(*predictor, "y"), first);
  }
}

}  // namespace
}  // namespace coracle::internal::test
