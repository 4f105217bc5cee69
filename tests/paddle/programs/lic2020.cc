// SPDX-License-Identifier: Apache-2.0
// A language model with inputs of integers as the demos of Paddle Inference write it.
//   lic2020 PROGRAM PARAMS BATCH LENGTH OUTPUT
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

template <typename Dtype>
std::vector<Dtype> PrepareInput(const std::vector<int>& shape, int word_size = 18000);

template <>
std::vector<int64_t> PrepareInput(const std::vector<int>& shape, int word_size) {
  int count = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<int>());
  std::vector<int64_t> datas(count, 0);
  for (int i = 0; i < count; ++i) {
    datas[i] = (i + 13) % word_size == 0 ? 1 : (i + 13) % word_size;
  }
  return datas;
}

int main(int argc, char* argv[]) {
  if (argc != 6) return 2;
  Config config;
  config.SetModel(argv[1], argv[2]);
  config.EnableUseGpu(100, 0);
  auto predictor = CreatePredictor(config);
  std::vector<int> shape{std::stoi(argv[3]), std::stoi(argv[4])};
  auto input_names = predictor->GetInputNames();

#define INPUT_EMB(num)                                            \
  auto input_##num = predictor->GetInputHandle(input_names[num]); \
  auto data_##num = PrepareInput<int64_t>(shape, 20);             \
  input_##num->Reshape(shape);                                    \
  input_##num->CopyFromCpu(data_##num.data())
  INPUT_EMB(0);
  INPUT_EMB(1);
#undef INPUT_EMB

  predictor->Run();
  auto output_names = predictor->GetOutputNames();
  std::vector<float> out_data_0;
#define OUTPUT(num)                                                                                     \
  auto output_##num = predictor->GetOutputHandle(output_names[num]);                                    \
  std::vector<int> output_shape_##num = output_##num->shape();                                          \
  int out_num_##num =                                                                                   \
      std::accumulate(output_shape_##num.begin(), output_shape_##num.end(), 1, std::multiplies<int>()); \
  out_data_##num.resize(out_num_##num);                                                                 \
  output_##num->CopyToCpu(out_data_##num.data())
  OUTPUT(0);
#undef OUTPUT
  std::ofstream(argv[5], std::ios::binary)
      .write(reinterpret_cast<const char*>(out_data_0.data()), out_data_0.size() * sizeof(float));
  return 0;
}
