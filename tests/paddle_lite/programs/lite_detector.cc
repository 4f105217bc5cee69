// SPDX-License-Identifier: Apache-2.0
// A detector in the style of Paddle Lite's demos for NPUs: the full interface saves the model, the small one loads what
// was saved and runs it; inputs are found by name, results are read from both outputs.
//   lite_detector PROGRAM PARAMS SAVED SIZE OUTPUT        makes SAVED.nb
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "paddle_api.h"

static void fill(paddle::lite_api::PaddlePredictor* predictor, int64_t size) {
  for (const auto& name : predictor->GetInputNames()) {
    auto input = predictor->GetInputByName(name);
    if (name == "image") {
      input->Resize({2, 3, size, size});
      float* to = input->mutable_data<float>();
      for (int i = 0; i < 6 * size * size; i++) to[i] = (i % 255) * 0.13F;
    } else {
      const std::vector<float> sizes(4, static_cast<float>(size));
      input->Resize({2, 2});
      input->CopyFromCpu<float, paddle::lite_api::TargetType::kHost>(sizes.data());
    }
  }
}

int main(int argc, char* argv[]) {
  if (argc != 6) return 2;
  const std::string saved = argv[3];
  const std::vector<std::string> devices = {"verisilicon_timvx"};

  paddle::lite_api::CxxConfig full;
  full.set_model_file(argv[1]);
  full.set_param_file(argv[2]);
  std::vector<paddle::lite_api::Place> places;
  places.push_back(paddle::lite_api::Place{TARGET(kNNAdapter), PRECISION(kInt8)});
  places.push_back(paddle::lite_api::Place{TARGET(kARM), PRECISION(kFloat)});
  full.set_valid_places(places);
  full.set_nnadapter_device_names(devices);
  full.set_nnadapter_subgraph_partition_config_buffer("softmax");
  std::shared_ptr<paddle::lite_api::PaddlePredictor> predictor = nullptr;
  try {
    predictor = paddle::lite_api::CreatePaddlePredictor(full);
    predictor->SaveOptimizedModel(saved, paddle::lite_api::LiteModelType::kNaiveBuffer);
  } catch (std::exception e) {
    printf("the model could not be saved\n");
    return 1;
  }

  paddle::lite_api::MobileConfig config;
  config.set_model_from_file(saved + ".nb");
  config.set_threads(2);
  config.set_power_mode(paddle::lite_api::PowerMode::LITE_POWER_NO_BIND);
  config.set_nnadapter_device_names(devices);
  predictor = paddle::lite_api::CreatePaddlePredictor<paddle::lite_api::MobileConfig>(config);
  fill(predictor.get(), std::stoi(argv[4]));
  predictor->Run();

  std::vector<const float*> kept;
  std::vector<size_t> sizes;
  for (const std::string& name : predictor->GetOutputNames()) {
    auto output = predictor->GetTensor(name);
    size_t count = 1;
    for (auto d : output->shape()) count *= d;
    kept.push_back(output->mutable_data<float>());
    sizes.push_back(count);
  }
  std::ofstream file(argv[5], std::ios::binary);
  for (size_t i = 0; i < kept.size(); i++) {
    file.write(reinterpret_cast<const char*>(kept[i]), sizes[i] * sizeof(float));
  }
  return 0;
}
