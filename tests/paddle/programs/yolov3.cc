// SPDX-License-Identifier: Apache-2.0
// A detector with three inputs as the demos of Paddle Inference write it.
//   yolov3 PROGRAM PARAMS BATCH SIZE OUTPUT
#include <fstream>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "paddle_inference_api.h"

using paddle_infer::Config;
using paddle_infer::CreatePredictor;
using paddle_infer::Predictor;

void run(Predictor* predictor, const std::vector<float>& input, const std::vector<int>& input_shape,
         const std::vector<float>& input_im, const std::vector<int>& input_im_shape, std::vector<float>* out_data) {
  auto input_names = predictor->GetInputNames();
  auto im_shape_handle = predictor->GetInputHandle(input_names[0]);
  im_shape_handle->Reshape(input_im_shape);
  im_shape_handle->CopyFromCpu(input_im.data());

  auto image_handle = predictor->GetInputHandle(input_names[1]);
  image_handle->Reshape(input_shape);
  image_handle->CopyFromCpu(input.data());

  auto scale_factor_handle = predictor->GetInputHandle(input_names[2]);
  scale_factor_handle->Reshape(input_im_shape);
  scale_factor_handle->CopyFromCpu(input_im.data());

  predictor->Run();

  for (const auto& name : predictor->GetOutputNames()) {
    auto output_t = predictor->GetOutputHandle(name);
    std::vector<int> output_shape = output_t->shape();
    int out_num = std::accumulate(output_shape.begin(), output_shape.end(), 1, std::multiplies<int>());
    const size_t before = out_data->size();
    out_data->resize(before + out_num);
    output_t->CopyToCpu(out_data->data() + before);
  }
}

int main(int argc, char* argv[]) {
  if (argc != 6) return 2;
  Config config(argv[1], argv[2]);
  config.EnableUseGpu(100, 0);
  if (!config.use_gpu()) config.EnableMKLDNN();
  config.EnableMemoryOptim();
  config.SwitchIrDebug(false);
  auto predictor = CreatePredictor(config);
  for (auto& item : predictor->GetInputTensorShape()) std::cout << item.first << " " << item.second.size() << "\n";

  const int batch_size = std::stoi(argv[3]);
  const int size = std::stoi(argv[4]);
  std::vector<int> input_shape = {batch_size, 3, size, size};
  std::vector<float> input_data(batch_size * 3 * size * size);
  for (size_t i = 0; i < input_data.size(); ++i) input_data[i] = i % 255 * 0.13f;
  std::vector<int> input_im_shape = {batch_size, 2};
  std::vector<float> input_im_data(batch_size * 2, size);

  std::vector<float> out_data;
  run(predictor.get(), input_data, input_shape, input_im_data, input_im_shape, &out_data);
  std::cout << "output num is " << out_data.size() << std::endl;
  std::ofstream(argv[5], std::ios::binary)
      .write(reinterpret_cast<const char*>(out_data.data()), out_data.size() * sizeof(float));
  return 0;
}
