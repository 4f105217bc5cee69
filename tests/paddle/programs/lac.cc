// SPDX-License-Identifier: Apache-2.0
// Sentences of words with sequence offsets through the old interface: ZeroCopyTensor, then PaddleTensor.
//   lac MODEL_DIR|PROGRAM PARAMS|- OUTPUT      OUTPUT gets the first result's floats
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "paddle_api.h"
#include "paddle_inference_api.h"

int main(int argc, char* argv[]) {
  if (argc != 4) return 2;
  paddle::AnalysisConfig config;
  if (std::strcmp(argv[2], "-") == 0) {
    config.SetModel(argv[1]);
  } else {
    config.SetModel(argv[1], argv[2]);
  }
  config.DisableGpu();
  config.SwitchUseFeedFetchOps(false);
  config.SetCpuMathLibraryNumThreads(1);
  std::unique_ptr<paddle::PaddlePredictor> predictor = paddle::CreatePaddlePredictor(config);

  const std::vector<int> lengths = {3, 2, 4};
  std::vector<std::vector<size_t>> lod(1, std::vector<size_t>(1, 0));
  for (int length : lengths) lod[0].push_back(lod[0].back() + length);
  const int total = static_cast<int>(lod[0].back());

  auto input = predictor->GetInputTensor(predictor->GetInputNames()[0]);
  input->Reshape({total, 1});
  input->SetLoD(lod);
  int64_t* words = input->mutable_data<int64_t>(paddle::PaddlePlace::kCPU);
  for (int i = 0; i < total; ++i) words[i] = i;
  if (!predictor->ZeroCopyRun()) return 1;
  auto output = predictor->GetOutputTensor(predictor->GetOutputNames()[0]);
  std::vector<int> shape = output->shape();
  std::vector<float> result(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<int>()));
  output->copy_to_cpu(result.data());
  for (const auto& level : output->lod()) std::cout << "level of " << level.size() << " offsets" << std::endl;

  // The same once more, with tensors that are copied in and out.
  std::vector<int64_t> copy(words, words + total);
  paddle::PaddleTensor tensor;
  tensor.name = predictor->GetInputNames()[0];
  tensor.shape = {total, 1};
  tensor.lod = lod;
  tensor.data = paddle::PaddleBuf(copy.data(), copy.size() * sizeof(int64_t));
  tensor.dtype = paddle::PaddleDType::INT64;
  std::vector<paddle::PaddleTensor> outputs;
  if (!predictor->Run({tensor}, &outputs)) return 1;
  if (outputs[0].data.length() != result.size() * sizeof(float) ||
      std::memcmp(outputs[0].data.data(), result.data(), outputs[0].data.length()) != 0) {
    std::cerr << "the two ways differ" << std::endl;
    return 1;
  }
  std::ofstream(argv[3], std::ios::binary)
      .write(reinterpret_cast<const char*>(result.data()), result.size() * sizeof(float));
  return 0;
}
