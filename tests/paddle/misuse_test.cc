// SPDX-License-Identifier: Apache-2.0
// What goes wrong is an exception that says what was expected and found, and the predictor works afterwards.
#include <limits>

#include "paddle/paddle_infer_contrib.h"
#include "paddle/paddle_models.h"

namespace coracle::internal::test {
namespace {

using paddle_infer::PlaceType;
using Floats = std::vector<float>;

class PaddleMisuse : public testing::Test {
 protected:
  void TearDown() override {
    fill<float>(*predictor_, "x", {1, 2}, {1, 2});
    ASSERT_TRUE(predictor_->Run());
    EXPECT_EQ(result<float>(*predictor_, "product"), (Floats{7, 10}));
  }
  ModelOnDisk model_{product_model()};
  std::shared_ptr<paddle_infer::Predictor> predictor_ = model_.predictor();
  std::unique_ptr<paddle_infer::Tensor> in_ = predictor_->GetInputHandle("x");
  std::unique_ptr<paddle_infer::Tensor> out_ = predictor_->GetOutputHandle("product");
  const Floats x_ = {1, 2, 3, 4};
};

TEST_F(PaddleMisuse, UnknownNames) {
  expect_refused([&] { predictor_->GetInputHandle("y"); }, "no input 'y', its inputs are ['x']");
  expect_refused([&] { predictor_->GetInputHandle("product"); }, "no input 'product'");
  expect_refused([&] { predictor_->GetOutputHandle(""); }, "its outputs are ['twice', 'product']");
}

TEST_F(PaddleMisuse, RunBeforeInputsAreSet) {
  expect_refused([&] { predictor_->Run(); }, "input 'x' was not set");
  in_->Reshape({1, 2});
  expect_refused([&] { predictor_->Run(); }, "input 'x' was not set");
}

TEST_F(PaddleMisuse, ResultsBeforeARun) {
  Floats y(2);
  expect_refused([&] { out_->CopyToCpu(y.data()); }, "output 'product': there are no outputs before a run");
  EXPECT_EQ(out_->shape(), std::vector<int>{0}) << "as in Paddle";
  EXPECT_TRUE(out_->lod().empty());
  expect_refused([&] { out_->data<float>(nullptr, nullptr); }, "no outputs before a run");
  EXPECT_EQ(out_->type(), paddle_infer::FLOAT32);
}

TEST_F(PaddleMisuse, ElementsBeforeTheShape) {
  expect_refused([&] { in_->CopyFromCpu(x_.data()); }, "call Reshape before its elements");
  expect_refused([&] { in_->mutable_data<float>(PlaceType::kCPU); }, "no elements, call Reshape before");
  expect_refused([&] { in_->data<float>(nullptr, nullptr); }, "input 'x' was not set");
}

TEST_F(PaddleMisuse, ShapesThatDoNotFit) {
  expect_refused([&] { in_->Reshape({1, -2}); }, "dimension 1 is -2, expected 0 or more");
  const int most = std::numeric_limits<int>::max();
  expect_refused([&] { in_->Reshape({most, most, most}); }, "too large");
  in_->Reshape({2, 2});
  in_->CopyFromCpu(x_.data());
  in_->Reshape({1, 2});
  expect_refused([&] { predictor_->Run(); }, "which is 8 bytes, but was filled with 16: call CopyFromCpu");
  in_->Reshape({1, 3});
  in_->CopyFromCpu(x_.data());
  expect_refused([&] { predictor_->Run(); }, "[1, 3]");
  in_->Reshape({2});
  in_->CopyFromCpu(x_.data());
  expect_refused([&] { predictor_->Run(); }, "has 2 dimensions");
}

TEST_F(PaddleMisuse, OutputsCannotBeSet) {
  expect_refused([&] { out_->Reshape({1, 2}); }, "Reshape: 'product' is an output");
  expect_refused([&] { out_->CopyFromCpu(x_.data()); }, "is an output");
  expect_refused([&] { out_->SetLoD({{0, 1}}); }, "is an output");
  expect_refused([&] { out_->mutable_data<float>(PlaceType::kCPU); }, "is an output");
}

TEST_F(PaddleMisuse, OtherElementTypes) {
  const std::vector<int64_t> whole = {1, 2};
  in_->Reshape({1, 2});
  expect_refused([&] { in_->CopyFromCpu(whole.data()); }, "takes elements of type float32, given int64");
  expect_refused([&] { in_->ShareExternalData(whole.data(), {1, 2}, PlaceType::kCPU); }, "given int64");
  in_->CopyFromCpu(x_.data());
  predictor_->Run();
  std::vector<int> copy(2);
  expect_refused([&] { out_->CopyToCpu(copy.data()); }, "has elements of type float32, asked for int32");
  expect_refused([&] { out_->data<double>(nullptr, nullptr); }, "asked for float64");
}

TEST_F(PaddleMisuse, NullPointers) {
  const float* none = nullptr;
  in_->Reshape({1, 2});
  expect_refused([&] { in_->CopyFromCpu(none); }, "null pointer");
  expect_refused([&] { predictor_->Run(); }, "was not set");
  expect_refused([&] { in_->ShareExternalData(none, {1, 2}, PlaceType::kCPU); }, "null pointer");
  expect_refused([&] { out_->ShareExternalData(none, {1, 2}, PlaceType::kCPU); }, "null pointer");
  in_->CopyFromCpu(x_.data());
  predictor_->Run();
  expect_refused([&] { out_->CopyToCpu(static_cast<float*>(nullptr)); }, "null pointer");
  std::vector<paddle::Tensor>* nowhere = nullptr;
  expect_refused([&] { predictor_->Run({paddle::empty({1, 2})}, nowhere); }, "null pointer");
  expect_refused([&] { predictor_->Run({paddle::Tensor()}, nowhere); }, "null pointer");
  std::vector<paddle::Tensor> outputs;
  expect_refused([&] { predictor_->Run({paddle::Tensor()}, &outputs); }, "has no elements");
  expect_refused([&] { paddle_infer::Predictor(std::unique_ptr<paddle::PaddlePredictor>()); }, "null pointer");
  expect_refused([&] { paddle_infer::Config().SetExecStream(nullptr); }, "null pointer");
  expect_refused([&] { paddle_infer::Config().SetModelBuffer(nullptr, 3, nullptr, 0); }, "null pointer");
  expect_refused([&] { paddle_infer::contrib::TensorUtils::CopyTensor(nullptr, *in_); }, "null pointer");
}

TEST_F(PaddleMisuse, OtherPlacesAndLayouts) {
  in_->Reshape({1, 2});
  expect_refused([&] { in_->mutable_data<float>(PlaceType::kGPU); }, "lies on the CPU");
  expect_refused(
      [&] {
        in_->ShareExternalData(x_.data(), {1, 2}, PlaceType::kGPU);
      },
      "was given memory of a GPU, but the model runs on the CPU");
  expect_refused(
      [&] {
        in_->ShareExternalData(x_.data(), {1, 2}, PlaceType::kCPU, paddle_infer::DataLayout::kNHWC);
      },
      "kNCHW");
}

TEST_F(PaddleMisuse, OffsetsThatAreNone) {
  in_->Reshape({2, 2});
  in_->CopyFromCpu(x_.data());
  for (const auto& lod : std::vector<std::vector<std::vector<size_t>>>{{{0, 3}}, {{1, 2}}, {{}}, {{0, 2, 1, 2}}}) {
    in_->SetLoD(lod);
    expect_refused([&] { predictor_->Run(); }, "sequence offsets of input 'x'");
  }
  in_->SetLoD({});
}

TEST_F(PaddleMisuse, NumbersOutOfRange) {
  paddle_infer::Config config;
  expect_refused([&] { config.SetCpuMathLibraryNumThreads(0); }, "1 to 1024, given 0");
  expect_refused([&] { config.SetOptimizationLevel(5); }, "0 to 4, given 5");
  expect_refused([&] { config.SetTensorRtOptimizationLevel(-1); }, "0 to 5, given -1");
  expect_refused([&] { config.pass_builder()->InsertPass(1000, "fc_fuse_pass"); }, "no place 1000");
  expect_refused([&] { config.pass_builder()->DeletePass(size_t{1000}); }, "no pass 1000");
  expect_refused([&] { config.CollectShapeRangeInfo(""); }, "path of a file");
}

TEST_F(PaddleMisuse, WhatDoesNotExistHereSaysSo) {
  expect_refused([&] { in_->ReshapeStrings(3); }, "strings are not supported");
  expect_refused([&] { paddle::MakeCipher("x"); }, "SetModelBuffer");
  paddle_infer::DistConfig dist;
  dist.EnableDistModel(true);
  expect_refused([&] { paddle_infer::Config().SetDistConfig(dist); }, "several machines");
  expect_refused(
      [&] {
        paddle_infer::ConvertToMixedPrecision("a", "b", "c", "d", paddle_infer::PrecisionType::kHalf, PlaceType::kCPU);
      },
      "not converted here");
}

TEST_F(PaddleMisuse, DamagedModels) {
  const TemporaryFolder folder;
  const std::string program = folder.write("m.pdmodel", "not a program");
  const std::string params = folder.write("m.pdiparams", "");
  expect_refused([&] { paddle_infer::CreatePredictor(paddle_infer::Config(program, params)); }, "m.pdmodel");
  expect_refused([&] { paddle_infer::CreatePredictor(paddle_infer::Config(model_.program, params)); }, "m.pdiparams");
  expect_refused([&] { paddle_infer::CreatePredictor(paddle_infer::Config(folder.path("nowhere"))); }, "nowhere");
  paddle_infer::Config memory;
  memory.SetModelBuffer("x", 1, nullptr, 0);
  expect_refused([&] { paddle_infer::CreatePredictor(memory); }, "program in memory");
}

TEST_F(PaddleMisuse, AHookMayNotUseItsPredictor) {
  fill<float>(*predictor_, "x", {1, 2}, {1, 2});
  const std::shared_ptr<paddle_infer::Predictor> busy = model_.predictor();
  fill<float>(*busy, "x", {1, 2}, {1, 2});
  busy->RegisterInputHook([&](const std::string&, const std::string&, const paddle::Tensor&) {
    expect_refused([&] { busy->TryShrinkMemory(); }, "in use by its own observer");
  });
  EXPECT_TRUE(busy->Run());
}

}  // namespace
}  // namespace coracle::internal::test
