// SPDX-License-Identifier: Apache-2.0
// What goes wrong is an exception that says what was expected and found, and the predictor works afterwards.
#include <limits>

#include "paddle_lite/lite_models.h"

namespace coracle::internal::test {
namespace {

class PaddleLiteMisuse : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(product_of(*predictor_, {1, 2}), (std::vector<float>{7, 10})); }

  ModelOnDisk model_{product_model()};
  LitePredictor predictor_ = lite_predictor(model_);
  std::unique_ptr<lite::Tensor> in_ = predictor_->GetInput(0);
  std::unique_ptr<const lite::Tensor> out_ = predictor_->GetOutput(1);
  std::vector<float> x_ = {1, 2, 3, 4};
};

TEST_F(PaddleLiteMisuse, NumbersAndNamesThatThereAreNot) {
  expect_refused([&] { predictor_->GetInput(1); }, "the model has 1 inputs, [x], there is no input 1");
  expect_refused([&] { predictor_->GetInput(-1); }, "there is no input -1");
  expect_refused([&] { predictor_->GetOutput(2); }, "the model has 2 outputs, [twice, product], there is no output 2");
  expect_refused([&] { predictor_->GetInputByName("y"); }, "no input 'y', its inputs are ['x']");
  expect_refused([&] { predictor_->GetParamNames(); }, "GetParamNames");
}

TEST_F(PaddleLiteMisuse, RunsAndResultsBeforeTheirTime) {
  expect_refused([&] { predictor_->Run(); }, "input 'x' was not set");
  in_->Resize({1, 2});
  expect_refused([&] { predictor_->Run(); }, "input 'x' was not set");
  expect_refused([&] { in_->data<float>(); }, "input 'x' was not set");
  expect_refused([&] { out_->data<float>(); }, "output 'product': there are no outputs before a run");
  expect_refused([&] { out_->mutable_data<float>(); }, "no outputs before a run");
  expect_refused([&] { out_->CopyToCpu(x_.data()); }, "no outputs before a run");
  in_->CopyFromCpu(x_.data());
  predictor_->Run();
  EXPECT_TRUE(predictor_->TryShrinkMemory());
  EXPECT_FALSE(out_->IsInitialized());
  expect_refused([&] { out_->data<float>(); }, "output 'product'");
}

TEST_F(PaddleLiteMisuse, ElementsBeforeTheShape) {
  expect_refused([&] { in_->mutable_data<float>(); }, "call Resize before its elements");
  expect_refused([&] { in_->CopyFromCpu(x_.data()); }, "call Resize before its elements");
  in_->ShareExternalMemory(x_.data(), 8, TARGET(kHost));
  expect_refused([&] { predictor_->Run(); }, "call Resize before its elements");
}

TEST_F(PaddleLiteMisuse, ShapesThatDoNotFit) {
  expect_refused([&] { in_->Resize({1, -2}); }, "dimension 1 is -2, expected 0 or more");
  const int64_t most = std::numeric_limits<int64_t>::max();
  expect_refused([&] { in_->Resize({most, most}); }, "too large");
  in_->Resize({2, 2});
  in_->CopyFromCpu(x_.data());
  in_->Resize({1, 2});
  expect_refused([&] { predictor_->Run(); }, "has shape [1, 2], which is 8 bytes, but was given 16: call mutable_data");
  expect_refused([&] { in_->data<float>(); }, "which is 8 bytes");
  in_->Resize({1, 3});
  in_->CopyFromCpu(x_.data());
  expect_refused([&] { predictor_->Run(); }, "[1, 3]");
  in_->Resize({2});
  in_->CopyFromCpu(x_.data());
  expect_refused([&] { predictor_->Run(); }, "has 2 dimensions");
}

TEST_F(PaddleLiteMisuse, OutputsCannotBeSet) {
  const std::unique_ptr<lite::Tensor> out = predictor_->GetMutableTensor("product");
  expect_refused([&] { out->Resize({1, 2}); }, "Resize: 'product' is an output");
  expect_refused([&] { out->CopyFromCpu(x_.data()); }, "is an output");
  expect_refused([&] { out->SetLoD({{0, 1}}); }, "is an output");
  expect_refused([&] { out->SetPrecision(PRECISION(kFloat)); }, "is an output");
  expect_refused([&] { out->ShareExternalMemory(x_.data(), 8, TARGET(kHost)); }, "is an output");
}

TEST_F(PaddleLiteMisuse, OtherElementTypes) {
  const std::vector<int64_t> whole = {1, 2};
  in_->Resize({1, 2});
  expect_refused([&] { in_->CopyFromCpu(whole.data()); }, "takes elements of type float32, given int64");
  expect_refused([&] { in_->mutable_data<int8_t>(); }, "given int8");
  expect_refused([&] { in_->SetPrecision(PRECISION(kInt8)); }, "elements of type float32, given int8_t");
  in_->CopyFromCpu(x_.data());
  expect_refused([&] { in_->data<int64_t>(); }, "has elements of type float32, asked for int64");
  predictor_->Run();
  expect_refused([&] { out_->data<double>(); }, "has elements of type float32, asked for float64");
  expect_refused([&] { out_->mutable_data<int>(); }, "asked for int32");
}

TEST_F(PaddleLiteMisuse, NullPointersAndOtherPlaces) {
  in_->Resize({1, 2});
  expect_refused([&] { in_->CopyFromCpu(static_cast<float*>(nullptr)); }, "null pointer");
  expect_refused([&] { in_->ShareExternalMemory(nullptr, 8, TARGET(kHost)); }, "null pointer");
  expect_refused([&] { predictor_->Run(); }, "was not set");
  expect_refused([&] { in_->mutable_data<float>(TARGET(kOpenCL)); }, "lies in memory of the host");
  expect_refused([&] { in_->CopyFromCpu<float, TARGET(kCUDA)>(x_.data()); }, "given TARGET(kCUDA)");
  expect_refused([&] { in_->ShareExternalMemory(x_.data(), 8, TARGET(kMetal)); }, "given TARGET(kMetal)");
  expect_refused([&] { in_->mutable_metal_data(nullptr); }, "mutable_metal_data");
  in_->CopyFromCpu(x_.data());
  predictor_->Run();
  expect_refused([&] { out_->CopyToCpu(static_cast<float*>(nullptr)); }, "null pointer");
  expect_refused([] { lite::MobileConfig().set_model_from_buffer(nullptr, 3); }, "null pointer");
  expect_refused([] { lite::MobileConfig().set_model_buffer("m", 1, nullptr, 3); }, "null pointer");
  expect_refused([] { lite::CxxConfig().set_model_buffer(nullptr, 3, nullptr, 0); }, "null pointer");
}

TEST_F(PaddleLiteMisuse, DamagedModelsOfOpt) {
  for (char version : {0, 1, 2, 3}) {
    const std::string bytes = std::string{version, 0} + "v2.12" + std::string(60, '\0');
    const std::string what =
        std::string("a file of version ") + static_cast<char>('0' + version) + " that opt 'v2.12' of Paddle Lite wrote";
    const TemporaryFolder folder;
    const std::string file = folder.write("model.nb", bytes);
    expect_refused([&] { lite::CreatePaddlePredictor(mobile_config(file)); }, "model.nb', " + what);
    lite::MobileConfig memory;
    memory.set_model_from_buffer(bytes);
    expect_refused([&] { lite::CreatePaddlePredictor(memory); }, what);
    lite::CxxConfig cxx;
    cxx.set_model_file(file);
    expect_refused([&] { lite::CreatePaddlePredictor(cxx); }, what);
  }
}

TEST_F(PaddleLiteMisuse, ModelsThatAreNone) {
  expect_refused([] { lite::CreatePaddlePredictor(lite::MobileConfig()); }, "the MobileConfig names no model");
  expect_refused([] { lite::CreatePaddlePredictor(lite::CxxConfig()); }, "the CxxConfig names no model");
  expect_refused([] { (void)lite::CxxConfig().get_model_buffer(); }, "call set_model_buffer before");
  const TemporaryFolder folder;
  expect_refused([&] { lite::CreatePaddlePredictor(mobile_config(folder.path("no.nb"))); }, "no.nb");
  expect_refused([&] { lite::CreatePaddlePredictor(mobile_config(folder.write("m.nb", "text"))); }, "m.nb");
  expect_refused([&] { lite::CreatePaddlePredictor(mobile_config(folder.write("e.nb", ""))); }, "e.nb");
  lite::MobileConfig empty;
  empty.set_model_from_buffer(std::string());
  expect_refused([&] { lite::CreatePaddlePredictor(empty); }, "");
}

TEST_F(PaddleLiteMisuse, NumbersOutOfRange) {
  lite::MobileConfig config;
  expect_refused([&] { config.set_threads(0); }, "set_threads takes 1 to 1024, given 0");
  expect_refused([&] { config.set_x86_math_num_threads(1025); },
                 "set_x86_math_num_threads takes 1 to 1024, given 1025");
  expect_refused([] { lite::CxxConfig(lite::LITE_POWER_HIGH, -1); }, "given -1");
  expect_refused(
      [&] {
        config.set_coracle_device("abacus");
        lite::CreatePaddlePredictor(config);
      },
      "names no model");
}

TEST_F(PaddleLiteMisuse, PlacesToSaveIn) {
  expect_refused([&] { predictor_->SaveOptimizedModel(""); }, "was given no name");
  expect_refused([&] { predictor_->SaveOptimizedModel("x", lite::LiteModelType::UNK); }, "kProtobuf or kNaiveBuffer");
  expect_refused([&] { predictor_->SaveOptimizedModel(model_.path("no/where.nb")); }, "no/where.nb");
  expect_refused([&] { predictor_->SaveOptimizedModel(model_.path("no/where")); }, "no/where/model");
}

}  // namespace
}  // namespace coracle::internal::test
