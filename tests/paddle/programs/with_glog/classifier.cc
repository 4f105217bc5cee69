// SPDX-License-Identifier: Apache-2.0
// An image classifier whose settings are flags of gflags and whose messages go through glog, as demos of Paddle
// Inference have it: a batch of synthetic images, warm-up, timed runs, the best classes of each image.
//   classifier --model_file=PROGRAM --params_file=PARAMS OUTPUT      OUTPUT gets the first result's floats
#include <gflags/gflags.h>
#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "paddle/include/paddle_inference_api.h"

DEFINE_string(model_dir, "", "folder of the model, where it is one");
DEFINE_string(model_file, "", "program of the model");
DEFINE_string(params_file, "", "parameters of the model");
DEFINE_int32(batch_size, 1, "images in a run");
DEFINE_int32(height, 224, "rows of an image");
DEFINE_int32(width, 224, "columns of an image");
DEFINE_int32(threads, 1, "threads of a run");
DEFINE_int32(warmup, 1, "runs before those that are timed");
DEFINE_int32(repeats, 2, "runs that are timed");
DEFINE_int32(topk, 3, "classes to show for each image");
DEFINE_bool(use_mkldnn, true, "whether to ask for oneDNN");
DEFINE_bool(use_gpu, false, "whether to ask for a GPU");

namespace demo {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(const Clock::time_point& start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void Prepare(paddle_infer::Config* config) {
  if (!FLAGS_model_dir.empty()) {
    config->SetModel(FLAGS_model_dir);
  } else {
    CHECK(!FLAGS_model_file.empty()) << "give --model_dir, or --model_file and --params_file";
    config->SetModel(FLAGS_model_file, FLAGS_params_file);
  }
  if (FLAGS_use_gpu) {
    config->EnableUseGpu(100, 0);
  } else {
    config->DisableGpu();
    config->SetCpuMathLibraryNumThreads(FLAGS_threads);
    if (FLAGS_use_mkldnn) config->EnableMKLDNN();
  }
  config->EnableMemoryOptim();
  config->SwitchIrOptim(true);
}

std::vector<float> Images(const std::vector<int>& shape) {
  std::vector<float> pixels(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<int>()));
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = i % 255 * 0.1;
  return pixels;
}

void ShowBest(const std::vector<float>& scores, int images) {
  const size_t classes = scores.size() / images;
  for (int image = 0; image < images; ++image) {
    std::vector<size_t> order(classes);
    std::iota(order.begin(), order.end(), 0);
    const float* of = scores.data() + image * classes;
    const size_t shown = std::min<size_t>(FLAGS_topk, classes);
    std::partial_sort(order.begin(), order.begin() + shown, order.end(),
                      [of](size_t a, size_t b) { return of[a] > of[b]; });
    for (size_t i = 0; i < shown; ++i) LOG(INFO) << "image " << image << ": class " << order[i] << ", " << of[order[i]];
  }
}

int Main(const std::string& output) {
  paddle_infer::Config config;
  Prepare(&config);
  VLOG(1) << config.Summary();
  std::shared_ptr<paddle_infer::Predictor> predictor = paddle_infer::CreatePredictor(config);
  LOG(INFO) << "Paddle Inference " << paddle_infer::GetVersion();

  const std::vector<int> shape = {FLAGS_batch_size, 3, FLAGS_height, FLAGS_width};
  const std::vector<float> pixels = Images(shape);
  const auto input_names = predictor->GetInputNames();
  CHECK_EQ(input_names.size(), 1U) << "this program runs models of one input";
  auto input = predictor->GetInputHandle(input_names[0]);
  input->Reshape(shape);
  input->CopyFromCpu(pixels.data());

  for (int i = 0; i < FLAGS_warmup; ++i) CHECK(predictor->Run()) << "warm-up " << i;
  const auto start = Clock::now();
  for (int i = 0; i < FLAGS_repeats; ++i) CHECK(predictor->Run()) << "run " << i;
  LOG(INFO) << "batch of " << FLAGS_batch_size << ": " << MillisecondsSince(start) / std::max(FLAGS_repeats, 1)
            << " ms a run";

  auto result = predictor->GetOutputHandle(predictor->GetOutputNames()[0]);
  const std::vector<int> result_shape = result->shape();
  std::vector<float> scores(std::accumulate(result_shape.begin(), result_shape.end(), 1, std::multiplies<int>()));
  result->CopyToCpu(scores.data());
  ShowBest(scores, FLAGS_batch_size);
  std::ofstream(output, std::ios::binary)
      .write(reinterpret_cast<const char*>(scores.data()), scores.size() * sizeof(float));
  return 0;
}

}  // namespace demo

int main(int argc, char** argv) {
  FLAGS_logtostderr = true;
  google::InitGoogleLogging(argv[0]);
  gflags::SetUsageMessage("classifies images");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  CHECK_EQ(argc, 2) << "name the file for the result";
  return demo::Main(argv[1]);
}
