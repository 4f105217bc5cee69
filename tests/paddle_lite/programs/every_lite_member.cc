// SPDX-License-Identifier: Apache-2.0
// Uses every member of Paddle Lite's interface once: that it compiles is the test. Also run, on a model with an input x
// [?, 2] and outputs "twice" and "product". lite_second_unit.cc is the other unit of the program.
//   every_lite_member PROGRAM PARAMS SAVED        makes SAVED.nb and the folder SAVED
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../paddle/programs/expect.h"
#include "paddle_api.h"
#include "paddle_place.h"
#include "paddle_use_kernels.h"
#include "paddle_use_ops.h"
#include "paddle_use_passes.h"

int targets_of_second_unit();

namespace {

using namespace paddle::lite_api;
using Bytes = std::vector<char>;

int told(int, void*) { return 0; }
void* allocate(size_t, size_t) { return nullptr; }
void deallocate(void*) {}

template <class T>
void every_element_type() {
  auto use = [](Tensor& t, T* data) {
    t.CopyFromCpu(data);
    t.CopyFromCpu<T, TARGET(kARM)>(data);
    t.CopyToCpu(data);
    return t.mutable_data<T>() == t.data<T>();
  };
  (void)use;
}

void base_config(ConfigBase& config) {
  config.set_model_dir("folder");
  config.set_threads(2);
  config.set_x86_math_num_threads(1);
  config.set_power_mode(LITE_POWER_RAND_LOW);
  EXPECT(config.model_dir() == "folder" && config.threads() == 2 && config.x86_math_num_threads() == 1);
  EXPECT(config.power_mode() == LITE_POWER_RAND_LOW);
  config.add_discarded_pass("a_pass");
  EXPECT(config.get_discarded_passes().size() == 1);
  config.set_custom_allocator(TARGET(kARM), CustomAllocator{allocate, deallocate});
  config.set_coracle_device("cpu");
  EXPECT(config.coracle_device() == "cpu");
  config.set_opencl_binary_path_name("a", "b");
  config.set_opencl_tune(CL_TUNE_NORMAL, "a", "b", 3);
  config.set_opencl_precision(CL_PRECISION_FP16);
  config.set_subgraph_model_cache_dir("cache");
  EXPECT(config.subgraph_model_cache_dir() == "cache");
  config.set_subgraph_model_cache_buffers("key", Bytes{'a'}, Bytes{'b'});
  EXPECT(config.subgraph_model_cache_buffers().at("key").second == Bytes{'b'});
  EXPECT(!config.check_nnadapter_device_name("verisilicon_timvx"));
  config.set_nnadapter_device_names({"verisilicon_timvx"});
  EXPECT(config.nnadapter_device_names().size() == 1);
  config.set_nnadapter_context_properties("a=0;");
  EXPECT(config.nnadapter_context_properties() == "a=0;");
  config.set_nnadapter_context_callback(told);
  EXPECT(config.nnadapter_context_callback() == told);
  config.set_nnadapter_model_cache_dir("cache");
  EXPECT(config.nnadapter_model_cache_dir() == "cache");
  config.set_nnadapter_dynamic_shape_info({{"x", {{1, 2}}}});
  EXPECT(config.nnadapter_dynamic_shape_info().at("x")[0][1] == 2);
  config.set_nnadapter_model_cache_buffers("token", Bytes{'c'});
  EXPECT(config.nnadapter_model_cache_buffers().count("token") == 1);
  config.set_device_id(1);
  EXPECT(config.get_device_id() == 1);
  config.set_xpu_workspace_l3_size_per_thread();
  config.set_xpu_l3_cache_method(1, true);
  config.set_xpu_l3_cache_autotune();
  config.set_xpu_gm_workspace_method(1);
  config.set_xpu_conv_autotune(true, "file");
  config.set_xpu_dev_per_thread(0);
  config.enable_xpu_multi_stream();
  config.set_xpu_multi_encoder_precision("int16");
  config.set_xpu_multi_encoder_method("int16", false);
  config.set_xpu_cluster_num(1);
  config.set_xpu_sdnn_num(1);
  config.set_xpu_local_quant(false);
  config.set_xpu_compute_precision("int16");
  config.set_xpu_dump_tensor_path("a");
  config.set_xpu_dump_log_path("a");
  config.set_metal_lib_path("lib");
  config.set_metal_use_mps(true);
  config.set_metal_use_aggressive(true);
  config.set_metal_device(&config);
  config.set_metal_use_memory_reuse(true);
  EXPECT(config.metal_lib_path() == "lib" && config.metal_use_mps() && config.metal_use_aggressive());
  EXPECT(config.metal_device() == &config && config.metal_use_memory_reuse());
  EXPECT(!config.recorded_calls().empty());
}

void configs() {
  CxxConfig cxx(LITE_POWER_HIGH, 2);
  base_config(cxx);
  cxx.set_valid_places({Place(TARGET(kARM))});
  cxx.set_model_file("m");
  cxx.set_param_file("p");
  EXPECT(cxx.valid_places()[0] == Place(TARGET(kARM)) && cxx.model_file() == "m" && cxx.param_file() == "p");
  cxx.set_model_buffer("m", 1, "p", 1);
  cxx.set_model_buffer(std::make_shared<CxxModelBuffer>("mm", 2, "p", 1));
  EXPECT(cxx.get_model_buffer().get_program() == "mm" && cxx.get_model_buffer().get_params() == "p");
  EXPECT(cxx.is_model_from_memory() && cxx.model_from_memory() && CxxModelBuffer().is_empty());
  cxx.set_passes_internal();
  EXPECT(cxx.get_passes_internal().empty());
  cxx.set_preferred_inputs_for_warmup<float>(0, 0, {1, 2});
  cxx.set_preferred_inputs_for_warmup<int64_t>(0, 0, {1, 2}, {{0, 1}}, 1, nullptr);
  cxx.set_quant_model(true);
  cxx.set_quant_type(QuantType::QUANT_INT8);
  cxx.set_sparse_model(true);
  cxx.set_sparse_threshold(0.5F);
  EXPECT(cxx.quant_model() && cxx.quant_type() == QuantType::QUANT_INT8);
  EXPECT(cxx.sparse_model() && cxx.sparse_threshold() == 0.5F);
  cxx.set_nnadapter_subgraph_partition_config_path("a");
  cxx.set_nnadapter_subgraph_partition_config_buffer("b");
  cxx.set_nnadapter_mixed_precision_quantization_config_path("c");
  cxx.set_nnadapter_mixed_precision_quantization_config_buffer("d");
  EXPECT(cxx.nnadapter_subgraph_partition_config_path() == "a");
  EXPECT(cxx.nnadapter_subgraph_partition_config_buffer() == "b");
  EXPECT(cxx.nnadapter_mixed_precision_quantization_config_path() == "c");
  EXPECT(cxx.nnadapter_mixed_precision_quantization_config_buffer() == "d");
  MobileConfig mobile(LITE_POWER_FULL, 2);
  base_config(mobile);
  mobile.set_model_from_file("m");
  mobile.set_model_from_buffer(std::string("m"));
  const std::string bytes = "m";
  mobile.set_model_from_buffer(bytes);
  mobile.set_model_from_buffer("m", 1);
  EXPECT(mobile.lite_model_file() == "m" && mobile.lite_model_buffer_size() == 1 && mobile.is_model_from_memory());
  EXPECT(*mobile.lite_model_buffer_ptr() == 'm' && mobile.model_from_memory());
  mobile.set_model_buffer("m", 1, "p", 1);
  EXPECT(mobile.model_buffer() == "m" && mobile.param_buffer() == "p");
  mobile.set_precision_mode(LITE_PRECISION_NORMAL);
  EXPECT(mobile.precision_mode() == LITE_PRECISION_NORMAL && !mobile.check_fp16_valid());
  mobile.SetArmL3CacheSize();
  mobile.SetArmL3CacheSize(L3CacheSetMethod::kAbsolute, 1);
}

void places() {
  Place place{TARGET(kX86), PRECISION(kInt8), DATALAYOUT(kNHWC), 1};
  Place other;
  other.Deserialize(place.Serialize());
  EXPECT(place.is_valid() && other != place && (other < place || place < other) && place == Place(place));
  EXPECT(place.hash() != 0 && !place.DebugString().empty());
  EXPECT(std::set<Place>({place, other, place}).size() == 2);
  EXPECT(TargetToStr(TARGET(kARM)) == "arm" && TargetRepr(TARGET(kARM)) == "kARM");
  EXPECT(PrecisionToStr(PRECISION(kFloat)) == "float" && PrecisionRepr(PRECISION(kFloat)) == "kFloat");
  EXPECT(DataLayoutToStr(DATALAYOUT(kNCHW)) == "NCHW" && DataLayoutRepr(DATALAYOUT(kNCHW)) == "kNCHW");
  EXPECT(ActivationTypeToStr(ActivationType::kRelu) == "Relu");
  EXPECT(CLTuneModeToStr(CL_TUNE_NONE) == "CL_TUNE_NONE");
  EXPECT(CLPrecisionTypeToStr(CL_PRECISION_AUTO) == "CL_PRECISION_AUTO");
  EXPECT(ExpandValidTargets().size() > ExpandValidPrecisions().size() && ExpandValidLayouts().size() > 1);
  EXPECT(PrecisionTypeLength(PRECISION(kFloat)) == 4 && PrecisionTypeTrait<float>::Type() == PRECISION(kFloat));
  EXPECT(!IsOpenCLBackendValid() && !IsOpenCLBackendValid(true) && GetOpenCLDeviceType() == -1);
  EXPECT(MLU_220 == 0 && MLU_270 == 1);
}

void tensors(PaddlePredictor& predictor) {
  every_element_type<bool>();
  every_element_type<int8_t>();
  every_element_type<uint8_t>();
  every_element_type<int16_t>();
  every_element_type<int32_t>();
  every_element_type<int64_t>();
  every_element_type<float>();
  every_element_type<double>();
  Tensor in = *predictor.GetInput(0);
  const std::unique_ptr<const Tensor> out = predictor.GetOutput(1);
  shape_t shape = {1, 2};
  in.Resize(shape);
  std::vector<float> data = {1, 2};
  in.ShareExternalMemory(data.data(), 8, TARGET(kHost));
  in.SetPrecision(PRECISION(kFloat));
  in.SetLoD(lod_t());
  predictor.Run();
  out->CopyToCpu(data.data());
  EXPECT(data[0] == 7.F && data[1] == 10.F && out->data<float>()[1] == 10.F && out->mutable_data<float>()[0] == 7.F);
  EXPECT(out->shape() == shape && out->lod().empty() && in.lod().empty() && in.IsInitialized());
  EXPECT(in.target() == TARGET(kHost) && out->precision() == PRECISION(kFloat));
  expect_error([&] { in.mutable_metal_data(nullptr); }, "mutable_metal_data");
}

void predictors(PaddlePredictor& predictor, const std::string& saved) {
  EXPECT(predictor.GetInputNames().size() == 1 && predictor.GetOutputNames().size() == 2);
  EXPECT(predictor.GetInputByName("x") != nullptr && predictor.GetTensor("twice") != nullptr);
  EXPECT(predictor.GetMutableTensor("x") != nullptr && predictor.GetTensor("none") == nullptr);
  expect_error([&] { predictor.GetParamNames(); }, "GetParamNames");
  EXPECT(predictor.Clone() != nullptr && predictor.Clone({"x"}) != nullptr);
  EXPECT(!predictor.GetVersion().empty() && predictor.TryShrinkMemory());
  predictor.SetStream(TARGET(kXPU), nullptr);
  predictor.SaveOptimizedModel(saved);
  predictor.SaveOptimizedModel(saved, LiteModelType::kNaiveBuffer, true);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  configs();
  places();
  CxxConfig cxx;
  cxx.set_model_file(argv[1]);
  cxx.set_param_file(argv[2]);
  const std::shared_ptr<PaddlePredictor> full = CreatePaddlePredictor(cxx);
  tensors(*full);
  predictors(*full, argv[3]);
  MobileConfig mobile;
  mobile.set_model_from_file(std::string(argv[3]) + ".nb");
  tensors(*CreatePaddlePredictor<MobileConfig>(mobile));
  EXPECT(targets_of_second_unit() == 17);
  return 0;
}
