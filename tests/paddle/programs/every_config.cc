// SPDX-License-Identifier: Apache-2.0
// Uses every member of Paddle's Config and pass builder once: that it compiles is the test; every_member.cc has the
// others. Also run, on any model of two files.
//   every_config PROGRAM PARAMS
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "expect.h"
#include "paddle_inference_api.h"

namespace {

using paddle_infer::Config;
using paddle_infer::PrecisionType;
using Shapes = std::map<std::string, std::vector<int>>;
using Names = std::vector<std::string>;

void location(const std::string& program, const std::string& params) {
  Config two(program, params);
  Config folder("somewhere");
  EXPECT(folder.model_dir() == "somewhere");
  Config config;
  config.SetModel("somewhere");
  config.SetModel(program, params);
  config.SetProgFile(program);
  config.SetParamsFile(params);
  EXPECT(config.prog_file() == program && config.params_file() == params);
  const std::string bytes = content(program);
  const std::string weights = content(params);
  config.SetModelBuffer(bytes.data(), bytes.size(), weights.data(), weights.size());
  EXPECT(config.model_from_memory());
  config.SetOptimCacheDir("");
  config.EnableSaveOptimModel(true);
  config.UseOptimizedModel();
  config.SetApplyOptim(true);
  config.SetSkipLoadParams(false);
  config.PartiallyRelease();
}

void devices(Config& config) {
  config.EnableUseGpu(100);
  config.EnableUseGpu(100, 0, PrecisionType::kHalf);
  EXPECT(!config.use_gpu() && config.gpu_device_id() == 0 && config.memory_pool_init_size_mb() == 100);
  EXPECT(config.fraction_of_gpu_memory_for_pool() >= 0.F);
  config.DisableGpu();
  config.EnableCUDNN();
  EXPECT(!config.cudnn_enabled());
  config.EnableGpuMultiStream();
  EXPECT(!config.thread_local_stream_enabled());
  config.Exp_EnableUseCutlass();
  int stream = 0;
  config.SetExecStream(&stream);
  EXPECT(config.GetExecStream() == &stream && config.external_stream_enabled());
  config.EnableXpu(0xfffc00, false, false, "", "int16", false, false);
  config.SetXpuDeviceId(1);
  paddle_infer::XpuConfig xpu;
  xpu.device_id = 2;
  config.SetXpuConfig(xpu);
  EXPECT(config.xpu_config().device_id == 2 && !config.use_xpu() && config.xpu_device_id() == 2);
  config.EnableIpu(1, 1, false, 1);
  config.SetIpuConfig(false, 1, 1.0F, false, false);
  config.SetIpuCustomInfo({{"relu", "Relu", "domain", "1"}}, {{"pattern", true}});
  expect_error([&] { config.LoadIpuConfig("no such file"); }, "LoadIpuConfig of a missing file");
  EXPECT(!config.use_ipu() && config.ipu_device_num() == 1);
  (void)Config::ipu_config_code::ipu_device_num;
  config.EnableNpu(0);
  EXPECT(!config.use_npu() && config.npu_device_id() == 0);
  config.EnableCustomDevice("npu", 1, PrecisionType::kFloat32);
  EXPECT(!config.use_custom_device() && config.custom_device_id() == 1 && config.custom_device_type() == "npu");
  EXPECT(!config.enable_custom_device_mixed());
  config.EnableONNXRuntime();
  config.DisableONNXRuntime();
  config.EnableORTOptimization();
  EXPECT(!config.use_onnxruntime() && !config.ort_optimization_enabled());
  config.EnableOpenVINOEngine(PrecisionType::kFloat32);
  EXPECT(config.coracle_engines() == "openvino");
  config.SetCoracleEngines("");
  EXPECT(config.coracle_engines().empty() && !config.openvino_engine_enabled());
  config.EnableLiteEngine(PrecisionType::kFloat32, false, {}, {});
  EXPECT(!config.lite_engine_enabled());
  config.NNAdapter()
      .SetDeviceNames({"huawei_ascend_npu"})
      .SetContextProperties("")
      .SetModelCacheDir("")
      .SetModelCacheBuffers("token", {})
      .SetSubgraphPartitionConfigPath("")
      .SetSubgraphPartitionConfigBuffer("")
      .Enable()
      .Disable();
  config.EnableDlnne(3, 1, false, "0", {}, {}, false, PrecisionType::kFloat32);
  EXPECT(!config.dlnne_enabled());
  config.SetCalibrationFilePath("table");
  EXPECT(config.CalibrationFilePath() == "table");
  paddle_infer::DistConfig dist;
  dist.EnableDistModel(false);
  dist.SetEndpoints({"a"}, "a");
  dist.SetRanks(1, 0);
  dist.SetCommInitConfig("");
  dist.SetCarrierId("inference");
  config.SetDistConfig(dist);
  const paddle_infer::DistConfig& kept = config.dist_config();
  EXPECT(!kept.use_dist_model() && kept.trainer_endpoints().size() == 1 && kept.current_endpoint() == "a");
  EXPECT(kept.nranks() == 1 && kept.rank() == 0 && kept.comm_init_config().empty() && kept.carrier_id() == "inference");
}

void cpu(Config& config) {
  config.SetCpuMathLibraryNumThreads(2);
  EXPECT(config.cpu_math_library_num_threads() == 2);
  config.EnableMKLDNN();
  EXPECT(config.mkldnn_enabled());
  config.DisableMKLDNN();
  config.EnableONEDNN();
  EXPECT(config.onednn_enabled());
  config.DisableONEDNN();
  config.SetMkldnnCacheCapacity(10);
  config.SetOnednnCacheCapacity(10);
  config.SetMKLDNNOp({"conv2d"});
  config.SetONEDNNOp({"conv2d"});
  config.EnableMkldnnBfloat16();
  config.EnableOnednnBfloat16();
  EXPECT(config.mkldnn_bfloat16_enabled() && config.onednn_bfloat16_enabled());
  config.SetBfloat16Op({"conv2d"});
  config.EnableMkldnnInt8({"conv2d"});
  config.EnableOnednnInt8();
  EXPECT(config.mkldnn_int8_enabled() && config.onednn_int8_enabled());
  config.DisableMkldnnFcPasses();
  config.DisableOnednnFcPasses();
  EXPECT(config.mkldnn_fc_passes_disabled() && config.onednn_fc_passes_disabled());
  config.EnableMkldnnQuantizer();
  EXPECT(config.mkldnn_quantizer_enabled());
  paddle::MkldnnQuantizerConfig& quantizer = *config.mkldnn_quantizer_config();
  EXPECT(quantizer.scale_algo("conv2d", "Filter") == paddle::ScaleAlgo::MAX_CH);
  EXPECT(quantizer.scale_algo("conv2d", "none") == paddle::ScaleAlgo::MAX);
  quantizer.SetScaleAlgo("conv2d", "Filter", paddle::ScaleAlgo::KL);
  quantizer.SetDefaultScaleAlgo(paddle::ScaleAlgo::NONE);
  quantizer.SetWarmupData(std::make_shared<std::vector<paddle::PaddleTensor>>(3));
  quantizer.SetWarmupBatchSize(100);
  quantizer.SetEnabledOpTypes({"conv2d", "pool2d"});
  quantizer.SetExcludedOpIds({7});
  const paddle::MkldnnQuantizerConfig kept = *config.mkldnn_quantizer_config();
  EXPECT(kept.scale_algo("conv2d", "Filter") == paddle::ScaleAlgo::KL && kept.warmup_data()->size() == 3);
  EXPECT(kept.default_scale_algo() == paddle::ScaleAlgo::NONE && kept.warmup_batch_size() == 100);
  EXPECT(kept.enabled_op_types().count("pool2d") == 1 && kept.excluded_op_ids().count(7) == 1);
  config.DisableFCPadding();
  EXPECT(!config.use_fc_padding());
}

void graph(Config& config) {
  config.SwitchIrOptim();
  config.SwitchIrOptim(true);
  EXPECT(config.ir_optim());
  config.SwitchIrDebug();
  config.SwitchIrDebug(true, {"conv_bn_fuse_pass"});
  config.SwitchIrDebug(false);
  config.SwitchUseFeedFetchOps(false);
  EXPECT(!config.use_feed_fetch_ops_enabled());
  config.SwitchSpecifyInputNames(true);
  EXPECT(config.specify_input_name());
  config.EnableMemoryOptim();
  EXPECT(config.enable_memory_optim());
  config.DeletePass("conv_bn_fuse_pass");
  config.EnableCustomPasses({"conv2d_bn_fuse_pass"}, false);
  config.SetOptimizationLevel(2);
  config.EnableNewExecutor();
  EXPECT(config.new_executor_enabled());
  config.EnableNewIR();
  EXPECT(config.new_ir_enabled());
  config.EnableCINN();
  EXPECT(!config.cinn_enabled());
  config.Exp_DisableMixedPrecisionOps({"conv2d"});
  config.Exp_EnableMixedPrecisionOps({"conv2d"});
  config.EnableLowPrecisionIO();
  config.EnableProfile();
  EXPECT(config.profile_enabled());
  config.DisableGlogInfo();
  EXPECT(config.glog_info_disabled());
  EXPECT(config.is_valid());
  Config used = config;
  used.SetInValid();
  EXPECT(!used.is_valid() && Config(used).is_valid());
  const paddle::NativeConfig native = config.ToNativeConfig();
  EXPECT(native.specify_input_name);
  EXPECT(!config.Summary().empty());
}

void tensorrt(Config& config) {
  config.EnableTensorRtEngine(1 << 30, 1, 3, PrecisionType::kFloat32, false, true, false);
  EXPECT(!config.tensorrt_engine_enabled() && config.tensorrt_precision_mode() == PrecisionType::kFloat32);
  const Shapes shapes = {{"x", {1, 2}}};
  config.SetTRTDynamicShapeInfo(shapes, shapes, shapes, false);
  EXPECT(config.tensorrt_dynamic_shape_enabled());
  Config collecting;
  collecting.CollectShapeRangeInfo("shapes.txt");
  EXPECT(collecting.shape_range_info_collected() && collecting.shape_range_info_path() == "shapes.txt");
  config.EnableTunedTensorRtDynamicShape();
  config.EnableTunedTensorRtDynamicShape("shapes.txt", true);
  EXPECT(config.tuned_tensorrt_dynamic_shape() && config.trt_allow_build_at_runtime());
  config.Exp_DisableTensorRtOPs({"concat"});
  config.Exp_DisableTensorRtSubgraph({"x"});
  config.Exp_SpecifyTensorRTSubgraphPrecision({}, {}, {});
  config.Exp_DisableTensorRTDynamicShapeOPs(true);
  config.MarkTrtEngineOutputs({"x"});
  config.EnableVarseqlen();
  config.EnableTensorRtOSS();
  EXPECT(!config.tensorrt_varseqlen_enabled() && !config.tensorrt_oss_enabled());
  config.EnableTensorRtInspector(false);
  EXPECT(!config.tensorrt_inspector_enabled());
  config.EnableTensorRtDLA(0);
  EXPECT(!config.tensorrt_dla_enabled());
  config.EnableTensorRTMemoryOptim(true, 0);
  EXPECT(!config.trt_engine_memory_sharing());
  config.EnableTensorRtExplicitQuantization();
  EXPECT(!config.tensorrt_explicit_quantization_enabled());
  config.SetTensorRtOptimizationLevel(3);
  EXPECT(config.tensorrt_optimization_level() == 3);
}

void pass_lists(const Config& config) {
  paddle::PaddlePassBuilder builder({"a"});
  builder.SetPasses({"a", "b"});
  builder.AppendPass("c");
  builder.InsertPass(0, "d");
  builder.DeletePass(0);
  builder.DeletePass("b");
  EXPECT(builder.GetPassIndex("c") == 1 && builder.GetPassIndex("z") == static_cast<size_t>(-1));
  EXPECT(builder.GetAllDeletedPasses().count("b") == 1);
  builder.AppendAnalysisPass("e");
  EXPECT(!builder.AnalysisPasses().empty());
  builder.TurnOnDebug();
  EXPECT(builder.AllPasses().size() == 4 && !builder.DebugString().empty());
  builder.ClearPasses();
  EXPECT(builder.AllPasses().empty());
  EXPECT(config.pass_builder() != nullptr);
  paddle::CpuPassStrategy of_cpu;
  paddle::GpuPassStrategy of_gpu;
  paddle::XpuPassStrategy of_xpu;
  paddle::CustomDevicePassStrategy of_custom;
  paddle::IpuPassStrategy of_ipu;
  EXPECT(of_gpu.use_gpu() && of_xpu.use_xpu() && of_custom.use_custom_device() && of_ipu.use_ipu());
  for (paddle::PassStrategy* one :
       {static_cast<paddle::PassStrategy*>(&of_cpu), static_cast<paddle::PassStrategy*>(&of_gpu)}) {
    one->EnableCUDNN();
    one->EnableMKLDNN();
    one->EnableMkldnnQuantizer();
    one->EnableMkldnnBfloat16();
    one->EnableMkldnnInt8();
    one->DisableMkldnnFcPasses();
    one->DisableMKLDNN();
    one->EnableONEDNN();
    one->EnableOnednnBfloat16();
    one->EnableOnednnInt8();
    one->DisableOnednnFcPasses();
    one->DisableONEDNN();
  }
  using paddle::kTRTSubgraphPasses;
  for (const Names& list :
       {Names(kTRTSubgraphPasses), Names(paddle::kCINNCompilerPasses), Names(paddle::kGpuLowerPrecisionPasses),
        Names(paddle::kTrtLowerPrecisionPasses), Names(paddle::kPirGpuPasses), Names(paddle::kPirCpuPasses),
        Names(paddle::kPirXpuPasses), Names(paddle::kPirMkldnnPasses), Names(paddle::kPirMkldnnBf16Passes)}) {
    EXPECT(!list.empty());
  }
  for (const std::string& name : kTRTSubgraphPasses) EXPECT(!name.empty());
  EXPECT(kTRTSubgraphPasses.size() > 1 && !kTRTSubgraphPasses.empty() && !kTRTSubgraphPasses[0].empty());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  location(argv[1], argv[2]);
  Config config(argv[1], argv[2]);
  devices(config);
  cpu(config);
  graph(config);
  tensorrt(config);
  pass_lists(config);
  std::printf("%s\n", config.Summary().c_str());
  EXPECT(paddle_infer::CreatePredictor(config) != nullptr);
  std::printf("every member was used\n");
  return 0;
}
