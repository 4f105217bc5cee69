// SPDX-License-Identifier: Apache-2.0
// Detection, classification and recognition with the settings that PaddleOCR's C++ programs make.
//   ocr det|cls|rec MODEL_DIR HEIGHT WIDTH OUTPUT      MODEL_DIR has inference.pdmodel and inference.pdiparams
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "paddle_api.h"
#include "paddle_inference_api.h"

namespace PaddleOCR {

class Model {
 public:
  Model(const std::string& kind, const std::string& model_dir, bool use_gpu, bool use_mkldnn, bool use_tensorrt,
        int cpu_math_library_num_threads, const std::string& precision)
      : kind_(kind) {
    paddle_infer::Config config;
    config.SetModel(model_dir + "/inference.pdmodel", model_dir + "/inference.pdiparams");
    if (use_gpu) {
      config.EnableUseGpu(4000, 0);
      if (use_tensorrt) {
        auto precision_type = paddle_infer::Config::Precision::kFloat32;
        if (precision == "fp16") precision_type = paddle_infer::Config::Precision::kHalf;
        if (precision == "int8") precision_type = paddle_infer::Config::Precision::kInt8;
        config.EnableTensorRtEngine(1 << 20, 10, 15, precision_type, false, false);
        const std::string shape_file = model_dir + "/no_such_shapes.txt";
        if (access(shape_file.c_str(), 0) == 0) {
          config.CollectShapeRangeInfo(shape_file);
        } else {
          config.EnableTunedTensorRtDynamicShape(shape_file, true);
        }
      }
    } else {
      config.DisableGpu();
      if (use_mkldnn) {
        config.EnableMKLDNN();
        // Shapes change from image to image.
        config.SetMkldnnCacheCapacity(10);
      } else {
        config.DisableMKLDNN();
      }
      config.SetCpuMathLibraryNumThreads(cpu_math_library_num_threads);
      if (precision == "fp16") config.EnableMkldnnBfloat16();
    }
    if (kind == "rec") {
      // The pass gives wrong results for some recognition models.
      config.pass_builder()->DeletePass("matmul_transpose_reshape_fuse_pass");
    }
    if (kind == "det") config.pass_builder()->DeletePass("conv_transpose_eltwiseadd_bn_fuse_pass");
    config.SwitchUseFeedFetchOps(false);
    config.SwitchSpecifyInputNames(true);
    config.SwitchIrOptim(true);
    config.EnableMemoryOptim();
    config.DisableGlogInfo();
    predictor_ = paddle_infer::CreatePredictor(config);
  }

  void Run(const std::vector<float>& input, const std::vector<int>& shape, std::vector<float>* out_data) {
    auto input_names = predictor_->GetInputNames();
    auto input_t = predictor_->GetInputHandle(input_names[0]);
    input_t->Reshape(shape);
    auto inference_start = std::chrono::steady_clock::now();
    input_t->CopyFromCpu(input.data());
    predictor_->Run();
    auto output_names = predictor_->GetOutputNames();
    auto output_t = predictor_->GetOutputHandle(output_names[0]);
    std::vector<int> predict_shape = output_t->shape();
    int out_num = std::accumulate(predict_shape.begin(), predict_shape.end(), 1, std::multiplies<int>());
    out_data->resize(out_num);
    output_t->CopyToCpu(out_data->data());
    std::chrono::duration<float> inference_diff = std::chrono::steady_clock::now() - inference_start;
    std::cout << kind_ << " " << double(inference_diff.count() * 1000) << " ms" << std::endl;
  }

 private:
  std::string kind_;
  std::shared_ptr<paddle_infer::Predictor> predictor_;
};

/// The detector of the first versions, by the old interface.
void old_detector(const std::string& model_dir, const std::vector<float>& input, const std::vector<int>& shape,
                  std::vector<float>* out_data) {
  paddle::AnalysisConfig config;
  config.SetModel(model_dir + "/inference.pdmodel", model_dir + "/inference.pdiparams");
  config.DisableGpu();
  config.EnableMKLDNN();
  config.SetCpuMathLibraryNumThreads(2);
  config.SwitchUseFeedFetchOps(false);
  config.SwitchSpecifyInputNames(true);
  config.EnableMemoryOptim();
  auto predictor = paddle::CreatePaddlePredictor(config);
  auto input_names = predictor->GetInputNames();
  auto input_t = predictor->GetInputTensor(input_names[0]);
  input_t->Reshape(shape);
  input_t->copy_from_cpu(input.data());
  predictor->ZeroCopyRun();
  auto output_t = predictor->GetOutputTensor(predictor->GetOutputNames()[0]);
  std::vector<int> output_shape = output_t->shape();
  out_data->resize(std::accumulate(output_shape.begin(), output_shape.end(), 1, std::multiplies<int>()));
  output_t->copy_to_cpu(out_data->data());
}

}  // namespace PaddleOCR

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string kind = argv[1];
  const std::string model_dir = argv[2];
  const std::vector<int> shape = {1, 3, std::stoi(argv[3]), std::stoi(argv[4])};
  std::vector<float> input(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<int>()));
  for (size_t i = 0; i < input.size(); ++i) input[i] = i % 255 * 0.1;
  std::vector<float> plain;
  std::vector<float> with_gpu;
  PaddleOCR::Model(kind, model_dir, false, true, false, 2, "fp32").Run(input, shape, &plain);
  PaddleOCR::Model(kind, model_dir, true, false, true, 1, "fp16").Run(input, shape, &with_gpu);
  std::vector<float> old;
  PaddleOCR::old_detector(model_dir, input, shape, &old);
  if (plain != with_gpu || plain != old) {
    std::cerr << "the settings change the result" << std::endl;
    return 1;
  }
  std::ofstream(argv[5], std::ios::binary)
      .write(reinterpret_cast<const char*>(plain.data()), plain.size() * sizeof(float));
  return 0;
}
