// SPDX-License-Identifier: Apache-2.0
// Collects the shapes of variables over runs of batches, as programs do before they use TensorRT.
//   shape_ranges PROGRAM PARAMS FILE COLUMNS ROWS...
#include <iostream>
#include <string>
#include <vector>

#include "paddle/include/paddle_inference_api.h"

int main(int argc, char* argv[]) {
  if (argc < 6) return 2;
  paddle_infer::Config config(argv[1], argv[2]);
  config.CollectShapeRangeInfo(argv[3]);
  auto predictor = paddle_infer::CreatePredictor(config);
  const int columns = std::stoi(argv[4]);
  for (int i = 5; i < argc; ++i) {
    const int rows = std::stoi(argv[i]);
    std::vector<float> data(rows * columns, 1.f);
    auto input = predictor->GetInputHandle(predictor->GetInputNames()[0]);
    input->Reshape({rows, columns});
    input->CopyFromCpu(data.data());
    if (!predictor->Run()) return 1;
  }
  std::cout << "wrote " << config.shape_range_info_path() << std::endl;
  return 0;
}
