// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

#include "coracle/coracle.hpp"
#include "paddle_lite/lite_models.h"

namespace coracle::internal::test {
namespace {

using Floats = std::vector<float>;
using Shape = std::vector<int64_t>;
using Strings = std::vector<std::string>;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PaddleLitePredictor, NamesInputsAndOutputs) {
  const ModelOnDisk model(product_model());
  const LitePredictor predictor = lite_predictor(model);
  EXPECT_EQ(predictor->GetInputNames(), Strings{"x"});
  EXPECT_EQ(predictor->GetOutputNames(), (Strings{"twice", "product"}));
  EXPECT_EQ(predictor->GetVersion(), coracle_version());
  EXPECT_EQ(product_of(*predictor, {1, 2}), (Floats{7, 10}));
  EXPECT_EQ(elements<float>(*predictor->GetTensor("twice")), (Floats{2, 4}));
  EXPECT_EQ(elements<float>(*predictor->GetTensor("x")), (Floats{1, 2}));
  EXPECT_EQ(elements<float>(*predictor->GetMutableTensor("product")), (Floats{7, 10}));
  EXPECT_EQ(predictor->GetTensor("w"), nullptr) << "as in Paddle Lite";
  EXPECT_EQ(predictor->GetMutableTensor(""), nullptr);
}

TEST(PaddleLitePredictor, InputsAndOutputsAreTensors) {
  const ModelOnDisk model(product_model());
  const LitePredictor predictor = lite_predictor(model);
  const std::unique_ptr<lite::Tensor> in = predictor->GetInputByName("x");
  const std::unique_ptr<const lite::Tensor> out = predictor->GetOutput(1);
  EXPECT_FALSE(in->IsInitialized());
  EXPECT_FALSE(out->IsInitialized());
  EXPECT_TRUE(in->shape().empty());
  EXPECT_TRUE(out->shape().empty());
  EXPECT_EQ(out->precision(), PRECISION(kFloat));
  in->Resize({2, 2});
  const Floats rows = {1, 2, 3, 4};
  in->CopyFromCpu<float, TARGET(kARM)>(rows.data());
  EXPECT_TRUE(in->IsInitialized());
  predictor->Run();
  EXPECT_TRUE(out->IsInitialized());
  EXPECT_EQ(out->shape(), (Shape{2, 2}));
  Floats copy(4);
  out->CopyToCpu(copy.data());
  EXPECT_EQ(copy, (Floats{7, 10, 15, 22}));
  EXPECT_EQ(out->mutable_data<float>(), out->data<float>()) << "programs read results so";
  EXPECT_EQ(in->precision(), PRECISION(kFloat));
  in->SetPrecision(PRECISION(kFloat));
  EXPECT_EQ(in->target(), TARGET(kHost));
  // The memory of an input stays, so that a pointer to it may be kept.
  float* const first = in->mutable_data<float>();
  in->Resize({2, 2});
  EXPECT_EQ(in->mutable_data<float>(TARGET(kX86)), first);
  first[0] = 0;
  predictor->Run();
  EXPECT_EQ(elements<float>(*out), (Floats{6, 8, 15, 22}));
}

TEST(PaddleLitePredictor, InputsOfTheCaller) {
  const ModelOnDisk model(product_model());
  const LitePredictor predictor = lite_predictor(model);
  const std::unique_ptr<lite::Tensor> in = predictor->GetInput(0);
  Floats memory = {1, 2, 3, 4, 5, 6};
  in->ShareExternalMemory(memory.data(), memory.size() * sizeof(float), TARGET(kHost));
  in->Resize({1, 2});
  EXPECT_EQ(in->mutable_data<float>(), memory.data());
  predictor->Run();
  EXPECT_EQ(elements<float>(*predictor->GetOutput(1)), (Floats{7, 10}));
  in->Resize({2, 2});
  memory[0] = 0;
  predictor->Run();
  EXPECT_EQ(elements<float>(*predictor->GetOutput(1)), (Floats{6, 8, 15, 22}));
  in->Resize({4, 2});
  expect_refused([&] { predictor->Run(); }, "is 32 bytes, but was given 24 by ShareExternalMemory");
  EXPECT_NE(in->mutable_data<float>(), memory.data()) << "what does not fit gets memory of its own";
}

TEST(PaddleLitePredictor, TensorsOutliveTheirPredictor) {
  const ModelOnDisk model(product_model());
  LitePredictor predictor = lite_predictor(model);
  EXPECT_EQ(product_of(*predictor, {1, 2}), (Floats{7, 10}));
  const std::unique_ptr<const lite::Tensor> out = predictor->GetOutput(1);
  predictor.reset();
  EXPECT_EQ(elements<float>(*out), (Floats{7, 10}));
}

TEST(PaddleLitePredictor, WholeNumbers) {
  const ModelOnDisk model(reader_model());
  const LitePredictor predictor = lite_predictor(model);
  const std::vector<int64_t> words = {1, 2, 3};
  for (int i : {0, 1}) {
    fill<int64_t>(*predictor->GetInput(i), {1, 3}, words);
    EXPECT_EQ(predictor->GetInput(i)->precision(), PRECISION(kInt64));
  }
  predictor->Run();
  const coracle::Model loaded(model.path());
  coracle::Session session(loaded, {.threads = 1});
  session.set_input(0, {1, 3}, words);
  session.set_input(1, {1, 3}, words);
  session.run();
  EXPECT_EQ(elements<float>(*predictor->GetOutput(0)), session.output(0).copy<float>());
}

TEST(PaddleLitePredictor, Sequences) {
  const ModelOnDisk model(small_model("sequences"));
  const LitePredictor predictor = lite_predictor(model);
  std::vector<int64_t> words(9);
  std::iota(words.begin(), words.end(), 0);
  const std::unique_ptr<lite::Tensor> in = predictor->GetInput(0);
  fill<int64_t>(*in, {9, 1}, words);
  in->SetLoD({{0, 3, 5, 9}});
  EXPECT_EQ(in->lod(), (lite::lod_t{{0, 3, 5, 9}}));
  EXPECT_TRUE(predictor->GetOutput(0)->lod().empty());
  predictor->Run();
  const coracle::Model loaded(model.path());
  coracle::Session session(loaded, {.threads = 1});
  session.set_input(0, {9, 1}, words);
  session.set_lod(0, {{0, 3, 5, 9}});
  session.run();
  EXPECT_EQ(elements<float>(*predictor->GetOutput(0)), session.output(0).copy<float>());
  in->SetLoD({{0, 8}});
  expect_refused([&] { predictor->Run(); }, "sequence offsets of input");
}

TEST(PaddleLitePredictor, ClonesShareTheModelAndNothingElse) {
  const ModelOnDisk model(product_model());
  const LitePredictor predictor = lite_predictor(model);
  EXPECT_EQ(product_of(*predictor, {1, 2}), (Floats{7, 10}));
  const LitePredictor clone = predictor->Clone({"x"});
  expect_refused([&] { clone->Run(); }, "input 'x' was not set");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const LitePredictor mine = predictor->Clone();
      const auto n = static_cast<float>(t);
      for (int i = 0; i < 50; ++i) {
        if (product_of(*mine, {n, 1}) != Floats{n + 3, 2 * n + 4}) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(elements<float>(*predictor->GetOutput(1)), (Floats{7, 10})) << "results of others stay";
}

TEST(PaddleLitePredictor, SavedModels) {
  const ModelOnDisk model(product_model());
  const LitePredictor predictor = lite_predictor(model);
  EXPECT_TRUE(predictor->TryShrinkMemory());
  // The name that programs write, whose file they load again.
  predictor->SaveOptimizedModel(model.path("lite"), lite::LiteModelType::kNaiveBuffer);
  predictor->SaveOptimizedModel(model.path("named.coracle"), lite::LiteModelType::kNaiveBuffer, true);
  EXPECT_EQ(content_of(model.path("lite.nb")), content_of(model.path("named.coracle")));
  for (const char* name : {"lite.nb", "named.coracle"}) {
    EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(mobile_config(model.path(name))), {1, 2}), (Floats{7, 10}));
  }
  predictor->SaveOptimizedModel(model.path("folder"));
  lite::CxxConfig files;
  files.set_model_file(model.path("folder/model"));
  files.set_param_file(model.path("folder/params"));
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(files), {1, 2}), (Floats{7, 10}));
  lite::CxxConfig folder;
  folder.set_model_dir(model.path("folder"));
  const LitePredictor again = lite::CreatePaddlePredictor(folder);
  EXPECT_EQ(product_of(*again, {1, 2}), (Floats{7, 10}));
  again->SaveOptimizedModel(model.path("again.nb"));
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(mobile_config(model.path("again.nb"))), {1, 2}), (Floats{7, 10}));
}

TEST(PaddleLitePredictor, ModelsInMemory) {
  const ModelOnDisk model(product_model());
  lite_predictor(model)->SaveOptimizedModel(model.path("m.coracle"));
  std::string bytes = content_of(model.path("m.coracle"));
  LitePredictor predictor;
  {
    lite::MobileConfig config;
    config.set_model_from_buffer(bytes);
    EXPECT_TRUE(config.is_model_from_memory() && config.model_from_memory());
    EXPECT_EQ(config.lite_model_file(), bytes);
    EXPECT_EQ(config.lite_model_buffer_size(), bytes.size());
    predictor = lite::CreatePaddlePredictor<lite::MobileConfig>(config);
  }
  EXPECT_EQ(product_of(*predictor, {1, 2}), (Floats{7, 10})) << "the predictor keeps the bytes";
  lite::MobileConfig pointer;
  pointer.set_model_from_buffer(bytes.data(), bytes.size());
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(pointer), {1, 2}), (Floats{7, 10}));
  lite::MobileConfig moved;
  moved.set_model_from_buffer(std::move(bytes));
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(moved), {1, 2}), (Floats{7, 10}));

  const std::string program = content_of(model.program);
  const std::string params = content_of(model.params);
  lite::MobileConfig both;
  both.set_model_buffer(program.data(), program.size(), params.data(), params.size());
  EXPECT_EQ(both.model_buffer(), program);
  EXPECT_EQ(both.param_buffer(), params);
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(both), {1, 2}), (Floats{7, 10}));
  lite::CxxConfig cxx;
  cxx.set_model_buffer(program.data(), program.size(), params.data(), params.size());
  EXPECT_TRUE(cxx.is_model_from_memory() && cxx.model_from_memory());
  EXPECT_EQ(cxx.get_model_buffer().get_program(), program);
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(cxx), {1, 2}), (Floats{7, 10}));
  cxx.set_model_buffer(std::make_shared<lite::CxxModelBuffer>(std::string(program), std::string(params)));
  EXPECT_FALSE(cxx.get_model_buffer().is_empty());
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(cxx), {1, 2}), (Floats{7, 10}));
}

TEST(PaddleLitePredictor, FoldersAndProgramsByEachConfig) {
  const ModelOnDisk model(product_model());
  lite::MobileConfig mobile;
  mobile.set_model_dir(model.path());
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(mobile), {1, 2}), (Floats{7, 10}));
  for (const std::string& path : {model.path(), model.program, model.params}) {
    EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(mobile_config(path)), {1, 2}), (Floats{7, 10}));
  }
  lite::CxxConfig cxx;
  cxx.set_model_dir(model.path());
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(cxx), {1, 2}), (Floats{7, 10}));
}

TEST(PaddleLitePredictor, ThreadsDoNotChangeResults) {
  const ModelOnDisk model(small_model("convolution"));
  Floats pixels(3 * 40 * 40);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i % 17) * 0.25F;
  std::vector<Floats> results;
  for (int threads : {1, 2, 4}) {
    lite::CxxConfig config = cxx_config(model);
    config.set_threads(threads);
    config.set_x86_math_num_threads(2);
    const LitePredictor predictor = lite::CreatePaddlePredictor(config);
    fill<float>(*predictor->GetInput(0), {1, 3, 40, 40}, pixels);
    predictor->Run();
    results.push_back(elements<float>(*predictor->GetOutput(0)));
  }
  EXPECT_FALSE(results[0].empty());
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

/// Files that Paddle Lite's opt wrote, with the answers that Paddle Lite gives.
TEST(PaddleLitePredictor, ModelsOfOpt) {
  std::vector<float> x(72);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) / 5 - 1;
  const std::string file = std::string(CORACLE_LITE_FILES) + "/x86.nb";
  std::ifstream stream(file, std::ios::binary);
  lite::MobileConfig memory;
  memory.set_model_from_buffer(std::string(std::istreambuf_iterator<char>(stream), {}));
  for (const lite::MobileConfig& config : {mobile_config(file), memory}) {
    const LitePredictor predictor = lite::CreatePaddlePredictor(config);
    EXPECT_EQ(predictor->GetInputNames(), std::vector<std::string>{"x"});
    fill<float>(*predictor->GetInput(0), {1, 2, 6, 6}, x);
    predictor->Run();
    const std::vector<float> got = elements<float>(*predictor->GetOutput(0));
    const std::vector<float> expected{0.18950915F, 0.24385369F, 0.19335045F, 0.19067284F, 0.18261378F};
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6);
  }
}

}  // namespace
}  // namespace coracle::internal::test
