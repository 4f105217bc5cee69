// SPDX-License-Identifier: Apache-2.0
// An image classifier as the demos of Paddle Inference write it.
//   resnet50 MODEL_DIR|PROGRAM PARAMS|- BATCH HEIGHT WIDTH OUTPUT      OUTPUT gets the first result's floats
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "paddle/include/paddle_inference_api.h"

using paddle_infer::Config;
using paddle_infer::CreatePredictor;
using paddle_infer::Predictor;

std::shared_ptr<Predictor> InitPredictor(const std::string& model, const std::string& params) {
  Config config;
  if (params == "-") {
    config.SetModel(model);
  } else {
    config.SetModel(model, params);
  }
  config.EnableMKLDNN();
  config.EnableMemoryOptim();
  return CreatePredictor(config);
}

void run(Predictor* predictor, const std::vector<float>& input, const std::vector<int>& input_shape,
         std::vector<float>* out_data) {
  auto input_names = predictor->GetInputNames();
  auto input_t = predictor->GetInputHandle(input_names[0]);
  input_t->Reshape(input_shape);
  input_t->CopyFromCpu(input.data());
  const int warmup = 1;
  const int repeats = 2;
  for (int i = 0; i < warmup; ++i) {
    if (!predictor->Run()) throw std::runtime_error("Run");
  }
  auto start = std::chrono::high_resolution_clock::now();
  for (int i = 0; i < repeats; ++i) {
    if (!predictor->Run()) throw std::runtime_error("Run");
    auto output_names = predictor->GetOutputNames();
    auto output_t = predictor->GetOutputHandle(output_names[0]);
    std::vector<int> output_shape = output_t->shape();
    int out_num = std::accumulate(output_shape.begin(), output_shape.end(), 1, std::multiplies<int>());
    out_data->resize(out_num);
    output_t->CopyToCpu(out_data->data());
  }
  auto taken = std::chrono::high_resolution_clock::now() - start;
  std::cout << "run avg time is " << std::chrono::duration_cast<std::chrono::microseconds>(taken).count() / repeats
            << " us" << std::endl;
}

int main(int argc, char* argv[]) {
  if (argc != 7) return 2;
  auto predictor = InitPredictor(argv[1], argv[2]);
  std::vector<int> input_shape = {std::stoi(argv[3]), 3, std::stoi(argv[4]), std::stoi(argv[5])};
  std::vector<float> input_data(std::accumulate(input_shape.begin(), input_shape.end(), 1, std::multiplies<int>()));
  for (size_t i = 0; i < input_data.size(); ++i) input_data[i] = i % 255 * 0.1;
  std::vector<float> out_data;
  run(predictor.get(), input_data, input_shape, &out_data);
  for (size_t i = 0; i < out_data.size() && i < 10; ++i) std::cout << i << " : " << out_data[i] << std::endl;
  std::ofstream(argv[6], std::ios::binary)
      .write(reinterpret_cast<const char*>(out_data.data()), out_data.size() * sizeof(float));
  return 0;
}
