// SPDX-License-Identifier: Apache-2.0
// A detector with the settings that PaddleDetection's C++ programs make: inputs told apart by name, several outputs.
//   object_detector MODEL_DIR RUN_MODE BATCH SIZE OUTPUT      RUN_MODE paddle, trt_fp16 ...
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "paddle_inference_api.h"  // NOLINT

using namespace paddle_infer;  // NOLINT

class ObjectDetector {
 public:
  ObjectDetector(const std::string& model_dir, const std::string& device, const std::string& run_mode) {
    Config config;
    config.SetModel(model_dir + "/inference.pdmodel", model_dir + "/inference.pdiparams");
    if (device == "GPU") {
      config.EnableUseGpu(200, 0);
      config.SwitchIrOptim(true);
      if (run_mode != "paddle") {
        auto precision = Config::Precision::kFloat32;
        if (run_mode == "trt_fp16") precision = Config::Precision::kHalf;
        config.EnableTensorRtEngine(1 << 30, 1, 3, precision, false, false);
        const std::map<std::string, std::vector<int>> map_min_input_shape{{"image", {1, 3, 8, 8}}};
        config.SetTRTDynamicShapeInfo(map_min_input_shape, map_min_input_shape, map_min_input_shape);
        std::cout << "TensorRT dynamic shape enabled" << std::endl;
      }
    } else if (device == "XPU") {
      config.EnableXpu(10 * 1024 * 1024);
    } else {
      config.DisableGpu();
      config.EnableMKLDNN();
      config.SetMkldnnCacheCapacity(10);
      config.SetCpuMathLibraryNumThreads(2);
    }
    config.SwitchUseFeedFetchOps(false);
    config.SwitchIrOptim(true);
    config.DisableGlogInfo();
    config.EnableMemoryOptim();
    predictor_ = std::move(CreatePredictor(config));
  }

  void Predict(int batch, int size, std::vector<std::vector<float>>* outputs) {
    std::vector<float> image(batch * 3 * size * size);
    for (size_t i = 0; i < image.size(); ++i) image[i] = i % 255 * 0.13f;
    std::vector<float> im_shape(batch * 2, size);
    std::vector<float> scale_factor(batch * 2, size);
    auto input_names = predictor_->GetInputNames();
    for (const auto& tensor_name : input_names) {
      auto in_tensor = predictor_->GetInputHandle(tensor_name);
      if (tensor_name == "image") {
        in_tensor->Reshape({batch, 3, size, size});
        in_tensor->CopyFromCpu(image.data());
      } else if (tensor_name == "im_shape") {
        in_tensor->Reshape({batch, 2});
        in_tensor->CopyFromCpu(im_shape.data());
      } else if (tensor_name == "scale_factor") {
        in_tensor->Reshape({batch, 2});
        in_tensor->CopyFromCpu(scale_factor.data());
      }
    }
    predictor_->Run();
    auto output_names = predictor_->GetOutputNames();
    for (size_t j = 0; j < output_names.size(); j++) {
      auto output_tensor = predictor_->GetOutputHandle(output_names[j]);
      std::vector<int> output_shape = output_tensor->shape();
      int out_num = std::accumulate(output_shape.begin(), output_shape.end(), 1, std::multiplies<int>());
      std::vector<float> out_tensor;
      if (output_tensor->type() == paddle_infer::DataType::INT32) {
        std::vector<int> whole(out_num);
        output_tensor->CopyToCpu(whole.data());
        out_tensor.assign(whole.begin(), whole.end());
      } else {
        out_tensor.resize(out_num);
        output_tensor->CopyToCpu(out_tensor.data());
      }
      outputs->push_back(out_tensor);
    }
  }

 private:
  std::shared_ptr<Predictor> predictor_;
};

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  std::vector<std::vector<float>> on_cpu, on_gpu, on_xpu;
  ObjectDetector(argv[1], "CPU", argv[2]).Predict(std::stoi(argv[3]), std::stoi(argv[4]), &on_cpu);
  ObjectDetector(argv[1], "GPU", argv[2]).Predict(std::stoi(argv[3]), std::stoi(argv[4]), &on_gpu);
  ObjectDetector(argv[1], "XPU", argv[2]).Predict(std::stoi(argv[3]), std::stoi(argv[4]), &on_xpu);
  if (on_cpu != on_gpu || on_cpu != on_xpu) return 1;
  std::ofstream out(argv[5], std::ios::binary);
  for (const auto& o : on_cpu) out.write(reinterpret_cast<const char*>(o.data()), o.size() * sizeof(float));
  return 0;
}
