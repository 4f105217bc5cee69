// SPDX-License-Identifier: Apache-2.0
// Uses every member of Paddle's C++ interface once, but for Config (every_config.cc): that it compiles is the test.
// Also run, on a model with an input x [?, 2] and outputs "twice" and "product".
//   every_member PROGRAM PARAMS
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "expect.h"
#include "paddle_infer_contrib.h"
#include "paddle_inference_api.h"

namespace {

using paddle_infer::Config;
using paddle_infer::PrecisionType;
using Names = std::vector<std::string>;
using Set = std::unordered_set<std::string>;

void set_flag(void* flag) { *static_cast<bool*>(flag) = true; }

template <class T>
void every_element_type(paddle_infer::Tensor& tensor) {
  (void)tensor;
  auto use = [](paddle_infer::Tensor& t, T* data) {
    t.CopyFromCpu(data);
    t.CopyToCpu(data);
    t.CopyToCpuAsync(data, nullptr);
    t.CopyToCpuAsync(data, set_flag, nullptr);
    t.ShareExternalData(data, {1}, paddle_infer::PlaceType::kCPU, paddle_infer::DataLayout::kNCHW);
    return t.mutable_data<T>(paddle_infer::PlaceType::kCPU) == t.data<T>(nullptr, nullptr);
  };
  (void)use;
}

void tensors(paddle_infer::Predictor& predictor) {
  using paddle_infer::PlaceType;
  auto in = predictor.GetInputHandle("x");
  auto out = predictor.GetOutputHandle("product");
  every_element_type<double>(*in);
  every_element_type<float>(*in);
  every_element_type<int64_t>(*in);
  every_element_type<int32_t>(*in);
  every_element_type<uint8_t>(*in);
  every_element_type<int8_t>(*in);
  every_element_type<phi::dtype::float16>(*in);
  every_element_type<paddle::platform::float16>(*in);
  every_element_type<phi::dtype::bfloat16>(*in);
  every_element_type<bool>(*in);
  in->Reshape({1, 2});
  expect_error([&] { in->ReshapeStrings(2); }, "ReshapeStrings");
  const paddle_infer::Strings strings;
  expect_error([&] { in->CopyStringsFromCpu(&strings); }, "CopyStringsFromCpu");
  float* to = in->mutable_data<float>(PlaceType::kCPU);
  to[0] = 1;
  to[1] = 2;
  EXPECT(predictor.Run());
  std::vector<float> result(2);
  out->CopyToCpu(result.data());
  EXPECT(result[0] == 7.F && result[1] == 10.F);
  bool called = false;
  out->CopyToCpuAsync(result.data(), set_flag, static_cast<void*>(&called));
  out->CopyToCpuAsync(result.data(), static_cast<void*>(nullptr));
  EXPECT(called);
  PlaceType place = PlaceType::kUNK;
  int size = 0;
  const float* seen = out->data<float>(&place, &size);
  EXPECT(seen[0] == 7.F && place == PlaceType::kCPU && size == 2);
  in->SetLoD({});
  EXPECT(in->lod().empty() && out->lod().empty());
  EXPECT(in->name() == "x" && in->type() == paddle_infer::DataType::FLOAT32 && in->type() == paddle_infer::FLOAT32);
  EXPECT(in->place() == PlaceType::kCPU && out->shape() == std::vector<int>({1, 2}));

  using paddle_infer::contrib::TensorUtils;
  void* pinned = TensorUtils::CudaMallocPinnedMemory(16);
  TensorUtils::CudaFreePinnedMemory(pinned);
  TensorUtils::CopyTensor(in.get(), *out);
  TensorUtils::CopyTensorAsync(in.get(), *out, nullptr);
  TensorUtils::CopyTensorAsync(in.get(), *out, set_flag, static_cast<void*>(&called));
  EXPECT(in->data<float>(nullptr, nullptr)[1] == 10.F);
}

void predictors(paddle_infer::Predictor& predictor) {
  EXPECT(predictor.GetInputNames() == Names({"x"}) && predictor.GetOutputNames() == Names({"twice", "product"}));
  EXPECT(predictor.GetInputTensorShape().at("x") == std::vector<int64_t>({-1, 2}));
  EXPECT(predictor.GetInputTypes().at("x") == paddle_infer::FLOAT32);
  EXPECT(predictor.GetOutputTensorShape().size() == 2 && predictor.GetOutputTypes().size() == 2);
  auto clone = predictor.Clone();
  EXPECT(predictor.Clone(nullptr) != nullptr);
  int outputs = 0;
  clone->RegisterOutputHook([&](const std::string&, const std::string&, const paddle::Tensor&) { ++outputs; });
  clone->RegisterInputHook([](const std::string&, const std::string&, const paddle::Tensor&) {});
  paddle::Tensor x = paddle::empty({1, 2}, paddle::DataType::FLOAT32);
  x.set_name("x");
  x.data<float>()[0] = 1;
  EXPECT(x.place() == paddle::CPUPlace() && x.place() != paddle::GPUPlace{});
  EXPECT(x.copy_to(paddle::CPUPlace(), true).data<float>()[0] == 1.F && x.numel() == 2);
  paddle::Tensor halves = paddle::full({3}, 0.5, paddle::DataType::FLOAT16, paddle::GPUPlace{});
  EXPECT(static_cast<float>(halves.data<phi::dtype::float16>()[2]) == 0.5F);
  EXPECT(paddle::full({2}, 7, paddle::DataType::INT64).data<int64_t>()[1] == 7);
  std::ostringstream type;
  type << halves.dtype();
  EXPECT(type.str() == "float16");
  std::vector<paddle::Tensor> results;
  EXPECT(clone->Run({x}, &results));
  EXPECT(results.size() == 2 && results[0].data<float>()[0] == 2.F && outputs > 0);
  clone->ClearIntermediateTensor();
  (void)clone->TryShrinkMemory();
  EXPECT(clone->GetExecStream() == nullptr);

  using paddle_infer::experimental::InternalUtils;
  auto in = predictor.GetInputHandle("x");
  in->Reshape({1, 2});
  const std::vector<float> data = {1, 2};
  std::vector<float> copy(2);
  InternalUtils::CopyFromCpuWithIoStream(in.get(), data.data(), cudaStream_t());
  EXPECT(InternalUtils::RunWithExternalStream(&predictor, cudaStream_t()));
  EXPECT(InternalUtils::RunWithExternalStream(&predictor, hipStream_t()));
  paddle_infer::experimental::XpuRuntimeConfig runtime;
  EXPECT(InternalUtils::RunWithRuntimeConfig(&predictor, &runtime));
  InternalUtils::CopyToCpuWithIoStream(predictor.GetOutputHandle("twice").get(), copy.data(), cudaStream_t());
  EXPECT(copy[1] == 4.F);
  InternalUtils::SyncStream(&predictor);
  InternalUtils::SyncStream(cudaStream_t());
  InternalUtils::SyncStream(hipStream_t());
  Config config;
  InternalUtils::UpdateConfigInterleaved(&config, false);
  InternalUtils::SetTransformerPosid(&config, "a");
  InternalUtils::SetTransformerMaskid(&config, "b");
  InternalUtils::DisableTensorRtHalfOps(&config, {"c"});
}

void free_functions(const std::string& program, const std::string& params) {
  EXPECT(paddle_infer::GetNumBytesOfDataType(paddle_infer::INT64) == 8);
  EXPECT(paddle_infer::GetVersion().find("version: ") == 0);
  EXPECT(std::get<0>(paddle_infer::GetTrtCompileVersion()) == 0 &&
         std::get<2>(paddle_infer::GetTrtRuntimeVersion()) == 0);
  paddle_infer::UpdateDllFlag("flag", "value");
  expect_error(
      [&] {
        paddle_infer::ConvertToMixedPrecision(program, params, "a", "b", PrecisionType::kHalf,
                                              paddle_infer::PlaceType::kGPU, true, Set(), Set());
      },
      "ConvertToMixedPrecision");
  using paddle_infer::contrib::Status;
  const Status bad = paddle_infer::contrib::get_status([] { throw std::runtime_error("reason"); });
  EXPECT(!bad.ok() && bad.code() != 0 && bad.error_message() == "reason" && bad != Status::OK());
  EXPECT(Status().ok() && Status() == Status(std::exception_ptr()));
}

void old_interface(const std::string& program, const std::string& params) {
  paddle::NativeConfig native;
  native.prog_file = program;
  native.param_file = params;
  native.model_dir = "";
  native.use_gpu = native.use_xpu = false;
  native.device = 0;
  native.fraction_of_gpu_memory = -1.F;
  native.SetCpuMathLibraryNumThreads(1);
  EXPECT(native.cpu_math_library_num_threads() == 1);
  auto predictor = paddle::CreatePaddlePredictor<paddle::NativeConfig, paddle::PaddleEngineKind::kNative>(native);
  paddle::PaddleTensor x;
  x.name = "x";
  x.shape = {1, 2};
  x.dtype = paddle::PaddleDType::FLOAT32;
  x.data = paddle::PaddleBuf(2 * sizeof(float));
  x.data.Resize(8);
  static_cast<float*>(x.data.data())[0] = 1;
  static_cast<float*>(x.data.data())[1] = 2;
  EXPECT(!x.data.empty() && x.data.length() == 8);
  std::vector<paddle::PaddleTensor> outputs;
  EXPECT(predictor->Run({x}, &outputs, 1));
  EXPECT(outputs[1].name == "product" && static_cast<float*>(outputs[1].data.data())[1] == 10.F);
  float mine[2] = {3, 4};
  paddle::PaddleBuf moved = paddle::PaddleBuf(mine, sizeof(mine));
  paddle::PaddleBuf copied = moved;
  EXPECT(moved.data() == mine && copied.data() != mine);
  copied.Reset(mine, sizeof(mine));

  Config config(program, params);
  auto analysis = paddle::CreatePaddlePredictor(config);
  auto in = analysis->GetInputTensor("x");
  in->Reshape({1, 2});
  in->copy_from_cpu(mine);
  EXPECT(analysis->ZeroCopyRun());
  EXPECT(analysis->ZeroCopyRun(false));
  analysis->GetOutputTensor("twice")->copy_to_cpu(mine);
  EXPECT(mine[0] == 6.F);
  const paddle_infer::Strings strings;
  expect_error([&] { in->copy_strings_from_cpu(&strings); }, "copy_strings_from_cpu");
  EXPECT(analysis->GetInputNames().size() == 1 && analysis->GetOutputNames().size() == 2);
  EXPECT(analysis->GetInputTensorShape().size() == 1 && analysis->GetOutputTensorShape().size() == 2);
  EXPECT(analysis->GetInputTypes().size() == 1 && analysis->GetOutputTypes().size() == 2);
  analysis->RegisterOutputHook([](const std::string&, const std::string&, const paddle::Tensor&) {});
  analysis->RegisterInputHook([](const std::string&, const std::string&, const paddle::Tensor&) {});
  EXPECT(analysis->Clone() != nullptr && analysis->Clone(nullptr) != nullptr);
  EXPECT(analysis->GetSerializedProgram() == content(program) && analysis->GetExecStream() == nullptr);
  analysis->ClearIntermediateTensor();
  (void)analysis->TryShrinkMemory();
  using Kind = paddle::PaddleEngineKind;
  EXPECT((paddle::CreatePaddlePredictor<Config, Kind::kAnalysis>(Config(config)) != nullptr));
  EXPECT((paddle::CreatePaddlePredictor<Config, Kind::kONNXRuntime>(Config(config)) != nullptr));
  (void)Kind::kAutoMixedTensorRT;
  EXPECT(paddle::PaddleDtypeSize(paddle::PaddleDType::INT32) == 4);
  EXPECT(paddle::get_version() == paddle_infer::GetVersion());
  paddle::UpdateDllFlag("flag", "value");
  expect_error([] { paddle::MakeCipher(""); }, "MakeCipher");
  (void)paddle::PaddlePlace::kCPU;
  (void)paddle::PaddleDataLayout::kNCHW;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string program = argv[1];
  const std::string params = argv[2];
  std::shared_ptr<paddle_infer::Predictor> predictor = paddle_infer::CreatePredictor(Config(program, params));
  tensors(*predictor);
  predictors(*predictor);
  paddle_infer::Predictor of_old(paddle::CreatePaddlePredictor(Config(program, params)));
  EXPECT(of_old.GetInputNames().size() == 1);
  paddle_infer::services::PredictorPool pool(Config(program, params), 2);
  EXPECT(pool.Retrieve(1) != nullptr && pool.Retrive(0) != nullptr);
  free_functions(program, params);
  old_interface(program, params);
  std::printf("every member was used\n");
  return 0;
}
