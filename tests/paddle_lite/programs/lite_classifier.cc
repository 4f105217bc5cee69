// SPDX-License-Identifier: Apache-2.0
// A classifier in the style of Paddle Lite's demos: one saved model, the image as normalised planes, the best classes
// printed; all scores are written to OUTPUT.
//   lite_classifier MODEL HEIGHT WIDTH OUTPUT
#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "paddle_api.h"
#include "paddle_use_kernels.h"
#include "paddle_use_ops.h"
#include "paddle_use_passes.h"

using namespace paddle::lite_api;

const paddle::lite_api::PowerMode kPower = paddle::lite_api::PowerMode::LITE_POWER_HIGH;

static int64_t count(const shape_t& shape) {
  int64_t result = 1;
  for (auto i : shape) result *= i;
  return result;
}

static void prepare(std::shared_ptr<PaddlePredictor> predictor, int height, int width) {
  std::unique_ptr<Tensor> image(std::move(predictor->GetInput(0)));
  image->Resize({1, 3, height, width});
  auto* to = image->mutable_data<float>();
  for (int i = 0; i < 3 * height * width; i++) to[i] = (i % 255) * 0.1;
}

static std::vector<std::pair<float, int>> best(std::shared_ptr<PaddlePredictor> predictor, int top) {
  std::unique_ptr<const Tensor> scores(std::move(predictor->GetOutput(0)));
  auto* values = scores->data<float>();
  std::vector<std::pair<float, int>> ranked(count(scores->shape()));
  for (int i = 0; i < ranked.size(); i++) ranked[i] = std::make_pair(values[i], i);
  std::partial_sort(ranked.begin(), ranked.begin() + top, ranked.end(), std::greater<std::pair<float, int>>());
  ranked.resize(top);
  return ranked;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  MobileConfig config;
  config.set_model_from_file(argv[1]);
  config.set_power_mode(kPower);
  config.set_threads(2);
  std::shared_ptr<PaddlePredictor> predictor = CreatePaddlePredictor<MobileConfig>(config);
  prepare(predictor, std::stoi(argv[2]), std::stoi(argv[3]));
  for (int i = 0; i < 3; i++) predictor->Run();
  for (auto& one : best(predictor, 3)) std::cout << one.second << ": " << one.first << std::endl;
  auto output = predictor->GetOutput(0);
  std::ofstream(argv[4], std::ios::binary)
      .write(reinterpret_cast<const char*>(output->data<float>()), count(output->shape()) * sizeof(float));
  return 0;
}
