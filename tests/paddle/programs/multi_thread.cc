// SPDX-License-Identifier: Apache-2.0
// One clone per thread as the demos of Paddle Inference write it; each thread takes a slice of the batch.
//   multi_thread PROGRAM PARAMS THREADS SIZE OUTPUT
#include <fstream>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "paddle_inference_api.h"

using paddle_infer::Config;
using paddle_infer::CreatePredictor;
using paddle_infer::Predictor;

void run(Predictor* predictor, const float* input, const std::vector<int>& input_shape, std::vector<float>* out_data) {
  auto input_names = predictor->GetInputNames();
  auto output_names = predictor->GetOutputNames();
  auto input_t = predictor->GetInputHandle(input_names[0]);
  input_t->Reshape(input_shape);
  input_t->CopyFromCpu(input);
  for (int i = 0; i < 3; ++i) {
    predictor->Run();
    auto output_t = predictor->GetOutputHandle(output_names[0]);
    std::vector<int> output_shape = output_t->shape();
    out_data->resize(std::accumulate(output_shape.begin(), output_shape.end(), 1, std::multiplies<int>()));
    output_t->CopyToCpu(out_data->data());
  }
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  Config config;
  config.SetModel(argv[1], argv[2]);
  config.EnableMKLDNN();
  config.EnableMemoryOptim();
  auto main_predictor = CreatePredictor(config);
  const int thread_num = std::stoi(argv[3]);
  const int size = std::stoi(argv[4]);
  std::vector<std::shared_ptr<Predictor>> predictors;
  for (int i = 0; i < thread_num; ++i) predictors.emplace_back(main_predictor->Clone());

  const size_t slice = 3 * size * size;
  std::vector<float> input_data(thread_num * slice);
  for (size_t i = 0; i < input_data.size(); ++i) input_data[i] = i % 255 * 0.1;
  std::vector<std::vector<float>> results(thread_num);
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_num; ++i) {
    threads.emplace_back(run, predictors[i].get(), input_data.data() + i * slice, std::vector<int>{1, 3, size, size},
                         &results[i]);
  }
  for (auto& thread : threads) thread.join();
  std::ofstream out(argv[5], std::ios::binary);
  for (const auto& r : results) out.write(reinterpret_cast<const char*>(r.data()), r.size() * sizeof(float));
  return 0;
}
